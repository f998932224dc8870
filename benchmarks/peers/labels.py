"""Several labels a row: Hamming loss and micro-F1 of the search against forests, a chain and neighbours."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multioutput import ClassifierChain
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.peers.common import (
    FIRST_SPLIT,
    OURS,
    TREES,
    Job,
    cases,
    header,
    is_first,
    mean_ranks,
    means,
    row_of,
    timed,
    told_ranks,
)
from benchmarks.resumable import Figures, dataset_of
from benchmarks.timing import verdict
from lsvv import LSVVClassifierCV
from reproduction.data import make_fold, split
from reproduction.records import Record, Trial

RATES = {"scene": 0.1, "yeast": 0.1, "bibtex": 0.3, "corel5k": 0.3}
SPLITS = {"scene": 10, "yeast": 10, "bibtex": 3, "corel5k": 3}
FIGURES = {"Hamming": "Hamming loss in %", "F1": "1 - micro-F1 in %"}


class _Chain:
    """ClassifierChain of logistic regressions over the labels that occur; the others stay as they were."""

    def __init__(self, seed: int) -> None:
        self.chain = ClassifierChain(LogisticRegression(max_iter=1000), order="random", random_state=seed)

    def fit(self, X: Any, Y: np.ndarray) -> _Chain:
        self.usual = Y[0]
        self.varying = np.flatnonzero(np.ptp(Y, axis=0))
        self.chain.fit(X, Y[:, self.varying])
        return self

    def predict(self, tests: Any) -> np.ndarray:
        predicted = np.tile(self.usual, (tests.shape[0], 1))
        predicted[:, self.varying] = self.chain.predict(tests)
        return predicted


PEERS: dict[str, Callable[[int], Any]] = {
    "RandomForest": lambda seed: RandomForestClassifier(TREES, random_state=seed),
    "ExtraTrees": lambda seed: ExtraTreesClassifier(TREES, random_state=seed),
    "chain of logistic": _Chain,
    "7 neighbours": lambda seed: KNeighborsClassifier(7),
    "1 neighbour": lambda seed: KNeighborsClassifier(1),
}
NAMES = (OURS, *PEERS)


def jobs() -> Iterator[Job]:
    """Every method on every split."""
    for data, rate in RATES.items():
        slow = SPLITS[data] < max(SPLITS.values())
        for number in range(SPLITS[data]):
            trial: Trial = {"part": "labels", "data": data, "labelled": rate, "seed": FIRST_SPLIT + number}
            for method in NAMES:
                yield Job({**trial, "method": method}, slow=slow)


def figures(trial: Trial, data: Path) -> Figures:
    """Hamming loss and 1 - micro-F1 of one method on one split, both in %, and CPU seconds of the fit."""
    dataset, seed = dataset_of(trial, data), int(trial["seed"] or 0)
    fold = make_fold(dataset, split(dataset.y, "multi-label", seed, labelled=float(trial["labelled"] or 0)))
    X, tests = (
        part if sp.issparse(part) else np.asarray(part, dtype=np.float32) for part in (fold.X_train, fold.X_test)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, cpu = timed(lambda: _fitted(str(trial["method"]), X, fold.y_train, seed))
        predicted = np.asarray(model.predict(tests)).astype(np.int64)
        truth = fold.y_test.astype(np.int64)
        f1 = f1_score(truth, predicted, average="micro", zero_division=0.0)
    return {"Hamming": 100.0 * float(np.mean(predicted != truth)), "F1": 100.0 * (1.0 - float(f1)), "cpu": cpu}


def _fitted(method: str, X: Any, Y: np.ndarray, seed: int) -> Any:
    if method == OURS:
        return LSVVClassifierCV(random_state=seed).fit(X, Y)
    rows = np.flatnonzero(~np.isnan(Y).any(axis=1))
    return PEERS[method](seed).fit(X[rows], Y[rows].astype(np.int64))


def lines(records: list[Record]) -> list[str]:
    """A table of each figure, and the mean ranks."""
    told = ["### Labels", "", "Chains learn the labels that occur among the labelled rows."]
    for figure, meaning in FIGURES.items():
        columns = cases(records, ("data", "labelled"), figure)
        table = {(d, r): means(columns)[d, r] for d, r in RATES.items() if (d, r) in columns}
        names = [name for name in NAMES if any(name in row for row in table.values())]
        told += ["", f"{meaning}:", "", *header(["data", "labelled", "splits"], names)]
        for (data, rate), row in table.items():
            count = str(len(next(iter(columns[data, rate].values()))))
            told.append(row_of([data, f"{100 * rate:g}%", count], row, names))
        ranks = mean_ranks({case: row for case, row in table.items() if OURS in row})
        told += ["", f"- mean rank (mark: {OURS} first, {verdict(is_first(ranks))}): {told_ranks(ranks)}"]
    return told
