import numpy as np
import pytest
from sklearn.metrics import accuracy_score, hamming_loss, root_mean_squared_error

from reproduction.metrics import judge


def test_errors_of_classes_are_what_accuracy_leaves(rng: np.random.Generator) -> None:
    scores, y = rng.normal(size=(40, 3)), rng.integers(3, size=40)
    assert judge("multi-class", scores, y)["error"] == pytest.approx(100 - 100 * accuracy_score(y, scores.argmax(1)))


def test_labels_by_hand() -> None:
    y = np.array([[1, 0, 0], [1, 1, 0]])
    scores = np.array([[0.9, 0.6, 0.1], [0.5, 0.8, 0.2]])
    found = judge("multi-label", scores, y)
    # given: [1, 1, 0] and [0, 1, 0]: the score 0.5 gives no label
    assert found["hamming"] == pytest.approx(100 * 2 / 6)
    assert found["micro_f1"] == pytest.approx(100 * 2 * 2 / (2 * 2 + 1 + 1))
    assert found["macro_f1"] == pytest.approx(100 * (2 / 3 + 2 / 3 + 0) / 3)
    assert found["ranking_loss"] == 0.0


def test_hamming_and_rmse_are_those_of_scikit_learn(rng: np.random.Generator) -> None:
    scores, Y = rng.uniform(size=(30, 5)), rng.integers(2, size=(30, 5))
    assert judge("multi-label", scores, Y)["hamming"] == pytest.approx(100 * hamming_loss(Y, scores > 0.5))
    found = judge("regression", scores, Y)
    assert found["rmse"] == pytest.approx(root_mean_squared_error(Y.ravel(), scores.ravel()))
    assert found["mse100"] == pytest.approx(100 * found["rmse"] ** 2)


def test_a_model_that_gives_no_label_is_found_out() -> None:
    Y = np.eye(4, 50, dtype=int)
    found = judge("multi-label", np.zeros((4, 50)), Y)
    assert found["hamming"] == pytest.approx(2.0)
    assert found["micro_f1"] == found["macro_f1"] == 0.0


def test_scores_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="2 test rows need a finite score each"):
        judge("multi-class", np.array([[0.1, np.nan], [0.2, 0.3]]), np.array([0, 1]))
    with pytest.raises(ValueError, match=r"2 test rows need a finite score each, but the scores have shape \(3, 2\)"):
        judge("multi-class", np.zeros((3, 2)), np.array([0, 1]))
