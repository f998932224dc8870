"""From S to the Laplacian and to G = Phi' Lap^power Phi / m, the manifold matrix."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from functools import partial, reduce
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from lsvv.features.rows import MappedRows
from lsvv.graph.bandwidth import low_bandwidth_order
from lsvv.inputs import check_choice
from lsvv.linalg import Array, in_cache, sparse_times_dense, take_rows
from lsvv.sums import Sums, smoothness_sums


class LaplacianSums(Protocol):
    """What G is made of: it yields Phi' Lap^power Phi, wherever its rows lie."""

    def smoothness(self, rows: MappedRows, powers: tuple[int, ...]) -> Sums:
        """The sums for each power."""


def laplacian(S: sp.csr_array, kind: str = "normalized") -> sp.csr_array:
    """Lap = I - D^{-1/2} S D^{-1/2}, or (D - S) / mean degree for ``kind="plain"``.

    Isolated rows have a zero row. tr(H' (D - S) H) = 1/2 sum_ij S_ij ||h_i - h_j||^2 (half of what the paper
    prints, which is why the gradient 2 G W is right).

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> laplacian(sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))).toarray()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    return LaplacianRows(S, kind)[np.arange(S.shape[0])]


class LaplacianRows:
    """The rows of :func:`laplacian`, worked where they are asked for: nothing but S and its degrees is held.

    S may be some rows of a larger adjacency, their own columns first: then ``degree`` holds the degrees of its columns
    and ``mean`` that of all rows.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> rows = LaplacianRows(sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])))
    >>> rows.shape, rows[np.array([1])].toarray().tolist()
    ((2, 2), [[-1.0, 1.0]])
    """

    def __init__(
        self, S: sp.csr_array, kind: str = "normalized", degree: np.ndarray | None = None, mean: float | None = None
    ) -> None:
        check_choice("laplacian", kind, ("normalized", "plain"))
        self.S, self.shape = S, S.shape
        degree = np.asarray(S.sum(axis=1)).ravel() if degree is None else degree
        if kind == "plain":
            mean = (degree.mean() if mean is None else mean) or 1.0
            self.on, self.left, self.right = degree / mean, np.full(S.shape[0], 1.0 / mean), np.ones(S.shape[1])
        else:
            self.on = (degree > 0).astype(np.float64)
            self.left = self.right = np.where(degree > 0, 1.0 / np.sqrt(np.where(degree > 0, degree, 1.0)), 0.0)

    def __getitem__(self, own: np.ndarray) -> sp.csr_array:
        """Some of the rows."""
        is_whole = len(own) == self.shape[0] and bool(np.all(np.diff(own) == 1))
        some = self.S if is_whole else sp.csr_array(self.S[own])
        entries = some.data * -self.right[some.indices]
        entries *= np.repeat(self.left[own], np.diff(some.indptr))
        off_diagonal = sp.csr_array((entries, some.indices, some.indptr), shape=some.shape)
        places = (self.on[own], own, np.arange(len(own) + 1))
        return sp.csr_array(off_diagonal + sp.csr_array(places, shape=some.shape))

    def smoothness(self, rows: MappedRows, powers: tuple[int, ...]) -> Sums:
        """Phi' Lap^power Phi for each power; ``rows`` has a row for each column."""
        return _smoothness(rows, self, self.S, powers)


def manifold_matrix(rows: MappedRows, Lap: sp.csr_array | LaplacianSums, power: int = 2) -> Array:
    """G = Phi' Lap^power Phi / m for power 1 or 2, in double precision.

    Power 2 is (Lap Phi)'(Lap Phi) / m. Rows are worked in blocks together with their neighbours, so that
    neither Lap^2 nor more than one block of Phi is ever formed; where Phi fits one block it is mapped once.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.features import Linear, MappedRows
    >>> from lsvv.graph import KNNGraph, laplacian, manifold_matrix
    >>> X = np.array([[0.0, 1.0], [1.0, 1.0]])
    >>> Lap = laplacian(KNNGraph().build(X, n_neighbors=1))
    >>> manifold_matrix(MappedRows(X, Linear().fit(X).transform), Lap)
    array([[1., 0.],
           [0., 0.]])
    """
    return manifold_matrices(rows, Lap, (power,))[power]


