"""Running a plan: pending splits in parallel, every record on disk before more work is given out."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits

from reproduction.bundled import BUNDLED, GENERATED
from reproduction.data import DATASETS
from reproduction.experiments import Unit
from reproduction.protocol import at_hand, run_unit
from reproduction.records import (
    Record,
    RecordsError,
    environment,
    latest,
    pack,
    read_records,
    recording,
    trial_key,
)

__all__ = ["Outcome", "Step", "Work", "pending_units", "run"]

Folder: TypeAlias = str | os.PathLike[str]
Work: TypeAlias = Callable[[Unit, Folder | None], list[Record]]

Kind: TypeAlias = tuple[Any, ...]
"""What decides how long a split takes."""

SOURCE = "data"
"""Where a record's environment tells what kind of data was split."""

_ORPHAN_CHECK = 1.0
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass(frozen=True)
class Step:
    """How far a run is: splits done and in all, and the seconds that seem left.

    ``at_least`` says that some of what is left is of a kind that was never timed, and not counted.
    """

    unit: Unit
    done: int
    total: int
    seconds_left: float
    at_least: bool


@dataclass(frozen=True)
class Outcome:
    """What a run did.

    Attributes
    ----------
    worked : int
        Splits worked now.
    found : int
        Splits that were on record before.
    left : int
        Splits not begun, because the time was over.
    failed : int
        Trials that failed now.
    missing : tuple of str
        Data sets that are not at hand.
    """

    worked: int
    found: int
    left: int
    failed: int
    missing: tuple[str, ...]


def pending_units(units: Iterable[Unit], records: Iterable[Record], *, retry: bool = False) -> list[Unit]:
    """The splits of which a method has no record; with ``retry`` a failed one counts as none.

    Examples
    --------
    >>> units = [Unit("iris", "linear", seed, "atlas") for seed in (0, 1)]
    >>> records = [Record(trial) for trial in units[0].trials]
    >>> [unit.seed for unit in pending_units(units, records)], len(pending_units(units, records[1:]))
    ([1], 2)
    """
    done = _keys(records, retry)
    return [unit for unit in units if any(trial_key(trial) not in done for trial in unit.trials)]


def run(
    units: Sequence[Unit],
    data: Folder | None,
    out: Folder,
    *,
    jobs: int | None = None,
    minutes: float | None = None,
    retry: bool = False,
    work: Work = run_unit,
    show: Callable[[Step], None] | None = None,
) -> Outcome:
    """Works the pending splits of a plan and packs the records.

    A split's records are synced to disk by this process before the next split is handed to a worker, so that a kill
    loses at most the splits in flight. Workers use one thread each. Splits of data sets that are not at hand are
    left out. Every record tells whether its data is bundled or from a folder; the two are not mixed in one place,
    because a trial has the same key in both.

    Parameters
    ----------
    units : sequence of Unit
        The plan, in the order of work.
    data : path or None
        Folder of the data sets; None for the bundled ones.
    out : path
        Folder of the records; a second run on it is refused while this one lasts.
    jobs : int, optional
        Worker processes, by default one a core; 1 works in this process.
    minutes : float, optional
        After so many minutes no further split is begun.
    retry : bool, default=False
        Work splits with a failed trial again.
    work : callable, default=run_unit
        From a split and the data folder to its records.
    show : callable, optional
        Gets a ``Step`` whenever a split is on disk.
    """
    deadline = None if minutes is None else time.monotonic() + 60.0 * minutes
    here = {name: at_hand(name, data) for name in dict.fromkeys(unit.data for unit in units)}
    possible = [unit for unit in units if here[unit.data]]
    with recording(out) as append:
        before = read_records(out)
        _refuse_other_source(before, data, out)
        todo = pending_units(possible, before, retry=retry)
        forecast, found = _Forecast(todo, before), len(possible) - len(todo)
        ledger = _Ledger(append, _source(data), _keys(before, retry), found, len(possible), forecast, show)
        with _pool(jobs or environment()["cores"], len(todo)) as pool:
            _work_all(todo, data, work, pool, ledger, deadline)
    pack(out)
    missing = tuple(name for name, there in here.items() if not there)
    return Outcome(ledger.worked, found, len(todo) - ledger.worked, ledger.failed, missing)


def _source(data: Folder | None) -> str:
    return "bundled" if data is None else "folder"


def _source_of(record: Record) -> str | None:
    """What the record says, else what its data set tells; None for a set that may come from either."""
    name = record.trial.get("data")
    told = "bundled" if name == GENERATED else "folder" if name in DATASETS and name not in BUNDLED else None
    return record.environment.get(SOURCE, told)


def _refuse_other_source(records: Iterable[Record], data: Folder | None, out: Folder) -> None:
    sources = {_source_of(record) for record in records} - {None, _source(data)}
    if sources:
        there, wanted = ("a data folder", "bundled data") if data is None else ("bundled data", "a data folder")
        raise RecordsError(
            f"The records in {out} come from {there}, and this run works on {wanted}; choose another folder with --out."
        )


