"""The closed form: one system, scikit-learn's Ridge, the minimum norm where singular, exact leave-one-out."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge as SklearnRidge

import laws
import naive
from laws import Put
from lsvv.linalg import to_numpy
from lsvv.solvers import leave_one_out_scores, solve_closed_form
from problems import make_problem


@pytest.mark.parametrize("masked", [False, True])
def test_it_solves_one_system_an_output(put: Put, masked: bool) -> None:
    problem = make_problem(one_class_a_row=False, masked=masked)
    objective = problem.objective("squared", put, ridge=0.02, manifold=0.3)
    solution = solve_closed_form(objective)
    W, b = naive.ridge_with_intercept(problem.Phi, problem.T, problem.A, 0.02 * np.eye(6) + 0.3 * problem.G)
    laws.assert_close(solution.variable, W)
    laws.assert_close(objective.risk.intercept(solution.variable), b)
    laws.assert_solution_proves_itself(solution, objective, 1e-10)
    assert "Solved in closed form, by one Cholesky factorisation" in solution.status


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_without_a_manifold_it_is_ridge(put: Put, fit_intercept: bool) -> None:
    problem = make_problem()
    objective = problem.objective("squared", put, ridge=0.05, manifold=0.0, fit_intercept=fit_intercept)
    solution = solve_closed_form(objective)
    reference = SklearnRidge(alpha=0.05 * 40, fit_intercept=fit_intercept).fit(problem.Phi, problem.T)
    laws.assert_close(to_numpy(solution.variable).T, reference.coef_)
    laws.assert_close(objective.risk.intercept(solution.variable), np.broadcast_to(reference.intercept_, 4))


def test_a_singular_problem_gets_its_minimum_norm_solution_and_says_so(put: Put) -> None:
    problem = make_problem(n=5, D=12)
    objective = problem.objective("squared", put, ridge=0.0, manifold=0.0)
    solution = solve_closed_form(objective)
    centred = problem.Phi - problem.Phi.mean(axis=0)
    laws.assert_close(
        solution.variable, np.linalg.pinv(centred) @ (problem.T - problem.T.mean(axis=0)), rtol=1e-6, atol=1e-9
    )
    assert "as the minimum-norm solution of a singular system" in solution.status
    assert solution.residual < 1e-8


@pytest.mark.parametrize("solver_terms", [{"spectral": 0.1}, {"by_rows": True}])
def test_what_has_no_closed_form_is_refused(solver_terms: dict[str, float]) -> None:
    objective = make_problem().objective("squared", **solver_terms)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"solver='closed' needs the squared loss and spectral=0. Choose solver="):
        solve_closed_form(objective)


@pytest.mark.parametrize("masked", [False, True])
def test_leave_one_out_scores_are_those_of_refits(put: Put, masked: bool) -> None:
    problem = make_problem(n=15, D=4, K=3, one_class_a_row=False, masked=masked)
    objective = problem.objective("squared", put)
    solution = solve_closed_form(objective)
    scores = leave_one_out_scores(objective, solution.variable, problem.rows(put), problem.T, problem.A)
    P = 0.01 * np.eye(4) + 0.1 * problem.G
    known = problem.A > 0
    refits = naive.leave_one_out(problem.Phi, problem.T, problem.A, P)
    laws.assert_close(scores[known], refits[known])


def test_leave_one_out_without_an_intercept(put: Put) -> None:
    problem = make_problem(n=15, D=4, K=3)
    objective = problem.objective("squared", put, fit_intercept=False)
    solution = solve_closed_form(objective)
    scores = leave_one_out_scores(objective, solution.variable, problem.rows(put), problem.T, problem.A)
    P = 0.01 * np.eye(4) + 0.1 * problem.G
    for i in range(15):
        others = np.arange(15) != i
        Phi, T = problem.Phi[others], problem.T[others]
        W = np.linalg.solve(Phi.T @ Phi / 15 + P, Phi.T @ T / 15)
        laws.assert_close(scores[i], problem.Phi[i] @ W)
