"""Excel workbooks: the first sheet is the table; other sheets, formulas, formats and macros stay.

What openpyxl does not know, such as shapes and text boxes, is lost, and so are the stored values of formulas, which
Excel computes again.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zipfile import BadZipFile, ZipFile

from lsvv.tables.cells import Formula, is_missing
from lsvv.tables.table import Edits, Source, Table, TableError, unique_names

__all__ = ["Spreadsheet", "read_spreadsheet"]


@dataclass(frozen=True, eq=False)
class Spreadsheet(Source):
    """A workbook's bytes, and where its table stands."""

    data: bytes
    sheet: str
    columns: tuple[str, ...]
    formulas: Mapping[str, Mapping[int, str]]

    def formulas_in(self, column: str) -> Mapping[int, str]:
        """The formulas of a column by row."""
        return self.formulas[column]

    def rendered(self, edits: Edits) -> bytes:
        """The workbook with holes filled and new columns to the right; texts are never formulas."""
        book = _open(self.data, "the workbook", formulas=True, macros=True)
        sheet = book[self.sheet]
        for name, cells in edits.cells.items():
            place = self.columns.index(name) + 1
            for row, value in cells.items():
                _put(sheet, row + 2, place, value)
        for shift, (name, column) in enumerate(edits.columns.items(), start=1):
            place = len(self.columns) + shift
            _put(sheet, 1, place, name)
            for row, value in enumerate(column, start=2):
                _put(sheet, row, place, value)
        stream = io.BytesIO()
        book.save(stream)
        if book.vba_archive is not None:
            book.vba_archive.close()
        return stream.getvalue()


def read_spreadsheet(data: bytes, name: str) -> Table:
    """A table from the first sheet of a workbook; formulas count with their stored values."""
    import pandas as pd

    book, written = _open(data, name, formulas=False), _open(data, name, formulas=True)
    if not book.worksheets:
        raise TableError(f"{name} holds charts but no sheet of cells. Put the table into a sheet.")
    chosen = book.worksheets[0].title
    formulas = [[_formula(cell) for cell in row] for row in written[chosen].iter_rows()]
    shown = [
        [_value(cell, formula) for cell, formula in zip(cells, row, strict=True)]
        for cells, row in zip(book[chosen].iter_rows(), formulas, strict=True)
    ]
    rows = _trimmed(shown, formulas)
    if not rows:
        raise TableError(f"{name}: sheet {chosen!r} is empty. It needs a first row with the names of the columns.")
    columns, notes = unique_names(["" if value is None else str(value) for value in rows[0]])
    body = rows[1:]
    merged = _spread(body, book[chosen].merged_cells.ranges)
    frame = pd.DataFrame(body, columns=columns, index=range(len(body)), dtype=object)
    more = [f"Read the sheet {chosen!r}; the others stay as they are."] if len(book.sheetnames) > 1 else []
    if merged:
        more.append(f"{merged:,} merged cells count with the value they show.")
    by_column = {
        column: {row: cells[place] for row, cells in enumerate(formulas[1 : len(rows)]) if cells[place]}
        for place, column in enumerate(columns)
    }
    return Table(name, frame, Spreadsheet(data, chosen, tuple(columns), by_column), (*notes, *more))


def _formula(cell: Any) -> str:
    """The formula of a cell, if it has one; that of an array is an object that has a text."""
    return str(getattr(cell.value, "text", cell.value)) if cell.data_type == "f" else ""


def _value(cell: Any, formula: str) -> Any:
    """What a cell shows; its formula where Excel has stored no value, not even an empty text."""
    if cell.value is None and formula and cell.data_type != "str":
        return Formula(formula)
    return None if is_missing(cell.value) else cell.value


def _spread(body: list[list[Any]], ranges: Any) -> int:
    """Writes what a merged cell shows into all rows that it covers; how many that are.

    Columns to the right stay empty: the title of a section is no number of each of them.
    """
    count = 0
    for one in ranges:
        top, place = one.min_row - 2, one.min_col - 1
        covered = body[top : one.max_row - 1] if top >= 0 else []
        if len(covered) < 2 or place >= len(covered[0]) or covered[0][place] is None:
            continue
        count += len(covered)
        for row in covered:
            row[place] = covered[0][place]
    return count


def _trimmed(rows: list[list[Any]], formulas: list[list[str]]) -> list[list[Any]]:
    """Without empty rows at the end and empty columns on the right, which a sheet may count as used.

    A column of formulas is not empty even if they show nothing: new columns go to its right.
    """
    used = [place for row in rows for place, value in enumerate(row, start=1) if value is not None]
    used += [place for row in formulas for place, formula in enumerate(row, start=1) if formula]
    while rows and all(value is None for value in rows[-1]):
        rows.pop()
    return [row[: max(used)] for row in rows]


def _put(sheet: Any, row: int, place: int, value: Any) -> None:
    from openpyxl.cell.cell import MergedCell

    if isinstance(sheet.cell(row, place), MergedCell):
        # only the first of merged cells can hold a value
        there = sheet.cell(row, place).coordinate
        sheet.unmerge_cells(next(str(one) for one in sheet.merged_cells.ranges if there in one))
    cell = sheet.cell(row, place)
    cell.value = value
    if isinstance(value, str):
        cell.data_type = "s"


def _open(data: bytes, name: str, *, formulas: bool, macros: bool = False) -> Any:
    import openpyxl

    try:
        with ZipFile(io.BytesIO(data)) as archive:
            # a workbook without macros must not say that it has them
            macros = macros and b"macroEnabled" in archive.read("[Content_Types].xml")
        return openpyxl.load_workbook(io.BytesIO(data), data_only=not formulas, keep_vba=macros)
    except (BadZipFile, AttributeError, KeyError, ValueError, OSError, TypeError) as error:
        raise TableError(f"{name} is not an Excel workbook that can be read ({error}). Save it as .xlsx.") from error
