"""Transfer: better than both plain ways where a shift is of low rank, the better of them elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lsvv import LSVVRegressor
from lsvv.tasks import TransferClassifier, TransferRegressor

PLAIN = LSVVRegressor(features="linear", smoothing=0)
Case = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def shifted(kind: str, seed: int) -> Case:
    """X, Y, domains, new target rows and their noise-free targets."""
    rng = np.random.default_rng(seed)
    d, K, n = 12, 8, 430
    W, other = rng.normal(size=(2, d, K)) / np.sqrt(d)
    shift = {"none": 0.0 * W, "low rank": np.outer(rng.normal(size=d), rng.normal(size=K)) / 2.0, "all": other - W}
    X, new = rng.normal(size=(n, d)), rng.normal(size=(500, d))
    domain = np.where(np.arange(n) < 400, 1, -1)
    target = W + shift[kind]
    Y = np.where(domain[:, None] > 0, X @ W, X @ target) + 0.5 * rng.normal(size=(n, K))
    return X, Y, domain, new, new @ target


def errors(kind: str, seed: int) -> np.ndarray:
    X, Y, domain, new, truth = shifted(kind, seed)
    models = (
        TransferRegressor(PLAIN, random_state=0).fit(X, Y, sample_domain=domain),
        clone(PLAIN).fit(X[domain < 0], Y[domain < 0]),
        clone(PLAIN).fit(X, Y),
    )
    return np.array([np.mean((model.predict(new) - truth) ** 2) for model in models])


def test_a_shift_of_low_rank_is_learnt_better_than_either_plain_way_does() -> None:
    found = np.mean([errors("low rank", seed) for seed in range(3)], axis=0)
    assert found[0] < 0.8 * found[1:].min()


@pytest.mark.parametrize("kind", ["none", "all"])
def test_elsewhere_it_is_the_better_of_both(kind: str) -> None:
    found = np.mean([errors(kind, seed) for seed in range(3)], axis=0)
    assert found[0] <= 1.1 * found[1:].min()


def test_shares_say_which_way_was_taken() -> None:
    X, Y, domain, _, _ = shifted("none", 0)
    model = TransferRegressor(PLAIN, random_state=0).fit(X, Y, sample_domain=domain)
    assert model.weights_["pooled"] == 1.0
    assert sum(model.weights_.values()) == pytest.approx(1.0)
    pooled = clone(PLAIN).set_params(random_state=0).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), pooled.predict(X), rtol=1e-6)


def test_one_output_is_one_column() -> None:
    X, Y, domain, _, _ = shifted("none", 0)
    model = TransferRegressor(PLAIN, random_state=0).fit(X, Y[:, 0], sample_domain=domain)
    assert model.predict(X).shape == (430,)
    assert max(model.weights_, key=lambda way: model.weights_[way]) == "pooled"


def test_the_order_of_rows_does_not_matter_and_missing_entries_are_welcome() -> None:
    X, Y, domain, new, _ = shifted("low rank", 1)
    Y[np.random.default_rng(0).random(Y.shape) < 0.2] = np.nan
    order = np.random.default_rng(1).permutation(len(X))
    first = TransferRegressor(PLAIN, random_state=0).fit(X, Y, sample_domain=domain)
    second = TransferRegressor(PLAIN, random_state=0).fit(X[order], Y[order], sample_domain=domain[order])
    np.testing.assert_allclose(first.predict(new), second.predict(new), rtol=1e-3, atol=1e-3)


def test_classes_have_probabilities() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(440, 3))
    domain = np.where(np.arange(440) < 400, 1, -1)
    side = X[:, 0] + np.where(domain < 0, 1.0, 0.0) * X[:, 1]
    y = np.where(side > 0.5, "high", np.where(side < -0.5, "low", "middle"))
    model = TransferClassifier(PLAIN, random_state=0).fit(X, y, sample_domain=domain)
    new = rng.normal(size=(300, 3))
    truth = new[:, 0] + new[:, 1]
    truth = np.where(truth > 0.5, "high", np.where(truth < -0.5, "low", "middle"))
    proba = model.predict_proba(new)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert np.array_equal(model.classes_[proba.argmax(axis=1)], model.predict(new))
    assert model.score(new, truth) > 0.6


def test_domains_are_routed() -> None:
    X, Y, domain, _, _ = shifted("none", 0)
    with sklearn.config_context(enable_metadata_routing=True):
        transfer = TransferRegressor(PLAIN, random_state=0).set_fit_request(sample_domain=True)
        model = make_pipeline(StandardScaler(), transfer).fit(X, Y, sample_domain=domain)
        found = cross_validate(model, X, Y, cv=2, params={"sample_domain": domain[::-1] * 0 + np.tile([1, -1], 215)})
    assert len(found["test_score"]) == 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"domain": None}, "sample_domain is missing. Pass one integer a row"),
        ({"domain": np.zeros(430)}, "0 is neither"),
        ({"domain": np.ones(3)}, r"sample_domain has shape \(3,\)"),
        ({"domain": np.full(430, 2)}, "No row of the target is labelled. Transfer learns from labels on both sides"),
        ({"domain": np.full(430, -2)}, "No row of a source is labelled"),
        ({"known": slice(0, 400)}, "No row of the target is labelled"),
        ({"known": slice(0, 401)}, "One target row is labelled"),
    ],
)
def test_domains_that_cannot_be_learnt_from_are_refused(change: dict[str, Any], sentence: str) -> None:
    X, Y, domain, _, _ = shifted("none", 0)
    seen = np.full(Y.shape, np.nan)
    seen[change.get("known", slice(None))] = Y[change.get("known", slice(None))]
    with pytest.raises(ValueError, match=sentence):
        TransferRegressor(PLAIN).fit(X, seen, sample_domain=change.get("domain", domain))
