"""Forests beside the maps: judged on folds they have not seen, kept in plain arrays, weighed by what they bring."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesRegressor

import laws
from laws import Put
from lsvv import LSVVClassifierCV, LSVVRegressorCV
from lsvv.features import RandomFourier
from lsvv.selection.forests import (
    FEWEST_TO_BOOST,
    FOLDS,
    KINDS,
    CrossFitted,
    balanced_folds,
    cross_fitted,
    forests_of,
    in_arrays,
    tree_rows,
)
from lsvv.selection.growing import PACE, Grown, boosted_trees


def _stairs(rng: np.random.Generator, n: int = 300, d: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Classes that two cuts of one column of many decide."""
    X = rng.normal(size=(n, d))
    return X, ((X[:, 2] > 0.5) | (X[:, 2] < -0.8)).astype(int)


def _grown(rng: np.random.Generator, T: np.ndarray, A: np.ndarray, X: np.ndarray) -> CrossFitted:
    found = cross_fitted("extra trees", X, T, A, balanced_folds(T, A > 0, rng), rng, None)
    assert found is not None
    return found


def test_arrays_say_what_scikit_learns_trees_say(rng: np.random.Generator) -> None:
    X, T, new = rng.normal(size=(80, 5)), rng.normal(size=(80, 3)), rng.normal(size=(30, 5))
    forest = ExtraTreesRegressor(20, random_state=0).fit(X, T)
    made = in_arrays("extra trees", [Grown([one.tree_ for one in forest.estimators_], np.zeros(3), 1.0)], np.zeros(20))
    np.testing.assert_allclose(made.mean(tree_rows(new)), forest.predict(new), atol=1e-6)
    np.testing.assert_allclose(made.mean(tree_rows(sp.csr_array(new))), forest.predict(new), atol=1e-6)


@pytest.mark.parametrize("kind", list(KINDS))
def test_what_a_forest_expects_of_a_row_does_not_depend_on_its_label(rng: np.random.Generator, kind: str) -> None:
    n = FEWEST_TO_BOOST
    X, T, A = rng.normal(size=(n, 3)), rng.normal(size=(n, 1)), np.full((n, 1), 1 / n)
    folds = np.arange(n) % FOLDS
    changed = T.copy()
    changed[7] += 100.0
    grown = [cross_fitted(kind, X, labels, A, folds, np.random.default_rng(0), None) for labels in (T, changed)]
    found, other = (one.expectation for one in grown if one is not None)
    same = folds == folds[7]
    np.testing.assert_array_equal(found[same], other[same])
    assert np.abs(found[~same] - other[~same]).max() > 1.0


def test_boosted_trees_add_up_what_those_before_left_over(rng: np.random.Generator) -> None:
    X, T = rng.normal(size=(120, 3)).astype(np.float32), rng.normal(size=(120, 2))
    weight = rng.uniform(0.5, 2.0, 120)
    grown = boosted_trees(X, T, weight, 40, rng)
    sums = np.average(T, axis=0, weights=weight) + PACE / 40 * sum(tree.predict(X)[:, :, 0] for tree in grown.trees)
    np.testing.assert_allclose(in_arrays("boosted trees", [grown], np.zeros(40)).mean(X), sums, atol=1e-5)
    assert ((sums - T) ** 2).mean() < 0.5 * ((T.mean(axis=0) - T) ** 2).mean()


def test_tensors_go_down_the_same_trees(put: Put, rng: np.random.Generator) -> None:
    X, truth = _stairs(rng)
    (forest,) = _grown(rng, np.eye(2)[truth], np.full((300, 2), 1 / 300), X).forests
    rows, some = tree_rows(X), np.arange(0, len(forest.roots), 3)
    for which in (None, some):
        found = forest.mean(put(rows), which)
        assert isinstance(found, np.ndarray)
        laws.assert_close(found, forest.mean(rows, which), rtol=1e-12)


