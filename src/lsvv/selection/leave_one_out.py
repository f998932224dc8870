"""Leave-one-LABEL-out scores for whole paths of (manifold, ridge): the row stays in the graph, only its label goes.

For the squared loss they are exact: equal to refitting without the label, so that the mean runs over n - 1 labels. For
a smooth loss they come from one Newton step at the fitted point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from lsvv.losses import Loss

EIGH_COST = 25.0
"""A symmetric eigen-decomposition of size D costs about this many D^3."""


@dataclass(frozen=True, eq=False)
class PathPoint:
    """One setting: its W and b from all n labels, and each labelled row's score from the other n - 1."""

    manifold: float
    ridge: float
    W: np.ndarray
    b: np.ndarray
    loo: np.ndarray


def squared_path(
    Phi: np.ndarray,
    T: np.ndarray,
    a: np.ndarray,
    G: np.ndarray | None,
    manifolds: Sequence[float],
    ridges: Sequence[float],
    *,
    fit_intercept: bool = True,
) -> Iterator[PathPoint]:
    """Exact leave-one-label-out for the squared loss, in the primal (D x D) or dual (n x n) form, the cheaper.

    ``a`` are the rows' weights, summing to 1. W is taken at 1 - sum a^2 = (n - 1) / n of the penalties, the strength at
    which its leave-one-out scores were measured; for unequal weights that share is the mean of the exact ones, 1 - a_i.
    """
    n, D = Phi.shape
    settings = len(manifolds) * len(ridges)
    primal = len(manifolds) * (EIGH_COST * D**3 + 2.0 * n * D**2)
    dual = EIGH_COST * D**3 * (G is not None) + settings * (2.0 * n**2 * D + 3.0 * n**3)
    form = squared_path_dual if dual < primal else squared_path_primal
    return form(Phi, T, a, G, manifolds, ridges, fit_intercept=fit_intercept)


def squared_path_primal(
    Phi: np.ndarray,
    T: np.ndarray,
    a: np.ndarray,
    G: np.ndarray | None,
    manifolds: Sequence[float],
    ridges: Sequence[float],
    *,
    fit_intercept: bool = True,
) -> Iterator[PathPoint]:
    """One eigen-decomposition of C + m G for each manifold m; each ridge then only shifts the eigenvalues.

    With f the fit to all labels at (n-1)/n of the penalties and s_i = a_i (1 + z_i' H^-1 z_i), dropping label i gives
    (f_i - s_i t_i) / (1 - s_i).
    """
    share = 1.0 - float(a @ a)
    mean, centre = (a @ Phi, a @ T) if fit_intercept else (0.0 * Phi[0], 0.0 * T[0])
    Z, R = Phi - mean, T - centre
    C, B = (Z.T * a) @ Z, (Z.T * a) @ R
    for manifold in manifolds:
        H = C if G is None or manifold == 0.0 else C + share * manifold * G
        values, E = scipy.linalg.eigh(H, check_finite=False, driver="evd")
        ZE, BE = Z @ E, E.T @ B
        square = ZE * ZE
        for ridge in ridges:
            inverse = 1.0 / (np.maximum(values, 0.0) + share * ridge)
            coefficients = inverse[:, None] * BE
            fitted = centre + ZE @ coefficients
            leverage = np.minimum(a * (float(fit_intercept) + square @ inverse), 1.0 - 1e-12)[:, None]
            W = E @ coefficients
            yield PathPoint(manifold, ridge, W, centre - mean @ W, (fitted - leverage * T) / (1.0 - leverage))


def squared_path_dual(
    Phi: np.ndarray,
    T: np.ndarray,
    a: np.ndarray,
    G: np.ndarray | None,
    manifolds: Sequence[float],
    ridges: Sequence[float],
    *,
    fit_intercept: bool = True,
) -> Iterator[PathPoint]:
    """residual_i = alpha_i / [M^-1]_ii, M = Q + I bordered by ones, Q = Phi (ridge I + manifold G)^-1 Phi' / (n - 1).

    One eigen-decomposition of G serves all settings. Rows and border carry the root of their weight.
    """
    n, D = Phi.shape
    root, share = np.sqrt(a), 1.0 - float(a @ a)
    Phi, T_rooted = Phi * root[:, None], T * root[:, None]
    values, E = (np.zeros(D), None) if G is None else scipy.linalg.eigh(G, check_finite=False, driver="evd")
    values = np.maximum(values, 0.0)
    rotated = Phi if E is None else Phi @ E
    for manifold in manifolds:
        for ridge in ridges:
            inverse = 1.0 / (ridge + manifold * values)
            scaled = rotated * inverse
            M = np.linalg.inv(scaled @ rotated.T / share + np.eye(n))
            b = np.zeros(T.shape[1])
            if fit_intercept:
                border = M @ root
                b = border @ T_rooted / (border @ root)
                M = M - np.outer(border, border) / (border @ root)
            alpha = M @ T_rooted
            W = scaled.T @ alpha / share
            loo = T - alpha / (np.maximum(np.diag(M), 1e-12) * root)[:, None]
            yield PathPoint(manifold, ridge, W if E is None else E @ W, b, loo)


