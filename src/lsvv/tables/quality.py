"""How good the answers are, measured on known cells the model did not see."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

__all__ = ["Interval", "Quality", "interval_of", "quality_of_choices", "quality_of_numbers", "wilson"]

COVERAGE = 0.9


@dataclass(frozen=True)
class Quality:
    """One measure with its uncertainty: ``low`` and ``high`` hold it with 95 %.

    ``baseline`` is the same measure for the plainest answer: the most common class, or the mean.
    """

    measure: str
    value: float
    low: float
    high: float
    baseline: float
    n_known: int

    def sentence(self) -> str:
        """The measure in words."""
        if not self.n_known:
            return "not measured: none of its known cells was among those left out one at a time"
        if not math.isfinite(self.value):
            return f"not to be measured: all {self.n_known} known cells are the same"
        if self.measure == "R2":
            span = f" ({self.low:.2f} to {self.high:.2f})" if math.isfinite(self.low) else ""
            return f"R2 {self.value:.2f}{span} on {self.n_known} known cells, each predicted without its own value"
        return (
            f"{100 * self.value:.0f} % right ({100 * self.low:.0f} to {100 * self.high:.0f} %) on {self.n_known} known "
            f"cells, each predicted without its own label (the most common answer: {100 * self.baseline:.0f} %)"
        )


@dataclass(frozen=True)
class Interval:
    """prediction +- half_width holds a new value with about ``coverage``.

    ``measured`` is the share of known cells that lie within the interval made from all other known cells' errors.
    """

    half_width: float
    coverage: float
    measured: float
    n_known: int
    note: str = ""


def quality_of_choices(right: np.ndarray, baseline: float) -> Quality:
    """Share of right answers with Wilson's interval; NaN where there are none."""
    if not right.size:
        return Quality("accuracy", math.nan, math.nan, math.nan, baseline, 0)
    low, high = wilson(float(right.mean()), right.size)
    return Quality("accuracy", float(right.mean()), low, high, baseline, int(right.size))


def wilson(share: float, count: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a share of ``count`` trials.

    Examples
    --------
    >>> [round(end, 2) for end in wilson(0.9, 100)]
    [0.83, 0.94]
    """
    z = 1.96
    middle = (share + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z / (1 + z**2 / count) * np.sqrt(share * (1 - share) / count + z**2 / (4 * count**2))
    return float(max(0.0, middle - half)), float(min(1.0, middle + half))


def quality_of_numbers(truth: np.ndarray, predicted: np.ndarray) -> Quality:
    """R^2 = 1 - mean squared error / variance, with a bootstrap interval; the mean itself has 0.

    NaN where there are no numbers.
    """
    if not truth.size:
        return Quality("R2", math.nan, math.nan, math.nan, 0.0, 0)
    rng = np.random.default_rng(0)
    draws = rng.integers(truth.size, size=(500, truth.size))
    values = np.array([_r2(truth[draw], predicted[draw]) for draw in draws])
    values = values[np.isfinite(values)]
    low, high = np.quantile(values, [0.025, 0.975]) if values.size and truth.size > 2 else (math.nan, math.nan)
    return Quality("R2", _r2(truth, predicted), float(low), float(high), 0.0, int(truth.size))


def _r2(truth: np.ndarray, predicted: np.ndarray) -> float:
    spread = float(np.sum((truth - truth.mean()) ** 2))
    # equal values have no spread to explain, but for what rounding leaves
    if spread <= 1e-20 * float(np.sum(truth**2)):
        return math.nan
    return 1.0 - float(np.sum((truth - predicted) ** 2)) / spread


def interval_of(truth: np.ndarray, predicted: np.ndarray) -> Interval:
    """The jackknife interval: the ceil((n + 1) coverage)-th smallest leave-one-out error.

    Examples
    --------
    >>> import numpy as np
    >>> interval_of(np.arange(20.0), np.zeros(20)).half_width
    18.0
    """
    errors = np.sort(np.abs(truth - predicted))
    n = errors.size
    place = int(np.ceil((n + 1) * COVERAGE))
    note = (
        ""
        if place <= n
        else f"{n} known cells are too few for a {100 * COVERAGE:.0f} % interval: the largest error is used."
    )
    half_width = float(errors[min(place, n) - 1])
    return Interval(half_width, COVERAGE, _measured(errors), n, note)


def _measured(errors: np.ndarray) -> float:
    """The share of errors within the interval that all the others make."""
    n = errors.size - 1
    if n < 1:
        return float("nan")
    place = min(int(np.ceil((n + 1) * COVERAGE)), n) - 1
    # leaving out one of the sorted errors moves those above it down by one place
    others = np.where(np.arange(n + 1) <= place, errors[min(place + 1, n)], errors[place])
    return float(np.mean(errors <= others))
