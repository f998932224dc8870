"""R = (1 - a)(I - a P)^-1: the inverse of a dense matrix as witness; and the neighbours of new rows."""

import pickle
import warnings
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors

import laws
import naive
from laws import Put
from lsvv.features import MappedRows
from lsvv.graph import KNNGraph, NeighborGraph, NeighborIndex, Smoother, self_tuned_weights, smoothing, symmetrize
from lsvv.linalg import to_numpy

SEARCHING = import_module("lsvv.graph.nearest")
"""The module; the package has a function of that name."""
SEVERAL = (0.0, 0.5, 0.95, 0.999)
NEAR = {"rtol": 0.0, "atol": 1e-8}
"""A column is short of its limit by 1e-10 of its norm at most."""


def random_graph(seed: int, m: int = 14, isolated: int = 2) -> np.ndarray:
    """Symmetric weights; the last rows have no edge, and the others need not hang together."""
    rng = np.random.default_rng(seed)
    S = np.triu(rng.random((m, m)) * (rng.random((m, m)) < 0.2), 1)
    S[:, m - isolated :] = 0.0
    return np.asarray(S + S.T)


def mapped(put: Put, m: int, D: int, **how: Any) -> MappedRows:
    return MappedRows(put(np.random.default_rng(m).normal(size=(m, D))), lambda block: block, **how)


# -------------------------------------------------------------------------------------------------------------- laws


@given(seed=st.integers(0, 10_000), a=st.sampled_from([1e-9, 0.1, 0.5, 0.9, 0.99, 0.9995]))
def test_columns_are_multiplied_by_the_inverse(seed: int, a: float) -> None:
    S, B = random_graph(seed), np.random.default_rng(seed).normal(size=(14, 3))
    R = naive.smoother(S, a)
    smoother = Smoother(sp.csr_array(S))
    laws.assert_close(smoother.columns(B, a), R @ B, **NEAR)
    laws.assert_close(smoother.columns(B, a, np.array([1, 4, 13])), (R @ B)[[1, 4, 13]], **NEAR)


def test_columns_of_any_library(put: Put) -> None:
    S, B = random_graph(0), np.random.default_rng(0).normal(size=(14, 3))
    found = Smoother(sp.csr_array(S)).columns(put(B), 0.9)
    assert type(found) is type(put(B))
    laws.assert_close(found, naive.smoother(S, 0.9) @ B, **NEAR)


def test_a_mixture_is_the_fixed_point_of_own_and_neighbours() -> None:
    S, B = random_graph(3), np.random.default_rng(3).normal(size=(14, 2))
    smoothed = Smoother(sp.csr_array(S)).columns(B, 0.8)
    laws.assert_close(smoothed, 0.2 * B + 0.8 * naive.neighbor_mean(S) @ smoothed, **NEAR)


@given(seed=st.integers(0, 10_000), a=st.sampled_from([0.3, 0.95, 0.999]))
def test_a_constant_stays_and_nothing_leaves_its_range(seed: int, a: float) -> None:
    smoother = Smoother(sp.csr_array(random_graph(seed)))
    laws.assert_close(smoother.columns(np.ones((14, 1)), a), np.ones((14, 1)), **NEAR)
    B = np.random.default_rng(seed).random((14, 2))
    smoothed = smoother.columns(B, a)
    assert (smoothed >= B.min(axis=0) - 1e-8).all()
    assert (smoothed <= B.max(axis=0) + 1e-8).all()


def test_rows_without_neighbours_keep_their_own(put: Put) -> None:
    S, B = random_graph(1, isolated=4), np.random.default_rng(1).normal(size=(14, 3))
    laws.assert_close(Smoother(sp.csr_array(S)).columns(put(B), 0.99)[-4:], B[-4:], **NEAR)
    laws.assert_close(Smoother(sp.csr_array((14, 14))).columns(put(B), 0.99), B, **NEAR)
    # an edge of weight 0 is none
    zero = sp.csr_array((np.zeros(2), ([0, 1], [1, 0])), shape=(14, 14))
    laws.assert_close(Smoother(zero).columns(put(B), 0.99), B, **NEAR)


def test_parts_that_do_not_hang_together_do_not_see_each_other() -> None:
    parts = [np.abs(random_graph(seed, 6, isolated=0)) + (1 - np.eye(6)) for seed in (0, 1)]
    S, B = sp.csr_array(sp.block_diag(parts)), np.random.default_rng(0).normal(size=(12, 2))
    together = Smoother(S).columns(B, 0.95)
    for part, rows in zip(parts, (slice(0, 6), slice(6, 12)), strict=True):
        laws.assert_close(together[rows], Smoother(sp.csr_array(part)).columns(B[rows], 0.95), **NEAR)


