"""``lsvv bounds`` as a process: from a table, from a model file, with sentences for what cannot be done."""

import json
import subprocess
from pathlib import Path

import pytest

from lsvv.cli.speech import BAD_INPUT
from test_cli import Run, here, run

__all__ = ["run"]


def bounds(run: Run, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    return run("bounds", *arguments)


def test_a_table_gives_both_versions_the_complexity_and_the_plot(run: Run, tmp_path: Path) -> None:
    done = bounds(run, "t.csv", "-t", "kind", "--features", "linear", "--plot", "spectra.svg")
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode()
    assert said.startswith("kind: n = 10 labelled rows, u = 20 unlabelled ones, D = 2 features, K = 2 outputs")
    for part in ("as printed     corrected", "measured: 0.", "singular values of W:", "Corollary 1", "Corollary 2"):
        assert part in said
    assert "it is vacuous and says nothing about this model" in said
    assert said.count("guarantee") == said.count("not a guarantee") == 1
    assert done.stderr.decode() == "The spectra are in spectra.svg\n"
    assert "<svg" in (tmp_path / "spectra.svg").read_text()


def test_a_model_file_speaks_alone_and_says_more_with_rows(run: Run) -> None:
    assert run("fit", "t.csv", "-t", "kind", "-o", "m.lsvv", "--features", "linear").returncode == 0
    alone = json.loads(bounds(run, "m.lsvv", "--json").stdout)[0]
    assert (alone["labelled"], alone["unlabelled"], alone["complexity"]) == (10, 20, None)
    more = json.loads(bounds(run, "m.lsvv", "--rows", "t.csv", "--json").stdout)[0]
    table = json.loads(bounds(run, "t.csv", "-t", "kind", "--features", "linear", "--json").stdout)[0]
    assert more["complexity"]["rows"] == 10
    assert more["corollary_1"]["corrected"]["sum"] == pytest.approx(table["corollary_1"]["corrected"]["sum"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("t.csv",), "t.csv is a table: name the columns to learn with --target."),
        (("t.csv", "-t", "kind", "--rows", "t.csv"), "--rows goes with a model file"),
        (("t.csv", "-t", "kind", "--plot", "p.txt"), "p.txt is no plot: end its name with one of .svg, .png, .pdf."),
        (("none.csv", "-t", "kind"), "There is no file none.csv."),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("size,kind\n1,a\n2,b\n")
    done = here("bounds", *arguments)
    assert done.exit_code == BAD_INPUT
    assert sentence in done.stderr
