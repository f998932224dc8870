"""The ridge of a single model: its unit, and the one that leave-one-out asks for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np
from scipy.stats import t

from lsvv.engine.paths import fits
from lsvv.engine.quadratic import Fit
from lsvv.linalg import Array, distinct_rows, like, namespace
from lsvv.losses import Squared

MOST_MASKS = 3
SURE = 0.975
"""Of the t test that tells a gain on the mean from chance."""
CLOSE = 0.5
"""Standard errors within which a ridge is as good as the best."""
FEWEST_INDEPENDENT = 6.0
"""Independent left-out errors below which a small error may be chance."""
RIDGES = tuple(10.0 ** (e / 2) for e in range(-12, 5))
"""What ridge="auto" tries, in units of the features' spread: from next to none to next to the mean of the targets."""


def judgeable(path: Sequence[Fit]) -> list[bool]:
    """Which fits have left-out errors independent enough to be compared, of a path that falls from a large ridge.

    Of few labels there need not be six: a quarter of those of the largest ridge will do.
    """
    fewest = min(FEWEST_INDEPENDENT, path[0].independent / 4.0)
    return [one.independent >= fewest for one in path]


def spread(Phi: Array, A: np.ndarray) -> float:
    """The weighted mean of ||phi - mean||^2, the unit of ridges; 1 where all rows coincide."""
    a = like(A.max(axis=1) / A.max(axis=1).sum(), Phi)
    mean = a @ Phi
    found = float(a @ namespace(Phi).sum((Phi - mean) ** 2, axis=1))
    return found if found > 0.0 else 1.0


def chosen_ridge(
    Phi: Array,
    T: np.ndarray,
    A: np.ndarray,
    *,
    manifold: float = 0.0,
    G: Array | None = None,
    fit_intercept: bool = True,
    judged: np.ndarray | None = None,
) -> tuple[float, float]:
    """The largest ridge whose leave-one-out squared error is within half a standard error of the lowest, and its error.

    The errors are those of paired differences, one a labelled row. Where the lowest is not below the largest ridge's,
    which is next to that of the mean, by a t test at 2.5 %, the largest is taken: targets that have nothing to do with
    the rows stay at their mean. Equal rows are left out together, so that a row of weight 2 is the same as two rows. Of
    outputs known in different rows the three best known are looked at. Where features have seen labels, the errors are
    those of the rows ``judged`` (bool), whose labels they have not.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> Phi, A = rng.normal(size=(50, 3)), np.full((50, 1), 0.02)
    >>> unit = spread(Phi, A)
    >>> noise, line = rng.normal(size=(50, 1)), Phi[:, :1]
    >>> [round(chosen_ridge(Phi, T, A)[0] / unit, 6) for T in (noise, line)]
    [100.0, 1e-06]
    """
    some = _most_known(A)
    judged = np.ones(len(Phi), dtype=bool) if judged is None else judged
    Phi, T, A, judged = _distinct(Phi, T[:, some], A[:, some], judged)
    unit = spread(Phi, A)
    ridges = [unit * ridge for ridge in RIDGES]
    path = list(fits(Phi, T, A, Squared(), ridges, manifold=manifold, G=G, fit_intercept=fit_intercept))
    path = list(compress(path, judgeable(path)))
    losses = np.array([(A * (one.loo - T) ** 2).sum(axis=1)[judged] for one in path])
    count = losses.shape[1]
    best = int(np.argmin(losses.sum(axis=1)))
    # the path falls from the largest ridge on
    excess = losses - losses[best]
    errors = np.sqrt(count) * excess.std(axis=1, ddof=1 if count > 1 else 0)
    reach = np.where(np.arange(len(path)) > 0, CLOSE, t.ppf(SURE, max(count - 1, 1)))
    chosen = int(np.argmax(excess.sum(axis=1) <= reach * errors))
    return path[chosen].ridge, float(losses[chosen].sum())


def _most_known(A: np.ndarray) -> np.ndarray:
    """All outputs where at most three masks are among them, else the three with the most known entries."""
    known = A > 0.0
    if np.unique(known, axis=1).shape[1] <= MOST_MASKS:
        return np.arange(A.shape[1])
    return np.sort(np.argsort(-known.sum(axis=0), kind="stable")[:MOST_MASKS])


def _distinct(
    Phi: Array, T: np.ndarray, A: np.ndarray, judged: np.ndarray
) -> tuple[Array, np.ndarray, np.ndarray, np.ndarray]:
    """Equal rows as one, with the sum of their weights and the mean of their targets."""
    rows, place = distinct_rows(Phi)
    if len(rows) == len(Phi):
        return Phi, T, A, judged
    weights, sums = np.zeros((2, len(rows), T.shape[1]))
    all_judged = np.ones(len(rows), dtype=bool)
    np.logical_and.at(all_judged, place, judged)
    np.add.at(weights, place, A)
    np.add.at(sums, place, A * T)
    return rows, sums / np.where(weights > 0.0, weights, 1.0), weights, all_judged
