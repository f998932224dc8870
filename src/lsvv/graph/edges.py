"""Edges: from the distances between rows to the symmetric adjacency S."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform

from lsvv.linalg import Array, dense, to_numpy

TINIEST = 5e-324
"""The least positive number: it stands for a distance of 0 where 0 means no edge."""


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
        there = with_data(there, np.maximum(there.data.astype(np.float64, copy=False), TINIEST))
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
    return with_data(distances.copy(), np.ones(distances.nnz))


def _without_loops(matrix: sp.csr_array) -> sp.csr_array:
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    keep = matrix.indices != row
    return sp.csr_array((matrix.data[keep], (row[keep], matrix.indices[keep])), shape=matrix.shape)


def with_data(matrix: sp.csr_array, data: np.ndarray) -> sp.csr_array:
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
    return with_data(distances.copy(), np.exp(-((distances.data / heat_scale(distances, width)) ** 2)))


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


def heat_scale(distances: sp.csr_array, width: float | None) -> float:
    """The width of the heat kernel: the median length of an edge where it is left open."""
    positive = distances.data[distances.data > 0]
    return width if width is not None else (float(np.median(positive)) if positive.size else 1.0)


def reach_of(directed: sp.csr_array) -> np.ndarray:
    """The distance from each row to the last of its neighbours; among duplicates the least one above 0."""
    reach = np.zeros(directed.shape[0])
    np.maximum.at(reach, np.repeat(np.arange(directed.shape[0]), np.diff(directed.indptr)), directed.data)
    positive = reach[reach > 0]
    return np.where(reach > 0, reach, positive.min() if positive.size else 1.0)


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
    return with_data(distances.copy(), np.exp(-exponent))


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
