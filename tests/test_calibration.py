"""Probabilities: normalised, finite, and the temperature that a plain search finds; the threshold of a label."""

from dataclasses import replace

import numpy as np
import pytest

import laws
import naive
from laws import Put
from lsvv.calibration import fit_temperature, fit_threshold, own_scale_errors, probabilities, with_lifts
from lsvv.linalg import to_numpy
from lsvv.targets import Numbers


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
    pull = 2 / (weight.sum() + 2)
    found = fit_temperature(scores, T, np.repeat(weight[:, None], 3, axis=1), one_class_a_row=True)
    assert found == pytest.approx(naive.temperature(scores, T * (1 - pull) + pull / 3, weight), rel=1e-5)


@pytest.mark.parametrize("one_class_a_row", [False, True])
def test_the_temperature_takes_the_unit_of_the_scores(one_class_a_row: bool, rng: np.random.Generator) -> None:
    scores = rng.normal(size=(60, 3))
    T = np.eye(3)[np.argmax(scores + rng.normal(size=(60, 3)), axis=1)]
    A = np.ones((60, 3))
    once = fit_temperature(scores, T, A, one_class_a_row=one_class_a_row)
    assert fit_temperature(1e6 * scores, T, A, one_class_a_row=one_class_a_row) == pytest.approx(1e6 * once)


def test_a_small_weight_moves_no_temperature_to_its_bound(rng: np.random.Generator) -> None:
    scores = rng.normal(size=(60, 3))
    T = np.eye(3)[np.argmax(scores + rng.normal(size=(60, 3)), axis=1)]
    weight = np.full((60, 3), 1e-3)
    pull = 2 / (0.06 + 2)
    found = fit_temperature(scores, T, weight, one_class_a_row=True)
    assert found == pytest.approx(naive.temperature(scores, T * (1 - pull) + pull / 3, weight[:, 0]), rel=1e-4)


def test_two_expectations_are_a_line() -> None:
    expectations, T = np.array([[0.3], [0.7]]), np.array([[0.0], [1.0]])
    assert fit_threshold(expectations, T, np.ones((2, 1))) == pytest.approx(0.5)
    assert fit_threshold(expectations[:1], T[:1], np.ones((1, 1))) == 0.5


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


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_rows_that_are_all_right_are_sure_by_their_number_whatever_that_of_the_classes(n_classes: int) -> None:
    for n in (3, 30):
        T = np.eye(n_classes)[np.arange(n) % n_classes]
        temperature = fit_temperature(2 * T - 1, T, np.ones(T.shape), one_class_a_row=True)
        said = probabilities(2 * T - 1, temperature, one_class_a_row=True).max()
        assert said == pytest.approx((n + 2 / n_classes) / (n + 2))


def test_scores_that_are_all_wrong_are_flattened() -> None:
    T = np.eye(2)[[0, 1, 0, 1]]
    temperature = fit_temperature(1 - 2 * T, T, np.ones((4, 2)), one_class_a_row=True)
    laws.assert_close(probabilities(1 - 2 * T, temperature, one_class_a_row=True), np.full((4, 2), 0.5), atol=1e-2)


def test_scores_of_zero_have_temperature_one() -> None:
    assert fit_temperature(np.zeros((3, 2)), np.eye(2)[[0, 1, 0]], np.ones((3, 2)), one_class_a_row=True) == 1.0


def _labels(rng: np.random.Generator, n: int, crossing: float) -> tuple[np.ndarray, np.ndarray]:
    """Expectations of n rows and two labels, and labels that are there by halves at ``crossing``."""
    M = rng.uniform(size=(n, 2))
    return M, (rng.uniform(size=M.shape) < 0.5 + 1.5 * (M - crossing)).astype(np.float64)


@pytest.mark.parametrize("crossing", [0.35, 0.6])
def test_the_threshold_is_where_labels_are_as_likely_as_not(crossing: float, rng: np.random.Generator) -> None:
    M, T = _labels(rng, 20_000, crossing)
    assert fit_threshold(M, T, np.ones(M.shape)) == pytest.approx(crossing, abs=0.01)


