"""Labels spread over the graph: what a row's surroundings say, without any map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsvv.graph import Smoother
from lsvv.linalg import to_numpy

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
        The same sums without the row's own label: exact, since R does not depend on labels.
    """

    near: np.ndarray
    expectation: np.ndarray


def vote(smoother: Smoother, labelled: np.ndarray, T: np.ndarray, A: np.ndarray) -> Vote:
    """The vote of labels ``T`` with weights ``A``, 0 where unknown, of the rows ``labelled``."""
    n_rows, K = smoother.P.shape[0], T.shape[1]
    given = np.zeros((n_rows, 2 * K))
    given[labelled] = np.hstack([A * T, A])
    spread = np.asarray(to_numpy(smoother.columns(given, SPREAD)))
    left = spread[labelled] - _own(smoother, labelled)[:, None] * given[labelled]
    total = np.maximum(A.sum(axis=0), FAINT)
    mean, rest = (A * T).sum(axis=0) / total, np.maximum(total - A, FAINT)
    return Vote(_ratio(spread, mean), _ratio(left, (mean * total - A * T) / rest))


def _ratio(sums: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Weighted sums (left half of the columns) over weights (right half), with a faint word of the mean."""
    above, below = np.split(sums, 2, axis=1)
    # what rounding leaves of a label taken out is no weight
    heard = below > FAINT**1.5
    return np.where(heard, above + FAINT * mean, mean) / np.where(heard, below + FAINT, 1.0)


def _own(smoother: Smoother, labelled: np.ndarray) -> np.ndarray:
    """R_ii of the labelled rows."""
    found = np.empty(labelled.size)
    for start in range(0, labelled.size, BLOCK):
        rows = labelled[start : start + BLOCK]
        (columns,) = smoother.weights_of(rows, [SPREAD], found)
        found[start : start + BLOCK] = to_numpy(columns)[rows, np.arange(rows.size)]
    return found