def test_the_limit_is_the_mean_of_each_part_by_degree() -> None:
    S = naive.adjacency(np.random.default_rng(0).normal(size=(8, 2)), 4)
    B, degree = np.random.default_rng(1).normal(size=(8, 2)), S.sum(axis=1)
    smoothed = Smoother(sp.csr_array(S)).columns(B, 0.9995)
    laws.assert_close(smoothed, np.tile(degree @ B / degree.sum(), (8, 1)), rtol=0, atol=1e-2)


def test_without_smoothing_nothing_changes(put: Put) -> None:
    S, B = sp.csr_array(random_graph(0)), np.random.default_rng(0).normal(size=(14, 3))
    np.testing.assert_array_equal(to_numpy(Smoother(S).columns(put(B), 0.0)), B)
    rows, which = mapped(put, 14, 4), np.array([0, 3, 5, 6, 8, 12])
    for some in (which, which[:3]):
        (found,) = Smoother(S).rows_of(rows, some, [0.0])
        np.testing.assert_array_equal(to_numpy(found), to_numpy(rows.whole())[some])


def test_the_least_number_above_zero_is_a_smoothing() -> None:
    B = np.random.default_rng(0).normal(size=(14, 3))
    laws.assert_close(Smoother(sp.csr_array(random_graph(0))).columns(B, 5e-324), B)


@pytest.mark.parametrize("n", [3, 9], ids=["n < D", "n > D"])
def test_some_rows_of_smoothed_features_by_both_routes(put: Put, n: int) -> None:
    S, rows = random_graph(2), mapped(put, 14, 5)
    which = np.sort(np.random.default_rng(0).choice(14, n, replace=False))
    found = Smoother(sp.csr_array(S)).rows_of(rows, which, SEVERAL)
    assert len(found) == len(SEVERAL)
    for a, Phi in zip(SEVERAL, found, strict=True):
        assert type(Phi) is type(put(np.eye(1)))
        laws.assert_close(Phi, (naive.smoother(S, a) @ to_numpy(rows.whole()))[which], **NEAR)


def test_weights_are_the_rows_of_r(put: Put) -> None:
    S, which = random_graph(4), np.array([0, 5, 13])
    for a, Z in zip(SEVERAL, Smoother(sp.csr_array(S)).weights_of(which, SEVERAL, put(np.eye(1))), strict=True):
        laws.assert_close(Z, naive.smoother(S, a)[which].T, **NEAR)


@pytest.mark.parametrize("n", [3, 9], ids=["n < D", "n > D"])
def test_sparse_features_are_smoothed_too(n: int) -> None:
    S, Phi = random_graph(2), sp.random_array((14, 5), density=0.5, rng=0, format="csr")
    (found,) = Smoother(sp.csr_array(S)).rows_of(MappedRows(Phi, lambda block: block), np.arange(n), [0.9])
    laws.assert_close(found, (naive.smoother(S, 0.9) @ Phi.toarray())[:n], **NEAR)


@pytest.mark.parametrize("n", [3, 9], ids=["n < D", "n > D"])
def test_single_precision(put: Put, n: int) -> None:
    S, single = random_graph(5), np.random.default_rng(0).normal(size=(14, 5)).astype(np.float32)
    R, smoother = naive.smoother(S, 0.95), Smoother(sp.csr_array(S))
    columns = smoother.columns(put(single), 0.95)
    assert to_numpy(columns).dtype == np.float32
    laws.assert_close(columns, R @ single, rtol=0, atol=1e-4)
    (rows,) = smoother.rows_of(MappedRows(put(single), lambda block: block), np.arange(n), [0.95])
    assert to_numpy(rows).dtype == np.float64
    laws.assert_close(rows, (R @ single)[:n], rtol=0, atol=1e-4)


