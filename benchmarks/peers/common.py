"""What the parts have in common: whose turn a trial is, cases over common splits, ranks, and rows of tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.stats import rankdata

from reproduction.records import Record, Trial

OURS, PLAIN = "lsvv", "lsvv plain"
FIRST_SPLIT = 3000
"""No choice has looked at splits from here on."""
TREES = 300
STAGES = (2, 5)
"""Splits worked on all sets before the next: a run cut short has some of each."""

Case = tuple[Any, ...]
Means = dict[Case, dict[str, float]]


@dataclass(frozen=True)
class Job:
    """A trial and when it is its turn."""

    trial: Trial
    large: bool = False
    slow: bool = False

    def turn(self) -> tuple[bool, int, bool]:
        """Large data sets last; else stage by stage, and in each the slow methods after the others."""
        number = int(self.trial["seed"] or 0) - FIRST_SPLIT
        return self.large, sum(number >= start for start in STAGES), self.slow


def is_ours(record: Record) -> bool:
    return record.trial["method"] in (OURS, PLAIN)


def absent(module: str) -> bool:
    """Whether a package cannot be imported here."""
    return find_spec(module) is None


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call returns, and its CPU seconds."""
    start = time.process_time()
    result = call()
    return result, time.process_time() - start


def cases(records: Iterable[Record], keys: Sequence[str], figure: str) -> dict[Case, dict[str, np.ndarray]]:
    """A figure by case and method, over the splits that all methods of the case have; cases without one are left."""
    found: dict[Case, dict[str, dict[int, float]]] = {}
    for record in records:
        value = record.figures.get(figure)
        if value is not None:
            case = found.setdefault(tuple(record.trial[key] for key in keys), {})
            case.setdefault(str(record.trial["method"]), {})[int(record.trial["seed"] or 0)] = value
    columns = {}
    for case_key, methods in found.items():
        common = sorted(set.intersection(*(set(splits) for splits in methods.values())))
        if common:
            columns[case_key] = {name: np.array([splits[seed] for seed in common]) for name, splits in methods.items()}
    return columns


def means(columns: Mapping[Case, Mapping[str, np.ndarray]]) -> Means:
    """The mean over the splits of each case and method."""
    return {case: {name: float(values.mean()) for name, values in row.items()} for case, row in columns.items()}


def mean_ranks(table: Means, *, greatest_first: bool = False) -> dict[str, float]:
    """The mean of each method's rank over the cases it has; equal means share their ranks."""
    ranks: dict[str, list[float]] = {}
    sign = -1.0 if greatest_first else 1.0
    for row in table.values():
        for name, rank in zip(row, rankdata([sign * value for value in row.values()]), strict=True):
            ranks.setdefault(name, []).append(float(rank))
    return {name: float(np.mean(values)) for name, values in ranks.items()}


def is_first(ranks: Mapping[str, float]) -> bool:
    """Whether our mean rank is the lowest."""
    return OURS in ranks and ranks[OURS] == min(ranks.values())


def told_ranks(ranks: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {rank:.2f}" for name, rank in sorted(ranks.items(), key=lambda pair: pair[1]))


def header(first: Sequence[str], names: Sequence[str]) -> list[str]:
    """The first two lines of a table."""
    return ["| " + " | ".join([*first, *names]) + " |", "|---" * (len(first) + len(names)) + "|"]


def row_of(first: Sequence[str], row: Mapping[str, float], names: Sequence[str]) -> str:
    """A line of a table, the lowest of its figures in bold; empty where a method was not run."""
    least = min((row[name] for name in names if name in row), default=0.0)
    cells = [_cell(row[name], least) if name in row else "" for name in names]
    return "| " + " | ".join([*first, *cells]) + " |"


def _cell(value: float, least: float) -> str:
    return f"**{value:.3g}**" if value == least else f"{value:.3g}"


def ratios_to_best(table: Means) -> dict[Case, float]:
    """Our mean over the best peer's, of each case that has both."""
    found = {}
    for case, row in table.items():
        peers = [value for name, value in row.items() if name not in (OURS, PLAIN)]
        if OURS in row and peers:
            best = min(peers)
            found[case] = row[OURS] / best if best > 0 else (np.inf if row[OURS] > 0 else 1.0)
    return found
