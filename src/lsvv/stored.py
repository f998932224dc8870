"""Rows that are not in memory, block by block: memory maps, stores with slices, Parquet data sets, iterables of blocks.

What can be read at random stays where it is. All else is copied once into a temporary file, which has no name, so that
it goes with the process whatever ends it.
"""

from __future__ import annotations

import ctypes
import mmap
import operator
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import is_torch_array

from lsvv.extras import optional
from lsvv.linalg import in_blocks, to_numpy

BLOCK_BYTES = 2**26
"""Rows of X that are read at once."""
SCATTERED = 4096
"""Rows from all over a map that are read at once: each brings its whole page along, and those around it."""
MOST_DRAWN, MOST_KNOWN = 100_000, 50_000
"""Rows that a search learns from where not all are in memory, and of them rows with a label."""
MOST_DRAWN_CELLS = 2**24
"""Rows x columns of them."""
FEW = 5
"""Rows with, and rows without, a label of each output that are among them whatever else is drawn."""
IN_MEMORY = ("columns", "iloc", "to_numpy", "__array_interface__", "__array_namespace__", "__dataframe__")
"""What frames, series and arrays have, and stores have not."""


class StoredRows:
    """Rows of a memory map, all or those of an index, as an array that is read where it is asked for.

    Examples
    --------
    >>> import numpy as np
    >>> rows = StoredRows(np.arange(6).reshape(3, 2))
    >>> rows.shape, rows.dtype.name, rows[1:].tolist()
    ((3, 2), 'float64', [[2.0, 3.0], [4.0, 5.0]])
    >>> rows.view(np.array([0, 2])).shape
    (2, 2)
    """

    ndim = 2
    is_remote = False

    def __init__(self, source: np.ndarray, index: np.ndarray | None = None, dtype: Any = None) -> None:
        self.source, self.index = source, index
        self.dtype = np.dtype(dtype or _floating(source.dtype))
        self.shape = (len(source) if index is None else len(index), int(source.shape[1]))
        self.itemsize = self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, part: Any) -> np.ndarray:
        """Some of the rows, in memory."""
        rows = part if self.index is None else self.index[part]
        if not isinstance(rows, np.ndarray) or rows.dtype == np.bool_:
            return self._read(rows)
        # a page is read once where rows are asked for as they lie
        order = np.argsort(rows, kind="stable")
        read = np.empty((len(rows), self.shape[1]), dtype=self.dtype)
        for start in range(0, len(rows), SCATTERED):
            some = order[start : start + SCATTERED]
            read[some] = self._read(rows[some])
        return read

    def _read(self, rows: Any) -> np.ndarray:
        read = np.array(self.source[rows], dtype=self.dtype)
        _let_go(self.source)
        return read

    def view(self, index: np.ndarray) -> StoredRows:
        """Rows of these rows, still not read."""
        return StoredRows(self.source, index if self.index is None else self.index[index], self.dtype)

    def each(self, work: Callable[..., Any], at_once: int, *beside: Any) -> Iterator[Any]:
        """work(block, rows of each array beside) for every block of at most so many rows, in order."""
        return in_blocks(lambda part: work(self[part], *parts_beside(beside, part)), self.shape[0], at_once)

    def total(self, work: Callable[..., Any], at_once: int, *beside: Any) -> Any:
        """The sum of ``work`` over the blocks."""
        return reduce(operator.add, self.each(work, at_once, *beside))

    def total_at(self, work: Callable[..., Any], pieces: Iterable[tuple[np.ndarray, tuple[Any, ...]]]) -> Any:
        """The sum of work(rows, *more) over pieces (index of the rows, more)."""
        return reduce(operator.add, (work(self[index], *more) for index, more in pieces))


def parts_beside(beside: Iterable[Any], part: slice) -> list[Any]:
    """The rows of some arrays that stand beside a block; None stays None."""
    return [None if one is None else one[part, ...] for one in beside]


