"""What a fitted group says of every row: predictions, probabilities, intervals, and their quality."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lsvv.tables.models import held_out
from lsvv.tables.quality import Interval, Quality, interval_of, quality_of_choices, quality_of_numbers
from lsvv.tables.table import fresh_name
from lsvv.tables.targets import Group, NumberTarget, TagTarget, Target

__all__ = ["Answer", "answers", "beside", "named", "says"]


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer of a model for one target, and how good it is.

    Attributes
    ----------
    target : Target
        The column, its task, its known cells.
    predictions : array of shape (rows, ...)
        For every row of the table, known or not, unrounded: places of classes, 0/1, or numbers.
    probabilities : array of shape (rows, K) or None
        Of every class or tag for every row; None for numbers.
    interval : Interval or None
        For numbers, where known cells were left out.
    quality : Quality
        Measured on known cells left out one at a time.
    held_out_rows, held_out : arrays
        The known rows left out, and probabilities or predictions for them.
    """

    target: Target
    predictions: np.ndarray
    probabilities: np.ndarray | None
    interval: Interval | None
    quality: Quality
    held_out_rows: np.ndarray
    held_out: np.ndarray

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
        return None if self.probabilities is None else _sureness(self.predictions, self.probabilities)

    def doubts(self, row: int) -> list[tuple[str, float]]:
        """What a row may be, with probabilities: the two likeliest choices, or the tag that is nearest to one half."""
        if self.probabilities is None:
            return []
        P = self.probabilities[row]
        places = [np.argmin(np.abs(P - 0.5))] if self.target.task == "tags" else np.argsort(P, kind="stable")[:-3:-1]
        return [(self.target.choices[place], float(P[place])) for place in places]

    def beside(self) -> dict[str, list[Any]]:
        """The columns beside the filled cells; see :func:`beside`."""
        some = None if self.probabilities is None else self.probabilities[self.rows]
        half_width = None if self.interval is None else self.interval.half_width
        return beside(self.target, self.predictions[self.rows], some, half_width)


def answers(group: Group, model: Any, X: np.ndarray) -> Iterator[Answer]:
    """One answer for each target of the group, checked against its known cells."""
    rows, held = held_out(model)
    for place, (target, (predictions, P)) in enumerate(zip(group.targets, says(group, model, X), strict=True)):
        some = target.known[rows]
        guess = held[some, place] if group.task in ("numbers", "labels") else held[some]
        truth = target.values[rows][some]
        interval = interval_of(truth, guess) if group.task == "numbers" and truth.size else None
        yield Answer(target, predictions, P, interval, _quality(target, truth, guess), rows[some], guess)


def says(group: Group, model: Any, X: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """Predictions and probabilities of each target of the group for the rows ``X``; see :class:`Answer`."""
    if group.task == "numbers":
        predicted = np.asarray(model.predict(X), dtype=np.float64).reshape(len(X), -1)
        yield from ((column, None) for column in predicted.T)
        return
    P = np.asarray(model.predict_proba(X), dtype=np.float64)
    if group.task == "classes":
        yield np.argmax(P, axis=1), P
    elif isinstance(group.targets[0], TagTarget):
        yield group.targets[0].chosen(P), P
    else:
        yield from (((yes > 0.5).astype(np.int64), np.column_stack([1.0 - yes, yes])) for yes in P.T)


def _sureness(predictions: np.ndarray, P: np.ndarray) -> np.ndarray:
    """The probability that each answer is right; for tags that the whole set is, were they independent."""
    if predictions.ndim == 2:
        return np.asarray(np.prod(np.where(predictions > 0, P, 1.0 - P), axis=1))
    return np.asarray(P.max(axis=1))


def beside(
    target: Target, predictions: np.ndarray, P: np.ndarray | None, half_width: float | None
) -> dict[str, list[Any]]:
    """The columns beside the predictions of some rows, by kind: a probability, or the ends of an interval."""
    if P is not None:
        return {"probability": [round(p, 4) for p in _sureness(predictions, P).tolist()]}
    if half_width is None or not isinstance(target, NumberTarget):
        return {kind: [None] * len(predictions) for kind in ("lower", "upper")}
    return {
        kind: [target.spell(float(value) + shift, more=1) for value in predictions]
        for kind, shift in (("lower", -half_width), ("upper", half_width))
    }


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
