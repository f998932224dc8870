"""Probabilities: normalised, finite, and the temperature that a plain search finds."""

import numpy as np
import pytest

import laws
import naive
from laws import Put
from lsvv.calibration import fit_temperature, probabilities
from lsvv.linalg import to_numpy


def test_classes_sum_to_one_and_keep_their_order(put: Put, rng: np.random.Generator) -> None:
    scores = rng.normal(size=(20, 4))
    P = to_numpy(probabilities(put(scores), 0.3, one_class_a_row=True))
    laws.assert_close(P.sum(axis=1), np.ones(20))
    np.testing.assert_array_equal(np.argsort(P, axis=1), np.argsort(scores, axis=1))
    laws.assert_close(P, np.exp(scores / 0.3) / np.exp(scores / 0.3).sum(axis=1, keepdims=True))


def test_labels_stand_alone(put: Put, rng: np.random.Generator) -> None:
    scores = rng.normal(size=(20, 4))
    laws.assert_close(probabilities(put(scores), 0.3, one_class_a_row=False), 1 / (1 + np.exp(-scores / 0.3)))


@pytest.mark.parametrize("one_class_a_row", [False, True])
def test_far_scores_have_finite_probabilities(put: Put, one_class_a_row: bool) -> None:
    scores = np.array([[1e30, -1e30, 0.0], [-1e300, 1e300, 1.0]])
    P = to_numpy(probabilities(put(scores), 1e-3, one_class_a_row=one_class_a_row))
    assert np.isfinite(P).all()
    laws.assert_close(P[0, :2], [1.0, 0.0])


def test_the_temperature_minimises_the_log_loss(rng: np.random.Generator) -> None:
    scores = rng.normal(size=(80, 3))
    T = np.eye(3)[np.argmax(scores + rng.normal(size=(80, 3)), axis=1)]
    weight = rng.uniform(0.5, 2.0, size=80)
    pull = 1 / (weight.sum() + 3)
    found = fit_temperature(scores, T, np.repeat(weight[:, None], 3, axis=1), one_class_a_row=True)
    assert found == pytest.approx(naive.temperature(scores, T * (1 - 3 * pull) + pull, weight), rel=1e-5)


@pytest.mark.parametrize("one_class_a_row", [False, True])
def test_the_temperature_takes_the_unit_of_the_scores(one_class_a_row: bool, rng: np.random.Generator) -> None:
    scores = rng.normal(size=(60, 3))
    T = np.eye(3)[np.argmax(scores + rng.normal(size=(60, 3)), axis=1)]
    A = np.ones((60, 3))
    once = fit_temperature(scores, T, A, one_class_a_row=one_class_a_row)
    assert fit_temperature(1e6 * scores, T, A, one_class_a_row=one_class_a_row) == pytest.approx(1e6 * once)


@pytest.mark.parametrize("one_class_a_row", [False, True])
def test_a_weight_of_two_is_two_rows(one_class_a_row: bool, rng: np.random.Generator) -> None:
    scores, count = rng.normal(size=(30, 3)), rng.integers(0, 3, size=30)
    T = np.eye(3)[np.argmax(scores + rng.normal(size=(30, 3)), axis=1)]
    weighted = fit_temperature(scores, T, np.repeat(count[:, None], 3, axis=1), one_class_a_row=one_class_a_row)
    repeated = fit_temperature(
        np.repeat(scores, count, axis=0),
        np.repeat(T, count, axis=0),
        np.ones((count.sum(), 3)),
        one_class_a_row=one_class_a_row,
    )
    assert weighted == pytest.approx(repeated)


def test_a_few_rows_that_are_all_right_do_not_make_the_model_certain() -> None:
    T = np.eye(2)[[0, 1, 0]]
    temperature = fit_temperature(2 * T - 1, T, np.ones((3, 2)), one_class_a_row=True)
    assert probabilities(2 * T - 1, temperature, one_class_a_row=True).max() == pytest.approx(0.8)


def test_scores_that_are_all_wrong_are_flattened() -> None:
    T = np.eye(2)[[0, 1, 0, 1]]
    temperature = fit_temperature(1 - 2 * T, T, np.ones((4, 2)), one_class_a_row=True)
    laws.assert_close(probabilities(1 - 2 * T, temperature, one_class_a_row=True), np.full((4, 2), 0.5), atol=1e-2)


def test_scores_of_zero_have_temperature_one() -> None:
    assert fit_temperature(np.zeros((3, 2)), np.eye(2)[[0, 1, 0]], np.ones((3, 2)), one_class_a_row=True) == 1.0
