"""Columns of categories in a frame: estimators take them as they are, with categories of all kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.preprocessing import OneHotEncoder

from lsvv import LSVVClassifier, LSVVClassifierCV, LSVVRegressor
from lsvv.categories import MOST_CATEGORIES, code_categories, learn_categories
from lsvv.selection import column_importances

pd = pytest.importorskip("pandas")


def _frame(rng: np.random.Generator, n: int = 60) -> tuple[Any, np.ndarray]:
    kinds = rng.choice(["a", "b", "c"], n)
    return pd.DataFrame({"size": rng.normal(size=n), "kind": pd.Categorical(kinds)}), kinds


def test_categories_are_the_columns_of_a_one_hot_encoder(rng: np.random.Generator) -> None:
    X, kinds = _frame(rng)
    ours = code_categories(X, learn_categories(X))
    np.testing.assert_array_equal(ours[:, 1:], OneHotEncoder(sparse_output=False).fit_transform(kinds[:, None]))
    np.testing.assert_array_equal(ours[:, 0], X["size"])


def test_a_column_of_categories_can_decide(rng: np.random.Generator) -> None:
    X, kinds = _frame(rng)
    y = np.where(np.arange(60) < 30, (kinds == "b").astype(int), -1)
    for model in (LSVVClassifierCV(random_state=0), LSVVClassifier(random_state=0)):
        assert model.fit(X, y).score(X, (kinds == "b").astype(int)) > 0.9
        assert list(model.feature_names_in_) == ["size", "kind"]
        assert model.n_features_in_ == 2


def test_new_and_missing_categories_have_an_answer(rng: np.random.Generator) -> None:
    X, kinds = _frame(rng)
    model = LSVVRegressor(features="linear").fit(X, (kinds == "a") * 2.0)
    new = pd.DataFrame({"size": [0.0, 0.0], "kind": pd.Categorical(["strange", None])})
    first, second = model.predict(new)
    assert first == second
    assert np.isfinite(first)


def test_of_very_many_categories_the_common_ones_are_kept(rng: np.random.Generator) -> None:
    names = np.array([f"n{i}" for i in range(10_000)] + ["common"] * 50)
    X = pd.DataFrame({"name": pd.Categorical(names), "size": rng.normal(size=names.size)})
    kept = learn_categories(X)["name"]
    assert kept.size == MOST_CATEGORIES
    assert "common" in kept


def test_polars_frames_are_read_alike(rng: np.random.Generator) -> None:
    pl = pytest.importorskip("polars")
    X, kinds = _frame(rng)
    other = pl.DataFrame({"size": X["size"].to_numpy(), "kind": pl.Series(kinds.tolist(), dtype=pl.Categorical)})
    np.testing.assert_array_equal(
        code_categories(other, learn_categories(other)), code_categories(X, learn_categories(X))
    )
    assert LSVVRegressor(features="linear").fit(other, X["size"]).score(other, X["size"]) > 0.9


def test_an_empty_name_is_not_a_missing_category() -> None:
    X = pd.DataFrame({"kind": pd.Categorical(["", "a", None])})
    np.testing.assert_array_equal(code_categories(X, learn_categories(X)), [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])


def test_importances_and_errors_name_columns_of_the_frame(rng: np.random.Generator) -> None:
    X, kinds = _frame(rng, 120)
    X = X[["kind", "size"]]
    model = LSVVClassifierCV(random_state=0).fit(X, (kinds == "c").astype(int))
    found = column_importances(model, X)
    assert found.names == ("kind", "size")
    assert found.matters.tolist() == [True, False]
    spoilt = X.assign(size=np.where(np.arange(120) == 5, np.nan, X["size"]))
    with pytest.raises(ValueError, match=r"X contains NaN at row 5, column 3 \('size'\)"):
        model.predict(spoilt)


def test_sentences(rng: np.random.Generator) -> None:
    X, kinds = _frame(rng)
    model = LSVVClassifier(features="linear").fit(X, kinds)
    with pytest.raises(ValueError, match=r"was fitted on a frame with columns of categories .'kind'.\. Pass a frame"):
        model.predict(np.zeros((2, 2)))
    empty = pd.DataFrame({"kind": pd.Categorical([None] * 60)})
    with pytest.raises(ValueError, match="its columns of categories are all empty"):
        LSVVClassifier().fit(empty, kinds)
    twice = pd.concat([X["kind"], X["kind"], X["size"]], axis=1)
    with pytest.raises(ValueError, match="X has several columns named 'kind'"):
        LSVVClassifier().fit(twice, kinds)
    with pytest.raises(ValueError, match="Column 'size' of X holds neither numbers nor categories"):
        model.predict(X.assign(size="large"))
