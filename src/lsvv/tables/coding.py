"""From the cells of target columns to coded targets: classes, 0/1 columns, tags and numbers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from lsvv.tables.cells import (
    COMMA,
    Notation,
    ambiguous,
    amounts,
    counted,
    decimals_of,
    digits_of,
    is_list,
    is_missing,
    plain,
    read_numbers,
)
from lsvv.tables.table import TableError
from lsvv.tables.targets import ClassTarget, Group, LabelTarget, NumberTarget, TagTarget, Target
from lsvv.tables.tasks import Finding, separator_of

__all__ = ["code", "grouped"]

_WHOLE = {sign: re.compile(rf"[+-]?(?:0|[1-9]\d*){re.escape(sign)}0*") for sign in ".,"}


def code(finding: Finding, cells: Sequence[Any]) -> Target:
    """The target of a column: ``cells`` holds None where it is empty."""
    known = np.array([cell is not None for cell in cells], dtype=bool)
    maker = {"classes": _classes, "labels": _labels, "tags": _tags, "numbers": _numbers}[finding.task]
    return maker(finding, list(cells), known)


def grouped(targets: Sequence[Target]) -> list[Group]:
    """Numbers together, 0/1 columns together, every other target alone; in the order of the columns."""
    groups: dict[Any, list[Target]] = {}
    for target in targets:
        key = target.task if target.task in ("numbers", "labels") else target.column
        groups.setdefault((target.task, key), []).append(target)
    return [Group(task, tuple(members)) for (task, _), members in groups.items()]


def _classes(finding: Finding, cells: list[Any], known: np.ndarray) -> Target:
    notation = read_numbers(cells, finding.usual).notation
    keys = [None if cell is None else _key(cell, notation) for cell in cells]
    forms: dict[str, Counter[Any]] = {}
    for key, cell in zip(keys, cells, strict=True):
        if key is not None:
            forms.setdefault(key, Counter())[cell] += 1
    names = sorted(forms)
    if len(names) < 2:
        said = f"all say {names[0]!r}" if names else "there are none"
        raise TableError(
            f"The target {finding.column!r} needs known cells of at least two classes, but {said}. Label a row of "
            f"another class."
        )
    place = {name: index for index, name in enumerate(names)}
    values = np.array([-1 if key is None else place[key] for key in keys])
    spellings = tuple(plain(forms[name].most_common(1)[0][0]) for name in names)
    return ClassTarget(finding.column, "classes", finding.reason, known, values, tuple(names), spellings)


def _key(cell: Any, notation: Notation) -> str:
    """One key for every way to write a class: blanks around it and 1 against 1.0 do not matter."""
    value = plain(cell)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value).strip()
    # 1.10 may be a version other than 1.1
    return text.partition(notation.decimal)[0] if _WHOLE[notation.decimal].fullmatch(text) else text


def _labels(finding: Finding, cells: list[Any], known: np.ndarray) -> Target:
    numbers = read_numbers(counted(cells), finding.usual).values
    seen: dict[float, Any] = {
        float(number): plain(cell) for number, cell in zip(numbers, cells, strict=True) if cell is not None
    }
    example = next(iter(seen.values()))
    other = {bool: (False, True), str: ("0", "1")}.get(type(example), (0, 1))
    spellings = (seen.get(0.0, other[0]), seen.get(1.0, other[1]))
    return LabelTarget(finding.column, "labels", finding.reason, known, numbers, (finding.column,), spellings)


def _tags(finding: Finding, cells: list[Any], known: np.ndarray) -> Target:
    lists = any(is_list(cell) for cell in cells)
    texts = [str(cell) for cell in cells if cell is not None]
    separator = None if lists else separator_of(texts) or _most_common_separator(texts)
    split = [None if cell is None else _parts(cell, separator) for cell in cells]
    forms: dict[str, Any] = {}
    for tag in (tag for tags in split if tags is not None for tag in tags):
        forms.setdefault(_key(tag, finding.usual), tag)
    names = sorted(forms)
    if len(names) < 2:
        raise TableError(f"The target {finding.column!r} holds fewer than two different tags. Label rows with others.")
    place = {name: index for index, name in enumerate(names)}
    values = np.full((len(cells), len(names)), np.nan)
    for row, tags in enumerate(split):
        if tags is not None:
            values[row] = 0.0
            values[row, [place[_key(tag, finding.usual)] for tag in tags]] = 1.0
    spellings = tuple(forms[name] for name in names) if lists else None
    may_be_none = not np.all(values[known].any(axis=1))
    return TagTarget(
        finding.column, "tags", finding.reason, known, values, tuple(names), separator, spellings, may_be_none
    )


def _most_common_separator(texts: list[str]) -> str:
    return max(("; ", ";", "|", ", ", ","), key=lambda mark: sum(mark in text for text in texts))


def _parts(cell: Any, separator: str | None) -> list[Any]:
    if separator is None or is_list(cell):
        parts = list(cell) if is_list(cell) else [cell]
    else:
        parts = str(cell).split(separator.strip())
    return [part.strip() if isinstance(part, str) else plain(part) for part in parts if not is_missing(part)]


def _numbers(finding: Finding, given: list[Any], known: np.ndarray) -> Target:
    cells = amounts(given, finding.unit) if finding.unit else given
    reading = read_numbers(cells, finding.usual)
    numbers, column = reading.values, finding.column
    if reading.strange:
        row = reading.strange[0]
        said = f"row {row + 1} says {given[row]!r}"
        raise TableError(f"The target {column!r} is to be numbers, but {said}. Correct or empty that cell.")
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0]) + 1
        raise TableError(f"The target {column!r} is infinite in row {row}. Correct or empty that cell.")
    filled = [cell for cell in cells if cell is not None]
    example, ends = ambiguous(filled, reading.notation), _ends(filled)
    reason = finding.reason if example is None else f"{finding.reason}, reading {example}"
    if ends is not None:
        reason += f", and what is filled stays within {ends[0]} and {ends[1]}, as its type must"
    written = _text_style(filled, reading.notation) if all(isinstance(cell, str) for cell in filled) else {}
    decimals = decimals_of(filled, reading.notation)
    whole = decimals == 0 and all(isinstance(cell, (str, int, np.integer)) for cell in filled)
    least = 0.0 if np.all(numbers[known] >= 0.0) else -math.inf
    style = {"style": "whole" if whole else "typed", "ends": ends, "least": least, **written}
    if finding.unit:
        style |= _signs_around(given, cells)
    return NumberTarget(column, "numbers", reason, known, numbers, (column,), decimals, **style)


def _ends(cells: list[Any]) -> tuple[int, int] | None:
    """What the type of the cells holds; None where a number of any size will do."""
    limits = next((np.iinfo(type(cell)) for cell in cells if isinstance(cell, np.integer)), None)
    return None if limits is None else (int(limits.min), int(limits.max))


def _signs_around(given: Sequence[Any], amounts: Sequence[Any]) -> dict[str, Any]:
    """What stands before and after the digits, as in the first cell."""
    text, number = next((text.strip(), str(n).strip()) for text, n in zip(given, amounts, strict=True) if n is not None)
    before, _, after = text.removeprefix("-").partition(number.removeprefix("-"))
    return {"before": before, "after": after}


def _text_style(texts: list[str], notation: Notation) -> dict[str, Any]:
    """How texts write numbers, as a :class:`NumberTarget` knows it."""
    style = {"style": "comma" if notation is COMMA else "point", "group": notation.group_in(texts)}
    exponents = [text for text in texts if "e" in text.lower()]
    if not exponents:
        return style
    form = "e" if len(exponents) == len(texts) else "g"
    return {**style, "form": form.upper() if "E" in exponents[0] else form, "digits": digits_of(texts, notation)}
