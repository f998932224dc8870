"""Fits of a smooth loss along a path of ridges, each with leave-one-label-out scores by one Newton step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.optimize

from lsvv.engine.quadratic import Fit
from lsvv.losses import Loss

APART = 6e9
"""Multiplications up to which the Newton step takes outputs apart."""
FLATTEST = 1e-6
"""Least curvature of a row, as a share of the loss's bound: a flat loss says nothing of how far a score may move."""
FULL, FEW_ROWS = 0.25, 200
"""Share of the rows whose curvature the dual form takes in full for each output, and a number at least."""


def smooth_path(
    Phi: np.ndarray,
    T: np.ndarray,
    a: np.ndarray,
    ridges: Sequence[float],
    loss: Loss,
    *,
    manifold: float = 0.0,
    G: np.ndarray | None = None,
    fit_intercept: bool = True,
    n_iter: int = 150,
    tol: float = 1e-5,
) -> Iterator[Fit]:
    """Fits of a smooth loss along falling ridges, each from the last one, and one Newton step away from each label."""
    n, D = Phi.shape
    mean = a @ Phi if fit_intercept else np.zeros(D)
    Z = Phi - mean
    frames = _dual_frames if n < D and Z.any() else _primal_frames
    W, b = np.zeros((D, T.shape[1])), np.zeros(T.shape[1])
    for ridge, frame in frames(Z, a, G, manifold, sorted(ridges, reverse=True), loss.curvature):
        V, b = _fit(frame, T, a, frame.coordinates(W), b, loss, fit_intercept, n_iter, tol)
        loo = _one_newton_step(frame, T, a, frame.Z @ V + b, loss, fit_intercept)
        W = frame.lift(V)
        yield Fit(ridge, W, b - mean @ W, loo)


@dataclass(frozen=True, eq=False)
class _Frame:
    """Coordinates V of W in which F = Z V + b, and c/2 Z' diag(a) Z + P is diagonal, P = ridge I + manifold G.

    c bounds the loss's curvature. ``lift`` gives W from V, ``coordinates`` V from W.
    """

    Z: np.ndarray
    diagonal: np.ndarray
    lift: Callable[[np.ndarray], np.ndarray]
    coordinates: Callable[[np.ndarray], np.ndarray]


_Frames = Iterator[tuple[float, _Frame]]


def _primal_frames(
    Z: np.ndarray, a: np.ndarray, G: np.ndarray | None, manifold: float, ridges: Sequence[float], c: float
) -> _Frames:
    """D coordinates: the eigenbasis of c/2 C + manifold G, which the ridge only shifts."""
    H = 0.5 * c * ((Z.T * a) @ Z)
    values, E = scipy.linalg.eigh(H if G is None else H + manifold * G, check_finite=False, driver="evd")
    ZE, values = Z @ E, np.maximum(values, 0.0)
    for ridge in ridges:
        # below its rounding an eigenvalue says nothing
        floored = values + max(ridge, 1e-13 * values[-1])
        yield ridge, _Frame(ZE, floored, E.__matmul__, E.T.__matmul__)


def _dual_frames(
    Z: np.ndarray, a: np.ndarray, G: np.ndarray | None, manifold: float, ridges: Sequence[float], c: float
) -> _Frames:
    """n coordinates: Z V = Q sqrt(S) V / sqrt(a), Q S Q' = sqrt(a) Z (2 P)^-1 Z' sqrt(a); then tr(W' P W) = |V|^2 / 2.

    One eigen-decomposition of G serves all ridges.
    """
    D, root = Z.shape[1], np.sqrt(a)[:, None]
    values, E = (np.zeros(D), None) if G is None else scipy.linalg.eigh(G, check_finite=False, driver="evd")
    rotated = Z if E is None else Z @ E
    for ridge in ridges:
        scaled = rotated * (0.5 / (ridge + manifold * np.maximum(values, 0.0)))
        S, Q = scipy.linalg.eigh(root * (scaled @ rotated.T) * root.T, check_finite=False, driver="evd")
        kept = np.flatnonzero(S / S[-1] > 1e-13)
        S, Q = S[kept], Q[:, kept]

        def lift(V: np.ndarray, scaled: np.ndarray = scaled, S: np.ndarray = S, Q: np.ndarray = Q) -> np.ndarray:
            W = scaled.T @ (root * Q @ (V / np.sqrt(S)[:, None]))
            return W if E is None else E @ W

        def coordinates(W: np.ndarray, S: np.ndarray = S, Q: np.ndarray = Q) -> np.ndarray:
            return (Q.T @ (root * (Z @ W))) / np.sqrt(S)[:, None]

        yield ridge, _Frame(Q * np.sqrt(S) / root, 0.5 * c * S + 0.5, lift, coordinates)