@pytest.mark.parametrize("seed", range(20))
def test_expectations_that_are_right_keep_their_half(seed: int) -> None:
    M, T = _labels(np.random.default_rng(seed), 200, 0.5)
    assert abs(fit_threshold(M, T, np.ones(M.shape)) - 0.5) < 0.05


def test_a_handful_of_labels_moves_no_threshold() -> None:
    M, T = np.array([[0.3], [0.35], [0.4], [0.6]]), np.array([[0.0], [1.0], [1.0], [1.0]])
    assert fit_threshold(M, T, np.ones(M.shape)) == 0.5


def test_unknown_entries_move_no_threshold_and_a_weight_moves_it(rng: np.random.Generator) -> None:
    M, T = _labels(rng, 2000, 0.4)
    weights = np.ones(M.shape)
    weights[:, 1] = 0.0
    there = fit_threshold(M, T, weights)
    assert fit_threshold(M, np.column_stack([T[:, 0], 1.0 - T[:, 1]]), weights) == there
    assert fit_threshold(M, T, weights * (1.0 + 3.0 * T)) < there


@pytest.mark.parametrize("M", [np.full((50, 2), 0.4), np.zeros((50, 2)), np.ones((50, 2))])
def test_expectations_that_tell_nothing_keep_their_half(M: np.ndarray) -> None:
    assert fit_threshold(M, np.ones(M.shape), np.ones(M.shape)) == 0.5


def test_labels_that_contradict_their_expectations_keep_their_half(rng: np.random.Generator) -> None:
    M = rng.uniform(size=(500, 2))
    assert fit_threshold(M, (M < 0.5).astype(np.float64), np.ones(M.shape)) == 0.5


def _logarithms(lift: float = 1.0) -> Numbers:
    """One output of logarithms log(y + 1) of scale 0.5 about 2, and one of plain numbers of scale 3 about 1."""
    one = np.ones(2)
    mean, scale, logs = np.array([2.0, 1.0]), np.array([0.5, 3.0]), np.array([True, False])
    return Numbers(mean, scale, False, logs, one, np.full(2, 9.0), np.array([lift, 1.0]))


def test_errors_of_numbers_are_on_their_own_scale(rng: np.random.Generator) -> None:
    scores, T = rng.normal(size=(2, 20, 2))
    weights = rng.uniform(0.0, 1.0, size=(20, 2)) * (rng.random((20, 2)) < 0.7)
    found = own_scale_errors(_logarithms(lift=1.3), scores, T, weights)
    said = np.maximum(1.3 * np.exp(0.5 * scores[:, 0] + 2.0) - 1.0, 0.0), 3.0 * scores[:, 1] + 1.0
    truth = np.maximum(np.exp(0.5 * T[:, 0] + 2.0) - 1.0, 0.0), 3.0 * T[:, 1] + 1.0
    for k in range(2):
        assert found[k] == pytest.approx(np.sum(weights[:, k] * (said[k] - truth[k]) ** 2))


def test_logarithms_are_lifted_by_the_mean_of_their_errors(rng: np.random.Generator) -> None:
    scores = np.zeros((200, 2))
    T = rng.normal(size=(200, 2))
    weights = np.full((200, 2), 1 / 200)
    lift = with_lifts(_logarithms(), scores, T, weights).lift
    assert lift[0] == pytest.approx(np.mean(np.exp(0.5 * T[:, 0])))
    assert lift[1] == 1.0
    # scores that are right already are not lifted, and plain numbers have no lift
    assert with_lifts(_logarithms(), T, T, weights).lift.tolist() == [1.0, 1.0]
    plain = replace(_logarithms(), logs=np.zeros(2, dtype=bool))
    assert with_lifts(plain, scores, T, weights) is plain
