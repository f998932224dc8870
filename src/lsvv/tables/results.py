"""What a fitted group says of every row: predictions, probabilities, intervals, and their quality."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lsvv.tables.model_choice import held_out
from lsvv.tables.quality import COVERAGE, Interval, Quality, interval_of, quality_of_choices, quality_of_numbers
from lsvv.tables.table import fresh_name
from lsvv.tables.targets import Group, NumberTarget, TagTarget, Target

__all__ = ["Answer", "Said", "answers", "merged", "named", "says"]

Ends = tuple[np.ndarray, np.ndarray]
"""The lower and the upper ends of intervals."""


@dataclass(frozen=True, eq=False)
class Said:
    """What a model says of some rows of one target.

    Attributes
    ----------
    predictions : array of shape (rows, ...)
        Unrounded: places of classes, 0/1, or numbers.
    probabilities : array of shape (rows, K) or None
        Of every class or tag; None for numbers.
    ends : pair of arrays of shape (rows,), or None
        For numbers; NaN where no known cell was left out.
    """

    predictions: np.ndarray
    probabilities: np.ndarray | None = None
    ends: Ends | None = None

    @property
    def sureness(self) -> np.ndarray | None:
        """The probability that each answer is right; for tags that the whole set is, were they independent."""
        P = self.probabilities
        if P is None:
            return None
        if self.predictions.ndim == 2:
            return np.asarray(np.prod(np.where(self.predictions > 0, P, 1.0 - P), axis=1))
        return np.asarray(P.max(axis=1))

    def of(self, rows: np.ndarray) -> Said:
        """The same of some of the rows."""
        P, ends = self.probabilities, self.ends
        return Said(
            self.predictions[rows],
            None if P is None else P[rows],
            None if ends is None else (ends[0][rows], ends[1][rows]),
        )

    def with_rows(self, other: Said, where: np.ndarray) -> Said:
        """The same with what ``other`` says of the rows ``where``."""
        P, ends = self.probabilities, self.ends
        return Said(
            _replaced(self.predictions, where, other.predictions),
            None if P is None else _replaced(P, where, np.asarray(other.probabilities)),
            None if ends is None or other.ends is None else _both_replaced(ends, where, other.ends),
        )

    def decimals_more(self, target: Target) -> int:
        """How many decimals more than its column the ends of intervals have."""
        if self.ends is None or not isinstance(target, NumberTarget):
            return 0
        widths = (self.ends[1] - self.ends[0])[~np.isnan(self.ends[0])]
        return target.decimals_beyond(float(np.median(widths)) / 2.0 if widths.size else 0.0)

    def beside(self, target: Target, more: int | None = None) -> dict[str, list[Any]]:
        """The columns beside the predictions, by kind: a probability, or the ends of an interval.

        These have ``more`` decimals than the column, as many as they need by default.
        """
        if self.ends is None or not isinstance(target, NumberTarget):
            return {"probability": [] if self.sureness is None else [round(p, 4) for p in self.sureness.tolist()]}
        more = self.decimals_more(target) if more is None else more
        return {
            kind: [None if np.isnan(value) else target.spell(float(value), more) for value in values]
            for kind, values in zip(("lower", "upper"), self.ends, strict=True)
        }


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer of a model for one target, and how good it is.

    Attributes
    ----------
    target : Target
        The column, its task, its known cells.
    said : Said
        For every row of the table, known or not.
    interval : Interval or None
        For numbers, where known cells were left out.
    quality : Quality
        Measured on known cells left out one at a time.
    held_out_rows, held_out : arrays
        The known rows left out, and probabilities or predictions for them.
    held_out_ends : pair of arrays, or None
        The ends of their intervals, for numbers.
    """

    target: Target
    said: Said
    interval: Interval | None
    quality: Quality
    held_out_rows: np.ndarray
    held_out: np.ndarray
    held_out_ends: Ends | None = None

    @property
    def predictions(self) -> np.ndarray:
        """For every row; see :class:`Said`."""
        return self.said.predictions

    @property
    def probabilities(self) -> np.ndarray | None:
        """For every row; see :class:`Said`."""
        return self.said.probabilities

    @cached_property
    def rows(self) -> np.ndarray:
        """The rows to fill."""
        return self.target.holes

    @cached_property
    def cells(self) -> tuple[Any, ...]:
        """What is written there, as the column spells it."""
        return tuple(self.target.spelt(self.predictions[self.rows]))

    @cached_property
    def probability(self) -> np.ndarray | None:
        """That the answer is right, for every row; None for numbers."""
        return self.said.sureness

    def doubts(self, row: int) -> list[tuple[str, float]]:
        """What a row may be, with probabilities: the two likeliest choices, or the tag that is nearest to one half."""
        if self.probabilities is None:
            return []
        P = self.probabilities[row]
        places = [np.argmin(np.abs(P - 0.5))] if self.target.task == "tags" else np.argsort(P, kind="stable")[:-3:-1]
        return [(self.target.choices[place], float(P[place])) for place in places]

    def beside(self) -> dict[str, list[Any]]:
        """The columns beside the filled cells, by kind."""
        return self.said.of(self.rows).beside(self.target)


