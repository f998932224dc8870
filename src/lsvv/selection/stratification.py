"""Dividing labelled rows into parts that resemble each other: by class, by labels, or plainly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lsvv.targets.reading import (
    as_floats,
    as_rows_of_targets,
    as_targets_array,
    read_classes,
    refuse_plus_and_minus_one,
)

BLOCK = 4096
"""Rows whose indicators are held as floats at a time."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """The labelled rows of a table, and what their parts shall have alike.

    Attributes
    ----------
    n_rows : int
        Rows of the table.
    rows : int array of shape (n,)
        Numbers of the labelled rows, ascending.
    classes : int array of shape (n,)
        The class of each as 0..C-1; all 0 where there is nothing to stratify by.
    names : array of shape (C,)
        The classes as the user spells them; empty where there is nothing to stratify by.
    labels : array of shape (n, K) or None
        The indicator of 0 and 1 with NaN for unknown entries, for labels alone.
    """

    n_rows: int
    rows: np.ndarray
    classes: np.ndarray
    names: np.ndarray
    labels: np.ndarray | None = None


def read_labelled(X: Any, y: Any, *, stratify: bool) -> Labelled:
    """The labelled rows of ``y``, which has a row for each of ``X`` (unless ``X`` is None).

    1-d integers, names and whole floats are classes, other floats numbers; a 2-d ``y`` of 0 and 1 are labels, any
    other numbers. A row of a 2-d ``y`` is labelled where any of its entries is known.
    """
    array = as_targets_array(y) if X is None else as_rows_of_targets(y, np.shape(X)[0], "y")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 1 and not _is_numbers(array):
        refuse_plus_and_minus_one(array)
        names, known = read_classes(array)
        classes = np.unique(names[known], return_inverse=True) if stratify else None
        return _labelled(known, classes, None)
    values = as_floats(array if array.ndim == 2 else array[:, None], "y")
    known_rows = ~np.isnan(values).all(axis=1)
    labels = values[known_rows] if stratify and array.ndim == 2 else None
    return _labelled(known_rows, None, labels if labels is not None and _is_indicator(labels) else None)


def _labelled(known: np.ndarray, classes: tuple[np.ndarray, np.ndarray] | None, labels: np.ndarray | None) -> Labelled:
    rows = np.flatnonzero(known)
    if rows.size == 0:
        raise ValueError(
            f"None of the {known.size} rows is labelled: every y is missing (-1, None or NaN), so there is nothing to "
            f"test on. Label some rows."
        )
    names, codes = classes if classes is not None else (np.empty(0), np.zeros(rows.size, dtype=np.intp))
    return Labelled(known.size, rows, codes, names, labels)


def _is_numbers(y: np.ndarray) -> bool:
    """Whether 1-d ``y`` holds numbers: floats that are fractional or negative, or mostly distinct."""
    if y.dtype.kind == "O" and not any(isinstance(entry, str) for entry in y):
        values = as_floats(y, "y")
        return bool((values != np.round(values))[~np.isnan(values)].any())
    if y.dtype.kind != "f":
        return False
    values = y[~np.isnan(y)]
    return bool((values != np.round(values)).any() or (values < 0).any() or 2 * np.unique(values).size > values.size)


def _is_indicator(Y: np.ndarray) -> bool:
    return bool(((Y == 0) | (Y == 1) | np.isnan(Y)).all())


def even_sizes(n: int, n_parts: int) -> np.ndarray:
    """The sizes of ``n_parts`` parts of n rows; they differ by at most 1."""
    return n // n_parts + (np.arange(n_parts) < n % n_parts)


def deal(classes: np.ndarray, n_parts: int, order: np.ndarray) -> np.ndarray:
    """The part of each row: rows sorted by class are dealt out like cards.

    Part sizes differ by at most 1, and so do the counts of every class.

    Examples
    --------
    >>> deal(np.array([0, 0, 0, 0, 1, 1]), 2, np.arange(6))
    array([0, 0, 1, 1, 0, 1])
    """
    by_class = order[np.argsort(classes[order], kind="stable")]
    dealt = np.arange(classes.size) % n_parts
    parts = np.empty(classes.size, dtype=np.intp)
    # within a class the first rows go to the first part: neighbours in the table, often twins, stay together
    parts[by_class] = dealt[np.lexsort((dealt, classes[by_class]))]
    return parts


def spread_out(n: int, count: int, offset: int) -> np.ndarray:
    """Which ``count`` of n places are taken when they lie evenly: i where floor((i count + offset) / n) steps up.

    Any L places in a row hold floor or ceil of L count / n taken ones.

    Examples
    --------
    >>> spread_out(6, 2, 0)
    array([False, False,  True, False, False,  True])
    """
    return np.diff((np.arange(n + 1) * count + offset) // n) > 0


def balance(Y: np.ndarray, sizes: np.ndarray, order: np.ndarray) -> np.ndarray:
    """The part of each row of an indicator: each goes where it raises chi^2 least.

    chi^2 = sum_parts sum_columns (n_pc - s_p n_c)^2 / (s_p n_c),

    with n_pc the count of column c in part p, n_c its count in all and s_p the part's share of the rows. The columns
    are the labels, the known entries of every label that has unknown ones, and the rows themselves. Rows come in the
    order of their rarest label, so that the frequent ones even out what the rare ones leave; a full part takes no
    more, so that sizes are met exactly. One pass: rows x parts x columns multiplications.

    Parameters
    ----------
    Y : array of shape (n, K)
        0 and 1, NaN where unknown.
    sizes : int array of shape (P,)
        The rows of each part, at least 1 each; their sum is n.
    order : int array of shape (n,)
        The order of rows with the same rarest label.

    Examples
    --------
    >>> Y = np.array([[1, 1], [1, 0], [0, 1], [1, 1], [1, 0], [0, 1]])
    >>> balance(Y, np.array([3, 3]), np.arange(6))
    array([0, 1, 0, 1, 0, 1])
    """
    yes, known = Y == 1, ~np.isnan(Y)
    columns = np.concatenate([np.ones((len(Y), 1), dtype=bool), yes, known[:, ~known.all(axis=0)]], axis=1)
    unit = 1.0 / np.sqrt(np.maximum(columns.sum(axis=0), 1))
    order = order[np.argsort(_rarest_label(yes)[order], kind="stable")]
    share = sizes / sizes.sum()
    held = np.zeros((sizes.size, columns.shape[1]))
    closed, room = np.zeros(sizes.size), sizes.tolist()
    parts = np.empty(len(Y), dtype=np.intp)
    for start in range(0, len(Y), BLOCK):
        rows = order[start : start + BLOCK]
        for row, u in zip(rows.tolist(), columns[rows] * unit, strict=True):
            # twice this is what the row adds to chi^2 in each part, but for a term all parts share
            part = int(((held @ u + 0.5 * (u @ u)) / share + closed).argmin())
            parts[row] = part
            held[part] += u
            room[part] -= 1
            if room[part] == 0:
                closed[part] = np.inf
    return parts


def _rarest_label(yes: np.ndarray) -> np.ndarray:
    """The rank, by count, of the rarest label of each row; K where it has none."""
    by_count = yes[:, np.argsort(yes.sum(axis=0), kind="stable")]
    return np.where(by_count.any(axis=1), by_count.argmax(axis=1), yes.shape[1])
