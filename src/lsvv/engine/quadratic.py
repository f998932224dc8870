"""The quadratic: fits of the squared loss along a path of ridges, each with its exact leave-one-LABEL-out scores.

The row stays in the graph and in the smoothed features, only its label goes, so that the mean runs over n - 1 labels:
equal to refitting without the label, whatever the weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.linalg


@dataclass(frozen=True, eq=False)
class Fit:
    """One setting: its W and b from all n labels, and each labelled row's score from the other n - 1.

    ``independent`` says how many of these scores err independently; see :meth:`Decomposition.independent`.
    """

    ridge: float
    W: np.ndarray
    b: np.ndarray
    loo: np.ndarray
    independent: float = np.inf


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Zw = diag(a)^1/2 (Phi - mean) in the eigenbasis of its Gram matrix, D x D or n x n, the smaller.

    With the eigenvalues v, Y = Zw E = U v^1/2, and any ridge only shifts v: W = E (v + ridge)^-1 Y' Tw, the fitted
    values of the weighted targets Tw are Y (v + ridge)^-1 Y' Tw, and their leverages a + sum_j Y_ij^2 / (v_j + ridge).
    """

    Zw: np.ndarray
    values: np.ndarray
    Y: np.ndarray
    basis: np.ndarray
    is_dual: bool
    a: np.ndarray
    mean: np.ndarray

    @classmethod
    def of(cls, Phi: np.ndarray, a: np.ndarray, *, fit_intercept: bool = True) -> Self:
        """For rows ``Phi`` of weights ``a``, which sum to 1."""
        mean = a @ Phi if fit_intercept else np.zeros(Phi.shape[1])
        Zw = np.sqrt(a)[:, None] * (Phi - mean)
        is_dual = Phi.shape[0] <= Phi.shape[1]
        values, basis = scipy.linalg.eigh(Zw @ Zw.T if is_dual else Zw.T @ Zw, check_finite=False, driver="evd")
        values = np.maximum(values, 0.0)
        return cls(Zw, values, basis * np.sqrt(values) if is_dual else Zw @ basis, basis, is_dual, a, mean)

    def weights(self, Tw: np.ndarray, ridge: float) -> np.ndarray:
        """W = (C + ridge I)^-1 Zw' Tw."""
        shifted = 1.0 / (self.values + ridge)
        if self.is_dual:
            return self.Zw.T @ (self.basis @ (shifted[:, None] * (self.basis.T @ Tw)))
        return self.basis @ (shifted[:, None] * (self.Y.T @ Tw))

    def independent(self, ridge: float, *, fit_intercept: bool = True) -> float:
        """(sum_j p_j^2)^2 / sum_j p_j^4, p_j = ridge / (v_j + ridge) the share of direction j that is not fitted.

        The left-out errors of n rows are combinations of what is not fitted. Where W has about as many free numbers as
        there are labels that may be a single direction: then all errors are small at once, by chance, or none is.
        """
        n = len(self.a)
        p = ridge / (self.values + ridge)
        # directions of rows without a column of their own are not fitted at all, that of the mean is
        bare = n - len(p) - fit_intercept
        squares = np.concatenate([np.sort(p)[: len(p) + min(bare, 0)] ** 2, np.ones(max(bare, 0))])
        return float(squares.sum() ** 2 / max(np.sum(squares**2), 1e-300))

    def left_out(self, T: np.ndarray, ridge: float, *, fit_intercept: bool = True) -> np.ndarray:
        """(f_i - s_i t_i) / (1 - s_i), f and the leverages s at 1 - a_i of the ridge, as without row i.

        Dropping label i leaves 1 - a_i of the weights, so that the penalty counts for that much less beside them.
        """
        centre = self.a @ T if fit_intercept else np.zeros(T.shape[1])
        root = np.sqrt(self.a)[:, None]
        projected = self.Y.T @ (root * (T - centre))
        share = 1.0 - self.a
        shifted = self.values + (share[0] if np.ptp(share) == 0.0 else share[:, None]) * ridge
        # of a sole row without an intercept the others leave nothing, neither rows nor a ridge
        inverse = np.divide(1.0, shifted, out=np.zeros_like(shifted), where=shifted > 0.0)
        scaled = self.Y * inverse
        fitted = centre + (scaled @ projected) / root
        leverage = float(fit_intercept) * self.a + np.sum(scaled * self.Y, axis=1)
        s = np.minimum(leverage, 1.0 - 1e-12)[:, None]
        return np.asarray((fitted - s * T) / (1.0 - s))


def squared_path(
    Phi: np.ndarray,
    T: np.ndarray,
    a: np.ndarray,
    ridges: Sequence[float],
    *,
    manifold: float = 0.0,
    G: np.ndarray | None = None,
    fit_intercept: bool = True,
) -> Iterator[Fit]:
    """argmin_W sum_i a_i ||W' phi_i + b - t_i||^2 + ridge ||W||^2 + manifold tr(W' G W) for each ridge.

    Without a manifold term one decomposition serves all ridges. With it, the features are turned into the eigenbasis of
    G and divided by the roots of ridge + manifold gamma, which makes the two penalties one ridge of 1.
    """
    centre = a @ T if fit_intercept else np.zeros(T.shape[1])
    Tw = np.sqrt(a)[:, None] * (T - centre)
    if manifold == 0.0 or G is None:
        whole = Decomposition.of(Phi, a, fit_intercept=fit_intercept)
        for ridge in ridges:
            W = whole.weights(Tw, ridge)
            loo = whole.left_out(T, ridge, fit_intercept=fit_intercept)
            independent = whole.independent(ridge, fit_intercept=fit_intercept)
            yield Fit(ridge, W, centre - whole.mean @ W, loo, independent)
        return
    gamma, E = scipy.linalg.eigh(G, check_finite=False, driver="evd")
    turned, gamma = Phi @ E, np.maximum(gamma, 0.0)
    for ridge in ridges:
        scale = 1.0 / np.sqrt(ridge + manifold * gamma)
        whole = Decomposition.of(turned * scale, a, fit_intercept=fit_intercept)
        W = whole.weights(Tw, 1.0)
        b = centre - whole.mean @ W
        loo = whole.left_out(T, 1.0, fit_intercept=fit_intercept)
        independent = whole.independent(1.0, fit_intercept=fit_intercept)
        yield Fit(ridge, E @ (scale[:, None] * W), b, loo, independent)
