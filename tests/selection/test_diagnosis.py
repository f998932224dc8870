"""The diagnosis says what the data show."""

import numpy as np
import pytest

from lsvv import will_unlabeled_help


def clusters(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Three tight clusters, one class each."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], 40)
    return np.eye(3)[truth] * 4 + rng.normal(size=(120, 3)), truth


def hidden(truth: np.ndarray, step: int) -> np.ndarray:
    y = np.full(truth.size, -1)
    y[::step] = truth[::step]
    return y


def test_labels_that_follow_the_graph_are_smooth_and_shuffled_ones_are_not() -> None:
    X, truth = clusters(0)
    found = will_unlabeled_help(X, hidden(truth, 6), random_state=0)
    assert found.smoothness < 0.7
    assert found.p_value < 0.02
    assert "share labels more than chance" in found.verdict
    noise = np.random.default_rng(1).permutation(truth)
    random = will_unlabeled_help(X, hidden(noise, 6), random_state=0)
    assert random.smoothness > 0.8
    assert random.p_value > 0.02


def test_parts_without_a_label_are_counted() -> None:
    X, truth = clusters(2)
    y = hidden(truth, 6)
    X[:5] += 1000.0
    y[:5] = -1
    found = will_unlabeled_help(X, y, n_neighbors=3, random_state=0)
    assert found.n_rows_without_label >= 5
    assert f"{found.n_parts_without_label} of the graph's {found.n_parts} parts" in found.verdict


def test_the_curve_ends_at_all_labels_and_more_are_predicted_to_help() -> None:
    X, truth = clusters(3)
    found = will_unlabeled_help(X, hidden(truth, 4), random_state=0)
    assert found.curve[-1, 0] == 30
    assert found.loss_with_twice_the_labels <= found.curve[-1, 1] + 1e-12


def test_numbers_are_diagnosed_too() -> None:
    X = np.random.default_rng(4).uniform(-2, 2, size=(100, 1))
    y = np.sin(X[:, 0])
    y[30:] = np.nan
    found = will_unlabeled_help(X, y, random_state=0)
    assert found.p_value < 0.05
    as_list = [None if np.isnan(value) else value for value in y]
    assert will_unlabeled_help(X, as_list, random_state=0).verdict == found.verdict


def test_whole_numbers_are_numbers_where_they_are_said_to_be() -> None:
    X = np.random.default_rng(5).uniform(-3, 3, size=(100, 1))
    y = np.round(3 * X[:, 0])
    y[40:] = np.nan
    with pytest.raises(ValueError, match="y is floating and holds -1"):
        will_unlabeled_help(X, y, random_state=0)
    assert will_unlabeled_help(X, y, task="numbers", random_state=0).p_value < 0.05
    with pytest.raises(ValueError, match=r"task='regression' is not known\. Choose 'auto', 'classes' or 'numbers'"):
        will_unlabeled_help(X, y, task="regression")  # type: ignore[arg-type]


def test_the_gain_is_measured_on_all_labels() -> None:
    X, truth = clusters(6)
    found = will_unlabeled_help(X, hidden(truth, 4), random_state=0)
    assert "on 30 labelled rows" in found.guard.sentence


def test_the_plot_shows_curve_and_prediction() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, truth = clusters(5)
    axis = will_unlabeled_help(X, hidden(truth, 6), random_state=0).plot()
    assert len(axis.lines) == 2
