"""Numbers from few labelled rows, whole or with entries missing: the search and the plain default against peers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.preprocessing import StandardScaler

from benchmarks.peers.common import (
    FIRST_SPLIT,
    OURS,
    PLAIN,
    TREES,
    Job,
    Means,
    cases,
    header,
    is_first,
    mean_ranks,
    means,
    row_of,
    timed,
    told_ranks,
)
from benchmarks.peers.generated import GENERATED, generated
from benchmarks.resumable import Figures
from benchmarks.timing import verdict
from lsvv import LSVVRegressor, LSVVRegressorCV
from reproduction.data import Dataset, load, make_fold, split
from reproduction.records import Record, Trial

LABELS = {"diabetes": (50, 200), **dict.fromkeys((*GENERATED, "scm20d", "rf2"), (50, 200, 1000))}
ONE_OUTPUT = ("diabetes", "houses")
SLOW = {("rf2", 1000), ("scm20d", 1000)}
SPLITS, SPLITS_IF_SLOW = 10, 3
HIDDEN = (0.0, 0.3)
"""Shares of the labelled rows' entries that are missing."""
RIDGE, MOST_OVER_RIDGE = "RidgeCV", 1.2
FOLDS = 3
KEYS = ("data", "labels", "hidden")

Make = Callable[[np.ndarray, int], Any]


def _kernel_ridge(X: np.ndarray, seed: int) -> BaseEstimator:
    unit = 1.0 / (X.shape[1] * max(float(X.var()), 1e-12))
    grid = {
        "alpha": [1e-4, 1e-3, 1e-2, 0.1, 1.0],
        "gamma": [unit * factor for factor in (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)],
    }
    folds = KFold(FOLDS, shuffle=True, random_state=seed)
    search = GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=folds, scoring="neg_mean_squared_error")
    return TransformedTargetRegressor(search, transformer=StandardScaler())


TOGETHER: dict[str, Make] = {
    "RandomForest": lambda X, seed: RandomForestRegressor(TREES, random_state=seed),
    "ExtraTrees": lambda X, seed: ExtraTreesRegressor(TREES, random_state=seed),
    RIDGE: lambda X, seed: RidgeCV(np.logspace(-4, 4, 17)),
    "KernelRidge": _kernel_ridge,
}
"""Peers that learn several outputs at once where no entry is missing."""
APART: dict[str, Make] = {"HistGradientBoosting": lambda X, seed: HistGradientBoostingRegressor(random_state=seed)}
"""Peers that learn one output."""
PEERS = {**TOGETHER, **APART}
NAMES = (OURS, *PEERS, PLAIN)


def jobs() -> Iterator[Job]:
    """Every method on every split, with and without missing entries where there are several outputs."""
    for data, counts in LABELS.items():
        for labels in counts:
            slow = (data, labels) in SLOW
            for number in range(SPLITS_IF_SLOW if slow else SPLITS):
                for hidden in HIDDEN[:1] if data in ONE_OUTPUT else HIDDEN:
                    trial: Trial = {"part": "numbers", "data": data, "labels": labels, "hidden": hidden}
                    for method in NAMES:
                        yield Job({**trial, "seed": FIRST_SPLIT + number, "method": method}, slow=slow)


