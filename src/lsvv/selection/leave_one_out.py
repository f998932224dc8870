"""Leave-one-LABEL-out scores for whole paths of (manifold, ridge): the row stays in the graph, only its label goes.

For the squared loss they are exact: equal to refitting without the label, so that the mean runs over n - 1 labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg

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
