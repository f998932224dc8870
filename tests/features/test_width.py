"""The width: numbers, multiples of the median distance, and what is neither."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from scipy.spatial.distance import pdist

from lsvv.features.width import median_distance, median_multiple, resolve_width


@pytest.mark.parametrize(
    ("width", "multiple"),
    [
        ("auto", 0.5),
        ("median", 1.0),
        ("2 median", 2.0),
        ("0.25*median", 0.25),
        (" 1e-1 * median ", 0.1),
        (3.0, None),
        (1, None),
    ],
)
def test_a_width_is_a_number_or_a_multiple(width: Any, multiple: float | None) -> None:
    assert median_multiple(width) == multiple


@pytest.mark.parametrize("width", [0, -1.0, float("nan"), float("inf"), "mean", "0 median", "-1 median", "", "2"])
def test_what_is_no_width_is_refused(width: Any) -> None:
    with pytest.raises(ValueError, match=r"is not a width. Pass 'auto', a positive number, or a multiple"):
        median_multiple(width)


def test_the_median_is_that_of_all_pairs(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 3))
    expected = np.sort(pdist(X))[(len(pdist(X)) - 1) // 2]
    for rows in (X, sp.csr_array(X), torch.as_tensor(X)):
        assert median_distance(rows, None, rng) == pytest.approx(expected, rel=1e-9)
    assert resolve_width("2 median", X, None, rng) == pytest.approx(2 * expected)
    assert resolve_width(3, X, None, rng) == 3.0


def test_a_weight_of_two_is_two_rows(rng: np.random.Generator) -> None:
    X, weight = rng.normal(size=(12, 2)), rng.integers(0, 4, size=12)
    repeated = np.repeat(X, weight, axis=0)
    assert median_distance(X, weight, rng) == pytest.approx(median_distance(repeated, None, rng), rel=1e-9)


def test_repeated_rows_do_not_shrink_the_width(rng: np.random.Generator) -> None:
    X = rng.normal(size=(10, 2))
    many = np.vstack([np.repeat(X[:1], 40, axis=0), X[1:]])
    assert median_distance(many, None, rng) > 0.3 * median_distance(X, None, rng)


@pytest.mark.parametrize("X", [np.zeros((5, 2)), np.full((5, 2), 7.0), np.ones((1, 3))])
def test_rows_that_all_coincide_have_width_one(X: np.ndarray, rng: np.random.Generator) -> None:
    assert median_distance(X, None, rng) == 1.0


@pytest.mark.parametrize("scale", [1e-30, 1e30, 1e150])
def test_the_width_follows_the_scale_of_the_data(scale: float, rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 3))
    assert median_distance(scale * X, None, rng) == pytest.approx(scale * median_distance(X, None, rng), rel=1e-9)


def test_many_rows_are_sampled(rng: np.random.Generator) -> None:
    X = rng.normal(size=(3000, 2))
    exact = np.median(pdist(X))
    assert median_distance(X, None, rng) == pytest.approx(exact, rel=0.05)
