import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize

from lsvv.theory import LocalSupremum, local_supremum, rademacher_local, rademacher_trace_norm
from lsvv.theory.arguments import Floats

FIXED = settings(deadline=None, derandomize=True, max_examples=60)


def spectrum(kind: str, D: int) -> Floats:
    j = np.arange(D, dtype=np.float64)
    kinds = {"identity": np.ones(D) / D, "exponential": np.exp(-j), "polynomial": 1 / (1 + j) ** 2}
    return kinds[kind] / kinds[kind].sum()


def assert_certified(found: LocalSupremum, X: Floats, eigenvalues: Floats, r: float) -> None:
    """W is feasible and reaches the value, Z gives the upper bound, and the two meet."""
    W, Z = found.weights, found.dual
    assert np.linalg.svd(W, compute_uv=False).sum(axis=1).max() <= 1 + 1e-9
    assert np.sum(eigenvalues[:, None] * W**2, axis=(1, 2)).max() <= r * (1 + 1e-9)
    np.testing.assert_allclose(np.sum(W * X, axis=(1, 2)), found.value, rtol=1e-12, atol=1e-300)
    S = np.sqrt(eigenvalues / r)[:, None]
    upper = np.linalg.norm(X - S * Z, ord=2, axis=(1, 2)) + np.linalg.norm(Z, axis=(1, 2))
    np.testing.assert_allclose(upper, found.upper, rtol=1e-12, atol=1e-300)
    assert np.all(found.value <= found.upper * (1 + 1e-12))
    assert np.all(found.upper - found.value <= 1e-5 * found.upper)


@FIXED
@given(
    D=st.integers(1, 8),
    K=st.integers(1, 5),
    kind=st.sampled_from(["identity", "exponential", "polynomial"]),
    log_r=st.floats(-6, 2),
    seed=st.integers(0, 10**6),
)
def test_value_and_upper_bound_meet(D: int, K: int, kind: str, log_r: float, seed: int) -> None:
    eigenvalues, r = spectrum(kind, D), 10.0**log_r
    X = np.random.default_rng(seed).standard_normal((4, D, K)) * np.sqrt(eigenvalues)[:, None]
    assert_certified(local_supremum(X, eigenvalues, r), X, eigenvalues, r)


def test_large_radius_gives_the_operator_norm() -> None:
    X = np.random.default_rng(0).standard_normal((6, 5, 3))
    norms = np.linalg.norm(X, ord=2, axis=(1, 2))
    for r in (np.inf, 100.0):
        np.testing.assert_allclose(local_supremum(X, np.ones(5), r).value, norms, rtol=1e-6)


def test_small_radius_gives_the_ellipsoid() -> None:
    eigenvalues = spectrum("exponential", 4)
    X = np.random.default_rng(1).standard_normal((6, 4, 2))
    r = 1e-8
    expected = np.sqrt(r) * np.linalg.norm(X / np.sqrt(eigenvalues)[:, None], axis=(1, 2))
    np.testing.assert_allclose(local_supremum(X, eigenvalues, r).value, expected, rtol=1e-6)


def whitened(singular: Floats, radius: float) -> float:
    """Maximum of <s, singular> over s >= 0, sum s <= 1, ||s|| <= radius: s is a shifted positive part."""

    def unit(shift: float) -> Floats:
        kept = np.maximum(singular - shift, 0)
        return kept / np.linalg.norm(kept)

    if radius >= 1:
        return float(singular[0])
    if radius * unit(0.0).sum() <= 1:
        return float(radius * unit(0.0) @ singular)
    shift = brentq(lambda c: radius * unit(c).sum() - 1, 0.0, singular[0] * (1 - 1e-12), xtol=1e-14)
    return float(radius * unit(shift) @ singular)


@pytest.mark.parametrize("r", [0.02, 0.1, 0.3, 0.6, 0.99, 2.0])
def test_whitened_features_reduce_to_singular_values(r: float) -> None:
    X = np.random.default_rng(2).standard_normal((5, 6, 4))
    expected = [whitened(np.linalg.svd(x, compute_uv=False), np.sqrt(r)) for x in X]
    np.testing.assert_allclose(local_supremum(X, np.ones(6), r).value, expected, rtol=1e-6)


@pytest.mark.parametrize("r", [0.01, 0.5, 3.0])
def test_one_direction_is_a_scaled_length(r: float) -> None:
    X = np.random.default_rng(3).standard_normal((5, 1, 4))
    expected = np.linalg.norm(X, axis=(1, 2)) * min(1.0, np.sqrt(r / 0.8))
    np.testing.assert_allclose(local_supremum(X, np.array([0.8]), r).value, expected, rtol=1e-6)


@pytest.mark.parametrize("r", [1e-3, 1e-2, 0.1, 0.5])
def test_one_output_agrees_with_the_two_multiplier_dual(r: float) -> None:
    eigenvalues = spectrum("polynomial", 5)
    X = np.random.default_rng(4).standard_normal((4, 5, 1)) * np.sqrt(eigenvalues)[:, None]

    def dual(logs: Floats, x: Floats) -> float:
        nu, mu = np.exp(logs)
        return float(0.5 * (np.sum(x**2 / (nu + mu * eigenvalues)) + nu + mu * r))

    starts = [(a, b) for a in (-8.0, 0.0) for b in (-8.0, 0.0, 4.0)]
    box = [(-25.0, 12.0)] * 2
    expected = [min(minimize(dual, s, args=(x[:, 0],), bounds=box, tol=1e-14).fun for s in starts) for x in X]
    np.testing.assert_allclose(local_supremum(X, eigenvalues, r).value, expected, rtol=1e-5)


def test_directions_without_variance_are_bounded_by_the_trace_norm_alone() -> None:
    X = np.array([[[0.0, 0.0], [2.0, 0.0]]])
    assert local_supremum(X, np.array([1.0, 0.0]), 1e-6).value[0] == pytest.approx(2.0, rel=1e-6)


def test_a_zero_matrix_has_supremum_zero() -> None:
    found = local_supremum(np.zeros((2, 3, 2)), np.ones(3), 0.1)
    assert found.value.tolist() == found.upper.tolist() == [0.0, 0.0]


@FIXED
@given(seed=st.integers(0, 10**6), factor=st.floats(1.5, 50.0))
def test_local_supremum_is_sub_root_in_r(seed: int, factor: float) -> None:
    rng = np.random.default_rng(seed)
    eigenvalues = spectrum("exponential", 4)
    X = rng.standard_normal((3, 4, 3)) * np.sqrt(eigenvalues)[:, None]
    near, far = (local_supremum(X, eigenvalues, r) for r in (0.01, 0.01 * factor))
    assert np.all(near.value <= far.upper * (1 + 1e-9))
    assert np.all(far.value <= near.upper * np.sqrt(factor) * (1 + 1e-9))


def test_local_complexity_at_infinite_radius_is_the_global_one() -> None:
    rows = np.random.default_rng(5).standard_normal((4, 3))
    exact = rademacher_trace_norm(rows, 2, n_draws=None)
    local = rademacher_local(rows, 2, np.inf, n_draws=None)
    assert local.value == pytest.approx(exact.value, rel=1e-6)
    assert local.value <= local.upper


def test_wrong_shapes_and_radii_are_refused() -> None:
    with pytest.raises(ValueError, match=r"X has shape \(2, 2\) and eigenvalues \(2,\); pass"):
        local_supremum(np.eye(2), np.ones(2), 1.0)
    with pytest.raises(ValueError, match="r is 0; it must be a finite number above 0"):
        local_supremum(np.ones((1, 2, 2)), np.ones(2), 0)
