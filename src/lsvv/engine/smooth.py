"""Fits of a smooth loss along a path of ridges, each with leave-one-label-out scores by one Newton step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.optimize

from lsvv.engine.quadratic import Fit
from lsvv.linalg import Array, add_to_diagonal, cholesky, eigh, like, namespace, solve_lower, take_rows, to_numpy
from lsvv.losses import Loss

APART = 6e9
"""Multiplications up to which the Newton step takes outputs apart."""
FLATTEST = 1e-6
"""Least curvature of a row, as a share of the loss's bound: a flat loss says nothing of how far a score may move."""
FULL, FEW_ROWS = 0.25, 200
"""Share of the rows whose curvature the dual form takes in full for each output, and a number at least."""


def smooth_path(
    Phi: Array,
    T: Array,
    a: Array,
    ridges: Sequence[float],
    loss: Loss,
    *,
    manifold: float = 0.0,
    G: Array | None = None,
    fit_intercept: bool = True,
    n_iter: int = 150,
    tol: float = 1e-5,
) -> Iterator[Fit]:
    """Fits of a smooth loss along falling ridges, each from the last one, and one Newton step away from each label."""
    (n, D), K, xp = Phi.shape, T.shape[1], namespace(Phi)
    mean = a @ Phi if fit_intercept else xp.zeros_like(Phi[0, :])
    Z = Phi - mean
    frames = _dual_frames if n < D and bool(xp.any(Z != 0.0)) else _primal_frames
    W, b = like(np.zeros((D, K)), Phi), like(np.zeros(K), Phi)
    for ridge, frame in frames(Z, a, G, manifold, sorted(ridges, reverse=True), loss.curvature):
        V, b = _fit(frame, T, a, frame.coordinates(W), b, loss, fit_intercept, n_iter, tol)
        loo = _one_newton_step(frame, T, a, frame.Z @ V + b, loss, fit_intercept)
        W = frame.lift(V)
        yield Fit(ridge, to_numpy(W), to_numpy(b - mean @ W), to_numpy(loo))


@dataclass(frozen=True, eq=False)
class _Frame:
    """Coordinates V of W in which F = Z V + b, and c/2 Z' diag(a) Z + P is diagonal, P = ridge I + manifold G.

    c bounds the loss's curvature. ``lift`` gives W from V, ``coordinates`` V from W.
    """

    Z: Array
    diagonal: Array
    lift: Callable[[Array], Array]
    coordinates: Callable[[Array], Array]


_Frames = Iterator[tuple[float, _Frame]]


def _primal_frames(Z: Array, a: Array, G: Array | None, manifold: float, ridges: Sequence[float], c: float) -> _Frames:
    """D coordinates: the eigenbasis of c/2 C + manifold G, which the ridge only shifts."""
    H = 0.5 * c * ((Z.T * a) @ Z)
    values, E = eigh(H if G is None else H + manifold * G)
    ZE, values = Z @ E, namespace(Z).clip(values, 0.0, None)
    for ridge in ridges:
        # below its rounding an eigenvalue says nothing
        floored = values + max(ridge, 1e-13 * float(values[-1]))
        yield ridge, _Frame(ZE, floored, E.__matmul__, E.T.__matmul__)


def _dual_frames(Z: Array, a: Array, G: Array | None, manifold: float, ridges: Sequence[float], c: float) -> _Frames:
    """n coordinates: Z V = Q sqrt(S) V / sqrt(a), Q S Q' = sqrt(a) Z (2 P)^-1 Z' sqrt(a); then tr(W' P W) = |V|^2 / 2.

    One eigen-decomposition of G serves all ridges.
    """
    xp, root = namespace(Z), (a**0.5)[:, None]
    values, E = (xp.zeros_like(Z[0, :]), None) if G is None else eigh(G)
    rotated = Z if E is None else Z @ E
    for ridge in ridges:
        scaled = rotated * (0.5 / (ridge + manifold * xp.clip(values, 0.0, None)))
        S, Q = eigh(root * (scaled @ rotated.T) * root.T)
        # ascending: what is next to nothing comes first
        nothing = int(xp.sum(xp.astype(S / S[-1] <= 1e-13, xp.int64)))
        S, Q = S[nothing:], Q[:, nothing:]

        def lift(V: Array, scaled: Array = scaled, S: Array = S, Q: Array = Q) -> Array:
            W = scaled.T @ (root * Q @ (V / (S**0.5)[:, None]))
            return W if E is None else E @ W

        def coordinates(W: Array, S: Array = S, Q: Array = Q) -> Array:
            return (Q.T @ (root * (Z @ W))) / (S**0.5)[:, None]

        yield ridge, _Frame(Q * S**0.5 / root, 0.5 * c * S + 0.5, lift, coordinates)


