"""Columns that are set aside unasked: what an earlier fill added, and what is empty wherever cells are to be filled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from lsvv.tables.cells import is_missing
from lsvv.tables.table import Table
from lsvv.tables.words import count

__all__ = ["with_useful_inputs"]

ADDED = ("probability", "lower", "upper", "filled")
"""What a fill writes beside a target."""
TRUTHS = {"true", "false"}
HARDLY_KNOWN, OFTEN_KNOWN = 0.01, 0.2
"""The share of known cells below which a column says nothing of rows, and above which much."""


def with_useful_inputs(table: Table, targets: Sequence[str]) -> Table:
    r"""The table with those columns set aside too, and a note for each; none that the user asked to keep.

    Examples
    --------
    >>> from lsvv.tables import parse
    >>> rows = "1,a,9\n2,b,8\n3,,\n4,,\n"
    >>> with_useful_inputs(parse(b"x,kind,price\n" + rows.encode(), "t.csv", format="csv"), ["kind"]).aside
    ('price',)
    """
    inputs = [str(name) for name in table.frame.columns if name not in targets and name not in table.aside]
    free = [name for name in inputs if name not in table.kept]
    added = list(_added_before(table, free))
    unknown = list(_unknown_where_needed(table, targets, [name for name in free if name not in added]))
    aside = {*table.aside, *added, *(name for name, _ in unknown)}
    if aside.issuperset(inputs):
        # with nothing left to learn from, a poor column is better than none
        return table
    notes = (*_notes_on_added(added), *(note for _, note in unknown))
    return replace(
        table,
        aside=tuple(name for name in map(str, table.frame.columns) if name in aside),
        notes=(*table.notes, *notes),
    )


def _added_before(table: Table, inputs: Sequence[str]) -> Iterator[str]:
    """The columns that an earlier fill wrote beside a target, told by its mark of filled cells."""
    there = set(map(str, table.frame.columns))
    targets = [name.removesuffix("_filled") for name in there if name.endswith("_filled") and _is_mark(table, name)]
    own = {
        f"{target}_{kind}"
        for target in targets
        if target in there and (f"{target}_probability" in there or {f"{target}_lower", f"{target}_upper"} <= there)
        for kind in ADDED
    }
    yield from (name for name in inputs if name in own)


def _is_mark(table: Table, name: str) -> bool:
    """Whether all that is known says true or false; rows that came later have no mark."""
    said = {str(cell).strip().casefold() for cell in table.frame[name].tolist() if not is_missing(cell)}
    return bool(said) and said <= TRUTHS


def _notes_on_added(added: Sequence[str]) -> Iterator[str]:
    if added:
        yield f"Left out, because an earlier fill wrote them: {', '.join(map(repr, added))}."


def _unknown_where_needed(table: Table, targets: Sequence[str], inputs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Columns that are empty in the rows to fill, though often known in the others; and what to say of each."""
    needed = np.any([_empty(table, target) for target in targets], axis=0)
    if needed.all() or not needed.any():
        return
    for name in inputs:
        empty = _empty(table, name)
        if 1.0 - empty[needed].mean() < HARDLY_KNOWN and 1.0 - empty[~needed].mean() > OFTEN_KNOWN:
            share = f"{int(empty[needed].sum()):,} of {count(int(needed.sum()), 'row')}"
            yield (
                name,
                f"Column {name!r} is empty in {share} to fill, so that what it says in the others is of no use there: "
                f"left out. Named as a target too, it would be filled.",
            )


def _empty(table: Table, column: str) -> np.ndarray:
    return np.array([is_missing(cell) for cell in table.frame[column].tolist()], dtype=bool)
