"""``lsvv bounds`` as a process: from a table, from a model file, with sentences for what cannot be done."""

import json
import subprocess
from pathlib import Path

import pytest

from lsvv.cli.console import BAD_INPUT, WRONG_USAGE
from test_cli import Run, beasts, here, run

__all__ = ["run"]


def bounds(run: Run, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    return run("bounds", *arguments)


def test_a_table_gives_both_versions_the_complexity_and_the_plot(run: Run, tmp_path: Path) -> None:
    done = bounds(run, "t.csv", "-t", "kind", "--features", "linear", "--plot", "spectra.svg")
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode()
    assert said.startswith("kind: n = 10 labelled rows, u = 20 unlabelled ones, D = 3 features, K = 2 outputs")
    for part in ("as printed     corrected", "measured: 0.", "singular values of W:", "Corollary 1", "Corollary 2"):
        assert part in said
    assert "it is vacuous and says nothing about this model" in said
    assert said.count("guarantee") == said.count("not a guarantee") == 1
    notes = done.stderr.decode().splitlines()
    assert notes.pop() == "The spectra are in spectra.svg"
    assert notes
    assert all(note.startswith("Note: ") for note in notes)
    assert "<svg" in (tmp_path / "spectra.svg").read_text()


def test_a_model_file_speaks_alone_and_says_more_with_rows(run: Run) -> None:
    assert run("fit", "t.csv", "-t", "kind", "-o", "m.lsvv", "--features", "linear").returncode == 0
    alone = json.loads(bounds(run, "m.lsvv", "--json").stdout)[0]
    assert (alone["labelled"], alone["unlabelled"], alone["complexity"]) == (10, 20, None)
    more = json.loads(bounds(run, "m.lsvv", "--rows", "t.csv", "--json").stdout)[0]
    table = json.loads(bounds(run, "t.csv", "-t", "kind", "--features", "linear", "--json").stdout)[0]
    assert more["complexity"]["rows"] == 10
    assert more["corollary_1"]["corrected"]["sum"] == pytest.approx(table["corollary_1"]["corrected"]["sum"])


def test_a_model_file_takes_no_options_of_learning_and_tells_of_other_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(beasts())
    (tmp_path / "s.csv").write_text("row,target,label\n2,kind,dog\n")
    fitted = here("fit", "t.csv", "-t", "kind", "-o", "m.lsvv", "--features", "linear", "--labels", "s.csv")
    assert "Note: 1 label was taken from s.csv." in fitted.stderr
    for option in ("--target", "--task", "--features", "--labels"):
        done = here("bounds", "m.lsvv", option, "nonsense")
        assert done.exit_code == BAD_INPUT
        assert f"m.lsvv is a model file and has learnt already. Leave {option} out." in done.stderr
    monkeypatch.setattr("lsvv.tables.modelfile.versions", lambda: {"skrub": "0.0.1"})
    for arguments in (("bounds", "m.lsvv"), ("export", "m.lsvv"), ("predict", "m.lsvv", "t.csv")):
        assert "Note: The model was fitted with" in here(*arguments).stderr
    (tmp_path / "new.csv").write_text("size,habitat\n20.5\n60.5,house\n")
    assert "Note: 1 row with fewer cells" in here("bounds", "m.lsvv", "--rows", "new.csv").stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("none.lsvv",), "There is no file none.lsvv."),
        (
            ("t.csv", "-t", "kind", "--rows", "t.csv"),
            "t.csv is no model file, and a table has rows of its own.",
        ),
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


def test_no_target_is_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("size,kind\n1,a\n2,b\n")
    done = here("bounds", "t.csv")
    assert done.exit_code == WRONG_USAGE
    said = "No target is named. Name one with --target; no column has both empty and known cells: 'size', 'kind'."
    assert said in done.stderr
