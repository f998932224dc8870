"""What each known cell weighs: the same, or the more the rarer its answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsvv.tables.table import TableError
from lsvv.tables.targets import Group

__all__ = ["CLASS_WEIGHTS", "check_class_weight", "weights_of"]

CLASS_WEIGHTS = ("none", "balanced")


def check_class_weight(name: str) -> None:
    """Refuses a word that names no way to weigh."""
    if name not in CLASS_WEIGHTS:
        raise TableError(f"There is no class weight {name!r}. Choose one of {', '.join(CLASS_WEIGHTS)}.")


def weights_of(group: Group, class_weight: str) -> Any:
    """The weights of a group's cells: None where all weigh the same, else n / (choices n_choice), numbers apart.

    Examples
    --------
    >>> from lsvv.tables.targets import ClassTarget
    >>> known, values = np.array([True, True, True, True, False]), np.array([0, 0, 0, 1, -1])
    >>> kinds = ClassTarget("kind", "classes", "", known, values, ("cat", "dog"), ("cat", "dog"))
    >>> weights_of(Group("classes", (kinds,)), "balanced").round(2).tolist()
    [0.67, 0.67, 0.67, 2.0, 0.0]
    """
    if class_weight == "none" or group.task == "numbers":
        return None
    values = group.as_array()
    if values.ndim == 1:
        return _balanced(values, np.isfinite(values) & (values >= 0))
    return np.column_stack([_balanced(column, ~np.isnan(column)) for column in values.T])


def _balanced(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    weights = np.zeros(values.size)
    _, place, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    weights[known] = (known.sum() / (counts.size * counts))[place]
    return weights
