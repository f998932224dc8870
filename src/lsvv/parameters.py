"""What every parameter may be: one table, for the estimators and for the searches over several values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any

import numpy as np

from lsvv.inputs import quoted

SOLVERS = ("auto", "closed", "accelerated", "minibatch")
GRIDS = ("ridge", "smoothing", "manifold", "power", "spectral", "free_rank")
"""Parameters of which a search takes one value or several."""

MOST = 10**9
"""The largest count: beyond it a loop has no end and no memory suffices."""
MOST_JOBS = 10**6
"""The largest number that joblib reads."""


class Settings:
    """A choice that comes with settings of its own, in place of its name; it checks them where it is used."""


Constraint = tuple[Callable[[Any], bool], str]
"""Whether a value will do, and what to pass in its place."""


def _is_number(value: Any) -> bool:
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        return False
    # 1e300 is no number of single precision, and some integers are none of double precision
    return bool(abs(value if isinstance(value, int) else float(value)) < 1e300)


def _is_count(value: Any, least: int = 1) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(least <= value <= MOST)


def _one_of(*choices: str) -> Constraint:
    listed = ", ".join(repr(choice) for choice in choices[:-1])
    return lambda value: isinstance(value, str) and value in choices, f"{listed} or {choices[-1]!r}"


def _are_counts(values: Any) -> bool:
    return isinstance(values, (list, tuple)) and bool(values) and all(map(_is_count, values))


def _is_free_rank(value: Any) -> bool:
    if isinstance(value, str):
        return value == "balance"
    return _is_count(value, 0) or (isinstance(value, (float, np.floating)) and bool(0.0 <= value <= 1.0))


def _is_smoothing(value: Any) -> bool:
    return value == "auto" if isinstance(value, str) else _is_number(value) and 0 <= value < 1


_NOT_NEGATIVE: Constraint = (lambda v: _is_number(v) and v >= 0, "a finite number of at least 0")
_COUNT: Constraint = (_is_count, f"an integer of at least 1 and at most {MOST}")
_BOOLEAN: Constraint = (lambda v: isinstance(v, (bool, np.bool_)), "True or False")

CONSTRAINTS: dict[str, Constraint] = {
    "ridge": (lambda v: v == "auto" if isinstance(v, str) else _NOT_NEGATIVE[0](v), "'auto', or " + _NOT_NEGATIVE[1]),
    "smoothing": (_is_smoothing, "'auto', or a number of at least 0 and below 1"),
    "manifold": _NOT_NEGATIVE,
    "power": (lambda v: _is_count(v) and v <= 2, "1 or 2"),
    "spectral": _NOT_NEGATIVE,
    "free_rank": (_is_free_rank, "an integer of at least 0, a float from 0.0 to 1.0, or 'balance'"),
    "spectral_rule": _one_of("tail", "as_printed"),
    "n_neighbors": _COUNT,
    "laplacian": _one_of("normalized", "plain"),
    "solver": (
        lambda v: isinstance(v, Settings) or (isinstance(v, str) and v in SOLVERS),
        f"{', '.join(map(repr, SOLVERS))} or a MiniBatch",
    ),
    "selection": _one_of("average", "best"),
    "target_scale": _one_of("auto", "as is", "log"),
    "safe": _BOOLEAN,
    "per_output": _BOOLEAN,
    "trees": (
        lambda v: isinstance(v, (bool, np.bool_)) or (isinstance(v, str) and v == "auto"),
        "'auto', True or False",
    ),
    "fit_intercept": _BOOLEAN,
    "n_draws": _COUNT,
    "tol": _NOT_NEGATIVE,
    "max_iter": _COUNT,
    "n_components": _COUNT,
    "n_landmarks": _COUNT,
    "n_trees": _COUNT,
    "max_depth": _COUNT,
    "hidden": (_are_counts, "a sequence of integers of at least 1, such as (256, 128)"),
    "n_parts": _COUNT,
    "most_entries": _COUNT,
    "softness": (lambda v: _is_number(v) and v > 0, "a finite number above 0"),
    "patience": _COUNT,
    "batch_size": _COUNT,
    "learning_rate": (lambda v: _is_number(v) and v > 0, "a finite number above 0"),
    "validation_fraction": (lambda v: _is_number(v) and 0 < v < 1, "a number above 0 and below 1"),
    "orthogonal": _BOOLEAN,
    "sketch": _one_of("gaussian", "subsample"),
    "n_jobs": (
        lambda v: v is None or (_is_count(v, -MOST_JOBS) and 0 != v <= MOST_JOBS),
        f"an integer or None, from -{MOST_JOBS} to {MOST_JOBS} and not 0",
    ),
    "verbose": (lambda v: isinstance(v, (bool, np.bool_)) or _is_count(v, 0), "an integer of at least 0"),
}


def check_parameters(estimator: Any) -> None:
    """Refuse the first parameter of an estimator, or of a map, that is out of its range, with a sentence."""
    for name, value in estimator.get_params(deep=False).items():
        if name in CONSTRAINTS:
            check_parameter(name, value)


def check_grids(estimator: Any) -> None:
    """The same for a search: each value of a grid must be one that a single estimator takes."""
    for name, value in estimator.get_params(deep=False).items():
        if name not in CONSTRAINTS or (name in GRIDS and isinstance(value, str) and value == "auto"):
            continue
        for entry in entries(name, value) if name in GRIDS else [value]:
            check_parameter(name, entry)


def check_parameter(name: str, value: Any) -> None:
    """Refuse a value that is out of range."""
    fits, wanted = CONSTRAINTS[name]
    if not fits(value):
        raise ValueError(f"{name}={quoted(value)} is out of range. Pass {wanted}.")


def entries(name: str, values: Any) -> list[Any]:
    """The values of a grid, from one of them or from several."""
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if isinstance(values, (str, Real)) or values is None:
        return [values]
    found = list(values) if isinstance(values, Iterable) else [values]
    if not found:
        raise ValueError(f"{name}={quoted(values)} is empty. Pass a value or several.")
    return found
