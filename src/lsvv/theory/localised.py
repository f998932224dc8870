"""The convex programme behind the local complexity, solved with a certificate.

For one sign draw the local complexity asks for

    max <W, X>   subject to   ||W||_* <= 1   and   sum_j lambda_j ||W_j||^2 <= r,

in the eigenbasis of the feature covariance, so that lambda is diagonal. Its dual is

    min over Z   ||X - S Z||_op + ||Z||_F,      S = diag(sqrt(lambda / r)),

and every Z gives an upper bound. A barrier method follows the central path of the dual; the gradient
of the barrier is a primal W, so that a feasible value and an upper bound come out of every step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lsvv.theory.arguments import Floats, positive

GROWTH = 12.0  # factor of the path parameter between two centrings
NEWTON_STEPS = 40  # per centring; about five are used
CENTRINGS = 14  # GROWTH**14 is beyond what float64 resolves
MARGIN = 1e-13  # relative distance a point keeps from its boundary


@dataclass(frozen=True)
class LocalSupremum:
    """Value and certificate for each of a stack of problems: value <= the true supremum <= upper.

    Attributes
    ----------
    value, upper : array of shape (problems,)
        <W, X> and ||X - S Z||_op + ||Z||_F.
    weights, dual : array of shape (problems, D, K)
        The feasible W and the Z they come from: the proof.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.theory import local_supremum
    >>> found = local_supremum(np.array([[[3.0], [4.0]]]), np.array([1.0, 1.0]), r=0.25)
    >>> found.weights[0].round(3).tolist()
    [[0.3], [0.4]]
    >>> bool(found.value[0] <= found.upper[0] <= found.value[0] + 1e-6)
    True
    """

    value: Floats
    upper: Floats
    weights: Floats
    dual: Floats


@dataclass
class _Point:
    """A strictly feasible point of the dual: ||X - S Z||_op < t and ||Z||_F < q."""

    Z: Floats
    t: Floats
    q: Floats

    def only(self, chosen: NDArray[np.intp]) -> _Point:
        return _Point(self.Z[chosen], self.t[chosen], self.q[chosen])

    def moved(self, step: Floats, direction: Floats) -> _Point:
        change = step[:, None] * direction
        return _Point(self.Z + change[:, :-2].reshape(self.Z.shape), self.t + change[:, -2], self.q + change[:, -1])


def local_supremum(X: Floats, eigenvalues: Floats, r: float, tol: float = 1e-7) -> LocalSupremum:
    """The maximum of <W, X> subject to ||W||_* <= 1 and sum_j lambda_j ||W_j||^2 <= r, for many X at once.

    Parameters
    ----------
    X : array of shape (problems, D, K)
        In the eigenbasis of the covariance: row j belongs to ``eigenvalues[j]``.
    eigenvalues : array of shape (D,)
        Not negative; the order does not matter.
    r : float
        Radius of the local ball, above 0; ``numpy.inf`` leaves the trace-norm ball alone.
    tol : float
        The gap between ``upper`` and ``value``, relative to ``upper``, at which to stop.

    Returns
    -------
    LocalSupremum
        ``value`` is reached by a feasible W; ``upper`` is the dual value. Both hold whether or not the
        gap came down to ``tol``.

    Examples
    --------
    >>> import numpy as np
    >>> found = local_supremum(np.array([[[3.0], [4.0]]]), np.array([1.0, 1.0]), r=0.25)
    >>> bool(abs(found.value[0] - 2.5) < 1e-6)
    True
    """
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 3 or np.shape(eigenvalues) != (X.shape[1],):
        raise ValueError(
            f"X has shape {X.shape} and eigenvalues {np.shape(eigenvalues)}; pass (problems, D, K) and (D,)."
        )
    radius = r if r == np.inf else positive("r", r)
    S = np.sqrt(np.asarray(eigenvalues, dtype=np.float64) / radius)[:, None]
    W, Z = np.zeros_like(X), np.zeros_like(X)
    scale = _easy_upper(X, S)[:, None, None]
    live = np.flatnonzero(scale > 0)
    if live.size:
        W[live], Z[live] = _follow_path(X[live] / scale[live], S, tol)
        Z *= scale
    return LocalSupremum(_primal_value(X, W), _dual_value(X, S, Z), W, Z)


def _easy_upper(X: Floats, S: Floats) -> Floats:
    """The two dual points known in advance: Z = 0, and Z = X / S where S has no zero."""
    trace_ball = np.linalg.norm(X, ord=2, axis=(1, 2))
    if np.any(S == 0):
        return trace_ball
    return np.minimum(trace_ball, np.linalg.norm(X / S, axis=(1, 2)))


def _follow_path(X: Floats, S: Floats, tol: float) -> tuple[Floats, Floats]:
    """The best feasible W and the best dual Z met on the way."""
    problems, _, K = X.shape
    point = _Point(np.zeros_like(X), 2 * np.linalg.norm(X, ord=2, axis=(1, 2)), np.ones(problems))
    W, Z = np.zeros_like(X), np.zeros_like(X)
    path = float(K + 3)  # the degree of the barrier: the gap on the central path is degree / path
    for _ in range(CENTRINGS):
        # A solved problem is left alone: further along the path rounding would only spoil its point.
        upper = _dual_value(X, S, Z)
        active = np.flatnonzero(upper - _primal_value(X, W) > tol * upper)
        if not active.size:
            break
        there = _centre(X[active], S, point.only(active), path)
        W[active] = _better(X[active], W[active], _feasible(X[active], S, there))
        lower = _dual_value(X[active], S, there.Z) < upper[active]
        Z[active[lower]] = there.Z[lower]
        point.Z[active], point.t[active], point.q[active] = there.Z, there.t, there.q
        path *= GROWTH
    return W, Z


def _primal_value(X: Floats, W: Floats) -> Floats:
    return np.sum(W * X, axis=(1, 2))


def _better(X: Floats, old: Floats, new: Floats) -> Floats:
    keep = _primal_value(X, old) >= _primal_value(X, new)
    return np.where(keep[:, None, None], old, new)


def _dual_value(X: Floats, S: Floats, Z: Floats) -> Floats:
    return np.linalg.norm(X - S * Z, ord=2, axis=(1, 2)) + np.linalg.norm(Z, axis=(1, 2))


def _feasible(X: Floats, S: Floats, point: _Point) -> Floats:
    """The barrier's W, shrunk until both constraints hold."""
    A = X - S * point.Z
    W = A @ _inverse(A, point.t)
    size = np.maximum(np.linalg.svd(W, compute_uv=False).sum(axis=1), np.linalg.norm(S * W, axis=(1, 2)))
    return W / np.where(size > 0, size, 1.0)[:, None, None]


