"""Losses: values as loops give them, gradients as slopes, hinges and their smoothing, unknown entries."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import laws
import naive
from laws import Put
from lsvv.losses import (
    BinaryHinge,
    BinaryLogistic,
    Loss,
    MulticlassHinge,
    MulticlassLogistic,
    Squared,
    make_loss,
    smoothed,
)

Naive = Callable[[np.ndarray, np.ndarray, np.ndarray], float]

EXACT: dict[str, tuple[Loss, Naive]] = {
    "squared": (Squared(), naive.squared),
    "multiclass logistic": (MulticlassLogistic(), naive.multiclass_logistic),
    "binary logistic": (BinaryLogistic(), naive.binary_logistic),
    "multiclass hinge": (MulticlassHinge(), naive.multiclass_hinge),
    "binary hinge": (BinaryHinge(), naive.binary_hinge),
}
HINGES = [kind(gamma) for kind in (MulticlassHinge, BinaryHinge) for gamma in (1.0, 0.1)]
SMOOTHED: dict[str, Loss] = {str(hinge): hinge for hinge in HINGES}
SMOOTH: dict[str, Loss] = {name: loss for name, (loss, _) in EXACT.items() if np.isfinite(loss.curvature)} | SMOOTHED
ALL = {name: loss for name, (loss, _) in EXACT.items()} | SMOOTHED


def problem(loss: Loss, seed: int, n: int = 6, K: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return laws.scores_and_targets(np.random.default_rng(seed), n, K, one_class_a_row=loss.couples_outputs)


@pytest.mark.parametrize("name", EXACT)
@given(seed=st.integers(0, 10_000))
def test_values_are_those_of_loops(name: str, seed: int) -> None:
    loss, slow = EXACT[name]
    F, T, A = problem(loss, seed)
    assert loss.value(F, T, A) == pytest.approx(slow(F, T, A), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", SMOOTH)
@given(seed=st.integers(0, 10_000))
def test_gradients_are_finite_differences(name: str, seed: int) -> None:
    laws.assert_gradient_is_the_slope(SMOOTH[name], *problem(SMOOTH[name], seed))


@pytest.mark.parametrize("name", ALL)
@given(seed=st.integers(0, 10_000))
def test_derivatives_in_each_score_are_the_gradient_and_its_slope(name: str, seed: int) -> None:
    loss = ALL[name]
    F, T, _ = problem(loss, seed)
    first, second = loss.derivatives(F, T)
    laws.assert_close(first, loss.value_and_gradient(F, T, np.ones_like(F))[1])
    h = 1e-6
    for k in range(F.shape[1]):
        E = h * np.eye(F.shape[1])[k]
        (up, above), (down, below) = loss.derivatives(F + E, T), loss.derivatives(F - E, T)
        # a kink between the two has no slope
        same = np.abs(above - below)[:, k] < 1e-3
        laws.assert_close(second[same, k], ((up - down)[:, k] / (2 * h))[same], rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("name", ALL)
@given(seed=st.integers(0, 10_000), scale=st.floats(1e-3, 10.0))
def test_every_loss_is_convex(name: str, seed: int, scale: float) -> None:
    F, T, A = problem(ALL[name], seed)
    H = F + scale * np.random.default_rng(seed + 1).normal(size=F.shape)
    laws.assert_loss_is_convex(ALL[name], F, H, T, A)


@pytest.mark.parametrize("name", SMOOTH)
@given(seed=st.integers(0, 10_000), scale=st.floats(1e-3, 10.0))
def test_gradients_are_lipschitz_with_the_stated_constant(name: str, seed: int, scale: float) -> None:
    F, T, A = problem(SMOOTH[name], seed)
    H = F + scale * np.random.default_rng(seed + 1).normal(size=F.shape)
    laws.assert_gradient_is_lipschitz(SMOOTH[name], F, H, T, A)


@pytest.mark.parametrize(
    ("loss", "at", "along"),
    [
        (Squared(), [0.0, 0.0], [1.0, 0.0]),
        (MulticlassLogistic(), [0.0, 0.0], [1.0, -1.0]),
        (BinaryLogistic(), [0.0, 0.0], [1.0, 0.0]),
        (MulticlassHinge(0.3), [1.0, 0.0], [1.0, -1.0]),
        (BinaryHinge(0.3), [0.85, -5.0], [1.0, 0.0]),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Loss) else "",
)
def test_the_stated_constant_is_reached(loss: Loss, at: list[float], along: list[float]) -> None:
    F, E, T, A = np.array([at]), 1e-4 * np.array([along]), np.array([[1.0, 0.0]]), np.ones((1, 2))
    change = loss.value_and_gradient(F + E, T, A)[1] - loss.value_and_gradient(F - E, T, A)[1]
    assert np.linalg.norm(change) == pytest.approx(loss.curvature * np.linalg.norm(2 * E), rel=1e-6)


@pytest.mark.parametrize("name", ALL)
@given(seed=st.integers(0, 10_000))
def test_an_entry_of_weight_zero_has_no_influence(name: str, seed: int) -> None:
    laws.assert_weight_zero_means_unknown(ALL[name], *problem(ALL[name], seed))


@pytest.mark.parametrize("name", EXACT)
@given(seed=st.integers(0, 10_000))
def test_weights_scale_the_loss(name: str, seed: int) -> None:
    loss = EXACT[name][0]
    F, T, A = problem(loss, seed)
    value, gradient = loss.value_and_gradient(F, T, A)
    twice, twice_gradient = loss.value_and_gradient(F, T, 2 * A)
    assert twice == pytest.approx(2 * value)
    laws.assert_close(twice_gradient, 2 * gradient)


@pytest.mark.parametrize("hinge", [MulticlassHinge(), BinaryHinge()], ids=lambda h: type(h).__name__)
@given(seed=st.integers(0, 10_000), gamma=st.floats(1e-4, 5.0))
def test_the_smoothed_hinge_lies_at_most_half_gamma_below(hinge: Any, seed: int, gamma: float) -> None:
    F, T, _ = problem(hinge, seed)
    smooth = smoothed(hinge, gamma)
    assert smooth.gap == gamma / 2
    assert smooth.curvature == 1 / gamma
    for i in range(len(F)):
        row = np.s_[i : i + 1]
        for weight in np.ones((1, 3)) if hinge.couples_outputs else np.eye(3):
            difference = hinge.value(F[row], T[row], weight[None]) - smooth.value(F[row], T[row], weight[None])
            assert -1e-12 <= difference <= gamma / 2 + 1e-12


@pytest.mark.parametrize("hinge", [MulticlassHinge(), BinaryHinge()], ids=lambda h: type(h).__name__)
def test_smoothing_that_vanishes_is_the_hinge(hinge: Any) -> None:
    F, T, A = problem(hinge, 3)
    assert smoothed(hinge, 1e-9).value(F, T, A) == pytest.approx(hinge.value(F, T, A), abs=1e-8)
    assert hinge.gap == 0.0
    assert hinge.curvature == float("inf")


def test_the_kink_of_the_multiclass_hinge_is_at_margin_one() -> None:
    T, A = np.array([[1.0, 0.0, 0.0]]), np.ones((1, 3))
    hinge = MulticlassHinge()
    beyond, _ = hinge.value_and_gradient(np.array([[1.01, 0.0, 0.0]]), T, A)
    inside, slope = hinge.value_and_gradient(np.array([[0.99, 0.0, -1.0]]), T, A)
    assert beyond == pytest.approx(0.0, abs=1e-15)
    assert inside == pytest.approx(0.01)
    laws.assert_close(slope, [[-1.0, 1.0, 0.0]])


@pytest.mark.parametrize("name", ALL)
def test_losses_agree_on_numpy_and_torch(name: str, put: Put) -> None:
    loss = ALL[name]
    F, T, A = problem(loss, 5)
    value, gradient = loss.value_and_gradient(F, T, A)
    there, there_gradient = loss.value_and_gradient(put(F), put(T), put(A))
    assert type(there_gradient) is type(put(F))
    assert there == pytest.approx(value, rel=1e-13)
    laws.assert_close(there_gradient, gradient)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("far", [1e4, 1e30, -1e30])
def test_losses_are_finite_far_out(name: str, far: float) -> None:
    loss = ALL[name]
    _, T, A = problem(loss, 7)
    F = np.zeros(T.shape)
    F[:, 0] = far
    value, gradient = loss.value_and_gradient(F, T, A)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("name", ALL)
def test_single_precision_stays_single(name: str, put: Put) -> None:
    arrays = [put(a.astype(np.float32)) for a in problem(ALL[name], 5)]
    assert ALL[name].value_and_gradient(*arrays)[1].dtype == arrays[0].dtype


@pytest.mark.parametrize(
    ("name", "one_class_a_row", "expected"),
    [
        ("squared", True, Squared),
        ("squared", False, Squared),
        ("logistic", True, MulticlassLogistic),
        ("logistic", False, BinaryLogistic),
        ("hinge", True, MulticlassHinge),
        ("hinge", False, BinaryHinge),
        ("smooth_hinge", True, MulticlassHinge),
        ("smooth_hinge", False, BinaryHinge),
    ],
)
def test_a_name_takes_the_form_that_fits_the_targets(name: str, one_class_a_row: bool, expected: type) -> None:
    loss = make_loss(name, one_class_a_row=one_class_a_row)
    assert type(loss) is expected
    assert (loss.gap > 0) is (name == "smooth_hinge")


def test_an_object_is_taken_as_it_is() -> None:
    loss = MulticlassHinge(0.5)
    assert make_loss(loss, one_class_a_row=True) is loss


def test_wrong_losses_are_refused() -> None:
    with pytest.raises(ValueError, match=r"loss='huber' is not known. Choose one of squared, logistic, hinge"):
        make_loss("huber", one_class_a_row=True)
    with pytest.raises(ValueError, match="MulticlassHinge needs one class a row, but y has several outputs"):
        make_loss(MulticlassHinge(), one_class_a_row=False)
