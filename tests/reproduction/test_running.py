import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError

from reproduction.bundled import bundled
from reproduction.experiments import QUICK, Unit, plan
from reproduction.records import LIVE, PACKED, Record, RecordsError, latest, read_records, recording
from reproduction.running import Step, pending_units, run

UNITS = plan(["linear-mc", "linear-ml"], QUICK)
TESTS = Path(__file__).parent.parent
COMMAND = ("run", "linear-mc", "linear-ml", "--quick", "--repeats", "4", "--chooser", "cv", "--out")
SPLITS = 3 * 4
PATIENCE = 180.0
"""Seconds a process may take on a busy machine; an idle one needs a few."""


def figured(unit: Unit, _: object = None) -> list[Record]:
    return [Record(trial, figures={"error": float(unit.seed)}, seconds=0.1) for trial in unit.trials]


def test_every_split_is_worked_once_and_packed(tmp_path: Path) -> None:
    steps: list[Step] = []
    first = run(UNITS, None, tmp_path, jobs=1, work=figured, show=steps.append)
    assert (first.worked, first.found, first.left, first.failed) == (len(UNITS), 0, 0, 0)
    assert (tmp_path / PACKED).is_file()
    assert not (tmp_path / LIVE).exists()
    assert [step.done for step in steps] == list(range(1, len(UNITS) + 1))
    assert steps[-1].seconds_left == 0.0
    assert not steps[-1].at_least
    packed = (tmp_path / PACKED).read_bytes()
    second = run(UNITS, None, tmp_path, jobs=1, work=figured)
    assert (second.worked, second.found) == (0, len(UNITS))
    assert (tmp_path / PACKED).read_bytes() == packed


def test_what_is_left_takes_as_long_as_what_is_on_record(tmp_path: Path) -> None:
    def steps(*units: Unit) -> list[tuple[float, bool]]:
        shown: list[Step] = []
        run(units, None, tmp_path, jobs=1, work=figured, show=shown.append)
        return [(round(step.seconds_left, 6), step.at_least) for step in shown]

    def unit(seed: int, labelled: float | None = None) -> Unit:
        return Unit("iris", "linear", seed, "atlas", labelled)

    def failing(unit: Unit, _: object) -> list[Record]:
        return [Record(trial, reason="MemoryError") for trial in unit.trials]

    # what failed tells nothing of the time
    run([unit(9, labelled=0.5)], None, tmp_path, jobs=1, work=failing)
    (_, first), (_, last) = steps(unit(0), unit(1, labelled=0.5))
    assert (first, last) == (True, False)
    # between the 0.1 s on record and the next to nothing that a split takes here
    (left, at_least), _ = steps(unit(0), unit(2), unit(3))
    assert 0.0 < left < 0.1
    assert not at_least


def test_several_processes_give_the_same_records(tmp_path: Path) -> None:
    run(UNITS, None, tmp_path / "one", jobs=1, work=figured)
    run(UNITS, None, tmp_path / "two", jobs=2, work=figured)
    assert latest(read_records(tmp_path / "two")) == latest(read_records(tmp_path / "one"))


def test_workers_use_one_thread_each(tmp_path: Path) -> None:
    def threads(unit: Unit, _: object) -> list[Record]:
        from threadpoolctl import threadpool_info

        return [Record(trial, {"threads": [p["num_threads"] for p in threadpool_info()]}) for trial in unit.trials]

    run(UNITS, None, tmp_path, jobs=2, work=threads)
    assert {count for record in read_records(tmp_path) for count in record.parameters["threads"]} == {1}


def test_a_record_is_on_disk_before_the_next_split_is_begun(tmp_path: Path) -> None:
    def counting(unit: Unit, _: object) -> list[Record]:
        assert len(read_records(tmp_path)) == 4 * UNITS.index(unit)
        return figured(unit)

    assert run(UNITS, None, tmp_path, jobs=1, work=counting).worked == len(UNITS)


def test_after_the_time_nothing_new_is_begun(tmp_path: Path) -> None:
    first = run(UNITS, None, tmp_path, jobs=1, minutes=0.0, work=figured)
    assert (first.worked, first.left) == (0, len(UNITS))

    def slow(unit: Unit, _: object) -> list[Record]:
        time.sleep(0.06)
        return figured(unit)

    second = run(UNITS, None, tmp_path, jobs=1, minutes=0.1 / 60, work=slow)
    assert 0 < second.worked < len(UNITS)
    assert run(UNITS, None, tmp_path, jobs=1, work=figured).worked == second.left


