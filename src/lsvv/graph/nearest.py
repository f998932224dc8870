"""Nearest rows: an index over the training rows, asked for the neighbours of these rows or of new ones."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp
from array_api_compat import is_torch_array
from sklearn.base import clone

from lsvv.cluster import ClusterRows
from lsvv.extras import optional
from lsvv.graph import inverted
from lsvv.graph.blocked import Blocked
from lsvv.graph.coarse_cells import CellSearch
from lsvv.graph.inverted import FAISS_ROWS, InvertedLists
from lsvv.graph.spread import neighbors_on_cluster
from lsvv.linalg import Array, canonical_order, dense, like, take_rows, to_numpy
from lsvv.stored import StoredRows, return_freed_memory

__all__ = ["FAISS_ROWS", "NeighborIndex", "NeighborSearch", "neighbors"]

RECALL = 0.99
"""The share of true neighbours that an approximate search is to find."""
DEVICE_ROWS = 1_000_000
"""Rows up to which tensors are compared with each other one and all."""


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

    Tensors on a GPU stay there: they are searched exactly, and beyond ``DEVICE_ROWS`` rows in coarse cells. The index
    is built when it is first asked and is not part of a pickle: the rows are.

    Parameters
    ----------
    rows : array, tensor, sparse matrix or StoredRows of shape (m, d)
    search : "auto", "exact", "faiss" or an object with ``kneighbors_graph``
    n_jobs : int or None
        Processes for the exact search.
    target : float
        The recall at which an approximate search may stop.

    Attributes
    ----------
    recall : float or None
        The share of true neighbours found, measured on a sample of the rows; 1 for an exact search, None for a search
        of one's own.

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

    def __init__(self, rows: Array, *, search: Any = "auto", n_jobs: int | None = None, target: float = RECALL) -> None:
        self.search = search
        self.n_jobs = n_jobs
        self.rows = self._as_rows(rows)
        self.target = target
        self.recall: float | None = None if isinstance(search, NeighborSearch) else 1.0
        self._built: Any = None
        self._places: np.ndarray | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_built": None, "_places": None}

    def among(self, n_neighbors: int, *, lengths: bool = True) -> sp.csr_array:
        """Distances from each row to its nearest other rows; explicit zeros are duplicates.

        Without ``lengths`` True stands for each distance. Fewer rows than ``n_neighbors + 1`` give the complete graph.
        """
        found = self._found_among(n_neighbors, lengths)
        data = found.data.astype(np.float64, copy=False) if lengths else np.ones(found.nnz, dtype=np.bool_)
        return sp.csr_array((data, found.indices, found.indptr), shape=found.shape)

    def _found_among(self, n_neighbors: int, lengths: bool) -> sp.csr_array:
        if isinstance(self.rows, ClusterRows):
            search = partial(NeighborIndex, search=self.search, target=self.target)
            found, self.recall = neighbors_on_cluster(self.rows, n_neighbors, self.target, search, lengths=lengths)
            return found
        found = self._among(n_neighbors, lengths)
        if isinstance(self.rows, StoredRows):
            # as large as the rows, which are not to be in memory; it is built anew for new rows
            self._built = None
            return_freed_memory()
            return found
        order = self._order
        return _with_columns(found[np.argsort(order)], order)

    def _among(self, n_neighbors: int, lengths: bool) -> sp.csr_array:
        m = self.rows.shape[0]
        k = min(n_neighbors, m - 1)
        if isinstance(self.search, NeighborSearch):
            return sp.csr_array(self._index.kneighbors_graph(mode="distance"))
        if k < 1:
            return sp.csr_array((m, m))
        if self._finds_itself:
            rows = self._in_order
            # cells are searched one by one, for all rows that lie in them
            at_once = m if is_torch_array(rows) else inverted.BLOCK
            parts = inverted.parts_of(m, at_once)
            found = (_without_self(*self._nearest(rows[part], k + 1), part.start, m) for part in parts)
            return _joined(found, m, k, np.float64 if lengths else np.bool_)
        return sp.csr_array(self._index.kneighbors_graph(n_neighbors=k, mode="distance"))

    def brought_here(self) -> NeighborIndex:
        """The same index, its rows no longer on a cluster."""
        if not isinstance(self.rows, ClusterRows):
            return self
        index = NeighborIndex(self.rows.brought_here(), search=self.search, n_jobs=self.n_jobs, target=self.target)
        index.recall = self.recall
        return index

    def of(self, X: Array, n_neighbors: int) -> sp.csr_array:
        """Distances from each row of ``X`` to the nearest training rows, of shape (rows of X, m)."""
        return _with_columns(self._of(self._as_those_here(X), n_neighbors), self._order)

    def _of(self, new: Any, n_neighbors: int) -> sp.csr_array:
        if isinstance(self.search, NeighborSearch):
            return sp.csr_array(self._index.kneighbors_graph(new, mode="distance"))
        m = self.rows.shape[0]
        k = min(n_neighbors, m)
        if not self._finds_itself:
            return sp.csr_array(self._index.kneighbors_graph(new, n_neighbors=k, mode="distance"))
        distances, found = self._nearest(new, k)
        there = found >= 0
        source = np.repeat(np.arange(len(found)), k).reshape(found.shape)
        return sp.csr_array((distances[there], (source[there], found[there])), shape=(len(found), m))

    def _nearest(self, rows: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        found = self._index.nearest(like(rows, self.rows) if is_torch_array(self.rows) else rows, k)
        self.recall = self._index.recall
        return found

    def _as_rows(self, rows: Any) -> Any:
        """Tensors stay tensors where they are searched by blocks; on the processor others search them faster."""
        if isinstance(rows, StoredRows):
            return self._as_stored(rows)
        by_blocks = is_torch_array(rows) and self.search in ("auto", "exact")
        if by_blocks and (rows.device.type != "cpu" or self.search == "exact" or not _faiss_pays(rows)):
            return rows
        return rows if sp.issparse(rows) else to_numpy(rows)

    def _as_those_here(self, rows: Any) -> Any:
        """Sparse new rows are dense where the training rows are, since trees of neighbours take no others."""
        return self._as_rows(dense(rows) if sp.issparse(rows) and not sp.issparse(self.rows) else rows)

    def _as_stored(self, rows: StoredRows) -> Any:
        """Rows that are not in memory stay where they are, or are read where they are few."""
        if rows.is_remote:
            return rows
        if rows.shape[0] <= inverted.FAISS_ROWS or isinstance(self.search, NeighborSearch) or self.search == "exact":
            return rows[:]
        optional("faiss", "The graph of rows that are not in memory", "ann")
        return rows

    @property
    def _uses_faiss(self) -> bool:
        return isinstance(self.search, str) and (
            self.search == "faiss" or (self.search == "auto" and _faiss_pays(self.rows))
        )

    @property
    def _finds_itself(self) -> bool:
        """Whether a row that is asked for its neighbours is among them."""
        return self._uses_faiss or is_torch_array(self.rows)

    @property
    def _index(self) -> Any:
        """The search, over rows in the order of their content: of equally near ones it takes the first."""
        if self._built is None:
            self._built = self._build(self._in_order)
        return self._built

    @property
    def _in_order(self) -> Any:
        return self.rows if isinstance(self.rows, StoredRows) else take_rows(self.rows, self._order)

    @property
    def _order(self) -> np.ndarray:
        if self._places is None:
            stored = isinstance(self.rows, StoredRows)
            self._places = np.arange(self.rows.shape[0]) if stored else canonical_order(self.rows)
        return self._places

    def _build(self, rows: Any) -> Any:
        if isinstance(self.search, NeighborSearch):
            # a copy: the caller's object may be fitted to other rows later
            return clone(self.search, safe=False).fit(rows)
        if is_torch_array(rows):
            lists = self.search == "auto" and rows.shape[0] > DEVICE_ROWS
            return CellSearch(rows, self.target) if lists else Blocked(rows)
        if self._uses_faiss:
            return InvertedLists(rows, self.target)
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

    return not sp.issparse(rows) and rows.shape[0] > inverted.FAISS_ROWS and find_spec("faiss") is not None


def _with_columns(found: sp.csr_array, order: np.ndarray) -> sp.csr_array:
    """Links to rows by their own numbers, from links to their places in an order."""
    return sp.csr_array((found.data, order[found.indices], found.indptr), shape=found.shape)


def _joined(parts: Iterable[sp.csr_array], m: int, k: int, kind: type) -> sp.csr_array:
    """Lists of at most k of m rows below each other, each part put into its place as soon as it is found."""
    data: np.ndarray = np.ones(m * k, dtype=kind)
    places, ends = np.empty(m * k, dtype=_index_type(m)), [np.zeros(1, dtype=int)]
    for part in parts:
        here = slice(int(ends[-1][-1]), int(ends[-1][-1]) + part.nnz)
        places[here] = part.indices
        if kind is not np.bool_:
            data[here] = part.data
        ends.append(here.start + part.indptr[1:].astype(int))
    indptr = np.concatenate(ends)
    return sp.csr_array((data[: indptr[-1]], places[: indptr[-1]], indptr), shape=(m, m))


def _index_type(m: int) -> type[np.signedinteger[Any]]:
    return np.int32 if m < 2**31 else np.int64


def _without_self(distances: np.ndarray, found: np.ndarray, start: int, m: int) -> sp.csr_array:
    """The lists of training rows themselves, from the row ``start`` on, each without its own row."""
    is_self = found == np.arange(start, start + len(found))[:, None]
    # a row is its own neighbour, but among many duplicates it may not be in its own list
    is_self[~is_self.any(axis=1), -1] = True
    keep = ~is_self & (found >= 0)
    ends = np.concatenate([[0], np.cumsum(keep.sum(axis=1))])
    places = found[keep].astype(_index_type(m))
    lists = sp.csr_array((distances[keep], places, ends), shape=(len(found), m))
    lists.sort_indices()
    return lists
