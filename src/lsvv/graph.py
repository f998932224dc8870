"""From rows to G = Phi' M Phi / m: neighbours, adjacency S, Laplacian, and the manifold matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp

from lsvv.features.rows import MappedRows
from lsvv.linalg import Array, cross_product, sparse_times_dense, symmetric_product, take_rows, to_float64, to_numpy

__all__ = [
    "FAISS_ROWS",
    "KNNGraph",
    "NeighborSearch",
    "binary_weights",
    "check_adjacency",
    "heat_weights",
    "laplacian",
    "manifold_matrices",
    "manifold_matrix",
    "neighbors",
    "symmetrize",
]

FAISS_ROWS = 20_000
"""Rows beyond which approximate neighbours pay, where faiss is installed."""


@runtime_checkable
class NeighborSearch(Protocol):
    """Anything that can make a neighbour graph: scikit-learn's NearestNeighbors or a twin of it.

    Examples
    --------
    >>> from sklearn.neighbors import NearestNeighbors
    >>> from lsvv.graph import KNNGraph, NeighborSearch
    >>> search = NearestNeighbors(n_neighbors=2, metric="cosine")
    >>> isinstance(search, NeighborSearch)
    True
    >>> KNNGraph(search=search).build([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 2.0]], n_neighbors=2).shape
    (4, 4)
    """

    def fit(self, X: Any) -> Any:
        """Index the rows of X."""

    def kneighbors_graph(self, *, mode: str) -> Any:
        """The directed graph of the indexed rows."""


@dataclass(frozen=True)
class KNNGraph:
    """How to build the adjacency S from rows (Section 6.1.1 of the paper).

    Parameters
    ----------
    symmetry : "union" or "mutual"
        Keep an edge that either end asked for, or only one that both did.
    weights : "binary" or "heat"
        S_ij = 1, or exp(-||x_i - x_j||^2 / heat_width^2).
    heat_width : float, optional
        Width of the heat kernel; the median length of an edge by default. It is not the feature map's width.
    search : "auto", "exact", "faiss" or an object with ``kneighbors_graph``
        "auto" is exact through scikit-learn, and faiss where it is installed and the rows are many.
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

    def __post_init__(self) -> None:
        _check_choice("symmetry", self.symmetry, ("union", "mutual"))
        _check_choice("weights", self.weights, ("binary", "heat"))
        _check_choice("on", self.on, ("inputs", "features"))
        if not isinstance(self.search, NeighborSearch):
            _check_choice("search", self.search, ("auto", "exact", "faiss"))
        if self.heat_width is not None and not self.heat_width > 0:
            raise ValueError(f"heat_width={self.heat_width} is not a width. Pass a positive number or None.")

    def build(self, X: Array, n_neighbors: int, n_jobs: int | None = None) -> sp.csr_array:
        """The symmetric adjacency S of the rows ``X``."""
        directed = neighbors(X, n_neighbors, search=self.search, n_jobs=n_jobs)
        S = symmetrize(directed, self.symmetry)
        return binary_weights(S) if self.weights == "binary" else heat_weights(S, self.heat_width)


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
    rows = X if sp.issparse(X) else to_numpy(X)
    if isinstance(search, NeighborSearch):
        return sp.csr_array(search.fit(rows).kneighbors_graph(mode="distance"))
    k = min(n_neighbors, rows.shape[0] - 1)
    if k < 1:
        return sp.csr_array((rows.shape[0], rows.shape[0]))
    if search == "faiss" or (search == "auto" and _faiss_pays(rows)):
        return _faiss_neighbors(rows, k)
    from sklearn.neighbors import NearestNeighbors

    index = NearestNeighbors(n_neighbors=k, n_jobs=n_jobs).fit(rows)
    return sp.csr_array(index.kneighbors_graph(mode="distance"))


def _faiss_pays(rows: Any) -> bool:
    from importlib.util import find_spec

    return not sp.issparse(rows) and rows.shape[0] > FAISS_ROWS and find_spec("faiss") is not None


