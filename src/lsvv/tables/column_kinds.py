"""Input columns: what each of them holds, how its cells are read, and when it says nothing of its rows."""

from __future__ import annotations

import json
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any, ClassVar

import numpy as np

from lsvv.tables.cells import (
    COMMA,
    MOST_STRANGE,
    POINT,
    Notation,
    Reading,
    ambiguous,
    amounts,
    day_and_month,
    is_date,
    is_list,
    read_numbers,
    unit_of,
)

__all__ = ["Column", "DateColumn", "NumberColumn", "ReadColumn", "TextColumn", "find_column"]

FEWEST_FOR_IDENTIFIERS = 10
LARGEST = 1e38
"""About the largest number of single precision."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Column(ABC):
    """One input column and how its cells are read."""

    kind: ClassVar[str]
    name: str

    @abstractmethod
    def read(self, cells: Sequence[Any], usual: Notation = POINT) -> tuple[np.ndarray, Sequence[int]]:
        """The cells, None where one is empty, as values of one type, and the places of those that are not of it.

        ``usual`` is how the file of the cells writes numbers.
        """

    def unread(self, cells: Sequence[Any], strange: Sequence[int]) -> list[str]:
        """A note of the strange cells, which count as empty."""
        return [self.said_of_strange(len(strange), cells[strange[0]], strange[0])] if strange else []

    def said_of_strange(self, count: int, cell: Any, row: int) -> str:
        """The note of so many cells, one of which is in a row, from 0."""
        kind, kinds = f"{self.kind}{self.written}", f"{self.kind}s{self.written}"
        are = f"1 cell is no {kind} and counts" if count == 1 else f"{count:,} cells are no {kinds} and count"
        return f"Column {self.name!r} is {kinds}: {are} as empty, {cell!r} in row {row + 1} for one."

    @property
    def written(self) -> str:
        """How its cells must be written, as a note says it."""
        return ""


@dataclass(frozen=True)
class NumberColumn(Column):
    """Numbers, NaN where there is none; true and false are 1 and 0.

    Attributes
    ----------
    unit : str
        The percent or currency sign that its cells have, if they do.
    decimal_comma : bool
        Whether its texts write 1,5; if not, they write numbers as their file does.
    """

    kind = "number"
    unit: str = ""
    decimal_comma: bool = False

    @property
    def written(self) -> str:
        """With their unit."""
        return f" with {self.unit}" if self.unit else ""

    def read(self, cells: Sequence[Any] | np.ndarray, usual: Notation = POINT) -> tuple[np.ndarray, Sequence[int]]:
        """The numbers; an array holds nothing else."""
        if isinstance(cells, np.ndarray):
            return _within_range(cells.astype(np.float64)), ()
        reading = read_numbers(amounts(cells, self.unit), COMMA if self.decimal_comma else usual)
        return _within_range(reading.values), reading.strange


@dataclass(frozen=True)
class DateColumn(Column):
    """Dates without their time zones, NaT where there is none; ``day_first`` says how 01/02/2020 is read."""

    kind = "date"
    day_first: bool = False

    def read(self, cells: Sequence[Any], usual: Notation = POINT) -> tuple[np.ndarray, Sequence[int]]:
        """The dates."""
        import pandas as pd

        dates = pd.Series([cell if is_date(cell) else None for cell in cells], dtype=object)
        ordered = np.array([_is_ordered(cell) for cell in cells], dtype=bool)
        parsed = partial(pd.to_datetime, errors="coerce", utc=True, format="mixed")
        with warnings.catch_warnings():
            # a new table may hold 15/01/2020 where months came first: it is what it can only be
            warnings.simplefilter("ignore")
            # 2020-02-01 is the first of February whatever comes first in 01/02/2020
            years_first = parsed(dates.mask(ordered, None))
            read = years_first.fillna(parsed(dates.where(ordered, None), dayfirst=self.day_first))
        values = np.asarray(read.dt.tz_localize(None))
        return values, [place for place in np.flatnonzero(np.isnat(values)).tolist() if cells[place] is not None]


@dataclass(frozen=True)
class TextColumn(Column):
    """Texts, None where a cell is empty; lists and objects are spelt out."""

    kind = "text"

    def read(self, cells: Sequence[Any], usual: Notation = POINT) -> tuple[np.ndarray, Sequence[int]]:
        """The texts; nothing is strange as one."""
        return np.array([*(None if cell is None else _text(cell) for cell in cells), None], dtype=object)[:-1], ()


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """How a column is read and what it holds, or why it is left out; notes for the user tell of both."""

    column: Column
    values: np.ndarray
    why_left_out: str | None
    notes: tuple[str, ...]


def find_column(name: str, cells: Sequence[Any], usual: Notation = POINT) -> ReadColumn:
    """What an input column holds: numbers or dates where nearly all its cells are, else texts; None is an empty cell.

    ``usual`` is how its file writes numbers, where its own cells do not say.
    """
    unit = unit_of(cells)
    given_amounts = amounts(cells, unit)
    reading = read_numbers(given_amounts, usual)
    # a rare text beside one number is all that the column says
    if reading.mostly and (not reading.strange or np.nanmin(reading.values) < np.nanmax(reading.values)):
        return _found_numbers(NumberColumn(name, unit, reading.notation is COMMA), cells, given_amounts, reading, usual)
    given = [cell for cell in cells if cell is not None]
    order = _order(given)
    dates = None if order is None else _found_dates(name, cells, order)
    # what looks like a date may be none, as 2020-02-31 and times in words
    if dates is not None and np.sum(~np.isnat(dates.values)) >= (1.0 - MOST_STRANGE) * len(given):
        return dates
    text = TextColumn(name)
    return _found(text, text.read(cells)[0], _uninformative(given) or _nameless(given), ())


def _found(column: Column, values: np.ndarray, why_left_out: str | None, notes: Iterable[str]) -> ReadColumn:
    if why_left_out is not None:
        notes = (f"Column {column.name!r} is left out: {why_left_out}.",)
    return ReadColumn(column, values, why_left_out, tuple(notes))


def _found_numbers(
    column: NumberColumn, cells: Sequence[Any], numbers: Sequence[Any], reading: Reading, usual: Notation
) -> ReadColumn:
    is_given = ~np.isnan(reading.values)
    given = [numbers[place] for place in np.flatnonzero(is_given).tolist()]
    why = _uninformative(given) or _uncountable(column.name, given, reading.values[is_given])
    return _found(column, _within_range(reading.values), why, _number_notes(column, cells, given, reading, usual))


def _found_dates(name: str, cells: Sequence[Any], order: str) -> ReadColumn:
    dates = [cell for cell in cells if is_date(cell)]
    doubtful = next(filter(_is_ordered, dates)) if order == "either" else None
    # where 01.02.2020 is written, days come first
    column = DateColumn(name, day_first="." in doubtful if doubtful else order == "day first")
    values, strange = column.read(cells)
    notes = column.unread(cells, strange)
    if doubtful:
        first = "day" if column.day_first else "month"
        notes.insert(0, f"Column {name!r} is read as dates with the {first} first, as in {doubtful!r}.")
    return _found(column, values, _uninformative(dates), notes)


def _number_notes(
    column: NumberColumn, cells: Sequence[Any], given: Sequence[Any], reading: Reading, usual: Notation
) -> Iterator[str]:
    yield from column.unread(cells, reading.strange)
    example = ambiguous(given, reading.notation)
    # of a file with decimal commas its reader has told
    if example is not None and usual is POINT:
        yield f"Column {column.name!r} is read with groups of thousands, {example}."
    beyond = int(np.sum(np.abs(reading.values) > LARGEST))
    if beyond:
        are = "1 number of column {!r} is" if beyond == 1 else f"{beyond:,} numbers of column {{!r}} are"
        yield f"{are.format(column.name)} beyond {LARGEST:g} and taken for empty."
    if column.unit:
        first = int(np.flatnonzero(~np.isnan(reading.values))[0])
        kind = "percentages" if column.unit == "%" else f"amounts in {column.unit}"
        said = f"{cells[first].strip()!r} as {reading.values[first]:.15g}"
        yield f"Column {column.name!r} is read as {kind}, {said}."


def _uninformative(given: Sequence[Any]) -> str | None:
    """Why a column says nothing of its rows, whatever it holds; None where it may."""
    if not given:
        return "it is empty"
    return "all its cells are the same" if len({_text(cell) for cell in given}) == 1 else None


def _uncountable(name: str, given: Sequence[Any], numbers: np.ndarray) -> str | None:
    """Why numbers say nothing of their rows."""
    if np.all(np.abs(numbers) > LARGEST):
        return f"its numbers are beyond {LARGEST:g}"
    # years that follow one another say when
    counts_rows = numbers[0] in (0, 1) and bool(np.all(np.diff(numbers) == 1))
    called_so = bool(np.all(numbers == np.round(numbers))) and _names_identifiers(name)
    return "it numbers the rows" if (counts_rows or called_so) and _all_differ(given) else None


def _nameless(given: Sequence[Any]) -> str | None:
    """Why texts say nothing of their rows."""
    single_words = all(isinstance(cell, str) and not any(char.isspace() for char in cell.strip()) for cell in given)
    identifiers = single_words and _all_differ(given) and not _are_dates(given)
    return "every row has its own name in it, like an identifier" if identifiers else None


def _all_differ(given: Sequence[Any]) -> bool:
    return len(given) >= FEWEST_FOR_IDENTIFIERS and len({_text(cell) for cell in given}) == len(given)


def _names_identifiers(name: str) -> bool:
    """Whether a word of the name says so; no_of_visitors is a count."""
    words = _WORD.findall(name.lower())
    return any(
        word in ("id", "uuid", "guid", "key", "index", "nr", "no") and after != "of"
        for word, after in zip_longest(words, words[1:])
    )


def _are_dates(given: Sequence[str]) -> bool:
    """Whether texts are dates in words; the first few decide."""
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(pd.to_datetime(pd.Series(given[:100]), errors="coerce", utc=True).notna().all())


def _order(given: Sequence[Any]) -> str | None:
    """Whether dates are read with the "year first", "day first" or "month first", or "either" of the two would do.

    None for columns that are not mostly dates, or whose dates allow neither.
    """
    dates = [cell for cell in given if is_date(cell)]
    n_strange = len(given) - len(dates)
    # a rare text beside one date is all that the column says
    if not dates or n_strange > MOST_STRANGE * len(given) or (n_strange and len(set(map(str, dates))) == 1):
        return None
    pairs = [pair for pair in (day_and_month(cell) for cell in dates if isinstance(cell, str)) if pair is not None]
    if not pairs:
        return "year first"
    can_day, can_month = all(two <= 12 for _, two in pairs), all(one <= 12 for one, _ in pairs)
    return {(True, True): "either", (True, False): "day first", (False, True): "month first"}.get((can_day, can_month))


def _is_ordered(cell: Any) -> bool:
    """Whether a cell is a date such as 01/02/2020, which depends on what comes first."""
    return isinstance(cell, str) and day_and_month(cell) is not None


def _within_range(numbers: np.ndarray) -> np.ndarray:
    """Infinity, and what single precision cannot hold, is no number to compute with."""
    return np.where(np.abs(numbers) <= LARGEST, numbers, np.nan)


def _text(cell: Any) -> str:
    if is_list(cell):
        return " ".join(str(part) for part in cell)
    return json.dumps(cell, sort_keys=True, default=str) if isinstance(cell, dict) else str(cell)
