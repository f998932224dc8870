"""From records to the numbers of the paper's tables and figures."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from numpy.typing import ArrayLike

from reproduction.data.registry import Task
from reproduction.experiments import (
    COMPARED,
    DECLARED_CHOOSER,
    OWN,
    PAPER,
    SUBSTITUTES,
    Chooser,
    Design,
    Hidden,
    Space,
    Unit,
    curve_units,
    space_of,
    table_sets,
    table_units,
    task_of,
)
from reproduction.protocol import at_hand
from reproduction.published import METHODS, TABLES, PublishedCell, published
from reproduction.records import Record, RecordsError, latest, trial_key
from reproduction.statistics import (
    Mark,
    Summary,
    TTest,
    corrected_resampled_t,
    marks,
    paired_t,
    summarise,
)

__all__ = [
    "BASELINES",
    "LEVEL",
    "NOT_AT_HAND",
    "NOT_RUN",
    "OURS",
    "TESTS",
    "Cell",
    "Curve",
    "Results",
    "Row",
    "TableSummary",
    "Test",
]

OURS = "LSVV"
BASELINES = tuple(method for method in METHODS if method != OURS)
NOT_AT_HAND = "data not at hand"
NOT_RUN = "not run yet"
LEVEL = 0.05
IDENTITY = ("data", "space", "chooser", "method", "seed")
"""What each trial of an experiment says of itself."""
Test: TypeAlias = Literal["paired", "corrected"]
TESTS: Mapping[Test, Callable[[ArrayLike, ArrayLike], TTest]] = {
    "paired": paired_t,
    "corrected": corrected_resampled_t,
}

_Figures: TypeAlias = dict[str, dict[str, tuple[float, ...]]]
"""figure -> method -> values, by seed"""


@dataclass(frozen=True)
class Cell:
    """One method on one data set: our figures, their marks by both tests, and the published ones.

    ``mark`` is by the paired t at 95 %, ``corrected`` by the corrected resampled t.
    """

    summary: Summary
    mark: Mark
    corrected: Mark
    published: PublishedCell | None

    @property
    def difference(self) -> float | None:
        """Our mean less the published one."""
        return None if self.published is None else self.summary.mean - self.published.mean


@dataclass(frozen=True)
class Row:
    """One data set of a table.

    Attributes
    ----------
    table, data, task : str
        Where the row stands.
    state : str
        Why there are no figures; empty if there are.
    count, failed : int
        Splits that all four methods ended, and trials that failed.
    cells : mapping of method to Cell
        Empty without figures.
    printed : mapping of method to PublishedCell
        The published cells; empty for a substitute.
    figures : mapping of figure to mapping of method to tuple of float
        Every figure on the common splits, by seed.
    seeds : tuple of int
        Of the common splits, in the order of the figures.
    own : mapping of figure to mapping of seed to float
        Of our own method, on the splits it ended; empty where it was not run. It is chosen as by the declared chooser
        and stands beside that one alone.
    """

    table: str
    data: str
    task: Task
    state: str
    count: int = 0
    failed: int = 0
    cells: Mapping[str, Cell] = field(default_factory=dict)
    printed: Mapping[str, PublishedCell] = field(default_factory=dict)
    figures: Mapping[str, Mapping[str, tuple[float, ...]]] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()
    own: Mapping[str, Mapping[int, float]] = field(default_factory=dict)

    @property
    def errors(self) -> Mapping[str, tuple[float, ...]]:
        """The compared figure of each method, split by split."""
        return self.figures[COMPARED[self.task]]

    @property
    def space(self) -> Space:
        """That of the table."""
        return space_of(self.table)

    @property
    def substitute_for(self) -> str | None:
        """The set of the paper in whose place this one stands."""
        return SUBSTITUTES.get(self.data)


@dataclass(frozen=True)
class TableSummary:
    """A table of the paper with our figures, by one chooser."""

    name: str
    chooser: Chooser
    hidden: Hidden
    rows: tuple[Row, ...]

    @property
    def filled(self) -> tuple[Row, ...]:
        """The rows with figures."""
        return tuple(row for row in self.rows if row.cells)


@dataclass(frozen=True)
class Curve:
    """One panel of a figure: the compared figure of each method along an axis.

    ``places`` are those of the design; ``points`` has the ones with figures.
    """

    figure: str
    data: str
    space: Space
    places: tuple[float, ...]
    points: Mapping[str, Mapping[float, Summary]]

    def splits(self, *places: float) -> int:
        """The least number of splits at some places, by default at all; 0 if one of them has no point."""
        found = self.points[OURS]
        return min(found[place].count if place in found else 0 for place in places or self.places)


class Results:
    """The records of a folder, asked by table and figure.

    Parameters
    ----------
    records : iterable of Record
        The last of a trial counts.
    data : path or None
        Folder of the data sets, to tell what is not at hand; None for the bundled ones.
    design : Design
        What the tables and figures consist of.
    """

    def __init__(self, records: Iterable[Record], data: str | os.PathLike[str] | None, design: Design = PAPER) -> None:
        self.design = design
        self._data = data
        self._records = {key: _told_apart(record) for key, record in latest(records).items()}

    def table(self, name: str, chooser: Chooser = DECLARED_CHOOSER) -> TableSummary:
        """A table by one chooser."""
        rows = tuple(self._row(name, data, chooser) for data in table_sets(name, self.design))
        return TableSummary(name, chooser, self.design.hidden, rows)

    def rows(self, chooser: Chooser = DECLARED_CHOOSER, tables: Iterable[str] = TABLES) -> tuple[Row, ...]:
        """The rows with figures of some tables."""
        return tuple(row for name in tables for row in self.table(name, chooser).filled)

    def at_hand(self, tables: Iterable[str] = TABLES) -> tuple[Row, ...]:
        """The declared rows of some tables that have figures or could have, but for the substitutes."""
        rows = (row for name in tables for row in self.table(name).rows)
        return tuple(row for row in rows if row.state != NOT_AT_HAND and row.substitute_for is None)

    def curves(self, figure: str) -> tuple[Curve, ...]:
        """The panels of a figure that have points."""
        return tuple(curve for curve in self.panels(figure) if curve.points[OURS])

    def panels(self, figure: str) -> tuple[Curve, ...]:
        """The panels of a figure that have points or could have, because their data is at hand."""
        design = self.design
        panels: list[tuple[str, Space]] = (
            [(data, space) for data in design.theta_sets for space in design.theta_spaces]
            if figure == "theta"
            else [(design.rate_set, "linear"), (design.rate_set, "kernel")]
        )
        found = (self._curve(figure, data, space) for data, space in panels)
        return tuple(curve for curve in found if curve.points[OURS] or at_hand(curve.data, self._data))

    def failures(self) -> tuple[Record, ...]:
        """The trials that failed."""
        return tuple(record for record in self._records.values() if record.failed)

    def seconds(self) -> float:
        """Time of all splits on record, summed over processes; each record of a split holds the whole."""
        return sum(
            record.seconds / (1 if record.trial.get("chooser") == OWN else len(METHODS))
            for record in self._records.values()
        )

    def environments(self) -> list[tuple[Mapping[str, Any], int]]:
        """The machines and versions the trials ran under, and how many under each; the commonest first."""
        told = ("machine", "cores", "versions")
        found = ({name: record.environment.get(name) for name in told} for record in self._records.values())
        counts = Counter(json.dumps(environment, sort_keys=True) for environment in found)
        return [(json.loads(text), count) for text, count in counts.most_common()]

    def codes(self) -> list[tuple[str, int]]:
        """The states of the code the trials ran with, and how many with each; the commonest first."""
        return Counter(record.environment.get("code", "unknown") for record in self._records.values()).most_common()

    def __len__(self) -> int:
        return len(self._records)

    def _row(self, table: str, data: str, chooser: Chooser) -> Row:
        task = task_of(data)
        printed = {m: published()[table, data, m] for m in METHODS if (table, data, m) in published()}
        units = table_units(table, data, chooser, self.design)
        seeds, figures, failed = self._common(units)
        own = self._own(table, data) if chooser == DECLARED_CHOOSER else {}
        if not seeds:
            return Row(table, data, task, self._state(data, failed), 0, failed, printed=printed, own=own)
        errors = figures[COMPARED[task]]
        by_t, by_corrected = _marks(errors, "paired"), _marks(errors, "corrected")
        cells = {
            method: Cell(summarise(errors[method]), by_t[method], by_corrected[method], printed.get(method))
            for method in METHODS
        }
        return Row(table, data, task, "", len(seeds), failed, cells, printed, figures, seeds, own)

    def _own(self, table: str, data: str) -> dict[str, dict[int, float]]:
        """Every figure of our own method, by seed."""
        found: dict[str, dict[int, float]] = {}
        for unit in table_units(table, data, OWN, self.design):
            record = self._records.get(trial_key(unit.trial(OWN)))
            if record is not None and not record.failed:
                for name in (COMPARED[task_of(data)], *record.figures):
                    found.setdefault(name, {})[unit.seed] = _value(record, name)
        return found

    def _state(self, data: str, failed: int) -> str:
        if failed:
            return f"failed: {failed} trials"
        return NOT_RUN if at_hand(data, self._data) else NOT_AT_HAND

    def _common(self, units: Sequence[Unit]) -> tuple[tuple[int, ...], _Figures, int]:
        """Seeds of the splits that all methods ended, their figures, and the number of failed trials."""
        found = {unit.seed: [self._records.get(trial_key(trial)) for trial in unit.trials] for unit in units}
        failed = sum(record is not None and record.failed for split in found.values() for record in split)
        ended = {seed: [one for one in split if one and not one.failed] for seed, split in found.items()}
        whole = {seed: split for seed, split in ended.items() if len(split) == len(METHODS)}
        compared = [COMPARED[task_of(unit.data)] for unit in units[:1]]
        names = dict.fromkeys((*compared, *next(iter(whole.values()))[0].figures)) if whole else ()
        figures = {
            name: {
                method: tuple(_value(split[place], name) for split in whole.values())
                for place, method in enumerate(METHODS)
            }
            for name in names
        }
        return tuple(whole), figures, failed

    def _curve(self, figure: str, data: str, space: Space) -> Curve:
        name = COMPARED[task_of(data)]
        points: dict[str, dict[float, Summary]] = {method: {} for method in METHODS}
        units_at = curve_units(figure, data, space, self.design)
        for place, units in units_at.items():
            _, figures, _ = self._common(units)
            for method in METHODS if figures else ():
                points[method][place] = summarise(figures[name][method])
        return Curve(figure, data, space, tuple(units_at), points)


def _told_apart(record: Record) -> Record:
    absent = [name for name in IDENTITY if name not in record.trial]
    if absent:
        raise RecordsError(
            f"The trial {trial_key(record.trial)} does not say its {absent[0]}: it is none of these experiments. "
            "Give a folder that 'run' has written, or remove its line."
        )
    return record


def _value(record: Record, name: str) -> float:
    value = record.figures.get(name)
    if value is None:
        raise RecordsError(
            f"The trial {trial_key(record.trial)} ended without its {name} and does not say why. "
            "Remove its line to run it again."
        )
    return value


def _marks(errors: Mapping[str, Sequence[float]], test: Test) -> dict[str, Mark]:
    """One split shows no significant difference."""
    if len(errors[OURS]) < 2:
        least = min(values[0] for values in errors.values())
        return {method: "best" if values[0] == least else "close" for method, values in errors.items()}
    return marks(errors, LEVEL, TESTS[test])
