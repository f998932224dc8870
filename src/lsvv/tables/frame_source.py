"""A frame of a program as the source of a table: read without a change, and filled as a frame of the same kind."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsvv.extras import optional
from lsvv.tables.cells import known
from lsvv.tables.files import MISSING, without_markers
from lsvv.tables.gate import check_cells
from lsvv.tables.table import Edits, Source, Table, TableError, WritingError, unique_names

__all__ = ["Frame", "table_of"]

NAME = "the frame"
_SMALL = {f"{sign}Int{bits}": f"{sign.lower()}int{bits}" for sign in ("", "U") for bits in (8, 16, 32)}
"""Whole numbers of few bits in polars, and their NumPy types."""


@dataclass(frozen=True, eq=False)
class Frame(Source):
    """A pandas or polars frame, which is never changed; ``columns`` are its names as texts."""

    frame: Any
    columns: tuple[str, ...]

    def rendered(self, edits: Edits) -> bytes:
        """There is no file to write."""
        raise WritingError("A frame has no file. Take the filled frame instead.")

    @abstractmethod
    def values(self, column: str) -> Any:
        """What a table holds of a column: numbers and dates as they are, else objects with None for an empty cell."""

    @abstractmethod
    def filled(self, cells: Mapping[str, Mapping[int, Any]]) -> Any:
        """A copy of the frame with some of its empty cells written, each column in its own type."""

    @abstractmethod
    def beside(self, columns: Mapping[str, Sequence[Any]]) -> Any:
        """A frame of the same kind and index that holds other columns."""


class _Pandas(Frame):
    def is_whole(self, column: str) -> bool:
        return self._column(column).dtype.kind in "iu"

    def is_categorical(self, column: str) -> bool:
        return str(self._column(column).dtype) == "category"

    def values(self, column: str) -> Any:
        given = self._column(column)
        if isinstance(given.dtype, np.dtype) and given.dtype.kind in "biufM":
            return given.to_numpy()
        # a nullable type of few bits says what a filled cell may be
        small = given.dtype.kind in "iu" and given.dtype.itemsize < 8
        cell = np.dtype(f"{given.dtype.kind}{given.dtype.itemsize}").type if small else None
        return _objects(given.tolist(), cell)

    def filled(self, cells: Mapping[str, Mapping[int, Any]]) -> Any:
        import pandas as pd

        copy = self.frame.copy()
        # the type of a column without a known cell says nothing of what it is to hold
        for name, values in cells.items():
            column = self._column(name)
            if self.is_categorical(name) and not set(values.values()) <= set(column.cat.categories):
                raise _unfit(name, column.dtype, values)
            whole = column.to_numpy(dtype=object, copy=True)
            for row, value in values.items():
                whole[row] = value
            try:
                written = pd.Series(whole, index=column.index, dtype=column.dtype if column.notna().any() else None)
            except (TypeError, ValueError, OverflowError) as error:
                raise _unfit(name, column.dtype, values) from error
            copy.isetitem(self.columns.index(name), written)
        return copy

    def beside(self, columns: Mapping[str, Sequence[Any]]) -> Any:
        import pandas as pd

        return pd.DataFrame({name: list(cells) for name, cells in columns.items()}, index=self.frame.index)

    def _column(self, name: str) -> Any:
        return self.frame.iloc[:, self.columns.index(name)]


class _Polars(Frame):
    def is_whole(self, column: str) -> bool:
        return bool(self.frame[column].dtype.is_integer())

    def is_categorical(self, column: str) -> bool:
        return str(self.frame[column].dtype).startswith(("Categorical", "Enum"))

    def values(self, column: str) -> Any:
        given = self.frame[column]
        if given.dtype.is_numeric() and not given.dtype.is_decimal() and not given.null_count():
            return given.to_numpy()
        small = _SMALL.get(str(given.dtype))
        return _objects(given.to_list(), np.dtype(small).type if small else None)

    def filled(self, cells: Mapping[str, Mapping[int, Any]]) -> Any:
        import polars as pl

        made = []
        for name, values in cells.items():
            column = self.frame[name]
            whole = column.to_list()
            for row, value in values.items():
                whole[row] = value
            try:
                made.append(pl.Series(name, whole, dtype=None if column.is_null().all() else column.dtype))
            except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
                raise _unfit(name, column.dtype, values) from error
        return self.frame.with_columns(made)

    def beside(self, columns: Mapping[str, Sequence[Any]]) -> Any:
        import polars as pl

        return pl.DataFrame({name: list(cells) for name, cells in columns.items()}, strict=False)


def _objects(cells: Sequence[Any], kind: Any) -> np.ndarray:
    """The cells with None where one is empty, whole numbers as the type they have in the frame."""
    given = known(cells)
    # the last cell keeps NumPy from taking lists of one length for rows
    return np.array([*(cell if kind is None or cell is None else kind(cell) for cell in given), None], dtype=object)[
        :-1
    ]


def _unfit(column: str, kind: Any, values: Mapping[int, Any]) -> TableError:
    return TableError(
        f"Column {column!r} is of the type {kind} and cannot hold {next(iter(values.values()))!r}. Give it another "
        f"task, or another type."
    )


def table_of(frame: Any, missing: Sequence[str] = MISSING) -> Table:
    """The table in a pandas or polars frame; ``missing`` are texts that mean an empty cell.

    Examples
    --------
    >>> import pandas as pd
    >>> table = table_of(pd.DataFrame({"size": [1, 2], "kind": ["cat", "?"]}, index=["a", "b"]))
    >>> table.frame["kind"].notna().tolist(), table.marked
    ([True, False], {'kind': frozenset({'?'})})
    """
    pandas = optional("pandas", "Filling a frame", "tables")
    source = _source_of(frame)
    check_cells(len(frame), len(source.columns), NAME)
    values = {name: source.values(name) for name in source.columns}
    cells = pandas.DataFrame(values, columns=list(source.columns), index=range(len(frame)))
    return without_markers(Table(NAME, cells, source, missing=tuple(missing)))


def _source_of(frame: Any) -> Frame:
    kinds = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(frame).__mro__}
    kind = _Pandas if "pandas.DataFrame" in kinds else _Polars if "polars.DataFrame" in kinds else None
    if kind is None:
        why = "Call its collect() first" if "polars.LazyFrame" in kinds else "Pass a pandas or polars DataFrame"
        raise TableError(f"A {type(frame).__name__} is no frame. {why}.")
    names = [str(name) for name in frame.columns]
    if unique_names(names)[0] != names:
        raise TableError("The frame has columns of the same name, or without one. Name each column once.")
    return kind(frame, tuple(names))
