"""Maps of the singular values of W: the tail sum, its prox, and the rule the paper prints."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsvv.inputs import quoted
from lsvv.linalg import Array, like, namespace, to_float64, to_numpy

EXACT = 1e-7
"""Estimated error, as a share of the step ||W - prox(W)||, up to which the Gram route is taken."""


def resolve_free_rank(free_rank: Any, n_features: int, n_outputs: int) -> int:
    """theta as a count: an int counts, a float in [0, 1] is a fraction of min(D, K), rounded up.

    Examples
    --------
    >>> resolve_free_rank(0.5, 100, 7), resolve_free_rank(2, 100, 7), resolve_free_rank(1.0, 100, 7)
    (4, 2, 7)
    """
    full = min(n_features, n_outputs)
    if isinstance(free_rank, (int, np.integer)) and not isinstance(free_rank, bool):
        if 0 <= free_rank <= full:
            return int(free_rank)
    elif isinstance(free_rank, (float, np.floating)) and 0.0 <= free_rank <= 1.0:
        # the slack keeps 0.7 * 10 at 7
        return min(full, int(np.ceil(free_rank * full - 1e-9)))
    raise ValueError(
        f"free_rank={quoted(free_rank)} is out of range. Pass an integer from 0 to min(D, K) = {full}, or a float "
        f"from 0.0 to 1.0 as a fraction of it; the estimators also take 'balance'."
    )


def balanced_free_rank(sigma: Array, n_labelled: int) -> int:
    """The smallest theta with theta^2 >= n sum_{j > theta} s_j^2, s = sigma / sum(sigma).

    The paper's remark balances the two terms of Theorem 3, theta r / (4 L^2) = sum_{j > theta} s_j^2, and leaves r
    open. Here r is the fixed point of the bound at the same theta, r = 4 B^2 theta / n, so that no constant is left
    to choose where B = L, as for the squared loss on the unit ball. It is as well where the two terms of
    Corollary 2, theta / n and sqrt(sum_{j > theta} s_j^2 / n), are equal; their sum is then at most twice its minimum
    over theta, plus 2 / n. The values are divided by the trace norm, at most 1 in the theorem, so the unit of W does
    not matter; n counts labelled rows, since a bound at n + u is not supported.

    The answer grows with n, up to the rank of W, and is 0 for W = 0 alone.

    Parameters
    ----------
    sigma : array
        Singular values of W, from the largest to the smallest.
    n_labelled : int
        Rows with a label.

    Examples
    --------
    >>> sigma = np.array([4.0, 2.0, 1.0, 0.5, 0.25])
    >>> [balanced_free_rank(sigma, n) for n in (10, 100, 1000)]
    [1, 2, 3]
    """
    share = to_numpy(sigma) / max(float(sigma.sum()), 1e-300)
    tails = np.append(np.cumsum(share[::-1] ** 2)[::-1], 0.0)
    return int(np.argmax(np.arange(tails.size) ** 2 >= n_labelled * tails))


def singular_values(W: Array) -> Array:
    """sigma_1 >= sigma_2 >= ... of W, in double precision."""
    return namespace(W).linalg.svdvals(to_float64(W))


def tail_sum(W: Array, free_rank: int) -> float:
    """T(W) = sum over j > theta of sigma_j(W) (eq. (tail-sum) of the paper); the trace norm for theta = 0.

    Convex for theta = 0 and theta >= min(D, K) only: in between it is the trace norm minus the Ky Fan norm.
    """
    return float(namespace(W).sum(singular_values(W)[free_rank:]))


def prox_tail_sum(W: Array, threshold: float, free_rank: int) -> Array:
    """argmin_V 1/2 ||V - W||^2 + threshold * T(V): keep sigma_1..sigma_theta, others to max(sigma - threshold, 0).

    Written as W minus its step, W - sum_{j > theta} min(sigma_j, threshold) u_j v_j', so that the error is a
    share of the step, not of W. The factors come from the eigenvectors of the smaller Gram matrix where these
    are exact enough, and from the SVD where they are not.
    """
    if threshold < 0:
        raise ValueError(f"threshold={threshold} is negative. A prox needs a threshold of at least 0.")
    if free_rank >= min(W.shape) or threshold == 0.0:
        return W
    if W.shape[0] < W.shape[1]:
        return prox_tail_sum(W.T, threshold, free_rank).T
    return W - like(_step(to_float64(W), threshold, free_rank), W)


def _step(W: Array, threshold: float, free_rank: int) -> Array:
    """W - prox(W) by the Gram route where its error is a small enough share of it, by the SVD elsewhere."""
    step, error = _step_by_gram(W, threshold, free_rank)
    if error <= EXACT * float(namespace(W).linalg.vector_norm(step)):
        return step
    return _step_by_svd(W, threshold, free_rank)


def _step_by_gram(W: Array, threshold: float, free_rank: int) -> tuple[Array, float]:
    """sum_{j > theta} min(1, threshold / sigma_j) (W v_j) v_j', and an estimate of its error.

    Forming W'W perturbs it by delta = eps sigma_1^2. That mixes v_i and v_j by delta / (sigma_i^2 - sigma_j^2) and
    reaches the step through W: as delta / sigma_j at most within the tail, where the shares are continuous in
    sigma, and as delta sigma_i / (sigma_i^2 - sigma_j^2) across the jump from the last free value to the first cut.
    """
    xp = namespace(W)
    squared, V = xp.linalg.eigh(W.T @ W)
    squared, V = xp.flip(squared, axis=0), xp.flip(V, axis=1)[:, free_rank:]
    all_sigma = xp.where(squared > 0, squared, xp.zeros_like(squared)) ** 0.5
    sigma = all_sigma[free_rank:]
    partly = sigma > threshold
    if free_rank == 0 and not bool(xp.any(partly)):
        return W, 0.0  # all is cut: a prox of exactly 0, of rank 0
    share = xp.where(partly, threshold / xp.where(partly, sigma, xp.ones_like(sigma)), xp.ones_like(sigma))
    step = (W @ (V * share[None, :])) @ V.T
    largest = float(xp.linalg.matrix_norm(W, ord="fro"))
    delta = 1e-15 * largest * largest
    smallest_kept = float(xp.min(xp.where(partly, sigma, xp.full_like(sigma, largest))))
    error = delta / max(min(smallest_kept, largest), 1e-300) + 1e-16 * largest
    if free_rank > 0:
        jump = float(squared[free_rank - 1] - squared[free_rank])
        error += delta * float(all_sigma[free_rank - 1]) / max(jump, 1e-300)
    return step, error


def _step_by_svd(W: Array, threshold: float, free_rank: int) -> Array:
    """sum_{j > theta} min(sigma_j, threshold) u_j v_j' from the singular value decomposition."""
    xp = namespace(W)
    U, sigma, Vt = xp.linalg.svd(W, full_matrices=False)
    cut = xp.where(sigma > threshold, xp.full_like(sigma, threshold), sigma)[free_rank:]
    return (U[:, free_rank:] * cut[None, :]) @ Vt[free_rank:, :]