def test_sparse_and_dense_rows_are_boosted_alike(rng: np.random.Generator) -> None:
    X = (rng.normal(size=(120, 6)) * (rng.random((120, 6)) < 0.4)).astype(np.float32)
    T, weight = rng.normal(size=(120, 1)), np.ones(120)
    dense, sparse = (
        in_arrays("boosted trees", [boosted_trees(rows, T, weight, 30, np.random.default_rng(0))], np.zeros(30)).mean(X)
        for rows in (X, sp.csr_matrix(X))
    )
    assert np.corrcoef(dense[:, 0], sparse[:, 0])[0, 1] > 0.99


def test_few_labels_are_not_boosted(rng: np.random.Generator) -> None:
    X, T = rng.normal(size=(FEWEST_TO_BOOST - 1, 2)), rng.normal(size=(FEWEST_TO_BOOST - 1, 1))
    folds = np.arange(len(T)) % FOLDS
    assert cross_fitted("boosted trees", X, T, np.ones_like(T) / len(T), folds, rng, None) is None


def test_folds_hold_every_class_as_often_as_they_can(rng: np.random.Generator) -> None:
    T = np.eye(3)[np.repeat([0, 1, 2], [50, 30, 20])]
    folds = balanced_folds(T, np.ones_like(T, dtype=bool), rng)
    counts = np.array([T[folds == fold].sum(axis=0) for fold in range(FOLDS)])
    np.testing.assert_array_equal(counts, np.tile([5, 3, 2], (FOLDS, 1)))
    assert np.unique(balanced_folds(T[:4], np.ones((4, 3), dtype=bool), rng)).size == 4


def test_outputs_known_in_the_same_rows_share_their_trees(rng: np.random.Generator) -> None:
    X, T = rng.normal(size=(60, 4)), rng.normal(size=(60, 3))
    A = np.full(T.shape, 1 / 60)
    A[:20, 2] = 0.0
    found = _grown(rng, T, A, X)
    assert sorted(tuple(forest.outputs.tolist()) for forest in found.forests) == [(0, 1), (2,)]
    alone = forests_of([forest for forest in found.forests if forest.outputs.size == 1], X, 3)
    assert not alone[:, :2].any()
    assert alone[:, 2].any()


def test_a_label_known_in_one_fold_is_not_judged_by_trees_that_saw_it(rng: np.random.Generator) -> None:
    X, T = rng.normal(size=(40, 3)), rng.integers(0, 2, size=(40, 2)).astype(float)
    A = np.full(T.shape, 1 / 40)
    A[1:, 1], A[0, 1], T[0, 1] = 0.0, 1.0, 1.0
    found = _grown(rng, T, A, X)
    assert found.expectation[0, 1] == 0.0
    assert forests_of(found.forests, X, 2)[0, 1] == pytest.approx(1.0)


def test_very_many_masks_have_few_folds(rng: np.random.Generator) -> None:
    X, T = rng.normal(size=(60, 2)), rng.normal(size=(60, 20))
    A = np.where(rng.random(T.shape) < 0.7, 1 / 60, 0.0)
    found = _grown(rng, T, A, X)
    assert {forest.folds.max() for forest in found.forests} == {2}
    np.testing.assert_array_equal(np.unique(found.folds), [0, 1, 2])


def test_trees_read_ranks_whatever_the_maps_read(rng: np.random.Generator) -> None:
    seconds = 1.7e9 + rng.uniform(0, 1000, size=(200, 1))
    truth = (seconds[:, 0] % 400 < 200).astype(int)
    y = np.where(np.arange(200) < 100, truth, -1)
    model = LSVVClassifierCV(features="linear", trees=True, random_state=0).fit(seconds, y)
    assert model.score(seconds, truth) > 0.95
    enormous = np.where(np.arange(200)[:, None] == 0, 1e40, seconds)
    assert LSVVClassifierCV(features="linear", trees=True, random_state=0).fit(enormous, y).score(seconds, truth) > 0.9


