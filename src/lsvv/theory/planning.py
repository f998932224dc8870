"""What one more label buys: a measured learning curve, extended with the shape of the bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lsvv.theory.arguments import Floats, count, positive, probability

# The bound decays between 1/sqrt(n) (worst case) and 1/n (finite rank). Measured curves are slower where
# the floor is far and faster where few labels meet many features, so the exponents reach beyond both.
EXPONENTS = np.linspace(0.1, 2.0, 39)
FEWEST = 4  # points a fit of three numbers needs to show whether it fits


@dataclass(frozen=True)
class CurveFit:
    """error(n) = floor + scale n^-exponent, fitted many times over: one entry for each resample.

    Attributes
    ----------
    floor, scale, exponent : array of shape (resamples,)
        The first entry is the fit to the measured curve itself.
    misfit : float
        Root of the chi-square per degree of freedom of that fit: about 1 when the shape is right.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.theory import fit_curve
    >>> n = np.array([10.0, 100.0, 1000.0, 10000.0])
    >>> fit = fit_curve(n, 0.2 + 1 / np.sqrt(n), np.full(4, 1e-3), random_state=0)
    >>> round(float(fit.errors_at(400.0)[0]), 3), round(float(fit.sizes_for(0.3)[0]))
    (0.25, 100)

    """

    floor: Floats
    scale: Floats
    exponent: Floats
    misfit: float

    def errors_at(self, size: float) -> Floats:
        """The error at ``size`` under every resample."""
        return self.floor + self.scale * size**-self.exponent

    def sizes_for(self, target: float) -> Floats:
        """The size that reaches ``target`` under every resample; infinity where the floor is above it."""
        reachable = (target > self.floor) & (self.scale > 0)
        gap = np.where(reachable, target - self.floor, 1.0)
        with np.errstate(over="ignore"):
            sizes = (np.where(reachable, self.scale, 1.0) / gap) ** (1 / self.exponent)
        flat = np.where(target >= self.floor, 1.0, np.inf)
        return np.where(reachable, sizes, flat)


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

    Returns
    -------
    LabelPlan

    Examples
    --------
    >>> import numpy as np
    >>> n = np.array([25, 50, 100, 200, 400])
    >>> plan = plan_labels(n, 0.1 + 1 / np.sqrt(n), np.full(5, 0.001), 0.125, random_state=0)
    >>> plan.interval[0] < 1600 < plan.interval[1]
    True

    """
    n, curve, noise = _check_curve(sizes, errors, standard_errors)
    level = probability("coverage", coverage)
    positive("target", target)
    fit = fit_curve(n, curve, noise, n_resamples=n_resamples, random_state=random_state)
    needed = fit.sizes_for(target)
    low, high = _interval(needed, level)
    centre = float(_quantile(needed, 0.5))
    more = max(centre - float(n.max()), 0.0)
    return LabelPlan(target, centre, (low, high), more, level, fit, _sentence(target, centre, low, high, level))


def fit_curve(
    sizes: ArrayLike,
    errors: ArrayLike,
    standard_errors: ArrayLike,
    *,
    n_resamples: int = 1000,
    random_state: int | None = None,
) -> CurveFit:
    """Weighted least squares of floor + scale n^-exponent, for the curve and for its resamples.

    Each resample keeps the largest sizes from a random one on, at least 4.

    Parameters
    ----------
    sizes, errors, standard_errors : array of shape (points,)
        The measured curve.
    n_resamples, random_state
        As in :func:`plan_labels`.

    Returns
    -------
    CurveFit

    Examples
    --------
    >>> import numpy as np
    >>> n = np.array([10.0, 100.0, 1000.0, 10000.0])
    >>> fit = fit_curve(n, 0.2 + 1 / np.sqrt(n), np.full(4, 1e-3), random_state=0)
    >>> round(float(fit.floor[0]), 3), round(float(fit.exponent[0]), 2)
    (0.2, 0.5)

    """
    n, curve, noise = _check_curve(sizes, errors, standard_errors)
    resamples = count("n_resamples", n_resamples, least=100)
    rng = np.random.default_rng(random_state)
    own, misfit = _fit_with_misfit(n, curve, noise)
    fits = [own]
    starts = rng.integers(0, n.size - FEWEST + 1, size=resamples)
    for start, times in zip(*np.unique(starts, return_counts=True), strict=True):
        kept = n[start:], curve[start:], noise[start:]
        widened = kept[2] * max(_fit_with_misfit(*kept)[1], 1.0)
        drawn = kept[1] + widened * rng.standard_normal((times, kept[0].size))
        fits.append(_least_squares(kept[0], drawn, widened))
    floor, scale, exponent = np.concatenate(fits, axis=1)[:3]
    return CurveFit(floor, scale, exponent, misfit)


