"""The one gate for X: decides what an input is, keeps tensors tensors, and names the cell that is wrong."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import is_torch_array
from sklearn.utils.validation import validate_data

from lsvv.categories import code_categories, coded_from, learn_categories, refuse_columns_without_numbers
from lsvv.linalg import Array, brought_to, namespace, to_float64, to_numpy
from lsvv.stored import StoredRows, column_blocks, data_set_columns, is_stored, written

LARGEST = 1e70
"""Largest number accepted: beyond it the norms of squares, which a fit takes, leave double precision."""
OUTWEIGHED = 1e-4
"""The share of the squared distances that is left to all other columns where one outweighs them."""
UNIT_ROWS = 10_000
"""Rows beyond which a part of them tells how columns spread."""
LARGEST_SINGLE = 1e15
"""Largest number whose squares and products stay within single precision, and the inverse of the smallest."""


def check_rows(estimator: Any, X: Any, *, reset: bool, name: str = "X", device: Any = None) -> Array:
    """``X`` as a finite 2-d floating array: a torch tensor stays one, all else becomes NumPy or CSR.

    float32 stays float32 where its largest number is between 1e-15 and 1e15; all else becomes float64. With ``reset``
    the estimator learns the number and the names of the columns, and whether all rows are to be read in double
    precision; without it they are compared. NumPy rows are brought to the ``device``, if one is named.
    """
    if is_stored(X) and not isinstance(X, np.ndarray):
        raise ValueError(
            f"{type(estimator).__name__} takes {name} in memory, not {type(X).__name__}. Pass an array; LSVVClassifier "
            f"and LSVVRegressor fit rows that are stored elsewhere, with settings that a search found on some of them."
        )
    X = _check_tensor(estimator, X, reset, name) if is_torch_array(X) else _check_array(estimator, X, reset, name)
    names = column_names(estimator)
    if X.shape[1] == 0:
        raise ValueError(f"{name} has 0 feature(s): its columns of categories are all empty. Add columns with cells.")
    leaves_single = _leaves_single(_largest(X, name, names))
    if reset:
        estimator._in_double = leaves_single
    X = to_float64(X) if leaves_single or getattr(estimator, "_in_double", False) else X
    return brought_to(X, device)


def check_stored(estimator: Any, X: Any, *, without: str | None = None) -> StoredRows:
    """Rows that are stored elsewhere, passed over once: the estimator learns their columns, and bad cells are named.

    ``without`` is the column of a data set that holds the targets.
    """
    names = data_set_columns(X)
    for learnt in ("n_features_in_", "feature_names_in_", "categories_"):
        vars(estimator).pop(learnt, None)
    blocks = checked_blocks(estimator, column_blocks(X, names and [name for name in names if name != without]))
    if isinstance(X, (np.memmap, StoredRows)):
        for _ in blocks:
            pass
        return X if isinstance(X, StoredRows) else StoredRows(X)
    return written(blocks)


def checked_blocks(estimator: Any, blocks: Iterable[Any]) -> Iterator[np.ndarray]:
    """Blocks of rows as finite floating arrays of as many columns as the estimator knows; the first may teach it."""
    start = 0
    for number, block in enumerate(blocks):
        rows = _numbers(block, number)
        _compare_columns(estimator, block, rows, number)
        names = getattr(estimator, "feature_names_in_", None)
        if rows.shape[0]:
            largest = _largest(rows, f"Block {number} of X", names, first_row=start)
            yield to_float64(rows) if _leaves_single(largest) else rows
        start += rows.shape[0]
    if start == 0:
        raise ValueError("X has 0 rows; a minimum of 1 is required.")


def _numbers(block: Any, number: int) -> np.ndarray:
    try:
        rows = np.asarray(block.to_numpy() if hasattr(block, "to_numpy") else block)
        rows = rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"Block {number} of X holds what is no number ({error}). Pass columns of numbers; columns of categories "
            f"need a frame in memory."
        ) from error
    if rows.ndim != 2:
        raise ValueError(f"Block {number} of X has {rows.ndim} dimensions. Pass 2-d blocks: one row a sample.")
    return rows


def _compare_columns(estimator: Any, block: Any, rows: np.ndarray, number: int) -> None:
    names = [str(name) for name in block.columns] if hasattr(block, "columns") else None
    if not hasattr(estimator, "n_features_in_"):
        estimator.n_features_in_ = int(rows.shape[1])
        if names is not None:
            estimator.feature_names_in_ = np.array(names, dtype=object)
    known = getattr(estimator, "feature_names_in_", None)
    if rows.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"Block {number} of X has {rows.shape[1]} columns, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input. Pass blocks with the same columns."
        )
    if names is not None and known is not None and names != list(known):
        other = next(one for one, two in zip(names, known, strict=True) if one != two)
        raise ValueError(
            f"Block {number} of X has a column {other!r} where {type(estimator).__name__} knows another. Pass blocks "
            f"with the same columns in the same order."
        )


def column_names(estimator: Any) -> Any:
    """The names of the columns that an estimator has learnt, of categories as they are coded; None without a frame."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and hasattr(estimator, "categories_"):
        names = coded_from(names, estimator.categories_)
    return names