def manifold_matrices(rows: MappedRows, Lap: sp.csr_array | LaplacianSums, powers: Sequence[int]) -> dict[int, Array]:
    """G for each of several powers, from one pass over the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.features import Linear, MappedRows
    >>> from lsvv.graph import KNNGraph, laplacian, manifold_matrices
    >>> X = np.array([[0.0, 1.0], [1.0, 1.0]])
    >>> Lap = laplacian(KNNGraph().build(X, n_neighbors=1))
    >>> G = manifold_matrices(MappedRows(X, Linear().fit(X).transform), Lap, powers=(1, 2))
    >>> float(G[1][0, 0]), float(G[2][0, 0])
    (0.5, 1.0)
    """
    for power in powers:
        if power not in (1, 2):
            raise ValueError(f"power={power!r} is not supported. Choose power=1 or power=2.")
    wanted = tuple(powers)
    sums = _smoothness(rows, Lap, Lap, wanted) if sp.issparse(Lap) else Lap.smoothness(rows, wanted)
    return {power: sums.manifold(power) for power in powers}


def _smoothness(
    rows: MappedRows, Lap: sp.csr_array | LaplacianRows, edges: sp.csr_array, powers: tuple[int, ...]
) -> Sums:
    if not rows.is_held:
        return rows.total_at(_of_hood, _pieces(rows, Lap, edges, powers))
    own = np.arange(Lap.shape[0])
    return rows.total(partial(_of_hood, Lap=Lap if sp.issparse(Lap) else Lap[own], own=own, powers=powers))


def _pieces(
    rows: MappedRows, Lap: sp.csr_array | LaplacianRows, edges: sp.csr_array, powers: tuple[int, ...]
) -> Iterator[tuple[np.ndarray, Any]]:
    order = low_bandwidth_order(edges)
    # columns beyond those of the rows stand at the end
    place = np.argsort(np.concatenate([order, np.arange(order.size, edges.shape[1])]))
    for own in neighbourhoods(edges, order, rows.block_rows):
        hood = hood_of(edges, own)
        hood = hood[np.argsort(place[hood])]
        yield hood, (sp.csr_array(Lap[own][:, hood]), np.searchsorted(place[hood], place[own]), powers)


def _of_hood(Phi: Array, Lap: sp.csr_array, own: np.ndarray, powers: tuple[int, ...]) -> Sums:
    """The smoothness of the rows ``own`` of a neighbourhood, from Lap between them and the neighbourhood."""
    parts = in_cache(Phi, Lap.shape[0])
    return reduce(operator.add, (_of_few(Phi, Lap[part], own[part], powers) for part in parts))


def _of_few(Phi: Array, Lap: sp.csr_array, own: np.ndarray, powers: tuple[int, ...]) -> Sums:
    return smoothness_sums(sparse_times_dense(Lap, Phi), powers, take_rows(Phi, own) if 1 in powers else None)


def neighbourhoods(edges: sp.csr_array, order: np.ndarray, limit: int) -> Iterator[np.ndarray]:
    """Rows in an order, in pieces each of at most ``limit`` rows together with the neighbours of its own (or a row).

    Where neighbours stand close to each other in the order, most of a piece's neighbours are its own rows. Edges may
    lead to columns beyond those of the rows.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> chain = sp.csr_array(np.eye(6, k=1) + np.eye(6, k=-1))[[0, 2, 4, 1, 3, 5]][:, [0, 2, 4, 1, 3, 5]]
    >>> [len(hood_of(chain, own)) for own in neighbourhoods(chain, low_bandwidth_order(chain), limit=4)]
    [3, 4, 3]
    """
    start, size = 0, limit
    while start < order.size:
        own = order[start : start + size]
        if own.size > 1 and hood_of(edges, own).size > limit:
            size = own.size // 2
            continue
        yield own
        start, size = start + own.size, 2 * own.size


def hood_of(edges: sp.csr_array, own: np.ndarray) -> np.ndarray:
    """Rows together with their neighbours, ascending."""
    there = np.zeros(edges.shape[1], dtype=bool)
    there[edges[own].indices] = there[own] = True
    return np.flatnonzero(there)
