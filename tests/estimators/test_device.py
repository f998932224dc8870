"""A device that is named: NumPy rows are worked there, and all that comes back is a NumPy array."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import laws
from lsvv import LSVVClassifier, LSVVClassifierCV, LSVVRegressor, LSVVRegressorCV
from lsvv.features import RandomFourier

DEVICE = os.environ.get("LSVV_TEST_DEVICE", "cpu")
MAP = RandomFourier(40, width=1.0)
KINDS = [
    LSVVClassifier(features=MAP, smoothing=0.9, random_state=0),
    LSVVClassifier(features=MAP, smoothing=0.0, manifold=1.0, random_state=0),
    LSVVRegressor(features=MAP, random_state=0),
    LSVVClassifierCV(features=MAP, random_state=0),
    LSVVRegressorCV(features=MAP, random_state=0),
    LSVVClassifierCV(features=MAP, selection="best", random_state=0),
]


@pytest.fixture
def data(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(120, 2))
    return X, np.where(np.arange(120) < 30, (X[:, 0] > 0).astype(int), -1)


def _told(model: Any, X: np.ndarray) -> dict[str, Any]:
    """All that a model tells in numbers."""
    told = {"predict": model.predict(X), "transduction_": model.transduction_}
    for name in ("predict_proba", "decision_function"):
        if hasattr(model, name):
            told[name] = getattr(model, name)(X)
    for name in ("coef_", "intercept_"):
        if hasattr(model, name):
            told[name] = getattr(model, name)
    return told


@pytest.mark.parametrize("model", KINDS, ids=repr)
def test_a_named_device_gives_the_same_model_in_arrays(model: Any, data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    y = np.where(y < 0, np.nan, y) if "Regressor" in type(model).__name__ else y
    here = _told(model.fit(X, y), X)
    there = _told(model.set_params(device=DEVICE).fit(X, y), X)
    model.set_params(device=None)
    assert {type(one) for one in there.values()} == {np.ndarray}
    for name, values in here.items():
        laws.assert_close(there[name], values, rtol=1e-5, atol=1e-6)


def test_rows_are_worked_there(data: tuple[np.ndarray, np.ndarray]) -> None:
    seen = []

    class Watched(RandomFourier):
        def transform_checked(self, X: Any) -> Any:
            seen.append(X)
            return super().transform_checked(X)

    LSVVClassifier(features=Watched(20), device=DEVICE, random_state=0).fit(*data).predict(data[0])
    assert {str(one.device).split(":")[0] for one in seen} == {DEVICE}


def test_what_cannot_go_there_is_refused(data: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    X, y = data
    stored = np.lib.format.open_memmap(tmp_path / "X.npy", mode="w+", shape=X.shape)
    stored[:] = X
    for rows, device, sentence in (
        (sp.csr_array(X), "cpu", "device='cpu' takes dense rows, and X is sparse"),
        (stored, "cpu", "device='cpu' takes rows in memory, and X is not"),
        (X, "moon", "device='moon' cannot be used here: .* Name a device that torch knows, such as 'cuda'"),
        (torch.as_tensor(X), "meta", "X lies on cpu, and device='meta' is another"),
    ):
        with pytest.raises(ValueError, match=sentence):
            LSVVClassifier(device=device).fit(rows, y)
