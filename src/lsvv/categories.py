"""Columns of categories in a frame: one 0/1 column for each common category."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

MOST_CATEGORIES = 100
"""Categories of a column that have a 0/1 column of their own, the most frequent ones; the others are 0 in all."""


def categorical_columns(X: Any) -> list[str]:
    """The names of a frame's columns of dtype category (pandas) or Categorical and Enum (polars)."""
    if not hasattr(X, "columns") or not (hasattr(X, "dtypes") or hasattr(X, "schema")):
        return []
    dtypes = X.dtypes.items() if hasattr(X, "iloc") else getattr(X, "schema", {}).items()
    return [name for name, dtype in dtypes if str(dtype).startswith(("category", "Categorical", "Enum"))]


def learn_categories(X: Any) -> dict[str, np.ndarray]:
    """The categories of each categorical column that rows of a frame hold, at most 100 of them."""
    found: dict[str, np.ndarray] = {}
    for name in categorical_columns(X):
        values, counts = np.unique([str(value) for value in _present(X[name])], return_counts=True)
        found[name] = np.sort(values[np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]])
    return found


def code_categories(X: Any, categories: dict[str, np.ndarray]) -> np.ndarray:
    """The columns of a frame as numbers: categories as 0/1 columns, a new or a missing one 0 in all of them.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"size": [1.5, 2.0, 3.0], "kind": pd.Categorical(["b", "a", None])})
    >>> code_categories(X, learn_categories(X)).tolist()
    [[1.5, 0.0, 1.0], [2.0, 1.0, 0.0], [3.0, 0.0, 0.0]]
    """
    blocks = []
    for name in X.columns:
        if name in categories:
            cells = _cells(X[name])
            there, values = np.array([cell is not None for cell in cells]), np.array([str(cell) for cell in cells])
            blocks.append((there[:, None] & (values[:, None] == categories[name][None, :])).astype(np.float64))
        else:
            blocks.append(_numbers(X[name], name)[:, None])
    return np.hstack(blocks)


def coded_from(names: Sequence[str], categories: dict[str, np.ndarray]) -> list[str]:
    """The column of the frame that each coded column comes from.

    Examples
    --------
    >>> coded_from(["size", "kind"], {"kind": np.array(["a", "b"])})
    ['size', 'kind', 'kind']
    """
    return [name for name in names for _ in range(categories[name].size if name in categories else 1)]


def _numbers(column: Any, name: str) -> np.ndarray:
    cells = np.asarray(column.to_numpy())
    if cells.dtype.kind == "O":
        cells = np.array([np.nan if cell is None else cell for cell in _cells(column)], dtype=object)
    if cells.dtype.kind in "mM":
        raise ValueError(
            f"Column {name!r} of X holds dates. Make numbers of them first, such as days since the first; "
            f"lsvv.fill takes the frame as it is."
        )
    try:
        return cells.astype(np.float64)
    except OverflowError as error:
        raise ValueError(f"Column {name!r} of X holds a number beyond 1e308. Scale it, or take logarithms.") from error
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Column {name!r} of X holds neither numbers nor categories: {error}. Encode it, or make it a column of "
            f"dtype 'category'. lsvv.tables.FrameVectorizer in a Pipeline does so, and lsvv.fill takes the frame as it "
            f"is."
        ) from error


def refuse_columns_without_numbers(X: Any) -> None:
    """Name the first column of a frame that holds no numbers."""
    for name in getattr(X, "columns", ()):
        _numbers(X[name], name)


def _cells(column: Any) -> list[Any]:
    """The cells, None where they are missing."""
    missing = column.isna() if hasattr(column, "isna") else column.is_null()
    return [None if gone else value for value, gone in zip(column.to_list(), missing.to_list(), strict=True)]


def _present(column: Any) -> list[Any]:
    return [value for value in _cells(column) if value is not None]
