"""How many numbers a text becomes: as many as a quick model predicts known cells best from, each left out in turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lsvv.engine import squared_path
from lsvv.tables.targets import Target

__all__ = ["MOST_ROWS", "Judge", "known_numbers", "left_out_error"]

MOST_TARGETS = 5
MOST_ROWS = 800
"""Of each target, so that judging takes a small part of the time that fitting does."""
RIDGES = (1e-1, 1e-2, 1e-3, 1e-4)
"""In units of the spread of the features."""


class Judge:
    """The leave-one-out error of ridge regression, as a share of each target's variance; of many rows a random part.

    Attributes
    ----------
    rows : array
        The rows of the table that are looked at.
    """

    def __init__(self, targets: Sequence[Target], random_state: int = 0) -> None:
        rng = np.random.default_rng(random_state)
        parts = []
        for target in targets[:MOST_TARGETS]:
            known = np.flatnonzero(target.known)
            some = np.sort(rng.choice(known, MOST_ROWS, replace=False)) if known.size > MOST_ROWS else known
            parts.append((some, known_numbers(target, some)))
        self.rows = np.unique(np.concatenate([some for some, _ in parts]))
        self._parts = [(np.searchsorted(self.rows, some), T) for some, T in parts]

    def error(self, X: np.ndarray) -> float:
        """The mean over the targets, from the features of ``rows``; at the best ridge of each."""
        return float(np.mean([left_out_error(X[places].astype(np.float64), T) for places, T in self._parts]))


def known_numbers(target: Target, rows: np.ndarray) -> np.ndarray:
    """Known cells as numbers (rows, K): one column a class or tag."""
    values = target.values[rows]
    if target.task == "classes":
        return np.eye(len(target.outputs))[values.astype(int)]
    return np.reshape(values, (rows.size, -1))


def left_out_error(X: np.ndarray, T: np.ndarray) -> float:
    """The leave-one-out error of ridge regression at the best ridge, as a share of the variance of ``T``."""
    spread, variance = float(X.var(axis=0).sum()), float(T.var(axis=0).sum())
    if len(T) < 2 or spread == 0.0 or variance == 0.0:
        return 1.0
    a = np.full(len(T), 1.0 / len(T))
    path = squared_path(X, T, a, [spread * ridge for ridge in RIDGES])
    return min(float(np.mean(np.sum((fit.loo - T) ** 2, axis=1))) for fit in path) / variance
