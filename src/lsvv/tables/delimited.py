"""CSV and TSV: cells are found in the bytes of the file, and only empty ones are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from lsvv.tables.cells import COMMA, POINT, Notation, Reading, ambiguous, known, parted_unit, read_numbers
from lsvv.tables.encoding import Encoding, find_encoding, in_bytes, plain_bytes, text_of
from lsvv.tables.gate import check_cells
from lsvv.tables.headers import named_columns, no_header_row, suspicious_header
from lsvv.tables.table import Edits, Layout, Source, Table, TableError
from lsvv.tables.words import count

__all__ = ["Delimited", "read_delimited"]

DELIMITERS = (b"\t", b"|", b";", b",")
"""Those that rarely stand in names and numbers come first."""
FIRST_LINES = 20
FIRST_BYTES = 1 << 16
BLOCK_ROWS = 10_000
_LINE_END = re.compile(rb"\r\n|\n|\r")
_NAMED_DELIMITER = re.compile(rb'"?sep=([\t|;,])"?(?:\r\n|\n|\r)', re.IGNORECASE)
"""The line above the names with which Excel says what parts the cells."""


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One record as it stands in the file: its raw text, and the line end that follows."""

    raw: bytes
    end: bytes

    @property
    def is_blank(self) -> bool:
        """A line without anything, which is kept but is no row."""
        return not self.raw

    def cells(self, delimiter: bytes) -> list[bytes]:
        """The raw cells; one that starts with a quote ends with one."""
        cells = self.raw.split(delimiter)
        if not any(cell.startswith(b'"') for cell in cells):
            return cells
        return [match.group() for match in _scanned(self.raw, 0, delimiter, "The record")]


@dataclass(frozen=True, eq=False)
class Delimited(Source):
    """A CSV or TSV file as records of raw cells; what is above the header or in the tail is no part of the table."""

    above: bytes
    header: RawRecord | None
    records: tuple[RawRecord, ...]
    tail: tuple[RawRecord, ...]
    delimiter: bytes
    encoding: Encoding
    columns: tuple[str, ...]
    notation: Notation
    is_named_by_a_line = True

    def rendered(self, edits: Edits) -> bytes:
        """Every record as it was, with empty cells filled and new cells appended."""
        place = {name: index for index, name in enumerate(self.columns)}
        cells = [
            (place[name], {row: self._cell(value) for row, value in values.items()})
            for name, values in edits.cells.items()
        ]
        added = [[self._cell(value) for value in column] for column in edits.columns.values()]
        parts = [self.above]
        if self.header is not None:
            parts.append(self._record(self.header, {}, [self._cell(name) for name in edits.columns]))
        row = 0
        for record in self.records:
            if record.is_blank:
                parts.append(record.end)
                continue
            changes = {index: values[row] for index, values in cells if row in values}
            parts.append(self._record(record, changes, [column[row] for column in added]))
            row += 1
        parts += [record.raw + record.end for record in self.tail]
        return in_bytes(b"".join(parts), self.encoding)

    def _record(self, record: RawRecord, changes: Mapping[int, bytes], added: list[bytes]) -> bytes:
        if not changes and not added:
            return record.raw + record.end
        cells = record.cells(self.delimiter)
        cells += [b""] * (len(self.columns) - len(cells))
        for index, cell in changes.items():
            cells[index] = cell
        return self.delimiter.join([*cells, *added]) + record.end

    def _cell(self, value: Any) -> bytes:
        if value is None:
            return b""
        if isinstance(value, bool):
            return b"true" if value else b"false"
        if not isinstance(value, str):
            value = repr(value).replace(".", self.notation.decimal)
        raw = self._encoded(value)
        if any(mark in raw for mark in (self.delimiter, b'"', b"\n", b"\r")) or raw != raw.strip():
            return b'"' + raw.replace(b'"', b'""') + b'"'
        return raw

    def _encoded(self, text: str) -> bytes:
        # a wide file is worked on as UTF-8 and only turned back as a whole
        codec = "utf-8" if self.encoding.is_wide else self.encoding.codec
        try:
            return text.encode(codec)
        except UnicodeEncodeError:
            return text.encode("utf-8")


