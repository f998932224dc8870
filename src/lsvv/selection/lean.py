"""A fitted search without what only its training rows need, as it is kept in a file."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import scipy.sparse as sp

from lsvv.graph import NeighborGraph

TRAINING_ONLY = (
    *("transduction_", "solution_", "labeled_", "loo_", "loo_predictions_", "loo_proba_", "loo_intervals_"),
    *("best_index_", "_specs", "_tried"),
)
"""What a search, and the estimator it refits, learn that new rows have no use for."""


def without_training_rows(search: Any) -> Any:
    """A copy of a search that answers for new rows, and keeps of its training rows what these look at: neighbours.

    Examples
    --------
    >>> from lsvv import LSVVClassifierCV
    >>> X, y = [[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1]
    >>> search = LSVVClassifierCV(features="linear", random_state=0).fit(X, y)
    >>> lean = without_training_rows(search)
    >>> hasattr(lean, "loo_proba_"), lean.predict([[0.2]]).tolist()
    (False, [0])
    """
    lean = _without_training(search)
    if search.best_estimator_ is None:
        lean.graphs_ = {number: _without_edges(graph) for number, graph in search.graphs_.items()}
        return lean
    core = _without_training(search.best_estimator_)
    if core.graph_ is not None:
        core.graph_ = _without_edges(core.graph_)
    lean.best_estimator_ = core
    return lean


def _without_training(model: Any) -> Any:
    lean = copy.copy(model)
    for name in TRAINING_ONLY:
        vars(lean).pop(name, None)
    # the parameter, which fit alone reads
    lean.graph = "auto"
    return lean


def _without_edges(graph: NeighborGraph) -> NeighborGraph:
    """The graph without the edges between its own rows."""
    return replace(graph, S=sp.csr_array(graph.S.shape))
