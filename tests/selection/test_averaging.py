"""Laws of the weights and the guard."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from lsvv.selection.averaging import (
    SHARPNESS,
    LeftOut,
    guard,
    likely_better,
    loo_weights,
    mixed,
    stacking_weights,
    without_own,
)


@given(seed=st.integers(0, 10**6), n_settings=st.integers(1, 20), n_labels=st.integers(2, 1000))
def test_weights_sum_to_one_and_fall_with_the_loss(seed: int, n_settings: int, n_labels: int) -> None:
    losses = np.random.default_rng(seed).uniform(0.1, 2.0, size=(n_settings, 2))
    weights = loo_weights(losses, float(n_labels))
    np.testing.assert_allclose(weights.sum(axis=0), 1.0)
    for k in range(2):
        assert np.all(np.diff(weights[np.argsort(losses[:, k]), k]) <= 1e-15)


def test_weights_do_not_depend_on_the_unit_of_the_loss() -> None:
    losses = np.array([[1.0], [1.2], [1.5]])
    np.testing.assert_allclose(loo_weights(losses, 20.0), loo_weights(7.0 * losses, 20.0))


def test_more_labels_trust_the_best_setting_more() -> None:
    losses = np.array([[1.0], [1.1]])
    assert loo_weights(losses, 500.0)[0, 0] > loo_weights(losses, 10.0)[0, 0]


def test_a_perfect_setting_divides_by_no_zero() -> None:
    weights = loo_weights(np.array([[0.0], [1.0]]), 10.0)
    np.testing.assert_allclose(weights, [[1.0], [0.0]])


def test_the_guard_keeps_a_clear_gain_and_drops_a_clear_loss() -> None:
    rng = np.random.default_rng(2)
    base = rng.uniform(1.0, 2.0, size=40)
    assert guard(base, base - 0.5).share == 1.0
    assert guard(base, base + 0.5 + 0.01 * rng.normal(size=40)).share == 0.0
    even = guard(base, base + 0.3 * rng.normal(size=40))
    assert 0.0 < even.share < 1.0
    assert "make no sure difference" in even.sentence
    assert "40 labelled rows" in even.sentence


@pytest.mark.parametrize("n_labels", [5, 40])
def test_the_evidence_is_the_probability_of_a_gain_under_its_standard_error(n_labels: int) -> None:
    first, second = np.random.default_rng(n_labels).normal([[1.1], [1.0]], 0.5, size=(2, n_labels))
    share, gain, error = likely_better(first, second)
    assert gain == pytest.approx((first - second).mean())
    assert error == pytest.approx(stats.sem(first - second))
    assert 0.1 < share < 0.9
    assert share == pytest.approx(stats.norm.cdf(gain / error))
    assert likely_better(second, first)[0] == pytest.approx(1.0 - share)


def test_evidence_of_equal_differences_is_certain() -> None:
    assert likely_better(np.array([2.0]), np.array([1.0])) == (1.0, 1.0, 0.0)
    assert likely_better(np.ones(3), np.full(3, 2.0)) == (0.0, -1.0, 0.0)
    assert likely_better(np.ones(3), np.ones(3)) == (0.5, 0.0, 0.0)


def _residual_products(seed: int, n_models: int) -> np.ndarray:
    """Of models that err partly alike, some much more than others."""
    rng = np.random.default_rng(seed)
    residuals = rng.normal(size=(n_models, 60)) + rng.uniform(0.0, 3.0) * rng.normal(size=60)
    residuals *= np.exp(rng.uniform(-1.0, 1.0, size=(n_models, 1)))
    return np.asarray(residuals @ residuals.T)


@example(seed=291798, n_models=20, n_labels=656)  # a weight is lost on the way
@example(seed=55705, n_models=19, n_labels=38935)
@given(seed=st.integers(0, 10**6), n_models=st.integers(1, 20), n_labels=st.integers(2, 10**6))
def test_stacking_weights_have_no_duality_gap(seed: int, n_models: int, n_labels: int) -> None:
    # -logsumexp(-2 S w) - w'S w is below the minimum of v'S v + sum v log v over the simplex, for any w
    Q = _residual_products(seed, n_models)
    w = stacking_weights(Q, float(n_labels))
    S = SHARPNESS * n_labels / (2.0 * np.diag(Q).min()) * Q
    reached = w @ S @ w + np.sum(w[w > 0] * np.log(w[w > 0]))
    bound = -np.logaddexp.reduce(-2.0 * S @ w) - w @ S @ w
    assert w.sum() == pytest.approx(1.0)
    assert reached - bound <= 1e-2 + 1e-6 * abs(reached)


def test_stacking_weights_of_models_that_err_alike_are_those_of_their_losses() -> None:
    # with residuals r_s = a_s r, w'Qw = (sum_s w_s a_s)^2: to first order in the a_s the average of their losses
    sizes = 1.0 + 1e-3 * np.array([0.0, 1.0, 2.0])
    alone = loo_weights(sizes[:, None] ** 2, 2000.0)[:, 0]
    np.testing.assert_allclose(stacking_weights(np.outer(sizes, sizes), 2000.0), alone, rtol=1e-2)


def test_stacking_weights_do_not_depend_on_the_unit_of_the_loss() -> None:
    Q = _residual_products(3, 5)
    np.testing.assert_allclose(stacking_weights(Q, 50.0), stacking_weights(1e6 * Q, 50.0), rtol=1e-4)


def test_one_hopeless_model_does_not_blunt_the_weights_of_the_others() -> None:
    sizes = np.array([1.0, 1.05, 1.1, 1.2])
    alone = stacking_weights(np.outer(sizes, sizes), 200.0)
    beside = stacking_weights(np.outer(np.append(sizes, 1e3), np.append(sizes, 1e3)), 200.0)
    np.testing.assert_allclose(beside, np.append(alone, 0.0), atol=1e-3)


def test_losses_that_are_not_finite_are_refused() -> None:
    with pytest.raises(ValueError, match="Leave-one-out losses are not finite"):
        stacking_weights(np.array([[1.0, 0.0], [0.0, np.inf]]), 10.0)


def test_perfect_models_share_the_weight() -> None:
    np.testing.assert_allclose(stacking_weights(np.zeros((4, 4)), 10.0), 0.25)


def test_a_mixture_is_the_sum_of_shares_and_apart_the_shares_of_the_other_folds(rng: np.random.Generator) -> None:
    parts = [LeftOut(*rng.normal(size=(2, 12, 2))) for _ in range(3)]

    def shares_by(rows: np.ndarray) -> np.ndarray:
        # what decides is told from the mask, so that a row that decides for itself would be seen
        weight = np.array([1.0, 2.0, rows @ np.arange(1.0, 13.0)])
        return np.asarray(np.outer(weight / weight.sum(), np.ones(2)))

    shares, found = mixed(parts, shares_by)
    np.testing.assert_allclose(shares, shares_by(np.ones(12, dtype=bool)))
    np.testing.assert_allclose(found.together, sum(s * one.together for s, one in zip(shares, parts, strict=True)))
    seen = np.zeros(12, dtype=int)
    for mine, others in without_own(12):
        seen += mine
        assert not (mine & others).any()
        assert (mine | others).all()
        expected = sum(s * one.apart[mine] for s, one in zip(shares_by(others), parts, strict=True))
        np.testing.assert_allclose(found.apart[mine], expected)
    assert seen.tolist() == [1] * 12
