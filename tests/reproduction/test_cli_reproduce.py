"""``python -m reproduction run``: what it writes, what it says, how it ends."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from lsvv.cli.console import BAD_INPUT, CANNOT_WRITE
from made_up import here
from reproduction.bundled import bundled
from reproduction.records import read_records

pytestmark = pytest.mark.usefixtures("quick_chooser")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with iris only."""
    folder = tmp_path / "data"
    folder.mkdir()
    np.savez(folder / "iris.npz", X=bundled("iris").X, y=bundled("iris").y)
    return folder


def test_the_smoke_version_writes_everything_and_a_second_call_redoes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = here("run", "all", "--quick", "--jobs", "1", "--out", str(out))
    assert first.exit_code == 0, first.stderr
    assert "68 splits worked now, 0 were on record." in first.stderr
    files = {path.name: path.read_bytes() for path in out.iterdir()}
    assert {"index.md", "verdicts.md", "linear-mc.tex", "theta.svg", "labeled-rate.png", "reproduction.html"} <= set(
        files
    )
    second = here("run", "all", "--quick", "--jobs", "1", "--out", str(out))
    assert "0 splits worked now, 68 were on record." in second.stderr
    assert {path.name: path.read_bytes() for path in out.iterdir()} == files


def test_missing_sets_are_rows_and_no_failure(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ("--data", str(data), "--out", str(out), "--jobs", "1", "--repeats", "2", "--chooser", "atlas")
    done = here("run", "linear-mc", "datasets", *options)
    assert done.exit_code == 0, done.stderr
    assert "4 splits worked now" in done.stderr
    assert "Data not at hand: wine, glass, svmguide2" in done.stderr
    table = (out / "linear-mc.md").read_text(encoding="utf-8")
    assert "| iris | 2 |" in table
    assert "| wine |  | data not at hand |" in table
    assert not any(record.failed for record in read_records(out))


def test_repeats_add_to_what_is_there(data: Path, tmp_path: Path) -> None:
    options = ("--data", str(data), "--out", str(tmp_path / "out"), "--jobs", "1", "--sets", "iris")
    assert "2 splits worked now" in here("run", "linear-mc", *options, "--chooser", "cv", "--repeats", "2").stderr
    more = here("run", "linear-mc", *options, "--chooser", "both", "--repeats", "3").stderr
    assert "7 splits worked now, 2 were on record." in more


def test_splits_beyond_the_papers_are_shown(data: Path, tmp_path: Path) -> None:
    options = ("--data", str(data), "--out", str(tmp_path / "out"), "--jobs", "1", "--sets", "iris")
    done = here("run", "linear-mc", *options, "--chooser", "atlas", "--repeats", "32")
    assert "64 splits worked now" in done.stderr
    assert "| iris | 32 |" in (tmp_path / "out" / "linear-mc.md").read_text(encoding="utf-8")


def test_our_own_method_is_added_to_records_that_lack_it(tmp_path: Path) -> None:
    options = ("--quick", "--jobs", "1", "--out", str(tmp_path / "out"))
    four = here("run", "linear-mc", *options, "--chooser", "cv")
    assert "6 splits worked now" in four.stderr
    kept = read_records(tmp_path / "out")
    assert "6 splits worked now" in here("run", "linear-mc", *options, "--chooser", "smoothed").stderr
    records = read_records(tmp_path / "out")
    assert records[: len(kept)] == kept
    assert {record.trial["method"] for record in records[len(kept) :]} == {"smoothed"}
    more = here("run", "linear-mc", *options, "--chooser", "atlas").stderr
    assert "6 splits worked now, 6 were on record." in more
    assert "| smoothed (ours) |" in (tmp_path / "out" / "linear-mc.md").read_text(encoding="utf-8")


def test_figures_are_shown_whatever_the_tables_choose_by(tmp_path: Path) -> None:
    options = ("--quick", "--jobs", "1", "--chooser", "cv", "--out", str(tmp_path / "out"))
    assert "6 splits worked now" in here("run", "theta", *options).stderr
    assert (tmp_path / "out" / "theta.svg").is_file()


def test_a_folder_of_the_smoke_version_is_not_gone_on_with(data: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    here("run", "linear-mc", "--quick", "--jobs", "1", "--out", out, "--chooser", "atlas")
    done = here("run", "linear-mc", "--data", str(data), "--jobs", "1", "--out", out)
    assert done.exit_code == BAD_INPUT
    assert f"The records in {out} come from bundled data, and this run works on a data folder" in done.stderr


def test_time_that_is_over_leaves_splits_for_the_next_call(tmp_path: Path) -> None:
    done = here("run", "linear-mc", "--quick", "--jobs", "1", "--minutes", "0", "--out", str(tmp_path / "out"))
    assert done.exit_code == 0
    assert "18 splits are left; the same command goes on with them." in done.stderr


def test_quiet_says_nothing(tmp_path: Path) -> None:
    done = here("run", "methods", "--quick", "--quiet", "--out", str(tmp_path / "out"))
    assert (done.exit_code, done.stderr, done.stdout) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("table-4", "--quick"), "There is no experiment 'table-4'. Choose out of: linear-mc, kernel-mc"),
        (("linear-mc", "--quick", "--sets", "digits"), "No experiment has a data set named 'digits'"),
        (("linear-mc", "--quick", "--chooser", "luck"), "--chooser luck is unknown. Choose one of: atlas, smoothed"),
        (("linear-mc", "--quick", "--hide", "columns"), "--hide columns is unknown. Choose rows or entries."),
        (("linear-mc",), "No data folder is known: pass one or set the variable LSVV_DATA."),
        (("linear-mc", "--data", "nowhere"), "The data folder nowhere does not exist."),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LSVV_DATA", raising=False)
    done = here("run", *arguments, "--out", str(tmp_path / "out"))
    assert done.exit_code == BAD_INPUT
    assert sentence in done.stderr


def test_a_place_where_nothing_can_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = here("run", "methods", "--quick", "--out", str(tmp_path / "file" / "out"))
    assert done.exit_code == CANNOT_WRITE
    assert "cannot be made" in done.stderr


def test_records_that_cannot_be_written_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "records.lock").mkdir()
    done = here("run", "methods", "--quick", "--out", str(tmp_path))
    assert done.exit_code == CANNOT_WRITE
    assert f"Error: {tmp_path}/records.lock cannot be used: {os.strerror(errno.EISDIR)}. Splits that" in done.stderr

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("reproduction.running.run", full)
    done = here("run", "methods", "--quick", "--out", str(tmp_path))
    assert done.exit_code == CANNOT_WRITE
    assert f"Error: {tmp_path} cannot be used: {os.strerror(errno.ENOSPC)}." in done.stderr


def test_a_damaged_set_is_a_row_of_the_table_of_data_sets(data: Path, tmp_path: Path) -> None:
    (data / "wine.npz").write_bytes(b"no archive")
    done = here("run", "datasets", "--data", str(data), "--out", str(tmp_path / "out"))
    assert done.exit_code == 0, done.stderr
    table = (tmp_path / "out" / "datasets.md").read_text(encoding="utf-8")
    assert "| iris | multi-class | 105 | 45 | 5 | 3 |" in table
    assert "wine.npz ends early or is damaged" in table


def test_figures_that_cannot_be_drawn_are_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reproduction.pages.figures.find_spec", lambda _: None)
    done = here("run", "methods", "--quick", "--out", str(tmp_path / "out"))
    assert done.exit_code == BAD_INPUT
    assert "The figures need matplotlib: pip install 'lsvv[plot]'." in done.stderr
    assert not (tmp_path / "out").exists()


def test_help_has_examples() -> None:
    told = here("run", "--help").stdout
    assert "python -m reproduction run all --quick --out quick" in told
