"""Maps side by side: each of its own columns, by places or by names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch

import laws
from lsvv import LSVVClassifier, LSVVClassifierCV
from lsvv.features import Blocks, FeatureMap, Linear, RandomFourier, Trees


@pytest.fixture(name="X")
def rows(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(40, 4))


TWO = Blocks([("wave", RandomFourier(6, random_state=0), [0, 1]), ("line", "linear", slice(2, 4))])


def test_it_is_a_scikit_learn_transformer() -> None:
    laws.assert_fails_only(Blocks([RandomFourier(5, random_state=0), "linear"]), {})


def test_features_stand_side_by_side(X: np.ndarray) -> None:
    Phi = TWO.fit_transform(X)
    np.testing.assert_allclose(Phi[:, :6], RandomFourier(6, random_state=0).fit_transform(X[:, :2]))
    np.testing.assert_array_equal(Phi[:, 6:], X[:, 2:])


def test_kernels_add_up_by_the_squares_of_their_weights(X: np.ndarray) -> None:
    Phi = Blocks([Linear(), RandomFourier(30, random_state=1)], weights=[2.0, 0.5]).fit_transform(X)
    wave = RandomFourier(30, random_state=1).fit_transform(X)
    np.testing.assert_allclose(Phi @ Phi.T, 4.0 * X @ X.T + 0.25 * wave @ wave.T, atol=1e-10)
    assert Blocks(["linear", "linear"], weights=[1.0, 0.0]).fit_transform(X).shape == (40, 4)


@pytest.mark.parametrize("kind", [sp.csr_array, torch.as_tensor])
def test_every_kind_of_rows(X: np.ndarray, kind: Any) -> None:
    rows = kind(X)
    found = TWO.fit(X).transform(rows)
    found = found.toarray() if sp.issparse(found) else np.asarray(found)
    np.testing.assert_allclose(found, TWO.fit_transform(X), atol=1e-12)


def test_one_sparse_part_makes_all_of_it_sparse(X: np.ndarray) -> None:
    assert sp.issparse(Blocks([Trees(5, random_state=0), Linear()]).fit_transform(X))


@pytest.mark.parametrize("kind", [LSVVClassifier, LSVVClassifierCV])
def test_estimators_find_columns_by_their_names(kind: Any, X: np.ndarray) -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    y = np.where(X[:, 2] > 0, "yes", "no")
    named = kind(features=Blocks([("one", "linear", ["c"])]), smoothing=0, random_state=0).fit(frame, y)
    placed = kind(features=Blocks([("one", "linear", [2])]), smoothing=0, random_state=0).fit(X, y)
    np.testing.assert_array_equal(named.predict_proba(frame), placed.predict_proba(X))
    direct = Blocks([("one", "linear", ["c", "a"])]).fit(frame)
    np.testing.assert_array_equal(direct.transform(frame), X[:, [2, 0]])


@pytest.mark.parametrize(
    ("maps", "sentence"),
    [
        ([], r"maps=\[\] is no list of maps"),
        ("linear", "maps='linear' is no list of maps"),
        (["cubic"], "'cubic' in maps is not a map of lsvv.features"),
        ([("a", "linear", ["x"])], r"columns=\['x'\] are names, but X has none"),
        ([("a", "linear")], "is not a map of lsvv.features"),
    ],
)
def test_what_is_no_list_of_maps_is_refused(maps: Any, sentence: str, X: np.ndarray) -> None:
    with pytest.raises(ValueError, match=sentence):
        Blocks(maps).fit(X)


def test_a_column_that_is_not_there_is_named(X: np.ndarray) -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    with pytest.raises(ValueError, match=r"X has no column 'x'. Its columns are 'a', 'b'"):
        Blocks([("one", "linear", ["a", "x"])]).fit(frame)


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [0.0, 0.0], [1.0, np.nan]])
def test_weights_that_do_not_fit_are_refused(weights: list[float], X: np.ndarray) -> None:
    with pytest.raises(ValueError, match="do not fit 2 maps"):
        Blocks(["linear", "linear"], weights=weights).fit(X)


def test_a_map_without_columns_of_its_own_is_left_as_it_is() -> None:
    phi: FeatureMap = RandomFourier(3)
    assert phi.placed(["a"]) is phi