def prox_tail_sums(W: Array, thresholds: Array, free_ranks: Array) -> Array:
    """``prox_tail_sum`` of every matrix of a stack (S, D, K), each with its threshold and free rank, by the Gram route.

    One batched eigen-decomposition serves the whole stack. Values below about 1e-8 of the largest are lost to the Gram
    matrix, so thresholds should lie well above that.

    Examples
    --------
    >>> W = np.stack([np.diag([3.0, 1.0]), np.diag([3.0, 1.0])])
    >>> [np.diag(V).tolist() for V in prox_tail_sums(W, np.array([0.5, 0.5]), np.array([0, 1]))]
    [[2.5, 0.5], [3.0, 0.5]]
    """
    xp = namespace(W)
    if W.shape[1] < W.shape[2]:
        return xp.matrix_transpose(prox_tail_sums(xp.matrix_transpose(W), thresholds, free_ranks))
    squared, V = xp.linalg.eigh(xp.matmul(xp.matrix_transpose(W), W))
    sigma = xp.where(squared > 0, squared, xp.zeros_like(squared)) ** 0.5
    # eigh sorts upwards: the tail comes first
    tail = xp.arange(sigma.shape[1])[None, :] < sigma.shape[1] - free_ranks[:, None]
    level = thresholds[:, None]
    share = xp.where(sigma > level, level / xp.where(sigma > level, sigma, xp.ones_like(sigma)), xp.ones_like(sigma))
    share = xp.where(tail & (level > 0), share, xp.zeros_like(share))
    return W - xp.matmul(W, xp.matmul(V * share[:, None, :], xp.matrix_transpose(V)))


def shrink_leading_as_printed(W: Array, threshold: float, free_rank: int) -> Array:
    """Algorithm 1, line 9, as printed: sigma_1..sigma_theta to max(sigma - threshold, 0), the tail left alone.

    This is not the prox of the tail sum and can raise the objective; it is here to reproduce the print.
    """
    xp = namespace(W)
    U, sigma, Vt = xp.linalg.svd(W, full_matrices=False)
    leading = xp.arange(sigma.shape[0], device=sigma.device) < free_rank
    shrunk = xp.where(sigma > threshold, sigma - threshold, xp.zeros_like(sigma))
    return (U * xp.where(leading, shrunk, sigma)[None, :]) @ Vt


def effective_rank(W: Array) -> int:
    """Number of singular values above 1e-6 of the largest."""
    sigma = singular_values(W)
    return int(namespace(W).sum(sigma > 1e-6 * sigma[0])) if float(sigma[0]) > 0 else 0
