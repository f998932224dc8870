"""The adjacency S of the training rows: which rows are neighbours, and how near."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsvv.cluster import ClusterRows
from lsvv.graph.cell_graph import CellGraph
from lsvv.graph.edges import heat_scale, heat_weights, reach_of, self_tuned_weights, symmetrize, with_data
from lsvv.graph.manifold import LaplacianRows
from lsvv.graph.nearest import RECALL, NeighborIndex, NeighborSearch
from lsvv.graph.spread import SpreadRows
from lsvv.inputs import check_choice
from lsvv.linalg import Array


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
            return NeighborGraph(with_data(S, np.ones(S.nnz)), index, n_neighbors, self)
        distances, reach = symmetrize(directed, self.symmetry), reach_of(directed)
        if self.weights == "heat":
            scale = heat_scale(distances, self.heat_width)
            S = heat_weights(distances, scale)
        else:
            S, scale = self_tuned_weights(distances, reach), None
        return NeighborGraph(S, index, n_neighbors, self, reach, scale)

    def spread(self, X: ClusterRows, n_neighbors: int) -> CellGraph:
        """The same graph of rows on a cluster, left there: it yields sums alone, and all weights are 1."""
        search = partial(NeighborIndex, search=self.search, target=self.recall)
        return CellGraph(SpreadRows.of(X, n_neighbors, self.recall), n_neighbors, search, self.symmetry)


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

    def laplacian(self, kind: str = "normalized") -> LaplacianRows:
        """The rows of its Laplacian."""
        return LaplacianRows(self.S, kind)

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
        own = distances.data / reach_of(distances)[row]
        return np.asarray(own * (distances.data / self.reach[distances.indices]))


Graph = NeighborGraph | CellGraph
"""A graph that is here, or one that stays on a cluster: both have a Laplacian that yields sums."""
