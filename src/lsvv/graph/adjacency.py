"""The adjacency S of the training rows: which rows are neighbours, and how near."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform

from lsvv.graph.nearest import RECALL, NeighborIndex, NeighborSearch
from lsvv.inputs import quoted
from lsvv.linalg import Array, dense, to_numpy

TINIEST = 5e-324
"""The least positive number: it stands for a distance of 0 where 0 means no edge."""


@dataclass(frozen=True)
class KNNGraph:
    """How to build the adjacency S from rows (Section 6.1.1 of the paper).

    Parameters
    ----------
    symmetry : "union" or "mutual"
        Keep an edge that either end asked for, or only one that both did.
    weights : "binary", "heat" or "self-tuned"
        S_ij = 1, exp(-||x_i - x_j||^2 / heat_width^2), or exp(-||x_i - x_j||^2 / (r_i r_j)) with r_i the distance from
        row i to the last of its neighbours.
    heat_width : float, optional
        Width of the heat kernel; the median length of an edge by default. It is not the feature map's width.
    search : "auto", "exact", "faiss" or an object with ``kneighbors_graph``
        "auto" is exact through scikit-learn, and faiss where it is installed and the rows are many.
    recall : float
        The share of true neighbours at which an approximate search stops, measured on a sample of the rows; the
        fitted graph says what was reached.
    on : "inputs" or "features"
        Distances between the rows given to ``fit`` or between the mapped rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv import LSVVClassifier
    >>> from lsvv.graph import KNNGraph
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> KNNGraph().build(X, n_neighbors=1).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    >>> KNNGraph(symmetry="mutual").build(X, n_neighbors=1).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])

    An estimator builds it of its own rows:

    >>> model = LSVVClassifier(graph=KNNGraph(weights="heat"), n_neighbors=15)
    """

    symmetry: str = "union"
    weights: str = "binary"
    heat_width: float | None = None
    search: Any = "auto"
    on: str = "inputs"
    recall: float = RECALL

    def __post_init__(self) -> None:
        check_choice("symmetry", self.symmetry, ("union", "mutual"))
        check_choice("weights", self.weights, ("binary", "heat", "self-tuned"))
        check_choice("on", self.on, ("inputs", "features"))
        if not isinstance(self.search, NeighborSearch):
            check_choice("search", self.search, ("auto", "exact", "faiss"))
        if self.heat_width is not None and not self.heat_width > 0:
            raise ValueError(f"heat_width={self.heat_width} is not a width. Pass a positive number or None.")
        if not 0 < self.recall <= 1:
            raise ValueError(f"recall={self.recall} is no share. Pass a number above 0 and at most 1, such as 0.99.")

    def build(self, X: Array, n_neighbors: int, n_jobs: int | None = None) -> sp.csr_array:
        """The symmetric adjacency S of the rows ``X``."""
        return self.fit(X, n_neighbors, n_jobs).S

    def fit(self, X: Array, n_neighbors: int, n_jobs: int | None = None) -> NeighborGraph:
        """The graph of the rows ``X``, and the way for new rows to find their neighbours in it."""
        index = NeighborIndex(X, search=self.search, n_jobs=n_jobs, target=self.recall)
        directed = index.among(n_neighbors, lengths=self.weights != "binary")
        if self.weights == "binary":
            S = symmetrize(directed, self.symmetry)
            return NeighborGraph(_with_data(S, np.ones(S.nnz)), index, n_neighbors, self)
        distances, reach = symmetrize(directed, self.symmetry), _reach(directed)
        if self.weights == "heat":
            scale = _heat_scale(distances, self.heat_width)
            S = heat_weights(distances, scale)
        else:
            S, scale = self_tuned_weights(distances, reach), None
        return NeighborGraph(S, index, n_neighbors, self, reach, scale)


@dataclass(frozen=True, eq=False)
class NeighborGraph:
    """S, the symmetric adjacency of the training rows, and how a new row finds its neighbours among them.

    Pass it as ``graph=`` to build neighbours once for several estimators. A graph given as a matrix has no ``index``:
    new rows then have no place in it.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.graph import KNNGraph
    >>> graph = KNNGraph().fit(np.array([[0.0], [1.0], [3.0]]), n_neighbors=1)
    >>> graph.S.nnz
    4
    >>> graph.links(np.array([[2.5], [0.1]])).toarray()
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """

    S: sp.csr_array
    index: NeighborIndex | None = None
    n_neighbors: int = 0
    rule: KNNGraph | None = None
    reach: np.ndarray | None = None
    heat_width: float | None = None

    @property
    def recall(self) -> float | None:
        """The share of true neighbours that a sample of the rows has found; None where it is not known."""
        return None if self.index is None else self.index.recall

    def brought_here(self) -> NeighborGraph:
        """The same graph, its rows no longer on a cluster."""
        return self if self.index is None else replace(self, index=self.index.brought_here())

    def links(self, X: Array) -> sp.csr_array:
        """Weights from new rows to their nearest training rows, (rows of X, m); each row sums to 1."""
        if self.index is None or self.rule is None:
            raise ValueError(
                "New rows have no neighbours in a graph that was given as a matrix. Pass graph=KNNGraph(...) or "
                "graph=KNNGraph(...).fit(X, n_neighbors), or fit with smoothing=0; transduction_ holds the answers "
                "for the training rows."
            )
        distances = self.index.of(X, self.n_neighbors)
        exponent = self._exponent(distances)
        row = np.repeat(np.arange(distances.shape[0]), np.diff(distances.indptr))
        # measured from the nearest, so that a row far from all training rows still has neighbours
        least = np.full(distances.shape[0], np.inf)
        np.minimum.at(least, row, exponent)
        weight = np.exp(least[row] - exponent)
        total = np.zeros(distances.shape[0])
        np.add.at(total, row, weight)
        return sp.csr_array((weight / total[row], distances.indices, distances.indptr), shape=distances.shape)

    def _exponent(self, distances: sp.csr_array) -> np.ndarray:
        """-log of the weight of each edge from a new row."""
        assert self.rule is not None
        if self.rule.weights == "binary":
            return np.zeros_like(distances.data)
        if self.rule.weights == "heat":
            return np.asarray((distances.data / self.heat_width) ** 2)
        assert self.reach is not None
        row = np.repeat(np.arange(distances.shape[0]), np.diff(distances.indptr))
        return np.asarray((distances.data / _reach(distances)[row]) * (distances.data / self.reach[distances.indices]))


def _reach(directed: sp.csr_array) -> np.ndarray:
    """The distance from each row to the last of its neighbours; among duplicates the least one above 0."""
    reach = np.zeros(directed.shape[0])
    np.maximum.at(reach, np.repeat(np.arange(directed.shape[0]), np.diff(directed.indptr)), directed.data)
    positive = reach[reach > 0]
    return np.where(reach > 0, reach, positive.min() if positive.size else 1.0)


def symmetrize(directed: sp.csr_array, how: str = "union") -> sp.csr_array:
    """Distances on the undirected graph, self-loops dropped: edges of either direction, or of both.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.graph import neighbors, symmetrize
    >>> directed = neighbors(np.array([[0.0], [1.0], [3.0]]), n_neighbors=1)
    >>> symmetrize(directed).toarray()
    array([[0., 1., 0.],
           [1., 0., 2.],
           [0., 2., 0.]])
    >>> symmetrize(directed, "mutual").nnz
    2
    """
    there = sp.csr_array(directed)
    if there.dtype != np.bool_:
        # an entry of 0 would count as none
        there = _with_data(there, np.maximum(there.data.astype(np.float64, copy=False), TINIEST))
    there = _without_loops(there) if there.diagonal().any() else there
    back = sp.csr_array(there.T)
    both = sp.csr_array(there.maximum(back) if how == "union" else there.minimum(back))
    if both.dtype != np.bool_:
        both.data[both.data <= TINIEST] = 0.0
    both.sort_indices()
    return both


def binary_weights(distances: sp.csr_array) -> sp.csr_array:
    """S_ij = 1 on every edge, duplicates (distance 0) included.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.graph import binary_weights, neighbors, symmetrize
    >>> distances = symmetrize(neighbors(np.array([[0.0], [1.0], [3.0]]), n_neighbors=1))
    >>> binary_weights(distances).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    return _with_data(distances.copy(), np.ones(distances.nnz))


