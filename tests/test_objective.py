"""The objective: the equation term by term, and a residual that vanishes at critical points alone."""

from typing import Any

import numpy as np
import pytest

import laws
import naive
from laws import Put
from lsvv.linalg import to_numpy
from lsvv.objective import Objective
from problems import SMOOTH_LOSSES, make_problem

NAIVE = {"squared": naive.squared, "logistic": naive.multiclass_logistic, "hinge": naive.multiclass_hinge}
TERMS: dict[str, Any] = {"ridge": 0.03, "manifold": 0.2, "spectral": 0.05, "free_rank": 1}


@pytest.mark.parametrize("name", NAIVE)
def test_the_value_is_the_equation(put: Put, name: str) -> None:
    problem = make_problem()
    objective = problem.objective(name, put, **TERMS)
    V = np.random.default_rng(1).normal(size=objective.start.shape)
    b = to_numpy(objective.risk.intercept(put(V)))
    expected = naive.objective_value(
        problem.Phi,
        problem.T,
        problem.A,
        V[:6],
        b,
        loss=NAIVE[name],
        G=problem.G,
        **TERMS,
    )
    assert objective.value(put(V)) == pytest.approx(expected)
    laws.assert_close(objective.weights(put(V)), V[:6])


@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize("name", SMOOTH_LOSSES)
def test_the_gradient_of_the_smooth_part_is_its_slope(put: Put, name: str, by_rows: bool) -> None:
    objective = make_problem().objective(name, put, by_rows=by_rows, **TERMS)
    V, E = np.random.default_rng(1).normal(size=(2, *objective.start.shape))
    h = 1e-6
    up, down = (objective.smooth_value_and_gradient(put(V + s * E))[0] for s in (h, -h))
    slope = np.sum(to_numpy(objective.smooth_value_and_gradient(put(V))[1]) * E)
    assert slope == pytest.approx((up - down) / (2 * h), rel=1e-5)


def test_the_prox_leaves_the_intercept_alone(put: Put) -> None:
    objective = make_problem().objective("logistic", put, **TERMS)
    V = np.random.default_rng(1).normal(size=(7, 4))
    moved = to_numpy(objective.prox(put(V), 2.0))
    laws.assert_close(moved[:6], naive.prox_tail_sum(V[:6], 2.0 * TERMS["spectral"], 1))
    np.testing.assert_array_equal(moved[6], V[6])


def test_without_a_tail_the_prox_is_the_identity(put: Put) -> None:
    objective = make_problem().objective("logistic", put)
    V = put(np.random.default_rng(1).normal(size=(7, 4)))
    assert objective.prox(V, 2.0) is V


@pytest.mark.parametrize("name", SMOOTH_LOSSES)
def test_the_lipschitz_constant_bounds_the_change_of_the_gradient(put: Put, name: str) -> None:
    objective = make_problem().objective(name, put, **TERMS)
    rng = np.random.default_rng(2)
    for _ in range(20):
        V, H = rng.normal(size=(2, *objective.start.shape))
        change = to_numpy(
            objective.smooth_value_and_gradient(put(V))[1] - objective.smooth_value_and_gradient(put(H))[1]
        )
        assert np.linalg.norm(change) <= 1.02 * objective.lipschitz * np.linalg.norm(V - H)


@pytest.mark.parametrize("K", [1, 3])
def test_the_lipschitz_constant_is_the_sum_of_its_terms(put: Put, K: int) -> None:
    problem = make_problem(K=K, one_class_a_row=False)
    objective = problem.objective("logistic", put, ridge=0.03, manifold=0.2)
    terms = objective.risk.curvature() + 2 * 0.03 + 2 * 0.2 * np.linalg.eigvalsh(problem.G)[-1]
    assert objective.lipschitz == pytest.approx(1.02 * terms, rel=0.01)


def test_without_a_tail_the_residual_is_the_gradient_in_units_of_the_first_one(put: Put) -> None:
    objective = make_problem().objective("logistic", put)
    V = np.random.default_rng(1).normal(size=(7, 4))
    norm = np.linalg.norm(to_numpy(objective.smooth_value_and_gradient(put(V))[1]))
    first = np.linalg.norm(to_numpy(objective.smooth_value_and_gradient(objective.start)[1]))
    assert objective.residual(put(V)) == pytest.approx(norm / first)
    assert objective.residual(objective.start) == pytest.approx(1.0)


@pytest.mark.parametrize("name", SMOOTH_LOSSES)
def test_the_residual_is_the_length_of_a_step_of_the_prox(put: Put, name: str) -> None:
    objective = make_problem().objective(name, put, **TERMS)
    V, L = np.random.default_rng(1).normal(size=objective.start.shape), objective.lipschitz
    step = V - to_numpy(objective.smooth_value_and_gradient(put(V))[1]) / L
    step[:6] = naive.prox_tail_sum(step[:6], TERMS["spectral"] / L, TERMS["free_rank"])
    first = np.linalg.norm(to_numpy(objective.smooth_value_and_gradient(objective.start)[1]))
    assert objective.residual(put(V)) == pytest.approx(L * np.linalg.norm(V - step) / first)


def test_rounding_is_that_of_the_value_at_zero(put: Put) -> None:
    objective = make_problem().objective("logistic", put, **TERMS)
    assert objective.rounding == objective.risk.precision * objective.value(objective.start)


def test_an_objective_without_curvature_has_steps_of_one(put: Put) -> None:
    problem = make_problem()
    flat = type(problem)(0.0 * problem.Phi, problem.T, problem.A, problem.G, problem.one_class_a_row)
    assert flat.objective("squared", put, ridge=0.0, manifold=0.0, fit_intercept=False).lipschitz == 1.0


def test_the_residual_vanishes_at_the_minimiser_and_nowhere_near(put: Put) -> None:
    problem = make_problem()
    P = 0.01 * np.eye(6) + 0.1 * problem.G
    W, _ = naive.ridge_with_intercept(problem.Phi, problem.T, problem.A, P)
    objective = problem.objective("squared", put)
    assert objective.residual(put(W)) < 1e-12
    assert objective.residual(put(W + 1e-3)) > 1e-5


def test_the_residual_has_no_units(put: Put) -> None:
    problem = make_problem()
    objective = problem.objective("squared", put, ridge=0.1, manifold=0.2, spectral=0.05)
    scaled = type(problem)(1e3 * problem.Phi, problem.T, problem.A, 1e6 * problem.G, problem.one_class_a_row)
    other = scaled.objective("squared", put, ridge=0.1 * 1e6, manifold=0.2, spectral=0.05 * 1e3)
    W = np.random.default_rng(1).normal(size=(6, 4))
    assert other.residual(put(W / 1e3)) == pytest.approx(objective.residual(put(W)), rel=1e-6)


def test_an_objective_that_is_flat_at_zero_has_residual_zero_there(put: Put) -> None:
    problem = make_problem()
    flat = type(problem)(problem.Phi, 0.0 * problem.T, problem.A, problem.G, problem.one_class_a_row)
    objective = flat.objective("squared", put)
    assert objective.scale == 1.0
    assert objective.residual(objective.start) == 0.0


def test_another_risk_keeps_the_penalties(put: Put) -> None:
    problem = make_problem()
    objective = problem.objective("squared", put, **TERMS)
    swapped = objective.with_risk(problem.risk(problem.loss("logistic"), put))
    V = put(np.random.default_rng(1).normal(size=(7, 4)))
    expected: Objective = problem.objective("logistic", put, **TERMS)
    assert swapped.value(V) == pytest.approx(expected.value(V))
