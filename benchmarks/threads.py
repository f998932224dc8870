"""Threads that a small table does not need: processor time of ``lsvv fill`` by default against one thread."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.timing import verdict

TABLE = Path(__file__).parents[1] / "examples" / "animals.csv"
MOST_TIMES = 1.2
REPEATS = int(os.environ.get("LSVV_REPEATS", "5"))
N_BUSY = 2
SPIN = "import time\nend = time.time() + 600\nwhile time.time() < end: pass"
"""Other work on the machine; it ends by itself should nobody end it."""
LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def main(data: Path | None = None) -> list[str]:
    load = os.getloadavg()[0]
    alone = _pairs()
    with _busy(N_BUSY):
        beside = _pairs()
    return [
        f"`lsvv fill {TABLE.parent.name}/{TABLE.name} --target species,weight_kg`, {_n_rows()} rows, user and system "
        f"seconds, medians of {REPEATS} in turns; {os.cpu_count()} cores, load {load:.1f} before the run",
        "",
        _line("alone", alone),
        _line(f"{N_BUSY} busy processes beside it", beside),
    ]


def _n_rows() -> int:
    return len(TABLE.read_text(encoding="utf-8").splitlines()) - 1


def _line(beside: str, pairs: list[tuple[float, float]]) -> str:
    many, one = (statistics.median(column) for column in zip(*pairs, strict=True))
    worst = max(default / single for default, single in pairs)
    return (
        f"- {beside}: {many:.2f} s with default threads, {one:.2f} s with one, {many / one:.2f} times, {worst:.2f} in "
        f"the worst pair (mark: at most {MOST_TIMES:g}, {verdict(many / one <= MOST_TIMES)})"
    )


def _pairs() -> list[tuple[float, float]]:
    """Processor seconds with default threads and with one, in turns; the first pair warms the file cache."""
    free = {name: value for name, value in os.environ.items() if name not in LIMITS}
    return [(_cpu(free), _cpu({**free, "OMP_NUM_THREADS": "1"})) for _ in range(REPEATS + 1)][1:]


def _cpu(environment: dict[str, str]) -> float:
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "lsvv", "fill", str(TABLE), "--target", "species,weight_kg", "--quiet"]
        before = _children()
        subprocess.run([*command, "--out", str(Path(folder, "filled.csv"))], env=environment, check=True)
        return _children() - before


def _children() -> float:
    """Processor seconds of all children that have ended; busy ones count only once they have."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def _busy(count: int) -> Iterator[None]:
    spinning = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(count)]
    try:
        yield
    finally:
        for one in spinning:
            one.terminate()
            one.wait()
