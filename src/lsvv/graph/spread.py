"""The neighbours of rows on a cluster: each coarse cell, with the rows near its border, is searched by one worker."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lsvv.cluster import ClusterRows, computed, delayed
from lsvv.graph.blocked import Blocked
from lsvv.graph.coarse_cells import JUDGED, MOST_CELLS_A_ROW, TRAINED, Cells, cells_a_row
from lsvv.linalg import smallest

Kept = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The numbers of rows that a cell keeps, the rows, and which of them are its own."""
ROWS_A_CELL = 250_000
"""Rows of a coarse cell; its border makes them more."""


def neighbors_on_cluster(rows: ClusterRows, k: int, target: float, search: Any) -> tuple[sp.csr_array, float]:
    """Distances from each row to its nearest others, and the share of true neighbours that a sample has found.

    ``search`` makes the index of a cell from its rows: ``search(rows)`` has ``among`` and ``of``.
    """
    m = rows.shape[0]
    n_cells = max(1, -(-m // ROWS_A_CELL))
    drawn = np.random.default_rng(1).choice(m, min(m, max(TRAINED * n_cells, JUDGED)), replace=False)
    cells = Cells.of(rows[np.sort(drawn)], n_cells, seed=1)
    count, recall = _cells_a_row(rows, cells, np.sort(drawn[:JUDGED]), k, target)
    pieces = rows.map(_in_cells, cells, count)
    found = computed([delayed(_searched)([piece[cell] for piece in pieces], k, search) for cell in range(n_cells)])
    source, places, distances = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return sp.csr_array((distances, (source, places)), shape=(m, m)), recall


def _cells_a_row(rows: ClusterRows, cells: Cells, judges: np.ndarray, k: int, target: float) -> tuple[int, float]:
    """In how many cells each row is kept, and the recall that a sample of rows has with as many."""
    if cells.centres.shape[0] == 1:
        return 1, 1.0
    asked = rows[judges]
    parts = computed(rows.map(_nearest_in_part, asked, judges, k, cells))
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
    """For each cell the numbers of the rows that are kept in it, the rows, and which of them are its own."""
    keeping = cells.nearest(part, count)
    kept = [np.flatnonzero((keeping == cell).any(axis=1)) for cell in range(cells.centres.shape[0])]
    return [(start + some, part[some], keeping[some, 0] == cell) for cell, some in enumerate(kept)]


def _searched(pieces: list[Kept], k: int, search: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The edges of a cell: from each of its own rows to the nearest that are kept in it."""
    numbers, rows, own = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    index = search(rows)
    if own.all():
        edges = sp.coo_array(index.among(k))
        return numbers[edges.row], numbers[edges.col], edges.data
    asked = np.flatnonzero(own)
    edges = sp.coo_array(index.of(rows[asked], k + 1))
    others = asked[edges.row] != edges.col
    row, places, distances = (part[others] for part in (edges.row, edges.col, edges.data))
    order = np.lexsort((distances, row))
    # a row that is not in its own list, among many equal ones, has one neighbour too many
    order = order[np.arange(order.size) - np.searchsorted(row[order], row[order]) < k]
    return numbers[asked[row[order]]], numbers[places[order]], distances[order]
