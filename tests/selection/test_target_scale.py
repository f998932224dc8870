"""The scale of numbers: logarithms where leave-one-out finds them better, all as before where it does not."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import laws
from lsvv import LSVVRegressorCV
from lsvv.features import Linear, RandomFourier
from lsvv.selection import estimators
from lsvv.targets import Numbers, encode_numbers, may_be_logs, on_logs


def search(scale: str = "auto", **settings: Any) -> LSVVRegressorCV:
    return LSVVRegressorCV(**{"features": "linear", "target_scale": scale, "random_state": 0, **settings})


def prices(n: int = 300, noise: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and numbers whose logarithm is a line."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, np.exp(4 + X @ [1.0, -0.5, 0.3] + noise * rng.normal(size=n))


X, PRICES = prices()
KNOWN = np.where(np.arange(300) < 80, PRICES, np.nan)


@pytest.mark.parametrize("shift", [0.0, 7.0])
def test_logarithms_are_read_back(shift: float) -> None:
    given = np.r_[PRICES[:50], [0.0] * (shift > 0)]
    targets = on_logs(encode_numbers(given, len(given), None), np.ones(1, dtype=bool))
    assert isinstance(targets.codec, Numbers)
    laws.assert_close(targets.codec.decode(targets.values), given, atol=1e-12)
    assert (targets.codec.shift[0] > 0) == (shift > 0)
    assert targets.codec.decode(np.full((1, 1), -1e3))[0] >= 0.0
    # exp of what no known number comes near would be a guess
    assert targets.codec.decode(np.full((1, 1), 1e3))[0] <= (given.max() + 9) * np.exp(targets.codec.scale[0])


def test_outputs_that_may_be_logarithms() -> None:
    few = np.where(np.arange(300) < 9, PRICES, np.nan)
    Y = np.c_[PRICES, -PRICES, np.arange(300.0), few, np.ones(300), np.r_[0.0, PRICES[1:]]]
    targets = encode_numbers(Y, 300, None)
    assert may_be_logs(targets.given, targets.weights).tolist() == [True, False, False, False, False, True]
    laws.assert_close(may_be_logs(1e200 * targets.given, targets.weights), may_be_logs(targets.given, targets.weights))


def test_prices_are_learnt_as_logarithms_and_better_so() -> None:
    auto, plain = search().fit(X, KNOWN), search("as is").fit(X, KNOWN)
    assert (auto.target_scales_, plain.target_scales_) == (("log",), ("as is",))
    assert any("Output 0 is fitted as a logarithm" in note for note in auto.notes_)
    assert auto.score(X[80:], PRICES[80:]) > plain.score(X[80:], PRICES[80:]) + 0.1
    assert auto.predict(X).min() > 0.0 > plain.predict(X).min()
    assert auto.transduction_.min() > 0.0
    laws.assert_close(auto.predict(X), search("log").fit(X, KNOWN).predict(X))
    lower, upper = auto.predict_interval(X[80:])
    assert lower.min() > 0.0
    # of one share of the price everywhere, but for what the errors say
    assert np.ptp(np.log(upper / lower)) < 1.0
    assert 0.85 <= np.mean((lower <= PRICES[80:]) & (PRICES[80:] <= upper)) <= 0.97


def test_numbers_that_are_a_line_stay_as_they_are() -> None:
    x = np.random.default_rng(0).exponential(size=(200, 1))
    y = 3.0 * x[:, 0] + 1.0
    model = search().fit(x, y)
    assert model.target_scales_ == ("as is",)
    laws.assert_close(model.predict(x), search("as is").fit(x, y).predict(x))


def test_each_output_has_its_own_scale_and_holes() -> None:
    Y = np.c_[KNOWN, X[:, 0], np.where(np.arange(300) % 2, PRICES**2, np.nan), X[:, 1] ** 2]
    model = search(per_output=True).fit(X, Y)
    assert model.target_scales_ == ("log", "as is", "log", "as is")
    known = ~np.isnan(Y)
    np.testing.assert_array_equal(model.transduction_[known], Y[known])
    assert np.isfinite(model.transduction_).all()
    laws.assert_close(model.predict(X)[:, 0], search().fit(X, KNOWN).predict(X), rtol=0.1)


def test_nothing_is_searched_twice_where_no_output_is_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("searched for a scale")

    monkeypatch.setattr(estimators.LSVVRegressorCV, "_better_as_logs", refuse)
    assert search().fit(X, X[:, 0]).target_scales_ == ("as is",)
    assert search("log").fit(X, PRICES).target_scales_ == ("log",)
    with pytest.raises(AssertionError, match="searched for a scale"):
        search().fit(X, PRICES)


def test_predictions_aim_at_the_mean() -> None:
    rows, numbers = prices(4000, noise=0.8)
    model = search("log").fit(rows[:2000], numbers[:2000])
    assert model.predict(rows[2000:]).mean() == pytest.approx(numbers[2000:].mean(), rel=0.1)
    lower, upper = model.predict_interval(rows[2000:], 0.001)
    assert np.mean(numbers[2000:] < (lower + upper) / 2) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("settings", [{"selection": "best"}, {"ridge": 1e-3, "smoothing": 0.0}])
def test_the_best_estimator_has_the_scale(settings: dict[str, Any]) -> None:
    model = search(**settings).fit(X, KNOWN)
    assert model.target_scales_ == ("log",)
    assert model.best_estimator_ is not None
    laws.assert_close(model.best_estimator_.predict(X), model.predict(X))
    laws.assert_close(model.transduction_[80:], model.predict(X[80:]), rtol=0.2)
    np.testing.assert_array_equal(model.transduction_[:80], KNOWN[:80])


def test_unlabelled_rows_may_stand_below() -> None:
    apart = search().fit(X[:80], PRICES[:80], X_unlabeled=X[80:])
    laws.assert_close(apart.predict(X), search().fit(X, KNOWN).predict(X))


def test_a_number_without_logarithm_and_a_strange_scale_are_refused() -> None:
    with pytest.raises(ValueError, match=r"y holds -3 at row 4, column 0, which has no logarithm. Pass target_scale="):
        search("log").fit(X[:20], np.where(np.arange(20) == 4, -3.0, 5.0))
    with pytest.raises(ValueError, match=r"target_scale='square' is out of range. Pass 'auto', 'as is' or 'log'."):
        search("square").fit(X, PRICES)
    assert clone(search("log")).target_scale == "log"


def test_every_map_and_the_graph_may_serve_both_scales() -> None:
    model = search(features=[Linear(), RandomFourier(40)]).fit(X, np.r_[0.0, KNOWN[1:]])
    assert model.target_scales_ == ("log",)
    assert model.predict(X).min() >= 0.0