def figures(trial: Trial, data: Path) -> Figures:
    """MSE over the variance of the test rows, mean over the outputs, and CPU seconds of the fit."""
    dataset, seed, method = _dataset(str(trial["data"]), data), int(trial["seed"] or 0), str(trial["method"])
    share = int(trial["labels"] or 0) / ceil(round(0.7 * len(dataset.y), 6))
    fold = make_fold(dataset, split(dataset.y, "regression", seed, labelled=share))
    X, tests = (np.asarray(part, dtype=np.float32) for part in (fold.X_train, fold.X_test))
    Y = hidden_entries(fold.y_train, float(trial["hidden"] or 0), seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predict, cpu = timed(lambda: _fitted(method, X, Y, seed))
        predicted = predict(tests)
    squared = np.mean((predicted - fold.y_test) ** 2, axis=0)
    return {"error": float(np.mean(squared / fold.y_test.var(axis=0))), "cpu": cpu}


def _dataset(name: str, data: Path) -> Dataset:
    if name in GENERATED:
        return generated(name)
    if name == "diabetes":
        X, y = load_diabetes(return_X_y=True)
        return Dataset(name, "regression", X, y[:, None], (), ())
    return load(name, data)


def hidden_entries(Y: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Y with a share of the known entries of each output hidden too."""
    hidden, rng = Y.copy(), np.random.default_rng(seed)
    for column in hidden.T:
        known = np.flatnonzero(~np.isnan(column))
        column[rng.permutation(known)[: round(share * len(known))]] = np.nan
    return hidden


Predict = Callable[[np.ndarray], np.ndarray]


def _fitted(method: str, X: np.ndarray, Y: np.ndarray, seed: int) -> Predict:
    """What a fitted method says of rows, one column an output."""
    if method in (OURS, PLAIN):
        make = LSVVRegressorCV if method == OURS else LSVVRegressor
        model = make(random_state=seed).fit(X, Y[:, 0] if Y.shape[1] == 1 else Y)
        return lambda rows: np.reshape(model.predict(rows), (len(rows), -1))
    known = ~np.isnan(Y)
    rows = known.any(axis=1)
    if method in TOGETHER and Y.shape[1] > 1 and known[rows].all():
        whole = PEERS[method](X[rows], seed).fit(X[rows], Y[rows])
        return lambda tests: np.asarray(whole.predict(tests))
    models = [PEERS[method](X[k], seed).fit(X[k], column[k]) for column, k in zip(Y.T, known.T, strict=True)]
    return lambda tests: np.column_stack([model.predict(tests) for model in models])


def lines(records: list[Record]) -> list[str]:
    """The errors, the ranks of the search, and the plain default against RidgeCV."""
    columns = cases(records, KEYS, "error")
    table = {case: means(columns)[case] for case in sorted(columns, key=_order)}
    names = [name for name in NAMES if any(name in row for row in table.values())]
    body = []
    for (data, labels, hidden), row in table.items():
        first = [data, str(labels), f"{100 * hidden:g}%" if hidden else ""]
        body.append(row_of([*first, str(len(next(iter(columns[data, labels, hidden].values()))))], row, names))
    return [
        "### Numbers",
        "",
        "MSE over the variance of the test rows, mean over the outputs; labels: labelled rows, all other training rows",
        "are unlabelled; hidden: entries of the labelled rows that are missing besides, where peers learn each output",
        f"from its own rows. Generated, in benchmarks/peers/generated.py: {', '.join(GENERATED)}. KernelRidge: alpha",
        f"and width by {FOLDS} folds on standardised targets. {PLAIN}: `LSVVRegressor()`, not ranked.",
        "",
        *header(["data", "labels", "hidden", "splits"], names),
        *body,
        "",
        *_rank_lines(table),
        *_plain_lines(table),
    ]


def _order(case: Any) -> tuple[float, int, int]:
    data, labels, hidden = case
    return hidden, list(LABELS).index(data), labels


def _rank_lines(table: Means) -> Iterator[str]:
    for hidden in HIDDEN:
        own = {
            case: {name: value for name, value in row.items() if name != PLAIN}
            for case, row in table.items()
            if case[2] == hidden and OURS in row
        }
        if own:
            ranks = mean_ranks(own)
            told = f"{100 * hidden:g}% of the entries missing" if hidden else "whole rows"
            yield (
                f"- mean rank with {told} over {len(own)} cases (mark: {OURS} first, {verdict(is_first(ranks))}): "
                f"{told_ranks(ranks)}"
            )


def _plain_lines(table: Means) -> Iterator[str]:
    ratios = {
        case: row[PLAIN] / row[RIDGE] for case, row in table.items() if not case[2] and {PLAIN, RIDGE} <= row.keys()
    }
    if ratios:
        over = [f"{case[0]} {case[1]} ({ratio:.2f})" for case, ratio in ratios.items() if ratio > MOST_OVER_RIDGE]
        yield (
            f"- {PLAIN} over {RIDGE}, whole rows: at most {max(ratios.values()):.2f} (mark: at most "
            f"{MOST_OVER_RIDGE:g}, {verdict(not over)}); above it: {', '.join(over) or 'none'}"
        )