def _faiss_neighbors(rows: np.ndarray, k: int) -> sp.csr_array:
    """Inverted lists over 4 sqrt(m) cells, 16 of them searched: recall 1.000 on 400,000 rows of 54 columns."""
    try:
        import faiss
    except ImportError as error:
        raise ImportError(
            "search='faiss' needs faiss. Install it with: pip install 'lsvv[ann]', or choose search='exact'."
        ) from error
    if sp.issparse(rows):
        raise ValueError("search='faiss' takes dense rows. Choose search='exact' for sparse X.")
    centred = rows - rows.mean(axis=0)
    # squares of the numbers as they are may leave single precision
    unit = float(np.abs(centred).max()) or 1.0
    points = np.ascontiguousarray(centred / unit, dtype=np.float32)
    m, d = points.shape
    index: Any = faiss.IndexFlatL2(d)
    if m > FAISS_ROWS:
        index = faiss.IndexIVFFlat(index, d, int(4 * np.sqrt(m)))
        index.nprobe, index.cp.seed = 16, 1
        # recall on 400,000 rows of 54 columns is the same with 64 rows a cell as with 160, in less than half the time
        index.cp.min_points_per_centroid, index.cp.max_points_per_centroid = 1, 64
        index.train(points)
    index.add(points)
    squared, found = index.search(points, k + 1)
    source = np.repeat(np.arange(m), k + 1).reshape(m, k + 1)
    # a row is its own neighbour, but among many duplicates it may not be in its own list
    is_self = found == source
    surplus = ~is_self.any(axis=1)
    is_self[surplus, -1] = True
    keep = ~is_self & (found >= 0)
    distances = unit * np.sqrt(np.maximum(squared[keep], 0.0).astype(np.float64))
    return sp.csr_array((distances, (source[keep], found[keep])), shape=(m, m))


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
    edges = sp.coo_array(directed)
    off_diagonal = edges.row != edges.col
    low = np.minimum(edges.row, edges.col)[off_diagonal].astype(np.int64)
    high = np.maximum(edges.row, edges.col)[off_diagonal].astype(np.int64)
    m = directed.shape[0]
    key, first, count = np.unique(low * m + high, return_index=True, return_counts=True)
    kept = np.ones(key.size, dtype=bool) if how == "union" else count == 2
    row, col, data = key[kept] // m, key[kept] % m, edges.data[off_diagonal][first[kept]]
    both = (np.concatenate([data, data]), (np.concatenate([row, col]), np.concatenate([col, row])))
    return sp.csr_array(both, shape=directed.shape)


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
    S = distances.copy()
    S.data = np.ones_like(S.data, dtype=np.float64)
    return S


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
    positive = distances.data[distances.data > 0]
    scale = width if width is not None else (float(np.median(positive)) if positive.size else 1.0)
    S = distances.copy()
    S.data = np.exp(-((distances.data / scale) ** 2))
    return S


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
    S = S - sp.diags_array(S.diagonal(), format="csr") if S.diagonal().any() else S
    S.eliminate_zeros()
    return sp.csr_array(S)


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
    _check_choice("laplacian", kind, ("normalized", "plain"))
    degree = np.asarray(S.sum(axis=1)).ravel()
    if kind == "plain":
        mean = degree.mean()
        return sp.csr_array((sp.diags_array(degree) - S) / (mean if mean > 0 else 1.0))
    root = np.where(degree > 0, 1.0 / np.sqrt(np.where(degree > 0, degree, 1.0)), 0.0)
    scaled = sp.diags_array(root) @ S @ sp.diags_array(root)
    return sp.csr_array(sp.diags_array((degree > 0).astype(np.float64)) - scaled)


def manifold_matrix(rows: MappedRows, Lap: sp.csr_array, power: int = 2) -> Array:
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


def manifold_matrices(rows: MappedRows, Lap: sp.csr_array, powers: Sequence[int]) -> dict[int, Array]:
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
    sums: dict[int, Array] = dict.fromkeys(powers, 0.0)
    for inside, Phi, block in _smoothed_blocks(rows, Lap):
        smoothed = to_float64(block)
        for power in powers:
            product = symmetric_product(smoothed) if power == 2 else cross_product(Phi[inside], smoothed)
            sums[power] = sums[power] + product
    return {power: (G + G.T) / (2.0 * rows.shape[0]) for power, G in sums.items()}


def _smoothed_blocks(rows: MappedRows, Lap: sp.csr_array) -> Iterator[tuple[Any, Array, Array]]:
    """(where the block lies in Phi, Phi of the block's neighbourhood, Lap Phi on the block)."""
    m = rows.shape[0]
    if m <= rows.block_rows:
        for part, Phi in rows.blocks():
            yield part, Phi, sparse_times_dense(Lap, Phi)
        return
    # the neighbourhood of a block has at most as many rows as Lap has entries there
    starts = _cut_by_entries(Lap, rows.block_rows)
    for start, stop in pairwise(starts):
        part = Lap[start:stop]
        hood = np.union1d(part.indices, np.arange(start, stop))
        Phi = rows.transform(take_rows(rows.X, hood))
        inside = np.searchsorted(hood, np.arange(start, stop))
        yield inside, Phi, sparse_times_dense(sp.csr_array(part[:, hood]), Phi)


def _cut_by_entries(Lap: sp.csr_array, limit: int) -> list[int]:
    """Row cuts such that each piece has at most ``limit`` entries (or is a single row)."""
    cuts, m = [0], Lap.shape[0]
    while cuts[-1] < m:
        reach = int(np.searchsorted(Lap.indptr, Lap.indptr[cuts[-1]] + limit, side="right")) - 1
        cuts.append(min(m, max(reach, cuts[-1] + 1)))
    return cuts


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        listed = " or ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name}={value!r} is not known. Choose {listed}.")
