"""Coarse cells: a row looks for its neighbours in its own cell, where the rows near its border are kept too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from lsvv.graph.blocked import Blocked
from lsvv.linalg import (
    Array,
    in_blocks,
    like,
    namespace,
    smallest,
    sparse_times_dense,
    squared_distances,
    take_rows,
    to_numpy,
)

ROWS_A_CELL = 8192
"""Rows of a cell on one device; a border makes them several times as many."""
MOST_CELLS_A_ROW = 64
"""Cells that a row may be kept in: with as many, the recall is what it is."""
JUDGED = 256
ROUNDS = 10
TRAINED = 64
DISTANCES = 2**25
"""Distances from rows to centres that are held at once."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The regions nearest to each of some centres.

    Examples
    --------
    >>> import numpy as np
    >>> cells = Cells.of(np.array([[0.0], [0.2], [5.0], [5.4]]), n_cells=2, seed=0)
    >>> sorted(cells.centres.ravel().round(2).tolist())
    [0.1, 5.2]
    >>> own = cells.nearest(np.array([[0.3], [4.0]]), 1)
    >>> bool(own[0, 0] != own[1, 0])
    True
    """

    centres: Array

    @classmethod
    def of(cls, sample: Array, n_cells: int, seed: int) -> Cells:
        """The means of the rows nearest to them, from some of the rows on."""
        xp, drawn = namespace(sample), np.random.default_rng(seed).permutation(sample.shape[0])[:n_cells]
        centres = take_rows(sample, np.sort(drawn))
        for _ in range(ROUNDS):
            own = cls(centres).nearest(sample, 1)[:, 0]
            count = np.bincount(own, minlength=len(centres))
            mean_of = sp.csr_array((1.0 / count[own], (own, np.arange(own.size))), shape=(len(centres), own.size))
            means = sparse_times_dense(mean_of, sample)
            centres = xp.where(like(count, sample)[:, None] > 0, means, centres)
        return cls(centres)

    def nearest(self, rows: Array, count: int) -> np.ndarray:
        """The cells whose centres are nearest to each row, nearest first, (rows, count)."""
        n_cells = self.centres.shape[0]
        count, centres = min(count, n_cells), like(self.centres, rows)
        found = in_blocks(
            lambda part: to_numpy(smallest(squared_distances(rows[part], centres), count)[1]),
            rows.shape[0],
            max(1, DISTANCES // n_cells),
        )
        return np.concatenate(list(found))

    def keeping(self, rows: Array, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows that each cell keeps, cell by cell, where those of each end, and the cells that own all rows."""
        nearest = self.nearest(rows, count)
        order = np.argsort(nearest, axis=None, kind="stable")
        ends = np.searchsorted(nearest.ravel()[order], np.arange(self.centres.shape[0] + 1))
        return order // nearest.shape[1], ends, nearest[:, 0]


def cells_a_row(own: np.ndarray, neighbour_cells: np.ndarray, target: float) -> tuple[int, float]:
    """In how many of its nearest cells each row is to be kept for the target recall, and the recall with as many.

    ``own`` are the cells of some rows (n,), ``neighbour_cells`` the cells nearest to each of their true neighbours
    (n, k, cells), nearest first: a neighbour is found where the row's own cell is among those that keep it.

    Examples
    --------
    >>> import numpy as np
    >>> cells_a_row(np.array([0, 0]), np.array([[[0, 1]], [[1, 0]]]), target=0.99)
    (2, 1.0)
    """
    recall = np.cumsum((neighbour_cells == own[:, None, None]).mean(axis=(0, 1)))
    enough = np.flatnonzero(recall >= target - 1e-12)
    count = int(enough[0]) + 1 if enough.size else recall.size
    return count, float(recall[count - 1])


class CellSearch:
    """The k nearest of many rows on one device: exact within cells of about 8192 rows and their borders.

    ``recall`` is the share of true neighbours that a sample of the rows finds in its own cells.
    """

    def __init__(self, rows: Array, target: float) -> None:
        self.rows, self.target, self.recall, self._judged = rows, target, 1.0, 0
        m = rows.shape[0]
        n_cells = max(1, m // ROWS_A_CELL)
        drawn = np.random.default_rng(1).choice(m, min(m, TRAINED * n_cells), replace=False)
        self.cells = Cells.of(take_rows(rows, np.sort(drawn)), n_cells, seed=1)
        self._judges = np.sort(drawn[:JUDGED])

    def nearest(self, rows: Array, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and numbers of the k nearest rows, (rows, k); -1 where a cell has fewer."""
        self._settle(k)
        own = self.cells.nearest(rows, 1)[:, 0]
        order = np.argsort(own, kind="stable")
        ends = np.searchsorted(own[order], np.arange(len(self._ends)))
        distances, places = np.full((rows.shape[0], k), np.inf), np.full((rows.shape[0], k), -1)
        for cell in np.unique(own):
            asked = order[ends[cell] : ends[cell + 1]]
            kept = self._kept[self._ends[cell] : self._ends[cell + 1]]
            here, found = Blocked(take_rows(self.rows, kept)).nearest(take_rows(rows, asked), k)
            distances[asked, : here.shape[1]], places[asked, : here.shape[1]] = here, kept[found]
        return distances, places

    def _settle(self, k: int) -> None:
        """Keep rows in as many cells as the sample's recall asks for."""
        if k <= self._judged:
            return
        self._judged = k
        judges = take_rows(self.rows, self._judges)
        # the first neighbour of each is the row itself
        near = Blocked(self.rows).nearest(judges, k + 1)[1][:, 1:]
        theirs = self.cells.nearest(take_rows(self.rows, near.ravel()), MOST_CELLS_A_ROW).reshape(*near.shape, -1)
        count, self.recall = cells_a_row(self.cells.nearest(judges, 1)[:, 0], theirs, self.target)
        self._kept, self._ends, _ = self.cells.keeping(self.rows, count)
