"""A measured learning curve, fitted with the shape of the bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lsvv.theory.arguments import Floats, whole

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
        As in :func:`lsvv.theory.plan_labels`.

    Examples
    --------
    >>> import numpy as np
    >>> n = np.array([10.0, 100.0, 1000.0, 10000.0])
    >>> fit = fit_curve(n, 0.2 + 1 / np.sqrt(n), np.full(4, 1e-3), random_state=0)
    >>> round(float(fit.floor[0]), 3), round(float(fit.exponent[0]), 2)
    (0.2, 0.5)
    """
    n, curve, noise = check_curve(sizes, errors, standard_errors)
    resamples = whole("n_resamples", n_resamples, least=100)
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


def check_curve(sizes: ArrayLike, errors: ArrayLike, noise: ArrayLike) -> tuple[Floats, Floats, Floats]:
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