def _without_loops(matrix: sp.csr_array) -> sp.csr_array:
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    keep = matrix.indices != row
    return sp.csr_array((matrix.data[keep], (row[keep], matrix.indices[keep])), shape=matrix.shape)


def _with_data(matrix: sp.csr_array, data: np.ndarray) -> sp.csr_array:
    """The same pattern, not copied, with other entries."""
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def heat_weights(distances: sp.csr_array, width: float | None = None) -> sp.csr_array:
    """S_ij = exp(-||x_i - x_j||^2 / width^2); the median edge length stands in for ``width`` where it is None.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.graph import heat_weights, neighbors, symmetrize
    >>> distances = symmetrize(neighbors(np.array([[0.0], [1.0], [3.0]]), n_neighbors=1))
    >>> heat_weights(distances, width=2.0).toarray().round(2)
    array([[0.  , 0.78, 0.  ],
           [0.78, 0.  , 0.37],
           [0.  , 0.37, 0.  ]])
    """
    return _with_data(distances.copy(), np.exp(-((distances.data / _heat_scale(distances, width)) ** 2)))


def full_heat_graph(X: Array, width: float | None = None) -> np.ndarray:
    """S_ij = exp(-||x_i - x_j||^2 / width^2) between all rows, 0 on the diagonal: the paper's heat kernel.

    It has an entry for every pair of rows: 8 m^2 bytes, 0.8 GB for 10,000 rows, and a fit copies it. Pass it as
    ``graph=`` with the rows in the order of ``fit``, smoothing=0 and a manifold term; new rows have no neighbours
    in it. :class:`KNNGraph` with ``weights="heat"`` keeps the edges to near neighbours alone.

    Parameters
    ----------
    X : array of shape (m, d)
        The training rows, labelled or not.
    width : float, optional
        The median distance between two different rows by default.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.graph import full_heat_graph
    >>> full_heat_graph(np.array([[0.0], [1.0], [3.0]]), width=2.0).round(2)
    array([[0.  , 0.78, 0.11],
           [0.78, 0.  , 0.37],
           [0.11, 0.37, 0.  ]])
    """
    rows = np.asarray(to_numpy(dense(X)), dtype=np.float64)
    squares = pdist(rows, "sqeuclidean")
    if width is None:
        positive = squares[squares > 0.0]
        width = float(np.median(np.sqrt(positive))) if positive.size else 1.0
    return np.asarray(squareform(np.exp(-squares / width**2)))


