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
from lsvv.assembly import as_block, build_laplacian, build_objective, build_risk, fit_map, map_rows
from lsvv.features import Nystroem
from lsvv.graph import KNNGraph
from lsvv.losses import MulticlassLogistic, Squared
from lsvv.penalties import Manifold, Ridge, TailSum
from lsvv.risk import QuadraticRisk, RowRisk
from problems import make_problem


def lap(graph: Any, X: Any, kind: str = "normalized") -> np.ndarray:
    phi = PolynomialFeatures(2).fit(np.zeros((1, X.shape[1])))
    return np.asarray(build_laplacian(graph, X, map_rows(phi, X), n_neighbors=3, kind=kind, n_jobs=None).toarray())


@pytest.mark.parametrize("kind", ["normalized", "plain"])
def test_every_kind_of_graph_gives_its_laplacian(kind: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2))
    S = naive.adjacency(X, 3)
    expected = naive.laplacian(S, kind)
    for graph in ("auto", KNNGraph(), NearestNeighbors(n_neighbors=3), S, sp.csr_array(S), sp.coo_matrix(S)):
        laws.assert_close(lap(graph, X, kind), expected)


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
    laws.assert_close(fit_map(Nystroem(10, width=1.0), X, weight).landmarks_, X[5:])
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
