"""``python -m reproduction data``: what is listed, fetched and verified, and how it ends."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from lsvv.cli.console import BAD_INPUT, CANNOT_WRITE, STOPPED
from made_up import here
from reproduction.data import DataError

ROOT = Path(__file__).parents[2]


def test_fetching_that_is_stopped_keeps_what_was_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> list[Path]:
        raise KeyboardInterrupt

    monkeypatch.setattr("reproduction.data.fetch", fail)
    done = here("data", "fetch", "iris", "--folder", str(tmp_path))
    assert (done.exit_code, done.stderr) == (
        STOPPED,
        "Stopped. What was fetched stays; the same command goes on from there.\n",
    )


def test_data_sets_are_listed_and_verified(tmp_path: Path) -> None:
    assert {entry["name"] for entry in json.loads(here("data", "list", "--json").stdout)} >= {"iris", "MNIST"}
    done = here("data", "verify", "iris", "--folder", str(tmp_path))
    assert (done.exit_code, "BAD  iris: not here" in done.stdout) == (BAD_INPUT, True)
    done = here("data", "verify", "nonsense", "--folder", str(tmp_path))
    assert (done.exit_code, "There is no data set named 'nonsense'" in done.stderr) == (BAD_INPUT, True)


def save_iris(folder: Path, rows: int = 150) -> None:
    X, y = load_iris(return_X_y=True)
    np.savetxt(folder / "iris.data", np.column_stack([X, y])[:rows], delimiter=",")


def test_the_list_tells_what_is_in_the_folder_and_why_the_rest_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LSVV_DATA", raising=False)
    save_iris(tmp_path)
    (tmp_path / "scm20d.arff").write_text("@relation scm20d")
    (tmp_path / "wine.npz").touch()
    told = {line.split()[0]: line for line in here("data", "list", "--folder", str(tmp_path)).stdout.splitlines()}
    assert told["iris"].endswith("here: iris.data.")
    assert told["scm20d"].endswith("here: scm20d.arff.")
    assert told["wine"].endswith(f"not here: {tmp_path}/wine.npz is empty; remove it and fetch it again.")
    assert "not here: none of scm1d.npz, scm1d.arff" in told["scm1d"]
    assert "not here: none of rf2_with_missing.npz, rf2.arff" in told["rf2_with_missing"]
    monkeypatch.setenv("LSVV_DATA", str(tmp_path))
    (iris, *_) = json.loads(here("data", "list", "--json").stdout)
    assert (iris["d"], iris["found"]) == (5, "here: iris.data.")
    assert "R. A. Fisher" in iris["citation"]
    done = here("data", "list", "--data", str(tmp_path / "nowhere"))
    assert (done.exit_code, f"{tmp_path}/nowhere does not exist" in done.stderr) == (BAD_INPUT, True)


def test_the_list_without_a_folder_asks_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LSVV_DATA", raising=False)
    done = here("data", "list")
    assert (done.exit_code, done.stderr) == (0, "Name a folder with --folder or LSVV_DATA to see what is in it.\n")
    assert here("data", "list", "--quiet").stderr == ""


def test_sets_that_are_not_here_do_not_fail_a_folder(tmp_path: Path) -> None:
    assert here("data", "verify", "--folder", str(tmp_path)).exit_code == BAD_INPUT
    save_iris(tmp_path)
    done = here("data", "verify", "--folder", str(tmp_path))
    assert done.exit_code == 0
    assert "good iris: " in done.stdout
    assert "     wine: not here: " in done.stdout
    save_iris(tmp_path, rows=149)
    done = here("data", "verify", "--folder", str(tmp_path), "--json")
    told = {entry["name"]: (entry["here"], entry["good"]) for entry in json.loads(done.stdout)}
    assert (done.exit_code, told["iris"], told["wine"]) == (BAD_INPUT, (True, False), (False, False))


def test_a_set_that_cannot_be_had_does_not_keep_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def some(name: str, folder: str, progress: object) -> tuple[Path, ...]:
        if name != "wine":
            return (Path(folder) / name,)
        raise DataError("wine could not be fetched: the site was out of reach.")

    monkeypatch.setattr("reproduction.data.fetch", some)
    done = here("data", "fetch", "all", "--folder", str(tmp_path))
    assert done.exit_code == BAD_INPUT
    assert f"iris: {tmp_path}/iris\nError: wine could not be fetched: the site was out of reach.\nglass" in done.stderr
    assert f"scm1d: {tmp_path}/scm1d\n" in done.stderr
    done = here("data", "fetch", "iris", "--folder", str(tmp_path))
    assert (done.exit_code, done.stderr) == (0, f"iris: {tmp_path}/iris\n")


def test_fetching_shows_how_much_has_arrived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(name: str, folder: str, progress: Callable[[str, int, int | None], None]) -> tuple[Path, ...]:
        progress("poker.bz2", 300_000, 1_200_000)
        progress("poker.bz2", 300_000, None)
        return (Path(folder) / "poker.bz2",)

    shown: list[tuple[str, float]] = []
    monkeypatch.setattr("reproduction.data.fetch", slowly)
    monkeypatch.setattr("reproduction.commands.data.progress", lambda _: nullcontext(lambda *step: shown.append(step)))
    assert here("data", "fetch", "poker", "--folder", str(tmp_path)).exit_code == 0
    assert shown == [("poker.bz2, 0.3 of 1.2 MB", 0.25), ("poker.bz2, 0.3 MB", 0.0)]


def test_a_folder_that_cannot_be_fetched_into_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = here("data", "fetch", "iris", "--folder", str(tmp_path / "file" / "data"))
    assert done.exit_code == CANNOT_WRITE
    assert f"Error: {tmp_path}/file/data cannot be written: {os.strerror(errno.ENOTDIR)}." in done.stderr


@pytest.mark.parametrize("command", ["run", "data list", "data fetch", "data verify"])
def test_every_help_has_an_example(command: str) -> None:
    shown = here(*command.split(), "--help")
    assert shown.exit_code == 0
    assert f"python -m reproduction {command} " in " ".join(shown.output.split()) + " "
    assert "Try:" in shown.output


@pytest.mark.parametrize("arguments", [("list",), ("list", "--json"), ("verify", "--folder", ".")], ids=" ".join)
def test_a_reader_that_stops_reading_is_no_error(arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "reproduction", "data", *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(writing)
    said = done.stderr.decode().lower()
    assert (done.returncode, "pipe" in said, "error" in said) == (1, False, False), said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_standard_output_on_a_full_disk_is_a_sentence() -> None:
    command = [sys.executable, "-m", "reproduction", "data", "list"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    said = f"Error: Standard output cannot be written: {os.strerror(errno.ENOSPC)}. Send it elsewhere."
    assert (done.returncode, done.stderr.decode()[: len(said)]) == (CANNOT_WRITE, said)
    assert b"Traceback" not in done.stderr
