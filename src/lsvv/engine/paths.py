"""Paths with masks: outputs that share their weights share a path, and the paths run side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from lsvv.engine.quadratic import Fit, squared_path
from lsvv.engine.smooth import smooth_path
from lsvv.linalg import Array, like, take_rows
from lsvv.losses import Loss, Squared
from lsvv.sums import distinct_columns


def fits(
    Phi: Array,
    T: np.ndarray,
    A: np.ndarray,
    loss: Loss,
    ridges: Sequence[float],
    *,
    manifold: float = 0.0,
    G: Array | None = None,
    fit_intercept: bool = True,
) -> Iterator[Fit]:
    """Fits at falling ridges with leave-one-label-out scores: exact for the squared loss, one Newton step for others.

    Parameters
    ----------
    Phi : array or tensor of shape (n, D)
        The labelled rows, mapped and smoothed, in double precision. All is worked where they lie.
    T, A : arrays of shape (n, K)
        Targets, and weights of which each known output's sum to 1; 0 is unknown.
    loss : Loss
        Any but a kinked one.
    ridges : sequence of float
        Above 0.
    manifold, G : float and array of shape (D, D)
        The manifold term, if there is one.
    fit_intercept : bool
        Whether b is learnt.

    Yields
    ------
    Fit
        Scores of unknown entries are 0.
    """
    ordered = sorted(ridges, reverse=True)
    groups, paths = [], []
    for columns in distinct_columns(A):
        rows = np.flatnonzero(A[:, columns[0]])
        some = Phi if rows.size == len(A) else take_rows(Phi, rows)
        targets, a = (like(part, Phi) for part in (T[np.ix_(rows, columns)], A[rows, columns[0]]))
        if rows.size < (2 if fit_intercept else 1):
            path = _constant_path(Phi.shape[1], T[np.ix_(rows, columns)], ordered, loss)
        elif isinstance(loss, Squared):
            path = squared_path(some, targets, a, ordered, manifold=manifold, G=G, fit_intercept=fit_intercept)
        else:
            path = smooth_path(some, targets, a, ordered, loss, manifold=manifold, G=G, fit_intercept=fit_intercept)
        groups.append((columns, rows))
        paths.append(path if rows.size > 1 else _without_others(path))
    for points in zip(*paths, strict=True):
        yield _joined(points, groups, Phi.shape[1], T.shape)


def _constant_path(D: int, T: np.ndarray, ridges: Sequence[float], loss: Loss) -> Iterator[Fit]:
    """b alone, from what is known of outputs with no or one known entry."""
    value = T.sum(axis=0)
    b = value if isinstance(loss, Squared) else 4.0 * value - 2.0
    for ridge in ridges:
        yield Fit(ridge, np.zeros((D, T.shape[1])), b, np.zeros(T.shape))


def _without_others(path: Iterator[Fit]) -> Iterator[Fit]:
    """One label alone leaves none to predict it from."""
    for point in path:
        yield replace(point, loo=np.zeros_like(point.loo))


def _joined(
    points: Sequence[Fit], groups: Sequence[tuple[np.ndarray, np.ndarray]], D: int, shape: tuple[int, ...]
) -> Fit:
    if len(points) == 1 and groups[0][1].size == shape[0]:
        return points[0]
    W, b, loo = np.zeros((D, shape[1])), np.zeros(shape[1]), np.zeros(shape)
    independent = min(point.independent for point in points)
    for point, (columns, rows) in zip(points, groups, strict=True):
        W[:, columns], b[columns], loo[np.ix_(rows, columns)] = point.W, point.b, point.loo
    return Fit(points[0].ridge, W, b, loo, independent)
