"""Reading y: every spelling of "unlabelled", and sentences for what is no target."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import torch
from sklearn.exceptions import DataConversionWarning

from lsvv.targets.reading import as_column, as_floats, as_targets_array, read_classes, refuse_plus_and_minus_one

NAN = float("nan")

INTEGERS: dict[str, Any] = {
    "list": [0, 1, -1, 2],
    "array": np.array([0, 1, -1, 2]),
    "int8": np.array([0, 1, -1, 2], dtype=np.int8),
    "tensor": torch.tensor([0, 1, -1, 2]),
    "list with None": [0, 1, None, 2],
    "floats": np.array([0.0, 1.0, NAN, 2.0]),
    "objects": np.array([0, 1, None, 2], dtype=object),
    "objects with -1": np.array([0, 1, -1, 2], dtype=object),
    "pandas": pd.Series([0, 1, -1, 2]),
    "pandas with NaN": pd.Series([0, 1, NAN, 2]),
    "pandas Int64": pd.Series([0, 1, None, 2], dtype="Int64"),
    "pandas Categorical": pd.Series(pd.Categorical([0, 1, None, 2])),
    "polars": pl.Series([0, 1, None, 2]),
}
STRINGS: dict[str, Any] = {
    "list": ["a", "b", None, "c"],
    "list with NaN": ["a", "b", NAN, "c"],
    "objects": np.array(["a", "b", None, "c"], dtype=object),
    "pandas": pd.Series(["a", "b", None, "c"]),
    "pandas objects": pd.Series(["a", "b", NAN, "c"], dtype=object),
    "pandas string": pd.Series(["a", "b", pd.NA, "c"], dtype="string"),
    "pandas Categorical": pd.Series(pd.Categorical(["a", "b", None, "c"])),
    "polars": pl.Series(["a", "b", None, "c"]),
    "polars Categorical": pl.Series(["a", "b", None, "c"], dtype=pl.Categorical),
}


@pytest.mark.parametrize("spelling", INTEGERS)
def test_integer_classes(spelling: str) -> None:
    labels, known = read_classes(as_targets_array(INTEGERS[spelling]))
    assert known.tolist() == [True, True, False, True]
    assert labels[known].tolist() == [0, 1, 2]


@pytest.mark.parametrize("spelling", STRINGS)
def test_string_classes(spelling: str) -> None:
    labels, known = read_classes(as_targets_array(STRINGS[spelling]))
    assert known.tolist() == [True, True, False, True]
    assert labels[known].tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    "y",
    [
        [True, False, True],
        np.array([True, False, True]),
        pd.Series([True, False, True]),
        torch.tensor([True, False, True]),
    ],
    ids=lambda y: type(y).__name__,
)
def test_booleans_are_all_known(y: Any) -> None:
    labels, known = read_classes(as_targets_array(y))
    assert known.all()
    assert labels.tolist() == [True, False, True]


def test_nullable_booleans_may_be_missing() -> None:
    labels, known = read_classes(as_targets_array(pd.Series([True, None, False], dtype="boolean")))
    assert known.tolist() == [True, False, True]
    assert labels[known].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([0.5, 1.0, 2.0], r"Unknown label type: continuous. y holds .*0.5.* at row 0; use LSVVRegressor"),
        ([0.0, -1.0, 1.0], r"y is floating and holds -1. Write NaN for unlabelled rows"),
        ([0.0, np.inf, 1.0], r"y contains infinity at row 1. Classes are finite"),
        (["a", 1, "b"], r"y mixes strings with int. Use strings alone"),
        ([1j, 2j], r"Unknown label type: y has dtype complex128"),
    ],
)
def test_what_is_no_class_is_refused(y: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_classes(as_targets_array(y))


def test_plus_and_minus_one_alone_are_nothing_to_guess_about() -> None:
    with pytest.raises(ValueError, match=r"y holds only -1 and \+1, and -1 means unlabelled here. If -1 is a class"):
        refuse_plus_and_minus_one(np.array([-1, 1, 1, -1]))
    refuse_plus_and_minus_one(np.array([-1, 1, 2]))
    refuse_plus_and_minus_one(np.array([1, 1]))
    assert read_classes(np.array([-1, 1]))[1].tolist() == [False, True]


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (None, "requires y to be passed, but the target y is None"),
        (sp.csr_array(np.eye(2)), "y is a sparse matrix. Pass a dense array: missing entries need NaN, not 0"),
        (np.zeros((2, 2, 2)), "y has 3 dimensions. Pass a 1-d or 2-d array"),
        (np.float64(3.0), "y has 0 dimensions"),
        (pd.Series(pd.to_datetime(["2020-01-01"])), "y holds dates. Convert them to numbers or to names first"),
    ],
    ids=str,
)
def test_what_is_no_array_of_targets_is_refused(y: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        as_targets_array(y)


@pytest.mark.parametrize(
    "Y",
    [
        [[1, None], [0, 1]],
        np.array([[1, NAN], [0, 1]]),
        torch.tensor([[1, NAN], [0, 1]]),
        pd.DataFrame({"a": [1, 0], "b": [NAN, 1]}),
        pd.DataFrame({"a": pd.array([1, 0], dtype="Int64"), "b": pd.array([None, 1], dtype="Int64")}),
        pl.DataFrame({"a": [1, 0], "b": [None, 1]}),
    ],
    ids=["list", "array", "tensor", "pandas", "pandas Int64", "polars"],
)
def test_tables_of_numbers_with_holes(Y: Any) -> None:
    np.testing.assert_array_equal(as_floats(as_targets_array(Y), "Y"), [[1.0, NAN], [0.0, 1.0]])


def test_entries_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="y holds entries that are not numbers"):
        as_floats(np.array(["a", "b"]), "y")
    with pytest.raises(ValueError, match="Complex data not supported"):
        as_floats(np.array([1j]), "y")


def test_a_single_column_is_read_as_one_with_a_warning() -> None:
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        assert as_column(np.array([[1], [2]]), 2, "y").tolist() == [1, 2]


@pytest.mark.parametrize("numbers", [np.arange(3), np.array([0.5, 1.5, 2.5])])
def test_masked_entries_are_unknown(numbers: np.ndarray) -> None:
    read = as_targets_array(np.ma.MaskedArray(numbers, mask=[False, True, False]))
    assert list(read) == [numbers[0], None, numbers[2]]
    assert as_targets_array(np.ma.MaskedArray(numbers)).dtype == numbers.dtype


def test_nan_that_became_a_text_is_refused() -> None:
    with pytest.raises(ValueError, match=r"y holds the text 'nan' at row 2\. If it stands for unlabelled, pass None"):
        read_classes(np.array(["a", "b", np.nan]))


@pytest.mark.parametrize("names", [["y", "n"], ["na", "eu"], [b"n", b"y"]])
def test_short_names_are_no_text_nan(names: list[Any]) -> None:
    labels, known = read_classes(np.array(names))
    assert labels.tolist() == names
    assert known.all()


def test_other_numbers_of_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="inconsistent numbers of samples: X has 3 rows, y has 2"):
        as_column([0, 1], 3, "y")