def test_a_split_with_a_missing_record_is_worked_but_no_record_is_written_twice(tmp_path: Path) -> None:
    with recording(tmp_path) as append:
        for record in figured(UNITS[0])[:3]:
            append(record)
    assert pending_units(UNITS[:2], read_records(tmp_path)) == list(UNITS[:2])
    run(UNITS[:1], None, tmp_path, jobs=1, work=figured)
    assert [(record.trial, record.figures) for record in read_records(tmp_path)] == [
        (record.trial, record.figures) for record in figured(UNITS[0])
    ]


def test_failures_are_kept_and_tried_again_only_when_asked(tmp_path: Path) -> None:
    def failing(unit: Unit, _: object) -> list[Record]:
        return [Record(trial, reason="no") for trial in unit.trials]

    assert run(UNITS[:2], None, tmp_path, jobs=1, work=failing).failed == 8
    assert run(UNITS[:2], None, tmp_path, jobs=1, work=figured).worked == 0
    assert run(UNITS[:2], None, tmp_path, jobs=1, work=figured, retry=True).worked == 2
    assert not any(record.failed for record in read_records(tmp_path))


def test_a_trial_that_no_line_can_hold_fails_and_the_run_goes_on(tmp_path: Path) -> None:
    def diverging(unit: Unit, _: object) -> list[Record]:
        held_out = float("inf") if unit == UNITS[0] else 0.5
        return [Record(trial, {"held_out": held_out}, {"error": 1.0}) for trial in unit.trials]

    outcome = run(UNITS[:2], None, tmp_path, jobs=1, work=diverging)
    assert (outcome.worked, outcome.failed) == (2, 4)
    failed, ended = read_records(tmp_path)[0], read_records(tmp_path)[4]
    assert failed.reason.startswith("ValueError: A record can hold finite numbers only")
    assert (failed.figures, ended.figures) == ({}, {"error": 1.0})


def test_records_of_another_program_do_not_tell_where_the_data_is_from(tmp_path: Path) -> None:
    with recording(tmp_path) as append:
        append(Record({"seed": 0}))
    assert run(UNITS[:1], None, tmp_path, jobs=1, work=figured).worked == 1


def test_sets_that_are_not_at_hand_are_named_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    outcome = run(UNITS[:3], tmp_path / "data", tmp_path / "out", jobs=1, work=figured)
    assert (outcome.worked, outcome.missing) == (0, ("iris",))


def test_a_worker_that_is_killed_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    def dying(unit: Unit, _: object) -> list[Record]:
        if unit == UNITS[4]:
            os.kill(os.getpid(), signal.SIGKILL)
        return figured(unit)

    with pytest.raises(RecordsError, match=r"A worker was ended from outside .* run the command again with fewer"):
        run(UNITS, None, tmp_path, jobs=2, work=dying)
    kept = len(read_records(tmp_path))
    assert kept >= 4
    assert run(UNITS, None, tmp_path, jobs=1, work=figured).worked == len(UNITS) - kept // 4


