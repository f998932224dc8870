"""Small problems, and leave-one-label-out the slow way."""

from typing import Any

import numpy as np

from lsvv.assembly import build_objective, build_risk
from lsvv.features import MappedRows
from lsvv.losses import Loss
from lsvv.penalties import TailSum
from lsvv.solvers import solve


def problem(seed: int, n: int, D: int, K: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features of n labelled rows, targets, and a positive semi-definite G."""
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(2 * D, D))
    return rng.normal(size=(n, D)), rng.normal(size=(n, K)), B.T @ B / (2 * D)


def even(n: int) -> np.ndarray:
    """Equal weights."""
    return np.full(n, 1.0 / n)


def uneven(n: int, seed: int = 0) -> np.ndarray:
    """Weights of which none is like another."""
    a = np.random.default_rng(seed).uniform(0.2, 2.0, size=n)
    return np.asarray(a / a.sum())


def refit(
    Phi: np.ndarray,
    T: np.ndarray,
    G: np.ndarray,
    ridge: float,
    manifold: float,
    loss: Loss,
    fit_intercept: bool,
    a: np.ndarray | None = None,
) -> Any:
    """W and b through the core's objective and solver, tightly."""
    a = even(len(T)) if a is None else a / a.sum()
    A = np.repeat(a[:, None], T.shape[1], axis=1)
    rows = MappedRows(Phi, lambda block: block)
    risk = build_risk(rows, loss, T, A, fit_intercept=fit_intercept)
    objective = build_objective(risk, ridge=ridge, manifold=manifold, G=G, spectral=TailSum(0.0))
    V = solve(objective, tol=1e-9, max_iter=20_000).variable
    return objective.weights(V), risk.intercept(V)


def brute_force(
    Phi: np.ndarray,
    T: np.ndarray,
    G: np.ndarray,
    ridge: float,
    manifold: float,
    loss: Loss,
    fit_intercept: bool,
    a: np.ndarray | None = None,
) -> np.ndarray:
    """Each row's score from a model that never saw its label; G stays."""
    scores = np.zeros(T.shape)
    for i in range(len(T)):
        kept = np.arange(len(T)) != i
        others = None if a is None else a[kept]
        W, b = refit(Phi[kept], T[kept], G, ridge, manifold, loss, fit_intercept, others)
        scores[i] = Phi[i] @ W + b
    return scores
