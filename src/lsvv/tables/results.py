"""What a fitted group says of every row: predictions, probabilities, intervals, and their quality."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsvv.tables.quality import Interval, Quality, interval_of, quality_of_choices, quality_of_numbers
from lsvv.tables.targets import Group, Target

__all__ = ["Answer", "answers"]


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


def answers(group: Group, model: Any, X: np.ndarray) -> Iterator[Answer]:
    """One answer for each target of the group."""
    if group.task == "numbers":
        yield from _numbers(group, model, X)
    elif group.task == "classes":
        yield _classes(group.targets[0], model, X)
    elif group.task == "tags":
        yield _tags(group.targets[0], model, X)
    else:
        yield from _labels(group, model, X)


def _classes(target: Target, model: Any, X: np.ndarray) -> Answer:
    P = np.asarray(model.predict_proba(X), dtype=np.float64)
    rows, held = model.held_out_rows_, model.held_out()
    truth = target.values[rows]
    # the model knows the classes that occur, which are all of them: codes are their places
    right = np.argmax(held, axis=1) == truth
    baseline = float(np.bincount(truth).max() / truth.size)
    quality = quality_of_choices(right, baseline)
    return Answer(target, np.argmax(P, axis=1), P, P.max(axis=1), None, quality, rows, held)


def _tags(target: Target, model: Any, X: np.ndarray) -> Answer:
    P = np.asarray(model.predict_proba(X), dtype=np.float64)
    chosen = _at_least_one(P)
    rows, held = model.held_out_rows_, model.held_out()
    truth = target.values[rows]
    right = np.all(_at_least_one(held) == truth, axis=1)
    _, counts = np.unique(truth, axis=0, return_counts=True)
    quality = quality_of_choices(right, float(counts.max() / len(truth)))
    together = np.prod(np.where(chosen > 0, P, 1.0 - P), axis=1)
    return Answer(target, chosen, P, together, None, quality, rows, held)


def _at_least_one(P: np.ndarray) -> np.ndarray:
    """Tags above one half, or the likeliest: a filled cell is not empty."""
    chosen = P > 0.5
    chosen[np.arange(len(P)), np.argmax(P, axis=1)] = True
    return chosen.astype(np.int64)


def _labels(group: Group, model: Any, X: np.ndarray) -> Iterator[Answer]:
    P = np.asarray(model.predict_proba(X), dtype=np.float64)
    rows, held = model.held_out_rows_, model.held_out()
    for place, target in enumerate(group.targets):
        yes, some = P[:, place], target.known[rows]
        truth, guess = target.values[rows][some], held[some, place]
        baseline = float(max(truth.mean(), 1.0 - truth.mean()))
        quality = quality_of_choices((guess > 0.5) == (truth > 0.5), baseline)
        both = np.column_stack([1.0 - yes, yes])
        sure = both.max(axis=1)
        yield Answer(target, (yes > 0.5).astype(np.int64), both, sure, None, quality, rows[some], guess)


def _numbers(group: Group, model: Any, X: np.ndarray) -> Iterator[Answer]:
    predicted = np.asarray(model.predict(X), dtype=np.float64).reshape(len(X), -1)
    rows, held = model.held_out_rows_, model.held_out()
    for place, target in enumerate(group.targets):
        some = target.known[rows]
        truth, guess = target.values[rows][some], held[some, place]
        interval = interval_of(truth, guess)
        quality = quality_of_numbers(truth, guess)
        yield Answer(target, predicted[:, place], None, None, interval, quality, rows[some], guess)
