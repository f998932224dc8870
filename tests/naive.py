"""Slow, obvious twins of the fast paths: loops, dense matrices, full decompositions, refits."""

from collections.abc import Callable
from math import exp, log1p

import mpmath
import numpy as np
from scipy.optimize import minimize_scalar

# ---------------------------------------------------------------------------------------------------------- graph


def distances_to_neighbors(X: np.ndarray, k: int) -> np.ndarray:
    """Distance to each of the k nearest other rows, NaN elsewhere."""
    m = len(X)
    table = np.full((m, m), np.nan)
    for i in range(m):
        distance = [np.inf if j == i else float(np.linalg.norm(X[i] - X[j])) for j in range(m)]
        for j in np.argsort(distance)[:k]:
            table[i, j] = distance[j]
    return table


def adjacency(X: np.ndarray, k: int, symmetry: str = "union") -> np.ndarray:
    """1 where either end (union) or both ends (mutual) count the other among their k nearest."""
    asked = ~np.isnan(distances_to_neighbors(X, k))
    return (asked | asked.T if symmetry == "union" else asked & asked.T).astype(float)


def laplacian(S: np.ndarray, kind: str) -> np.ndarray:
    """I - D^-1/2 S D^-1/2 or (D - S) / mean degree, entry by entry; isolated rows are zero."""
    m = len(S)
    degree = [sum(S[i]) for i in range(m)]
    Lap = np.zeros((m, m))
    for i in range(m):
        for j in range(m):
            if kind == "plain":
                Lap[i, j] = ((degree[i] if i == j else 0.0) - S[i, j]) / (np.mean(degree) or 1.0)
            elif degree[i] > 0 and degree[j] > 0:
                Lap[i, j] = (1.0 if i == j else 0.0) - S[i, j] / np.sqrt(degree[i] * degree[j])
    return Lap


def manifold_matrix(Phi: np.ndarray, Lap: np.ndarray, power: int) -> np.ndarray:
    """G = Phi' Lap^power Phi / m."""
    return Phi.T @ np.linalg.matrix_power(Lap, power) @ Phi / len(Phi)


def neighbor_mean(S: np.ndarray) -> np.ndarray:
    """P = D^-1 S, entry by entry; a row without neighbours is its own."""
    m = len(S)
    P = np.zeros((m, m))
    for i in range(m):
        degree = sum(S[i])
        for j in range(m):
            P[i, j] = S[i, j] / degree if degree > 0 else float(i == j)
    return P


def smoother(S: np.ndarray, a: float) -> np.ndarray:
    """R = (1 - a)(I - a P)^-1."""
    return np.asarray((1.0 - a) * np.linalg.inv(np.eye(len(S)) - a * neighbor_mean(S)))


def self_tuned_weights(X: np.ndarray, k: int) -> np.ndarray:
    """exp(-d_ij^2 / (r_i r_j)) between rows of which either counts the other among its k nearest."""
    table = distances_to_neighbors(X, k)
    reach = np.nanmax(table, axis=1)
    S = np.zeros((len(X), len(X)))
    for i, j in np.argwhere(~np.isnan(table)):
        S[i, j] = S[j, i] = np.exp(-(table[i, j] ** 2) / (reach[i] * reach[j]))
    return S


def self_tuned_links(X: np.ndarray, new: np.ndarray, k: int) -> np.ndarray:
    """The same weights from new rows to their k nearest rows of X, each row divided by its sum."""
    reach = np.nanmax(distances_to_neighbors(X, k), axis=1)
    links = np.zeros((len(new), len(X)))
    for i, x in enumerate(new):
        distance = np.array([np.linalg.norm(x - row) for row in X])
        nearest = np.argsort(distance)[:k]
        links[i, nearest] = np.exp(-(distance[nearest] ** 2) / (distance[nearest].max() * reach[nearest]))
    return np.asarray(links / links.sum(axis=1, keepdims=True))


# ------------------------------------------------------------------------------------------------------- spectral


def prox_tail_sum(W: np.ndarray, threshold: float, free_rank: int) -> np.ndarray:
    """Keep the leading singular values, lower the others."""
    U, sigma, Vt = np.linalg.svd(W, full_matrices=False)
    sigma[free_rank:] = np.maximum(sigma[free_rank:] - threshold, 0.0)
    return U @ np.diag(sigma) @ Vt


def exact_step(W: np.ndarray, threshold: float, free_rank: int) -> np.ndarray:
    """W - prox(W), rounded once from fifty digits."""
    with mpmath.workdps(50):
        U, sigma, Vt = mpmath.svd_r(mpmath.matrix(W.tolist()), full_matrices=False)
        leading = sorted(range(len(sigma)), key=lambda j: -sigma[j])[:free_rank]
        cut = mpmath.diag([0 if j in leading else min(s, mpmath.mpf(threshold)) for j, s in enumerate(sigma)])
        step = U * cut * Vt
        return np.array([[float(step[i, j]) for j in range(W.shape[1])] for i in range(W.shape[0])])


# --------------------------------------------------------------------------------------------------------- losses


def squared(F: np.ndarray, T: np.ndarray, A: np.ndarray) -> float:
    """sum A (f - t)^2."""
    return entry_by_entry(F, T, A, lambda f, t: (f - t) ** 2)


def binary_logistic(F: np.ndarray, T: np.ndarray, A: np.ndarray) -> float:
    """sum A log(1 + exp(-s f))."""
    return entry_by_entry(F, T, A, lambda f, t: log1p(exp(-(2 * t - 1) * f)))


