"""Rows come as one array or as an iterable of row blocks; both are read in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rows: TypeAlias = ArrayLike | Iterable[ArrayLike]

BLOCK = 4096


def blocks(rows: Rows) -> Iterator[NDArray[np.floating]]:
    """The rows as 2-d floating blocks of at most 4096 rows, float32 kept, everything else float64.

    An array, or a list of lists of numbers, is cut; a generator, or any iterable of 2-d arrays, is
    read block by block and never held as a whole.
    """
    width: int | None = None
    for index, block in enumerate(_pieces(rows)):
        if block.ndim != 2 or block.shape[1] == 0:
            raise ValueError(f"Block {index} of the rows has shape {block.shape}; pass (rows, features).")
        if width is not None and block.shape[1] != width:
            raise ValueError(
                f"Block {index} of the rows has {block.shape[1]} features, the blocks before it {width}; "
                "give every block the same features."
            )
        if not np.all(np.isfinite(block)):
            row = int(np.flatnonzero(~np.isfinite(block).all(axis=1))[0])
            raise ValueError(f"Row {row} of block {index} is not finite; fill or drop it first.")
        width = block.shape[1]
        for start in range(0, block.shape[0], BLOCK):
            yield block[start : start + BLOCK]
    if width is None:
        raise ValueError("There are no rows; pass at least one block of rows.")


@runtime_checkable
class _Array(Protocol):
    """An array, a data frame, a tensor: iterable too, but one block."""

    def __array__(self) -> NDArray[Any]: ...


def _pieces(rows: Rows) -> Iterator[NDArray[np.floating]]:
    is_table = isinstance(rows, (list, tuple)) and (not rows or np.ndim(rows[0]) != 2)
    if isinstance(rows, _Array) or is_table or not isinstance(rows, Iterable):
        return iter((_floating(rows),))
    return (_floating(block) for block in rows)


def _floating(block: object) -> NDArray[np.floating]:
    array = np.asarray(block)
    return array if array.dtype == np.float32 else array.astype(np.float64, copy=False)
