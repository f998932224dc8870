"""Accelerated proximal gradient: monotone, critical, equal to other libraries and to constructed answers."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import laws
import naive
from laws import Put
from lsvv.linalg import to_numpy
from lsvv.solvers import AcceleratedProximalGradient, minimise, solve, solve_closed_form
from lsvv.spectral import effective_rank
from problems import SMOOTH_LOSSES, Problem, make_problem

TOL = 1e-8


@pytest.mark.parametrize("free_rank", [0, 2, 4])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("one_class_a_row", [False, True])
@pytest.mark.parametrize("name", SMOOTH_LOSSES)
def test_the_objective_falls_to_a_critical_point(
    put: Put, name: str, one_class_a_row: bool, fit_intercept: bool, free_rank: int
) -> None:
    problem = make_problem(one_class_a_row=one_class_a_row)
    objective = problem.objective(name, put, spectral=0.05, free_rank=free_rank, fit_intercept=fit_intercept)
    solution = minimise(objective, AcceleratedProximalGradient(), tol=TOL, max_iter=5000)
    laws.assert_solution_proves_itself(solution, objective, TOL)
    laws.assert_never_rises(solution.history, objective.rounding)
    assert len(solution.history) == solution.n_iter + 1
    assert f"Converged: the residual is below tol={TOL:g}" in solution.status


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("by_rows", [False, True])
def test_without_a_tail_it_finds_the_closed_form(put: Put, by_rows: bool, masked: bool) -> None:
    problem = make_problem(one_class_a_row=False, masked=masked)
    exact = solve_closed_form(problem.objective("squared", put))
    objective = problem.objective("squared", put, by_rows=by_rows)
    found = minimise(objective, AcceleratedProximalGradient(), tol=1e-11, max_iter=5000)
    laws.assert_close(objective.weights(found.variable), exact.variable, rtol=1e-7, atol=1e-9)
    assert found.value == pytest.approx(exact.value, rel=1e-12)


def test_multinomial_logistic_regression(put: Put) -> None:
    problem, ridge = make_problem(n=60, K=3, noise=2.0), 0.02
    objective = problem.objective("logistic", put, ridge=ridge, manifold=0.0)
    solution = solve(objective, tol=1e-10, max_iter=5000)
    reference = LogisticRegression(C=1 / (2 * ridge * 60), tol=1e-12, max_iter=5000)
    reference.fit(problem.Phi, np.argmax(problem.T, axis=1))
    laws.assert_close(to_numpy(objective.weights(solution.variable)).T, reference.coef_, rtol=1e-4, atol=1e-6)
    b = to_numpy(objective.risk.intercept(solution.variable))
    laws.assert_close(b - b.mean(), reference.intercept_ - reference.intercept_.mean(), rtol=1e-4, atol=1e-6)


def test_one_logistic_regression_a_label(put: Put) -> None:
    problem, ridge = make_problem(n=60, K=3, noise=2.0, one_class_a_row=False, masked=True), 0.02
    objective = problem.objective("logistic", put, ridge=ridge, manifold=0.0)
    solution = solve(objective, tol=1e-10, max_iter=5000)
    W, b = to_numpy(objective.weights(solution.variable)), to_numpy(objective.risk.intercept(solution.variable))
    for k in range(3):
        known = problem.A[:, k] > 0
        reference = LogisticRegression(C=1 / (2 * ridge), tol=1e-12, max_iter=5000)
        reference.fit(problem.Phi[known], problem.T[known, k], sample_weight=problem.A[known, k])
        laws.assert_close(W[:, k], reference.coef_[0], rtol=1e-4, atol=1e-6)
        assert b[k] == pytest.approx(reference.intercept_[0], abs=1e-5)


@pytest.mark.parametrize("free_rank", [0, 1, 2, 3])
def test_on_an_orthonormal_design_the_answer_is_one_prox(put: Put, free_rank: int) -> None:
    rng = np.random.default_rng(0)
    Phi = np.linalg.qr(rng.normal(size=(30, 5)))[0] * np.sqrt(30)
    T = Phi @ rng.normal(size=(5, 3)) + rng.normal(size=(30, 3))
    problem = Problem(Phi, T, np.full((30, 3), 1 / 30), np.zeros((5, 5)), False)
    objective = problem.objective("squared", put, ridge=0.25, spectral=0.6, free_rank=free_rank, fit_intercept=False)
    solution = solve(objective, tol=1e-11)
    unpenalised = Phi.T @ T / 30 / 1.25
    expected = naive.prox_tail_sum(unpenalised, 0.6 / (2 * 1.25), free_rank)
    laws.assert_close(solution.variable, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", SMOOTH_LOSSES)
def test_zero_is_the_answer_exactly_when_the_trace_norm_outweighs_the_gradient(put: Put, name: str) -> None:
    problem = make_problem()
    plain = problem.objective(name, put, fit_intercept=False)
    slope = float(np.linalg.norm(to_numpy(plain.smooth_value_and_gradient(plain.start)[1]), 2))
    for factor, is_zero in [(1.001, True), (0.99, False)]:
        objective = problem.objective(name, put, spectral=factor * slope, fit_intercept=False)
        solution = solve(objective, "accelerated", tol=1e-9, max_iter=3000)
        assert bool(np.all(to_numpy(solution.variable) == 0.0)) is is_zero


def test_full_free_rank_is_no_penalty(put: Put) -> None:
    problem = make_problem()
    free = solve(problem.objective("squared", put, spectral=0.3, free_rank=4), tol=1e-11, max_iter=5000)
    none = solve(problem.objective("squared", put))
    laws.assert_close(free.variable, none.variable, rtol=1e-7, atol=1e-9)


def test_a_heavier_tail_penalty_lowers_the_rank() -> None:
    problem = make_problem()
    ranks = [
        effective_rank(solve(problem.objective("squared", spectral=s), tol=1e-9, max_iter=3000).variable)
        for s in (1e-4, 0.45, 5.0)
    ]
    assert ranks == sorted(ranks, reverse=True)
    assert (ranks[0], ranks[-1]) == (3, 0)
    assert len(set(ranks)) == 3


def test_the_step_recovers_from_a_lipschitz_constant_that_is_too_small(put: Put) -> None:
    problem = make_problem()
    objective = problem.objective("logistic", put, spectral=0.02)
    exact = solve(objective, tol=1e-9, max_iter=3000).value
    objective = problem.objective("logistic", put, spectral=0.02)
    objective.__dict__["lipschitz"] = objective.lipschitz / 100
    solution = minimise(objective, AcceleratedProximalGradient(), tol=1e-7, max_iter=3000)
    laws.assert_never_rises(solution.history, objective.rounding)
    assert solution.value == pytest.approx(exact, rel=1e-8)


def test_single_precision_rows_converge_to_their_rounding(put: Put) -> None:
    problem = make_problem()
    double = solve(problem.objective("logistic", put), tol=1e-8, max_iter=3000)
    rounded = replace(problem, Phi=problem.Phi.astype(np.float32))
    single = solve(rounded.objective("logistic", put), tol=1e-4, max_iter=3000)
    assert single.converged
    laws.assert_close(single.variable, double.variable, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("condition", [1e3, 1e4])
def test_restarts_keep_the_iterations_near_the_root_of_the_condition_number(condition: float) -> None:
    # momentum that is never dropped overshoots: about twice as many, and 20 times as many where it is always dropped
    rng = np.random.default_rng(0)
    Phi = np.linalg.qr(rng.normal(size=(60, 12)))[0] * np.sqrt(60) * condition ** np.linspace(0, -0.5, 12)
    problem = Problem(Phi, 10 * Phi @ rng.normal(size=(12, 3)), np.full((60, 3), 1 / 60), np.zeros((12, 12)), False)
    objective = problem.objective(ridge=1e-9, manifold=0.0, spectral=1e-6, free_rank=1, fit_intercept=False)
    solution = minimise(objective, AcceleratedProximalGradient(), tol=1e-10, max_iter=20_000)
    assert solution.converged
    assert solution.n_iter <= 30 * np.sqrt(condition)
