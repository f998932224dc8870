"""Every spelling of "unlabelled" is the same model."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import torch
from sklearn.datasets import load_digits

import laws
from lsvv.features import RandomFourier
from models import PAPER, SUPERVISED, blobs, classifier, curves, indicators, regressor, some_labels

X, TRUTH = blobs()
Y = some_labels(TRUTH)
NAMES = np.array(["ant", "bee", "cat"])
FLOATS = np.where(Y == -1, np.nan, Y)
STRINGS: list[Any] = [None if label == -1 else str(NAMES[label]) for label in Y]

INTEGERS: dict[str, Any] = {
    "list": Y.tolist(),
    "NaN": FLOATS,
    "None": [None if label == -1 else int(label) for label in Y],
    "tensor": torch.as_tensor(Y),
    "pandas": pd.Series(Y),
    "pandas Int64": pd.Series(FLOATS).astype("Int64"),
    "pandas Categorical": pd.Series(pd.Categorical([None if label == -1 else int(label) for label in Y])),
    "polars": pl.Series([None if label == -1 else int(label) for label in Y]),
}
WORDS: dict[str, Any] = {
    "list": STRINGS,
    "objects": np.array(STRINGS, dtype=object),
    "NaN": [np.nan if s is None else s for s in STRINGS],
    "pandas": pd.Series(STRINGS),
    "pandas string": pd.Series(STRINGS, dtype="string"),
    "pandas Categorical": pd.Series(pd.Categorical(STRINGS)),
    "polars": pl.Series(STRINGS),
}


@pytest.mark.parametrize("spelling", INTEGERS)
def test_integer_classes(spelling: str) -> None:
    expected = classifier().fit(X, Y)
    model = classifier().fit(X, INTEGERS[spelling])
    assert model.classes_.tolist() == [0, 1, 2]
    laws.assert_close(model.coef_, expected.coef_)
    np.testing.assert_array_equal(model.transduction_, expected.transduction_)
    assert model.score(X, INTEGERS[spelling]) == expected.score(X, Y)


@pytest.mark.parametrize("spelling", WORDS)
def test_string_classes(spelling: str) -> None:
    expected = classifier().fit(X, Y)
    model = classifier().fit(X, WORDS[spelling])
    assert model.classes_.tolist() == NAMES.tolist()
    laws.assert_close(model.coef_, expected.coef_)
    np.testing.assert_array_equal(model.predict(X), NAMES[expected.predict(X)])
    np.testing.assert_array_equal(model.transduction_, NAMES[expected.transduction_])
    assert model.score(X, WORDS[spelling]) == expected.score(X, Y)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, torch.as_tensor, pd.DataFrame, pl.DataFrame])
def test_unlabelled_rows_may_come_apart(form: Any) -> None:
    known = Y != -1
    together = classifier().fit(np.vstack([X[known], X[~known]]), np.r_[Y[known], Y[~known]])
    apart = classifier().fit(form(X[known]), Y[known], X_unlabeled=form(X[~known]))
    laws.assert_close(apart.coef_, together.coef_, rtol=1e-7)
    np.testing.assert_array_equal(apart.transduction_, together.transduction_)


def test_unlabelled_rows_may_come_as_another_kind_of_array() -> None:
    known = Y != -1
    expected = classifier().fit(X[known], Y[known], X_unlabeled=X[~known]).coef_
    for form, other in [(np.asarray, torch.as_tensor), (torch.as_tensor, np.asarray), (torch.as_tensor, sp.csr_array)]:
        model = classifier().fit(form(X[known]), Y[known], X_unlabeled=other(X[~known]))
        laws.assert_close(model.coef_, expected, rtol=1e-7)


def test_unlabelled_rows_may_come_apart_for_numbers_and_labels() -> None:
    for model, (rows, targets) in [(regressor(), curves()), (classifier(), indicators())]:
        empty = np.full((20, targets.shape[1]), np.nan)
        together = model.fit(rows, np.vstack([targets[:40], empty])).coef_
        apart = model.fit(rows[:40], targets[:40], X_unlabeled=rows[40:]).coef_
        laws.assert_close(apart, together)


def test_a_weight_of_zero_is_unlabelled() -> None:
    weighted = classifier().fit(X, TRUTH, sample_weight=(Y != -1).astype(float))
    marked = classifier().fit(X, Y)
    laws.assert_close(weighted.coef_, marked.coef_)
    laws.assert_close(weighted.predict_proba(X), marked.predict_proba(X))
    np.testing.assert_array_equal(weighted.transduction_, marked.transduction_)


def test_a_weight_of_zero_on_an_entry_is_an_unknown_entry() -> None:
    for model, full, (rows, holed) in [
        (classifier(), indicators(holes=False)[1], indicators()),
        (regressor(), curves(holes=False)[1], curves()),
    ]:
        marked = model.fit(rows, holed).coef_.copy()
        weighted = model.fit(rows, full, sample_weight=(~np.isnan(holed)).astype(float)).coef_
        laws.assert_close(weighted, marked)


@pytest.mark.parametrize("terms", [SUPERVISED, PAPER], ids=str)
def test_transduction_keeps_what_is_known_and_predicts_the_rest(terms: dict[str, Any]) -> None:
    model = classifier(**terms).fit(X, Y)
    np.testing.assert_array_equal(model.transduction_[Y != -1], Y[Y != -1])
    np.testing.assert_array_equal(model.transduction_[Y == -1], model.predict(X)[Y == -1])
    rows, labels = indicators()
    model = classifier(**terms).fit(rows, labels)
    known = ~np.isnan(labels)
    np.testing.assert_array_equal(model.transduction_[known], labels[known])
    np.testing.assert_array_equal(model.transduction_[~known], model.predict(rows)[~known])
    rows, numbers = curves()
    filled = regressor(**terms).fit(rows, numbers)
    known = ~np.isnan(numbers)
    laws.assert_close(filled.transduction_[known], numbers[known])
    laws.assert_close(filled.transduction_[~known], filled.predict(rows)[~known])


def test_wrong_labels_among_the_known_are_kept_as_given() -> None:
    wrong = Y.copy()
    wrong[0] = (wrong[0] + 1) % 3
    model = classifier(ridge=10.0).fit(X, wrong)
    assert model.transduction_[0] == wrong[0]


def test_unlabelled_rows_help_on_digits() -> None:
    rows, truth = load_digits(return_X_y=True)
    rows, truth = rows[:600] / 16, truth[:600]
    first = np.concatenate([np.flatnonzero(truth == digit)[:3] for digit in range(10)])
    y = np.full(600, -1)
    y[first] = truth[first]
    smoothed, paper, supervised = (
        1 - classifier(features=RandomFourier(500), ridge=1e-5, **terms).fit(rows, y).score(rows, truth)
        for terms in ({}, PAPER, SUPERVISED)
    )
    assert smoothed < 0.8 * supervised
    assert paper < 0.8 * supervised
