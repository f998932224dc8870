"""The data at a glance: every column in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsvv.report.phrases import number, percent, shortened
from lsvv.tables import Filled
from lsvv.tables.cells import Notation, is_list, read_numbers
from lsvv.tables.filling import cells_of
from lsvv.tables.words import count

__all__ = ["ColumnLine", "ColumnSummary", "column_summary"]

MOST_COLUMNS = 60
N_BINS = 16


@dataclass(frozen=True)
class ColumnLine:
    """One column of the table: how it was read, the share of empty cells, and what its cells are like.

    ``histogram`` counts numbers in bins of equal width from the least to the greatest; empty for other columns.
    """

    name: str
    role: str
    kind: str
    empty: float
    words: str
    histogram: tuple[int, ...] = ()


@dataclass(frozen=True)
class ColumnSummary:
    """The table: its name and size, its columns, and how many of them are not listed."""

    name: str
    n_rows: int
    n_columns: int
    n_features: int
    columns: tuple[ColumnLine, ...]
    not_listed: int = 0


def column_summary(filled: Filled) -> ColumnSummary:
    """The table and its columns: targets first, then inputs, then what was left out."""
    frame = filled.table.frame
    targets = [result.target.column for result in filled.results]
    roles = {str(name): _role(str(name), targets, filled.vectorizer.kinds) for name in frame.columns}
    order = sorted(roles, key=lambda name: ("target", "input", "left out").index(roles[name]))
    columns = tuple(
        _column(name, roles[name], _kind(name, filled), cells_of(filled.table, name), filled.table.source.notation)
        for name in order[:MOST_COLUMNS]
    )
    # of a target the rows learnt from hold more known cells than all do
    shares = {name: empty / filled.extent.n_rows for name, empty in filled.extent.empty.items()}
    columns = tuple(replace(one, empty=shares.get(one.name, one.empty)) for one in columns)
    rest = len(order) - len(columns)
    return ColumnSummary(filled.table.name, filled.extent.n_rows, len(order), int(filled.X.shape[1]), columns, rest)


def _role(name: str, targets: Sequence[str], inputs: dict[str, str]) -> str:
    return "target" if name in targets else "input" if name in inputs else "left out"


def _kind(name: str, filled: Filled) -> str:
    tasks = {result.target.column: result.target.task for result in filled.results}
    return tasks.get(name) or filled.vectorizer.kinds.get(name, "–")


def _column(name: str, role: str, kind: str, cells: list[Any], usual: Notation) -> ColumnLine:
    known = [cell for cell in cells if cell is not None]
    empty = 1.0 - len(known) / len(cells)
    reading = read_numbers(known, usual)
    numbers = reading.values[~np.isnan(reading.values)]
    if kind not in ("number", "numbers") or not reading.mostly or not np.isfinite(numbers).all():
        return ColumnLine(name, role, kind, empty, _said(known))
    least, middle, most = np.quantile(numbers, [0.0, 0.5, 1.0])
    # the greatest numbers have no finite width between them
    sizes = np.histogram(numbers, bins=N_BINS)[0].tolist() if np.isfinite(most - least) and most > least else []
    words = f"{number(least)} to {number(most)}, half below {number(middle)}"
    return ColumnLine(name, role, kind, empty, words, tuple(sizes))


def _said(known: list[Any]) -> str:
    if not known:
        return "all empty"
    texts = Counter(", ".join(map(str, cell)) if is_list(cell) else str(cell) for cell in known)
    if len(texts) == len(known) and len(known) > 1:
        return "all different"
    commonest, times = texts.most_common(1)[0]
    share = percent(times / len(known))
    return f"{count(len(texts), 'different value')}, most often “{shortened(commonest, 30)}” ({share})"