def read_delimited(data: bytes, name: str, layout: Layout | None = None, *, delimiter: bytes | None = None) -> Table:
    """A table from the bytes of a CSV or TSV file; values are texts.

    The delimiter is found where it is not given; a first line that names it comes before both.
    """
    import pandas as pd

    layout = layout or Layout()
    encoding = find_encoding(data, name)
    plain = plain_bytes(data, encoding, name)
    named = _NAMED_DELIMITER.match(plain)
    above, plain = (named[0], plain[named.end() :]) if named else (b"", plain)
    above, plain = _without_title(above, plain, layout.header_row, name)
    delimiter = named[1] if named else delimiter or _find_delimiter(plain)
    records = list(_records(plain, delimiter, name))
    if not records:
        raise TableError(f"{name} is empty. It needs a first line with the names of the columns, and rows below.")
    if records[0].is_blank:
        raise TableError(f"{name} starts with an empty line. Put the names of the columns into the first line.")
    header = records[0] if layout.header_row else None
    first = [_value(cell) for cell in records[0].cells(delimiter)]
    body, tail = _without_tail(records[1:] if layout.header_row else records, delimiter)
    columns, notes = named_columns(first if header else None, len(first))
    rows = [record for record in body if not record.is_blank]
    check_cells(len(rows), len(columns), name)
    blocks = [
        _values(rows[start : start + BLOCK_ROWS], start, delimiter, len(columns), name)
        for start in range(0, max(len(rows), 1), BLOCK_ROWS)
    ]
    values = {
        column: pd.concat([block[place] for block in blocks], ignore_index=True) for place, column in enumerate(columns)
    }
    told = (*_told(rows, tail, delimiter, len(columns)),)
    told += tuple(suspicious_header(first if header else None, [column.tolist() for column in values.values()]))
    notation, resolved = _notation_of(values, delimiter, layout.decimal)
    source = Delimited(above, header, body, tail, delimiter, encoding, tuple(columns), notation)
    frame = pd.DataFrame(values, columns=columns, index=range(len(rows)))
    return Table(name, frame, source, (*encoding.notes, *notes, *told, *resolved))


def _without_title(above: bytes, plain: bytes, header_row: int, name: str) -> tuple[bytes, bytes]:
    """What is above the line of names, and the rest."""
    for number in range(1, header_row):
        end = _LINE_END.search(plain)
        if end is None:
            raise no_header_row(header_row, number if plain else number - 1, name)
        above, plain = above + plain[: end.end()], plain[end.end() :]
    return above, plain


def _notation_of(
    values: Mapping[str, Iterable[Any]], delimiter: bytes, decimal: str | None
) -> tuple[Notation, tuple[str, ...]]:
    """How the file writes numbers, as it was said or as it is found, and notes."""
    if decimal is not None:
        return (COMMA if decimal == "," else POINT), ()
    # cells parted by commas decide for their own column only
    signs = {} if delimiter == b"," else {column: _Signs.of(cells) for column, cells in values.items()}
    notation = _notation(signs.values(), delimiter)
    return notation, tuple(_resolved(signs, notation))


def _told(rows: Sequence[RawRecord], tail: Sequence[RawRecord], delimiter: bytes, n_columns: int) -> Iterator[str]:
    """Notes of rows that are short, and of lines that are no rows."""
    short = sum(len(record.cells(delimiter)) < n_columns for record in rows)
    if short:
        yield f"{count(short, 'row')} with fewer cells than there are columns; the missing ones count as empty."
    if any(not record.is_blank for record in tail):
        yield "Lines at the end that hold nothing but separators are no rows, and stay as they are."


def _without_tail(
    records: Sequence[RawRecord], delimiter: bytes
) -> tuple[tuple[RawRecord, ...], tuple[RawRecord, ...]]:
    """The records up to the last that holds more than separators, and those after."""
    stop = len(records)
    while stop and not records[stop - 1].raw.strip(delimiter + b" "):
        stop -= 1
    return tuple(records[:stop]), tuple(records[stop:])


@dataclass(frozen=True, eq=False)
class _Signs:
    """How the texts of a column may write numbers: read alone, and in a file with decimal commas."""

    texts: Sequence[str | None]
    alone: Reading
    with_commas: Reading

    @classmethod
    def of(cls, column: Iterable[Any]) -> _Signs:
        # what marks an empty cell, such as NA, says nothing of the others
        texts = [parted_unit(cell)[1] if cell and any(map(str.isdigit, cell)) else None for cell in known(column)]
        return cls(texts, read_numbers(texts), read_numbers(texts, usual=COMMA))

    @property
    def sure(self) -> Notation | None:
        """The only notation that reads the texts, None where both do."""
        if self.alone.notation is COMMA:
            return COMMA
        return POINT if self.with_commas.notation is POINT else None

    @property
    def perhaps_thousands(self) -> bool:
        """Whether all points may part thousands, as in 1.259, and whole numbers stand beside."""
        if self.sure is not None or ambiguous(self.texts, COMMA) is None:
            return False
        return any(text and COMMA.reads(text) and not _is_signed(text) for text in self.texts)