def smooth_path(
    Phi: np.ndarray,
    T: np.ndarray,
    a: np.ndarray,
    G: np.ndarray | None,
    manifolds: Sequence[float],
    ridges: Sequence[float],
    loss: Loss,
    *,
    fit_intercept: bool = True,
    n_iter: int = 100,
    tol: float = 1e-3,
) -> Iterator[PathPoint]:
    """Fits of a smooth loss along falling ridges, and one Newton step away from each label.

    In the eigenbasis of H = c/2 C + m G, c the loss's curvature bound, a gradient step with the whole matrix
    2 (H + ridge I) is a diagonal scaling; accelerated, it needs few steps from the last ridge's answer.
    """
    D = Phi.shape[1]
    A = np.repeat(a[:, None], T.shape[1], axis=1)
    mean = a @ Phi if fit_intercept else np.zeros(D)
    Z = Phi - mean
    C = (Z.T * a) @ Z
    for manifold in manifolds:
        H = 0.5 * loss.curvature * C
        H = H if G is None or manifold == 0.0 else H + manifold * G
        values, E = scipy.linalg.eigh(H, check_finite=False, driver="evd")
        ZE, values = Z @ E, np.maximum(values, 0.0)
        U, b = np.zeros((D, T.shape[1])), np.zeros(T.shape[1])
        for ridge in sorted(ridges, reverse=True):
            U, b = _fit(ZE, values + ridge, T, A, U, b, loss, fit_intercept, n_iter, tol)
            loo = _one_newton_step(ZE, values + ridge, T, a, ZE @ U + b, loss, fit_intercept)
            W = E @ U
            yield PathPoint(manifold, ridge, W, b - mean @ W, loo)


def _fit(
    Z: np.ndarray,
    diagonal: np.ndarray,
    T: np.ndarray,
    A: np.ndarray,
    U: np.ndarray,
    b: np.ndarray,
    loss: Loss,
    fit_intercept: bool,
    n_iter: int,
    tol: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Accelerated steps U+ = (Z' (c F - grad) ) / (2 diagonal), the minimiser of the quadratic bound at U."""
    c = loss.curvature
    scale = (0.5 / diagonal)[:, None]
    Y, by, momentum = U, b, 1.0
    for _ in range(n_iter):
        F = Z @ Y
        gradient = loss.value_and_gradient(F + by, T, A)[1]
        U_next = scale * (Z.T @ (c * A * F - gradient))
        b_next = by - gradient.sum(axis=0) / c if fit_intercept else by
        grown = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        # a step that turns back has overshot: drop the momentum
        turned = np.sum((Y - U_next) * (U_next - U)) + np.sum((by - b_next) * (b_next - b)) > 0
        beta, momentum = (0.0, 1.0) if turned else ((momentum - 1.0) / grown, grown)
        moved = np.abs(U_next - U).max()
        Y, by = U_next + beta * (U_next - U), b_next + beta * (b_next - b)
        U, b = U_next, b_next
        if moved <= tol * np.abs(U).max():
            break
    return U, b


def _one_newton_step(
    Z: np.ndarray,
    diagonal: np.ndarray,
    T: np.ndarray,
    a: np.ndarray,
    F: np.ndarray,
    loss: Loss,
    fit_intercept: bool,
) -> np.ndarray:
    """f_ik + q_i g_ik / (1 - w_i q_i), g and w the loss's first and second derivatives at the fitted scores.

    q_i = a_i z_i' (Z' diag(a w) Z + 2 P)^-1 z_i with the curvature w averaged over the outputs, so that one
    factorisation serves them all; with an intercept, about the mean that w gives. The same w below the line keeps
    1 - w_i q_i above 0, and makes the step exact where rows are orthogonal: each is then predicted by nothing, however
    well it was fitted.
    """
    c = loss.curvature
    gradient, curvature = loss.derivatives(F, T)
    # coupled outputs move in the K - 1 directions that keep a row's sum
    n_free = T.shape[1] - int(loss.couples_outputs)
    weight = np.maximum(curvature.sum(axis=1) / n_free, 1e-3 * c)
    # 2 P = 2 diagonal - c C in this basis, and no weight exceeds c
    root = Z * np.sqrt(a * np.maximum(c - weight, 0.0))[:, None]
    H = scipy.linalg.blas.dsyrk(-1.0, root.T, lower=1)
    H[np.diag_indices_from(H)] += 2.0 * diagonal
    mass = float(a @ weight)
    if fit_intercept:
        centre = (a * weight) @ Z / mass
        H -= mass * np.outer(centre, centre)
        Z = Z - centre
    L = scipy.linalg.cholesky(H, lower=True, check_finite=False)
    solved = scipy.linalg.blas.dtrsm(1.0, L, Z.T, lower=1)
    q = a * (np.sum(solved * solved, axis=0) + float(fit_intercept) / mass)
    return F + (q / np.maximum(1.0 - weight * q, 1e-6))[:, None] * gradient
