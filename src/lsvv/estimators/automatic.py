"""Settings that are "auto": how far features reach over the graph, and the ridge that leave-one-out asks for."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsvv.engine import chosen_ridge
from lsvv.features import MappedRows
from lsvv.linalg import to_float64
from lsvv.targets import Targets

MOST_ENTRIES = 10_000_000
"""Labelled rows x features that ridge="auto" looks at."""


def automatic_smoothing(targets: Targets) -> float:
    """1 - (share of labelled rows)^(2/3): the rarer labels are, the farther features reach."""
    return float(1.0 - (targets.labelled.size / len(targets.values)) ** (2.0 / 3.0))


def automatic_ridge(
    labelled: MappedRows, targets: Targets, order: np.ndarray, judged: np.ndarray, **terms: Any
) -> tuple[float, float]:
    """What leave-one-out asks for, without a tail, of at most so many labelled rows; and its error.

    ``order`` is one of the labelled rows' content, ``judged`` tells the rows whose labels the features have not seen,
    and ``terms`` are the other terms of the objective.
    """
    n = labelled.shape[0]
    steps = np.linspace(0, n - 1, min(n, max(2, MOST_ENTRIES // labelled.shape[1]))).astype(int)
    some = np.sort(order[steps])
    Phi = to_float64(labelled.take(some).whole())
    weights = targets.weights[targets.labelled][some]
    A = weights / np.where(weights.any(axis=0), weights.sum(axis=0), 1.0)
    T = targets.values[targets.labelled][some]
    return chosen_ridge(Phi, T, A, judged=judged[some] if judged[some].any() else None, **terms)
