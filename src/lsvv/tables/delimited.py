"""CSV and TSV: cells are found in the bytes of the file, and only empty ones are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lsvv.tables.cells import is_missing
from lsvv.tables.encoding import Encoding, find_encoding, in_bytes, plain_bytes, text_of
from lsvv.tables.table import Edits, Source, Table, TableError, unique_names

__all__ = ["Delimited", "read_delimited"]

DELIMITERS = (b",", b";", b"\t", b"|")
_LINE_END = re.compile(rb"\r\n|\n|\r")
_DECIMAL_COMMA = re.compile(rb"[+-]?\d+,\d+")


@dataclass(frozen=True, slots=True)
class Record:
    """One record: the raw bytes of its cells, and of the line end that follows."""

    cells: tuple[bytes, ...]
    end: bytes

    @property
    def is_blank(self) -> bool:
        """A line without anything, which is kept but is no row."""
        return self.cells == (b"",)


@dataclass(frozen=True, eq=False)
class Delimited(Source):
    """A CSV or TSV file as records of raw cells."""

    header: Record
    records: tuple[Record, ...]
    delimiter: bytes
    encoding: Encoding
    columns: tuple[str, ...]
    suffix: str

    def rendered(self, edits: Edits) -> bytes:
        """Every record as it was, with empty cells filled and new cells appended."""
        place = {name: index for index, name in enumerate(self.columns)}
        cells = [
            (place[name], {row: self._cell(value) for row, value in values.items()})
            for name, values in edits.cells.items()
        ]
        added = [[self._cell(value) for value in column] for column in edits.columns.values()]
        parts = [self._record(self.header, {}, [self._cell(name) for name in edits.columns])]
        row = 0
        for record in self.records:
            if record.is_blank:
                parts.append(record.end)
                continue
            changes = {index: values[row] for index, values in cells if row in values}
            parts.append(self._record(record, changes, [column[row] for column in added]))
            row += 1
        return in_bytes(b"".join(parts), self.encoding)

    @cached_property
    def decimal_comma(self) -> bool:
        """Whether numbers are written as 1,5: only where semicolons part the cells."""
        some = self.records[:1000] if self.delimiter == b";" else ()
        return any(_DECIMAL_COMMA.fullmatch(cell) for record in some for cell in record.cells)

    def _record(self, record: Record, changes: Mapping[int, bytes], added: list[bytes]) -> bytes:
        width = len(self.columns) if changes or added else 0
        cells = [*record.cells, *[b""] * (width - len(record.cells))]
        for index, cell in changes.items():
            cells[index] = cell
        return self.delimiter.join([*cells, *added]) + record.end

    def _cell(self, value: Any) -> bytes:
        if value is None:
            return b""
        if isinstance(value, bool):
            return b"true" if value else b"false"
        if not isinstance(value, str):
            value = repr(value).replace(".", ",") if self.decimal_comma else repr(value)
        raw = self._encoded(value)
        if any(mark in raw for mark in (self.delimiter, b'"', b"\n", b"\r")) or raw != raw.strip():
            return b'"' + raw.replace(b'"', b'""') + b'"'
        return raw

    def _encoded(self, text: str) -> bytes:
        # a wide file is worked on as UTF-8 and only turned back as a whole
        codec = "utf-8" if self.encoding.codec.startswith("utf-16") else self.encoding.codec
        try:
            return text.encode(codec)
        except UnicodeEncodeError:
            return text.encode("utf-8")


def read_delimited(data: bytes, name: str, suffix: str, markers: frozenset[str]) -> Table:
    """A table from the bytes of a CSV or TSV file; the first record names the columns, all values are texts."""
    import pandas as pd

    encoding = find_encoding(data, name)
    plain = plain_bytes(data, encoding, name)
    delimiter = b"\t" if suffix == ".tsv" else _find_delimiter(plain)
    records = list(_records(plain, delimiter, name))
    if not records:
        raise TableError(f"{name} is empty. It needs a first line with the names of the columns, and rows below.")
    if records[0].is_blank:
        raise TableError(f"{name} starts with an empty line. Put the names of the columns into the first line.")
    header, body = records[0], tuple(records[1:])
    columns, notes = unique_names([_value(cell) for cell in header.cells])
    rows = [record.cells for record in body if not record.is_blank]
    short = _check_lengths(rows, len(columns), name)
    values = {column: [_value_at(cells, place, markers) for cells in rows] for place, column in enumerate(columns)}
    frame = pd.DataFrame(values, columns=columns, index=range(len(rows)), dtype=object)
    source = Delimited(header, body, delimiter, encoding, tuple(columns), suffix)
    return Table(name, frame, source, (*encoding.notes, *notes, *short))


def _find_delimiter(plain: bytes) -> bytes:
    """The one that occurs most often in the first line, outside quotes; a comma where none does."""
    first = re.sub(rb'"[^"]*"', b"", plain[: 1 << 16])
    first = _LINE_END.split(first, maxsplit=1)[0]
    return max(DELIMITERS, key=first.count)


def _records(plain: bytes, delimiter: bytes, name: str) -> Iterator[Record]:
    """The records in order. A quote at the start of a cell opens it; one within a cell is a character."""
    # possessive, so that a quote left open is found rather than read some other way
    field = re.compile(rb'(?:"[^"]*+(?:""[^"]*+)*+"|(?!"))[^' + re.escape(delimiter) + rb"\r\n]*+")
    position, number = 0, 0
    while position < len(plain):
        number += 1
        found = _LINE_END.search(plain, position)
        stop, after = found.span() if found else (len(plain), len(plain))
        cells = plain[position:stop].split(delimiter)
        if any(cell.startswith(b'"') for cell in cells):
            cells, stop = _quoted(plain, position, field, delimiter, f"{name}: record {number}")
            found = _LINE_END.match(plain, stop)
            after = found.end() if found else stop
        yield Record(tuple(cells), plain[stop:after])
        position = after


def _quoted(
    plain: bytes, position: int, field: re.Pattern[bytes], delimiter: bytes, where: str
) -> tuple[list[bytes], int]:
    """The cells of a record with quotes, which may run over several lines, and where it ends."""
    cells: list[bytes] = []
    while True:
        match = field.match(plain, position)
        if match is None:
            raise TableError(
                f"{where} opens a quote in column {len(cells) + 1} that never closes. Close it, or double the quotes "
                f"that are part of the text."
            )
        cells.append(match.group())
        position = match.end()
        if plain[position : position + 1] != delimiter:
            return cells, position
        position += 1


def _check_lengths(rows: list[tuple[bytes, ...]], n_columns: int, name: str) -> tuple[str, ...]:
    for number, cells in enumerate(rows, start=1):
        if len(cells) > n_columns:
            raise TableError(
                f"{name}: row {number} has {len(cells)} cells, but the first line names {n_columns} columns. Quote "
                f"cells that hold the separator, or name the missing columns."
            )
    short = sum(len(cells) < n_columns for cells in rows)
    return (f"{short} rows have fewer cells than there are columns; the missing ones count as empty.",) if short else ()


def _value_at(cells: tuple[bytes, ...], place: int, markers: frozenset[str]) -> str | None:
    value = _value(cells[place]) if place < len(cells) else ""
    return None if is_missing(value, markers) else value


def _value(cell: bytes) -> str:
    text = text_of(cell)
    if text.startswith('"'):
        closing = text.rindex('"')
        return text[1:closing].replace('""', '"') + text[closing + 1 :]
    return text
