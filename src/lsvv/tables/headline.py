"""What came of filling a table, in a few lines: for a terminal and a notebook alike."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from lsvv.tables.explaining import columns_sentence, kinds_sentence
from lsvv.tables.filling import Extent, Filled
from lsvv.tables.quality import typical_errors
from lsvv.tables.results import Answer
from lsvv.tables.targets import NumberTarget
from lsvv.tables.words import count, was

__all__ = ["further_notes", "headline"]


def headline(filled: Filled) -> Iterator[str]:
    """Warnings, then for each target its task and how good the answer is, then what the models rest on."""
    yield from (f"Warning: {one.text}" for one in filled.warnings)
    for result in filled.results:
        yield from _of_target(result, filled.extent)
    for part, found in zip(filled.fitted, filled.importances, strict=True):
        mattered = "" if found is None else f" {columns_sentence(found)}"
        yield f"{part.group.name}: {kinds_sentence(part.model)}{mattered}"


def further_notes(filled: Filled) -> tuple[str, ...]:
    """The notes that are no warnings."""
    return filled.notes[len(filled.warnings) :]


def _of_target(result: Answer, extent: Extent) -> Iterator[str]:
    target, n_known = result.target, extent.known[result.target.column]
    yield f"{target.column}: {target.task}, because {target.reason}."
    yield f"  Filled {count(extent.empty[target.column], 'cell')}; {n_known:,} {was(n_known)} known."
    yield f"  {result.quality.sentence()}."
    if result.interval is not None and isinstance(target, NumberTarget):
        interval = result.interval
        off = typical_errors(target.values[result.held_out_rows], result.held_out)
        mine, means = (_distance(target, one) for one in off)
        yield f"  Typically off by {mine}; always giving the mean would be off by {means}."
        reach = _distance(target, interval.half_width)
        said = f"usually ± {reach}, holds {100 * interval.measured:.0f} % of the known cells"
        yield f"  The {100 * interval.coverage:.0f} % interval, {said}."


def _distance(target: NumberTarget, distance: float) -> Any:
    """A distance as the column writes its numbers, with no more decimals than make four digits."""
    if 0.0 < distance < math.inf:
        distance = round(distance, max(0, 3 - math.floor(math.log10(distance))))
    return target.spell(distance, target.decimals_beyond(distance))
