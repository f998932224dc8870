"""A Parquet table that is never held whole: its rows are passed block by block, and some of them are drawn."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lsvv.tables.cells import known
from lsvv.tables.files import MISSING, ending_of, format_of, without_markers
from lsvv.tables.gate import understood
from lsvv.tables.parquet import table_of_arrow
from lsvv.tables.parquet_files import ENDING, ParquetFiles, files_in, parquet_files, without_references
from lsvv.tables.table import Table, TableError

__all__ = ["LARGE_CELLS", "LARGE_ROWS", "LargeTable", "is_large", "opened_large"]

LARGE_ROWS, LARGE_CELLS, LARGE_BYTES = 200_000, 2**24, 2**30
"""A file with more is not held whole."""
BLOCK_ROWS, BLOCK_CELLS, BLOCK_BYTES = 50_000, 2**21, 2**27
"""Of a block at most."""
HEAD = 1000
"""Rows that tell what columns there are."""
MOST_ANSWERS, FIRST_OF_EACH = 1000, 5
"""Up to so many different answers of a column, the first rows of each are learnt from whatever else is drawn."""


@dataclass(frozen=True, eq=False)
class LargeTable:
    """Parquet files with the same columns, one below the other.

    Attributes
    ----------
    name : str
        What messages call the table: its path.
    files : ParquetFiles
    head : Table
        The first rows, which stand for the columns and for what is set aside.
    """

    name: str
    files: ParquetFiles
    head: Table

    @property
    def n_rows(self) -> int:
        """Of all files."""
        return self.files.n_rows

    @property
    def n_columns(self) -> int:
        """Inputs and targets together."""
        return len(self.files.schema.names)

    @property
    def row_bytes(self) -> float:
        """Of a row, unpacked."""
        return max(1.0, self.files.n_bytes / self.n_rows)

    @property
    def block_rows(self) -> int:
        """How many rows a block has at most."""
        return max(1, min(BLOCK_ROWS, BLOCK_CELLS // self.n_columns, int(BLOCK_BYTES / self.row_bytes)))

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[Table]:
        """The blocks in order, of some columns or of all; the frame of each bears the numbers of its rows, from 0."""
        for start, block in self._blocks(columns):
            yield self._table(block, np.arange(start, start + block.num_rows))

    def known(self, columns: Sequence[str], tell: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
        """Which cells of some columns are known, (rows, columns), and the first rows of each of their answers.

        ``tell`` hears how many rows were looked at.
        """
        there = np.zeros((self.n_rows, len(columns)), dtype=bool)
        answers = [_Answers() for _ in columns]
        for table in self.tables(columns):
            start = int(table.frame.index[0])
            tell(start)
            for place, column in enumerate(columns):
                cells = known(table.frame[column].tolist())
                there[start : start + len(cells), place] = [cell is not None for cell in cells]
                answers[place].hear(cells, start)
        return there, np.unique(np.concatenate([one.rows for one in answers]))

    def drawn(self, rows: np.ndarray, tell: Callable[[int], None]) -> Table:
        """Some rows, ascending, as a table whose frame bears their numbers; ``tell`` as for ``known``."""
        import pyarrow as pa

        parts = []
        for start, block in self._blocks():
            tell(start)
            first, last = np.searchsorted(rows, [start, start + block.num_rows])
            parts.append(without_references(block).take(pa.array(rows[first:last] - start)))
        table, head = self._table(pa.concat_tables(parts), rows), self.head
        return replace(table, aside=head.aside, kept=head.kept, notes=head.notes)

    def _blocks(self, columns: Sequence[str] | None = None) -> Iterator[tuple[int, Any]]:
        """The number of the first row of each block, from 0, and its Arrow table."""
        start = 0
        names = None if columns is None else [self._names[column] for column in columns]
        for batch in self.files.batches(self.block_rows, names):
            yield start, batch
            start += batch.num_rows

    @cached_property
    def _names(self) -> dict[str, str]:
        """The names of the columns as the files have them, with their blanks."""
        return dict(zip(map(str, self.head.frame.columns), self.files.schema.names, strict=True))

    def _table(self, block: Any, numbers: np.ndarray) -> Table:
        with understood(self.name):
            table = table_of_arrow(block, self.name)
        table = without_markers(replace(table, format=ENDING, missing=self.head.missing))
        table.frame.index = numbers
        return table


class _Answers:
    """The first rows of each answer of a column, unless there are very many different ones."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._rows: list[int] = []

    @property
    def rows(self) -> np.ndarray:
        """Their numbers."""
        return np.array(self._rows if len(self._counts) <= MOST_ANSWERS else [], dtype=int)

    def hear(self, cells: Sequence[Any], start: int) -> None:
        """Some more cells, the first of them in the row ``start``."""
        for row, cell in enumerate(cells, start=start):
            if len(self._counts) > MOST_ANSWERS:
                return
            if cell is not None:
                answer = str(cell)
                self._counts[answer] += 1
                if self._counts[answer] <= FIRST_OF_EACH:
                    self._rows.append(row)


def is_large(path: str | os.PathLike[str], format: str | None = None) -> bool:
    """Whether a path leads to Parquet files that are not held whole: many rows, cells or bytes, or a folder."""
    if str(path) == "-":
        return False
    place = Path(path)
    try:
        if place.is_dir():
            return bool(files_in(place))
        if _ending(path, format) != ENDING or not place.is_file():
            return False
        about = parquet_files(place)
    except (TableError, OSError):
        # what reads it whole says why it cannot be read
        return False
    n_cells = about.n_rows * len(about.schema.names)
    return about.n_rows > LARGE_ROWS or n_cells > LARGE_CELLS or about.n_bytes > LARGE_BYTES


def opened_large(path: str | os.PathLike[str], missing: tuple[str, ...] = MISSING) -> LargeTable:
    """The table in a Parquet file, or in a folder of them, of which nothing but the first rows is read."""
    place, name = Path(path), str(path)
    files = parquet_files(place)
    stripped = [column.strip() for column in files.schema.names]
    if len({*stripped}) < len(stripped) or "" in stripped:
        raise TableError(f"{name} has columns of the same name, or without one. Name each column once.")
    if files.n_rows == 0:
        raise TableError(f"{name} has no rows. Add rows, some with the target.")
    with understood(name):
        head = table_of_arrow(next(files.batches(HEAD)), name)
    below = sorted(folder.name for folder in place.iterdir() if folder.is_dir()) if place.is_dir() else []
    notes = (f"Folders in {name} are not read, such as {below[0]!r}.",) if below else ()
    head = without_markers(replace(head, format=ENDING, missing=missing, notes=(*head.notes, *notes)))
    return LargeTable(name, files, head)


def _ending(path: str | os.PathLike[str], format: str | None) -> str:
    return format_of(ending_of(path) if format is None else "." + format.lstrip("."))
