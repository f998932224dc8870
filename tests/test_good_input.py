"""Inputs that are unusual and good: each must make a model that predicts."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from lsvv import LSVVClassifier, LSVVClassifierCV, LSVVRegressor, LSVVRegressorCV
from lsvv.features import RandomFourier
from models import blobs, some_labels

X, TRUTH = blobs(90)
Y = some_labels(TRUTH)
RNG = np.random.default_rng(0)
WIDE = RNG.normal(size=(30, 20_000)) + 0.3 * np.eye(3)[np.arange(30) % 3].repeat([6667, 6667, 6666], axis=1)
HUNDREDS = np.array([1e-6, 1e6])

INPUTS: dict[str, tuple[Any, Any, float]] = {
    "columns from 1e-6 to 1e6": (X * HUNDREDS, Y, 0.5),
    "all columns of 1e-6": (1e-6 * X, Y, 0.8),
    "all columns of 1e6": (1e6 * X, Y, 0.8),
    "far from 0": (X + 1e6, Y, 0.8),
    "one label a class": (X, np.where(np.arange(90) < 3, TRUTH, -1), 0.5),
    "two labels a class": (X, np.where(np.arange(90) < 6, TRUTH, -1), 0.6),
    "one column": (X[:, :1], np.where(Y == -1, -1, TRUTH == 0), 0.6),
    "30 rows of 20,000 columns": (WIDE, np.where(np.arange(30) < 24, np.arange(30) % 3, -1), 0.5),
    "a constant column": (np.c_[X, np.full(90, 7.0)], Y, 0.8),
    "a column of one value but one": (np.c_[X, np.eye(90)[:, 0]], Y, 0.8),
    "every row twice": (np.vstack([X, X]), np.r_[Y, Y], 0.8),
    "a column twice": (np.c_[X, X], Y, 0.8),
    "whole numbers": (np.round(10 * X).astype(int), Y, 0.8),
    "yes and no": (np.c_[X[:, 0] > 0, X[:, 1] > 0], Y, 0.5),
    "single precision of 1e20": ((1e20 * X).astype(np.float32), Y, 0.8),
    "single precision of 1e-40": ((1e-40 * X).astype(np.float32), Y, 0.8),
    "sparse": (sp.csr_matrix(np.where(np.abs(X) > 0.3, X, 0.0)), Y, 0.8),
    "a frame": (pd.DataFrame(X, columns=["a", "b"]), Y, 0.8),
    "classes of large numbers": (X, np.where(Y == -1, -1, TRUTH + 10**12), 0.0),
    "classes of words": (X, np.where(Y == -1, None, np.array(["a", "b", "c"], dtype=object)[TRUTH]), 0.0),
    "rare class": (X, np.where(np.arange(90) < 45, np.where(np.arange(90) == 0, 2, TRUTH % 2), -1), 0.0),
}
SMALL = RandomFourier(60, random_state=0)
MODELS: dict[str, Callable[[], Any]] = {
    "default": lambda: LSVVClassifier(features=SMALL, random_state=0),
    "search": lambda: LSVVClassifierCV(random_state=0),
    "linear search": lambda: LSVVClassifierCV(features="linear", random_state=0),
}


# one column's unit matters to maps that were asked for, which is warned of
@pytest.mark.filterwarnings("ignore:Column . outweighs all others")
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize(("rows", "y", "least"), INPUTS.values(), ids=INPUTS)
def test_classes_are_learnt(model: Callable[[], Any], rows: Any, y: Any, least: float) -> None:
    fitted = model().fit(rows, y)
    P = fitted.predict_proba(rows)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-5)
    known = np.flatnonzero([one is not None and one != -1 for one in y])
    assert (np.asarray(fitted.transduction_)[known] == np.asarray(y)[known]).all()
    if least:
        truth = np.arange(30) % 3 if rows is WIDE else np.tile(TRUTH == 0 if np.shape(rows)[1] == 1 else TRUTH, 2)
        scale_matters = "columns" in next(name for name, one in INPUTS.items() if one[0] is rows)
        if not scale_matters or isinstance(fitted, LSVVClassifierCV):
            assert fitted.score(rows, truth[: np.shape(rows)[0]].astype(int)) > least


NUMBERS = ("columns from 1e-6 to 1e6", "one column", "every row twice", "sparse", "a frame")
REGRESSORS = (lambda: LSVVRegressor(features=SMALL), lambda: LSVVRegressorCV(random_state=0))


@pytest.mark.parametrize("n_known", [2, 20])
@pytest.mark.parametrize(
    ("name", "make"), [*product(NUMBERS, REGRESSORS), ("30 rows of 20,000 columns", REGRESSORS[0])]
)
def test_numbers_are_predicted_between_those_that_are_known(name: str, make: Callable[[], Any], n_known: int) -> None:
    rows = INPUTS[name][0]
    y = np.random.default_rng(1).normal(size=np.shape(rows)[0])
    y[n_known:] = np.nan
    model = make().fit(rows, y)
    predicted = np.asarray(model.predict(rows))
    assert np.isfinite(predicted).all()
    reach = np.ptp(y[:n_known])
    assert (np.abs(predicted - np.nanmean(y)) < 5 * reach).all()
    np.testing.assert_array_equal(np.asarray(model.transduction_)[:n_known], y[:n_known])


@pytest.mark.parametrize("kind", [LSVVRegressor, LSVVRegressorCV])
@pytest.mark.parametrize("unit", [1e-60, 1e-6, 1e6, 1e60])
@pytest.mark.parametrize("shift", [0.0, 1e3])
def test_numbers_of_any_unit_are_learnt(kind: Any, unit: float, shift: float) -> None:
    y = unit * (X[:, 0] + shift)
    y[::3] = np.nan
    assert kind(features="linear", random_state=0).fit(X, y).score(X, unit * (X[:, 0] + shift)) > 0.95
