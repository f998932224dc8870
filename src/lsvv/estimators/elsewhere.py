"""Rows that are not in memory, opened for an estimator: those stored in blocks, and those on a cluster."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsvv.cluster import check_cluster, computed, delayed, is_on_cluster, partitions
from lsvv.inputs import check_stored, checked_blocks
from lsvv.linalg import in_blocks
from lsvv.stored import StoredRows, check_target, column_blocks, data_set_columns, is_stored, stored_targets

SCORED = 20_000
"""Rows that are scored at once."""


def is_elsewhere(X: Any) -> bool:
    """Whether X is not in memory.

    Examples
    --------
    >>> is_elsewhere([[1.0]]), is_elsewhere(iter([]))
    (False, True)
    """
    return is_on_cluster(X) or is_stored(X)


def opened_rows(estimator: Any, X: Any, y: Any, X_unlabeled: Any = None) -> tuple[StoredRows, Any]:
    """The rows of X where they are, and the targets in memory; y may be the name of a column of X."""
    if X_unlabeled is not None:
        raise ValueError(
            "X_unlabeled goes with rows in memory. Put all rows into one X, and mark those without a label in y."
        )
    if estimator.device is not None:
        raise ValueError(
            f"device={estimator.device!r} takes rows in memory, and X is not. Leave it out, or load a part of the rows."
        )
    if not is_on_cluster(X):
        check_target(X, y)
        return check_stored(estimator, X, without=y if isinstance(y, str) else None), stored_targets(X, y)
    if isinstance(y, str):
        if y not in getattr(X, "columns", ()):
            raise ValueError(f"y={y!r} names a column, but X has none of that name. Pass the targets.")
        X, y = X.drop(columns=[y]), X[y]
    return check_cluster(estimator, X), computed(y) if is_on_cluster(y) else stored_targets(X, y)


def known_targets(X: Any, y: Any) -> Any:
    """The targets to score answers for X by: y, or the column of X that it names."""
    if is_on_cluster(y):
        return computed(y)
    return stored_targets(X, y) if is_stored(X) else y


def scores_elsewhere(model: Any, X: Any, method: str = "_checked_scores") -> np.ndarray:
    """The scores of rows that are not in memory, block by block; partitions are scored where they are.

    ``method`` is what scores rows in memory that have passed the gate.
    """
    if is_on_cluster(X):
        scorer = delayed(model)
        return np.concatenate(computed([delayed(_scored)(scorer, method, part) for part in partitions(X)]))
    return np.concatenate([_in_pieces(model, method, block) for block in _blocks(model, X)])


def scores_of_opened(model: Any, rows: StoredRows) -> np.ndarray:
    """The scores of rows that were opened for a fit, where they are."""
    return np.concatenate(list(rows.each(model._checked_scores, SCORED)))


def _scored(model: Any, method: str, part: Any) -> np.ndarray:
    if not len(part):
        return np.empty((0, model.n_outputs_))
    return np.concatenate([_in_pieces(model, method, block) for block in checked_blocks(model, [part])])


def _in_pieces(model: Any, method: str, block: np.ndarray) -> np.ndarray:
    """The scores of a block of any size, some rows at a time."""
    work = getattr(model, method)
    return np.concatenate(list(in_blocks(lambda part: work(block[part]), len(block), SCORED)))


def _blocks(model: Any, X: Any) -> Any:
    named = data_set_columns(X) is not None and hasattr(model, "feature_names_in_")
    return checked_blocks(model, column_blocks(X, list(model.feature_names_in_) if named else None))
