"""Algorithm 1 of the paper: mini-batches of labelled rows, an adaptive step, the prox after each step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsvv.inputs import quoted
from lsvv.linalg import Array, namespace
from lsvv.losses import BinaryHinge, MulticlassHinge, smoothed
from lsvv.objective import Objective
from lsvv.parameters import Settings
from lsvv.risk import RowRisk
from lsvv.solvers.loop import Method, State

STEP_RULES = ("adadelta", "decay", "constant")
_MEMORY, _FLOOR = 0.95, 1e-6


@dataclass(frozen=True, eq=False)
class MiniBatchState(State):
    """The number of batches seen, and Adadelta's running means of squared gradients and squared moves."""

    n_batches: int
    gradients: Array
    moves: Array


@dataclass(frozen=True)
class MiniBatch(Method[MiniBatchState], Settings):
    """V+ = prox(V - eta_t grad g_batch(V), eta_t * spectral), one step a batch, one loop step a pass over the rows.

    The paper asks for "adaptive learning rates" and prints no formula. Adadelta scales each entry by its own
    history and hands the prox the mean of its steps; "decay" is 1 / (L sqrt(1 + t / batches a pass)), "constant"
    is 1 / L. Batches come in a new random order each pass.

    With ``subgradient`` a hinge is followed along the sub-gradient the paper prints, phi(x) (e_y' - e_y)' where
    the margin to the runner-up y' is below 1 and 0 elsewhere, in place of the gradient of its last smoothing;
    the step rule and the judgement stay those of the smoothing.
    """

    batch_size: int = 32
    step_rule: str = "adadelta"
    seed: int = 0
    subgradient: bool = False

    def init(self, objective: Objective, V: Array) -> MiniBatchState:
        """No history."""
        if not isinstance(objective.risk, RowRisk):
            raise TypeError("Mini-batches need the rows: build the objective on a RowRisk.")
        if self.step_rule not in STEP_RULES:
            raise ValueError(f"step_rule={quoted(self.step_rule)} is not known. Choose one of {', '.join(STEP_RULES)}.")
        if self.batch_size < 1:
            raise ValueError(f"batch_size={quoted(self.batch_size)} holds no row. Pass an integer of at least 1.")
        zeros = namespace(V).zeros_like(V)
        return MiniBatchState(V, objective.value(V), float("inf"), 0, zeros, zeros)

    def step(self, objective: Objective, state: MiniBatchState) -> MiniBatchState:
        """One pass over the labelled rows."""
        risk = objective.risk
        assert isinstance(risk, RowRisk)
        n_rows, followed = risk.rows.shape[0], _at_the_kink(risk) if self.subgradient else risk
        batches = -(-n_rows // self.batch_size)
        order = np.random.default_rng([self.seed, state.n_batches]).permutation(n_rows)
        V, gradients, moves = state.V, state.gradients, state.moves
        for number, batch in enumerate(np.array_split(order, batches)):
            gradient = objective.with_risk(followed.batch(np.sort(batch))).smooth_value_and_gradient(V)[1]
            if self.step_rule == "adadelta":
                gradients = _MEMORY * gradients + (1 - _MEMORY) * gradient**2
                rate = ((moves + _FLOOR) / (gradients + _FLOOR)) ** 0.5
                move = rate * gradient
                moves = _MEMORY * moves + (1 - _MEMORY) * move**2
                V = objective.prox(V - move, float(namespace(V).mean(rate)))
            else:
                seen = (state.n_batches + number) / batches if self.step_rule == "decay" else 0.0
                eta = 1.0 / (objective.lipschitz * (1.0 + seen) ** 0.5)
                V = objective.prox(V - eta * gradient, eta)
        return MiniBatchState(V, objective.value(V), objective.residual(V), state.n_batches + batches, gradients, moves)


def _at_the_kink(risk: RowRisk) -> RowRisk:
    """The risk of the hinge itself in place of that of a smoothing."""
    loss = risk.loss
    return risk.with_loss(smoothed(loss, 0.0)) if isinstance(loss, (MulticlassHinge, BinaryHinge)) else risk