def _inverse(A: Floats, t: Floats) -> Floats:
    """(t^2 I - A'A)^-1, from the singular values so that the smallest one is not lost."""
    _, sigma, Vt = np.linalg.svd(A, full_matrices=False)
    square = t[:, None, None] ** 2
    gap = ((t[:, None] - sigma) * (t[:, None] + sigma))[:, :, None]
    V = Vt.transpose(0, 2, 1)
    return V @ ((1 / gap - 1 / square) * Vt) + np.eye(A.shape[2]) / square


def _barrier(X: Floats, S: Floats, point: _Point, path: float) -> Floats:
    """(t + q) path - log det(t^2 I - A'A) + (K - 1) log t - log(q^2 - ||Z||^2), infinite outside."""
    K = X.shape[2]
    sigma = np.linalg.svd(X - S * point.Z, compute_uv=False)
    norm = np.linalg.norm(point.Z, axis=(1, 2))
    t, q = point.t, point.q
    inside = (t > sigma[:, 0] * (1 + MARGIN)) & (q > norm * (1 + MARGIN))
    t, q = np.where(inside, t, sigma[:, 0] + 1), np.where(inside, q, norm + 1)
    log_t = np.log(t)
    logs = np.log((t[:, None] - sigma) * (t[:, None] + sigma)).sum(axis=1)
    logs += 2 * (K - sigma.shape[1]) * log_t
    value = path * (t + q) - logs + (K - 1) * log_t - np.log((q - norm) * (q + norm))
    return np.where(inside, value, np.inf)


def _centre(X: Floats, S: Floats, point: _Point, path: float) -> _Point:
    """Newton's method with backtracking, for all problems at once."""
    current = _barrier(X, S, point, path)
    for _ in range(NEWTON_STEPS):
        gradient, hessian = _derivatives(X, S, point, path)
        direction = np.asarray(np.linalg.solve(hessian, -gradient[:, :, None])[:, :, 0], np.float64)
        slope = np.sum(gradient * direction, axis=1)
        if np.all(slope > -1e-3):
            break
        step = np.ones(len(X))
        for _ in range(50):
            candidate = _barrier(X, S, point.moved(step, direction), path)
            bad = ~(candidate <= current + 0.1 * step * slope)
            if not bad.any():
                break
            step[bad] *= 0.5
        step[bad] = 0.0
        point = point.moved(step, direction)
        current = np.where(bad, current, candidate)
    return point


def _derivatives(X: Floats, S: Floats, point: _Point, path: float) -> tuple[Floats, Floats]:
    """Gradient and Hessian of the barrier in (Z, t, q), one row per problem."""
    problems, D, K = X.shape
    A = X - S * point.Z
    t, q = point.t, point.q
    M = _inverse(A, t)
    AM = A @ M
    trace, trace_square = np.trace(M, axis1=1, axis2=2), np.sum(M * M, axis=(1, 2))
    rho = (q - np.linalg.norm(point.Z, axis=(1, 2))) * (q + np.linalg.norm(point.Z, axis=(1, 2)))
    z = point.Z.reshape(problems, -1)

    gradient = np.empty((problems, D * K + 2))
    gradient[:, :-2] = (-2 * S * AM).reshape(problems, -1) + 2 * z / rho[:, None]
    gradient[:, -2] = path - 2 * t * trace + (K - 1) / t
    gradient[:, -1] = path - 2 * q / rho

    left = np.eye(D) + AM @ A.transpose(0, 2, 1)
    inner = 2 * np.einsum("pij,pkl->pikjl", left, M) + 2 * np.einsum("pil,pjk->pikjl", AM, AM)
    inner *= S[None, :, :, None, None] * S[:, 0][None, None, None, :, None]
    hessian = np.empty((problems, D * K + 2, D * K + 2))
    hessian[:, :-2, :-2] = inner.reshape(problems, D * K, D * K)
    hessian[:, :-2, :-2] += 2 * np.eye(D * K) / rho[:, None, None]
    hessian[:, :-2, :-2] += 4 * z[:, :, None] * z[:, None, :] / rho[:, None, None] ** 2
    cross_t = (4 * t[:, None, None] * S * (AM @ M)).reshape(problems, -1)
    cross_q = -4 * q[:, None] * z / rho[:, None] ** 2
    hessian[:, :-2, -2] = hessian[:, -2, :-2] = cross_t
    hessian[:, :-2, -1] = hessian[:, -1, :-2] = cross_q
    hessian[:, -2, -2] = 4 * t**2 * trace_square - 2 * trace - (K - 1) / t**2
    hessian[:, -1, -1] = 4 * q**2 / rho**2 - 2 / rho
    hessian[:, -2, -1] = hessian[:, -1, -2] = 0.0
    return gradient, hessian
