"""The guide's examples print what they say, and the site builds without a warning."""

import doctest
import importlib
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lsvv.cli.app import app

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [DOCS / "index.md", *sorted((DOCS / "guide").glob("*.md")), DOCS / "coming-from.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_print_what_they_say(page: Path) -> None:
    results = doctest.testfile(str(page), module_relative=False)
    assert results.attempted >= 5
    assert results.failed == 0


def test_every_block_of_python_is_run() -> None:
    for page in PAGES:
        blocks = page.read_text(encoding="utf-8").split("```python\n")[1:]
        assert blocks, page
        assert all(block.startswith(">>> ") for block in blocks), page


def test_commands_have_the_options_the_page_names() -> None:
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    lines = [
        line.split("lsvv ", 1)[1].split() for line in re.findall(r"^(?:lsvv .*|.*\| lsvv .*)$", page, re.MULTILINE)
    ]
    assert {words[0] for words in lines} >= {"fill", "fit", "predict", "export", "ask", "bounds"}
    for words in lines:
        command = words[:1] if not words[0].startswith("-") else []
        told = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200", "NO_COLOR": "1"})
        assert told.exit_code == 0, words
        assert all(word in told.output for word in words if word.startswith("--")), words


def test_fill_has_the_options_of_its_table() -> None:
    table = re.findall(r"^\| `(--.*) \|.*\|$", (DOCS / "command-line.md").read_text(encoding="utf-8"), re.MULTILINE)
    named = re.findall(r"--[a-z]+", " ".join(table))
    told = CliRunner().invoke(app, ["fill", "--help"], env={"COLUMNS": "200", "NO_COLOR": "1"}).output
    assert len(named) > 10
    assert [option for option in named if option not in told] == []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for needed in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(needed, reason="the site needs pip install 'lsvv[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(DOCS)}
    run = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "WARNING" not in run.stderr
    return folder


def test_every_option_of_the_reference_is_known() -> None:
    # beside pydantic an unknown option passes unseen, without it the site is not built
    options = pytest.importorskip("mkdocstrings_handlers.python", reason="the site needs pip install 'lsvv[docs]'")
    known = {option.name for option in fields(options.PythonInputOptions)}
    written = re.search(r"^ {10}options:\n((?: {12}.*\n)+)", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert written is not None
    assert set(re.findall(r"^ {12}(\w+):", written[1], re.MULTILINE)) <= known


def test_pages_of_results_are_listed(site: Path) -> None:
    page = (site / "results.html").read_text(encoding="utf-8")
    written = {path.relative_to(DOCS).with_suffix(".html").as_posix() for path in (DOCS / "results").glob("*.md")}
    assert written <= set(re.findall(r'href="(results/\w+\.html)"', page))


def test_angle_brackets_are_mathematics_and_roles_are_not_shown(site: Path) -> None:
    assert "(&lt;x, x'&gt; + 1)^p" in (site / "theory.html").read_text(encoding="utf-8")
    shown = [page.name for page in site.rglob("*.html") if ":class:<code>" in page.read_text(encoding="utf-8")]
    assert shown == []


def test_the_site_asks_nothing_of_the_network(site: Path) -> None:
    loaded = re.compile(r"""<(?:script|img|link|iframe)[^>]+(?:src|href)=["']?(?:https?:)?//""")
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    assert [page.name for page in pages if loaded.search(page.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("name", ["features", "graph", "nn", "selection", "tasks", "theory", "report", "lsvv"])
def test_every_public_name_has_its_place(site: Path, name: str) -> None:
    module = importlib.import_module("lsvv" if name == "lsvv" else f"lsvv.{name}")
    page = (site / "api" / f"{name}.html").read_text(encoding="utf-8")
    places = set(re.findall(r'id="lsvv\.(?:\w+\.)*(\w+)"', page))
    assert set(module.__all__) <= places


def test_formulas_are_drawn_in_the_colour_of_the_text(site: Path) -> None:
    for name in ("index", "models", "theory"):
        page = (site / f"{name}.html").read_text(encoding="utf-8")
        drawn = re.findall(r'<svg role="img" aria-label="[^"]+" viewBox="[^"]+" fill="currentColor"', page)
        written = (DOCS / f"{name}.md").read_text(encoding="utf-8")
        lines = [
            line for block in re.findall(r"^```math\n(.*?)```$", written, re.S | re.M) for line in block.split("\n")
        ]
        assert len(drawn) == len([line for line in lines if line]) > 0


def test_results_begin_with_the_comparison_as_it_was_measured(site: Path) -> None:
    page = (site / "results.html").read_text(encoding="utf-8")
    begins = page[page.index('<h2 id="against') : page.index('<h2 id="all-pages')]
    measured = (DOCS / "results" / "fill_tables.md").read_text(encoding="utf-8")
    means = [line.split("|")[5].strip(" *") for line in measured.splitlines() if line.startswith("| mean |")]
    assert len(means) == 2
    assert all(f"<strong>{mean}</strong>" in begins for mean in means)
    assert begins.count("mark:") == measured.count("mark:")


def test_reproduction_begins_with_whether_the_paper_reproduces(site: Path) -> None:
    page = (site / "reproduction.html").read_text(encoding="utf-8")
    verdicts = (DOCS / "results" / "reproduction" / "verdicts.md").read_text(encoding="utf-8")
    supported = verdicts.count("| **supported** |")
    told = page[page.index("Does the paper reproduce?") : page.index("How to run it", page.index("Does the paper"))]
    assert f"{supported} {'is' if supported == 1 else 'are'} supported" in told
