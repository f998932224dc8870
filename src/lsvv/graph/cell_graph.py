"""The graph of rows on a cluster, left there: cells tell each other of their edges, and what comes back are sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsvv.cluster import added, computed, delayed, persisted
from lsvv.features.rows import MappedRows
from lsvv.graph.edges import symmetrize
from lsvv.graph.manifold import LaplacianRows
from lsvv.graph.spread import CellEdges, SpreadRows
from lsvv.linalg import Array
from lsvv.sums import Sums

Links = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The numbers of the rows where edges start, the cells that own them, and the numbers of the rows where they end."""
Neighbors = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The numbers of rows, their degrees, and the rows."""


@dataclass(frozen=True, eq=False)
class CellGraph:
    """A neighbour graph with all weights 1 that nobody holds: its cells are searched when sums over it are asked for.

    Other weights need the reach of both ends of an edge, or the median of all its lengths: for these S comes to one
    place.

    Parameters
    ----------
    spread : SpreadRows
        The rows and their cells.
    n_neighbors : int
        Edges from each row.
    search : callable
        Makes the index of a cell from its rows.
    symmetry : "union" or "mutual"
        Keep an edge that either end asked for, or only one that both did.

    Examples
    --------
    >>> import dask.array as da
    >>> from lsvv import LSVVClassifier
    >>> from lsvv.cluster import check_cluster
    >>> from lsvv.features import Linear
    >>> from lsvv.graph import KNNGraph, manifold_matrix
    >>> X = np.array([[0.0, 1.0], [1.0, 1.0]])
    >>> rows = check_cluster(LSVVClassifier(), da.from_array(X, chunks=(1, 2)))
    >>> graph = KNNGraph().spread(rows, n_neighbors=1)
    >>> manifold_matrix(MappedRows(rows, Linear().fit(X).transform), graph.laplacian())
    array([[1., 0.],
           [0., 0.]])
    """

    spread: SpreadRows
    n_neighbors: int
    search: Callable[..., Any]
    symmetry: str = "union"

    @property
    def recall(self) -> float:
        """The share of true neighbours that a sample of the rows has found."""
        return self.spread.recall

    def laplacian(self, kind: str = "normalized") -> CellLaplacian:
        """Its Laplacian, which stays with the cells too."""
        return CellLaplacian(self, kind)


@dataclass(frozen=True, eq=False)
class CellLaplacian:
    """The Laplacian of a :class:`CellGraph`.

    Each cell works Lap Phi of its own rows. What it lacks comes from the cells that it shares edges with: first the
    edges that start there and end here, then the rows at the other ends of its edges, with their degrees. To the
    process that asks come the numbers of rows of the cells, which of them share edges, and the sums.
    """

    graph: CellGraph
    kind: str

    def smoothness(self, rows: MappedRows, powers: tuple[int, ...]) -> Sums:
        """Phi' Lap^power Phi for each power."""
        cells, sharing = self._cells()
        mean = sum(computed([delayed(_n_edges)(cell) for cell in cells.values()])) / rows.shape[0]
        how = (delayed(rows.transform), rows.block_bytes, self.kind, mean, powers)
        beside = {
            number: [delayed(_rows_beside)(cells[other], number) for other in others]
            for number, others in sharing.items()
        }
        return computed(added([delayed(_smoothness)(cell, beside[number], *how) for number, cell in cells.items()]))

    def _cells(self) -> tuple[dict[int, Any], dict[int, list[int]]]:
        """The cells that own rows, with their rows of S, and for each of them those that it shares edges with."""
        graph = self.graph
        found = persisted(graph.spread.edges(graph.n_neighbors, graph.search, lengths=False))
        told = computed([delayed(_reached)(cell) for cell in found])
        reached = {number: others for number, (n_rows, others) in enumerate(told) if n_rows}
        reaching: dict[int, list[int]] = {number: [] for number in reached}
        for number, others in reached.items():
            for other in others:
                reaching[other].append(number)
        links = {
            number: [delayed(_links)(found[other], number) for other in others] for number, others in reaching.items()
        }
        cells = persisted([delayed(_with_links)(found[number], links[number], graph.symmetry) for number in reached])
        sharing = {number: sorted({*reached[number], *reaching[number]}) for number in reached}
        return dict(zip(reached, cells, strict=True)), sharing


def _reached(cell: CellEdges) -> tuple[int, list[int]]:
    """The number of its own rows, and the cells at the other ends of its edges."""
    n = len(cell.rows)
    return n, np.unique(cell.owners[n:]).tolist()


def _links(cell: CellEdges, other: int) -> Links:
    """The edges of a cell that end in another one."""
    theirs = np.flatnonzero(cell.owners == other)
    edges = sp.coo_array(cell.edges[:, theirs])
    return cell.numbers[edges.row], cell.owners[edges.row], cell.numbers[theirs[edges.col]]


def _with_links(cell: CellEdges, links: list[Links], symmetry: str) -> CellEdges:
    """The own rows with their rows of S, from their edges and those of other cells that end at them."""
    n = len(cell.rows)
    nothing = (cell.numbers[:0], cell.owners[:0], cell.numbers[:0])
    starts, owners, ends = (np.concatenate(parts) for parts in zip(nothing, *links, strict=True))
    beyond = np.concatenate([cell.numbers[n:], starts])
    others, first = np.unique(beyond, return_index=True)
    numbers = np.concatenate([cell.numbers[:n], others])
    owners = np.concatenate([cell.owners[:n], np.concatenate([cell.owners[n:], owners])[first]])

    edges = sp.coo_array(cell.edges)
    there = np.concatenate([np.arange(n), n + np.searchsorted(others, beyond)])
    row = np.concatenate([edges.row, there[cell.numbers.size :]])
    column = np.concatenate([there[edges.col], np.searchsorted(cell.numbers[:n], ends)])
    directed = sp.csr_array((np.ones(row.size, dtype=np.bool_), (row, column)), shape=(numbers.size, numbers.size))
    S = symmetrize(directed, symmetry)[:n]

    # of mutual neighbours some ends may be none
    used = np.unique(S.indices)
    hood = np.concatenate([np.arange(n), used[used >= n]])
    return CellEdges(numbers[hood], owners[hood], cell.rows, sp.csr_array(S[:, hood]))


def _n_edges(cell: CellEdges) -> int:
    return int(cell.edges.nnz)


def _rows_beside(cell: CellEdges, other: int) -> Neighbors:
    """The own rows that share an edge with another cell's."""
    shared = cell.edges[:, np.flatnonzero(cell.owners == other)]
    mine = np.flatnonzero(np.diff(shared.indptr))
    return cell.numbers[mine], np.diff(cell.edges.indptr)[mine], cell.rows[mine]


def _smoothness(
    cell: CellEdges,
    beside: list[Neighbors],
    transform: Callable[[Array], Array],
    block_bytes: int,
    kind: str,
    mean: float,
    powers: tuple[int, ...],
) -> Sums:
    """Phi' Lap^power Phi over the own rows of a cell, whose other neighbours come from the cells that own them."""
    n = len(cell.rows)
    own = (cell.numbers[:n], np.diff(cell.edges.indptr), cell.rows)
    numbers, degree, rows = (np.concatenate(parts) for parts in zip(own, *beside, strict=True))
    order = np.concatenate([np.arange(n), n + np.argsort(numbers[n:])])
    Lap = LaplacianRows(cell.edges, kind, degree[order], mean)
    return Lap.smoothness(MappedRows(rows[order], transform, block_bytes=block_bytes), powers)
