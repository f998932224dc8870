"""Known cells of one target help to fill another: a second model, where it is better and for the rows that have them.

Round 1 sees the inputs alone. Round 2 sees, beside them, every other target: what is known of it, and elsewhere what
round 1 predicts. A row's own target never enters its inputs, not by way of a prediction either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsvv.selection.averaging import likely_better
from lsvv.tables.results import Answer, answers, merged
from lsvv.tables.targets import Group, NumberTarget, Target
from lsvv.tables.widths import MOST_ROWS, known_numbers, left_out_error

__all__ = ["Helped", "Learn", "second_round"]

FEWEST_TOGETHER = 20
"""Rows in which a target and another are known, for the other to be of help."""
LEAST_GAIN = 0.02
"""Share of a quick model's error that must go for a second search to be worth its time."""
FARTHEST = 4.0
MOST_NAMED = 4
UNKNOWN = {"classes": -1, "labels": np.nan, "tags": np.nan, "numbers": np.nan}

Learn = Callable[[Group, np.ndarray], Any]
"""A fitted model of a group of targets from the features of all rows."""


@dataclass(frozen=True, eq=False)
class Helped:
    """The answer for a target with the help of others, and by what share they lower the error on left-out cells."""

    answer: Answer
    helpers: tuple[str, ...]
    gain: float

    def sentence(self) -> str:
        """Which column was helped by which."""
        named = list(self.helpers[:MOST_NAMED])
        if len(self.helpers) > MOST_NAMED:
            named[-1] = f"{len(self.helpers) - MOST_NAMED + 1} more targets"
        names = " or ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)
        return (
            f"{self.answer.target.column}: where {names} is known, it was predicted from that too, which lowers the "
            f"squared error on known cells left out by {100 * self.gain:.0f} %."
        )


def second_round(X: np.ndarray, results: Sequence[Answer], learn: Learn) -> Iterator[Helped]:
    """The targets that others help with; all others are as round 1 answered them."""
    for first in results:
        helpers = [other for other in results if other is not first and _may_help(other, first)]
        if helpers:
            helped = _helped(X, first, helpers, learn)
            if helped is not None:
                yield helped


def _may_help(other: Answer, first: Answer) -> bool:
    """Whether another target is known with this one often enough to learn from, and known where this one is not."""
    both = int(np.sum(other.target.known & first.target.known))
    return both >= FEWEST_TOGETHER and bool(np.any(other.target.known & ~first.target.known))


def _helped(X: np.ndarray, first: Answer, helpers: Sequence[Answer], learn: Learn) -> Helped | None:
    """The answer with help, if there is good likely_better that it is the better one."""
    where = np.any([other.target.known for other in helpers], axis=0)
    wide = np.hstack([X, *map(_features, helpers)])
    if not _is_promising(X, wide, first, where):
        return None
    group = Group(first.target.task, (_only(first.target, where),))
    (second,) = answers(group, learn(group, wide), wide)
    rows = np.intersect1d(first.held_out_rows, second.held_out_rows)
    rows = rows[where[rows]]
    before, after = (_losses(one, rows) for one in (first, second))
    if likely_better(before, after)[0] < 1.0:
        return None
    names = tuple(other.target.column for other in helpers)
    return Helped(merged(first, second, where), names, 1.0 - float(after.mean() / before.mean()))


def _only(target: Target, where: np.ndarray) -> Target:
    """The target with no cell known but in the rows ``where``, which the second model is for; with all its classes."""
    known = target.known & where
    if target.task == "classes" and np.unique(target.values[known]).size < len(target.outputs):
        return target
    values = np.where(where.reshape(-1, *[1] * (target.values.ndim - 1)), target.values, UNKNOWN[target.task])
    return replace(target, known=known, values=values)


def _is_promising(X: np.ndarray, wide: np.ndarray, first: Answer, where: np.ndarray) -> bool:
    """Whether a quick model, each row left out in turn, has a lower error with the other targets than without."""
    rows = first.held_out_rows[where[first.held_out_rows]]
    if rows.size < FEWEST_TOGETHER:
        return False
    rows = rows[:: -(-rows.size // MOST_ROWS)]
    T = known_numbers(first.target, rows)
    alone, together = (left_out_error(part[rows].astype(np.float64), T) for part in (X, wide))
    return together < (1.0 - LEAST_GAIN) * alone


def _features(answer: Answer) -> np.ndarray:
    """What is known or else predicted of a target, centred and of total variance 1, as every input column is."""
    target, P = answer.target, answer.probabilities
    predicted = answer.predictions[:, None] if P is None else P[:, 1:] if target.task == "labels" else P
    values = np.array(predicted, dtype=np.float64)
    rows = np.flatnonzero(target.known)
    values[rows] = known_numbers(target, rows)
    values -= values.mean(axis=0)
    total = float(np.sqrt(values.var(axis=0).sum()))
    return np.clip(values / (total if total > 0 else 1.0), -FARTHEST, FARTHEST).astype(np.float32)


def _losses(answer: Answer, rows: np.ndarray) -> np.ndarray:
    """Squared error of some of the left-out cells: of numbers, or of probabilities (the Brier score)."""
    held = answer.held_out[np.searchsorted(answer.held_out_rows, rows)]
    truth = known_numbers(answer.target, rows)
    spread = float(truth.var()) if isinstance(answer.target, NumberTarget) else 1.0
    return np.asarray(((held.reshape(truth.shape) - truth) ** 2).sum(axis=1) / (spread if spread > 0 else 1.0))
