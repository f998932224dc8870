"""R = (1 - a)(I - a P)^-1 with P = D^-1 S: columns smoothed over the graph before W is fitted.

A row of R B is (1 - a) of its own row of B and a of the weighted mean of its neighbours' rows of R B, which is also the
rule for new rows. R 1 = 1; a row without neighbours keeps its own; a = 0 is no smoothing, and a near 1 leaves of each
connected part its mean.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, log, sqrt

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from lsvv.features.rows import BLOCK_BYTES, MappedRows
from lsvv.graph.bandwidth import low_bandwidth_order
from lsvv.linalg import (
    Array,
    bytes_at_once,
    like,
    namespace,
    sparse_operator,
    sparse_times_dense,
    take_rows,
    to_float64,
)

MAX_STEPS = 1000
"""Products with the graph at most; they suffice for a up to 0.9997 in double precision."""
CACHE_BYTES = 2**23
"""A block of columns of this size is smoothed twice as fast as one that leaves the processor's cache."""


@dataclass(frozen=True)
class Series:
    """(1 - a) / (1 - a s) = c (1 + 2 sum_j q^j T_j(s)) on [-1, 1], cut after ``steps`` terms.

    ``error`` bounds what is cut off as a share of a column's norm.
    """

    smoothing: float
    steps: int
    error: float

    @classmethod
    def of(cls, smoothing: float, tol: float) -> Series:
        """As many terms as ``tol`` asks for, ``MAX_STEPS`` at most."""
        c, q = _constants(smoothing)
        if q == 0.0:
            return cls(smoothing, 0, 0.0)
        needed = ceil(log(tol * (1.0 - q) / (2.0 * c)) / log(q))
        steps = int(min(max(needed, 1), MAX_STEPS))
        return cls(smoothing, steps, 2.0 * c * q ** (steps + 1) / (1.0 - q))

    def coefficient(self, j: int) -> float:
        """What T_j is multiplied by."""
        c, q = _constants(self.smoothing)
        return c if j == 0 else 2.0 * c * q**j


def _constants(a: float) -> tuple[float, float]:
    return sqrt((1.0 - a) / (1.0 + a)), a / (1.0 + sqrt(1.0 - a * a))


