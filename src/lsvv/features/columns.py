"""Columns on a common scale: metres or millimetres, with or without one huge value, are the same column."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from lsvv.features.maps import FeatureMap
from lsvv.linalg import Array, dense, like, namespace, places_among, sorted_columns, take_rows, to_float64, to_numpy

MOST_KNOTS = 1000
"""Values of a column that are kept to find the rank of a new one; quantiles where there are more rows."""
TAIL = 0.02
"""Share of the rows beyond either end of what counts as a column's range."""
FEWEST_FOR_TAILS = 10
BEYOND = 0.5
"""How many ranges a value may lie outside."""
FINENESS = 2.0**30
"""Steps of a range: what the unit of a column leaves to rounding is cut off, so that ties stay ties."""


class Ranges(FeatureMap):
    """phi_j(x) = (x_j - low_j) / range_j, at most half a range below 0 or above 1.

    A column's range leaves out 2 % of the rows at either end, from ten rows on at least one; it runs from the smallest
    to the largest value where nothing is left. Columns of a sparse matrix are divided by their largest absolute value,
    so that they stay sparse.

    Attributes
    ----------
    low_, range_ : arrays of shape (d,)
    is_sparse_ : bool
        Whether it was fitted to a sparse matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.features import Ranges
    >>> X = np.arange(101.0)[:, None]
    >>> Ranges().fit(X).transform(np.array([[2.0], [50.0], [98.0], [1e9]])).ravel().tolist()
    [0.0, 0.5, 1.0, 1.5]
    """

    low_: np.ndarray
    range_: np.ndarray

    def _fit(self, X: Array, sample_weight: np.ndarray | None) -> int:
        self.is_sparse_ = sp.issparse(X)
        if sp.issparse(X):
            largest = abs(X).max(axis=0).toarray().ravel().astype(np.float64)
            self.low_, self.range_ = np.zeros(X.shape[1]), _or_one(largest)
            return int(X.shape[1])
        values = sorted_columns(X)
        m = len(values)
        beyond = max(int(TAIL * m), int(m >= FEWEST_FOR_TAILS))
        least, low, high, most = to_numpy(take_rows(values, np.array([0, beyond, m - 1 - beyond, m - 1])))
        narrow = high <= low
        self.low_ = np.where(narrow, least, low)
        self.range_ = _or_one(np.where(narrow, most, high) - self.low_)
        return int(X.shape[1])

    def transform_checked(self, X: Array) -> Array:
        """phi(x) for rows that have passed the gate."""
        if self.is_sparse_:
            divided = X @ sp.diags_array(1.0 / self.range_)
            return sp.csr_array(divided).astype(X.dtype) if sp.issparse(X) else like(divided, X)
        X = dense(X)
        xp = namespace(X)
        place = xp.clip((X - like(self.low_, X)[None, :]) / like(self.range_, X)[None, :], -BEYOND, 1.0 + BEYOND)
        return xp.round(place * FINENESS) / FINENESS


class Ranks(FeatureMap):
    """phi_j(x) = share of the training rows whose value in column j is below x_j, equal ones counted half.

    Whatever is done to a column that keeps its order changes nothing.

    Attributes
    ----------
    knots_ : array of shape (at most 1000, d)
        Sorted values of each column, at even steps where there are more rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.features import Ranks
    >>> Ranks().fit_transform(np.array([[1.0], [10.0], [10.0], [1e6]])).ravel().tolist()
    [0.125, 0.5, 0.5, 0.875]
    """

    knots_: np.ndarray

    def _fit(self, X: Array, sample_weight: np.ndarray | None) -> int:
        if sp.issparse(X):
            raise ValueError("Ranks of a sparse matrix would be dense. Use features.Ranges, which keeps it sparse.")
        values = sorted_columns(X)
        last = len(values) - 1
        steps = np.linspace(0, last, MOST_KNOTS).round().astype(int) if last >= MOST_KNOTS else np.arange(last + 1)
        self.knots_ = to_numpy(take_rows(values, steps))
        return int(X.shape[1])

    def transform_checked(self, X: Array) -> Array:
        """phi(x) for rows that have passed the gate."""
        X = dense(X)
        values = to_float64(X)
        below, up_to = (places_among(like(self.knots_, values), values, side) for side in ("left", "right"))
        return like((below + up_to) / (2.0 * len(self.knots_)), X)

    def __sklearn_tags__(self) -> object:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags


def _or_one(widths: np.ndarray) -> np.ndarray:
    """1 in place of 0: a constant column stays one."""
    return np.where(widths > 0.0, widths, 1.0)
