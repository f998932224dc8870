"""Whether probabilities and intervals hold what they say, by the number of labels."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.resumable import Figures, dataset_of, worked
from benchmarks.timing import verdict
from lsvv import LSVVClassifier, LSVVClassifierCV, LSVVRegressorCV
from reproduction.data import load
from reproduction.records import Record, Trial

CLASSES = ("iris", "wine", "glass", "svmguide2", "vowel", "vehicle", "digits", "segment", "satimage", "pendigits")
NUMBERS = ("rf2", "scm20d")
METHODS = {"search": LSVVClassifierCV, "plain": LSVVClassifier}
LABELS, SPLITS, FIRST = (30, 60, 120), 5, 7000
"""Labels drawn at random; splits that no choice has looked at."""
ROWS = 3000
"""The most rows of a set that are looked at, of which 70 % are training rows."""
BINS = 10
MOST_ECE, LEVEL = 0.05, 0.9


def main(data: Path | None = None) -> list[str]:
    if data is None:
        return ["- needs --data DIR"]
    records = worked("calibration", _trials(), partial(_figures, data=data))
    return [*_class_lines(records), "", *_number_lines(records)]


def _trials() -> Iterator[Trial]:
    for number in range(FIRST, FIRST + SPLITS):
        for count in LABELS:
            for name in CLASSES:
                for method in METHODS:
                    yield {"data": name, "labels": count, "seed": number, "method": method}
            for name in NUMBERS:
                yield {"data": name, "labels": count, "seed": number, "method": "numbers"}


def _figures(trial: Trial, data: Path) -> Figures:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _of_numbers(trial, data) if trial["method"] == "numbers" else _of_classes(trial, data)


def _drawn(n_rows: int, trial: Trial) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Training rows, how many of the first of them are labelled, and test rows."""
    order = np.random.default_rng(int(trial["seed"] or 0)).permutation(n_rows)[:ROWS]
    training, tests = np.split(order, [int(0.7 * order.size)])
    return training, training[: int(trial["labels"] or 0)], tests


def _of_classes(trial: Trial, data: Path) -> Figures:
    """Mean confidence and share of right answers on the test rows, and how far they are apart in bins."""
    given = dataset_of(trial, data)
    training, labelled, tests = _drawn(len(given.y), trial)
    y = np.full(len(given.y), -1)
    y[labelled] = given.y[labelled]
    X = np.asarray(given.X, dtype=np.float64)
    model = METHODS[str(trial["method"])](random_state=int(trial["seed"] or 0)).fit(X[training], y[training])
    said = np.asarray(model.predict_proba(X[tests]))
    sure, right = said.max(axis=1), model.classes_[said.argmax(axis=1)] == given.y[tests]
    return {"sure": float(sure.mean()), "right": float(right.mean()), **gaps(sure, right)}


def gaps(sure: np.ndarray, right: np.ndarray) -> dict[str, float]:
    """Of each bin of confidence: share of the rows * (mean confidence - share of right answers)."""
    place = np.minimum((sure * BINS).astype(int), BINS - 1)
    return {f"gap {b}": float(np.sum(sure[place == b] - right[place == b])) / sure.size for b in range(BINS)}


def _of_numbers(trial: Trial, data: Path) -> Figures:
    """The share of test values within the 90 % interval, all outputs together, 30 % of the known entries missing."""
    given = load(str(trial["data"]), data)
    training, labelled, tests = _drawn(len(given.y), trial)
    rng = np.random.default_rng(int(trial["seed"] or 0))
    truth = np.asarray(given.y, dtype=np.float64)
    Y = np.full(truth.shape, np.nan)
    Y[labelled] = np.where(rng.random((labelled.size, truth.shape[1])) < 0.3, np.nan, truth[labelled])
    X = np.asarray(given.X, dtype=np.float64)
    model = LSVVRegressorCV(random_state=int(trial["seed"] or 0)).fit(X[training], Y[training])
    low, high = model.predict_interval(X[tests], LEVEL)
    known = np.isfinite(truth[tests])
    inside = (low <= truth[tests]) & (truth[tests] <= high)
    return {"held": float(inside[known].mean())}


def _mean(records: list[Record], figure: str, **wanted: object) -> float:
    found = [r.figures[figure] for r in records if all(r.trial[key] == value for key, value in wanted.items())]
    return float(np.mean([value for value in found if value is not None]))


def _error(records: list[Record], **wanted: object) -> float:
    """sum over bins |mean gap|, each split of each set counting the same: splits have few test rows by themselves."""
    return sum(abs(_mean(records, f"gap {b}", **wanted)) for b in range(BINS))


def _class_lines(records: list[Record]) -> Iterator[str]:
    of_classes = [record for record in records if record.trial["method"] in METHODS]
    yield f"Expected calibration error on test rows: {BINS} bins of confidence, {SPLITS} splits from number {FIRST} on"
    yield f"together; labels drawn at random, at most {ROWS} rows of a set. In brackets: mean confidence and share of"
    yield "right answers. The last line takes all sets together, each with the same weight."
    yield ""
    yield "| data | " + " | ".join(f"{method}, {count} labels" for method in METHODS for count in LABELS) + " |"
    yield "|---" * (1 + len(METHODS) * len(LABELS)) + "|"
    columns = [(method, count) for method in METHODS for count in LABELS]
    for name in (*CLASSES, None):
        cells = []
        for method, count in columns:
            wanted = {"method": method, "labels": count} | ({} if name is None else {"data": name})
            sure, right = (_mean(of_classes, figure, **wanted) for figure in ("sure", "right"))
            cells.append(f"{_error(of_classes, **wanted):.3f} ({sure:.2f}, {right:.2f})")
        yield "| " + " | ".join([name or "all", *cells]) + " |"
    yield ""
    for method, count in columns:
        found = _error(of_classes, method=method, labels=count)
        yield (
            f"- {method}, {count} labels: {found:.3f} over all sets (mark: below {MOST_ECE:g}, "
            f"{verdict(found < MOST_ECE)})"
        )


def _number_lines(records: list[Record]) -> Iterator[str]:
    of_numbers = [record for record in records if record.trial["method"] == "numbers"]
    yield f"Share of test values within intervals of {100 * LEVEL:g} %; several outputs, 30 % of their known entries"
    yield "missing:"
    yield ""
    yield "| data | " + " | ".join(f"{count} labels" for count in LABELS) + " |"
    yield "|---" * (1 + len(LABELS)) + "|"
    for name in NUMBERS:
        cells = [f"{100 * _mean(of_numbers, 'held', data=name, labels=count):.1f} %" for count in LABELS]
        yield "| " + " | ".join([name, *cells]) + " |"