def answers(group: Group, model: Any, X: np.ndarray) -> Iterator[Answer]:
    """One answer for each target of the group, checked against its known cells."""
    rows, held = held_out(model)
    held = _of_yes(group, held)
    for place, (target, said) in enumerate(zip(group.targets, says(group, model, X), strict=True)):
        some = target.known[rows]
        truth = target.values[rows][some]
        guess = held[some, place] if group.task in ("numbers", "labels") else held[some]
        interval, ends = None, None
        if isinstance(target, NumberTarget):
            guess = target.raised(guess)
            lower, upper = (target.raised(end.reshape(held.shape)[some, place]) for end in model.loo_intervals_)
            ends = (lower, upper)
            interval = interval_of(model.error_laws_[place], lower, upper) if truth.size else None
        yield Answer(target, said, interval, _quality(target, truth, guess), rows[some], guess, ends)


def says(group: Group, model: Any, X: np.ndarray) -> Iterator[Said]:
    """What a model says of each target of the group for the rows ``X``."""
    if group.task == "numbers":
        found = (model.predict(X), *model.predict_interval(X, COVERAGE))
        columns = (np.asarray(part, dtype=np.float64).reshape(len(X), -1).T for part in found)
        for target, *parts in zip(group.targets, *columns, strict=True):
            assert isinstance(target, NumberTarget)
            predictions, lower, upper = map(target.raised, parts)
            yield Said(predictions, None, (lower, upper))
        return
    P = _of_yes(group, np.asarray(model.predict_proba(X), dtype=np.float64))
    if group.task == "classes":
        yield Said(np.argmax(P, axis=1), P)
    elif isinstance(group.targets[0], TagTarget):
        yield Said(group.targets[0].chosen(P), P)
    else:
        yield from (Said((yes > 0.5).astype(np.int64), np.column_stack([1.0 - yes, yes])) for yes in P.T)


def _of_yes(group: Group, P: np.ndarray) -> np.ndarray:
    """Probabilities with one column a label; a label that is learnt alone is learnt as two classes."""
    return P[:, 1:] if group.task == "labels" and len(group.targets) == 1 else P


def merged(first: Answer, second: Answer, where: np.ndarray) -> Answer:
    """The second answer in the rows ``where``, the first in all others."""
    target, rows = first.target, first.held_out_rows
    taken = where[rows] & np.isin(rows, second.held_out_rows)
    places = np.searchsorted(second.held_out_rows, rows[taken])
    held = _replaced(first.held_out, taken, second.held_out[places])
    truth, ends, interval = target.values[rows], first.held_out_ends, first.interval
    if ends is not None and second.held_out_ends is not None and interval is not None:
        lower, upper = ends = _both_replaced(
            ends, taken, (second.held_out_ends[0][places], second.held_out_ends[1][places])
        )
        measured = float(np.mean((lower <= truth) & (truth <= upper)))
        interval = replace(interval, half_width=float(np.median(upper - lower) / 2.0), measured=measured)
    said = first.said.with_rows(second.said.of(where), where)
    return Answer(target, said, interval, _quality(target, truth, held), rows, held, ends)


def _replaced(values: np.ndarray, where: np.ndarray, by: np.ndarray) -> np.ndarray:
    changed = values.copy()
    changed[where] = by
    return changed


def _both_replaced(ends: Ends, where: np.ndarray, by: Ends) -> Ends:
    return _replaced(ends[0], where, by[0]), _replaced(ends[1], where, by[1])


def named(column: str, kinds: Iterable[str], taken: set[str]) -> dict[str, str]:
    """A name for each kind of column that is made of a target; it is taken from then on."""
    names = {}
    for kind in kinds:
        names[kind] = fresh_name(f"{column}_{kind}", taken)
        taken.add(names[kind])
    return names


def _quality(target: Target, truth: np.ndarray, guess: np.ndarray) -> Quality:
    """Held against the plainest answer: the mean, or what is most common."""
    if target.task == "numbers":
        return quality_of_numbers(truth, guess)
    if isinstance(target, TagTarget):
        right = np.all(target.chosen(guess) == truth, axis=1)
    elif target.task == "classes":
        right = np.argmax(guess, axis=1) == truth
    else:
        right = (guess > 0.5) == (truth > 0.5)
    _, counts = np.unique(truth, axis=0, return_counts=True)
    return quality_of_choices(right, float(counts.max(initial=0) / max(len(truth), 1)))
