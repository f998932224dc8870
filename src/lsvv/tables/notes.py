"""What a reader should know of a filled table, one sentence each; warnings are in :mod:`lsvv.tables.cautions`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lsvv.tables.results import Answer
from lsvv.tables.table import Table
from lsvv.tables.targets import LabelTarget, NumberTarget, TagTarget

if TYPE_CHECKING:
    from lsvv.tables.filling import Fitted

__all__ = ["model_notes", "result_notes"]


def model_notes(fitted: Sequence[Fitted]) -> Iterator[str]:
    """What the models took, and what they warned of."""
    for part in fitted:
        model = part.model
        # outputs are called by their number there, and by their names below; what rows without a label bring is told
        # only where there are any
        told = (*model.output_notes_, *([] if model.guard_ is None else [model.guard_.sentence]))
        has_holes = not all(target.known.all() for target in part.group.targets)
        yield from (f"{part.group.name}: {note}" for note in (*model.notes_, *part.warned) if note not in told)
        if part.help_note is not None and has_holes:
            yield part.help_note
        if part.group.task == "numbers":
            for target, scale in zip(part.group.targets, model.target_scales_, strict=True):
                if scale == "log":
                    yield f"{target.column}: its logarithm was learnt, which predicts known cells better than itself."


def result_notes(table: Table, results: Sequence[Answer]) -> Iterator[str]:
    """What the cells of each target are, known and filled."""
    for result in results:
        column = result.target.column
        if not result.rows.size:
            yield f"The target {column!r} has no empty cell: nothing was filled, only checked."
        if column in table.marked:
            texts = ", ".join(sorted(map(repr, table.marked[column])))
            yield f"The text {texts} in {column!r} was taken for an empty cell and filled; --missing says what is."
        if isinstance(result.target, LabelTarget) and np.unique(result.target.values[result.target.known]).size == 1:
            yield f"The known cells of {column!r} all say the same, and so do the filled ones."
        if isinstance(result.target, TagTarget):
            always = np.flatnonzero((result.target.values[result.target.known] > 0.5).all(axis=0))
            for tag in always.tolist():
                yield f"All known cells of {column!r} hold {result.target.outputs[tag]!r}, and so do the filled ones."
        yield from _number_notes(result)
        if not result.quality.n_known:
            yield f"{column}: none of its known cells was left out, so that nothing tells how good the filled ones are."
        if result.interval is not None and result.interval.note:
            yield f"{column}: {result.interval.note}"
        # of classes a warning says so
        if result.target.task != "classes" and result.target.known.sum() < 2 * len(result.target.outputs):
            yield f"{column}: only {int(result.target.known.sum())} cells are known; label more of them."


def _number_notes(result: Answer) -> Iterator[str]:
    """Numbers that had to be raised to 0, unless the type of the column says so already."""
    target = result.target
    if not isinstance(target, NumberTarget) or (target.ends is not None and target.ends[0] >= 0):
        return
    if np.any(result.predictions[result.rows] <= target.least) and np.any(target.values[target.known] > 0.0):
        yield f"{target.column}: what would have come out below 0 was written as 0, since no known cell is below 0."
