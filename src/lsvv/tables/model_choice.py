"""The one place that chooses an estimator for a task, and what it says of rows whose label it did not see."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsvv.features import Linear, RandomFourier
from lsvv.graph import KNNGraph, NeighborGraph
from lsvv.selection import LSVVClassifierCV, LSVVRegressorCV
from lsvv.tables.table import TableError

__all__ = ["FEATURES", "choose_model", "held_out", "neighbour_graph"]

FEATURES = ("auto", "linear", "fourier")
N_NEIGHBORS = 7
MANY_ROWS = 20_000
"""Beyond it maps are fewer and smaller and the grid coarser, so that the search stays within a minute and memory."""
COARSE: dict[str, Any] = {"smoothing": (0.0, 0.8, 0.95)}
"""The grid of very many rows."""


def choose_model(task: str, n_rows: int, *, features: str = "auto", graph: Any = "auto", random_state: int = 0) -> Any:
    """An unfitted estimator for a task: the regressor for numbers, the classifier for everything else."""
    chosen = LSVVRegressorCV if task == "numbers" else LSVVClassifierCV
    grid = {**COARSE, "trees": features == "auto"} if n_rows > MANY_ROWS else {}
    return chosen(features=_maps(features, n_rows), graph=graph, random_state=random_state, **grid)


def neighbour_graph(X: np.ndarray) -> NeighborGraph:
    """The graph an estimator would build of the rows, for all that learn from them and for new rows."""
    return KNNGraph(weights="self-tuned").fit(X, N_NEIGHBORS)


def _maps(name: str, n_rows: int) -> Any:
    if name not in FEATURES:
        raise TableError(f"There are no features {name!r}. Choose one of {', '.join(FEATURES)}.")
    if n_rows <= MANY_ROWS:
        return {"auto": "auto", "linear": Linear(), "fourier": RandomFourier(1000)}[name]
    fourier = [RandomFourier(300, width=f"{multiple} median") for multiple in (0.5, 1.0)]
    return {"auto": [Linear(), *fourier], "linear": Linear(), "fourier": fourier}[name]


def held_out(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Labelled rows, and for each what a model says that did not see its label: probabilities or numbers (rows, K).

    Of very many the search looks at a random part.
    """
    said = model.loo_predictions_ if isinstance(model, LSVVRegressorCV) else model.loo_proba_
    return model.labeled_, np.reshape(said, (model.labeled_.size, -1))
