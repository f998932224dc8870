"""Inverted lists through faiss: near rows are looked for in the nearest cells, as many as a recall asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsvv.extras import optional

FAISS_ROWS = 20_000
"""Rows beyond which approximate neighbours pay, where faiss is installed."""
JUDGED = 256
"""Rows whose exact neighbours the recall is measured on."""
BLOCK = 65_536
"""Rows that are asked, or added, at once."""
TRAINED = 64
"""Rows a cell that place the cells: recall on 400,000 rows of 54 columns is the same with 160, at twice the time."""


def recall_of(found: np.ndarray, exact: np.ndarray) -> float:
    """The share of found distances that are no farther than the last exact one: of equally near rows any will do.

    Examples
    --------
    >>> import numpy as np
    >>> recall_of(found=np.array([[0.0, 1.0], [0.5, 3.0]]), exact=np.array([[0.0, 1.0], [0.5, 2.0]]))
    0.75
    """
    reach = exact[:, -1:] * (1.0 + 1e-4) + 1e-30
    return float((found <= reach).mean())


class InvertedLists:
    """The k nearest rows by 4 sqrt(m) inverted lists, of which so many are searched that ``target`` is reached.

    ``recall`` is the share of the true neighbours that a sample of rows, searched exactly too, has found; rows are read
    in blocks. They are held in single precision, 4 m d bytes.
    """

    def __init__(self, rows: Any, target: float) -> None:
        faiss = optional("faiss", "search='faiss'", "ann")
        if sp.issparse(rows):
            raise ValueError("search='faiss' takes dense rows. Choose search='exact' for sparse X.")
        self.target, self.recall, self._judged = target, 1.0, 0
        m, d = rows.shape
        low, high = _range(rows)
        # squares of the numbers as they are may leave single precision
        self.centre, self.unit = low / 2.0 + high / 2.0, float(np.max(high / 2.0 - low / 2.0)) or 1.0
        self.index: Any = faiss.IndexFlatL2(d)
        if m > FAISS_ROWS:
            cells = int(4 * np.sqrt(m))
            drawn = np.random.default_rng(1).choice(m, min(m, TRAINED * cells), replace=False)
            self.index = faiss.IndexIVFFlat(self.index, d, cells)
            self.index.cp.seed, self.index.cp.min_points_per_centroid = 1, 1
            self.index.cp.max_points_per_centroid = TRAINED
            sample = np.empty((drawn.size, d), dtype=np.float32)
            for part in parts_of(drawn.size, BLOCK):
                sample[part] = self._scaled(rows[drawn[part]])
            self.index.train(sample)
            self._judges = sample[:JUDGED].copy()
            del sample
            self._place(rows)
            return
        for part in parts_of(m, BLOCK):
            self.index.add(self._scaled(rows[part]))

    def _place(self, rows: Any) -> None:
        """All rows into their lists, which are made as long as they will be: as they grow they take twice as much."""
        import faiss

        parts = list(parts_of(rows.shape[0], BLOCK))
        owners = [self.index.quantizer.search(self._scaled(rows[part]), 1)[1].astype(np.int32) for part in parts]
        sizes = sum(np.bincount(own.ravel(), minlength=self.index.nlist) for own in owners)
        for number, size in enumerate(np.asarray(sizes).tolist()):
            self.index.invlists.resize(number, size)
            self.index.invlists.resize(number, 0)
        for part, own in zip(parts, owners, strict=True):
            block, places = self._scaled(rows[part]), own.astype(np.int64)
            self.index.add_core(len(block), faiss.swig_ptr(block), None, faiss.swig_ptr(places))

    def nearest(self, rows: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and numbers of the k nearest rows, (rows, k); -1 where there are fewer."""
        self._settle(k)
        found = [self.index.search(self._scaled(rows[part]), k) for part in parts_of(rows.shape[0], BLOCK)]
        squared, places = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return self.unit * np.sqrt(np.maximum(squared, 0.0).astype(np.float64)), places

    def _settle(self, k: int) -> None:
        """Search in twice as many lists until the sample's recall of k neighbours is the target."""
        if k <= self._judged or not hasattr(self.index, "nprobe"):
            return
        self._judged = k
        # each judge is one of the rows: it is its own nearest, which proves nothing
        truth, probes = self._found_by_judges(k, self.index.nlist), 1
        while True:
            self.recall = recall_of(self._found_by_judges(k, probes), truth)
            if self.recall >= self.target or probes >= self.index.nlist:
                return
            probes *= 2

    def _found_by_judges(self, k: int, probes: int) -> np.ndarray:
        self.index.nprobe = min(probes, self.index.nlist)
        return np.asarray(self.index.search(self._judges, k + 1)[0][:, 1:])

    def _scaled(self, rows: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray((rows - self.centre) / self.unit, dtype=np.float32)


def parts_of(n_rows: int, at_once: int) -> Iterator[slice]:
    """Slices of at most so many rows, in order.

    Examples
    --------
    >>> list(parts_of(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return (slice(start, min(start + at_once, n_rows)) for start in range(0, n_rows, at_once))


def _range(rows: Any) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest of each column."""
    blocks = (rows[part] for part in parts_of(rows.shape[0], BLOCK))
    ends = np.array([[block.min(axis=0), block.max(axis=0)] for block in blocks], dtype=np.float64)
    return ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)
