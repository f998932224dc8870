"""Phi = phi(X) as an operator: what the objective may do with mapped rows, in blocks of bounded memory."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from functools import partial, reduce
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsvv.linalg import (
    Array,
    bytes_at_once,
    dense,
    in_blocks,
    like,
    namespace,
    symmetric_product,
    take_rows,
    to_float64,
)
from lsvv.stored import StoredRows, parts_beside
from lsvv.sums import Sums, label_sums

PASSED_BYTES = 2**22
"""Mapped rows that are looked at once and not kept, in bytes: few enough to stay within the processor's cache."""
BLOCK_BYTES = 2**29
"""Largest block of mapped rows held at once, in bytes; transforming it takes about twice that in passing. A device
holds a sixteenth of its memory."""


class MappedRows:
    """Phi in R^{n x D}, touched only through ``Phi @ W``, ``Phi' R`` and ``Phi' diag(w) Phi``.

    Where Phi fits one block it is computed once and kept; otherwise every verb maps the rows again, block by
    block. Peak memory is ``block_bytes`` for Phi plus what ``transform`` needs for one block.

    Parameters
    ----------
    X : array, tensor, CSR matrix or StoredRows of shape (n, d)
    transform : callable
        Maps rows of X to rows of Phi.
    block_bytes : int, optional
        Memory for one block; ``BLOCK_BYTES`` by default, and a sixteenth of its memory on a device.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.features import MappedRows
    >>> rows = MappedRows(np.array([[1.0], [2.0]]), lambda X: np.concatenate([X, X**2], axis=1))
    >>> rows.shape
    (2, 2)
    >>> rows.times(np.array([[1.0], [1.0]]))
    array([[2.],
           [6.]])
    >>> rows.gram()
    array([[ 5.,  9.],
           [ 9., 17.]])
    """

    def __init__(self, X: Array, transform: Callable[[Array], Array], *, block_bytes: int | None = None) -> None:
        self.X = X
        self.transform = transform
        self.block_bytes = bytes_at_once(X, BLOCK_BYTES) if block_bytes is None else block_bytes
        probe = transform(X[: min(64, X.shape[0])])
        self.shape: tuple[int, int] = (int(X.shape[0]), int(probe.shape[1]))
        self.dtype = probe.dtype
        self.template = probe.data if sp.issparse(probe) else probe
        width = probe.nnz / probe.shape[0] + 1 if sp.issparse(probe) else probe.shape[1]
        itemsize = 1.5 * probe.dtype.itemsize if sp.issparse(probe) else probe.itemsize
        self.block_rows = max(1, int(self.block_bytes // (width * itemsize)))
        self.passed_rows = max(1, min(self.block_rows, int(bytes_at_once(X, PASSED_BYTES) // (width * itemsize))))
        self._held: Array | None = None

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """The rows of Phi in order, as (slice, block)."""
        n_rows = self.shape[0]
        if not self.is_held:
            yield from in_blocks(lambda part: (part, self.at(part)), n_rows, self.block_rows)
            return
        if self._held is None:
            self._held = self.at(slice(0, n_rows))
        yield slice(0, n_rows), self._held

    def at(self, index: Any) -> Array:
        """The rows of Phi at a slice, or at an index."""
        return self.transform(self.X[index] if isinstance(index, slice) else take_rows(self.X, index))

    def each(self, work: Callable[..., Any], *beside: Array | None) -> Iterator[Any]:
        """work(block, rows of each array beside) for every block of Phi, in order."""
        if self.is_held:
            return (work(block, *parts_beside(beside, part)) for part, block in self.blocks())
        mapped = partial(_on_mapped, self.transform, work)
        if isinstance(self.X, StoredRows):
            return self.X.each(mapped, self.passed_rows, *beside)
        return in_blocks(
            lambda part: mapped(self.X[part], *parts_beside(beside, part)), self.shape[0], self.passed_rows
        )

    def total(self, work: Callable[..., Any], *beside: Array | None) -> Any:
        """The sum of ``work`` over the blocks."""
        if isinstance(self.X, StoredRows) and not self.is_held:
            return self.X.total(partial(_on_mapped, self.transform, work), self.passed_rows, *beside)
        return reduce(operator.add, self.each(work, *beside))

    def total_at(self, work: Callable[..., Any], pieces: Iterable[tuple[np.ndarray, tuple[Any, ...]]]) -> Any:
        """The sum of work(rows of Phi, *more) over pieces (index of the rows, more)."""
        if isinstance(self.X, StoredRows):
            return self.X.total_at(partial(_on_mapped, self.transform, work), pieces)
        return reduce(operator.add, (work(self.at(index), *more) for index, more in pieces))

    @property
    def is_held(self) -> bool:
        """Whether Phi is computed once and kept."""
        remote = isinstance(self.X, StoredRows) and self.X.is_remote
        return self.shape[0] <= self.block_rows and not remote

    def take(self, index: np.ndarray) -> MappedRows:
        """The rows ``index``, ascending, as mapped rows of their own; all of them are these very rows."""
        if len(index) == self.shape[0]:
            return self
        if self._held is not None:
            return MappedRows(take_rows(self._held, index), _identity, block_bytes=self.block_bytes)
        some = self.X.view(index) if isinstance(self.X, StoredRows) else take_rows(self.X, index)
        return MappedRows(some, self.transform, block_bytes=self.block_bytes)

    def whole(self) -> Array:
        """All of Phi as one dense array: for callers that asked for few rows."""
        return self._stacked(dense)

    def columns(self, part: slice) -> Array:
        """Phi[:, part] as one dense array."""
        return self._stacked(partial(_columns, part=part))

    def times(self, W: Array) -> Array:
        """Phi @ W, of shape (n, K)."""
        return self._stacked(partial(_times, W=like(W, self.template)))

    def transpose_times(self, R: Array) -> Array:
        """Phi' @ R in double precision, of shape (D, K)."""
        return self.total(_transposed_times, like(R, self.template))

    def gram(self, weights: Array | None = None) -> Array:
        """Phi' diag(weights) Phi in double precision, of shape (D, D)."""
        return self.total(symmetric_product, None if weights is None else like(weights, self.template))

    def label_sums(self, T: Array, A: np.ndarray) -> Sums:
        """The moments of all rows with targets T under weights A, both (n, K), added block by block."""
        return self.total(label_sums, T, A)

    def measured_from(self, origin: Array) -> MappedRows:
        """Phi - 1 origin': squares of rows far from 0 would leave no digits for what tells them apart.

        Sparse rows stay sparse: there the origin is taken off what the verbs return.
        """
        moved = copy(self)
        if self.template.ndim == 2:
            o = like(origin, self.template)[None, :]
            source, inner = (self.X, self.transform) if self._held is None else (self._held, _identity)
            moved.X, moved.transform, moved._held = source, lambda rows: inner(rows) - o, None
            return moved
        return _SparseFrom(moved, np.asarray(origin))

    def _stacked(self, work: Callable[[Array], Array]) -> Array:
        blocks = list(self.each(work))
        return blocks[0] if len(blocks) == 1 else namespace(*blocks).concat(blocks, axis=0)


class _SparseFrom(MappedRows):
    """Sparse rows measured from an origin o: Phi W - 1 o'W, Phi' R - o 1'R."""

    def __init__(self, rows: MappedRows, origin: np.ndarray) -> None:
        self.__dict__.update(rows.__dict__)
        self.origin = origin

    def take(self, index: np.ndarray) -> MappedRows:
        """The rows ``index``, from the same origin."""
        return self if len(index) == self.shape[0] else _SparseFrom(super().take(index), self.origin)

    def whole(self) -> Array:
        """All rows as one dense array."""
        return super().whole() - self.origin

    def columns(self, part: slice) -> Array:
        """Some columns as one dense array."""
        return super().columns(part) - self.origin[part]

    def times(self, W: Array) -> Array:
        """Phi W - 1 o'W."""
        return super().times(W) - like(self.origin @ W, self.template)

    def transpose_times(self, R: Array) -> Array:
        """Phi' R - o 1'R."""
        total = np.asarray(R, dtype=np.float64).sum(axis=0)
        return super().transpose_times(R) - (np.outer(self.origin, total) if np.ndim(R) == 2 else self.origin * total)

    def gram(self, weights: Array | None = None) -> Array:
        """Phi' A Phi - o s' - s o' + (1'A 1) o o', s = Phi' A 1."""
        a = np.ones(self.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
        o, s = self.origin, super().transpose_times(a)
        return super().gram(weights) - np.outer(o, s) - np.outer(s, o) + a.sum() * np.outer(o, o)


def _on_mapped(transform: Callable[[Array], Array], work: Callable[..., Any], rows: Array, *beside: Any) -> Any:
    return work(transform(rows), *beside)


def _columns(block: Array, part: slice) -> Array:
    # a view would keep its whole block
    return namespace(block).asarray(dense(block[:, part]), copy=True)


def _times(block: Array, W: Array) -> Array:
    return dense(block @ W)


def _transposed_times(block: Array, R: Array) -> Array:
    return to_float64(dense(block.T @ R))


def _identity(rows: Array) -> Array:
    return rows
