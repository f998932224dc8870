"""The quadratic: fits of the squared loss along a path of ridges, each with its exact leave-one-LABEL-out scores.

The row stays in the graph and in the smoothed features, only its label goes, so that the mean runs over n - 1 labels:
equal to refitting without the label, whatever the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from lsvv.linalg import Array, eigh, namespace, to_numpy


@dataclass(frozen=True, eq=False)
class Fit:
    """One setting: its W and b from all n labels, and each labelled row's score from the other n - 1.

    They are NumPy arrays wherever the rows lie, being small. ``independent`` says how many of these scores err
    independently; see :meth:`Decomposition.independent`.
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

    Zw: Array
    values: Array
    Y: Array
    basis: Array
    is_dual: bool
    a: Array
    mean: Array

    @classmethod
    def of(cls, Phi: Array, a: Array, *, fit_intercept: bool = True) -> Self:
        """For rows ``Phi`` of weights ``a``, which sum to 1."""
        xp = namespace(Phi)
        mean = a @ Phi if fit_intercept else xp.zeros_like(Phi[0, :])
        Zw = (a**0.5)[:, None] * (Phi - mean)
        is_dual = Phi.shape[0] <= Phi.shape[1]
        values, basis = eigh(Zw @ Zw.T if is_dual else Zw.T @ Zw)
        values = xp.clip(values, 0.0, None)
        return cls(Zw, values, basis * values**0.5 if is_dual else Zw @ basis, basis, is_dual, a, mean)

    def weights(self, Tw: Array, ridge: float) -> Array:
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
        xp = namespace(self.values)
        p = xp.sort(ridge / (self.values + ridge))
        # directions of rows without a column of their own are not fitted at all, that of the mean is
        bare = len(self.a) - len(p) - fit_intercept
        squares, unfitted = p[: len(p) + min(bare, 0)] ** 2, max(bare, 0)
        first, second = float(xp.sum(squares)) + unfitted, float(xp.sum(squares**2)) + unfitted
        return first**2 / max(second, 1e-300)

    def left_out(self, T: Array, ridge: float, *, fit_intercept: bool = True) -> Array:
        """(f_i - s_i t_i) / (1 - s_i), f and the leverages s at 1 - a_i of the ridge, as without row i.

        Dropping label i leaves 1 - a_i of the weights, so that the penalty counts for that much less beside them.
        """
        xp = namespace(T)
        centre = self.a @ T if fit_intercept else xp.zeros_like(T[0, :])
        root = (self.a**0.5)[:, None]
        projected = self.Y.T @ (root * (T - centre))
        share = 1.0 - self.a
        shifted = self.values + (share[0] if bool(xp.all(share == share[0])) else share[:, None]) * ridge
        # of a sole row without an intercept the others leave nothing, neither rows nor a ridge
        left = shifted > 0.0
        inverse = xp.where(left, 1.0 / xp.where(left, shifted, 1.0), 0.0)
        scaled = self.Y * inverse
        fitted = centre + (scaled @ projected) / root
        leverage = float(fit_intercept) * self.a + xp.sum(scaled * self.Y, axis=1)
        s = xp.clip(leverage, None, 1.0 - 1e-12)[:, None]
        return (fitted - s * T) / (1.0 - s)


def squared_path(
    Phi: Array,
    T: Array,
    a: Array,
    ridges: Sequence[float],
    *,
    manifold: float = 0.0,
    G: Array | None = None,
    fit_intercept: bool = True,
) -> Iterator[Fit]:
    """argmin_W sum_i a_i ||W' phi_i + b - t_i||^2 + ridge ||W||^2 + manifold tr(W' G W) for each ridge.

    Without a manifold term one decomposition serves all ridges. With it, the features are turned into the eigenbasis of
    G and divided by the roots of ridge + manifold gamma, which makes the two penalties one ridge of 1.
    """
    xp = namespace(Phi)
    centre = a @ T if fit_intercept else xp.zeros_like(T[0, :])
    Tw = (a**0.5)[:, None] * (T - centre)

    def fit(ridge: float, whole: Decomposition, shift: float, back: Callable[[Array], Array]) -> Fit:
        W = whole.weights(Tw, shift)
        loo = whole.left_out(T, shift, fit_intercept=fit_intercept)
        independent = whole.independent(shift, fit_intercept=fit_intercept)
        return Fit(ridge, to_numpy(back(W)), to_numpy(centre - whole.mean @ W), to_numpy(loo), independent)

    if manifold == 0.0 or G is None:
        whole = Decomposition.of(Phi, a, fit_intercept=fit_intercept)
        for ridge in ridges:
            yield fit(ridge, whole, ridge, xp.asarray)
        return
    gamma, E = eigh(G)
    turned, gamma = Phi @ E, xp.clip(gamma, 0.0, None)
    for ridge in ridges:
        scale = (ridge + manifold * gamma) ** -0.5
        whole = Decomposition.of(turned * scale, a, fit_intercept=fit_intercept)
        yield fit(ridge, whole, 1.0, (E * scale).__matmul__)
