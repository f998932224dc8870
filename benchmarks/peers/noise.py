"""Noise: what the search says of itself on random labels, and what the plain default makes of random numbers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.peers.common import FIRST_SPLIT, OURS, PLAIN, Job, header
from benchmarks.resumable import Figures
from benchmarks.timing import verdict
from lsvv import LSVVClassifierCV, LSVVRegressor
from lsvv.intervals import left_out_interval
from reproduction.records import Record, Trial

PROBLEMS = 240
SIZES, CLASSES, COLUMNS = (10, 24, 50, 200), (2, 3), (2, 5, 10)
UNLABELLED, FRESH = 100, 2000
FIGURES = ("accuracy", "Brier", "log loss")
MOST_ERRORS = 2.0
"""Standard errors that the mean of stated - true may be away from 0."""
LEVEL = 0.95
"""Of the interval of the stated accuracy."""
ROWS, WIDTHS, REPEATS = (10, 20, 50, 200), (1, 5, 20, 100), 10
MOST_OVER_MEAN = 1.02
"""Mark of the plain default's error on noise, over that of the mean."""
TINY = 1e-12


def jobs() -> Iterator[Job]:
    """The random labels, and the random numbers; the seeds are spread over the stages of the other parts."""
    shapes = list(product(SIZES, CLASSES, COLUMNS))
    for number in range(PROBLEMS):
        size, classes, columns = shapes[number % len(shapes)]
        trial: Trial = {"part": "noise", "data": "labels", "rows": size, "classes": classes, "columns": columns}
        yield Job({**trial, "seed": FIRST_SPLIT + number, "method": OURS})
    for size, columns, number in product(ROWS, WIDTHS, range(REPEATS)):
        trial = {"part": "noise", "data": "numbers", "rows": size, "columns": columns}
        yield Job({**trial, "seed": FIRST_SPLIT + number, "method": PLAIN})


