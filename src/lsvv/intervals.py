"""Intervals from held-out scores: of a number, score +- q spread(score); of the share of answers that are right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

COVERAGE = 0.9
FEWEST_A_BIN = 20
MOST_BINS = 20
MOST_RATIOS = 2000
"""Beyond it quantiles of the ratios stand for all of them."""


def left_out_interval(share: float, count: int) -> tuple[float, float]:
    """(c + z^2/2 -+ z sqrt(c (1 - share) + z^2/4)) / (m + z^2), c = m share, m = count / 2: Wilson's, of half as many.

    Rows that are left out in turn are judged by models that share all their other rows, so that the share of right ones
    varies about as much as that of half as many rows that share none (Nadeau and Bengio's correction of
    cross-validation); on labels without a pattern an interval of all of them holds the truth too rarely.

    Examples
    --------
    >>> [round(end, 2) for end in left_out_interval(0.9, 100)]
    [0.79, 0.96]
    """
    z, m = 1.96, count / 2.0
    middle = (m * share + z**2 / 2.0) / (m + z**2)
    reach = z * np.sqrt(m * share * (1.0 - share) + z**2 / 4.0) / (m + z**2)
    return float(max(0.0, middle - reach)), float(min(1.0, middle + reach))


@dataclass(frozen=True, eq=False)
class ErrorLaw:
    """|y - score| <= q spread(score) for a share of new numbers, with q the quantile of |error| / spread.

    The jackknife's interval, made as wide as errors are where scores are like the one at hand.

    Attributes
    ----------
    centres, sizes : arrays of shape (bins,)
        spread(centre): the mean of |error| over a bin of like scores; linear between centres, constant beyond.
    ratios : array
        |error| / spread of the numbers left out, sorted, each spread made without the number's own error.
    n_known : int
        How many numbers were left out.

    Examples
    --------
    >>> import numpy as np
    >>> law = error_law(np.arange(20.0), np.zeros(20))
    >>> law.half_widths(np.array([0.0, 5.0]), 0.9).tolist()
    [18.0, 18.0]
    """

    centres: np.ndarray
    sizes: np.ndarray
    ratios: np.ndarray
    n_known: int

    def half_widths(self, scores: np.ndarray, level: float) -> np.ndarray:
        """Half of the interval around each score that holds a new number with probability ``level``."""
        return self.ratios[_place(self.ratios.size, level)] * np.interp(scores, self.centres, self.sizes)

    def has_enough(self, level: float) -> bool:
        """Whether the numbers are enough for an interval of this level; else the largest ratio makes it."""
        return (self.n_known + 1) * level <= self.n_known

    def measured(self, level: float) -> float:
        """The share of the numbers within the interval that the ratios of all others make."""
        n = self.ratios.size - 1
        if n < 1:
            return float("nan")
        place = _place(n, level)
        # leaving out one of the sorted ratios moves those above it down by one place
        others = np.where(np.arange(n + 1) <= place, self.ratios[place + 1], self.ratios[place])
        return float(np.mean(self.ratios <= others))


def error_law(truth: np.ndarray, scores: np.ndarray) -> ErrorLaw:
    """What the errors of scores, each made without its own number, say of the errors of new ones.

    From forty numbers on the spread varies with the score. A bin's mean takes in the mean of all errors as one more.
    """
    errors = np.abs(truth - scores)
    bins = _bins(scores)
    if bins.max(initial=0) == 0:
        return ErrorLaw(np.zeros(1), np.ones(1), _thinned(np.sort(errors)), errors.size)
    counts, sums = np.bincount(bins), np.bincount(bins, errors)
    centres = np.bincount(bins, scores) / counts
    sizes = (sums + errors.mean()) / (counts + 1)
    own = np.eye(counts.size)[bins]
    others = (errors.sum() - errors) / (errors.size - 1)
    without = (sums - own * errors[:, None] + others[:, None]) / (counts + 1 - own)
    weights = np.stack([np.interp(scores, centres, one) for one in np.eye(counts.size)], axis=1)
    spread = (weights * without).sum(axis=1)
    least = max(1e-9 * float(errors.mean()), 1e-300)
    ratios = errors / np.maximum(spread, least)
    return ErrorLaw(centres, np.maximum(sizes, least), _thinned(np.sort(ratios)), errors.size)


def _bins(scores: np.ndarray) -> np.ndarray:
    """The place of each score among bins of about as many scores; equal scores share one."""
    n_bins = int(np.clip(scores.size // FEWEST_A_BIN, 1, MOST_BINS))
    edges = np.quantile(scores, np.linspace(0.0, 1.0, n_bins + 1)[1:-1]) if n_bins > 1 else np.zeros(0)
    return np.unique(np.searchsorted(np.unique(edges), scores, side="left"), return_inverse=True)[1]


def _place(count: int, level: float) -> int:
    """The place of the ceil((n + 1) level)-th smallest of n; the last where there are too few."""
    return min(int(np.ceil((count + 1) * level - 1e-9)), count) - 1


def _thinned(ratios: np.ndarray) -> np.ndarray:
    if ratios.size <= MOST_RATIOS:
        return ratios
    return np.asarray(np.quantile(ratios, np.linspace(0.0, 1.0, MOST_RATIOS), method="higher"))