def _fit(
    frame: _Frame,
    T: Array,
    a: Array,
    V: Array,
    b: Array,
    loss: Loss,
    fit_intercept: bool,
    n_iter: int,
    tol: float,
) -> tuple[Array, Array]:
    """Quasi-Newton steps from V, b, in coordinates U that make the mean curvature of the outputs there the identity.

    With X = [Z L^-T, 1 / sqrt(mass)] and w the curvatures, X' diag(a w) X + 2 P = I, so that the penalty is
    |U|^2 / 2 - sum a w (X U)^2 / 2: no matrix but X is needed.
    """
    xp, (n, K) = namespace(T), T.shape
    A = xp.broadcast_to(a[:, None], (n, K))
    curvature = xp.mean(loss.derivatives(frame.Z @ V + b, T)[1], axis=1)
    w = xp.clip(curvature, 1e-3 * loss.curvature, None)
    factor = _factorised(frame, a, w, loss.curvature, fit_intercept)
    X = factor.whitened.T
    U = factor.L.T @ V
    if fit_intercept:
        X = xp.concat([X, xp.full_like(X[:, :1], factor.mass**-0.5)], axis=1)
        U = xp.concat([U, factor.mass**0.5 * (b + factor.centre @ V)[None, :]], axis=0)
    aw = (a * w)[:, None]

    def value_and_gradient(flat: np.ndarray) -> tuple[float, np.ndarray]:
        U = like(flat.reshape(-1, K), T)
        F = X @ U
        value, gradient = loss.value_and_gradient(F, T, A)
        pulled = aw * F
        value += 0.5 * (float(flat @ flat) - float(xp.sum(pulled * F)))
        return value, to_numpy(X.T @ (gradient - pulled) + U).ravel()

    found = scipy.optimize.minimize(
        value_and_gradient,
        to_numpy(U).ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": n_iter, "maxfun": n_iter, "maxcor": 20, "gtol": tol, "ftol": 1e-5 * tol},
    )
    U = like(found.x.reshape(-1, K), T)
    V = solve_lower(factor.L, U[: V.shape[0], :], transposed=True)
    return V, factor.mass**-0.5 * U[-1, :] - factor.centre @ V if fit_intercept else b


@dataclass(frozen=True, eq=False)
class _Factor:
    """L L' = Z' diag(a w) Z + 2 P about the mean that a w gives, L^-1 Z' about it, the mean and the mass sum a w."""

    L: Array
    whitened: Array
    centre: Array
    mass: float


def _factorised(frame: _Frame, a: Array, w: Array, c: float, fit_intercept: bool) -> _Factor:
    xp = namespace(a)
    # 2 P = 2 diagonal - c C in this basis, and no curvature exceeds c
    root = frame.Z * ((a * xp.clip(c - w, 0.0, None)) ** 0.5)[:, None]
    H = -(root.T @ root)
    add_to_diagonal(H, 2.0 * frame.diagonal)
    mass, centre, Z = float(a @ w), xp.zeros_like(H[0, :]), frame.Z
    if fit_intercept:
        centre = (a * w) @ Z / mass
        H -= mass * (centre[:, None] * centre[None, :])
        Z = Z - centre
    L = cholesky(H)
    return _Factor(L, solve_lower(L, Z.T), centre, mass)


def _one_newton_step(frame: _Frame, T: Array, a: Array, F: Array, loss: Loss, fit_intercept: bool) -> Array:
    """f_ik + q_ik g_ik / (1 - w_ik q_ik), g and w the loss's first and second derivatives at the fitted scores.

    q_ik = a_i z_i' (Z' diag(a w_k) Z + 2 P)^-1 z_i, each output with its own curvature: the mean over many classes,
    most of them out of the question for a row, is far below that of the two between which it stands. Only where an
    output each is too dear do all share the mean. The same w above and below keeps 1 - w q above 0, and makes the step
    exact where rows are orthogonal: each is then predicted by nothing, however well it was fitted.
    """
    xp = namespace(T)
    gradient, curvature = loss.derivatives(F, T)
    (n, D), K = frame.Z.shape, T.shape[1]
    # coupled outputs move in the K - 1 directions that keep a row's sum
    curvature = curvature * (K / max(K - 1, 1) if loss.couples_outputs else 1.0)
    if not takes_outputs_apart(n, D, K):
        curvature = xp.mean(curvature, axis=1, keepdims=True)
    weights = xp.clip(curvature, FLATTEST * loss.curvature, None)
    primal, dual = _step_costs(n, D, weights.shape[1])
    reaches = _reaches_dual if dual < primal else _reaches_primal
    return F + reaches(frame, a, weights, loss.curvature, fit_intercept) * gradient


