"""Excel workbooks: one sheet, the first as a rule, is the table; other sheets, formulas, formats and macros stay.

What openpyxl does not know, such as shapes and text boxes, is lost, and so are the stored values of formulas, which
Excel computes again.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from xml.parsers.expat import ExpatError, ParserCreate
from zipfile import ZipFile

from lsvv.tables.cells import Formula, is_missing
from lsvv.tables.gate import check_cells, packed, understood, unpacked
from lsvv.tables.headers import named_columns, no_header_row, suspicious_header
from lsvv.tables.table import Edits, Layout, Source, Table, TableError

__all__ = ["Spreadsheet", "read_spreadsheet"]

MOST_STORED = 20_000_000
"""Cells that the sheets of a workbook may hold."""
MOST_COVERED = 5_000_000
"""Cells that merged ranges, links and comments may cover."""
REMEDY = "Copy it again, or save it as .xlsx."
Place = tuple[int, int]
"""Row and column, counted from 1."""


@dataclass(frozen=True, eq=False)
class Spreadsheet(Source):
    """A workbook's bytes, and where its table stands."""

    data: bytes
    sheet: str
    header_row: int
    columns: tuple[str, ...]
    formulas: Mapping[str, Mapping[int, str]]
    other_sheets: tuple[str, ...] = ()
    is_named_by_a_line = True

    def formulas_in(self, column: str) -> Mapping[int, str]:
        """The formulas of a column by row."""
        return self.formulas[column]

    def rendered(self, edits: Edits) -> bytes:
        """The workbook with holes filled and new columns to the right; texts are never formulas."""
        with warnings.catch_warnings():
            # the notes of the table have said it
            warnings.simplefilter("ignore")
            book = _open(self.data, "the workbook", formulas=True, macros=True)
        sheet = book[self.sheet]
        for name, cells in edits.cells.items():
            place = self.columns.index(name) + 1
            for row, value in cells.items():
                _put(sheet, self.header_row + row + 1, place, value).fill = _filled()
        for shift, (name, column) in enumerate(edits.columns.items(), start=1):
            place = len(self.columns) + shift
            if self.header_row:
                _put(sheet, self.header_row, place, name)
            for row, value in enumerate(column, start=self.header_row + 1):
                _put(sheet, row, place, value)
        stream = io.BytesIO()
        book.save(stream)
        if book.vba_archive is not None:
            book.vba_archive.close()
        return stream.getvalue()