def _check_array(estimator: Any, X: Any, reset: bool, name: str) -> Array:
    if np.ma.is_masked(X):
        raise ValueError(
            f"{name} is a masked array with masked entries. Fill them first, for instance with "
            f"sklearn.impute.SimpleImputer on {name}.filled(numpy.nan); only targets may be missing."
        )
    _refuse_columns_of_one_name(X, name)
    if _has_categories(estimator, X, reset):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return code_categories(X, estimator.categories_)
    try:
        X = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
    except (TypeError, ValueError, OverflowError) as error:
        refuse_columns_without_numbers(X)
        if isinstance(error, OverflowError):
            raise ValueError(f"{name} holds a number beyond 1e308. Scale its column, or take logarithms.") from error
        if isinstance(X, (list, tuple)) and len({len(row) for row in X if hasattr(row, "__len__")}) > 1:
            raise ValueError(f"{name} has rows of different lengths. Pass as many numbers in each row.") from error
        raise
    return sp.csr_array(X) if sp.issparse(X) else X


def _refuse_columns_of_one_name(X: Any, name: str) -> None:
    columns = list(getattr(X, "columns", ()))
    twice = next((one for one in columns if columns.count(one) > 1), None) if len(set(columns)) < len(columns) else None
    if twice is not None:
        raise ValueError(f"{name} has several columns named {twice!r}. Give each a name of its own.")


def _has_categories(estimator: Any, X: Any, reset: bool) -> bool:
    """Whether an estimator learns, or has learnt, columns of categories."""
    if reset:
        vars(estimator).pop("categories_", None)
        found = learn_categories(X)
        if found:
            estimator.categories_ = found
    learnt = hasattr(estimator, "categories_")
    if learnt and not hasattr(X, "columns"):
        raise ValueError(
            f"{type(estimator).__name__} was fitted on a frame with columns of categories "
            f"({', '.join(map(repr, estimator.categories_))}). Pass a frame with the same columns."
        )
    return learnt


def _check_tensor(estimator: Any, X: Array, reset: bool, name: str) -> Array:
    xp = namespace(X)
    if str(X.layout) != "torch.strided":
        raise ValueError(f"{name} is a sparse tensor. Pass {name}.to_dense(), or a matrix of scipy.sparse.")
    if X.dtype.is_complex:
        raise ValueError(f"Complex data not supported: {name} is a tensor of complex numbers.")
    if X.ndim != 2:
        raise ValueError(f"{name} has {X.ndim} dimensions. Pass a 2-d tensor: one row a sample.")
    if X.shape[0] == 0:
        raise ValueError(f"{name} has 0 rows; a minimum of 1 is required.")
    if reset:
        estimator.n_features_in_ = int(X.shape[1])
    elif X.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"{name} has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    return X if X.dtype in (xp.float32, xp.float64) else xp.astype(X, xp.float64)


