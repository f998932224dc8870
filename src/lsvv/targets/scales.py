"""The logarithm as the scale of a number: which outputs it may suit, and by how much it is shifted."""

from __future__ import annotations

import numpy as np

FEWEST_FOR_LOGS = 10
LEAST_SKEWNESS = 1.0
"""Of numbers that are less skewed the logarithm is next to a line."""


def may_be_logs(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Outputs (K,) whose known numbers are ten or more, never negative, and of a skewness above 1.

    Examples
    --------
    >>> import numpy as np
    >>> prices = 10.0 ** np.linspace(0, 3, 20)
    >>> may_be_logs(np.c_[prices, -prices, np.arange(20)], np.ones((20, 3))).tolist()
    [True, False, False]
    """
    share = weights / weights.sum(axis=0)
    known = weights > 0
    # in units of the largest, of which no power overflows
    most = np.max(np.abs(values), axis=0, where=known, initial=0.0)
    scaled = np.where(known, values, 0.0) / np.where(most > 0, most, 1.0)
    off = np.where(known, scaled - (share * scaled).sum(axis=0), 0.0)
    variance, third = (share * off**2).sum(axis=0), (share * off**3).sum(axis=0)
    never_negative = np.min(values, axis=0, where=known, initial=0.0) >= 0.0
    skewed = third > LEAST_SKEWNESS * variance**1.5
    return np.asarray((known.sum(axis=0) >= FEWEST_FOR_LOGS) & never_negative & skewed & (variance > 1e-24))


def shifts(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """c of log(y + c) for each output: 0 where all known numbers are above 0, else the least that is.

    So that 0 stands one doubling below it.

    Examples
    --------
    >>> import numpy as np
    >>> shifts(np.array([[3.0, 0.0], [5.0, 2.0], [0.0, 8.0]]), np.array([[1, 1], [1, 1], [0, 1]])).tolist()
    [0.0, 2.0]
    """
    known = weights > 0
    least = np.min(values, axis=0, where=known & (values > 0), initial=np.inf)
    has_zero = (known & (values == 0)).any(axis=0)
    return np.where(has_zero, np.where(np.isfinite(least), least, 1.0), 0.0)
