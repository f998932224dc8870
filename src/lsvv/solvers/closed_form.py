"""The closed form for the squared loss without a tail: (C + ridge I + manifold G) W = B."""

from __future__ import annotations

from math import isfinite

import numpy as np

from lsvv.features.rows import MappedRows
from lsvv.linalg import Array, like, namespace, solve_positive_definite, to_float64, to_numpy
from lsvv.objective import Objective
from lsvv.risk import QuadraticRisk
from lsvv.solvers.loop import ObjectiveOverflowError
from lsvv.solvers.solution import Solution


def solve_closed_form(objective: Objective) -> Solution:
    """W from one Cholesky factorisation for each group of outputs that share a mask.

    Where the matrix is singular (``ridge=0`` and more features than the data fix) the solution of minimum norm is
    taken and the status says so.
    """
    quadratic = _whole_quadratic(objective)
    V, regular = quadratic.zeros(), True
    for group in quadratic.groups:
        with np.errstate(over="ignore"):
            size = float(namespace(group.C).sum(group.C**2))
        if not isfinite(size):
            raise ObjectiveOverflowError
        part, fine = solve_positive_definite(group.C, group.B)
        regular = regular and fine
        if len(quadratic.groups) == 1:
            V = part
        else:
            V[:, group.columns] = part
    value, residual = objective.value(V), objective.residual(V)
    if not isfinite(value):
        raise ObjectiveOverflowError
    how = "by one Cholesky factorisation" if regular else "as the minimum-norm solution of a singular system"
    status = f"Solved in closed form, {how} (residual {residual:.2g})."
    return Solution(V, value, residual, 1, True, status, (value,))


def _whole_quadratic(objective: Objective) -> QuadraticRisk:
    """The objective as one quadratic; refused where it is not one."""
    if not isinstance(objective.risk, QuadraticRisk) or objective.spectral.strength != 0.0:
        raise ValueError(
            "solver='closed' needs the squared loss and spectral=0. Choose solver='accelerated' or 'auto'."
        )
    return objective.risk.plus(objective.penalties)


def leave_one_out_scores(objective: Objective, V: Array, rows: MappedRows, T: np.ndarray, A: np.ndarray) -> np.ndarray:
    """The score of each row had weight A of its own loss term been dropped: f_i - s_i (t_i - f_i) / (1 - s_i).

    s_i = a_i (1 + (phi_i - mean)' H^-1 (phi_i - mean)) is the row's leverage, H the matrix of the closed form. Row
    i stays in the graph, so G does not change. Unknown entries have weight 0 and keep their score.
    """
    quadratic = _whole_quadratic(objective)
    scores = to_numpy(rows.times(V) + like(quadratic.intercept(V), rows.template)[None, :]).astype(np.float64)
    for group in quadratic.groups:
        Z = to_float64(rows.whole()) - group.feature_mean[None, :]
        quadratic_form = to_numpy(namespace(V).sum(Z.T * solve_positive_definite(group.C, Z.T)[0], axis=0))
        weight = A[:, group.columns[0]]
        leverage = weight * (float(quadratic.fit_intercept) + quadratic_form)
        share = np.minimum(leverage, 1.0 - 1e-9)[:, None]
        scores[:, group.columns] -= share * (T[:, group.columns] - scores[:, group.columns]) / (1.0 - share)
    return scores
