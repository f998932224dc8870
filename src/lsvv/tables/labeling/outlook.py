"""What the labels bought: left-out quality, its forecast, whether more pay, and labels that look wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsvv.tables.labeling.belief import Belief, learnable
from lsvv.tables.labeling.prepared import Prepared, left_out
from lsvv.tables.quality import Quality
from lsvv.tables.results import Answer
from lsvv.tables.tasks import Finding
from lsvv.tables.words import PERCENT, count, percent

__all__ = ["Doubtful", "Outlook", "Point", "doubtful_labels", "forecast", "outlook_of", "point_of"]

MORE = 50
"""Labels that the forecast looks ahead."""
SHARES = (0.4, 0.6, 0.8)
DRAWS = 3
FEWEST_TO_FORECAST = 12
LITTLE = 0.01
"""A gain of 50 labels that hardly pays."""
SURE_OF_ANOTHER, SURE_AGAINST = 0.8, 0.1
FAR = 2.0
"""Half-widths of its 90 % interval beyond which a number looks wrong."""
MOST_DOUBTFUL = 8


@dataclass(frozen=True)
class Point:
    """Left-out quality at a number of labels, with the ends that hold it with 95 %; NaN where there are none."""

    n_labels: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Doubtful:
    """A label that looks wrong: its row (a place in :class:`Prepared`), and what the others say in its place."""

    row: int
    instead: Any
    why: str


@dataclass(frozen=True)
class Outlook:
    """Where the session stands.

    Attributes
    ----------
    now : Point
    quality : Quality
    expected : float or None
        The mean probability that a guess for an unlabelled row is right; None for numbers.
    ahead : Point or None
        The forecast for 50 labels more.
    pays : bool or None
        Whether these are worth it, as they are until the answers are plainly better than the plainest one; None as long
        as labels are too few to tell.
    sentences : tuple of str
        All of it in words.
    doubtful : tuple of Doubtful
    """

    now: Point
    quality: Quality
    expected: float | None
    ahead: Point | None
    pays: bool | None
    sentences: tuple[str, ...]
    doubtful: tuple[Doubtful, ...]


def point_of(ready: Prepared, finding: Finding, cells: Sequence[Any]) -> Point | None:
    """The left-out quality of the labels among ``cells``; None where it cannot be measured."""
    target = learnable(finding, cells)
    return None if target is None else _point(left_out(ready, target, np.flatnonzero(target.known)).quality)


def _point(quality: Quality) -> Point | None:
    if not math.isfinite(quality.value):
        return None
    return Point(quality.n_known, quality.value, quality.low, quality.high)


def outlook_of(ready: Prepared, finding: Finding, cells: Sequence[Any], belief: Belief) -> Outlook | None:
    """Where the session stands after these labels; None as long as nothing can be measured."""
    answer = belief.answer
    now = None if answer is None else _point(answer.quality)
    if answer is None or now is None:
        return None
    ahead = None
    if now.n_labels >= FEWEST_TO_FORECAST:
        ahead = forecast(_curve(ready, answer), now, MORE)
    pays = None if ahead is None else ahead.value - now.value >= LITTLE or not _is_learnt(answer.quality)
    sure, holes = answer.probability, ~belief.known
    expected = float(sure[holes].mean()) if sure is not None and holes.any() else None
    sentences = tuple(_sentences(answer, expected, now, ahead, pays, int(holes.sum())))
    return Outlook(now, answer.quality, expected, ahead, pays, sentences, tuple(doubtful_labels(answer)))


def _curve(ready: Prepared, answer: Answer) -> np.ndarray:
    """(labels, left-out error) at random shares of the labels."""
    rng = np.random.default_rng(0)
    known = np.flatnonzero(answer.target.known)
    points = []
    for share in SHARES:
        n = max(3, round(share * known.size))
        for _ in range(DRAWS):
            rows = np.sort(rng.choice(known, n, replace=False))
            values = answer.target.values[rows]
            if not np.any(values != values[0]):
                continue
            try:
                quality = left_out(ready, answer.target, rows).quality
            except ValueError:
                # too few of a kind to leave one out
                continue
            if math.isfinite(quality.value):
                points.append((n, 1.0 - quality.value))
    return np.reshape(np.array(points, dtype=np.float64), (-1, 2))


def forecast(curve: np.ndarray, now: Point, more: int) -> Point:
    """error = a + b / sqrt(n), b >= 0, drawn through what is measured now, for ``more`` labels than now.

    What is measured now may be off as far as its interval says, and so may the forecast.
    """
    n, error = now.n_labels, 1.0 - now.value
    fall = 1.0 / np.sqrt(curve[:, 0]) - 1.0 / math.sqrt(n)
    total = float(fall @ fall)
    slope = max(0.0, float(fall @ (curve[:, 1] - error)) / total) if total > 0 else 0.0
    gain = min(error, slope * (1.0 / math.sqrt(n) - 1.0 / math.sqrt(n + more)))
    return Point(n + more, *(min(1.0, share + gain) for share in (now.value, now.low, now.high)))


def _sentences(
    answer: Answer, expected: float | None, now: Point, ahead: Point | None, pays: bool | None, n_left: int
) -> list[str]:
    told = [_measured(answer.quality)]
    if expected is not None:
        told.append(
            f"Of its guesses for the {count(n_left, 'row')} still empty the model expects {percent(expected)} to be "
            f"right; the rows it asks for are the harder ones."
        )
    if ahead is None:
        return [*told, f"From {FEWEST_TO_FORECAST} labels on there is a forecast."]
    if not _is_learnt(answer.quality):
        plainest = "the mean" if answer.quality.measure == "R2" else "the most common answer"
        return [*told, f"So far this may be no better than always giving {plainest}: more labels will tell."]
    if pays:
        return [*told, f"{MORE} more labels would bring this to about {percent(ahead.value)}."]
    return [*told, f"More labels hardly pay: {MORE} more would bring less than one point in a hundred. You can stop."]


def _is_learnt(quality: Quality) -> bool:
    """Whether the answers are plainly better than the plainest one."""
    return (quality.low if math.isfinite(quality.low) else quality.value) > quality.baseline


def _measured(quality: Quality) -> str:
    n = count(quality.n_known, "label")
    if quality.measure == "R2":
        return (
            f"Each of the {n} left out in turn, {percent(max(quality.value, 0.0))} of their differences is explained."
        )
    return (
        f"Each of the {n} left out in turn, {percent(quality.value)} come out right ({100 * quality.low:.0f} to "
        f"{100 * quality.high:.0f}{PERCENT}); always the most common answer: {percent(quality.baseline)}."
    )


def doubtful_labels(answer: Answer) -> list[Doubtful]:
    """Labels that all others speak against, the most doubtful first."""
    rows, held, target = answer.held_out_rows, answer.held_out, answer.target
    truth = target.values[rows]
    if target.task == "numbers":
        return _far_numbers(answer, rows, held, truth)
    if target.task == "tags":
        against = np.abs(held - truth).max(axis=1)
        wrong = np.flatnonzero(against > 1.0 - SURE_AGAINST)
        worst = np.abs(held - truth).argmax(axis=1)
        found = [
            (against[i], Doubtful(int(rows[i]), None, _of_tag(target.outputs[worst[i]], held[i, worst[i]])))
            for i in wrong
        ]
    else:
        own, other = held[np.arange(len(rows)), truth.astype(int)], held.max(axis=1)
        wrong = np.flatnonzero((own < SURE_AGAINST) & (other >= SURE_OF_ANOTHER))
        names = target.spelt(held.argmax(axis=1))
        found = [
            (other[i], Doubtful(int(rows[i]), names[i], f"the others say {names[i]} ({percent(float(other[i]))})"))
            for i in wrong
        ]
    return [one for _, one in sorted(found, key=lambda pair: -pair[0])][:MOST_DOUBTFUL]


def _of_tag(tag: str, share: float) -> str:
    return f"the others say {tag} with {percent(float(share))}"


def _far_numbers(answer: Answer, rows: np.ndarray, held: np.ndarray, truth: np.ndarray) -> list[Doubtful]:
    if answer.held_out_ends is None or len(rows) < FEWEST_TO_FORECAST:
        return []
    lower, upper = answer.held_out_ends
    half = np.maximum((upper - lower) / 2.0, 1e-12)
    far = np.abs(truth - held) / half
    said = answer.target.spelt(held)
    order = np.argsort(-far)
    return [Doubtful(int(rows[i]), said[i], f"the others say {said[i]}") for i in order[:MOST_DOUBTFUL] if far[i] > FAR]
