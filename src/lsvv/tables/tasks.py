"""What a target column asks for: found from its known cells, shown with a reason, overridden by a word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsvv.tables.cells import (
    COMMA,
    MOST_STRANGE,
    POINT,
    Formula,
    Notation,
    Reading,
    amounts,
    as_numbers,
    counted,
    is_date,
    is_list,
    parted_unit,
    read_numbers,
    unit_of,
)
from lsvv.tables.table import TableError

__all__ = ["ASKED", "TASKS", "Finding", "by_column", "find_task", "separator_of", "task_words"]

TASKS = ("classes", "labels", "tags", "numbers")
"""One class a row; 0/1 columns learnt together; several tags in one cell; numbers."""

MOST_CODES = 10
FEWEST_A_CODE = 3
MOST_MARKERS = 2
"""The most texts that say in a column of numbers that there is none."""
FEWEST_FOR_NAMES = 10
MOST_NAMES = 0.9
"""The share of different names among known cells beyond which they name rows rather than classes."""
SEPARATORS = ("; ", ";", "| ", "|", ", ", ",")
FEWEST_WITH_SEPARATOR = 0.1
_CODE = re.compile(r"\s*0\d")
"""007 is no number."""


ASKED = "you asked for it"


@dataclass(frozen=True)
class Finding:
    """The task of a column and why; ``usual`` is how it writes numbers where its cells do not say.

    ``asked`` says that the user chose the task, ``unit`` is the percent or currency sign of all its numbers.
    """

    column: str
    task: str
    reason: str
    usual: Notation = POINT
    asked: bool = False
    unit: str = ""


def task_words(words: str | None, columns: Sequence[str]) -> dict[str, str]:
    """--task as a mapping: one word for all targets, or column=word, parted by commas.

    Examples
    --------
    >>> task_words("numbers", ["a", "b"])
    {'a': 'numbers', 'b': 'numbers'}
    >>> task_words("b=classes,numbers", ["a", "b"])
    {'a': 'numbers', 'b': 'classes'}
    """
    given: dict[str, str] = {}
    # what is said of a column counts more than what is said of all
    for column, word in sorted(by_column(words, columns), key=lambda said: said[0] is not None):
        if column is None and "=" in word:
            other = word.rpartition("=")[0]
            raise TableError(f"--task names {other!r}, which is no target. The targets are {', '.join(columns)}.")
        if word not in TASKS:
            raise TableError(f"There is no task {word!r}. Choose one of {', '.join(TASKS)}.")
        given.update(dict.fromkeys(columns if column is None else [column], word))
    return given


def by_column(words: str | None, columns: Sequence[str]) -> Iterator[tuple[str | None, str]]:
    """What COL=WORD[,COL=WORD...] says of each column, None for a word without one of them.

    Examples
    --------
    >>> list(by_column("b=2,size, cm=3,4", ["b", "size, cm"]))
    [('b', '2'), ('size, cm', '3'), (None, '4')]
    """
    rest = (words or "").strip()
    while rest:
        # the longest name, as one may begin with another, and hold commas and equal signs of its own
        column = max((name for name in columns if rest.startswith(f"{name}=")), key=len, default=None)
        start = 0 if column is None else len(column) + 1
        word, _, rest = rest[start:].partition(",")
        rest = rest.strip()
        if word.strip():
            yield column, word.strip()


def find_task(values: Mapping[str, Sequence[Any]], given: Mapping[str, str], usual: Notation = POINT) -> list[Finding]:
    """The task of every target column; ``values`` holds each column's cells, None where empty."""
    for column, cells in values.items():
        _refuse_too_few(column, sum(cell is not None for cell in cells))
        _refuse_unknowable(column, cells)
        _refuse_unlike(column, cells, given.get(column), usual)
    found = [
        Finding(column, given[column], ASKED, asked=True, unit=unit_of(cells))
        if column in given
        else _find(column, cells, usual)
        for column, cells in values.items()
    ]
    # a single 0/1 column has no other to be learnt with: it is two classes
    alone = sum(one.task == "labels" for one in found) == 1
    return [replace(one, task="classes" if alone and one.task == "labels" else one.task, usual=usual) for one in found]


def _refuse_too_few(column: str, n_known: int) -> None:
    if n_known == 0:
        raise TableError(
            f"The target {column!r} has no known cell, so there is nothing to learn from. Fill in at least a few."
        )
    if n_known == 1:
        raise TableError(f"The target {column!r} has one known cell. Fill in at least two, better twenty.")


