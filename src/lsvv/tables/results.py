"""What a fitted group says of every row: predictions, probabilities, intervals, and their quality."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsvv.tables.models import held_out
from lsvv.tables.quality import Interval, Quality, interval_of, quality_of_choices, quality_of_numbers
from lsvv.tables.targets import Group, Target

__all__ = ["Answer", "Said", "answers", "says"]


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer of a model for one target.

    Attributes
    ----------
    target : Target
        The column, its task, its known cells.
    predictions : array of shape (rows, ...)
        For every row of the table, known or not, unrounded: places of classes, 0/1, or numbers.
    probabilities : array of shape (rows, K) or None
        Of every class or tag for every row; None for numbers.
    probability : array of shape (rows,) or None
        That the answer is right; for tags that the whole set is, were they independent.
    interval : Interval or None
        For numbers.
    quality : Quality
        Measured on known cells left out one at a time.
    held_out_rows, held_out : arrays
        The known rows left out, and probabilities or predictions for them.
    """

    target: Target
    predictions: np.ndarray
    probabilities: np.ndarray | None
    probability: np.ndarray | None
    interval: Interval | None
    quality: Quality
    held_out_rows: np.ndarray
    held_out: np.ndarray


@dataclass(frozen=True, eq=False)
class Said:
    """What a model says of one target for some rows; see :class:`Answer`."""

    predictions: np.ndarray
    probabilities: np.ndarray | None = None
    probability: np.ndarray | None = None


def answers(group: Group, model: Any, X: np.ndarray) -> Iterator[Answer]:
    """One answer for each target of the group, checked against its known cells."""
    rows, held = held_out(model)
    for place, (target, said) in enumerate(zip(group.targets, says(group, model, X), strict=True)):
        some = target.known[rows]
        guess = held[some, place] if group.task in ("numbers", "labels") else held[some]
        truth = target.values[rows][some]
        interval = interval_of(truth, guess) if group.task == "numbers" else None
        quality = _quality(group.task, truth, guess)
        yield Answer(target, **vars(said), interval=interval, quality=quality, held_out_rows=rows[some], held_out=guess)


def says(group: Group, model: Any, X: np.ndarray) -> Iterator[Said]:
    """What the model says of each target of the group for the rows ``X``."""
    if group.task == "numbers":
        predicted = np.asarray(model.predict(X), dtype=np.float64).reshape(len(X), -1)
        yield from (Said(column) for column in predicted.T)
        return
    P = np.asarray(model.predict_proba(X), dtype=np.float64)
    if group.task == "classes":
        yield Said(np.argmax(P, axis=1), P, P.max(axis=1))
    elif group.task == "tags":
        chosen = _at_least_one(P)
        yield Said(chosen, P, np.prod(np.where(chosen > 0, P, 1.0 - P), axis=1))
    else:
        for yes in P.T:
            both = np.column_stack([1.0 - yes, yes])
            yield Said((yes > 0.5).astype(np.int64), both, both.max(axis=1))


def _quality(task: str, truth: np.ndarray, guess: np.ndarray) -> Quality:
    """Held against the plainest answer: the mean, or what is most common."""
    if task == "numbers":
        return quality_of_numbers(truth, guess)
    right = {
        "classes": lambda: np.argmax(guess, axis=1) == truth,
        "tags": lambda: np.all(_at_least_one(guess) == truth, axis=1),
        "labels": lambda: (guess > 0.5) == (truth > 0.5),
    }[task]()
    _, counts = np.unique(truth, axis=0, return_counts=True)
    return quality_of_choices(right, float(counts.max() / len(truth)))


def _at_least_one(P: np.ndarray) -> np.ndarray:
    """Tags above one half, or the likeliest: a filled cell is not empty."""
    chosen = P > 0.5
    chosen[np.arange(len(P)), np.argmax(P, axis=1)] = True
    return chosen.astype(np.int64)
