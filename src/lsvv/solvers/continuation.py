"""The hinge by smoothing continuation: solve smoothed problems of falling gamma, each from the last one's answer."""

from __future__ import annotations

from dataclasses import replace

from lsvv.linalg import Array
from lsvv.losses import BinaryHinge, MulticlassHinge, smoothed
from lsvv.objective import Objective
from lsvv.risk import RowRisk
from lsvv.solvers.accelerated import AcceleratedProximalGradient
from lsvv.solvers.loop import Method, Progress, S, minimise
from lsvv.solvers.solution import Solution

SMOOTHINGS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
FINER = 1.0 / 3.0
"""Each further smoothing, as a share of the last one."""
STAGE_TOL = 1e-3
"""Residual at which an intermediate stage hands over."""


def minimise_hinge(
    objective: Objective,
    *,
    start: Array | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
    progress: Progress | None = None,
) -> Solution:
    """The kinked hinge through gamma = 1, 0.3, ..., 0.003, and on until its gap is at most ``tol`` of F(0).

    The smoothed objective lies below the kinked one, so F(V) - min F is at most ``gap`` = F(V) - F_gamma(V) plus
    what the smoothed problem still had to gain; ``gap`` itself is at most gamma / 2 for each output's loss. At most
    half of the steps go to the stages before 0.003. A further stage is taken where the steps left are likely to
    suffice, and counts where it reaches ``tol``.
    """
    history: list[float] = []
    used = 0

    def stage(gamma: float, start: Array | None, tol: float, steps: int) -> Solution:
        nonlocal used
        method = AcceleratedProximalGradient()
        found = minimise(_smoothed(objective, gamma), method, start=start, tol=tol, max_iter=steps, progress=progress)
        used += found.n_iter
        return found

    for gamma in SMOOTHINGS[:-1]:
        steps = max_iter // (2 * len(SMOOTHINGS))
        if steps > 0:
            start = stage(gamma, start, max(tol, STAGE_TOL), steps).variable
            history.append(objective.value(start))
    gamma = SMOOTHINGS[-1]
    solution = finer = stage(gamma, start, tol, max_iter - used)
    history.append(objective.value(solution.variable))
    enough = tol * objective.value(objective.start)
    while finer.converged and history[-1] - solution.value > enough and max_iter - used > 2 * finer.n_iter:
        finer = stage(FINER * gamma, solution.variable, tol, max_iter - used)
        if finer.converged:
            gamma, solution = FINER * gamma, finer
            history.append(objective.value(solution.variable))
    return _judged(solution, gamma, tol, max_iter, used, history)


def minimise_last_smoothing(
    objective: Objective,
    method: Method[S],
    *,
    start: Array | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
    progress: Progress | None = None,
) -> Solution:
    """The kinked hinge through its last smoothing alone, by any method: a kink has no step size and no residual."""
    smooth = _smoothed(objective, SMOOTHINGS[-1])
    solution = minimise(smooth, method, start=start, tol=tol, max_iter=max_iter, progress=progress)
    history = [*solution.history[:-1], objective.value(solution.variable)]
    return _judged(solution, SMOOTHINGS[-1], tol, max_iter, solution.n_iter, history)


def _smoothed(objective: Objective, gamma: float) -> Objective:
    risk = objective.risk
    assert isinstance(risk, RowRisk)
    assert isinstance(risk.loss, (MulticlassHinge, BinaryHinge))
    return objective.with_risk(risk.with_loss(smoothed(risk.loss, gamma)))


def _judged(solution: Solution, gamma: float, tol: float, max_iter: int, used: int, history: list[float]) -> Solution:
    """The smoothed problem's solution as one of the hinge: its value, its gap, and how it was reached."""
    gap = history[-1] - solution.value
    reached = "Converged" if solution.converged else f"Stopped at max_iter={max_iter}"
    status = (
        f"{reached} (residual {solution.residual:.2g} against tol={tol:g} after {used} steps); the hinge lies "
        f"{gap:.2g} above its smoothing by gamma={gamma:.2g}."
    )
    return replace(solution, value=history[-1], n_iter=used, status=status, history=tuple(history), gap=gap)