@pytest.fixture
def iris(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    np.savez(folder / "iris.npz", X=bundled("iris").X, y=bundled("iris").y)
    return folder


def test_bundled_data_and_that_of_a_folder_are_not_mixed(tmp_path: Path, iris: Path) -> None:
    for first, second, sentence in (
        (None, iris, "come from bundled data, and this run works on a data folder; choose another folder with --out"),
        (iris, None, "come from a data folder, and this run works on bundled data; choose another folder with --out"),
    ):
        out = tmp_path / f"from {first}".replace("/", "-")
        assert run(UNITS[:1], first, out, jobs=1, work=figured).worked == 1
        assert {record.environment["data"] for record in read_records(out)} == {"folder" if first else "bundled"}
        with pytest.raises(RecordsError, match=sentence):
            run(UNITS[:1], second, out, jobs=1, work=figured)
        assert run(UNITS[:1], first, out, jobs=1, work=figured).found == 1


@pytest.mark.parametrize(("data", "mixed"), [("iris", False), ("generated", True), ("letter", False)])
def test_a_record_that_does_not_say_is_known_by_its_data_set(
    tmp_path: Path, iris: Path, data: str, mixed: bool
) -> None:
    with recording(tmp_path / "out") as append:
        for record in figured(Unit(data, "linear", 0, "atlas")):
            append(record)
    if mixed:
        with pytest.raises(RecordsError, match="come from bundled data"):
            run(UNITS[:1], iris, tmp_path / "out", jobs=1, work=figured)
    else:
        assert run(UNITS[:1], iris, tmp_path / "out", jobs=1, work=figured).worked == 1


class Dying(Executor):
    """Its first call finds the worker dead, the others are done."""

    submitted = 0

    def submit(self, call, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        future: Future[object] = Future()
        if self.submitted:
            future.set_result(call(*args, **kwargs))
        else:
            future.set_exception(TerminatedWorkerError("killed"))
        self.submitted += 1
        return future


def test_what_others_finished_is_kept_when_a_worker_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = SimpleNamespace(executor=Dying(), jobs=3)
    monkeypatch.setattr("reproduction.running._pool", lambda *_: nullcontext(pool))
    monkeypatch.setattr("reproduction.running.wait", lambda flying, return_when: (list(flying), set()))
    with pytest.raises(RecordsError, match=f"with {UNITS[0].data} in work"):
        run(UNITS, None, tmp_path, work=figured)
    assert [record.trial for record in read_records(tmp_path)] == [*UNITS[1].trials, *UNITS[2].trials]


class Refusing(Executor):
    """Its first call never ends, its second is done at once, its third when the worker of the first is found dead."""

    def __init__(self) -> None:
        self._given: list[Future[object]] = []

    def submit(self, call, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        if len(self._given) == 3:
            self._given[2].set_result((figured(UNITS[2]), 0.1))
            raise TerminatedWorkerError("killed")
        self._given.append(Future())
        if len(self._given) == 2:
            self._given[1].set_result(call(*args, **kwargs))
        return self._given[-1]


def test_a_worker_that_dies_before_more_is_handed_out_ends_the_run_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = SimpleNamespace(executor=Refusing(), jobs=3)
    monkeypatch.setattr("reproduction.running._pool", lambda *_: nullcontext(pool))
    with pytest.raises(RecordsError, match=f"with {UNITS[0].data} in work"):
        run(UNITS, None, tmp_path, work=figured)
    assert [record.trial for record in read_records(tmp_path)] == [*UNITS[1].trials, *UNITS[2].trials]


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the command line with the quick chooser, in its process and its workers; none outlives its test."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, quick_choosing\nsys.modules['reproduction.choosing'] = quick_choosing\n"
    )

    paths = [str(tmp_path), str(TESTS), str(TESTS.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    started: list[subprocess.Popen[str]] = []

    def call(*arguments: str, seconds: float = 0.0) -> "subprocess.Popen[str]":
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "LSVV_TEST_SECONDS": str(seconds),
            "OMP_NUM_THREADS": "1",
        }
        command = [sys.executable, "-m", "reproduction", *arguments]
        started.append(
            subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        )
        return started[-1]

    yield call
    for process in started:
        process.kill()
        process.communicate()


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    said = process.communicate(timeout=PATIENCE)[1]
    return process.returncode, said


def wait_for_records(out: Path, count: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if (out / LIVE).is_file() and len(read_records(out / LIVE)) >= count:
            return
        time.sleep(0.05)
    raise AssertionError(f"{out} has no {count} records after {PATIENCE:g} seconds")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_killed_in_the_middle_loses_nothing(start: Start, tmp_path: Path, jobs: str) -> None:
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    assert ended(start(*COMMAND, str(whole), "--jobs", "1"))[0] == 0

    running = start(*COMMAND, str(torn), "--jobs", jobs, seconds=0.3)
    wait_for_records(torn, 9)
    running.send_signal(signal.SIGKILL)
    assert ended(running)[0] == -signal.SIGKILL

    kept = read_records(torn)
    finished = len(kept) // 4
    assert 2 <= finished < SPLITS
    code, said = ended(start(*COMMAND, str(torn), "--jobs", "1"))
    assert code == 0, said
    assert f"{SPLITS - finished} splits worked now, {finished} were on record." in said
    records = read_records(torn)
    assert len(records) == len(latest(records)) == 4 * SPLITS
    assert records[: len(kept)] == kept
    assert contents(torn) == contents(whole)


def contents(folder: Path) -> dict[str, bytes]:
    """All that a run leaves for its readers; the order of the records is that of the work."""
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if path.name not in (PACKED, LIVE, "records.lock")
    }


def test_a_second_run_on_the_folder_is_refused(start: Start, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with recording(out):
        code, said = ended(start(*COMMAND, str(out), "--jobs", "1"))
    assert code == 1
    assert said == (
        f"Error: Another run (process {os.getpid()}) is writing to {out}; "
        "wait for it to end or choose another folder.\n"
    )


def test_ctrl_c_leaves_clean_records(start: Start, tmp_path: Path) -> None:
    out = tmp_path / "out"
    running = start(*COMMAND, str(out), "--jobs", "2", seconds=1.0)
    wait_for_records(out, 4)
    running.send_signal(signal.SIGINT)
    code, said = ended(running)
    assert code == 130, said
    assert said == f"Stopped. All finished splits are in {out}; the same command goes on from there.\n"
    assert (out / LIVE).read_bytes().endswith(b"\n")
    assert 4 <= len(read_records(out)) < 4 * SPLITS