def _fit_with_misfit(sizes: Floats, errors: Floats, noise: Floats) -> tuple[Floats, float]:
    fit = _least_squares(sizes, errors[None, :], noise)
    return fit, float(np.sqrt(fit[3, 0] / max(sizes.size - 3, 1)))


def _least_squares(sizes: Floats, curves: Floats, noise: Floats) -> Floats:
    """Rows floor, scale, exponent, chi-square: the best of each curve over the grid of exponents."""
    weights = 1 / noise**2
    total = weights.sum()
    mean = curves @ weights / total
    fits = []
    for exponent in EXPONENTS:
        decay = sizes**-exponent
        centre = decay @ weights / total
        spread = ((decay - centre) ** 2) @ weights
        scale = np.maximum(((curves - mean[:, None]) * (decay - centre)) @ weights / spread, 0.0)
        floor = mean - scale * centre
        # A negative floor is pushed to 0, where the scale has its own least-squares value.
        through_zero = np.maximum((curves * decay) @ weights / ((decay**2) @ weights), 0.0)
        scale, floor = np.where(floor < 0, through_zero, scale), np.maximum(floor, 0.0)
        residual = curves - floor[:, None] - scale[:, None] * decay
        fits.append((floor, scale, np.full(len(curves), exponent), residual**2 @ weights))
    stacked = np.array(fits)
    best = stacked[:, 3].argmin(axis=0)
    return stacked[best, :, np.arange(len(curves))].T


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

    Returns
    -------
    BackTest

    Examples
    --------
    >>> import numpy as np
    >>> n = np.array([25, 50, 100, 200, 400])
    >>> back_test(n, 0.1 + 1 / np.sqrt(n), np.full(5, 0.002), random_state=0).error_covered
    True

    """
    n, curve, noise = _check_curve(sizes, errors, standard_errors)
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


def _check_curve(sizes: ArrayLike, errors: ArrayLike, noise: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """The three arrays, sorted by size."""
    named = {"sizes": sizes, "errors": errors, "standard_errors": noise}
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in named.items()}
    for name, array in arrays.items():
        if array.ndim != 1 or array.shape != arrays["sizes"].shape:
            raise ValueError(f"{name} has shape {array.shape}; sizes, errors, standard_errors are 1-d and alike.")
        if not np.all(np.isfinite(array)) or np.any(array < 0):
            raise ValueError(f"{name} has an entry that is negative or not finite; drop that point.")
    if np.unique(arrays["sizes"]).size < FEWEST:
        found = np.unique(arrays["sizes"]).size
        raise ValueError(f"The curve has {found} different sizes; measure at least {FEWEST} to fit its shape.")
    if np.any(arrays["standard_errors"] == 0) or np.any(arrays["sizes"] == 0):
        raise ValueError("sizes and standard_errors must be above 0; repeat the measurement to get an error.")
    order = np.argsort(arrays["sizes"])
    return arrays["sizes"][order], arrays["errors"][order], arrays["standard_errors"][order]
