"""From rows and targets to an objective: fit the map, map the rows, build G, sum the terms. Plain functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.frozen import FrozenEstimator

from lsvv.cluster import ClusterRows
from lsvv.features import FeatureMap, LearningMap, Lesson, MappedRows
from lsvv.features.rows import PASSED_BYTES
from lsvv.graph import CellGraph, KNNGraph, NeighborGraph, NeighborSearch, Smoother, check_adjacency
from lsvv.inputs import quoted
from lsvv.linalg import Array, bytes_at_once, canonical_order, like, sparse_times_dense, take_rows
from lsvv.losses import Loss, Squared
from lsvv.objective import Objective
from lsvv.penalties import Manifold, Ridge, SpectralPenalty
from lsvv.risk import QuadraticRisk, Risk, RowRisk, moments_fit
from lsvv.stored import StoredRows

SAMPLED = 50_000
"""Stored rows that a map is fitted on."""


def fit_map(feature_map: Any, X: Array, sample_weight: np.ndarray | None) -> Any:
    """The transformer fitted on ``X``; our own maps hear of the weights, which no other is asked to take.

    One that is frozen stays as it is.
    """
    if isinstance(feature_map, FrozenEstimator):
        return feature_map
    if isinstance(feature_map, FeatureMap):
        return feature_map.fit(X, sample_weight=sample_weight)
    return feature_map.fit(X)


def fitting_rows(X: Array, which: np.ndarray | None = None) -> tuple[Array, np.ndarray]:
    """The rows a map is fitted on, and their places: all of ``which``; of stored rows at most ``SAMPLED`` at random."""
    places = np.arange(X.shape[0]) if which is None else which
    if isinstance(X, StoredRows) and places.size > SAMPLED:
        places = np.sort(np.random.default_rng(0).choice(places, SAMPLED, replace=False))
    whole = places.size == X.shape[0] and not isinstance(X, StoredRows)
    return (X if whole else take_rows(X, places)), places


def drawing_order(X: Array, labelled: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The order in which labelled rows are drawn: that of their content, or of stored rows the one they have."""
    if isinstance(X, StoredRows):
        return np.arange(labelled.size)
    return canonical_order(take_rows(X, labelled), values)


def judged_rows(feature_map: Any, n_labelled: int) -> np.ndarray:
    """Which labelled rows a fit may be judged by: those whose labels its features have not seen."""
    judged = np.ones(n_labelled, dtype=bool)
    if isinstance(feature_map, LearningMap):
        judged = np.isin(np.arange(n_labelled), feature_map.unseen_)
    return judged


def refuse_to_learn_elsewhere(feature_map: LearningMap, X: Array) -> None:
    """Features that learn from labels do so in memory."""
    if isinstance(X, StoredRows):
        raise ValueError(
            f"{type(feature_map).__name__} learns from labels, in rows that are in memory. Load a part of the rows, or "
            f"choose features that do not learn from labels, such as 'fourier'."
        )


def learnt_map(feature_map: LearningMap, X: Array, lesson: Lesson) -> LearningMap:
    """The map taught on all rows, or on the labelled ones alone where no term looks at the others."""
    if lesson.S is None and lesson.labelled.size < X.shape[0]:
        X, lesson = take_rows(X, lesson.labelled), replace(lesson, labelled=np.arange(lesson.labelled.size))
    return feature_map.fit_checked(X, lesson)


def refuse_graph_on_features(graph: Any, feature_map: Any) -> None:
    """Features that are learnt over a graph are not there before it."""
    rule = graph.rule if isinstance(graph, NeighborGraph) else graph
    if isinstance(rule, KNNGraph) and rule.on == "features":
        raise ValueError(
            f"{type(feature_map).__name__} learns its features over the graph, so KNNGraph(on='features') would need "
            f"them before they are there. Choose on='inputs', or pass a ready graph."
        )


def map_rows(feature_map: Any, X: Array, *, once: bool = False) -> MappedRows:
    """Phi = phi(X) through any fitted transformer; our own maps need not check again what the gate has passed.

    Rows that are looked at ``once`` are not kept, and stay within the processor's cache.
    """
    at_once = bytes_at_once(X, PASSED_BYTES) if once else None
    if isinstance(feature_map, FeatureMap):
        return MappedRows(X, feature_map.transform_checked, block_bytes=at_once)
    return MappedRows(X, lambda rows: as_block(feature_map.transform(rows)), block_bytes=at_once)


def as_block(mapped: Any) -> Array:
    """A transformer's output as an array, a tensor or CSR; frames are unwrapped, and what is no number refused."""
    if sp.issparse(mapped):
        return sp.csr_array(mapped)
    block = mapped.to_numpy() if hasattr(mapped, "iloc") or hasattr(mapped, "to_pandas") else mapped
    if isinstance(block, np.ndarray) and block.dtype.kind not in "fiub":
        block = _as_numbers(block)
    return block


