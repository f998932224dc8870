"""Leave-one-label-out equals refitting without the label, and a fit is the core's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import laws
import naive
from lsvv.engine import Decomposition, Fit, squared_path
from lsvv.losses import Squared
from refitting import brute_force, even, problem, refit, uneven


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 9),
    D=st.integers(1, 12),
    K=st.integers(1, 3),
    ridge=st.sampled_from([1e-6, 1e-3, 1.0]),
    manifold=st.sampled_from([0.0, 1e-2, 10.0]),
    fit_intercept=st.booleans(),
    weighted=st.booleans(),
)
def test_equals_refitting_without_the_label(
    seed: int, n: int, D: int, K: int, ridge: float, manifold: float, fit_intercept: bool, weighted: bool
) -> None:
    Phi, T, G = problem(seed, n, D, K)
    a = uneven(n, seed) if weighted else even(n)
    (point,) = squared_path(Phi, T, a, [ridge], manifold=manifold, G=G, fit_intercept=fit_intercept)
    expected = brute_force(Phi, T, G, ridge, manifold, Squared(), fit_intercept, a)
    np.testing.assert_allclose(point.loo, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("D", [4, 25], ids=["n > D", "n < D"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("manifold", [0.0, 0.5])
def test_a_fit_is_the_cores_closed_form(D: int, fit_intercept: bool, weighted: bool, manifold: float) -> None:
    Phi, T, G = problem(1, 10, D, 2)
    a = uneven(10) if weighted else even(10)
    ridges = [1.0, 1e-2, 1e-4]
    points = list(squared_path(Phi, T, a, ridges, manifold=manifold, G=G, fit_intercept=fit_intercept))
    assert [point.ridge for point in points] == ridges
    for point in points:
        W, b = refit(Phi, T, G, point.ridge, manifold, Squared(), fit_intercept, a)
        np.testing.assert_allclose(point.W, W, atol=1e-9)
        np.testing.assert_allclose(point.b, b, atol=1e-9)
        assert fit_intercept or not point.b.any()


def test_a_fit_solves_one_system() -> None:
    Phi, T, G = problem(2, 12, 5, 3)
    a = uneven(12)
    (point,) = squared_path(Phi, T, a, [0.03], manifold=0.2, G=G)
    W, b = naive.ridge_with_intercept(Phi, T, np.repeat(a[:, None], 3, axis=1), 0.03 * np.eye(5) + 0.2 * G)
    np.testing.assert_allclose(point.W, W, atol=1e-10)
    np.testing.assert_allclose(point.b, b, atol=1e-10)


@pytest.mark.parametrize("D", [4, 25], ids=["n > D", "n < D"])
def test_a_weight_of_two_is_two_labels_that_leave_together(D: int) -> None:
    Phi, T, _ = problem(3, 8, D, 2)
    a = np.r_[2.0, np.ones(7)] / 9
    (weighted,) = squared_path(Phi, T, a, [1e-2])
    twice = np.r_[0, np.arange(8)]
    (repeated,) = squared_path(Phi[twice], T[twice], even(9), [1e-2])
    np.testing.assert_allclose(weighted.W, repeated.W, atol=1e-10)
    np.testing.assert_allclose(weighted.loo[1:], repeated.loo[2:], atol=1e-10)


def test_the_path_of_many_ridges_is_each_of_them_alone() -> None:
    Phi, T, G = problem(4, 9, 6, 2)
    ridges = np.logspace(-6, 1, 8)
    for manifold in (0.0, 0.3):
        for point in squared_path(Phi, T, uneven(9), ridges.tolist(), manifold=manifold, G=G):
            (alone,) = squared_path(Phi, T, uneven(9), [point.ridge], manifold=manifold, G=G)
            _assert_same(point, alone)


def test_rows_that_are_all_alike_predict_the_mean_of_the_others() -> None:
    T = np.random.default_rng(0).normal(size=(5, 2))
    for D in (3, 8):
        (point,) = squared_path(np.ones((5, D)), T, even(5), [1e-3])
        np.testing.assert_allclose(point.W, 0.0, atol=1e-12)
        np.testing.assert_allclose(point.b, T.mean(axis=0))
        np.testing.assert_allclose(point.loo, (T.sum(axis=0) - T) / 4)


def test_orthogonal_rows_are_predicted_by_nothing() -> None:
    T = np.random.default_rng(0).normal(size=(6, 2))
    for ridge in (1e-6, 1e-2):
        (point,) = squared_path(3.0 * np.eye(6), T, even(6), [ridge], fit_intercept=False)
        np.testing.assert_allclose(point.loo, 0.0, atol=1e-8)


@pytest.mark.parametrize("n", [5, 12], ids=["dual", "primal"])
def test_the_decomposition_is_that_of_the_gram_matrix(n: int) -> None:
    Phi, _, _ = problem(5, n, 8, 1)
    a = uneven(n)
    whole = Decomposition.of(Phi, a)
    assert whole.is_dual == (n == 5)
    centred = np.sqrt(a)[:, None] * (Phi - a @ Phi)
    np.testing.assert_allclose(whole.Y @ whole.Y.T, centred @ centred.T, atol=1e-12)
    np.testing.assert_allclose(np.sum(whole.Y**2, axis=0), whole.values, atol=1e-12)
    assert len(whole.values) == min(n, 8)


def _assert_same(point: Fit, other: Fit) -> None:
    np.testing.assert_allclose(point.W, other.W, atol=1e-10)
    np.testing.assert_allclose(point.b, other.b, atol=1e-10)
    np.testing.assert_allclose(point.loo, other.loo, atol=1e-10)


@pytest.mark.parametrize("D", [4, 11, 12, 30], ids=["few columns", "n - 1", "n", "many columns"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("ridge", [1e-3, 0.3])
def test_independent_errors_are_those_of_what_is_not_fitted(D: int, fit_intercept: bool, ridge: float) -> None:
    Phi, _, _ = problem(3, 12, D, 1)
    a = np.full(12, 1 / 12)
    whole = Decomposition.of(Phi, a, fit_intercept=fit_intercept)
    rest = np.eye(12) - whole.Y @ np.diag(1.0 / (whole.values + ridge)) @ whole.Y.T
    squared = rest @ rest - (np.full((12, 12), 1 / 12) if fit_intercept else 0.0)
    expected = np.trace(squared) ** 2 / np.trace(squared @ squared)
    laws.assert_close(whole.independent(ridge, fit_intercept=fit_intercept), expected, rtol=1e-6)