def test_a_search_takes_up_trees_where_single_columns_decide(rng: np.random.Generator) -> None:
    X, truth = _stairs(rng)
    y = np.where(np.arange(300) < 120, truth, -1)
    model, without = (LSVVClassifierCV(trees=trees, random_state=0).fit(X, y) for trees in ("auto", False))
    assert sum(model.kinds_[kind] for kind in KINDS) > 0.5
    assert model.score(X[120:], truth[120:]) > without.score(X[120:], truth[120:]) + 0.03
    assert not without.forests_


def test_shares_of_kinds_sum_to_1_and_bound_those_of_maps(rng: np.random.Generator) -> None:
    X = rng.normal(size=(150, 3))
    Y = np.column_stack([np.sin(2 * X[:, 0]), np.sign(X[:, 1])])
    Y[60:] = np.nan
    model = LSVVRegressorCV(random_state=0, safe=False, per_output=True).fit(X, Y)
    assert sum(model.kinds_.values()) == pytest.approx(1.0)
    assert model.shares_.sum(axis=0).mean() == pytest.approx(model.kinds_["maps"] + model.kinds_["lines"])
    assert list(model.kinds_) == ["maps", "lines", "neighbours", "extra trees", "bagged trees"]


def test_trees_join_maps_that_were_asked_for_only_on_demand(rng: np.random.Generator) -> None:
    X, truth = _stairs(rng, 180, 3)
    y = np.where(np.arange(180) < 120, truth, -1)
    maps: dict[str, Any] = {"features": RandomFourier(30, width=1.0, random_state=0), "random_state": 0}
    assert list(LSVVClassifierCV(**maps).fit(X, y).kinds_) == ["maps"]
    assert list(LSVVClassifierCV(**maps, trees=True).fit(X, y).kinds_) == ["maps", *KINDS]
    assert list(LSVVClassifierCV(selection="best", random_state=0).fit(X, y).kinds_) == ["maps"]
    with pytest.raises(ValueError, match=r"trees='many' is out of range. Pass 'auto', True or False"):
        LSVVClassifierCV(trees="many").fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_class_with_one_label_has_an_answer(rng: np.random.Generator, n_classes: int) -> None:
    X = rng.normal(size=(50, 2)) + 4.0 * np.arange(50)[:, None] % n_classes
    y = np.full(50, -1)
    y[:n_classes] = np.arange(n_classes)
    model = LSVVClassifierCV(random_state=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_constant_columns_and_sparse_rows_are_no_obstacle(rng: np.random.Generator) -> None:
    X, truth = _stairs(rng, 120, 5)
    y = np.where(np.arange(120) < 60, truth, -1)
    X[:, 0] = 7.0
    dense, sparse = (LSVVClassifierCV(random_state=0).fit(kind, y) for kind in (X, sp.csr_array(X)))
    assert min(dense.score(X, truth), sparse.score(sp.csr_array(X), truth)) > 0.7


def test_predictions_survive_a_pickle(rng: np.random.Generator) -> None:
    X, truth = _stairs(rng, 150, 4)
    model = LSVVClassifierCV(random_state=0).fit(X, np.where(np.arange(150) < 80, truth, -1))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


def test_random_labels_give_trees_no_more_than_chance(rng: np.random.Generator) -> None:
    shares = []
    for _ in range(12):
        X, y = rng.normal(size=(80, 4)), rng.integers(0, 2, 80)
        y[40:] = -1
        kinds = LSVVClassifierCV(random_state=0).fit(X, y).kinds_
        shares.append(kinds["extra trees"] + kinds["bagged trees"])
    assert np.mean(shares) < 0.5


@pytest.mark.parametrize("kind", [LSVVClassifierCV, LSVVRegressorCV])
def test_one_weight_that_outweighs_all_others_leaves_a_model(kind: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    model = kind(random_state=0).fit(X, (X[:, 0] > 0).astype(int), sample_weight=np.r_[1e12, np.ones(39)])
    assert np.isfinite(model.predict(X)).all()