def _fit(
    frame: _Frame,
    T: np.ndarray,
    a: np.ndarray,
    V: np.ndarray,
    b: np.ndarray,
    loss: Loss,
    fit_intercept: bool,
    n_iter: int,
    tol: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Quasi-Newton steps from V, b, in coordinates U that make the mean curvature of the outputs there the identity.

    With X = [Z L^-T, 1 / sqrt(mass)] and w the curvatures, X' diag(a w) X + 2 P = I, so that the penalty is
    |U|^2 / 2 - sum a w (X U)^2 / 2: no matrix but X is needed.
    """
    K, A = T.shape[1], np.repeat(a[:, None], T.shape[1], axis=1)
    curvature = loss.derivatives(frame.Z @ V + b, T)[1].mean(axis=1)
    w = np.maximum(curvature, 1e-3 * loss.curvature)
    factor = _factorised(frame, a, w, loss.curvature, fit_intercept)
    X = factor.whitened.T
    U = factor.L.T @ V
    if fit_intercept:
        X = np.hstack([X, np.full((len(X), 1), factor.mass**-0.5)])
        U = np.vstack([U, factor.mass**0.5 * (b + factor.centre @ V)])
    aw = (a * w)[:, None]

    def value_and_gradient(flat: np.ndarray) -> tuple[float, np.ndarray]:
        U = flat.reshape(-1, K)
        F = X @ U
        value, gradient = loss.value_and_gradient(F, T, A)
        pulled = aw * F
        return value + 0.5 * float(flat @ flat - np.sum(pulled * F)), (X.T @ (gradient - pulled) + U).ravel()

    found = scipy.optimize.minimize(
        value_and_gradient,
        U.ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": n_iter, "maxfun": n_iter, "maxcor": 20, "gtol": tol, "ftol": 1e-5 * tol},
    )
    U = found.x.reshape(-1, K)
    V = scipy.linalg.solve_triangular(factor.L.T, U[: len(V)], check_finite=False)
    return V, factor.mass**-0.5 * U[-1] - factor.centre @ V if fit_intercept else b


@dataclass(frozen=True, eq=False)
class _Factor:
    """L L' = Z' diag(a w) Z + 2 P about the mean that a w gives, L^-1 Z' about it, the mean and the mass sum a w."""

    L: np.ndarray
    whitened: np.ndarray
    centre: np.ndarray
    mass: float


def _factorised(frame: _Frame, a: np.ndarray, w: np.ndarray, c: float, fit_intercept: bool) -> _Factor:
    # 2 P = 2 diagonal - c C in this basis, and no curvature exceeds c
    root = frame.Z * np.sqrt(a * np.maximum(c - w, 0.0))[:, None]
    H = scipy.linalg.blas.dsyrk(-1.0, root.T, lower=1)
    H[np.diag_indices_from(H)] += 2.0 * frame.diagonal
    mass, centre, Z = float(a @ w), np.zeros(len(H)), frame.Z
    if fit_intercept:
        centre = (a * w) @ Z / mass
        H -= mass * np.outer(centre, centre)
        Z = Z - centre
    L = scipy.linalg.cholesky(H, lower=True, check_finite=False)
    return _Factor(L, scipy.linalg.blas.dtrsm(1.0, L, Z.T, lower=1), centre, mass)


def _one_newton_step(
    frame: _Frame,
    T: np.ndarray,
    a: np.ndarray,
    F: np.ndarray,
    loss: Loss,
    fit_intercept: bool,
) -> np.ndarray:
    """f_ik + q_ik g_ik / (1 - w_ik q_ik), g and w the loss's first and second derivatives at the fitted scores.

    q_ik = a_i z_i' (Z' diag(a w_k) Z + 2 P)^-1 z_i, each output with its own curvature: the mean over many classes,
    most of them out of the question for a row, is far below that of the two between which it stands. Only where an
    output each is too dear do all share the mean. The same w above and below keeps 1 - w q above 0, and makes the step
    exact where rows are orthogonal: each is then predicted by nothing, however well it was fitted.
    """
    gradient, curvature = loss.derivatives(F, T)
    (n, D), K = frame.Z.shape, T.shape[1]
    # coupled outputs move in the K - 1 directions that keep a row's sum
    curvature = curvature * (K / max(K - 1, 1) if loss.couples_outputs else 1.0)
    if not takes_outputs_apart(n, D, K):
        curvature = curvature.mean(axis=1, keepdims=True)
    weights = np.maximum(curvature, FLATTEST * loss.curvature)
    primal, dual = _step_costs(n, D, weights.shape[1])
    reaches = _reaches_dual if dual < primal else _reaches_primal
    return F + reaches(frame, a, weights, loss.curvature, fit_intercept) * gradient


def takes_outputs_apart(n: int, D: int, K: int) -> bool:
    """Whether a curvature for each output is cheap enough for n labelled rows, D columns and K outputs."""
    return min(_step_costs(n, min(n, D), K)) <= APART


def _step_costs(n: int, D: int, K: int) -> tuple[float, float]:
    """Multiplications of the two forms below, in the primal and the dual one."""
    return float(K) * (n * D**2 + D**3 / 6), n**2 * D + n**3 + float(K) * n * (n * FULL) ** 2


def _reaches_primal(frame: _Frame, a: np.ndarray, weights: np.ndarray, c: float, fit_intercept: bool) -> np.ndarray:
    """q_ik = a_i z_i' (Z' diag(a w_k) Z + 2 P)^-1 z_i; with an intercept about the mean that a w_k gives."""
    q = np.empty(weights.shape)
    for k, w in enumerate(weights.T):
        factor = _factorised(frame, a, w, c, fit_intercept)
        q[:, k] = a * (np.sum(factor.whitened**2, axis=0) + float(fit_intercept) / factor.mass)
    return _reach(q, weights)


def _reach(q: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """q / (1 - w q), w the curvature that is in q."""
    return q / np.maximum(1.0 - weights * q, 1e-6)


def _reaches_dual(frame: _Frame, a: np.ndarray, weights: np.ndarray, c: float, fit_intercept: bool) -> np.ndarray:
    """The same from M = Z H^-1 Z' with a base curvature common to the outputs, and an update for each of them.

    q_ik = a_i (M_ii - |L^-1 s M_i|^2), L L' = I + s M s, s^2 = a (w_k - base) on the rows that curve most in
    output k. The base of a row is its mean over the outputs in which it is not among them; with few rows all are, and
    the result is exact.
    """
    n = len(frame.Z)
    # Z is centred, so that an unpenalised intercept adds a constant to Z H^-1 Z' at the curvature bound c
    bound = (frame.Z * (0.5 / frame.diagonal)) @ frame.Z.T + float(fit_intercept) / c
    most = max(FEW_ROWS, int(np.ceil(n * FULL)))
    curved = np.argsort(-weights, axis=0, kind="stable")[:most]
    rest = np.ones(weights.shape, dtype=bool)
    np.put_along_axis(rest, curved, False, axis=0)
    base = np.where(rest.any(axis=1), (weights * rest).sum(axis=1) / np.maximum(rest.sum(axis=1), 1), FLATTEST * c)
    less = _whitened(bound, np.arange(n), np.sqrt(a * np.maximum(c - base, 0.0)), -1.0)
    M = bound + less.T @ less
    q = np.empty(weights.shape)
    for k, rows in enumerate(curved.T):
        more = _whitened(M, rows, np.sqrt(a[rows] * np.maximum(weights[rows, k] - base[rows], 0.0)), 1.0)
        q[:, k] = a * (np.diagonal(M) - np.sum(more * more, axis=0))
    return _reach(q, np.where(rest, base[:, None], np.maximum(weights, base[:, None])))


def _whitened(M: np.ndarray, rows: np.ndarray, s: np.ndarray, sign: float) -> np.ndarray:
    """L^-1 diag(s) M[rows], L L' = I + sign diag(s) M[rows, rows] diag(s)."""
    scaled = s[:, None] * M[rows]
    inner = sign * scaled[:, rows] * s
    inner[np.diag_indices_from(inner)] += 1.0
    L = scipy.linalg.cholesky(inner, lower=True, check_finite=False)
    return np.asarray(scipy.linalg.blas.dtrsm(1.0, L, scaled, lower=1))
