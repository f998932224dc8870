"""The one place that chooses an estimator for a task, and what it says of rows whose label it did not see."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsvv.calibration import probabilities
from lsvv.features import Linear, RandomFourier
from lsvv.graph import KNNGraph
from lsvv.selection import LSVVClassifierCV, LSVVRegressorCV
from lsvv.tables.table import TableError

__all__ = ["FEATURES", "choose_model", "held_out", "neighbour_graph"]

FEATURES = ("auto", "linear", "fourier")
N_NEIGHBORS = 10
MANY_ROWS = 20_000
"""Beyond it the map is smaller and the grid coarser, so that the search stays within minutes and memory."""
COARSE: dict[str, Any] = {"ridge": (1e-6, 1e-5, 1e-4, 1e-3, 1e-2), "manifold": (0.0, 1e-2, 1.0), "power": 1}


def choose_model(task: str, n_rows: int, *, features: str = "auto", graph: Any = "auto", random_state: int = 0) -> Any:
    """An unfitted estimator for a task: the regressor for numbers, the classifier for everything else."""
    chosen = LSVVRegressorCV if task == "numbers" else LSVVClassifierCV
    grid = COARSE if n_rows > MANY_ROWS else {}
    return chosen(features=_maps(features, n_rows), graph=graph, n_draws=1, random_state=random_state, **grid)


def neighbour_graph(X: np.ndarray) -> Any:
    """The graph an estimator would build of the rows, for all that learn from them."""
    return KNNGraph().build(X, N_NEIGHBORS)


def _maps(name: str, n_rows: int) -> list[Any]:
    if name not in FEATURES:
        raise TableError(f"There are no features {name!r}. Choose one of {', '.join(FEATURES)}.")
    fourier = RandomFourier(1000 if n_rows <= MANY_ROWS else 300)
    return {"auto": [Linear(), fourier], "linear": [Linear()], "fourier": [fourier]}[name]


def held_out(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Labelled rows, and for each what a model says that did not see its label: probabilities or numbers (rows, K).

    Of very many the search looks at a random part.
    """
    scores, rows = model.loo_predictions_, model.labelled_
    if isinstance(model, LSVVRegressorCV):
        return rows, np.reshape(model._codec.decode(scores), scores.shape)
    alone = model._codec.one_class_a_row
    return rows, np.asarray(probabilities(scores - model._threshold, model.temperature_, one_class_a_row=alone))
