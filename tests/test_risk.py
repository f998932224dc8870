"""The mean loss as a function of W and b: moments and rows tell the same story."""

from dataclasses import replace

import numpy as np
import pytest

import laws
import naive
from laws import Put
from lsvv import risk as risk_module
from lsvv.linalg import to_numpy
from lsvv.losses import Squared
from lsvv.risk import QuadraticRisk, RowRisk, moments_fit
from lsvv.sums import distinct_columns
from problems import SMOOTH_LOSSES, make_problem

NAIVE = {"squared": naive.squared, "logistic": naive.multiclass_logistic, "hinge": naive.multiclass_hinge}


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_moments_equal_rows_at_the_best_intercept(put: Put, masked: bool, fit_intercept: bool) -> None:
    problem = make_problem(one_class_a_row=False, masked=masked)
    risk = problem.risk(Squared(), put, fit_intercept=fit_intercept)
    assert isinstance(risk, QuadraticRisk)
    W = np.random.default_rng(1).normal(size=(6, 4))
    b = to_numpy(risk.intercept(put(W)))
    at = problem.Phi @ W
    assert risk.value_and_gradient(put(W))[0] == pytest.approx(naive.squared(at + b, problem.T, problem.A))
    if fit_intercept:
        best = np.sum(problem.A * (problem.T - at), axis=0)
        laws.assert_close(b, best)
    else:
        assert not b.any()


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("name", NAIVE)
def test_rows_give_the_value_of_loops(put: Put, name: str, fit_intercept: bool) -> None:
    problem = make_problem()
    risk = problem.risk(problem.loss(name), put, fit_intercept=fit_intercept, by_rows=True)
    assert isinstance(risk, RowRisk)
    V = np.random.default_rng(1).normal(size=(risk.n_rows_of_variable, 4))
    b = to_numpy(risk.intercept(put(V)))
    expected = NAIVE[name](problem.Phi @ V[:6] + b, problem.T, problem.A)
    assert risk.value_and_gradient(put(V))[0] == pytest.approx(expected)
    assert risk.value(put(V)) == pytest.approx(expected)
    assert bool(b.any()) is fit_intercept


