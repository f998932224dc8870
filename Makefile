# Every target sets up what it needs on a machine with Python, pip and make alone.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OLDEST ?= .venv-oldest
DATA ?=
OUT ?= reproduced

.PHONY: demo test test-oldest oldest lint bench mutants fuzz reproduce docs pictures clean

INSTALL := -m pip install --quiet --disable-pip-version-check

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# what the demo needs, and then all that the tests need, in one environment
$(VENV)/.light: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python $(INSTALL) -c constraints.txt -e ".[cli]"
	touch $@

$(VENV)/.ready: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python $(INSTALL) -c constraints.txt -e ".[test]"
	touch $(VENV)/.light $@

demo: $(VENV)/.light
	$(BIN)/python examples/quickstart.py
	mkdir -p demo
	$(BIN)/lsvv fill examples/animals.csv --target species,weight_kg --out demo/animals-filled.csv --report demo/animals-report.html

test: lint
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2

# The suite at the lowest versions that pyproject.toml allows.
test-oldest: $(OLDEST)/.ready
	OMP_NUM_THREADS=1 $(OLDEST)/bin/python -m pytest -n 2

$(OLDEST)/.ready: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python $(INSTALL) -c constraints-oldest.txt -e ".[test]"
	touch $@

# Written anew whenever a lower bound of pyproject.toml changes; needs uv.
oldest:
	{ echo "# make oldest: what pyproject.toml names at its lowest version, what that needs at its newest"; \
	  uv pip compile --quiet --resolution lowest-direct --python-version 3.11 --extra test --no-header --no-annotate \
	  pyproject.toml | grep -vE '^(nvidia|cuda|triton)'; } > constraints-oldest.txt

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.ready
	$(BIN)/python -m benchmarks $(if $(DATA),--data $(DATA))

mutants: $(VENV)/.ready
	$(BIN)/python -m benchmarks mutants --out docs/results/mutants.md

# 20,000 generated inputs; a run that was cut short goes on where it was (build/fuzz.jsonl)
fuzz: $(VENV)/.ready
	OMP_NUM_THREADS=1 nice $(BIN)/python -m tests.fuzz --out docs/results/fuzz.md

reproduce: $(VENV)/.ready
	$(BIN)/python -m reproduction run all --out $(OUT) $(if $(DATA),--data $(DATA),--quick)

docs: $(VENV)/.ready pictures
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=docs $(BIN)/mkdocs build --strict

# Taken anew whenever what they show has changed, on a machine with chromium and chromedriver.
pictures: $(if $(shell command -v chromium && command -v chromedriver),docs/examples/report.png docs/examples/label.png)

SHOWN := $(shell find src/lsvv examples/animals.csv -type f -not -name '*.pyc')

docs/examples/report.png: examples/report_picture.py $(SHOWN) | $(VENV)/.ready
	$(BIN)/python $< $(@D)

docs/examples/label.png: examples/label_picture.py $(SHOWN) | $(VENV)/.ready
	$(BIN)/python $< $(@D)

clean:
	rm -rf $(VENV) $(OLDEST) demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
