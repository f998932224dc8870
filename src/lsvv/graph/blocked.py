"""Exact neighbours of tensors where they are: blocks of distances, the least of each, and no copy elsewhere."""

from __future__ import annotations

import numpy as np

from lsvv.linalg import Array, in_blocks, like, namespace, row_norms, smallest, take_rows, to_numpy

BLOCK_BYTES = 2**28
"""Distances held at once."""
CANDIDATES = 2**16
"""Rows that a block of rows is compared with at once."""
MIDDLE = 1000
"""Rows that tell where the middle is."""
SPARE = 4
"""Rows beyond k that are measured again, since a product in single precision may confuse the last ones."""


class Blocked:
    """The k nearest of ``rows`` by the least ||z||^2 - 2 x'z, measured again by their differences.

    Examples
    --------
    >>> import numpy as np
    >>> distances, found = Blocked(np.array([[0.0], [1.0], [3.0]])).nearest(np.array([[2.5]]), 2)
    >>> distances.tolist(), found.tolist()
    ([[0.5, 1.5]], [[2, 1]])
    """

    recall = 1.0

    def __init__(self, rows: Array) -> None:
        # about the middle of most rows: beside a row far from all others the mean would leave them no digits
        some = np.asarray(to_numpy(rows[:: 1 + rows.shape[0] // MIDDLE]), dtype=np.float64)
        self.origin = like(np.median(some, axis=0), rows)[None, :]
        self.rows = rows - self.origin

    def nearest(self, rows: Array, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and numbers of the k nearest rows, (rows, k)."""
        k = min(k, self.rows.shape[0])
        at_once = max(1, int(BLOCK_BYTES // (min(CANDIDATES, self.rows.shape[0]) * self.rows.itemsize)))
        found = in_blocks(lambda part: self._nearest(rows[part], k), rows.shape[0], at_once)
        distances, places = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return distances, places

    def _nearest(self, block: Array, k: int) -> tuple[np.ndarray, np.ndarray]:
        xp, m = namespace(block), self.rows.shape[0]
        block = block - self.origin
        kept = min(k + SPARE, m)
        best, places = self._least(block, 0, kept)
        for start in range(CANDIDATES, m, CANDIDATES):
            least, where = self._least(block, start, kept)
            best, order = smallest(xp.concat([best, least], axis=1), min(kept, best.shape[1] + least.shape[1]))
            places = xp.take_along_axis(xp.concat([places, where], axis=1), order, axis=1)
        near = xp.reshape(take_rows(self.rows, xp.reshape(places, (-1,))), (*places.shape, -1))
        distances = xp.linalg.vector_norm(near - block[:, None, :], axis=2)
        least, order = smallest(distances, k)
        return to_numpy(least).astype(np.float64), to_numpy(xp.take_along_axis(places, order, axis=1))

    def _least(self, block: Array, start: int, kept: int) -> tuple[Array, Array]:
        rows = self.rows[start : start + CANDIDATES]
        nearness = row_norms(rows)[None, :] - 2.0 * (block @ rows.T)
        least, where = smallest(nearness, min(kept, rows.shape[0]))
        return least, where + start
