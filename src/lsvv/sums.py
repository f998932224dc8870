"""What learning needs from rows, as one value that adds: moments of labelled rows, and the smoothness of all.

A block of rows becomes a value, and values of any blocks, in any order, add to the value of all rows. Moments are kept
about the means of their own rows (Chan, Golub and LeVeque), so that rows far from 0 lose no digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import scipy.sparse as sp

from lsvv.linalg import Array, cross_product, in_cache, like, namespace, symmetric_product, take_rows, to_float64


@dataclass(frozen=True, eq=False)
class Moments:
    """Of outputs that share their weights a: w = sum a, the means of phi and y, and sums about the means.

    C = sum a (phi - mean)(phi - mean)', B = sum a (phi - mean)(y - mean)', squares = sum a (y - mean)^2.
    """

    columns: np.ndarray
    weight: float
    feature_mean: Array
    target_mean: Array
    C: Array
    B: Array
    squares: Array

    def __add__(self, other: Moments) -> Moments:
        if self.weight == 0.0 or other.weight == 0.0:
            return other if self.weight == 0.0 else self
        share = other.weight / (self.weight + other.weight)
        step, jump = other.feature_mean - self.feature_mean, other.target_mean - self.target_mean
        between = self.weight * share
        return Moments(
            self.columns,
            self.weight + other.weight,
            self.feature_mean + share * step,
            self.target_mean + share * jump,
            self.C + other.C + (between * step)[:, None] * step[None, :],
            self.B + other.B + (between * step)[:, None] * jump[None, :],
            self.squares + other.squares + between * jump**2,
        )

    def only(self, columns: np.ndarray) -> Moments:
        """Those of some of the outputs."""
        if columns.size == self.columns.size:
            return self
        places = np.searchsorted(self.columns, columns)
        B, squares = self.B[:, places], self.squares[places]
        return Moments(columns, self.weight, self.feature_mean, self.target_mean[places], self.C, B, squares)


@dataclass(frozen=True, eq=False)
class Sums:
    """Moments, one a set of outputs with equal weights, and sum over rows of Phi' Lap^power Phi for each power.

    Outputs that have the same weights in one block and others in another are told apart when the two are added.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.sums import label_sums
    >>> Phi, T, A = np.arange(8.0).reshape(4, 2), np.array([[0.0], [1.0], [1.0], [0.0]]), np.full((4, 1), 0.25)
    >>> parts = label_sums(Phi[:1], T[:1], A[:1]) + label_sums(Phi[1:], T[1:], A[1:])
    >>> whole = label_sums(Phi, T, A)
    >>> bool(np.allclose(parts.moments[0].C, whole.moments[0].C)), whole.moments[0].feature_mean.tolist()
    (True, [3.0, 4.0])
    """

    moments: tuple[Moments, ...] = ()
    smoothness: Mapping[int, Array] = field(default_factory=dict)
    n_rows: int = 0

    def __add__(self, other: Sums) -> Self:
        powers = [*self.smoothness, *(power for power in other.smoothness if power not in self.smoothness)]
        smoothness = {
            power: sum(one.smoothness[power] for one in (self, other) if power in one.smoothness) for power in powers
        }
        return type(self)(_added(self.moments, other.moments), smoothness, self.n_rows + other.n_rows)

    def manifold(self, power: int) -> Array:
        """G = Phi' Lap^power Phi / m."""
        total = self.smoothness[power]
        return (total + total.T) / (2.0 * self.n_rows)


def label_sums(Phi: Array, T: Array, A: np.ndarray) -> Sums:
    """The moments of a block of mapped rows with targets T under weights A, both (rows, K)."""
    return Sums(tuple(_moments(Phi, T, A[:, columns[0]], columns) for columns in distinct_columns(A)))


def smoothness_sums(smoothed: Array, powers: tuple[int, ...], Phi: Array | None = None) -> Sums:
    """(Lap Phi)'(Lap Phi) of a block of rows from their Lap Phi, and Phi' Lap Phi, which needs their Phi too."""
    found = {1: lambda: cross_product(Phi, smoothed), 2: lambda: symmetric_product(smoothed)}
    return Sums((), {power: found[power]() for power in powers}, int(smoothed.shape[0]))


def distinct_columns(A: np.ndarray) -> list[np.ndarray]:
    """The column indices of ``A``, grouped by equal columns."""
    groups: dict[bytes, list[int]] = {}
    for column in range(A.shape[1]):
        groups.setdefault(np.ascontiguousarray(A[:, column]).tobytes(), []).append(column)
    return [np.asarray(columns) for columns in groups.values()]


def _added(first: tuple[Moments, ...], second: tuple[Moments, ...]) -> tuple[Moments, ...]:
    if not first or not second:
        return first or second
    if len(first) == len(second) and all(
        np.array_equal(one.columns, two.columns) for one, two in zip(first, second, strict=True)
    ):
        return tuple(one + two for one, two in zip(first, second, strict=True))
    shared = ((one, two, np.intersect1d(one.columns, two.columns)) for one in first for two in second)
    refined = (one.only(columns) + two.only(columns) for one, two, columns in shared if columns.size)
    return tuple(sorted(refined, key=lambda one: int(one.columns[0])))


def _moments(Phi: Array, T: Array, weight: np.ndarray, columns: np.ndarray) -> Moments:
    known = np.flatnonzero(weight)
    some = Phi if known.size == weight.size else take_rows(Phi, known)
    xp, template = namespace(Phi), Phi.data if sp.issparse(Phi) else Phi
    a = like(weight[known], template, dtype=xp.float64)
    targets = like(T, template, dtype=xp.float64)
    targets = (targets if known.size == weight.size else take_rows(targets, known))[:, columns]
    total = float(weight.sum())
    share = a / (total or 1.0)
    root = (a**0.5)[:, None]
    target_mean = share @ targets
    rest = root * (targets - target_mean[None, :])
    if sp.issparse(some):
        # measured from 0, so that they stay sparse
        mean, scaled = some.T @ share, to_float64(sp.diags_array(root[:, 0]) @ some)
        C, B = symmetric_product(scaled) - total * np.outer(mean, mean), scaled.T @ rest
        return Moments(columns, total, mean, target_mean, C, B, xp.sum(rest**2, axis=0))
    mean = sum(share[part] @ to_float64(some[part, ...]) for part in in_cache(some, known.size))
    C = B = 0.0
    for part in in_cache(some, known.size):
        scaled = root[part] * (to_float64(some[part, ...]) - mean)
        C, B = C + scaled.T @ scaled, B + scaled.T @ rest[part]
    return Moments(columns, total, mean, target_mean, C, B, xp.sum(rest**2, axis=0))