def _notation(columns: Iterable[_Signs], delimiter: bytes) -> Notation:
    """How the file writes numbers: its columns vote.

    In a file parted by ; without any that is sure, 1,050 decides, and so does 1.259 beside 437: both are signs of a
    decimal comma.
    """
    numbers = [signs for signs in columns if signs.alone.mostly]
    commas, points = (sum(signs.sure is notation for signs in numbers) for notation in (COMMA, POINT))
    perhaps = delimiter == b";" and any(
        ambiguous(signs.texts, POINT) is not None or signs.perhaps_thousands for signs in numbers
    )
    return COMMA if (commas or perhaps) and commas >= points else POINT


def _resolved(columns: Mapping[str, _Signs], notation: Notation) -> Iterator[str]:
    """Notes of the columns such as 1,050 or 1.050, which might say something else in another file."""
    for column, signs in columns.items():
        here = signs.with_commas if notation is COMMA else signs.alone
        depends = here.notation is not signs.alone.notation or (notation is POINT and signs.perhaps_thousands)
        example = next((text for text in signs.texts if text and notation.reads(text) and _is_signed(text)), None)
        if depends and here.mostly and example is not None:
            sign = "commas" if notation is COMMA else "points"
            yield f"Column {column!r} is read with decimal {sign} like its file, {notation.explained(example)}."


def _is_signed(text: str) -> bool:
    return "," in text or "." in text


def _find_delimiter(plain: bytes) -> bytes:
    """Of those in the first line, one that parts the first lines into equally many cells, then into more."""
    # what stands in quotes, or was cut, tells nothing
    lines = _LINE_END.split(re.sub(rb'"[^"]*"', b"", plain[:FIRST_BYTES]))
    whole = lines[:-1] if len(plain) > FIRST_BYTES else lines
    header, *rows = [line for line in whole if line][:FIRST_LINES] or lines[:1]

    def fit(delimiter: bytes) -> tuple[bool, int]:
        count = header.count(delimiter)
        return all(row.count(delimiter) == count for row in rows), count

    return max((delimiter for delimiter in DELIMITERS if delimiter in header), key=fit, default=b",")


def _records(plain: bytes, delimiter: bytes, name: str) -> Iterator[RawRecord]:
    """The records in order."""
    position, number = 0, 0
    while position < len(plain):
        number += 1
        found = _LINE_END.search(plain, position)
        stop, after = found.span() if found else (len(plain), len(plain))
        if b'"' in plain[position:stop]:
            *_, last = _scanned(plain, position, delimiter, f"{name}: record {number}")
            stop = last.end()
            found = _LINE_END.match(plain, stop)
            after = found.end() if found else stop
        yield RawRecord(plain[position:stop], plain[stop:after])
        position = after


def _scanned(plain: bytes, position: int, delimiter: bytes, where: str) -> Iterator[re.Match[bytes]]:
    """The cells of the record that starts at ``position``, which may run over several lines.

    A quote at the start of a cell opens it; one within a cell is a character.
    """
    cell, number = _cell_pattern(delimiter), 0
    while True:
        number += 1
        match = cell.match(plain, position)
        if match is None:
            raise TableError(
                f"{where} opens a quote in column {number} that never closes. Close it, or double the quotes that are "
                f"part of the text."
            )
        yield match
        position = match.end()
        if plain[position : position + 1] != delimiter:
            return
        position += 1


@cache
def _cell_pattern(delimiter: bytes) -> re.Pattern[bytes]:
    # possessive, so that a quote left open is found rather than read some other way
    return re.compile(rb'(?:"[^"]*+(?:""[^"]*+)*+"|(?!"))[^' + re.escape(delimiter) + rb"\r\n]*+")


def _values(rows: Sequence[RawRecord], start: int, delimiter: bytes, n_columns: int, name: str) -> list[Any]:
    """The columns of some rows as arrays of texts, None where a cell is empty; a few rows at a time save memory."""
    import pandas as pd

    columns: list[list[str]] = [[] for _ in range(n_columns)]
    for number, record in enumerate(rows, start=start + 1):
        cells = record.cells(delimiter)
        if len(cells) > n_columns:
            raise TableError(
                f"{name}: row {number} has {len(cells)} cells, but there are names for {n_columns} only. Quote cells "
                f"that hold the separator, name the missing columns, or say with --header-row which line has the names."
            )
        cells += [b""] * (n_columns - len(cells))
        for column, cell in zip(columns, cells, strict=True):
            column.append(_value(cell))
    return [pd.Series(known(column), dtype="str") for column in columns]


def _value(cell: bytes) -> str:
    text = text_of(cell)
    if text.startswith('"'):
        closing = text.rindex('"')
        return text[1:closing].replace('""', '"') + text[closing + 1 :]
    return text