def _largest(X: Array, name: str, columns: Any, first_row: int = 0) -> float:
    """The size of the largest number; one that cannot be used is refused with its place."""
    values = X.data if sp.issparse(X) else X
    if 0 in values.shape:
        return 0.0
    xp = namespace(values)
    least, most = float(xp.min(values)), float(xp.max(values))
    # NaN fails every comparison, so two passes without a mask find all that is wrong
    if least >= -LARGEST and most <= LARGEST:
        return max(most, -least)
    # in single precision the largest number itself is infinite
    bad = ~(np.abs(to_numpy(values).astype(np.float64)) <= LARGEST)
    if sp.issparse(X):
        entry = int(np.flatnonzero(bad)[0])
        row, column = int(np.searchsorted(X.indptr, entry, side="right") - 1), int(X.indices[entry])
    else:
        row, column = (int(i) for i in np.argwhere(bad)[0])
    row += first_row
    value = float(to_numpy(values)[bad][0])
    label = f" ('{columns[column]}')" if columns is not None else ""
    if np.isfinite(value):
        raise ValueError(
            f"{name} contains {value:g} at row {row}, column {column}{label}, and its powers overflow. Scale the "
            f"column first, for instance with sklearn.preprocessing.MaxAbsScaler in a Pipeline."
        )
    kind = "NaN" if np.isnan(value) else "infinity"
    raise ValueError(
        f"{name} contains {kind} at row {row}, column {column}{label}. Fill or drop it first, for instance "
        f"with sklearn.impute.SimpleImputer in a Pipeline; only targets may be missing. lsvv.fill takes a frame as it "
        f"is."
    )


def _leaves_single(largest: float) -> bool:
    """Whether products of rows of that size, or what is learnt of them, leave single precision."""
    return largest != 0.0 and not 1.0 / LARGEST_SINGLE <= largest <= LARGEST_SINGLE


def warn_of_units(X: Array, names: Any = None) -> None:
    """A warning where one column holds next to all distances between rows, as one in a small unit does.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     warn_of_units(np.array([[0.0, 1e6], [1.0, 0.0], [2.0, 5e6]]))
    >>> str(told[0].message)[:28]
    'Column 1 outweighs all other'
    """
    if sp.issparse(X) or isinstance(X, StoredRows) or X.shape[1] < 2:
        return
    some = to_float64(X[:: max(1, X.shape[0] // UNIT_ROWS), :])
    spread = np.asarray(to_numpy(some)).var(axis=0)
    largest = int(np.argmax(spread))
    rest = float(np.delete(spread, largest).sum())
    if 0.0 < rest < OUTWEIGHED * spread[largest]:
        column = repr(str(names[largest])) if names is not None else largest
        warnings.warn(
            f"Column {column} outweighs all others: {100 * (1.0 - OUTWEIGHED):g} % of the squared distances between "
            f"rows are its own. Scale the columns, for instance with sklearn.preprocessing.StandardScaler in a "
            f"Pipeline, or take LSVVClassifierCV or LSVVRegressorCV with features='auto', which no unit matters to.",
            UserWarning,
            stacklevel=3,
        )


def generator(random_state: Any) -> np.random.Generator:
    """A NumPy Generator from None, an int, a RandomState or a Generator."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    is_seed = isinstance(random_state, (int, np.integer)) and random_state >= 0
    if random_state is None or is_seed or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    raise ValueError(
        f"random_state={quoted(random_state)} cannot seed a generator. Pass None, an int of at least 0, a RandomState "
        f"or a Generator."
    )


def quoted(value: Any) -> str:
    """``repr(value)`` in one line of 80 characters at most: a value in a sentence.

    Examples
    --------
    >>> quoted("fast"), len(quoted(10**400))
    ("'fast'", 80)
    """
    try:
        text = " ".join(repr(value).split())
    except ValueError:
        # Python writes no integer of more than some thousand digits
        return f"{type(value).__name__} with too many digits to write"
    return text if len(text) <= 80 else f"{text[:77]}..."


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Refuse a value that is none of the choices."""
    if value not in choices:
        listed = " or ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name}={quoted(value)} is not known. Choose {listed}.")
