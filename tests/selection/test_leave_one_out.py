"""Leave-one-label-out equals refitting without the label."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsvv.losses import Squared
from lsvv.selection.leave_one_out import squared_path, squared_path_dual, squared_path_primal
from refitting import brute_force, even, problem, refit


@pytest.mark.parametrize("form", [squared_path_primal, squared_path_dual])
@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(3, 9),
    D=st.integers(1, 12),
    K=st.integers(1, 3),
    ridge=st.sampled_from([1e-6, 1e-3, 1.0]),
    manifold=st.sampled_from([0.0, 1e-2, 10.0]),
    fit_intercept=st.booleans(),
)
def test_equals_refitting_without_the_label(
    form: Any, seed: int, n: int, D: int, K: int, ridge: float, manifold: float, fit_intercept: bool
) -> None:
    Phi, T, G = problem(seed, n, D, K)
    (point,) = form(Phi, T, even(n), G, [manifold], [ridge], fit_intercept=fit_intercept)
    expected = brute_force(Phi, T, G, ridge, manifold, Squared(), fit_intercept)
    np.testing.assert_allclose(point.loo, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())


def test_both_forms_give_the_same_models_under_any_weights() -> None:
    Phi, T, G = problem(0, 8, 6, 2)
    grid = ([0.0, 0.1], [1e-3, 1e-1])
    a = np.arange(1.0, 9.0) / 36
    for primal, dual in zip(
        squared_path_primal(Phi, T, a, G, *grid), squared_path_dual(Phi, T, a, G, *grid), strict=True
    ):
        assert (primal.manifold, primal.ridge) == (dual.manifold, dual.ridge)
        np.testing.assert_allclose(primal.W, dual.W, atol=1e-9)
        np.testing.assert_allclose(primal.b, dual.b, atol=1e-9)
        np.testing.assert_allclose(primal.loo, dual.loo, atol=1e-9)


def test_the_model_of_a_setting_is_the_fit_at_its_measured_strength() -> None:
    Phi, T, G = problem(1, 10, 5, 2)
    (point,) = squared_path(Phi, T, even(10), G, [0.5], [1e-2])
    W, b = refit(Phi, T, G, 1e-2 * 9 / 10, 0.5 * 9 / 10, Squared(), True)
    np.testing.assert_allclose(point.W, W, atol=1e-10)
    np.testing.assert_allclose(point.b, b, atol=1e-10)
