"""A table in memory: its values for learning, and where they came from for writing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lsvv.tables.cells import POINT, Notation

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Edits", "Layout", "Source", "Table", "TableError", "WritingError", "fresh_name", "unique_names"]


class TableError(ValueError):
    """Something is wrong with a table, and the sentence says what, where, and what to do."""


class WritingError(TableError):
    """A file cannot be written; nothing was left behind."""


@dataclass(frozen=True)
class Edits:
    """What changes in a table: cells that were empty, and columns to its right.

    Attributes
    ----------
    cells : mapping of column to mapping of row to value
        Only empty cells are named; the source writes these and nothing else.
    columns : mapping of name to sequence
        New columns, one value a row; None is an empty cell.
    """

    cells: Mapping[str, Mapping[int, Any]]
    columns: Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Layout:
    """How a file is laid out, where it does not say so itself.

    Attributes
    ----------
    sheet : str, optional
        The sheet of a workbook that is the table; the first by default.
    header_row : int
        The line, from 1, that names the columns; 0 where none does.
    decimal : "." or ",", optional
        The decimal sign of numbers in texts, where a column alone does not tell; found by default.
    """

    sheet: str | None = None
    header_row: int = 1
    decimal: str | None = None


class Source(ABC):
    """The file a table was read from, kept so that what was known can be written back as it was."""

    notation: Notation = POINT
    """How texts of the file write numbers, in columns that alone do not say."""
    other_sheets: tuple[str, ...] = ()
    """The sheets of the file that were not read."""
    is_named_by_a_line: bool = False
    """Whether a line of the file names the columns, which may be another than the first, or none."""

    def is_whole(self, column: str) -> bool:
        """Whether a column holds whole numbers by its type, and cannot hold others."""
        return False

    def is_categorical(self, column: str) -> bool:
        """Whether a column holds classes by its type, whatever they are called."""
        return False

    def formulas_in(self, column: str) -> Mapping[int, str]:
        """The formulas of a column by row; nothing is written over them."""
        return {}

    @abstractmethod
    def rendered(self, edits: Edits) -> bytes:
        """The whole file with the edits applied."""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows and named columns.

    Attributes
    ----------
    name : str
        What messages call the table: its path, or "standard input".
    frame : pandas.DataFrame
        The values; None or NaN where a cell is empty. Column names are unique.
    source : Source
        Writes the table back.
    notes : tuple of str
        What a reader should know of how the file was read.
    labels : mapping of column to mapping of row to value
        Cells that are empty in the file and known from elsewhere; they stand in ``frame`` and are written.
    marked : mapping of column to texts
        Texts, such as NA, that were taken for an empty cell.
    format : str
        The ending that stands for its format.
    missing : tuple of str
        All texts that mean an empty cell.
    sheets : tuple of str
        Where the labels are from.
    layout : Layout
        How the file is laid out, as it was said.
    aside : tuple of str
        Columns that are no inputs, by the user's wish or because they are of no use.
    kept : tuple of str
        Columns that are inputs by the user's wish, whatever they say.
    """

    name: str
    frame: pd.DataFrame
    source: Source
    notes: tuple[str, ...] = ()
    labels: Mapping[str, Mapping[int, Any]] = field(default_factory=dict)
    marked: Mapping[str, frozenset[str]] = field(default_factory=dict)
    format: str = ""
    missing: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    layout: Layout = field(default_factory=Layout)
    aside: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def unique_names(names: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Column names made distinct, and a note for each that was not: every bearer of a name is numbered.

    Examples
    --------
    >>> unique_names(["x", "y", "x", ""])[0]
    ['x (1)', 'y', 'x (2)', 'column 4']
    """
    named = [name.strip() or f"column {place}" for place, name in enumerate(names, start=1)]
    counts, seen = Counter(named), Counter[str]()
    distinct: list[str] = []
    for name in named:
        seen[name] += 1
        distinct.append(name if counts[name] == 1 else fresh_name(f"{name} ({seen[name]})", {*named, *distinct}))
    notes = tuple(
        f"{count} columns are named {name!r}; they are called {name!r} followed by (1), (2) and so on."
        for name, count in counts.items()
        if count > 1
    )
    return distinct, notes


def fresh_name(name: str, taken: set[str]) -> str:
    """``name``, or the first of ``name_2``, ``name_3``, ... that is not taken."""
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
