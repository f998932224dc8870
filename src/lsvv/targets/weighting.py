"""Weights of targets: a row's, an entry's, a class's. 0 makes an entry unlabelled."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsvv.inputs import quoted
from lsvv.linalg import to_numpy

FAR = 1e100
"""Weights beyond it, or all below its inverse, are measured in units of the largest."""


def row_weight(sample_weight: Any, n_rows: int) -> np.ndarray:
    """One checked weight a row; 1 where none are given."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = _check_weight(sample_weight)
    if weight.ndim == 2 and weight.shape[1] == 1:
        weight = weight[:, 0]
    if weight.shape != (n_rows,):
        raise ValueError(f"sample_weight has shape {weight.shape}, expected ({n_rows},): one weight a row of X.")
    return weight


def entry_weight(sample_weight: Any, shape: tuple[int, ...]) -> np.ndarray:
    """One checked weight an entry, from weights of rows or of entries; 1 where none are given."""
    if sample_weight is None:
        return np.ones(shape)
    weight = _check_weight(sample_weight)
    if weight.ndim == 1:
        weight = weight[:, None]
    if weight.ndim != 2 or weight.shape[0] != shape[0] or weight.shape[1] not in (1, shape[1]):
        raise ValueError(
            f"sample_weight has shape {np.shape(sample_weight)}, expected ({shape[0]},) for one weight a row or "
            f"{shape} for one an entry."
        )
    return np.broadcast_to(weight, shape).copy()


def copies(weight: np.ndarray) -> np.ndarray:
    """How many equal rows each weight stands for: whole multiples of the smallest, or one row each; 0 stays 0.

    So a weight of 2 beside others of 1 is two rows, and the unit of the weights does not matter.

    Examples
    --------
    >>> import numpy as np
    >>> copies(np.array([0.5, 1.5, 0.0])).tolist(), copies(np.array([0.5, 0.7, 0.0])).tolist()
    ([1.0, 3.0, 0.0], [1.0, 1.0, 0.0])
    """
    multiples = weight / np.min(weight, where=weight > 0, initial=np.inf)
    whole = np.abs(multiples - np.round(multiples)) <= 1e-9 * multiples
    return np.asarray(np.round(multiples) if whole.all() else (weight > 0).astype(np.float64))


def _check_weight(sample_weight: Any) -> np.ndarray:
    try:
        given = np.asarray(to_numpy(sample_weight))
        weight = given.real.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"sample_weight holds what is no number ({error}). Pass one number a row.") from error
    if given.dtype.kind == "c":
        raise ValueError("sample_weight holds complex numbers. Pass one real number a row.")
    if not np.all(np.isfinite(weight)):
        raise ValueError("sample_weight holds NaN or infinity. Pass finite weights; 0 makes a row unlabelled.")
    if weight.size and weight.min() < 0:
        raise ValueError(f"sample_weight holds {weight.min():g}. Weights are at least 0; 0 makes a row unlabelled.")
    if not weight.any():
        raise ValueError("sample_weight is all zero, so that no row is labelled. Give some row a positive weight.")
    largest = weight.max()
    # their unit says nothing, and their sums must stay within double precision
    return weight if 1.0 / FAR < largest < FAR else weight / largest


def class_factor(class_weight: Any, classes: np.ndarray, values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The factor on each row's weight; "balanced" makes every class weigh the same."""
    if class_weight is None:
        return np.ones(len(weight))
    per_class = weight @ values
    if isinstance(class_weight, str) and class_weight == "balanced":
        factor = per_class.sum() / (classes.size * per_class)
    elif isinstance(class_weight, dict):
        unknown = [key for key in class_weight if key not in set(classes.tolist())]
        if unknown:
            raise ValueError(f"class_weight names {quoted(unknown[0])}, which is no class of y: {classes.tolist()}.")
        factor = _checked_factors([class_weight.get(c, 1.0) for c in classes.tolist()])
    else:
        raise ValueError(f"class_weight={quoted(class_weight)} is not known. Pass None, 'balanced' or a dict.")
    return np.where(values.any(axis=1), values @ factor, 1.0)


def label_factor(class_weight: Any, values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The factor on each entry's weight: per label for "balanced", {0: w, 1: w} for all labels alike."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        yes = (weight * values).sum(axis=0)
        total = weight.sum(axis=0)
        no = total - yes
        factor_yes = np.where(yes > 0, total / (2 * np.where(yes > 0, yes, 1.0)), 1.0)
        factor_no = np.where(no > 0, total / (2 * np.where(no > 0, no, 1.0)), 1.0)
        return np.where(values > 0, factor_yes, factor_no)
    if isinstance(class_weight, dict) and set(class_weight) <= {0, 1}:
        no, yes = _checked_factors([class_weight.get(0, 1.0), class_weight.get(1, 1.0)])
        return np.where(values > 0, yes, no)
    raise ValueError(f"class_weight={quoted(class_weight)} is not known. Pass None, 'balanced' or {{0: ..., 1: ...}}.")


def _checked_factors(factors: list[Any]) -> np.ndarray:
    try:
        factor = np.asarray(factors, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"class_weight holds what is no number ({error}). Pass one number a class.") from error
    if not np.all((factor >= 0) & (factor < FAR)):
        wrong = factor[~((factor >= 0) & (factor < FAR))][0]
        raise ValueError(f"class_weight holds {wrong:g}. Weights are finite and at least 0, and below {FAR:g}.")
    if not factor.any():
        raise ValueError("class_weight is all zero, so that no row is labelled. Give some class a positive weight.")
    return factor