@dataclass
class _Ledger:
    """Writes what comes back, and tells how far the run is."""

    append: Callable[[Record], None]
    source: str
    known: set[str]
    found: int
    total: int
    forecast: _Forecast
    show: Callable[[Step], None] | None
    worked: int = 0
    failed: int = 0

    def enter(self, unit: Unit, records: list[Record], seconds: float, jobs: int) -> None:
        for record in records:
            key = trial_key(record.trial)
            if key not in self.known:
                written = self._write(replace(record, environment={**record.environment, SOURCE: self.source}))
                self.known.add(key)
                self.failed += written.failed
        self.worked += 1
        self.forecast.learn(unit, seconds)
        if self.show:
            left, at_least = self.forecast.left()
            self.show(Step(unit, self.found + self.worked, self.total, left / jobs, at_least))

    def _write(self, record: Record) -> Record:
        """Appends a record; one that no line can hold, as with a figure that is not finite, as a failed trial."""
        try:
            self.append(record)
        except (TypeError, ValueError) as error:
            record = replace(record, parameters={}, figures={}, reason=f"{type(error).__name__}: {error}")
            self.append(record)
        return record


class _Forecast:
    """Seconds of splits not worked yet, as those of the same kind took, now or on record."""

    def __init__(self, todo: Sequence[Unit], before: Iterable[Record]) -> None:
        self._todo = set(todo)
        self._taken: dict[Kind, list[float]] = {}
        for record in before:
            if not record.failed:
                self._taken.setdefault(_kind(record.trial), []).append(record.seconds)

    def learn(self, unit: Unit, seconds: float) -> None:
        self._taken.setdefault(_kind(unit.trials[0]), []).append(seconds)
        self._todo.discard(unit)

    def left(self) -> tuple[float, bool]:
        """The seconds left, and whether there are splits of a kind that was never timed, which are not counted."""
        kinds = Counter(_kind(unit.trials[0]) for unit in self._todo)
        timed = {kind: self._taken[kind] for kind in kinds if kind in self._taken}
        seconds = sum(kinds[kind] * sum(taken) / len(taken) for kind, taken in timed.items())
        return seconds, len(timed) < len(kinds)


def _kind(trial: Mapping[str, Any]) -> Kind:
    is_on_curve = tuple(trial.get(axis) is not None for axis in ("labelled", "free_rank"))
    return (*(trial.get(name) for name in ("data", "space", "chooser")), *is_on_curve)


def _work_all(
    todo: Sequence[Unit], data: Folder | None, work: Work, pool: _Pool, ledger: _Ledger, deadline: float | None
) -> None:
    """Keeps every worker busy; what is done is entered before anything new is handed out."""
    waiting = iter(todo)
    flying: dict[Future[tuple[list[Record], float]], Unit] = {}

    def hand_out() -> None:
        while len(flying) < pool.jobs and (deadline is None or time.monotonic() < deadline):
            unit = next(waiting, None)
            if unit is None:
                return
            flying[pool.executor.submit(_timed, work, unit, data)] = unit

    try:
        hand_out()
        while flying:
            done, _ = wait(flying, return_when=FIRST_COMPLETED)
            # a worker that died must not take along what others finished
            for future in sorted(done, key=_is_broken):
                records, seconds = future.result()
                ledger.enter(flying.pop(future), records, seconds, pool.jobs)
            hand_out()
    except TerminatedWorkerError as error:
        for future in [future for future in flying if future.done() and not _is_broken(future)]:
            records, seconds = future.result()
            ledger.enter(flying.pop(future), records, seconds, pool.jobs)
        in_work = ", ".join(dict.fromkeys(unit.data for unit in flying.values())) or "nothing"
        raise RecordsError(
            f"A worker was ended from outside with {in_work} in work, most likely for want of memory. "
            "All finished splits are on record: run the command again with fewer --jobs."
        ) from error


def _is_broken(future: Future[tuple[list[Record], float]]) -> bool:
    return future.exception() is not None


def _timed(work: Work, unit: Unit, data: Folder | None) -> tuple[list[Record], float]:
    start = time.perf_counter()
    with threadpool_limits(1):
        records = work(unit, data)
    return records, time.perf_counter() - start


@dataclass(frozen=True)
class _Pool:
    executor: Executor
    jobs: int


@contextmanager
def _pool(jobs: int, units: int) -> Iterator[_Pool]:
    """Worker processes that die with this one; an interrupted run does not wait for them."""
    jobs = max(1, min(jobs, units))
    if jobs == 1:
        yield _Pool(_Here(), 1)
        return
    executor = ProcessPoolExecutor(
        jobs, timeout=60, initializer=_begin_worker, initargs=(os.getpid(),), env=dict.fromkeys(_THREADS, "1")
    )
    try:
        yield _Pool(executor, jobs)
        executor.shutdown(wait=True)
    except BaseException:
        executor.shutdown(wait=True, kill_workers=True)
        raise


class _Here(Executor):
    """Runs a call where it is submitted."""

    def submit(self, call, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        future: Future[object] = Future()
        future.set_result(call(*args, **kwargs))
        return future


def _begin_worker(parent: int) -> None:
    """Ctrl-C is the parent's to handle; a worker whose parent was killed must not work on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_ORPHAN_CHECK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _keys(records: Iterable[Record], retry: bool) -> set[str]:
    return {key for key, record in latest(records).items() if not (retry and record.failed)}