@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("name", SMOOTH_LOSSES)
def test_gradients_are_slopes(put: Put, name: str, masked: bool, fit_intercept: bool, by_rows: bool) -> None:
    problem = make_problem(one_class_a_row=False, masked=masked)
    risk = problem.risk(problem.loss(name), put, fit_intercept=fit_intercept, by_rows=by_rows)
    V, E = np.random.default_rng(1).normal(size=(2, risk.n_rows_of_variable, 4))
    h = 1e-6
    slope = (risk.value_and_gradient(put(V + h * E))[0] - risk.value_and_gradient(put(V - h * E))[0]) / (2 * h)
    assert np.sum(to_numpy(risk.value_and_gradient(put(V))[1]) * E) == pytest.approx(slope, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("name", SMOOTH_LOSSES)
def test_the_curvature_bounds_the_change_of_the_gradient(put: Put, name: str, fit_intercept: bool) -> None:
    problem = make_problem()
    risk = problem.risk(problem.loss(name), put, fit_intercept=fit_intercept)
    rng = np.random.default_rng(2)
    for _ in range(20):
        V, H = rng.normal(size=(2, risk.n_rows_of_variable, 4))
        change = to_numpy(risk.value_and_gradient(put(V))[1] - risk.value_and_gradient(put(H))[1])
        assert np.linalg.norm(change) <= 1.03 * risk.curvature() * np.linalg.norm(V - H)


@pytest.mark.parametrize("spread", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize("name", SMOOTH_LOSSES)
def test_the_curvature_is_the_losses_times_that_of_the_covariance(
    put: Put, name: str, by_rows: bool, spread: float
) -> None:
    problem = replace(make_problem(), Phi=spread * make_problem().Phi)
    risk = problem.risk(problem.loss(name), put, by_rows=by_rows)
    centred = problem.Phi - problem.A[:, 0] @ problem.Phi
    largest = np.linalg.eigvalsh(centred.T @ (problem.A[:, :1] * centred))[-1]
    assert risk.curvature() == pytest.approx(problem.loss(name).curvature * largest, rel=0.03)


@pytest.mark.parametrize("shift", [0.0, 1e3])
def test_where_the_rows_lie_moves_the_intercept_and_no_value(put: Put, shift: float) -> None:
    problem = make_problem()
    here, there = (replace(problem, Phi=problem.Phi + far).risk(problem.loss("logistic"), put) for far in (0.0, shift))
    V = np.random.default_rng(1).normal(size=(7, 4))
    assert there.value_and_gradient(put(V))[0] == pytest.approx(here.value_and_gradient(put(V))[0], rel=1e-9)
    moved = to_numpy(here.intercept(put(V))) - shift * V[:6].sum(axis=0)
    laws.assert_close(there.intercept(put(V)), moved, atol=1e-6)


def test_the_moments_of_masked_outputs_are_those_of_their_own_rows() -> None:
    problem = make_problem(one_class_a_row=False, masked=True)
    risk = problem.risk(Squared())
    assert isinstance(risk, QuadraticRisk)
    for k, group in enumerate(risk.groups):
        a = problem.A[:, k]
        mean = a @ problem.Phi
        laws.assert_close(group.C, (problem.Phi - mean).T @ np.diag(a) @ (problem.Phi - mean))


def test_outputs_with_one_mask_share_their_moments() -> None:
    A = np.array([[0.5, 0.5, 1.0, 0.5], [0.5, 0.5, 0.0, 0.5]])
    assert [group.tolist() for group in distinct_columns(A)] == [[0, 1, 3], [2]]
    problem = make_problem()
    risk = problem.risk(Squared())
    assert isinstance(risk, QuadraticRisk)
    assert len(risk.groups) == 1


def test_moments_are_kept_only_within_the_memory_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    A = np.array([[1.0, 0.5], [0.0, 0.5]])
    monkeypatch.setattr(risk_module, "MOMENT_BYTES", 2 * 10**2 * 8)
    assert moments_fit(A, 10)
    assert not moments_fit(A, 11)


@pytest.mark.parametrize("block_bytes", [1, 300, 2**20])
def test_blocks_do_not_matter(put: Put, block_bytes: int) -> None:
    problem = make_problem(masked=True, one_class_a_row=False)
    rows, T = problem.rows(put, block_bytes), put(problem.T)
    V = np.random.default_rng(1).normal(size=(7, 4))
    moments = QuadraticRisk.from_rows(rows, T, problem.A, fit_intercept=True)
    laws.assert_close(moments.value_and_gradient(put(V[:6]))[1], problem.risk(Squared()).value_and_gradient(V[:6])[1])
    by_rows = RowRisk.from_rows(rows, Squared(), T, problem.A, fit_intercept=True)
    laws.assert_close(
        by_rows.value_and_gradient(put(V))[1], problem.risk(Squared(), by_rows=True).value_and_gradient(V)[1]
    )


def test_batches_average_to_the_whole(put: Put) -> None:
    problem = make_problem(n=40)
    whole = problem.risk(problem.loss("logistic"), put)
    assert isinstance(whole, RowRisk)
    V = put(np.random.default_rng(1).normal(size=(7, 4)))
    batches = [whole.batch(index) for index in np.arange(40).reshape(4, 10)]
    assert np.mean([b.value_and_gradient(V)[0] for b in batches]) == pytest.approx(whole.value_and_gradient(V)[0])
    gradients = np.mean([to_numpy(b.value_and_gradient(V)[1]) for b in batches], axis=0)
    laws.assert_close(gradients, whole.value_and_gradient(V)[1])


def test_an_output_without_a_known_entry_has_no_risk(put: Put) -> None:
    problem = make_problem(one_class_a_row=False)
    A = problem.A.copy()
    A[:, 2] = 0.0
    for risk in (
        QuadraticRisk.from_rows(problem.rows(put), put(problem.T), A, fit_intercept=True),
        RowRisk.from_rows(problem.rows(put), Squared(), put(problem.T), A, fit_intercept=True),
    ):
        V = put(np.random.default_rng(1).normal(size=(risk.n_rows_of_variable, 4)))
        assert not to_numpy(risk.value_and_gradient(V)[1])[:, 2].any()


def test_single_precision_rows_have_double_moments_and_state_their_precision(put: Put) -> None:
    problem = make_problem()
    rows = problem.rows(lambda a: put(np.asarray(a, dtype=np.float32)))
    moments = QuadraticRisk.from_rows(rows, put(problem.T), problem.A, fit_intercept=True)
    assert to_numpy(moments.groups[0].C).dtype == np.float64
    by_rows = RowRisk.from_rows(rows, problem.loss("logistic"), put(problem.T), problem.A, fit_intercept=True)
    assert to_numpy(by_rows.zeros()).dtype == np.float64
    assert (moments.precision, by_rows.precision) == (1e-14, 1e-6)


def test_an_output_without_a_known_entry_costs_nothing(put: Put) -> None:
    problem = make_problem(one_class_a_row=False)
    A = problem.A.copy()
    A[:, 1] = 0.0
    V = np.random.default_rng(1).normal(size=(6, 4))
    found = replace(problem, A=A).risk(Squared(), put)
    value, gradient = found.value_and_gradient(put(V))
    some = replace(problem, A=A[:, [0, 2, 3]], T=problem.T[:, [0, 2, 3]]).risk(Squared(), put)
    assert value == pytest.approx(some.value_and_gradient(put(V[:, [0, 2, 3]]))[0])
    assert not to_numpy(gradient)[:, 1].any()
