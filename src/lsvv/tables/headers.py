"""The names of columns: the cells of the first line, made distinct; and a note where they look like a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lsvv.tables.cells import as_numbers, is_missing, known, read_numbers
from lsvv.tables.table import TableError, unique_names
from lsvv.tables.words import count

__all__ = ["named_columns", "no_header_row", "suspicious_header"]


def no_header_row(header_row: int, n_lines: int, name: str) -> TableError:
    """What is wrong with a line of names that is not there."""
    has = count(n_lines, "line")
    return TableError(f"{name} has {has}, and none with the number {header_row}. Correct --header-row.")


def named_columns(header: Sequence[Any] | None, n_columns: int) -> tuple[list[str], tuple[str, ...]]:
    """The distinct names of the columns, numbered where no line has names, and notes.

    Examples
    --------
    >>> named_columns(["x", None], 2)[0], named_columns(None, 2)[0]
    (['x', 'column 2'], ['column 1', 'column 2'])
    """
    cells = [None] * n_columns if header is None else header
    return unique_names(["" if is_missing(cell) else str(cell) for cell in cells])


def suspicious_header(header: Sequence[Any] | None, columns: Sequence[Sequence[Any]]) -> Iterator[str]:
    """A note where every column of numbers has a number for a name: the line of names may be a row.

    Examples
    --------
    >>> next(suspicious_header(["5.1", "iris"], [["4.9", "5.0"], ["iris", "lily"]]))[:52]
    "The names of the columns look like a row, as '5.1' d"
    >>> list(suspicious_header(["2019", "2020"], [["4.9", "5.0"], ["1", "2"]]))
    []
    """
    if header is None:
        return
    below = [read_numbers(known(column[:100])).mostly for column in columns]
    names = [as_numbers([cell]) if not is_missing(cell) else None for cell in header]
    given = [float(name[0]) for name in names if name is not None]
    # 2019, 2020, 2021 are names
    steps = np.diff(given)
    counted = steps.size > 0 and bool(np.all(steps == steps[0])) and steps[0] != 0
    if given and not counted and all(name is not None for name, numbers in zip(names, below, strict=True) if numbers):
        example = next(cell for cell, name in zip(header, names, strict=True) if name is not None)
        yield (
            f"The names of the columns look like a row, as {str(example)!r} does. If they are one, read the table "
            f"with --header-row 0."
        )
