"""Accelerated proximal gradient with restart, monotone for any tail penalty."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from lsvv.linalg import Array, namespace
from lsvv.objective import Objective
from lsvv.solvers.loop import Method, ObjectiveOverflowError, State


@dataclass(frozen=True, eq=False)
class AcceleratedState(State):
    """The last point, the momentum t, and the step 1 / L."""

    previous: Array
    momentum: float
    lipschitz: float


class AcceleratedProximalGradient(Method[AcceleratedState]):
    """V+ = prox(Y - grad g(Y) / L), Y = V + beta (V - V_before), beta from t+ = (1 + sqrt(1 + 4 t^2)) / 2.

    A step that does not lower the objective enough is thrown away for a plain one from V with L large enough to
    lower it, and the momentum starts anew; so the objective falls monotonically also where the tail penalty is
    not convex, and limit points are critical. L starts at the objective's estimate and is doubled whenever the
    quadratic model fails to lie above g.
    """

    def init(self, objective: Objective, V: Array) -> AcceleratedState:
        """No momentum, L as estimated."""
        return AcceleratedState(V, objective.value(V), float("inf"), V, 1.0, objective.lipschitz)

    def step(self, objective: Objective, state: AcceleratedState) -> AcceleratedState:
        """One accelerated step, or a plain one where that does not descend."""
        t = 0.5 * (1.0 + (1.0 + 4.0 * state.momentum**2) ** 0.5)
        beta = (state.momentum - 1.0) / t
        if beta > 0.0:
            Y = state.V + beta * (state.V - state.previous)
            V, value, L = _prox_step(objective, Y, state.lipschitz)
            travelled = _squared_norm(V - state.V)
            if value <= state.value - 1e-6 * L * travelled + objective.rounding:
                pull = float(namespace(V).sum((Y - V) * (V - state.V)))
                estimate = L * _squared_norm(Y - V) ** 0.5 / objective.scale
                # a step that turns back against the gradient has overshot: keep it, drop the momentum
                return AcceleratedState(V, value, estimate, state.V, 1.0 if pull > 0 else t, L)
        V, value, L = _prox_step(objective, state.V, state.lipschitz)
        estimate = L * _squared_norm(state.V - V) ** 0.5 / objective.scale
        if value > state.value + objective.rounding:
            # the model held and the value still rose: nothing is left to gain but rounding
            V, value = state.V, state.value
        return AcceleratedState(V, value, estimate, state.V, t if beta == 0.0 else 1.0, L)


def _prox_step(objective: Objective, Y: Array, L: float) -> tuple[Array, float, float]:
    """(V, F(V), L) for V = prox(Y - grad g(Y) / L), L doubled until g(V) lies below its quadratic model at Y."""
    xp = namespace(Y)
    g, gradient = objective.smooth_value_and_gradient(Y)
    if not (isfinite(L) and isfinite(g) and isfinite(_squared_norm(gradient))):
        raise ObjectiveOverflowError
    while True:
        V = objective.prox(Y - gradient / L, 1.0 / L)
        move = V - Y
        smooth = objective.smooth_value_and_gradient(V)[0]
        model = g + float(xp.sum(gradient * move)) + 0.5 * L * _squared_norm(move)
        # where the model fails at any L it fails by rounding
        if smooth <= model + objective.rounding or 1e12 * objective.lipschitz < L:
            return V, smooth + objective.spectral.value(objective.weights(V)), L
        L *= 2.0


def _squared_norm(A: Array) -> float:
    return float(namespace(A).sum(A * A))
