"""A mixture of experts: shares that sum to 1, models that are exact where experts part, no look at labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import laws
from lsvv import LSVVClassifierCV, LSVVRegressor
from lsvv.features import Experts, RandomFourier, Trees

DRAWN = {
    f"check_sample_weight_equivalence_on_{kind}_data": "k-means starts from rows: a repeated one may be drawn twice"
    for kind in ("dense", "sparse")
}


def test_it_is_a_scikit_learn_transformer() -> None:
    laws.assert_fails_only(Experts(3, random_state=0), DRAWN)


@pytest.mark.parametrize("softness", [1e-6, 0.3, 1.0, 1e6])
def test_shares_sum_to_one_and_follow_the_formula(rng: np.random.Generator, softness: float) -> None:
    X = rng.normal(size=(60, 2))
    phi = Experts(4, softness=softness, random_state=0).fit(X)
    g = phi.shares(X)
    np.testing.assert_allclose(g.sum(axis=1), 1.0)
    squares = ((X[:, None] - phi.centres_[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(phi.spread_, squares.min(axis=1).mean(), rtol=1e-9)
    log = -squares / (2.0 * softness * phi.spread_)
    expected = np.exp(log - log.max(axis=1, keepdims=True))
    np.testing.assert_allclose(g, expected / expected.sum(axis=1, keepdims=True), atol=1e-9)


def test_features_are_shares_times_one_and_the_experts_features(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 3))
    phi = Experts(2, random_state=0).fit(X)
    g = phi.shares(X)
    expected = np.concatenate([g, g[:, :1] * X, g[:, 1:] * X], axis=1)
    np.testing.assert_allclose(phi.transform(X), expected)


def test_one_part_is_the_expert_alone(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    y = X @ [1.0, -2.0, 0.5] + 3.0
    phi = Experts(1, expert=RandomFourier(10, random_state=0), random_state=0)
    Phi = RandomFourier(10, random_state=0).fit(X).transform(X)
    np.testing.assert_allclose(phi.fit_transform(X), np.concatenate([np.ones((40, 1)), Phi], axis=1), atol=1e-12)
    np.testing.assert_allclose(
        LSVVRegressor(features=Experts(1, random_state=0), ridge=0.0, smoothing=0).fit(X, y).predict(X), y, atol=1e-8
    )


def test_hard_parts_have_models_of_their_own(rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(size=(50, 2)) - 20.0, rng.normal(size=(50, 2)) + 20.0])
    y = np.where(np.arange(100) < 50, X @ [1.0, 2.0], X @ [-3.0, 0.5] + 7.0)
    model = LSVVRegressor(features=Experts(2, softness=0.05, random_state=0), ridge=1e-12, smoothing=0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-4)


@pytest.mark.parametrize("kind", [sp.csr_array, torch.as_tensor, np.float32])
def test_every_kind_of_rows(rng: np.random.Generator, kind: Any) -> None:
    X = rng.normal(size=(40, 3))
    rows = kind(X)
    phi = Experts(3, random_state=0)
    found = phi.fit(rows).transform(rows)
    found = found.toarray() if sp.issparse(found) else np.asarray(found)
    np.testing.assert_allclose(found, phi.fit(X).transform(X), atol=1e-4)


def test_sparse_experts_stay_sparse_and_few_rows_make_few_parts(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2))
    assert sp.issparse(Experts(2, expert=Trees(5), random_state=0).fit_transform(X))
    assert len(Experts(8, random_state=0).fit(np.repeat(X[:3], 5, axis=0)).experts_) == 3


def test_a_search_takes_it_since_it_sees_no_label(rng: np.random.Generator) -> None:
    X = rng.uniform(-1, 1, size=(120, 1))
    y = (np.abs(X[:, 0]) > 0.5).astype(int)
    assert LSVVClassifierCV(features=["linear", Experts(3)], random_state=0).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize(
    ("phi", "sentence"),
    [
        (Experts(0), "n_parts=0 is out of range"),
        (Experts(softness=0.0), "softness=0.0 is out of range. Pass a finite number above 0"),
        (Experts(expert="cubic"), "expert='cubic' is not a map of lsvv.features"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused(phi: Experts, sentence: str, rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match=sentence):
        phi.fit(rng.normal(size=(20, 2)))