class Smoother:
    """R = (1 - a)(I - a P)^-1 of a graph with adjacency S, for any number of a in one pass.

    P is similar to the symmetric D^-1/2 S D^-1/2, so that its eigenvalues lie in [-1, 1], where R is a Chebyshev
    series: it needs nothing but products of the graph with columns, the same for all a. Columns are worked in blocks of
    bounded memory.

    Parameters
    ----------
    S : sparse matrix of shape (m, m)
        Symmetric, non-negative.

    Examples
    --------
    Two pairs of rows, and what a single 1 becomes within its pair:

    >>> import numpy as np, scipy.sparse as sp
    >>> from lsvv.graph import Smoother
    >>> pairs = sp.csr_array(np.kron(np.eye(2), [[0.0, 1.0], [1.0, 0.0]]))
    >>> Smoother(pairs).columns(np.array([[1.0], [0.0], [0.0], [0.0]]), 0.9).ravel().round(3).tolist()
    [0.526, 0.474, 0.0, 0.0]
    """

    def __init__(self, S: sp.csr_array) -> None:
        degree = np.asarray(S.sum(axis=1)).ravel()
        alone = degree <= 0
        # not D^-1/2 S D^-1/2 and its root: the degree of a row far from its neighbours may leave single precision
        share = S.data / np.repeat(np.where(alone, 1.0, degree), np.diff(S.indptr))
        mean = sp.csr_array((share, S.indices, S.indptr), shape=S.shape)
        P = sp.csr_array(mean + sp.diags_array(alone.astype(np.float64)))
        # with neighbours side by side a product takes a fifth of the time
        self._order = low_bandwidth_order(S)
        self._place = np.argsort(self._order)
        self._P = sp.csr_array(P[self._order][:, self._order])
        self.n_rows = int(S.shape[0])

    def columns(self, B: Array, smoothing: float, rows: np.ndarray | None = None) -> Array:
        """R B, or its rows ``rows`` alone."""
        (smoothed,) = self._summed(self._P, B, [smoothing], rows)
        if rows is None:
            self._judge(smoothed, B, smoothing)
        return smoothed

    def _judge(self, smoothed: Array, B: Array, a: float) -> None:
        """Warn where ||R B - a P R B - (1 - a) B|| is far above the series' own error, largest entries compared."""
        xp = namespace(B)
        near, mine = (take_rows(part, self._order) for part in (smoothed, B))
        gap = near - a * sparse_times_dense(self._P, near) - (1.0 - a) * mine
        residual = float(xp.max(xp.abs(gap))) / max(float(xp.max(xp.abs(B))), 1e-300)
        if residual > 1e3 * max(tolerance(B), Series.of(a, tolerance(B)).error):
            warnings.warn(
                f"Smoothing over the graph is off by {residual:.1g} of the largest score: the weights of its edges "
                f"differ by too many orders of magnitude. Choose self-tuned or binary weights.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def weights_of(self, rows: np.ndarray, smoothings: Sequence[float], like_array: Array) -> list[Array]:
        """The rows ``rows`` of R as columns, (m, len(rows)) for each a: R' E."""
        units = sp.csr_array((np.ones(len(rows)), (rows, np.arange(len(rows)))), shape=(self.n_rows, len(rows)))
        E = sparse_times_dense(units, like(np.eye(len(rows)), like_array))
        return self._summed(sp.csr_array(self._P.T), E, smoothings, None)

    def rows_of(self, rows: MappedRows, which: np.ndarray, smoothings: Sequence[float]) -> list[Array]:
        """The rows ``which`` of R Phi for each a, in double precision: from min(len(which), D) columns."""
        parts = _cut(min(len(which), rows.shape[1]), self._columns_at_once(rows.template))
        xp = namespace(rows.template)
        if len(which) <= rows.shape[1]:
            found = [self.mixed(rows, self.weights_of(which[part], smoothings, rows.template)) for part in parts]
            axis = 0
        else:
            found = [self._labelled_columns(rows.columns(part), which, smoothings) for part in parts]
            axis = 1
        return [blocks[0] if len(blocks) == 1 else xp.concat(blocks, axis=axis) for blocks in zip(*found, strict=True)]

    def mixed(self, rows: MappedRows, weights: Sequence[Array]) -> list[Array]:
        """Z' Phi for the columns Z that :meth:`weights_of` gave, in one pass over the rows."""
        n = weights[0].shape[1]
        product = rows.transpose_times(namespace(weights[0]).concat(list(weights), axis=1)).T
        return [product[start : start + n, :] for start in range(0, product.shape[0], n)]

    def _labelled_columns(self, B: Array, which: np.ndarray, smoothings: Sequence[float]) -> list[Array]:
        return [to_float64(one) for one in self._summed(self._P, B, smoothings, which)]

    def _summed(self, P: sp.csr_array, B: Array, smoothings: Sequence[float], rows: np.ndarray | None) -> list[Array]:
        """sum_j coefficient_j T_j(P) B for each a, block of columns by block; rows are worked side by side."""
        xp = namespace(B)
        series = [self._series(a, B) for a in smoothings]
        times = sparse_operator(P, B)
        at_once = max(16, int(bytes_at_once(B, CACHE_BYTES) // (self.n_rows * B.itemsize)))
        order, asked = self._order, self._place if rows is None else self._place[rows]
        found = [
            list(_recurrence(times, take_rows(B[:, part], order), series, asked)) for part in _cut(B.shape[1], at_once)
        ]
        return [blocks[0] if len(blocks) == 1 else xp.concat(blocks, axis=1) for blocks in zip(*found, strict=True)]

    def _series(self, smoothing: float, B: Array) -> Series:
        series = Series.of(smoothing, tolerance(B))
        if series.error > tolerance(B):
            warnings.warn(
                f"smoothing={smoothing!r} was stopped after {series.steps} products with the graph, up to "
                f"{series.error:.1g} of a column's norm short of the limit. Choose a smaller smoothing.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return series

    def _columns_at_once(self, B: Array) -> int:
        return max(1, int(bytes_at_once(B, BLOCK_BYTES) // (4 * self.n_rows * B.itemsize)))


def tolerance(B: Array) -> float:
    """What may be missing of a column: 1e-10 of its norm in double precision, 1e-5 in single."""
    return 1e-10 if B.dtype == namespace(B).float64 else 1e-5


def _recurrence(
    times: Callable[[Array], Array], B: Array, series: Sequence[Series], rows: np.ndarray
) -> Iterator[Array]:
    """T_0 = B, T_1 = P B, T_j = 2 P T_{j-1} - T_{j-2}; every series adds its own multiple of each, at ``rows``."""
    few = len(rows) < B.shape[0]
    before, last = B, times(B)
    sums = [one.coefficient(0) * (take_rows(before, rows) if few else before) for one in series]
    for j in range(1, max(one.steps for one in series) + 1):
        if j > 1:
            before, last = last, 2.0 * times(last) - before
        for place, one in enumerate(series):
            if j <= one.steps:
                sums[place] += one.coefficient(j) * (take_rows(last, rows) if few else last)
    yield from (one if few else take_rows(one, rows) for one in sums)


def _cut(n_columns: int, at_once: int) -> list[slice]:
    return [slice(start, min(start + at_once, n_columns)) for start in range(0, n_columns, at_once)]