def binary_hinge(F: np.ndarray, T: np.ndarray, A: np.ndarray) -> float:
    """sum A max(0, 1 - s f)."""
    return entry_by_entry(F, T, A, lambda f, t: max(0.0, 1 - (2 * t - 1) * f))


def entry_by_entry(F: np.ndarray, T: np.ndarray, A: np.ndarray, loss: Callable[[float, float], float]) -> float:
    """The sum over the entries of positive weight."""
    total = 0.0
    for i in range(F.shape[0]):
        for k in range(F.shape[1]):
            if A[i, k] > 0:
                total += float(A[i, k]) * loss(float(F[i, k]), float(T[i, k]))
    return total


def multiclass_logistic(F: np.ndarray, T: np.ndarray, A: np.ndarray) -> float:
    """sum_i a_i (log sum_k exp(f_k) - f_y)."""
    return row_by_row(F, T, A, lambda f, y: float(np.log(np.sum(np.exp(f))) - f[y]))


def multiclass_hinge(F: np.ndarray, T: np.ndarray, A: np.ndarray) -> float:
    """sum_i a_i max(0, 1 - (f_y - max_{k != y} f_k))."""
    return row_by_row(F, T, A, lambda f, y: max(0.0, 1 - (float(f[y]) - float(np.delete(f, y).max()))))


def row_by_row(F: np.ndarray, T: np.ndarray, A: np.ndarray, loss: Callable[[np.ndarray, int], float]) -> float:
    """The sum over the rows of positive weight."""
    rows = [i for i in range(F.shape[0]) if A[i, 0] > 0]
    return sum(float(A[i, 0]) * loss(F[i], int(np.argmax(T[i]))) for i in rows)


# -------------------------------------------------------------------------------------------------- the objective


def mean_loss_weights(known: np.ndarray) -> np.ndarray:
    """Weights of entries, each output's divided by their sum."""
    return known / np.where(known.sum(axis=0) > 0, known.sum(axis=0), 1.0)


def objective_value(
    Phi: np.ndarray,
    T: np.ndarray,
    A: np.ndarray,
    W: np.ndarray,
    b: np.ndarray,
    *,
    loss: Callable[[np.ndarray, np.ndarray, np.ndarray], float],
    ridge: float = 0.0,
    manifold: float = 0.0,
    G: np.ndarray | None = None,
    spectral: float = 0.0,
    free_rank: int = 0,
) -> float:
    """The equation of the model, term by term."""
    value = loss(Phi @ W + b, T, A) + ridge * float(np.sum(W**2))
    if G is not None:
        value += manifold * float(np.trace(W.T @ G @ W))
    return value + spectral * float(np.linalg.svd(W, compute_uv=False)[free_rank:].sum())


def ridge_with_intercept(Phi: np.ndarray, T: np.ndarray, A: np.ndarray, P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """argmin sum A (Phi w + b - t)^2 + tr(W' P W), one output at a time, by one system for [w; b]."""
    D, K = Phi.shape[1], T.shape[1]
    wide = np.hstack([Phi, np.ones((len(Phi), 1))])
    penalty = np.zeros((D + 1, D + 1))
    penalty[:D, :D] = P
    V = np.zeros((D + 1, K))
    for k in range(K):
        a = A[:, k]
        V[:, k] = np.linalg.solve(wide.T @ (a[:, None] * wide) + penalty, wide.T @ (a * T[:, k]))
    return V[:D], V[D]


def leave_one_out(Phi: np.ndarray, T: np.ndarray, A: np.ndarray, P: np.ndarray) -> np.ndarray:
    """Each row's scores from a fit without its loss term, by refitting."""
    scores = np.zeros(T.shape)
    for i in range(len(Phi)):
        without = A.copy()
        without[i] = 0.0
        W, b = ridge_with_intercept(Phi, T, without, P)
        scores[i] = Phi[i] @ W + b
    return scores


# ---------------------------------------------------------------------------------------------------- calibration


def temperature(scores: np.ndarray, soft: np.ndarray, weight: np.ndarray) -> float:
    """argmin_t of the cross-entropy of softmax(scores / t) against ``soft``, by a search over log t."""

    def log_loss(log_t: float) -> float:
        scaled = scores / np.exp(log_t)
        log_p = scaled - np.log(np.sum(np.exp(scaled - scaled.max(axis=1, keepdims=True)), axis=1, keepdims=True))
        log_p -= scaled.max(axis=1, keepdims=True)
        return -float(np.sum(weight[:, None] * soft * log_p))

    found = minimize_scalar(log_loss, bounds=(-5, 5), method="bounded", options={"xatol": 1e-10})
    return float(np.exp(found.x))


# --------------------------------------------------------------------------------------------- what to label next


def best_rows(Phi: np.ndarray, doubt: np.ndarray, known: np.ndarray, count: int, noise: float) -> list[int]:
    """Rows whose label lowers sum_j doubt_j Var f_j most, taken one by one; f = Phi w, w ~ N(0, I)."""
    labelled: list[int] = np.flatnonzero(known).tolist()
    chosen: list[int] = []
    for _ in range(count):
        left = {row: _doubt_left(Phi, doubt, [*labelled, row], noise) for row in range(len(Phi)) if row not in labelled}
        chosen.append(min(left, key=lambda row: left[row]))
        labelled.append(chosen[-1])
    return chosen


def _doubt_left(Phi: np.ndarray, doubt: np.ndarray, labelled: list[int], noise: float) -> float:
    K = Phi @ Phi.T
    some = K[labelled]
    posterior = K - some.T @ np.linalg.solve(some[:, labelled] + noise * np.eye(len(labelled)), some)
    return float(doubt @ np.diag(posterior))
