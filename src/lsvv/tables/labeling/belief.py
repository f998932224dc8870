"""What is believed after some answers: a quick model's word on every row, and which rows to ask for next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsvv.tables.asking import Doubt, uncertainty
from lsvv.tables.coding import code
from lsvv.tables.labeling.prepared import Prepared, quick_answer
from lsvv.tables.results import Answer
from lsvv.tables.table import TableError
from lsvv.tables.targets import Target
from lsvv.tables.tasks import Finding

__all__ = ["Belief", "Next", "believe", "learnable"]

FEWEST = 3
"""Labels below which nothing is guessed."""
QUEUE = 8
"""Questions chosen ahead, each as if those before it had been answered."""


@dataclass(frozen=True)
class Next:
    """A row to ask for, and for how many other rows its label speaks: their correlation with it is above one half."""

    row: int
    stands_for: int


@dataclass(frozen=True, eq=False)
class Belief:
    """What is known and guessed.

    Attributes
    ----------
    known : bool array
        The rows whose label is known; places in :class:`Prepared`, as all rows here.
    answer : Answer or None
        None as long as labels are too few to learn from.
    queue : tuple of Next
        The rows to ask for, the best first.
    """

    known: np.ndarray
    answer: Answer | None
    queue: tuple[Next, ...]


def learnable(finding: Finding, cells: Sequence[Any]) -> Target | None:
    """The target of a column; None where it has too few labels, or all say the same."""
    if sum(cell is not None for cell in cells) < FEWEST:
        return None
    try:
        target = code(finding, cells)
    except TableError:
        return None
    values = target.values[target.known]
    return target if np.any(values != values[0]) else None


def believe(ready: Prepared, finding: Finding, cells: Sequence[Any]) -> Belief:
    """The belief after the labels among ``cells``, None where there is none."""
    known = np.array([cell is not None for cell in cells], dtype=bool)
    target = learnable(finding, cells)
    answer = None if target is None else quick_answer(ready, target)
    unsure = np.ones(known.size) if answer is None else uncertainty(answer)
    return Belief(known, answer, tuple(_queue(ready, known, unsure)))


def _queue(ready: Prepared, known: np.ndarray, unsure: np.ndarray) -> list[Next]:
    doubt = Doubt(ready.asked, known, unsure)
    asked: list[Next] = []
    for _ in range(min(QUEUE, int(np.sum(~known)))):
        row = int(np.argmax(doubt.worth()))
        if doubt.worth()[row] <= 0.0:
            # rows that say nothing of others are asked for all the same
            left = np.setdiff1d(np.flatnonzero(~known), [one.row for one in asked])
            row = int(left[0])
        asked.append(Next(row, doubt.stands_for(row)))
        doubt.ask(row)
    return asked