def takes_outputs_apart(n: int, D: int, K: int) -> bool:
    """Whether a curvature for each output is cheap enough for n labelled rows, D columns and K outputs."""
    return min(_step_costs(n, min(n, D), K)) <= APART


def _step_costs(n: int, D: int, K: int) -> tuple[float, float]:
    """Multiplications of the two forms below, in the primal and the dual one."""
    return float(K) * (n * D**2 + D**3 / 6), n**2 * D + n**3 + float(K) * n * (n * FULL) ** 2


def _reaches_primal(frame: _Frame, a: Array, weights: Array, c: float, fit_intercept: bool) -> Array:
    """q_ik = a_i z_i' (Z' diag(a w_k) Z + 2 P)^-1 z_i; with an intercept about the mean that a w_k gives."""
    xp, columns = namespace(a), []
    for k in range(weights.shape[1]):
        factor = _factorised(frame, a, weights[:, k], c, fit_intercept)
        columns.append(a * (xp.sum(factor.whitened**2, axis=0) + float(fit_intercept) / factor.mass))
    return _reach(xp.stack(columns, axis=1), weights)


def _reach(q: Array, weights: Array) -> Array:
    """q / (1 - w q), w the curvature that is in q."""
    return q / namespace(q).clip(1.0 - weights * q, 1e-6, None)


def _reaches_dual(frame: _Frame, a: Array, weights: Array, c: float, fit_intercept: bool) -> Array:
    """The same from M = Z H^-1 Z' with a base curvature common to the outputs, and an update for each of them.

    q_ik = a_i (M_ii - |L^-1 s M_i|^2), L L' = I + s M s, s^2 = a (w_k - base) on the rows that curve most in
    output k. The base of a row is its mean over the outputs in which it is not among them; with few rows all are, and
    the result is exact.
    """
    xp, n = namespace(a), frame.Z.shape[0]
    # Z is centred, so that an unpenalised intercept adds a constant to Z H^-1 Z' at the curvature bound c
    bound = (frame.Z * (0.5 / frame.diagonal)) @ frame.Z.T + float(fit_intercept) / c
    curved, rest, base = _curved_most(to_numpy(weights), max(FEW_ROWS, int(np.ceil(n * FULL))), FLATTEST * c)
    base, rest = like(base, a), like(rest, a)
    less = _whitened(bound, np.arange(n), (a * xp.clip(c - base, 0.0, None)) ** 0.5, -1.0)
    M = bound + less.T @ less
    own, columns = xp.linalg.diagonal(M), []
    for k in range(weights.shape[1]):
        rows = curved[:, k]
        above = xp.clip(weights[:, k] - base, 0.0, None)
        more = _whitened(M, rows, take_rows(a * above, rows) ** 0.5, 1.0)
        columns.append(a * (own - xp.sum(more * more, axis=0)))
    higher = xp.where(weights > base[:, None], weights, base[:, None])
    return _reach(xp.stack(columns, axis=1), xp.where(rest > 0.0, base[:, None], higher))


def _curved_most(weights: np.ndarray, most: int, least: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows that curve most in each output, which rows do not, and the mean curvature of a row where it does not."""
    curved = np.argsort(-weights, axis=0, kind="stable")[:most]
    rest = np.ones(weights.shape, dtype=bool)
    np.put_along_axis(rest, curved, False, axis=0)
    base = np.where(rest.any(axis=1), (weights * rest).sum(axis=1) / np.maximum(rest.sum(axis=1), 1), least)
    return curved, rest, base


def _whitened(M: Array, rows: np.ndarray, s: Array, sign: float) -> Array:
    """L^-1 diag(s) M[rows], L L' = I + sign diag(s) M[rows, rows] diag(s)."""
    scaled = s[:, None] * take_rows(M, rows)
    inner = sign * take_rows(scaled.T, rows).T * s
    add_to_diagonal(inner, namespace(s).ones_like(s))
    return solve_lower(cholesky(inner), scaled)
