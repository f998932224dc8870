"""What a search costs: seconds, memory and size of the model, and what smoothing adds to one fit."""

from __future__ import annotations

import json
import pickle
import statistics
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.timing import interleaved, verdict
from lsvv import LSVVClassifier, LSVVClassifierCV, LSVVRegressorCV
from lsvv.graph import KNNGraph
from reproduction.bundled import bundled
from reproduction.data import Dataset, load, make_fold, split

FIRST_SPLIT = 2000
IRIS_CPU, IRIS_MEGABYTES = 2.0, 1.0
LETTER_FITS = 15.0
MNIST_SECONDS, MNIST_GIGABYTES = 180.0, 3.0
SMOOTHED_TIMES = 1.5
TREES_TIMES, NUMBERS_CPU, LABELS_CPU = 1.5, 10.0, 60.0
TREE_SETS = ("iris", "wine", "glass", "svmguide2", "vowel", "vehicle", "segment", "satimage")
REPEATS = {"letter": 5, "MNIST": 2}

Rows = tuple[np.ndarray, np.ndarray]


def main(data: Path | None = None) -> list[str]:
    lines = [*_iris(), _numbers_with_holes(), _sparse_labels()]
    if data is None:
        return [*lines, "- letter, MNIST and the sets of the trees' cost need --data DIR"]
    lines += _trees(data)
    letter = _rows(load("letter", data), 0.1)
    lines += [*_search_in_fits("letter", letter), _smoothing("letter", letter)]
    mnist = _rows(load("MNIST", data, dtype=np.float32), 0.01)
    return [*lines, _smoothing("MNIST", mnist), _apart("MNIST", mnist)]


def _rows(dataset: Dataset, rate: float, seed: int = FIRST_SPLIT) -> Rows:
    fold = make_fold(dataset, split(dataset.y, "multi-class", seed, labelled=rate))
    return np.asarray(fold.X_train, dtype=np.float32), fold.y_train


def _sizes(name: str, rows: Rows) -> str:
    return f"{name}, {len(rows[0]):,} rows with {np.sum(rows[1] >= 0):,} labels"


def _trees(data: Path) -> list[str]:
    """What forests add to a search, set by set."""
    ratios = {}
    for name in TREE_SETS:
        rows = _rows(load(name, data), 0.1)
        calls = {told: partial(_fit, rows, trees) for told, trees in (("with", True), ("without", False))}
        seconds = interleaved(calls, repeats=3)
        ratios[name] = seconds["with"] / seconds["without"]
    told = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
    median = statistics.median(ratios.values())
    return [
        f"- a search with trees over one without, 10% labels: {told}; median {median:.2f} "
        f"(mark: at most {TREES_TIMES}, {verdict(median <= TREES_TIMES)})"
    ]


def _fit(rows: Rows, trees: Any) -> None:
    LSVVClassifierCV(random_state=0, trees=trees).fit(*rows)


def _numbers_with_holes() -> str:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(742, 20))
    Y = np.tanh(X @ rng.normal(size=(20, 14))) + 0.3 * rng.normal(size=(742, 14))
    Y[rng.random(Y.shape) < 0.3] = np.nan
    return _told_cpu("14 numbers of 742 rows, 30% of the entries missing", LSVVRegressorCV, X, Y, NUMBERS_CPU)


def _sparse_labels() -> str:
    rng = np.random.default_rng(0)
    X = sp.random_array((1000, 1449), density=0.02, rng=rng, format="csr")
    scores = X @ rng.normal(size=(1449, 45))
    Y = (scores > np.quantile(scores, 0.95, axis=0)).astype(np.float64)
    return _told_cpu("45 labels of 1,000 labelled rows, 1,449 sparse columns", LSVVClassifierCV, X, Y, LABELS_CPU)


def _told_cpu(what: str, search: Any, X: Any, Y: np.ndarray, most: float) -> str:
    start = time.process_time()
    search(random_state=0).fit(X, Y)
    seconds = time.process_time() - start
    return f"- {what}: {seconds:.1f} processor seconds (mark: at most {most:g}, {verdict(seconds <= most)})"


