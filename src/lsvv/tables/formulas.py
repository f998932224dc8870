"""Texts that a spreadsheet program takes for a formula when it opens a CSV file, which has no types."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from lsvv.tables.cells import COMMA, POINT
from lsvv.tables.table import Edits, Table
from lsvv.tables.words import count

__all__ = ["with_safe_texts"]

_BEGINS = re.compile(r"\s*[=+\-@]")


def with_safe_texts(table: Table, edits: Edits, safe: bool) -> tuple[Edits, tuple[str, ...]]:
    """The edits, with an apostrophe before texts that begin like a formula where ``safe``; and notes of such texts.

    What is known in the table stays as it is; files of other formats tell texts from formulas themselves.
    """
    if table.format not in (".csv", ".tsv"):
        return edits, ()
    columns = {name: list(cells.values()) for name, cells in edits.cells.items()}
    columns |= {name: [name, *cells] for name, cells in edits.columns.items()}
    notes = tuple(_note(name, texts, safe) for name, cells in columns.items() if (texts := _formulas(cells)))
    if not safe or not notes:
        return edits, notes
    cells = {name: {row: _quoted(cell) for row, cell in some.items()} for name, some in edits.cells.items()}
    return Edits(
        cells, {_quoted(name): [_quoted(cell) for cell in some] for name, some in edits.columns.items()}
    ), notes


def _note(name: str, texts: list[str], safe: bool) -> str:
    begin = "begins" if len(texts) == 1 else "begin"
    told = f"{count(len(texts), 'new text')} of column {name!r} {begin} like a formula, such as {texts[0]!r}"
    if safe:
        return f"{told}: an apostrophe stands before."
    return f"{told}, which a spreadsheet program may run. --safe-csv puts an apostrophe before."


def _quoted(cell: Any) -> Any:
    return f"'{cell}" if _is_formula(cell) else cell


def _formulas(cells: Iterable[Any]) -> list[str]:
    return [cell for cell in cells if _is_formula(cell)]


def _is_formula(cell: Any) -> bool:
    """Whether a text begins with a sign of formulas, but is more than the sign and no number.

    Examples
    --------
    >>> [_is_formula(cell) for cell in ("=A1", "-5", "-5,5", "-", "@SUM(A1)", -5.0, "a=b")]
    [True, False, False, False, True, False, False]
    """
    if not isinstance(cell, str) or not _BEGINS.match(cell) or len(cell.strip()) < 2:
        return False
    return not any(notation.reads(cell) for notation in (POINT, COMMA))
