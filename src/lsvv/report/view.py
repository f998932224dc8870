"""What templates and charts need beyond the content itself: small sums over it."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from lsvv.report.checks import Bin, NumberCheck
from lsvv.report.from_fill import Report
from lsvv.report.inside import Atlas
from lsvv.report.rowmap import Layer

__all__ = ["atlas_range", "charted", "largest_errors", "layer_sizes", "said_and_right", "shade"]

N_ERRORS = 10


def charted(content: Report) -> dict[str, Any]:
    """What the charts draw, as values that JSON can hold."""
    return {
        "map": None if content.map is None else asdict(content.map),
        "targets": [
            {
                "column": one.column,
                "calibration": [asdict(part) for part in one.calibration],
                "certainty": list(one.certainty),
                "numbers": None if one.numbers is None else _drawn(one.numbers),
            }
            for one in content.learnt
        ],
        "models": [{"name": one.name, "spectrum": asdict(one.spectrum)} for one in content.models],
    }


def _drawn(numbers: NumberCheck) -> dict[str, Any]:
    return {key: value for key, value in asdict(numbers).items() if isinstance(value, tuple)}


def shade(value: float, least: float, most: float) -> float:
    """How dark a cell of the atlas is: 1 at the least loss, 0 at the greatest, by ratios.

    Examples
    --------
    >>> shade(1.0, 1.0, 100.0), shade(10.0, 1.0, 100.0), shade(5.0, 5.0, 5.0)
    (1.0, 0.5, 1.0)
    """
    low, here, high = (math.log(max(number, 1e-300)) for number in (least, value, most))
    return 1.0 if high <= low else round((high - here) / (high - low), 3)


def atlas_range(atlas: Atlas) -> tuple[float, float]:
    """The least and the greatest loss shown."""
    losses = [loss for panel in atlas.panels for row in panel.losses for loss in row if loss is not None]
    return min(losses), max(losses)


def layer_sizes(layer: Layer) -> list[tuple[int, int]]:
    """Known and filled points of each group."""
    sizes = [[0, 0] for _ in layer.groups]
    for place, known in zip(layer.places, layer.known, strict=True):
        sizes[place][not known] += 1
    return [(known, filled) for known, filled in sizes]


def largest_errors(numbers: NumberCheck) -> list[tuple[int, float, float]]:
    """Row, known and predicted number of the worst predictions."""
    cells = zip(numbers.rows, numbers.known, numbers.predicted, strict=True)
    return sorted(cells, key=lambda cell: -abs(cell[1] - cell[2]))[:N_ERRORS]


def said_and_right(bins: tuple[Bin, ...]) -> tuple[float, float]:
    """The mean probability of all cells, and the share of them that came true.

    Examples
    --------
    >>> said_and_right((Bin(0.5, 0.0, 0.0, 0.0, 10), Bin(0.9, 1.0, 1.0, 1.0, 30)))
    (0.8, 0.75)
    """
    n = sum(part.count for part in bins)
    return sum(part.said * part.count for part in bins) / n, sum(part.right * part.count for part in bins) / n
