"""The neighbours of rows on a cluster: each coarse cell, with the rows near its border, is searched by one worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsvv.cluster import ClusterRows, computed, delayed
from lsvv.graph.blocked import Blocked
from lsvv.graph.coarse_cells import JUDGED, MOST_CELLS_A_ROW, TRAINED, Cells, cells_a_row
from lsvv.graph.edges import with_data
from lsvv.linalg import smallest

Kept = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The numbers of rows that a cell keeps, the rows, and the cells that own them."""
ROWS_A_CELL = 250_000
"""Rows of a coarse cell; its border makes them more."""


@dataclass(frozen=True, eq=False)
class CellEdges:
    """The own rows of a cell and the edges from them, to each other and to rows that other cells own.

    Parameters
    ----------
    numbers : array of shape (h,)
        The numbers of the own rows, and after them those of the others; each ascending.
    owners : array of shape (h,)
        The cells that own these.
    rows : array of shape (n, d)
        The own rows.
    edges : CSR matrix of shape (n, h)
    """

    numbers: np.ndarray
    owners: np.ndarray
    rows: np.ndarray
    edges: sp.csr_array


@dataclass(frozen=True, eq=False)
class SpreadRows:
    """Rows on a cluster and the coarse cells that they go to: each to its nearest, and to some more near its border.

    ``recall`` is the share of true neighbours that a sample of the rows finds in its own cells.
    """

    rows: ClusterRows
    cells: Cells
    cells_a_row: int
    recall: float

    @classmethod
    def of(cls, rows: ClusterRows, k: int, target: float) -> SpreadRows:
        """As many cells a row as a sample of the rows needs to find the target share of its k neighbours."""
        m = rows.shape[0]
        n_cells = max(1, -(-m // ROWS_A_CELL))
        drawn = np.random.default_rng(1).choice(m, min(m, max(TRAINED * n_cells, JUDGED)), replace=False)
        cells = Cells.of(rows[np.sort(drawn)], n_cells, seed=1)
        return cls(rows, cells, *_cells_a_row(rows, cells, np.sort(drawn[:JUDGED]), k, target))

    def edges(self, k: int, search: Callable[..., Any], *, lengths: bool) -> list[Any]:
        """The :class:`CellEdges` to the k nearest, one a cell, not yet computed; without ``lengths`` all are True."""
        n_cells = self.cells.centres.shape[0]
        parts = self.rows.map(_in_cells, delayed(self.cells), self.cells_a_row)
        return [
            delayed(_searched)(pieces, cell, k, search, lengths)
            for cell, pieces in enumerate(_gathered(parts, n_cells))
        ]


def neighbors_on_cluster(
    rows: ClusterRows, k: int, target: float, search: Callable[..., Any], *, lengths: bool
) -> tuple[sp.csr_array, float]:
    """Distances from each row to its nearest others, and the share of true neighbours that a sample has found.

    ``search`` makes the index of a cell from its rows: ``search(rows)`` has ``among`` and ``of``.
    """
    spread = SpreadRows.of(rows, k, target)
    found = computed([delayed(_by_numbers)(one) for one in spread.edges(k, search, lengths=lengths)])
    source, ends, data = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return sp.csr_array((data, (source, ends)), shape=(rows.shape[0],) * 2), spread.recall


def _cells_a_row(rows: ClusterRows, cells: Cells, judges: np.ndarray, k: int, target: float) -> tuple[int, float]:
    """In how many cells each row is kept, and the recall that a sample of rows has with as many."""
    if cells.centres.shape[0] == 1:
        return 1, 1.0
    asked = rows[judges]
    parts = computed(rows.map(_nearest_in_part, asked, judges, k, delayed(cells)))
    distances, ranked = (np.concatenate(some, axis=1) for some in zip(*parts, strict=True))
    _, order = smallest(distances, min(k, distances.shape[1]))
    near = np.take_along_axis(ranked, order[:, :, None], axis=1)
    return cells_a_row(cells.nearest(asked, 1)[:, 0], near, target)


def _nearest_in_part(
    part: np.ndarray, start: int, asked: np.ndarray, judges: np.ndarray, k: int, cells: Cells
) -> tuple[np.ndarray, np.ndarray]:
    """The distances to the nearest rows of a part, and the cells nearest to each of them; no judge finds itself."""
    distances, found = Blocked(part).nearest(asked, k + 1)
    distances[start + found == judges[:, None]] = np.inf
    ranked = cells.nearest(part[found.ravel()], MOST_CELLS_A_ROW)
    return distances, ranked.reshape(*found.shape, -1)


def _in_cells(part: np.ndarray, start: int, cells: Cells, count: int) -> list[Kept]:
    """For each cell what it keeps of a part."""
    kept, ends, owners = cells.keeping(part, count)
    pieces = np.split(kept, ends[1:-1])
    return [(start + some, part[some], owners[some].astype(np.int32)) for some in pieces]


def _gathered(parts: list[Any], n_cells: int) -> list[list[Any]]:
    """The pieces of each cell: over batches of parts and groups of cells, since parts x cells would be many tasks."""
    found: list[list[Any]] = [[] for _ in range(n_cells)]
    batch, group = isqrt(len(parts) - 1) + 1, isqrt(n_cells - 1) + 1
    for first in range(0, len(parts), batch):
        for cell in range(0, n_cells, group):
            some = delayed(_joined)([part[cell : cell + group] for part in parts[first : first + batch]])
            for place, pieces in enumerate(found[cell : cell + group]):
                pieces.append(some[place])
    return found


def _joined(parts: list[list[Kept]]) -> list[Kept]:
    """For each cell what it keeps of several parts."""
    return [_below_each_other(pieces) for pieces in zip(*parts, strict=True)]


def _below_each_other(pieces: Any) -> Kept:
    numbers, rows, owners = (np.concatenate(some) for some in zip(*pieces, strict=True))
    return numbers, rows, owners


def _searched(pieces: list[Kept], cell: int, k: int, search: Callable[..., Any], lengths: bool) -> CellEdges:
    """The edges from the own rows of a cell to the nearest that are kept in it."""
    numbers, rows, owners = _below_each_other(pieces)
    own = np.flatnonzero(owners == cell)
    edges = _nearest_kept(rows, own, k, search)
    used = np.unique(edges.indices)
    hood = np.concatenate([own, used[owners[used] != cell]])
    edges = sp.csr_array(edges[:, hood])
    return CellEdges(
        numbers[hood], owners[hood], rows[own], edges if lengths else with_data(edges, np.ones(edges.nnz, np.bool_))
    )


def _nearest_kept(rows: np.ndarray, own: np.ndarray, k: int, search: Callable[..., Any]) -> sp.csr_array:
    """Distances from the rows ``own`` to the k nearest of all rows of a cell."""
    if not own.size:
        return sp.csr_array((0, len(rows)))
    index = search(rows)
    if own.size == len(rows):
        return index.among(k)
    edges = sp.coo_array(index.of(rows[own], k + 1))
    others = own[edges.row] != edges.col
    row, places, distances = (part[others] for part in (edges.row, edges.col, edges.data))
    order = np.lexsort((distances, row))
    # a row that is not in its own list, among many equal ones, has one neighbour too many
    order = order[np.arange(order.size) - np.searchsorted(row[order], row[order]) < k]
    return sp.csr_array((distances[order], (row[order], places[order])), shape=(own.size, len(rows)))


def _by_numbers(cell: CellEdges) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The edges of a cell as numbers of rows and distances."""
    edges = sp.coo_array(cell.edges)
    return cell.numbers[edges.row], cell.numbers[edges.col], edges.data
