"""Comparing methods over repeated splits: paired tests, Holm's correction, marks, ranks."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

__all__ = [
    "Mark",
    "MeanRanks",
    "Summary",
    "TTest",
    "corrected_resampled_t",
    "friedman",
    "holm",
    "marks",
    "mean_ranks",
    "nemenyi_difference",
    "paired_t",
    "summarise",
]

Mark: TypeAlias = Literal["best", "close", "worse"]


@dataclass(frozen=True)
class Summary:
    """Mean and standard deviation (n - 1 degrees of freedom) of ``count`` figures."""

    mean: float
    std: float
    count: int


@dataclass(frozen=True)
class TTest:
    """A two-sided t test of the mean of paired differences against 0."""

    difference: float
    statistic: float
    degrees: int
    p_value: float


@dataclass(frozen=True)
class MeanRanks:
    """The mean rank of each method over the cells of a table, the Nemenyi critical difference and Friedman's test.

    Two methods whose mean ranks differ by less than ``critical`` are not significantly different; that they differ more
    counts only where the test of all of them together, of p value ``friedman``, tells them apart.
    """

    ranks: Mapping[str, float]
    critical: float
    cells: int
    friedman: float = math.nan


def summarise(figures: ArrayLike) -> Summary:
    """Mean and standard deviation of the figures of a cell; the deviation of a single one is NaN.

    Examples
    --------
    >>> summarise([1.0, 2.0, 3.0])
    Summary(mean=2.0, std=1.0, count=3)
    """
    values = _vector(figures)
    if len(values) == 0:
        raise ValueError("There are no figures to summarise: the cell is empty.")
    std = float(values.std(ddof=1)) if len(values) > 1 else math.nan
    return Summary(float(values.mean()), std, len(values))


def paired_t(first: ArrayLike, second: ArrayLike) -> TTest:
    """The paired t: mean(d) / (sd(d) / sqrt(n)) with n - 1 degrees of freedom, d = first - second.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Figures of two methods on the same n >= 2 splits.

    Examples
    --------
    >>> test = paired_t([1.0, 2.0, 4.0], [0.0, 2.0, 2.0])
    >>> round(test.statistic, 4), test.degrees
    (1.7321, 2)
    """
    return _t_test(first, second, lambda n: 1.0 / n)


def corrected_resampled_t(first: ArrayLike, second: ArrayLike, test_share: float = 0.3) -> TTest:
    """Nadeau and Bengio's t: mean(d) / sqrt((1/n + n_test/n_train) var(d)), n - 1 degrees of freedom.

    The n random splits overlap, so their differences are correlated and the paired t is too sure of itself.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Figures of two methods on the same n >= 2 splits.
    test_share : float, default=0.3
        Share of test rows in a split; n_test / n_train = test_share / (1 - test_share).

    Examples
    --------
    >>> first, second = [1.0, 2.0, 4.0], [0.0, 2.0, 2.0]
    >>> abs(corrected_resampled_t(first, second).statistic) < abs(paired_t(first, second).statistic)
    True
    """
    if not 0 <= test_share < 1:
        raise ValueError(f"The share of test rows must lie in [0, 1), but test_share={test_share}.")
    return _t_test(first, second, lambda n: 1.0 / n + test_share / (1.0 - test_share))


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Holm's adjusted p values: max over j <= i of min(1, (m - j) p_(j)), j = 0, 1, ... in ascending order.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = _vector(p_values)
    if ((values < 0) | (values > 1)).any():
        raise ValueError("A p value lies outside [0, 1].")
    order = values.argsort(kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, factors * values[order]))
    return adjusted


def marks(
    errors: Mapping[str, ArrayLike],
    level: float = 0.05,
    test: Callable[[ArrayLike, ArrayLike], TTest] = paired_t,
) -> dict[str, Mark]:
    """For each method: "best" (least mean error), "close" (not significantly different from it) or "worse".

    Parameters
    ----------
    errors : mapping of method to array-like of shape (n,)
        Errors on common splits, smaller is better; methods with the same least mean are all best.
    level : float, default=0.05
        A p value below it is a significant difference.
    test : callable, default=paired_t
        Compares two methods.

    Examples
    --------
    >>> marks({"a": [1.0, 1.1, 0.9], "b": [1.2, 1.0, 1.0], "c": [5.0, 5.1, 4.9]})
    {'a': 'best', 'b': 'close', 'c': 'worse'}
    """
    means = {method: summarise(values).mean for method, values in errors.items()}
    least = min(means.values())
    best = next(method for method, mean in means.items() if mean == least)

    def mark(method: str) -> Mark:
        if means[method] == least:
            return "best"
        return "worse" if test(errors[method], errors[best]).p_value < level else "close"

    return {method: mark(method) for method in errors}


def mean_ranks(means: Mapping[str, Sequence[float]], level: float = 0.05) -> MeanRanks:
    """Mean over cells of the rank of each method, 1 for the least error; ties share their mean rank.

    Parameters
    ----------
    means : mapping of method to sequence of length cells
        One mean error a cell, the cells in the same order for all methods.
    level : float, default=0.05
        Of the critical difference.

    Examples
    --------
    >>> found = mean_ranks({"a": [1.0, 2.0], "b": [3.0, 2.0]})
    >>> found.ranks
    {'a': 1.25, 'b': 1.75}
    """
    lengths = {len(values) for values in means.values()}
    if len(lengths) != 1:
        raise ValueError(f"Every method needs a figure in every cell, but the numbers of cells are {sorted(lengths)}.")
    table = np.column_stack([_vector(values) for values in means.values()])
    ranks = stats.rankdata(table, axis=1).mean(axis=0)
    cells, methods = table.shape
    critical = nemenyi_difference(methods, cells, level)
    return MeanRanks(dict(zip(means, ranks.tolist(), strict=True)), critical, cells, friedman(table))


def friedman(table: ArrayLike) -> float:
    """The p value of F = (N - 1) chi2 / (N (k - 1) - chi2) for k methods over N cells (Iman and Davenport, 1980).

    chi2 = (k - 1) sum_j (R_j - N (k + 1) / 2)^2 / sum_ij (r_ij - (k + 1) / 2)^2 is Friedman's, for the ranks r_ij with
    their sums R_j; ties share their mean rank. F has k - 1 and (k - 1)(N - 1) degrees of freedom if the methods do not
    differ. NaN for a single cell, which shows no difference between methods.

    Parameters
    ----------
    table : array-like of shape (cells, methods)
        Mean errors.

    Examples
    --------
    >>> round(friedman([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]]), 3)
    0.049
    """
    ranks = stats.rankdata(np.asarray(table, dtype=np.float64), axis=1)
    cells, methods = ranks.shape
    if cells < 2:
        return math.nan
    middle = (methods + 1) / 2.0
    spread = float(((ranks - middle) ** 2).sum())
    if spread == 0.0:
        return 1.0
    chi2 = (methods - 1) * float(((ranks.sum(axis=0) - cells * middle) ** 2).sum()) / spread
    left = cells * (methods - 1) - chi2
    if left <= 1e-12 * cells:
        return 0.0
    return float(stats.f.sf((cells - 1) * chi2 / left, methods - 1, (methods - 1) * (cells - 1)))


def nemenyi_difference(methods: int, cells: int, level: float = 0.05) -> float:
    """CD = q sqrt(k (k + 1) / (6 N)) for k methods over N cells (Demsar, 2006).

    q is the upper ``level`` quantile of the studentized range of k values, divided by sqrt(2).

    Examples
    --------
    >>> round(nemenyi_difference(4, 14), 2)
    1.25
    """
    if methods < 2 or cells < 1:
        raise ValueError(f"Ranks need 2 methods and 1 cell at least, but there are {methods} and {cells}.")
    quantile = float(stats.studentized_range.ppf(1.0 - level, methods, np.inf)) / math.sqrt(2.0)
    return quantile * math.sqrt(methods * (methods + 1) / (6.0 * cells))


def _vector(values: ArrayLike) -> NDArray[np.float64]:
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"Figures must form one row, but their shape is {vector.shape}.")
    if not np.isfinite(vector).all():
        place = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise ValueError(f"Figure {place} is {vector[place]}: leave failed trials out before comparing.")
    return vector


def _t_test(first: ArrayLike, second: ArrayLike, variance_factor: Callable[[int], float]) -> TTest:
    """mean(d) / sqrt(factor(n) var(d)); equal differences give t = 0 if they are 0, else t = +-inf."""
    a, b = _vector(first), _vector(second)
    if len(a) != len(b) or len(a) < 2:
        raise ValueError(f"A paired test needs the same 2 or more splits for both, but has {len(a)} and {len(b)}.")
    differences = a - b
    mean = float(differences.mean())
    scale = math.sqrt(variance_factor(len(a)) * float(differences.var(ddof=1)))
    constant = math.copysign(math.inf, mean) if mean else 0.0
    statistic = mean / scale if np.ptp(differences) > 0 else constant
    degrees = len(a) - 1
    return TTest(mean, statistic, degrees, float(2.0 * stats.t.sf(abs(statistic), degrees)))
