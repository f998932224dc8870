"""Labels spread over the graph: the closed form, its leave-one-out, and where no label is within reach."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_moons

from laws import Put
from lsvv import LSVVClassifierCV
from lsvv.graph import KNNGraph, Smoother
from lsvv.selection.voting import SPREAD, vote

ALONE = np.arange(5)
"""Each label in a fold of its own."""


def _problem(rng: np.random.Generator) -> tuple[sp.csr_array, np.ndarray, np.ndarray, np.ndarray]:
    S = KNNGraph(weights="self-tuned").fit(rng.normal(size=(40, 2)), 5).S
    labelled = np.array([1, 5, 8, 20, 33])
    A = rng.uniform(0.5, 1.5, size=(5, 2))
    A[2, 1] = 0.0
    return S, labelled, rng.normal(size=(5, 2)), A / A.sum(axis=0)


def _spread(S: sp.csr_array) -> np.ndarray:
    """R by the inverse."""
    P = (S / S.sum(axis=1)[:, None]).toarray()
    return np.asarray((1 - SPREAD) * np.linalg.inv(np.eye(len(P)) - SPREAD * P))


def test_a_vote_is_the_mean_of_labels_weighed_by_r(put: Put, rng: np.random.Generator) -> None:
    S, labelled, T, A = _problem(rng)
    R = _spread(S)[:, labelled]
    np.testing.assert_allclose(
        vote(Smoother(S), labelled, T, A, ALONE, put(np.empty(0))).near, (R @ (A * T)) / (R @ A), rtol=1e-4, atol=1e-6
    )


def test_leaving_a_label_out_is_a_vote_without_it(put: Put, rng: np.random.Generator) -> None:
    S, labelled, T, A = _problem(rng)
    found = vote(Smoother(S), labelled, T, A, ALONE, put(np.empty(0))).expectation
    for place in range(len(labelled)):
        others = A * (np.arange(len(labelled)) != place)[:, None]
        R = _spread(S)[labelled[place], labelled]
        np.testing.assert_allclose(found[place], (R @ (others * T)) / (R @ others), rtol=1e-4, atol=1e-6)


def test_leaving_a_fold_out_is_a_vote_of_the_others(put: Put, rng: np.random.Generator) -> None:
    S = KNNGraph(weights="self-tuned").fit(rng.normal(size=(60, 2)), 5).S
    labelled, folds = rng.permutation(60)[:30], np.arange(30) % 3
    T, A = rng.normal(size=(30, 1)), np.full((30, 1), 1 / 30)
    found = vote(Smoother(S), labelled, T, A, folds, put(np.empty(0))).expectation
    for place in range(30):
        others = A * (folds != folds[place])[:, None]
        R = _spread(S)[labelled[place], labelled]
        np.testing.assert_allclose(found[place], (R @ (others * T)) / (R @ others), rtol=1e-4, atol=1e-6)


def test_where_no_label_is_within_reach_the_mean_stands_alone(rng: np.random.Generator) -> None:
    X = np.vstack([rng.normal(size=(20, 2)), 1e4 + rng.normal(size=(20, 2))])
    smoother = Smoother(KNNGraph(weights="self-tuned").fit(X, 3).S)
    T, A = np.array([[1.0], [3.0]]), np.array([[0.5], [0.5]])
    near = vote(smoother, np.array([0, 1]), T, A, np.arange(2), np.empty(0)).near
    np.testing.assert_allclose(near[20:], 2.0)
    assert near[:20].min() >= 1.0 - 1e-6
    assert near[:20].max() <= 3.0 + 1e-6


def test_out_of_reach_a_left_out_label_is_told_by_the_others_alone(rng: np.random.Generator) -> None:
    X = np.vstack([rng.normal(size=(20, 2)), 1e4 + rng.normal(size=(20, 2))])
    smoother = Smoother(KNNGraph(weights="self-tuned").fit(X, 3).S)
    T, A = np.array([[1.0], [3.0]]), np.array([[0.25], [0.75]])
    found = vote(smoother, np.array([0, 30]), T, A, np.arange(2), np.empty(0)).expectation
    np.testing.assert_allclose(found, [[3.0], [1.0]], atol=1e-6)


def test_a_graph_on_features_has_no_vote(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    y = np.where(np.arange(60) < 20, (X[:, 0] > 0).astype(int), -1)
    model = LSVVClassifierCV(graph=KNNGraph(on="features"), random_state=0).fit(X, y)
    assert "neighbours" not in model.kinds_
    assert np.isfinite(model.predict_proba(X)).all()


def test_what_the_guard_drops_is_dropped_whole() -> None:
    for seed in range(4):
        X = np.random.default_rng(seed).normal(size=(150, 4))
        truth = (np.floor(3 * X[:, 0]) % 2).astype(int)
        model = LSVVClassifierCV(random_state=0).fit(X, np.where(np.arange(150) < 60, truth, -1))
        assert model.guard_ is not None
        assert ("neighbours" in model.kinds_) == (model.guard_.share > 0.0)


def test_twelve_labels_tell_two_moons_apart() -> None:
    for seed in range(3):
        X, truth = make_moons(400, noise=0.07, random_state=seed)
        y = np.where(np.arange(400) < 12, truth, -1)
        model = LSVVClassifierCV(random_state=0).fit(X, y)
        assert model.score(X, truth) > 0.99
        assert model.kinds_["neighbours"] > 0.5
