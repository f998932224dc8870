"""Solvers: closed form, accelerated proximal gradient, mini-batches; one loop, one Solution."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lsvv.linalg import Array
from lsvv.losses import BinaryHinge, MulticlassHinge
from lsvv.objective import Objective
from lsvv.risk import QuadraticRisk, RowRisk
from lsvv.solvers.accelerated import AcceleratedProximalGradient
from lsvv.solvers.closed_form import leave_one_out_scores, solve_closed_form
from lsvv.solvers.continuation import minimise_hinge, minimise_last_smoothing
from lsvv.solvers.loop import Method, ObjectiveOverflowError, Progress, State, minimise
from lsvv.solvers.minibatch import MiniBatch
from lsvv.solvers.solution import Solution

__all__ = [
    "AcceleratedProximalGradient",
    "Method",
    "MiniBatch",
    "ObjectiveOverflowError",
    "Progress",
    "Solution",
    "State",
    "in_batches",
    "leave_one_out_scores",
    "minimise",
    "minimise_hinge",
    "solve",
    "solve_closed_form",
]


@np.errstate(over="ignore", invalid="ignore")
def solve(
    objective: Objective,
    solver: str | MiniBatch = "auto",
    *,
    start: Array | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Solution:
    """Minimise the objective; "auto" takes the closed form where it exists and accelerated steps elsewhere.

    A ``MiniBatch`` is "minibatch" with settings of its own; its batches are drawn from ``seed``. Numbers that overflow
    on the way are an ``ObjectiveOverflowError`` in the end, and no warnings.
    """
    risk = objective.risk
    quadratic = isinstance(risk, QuadraticRisk) and objective.spectral.strength == 0.0
    if solver == "closed" or (solver == "auto" and quadratic):
        return solve_closed_form(objective)
    kinked = isinstance(risk, RowRisk) and _has_kink(risk)
    if in_batches(solver):
        by_any_method = minimise_last_smoothing if kinked else minimise
        method = replace(solver, seed=seed) if isinstance(solver, MiniBatch) else MiniBatch(seed=seed)
        return by_any_method(objective, method, start=start, tol=tol, max_iter=max_iter, progress=progress)
    if kinked:
        return minimise_hinge(objective, start=start, tol=tol, max_iter=max_iter, progress=progress)
    return minimise(
        objective, AcceleratedProximalGradient(), start=start, tol=tol, max_iter=max_iter, progress=progress
    )


def in_batches(solver: str | MiniBatch) -> bool:
    """Whether a solver passes over the rows in batches, and so needs them: "minibatch", or a ``MiniBatch``."""
    return isinstance(solver, MiniBatch) or solver == "minibatch"


def _has_kink(risk: RowRisk) -> bool:
    return isinstance(risk.loss, (MulticlassHinge, BinaryHinge)) and risk.loss.smoothing == 0.0
