"""Many problems side by side: accelerated proximal gradient on a stack, to compare settings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lsvv.spectral import prox_tail_sums

Gradient = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(V, numbers) -> gradients of the smooth part at the points ``V`` of the problems ``numbers``."""


def minimise_stacked(
    gradient: Gradient,
    start: np.ndarray,
    lipschitz: np.ndarray,
    thresholds: np.ndarray,
    free_ranks: np.ndarray,
    *,
    n_features: int,
    tol: float = 1e-4,
    max_iter: int = 300,
) -> np.ndarray:
    """V_s+ = prox(Y_s - grad g_s(Y_s) / L_s) for S problems of one shape at once, each with its own momentum.

    One product with the data and one batched eigen-decomposition move all of them, so a step costs a fraction of S
    single ones. A problem whose step turns back drops its momentum; one whose step falls below ``tol`` of its point is
    done and leaves the stack. Neither descent nor the residual is checked, as the core's loop does: this is for
    comparing many settings, and for members of an average.

    Parameters
    ----------
    gradient : callable
        See ``Gradient``.
    start : array of shape (S, rows, K)
        W in the first ``n_features`` rows, an unpenalised intercept below where there is one.
    lipschitz, thresholds, free_ranks : arrays of shape (S,)
        L, the strength of the tail sum, and theta of each problem.
    n_features : int
        D.
    tol, max_iter : float, int
        When a problem is done, and when all are.
    """
    found = start.copy()
    numbers = np.arange(len(start))
    V, Y, momentum = start, start, np.ones(len(start))
    for _ in range(max_iter):
        step = 1.0 / lipschitz[numbers]
        new = Y - step[:, None, None] * gradient(Y, numbers)
        strength = step * thresholds[numbers]
        if strength.any():
            new[:, :n_features] = prox_tail_sums(new[:, :n_features], strength, free_ranks[numbers])
        travelled, pulled = new - V, Y - new
        grown = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        turned = np.einsum("sij,sij->s", pulled, travelled) > 0
        beta = np.where(turned, 0.0, (momentum - 1.0) / grown)
        momentum = np.where(turned, 1.0, grown)
        going = _squared(pulled) > tol**2 * np.maximum(_squared(new), 1e-300)
        V, Y = new, new + beta[:, None, None] * travelled
        if not going.all():
            found[numbers[~going]] = V[~going]
            V, Y, momentum, numbers = V[going], Y[going], momentum[going], numbers[going]
            if numbers.size == 0:
                return found
    found[numbers] = V
    return found


def _squared(stack: np.ndarray) -> np.ndarray:
    return np.einsum("sij,sij->s", stack, stack)
