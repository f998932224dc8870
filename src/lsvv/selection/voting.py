"""Labels spread over the graph: what a row's surroundings say, without any map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsvv.graph import Smoother
from lsvv.linalg import Array, like, to_float64, to_numpy

SPREAD = 0.9
"""a in R = (1 - a)(I - a P)^-1: how far a label's word carries."""
MOST_LABELS = 5000
"""Beyond it rows have labelled neighbours enough for maps to learn all there is."""
BLOCK = 256
FAINT = 1e-9
"""Weight of the mean target, which stands alone where no label is within reach."""


@dataclass(frozen=True, eq=False)
class Vote:
    """f(x_i) = sum_j R_ij a_j y_j / sum_j R_ij a_j over labelled rows j, R = (1 - a)(I - a P)^-1.

    Attributes
    ----------
    near : array of shape (m, K)
        f of all training rows; a new row takes the mean of its neighbours'.
    expectation : array of shape (labelled rows, K)
        The same sums without the row's own label, or without those of its fold where that asks less of the graph:
        exact, since R does not depend on labels.
    """

    near: np.ndarray
    expectation: np.ndarray


def vote(
    smoother: Smoother, labelled: np.ndarray, T: np.ndarray, A: np.ndarray, folds: np.ndarray, template: Array
) -> Vote:
    """The vote of labels ``T`` with weights ``A``, 0 where unknown, of the rows ``labelled``, each in a fold.

    It is counted where ``template`` lies.
    """
    said = np.hstack([A * T, A])
    ballot = to_float64(template[:0])
    spread = _spread(smoother, ballot, labelled, said)
    alone = labelled.size <= (folds.max() + 1) * said.shape[1]
    if alone:
        left, taken = spread[labelled] - _own(smoother, ballot, labelled)[:, None] * said, said
    else:
        left, taken = _without_fold(smoother, ballot, labelled, said, folds), _fold_sums(said, folds)
    return Vote(_ratio(spread, _mean(said.sum(axis=0))), _ratio(left, _mean(said.sum(axis=0) - taken)))


def _spread(smoother: Smoother, ballot: Array, labelled: np.ndarray, said: np.ndarray) -> np.ndarray:
    """R B, where the labelled rows of B hold what their labels say and all others 0."""
    given = np.zeros((smoother.n_rows, said.shape[1]))
    given[labelled] = said
    return np.asarray(to_numpy(smoother.columns(like(given, ballot), SPREAD)))


def _without_fold(
    smoother: Smoother, ballot: Array, labelled: np.ndarray, said: np.ndarray, folds: np.ndarray
) -> np.ndarray:
    """What reaches each labelled row from the labels of the other folds."""
    left = np.empty_like(said)
    for fold in np.unique(folds):
        mine = folds == fold
        left[mine] = _spread(smoother, ballot, labelled[~mine], said[~mine])[labelled[mine]]
    return left


def _fold_sums(said: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """For each row the sum over its fold."""
    return np.array([said[folds == fold].sum(axis=0) for fold in range(folds.max() + 1)])[folds]


def _mean(sums: np.ndarray) -> np.ndarray:
    """Weighted sums (left half of the columns) over weights (right half)."""
    above, below = np.split(sums, 2, axis=-1)
    return np.asarray(above / np.maximum(below, FAINT))


def _ratio(sums: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Weighted sums (left half of the columns) over weights (right half), with a faint word of the mean."""
    above, below = np.split(sums, 2, axis=1)
    # what rounding leaves of a label taken out is no weight
    heard = below > FAINT**1.5
    return np.where(heard, above + FAINT * mean, mean) / np.where(heard, below + FAINT, 1.0)


def _own(smoother: Smoother, ballot: Array, labelled: np.ndarray) -> np.ndarray:
    """R_ii of the labelled rows."""
    found = np.empty(labelled.size)
    for start in range(0, labelled.size, BLOCK):
        rows = labelled[start : start + BLOCK]
        (columns,) = smoother.weights_of(rows, [SPREAD], ballot)
        found[start : start + BLOCK] = to_numpy(columns)[rows, np.arange(rows.size)]
    return found