def _refuse_unknowable(column: str, cells: Sequence[Any]) -> None:
    for row, cell in enumerate(cells, start=1):
        if isinstance(cell, Formula):
            raise TableError(
                f"The target {column!r} holds the formula {str(cell)!r} in row {row}, whose value is not in the file. "
                f"Save the workbook in Excel, or replace the formulas by their values."
            )
        nested = any(isinstance(part, dict) or is_list(part) for part in cell) if is_list(cell) else False
        if nested or isinstance(cell, dict):
            raise TableError(
                f"The target {column!r} holds objects or lists of lists, as in row {row}, which cannot be filled. Put "
                f"what is to be filled into a column of its own."
            )


def _refuse_unlike(column: str, cells: Sequence[Any], task: str | None, usual: Notation) -> None:
    """Refuses cells that are not what was asked for; numbers are checked as they are coded."""
    if task == "classes" and any(map(is_list, cells)):
        raise TableError(f"The target {column!r} holds lists, which are no classes. Give --task tags.")
    if task == "labels":
        reading = read_numbers(counted(cells), usual)
        given = np.isin(reading.values, (0.0, 1.0)) | np.array([cell is None for cell in cells])
        if not given.all():
            wrong = cells[int(np.flatnonzero(~given)[0])]
            raise TableError(f"The target {column!r} is to be 0 or 1, but holds {wrong!r}. Choose another task.")


def _find(column: str, cells: Sequence[Any], usual: Notation) -> Finding:
    known = [cell for cell in cells if cell is not None]
    if any(is_list(cell) for cell in known):
        return Finding(column, "tags", "its cells are lists")
    if all(isinstance(cell, (bool, np.bool_)) for cell in known):
        return Finding(column, "labels", "its cells are true or false")
    reading = read_numbers(known, usual)
    if not reading.strange:
        return _find_numbers(column, reading)
    amount = _find_amounts(column, known, usual)
    if amount is not None:
        return amount
    _refuse_markers(column, known, usual)
    return _find_texts(column, cells, known, reading)


def _find_amounts(column: str, known: Sequence[Any], usual: Notation) -> Finding | None:
    unit = unit_of(known)
    if not unit or _few_recur(known):
        return None
    cells = amounts(known, unit)
    reading = read_numbers(cells, usual)
    if reading.strange:
        return None
    kind = "percentages" if unit == "%" else f"amounts in {unit}"
    return Finding(column, "numbers", f"its cells are {kind} {_from_to(reading, 15)}", unit=unit)


def _from_to(reading: Reading, digits: int) -> str:
    """The least and the greatest number, with the decimal sign of the column."""
    ends = (float(end(reading.values)) for end in (np.min, np.max))
    return "from {} to {}".format(*(f"{end:.{digits}g}".replace(".", reading.notation.decimal) for end in ends))


def _find_texts(column: str, cells: Sequence[Any], known: Sequence[Any], reading: Reading) -> Finding:
    measures = [None if cell is None else _measure(cell) for cell in cells]
    separator = separator_of([str(cell) for cell in known])
    measured = Counter(measure for measure in measures if measure is not None)
    commonest = measured.most_common(1)[0][0] if measured else None
    # 1,5 beside 2,5 is a number however well its parts recur, and codes such as G, 1, 2 are numbers in part
    strict = commonest == "numbers" or separator is not None
    share = measured.total() / len(known)
    dates = any(hasattr(cell, "year") for cell in known)
    given = [row for row, cell in enumerate(cells) if cell is not None]
    if dates or (share >= 1.0 - MOST_STRANGE if strict else share > 0.5):
        _refuse_measures(column, cells, measures, [given[place] for place in reading.strange])
    elif separator is not None:
        return Finding(column, "tags", f"many cells hold several names parted by {separator.strip()!r}")
    distinct = len({str(cell).strip() for cell in known})
    _refuse_names_of_rows(column, distinct, len(known))
    return Finding(column, "classes", f"its cells are {distinct} different names")


def _refuse_markers(column: str, known: Sequence[Any], usual: Notation) -> None:
    """Refuses numbers among which a text or two recur, such as - or n.a.: as a class it would fill the holes."""
    # V27 among numbers is a code
    texts = [cell.strip() for cell in known if isinstance(cell, str) and not any(map(str.isdigit, cell))]
    counts = Counter(texts)
    if not 0 < len(counts) <= MOST_MARKERS or min(counts.values()) == 1 or _few_recur(known):
        return
    rest = [cell for cell in known if not isinstance(cell, str) or cell.strip() not in counts]
    numbers = as_numbers(amounts(rest, unit_of(rest)), usual) if rest else None
    distinct = 0 if numbers is None else np.unique(numbers).size
    if numbers is None or (distinct <= MOST_CODES and bool(np.all(numbers == np.round(numbers)))):
        return
    # a number or two among names do not make them numbers
    if len(rest) <= len(known) / 2 and distinct <= MOST_CODES:
        return
    raise TableError(
        f"The target {column!r} holds numbers, but {len(texts)} of its {len(known)} known cells say "
        f"{' or '.join(map(repr, counts))}. Give --missing '{','.join(counts)}' if that means empty, or --task "
        f"classes if these are names."
    )


