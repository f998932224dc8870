# Every target sets up what it needs on a machine with Python, pip and make alone.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DATA ?=
OUT ?= reproduced

.PHONY: demo test lint bench reproduce docs clean

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[test]"
	touch $@

demo: $(VENV)/.ready
	$(BIN)/python examples/quickstart.py
	mkdir -p demo
	$(BIN)/lsvv fill examples/animals.csv --target species,weight_kg --out demo/animals-filled.csv --report demo/animals-report.html

test: lint
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.ready
	$(BIN)/python -m benchmarks $(if $(DATA),--data $(DATA))

reproduce: $(VENV)/.ready
	$(BIN)/python -m reproduction run all --out $(OUT) $(if $(DATA),--data $(DATA),--quick)

docs: $(VENV)/.ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
