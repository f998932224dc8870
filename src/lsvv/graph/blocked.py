"""Exact neighbours of tensors where they are: blocks of distances, the least of each, and no copy elsewhere."""

from __future__ import annotations

import numpy as np

from lsvv.linalg import Array, bytes_at_once, in_blocks, like, namespace, row_norms, smallest, take_rows, to_numpy

BLOCK_BYTES = 2**28
"""Distances held at once by a processor."""
DEVICE_BYTES = 2**30
"""The same by a device at most: more would not be faster."""
CANDIDATES = 2**16
"""Rows that a block of rows is compared with at once."""
MIDDLE = 1000
"""Rows that tell where the middle is."""
SPARE = 4
"""Rows beyond k that are measured again, since a product in single precision may confuse the last ones."""


class Blocked:
    """The k nearest of ``rows`` by the least ||z||^2 - 2 x'z = (-2 x, 1)'(z, ||z||^2), measured again by differences.

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
        rows = rows - self.origin
        self.with_norms = namespace(rows).concat([rows, row_norms(rows)[:, None]], axis=1)

    def nearest(self, rows: Array, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and numbers of the k nearest rows, (rows, k)."""
        m = self.with_norms.shape[0]
        k = min(k, m)
        block_bytes = min(bytes_at_once(self.with_norms, BLOCK_BYTES), DEVICE_BYTES)
        at_once = max(1, int(block_bytes // (min(CANDIDATES, m) * self.with_norms.itemsize)))
        found = in_blocks(lambda part: self._nearest(rows[part], k), rows.shape[0], at_once)
        distances, places = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return distances, places

    def _nearest(self, block: Array, k: int) -> tuple[np.ndarray, np.ndarray]:
        xp, m = namespace(block), self.with_norms.shape[0]
        block = block - self.origin
        asked = xp.concat([-2.0 * block, xp.ones_like(block[:, :1])], axis=1)
        kept = min(k + SPARE, m)
        found = [self._least(asked, start, kept) for start in range(0, m, CANDIDATES)]
        best, places = (parts[0] if len(found) == 1 else xp.concat(parts, axis=1) for parts in zip(*found, strict=True))
        if len(found) > 1:
            places = xp.take_along_axis(places, smallest(best, kept)[1], axis=1)
        near = xp.reshape(take_rows(self.with_norms, xp.reshape(places, (-1,)))[:, :-1], (*places.shape, -1))
        distances = xp.linalg.vector_norm(near - block[:, None, :], axis=2)
        least, order = smallest(distances, k)
        return to_numpy(least).astype(np.float64), to_numpy(xp.take_along_axis(places, order, axis=1))

    def _least(self, asked: Array, start: int, kept: int) -> tuple[Array, Array]:
        rows = self.with_norms[start : start + CANDIDATES]
        least, where = smallest(asked @ rows.T, min(kept, rows.shape[0]))
        return least, where + start
