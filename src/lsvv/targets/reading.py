"""Reading y: from lists, arrays, frames and tensors to a NumPy array and which of its entries are known."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from array_api_compat import is_torch_array
from sklearn.exceptions import DataConversionWarning

from lsvv.linalg import to_numpy


def as_targets_array(y: Any) -> np.ndarray:
    """``y`` as a 1-d or 2-d NumPy array with missing entries as NaN or None, from lists, frames and tensors."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    if is_torch_array(y):
        return to_numpy(y)
    if isinstance(y, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(y), np.array(None), y.data) if np.ma.is_masked(y) else y.data
    if hasattr(y, "__dataframe__") or hasattr(y, "to_numpy"):
        return _from_frame(y)
    if hasattr(y, "toarray"):
        raise ValueError("y is a sparse matrix. Pass a dense array: missing entries need NaN, not 0.")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=np.exceptions.VisibleDeprecationWarning)
        array = np.asarray(y) if not isinstance(y, (list, tuple)) else _from_list(y)
    if array.ndim not in (1, 2):
        raise ValueError(f"y has {array.ndim} dimensions. Pass a 1-d or 2-d array: one row a sample.")
    return array


def _from_list(y: Any) -> np.ndarray:
    """A list of strings and None would otherwise turn None into text."""
    flat = [entry for row in y for entry in (row if isinstance(row, (list, tuple, np.ndarray)) else [row])]
    mixed = any(isinstance(entry, str) for entry in flat) and not all(isinstance(entry, str) for entry in flat)
    has_none = any(entry is None for entry in flat)
    return np.asarray(y, dtype=object if mixed or has_none else None)


def _from_frame(y: Any) -> np.ndarray:
    """pandas and polars: nullable, categorical and NA entries become objects with None."""
    array = np.asarray(y.to_numpy())
    if array.dtype.kind == "M" or array.dtype.kind == "m":
        raise ValueError("y holds dates. Convert them to numbers or to names first.")
    if array.dtype.kind != "O":
        return array
    missing = np.vectorize(_is_missing, otypes=[bool])(array) if array.size else np.zeros(array.shape, dtype=bool)
    clean = array.copy()
    clean[missing] = None
    return clean


def _is_missing(entry: Any) -> bool:
    """None, NaN and pandas.NA (whose comparison with itself is not a plain truth)."""
    if entry is None:
        return True
    if isinstance(entry, (float, np.floating)):
        return bool(np.isnan(entry))
    return type(entry).__name__ in ("NAType", "NaTType")


def as_rows_of_targets(y: Any, n_rows: int, name: str) -> np.ndarray:
    """``y`` as an array of ``n_rows`` rows."""
    array = as_targets_array(y)
    if array.shape[0] != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, {name} has "
            f"{array.shape[0]}. Pass one target a row (NaN, None or -1 for unlabelled)."
        )
    if array.shape[1:] == (0,):
        raise ValueError(f"{name} has no columns. Pass one target a row, or several.")
    return array


def as_column(y: Any, n_rows: int, name: str) -> np.ndarray:
    """``y`` as a 1-d array; a single column is read as one, with scikit-learn's warning."""
    array = as_rows_of_targets(y, n_rows, name)
    if array.ndim == 2 and array.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected; it is read as 1-d.",
            DataConversionWarning,
            stacklevel=4,
        )
        return array[:, 0]
    return array


def refuse_plus_and_minus_one(y: np.ndarray) -> None:
    """Integers of -1 and +1 alone are two classes by habit and one class here: not a thing to guess when learning."""
    if y.dtype.kind in "iu" and set(np.unique(y)) == {-1, 1}:
        raise ValueError(
            "y holds only -1 and +1, and -1 means unlabelled here. If -1 is a class, recode y to 0 and 1 (or to "
            "names); if it means unlabelled, there is only one class: label rows of another."
        )


def read_classes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Class labels and which of them are known."""
    if y.dtype.kind in "iu":
        return y, y != -1
    if y.dtype.kind in "SU":
        _refuse_text_nan(y)
    if y.dtype.kind in "bSU":
        return y, np.ones(y.shape, dtype=bool)
    if y.dtype.kind == "f":
        return _read_float_classes(y)
    if y.dtype.kind == "O":
        return _read_object_classes(y)
    raise ValueError(f"Unknown label type: y has dtype {y.dtype}. Pass integers, strings or floats with NaN.")


def _refuse_text_nan(y: np.ndarray) -> None:
    """NumPy writes NaN among strings as the text "nan": a hole that would be learnt as a class."""
    holes = np.flatnonzero(y == ("nan" if y.dtype.kind == "U" else b"nan"))
    if holes.size:
        raise ValueError(
            f"y holds the text 'nan' at row {int(holes[0])}. If it stands for unlabelled, pass None there in an array "
            f"of dtype=object (or a list); if it is a class, rename it."
        )


def _read_float_classes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if np.isinf(y).any():
        raise ValueError(f"y contains infinity at row {int(np.flatnonzero(np.isinf(y))[0])}. Classes are finite.")
    known = ~np.isnan(y)
    fractional = known & (y != np.round(y))
    if fractional.any():
        raise ValueError(
            f"Unknown label type: continuous. y holds {y[fractional][0]!r} at row "
            f"{int(np.flatnonzero(fractional)[0])}; use LSVVRegressor for numbers, or pass integers or names."
        )
    if (y == -1).any():
        raise ValueError(
            "y is floating and holds -1. Write NaN for unlabelled rows, or cast y to integers, where -1 means "
            "unlabelled; if -1 is a class, rename it."
        )
    return y, known


def _read_object_classes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    missing = np.array([_is_missing(entry) or (not isinstance(entry, (str, bool)) and entry == -1) for entry in y])
    kinds = {str if isinstance(entry, str) else type(entry) for entry in y[~missing]}
    if str in kinds and len(kinds) > 1:
        raise ValueError(
            f"y mixes strings with {', '.join(sorted(k.__name__ for k in kinds - {str}))}. Use strings alone."
        )
    labels = np.empty(y.shape, dtype=object)
    labels[~missing] = y[~missing]
    known = ~missing
    if known.any() and str not in kinds:
        numbers = np.asarray(list(y[known]))
        if numbers.dtype.kind not in "biufS":
            raise ValueError(
                f"Unknown label type: y holds an entry of type {type(y[known][0]).__name__}, which is neither a name "
                f"nor a number. Pass integers or names."
            )
        if numbers.dtype.kind == "f":
            _read_float_classes(numbers)
            numbers = numbers.astype(np.int64)
        labels = np.full(y.shape, -1, dtype=numbers.dtype if numbers.dtype.kind != "b" else np.int64)
        labels[known] = numbers
    return labels, known


def as_floats(Y: np.ndarray, name: str) -> np.ndarray:
    """``Y`` as float64, None and NA as NaN."""
    if Y.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} holds complex numbers.")
    if Y.dtype.kind == "O":
        Y = np.where(np.vectorize(_is_missing, otypes=[bool])(Y), np.nan, Y) if Y.size else Y
    try:
        return Y.astype(np.float64)
    except OverflowError as error:
        raise ValueError(f"{name} holds a number beyond 1e308. Divide {name} by its largest value first.") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} holds entries that are not numbers: {error}.") from error
