"""One table of what parameters may be: every estimator's are in it, and each wrong value has its sentence."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from lsvv import LSVVClassifier, LSVVRegressor
from lsvv.inputs import quoted
from lsvv.parameters import CONSTRAINTS, GRIDS, check_grids, check_parameter, check_parameters, entries

ELSEWHERE = {"features", "graph", "loss", "class_weight", "device", "random_state"}
"""Objects, which those who use them check."""

RIGHT: dict[str, list[Any]] = {
    "ridge": [0, 0.0, 1e-5, np.float32(0.1), np.float64(1.0), np.int64(3), Fraction(1, 3), 10**200],
    "smoothing": ["auto", 0, 0.0, 0.999999, np.float32(0.5), np.float64(0.5)],
    "power": [1, 2, np.int64(2)],
    "free_rank": [0, 7, np.int32(2), 0.0, 1.0, np.float64(0.5), "balance"],
    "n_neighbors": [1, np.int64(7)],
    "fit_intercept": [True, np.bool_(False)],
    "n_jobs": [None, -1, 4],
    "verbose": [0, 2, True],
    "laplacian": ["normalized", "plain"],
}
WRONG: dict[str, list[Any]] = {
    "ridge": [-1e-9, np.nan, np.inf, 1e301, 10**400, "much", None, True, np.bool_(True), [0.1], 1j],
    "smoothing": [-0.1, 1, 1.0, np.nan, "much", True, None, np.float32(1.0)],
    "power": [0, 3, 2.0, True, "2"],
    "free_rank": [-1, 1.5, -0.5, np.nan, True, None, "best"],
    "n_neighbors": [0, -3, 7.0, True, None],
    "fit_intercept": [0, 1, "no", None],
    "n_jobs": [1.5, "all", True, 0, 10**9, -(10**9)],
    "verbose": [-1, 1.5, None],
    "laplacian": ["signed", None, 1],
}


@pytest.mark.parametrize("kind", [LSVVClassifier, LSVVRegressor])
def test_every_parameter_has_its_place(kind: Any) -> None:
    assert kind().get_params().keys() <= CONSTRAINTS.keys() | ELSEWHERE
    check_parameters(kind())
    check_grids(kind())


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in RIGHT.items() for value in values])
def test_right_values_pass(name: str, value: Any) -> None:
    check_parameter(name, value)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_wrong_values_are_named_with_what_to_pass(name: str, value: Any) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        check_parameter(name, value)
    assert str(refused.value) == f"{name}={quoted(value)} is out of range. Pass {CONSTRAINTS[name][1]}."


@pytest.mark.parametrize("value", [10**400, 10**5000, [10**5000], "fast " * 100, np.zeros((30, 30))], ids=type)
def test_a_value_stays_short_in_its_sentence(value: Any) -> None:
    assert len(quoted(value)) <= 80
    assert "\n" not in quoted(value)
    with pytest.raises(ValueError, match=r"^smoothing=.* is out of range. Pass 'auto', or a number of at least 0"):
        check_parameter("smoothing", value)


def test_a_search_takes_several_values_and_looks_at_each() -> None:
    for ridge in (1e-3, [1e-3, 1e-1], np.logspace(-3, 0, 4), "auto"):
        check_grids(LSVVClassifier(ridge=ridge))  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"ridge=-1\.0 is out of range\. Pass 'auto', or a finite number of at least 0"
    ):
        check_grids(LSVVClassifier(ridge=[0.1, -1.0]))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"n_neighbors=\[5, 7\] is out of range"):
        check_grids(LSVVClassifier(n_neighbors=[5, 7]))  # type: ignore[arg-type]
    assert set(GRIDS) <= CONSTRAINTS.keys()


def test_entries_are_one_value_or_several() -> None:
    assert entries("ridge", 0.5) == [0.5]
    assert entries("free_rank", "balance") == ["balance"]
    assert entries("ridge", (0.1, 0.2)) == [0.1, 0.2]
    with pytest.raises(ValueError, match=r"ridge=\[\] is empty\. Pass a value or several"):
        entries("ridge", [])
