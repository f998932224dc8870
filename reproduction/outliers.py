"""A target whose one extreme row sets the unit of errors, or makes most of them."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reproduction.data import split
from reproduction.experiments import Hidden
from reproduction.protocol import at_hand, open_data

__all__ = ["Outlier", "outlier_of"]


@dataclass(frozen=True)
class Outlier:
    """A row that lies further from all others in one target than they lie from each other.

    Attributes
    ----------
    row, column : int
        Where it is.
    value, nearest : float
        Its value and the nearest of another row.
    tested : frozenset of int
        The seeds, out of those asked for, in whose splits it is a test row. In the others it is a training row, and the
        unit of its target, the range of the training rows, is that much wider.
    """

    row: int
    column: int
    value: float
    nearest: float
    tested: frozenset[int]


def outlier_of(
    name: str, folder: str | os.PathLike[str] | None, seeds: tuple[int, ...], hidden: Hidden = "rows"
) -> Outlier | None:
    """The one outlying row of a regression set; None if it has none, or is not at hand.

    Examples
    --------
    >>> outlier_of("rf2", None, (1000,)) is None
    True
    """
    if not at_hand(name, folder):
        return None
    data = open_data(name, folder)
    found = _furthest(np.asarray(data.y, dtype=np.float64))
    if found is None:
        return None
    row, column, nearest = found
    tested = {seed for seed in seeds if row in split(data.y, data.task, seed, unit=hidden).test}
    return Outlier(row, column, float(data.y[row, column]), nearest, frozenset(tested))


def _furthest(Y: NDArray[np.float64]) -> tuple[int, int, float] | None:
    """Row, column and nearest other value of what lies furthest off; None within one range of the other rows."""
    order = np.argsort(Y, axis=0)
    rows = np.take_along_axis(Y, order, axis=0)
    gaps = np.stack([rows[1] - rows[0], rows[-1] - rows[-2]])
    ranges = np.stack([rows[-1] - rows[1], rows[-2] - rows[0]])
    off = np.divide(gaps, ranges, out=np.zeros_like(gaps), where=ranges > 0.0)
    end, column = np.unravel_index(int(off.argmax()), off.shape)
    if off[end, column] <= 1.0:
        return None
    place, beside = (0, 1) if end == 0 else (-1, -2)
    return int(order[place, column]), int(column), float(rows[beside, column])
