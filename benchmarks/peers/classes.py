"""Classes from 1% and 10% of the labels: the search against trees, boosting, kernels, a graph and TabPFN v1."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from functools import cache
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from benchmarks.peers.class_methods import FOLDS, METHODS, NEIGHBOURS
from benchmarks.peers.common import (
    FIRST_SPLIT,
    OURS,
    TREES,
    Job,
    Means,
    cases,
    header,
    is_first,
    mean_ranks,
    means,
    ratios_to_best,
    row_of,
    timed,
    told_ranks,
)
from benchmarks.resumable import Figures, dataset_of
from benchmarks.timing import verdict
from reproduction.data import info, make_fold, split
from reproduction.records import Record, Trial

RATES = (0.01, 0.1)
SETS = (
    "iris", "wine", "glass", "svmguide2", "vowel", "vehicle", "digits", "segment", "satimage", "pendigits", "letter",
    "poker", "shuttle", "connect-4", "MNIST", "covtype",
)  # fmt: skip
SPLITS, SPLITS_OF_LARGE = 10, 3
SMALL, LARGE = 3_000, 50_000
"""Rows up to which a set is small, and above which it is large."""
YARDSTICK = "ExtraTrees"
MOST_RANK, MOST_RATIO, MOST_COST, MOST_ROW_MS = 2.0, 1.1, 10.0, 30.0
"""Marks: mean rank, mean error over the best peer's, CPU over ExtraTrees', milliseconds to predict one row."""
ROW_REPEATS = 7
KEYS = ("data", "labelled")


def jobs() -> Iterator[Job]:
    """Every method at hand on every split of the sets it bears."""
    at_hand = {name: method for name, method in METHODS.items() if method.at_hand()}
    for data in SETS:
        large = _size(data)[0] > LARGE
        for number in range(SPLITS_OF_LARGE if large else SPLITS):
            for rate in RATES:
                trial: Trial = {"part": "classes", "data": data, "labelled": rate, "seed": FIRST_SPLIT + number}
                for name, method in at_hand.items():
                    if method.bears(*_to_learn_from(data, 1.0 if method.all_rows else rate)):
                        yield Job({**trial, "method": name}, large=large, slow=method.slow)


@cache
def _size(data: str) -> tuple[int, int, int]:
    """Rows, columns and classes."""
    if data == "digits":
        X, y = load_digits(return_X_y=True)
        return *X.shape, len(np.unique(y))
    entry = info(data)
    return entry.rows, entry.columns, entry.K


def _to_learn_from(data: str, share: float) -> tuple[int, int, int]:
    """At most so many labelled rows, with columns and classes: the share is rounded up in each class."""
    rows, columns, classes = _size(data)
    training = ceil(0.7 * rows)
    return min(training, int(share * training) + classes), columns, classes


def figures(trial: Trial, data: Path) -> Figures:
    """The test error in % of one method on one split, its CPU seconds, and the time to predict one row."""
    dataset, seed = dataset_of(trial, data), int(trial["seed"] or 0)
    fold = make_fold(dataset, split(dataset.y, "multi-class", seed, labelled=float(trial["labelled"] or 0)))
    X, tests = (np.asarray(part, dtype=np.float32) for part in (fold.X_train, fold.X_test))
    method = METHODS[str(trial["method"])]
    rows = np.full(len(X), True) if method.all_rows else fold.y_train >= 0
    # some peers want the classes to be 0 .. K-1 without a gap
    names, y = np.unique(fold.y_train[rows], return_inverse=True)
    y = fold.y_train[rows] if method.all_rows else y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, fit = timed(lambda: method.make(X[rows], y, seed).fit(X[rows], y))
        said, predict = timed(lambda: np.ravel(model.predict(tests)).astype(np.int64))
        predicted = said if method.all_rows else names[said]
        one_row = _one_row(model, tests) if trial["method"] in (OURS, YARDSTICK) else None
    return {
        "error": 100.0 * float(np.mean(predicted != fold.y_test)),
        "labels": float(np.sum(fold.y_train >= 0)),
        "cpu": fit,
        "cpu predict": predict,
        "one row ms": one_row,
    }


def _one_row(model: Any, tests: np.ndarray) -> float:
    """The median time, in milliseconds, to predict a single row."""
    times = []
    for row in tests[:ROW_REPEATS]:
        start = time.perf_counter()
        model.predict(row[None, :])
        times.append(time.perf_counter() - start)
    return 1e3 * median(times)


def lines(records: list[Record]) -> list[str]:
    """The errors, ranks, ratios and costs."""
    columns = cases(records, KEYS, "error")
    table = {case: means(columns)[case] for case in _in_order(columns)}
    names = [name for name in METHODS if any(name in row for row in table.values())]
    labels = means(cases(records, KEYS, "labels"))
    body = []
    for (data, rate), row in table.items():
        first = [data, f"{100 * rate:g}%", f"{max(labels[data, rate].values()):.0f}"]
        body.append(row_of([*first, str(len(next(iter(columns[data, rate].values()))))], row, names))
    return [
        "### Classes",
        "",
        f"Test error in %. SVC: C and gamma, logistic regression: C, each by {FOLDS} folds (as they are where no class",
        f"has {FOLDS} labels); LabelSpreading with {NEIGHBOURS} neighbours; the others as they are, {TREES} trees in",
        "a forest. Empty: more than the method is made for, or than it can learn from in minutes.",
        "",
        *header(["data", "labelled", "labels", "splits"], names),
        *body,
        "",
        *_rank_lines(table),
        *_ratio_lines(table),
        *_cost_lines(records),
    ]


def _in_order(columns: Any) -> list[tuple[str, float]]:
    return [(data, rate) for data in SETS for rate in RATES if (data, rate) in columns]


def _rank_lines(table: Means) -> Iterator[str]:
    for rate in RATES:
        own = {case: row for case, row in table.items() if case[1] == rate and OURS in row}
        if own:
            ranks = mean_ranks(own)
            reached = is_first(ranks) and ranks[OURS] <= MOST_RANK
            yield (
                f"- mean rank at {100 * rate:g}% over {len(own)} sets (mark: {OURS} first and at most {MOST_RANK:g}, "
                f"{verdict(reached)}): {told_ranks(ranks)}"
            )


def _ratio_lines(table: Means) -> Iterator[str]:
    ratios = ratios_to_best(table)
    if ratios:
        over = sorted((case for case in ratios if ratios[case] > MOST_RATIO), key=lambda case: -ratios[case])
        named = ", ".join(f"{data} {100 * rate:g}% ({ratios[data, rate]:.2f})" for data, rate in over) or "none"
        yield (
            f"- our mean error over the best peer's: at most {max(ratios.values()):.2f} (mark: never above "
            f"{MOST_RATIO:g}, {verdict(not over)}); above it on {len(over)} of {len(ratios)}: {named}"
        )


def _cost_lines(records: list[Record]) -> Iterator[str]:
    two = [record for record in records if record.trial["method"] in (OURS, YARDSTICK)]
    cpu = {case: row for case, row in means(cases(two, KEYS, "cpu")).items() if {OURS, YARDSTICK} <= row.keys()}
    small = {case: row for case, row in cpu.items() if _size(case[0])[0] <= SMALL}
    yield from ["", f"CPU seconds of a fit, {OURS} against {YARDSTICK}:", ""]
    yield from header(["data", "labelled"], [OURS, YARDSTICK, "ratio"])
    for data, rate in _in_order(cpu):
        ours, theirs = cpu[data, rate][OURS], cpu[data, rate][YARDSTICK]
        yield f"| {data} | {100 * rate:g}% | {ours:.3g} | {theirs:.3g} | {ours / theirs:.1f} |"
    yield ""
    if small:
        ratio = median(row[OURS] / row[YARDSTICK] for row in small.values())
        yield (
            f"- median ratio over {len(small)} cases of at most {SMALL} rows: {ratio:.1f} (mark: at most "
            f"{MOST_COST:g}, {verdict(ratio <= MOST_COST)})"
        )
    times = {case: row[OURS] for case, row in means(cases(two, KEYS, "one row ms")).items() if OURS in row}
    if times:
        worst = max(times, key=lambda case: times[case])
        yield (
            f"- one row is predicted in {median(times.values()):.1f} ms in the median and {times[worst]:.1f} ms on "
            f"{worst[0]} {100 * worst[1]:g}%, the slowest (mark: at most {MOST_ROW_MS:g} ms, "
            f"{verdict(times[worst] <= MOST_ROW_MS)})"
        )
