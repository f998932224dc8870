"""T(h), what the spectral term penalises: of a kernel hypothesis, and of a linear one (eq. (tail-sum))."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import svdvals

from lsvv.theory.arguments import whole
from lsvv.theory.local_bounds import tail_sums
from lsvv.theory.row_blocks import Rows
from lsvv.theory.spectra import covariance_spectrum


def kernel_tail(features: Rows, free_rank: int) -> float:
    """T(h) = sum_{j > theta} lambda_j(K / n) of kernel hypotheses, K = Phi Phi', n rows.

    It does not depend on h: with one kernel it is a constant, and no regulariser. Over several kernels,
    K = sum_m mu_m K_m, it is a concave function of mu >= 0 with T(K) >= sum_m mu_m T(K_m), which is why
    :class:`lsvv.features.MultipleKernels` bounds the sum.

    Parameters
    ----------
    features : array of shape (n, D) or iterable of such blocks
        Rows phi(x_i); their covariance has the eigenvalues of K / n.
    free_rank : int
        theta.

    Returns
    -------
    float

    Examples
    --------
    >>> from lsvv.theory import kernel_tail
    >>> Phi = [[2.0, 0.0], [0.0, 1.0]]
    >>> kernel_tail(Phi, 0), kernel_tail(Phi, 1), kernel_tail(Phi, 2)
    (2.5, 0.5, 0.0)

    """
    return _at(tail_sums(covariance_spectrum(features)), free_rank)


def linear_tail(W: ArrayLike, free_rank: int) -> float:
    """T(h) = sum_{j > theta} sigma_j(W) of the linear hypothesis h(x) = W' phi(x).

    Parameters
    ----------
    W : array of shape (D, K)
        The weights.
    free_rank : int
        theta.

    Returns
    -------
    float

    Examples
    --------
    >>> from lsvv.theory import linear_tail
    >>> linear_tail([[3.0, 0.0], [0.0, 1.0]], 1)
    1.0

    """
    return _at(tail_sums(svdvals(np.asarray(W, dtype=np.float64))), free_rank)


def _at(tails: np.ndarray, free_rank: int) -> float:
    place = whole("free_rank", free_rank, least=0)
    return float(tails[min(place, tails.size - 1)])
