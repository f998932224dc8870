"""What may be done to data without changing what is learnt, for single models and for searches."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lsvv import LSVVClassifier, LSVVClassifierCV, LSVVRegressor, LSVVRegressorCV
from lsvv.features import Nystroem, RandomFourier, Sketch
from models import PAPER, SMOOTHED, SUPERVISED

RNG = np.random.default_rng(5)
X = RNG.normal(size=(90, 3))
TRUTH = (X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * RNG.normal(size=90) > 0).astype(int)
Y = np.where(RNG.random(90) < 0.5, TRUTH, -1)
NUMBERS = np.where(Y == -1, np.nan, X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * RNG.normal(size=90))
SMALL: dict[str, Any] = {"features": ["linear", RandomFourier(40), Nystroem(30)], "random_state": 0}

Make = Callable[[], Any]
LINEAR: list[Make] = [
    lambda: LSVVClassifier(features="linear", random_state=0, **SUPERVISED),
    lambda: LSVVClassifier(
        features="linear", loss="logistic", ridge=0.01, tol=1e-7, max_iter=5000, random_state=0, **SUPERVISED
    ),
    lambda: LSVVClassifier(
        features="linear", loss="smooth_hinge", ridge=0.1, tol=1e-6, max_iter=5000, random_state=0, **SUPERVISED
    ),
    lambda: LSVVClassifier(features="linear", spectral=0.01, tol=1e-7, max_iter=5000, random_state=0, **SUPERVISED),
    lambda: LSVVClassifier(features="linear", random_state=0, **SMOOTHED),
    lambda: LSVVClassifier(features="linear", laplacian="plain", random_state=0, **PAPER),
    lambda: LSVVRegressor(features="linear", random_state=0, **SUPERVISED),
]
KERNELS: list[Make] = [
    lambda: LSVVClassifier(features=Nystroem(30), random_state=0),
    lambda: LSVVClassifier(features=Sketch(20, n_landmarks=40), random_state=0),
    lambda: LSVVClassifier(features="fourier", smoothing=0.9, random_state=0),
]
SEARCHES: list[Make] = [
    lambda: LSVVClassifierCV(random_state=0),
    lambda: LSVVClassifierCV(trees=True, **SMALL),
    lambda: LSVVClassifierCV(spectral="auto", loss="squared", **SMALL),
    lambda: LSVVRegressorCV(random_state=0),
]
parametrize = pytest.mark.parametrize


def targets_of(model: Any) -> np.ndarray:
    return NUMBERS if isinstance(model, (LSVVRegressor, LSVVRegressorCV)) else Y


def said(model: Any, rows: np.ndarray) -> np.ndarray:
    """Probabilities, or numbers."""
    return np.asarray(model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows))


def learnt(make: Make, rows: np.ndarray, order: Any = slice(None), **how: Any) -> np.ndarray:
    """What a model says of all rows, in their own order, after it learnt from them in another one."""
    model = make()
    return said(model.fit(rows[order], targets_of(model)[order], **how), rows)


@parametrize("shift", [100.0, -1e5, 1e8])
@parametrize("make", [*LINEAR[:4], *LINEAR[5:], *KERNELS[:2]])
def test_a_shift_of_the_columns_changes_nothing(make: Make, shift: float) -> None:
    # what a number of this size has lost of its digits
    atol = 1e-6 + 1e-14 * abs(shift) * 100
    np.testing.assert_allclose(learnt(make, X + shift), learnt(make, X), atol=atol)


@parametrize("shift", [100.0, -1e5])
def test_a_shift_of_smoothed_columns_changes_nothing(shift: float) -> None:
    # the series of the smoothing ends at 1e-10 of a column's norm
    np.testing.assert_allclose(learnt(LINEAR[4], X + shift), learnt(LINEAR[4], X), atol=1e-8 * abs(shift))


@parametrize("shift", [100.0, -1e5])
@parametrize("make", [SEARCHES[0], SEARCHES[3]])
def test_a_search_sees_neither_shift_nor_scale(make: Make, shift: float) -> None:
    np.testing.assert_allclose(learnt(make, 8.0 * X + shift), learnt(make, X), atol=1e-4)


@parametrize("make", [*KERNELS, SEARCHES[1], SEARCHES[2]])
def test_a_common_scale_changes_no_kernel_and_no_search(make: Make) -> None:
    np.testing.assert_allclose(learnt(make, 1024.0 * X), learnt(make, X), atol=1e-6)


def test_rows_1e10_away_from_0_are_still_predicted() -> None:
    far = LSVVRegressor(features="linear", random_state=0, **SUPERVISED).fit(X + 1e10, 3 * X[:, 0])
    assert far.score(X + 1e10, 3 * X[:, 0]) > 0.999
    np.testing.assert_allclose(far.coef_, [[3, 0, 0]], atol=0.05)


@parametrize(
    "make",
    [LINEAR[3], lambda: LSVVClassifier(features="linear", loss="hinge", tol=1e-3, random_state=0), *KERNELS, *SEARCHES],
)
def test_the_order_of_the_rows_changes_nothing(make: Make) -> None:
    order = np.random.default_rng(1).permutation(90)
    np.testing.assert_allclose(learnt(make, X, order), learnt(make, X), atol=1e-5)


def test_equally_near_rows_are_chosen_by_their_content() -> None:
    lattice = np.stack(np.meshgrid(range(10), range(9)), axis=-1).reshape(90, 2).astype(float)
    order = np.random.default_rng(1).permutation(90)
    make = KERNELS[2]
    np.testing.assert_allclose(learnt(make, lattice, order), learnt(make, lattice), atol=1e-6)


def test_figures_of_labelled_rows_are_in_the_order_of_the_rows() -> None:
    order = np.random.default_rng(1).permutation(90)
    here, there = LSVVClassifierCV(**SMALL).fit(X, Y), LSVVClassifierCV(**SMALL).fit(X[order], Y[order])
    np.testing.assert_array_equal(here.labeled_, np.flatnonzero(Y != -1))
    np.testing.assert_array_equal(there.labeled_, np.flatnonzero(Y[order] != -1))
    of_row = {row: here.loo_proba_[place] for place, row in enumerate(here.labeled_)}
    same = np.array([of_row[order[row]] for row in there.labeled_])
    np.testing.assert_allclose(there.loo_proba_, same, atol=1e-6)


@parametrize(
    "weight", [np.ones(90), np.random.default_rng(2).uniform(0.5, 2.0, 90), np.r_[np.ones(60), np.full(30, 3)]]
)
@parametrize("make", [*LINEAR, KERNELS[2], SEARCHES[1]])
def test_doubled_weights_change_nothing(make: Make, weight: np.ndarray) -> None:
    once = learnt(make, X, sample_weight=weight)
    for factor in (2.0, 1e-3, 1e150):
        np.testing.assert_allclose(learnt(make, X, sample_weight=factor * weight), once, atol=1e-5)


@parametrize("make", [lambda: LSVVRegressor(features="linear"), lambda: LSVVRegressorCV(**SMALL)])
def test_the_same_target_twice_is_two_equal_outputs(make: Make) -> None:
    once = make().fit(X, NUMBERS).predict(X)
    twice = make().fit(X, np.c_[NUMBERS, NUMBERS]).predict(X)
    np.testing.assert_allclose(twice, np.c_[once, once], atol=1e-7)


@parametrize("shift", [0.0, 100.0])
@parametrize("make", [*LINEAR[:2], *LINEAR[3:], *KERNELS[:2], *SEARCHES[:1]])
def test_single_precision_learns_what_double_learns(make: Make, shift: float) -> None:
    single = (X + shift).astype(np.float32)
    np.testing.assert_allclose(learnt(make, single), learnt(make, single.astype(float)), atol=5e-3)
