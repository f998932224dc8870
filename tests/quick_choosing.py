"""A chooser that takes milliseconds: one ridge regression a method, in place of reproduction.choosing."""

import os
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from reproduction.data import Fold
from reproduction.experiments import OWN
from reproduction.published import METHODS


@dataclass(frozen=True, eq=False)
class Choice:
    scores: np.ndarray
    parameters: dict[str, Any]
    seconds: float


def choose(
    fold: Fold, *, task: str, space: str, chooser: str, seed: int, free_rank: float | None = None
) -> dict[str, Choice]:
    """Ridge on the labelled rows; the methods differ by their ridge, the kernel space by squared inputs."""
    time.sleep(float(os.environ.get("LSVV_TEST_SECONDS", "0")))
    known = fold.y_train >= 0 if task == "multi-class" else ~np.isnan(fold.y_train).any(axis=1)
    targets = np.eye(int(fold.y_train.max()) + 1)[fold.y_train] if task == "multi-class" else fold.y_train
    train, test = features(fold.X_train, space), features(fold.X_test, space)
    return {
        method: Choice(test @ ridge(train[known], targets[known], 10.0**-place), {"ridge": 10.0**-place}, 0.1)
        for place, method in enumerate((OWN,) if chooser == OWN else METHODS)
    }


def features(X: Any, space: str) -> np.ndarray:
    dense = X.toarray() if hasattr(X, "toarray") else X
    return np.column_stack([np.ones(len(dense)), dense, dense**2 if space == "kernel" else dense])


def ridge(Phi: np.ndarray, Y: np.ndarray, weight: float) -> np.ndarray:
    return np.asarray(np.linalg.solve(Phi.T @ Phi + weight * np.eye(Phi.shape[1]), Phi.T @ Y))