def is_stored(X: Any) -> bool:
    """Whether X is read in blocks: a memory map, a store with shape, dtype and slices, a data set, a path, an iterable.

    Examples
    --------
    >>> is_stored(iter([[[1.0]], [[2.0]]])), is_stored([[1.0], [2.0]])
    (True, False)
    """
    if isinstance(X, np.ndarray):
        # what was taken out of a map is one by name alone
        return isinstance(X, np.memmap) and getattr(X, "_mmap", None) is not None
    if isinstance(X, StoredRows) or _is_data_set(X):
        return True
    if sp.issparse(X) or is_torch_array(X) or any(hasattr(X, name) for name in IN_MEMORY):
        return False
    if hasattr(X, "shape"):
        return hasattr(X, "dtype") and hasattr(X, "__getitem__")
    return hasattr(X, "__iter__") and not hasattr(X, "__len__") and not hasattr(X, "__array__")


def column_blocks(X: Any, columns: list[str] | None = None) -> Iterator[Any]:
    """The blocks of a stored X, frames where its columns have names; of a data set ``columns`` alone."""
    if _is_data_set(X):
        return _data_set_blocks(X, columns)
    if hasattr(X, "shape"):
        shape = X.shape
        at_once = max(1, BLOCK_BYTES // (8 * int(np.prod(shape[1:]))))
        return (X[start : start + at_once] for start in range(0, shape[0], at_once))
    return iter(X)


def data_set_columns(X: Any) -> list[str] | None:
    """The names of the columns of a Parquet data set; None for all else."""
    return list(_data_set(X).schema.names) if _is_data_set(X) else None


def check_target(X: Any, y: Any) -> None:
    """Refuses a ``y`` that names no column of the data set X."""
    there = data_set_columns(X)
    if isinstance(y, str) and y not in (there or ()):
        listed = "" if there is None else f" It has {', '.join(map(repr, there))}."
        raise ValueError(f"y={y!r} names a column, but X is no data set with such a column.{listed} Pass the targets.")


def stored_targets(X: Any, y: Any) -> Any:
    """y in memory: a column of the data set X by its name, the blocks of an iterable in a row, or y as it is."""
    if isinstance(y, str):
        check_target(X, y)
        y = column_blocks(X, [y])
    if not is_stored(y):
        return y
    blocks = [np.asarray(block) for block in column_blocks(y)]
    if not blocks:
        raise ValueError("y has no blocks. Pass one target a row.")
    whole = np.concatenate(blocks)
    return whole[:, 0] if whole.ndim == 2 and whole.shape[1] == 1 else whole


def written(blocks: Iterable[np.ndarray]) -> StoredRows:
    """Blocks of rows, copied into a temporary file in the folder of temporary files (TMPDIR).

    Examples
    --------
    >>> import numpy as np
    >>> written([np.ones((2, 3)), np.zeros((1, 3))])[1:].tolist()
    [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
    """
    n_rows, dtype, width = 0, np.dtype(np.float32), 0
    # a mapping keeps the file's rows alive after its name is gone
    with tempfile.TemporaryFile(prefix="lsvv-") as file:
        try:
            for block in blocks:
                dtype = block.dtype if n_rows == 0 else dtype
                n_rows, width = n_rows + len(block), block.shape[1]
                file.write(np.ascontiguousarray(block, dtype=dtype).data)
            file.flush()
        except OSError as error:
            raise OSError(
                f"The rows could not be copied into a temporary file in {tempfile.gettempdir()} ({error.strerror}): it "
                f"takes {np.dtype(dtype).itemsize * width} bytes a row. Free some space, or set TMPDIR to a folder "
                f"with room."
            ) from error
        return StoredRows(np.memmap(file, dtype=dtype, mode="r+", shape=(n_rows, width)))


def rows_to_learn_from(
    known: np.ndarray, most: int, rng: np.random.Generator, needed: np.ndarray | None = None
) -> np.ndarray:
    """Rows to learn from, ascending: labelled ones, at most half of ``most`` and a fair part of each output; others.

    ``known`` says which entries of (rows, outputs) are; where there are more rows than are taken, ``rng`` draws them.
    Rows that are ``needed`` are always there.

    Examples
    --------
    >>> import numpy as np
    >>> known = np.array([[True], [False], [True], [False], [False], [True]])
    >>> rows_to_learn_from(known, 6, np.random.default_rng(0)).tolist()
    [0, 1, 2, 3, 4, 5]
    >>> int(known[rows_to_learn_from(known, 4, np.random.default_rng(0))].sum())
    2
    """
    labelled = np.asarray(known.any(axis=1))
    most_known = min(MOST_KNOWN, most // 2)
    share = max(1, most_known // known.shape[1])
    fair = [_some(np.flatnonzero(column), share, rng) for column in known.T]
    empty = [_some(np.flatnonzero(~column), FEW, rng) for column in known.T]
    first = np.unique(np.concatenate([*fair, *empty, [] if needed is None else needed]).astype(int))
    rest = np.setdiff1d(np.flatnonzero(labelled), first)
    first = np.union1d(first, _some(rest, most_known - int(labelled[first].sum()), rng))
    return np.union1d(first, _some(np.setdiff1d(np.flatnonzero(~labelled), first), most - first.size, rng))


def most_drawn(n_columns: int) -> int:
    """How many rows of so many columns a search learns from where not all are in memory."""
    return max(2, min(MOST_DRAWN, MOST_DRAWN_CELLS // n_columns))


def _some(rows: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    return rows if rows.size <= most else rng.choice(rows, max(most, 0), replace=False)


def write_predictions(model: Any, X: Any, out: Any, method: str = "predict") -> None:
    """The answers of a fitted model for stored rows, written block by block into ``out``, which takes slices.

    Parameters
    ----------
    model : estimator
        Any with the method.
    X : array, memory map, store, data set, path or iterable of blocks
        The rows.
    out : array, memory map or store
        With a row for each row of X.
    method : str
        "predict", "predict_proba" or "decision_function".

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv import LSVVRegressor
    >>> X = np.arange(6.0)[:, None]
    >>> model = LSVVRegressor(features="linear", ridge=1e-9).fit(X, 2 * X[:, 0])
    >>> out = np.empty(6)
    >>> write_predictions(model, iter([X[:4], X[4:]]), out)
    >>> out.round(2).tolist()
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    """
    names = getattr(model, "feature_names_in_", None) if data_set_columns(X) is not None else None
    start = 0
    for block in column_blocks(X, None if names is None else list(names)):
        if len(block):
            out[start : start + len(block)] = to_numpy(getattr(model, method)(block))
        start += len(block)


def return_freed_memory() -> None:
    """What was freed in many small pieces goes back to the system, where the C library can be asked to (glibc).

    By itself it keeps them for later, and arrays do not fit between them.
    """
    # other systems have no such function, or no such library
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _let_go(source: np.ndarray) -> None:
    """Pages of a map that were read are not this process's memory any more: they may be read again."""
    pages = getattr(source, "_mmap", None)
    # a private map may hold changes that are nowhere else
    if hasattr(mmap, "MADV_DONTNEED") and pages is not None and getattr(source, "mode", "c") != "c":
        pages.madvise(mmap.MADV_DONTNEED)


def _is_data_set(X: Any) -> bool:
    """Whether X is a Parquet data set, or the path of one."""
    return isinstance(X, (Path, str)) or all(hasattr(X, name) for name in ("to_batches", "schema", "get_fragments"))


def _data_set(X: Any) -> Any:
    if not isinstance(X, (Path, str)):
        return X
    data_sets = optional("pyarrow.dataset", "A Parquet folder", "tables")
    if not Path(X).exists():
        raise ValueError(f"There is no {X}. Pass the path of a Parquet file, or of a folder with such files.")
    return _told(lambda: data_sets.dataset(X, format="parquet"), X)


def _data_set_blocks(X: Any, columns: list[str] | None) -> Iterator[Any]:
    data_set = _data_set(X)
    missing = [name for name in columns or () if name not in data_set.schema.names]
    if missing:
        raise ValueError(f"The data set has no column {missing[0]!r}. Pass one with the columns of fit.")
    # by itself it reads far ahead of what is asked for
    batches = iter(data_set.to_batches(columns=columns, batch_readahead=2, fragment_readahead=1))
    while (batch := _told(lambda: next(batches, None), X)) is not None:
        yield batch.to_pandas()
    # what was read would be kept for the next file
    optional("pyarrow", "A Parquet folder", "tables").default_memory_pool().release_unused()


def _told(read: Any, X: Any) -> Any:
    """What is read, or a sentence where a file is broken."""
    try:
        return read()
    except (OSError, ValueError) as error:
        where = X if isinstance(X, (Path, str)) else "the data set"
        raise ValueError(f"{where} cannot be read to its end: {error}. Copy or write its files again.") from error


def _floating(dtype: Any) -> np.dtype[Any]:
    return np.dtype(dtype if dtype in (np.float32, np.float64) else np.float64)
