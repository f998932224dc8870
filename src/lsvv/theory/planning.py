"""What one more label buys: a measured learning curve, extended with the shape of the bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lsvv.theory.arguments import Floats, positive, probability
from lsvv.theory.curves import CurveFit, check_curve, fit_curve


@dataclass(frozen=True)
class LabelPlan:
    """How many labels reach the target error.

    Attributes
    ----------
    target : float
        The error asked for.
    size : float
        The central answer, infinite when most resamples never reach the target.
    interval : tuple of two floats
        Holds the answer with about ``coverage``; its upper end may be infinite.
    more : float
        ``size`` less the largest size measured, at least 0.
    coverage : float
    fit : CurveFit
    verdict : str
        The answer in a sentence.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.theory import plan_labels
    >>> n = np.array([25, 50, 100, 200, 400])
    >>> plan = plan_labels(n, 0.1 + 1 / np.sqrt(n), np.full(5, 0.001), 0.08, random_state=0)
    >>> plan.interval[1]
    inf
    >>> plan.coverage
    0.9
    """

    target: float
    size: float
    interval: tuple[float, float]
    more: float
    coverage: float
    fit: CurveFit
    verdict: str


def plan_labels(
    sizes: ArrayLike,
    errors: ArrayLike,
    standard_errors: ArrayLike,
    target: float,
    *,
    coverage: float = 0.9,
    n_resamples: int = 1000,
    random_state: int | None = None,
) -> LabelPlan:
    """The n at which floor + scale n^-exponent = target, with floor, scale >= 0 and exponent in [0.1, 2].

    The curve is resampled within its standard errors, widened by the misfit when the shape does not
    fit; each resample leaves out a random number of the smallest sizes, where the shape need not hold
    yet, and is fitted with the exponent left free. So the interval carries the noise of the curve and
    the doubt about its shape. The sizes may count labelled rows (unlabelled ones held fixed)
    or unlabelled rows (labels held fixed); no theorem promises that the second curve falls.

    Parameters
    ----------
    sizes, errors, standard_errors : array of shape (points,)
        The measured learning curve: at least 4 different sizes, all standard errors above 0.
    target : float
        The error to reach.
    coverage : float
        Of the interval.
    n_resamples : int
        At least 100.
    random_state : int or None
        Seed of the resamples.

    Examples
    --------
    >>> import numpy as np
    >>> n = np.array([25, 50, 100, 200, 400])
    >>> plan = plan_labels(n, 0.1 + 1 / np.sqrt(n), np.full(5, 0.001), 0.125, random_state=0)
    >>> plan.interval[0] < 1600 < plan.interval[1]
    True
    """
    n, curve, noise = check_curve(sizes, errors, standard_errors)
    level = probability("coverage", coverage)
    positive("target", target)
    fit = fit_curve(n, curve, noise, n_resamples=n_resamples, random_state=random_state)
    needed = fit.sizes_for(target)
    low, high = _interval(needed, level)
    centre = float(_quantile(needed, 0.5))
    more = max(centre - float(n.max()), 0.0)
    return LabelPlan(target, centre, (low, high), more, level, fit, _sentence(target, centre, low, high, level))


def _interval(values: Floats, coverage: float) -> tuple[float, float]:
    return float(_quantile(values, (1 - coverage) / 2)), float(_quantile(values, (1 + coverage) / 2))


def _quantile(values: Floats, share: float) -> np.float64:
    """An order statistic, so that infinite entries stay infinite instead of spoiling a mean."""
    return np.sort(values)[round(share * (values.size - 1))]


def _sentence(target: float, centre: float, low: float, high: float, coverage: float) -> str:
    if np.isinf(low):
        return f"No number of labels reaches an error of {target:.4g} on a curve of this shape."
    if np.isinf(high):
        return (
            f"At least {low:.0f} labels are needed for an error of {target:.4g}; "
            "the curve does not rule out that it stays above it for ever."
        )
    return (
        f"About {centre:.0f} labels reach an error of {target:.4g} "
        f"({100 * coverage:.0f}% interval {low:.0f} to {high:.0f})."
    )


@dataclass(frozen=True)
class BackTest:
    """A forecast from the smaller sizes of a curve, beside what was measured at its largest size.

    Attributes
    ----------
    size : float
        The largest size: the forecast is for it.
    used : int
        How many points of the curve, all at most half of ``size``, made the forecast.
    predicted_error, error : float
        Forecast and measurement.
    error_interval : tuple of two floats
        For the measurement, its own noise included.
    error_covered : bool
        Whether the measurement lies in the interval.
    plan : LabelPlan
        The sizes that reach the measured error, planned from the smaller sizes.
    size_covered : bool
        Whether the plan's interval holds ``size``.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.theory import back_test
    >>> n = np.array([25, 50, 100, 200, 400])
    >>> found = back_test(n, 0.1 + 1 / np.sqrt(n), np.full(5, 0.002), random_state=0)
    >>> found.size, found.used, round(found.error, 3), round(found.predicted_error, 2)
    (400.0, 4, 0.15, 0.15)
    """

    size: float
    used: int
    predicted_error: float
    error: float
    error_interval: tuple[float, float]
    error_covered: bool
    plan: LabelPlan
    size_covered: bool


def back_test(
    sizes: ArrayLike,
    errors: ArrayLike,
    standard_errors: ArrayLike,
    *,
    coverage: float = 0.9,
    n_resamples: int = 1000,
    random_state: int | None = None,
) -> BackTest:
    """Predict the largest size from the sizes up to half of it, and compare with the truth.

    Parameters
    ----------
    sizes, errors, standard_errors : array of shape (points,)
        The measured curve, with at least 4 sizes up to half of the largest.
    coverage, n_resamples, random_state
        As in :func:`plan_labels`.

    Examples
    --------
    >>> import numpy as np
    >>> n = np.array([25, 50, 100, 200, 400])
    >>> back_test(n, 0.1 + 1 / np.sqrt(n), np.full(5, 0.002), random_state=0).error_covered
    True
    """
    n, curve, noise = check_curve(sizes, errors, standard_errors)
    last = n.size - 1
    early = n <= n[last] / 2
    chosen = n[early], curve[early], noise[early]
    plan = plan_labels(
        *chosen, float(curve[last]), coverage=coverage, n_resamples=n_resamples, random_state=random_state
    )
    forecasts = plan.fit.errors_at(float(n[last]))
    own_noise = np.random.default_rng(random_state).standard_normal(forecasts.size) * noise[last]
    low, high = _interval(forecasts + own_noise, coverage)
    return BackTest(
        size=float(n[last]),
        used=int(early.sum()),
        predicted_error=float(_quantile(forecasts, 0.5)),
        error=float(curve[last]),
        error_interval=(low, high),
        error_covered=bool(low <= curve[last] <= high),
        plan=plan,
        size_covered=bool(plan.interval[0] <= n[last] <= plan.interval[1]),
    )
