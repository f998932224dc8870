"""The methods that learn classes, each made of training rows, classes and a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from math import inf
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

from benchmarks import tabpfn
from benchmarks.peers.common import OURS, TREES, absent
from lsvv import LSVVClassifierCV

FOLDS, NEIGHBOURS = 3, 7

Make = Callable[[np.ndarray, np.ndarray, int], Any]


@dataclass(frozen=True)
class Method:
    """How an estimator is made, which package it needs, and what it learns from."""

    make: Make
    module: str = "sklearn"
    all_rows: bool = False
    """It learns from unlabelled rows too, class -1."""
    slow: bool = False
    most_rows: float = inf
    """Rows to learn from above which it is not run."""
    most_columns: float = inf
    most_classes: float = inf

    def at_hand(self) -> bool:
        """Whether its package can be imported; TabPFN may be in another interpreter."""
        return tabpfn.at_hand() if self.module == "tabpfn" else not absent(self.module)

    def bears(self, rows: int, columns: int, classes: int) -> bool:
        """Whether so much to learn from is not too much for it."""
        return rows <= self.most_rows and columns <= self.most_columns and classes <= self.most_classes


def _searched(model: BaseEstimator, grid: dict[str, Any], y: np.ndarray, seed: int) -> BaseEstimator:
    """A grid search over 3 folds; the estimator as it is where no class has a row for each fold."""
    if np.unique(y, return_counts=True)[1].max() < FOLDS:
        return model
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    # a fold may leave a single class to learn from: it then counts for no setting, and the search goes on
    return GridSearchCV(model, grid, cv=folds, error_score=0.0)


def _svc(X: np.ndarray, y: np.ndarray, seed: int) -> BaseEstimator:
    unit = 1.0 / (X.shape[1] * max(float(X.var()), 1e-12))
    grid = {"C": [0.1, 1.0, 10.0, 100.0, 1000.0], "gamma": [unit * factor for factor in (0.1, 0.3, 1.0, 3.0, 10.0)]}
    return _searched(SVC(), grid, y, seed)


def _logistic(X: np.ndarray, y: np.ndarray, seed: int) -> BaseEstimator:
    return _searched(LogisticRegression(max_iter=1000), {"C": list(np.logspace(-2, 4, 7))}, y, seed)


def _catboost(X: np.ndarray, y: np.ndarray, seed: int) -> Any:
    return import_module("catboost").CatBoostClassifier(
        loss_function="MultiClass", random_seed=seed, thread_count=1, verbose=0, allow_writing_files=False
    )


def _xgboost(X: np.ndarray, y: np.ndarray, seed: int) -> Any:
    return import_module("xgboost").XGBClassifier(random_state=seed, n_jobs=1)


def _spreading(alpha: float) -> Make:
    return lambda X, y, seed: LabelSpreading(kernel="knn", n_neighbors=NEIGHBOURS, alpha=alpha, max_iter=200)


class _TabPFN:
    """TabPFN v1 as an estimator: it learns while it predicts."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> _TabPFN:
        self.X, self.y = X, y
        return self

    def predict(self, tests: np.ndarray) -> np.ndarray:
        return tabpfn.predicted(self.X, self.y, tests)


METHODS = {
    OURS: Method(lambda X, y, seed: LSVVClassifierCV(random_state=seed), all_rows=True),
    "RandomForest": Method(lambda X, y, seed: RandomForestClassifier(TREES, random_state=seed)),
    "ExtraTrees": Method(lambda X, y, seed: ExtraTreesClassifier(TREES, random_state=seed)),
    "HistGradientBoosting": Method(lambda X, y, seed: HistGradientBoostingClassifier(random_state=seed)),
    "CatBoost": Method(_catboost, "catboost", slow=True),
    "XGBoost": Method(_xgboost, "xgboost"),
    "SVC": Method(_svc, slow=True, most_rows=10_000),
    "logistic": Method(_logistic),
    "LabelSpreading 0.2": Method(_spreading(0.2), all_rows=True, most_rows=100_000),
    "LabelSpreading 0.95": Method(_spreading(0.95), all_rows=True, most_rows=100_000),
    "TabPFN v1": Method(
        lambda X, y, seed: _TabPFN(),
        "tabpfn",
        slow=True,
        most_rows=tabpfn.MOST_LABELS,
        most_columns=tabpfn.MOST_COLUMNS,
        most_classes=tabpfn.MOST_CLASSES,
    ),
}