@pytest.mark.parametrize("distance", [50.0, 300.0, 600.0, 1e6])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_far_from_all_others_is_no_burden_in_any_precision(put: Put, distance: float, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    X, B = np.r_[rng.normal(size=(30, 2)), [[distance, 0.0]]], rng.normal(size=(31, 3)).astype(dtype)
    S = KNNGraph(weights="self-tuned").build(X, 4)
    found = Smoother(S).columns(put(B), 0.95)
    laws.assert_close(found, naive.smoother(S.toarray(), 0.95) @ B, rtol=0, atol=1e-8 if dtype is np.float64 else 1e-3)


@pytest.mark.parametrize("n", [3, 9], ids=["n < D", "n > D"])
@pytest.mark.parametrize("block_bytes", [1, 2**29])
def test_block_by_block_is_the_whole(put: Put, n: int, block_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    S, rng = random_graph(6), np.random.default_rng(0)
    wide, which = rng.normal(size=(14, 50)), np.arange(n)
    smoother = Smoother(sp.csr_array(S))
    whole = smoother.columns(wide, 0.9), *smoother.rows_of(mapped(put, 14, 5), which, SEVERAL)
    monkeypatch.setattr(smoothing, "BLOCK_BYTES", 1)
    monkeypatch.setattr(smoothing, "CACHE_BYTES", 1)
    rows = mapped(put, 14, 5, block_bytes=block_bytes)
    pieces = smoother.columns(put(wide), 0.9), *smoother.rows_of(rows, which, SEVERAL)
    for piece, expected in zip(pieces, whole, strict=True):
        laws.assert_close(piece, expected)


def test_too_much_smoothing_warns_with_what_is_missing(put: Put) -> None:
    S, B = sp.csr_array(naive.adjacency(np.random.default_rng(0).normal(size=(8, 2)), 4)), np.eye(8)
    sentence = r"smoothing=0.99999999 was stopped after 1000 products with the graph, up to 0\.\d+ of a column's norm"
    with pytest.warns(ConvergenceWarning, match=sentence):
        found = Smoother(S).columns(put(B), 0.99999999)
    assert np.isfinite(to_numpy(found)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Smoother(S).columns(put(B), 0.9997)


@given(a=st.floats(0.0, 0.9999), tol=st.sampled_from([1e-5, 1e-10]))
def test_the_series_is_cut_where_it_says(a: float, tol: float) -> None:
    series, s = smoothing.Series.of(a, tol), np.linspace(-1.0, 1.0, 41)
    total = sum(series.coefficient(j) * np.cos(j * np.arccos(s)) for j in range(series.steps + 1))
    assert np.abs(total - (1.0 - a) / (1.0 - a * s)).max() <= series.error + 1e-13
    assert series.error <= tol or series.steps == smoothing.MAX_STEPS


# ---------------------------------------------------------------------------------------------------------- new rows


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("search", ["exact", "faiss", NearestNeighbors(n_neighbors=3)], ids=["exact", "faiss", "own"])
def test_new_rows_find_their_nearest(form: Any, search: Any, rng: np.random.Generator) -> None:
    X, new = rng.normal(size=(30, 3)), rng.normal(size=(7, 3))
    if search == "faiss" and form is sp.csr_array:
        with pytest.raises(ValueError, match="search='faiss' takes dense rows"):
            NeighborIndex(form(X), search=search).of(form(new), 3)
        return
    found = NeighborIndex(form(X), search=search).of(form(new), 3)
    distances = np.linalg.norm(new[:, None] - X[None], axis=2)
    expected = np.where(distances <= np.sort(distances, axis=1)[:, [2]], distances, 0.0)
    assert found.shape == (7, 30)
    laws.assert_close(found.toarray(), expected, rtol=1e-5)


def test_large_indices_are_asked_through_inverted_lists(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, new = rng.normal(size=(300, 2)), rng.normal(size=(40, 2))
    exact = NeighborIndex(X, search="exact").of(new, 5)
    monkeypatch.setattr("lsvv.graph.inverted.FAISS_ROWS", 200)
    index = NeighborIndex(X)
    found = index.of(new, 5)
    assert type(index._index).__name__ == "InvertedLists"
    assert (found.astype(bool).multiply(exact.astype(bool))).sum() / exact.nnz > 0.95


def test_fewer_training_rows_than_neighbours_are_all_found(put: Put) -> None:
    for search in ("exact", "faiss"):
        index = NeighborIndex(put(np.eye(3)), search=search)
        np.testing.assert_array_equal(np.diff(index.of(put(np.zeros((2, 3))), 10).indptr), 3)


def test_a_search_of_the_callers_stays_his_own(rng: np.random.Generator) -> None:
    X, other, new = rng.normal(size=(3, 20, 2))
    search = NearestNeighbors(n_neighbors=3)
    graph = KNNGraph(search=search).fit(X, 99)
    expected = graph.links(new).toarray()
    KNNGraph(search=search).fit(other, 99)
    np.testing.assert_array_equal(graph.links(new).toarray(), expected)
    assert not hasattr(search, "n_samples_fit_")


def test_a_pickle_leaves_the_built_index_behind(rng: np.random.Generator) -> None:
    X, new = rng.normal(size=(200, 3)), rng.normal(size=(5, 3))
    for search in ("exact", "faiss", NearestNeighbors(n_neighbors=4)):
        graph = KNNGraph(weights="heat", search=search).fit(X, 4)
        assert graph.index is not None
        assert graph.index._built is not None
        copy = pickle.loads(pickle.dumps(graph))
        assert copy.index._built is None
        np.testing.assert_array_equal(copy.links(new).toarray(), graph.links(new).toarray())


@pytest.mark.parametrize("weights", ["binary", "heat", "self-tuned"])
@pytest.mark.parametrize("search", ["exact", "faiss"])
def test_links_sum_to_one_however_far_a_row_is(weights: str, search: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2))
    graph = KNNGraph(weights=weights, search=search).fit(X, 4)
    new = np.r_[X[:5], rng.normal(size=(5, 2)), [[1e3, 0.0], [1e6, -1e6], [1e12, 1e12]]]
    links = graph.links(new)
    laws.assert_close(links.sum(axis=1), np.ones(13))
    assert (links.data >= 0).all()
    assert (np.diff(links.indptr) == 4).all()


def test_binary_links_are_a_mean(rng: np.random.Generator) -> None:
    links = KNNGraph().fit(rng.normal(size=(30, 2)), 4).links(rng.normal(size=(6, 2)))
    np.testing.assert_array_equal(links.data, 0.25)


@pytest.mark.parametrize("width", [0.7, None])
def test_heat_links_have_the_width_of_the_edges(width: float | None, rng: np.random.Generator) -> None:
    X, new = rng.normal(size=(30, 2)), rng.normal(size=(6, 2))
    graph = KNNGraph(weights="heat", heat_width=width).fit(X, 4)
    scale = width or np.median(symmetrize(NeighborIndex(X).among(4)).data)
    distances = NeighborIndex(X).of(new, 4).toarray()
    expected = np.where(distances > 0, np.exp(-((distances / scale) ** 2)), 0.0)
    laws.assert_close(graph.links(new).toarray(), expected / expected.sum(axis=1, keepdims=True))


def test_self_tuned_links_are_those_of_loops(put: Put, rng: np.random.Generator) -> None:
    X, new = rng.normal(size=(30, 2)), rng.normal(size=(6, 2))
    graph = KNNGraph(weights="self-tuned").fit(put(X), 4)
    laws.assert_close(graph.S.toarray(), naive.self_tuned_weights(X, 4))
    laws.assert_close(graph.links(put(new)).toarray(), naive.self_tuned_links(X, new, 4))


def test_links_of_one_row_do_not_depend_on_the_others(rng: np.random.Generator) -> None:
    X = np.round(rng.normal(size=(40, 2)))
    new = np.r_[X[:10], rng.normal(size=(5, 2))]
    for weights in ("binary", "heat", "self-tuned"):
        graph = KNNGraph(weights=weights).fit(X, 4)
        alone = np.vstack([graph.links(row[None]).toarray() for row in new])
        laws.assert_close(graph.links(new).toarray(), alone)


def test_self_tuned_weights_bear_many_duplicates() -> None:
    X = np.repeat(np.array([[0.0, 1.0], [2.0, 3.0], [2.0, 3.5]]), [12, 12, 2], axis=0)
    graph = KNNGraph(weights="self-tuned").fit(X, 3)
    S = graph.S.toarray()
    assert np.isfinite(S).all()
    # rows at distance 0 have weight 1, whatever their reach
    assert set(S[:12, :12].ravel()) == {0.0, 1.0}
    assert ((S >= 0) & (S <= 1)).all()
    links = graph.links(np.array([[0.0, 1.0], [2.0, 3.2], [50.0, 50.0]]))
    laws.assert_close(links.sum(axis=1), np.ones(3))
    same = KNNGraph(weights="self-tuned").fit(np.ones((6, 2)), 2)
    np.testing.assert_array_equal(same.S.data, 1.0)
    laws.assert_close(same.links(np.array([[1.0, 1.0], [5.0, 5.0]])).sum(axis=1), np.ones(2))


def test_self_tuned_weights_do_not_see_units(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 3))
    here, there = (KNNGraph(weights="self-tuned").build(c * X, 4) for c in (1.0, 1e6))
    laws.assert_close(there.toarray(), here.toarray())
    directed = NeighborIndex(X).among(4)
    reach = directed.max(axis=1).toarray().ravel()
    laws.assert_close(self_tuned_weights(symmetrize(directed), reach).toarray(), here.toarray())


def test_a_graph_given_as_a_matrix_has_no_place_for_new_rows() -> None:
    with pytest.raises(
        ValueError,
        match=r"New rows have no neighbours in a graph that was given as a matrix. Pass graph=KNNGraph\(...\) or "
        r"graph=KNNGraph\(...\).fit\(X, n_neighbors\), or fit with smoothing=0; transduction_ holds the answers",
    ):
        NeighborGraph(sp.csr_array((3, 3))).links(np.ones((2, 2)))


def test_weights_of_too_many_orders_of_magnitude_are_told_with_their_residual() -> None:
    chain = sp.diags_array([10.0 ** (-8.0 * np.arange(10))], offsets=[1], shape=(11, 11))
    S = sp.csr_array(chain + chain.T)
    with pytest.warns(ConvergenceWarning, match=r"off by .* of the largest score: the weights of its edges differ"):
        Smoother(S).columns(np.eye(11), 0.95)
