"""A Parquet table that is never held whole: its rows are passed block by block, and some of them are drawn."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lsvv.extras import optional
from lsvv.tables.cells import known
from lsvv.tables.files import MISSING, ending_of, format_of, without_markers
from lsvv.tables.gate import understood
from lsvv.tables.parquet import table_of_arrow
from lsvv.tables.table import Table, TableError, unique_names

__all__ = ["LARGE_CELLS", "LARGE_ROWS", "LargeTable", "is_large", "opened_large"]

ENDING = ".parquet"
LARGE_ROWS, LARGE_CELLS = 200_000, 2**24
"""A file with more is not held whole."""
BLOCK_ROWS, BLOCK_CELLS = 50_000, 2**21
"""Of a block at most."""
HEAD = 1000
"""Rows that tell what columns there are."""


@dataclass(frozen=True, eq=False)
class LargeTable:
    """Parquet files with the same columns, one below the other.

    Attributes
    ----------
    name : str
        What messages call the table: its path.
    files : tuple of Path
    schema : pyarrow.Schema
    n_rows : int
    head : Table
        The first rows, which stand for the columns and for what is set aside.
    """

    name: str
    files: tuple[Path, ...]
    schema: Any
    n_rows: int
    head: Table

    @property
    def block_rows(self) -> int:
        """How many rows a block has at most."""
        return max(1, min(BLOCK_ROWS, BLOCK_CELLS // len(self.schema.names)))

    def blocks(self, columns: Sequence[str] | None = None) -> Iterator[tuple[int, Any]]:
        """The number of the first row of each block, from 0, and its Arrow table; of some columns or of all."""
        start = 0
        for batch in _batches(self.files, self.block_rows, columns):
            yield start, batch
            start += batch.num_rows

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[tuple[int, Table]]:
        """The same as tables."""
        return ((start, self._table(block)) for start, block in self.blocks(columns))

    def known(self, columns: Sequence[str], tell: Callable[[int], None]) -> np.ndarray:
        """Which cells of some columns are known, (rows, columns); ``tell`` hears how many rows were looked at."""
        there = np.zeros((self.n_rows, len(columns)), dtype=bool)
        for start, table in self.tables(columns):
            tell(start)
            for place, column in enumerate(columns):
                cells = known(table.frame[column].tolist())
                there[start : start + len(cells), place] = [cell is not None for cell in cells]
        return there

    def drawn(self, rows: np.ndarray, tell: Callable[[int], None]) -> Table:
        """Some rows, ascending, as a table whose frame bears their numbers; ``tell`` as for ``known``."""
        import pyarrow as pa

        parts = []
        for start, block in self.blocks():
            tell(start)
            first, last = np.searchsorted(rows, [start, start + block.num_rows])
            parts.append(block.take(pa.array(rows[first:last] - start)))
        table = self._table(pa.concat_tables(parts))
        table.frame.index = rows
        head = self.head
        return replace(table, aside=head.aside, kept=head.kept, notes=(*table.notes, *head.notes))

    def _table(self, block: Any) -> Table:
        with understood(self.name):
            table = table_of_arrow(block, self.name)
        return without_markers(replace(table, format=ENDING, missing=self.head.missing))


def is_large(path: str | os.PathLike[str], format: str | None = None) -> bool:
    """Whether a path leads to Parquet files that are not held whole: many rows or cells, or a folder of such files."""
    if str(path) == "-" or not _is_parquet(path, format):
        return False
    place = Path(path)
    if place.is_dir():
        return bool(_files(place))
    try:
        about = _opened(place).metadata if place.is_file() else None
    except TableError:
        about = None
    if about is None:
        # what reads it whole says why it cannot be read
        return False
    return bool(about.num_rows > LARGE_ROWS or about.num_rows * about.num_columns > LARGE_CELLS)


def opened_large(path: str | os.PathLike[str], missing: tuple[str, ...] = MISSING) -> LargeTable:
    """The table in a Parquet file, or in a folder of them, of which nothing but the first rows is read."""
    place, name = Path(path), str(path)
    files = _files(place) if place.is_dir() else (place,)
    opened = [_opened(file) for file in files]
    schema = opened[0].schema_arrow
    for file, other in zip(files, opened, strict=True):
        _check_columns(other.schema_arrow, schema, file, files[0])
    if unique_names(schema.names)[0] != list(schema.names):
        raise TableError(f"{name} has columns of the same name, or without one. Name each column once.")
    n_rows = sum(other.metadata.num_rows for other in opened)
    if n_rows == 0:
        raise TableError(f"{name} has no rows. Add rows, some with the target.")
    with understood(name):
        import pyarrow as pa

        first = next(_batches(files, HEAD, None), None) or pa.table(schema.empty_table())
        head = without_markers(replace(table_of_arrow(first, name), format=ENDING, missing=missing))
    return LargeTable(name, files, schema, n_rows, head)


def _is_parquet(path: str | os.PathLike[str], format: str | None) -> bool:
    if format is not None:
        return format_of("." + format.lstrip(".")) == ENDING
    return Path(path).is_dir() or format_of(ending_of(path)) == ENDING


def _files(folder: Path) -> tuple[Path, ...]:
    """The Parquet files right in a folder, by name; those that begin with . or _ are somebody's notes."""
    found = (path for path in folder.iterdir() if format_of(path.suffix) == ENDING and path.name[0] not in "._")
    return tuple(sorted(found))


def _opened(file: Path) -> Any:
    """A Parquet file whose pages are held against their checksums."""
    parquet = optional("pyarrow.parquet", "Reading .parquet files", "tables")
    try:
        file.open("rb").close()
    except OSError as error:
        raise TableError(f"{file} cannot be read: {error.strerror}.") from error
    with understood(str(file), "Copy it again, or write it again."):
        return parquet.ParquetFile(file, page_checksum_verification=True)


def _check_columns(found: Any, schema: Any, file: Path, first: Path) -> None:
    if found.equals(schema):
        return
    others = sorted({*_described(found)} ^ {*_described(schema)}) or ["the order of the columns"]
    raise TableError(f"{file} has other columns than {first}: {others[0]}. Write both with the same columns and types.")


def _described(schema: Any) -> list[str]:
    return [f"{field.name!r} ({field.type})" for field in schema]


def _batches(files: Sequence[Path], at_once: int, columns: Sequence[str] | None) -> Iterator[Any]:
    import pyarrow as pa

    for file in files:
        with understood(str(file), "Copy it again, or write it again."):
            for batch in _opened(file).iter_batches(at_once, columns=columns):
                if batch.num_rows:
                    yield pa.table(batch)
