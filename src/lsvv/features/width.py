"""The width of a kernel: a number, or a multiple of the median distance between training rows."""

from __future__ import annotations

import re
from numbers import Real

import numpy as np

from lsvv.inputs import quoted
from lsvv.linalg import (
    Array,
    dense,
    drawn_by_content,
    namespace,
    squared_distances,
    take_rows,
    to_float64,
    to_numpy,
)

DEFAULT_MULTIPLE = 0.5
N_SAMPLED_ROWS = 1000
WIDEST = 1e300
_MULTIPLE = re.compile(r"^\s*(?:([0-9.]+(?:[eE][-+]?\d+)?)\s*\*?\s*)?median\s*$")


def median_multiple(width: float | str) -> float | None:
    """The multiple of the median that ``width`` states; None where it is a plain number.

    Examples
    --------
    >>> median_multiple("2 median"), median_multiple("median"), median_multiple("auto"), median_multiple(3.0)
    (2.0, 1.0, 0.5, None)
    """
    if isinstance(width, str):
        if width == "auto":
            return DEFAULT_MULTIPLE
        match = _MULTIPLE.match(width)
        if match and float(match.group(1) or 1.0) > 0:
            return float(match.group(1) or 1.0)
    elif isinstance(width, Real) and not isinstance(width, bool) and 0 < width < WIDEST:
        return None
    raise ValueError(
        f"width={quoted(width)} is not a width. Pass 'auto', a positive number, or a multiple such as '0.5 median'."
    )


def resolve_width(width: float | str, X: Array, sample_weight: np.ndarray | None, rng: np.random.Generator) -> float:
    """``width`` as a number for the rows ``X``."""
    multiple = median_multiple(width)
    return float(width) if multiple is None else multiple * median_distance(X, sample_weight, rng)


def median_distance(X: Array, sample_weight: np.ndarray | None, rng: np.random.Generator) -> float:
    """Weighted median of the non-zero distances between rows; 1.0 where all rows coincide.

    A row of weight 2 counts as two rows. Zero distances are left out, so that repeated rows, however many, do
    not shrink the width. Beyond ``N_SAMPLED_ROWS`` rows a random sample of that size stands for all.
    """
    n_rows = X.shape[0]
    weight = np.ones(n_rows) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    rows = np.flatnonzero(weight > 0)
    if rows.size > N_SAMPLED_ROWS:
        rows = rows[drawn_by_content(take_rows(X, rows), N_SAMPLED_ROWS, rng)]
    if rows.size < 2:
        return 1.0
    sample = to_float64(dense(take_rows(X, rows)))
    xp = namespace(sample)
    scale = float(xp.max(xp.abs(sample)))
    if scale == 0.0:
        return 1.0
    sample = (sample - xp.mean(sample, axis=0)) / scale
    upper = np.triu_indices(rows.size, k=1)
    squared = to_numpy(squared_distances(sample, sample))[upper]
    positive = squared > 1e-14 * squared.max()
    if not positive.any():
        return 1.0
    pairs = None if sample_weight is None else (weight[rows][:, None] * weight[rows][None, :])[upper][positive]
    return float(scale * np.sqrt(_weighted_median(squared[positive], pairs)))


def _weighted_median(values: np.ndarray, weights: np.ndarray | None) -> float:
    """The smallest value at which the weights below and at it, all equal if None, reach half of the total."""
    if weights is None:
        middle = (values.size - 1) // 2
        return float(np.partition(values, middle)[middle])
    order = np.argsort(values, kind="stable")
    cumulative = np.cumsum(weights[order])
    # the slack keeps equal halves on the same side whatever the order of summation
    index = np.searchsorted(cumulative, 0.5 * cumulative[-1] * (1 - 1e-12))
    return float(values[order][index])