def _few_recur(known: Sequence[Any]) -> bool:
    """Whether the cells are few different ones that recur, as codes do."""
    distinct = len(set(map(str, known)))
    return distinct <= MOST_CODES and len(known) >= FEWEST_A_CODE * distinct


def _measure(cell: Any) -> str | None:
    """What a cell measures, if it does: dates, numbers, percentages or money."""
    if is_date(cell):
        return "dates"
    if not isinstance(cell, str):
        return None if as_numbers([cell]) is None else "numbers"
    unit, number = parted_unit(cell)
    kind = {"": "numbers", "%": "percentages"}.get(unit, "money")
    return kind if POINT.reads(number) or COMMA.reads(number) else None


def _refuse_measures(column: str, cells: Sequence[Any], measures: Sequence[str | None], strange: Sequence[int]) -> None:
    """Refuses what is measured rather than named, but not in plain numbers: as classes it would be copied."""
    commonest = Counter(measure for measure in measures if measure is not None).most_common(1)[0][0]
    if commonest != "dates" and _few_recur([cell for cell in cells if cell is not None]):
        return
    if commonest == "numbers":
        if any(_CODE.match(str(cells[row])) for row in strange):
            return
        row = strange[0]
        raise TableError(
            f"The target {column!r} is mostly numbers, but row {row + 1} says {str(cells[row])!r}. Give --task classes "
            f"if these are codes; else correct or empty such cells, or say what means empty with --missing."
        )
    row = measures.index(commonest)
    sign = parted_unit(str(cells[row]))[0]
    signs = [sign if cell is None else parted_unit(str(cell))[0] for cell in cells]
    other = next((place for place, one in enumerate(signs) if one != sign), None)
    if commonest != "dates" and other is not None:
        raise TableError(
            f"The target {column!r} holds {commonest}, such as {str(cells[row])!r} in row {row + 1}, but row "
            f"{other + 1} says {str(cells[other])!r}. Write all cells with the same sign, or give the task with --task."
        )
    raise TableError(
        f"The target {column!r} holds {commonest}, such as {str(cells[row])!r} in row {row + 1}, which cannot be "
        f"filled. Turn them into plain numbers, or give the task with --task."
    )


def _refuse_names_of_rows(column: str, distinct: int, n_known: int) -> None:
    if n_known >= FEWEST_FOR_NAMES and distinct > MOST_NAMES * n_known:
        raise TableError(
            f"The {n_known} known cells of the target {column!r} are {distinct} different names, so that filled cells "
            f"would be copies of single rows. Name classes that recur, or give the task with --task."
        )


def _find_numbers(column: str, reading: Reading) -> Finding:
    numbers = reading.values
    distinct, counts = np.unique(numbers, return_counts=True)
    if set(distinct.tolist()) <= {0.0, 1.0}:
        return Finding(column, "labels", "its cells are 0 or 1")
    whole = bool(np.all(numbers == np.round(numbers)))
    consecutive = whole and distinct[0] in (0, 1) and distinct[-1] - distinct[0] + 1 == distinct.size
    if consecutive and distinct.size <= MOST_CODES and numbers.size >= FEWEST_A_CODE * distinct.size:
        return Finding(column, "classes", f"its cells are the codes {distinct[0]:g} to {distinct[-1]:g}")
    if whole and distinct.size == 2 and counts.min() >= FEWEST_A_CODE:
        return Finding(column, "classes", f"its cells are one of the two codes {distinct[0]:g} and {distinct[1]:g}")
    return Finding(column, "numbers", f"its cells are numbers {_from_to(reading, 6)}")


def separator_of(cells: Sequence[str]) -> str | None:
    """What parts the tags in the cells of a column; None where they are whole names.

    Tags recur in different company: split cells give fewer names than there were different cells, and not every
    cell holds equally many.

    Examples
    --------
    >>> separator_of(["red; blue", "red", "blue", "green; red"])
    '; '
    >>> separator_of(["Smith, John", "Doe, Jane"]) is None
    True
    """
    for mark in SEPARATORS:
        holding = sum(mark in cell for cell in cells)
        if holding < FEWEST_WITH_SEPARATOR * len(cells) or not holding:
            continue
        split = [[part.strip() for part in cell.split(mark.strip())] for cell in cells]
        names = {part for parts in split for part in parts}
        lengths = {len(parts) for parts in split}
        if len(lengths) > 1 and len(names) <= len(set(cells)):
            return mark
    return None
