"""The one loop: a method makes steps, the objective judges them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Generic, TypeVar

from lsvv.linalg import Array
from lsvv.objective import Objective
from lsvv.solvers.solution import Solution

Progress = Callable[[int, float, float], None]
"""Called after each step with (step, objective, residual estimate)."""


class ObjectiveOverflowError(ValueError):
    """The objective has left the finite numbers."""

    def __init__(self) -> None:
        super().__init__(
            "The objective overflows: a column of X, a weight or a penalty is too large to be squared. Scale the "
            "columns of X, for instance with sklearn.preprocessing.StandardScaler in a Pipeline, or lower the penalty."
        )


@dataclass(frozen=True, eq=False)
class State:
    """Where a method stands: the point, the objective there, and a cheap estimate of the residual."""

    V: Array
    value: float
    estimate: float


S = TypeVar("S", bound=State)


class Method(ABC, Generic[S]):
    """How to move: a first state, and the next one from the last."""

    @abstractmethod
    def init(self, objective: Objective, V: Array) -> S:
        """The state at the starting point."""

    @abstractmethod
    def step(self, objective: Objective, state: S) -> S:
        """The next state."""


def minimise(
    objective: Objective,
    method: Method[S],
    *,
    start: Array | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
    progress: Progress | None = None,
) -> Solution:
    """Step until the objective's residual is at most ``tol``, or ``max_iter`` steps are made."""
    state = method.init(objective, objective.start if start is None else start)
    history = [state.value]
    residual, check_below = float("inf"), tol
    for iteration in range(1, max_iter + 1):
        state = method.step(objective, state)
        history.append(state.value)
        if progress is not None:
            progress(iteration, state.value, state.estimate)
        if not isfinite(state.value):
            raise ObjectiveOverflowError
        if state.estimate <= check_below:
            residual = objective.residual(state.V)
            if residual <= tol:
                return _solution(state, residual, history, True, f"Converged: the residual is below tol={tol:g}")
            # the cheap estimate was too hopeful: ask again only when it has halved
            check_below = 0.5 * min(state.estimate, check_below)
    residual = objective.residual(state.V)
    if not isfinite(residual):
        raise ObjectiveOverflowError
    status = f"Stopped at max_iter={max_iter} above tol={tol:g}"
    if residual <= tol:
        status = f"Converged: the residual is below tol={tol:g}"
    return _solution(state, residual, history, residual <= tol, status)


def _solution(state: State, residual: float, history: list[float], converged: bool, status: str) -> Solution:
    sentence = f"{status} (residual {residual:.2g} after {len(history) - 1} steps)."
    return Solution(state.V, state.value, residual, len(history) - 1, converged, sentence, tuple(history))