def _iris() -> list[str]:
    """Processor seconds of a search, and what is left of it; the first fit warms up what is loaded when needed."""
    cpu, sizes, rows = [], [], []
    for number in range(6):
        rows.append(_rows(bundled("iris"), 0.1, FIRST_SPLIT + number))
        start = time.process_time()
        model = LSVVClassifierCV(random_state=number).fit(*rows[-1])
        cpu.append(time.process_time() - start)
        sizes.append(len(pickle.dumps(model)) / 1e6)
    typical, largest = statistics.median(cpu[1:]), max(sizes)
    return [
        f"- LSVVClassifierCV() on {_sizes('iris', rows[0])}: {typical:.2f} processor seconds, median over "
        f"{len(cpu) - 1} splits, {max(cpu[1:]):.2f} at most, {cpu[0]:.2f} the first time in a process (mark: at most "
        f"{IRIS_CPU:g}, {verdict(typical <= IRIS_CPU)})",
        f"- its pickle: {largest:.2f} MB at most (mark: at most {IRIS_MEGABYTES:g}, "
        f"{verdict(largest <= IRIS_MEGABYTES)})",
    ]


def _search_in_fits(name: str, rows: Rows) -> list[str]:
    seconds = interleaved(
        {
            "search": lambda: LSVVClassifierCV(random_state=0).fit(*rows),
            "fit": lambda: LSVVClassifier(random_state=0).fit(*rows),
        },
        3,
    )
    fits = seconds["search"] / seconds["fit"]
    return [
        f"- LSVVClassifierCV() on {_sizes(name, rows)}: {seconds['search']:.1f} s, one LSVVClassifier() "
        f"{seconds['fit']:.2f} s, {fits:.1f} fits (medians of 3 in turns; mark: at most {LETTER_FITS:g}, "
        f"{verdict(fits <= LETTER_FITS)})"
    ]


def _smoothing(name: str, rows: Rows) -> str:
    """One fit with smoothing against one without it that finds the same neighbours."""
    X, y = rows

    def without() -> None:
        plain = LSVVClassifier(smoothing=0.0, random_state=0).fit(X, y)
        KNNGraph(weights="self-tuned").fit(X, plain.n_neighbors)

    repeats = REPEATS[name]
    seconds = interleaved({"with": lambda: LSVVClassifier(random_state=0).fit(X, y), "without": without}, repeats)
    times = seconds["with"] / seconds["without"]
    return (
        f"- one LSVVClassifier() on {_sizes(name, rows)}: {seconds['with']:.2f} s with smoothing, "
        f"{seconds['without']:.2f} s without, neighbours counted in both, {times:.2f} times (medians of {repeats} in "
        f"turns; mark: at most {SMOOTHED_TIMES:g}, {verdict(times <= SMOOTHED_TIMES)})"
    )


def _apart(name: str, rows: Rows) -> str:
    """A search in a process of its own, which holds nothing but its rows."""
    with TemporaryDirectory() as folder:
        place = Path(folder, "rows.npz")
        np.savez(place, X=rows[0], y=rows[1])
        command = [sys.executable, "-m", "benchmarks.search_cost", str(place)]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = json.loads(told.splitlines()[-1])
    seconds, gigabytes = found["seconds"], found["gigabytes"]
    return (
        f"- LSVVClassifierCV() on {_sizes(name, rows)}: {seconds:.0f} s, {found['cpu']:.0f} processor seconds (mark: "
        f"at most {MNIST_SECONDS:.0f} s, {verdict(seconds <= MNIST_SECONDS)}); peak memory of the process "
        f"{gigabytes:.2f} GB, of which {found['before']:.2f} before the search (mark: at most {MNIST_GIGABYTES:g}, "
        f"{verdict(gigabytes <= MNIST_GIGABYTES)})"
    )


def _fit_alone(place: Path) -> None:
    """What the process of ``_apart`` does."""
    with np.load(place) as rows:
        X, y = rows["X"], rows["y"]
    before = _peak()
    start, begun = time.perf_counter(), time.process_time()
    LSVVClassifierCV(random_state=0).fit(X, y)
    seconds, cpu = time.perf_counter() - start, time.process_time() - begun
    print(json.dumps({"seconds": seconds, "cpu": cpu, "before": before, "gigabytes": _peak()}))


def _peak() -> float:
    """The most memory this process has held, in GB of 2^30; ru_maxrss would count that of its parent too."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 2**20


if __name__ == "__main__":
    _fit_alone(Path(sys.argv[1]))
