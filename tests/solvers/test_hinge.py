"""The hinge by smoothing: within its stated gap of exact solutions."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.svm import LinearSVC

import laws
import naive
from laws import Put
from lsvv.linalg import to_numpy
from lsvv.losses import BinaryHinge, MulticlassHinge
from lsvv.solvers import solve
from lsvv.solvers.continuation import SMOOTHINGS
from problems import make_problem


def machine(ridge: float, **settings: Any) -> LinearSVC:
    """Fifty rows: 1/2 ||w||^2 + C sum of losses is 50 C times mean loss + ridge ||w||^2."""
    C = 1 / (2 * ridge * 50)
    return LinearSVC(C=C, fit_intercept=False, tol=1e-9, max_iter=100_000, random_state=0, **settings)


def test_crammer_and_singers_machine(put: Put) -> None:
    problem, ridge = make_problem(n=50, K=3), 0.05
    objective = problem.objective("hinge", put, ridge=ridge, manifold=0.0, fit_intercept=False)
    solution = solve(objective, tol=1e-5, max_iter=20_000)
    reference = machine(ridge, multi_class="crammer_singer").fit(problem.Phi, np.argmax(problem.T, axis=1))
    best = objective.value(put(reference.coef_.T))
    assert best - 1e-6 <= solution.value <= best + solution.gap + 1e-5
    assert 0 <= solution.gap <= 1e-5 * objective.value(objective.start)


def test_one_support_vector_machine_a_label(put: Put) -> None:
    problem, ridge = make_problem(n=50, K=3, one_class_a_row=False), 0.05
    objective = problem.objective("hinge", put, ridge=ridge, manifold=0.0, fit_intercept=False)
    solution = solve(objective, tol=1e-5, max_iter=20_000)
    coef = np.vstack([machine(ridge, loss="hinge").fit(problem.Phi, t).coef_ for t in problem.T.T])
    best = objective.value(put(coef.T))
    assert best - 1e-6 <= solution.value <= best + solution.gap + 1e-5
    assert solution.gap <= 1e-5 * objective.value(objective.start)


def test_with_an_intercept_and_no_penalty_it_reaches_the_linear_programme() -> None:
    problem = make_problem(n=30, D=2, K=2, one_class_a_row=False, noise=4.0)
    objective = problem.objective("hinge", ridge=1e-9, manifold=0.0)
    solution = solve(objective, tol=1e-5, max_iter=20_000)
    best = 0.0
    for t in problem.T.T:
        sign = 2 * t - 1
        # minimise mean xi over (w, b, xi) with sign (Phi w + b) + xi >= 1, xi >= 0
        rows = -np.hstack([sign[:, None] * problem.Phi, sign[:, None], np.eye(30)])
        bounds = [(None, None)] * 3 + [(0, None)] * 30
        best += linprog(np.r_[np.zeros(3), np.full(30, 1 / 30)], A_ub=rows, b_ub=-np.ones(30), bounds=bounds).fun
    assert best - 1e-7 <= solution.value <= best + solution.gap + 1e-4


@pytest.mark.parametrize("free_rank", [0, 2])
def test_the_value_is_that_of_the_hinge_and_the_gap_is_true(put: Put, free_rank: int) -> None:
    problem = make_problem()
    objective = problem.objective("hinge", put, spectral=0.02, free_rank=free_rank)
    solution = solve(objective, tol=1e-4, max_iter=5000)
    W, b = to_numpy(objective.weights(solution.variable)), to_numpy(objective.risk.intercept(solution.variable))
    expected = naive.objective_value(
        problem.Phi, problem.T, problem.A, W, b,
        loss=naive.multiclass_hinge, ridge=0.01, manifold=0.1, G=problem.G, spectral=0.02, free_rank=free_rank,
    )  # fmt: skip
    assert solution.value == pytest.approx(expected)
    gamma = float(solution.status.rsplit("gamma=", 1)[1].removesuffix("."))
    further = round(np.log(SMOOTHINGS[-1] / gamma) / np.log(3.0))
    last = MulticlassHinge(SMOOTHINGS[-1] / 3.0**further)
    smooth = problem.objective(last, put, spectral=0.02, free_rank=free_rank)
    assert solution.gap == pytest.approx(solution.value - smooth.value(solution.variable), abs=1e-9)
    assert 0 <= solution.gap <= last.gap
    assert solution.residual == pytest.approx(smooth.residual(solution.variable), rel=1e-6)


def test_each_stage_comes_closer(put: Put) -> None:
    objective = make_problem().objective("hinge", put)
    solution = solve(objective, tol=1e-4, max_iter=5000)
    assert len(solution.history) > len(SMOOTHINGS)
    laws.assert_never_rises(solution.history[-3:], 1e-3)
    few = solve(objective, tol=1e-4, max_iter=solution.n_iter // 2)
    assert len(few.history) < len(solution.history)
    assert few.gap > solution.gap
    assert solution.value < objective.value(objective.start)


def test_the_hinge_is_solved_as_far_as_is_asked(put: Put) -> None:
    problem, ridge = make_problem(n=50, K=3), 0.05
    objective = problem.objective("hinge", put, ridge=ridge, manifold=0.0, fit_intercept=False)
    reference = machine(ridge, multi_class="crammer_singer").fit(problem.Phi, np.argmax(problem.T, axis=1))
    best = objective.value(put(reference.coef_.T))
    for tol in (1e-3, 1e-5, 1e-6):
        solution = solve(objective, tol=tol, max_iter=50_000)
        assert solution.converged
        assert abs(solution.value - best) <= 2 * tol
        assert solution.gap <= tol * objective.value(objective.start)


def test_few_steps_are_too_few_and_the_status_says_so(put: Put) -> None:
    for max_iter in (1, 5, 12, 30):
        solution = solve(make_problem().objective("hinge", put), tol=1e-9, max_iter=max_iter)
        assert not solution.converged
        assert solution.n_iter == max_iter
        assert f"Stopped at max_iter={max_iter}" in solution.status


@pytest.mark.parametrize("hinge", [MulticlassHinge(0.5), BinaryHinge(0.5)], ids=str)
def test_a_smoothed_hinge_needs_no_stages(hinge: MulticlassHinge | BinaryHinge) -> None:
    problem = make_problem(one_class_a_row=hinge.couples_outputs)
    solution = solve(problem.objective(hinge), tol=1e-6, max_iter=3000)
    assert solution.converged
    assert solution.gap == 0.0
