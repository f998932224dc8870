"""Small data and small estimators for tests of the whole."""

from typing import Any

import numpy as np

from lsvv import LSVVClassifier, LSVVRegressor
from lsvv.features import RandomFourier

MAP = RandomFourier(40, width=1.0, random_state=0)
"""A fixed map: its draws and width depend on no row."""


SUPERVISED: dict[str, Any] = {"smoothing": 0.0, "manifold": 0.0}
"""No term looks at unlabelled rows."""
PAPER: dict[str, Any] = {"smoothing": 0.0, "manifold": 1.0}
"""The graph as a penalty alone."""
SMOOTHED: dict[str, Any] = {"smoothing": 0.9, "manifold": 0.0}
"""The graph in the features alone."""
BOTH: dict[str, Any] = {"smoothing": 0.9, "manifold": 0.1}
GRAPHS = (PAPER, SMOOTHED, BOTH)
"""The ways in which the graph of all rows enters."""


def classifier(**settings: Any) -> LSVVClassifier:
    """A small classifier with a fixed map."""
    return LSVVClassifier(**{"features": MAP, "ridge": 1e-3, "n_neighbors": 4, "random_state": 0, **settings})


def regressor(**settings: Any) -> LSVVRegressor:
    """A small regressor with a fixed map."""
    return LSVVRegressor(**{"features": MAP, "ridge": 1e-3, "n_neighbors": 4, "random_state": 0, **settings})


def blobs(n: int = 60, K: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows around K centres of the plane, and their classes."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % K
    angle = 2 * np.pi * truth / K
    return np.c_[np.cos(angle), np.sin(angle)] * 1.5 + 0.4 * rng.normal(size=(n, 2)), truth


def some_labels(truth: np.ndarray, every: int = 3) -> np.ndarray:
    """The classes of one row in ``every``, -1 elsewhere (classes cycle, so all of them occur)."""
    return np.where(np.arange(len(truth)) // 3 % every == 0, truth, -1)


def indicators(n: int = 60, seed: int = 0, *, holes: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Rows and three labels that overlap, some entries unknown."""
    X, _ = blobs(n, seed=seed)
    Y = np.c_[X[:, 0] > 0, X[:, 1] > 0, X.sum(axis=1) > 0.5].astype(float)
    if holes:
        Y[np.random.default_rng(seed + 1).random(Y.shape) < 0.4] = np.nan
    return X, Y


def curves(n: int = 60, seed: int = 0, *, holes: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Rows and two numbers of different scale, some entries unknown."""
    X, _ = blobs(n, seed=seed)
    Y = np.c_[np.sin(2 * X[:, 0]) + 5, 100 * np.cos(X[:, 1])]
    if holes:
        Y[np.random.default_rng(seed + 1).random(Y.shape) < 0.4] = np.nan
    return X, Y
