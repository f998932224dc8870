"""F(W) = risk + ridge ||W||^2 + manifold tr(W' G W) + spectral * tail sum: value, gradient, prox, residual.

Only the objective judges a solution: solvers, tests and experiments read value and residual from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from lsvv.linalg import Array, largest_eigenvalue, namespace
from lsvv.penalties import QuadraticPenalty, SpectralPenalty, TailSum
from lsvv.risk import QuadraticRisk, Risk

NO_TAIL = TailSum(0.0, 0)


@dataclass(frozen=True, eq=False)
class Objective:
    """The sum of a risk, quadratic penalties and a spectral penalty (eq. (obj) of the paper).

    The variable V holds W in its first D rows; a last row, where the risk has one, is the unpenalised intercept.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.features import MappedRows
    >>> from lsvv.penalties import Ridge
    >>> from lsvv.risk import QuadraticRisk
    >>> rows = MappedRows(np.array([[1.0], [-1.0]]), lambda X: X)
    >>> T, A = np.array([[1.0], [-1.0]]), np.full((2, 1), 0.5)
    >>> risk = QuadraticRisk.from_rows(rows, T, A, fit_intercept=False)
    >>> Objective(risk, [Ridge(1.0)]).value(np.array([[0.5]]))
    0.5
    """

    risk: Risk
    penalties: Sequence[QuadraticPenalty]
    spectral: SpectralPenalty = NO_TAIL

    @cached_property
    def _smooth(self) -> tuple[Risk, Sequence[QuadraticPenalty]]:
        """On the moments the quadratic penalties join the risk's matrices: one product a gradient."""
        if isinstance(self.risk, QuadraticRisk):
            return self.risk.plus(self.penalties), ()
        return self.risk, self.penalties

    def weights(self, V: Array) -> Array:
        """W, the penalised part of V."""
        return V[: self.risk.n_features, :]

    def smooth_value_and_gradient(self, V: Array) -> tuple[float, Array]:
        """The differentiable part g of eq. (obj) and its gradient."""
        risk, penalties = self._smooth
        value, gradient = risk.value_and_gradient(V)
        W = self.weights(V)
        for penalty in penalties:
            slope = penalty.gradient(W)
            value += 0.5 * float(namespace(W).sum(W * slope))
            gradient[: W.shape[0], :] += slope
        return value, gradient

    def value(self, V: Array) -> float:
        """F(V)."""
        return self.smooth_value_and_gradient(V)[0] + self.spectral.value(self.weights(V))

    def prox(self, V: Array, step: float) -> Array:
        """The prox of step * spectral on W; the intercept passes through."""
        if self.spectral.strength == 0.0:
            return V
        W = self.spectral.prox(self.weights(V), step)
        return W if W.shape == V.shape else namespace(V).concat([W, V[W.shape[0] :, :]], axis=0)

    @cached_property
    def lipschitz(self) -> float:
        """An estimate of L, the Lipschitz constant of the gradient of g; solvers still check it step by step."""
        risk, penalties = self._smooth
        bound = risk.curvature()
        start = self.risk.zeros()[: self.risk.n_features, 0] + 1.0
        for penalty in penalties:
            bound += 2.0 * largest_eigenvalue(penalty.times, start)
        return 1.02 * bound if bound > 0 else 1.0

    @cached_property
    def _at_zero(self) -> tuple[float, float]:
        """g(0) and ||grad g(0)||."""
        value, gradient = self.smooth_value_and_gradient(self.start)
        return value, float(namespace(gradient).linalg.vector_norm(gradient))

    @property
    def scale(self) -> float:
        """||grad g(0)||, the unit of the residual; 1 where the gradient vanishes."""
        return self._at_zero[1] or 1.0

    @property
    def rounding(self) -> float:
        """Differences of the objective below this are rounding."""
        return self.risk.precision * abs(self._at_zero[0])

    @property
    def start(self) -> Array:
        """V = 0, the starting point of Algorithm 1."""
        return self.risk.zeros()

    def residual(self, V: Array) -> float:
        """||L (V - prox(V - grad g(V) / L))|| / ||grad g(0)||, free of units: where it is 0, V is critical.

        The converse holds for a convex penalty. Under a tail with ``free_rank`` above 0 a critical point may have a
        residual, since the prox sees that swapping a free singular value for another one is better.
        """
        gradient = self.smooth_value_and_gradient(V)[1]
        moved = self.prox(V - gradient / self.lipschitz, 1.0 / self.lipschitz)
        return self.lipschitz * float(namespace(V).linalg.vector_norm(V - moved)) / self.scale

    def with_risk(self, risk: Risk) -> Self:
        """The same penalties on another risk."""
        return replace(self, risk=risk)