def _as_numbers(block: np.ndarray) -> np.ndarray:
    """An array of objects as numbers."""
    try:
        return block.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"The transformer given as features= returned what is no number ({error}). Pass one that returns numbers, "
            f"for instance with sklearn.preprocessing.OneHotEncoder behind it."
        ) from error


def build_graph(
    graph: Any, X: Array, rows: MappedRows, *, n_neighbors: int, n_jobs: int | None, weights: str = "binary"
) -> NeighborGraph:
    """A ready graph, or the neighbour graph of all training rows; never of test rows.

    ``weights`` are those of the edges where the caller left them open.
    """
    if isinstance(graph, NeighborGraph):
        return _checked(graph, X.shape[0], (rows if is_on_features(graph) else X).shape[1])
    if sp.issparse(graph) or isinstance(graph, np.ndarray):
        return NeighborGraph(check_adjacency(graph, X.shape[0]))
    rule = _as_rule(graph, weights)
    return rule.fit(X if rule.on == "inputs" else rows.whole(), n_neighbors, n_jobs)


def build_summed_graph(
    graph: Any, X: Array, rows: MappedRows, *, n_neighbors: int, n_jobs: int | None
) -> NeighborGraph | CellGraph:
    """The graph of all training rows where nothing but sums over it is needed: on a cluster its rows keep it."""
    if isinstance(X, ClusterRows) and not is_ready(graph):
        rule = _as_rule(graph, "binary")
        if rule.on == "inputs" and rule.weights == "binary":
            return rule.spread(X, n_neighbors)
    # no new row will look for neighbours, and the index may go
    return replace(build_graph(graph, X, rows, n_neighbors=n_neighbors, n_jobs=n_jobs), index=None)


def _as_rule(graph: Any, weights: str) -> KNNGraph:
    if isinstance(graph, NeighborSearch):
        return KNNGraph(search=graph, weights=weights)
    if isinstance(graph, str) and graph == "auto":
        return KNNGraph(weights=weights)
    if not isinstance(graph, KNNGraph):
        raise ValueError(
            f"graph={quoted(graph)} is not a graph. Pass 'auto', a KNNGraph, a sparse adjacency matrix, or an object "
            f"with kneighbors_graph."
        )
    return graph


def is_ready(graph: Any) -> bool:
    """Whether a graph is given as it is, built of the rows as they are."""
    return isinstance(graph, NeighborGraph) or sp.issparse(graph) or isinstance(graph, np.ndarray)


def is_on_features(graph: NeighborGraph) -> bool:
    """Whether neighbours are looked for among the mapped rows."""
    return graph.rule is not None and graph.rule.on == "features"


def _checked(graph: NeighborGraph, n_rows: int, n_columns: int) -> NeighborGraph:
    """A ready graph whose S and index fit the rows."""
    if graph.index is not None and graph.index.rows.shape[1] != n_columns:
        raise ValueError(
            f"The graph was built of rows with {graph.index.rows.shape[1]} columns, but they have {n_columns} here. "
            f"Build it of the rows that fit gets, or of their features for KNNGraph(on='features')."
        )
    return replace(graph, S=check_adjacency(graph.S, n_rows))


def smoothed_rows(graph: NeighborGraph, rows: MappedRows, which: np.ndarray, smoothing: float) -> MappedRows:
    """The rows ``which`` of R Phi, for a risk to be built of."""
    (Phi,) = Smoother(graph.S).rows_of(rows, which, [smoothing])
    return MappedRows(like(Phi, rows.template), lambda block: block)


def near_scores(graph: NeighborGraph, rows: Array, smoothed: Array) -> Array:
    """For new rows the weighted mean of their neighbours' smoothed scores, (rows, K).

    ``rows`` are what the graph was built of: features where it is on them.
    """
    return sparse_times_dense(graph.links(rows), smoothed)


def build_risk(
    rows: MappedRows, loss: Loss, T: np.ndarray, A: np.ndarray, *, fit_intercept: bool, by_rows: bool = False
) -> Risk:
    """The moments for the squared loss where they fit; passes over the rows for all else."""
    if isinstance(loss, Squared) and not by_rows and moments_fit(A, rows.shape[1]):
        return QuadraticRisk.from_rows(rows, T, A, fit_intercept=fit_intercept)
    return RowRisk.from_rows(rows, loss, T, A, fit_intercept=fit_intercept)


def build_objective(
    risk: Risk, *, ridge: float, manifold: float, G: Array | None, spectral: SpectralPenalty
) -> Objective:
    """risk + ridge ||W||^2 + manifold tr(W' G W) + spectral; terms of strength 0 are left out."""
    penalties: list[Ridge | Manifold] = [Ridge(ridge)] if ridge else []
    if G is not None and manifold:
        penalties.append(Manifold(manifold, G))
    return Objective(risk, penalties, spectral)
