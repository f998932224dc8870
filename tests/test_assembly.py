"""From rows and targets to an objective: which parts are taken, and which are left out."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import PolynomialFeatures

import laws
import naive
from laws import Put
from lsvv import risk as risk_module
from lsvv.assembly import (
    as_block,
    build_graph,
    build_objective,
    build_risk,
    fit_map,
    map_rows,
    near_scores,
    smoothed_rows,
)
from lsvv.features import Nystroem, RandomFourier
from lsvv.graph import KNNGraph, NeighborGraph, laplacian
from lsvv.linalg import to_numpy
from lsvv.losses import MulticlassLogistic, Squared
from lsvv.penalties import Manifold, Ridge, TailSum
from lsvv.risk import QuadraticRisk, RowRisk
from problems import make_problem


def lap(graph: Any, X: Any, kind: str = "normalized") -> np.ndarray:
    phi = PolynomialFeatures(2).fit(np.zeros((1, X.shape[1])))
    built = build_graph(graph, X, map_rows(phi, X), n_neighbors=3, n_jobs=None)
    return np.asarray(laplacian(built.S, kind).toarray())


@pytest.mark.parametrize("kind", ["normalized", "plain"])
def test_every_kind_of_graph_gives_its_laplacian(kind: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2))
    S = naive.adjacency(X, 3)
    expected = naive.laplacian(S, kind)
    built = KNNGraph().fit(X, 3)
    for graph in ("auto", KNNGraph(), NearestNeighbors(n_neighbors=3), S, sp.csr_array(S), sp.coo_matrix(S), built):
        laws.assert_close(lap(graph, X, kind), expected)


def test_a_ready_graph_is_checked_and_keeps_its_index(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2))
    S, rows = naive.adjacency(X, 3), map_rows(PolynomialFeatures(2).fit(X), X)
    for ready in (S, sp.coo_array(S), sp.csr_array(S + np.eye(20))):
        graph = build_graph(NeighborGraph(ready), X, rows, n_neighbors=99, n_jobs=None)
        laws.assert_close(graph.S.toarray(), S)
        assert graph.index is None
    built = KNNGraph().fit(X, 3)
    graph = build_graph(built, X, rows, n_neighbors=99, n_jobs=None)
    assert graph.index is built.index
    assert graph.n_neighbors == 3
    with pytest.raises(ValueError, match="The graph is 20 x 20, but there are 19 training rows"):
        build_graph(built, X[:19], rows, n_neighbors=3, n_jobs=None)
    for wrong in (KNNGraph().fit(np.c_[X, X], 3), KNNGraph(on="features").fit(np.c_[X, X], 3)):
        with pytest.raises(ValueError, match=r"The graph was built of rows with 4 columns, but they have [26] here"):
            build_graph(wrong, X, rows, n_neighbors=3, n_jobs=None)


def test_weights_are_the_callers_where_the_graph_leaves_them_open(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2))
    rows = map_rows(PolynomialFeatures(2).fit(X), X)
    for graph, weights in [
        ("auto", "self-tuned"),
        (NearestNeighbors(n_neighbors=3), "self-tuned"),
        (KNNGraph(), "binary"),
        (KNNGraph(weights="heat"), "heat"),
    ]:
        built = build_graph(graph, X, rows, n_neighbors=3, n_jobs=None, weights="self-tuned")
        laws.assert_close(built.S.toarray(), KNNGraph(weights=weights).build(X, 3).toarray())


def test_smoothed_rows_and_the_scores_of_new_ones(put: Put, rng: np.random.Generator) -> None:
    X, new, W = rng.normal(size=(20, 2)), rng.normal(size=(4, 2)), rng.normal(size=(10, 3))
    phi = RandomFourier(10, width=1.0, random_state=0).fit(put(X))
    rows, which = map_rows(phi, put(X)), np.arange(0, 20, 3)
    R = naive.smoother(naive.self_tuned_weights(X, 3), 0.9)
    for on in ("inputs", "features"):
        graph = build_graph(KNNGraph(weights="self-tuned", on=on), put(X), rows, n_neighbors=3, n_jobs=None)
        if on == "inputs":
            smoothed = R @ to_numpy(rows.whole())
            laws.assert_close(smoothed_rows(graph, rows, which, 0.9).whole(), smoothed[which], rtol=0, atol=1e-8)
        where, there = (X, new) if on == "inputs" else (to_numpy(phi.transform(put(x))) for x in (X, new))
        laws.assert_close(
            near_scores(graph, put(there), put(X @ W[:2])),
            naive.self_tuned_links(where, there, 3) @ X @ W[:2],
            rtol=1e-7,
        )


def test_a_graph_on_features_looks_at_the_mapped_rows(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2))
    mapped = PolynomialFeatures(2).fit_transform(X)
    laws.assert_close(lap(KNNGraph(on="features"), X), naive.laplacian(naive.adjacency(mapped, 3), "normalized"))


@pytest.mark.parametrize("graph", ["knn", 3, None, [[0, 1], [1, 0]]])
def test_what_is_no_graph_is_refused(graph: Any) -> None:
    with pytest.raises(ValueError, match=r"is not a graph. Pass 'auto', a KNNGraph, a sparse adjacency matrix"):
        lap(graph, np.zeros((4, 2)))


def test_our_maps_hear_of_weights_and_no_other_does(rng: np.random.Generator) -> None:
    X, weight = rng.normal(size=(10, 2)), np.r_[np.zeros(5), np.ones(5)]
    landmarks = fit_map(Nystroem(10, width=1.0), X, weight).landmarks_
    laws.assert_close(np.sort(landmarks, axis=0), np.sort(X[5:], axis=0))
    assert fit_map(PolynomialFeatures(2), X, weight).n_output_features_ == 6


def test_frames_and_sparse_matrices_of_a_transformer_are_unwrapped(put: Put) -> None:
    values = np.arange(6.0).reshape(3, 2)
    laws.assert_close(as_block(put(values)), values)
    laws.assert_close(as_block(pd.DataFrame(values)), values)
    laws.assert_close(as_block(pl.DataFrame(values)), values)
    assert isinstance(as_block(sp.csc_matrix(values)), sp.csr_array)


def test_the_squared_loss_goes_to_the_moments_where_they_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_problem()

    def build(loss: Any, by_rows: bool = False) -> type:
        return type(build_risk(problem.rows(), loss, problem.T, problem.A, fit_intercept=True, by_rows=by_rows))

    assert build(Squared()) is QuadraticRisk
    assert build(Squared(), by_rows=True) is RowRisk
    assert build(MulticlassLogistic()) is RowRisk
    monkeypatch.setattr(risk_module, "MOMENT_BYTES", 100)
    assert build(Squared()) is RowRisk


def test_terms_of_strength_zero_are_left_out() -> None:
    problem = make_problem()
    risk, tail = problem.risk(Squared()), TailSum(0.0, 0)
    for ridge, manifold, expected in [(0.1, 0.2, [Ridge, Manifold]), (0.0, 0.2, [Manifold]), (0.1, 0.0, [Ridge])]:
        objective = build_objective(risk, ridge=ridge, manifold=manifold, G=problem.G, spectral=tail)
        assert [type(penalty) for penalty in objective.penalties] == expected
    assert build_objective(risk, ridge=0.0, manifold=1.0, G=None, spectral=tail).penalties == []
