"""The one place that chooses an estimator for a task, and what it says of rows whose label it did not see."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsvv.calibration import probabilities
from lsvv.estimators import LSVVClassifier, LSVVRegressor
from lsvv.features import Linear, MappedRows, RandomFourier
from lsvv.losses import Loss
from lsvv.objective import Objective
from lsvv.solvers import Solution, leave_one_out_scores
from lsvv.targets import Targets

__all__ = ["TableClassifier", "TableRegressor", "choose_model", "feature_map", "held_out"]

MOST_HELD_OUT = 3000
"""Labelled rows left out one at a time; beyond it a random part of them stands for all."""


class _LeavesOneOut:
    """Keeps the leave-one-out scores of labelled rows: ``held_out_rows_`` and ``held_out_scores_``."""

    def _calibrate(
        self,
        labelled: MappedRows,
        targets: Targets,
        loss: Loss,
        objective: Objective,
        solution: Solution,
        rng: np.random.Generator,
    ) -> None:
        super()._calibrate(labelled, targets, loss, objective, solution, rng)  # type: ignore[misc]
        n_labelled = targets.labelled.size
        some = np.arange(n_labelled)
        if n_labelled > MOST_HELD_OUT:
            some = np.sort(rng.choice(n_labelled, MOST_HELD_OUT, replace=False))
        values, one = targets.values[targets.labelled][some], targets.weights_of_one()[some]
        self.held_out_rows_ = targets.labelled[some]
        self.held_out_scores_ = leave_one_out_scores(objective, solution.variable, labelled.take(some), values, one)


class TableClassifier(_LeavesOneOut, LSVVClassifier):
    """:class:`LSVVClassifier` that also knows its leave-one-out scores."""


class TableRegressor(_LeavesOneOut, LSVVRegressor):
    """:class:`LSVVRegressor` that also knows its leave-one-out scores."""


def held_out(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Labelled rows, and for each what a model says that did not see its label: probabilities or numbers (rows, K)."""
    scores = model.held_out_scores_
    if isinstance(model, TableRegressor):
        return model.held_out_rows_, np.reshape(model._codec.decode(scores), scores.shape)
    alone = model._codec.one_class_a_row
    P = probabilities(scores - model._threshold, model.temperature_, one_class_a_row=alone)
    return model.held_out_rows_, np.asarray(P)


def choose_model(task: str, n_rows: int, *, features: str = "fourier", random_state: int = 0) -> Any:
    """An unfitted estimator for a task: the regressor for numbers, the classifier for everything else."""
    chosen = TableRegressor if task == "numbers" else TableClassifier
    return chosen(features=feature_map(features, n_rows), random_state=random_state)


def feature_map(name: str, n_rows: int) -> Any:
    """phi for a table of ``n_rows``: as many features as its rows can fix, fewer for very many rows."""
    if name == "linear":
        return Linear()
    most = 2000 if n_rows <= 20_000 else 1000
    return RandomFourier(int(np.clip(2 * n_rows, 128, most)))
