"""Several columns of classes: one W, a subspace of its own size, probabilities of each column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from lsvv import LSVVClassifier, LSVVRegressor
from lsvv.tasks import ClassColumns

PLAIN: dict[str, Any] = {"features": "linear", "smoothing": 0, "ridge": 1e-4}


def tasks(seed: int, n: int = 400, columns: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Columns of three classes that all depend on the same two directions of ten."""
    rng = np.random.default_rng(seed)
    X, hidden = rng.normal(size=(n, 10)), rng.normal(size=(10, 2))
    scores = (X @ hidden @ rng.normal(size=(2, 3 * columns))).reshape(n, columns, 3)
    return X, np.array(["a", "b", "c"], dtype=object)[scores.argmax(axis=2)]


def test_without_a_tail_columns_are_classifiers_of_their_own() -> None:
    X, y = tasks(0)
    together = ClassColumns(LSVVRegressor(**PLAIN)).fit(X, y)
    for column in (0, 5):
        alone = LSVVRegressor(**PLAIN).fit(X, (y[:, [column]] == np.array([["a", "b", "c"]])).astype(float))
        expected = np.array(["a", "b", "c"])[alone.predict(X).argmax(axis=1)]
        np.testing.assert_array_equal(together.predict(X)[:, column], expected)


def test_a_shared_subspace_makes_few_labels_enough() -> None:
    shared, apart = [], []
    for seed in range(3):
        X, y = tasks(seed, n=800)
        seen = np.full(y.shape, None, dtype=object)
        for column in range(6):  # rows of its own for each column
            rows = slice(15 * column, 15 * column + 15)
            seen[rows, column] = y[rows, column]
        model = ClassColumns(LSVVRegressor(**PLAIN, spectral=0.4), random_state=0).fit(X[:400], seen[:400])
        shared.append(model.score(X[400:], y[400:]))
        each = [LSVVClassifier(**PLAIN).fit(X[:400], seen[:400, column]) for column in range(6)]
        apart.append(np.mean([one.score(X[400:], y[400:, column]) for column, one in enumerate(each)]))
    assert np.mean(shared) > np.mean(apart) + 0.05


def test_probabilities_sum_to_one_and_are_honest() -> None:
    X, y = tasks(1)
    model = ClassColumns(LSVVRegressor(**PLAIN), random_state=0).fit(X[:200], y[:200])
    found = model.predict_proba(X[200:])
    for column, proba in enumerate(found):
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)
        assert np.array_equal(model.classes_[column][proba.argmax(axis=1)], model.predict(X[200:])[:, column])
        right = proba.argmax(axis=1) == np.searchsorted(model.classes_[column], y[200:, column].astype(str))
        assert abs(proba.max(axis=1).mean() - right.mean()) < 0.1


def test_columns_of_different_kinds_in_a_frame() -> None:
    X, y = tasks(2)
    frame = pd.DataFrame({"name": y[:, 0], "number": np.where(X[:, 0] > 0, 7, 3)})
    frame.loc[:150, "name"] = None
    frame.loc[300:, "number"] = -1
    model = ClassColumns(LSVVRegressor(**PLAIN)).fit(X, frame)
    assert [one.tolist() for one in model.classes_] == [["a", "b", "c"], [3, 7]]
    assert set(model.predict(X)[:, 1]) <= {3, 7}
    assert model.score(X, frame) > 0.8


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (["a", "b"] * 3, r"y has shape \(6,\), X has 6 rows. Pass one row of y"),
        ([["a", "b"]] * 3, r"y has shape \(3, 2\), X has 6 rows"),
        ([["a", None]] * 3 + [["b", None]] * 3, "Column 1 of y: No row is labelled"),
        ([["a", "x"]] * 3 + [["b", "x"]] * 3, "Column 1 of y: All labelled rows are of one class, 'x'"),
    ],
)
def test_columns_that_cannot_be_learnt_are_named(y: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        ClassColumns().fit(np.arange(12.0).reshape(6, 2), y)


def test_nothing_known_cannot_be_scored() -> None:
    X, y = tasks(3)
    model = ClassColumns(LSVVRegressor(**PLAIN)).fit(X, y)
    with pytest.raises(ValueError, match="No entry of y is labelled, so there is nothing to score"):
        model.score(X, np.full(y.shape, None))
