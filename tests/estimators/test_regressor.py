"""Numbers: one or many, partly known, on their own scale."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score

import laws
import lsvv
from lsvv import LSVVRegressor, LSVVRegressorCV
from models import SUPERVISED, blobs, curves, regressor

X, _ = blobs()
NUMBERS = np.sin(X[:, 0]) * 50 + 20


def test_one_number_a_row() -> None:
    y = np.where(np.arange(60) % 4 == 0, NUMBERS, np.nan)
    model = regressor(manifold=0.01).fit(X, y)
    assert model.predict(X).shape == (60,)
    assert model.score(X, NUMBERS) > 0.8
    assert model.coef_.shape == (1, 40)
    assert model.transduction_.shape == (60,)


def test_a_column_stays_a_column() -> None:
    model = regressor().fit(X, NUMBERS[:, None])
    assert model.predict(X).shape == (60, 1)
    laws.assert_close(model.predict(X)[:, 0], regressor().fit(X, NUMBERS).predict(X))


@pytest.mark.parametrize("name", ["LSVVRegressor", "LSVVRegressorCV"])
def test_known_numbers_stay_as_given(name: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.full(30, np.nan)
    y[:6] = [1e12, 2e12, 0.001, 5.0, -3.0, 0.1]
    filled = getattr(lsvv, name)(random_state=0).fit(X, y).transduction_
    assert list(filled[:6]) == list(y[:6])
    assert np.isfinite(filled).all()


def test_coefficients_are_on_the_scale_of_the_targets() -> None:
    rows, numbers = curves()
    model = regressor(smoothing=0.0).fit(rows, numbers)
    Phi = model.feature_map_.transform(rows)
    laws.assert_close(model.predict(rows), Phi @ model.coef_.T + model.intercept_)


def test_a_supervised_fit_is_ridge_on_standardised_targets() -> None:
    rows, numbers = curves(holes=False)
    model = regressor(features="linear", ridge=0.03, **SUPERVISED).fit(rows, numbers)
    mean, scale = numbers.mean(axis=0), numbers.std(axis=0)
    reference = Ridge(alpha=0.03 * 60).fit(rows, (numbers - mean) / scale)
    laws.assert_close(model.predict(rows), reference.predict(rows) * scale + mean)


def test_multi_task_rows_are_known_for_one_task_each() -> None:
    rows, full = curves(holes=False)
    numbers = full.copy()
    numbers[:30, 0] = np.nan
    numbers[30:, 1] = np.nan
    model = regressor(manifold=0.01).fit(rows, numbers)
    assert model.score(rows, full) > 0.8


def test_the_score_is_r_squared_over_the_known_entries() -> None:
    rows, numbers = curves()
    model = regressor().fit(rows, numbers)
    predicted, known = model.predict(rows), ~np.isnan(numbers)
    by_hand = [r2_score(numbers[known[:, k], k], predicted[known[:, k], k]) for k in range(2)]
    assert model.score(rows, numbers) == pytest.approx(np.mean(by_hand))
    with pytest.raises(ValueError, match=r"No output of y has two known entries, so R\^2 is not defined"):
        model.score(rows, np.full((60, 2), np.nan))


def test_the_score_takes_every_kind_of_target() -> None:
    y = np.where(np.arange(60) % 4 == 0, NUMBERS, np.nan)
    model = regressor().fit(X, y)
    expected = model.score(X, y)
    assert model.score(X, [None if np.isnan(v) else v for v in y]) == pytest.approx(expected)
    assert model.score(X, pd.Series(y).astype("Float64")) == pytest.approx(expected)


def test_truths_of_another_shape_or_kind_are_refused() -> None:
    model = regressor().fit(X, NUMBERS)
    with pytest.raises(ValueError, match="X has 60 rows, y has 10"):
        model.score(X, NUMBERS[:10])
    with pytest.raises(ValueError, match=r"y has shape \(60, 2\), but the model has 1 numbers a row"):
        model.score(X, np.c_[NUMBERS, NUMBERS])
    with pytest.raises(ValueError, match="y holds entries that are not numbers"):
        model.score(X, ["a"] * 60)


@pytest.mark.parametrize("constant", [0.0, 7.0, 1e20])
def test_a_constant_target_is_predicted(constant: float) -> None:
    laws.assert_close(regressor().fit(X, np.full(60, constant)).predict(X), np.full(60, constant))


def test_solvers_agree() -> None:
    rows, numbers = curves()
    expected = regressor(ridge=0.01).fit(rows, numbers)
    model = regressor(ridge=0.01, solver="accelerated", tol=1e-9, max_iter=5000).fit(rows, numbers)
    laws.assert_close(model.predict(rows), expected.predict(rows), rtol=1e-5, atol=1e-5)


def test_weights_pull_towards_the_heavy_rows() -> None:
    y = np.r_[np.zeros(30), np.ones(30)]
    weight = np.r_[np.ones(30), np.full(30, 1e6)]
    assert regressor(ridge=1e3, **SUPERVISED).fit(X, y, sample_weight=weight).predict(X).min() > 0.99


@pytest.mark.parametrize("kind", [LSVVRegressor, LSVVRegressorCV])
def test_without_an_intercept_a_model_says_w_phi_and_nothing_else(kind: Any) -> None:
    y = X @ [1.0, 2.0] + 10.0
    model = kind(features="linear", fit_intercept=False, ridge=1e-3, smoothing=0.0).fit(X, y)
    core = getattr(model, "best_estimator_", None) or model
    laws.assert_close(core.intercept_, [0.0])
    laws.assert_close(model.predict(X), X @ core.coef_[0])
    laws.assert_close(model.predict(np.zeros((1, 2))), [0.0])
    reference = Ridge(alpha=1e-3 * 60, fit_intercept=False).fit(X, y)
    laws.assert_close(core.coef_[0], reference.coef_)