def read_spreadsheet(data: bytes, name: str, layout: Layout | None = None) -> Table:
    """A table from a sheet of a workbook, the first by default; formulas count with their stored values."""
    import pandas as pd

    layout = layout or Layout()
    skipped = layout.header_row
    data = packed(_checked(data, name), deflated=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        book, written = _open(data, name, formulas=False), _open(data, name, formulas=True)
    if not book.worksheets:
        raise TableError(f"{name} holds charts but no sheet of cells. Put the table into a sheet.")
    chosen = _chosen(book, layout.sheet, name)
    formulas = {place: cell for place, cell in _stored(written[chosen], _formula) if cell}
    shown = {place: cell for place, cell in _stored(book[chosen], _value) if cell is not None}
    shown |= {place: Formula(formula) for place, formula in formulas.items() if _is_unknown(book[chosen], place)}
    rows = _rows(shown, formulas, name)
    if not rows:
        raise TableError(f"{name}: sheet {chosen!r} is empty. It needs a first row with the names of the columns.")
    if skipped > len(rows):
        raise no_header_row(skipped, len(rows), name)
    header = rows[skipped - 1] if skipped else None
    columns, notes = named_columns(header, len(rows[0]))
    body = rows[skipped:]
    merged = _spread(body, book[chosen].merged_cells.ranges, skipped)
    frame = pd.DataFrame(body, columns=columns, index=range(len(body)), dtype=object)
    more = [f"Read the sheet {chosen!r}; the others stay as they are."] if len(book.sheetnames) > 1 else []
    if merged:
        more.append(f"{merged:,} merged cells count with the value they show.")
    more += suspicious_header(header, list(zip(*body, strict=True)) or [()] * len(columns))
    more += dict.fromkeys(f"The workbook: {one.message}" for one in caught)
    by_column: dict[str, dict[int, str]] = {column: {} for column in columns}
    for (row, place), formula in sorted(formulas.items()):
        if skipped < row <= len(rows):
            by_column[columns[place - 1]][row - skipped - 1] = formula
    others = tuple(one.title for one in book.worksheets if one.title != chosen)
    source = Spreadsheet(data, chosen, skipped, tuple(columns), by_column, others)
    return Table(name, frame, source, (*notes, *more))


def _chosen(book: Any, sheet: str | None, name: str) -> str:
    """The title of the sheet that is the table."""
    titles = [one.title for one in book.worksheets]
    if sheet is not None and sheet not in titles:
        raise TableError(f"{name} has no sheet {sheet!r} of cells. It has {', '.join(map(repr, titles))}.")
    return titles[0] if sheet is None else sheet


def _stored(sheet: Any, read: Callable[[Any], Any]) -> Iterator[tuple[Place, Any]]:
    """What is read of each cell that the file holds; asked for all others, openpyxl would make them first."""
    return ((place, read(cell)) for place, cell in sheet._cells.items())


def _formula(cell: Any) -> str:
    """The formula of a cell, if it has one; that of an array is an object that has a text."""
    return str(getattr(cell.value, "text", cell.value)) if cell.data_type == "f" else ""


def _value(cell: Any) -> Any:
    """What a cell shows."""
    return None if is_missing(cell.value) else cell.value


def _is_unknown(sheet: Any, place: Place) -> bool:
    """Whether Excel has stored no value of the formula in a cell, not even an empty text."""
    cell = sheet._cells.get(place)
    return cell is None or (cell.value is None and cell.data_type != "str")


def _rows(shown: Mapping[Place, Any], formulas: Mapping[Place, str], name: str) -> list[list[Any]]:
    """The rows down to the last and the columns up to the last that hold anything, whatever a sheet counts as used.

    A column of formulas is not empty even if they show nothing: new columns go to its right.
    """
    n_rows = max((row for row, _ in shown), default=0)
    n_columns = max((place for _, place in (*shown, *formulas)), default=0)
    check_cells(n_rows, n_columns, name)
    rows: list[list[Any]] = [[None] * n_columns for _ in range(n_rows)]
    for (row, place), value in shown.items():
        rows[row - 1][place - 1] = value
    return rows


def _spread(body: list[list[Any]], ranges: Any, skipped: int) -> int:
    """Writes what a merged cell shows into all rows that it covers; how many that are.

    Columns to the right stay empty: the title of a section is no number of each of them.
    """
    count = 0
    for one in ranges:
        top, place = one.min_row - skipped - 1, one.min_col - 1
        covered = body[top : one.max_row - skipped] if top >= 0 else []
        if len(covered) < 2 or place >= len(covered[0]) or covered[0][place] is None:
            continue
        count += len(covered)
        for row in covered:
            row[place] = covered[0][place]
    return count


def _filled() -> Any:
    """The colour of a cell that was filled."""
    from openpyxl.styles import PatternFill

    return PatternFill("solid", fgColor="FFF2CC")


def _put(sheet: Any, row: int, place: int, value: Any) -> Any:
    from openpyxl.cell.cell import MergedCell

    if isinstance(sheet.cell(row, place), MergedCell):
        # only the first of merged cells can hold a value
        there = sheet.cell(row, place).coordinate
        sheet.unmerge_cells(next(str(one) for one in sheet.merged_cells.ranges if there in one))
    cell = sheet.cell(row, place)
    cell.value = value
    if isinstance(value, str):
        cell.data_type = "s"
    return cell


def _open(data: bytes, name: str, *, formulas: bool, macros: bool = False) -> Any:
    import openpyxl

    with understood(name, REMEDY):
        if macros:
            with ZipFile(io.BytesIO(data)) as archive:
                # a workbook without macros must not say that it has them
                macros = b"macroEnabled" in archive.read("[Content_Types].xml")
        return openpyxl.load_workbook(io.BytesIO(data), data_only=not formulas, keep_vba=macros)


def _checked(data: bytes, name: str) -> dict[str, bytes]:
    """The parts of a workbook, none of which makes openpyxl build more cells than there may be."""
    if not data.startswith(b"PK"):
        raise TableError(f"{name} is not an Excel workbook that can be read. {REMEDY}")
    parts = unpacked(data, name)
    stored, covered = 0, 0
    for part in parts.values():
        more = _cells_of(part)
        stored, covered = stored + more[0], covered + more[1]
    for number, most, what in ((stored, MOST_STORED, "cells"), (covered, MOST_COVERED, "merged cells")):
        if number > most:
            raise TableError(
                f"{name} holds {number:,} {what}; the most is {most:,}. Delete the sheets that are not needed, or save "
                f"the table as CSV."
            )
    return parts


def _cells_of(part: bytes) -> tuple[int, int]:
    """How many cells a part of a workbook holds, and how many its ranges cover; 0 where it is no XML."""
    from openpyxl.utils import range_boundaries

    stored, covered = 0, 0

    def begins(tag: str, attributes: dict[str, str]) -> None:
        nonlocal stored, covered
        name = tag.rpartition(":")[2]
        if name == "c":
            stored += 1
        elif name in ("mergeCell", "hyperlink", "comment"):
            try:
                left, top, right, bottom = range_boundaries(attributes["ref"])
                covered += (right - left + 1) * (bottom - top + 1)
            except (KeyError, TypeError, ValueError):
                # openpyxl will say so, if it needs it
                return

    parser = ParserCreate()
    parser.StartElementHandler = begins
    with suppress(ExpatError):
        parser.Parse(part, True)
    return stored, covered
