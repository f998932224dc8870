"""Our LSVV against the other methods and against the published LSVV; our own method against LSVV."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from reproduction.experiments import COMPARED, SPACES, Space
from reproduction.published import METHODS
from reproduction.statistics import MeanRanks, Summary, TTest, holm, mean_ranks, summarise
from reproduction.tabulated import BASELINES, LEVEL, OURS, TESTS, Row, Test

__all__ = ["Comparison", "Goal", "comparisons", "goals", "own_comparisons", "ranks_by_space"]

NEEDS_F1 = "corel5k"
"""Giving no label at all ties its published Hamming loss, so that it counts only with a micro-F1 above SRM-VV's."""

PRINTED_REPEATS = 5
"""The paper says 30, but the granularity of its means and one impossible standard deviation point to 5."""

FLOAT_NOISE = 1e-9

Outcome: TypeAlias = Literal["better", "worse", "even"]


@dataclass(frozen=True)
class Comparison:
    """LSVV (or our own method) against another in one cell; p values are Holm-adjusted over all cells.

    ``difference`` of the test is the first less the other: below 0 is better.
    """

    table: str
    data: str
    other: str
    test: TTest
    adjusted: float

    @property
    def outcome(self) -> Outcome:
        """Significantly better or worse at 95 %, or neither."""
        if self.adjusted >= LEVEL:
            return "even"
        return "better" if self.test.difference < 0 else "worse"


@dataclass(frozen=True)
class Goal:
    """Whether our LSVV is at or below the published LSVV in one cell, and if not, what can be said of it.

    ``distance`` is our mean less the published one, ``standard_errors`` the same in standard errors of the
    difference of the two means, of which the published one is taken to be over ``PRINTED_REPEATS``.
    """

    table: str
    data: str
    reached: bool
    distance: float
    standard_errors: float
    reason: str


def comparisons(rows: Iterable[Row], test: Test = "paired") -> tuple[Comparison, ...]:
    """LSVV against the three others in every row with 2 splits or more, Holm-corrected over all of them.

    The substitutes count as cells: the methods are compared on them as on any other set.
    """
    compare = TESTS[test]
    return _adjusted(
        [
            (row, other, compare(row.errors[OURS], row.errors[other]))
            for row in rows
            for other in BASELINES
            if row.count > 1
        ]
    )


def own_comparisons(rows: Iterable[Row], test: Test = "paired") -> tuple[Comparison, ...]:
    """Our own method against LSVV in every row with 2 common splits or more, Holm-corrected over them."""
    found = []
    for row in rows:
        own = row.own.get(COMPARED[row.task], {})
        ours = dict(zip(row.seeds, row.errors[OURS], strict=True)) if row.cells else {}
        common = [seed for seed in ours if seed in own]
        if len(common) > 1:
            found.append((row, OURS, TESTS[test]([own[seed] for seed in common], [ours[seed] for seed in common])))
    return _adjusted(found)


def _adjusted(found: Sequence[tuple[Row, str, TTest]]) -> tuple[Comparison, ...]:
    adjusted = holm([result.p_value for *_, result in found])
    return tuple(
        Comparison(row.table, row.data, other, result, float(p))
        for (row, other, result), p in zip(found, adjusted, strict=True)
    )


def ranks_by_space(rows: Iterable[Row]) -> dict[Space, MeanRanks]:
    """Mean ranks of the methods in each space that has rows with figures, with their critical differences.

    The two rows of a data set are no independent cells, so that spaces are not ranked together. The substitutes are no
    cells of the paper and do not count.
    """
    counted = [row for row in rows if row.cells and row.substitute_for is None]
    by_space = {space: [row for row in counted if row.space == space] for space in SPACES}
    return {
        space: mean_ranks({method: [row.cells[method].summary.mean for row in some] for method in METHODS})
        for space, some in by_space.items()
        if some
    }


def goals(rows: Iterable[Row]) -> tuple[Goal, ...]:
    """Every row that can be held against the paper's LSVV; means are compared as they are, not rounded."""
    return tuple(_goal(row) for row in rows if OURS in row.printed)


def _goal(row: Row) -> Goal:
    cell, printed = row.cells[OURS], row.printed[OURS]
    distance = cell.summary.mean - printed.mean
    spread = math.sqrt(_variance(cell.summary) + printed.std**2 / PRINTED_REPEATS)
    reason = _reason(row, distance)
    return Goal(row.table, row.data, not reason, distance, _in_units(distance, spread), reason)


def _in_units(distance: float, spread: float) -> float:
    """distance / spread; without spread 0 for no distance, else infinite with its sign."""
    if abs(distance) <= FLOAT_NOISE:
        return 0.0
    return distance / spread if spread > FLOAT_NOISE else math.copysign(math.inf, distance)


def _reason(row: Row, distance: float) -> str:
    if distance <= FLOAT_NOISE:
        return _too_few_labels(row)
    best = min(METHODS, key=lambda method: row.cells[method].summary.mean)
    least = row.cells[best].summary.mean
    if least <= row.printed[OURS].mean:
        return f"our {best} reaches it with {least:.2f}"
    return f"none of our four methods reaches it; the best is {best} with {least:.2f}"


def _too_few_labels(row: Row) -> str:
    if row.data != NEEDS_F1:
        return ""
    ours, theirs = (summarise(row.figures["micro_f1"][method]).mean for method in (OURS, "SRM-VV"))
    return "" if ours > theirs else f"its micro-F1 of {ours:.2f} is not above the {theirs:.2f} of our SRM-VV"


def _variance(summary: Summary) -> float:
    return 0.0 if math.isnan(summary.std) else summary.std**2 / summary.count
