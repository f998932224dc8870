"""Columns as users name them: whether they are there, what else may be meant, and which of them are inputs."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches

from lsvv.tables.cells import as_numbers, is_date, is_missing
from lsvv.tables.table import Table, TableError

__all__ = ["NoTargetError", "check_columns", "check_there", "with_inputs"]

MOST_LISTED = 8


class NoTargetError(TableError):
    """The user named no column to fill; the sentence lists those with holes."""


def check_columns(table: Table, columns: Sequence[str]) -> None:
    """Refuses target columns that are not in the table, named twice, or all there is."""
    there = list(table.frame.columns)
    if not columns:
        raise NoTargetError(f"No target is named. {_holes(table)}")
    check_there(table, columns)
    if len(set(columns)) < len(columns):
        twice = Counter(columns).most_common(1)[0][0]
        raise TableError(f"The target {twice!r} is named twice. Name it once.")
    if len(columns) == len(there):
        raise TableError(
            f"{table.name} has no column beside the target: there is nothing to learn from. Add columns that describe "
            f"the rows."
        )
    if len(table.frame) == 0:
        raise TableError(f"{table.name} has no rows below its first line. Add rows, some with the target.")


def check_there(table: Table, columns: Sequence[str]) -> None:
    """Refuses columns that are not in the table, with the name that may have been meant."""
    there = list(table.frame.columns)
    for column in columns:
        twins = [name for name in there if re.fullmatch(rf"{re.escape(column)} \(\d+\)", name)]
        if column not in there and len(twins) > 1:
            raise TableError(f"{table.name} has several columns named {column!r}. Choose one of {', '.join(twins)}.")
        if column not in there:
            meant = _meant(column, there)
            what = f"Did you mean {meant!r}?" if meant else f"It has {', '.join(map(repr, there))}."
            raise TableError(" ".join([f"{table.name} has no column {column!r}. {what}", *_elsewhere(table, there)]))


def _elsewhere(table: Table, there: Sequence[str]) -> Iterator[str]:
    """Where a column may be that is not among those read."""
    others = table.source.other_sheets
    if others:
        yield f"Sheets that were not read: {', '.join(map(repr, others))}; choose one with --sheet."
    if table.source.is_named_by_a_line and any(is_date(name) or _is_measured(name) for name in there):
        yield "If its first line is a row, give --header-row 0."


def _is_measured(name: str) -> bool:
    """Whether a name is a number, and no year or count."""
    number = as_numbers([name])
    return number is not None and not float(number[0]).is_integer()


def _meant(column: str, there: Sequence[str]) -> str | None:
    """The name that is most like the one given, capitals and blanks apart, if any is.

    Examples
    --------
    >>> _meant("speces", ["species", "size"]), _meant("Size", ["species", "size"]), _meant("x", ["species"])
    ('species', 'size', None)
    """
    plain = {name.casefold().strip(): name for name in reversed(there)}
    near = get_close_matches(column.casefold().strip(), plain, n=1)
    return plain[near[0]] if near else None


def _holes(table: Table) -> str:
    """Which columns have empty cells, for a user who named none."""
    there, n_rows = list(table.frame.columns), len(table.frame)
    empty = {name: sum(map(is_missing, table.frame[name].tolist())) for name in there}
    # a column without a known cell has nothing to learn from
    open_ones = sorted((name for name in there if 0 < empty[name] < n_rows), key=lambda name: -empty[name])
    if not open_ones:
        return f"Name one with --target; no column has both empty and known cells: {', '.join(map(repr, there))}."
    told = [f"{name} ({empty[name]:,} of {n_rows:,})" for name in open_ones[:MOST_LISTED]]
    more = len(open_ones) - MOST_LISTED
    listed = ", ".join(told) + (f" and {more} more" if more > 0 else "")
    return f"Columns with empty cells: {listed}. Name those to fill, as in --target {shlex.quote(open_ones[0])}."


def with_inputs(table: Table, targets: Sequence[str], keep: Sequence[str] = (), ignore: Sequence[str] = ()) -> Table:
    r"""The table with columns set aside that are to be no inputs: those ignored, or all but those kept.

    Examples
    --------
    >>> from lsvv.tables import parse
    >>> table = parse(b"a,b,c\n1,2,\n", "t.csv", format="csv")
    >>> with_inputs(table, ["c"], ignore=["a"]).aside, with_inputs(table, ["c"], keep=["a"]).aside
    (('a',), ('b',))
    """
    check_there(table, [*keep, *ignore])
    for column in (*keep, *ignore):
        if column in targets:
            raise TableError(f"The target {column!r} is no input. Do not name it with --keep or --ignore.")
    both = [column for column in keep if column in ignore]
    if both:
        raise TableError(f"{both[0]!r} is both to be kept and to be ignored. Name it once.")
    inputs = [column for column in table.frame.columns if column not in targets]
    aside = tuple(column for column in inputs if column in ignore or (keep and column not in keep))
    if inputs and len(aside) == len(inputs):
        raise TableError("No column is left to learn from: all beside the targets are ignored. Ignore fewer.")
    return replace(table, aside=aside, kept=tuple(keep))
