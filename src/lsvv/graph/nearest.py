"""Nearest rows: an index over the training rows, asked for the neighbours of these rows or of new ones."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from lsvv.extras import optional
from lsvv.linalg import Array, canonical_order, to_numpy

__all__ = ["FAISS_ROWS", "NeighborIndex", "NeighborSearch", "neighbors"]

FAISS_ROWS = 20_000
"""Rows beyond which approximate neighbours pay, where faiss is installed."""


@runtime_checkable
class NeighborSearch(Protocol):
    """Anything that can make a neighbour graph: scikit-learn's NearestNeighbors or a twin of it.

    Examples
    --------
    >>> from sklearn.neighbors import NearestNeighbors
    >>> from lsvv.graph import KNNGraph
    >>> search = NearestNeighbors(n_neighbors=2, metric="cosine")
    >>> KNNGraph(search=search).build([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 2.0]], n_neighbors=2).shape
    (4, 4)
    """

    def fit(self, X: Any) -> Any:
        """Index the rows of X."""

    def kneighbors_graph(self, X: Any = None, *, mode: str) -> Any:
        """The directed graph from the rows of X, or from the indexed rows, to the nearest indexed rows."""


class NeighborIndex:
    """The training rows, ready to be searched: exactly through scikit-learn, by inverted lists through faiss.

    The index is built when it is first asked and is not part of a pickle: the rows are.

    Parameters
    ----------
    rows : array, tensor or sparse matrix of shape (m, d)
    search : "auto", "exact", "faiss" or an object with ``kneighbors_graph``
    n_jobs : int or None
        Processes for the exact search.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.graph import NeighborIndex
    >>> index = NeighborIndex(np.array([[0.0], [1.0], [3.0]]))
    >>> index.among(1).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 2., 0.]])
    >>> index.of(np.array([[2.5]]), 1).toarray()
    array([[0. , 0. , 0.5]])
    """

    def __init__(self, rows: Array, *, search: Any = "auto", n_jobs: int | None = None) -> None:
        self.rows = rows if sp.issparse(rows) else to_numpy(rows)
        self.search = search
        self.n_jobs = n_jobs
        self._built: Any = None
        self._places: np.ndarray | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_built": None, "_places": None}

    def among(self, n_neighbors: int) -> sp.csr_array:
        """Distances from each row to its nearest other rows; explicit zeros are duplicates.

        Fewer rows than ``n_neighbors + 1`` give the complete graph.
        """
        order = self._order
        found = self._among(n_neighbors)[np.argsort(order)]
        return _with_columns(found, order)

    def _among(self, n_neighbors: int) -> sp.csr_array:
        m = self.rows.shape[0]
        k = min(n_neighbors, m - 1)
        if isinstance(self.search, NeighborSearch):
            return sp.csr_array(self._index.kneighbors_graph(mode="distance"))
        if k < 1:
            return sp.csr_array((m, m))
        if self._uses_faiss:
            distances, found = self._index.nearest(self.rows[self._order], k + 1)
            return _without_self(distances, found, m)
        return sp.csr_array(self._index.kneighbors_graph(n_neighbors=k, mode="distance"))

    def of(self, X: Array, n_neighbors: int) -> sp.csr_array:
        """Distances from each row of ``X`` to the nearest training rows, of shape (rows of X, m)."""
        return _with_columns(self._of(X if sp.issparse(X) else to_numpy(X), n_neighbors), self._order)

    def _of(self, new: Any, n_neighbors: int) -> sp.csr_array:
        if isinstance(self.search, NeighborSearch):
            return sp.csr_array(self._index.kneighbors_graph(new, mode="distance"))
        m = self.rows.shape[0]
        k = min(n_neighbors, m)
        if not self._uses_faiss:
            return sp.csr_array(self._index.kneighbors_graph(new, n_neighbors=k, mode="distance"))
        distances, found = self._index.nearest(new, k)
        there = found >= 0
        source = np.repeat(np.arange(len(found)), k).reshape(found.shape)
        return sp.csr_array((distances[there], (source[there], found[there])), shape=(len(found), m))

    @property
    def _uses_faiss(self) -> bool:
        return isinstance(self.search, str) and (
            self.search == "faiss" or (self.search == "auto" and _faiss_pays(self.rows))
        )

    @property
    def _index(self) -> Any:
        """The search, over rows in the order of their content: of equally near ones it takes the first."""
        if self._built is None:
            self._built = self._build(self.rows[self._order])
        return self._built

    @property
    def _order(self) -> np.ndarray:
        if self._places is None:
            self._places = canonical_order(self.rows)
        return self._places

    def _build(self, rows: Any) -> Any:
        if isinstance(self.search, NeighborSearch):
            # a copy: the caller's object may be fitted to other rows later
            return clone(self.search, safe=False).fit(rows)
        if self._uses_faiss:
            return _Faiss(rows)
        from sklearn.neighbors import NearestNeighbors

        return NearestNeighbors(n_jobs=self.n_jobs).fit(rows)


def neighbors(X: Array, n_neighbors: int, *, search: Any = "auto", n_jobs: int | None = None) -> sp.csr_array:
    """Directed graph of distances from each row to its nearest other rows; explicit zeros are duplicates.

    Fewer rows than ``n_neighbors + 1`` give the complete graph.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.graph import neighbors
    >>> neighbors(np.array([[0.0], [1.0], [3.0]]), n_neighbors=1).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 2., 0.]])
    """
    return NeighborIndex(X, search=search, n_jobs=n_jobs).among(n_neighbors)


def _faiss_pays(rows: Any) -> bool:
    from importlib.util import find_spec

    return not sp.issparse(rows) and rows.shape[0] > FAISS_ROWS and find_spec("faiss") is not None


class _Faiss:
    """Inverted lists over 4 sqrt(m) cells, 16 of them searched: recall 1.000 on 400,000 rows of 54 columns."""

    def __init__(self, rows: np.ndarray) -> None:
        faiss = optional("faiss", "search='faiss'", "ann")
        if sp.issparse(rows):
            raise ValueError("search='faiss' takes dense rows. Choose search='exact' for sparse X.")
        self.centre = rows.mean(axis=0)
        # squares of the numbers as they are may leave single precision
        self.unit = float(np.abs(rows - self.centre).max()) or 1.0
        points = self._scaled(rows)
        m, d = points.shape
        self.index: Any = faiss.IndexFlatL2(d)
        if m > FAISS_ROWS:
            self.index = faiss.IndexIVFFlat(self.index, d, int(4 * np.sqrt(m)))
            self.index.nprobe, self.index.cp.seed = 16, 1
            # recall on 400,000 rows of 54 columns is the same with 64 rows a cell as with 160, in less than half the
            # time
            self.index.cp.min_points_per_centroid, self.index.cp.max_points_per_centroid = 1, 64
            self.index.train(points)
        self.index.add(points)

    def nearest(self, rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and numbers of the k nearest rows, (rows, k); -1 where there are fewer."""
        squared, found = self.index.search(self._scaled(rows), k)
        return self.unit * np.sqrt(np.maximum(squared, 0.0).astype(np.float64)), found

    def _scaled(self, rows: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray((rows - self.centre) / self.unit, dtype=np.float32)


def _with_columns(found: sp.csr_array, order: np.ndarray) -> sp.csr_array:
    """Links to rows by their own numbers, from links to their places in an order."""
    return sp.csr_array((found.data, order[found.indices], found.indptr), shape=found.shape)


def _without_self(distances: np.ndarray, found: np.ndarray, m: int) -> sp.csr_array:
    """The lists of the training rows themselves, each without its own row."""
    source = np.repeat(np.arange(m), found.shape[1]).reshape(found.shape)
    # a row is its own neighbour, but among many duplicates it may not be in its own list
    is_self = found == source
    is_self[~is_self.any(axis=1), -1] = True
    keep = ~is_self & (found >= 0)
    return sp.csr_array((distances[keep], (source[keep], found[keep])), shape=(m, m))