def _heat_scale(distances: sp.csr_array, width: float | None) -> float:
    positive = distances.data[distances.data > 0]
    return width if width is not None else (float(np.median(positive)) if positive.size else 1.0)


def self_tuned_weights(distances: sp.csr_array, reach: np.ndarray) -> sp.csr_array:
    """S_ij = exp(-||x_i - x_j||^2 / (reach_i reach_j)): the width follows the density of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.graph import neighbors, self_tuned_weights, symmetrize
    >>> distances = symmetrize(neighbors(np.array([[0.0], [1.0], [3.0]]), n_neighbors=1))
    >>> self_tuned_weights(distances, reach=np.array([1.0, 1.0, 2.0])).toarray().round(2)
    array([[0.  , 0.37, 0.  ],
           [0.37, 0.  , 0.14],
           [0.  , 0.14, 0.  ]])
    """
    row = np.repeat(np.arange(distances.shape[0]), np.diff(distances.indptr))
    # the product of two tiny reaches would be 0
    exponent = (distances.data / reach[row]) * (distances.data / reach[distances.indices])
    return _with_data(distances.copy(), np.exp(-exponent))


def check_adjacency(graph: Any, n_rows: int) -> sp.csr_array:
    """A ready graph as CSR, refused where it is not square, symmetric and non-negative.

    Examples
    --------
    >>> from lsvv.graph import check_adjacency
    >>> check_adjacency([[0, 2], [2, 0]], n_rows=2).toarray()
    array([[0., 2.],
           [2., 0.]])
    >>> check_adjacency([[0, 2], [1, 0]], n_rows=2)
    Traceback (most recent call last):
    ValueError: The graph is not symmetric. Symmetrise it first, for instance with (S + S.T) / 2.
    """
    graph = graph if sp.issparse(graph) else np.asarray(graph)
    if graph.ndim != 2 or graph.dtype.kind not in "biuf":
        raise ValueError(
            f"The graph is an array of {graph.ndim} dimensions and dtype {graph.dtype}. Pass a square matrix of "
            f"numbers."
        )
    S = sp.csr_array(graph).astype(np.float64)
    if S.shape != (n_rows, n_rows):
        raise ValueError(
            f"The graph is {S.shape[0]} x {S.shape[1]}, but there are {n_rows} training rows, labelled and "
            f"unlabelled together. Pass one node a row, in the order of X and then X_unlabeled."
        )
    if not np.all(np.isfinite(S.data)):
        raise ValueError("The graph holds NaN or infinite weights. Replace or drop those edges.")
    if S.data.size and S.data.min() < 0:
        row = int(np.searchsorted(S.indptr, int(np.argmin(S.data)), side="right") - 1)
        raise ValueError(
            f"The graph holds a negative weight in row {row}. Weights are similarities: pass values of at least 0."
        )
    difference = abs(S - S.T)
    if difference.nnz and difference.max() > 1e-8 * max(1.0, S.data.max()):
        raise ValueError("The graph is not symmetric. Symmetrise it first, for instance with (S + S.T) / 2.")
    S = _without_loops(S) if S.diagonal().any() else S
    S.eliminate_zeros()
    return sp.csr_array(S)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Refuse a value that is none of the choices."""
    if value not in choices:
        listed = " or ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name}={quoted(value)} is not known. Choose {listed}.")