def figures(trial: Trial, data: Path) -> Figures:
    """Stated and true figures of random labels, or errors on random numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _of_labels(trial) if trial["data"] == "labels" else _of_numbers(trial)


def _of_labels(trial: Trial) -> Figures:
    """Stated from the leave-one-out probabilities; true in expectation over the labels of fresh rows."""
    size, K, seed = (int(trial[key] or 0) for key in ("rows", "classes", "seed"))
    rng = np.random.default_rng(seed)
    X, fresh = (rng.normal(size=(rows, int(trial["columns"] or 0))) for rows in (size + UNLABELLED, FRESH))
    y = np.full(len(X), -1)
    while len(np.unique(y[:size])) < K or y[0] < 0:
        y[:size] = rng.integers(K, size=size)
    model = LSVVClassifierCV(random_state=seed).fit(X, y)
    stated = _judged(np.asarray(model.loo_proba_), np.eye(K)[y[model.labeled_]])
    true = _judged(np.asarray(model.predict_proba(fresh)), np.full((FRESH, K), 1.0 / K))
    low, high = left_out_interval(stated["accuracy"], size)
    told = {f"{told} {name}": found[name] for told, found in (("stated", stated), ("true", true)) for name in FIGURES}
    return {
        **told,
        "held": float(low <= true["accuracy"] <= high),
        "guard": model.guard_.share if model.guard_ else 0.0,
    }


def _judged(said: np.ndarray, chances: np.ndarray) -> dict[str, float]:
    """Accuracy, Brier score and log loss of probabilities, in expectation over classes of the given chances."""
    squares = (said**2).sum(axis=1, keepdims=True) - 2.0 * said + 1.0
    return {
        "accuracy": float(np.mean(chances[np.arange(len(said)), said.argmax(axis=1)])),
        "Brier": float(np.mean((chances * squares).sum(axis=1))),
        "log loss": float(-np.mean((chances * np.log(np.maximum(said, TINY))).sum(axis=1))),
    }


def _of_numbers(trial: Trial) -> Figures:
    """Expected squared error on fresh numbers of variance 1, of the plain default and of the mean."""
    size, seed = int(trial["rows"] or 0), int(trial["seed"] or 0)
    rng = np.random.default_rng([seed, size, int(trial["columns"] or 0)])
    X, fresh = (rng.normal(size=(rows, int(trial["columns"] or 0))) for rows in (2 * size, FRESH))
    y = np.concatenate([rng.normal(size=size), np.full(size, np.nan)])
    predicted = np.asarray(LSVVRegressor(random_state=seed).fit(X, y).predict(fresh))
    return {"plain": 1.0 + float(np.mean(predicted**2)), "mean": 1.0 + float(np.mean(y[:size])) ** 2}


def lines(records: list[Record]) -> list[str]:
    """What is stated against what is true, and the worst of the plain default."""
    labels = [record for record in records if record.trial["data"] == "labels"]
    numbers = [record for record in records if record.trial["data"] == "numbers"]
    return [
        "### Noise",
        "",
        *(_label_lines(labels) if len(labels) > 1 else []),
        *(_number_lines(numbers) if numbers else []),
    ]


def _label_lines(records: list[Record]) -> Iterator[str]:
    yield f"{len(records)} problems with random labels, {UNLABELLED} unlabelled rows each: stated (leave-one-out) minus"
    yield f"true (expected on fresh rows), mean and standard error; how often the {100 * LEVEL:g} % interval of the"
    yield "stated accuracy holds the true one; and the mean weight that the guard leaves to what unlabelled rows bring:"
    yield ""
    yield from header(["labelled rows", "problems"], [*FIGURES, "interval holds", "guard's weight"])
    for size in SIZES:
        own = [record for record in records if record.trial["rows"] == size]
        if len(own) > 1:
            yield _difference_row(str(size), own)
    yield _difference_row("all", records)
    yield ""
    for figure in FIGURES:
        mean, error = _difference(records, figure)
        yield (
            f"- {figure}: stated - true is {mean:+.4f}, {abs(mean) / error:.1f} standard errors (mark: at most "
            f"{MOST_ERRORS:g}, {verdict(abs(mean) <= MOST_ERRORS * error)})"
        )
    held = float(np.mean([_number(record, "held") for record in records]))
    yield (
        f"- the interval holds the true accuracy in {100 * held:.1f} % (mark: {100 * LEVEL:g}, "
        f"{verdict(held >= LEVEL)})"
    )


def _difference_row(first: str, records: list[Record]) -> str:
    cells = [f"{mean:+.4f} ({error:.4f})" for mean, error in (_difference(records, figure) for figure in FIGURES)]
    shares = [float(np.mean([_number(record, name) for record in records])) for name in ("held", "guard")]
    return "| " + " | ".join([first, str(len(records)), *cells, f"{100 * shares[0]:.0f} %", f"{shares[1]:.2f}"]) + " |"


def _difference(records: list[Record], figure: str) -> tuple[float, float]:
    """Mean and standard error of stated - true."""
    gaps = np.array([_number(r, f"stated {figure}") - _number(r, f"true {figure}") for r in records])
    return float(gaps.mean()), max(float(gaps.std(ddof=1) / np.sqrt(len(gaps))), TINY)


def _number(record: Record, figure: str) -> float:
    return float(record.figures[figure] or 0.0)


def _number_lines(records: list[Record]) -> Iterator[str]:
    shapes = list(product(ROWS, WIDTHS))
    ratios: dict[tuple[int, int], list[float]] = {}
    for record in records:
        shape = int(record.trial["rows"] or 0), int(record.trial["columns"] or 0)
        ratios.setdefault(shape, []).append(_number(record, "plain") / _number(record, "mean"))
    worst = max((shape for shape in shapes if shape in ratios), key=lambda shape: float(np.mean(ratios[shape])))
    mean = float(np.mean(ratios[worst]))
    yield from [
        "",
        "Random numbers: expected squared error of `LSVVRegressor()` over that of the mean, by rows and columns:",
    ]
    yield from ["", *header(["rows"], [f"{width} columns" for width in WIDTHS])]
    for rows in ROWS:
        cells = [f"{np.mean(ratios[rows, width]):.3f}" if (rows, width) in ratios else "" for width in WIDTHS]
        yield "| " + " | ".join([str(rows), *cells]) + " |"
    yield ""
    yield (
        f"- worst mean over {len(ratios)} shapes: {mean:.3f}, {worst[0]} rows of {worst[1]} columns (mark: at most "
        f"{MOST_OVER_MEAN:g}, {verdict(mean <= MOST_OVER_MEAN)}); worst of all {len(records)} draws: "
        f"{max(max(values) for values in ratios.values()):.3f}"
    )
