"""The gate for X: what comes in, what goes out, and sentences that name the cell."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import torch

from laws import Put
from lsvv import LSVVClassifier, LSVVClassifierCV
from lsvv.features import Linear
from lsvv.inputs import check_rows, generator, warn_of_units
from lsvv.linalg import to_numpy


def gate(X: Any) -> Any:
    return check_rows(Linear(), X, reset=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_stay_what_they_are(put: Put, dtype: Any) -> None:
    X = put(np.ones((2, 3), dtype=dtype))
    checked = gate(X)
    assert type(checked) is type(X)
    assert to_numpy(checked).dtype == dtype


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, bool])
def test_all_other_numbers_become_double(put: Put, dtype: Any) -> None:
    assert to_numpy(gate(put(np.ones((2, 3), dtype=dtype)))).dtype == np.float64


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.coo_array, sp.csc_array])
def test_sparse_rows_become_csr_arrays(form: Any) -> None:
    checked = gate(form(np.eye(3, dtype=np.float32)))
    assert isinstance(checked, sp.csr_array)
    assert checked.dtype == np.float32


def test_frames_become_arrays_and_their_columns_are_remembered() -> None:
    learner = Linear()
    np.testing.assert_array_equal(
        check_rows(learner, pd.DataFrame({"a": [1, 2], "b": [3, 4]}), reset=True), [[1, 3], [2, 4]]
    )
    assert list(learner.feature_names_in_) == ["a", "b"]
    assert gate(pl.DataFrame({"a": [1.0, 2.0]})).shape == (2, 1)
    with pytest.raises(ValueError, match="feature names should match"):
        check_rows(learner, pd.DataFrame({"a": [1, 2], "c": [3, 4]}), reset=False)


@pytest.mark.parametrize(("bad", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_the_cell_that_is_not_finite_is_named(put: Put, bad: float, word: str) -> None:
    X = np.zeros((4, 3))
    X[2, 1] = bad
    sentence = rf"X contains {word} at row 2, column 1. Fill or drop it first"
    with pytest.raises(ValueError, match=sentence):
        gate(put(X))
    with pytest.raises(ValueError, match=sentence):
        gate(sp.csr_array(X))


def test_the_column_that_is_not_finite_is_named() -> None:
    with pytest.raises(ValueError, match=r"X contains NaN at row 1, column 0 \('age'\)"):
        gate(pd.DataFrame({"age": [1.0, None], "height": [1.0, 2.0]}))


@pytest.mark.parametrize("largest", [np.float64(1e70), np.float32(3e38)])
def test_large_numbers_are_taken(put: Put, largest: Any) -> None:
    assert gate(put(np.full((4, 3), largest))).shape == (4, 3)
    assert gate(put(np.full((4, 3), -largest))).shape == (4, 3)


@pytest.mark.parametrize("far", [1e71, -1e200, 1.7e308])
def test_numbers_whose_powers_overflow_are_named(put: Put, far: float) -> None:
    X = np.zeros((4, 3))
    X[1, 2] = far
    sentence = f"X contains {far:g} at row 1, column 2, and its powers overflow. Scale the column first".replace(
        "+", r"\+"
    )
    for rows in (put(X), sp.csr_array(X)):
        with pytest.raises(ValueError, match=sentence):
            gate(rows)


@pytest.mark.parametrize("far", [1e20, 1e-20, 1e-42])
def test_rows_of_single_precision_are_read_in_double_where_their_products_would_leave_it(put: Put, far: float) -> None:
    X = np.array([[1.0, 0.0], [-1.0, 0.5]], dtype=np.float32)
    phi = Linear()
    assert to_numpy(check_rows(phi, put(X), reset=True)).dtype == np.float32
    assert to_numpy(check_rows(phi, put(np.float32(far) * X), reset=False)).dtype == np.float64
    assert to_numpy(check_rows(phi, put(np.float32(far) * X), reset=True)).dtype == np.float64
    # what was learnt of such rows needs double precision for all others
    assert to_numpy(check_rows(phi, put(X), reset=False)).dtype == np.float64
    assert check_rows(phi, sp.csr_array(X), reset=False).dtype == np.float64


def test_rows_without_an_entry_are_finite() -> None:
    assert gate(sp.csr_array((3, 2))).nnz == 0


def test_masked_inputs_are_refused() -> None:
    X = np.ma.MaskedArray(np.ones((2, 2)), mask=[[False, False], [True, False]])
    with pytest.raises(ValueError, match=r"X is a masked array with masked entries\. Fill them first"):
        check_rows(Linear(), X, reset=True)
    whole = np.ma.MaskedArray(np.ones((2, 2)))
    assert check_rows(Linear(), whole, reset=True).shape == (2, 2)


def test_infinities_that_cancel_are_still_found(put: Put) -> None:
    with pytest.raises(ValueError, match="X contains infinity at row 0, column 1"):
        gate(put(np.array([[0.0, np.inf], [-np.inf, 0.0]])))


def test_tensors_of_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"X has 1 dimensions. Pass a 2-d tensor"):
        gate(torch.ones(3))
    with pytest.raises(ValueError, match="X has 0 rows"):
        gate(torch.ones((0, 3)))


def test_other_columns_than_learnt_are_refused(put: Put) -> None:
    learner = Linear()
    check_rows(learner, put(np.ones((2, 3))), reset=True)
    with pytest.raises(ValueError, match="has 4 features, but Linear is expecting 3 features as input"):
        check_rows(learner, put(np.ones((2, 4))), reset=False)


def test_generators_come_from_every_kind_of_seed() -> None:
    assert generator(3).integers(1000) == generator(np.int64(3)).integers(1000)
    own = np.random.default_rng(3)
    assert generator(own) is own
    assert generator(np.random.RandomState(3)).integers(1000) == generator(np.random.RandomState(3)).integers(1000)
    assert isinstance(generator(None), np.random.Generator)
    with pytest.raises(ValueError, match="random_state='seed' cannot seed a generator"):
        generator("seed")


@pytest.mark.parametrize("model", [LSVVClassifier(), LSVVClassifierCV(features="linear")], ids=["core", "search"])
def test_a_column_that_outweighs_all_others_is_warned_of(model: Any) -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = np.arange(30) % 2
    frame = pd.DataFrame(X * [1.0, 1e4, 1.0], columns=["a", "b", "c"])
    with pytest.warns(UserWarning, match=r"Column 'b' outweighs all others: 99\.99 % .* Scale the columns") as told:
        model.fit(frame, y)
    assert told[0].filename == __file__


def test_columns_of_one_unit_beside_constant_ones_are_not_warned_of() -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warn_of_units(np.c_[X * [1.0, 50.0], np.ones(30)])
        warn_of_units(np.c_[1e6 * X[:, 0], np.ones(30)])
        warn_of_units(sp.csr_matrix(X * [1.0, 1e6]))
        warn_of_units(1e6 * X[:, :1])
    assert told == []


def test_the_search_that_chooses_its_maps_knows_no_units() -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = (X[:, 0] > 0).astype(int)
    metres, millimetres = (
        LSVVClassifierCV(trees=False, random_state=0).fit(X * unit, y).predict_proba(X * unit)
        for unit in ([1.0, 1.0, 1.0], [1.0, 1e6, 1.0])
    )
    np.testing.assert_allclose(millimetres, metres, atol=1e-5)
