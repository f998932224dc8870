"""The fixed point of the corollaries in closed form: worst case, finite rank, exponential decay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsvv.theory.arguments import Version, is_corrected, positive, whole


@dataclass(frozen=True)
class FixedPointCase:
    """The corollaries' bound of r* in a special case, and the (real) theta that minimises it.

    Examples
    --------
    >>> from lsvv.theory import finite_rank, fixed_point_coefficients
    >>> found = finite_rank(5, fixed_point_coefficients(n=1000, n_outputs=2))
    >>> found.theta, round(found.r_star, 6)
    (5.0, 0.04)
    """

    r_star: float
    theta: float


def fixed_point_coefficients(
    *,
    n: int,
    u: int = 0,
    n_outputs: int = 1,
    lipschitz: float = 1.0,
    alpha: float = 1.0,
    version: Version = "corrected",
) -> tuple[float, float]:
    """(a, b) of r* <= min_theta (a theta + b sqrt(tail_theta)) (Corollary 1).

    Printed: a = 1/(n+u), b = 1/sqrt(n+u), the constants moved into c_{L,B}. Corrected:
    a = 4 alpha^2 K/n, b = 4 alpha L sqrt(K/n), from r^2 = psi(r)^2 with
    psi(r) = 4 alpha L sqrt((K/n)(theta r/(4 L^2) + tail)) and r* <= a + b for r^2 = a r + b^2.

    Parameters
    ----------
    n, u, n_outputs
        Labelled rows, unlabelled rows, K.
    lipschitz, alpha : float
        L, and the constant of L^2 E||h - h*||^2 <= alpha (E(h) - E(h*)).
    version : str
        ``"printed"`` or ``"corrected"``.

    Examples
    --------
    >>> fixed_point_coefficients(n=10, u=90, version="printed")
    (0.01, 0.1)
    """
    rows, extra, K = whole("n", n), whole("u", u, least=0), whole("n_outputs", n_outputs)
    L, a = positive("lipschitz", lipschitz), positive("alpha", alpha)
    if is_corrected(version):
        return 4 * a**2 * K / rows, float(4 * a * L * np.sqrt(K / rows))
    return 1 / (rows + extra), float(1 / np.sqrt(rows + extra))


def worst_case(trace: float, coefficients: tuple[float, float]) -> FixedPointCase:
    """r* <= b sqrt(trace): theta = 0, the global complexity.

    Parameters
    ----------
    trace : float
        The sum of all eigenvalues.
    coefficients : tuple
        From :func:`fixed_point_coefficients`.

    Examples
    --------
    >>> worst_case(1.0, (0.01, 0.1)).r_star
    0.1
    """
    return FixedPointCase(float(coefficients[1] * np.sqrt(trace)), 0.0)


def finite_rank(rank: int, coefficients: tuple[float, float]) -> FixedPointCase:
    """r* <= a rank: theta = rank leaves no tail.

    Parameters
    ----------
    rank : int
        Of the kernel, see :func:`kernel_rank`.
    coefficients : tuple
        From :func:`fixed_point_coefficients`.

    Examples
    --------
    >>> finite_rank(5, (0.01, 0.1)).r_star
    0.05
    """
    return FixedPointCase(coefficients[0] * whole("rank", rank), float(rank))


def exponential_decay(scale: float, rate: float, coefficients: tuple[float, float]) -> FixedPointCase:
    """r* <= a (theta + 2/rate) at theta = (2/rate) log(rate b sqrt(scale) / (2 a)), for an exponential tail.

    The minimum over real theta >= 0; the paper's theta = log(n + u) has the same order log(N)/N.

    Parameters
    ----------
    scale, rate : float
        sum_{j>theta} lambda_j = scale exp(-rate theta).
    coefficients : tuple
        From :func:`fixed_point_coefficients`.

    Examples
    --------
    >>> round(exponential_decay(1.0, 1.0, (0.01, 0.1)).theta, 4)
    3.2189
    """
    a, b = coefficients
    positive("scale", scale)
    positive("rate", rate)
    theta = max(0.0, 2 / rate * np.log(rate * b * np.sqrt(scale) / (2 * a)))
    return FixedPointCase(float(a * theta + b * np.sqrt(scale) * np.exp(-rate * theta / 2)), float(theta))
