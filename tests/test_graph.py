"""Neighbours, adjacency, Laplacian and G: loops and dense matrices as witnesses."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

import laws
import naive
from laws import Put
from lsvv import LSVVClassifier
from lsvv.features import MappedRows, RandomFourier
from lsvv.graph import (
    KNNGraph,
    LaplacianRows,
    NeighborGraph,
    NeighborIndex,
    check_adjacency,
    full_heat_graph,
    heat_weights,
    laplacian,
    manifold_matrix,
    neighbors,
    symmetrize,
)
from lsvv.graph.bandwidth import low_bandwidth_order
from lsvv.graph.blocked import Blocked
from lsvv.graph.coarse_cells import CellSearch
from lsvv.linalg import to_numpy

KINDS = ("normalized", "plain")
SEARCHING = import_module("lsvv.graph.nearest")
INVERTED = import_module("lsvv.graph.inverted")
"""The module; the package has a function of that name."""


def random_adjacency(seed: int, m: int = 9, isolated: int = 2) -> np.ndarray:
    """Symmetric non-negative weights; the last rows have no edge."""
    rng = np.random.default_rng(seed)
    S = rng.random((m, m)) * (rng.random((m, m)) < 0.4)
    S = np.triu(S, 1)
    S = S + S.T
    S[m - isolated :] = S[:, m - isolated :] = 0.0
    return np.asarray(S)


# ------------------------------------------------------------------------------------------- neighbours and edges


@pytest.mark.parametrize("symmetry", ["union", "mutual"])
def test_the_adjacency_is_that_of_loops(symmetry: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(25, 3))
    S = KNNGraph(symmetry=symmetry).build(X, 4)
    np.testing.assert_array_equal(S.toarray(), naive.adjacency(X, 4, symmetry))


def test_sparse_rows_and_tensors_have_the_same_neighbours(put: Put, rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 3))
    expected = naive.adjacency(X, 3)
    np.testing.assert_array_equal(KNNGraph().build(put(X), 3).toarray(), expected)
    np.testing.assert_array_equal(KNNGraph().build(sp.csr_array(X), 3).toarray(), expected)


def test_edges_keep_their_lengths(rng: np.random.Generator) -> None:
    X = rng.normal(size=(15, 3))
    distances = symmetrize(neighbors(X, 3)).tocoo()
    for i, j, length in zip(distances.row, distances.col, distances.data, strict=True):
        assert length == pytest.approx(np.linalg.norm(X[i] - X[j]))


def test_heat_weights_fall_with_the_square_of_the_length(rng: np.random.Generator) -> None:
    X = rng.normal(size=(15, 3))
    distances = symmetrize(neighbors(X, 3))
    for width in (0.5, None):
        S = KNNGraph(weights="heat", heat_width=width).build(X, 3)
        scale = width or np.median(distances.data)
        expected = np.where(distances.toarray() > 0, np.exp(-((distances.toarray() / scale) ** 2)), 0.0)
        laws.assert_close(S.toarray(), expected)


def test_self_tuned_weights_follow_the_density(rng: np.random.Generator) -> None:
    X = rng.normal(size=(15, 3))
    lengths = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 1:4]
    distances = symmetrize(neighbors(X, 3)).toarray()
    expected = np.where(distances > 0, np.exp(-(distances**2) / np.outer(lengths[:, -1], lengths[:, -1])), 0.0)
    laws.assert_close(KNNGraph(weights="self-tuned").build(X, 3).toarray(), expected)


@pytest.mark.parametrize("weights", ["binary", "heat", "self-tuned"])
def test_links_of_new_rows_are_the_weights_of_their_edges(weights: str, rng: np.random.Generator) -> None:
    X, new = rng.normal(size=(15, 3)), rng.normal(size=(6, 3))
    lengths = np.linalg.norm(new[:, None] - X, axis=2)
    nearest = lengths <= np.sort(lengths, axis=1)[:, [2]]
    among = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 3]
    exponent = {
        "binary": np.zeros((6, 15)),
        "heat": (lengths / 0.7) ** 2,
        "self-tuned": lengths**2 / np.outer(np.max(lengths, axis=1, where=nearest, initial=0.0), among),
    }[weights]
    weight = np.where(nearest, np.exp(-exponent), 0.0)
    links = KNNGraph(weights=weights, heat_width=0.7 if weights == "heat" else None).fit(X, 3).links(new)
    laws.assert_close(links.toarray(), weight / weight.sum(axis=1, keepdims=True))


def test_sparse_new_rows_find_the_neighbours_of_dense_ones(rng: np.random.Generator) -> None:
    X, new = rng.normal(size=(30, 3)), rng.normal(size=(5, 3))
    dense, sparse = KNNGraph().fit(X, 4), KNNGraph().fit(sp.csr_array(X), 4)
    for graph in (dense, sparse):
        for rows in (new, sp.csr_array(new)):
            laws.assert_close(graph.links(rows).toarray(), dense.links(new).toarray())


def test_a_graph_is_symmetric_up_to_the_rounding_of_its_largest_weight() -> None:
    S = np.array([[0.0, 1e9, 1.0], [1e9 + 1, 0.0, 0.0], [1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(check_adjacency(S, 3).toarray(), S)
    with pytest.raises(ValueError, match="not symmetric"):
        check_adjacency(S / 1e9 + np.array([[0.0, 0.0, 1e-7], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), 3)


def test_duplicates_are_neighbours_of_weight_one() -> None:
    X = np.array([[0.0], [0.0], [5.0], [5.0]])
    pairs = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], dtype=float)
    np.testing.assert_array_equal(KNNGraph().build(X, 1).toarray(), pairs)
    np.testing.assert_array_equal(KNNGraph(weights="heat").build(X, 1).toarray(), pairs)
    np.testing.assert_array_equal(heat_weights(symmetrize(neighbors(X, 1))).toarray(), pairs)


@pytest.mark.parametrize("search", ["exact", "faiss"])
def test_many_duplicates_never_make_a_row_its_own_neighbour(search: str) -> None:
    X = np.repeat(np.array([[0.0, 1.0], [2.0, 3.0]]), 12, axis=0)
    found = neighbors(X, 3, search=search)
    assert not found.diagonal().any()
    np.testing.assert_array_equal(np.diff(found.indptr), 3)
    assert found.max() == 0.0


def test_fewer_rows_than_neighbours_give_the_complete_graph(rng: np.random.Generator) -> None:
    S = KNNGraph().build(rng.normal(size=(4, 2)), 10)
    np.testing.assert_array_equal(S.toarray(), 1 - np.eye(4))


def test_a_single_row_has_no_edge() -> None:
    assert KNNGraph().build(np.ones((1, 2)), 10).nnz == 0


@pytest.mark.parametrize("inverted_lists", [False, True])
def test_faiss_finds_the_exact_neighbours(
    inverted_lists: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(300, 4)) + 100.0
    if inverted_lists:
        monkeypatch.setattr(INVERTED, "FAISS_ROWS", 200)
    exact = neighbors(X, 5, search="exact")
    found = neighbors(X, 5, search="faiss")
    share = (found.astype(bool).multiply(exact.astype(bool))).sum() / exact.nnz
    assert share > (0.99 if inverted_lists else 0.9999)
    np.testing.assert_allclose(
        found.max(axis=1).toarray(), exact.max(axis=1).toarray(), rtol=0.05 if inverted_lists else 1e-4
    )


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_faiss_finds_them_at_every_scale(scale: float, rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 4))
    here, there = neighbors(X, 5, search="faiss"), neighbors(scale * X, 5, search="faiss")
    laws.assert_close(there.toarray() / scale, here.toarray(), rtol=1e-5)


def test_large_dense_data_goes_to_faiss_by_itself(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    X = rng.normal(size=(60, 3))
    asked: list[int] = []

    class Spy(SEARCHING.InvertedLists):  # type: ignore[name-defined]
        def nearest(self, rows: np.ndarray, k: int) -> Any:
            asked.append(k)
            return super().nearest(rows, k)

    monkeypatch.setattr(SEARCHING, "InvertedLists", Spy)
    neighbors(X, 4)
    assert asked == []
    monkeypatch.setattr(INVERTED, "FAISS_ROWS", 50)
    neighbors(X, 4)
    neighbors(sp.csr_array(X), 4)
    # a row finds itself too
    assert asked == [5]


def test_faiss_takes_no_sparse_rows() -> None:
    with pytest.raises(ValueError, match=r"search='faiss' takes dense rows. Choose search='exact' for sparse X"):
        neighbors(sp.csr_array(np.eye(5)), 2, search="faiss")


def test_any_neighbour_search_will_do(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 3))
    S = KNNGraph(search=NearestNeighbors(n_neighbors=3)).build(X, 99)
    np.testing.assert_array_equal(S.toarray(), naive.adjacency(X, 3))


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"symmetry": "both"}, "symmetry='both' is not known. Choose 'union' or 'mutual'"),
        ({"weights": "cosine"}, "weights='cosine' is not known. Choose 'binary' or 'heat' or 'self-tuned'"),
        ({"on": "labels"}, "on='labels' is not known. Choose 'inputs' or 'features'"),
        ({"search": "annoy"}, "search='annoy' is not known"),
        ({"heat_width": -1.0}, "heat_width=-1.0 is not a width"),
    ],
)
def test_wrong_settings_are_refused(setting: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        KNNGraph(**setting)


# ------------------------------------------------------------------------------------------------- ready graphs


def test_a_ready_graph_is_taken_without_its_self_loops() -> None:
    S = np.array([[3.0, 1.0], [1.0, 0.0]])
    np.testing.assert_array_equal(check_adjacency(S, 2).toarray(), [[0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_array_equal(check_adjacency(sp.coo_matrix(S), 2).toarray(), [[0.0, 1.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("S", "sentence"),
    [
        (np.zeros((3, 3)), "The graph is 3 x 3, but there are 2 training rows"),
        (np.zeros((2, 3)), "The graph is 2 x 3, but there are 2 training rows"),
        (np.array([[0.0, -1.0], [-1.0, 0.0]]), "The graph holds a negative weight in row 0"),
        (np.array([[0.0, 1.0], [0.5, 0.0]]), "The graph is not symmetric. Symmetrise it first"),
        (np.array([[0.0, np.nan], [np.nan, 0.0]]), "The graph holds NaN or infinite weights"),
        (np.array([[0.0, np.inf], [np.inf, 0.0]]), "The graph holds NaN or infinite weights"),
    ],
)
def test_graphs_that_are_none_are_refused(S: np.ndarray, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        check_adjacency(S, 2)


# ----------------------------------------------------------------------------------------------------- Laplacian


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000))
def test_the_laplacian_is_that_of_loops(kind: str, seed: int) -> None:
    S = random_adjacency(seed)
    laws.assert_close(laplacian(sp.csr_array(S), kind).toarray(), naive.laplacian(S, kind))


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000))
def test_the_laplacian_is_symmetric_and_positive_semi_definite(kind: str, seed: int) -> None:
    Lap = laplacian(sp.csr_array(random_adjacency(seed)), kind).toarray()
    laws.assert_close(Lap, Lap.T)
    values = np.linalg.eigvalsh(Lap)
    assert values[0] >= -1e-12
    if kind == "normalized":
        assert values[-1] <= 2 + 1e-12


@given(seed=st.integers(0, 10_000))
def test_constant_functions_cost_nothing(seed: int) -> None:
    S = random_adjacency(seed)
    laws.assert_close(laplacian(sp.csr_array(S), "plain") @ np.ones(len(S)), np.zeros(len(S)))
    root_degree = np.sqrt(S.sum(axis=1))
    laws.assert_close(laplacian(sp.csr_array(S), "normalized") @ root_degree, np.zeros(len(S)))


@pytest.mark.parametrize("kind", KINDS)
def test_isolated_rows_have_a_zero_row(kind: str) -> None:
    Lap = laplacian(sp.csr_array(random_adjacency(0, isolated=3)), kind).toarray()
    assert not Lap[-3:].any()
    assert not Lap[:, -3:].any()
    assert not laplacian(sp.csr_array((4, 4)), kind).toarray().any()


def test_the_energy_is_half_the_sum_over_ordered_pairs(rng: np.random.Generator) -> None:
    S, H = random_adjacency(1), rng.normal(size=(9, 2))
    pairs = sum(S[i, j] * np.sum((H[i] - H[j]) ** 2) for i in range(9) for j in range(9))
    Lap = laplacian(sp.csr_array(S), "plain") * S.sum(axis=1).mean()
    assert np.trace(H.T @ (Lap @ H)) == pytest.approx(pairs / 2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [0, 1, 3, None])
def test_rows_of_the_laplacian_are_its_rows_in_any_order(
    kind: str, count: int | None, rng: np.random.Generator
) -> None:
    S = sp.csr_array(random_adjacency(2, isolated=3))
    own = rng.permutation(S.shape[0])[:count]
    laws.assert_close(LaplacianRows(S, kind)[own].toarray(), laplacian(S, kind).toarray()[own])


def test_neighbours_stand_side_by_side(rng: np.random.Generator) -> None:
    path = sp.csr_array(np.eye(50, k=1) + np.eye(50, k=-1))
    mixed = rng.permutation(50)
    order = low_bandwidth_order(sp.csr_array(path[mixed][:, mixed]))
    assert np.abs(np.diff(mixed[order])).tolist() == [1] * 49


@pytest.mark.parametrize("search", ["exact", "faiss"])
def test_without_lengths_neighbours_are_the_same(search: str, rng: np.random.Generator) -> None:
    index = NeighborIndex(rng.normal(size=(50, 3)), search=search)
    found, bare = index.among(4), index.among(4, lengths=False)
    assert (found.dtype, bare.dtype) == (np.float64, np.bool_)
    np.testing.assert_array_equal(bare.toarray(), found.toarray() > 0)


def test_distances_of_single_precision_are_distances(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 3))
    for search, rows in (("auto", sp.csr_array(X)), (NearestNeighbors(n_neighbors=4, metric="cosine"), X)):
        double, single = (NeighborIndex(one, search=search).among(4) for one in (rows, rows.astype(np.float32)))
        assert single.dtype == np.float64
        laws.assert_close(single.toarray(), double.toarray(), rtol=1e-5, atol=1e-6)


def test_distances_may_be_any_matrix_of_numbers_and_stay_as_they_are() -> None:
    directed = np.array([[0, 2, 0], [0, 0, 3], [3, 0, 0]])
    distances = symmetrize(directed)
    np.testing.assert_array_equal(distances.toarray(), [[0, 2, 3], [2, 0, 3], [3, 3, 0]])
    S = heat_weights(distances, 1e-2)
    S.eliminate_zeros()
    assert (S.nnz, distances.nnz) == (0, 6)


def test_an_unknown_laplacian_is_refused() -> None:
    with pytest.raises(ValueError, match=r"laplacian='signless' is not known. Choose 'normalized' or 'plain'"):
        laplacian(sp.csr_array((2, 2)), "signless")


# ------------------------------------------------------------------------------------------------------------- G


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("block_bytes", [1, 8 * 12 * 7, 2**20])
def test_g_is_that_of_dense_matrices_whatever_the_blocks(
    put: Put, power: int, kind: str, block_bytes: int, rng: np.random.Generator
) -> None:
    X = rng.normal(size=(40, 3))
    phi = RandomFourier(12, width=1.0, random_state=0).fit(put(X))
    S = KNNGraph().build(X, 4)
    Lap = laplacian(S, kind)
    expected = naive.manifold_matrix(to_numpy(phi.transform(put(X))), Lap.toarray(), power)
    rows = MappedRows(put(X), phi.transform, block_bytes=block_bytes)
    G = manifold_matrix(rows, Lap, power)
    assert type(G) is type(put(X))
    laws.assert_close(G, expected)
    laws.assert_close(manifold_matrix(rows, LaplacianRows(S, kind), power), G)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("block_bytes", [1, 200, 2**20])
def test_g_of_sparse_features_is_that_of_dense_ones(power: int, block_bytes: int) -> None:
    Phi = sp.random_array((40, 6), density=0.3, rng=3, format="csr")
    Lap = laplacian(KNNGraph().build(Phi.toarray(), 4))
    expected = naive.manifold_matrix(Phi.toarray(), Lap.toarray(), power)
    laws.assert_close(
        manifold_matrix(MappedRows(Phi, lambda rows: rows, block_bytes=block_bytes), Lap, power), expected
    )


def test_no_block_of_mapped_rows_is_larger_than_asked(rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 3))
    largest = 0

    def transform(rows: np.ndarray) -> np.ndarray:
        nonlocal largest
        largest = max(largest, len(rows) if len(rows) != 64 else 0)
        return np.hstack([rows, rows**2])

    rows = MappedRows(X, transform, block_bytes=30 * 6 * 8)
    manifold_matrix(rows, laplacian(KNNGraph().build(X, 4)), 2)
    assert 0 < largest <= 30


@pytest.mark.parametrize("power", [1, 2])
def test_g_of_single_precision_is_double_and_positive_semi_definite(
    put: Put, power: int, rng: np.random.Generator
) -> None:
    X = rng.normal(size=(60, 3)).astype(np.float32)
    phi = RandomFourier(8, width=1.0, random_state=0).fit(put(X))
    G = to_numpy(manifold_matrix(MappedRows(put(X), phi.transform), laplacian(KNNGraph().build(X, 4)), power))
    assert G.dtype == np.float64
    assert np.linalg.eigvalsh(G)[0] >= -1e-8


@pytest.mark.parametrize("power", [0, 3, 1.5])
def test_other_powers_are_refused(power: Any) -> None:
    with pytest.raises(ValueError, match=rf"power={power!r} is not supported. Choose power=1 or power=2"):
        manifold_matrix(MappedRows(np.eye(2), lambda rows: rows), sp.csr_array((2, 2)), power)


def test_the_full_heat_graph_is_the_kernel_of_all_pairs_and_a_graph_to_fit_with() -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    S = full_heat_graph(X)
    squares = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    width = np.median(np.sqrt(squares[~np.eye(40, dtype=bool)]))
    np.testing.assert_allclose(S, np.exp(-squares / width**2) - np.eye(40), atol=1e-12)
    near = KNNGraph(weights="heat", heat_width=float(width)).build(X, 39).toarray()
    np.testing.assert_allclose(full_heat_graph(X, float(width)), near, atol=1e-12)
    y = np.where(np.arange(40) < 10, (X[:, 0] > 0).astype(int), -1)
    models = [
        LSVVClassifier(features="linear", smoothing=0, manifold=0.1, graph=graph).fit(X, y) for graph in (S, near)
    ]
    np.testing.assert_allclose(models[0].coef_, models[1].coef_, rtol=1e-8)


def test_the_full_heat_graph_of_equal_rows_is_complete() -> None:
    np.testing.assert_array_equal(full_heat_graph(np.ones((3, 2))), 1 - np.eye(3))


# -------------------------------------------------------------------------------------- recall, tensors, coarse cells


def on_a_sheet(m: int, seed: int = 0) -> np.ndarray:
    """Rows on a two-dimensional sheet in eight dimensions."""
    rng = np.random.default_rng(seed)
    return np.sin(rng.normal(size=(m, 2)) @ rng.normal(size=(2, 8))) + 0.01 * rng.normal(size=(m, 8))


def true_recall(found: sp.csr_array, X: np.ndarray, k: int) -> float:
    exact = neighbors(X, k, search="exact")
    return float(found.astype(bool).multiply(exact.astype(bool)).sum() / exact.nnz)


@pytest.mark.parametrize("target", [0.6, 0.9, 0.99])
def test_as_many_lists_are_searched_as_the_recall_asks_for(target: float, monkeypatch: pytest.MonkeyPatch) -> None:
    X = on_a_sheet(3000)
    monkeypatch.setattr(INVERTED, "FAISS_ROWS", 1000)
    index = NeighborIndex(X, search="faiss", target=target)
    truth = true_recall(index.among(8), X, 8)
    assert index.recall is not None
    assert target <= index.recall <= 1.0
    assert abs(truth - index.recall) < 0.03
    wanted = index._index.index.nprobe
    assert NeighborIndex(X, search="faiss", target=1.0).among(8).nnz
    assert wanted < 4 * np.sqrt(3000) / 4


def test_a_fitted_model_tells_the_recall_of_its_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    X = on_a_sheet(1500)
    y = np.where(np.arange(1500) < 60, (X[:, 0] > 0).astype(int), -1)
    exact = LSVVClassifier(features=RandomFourier(20), random_state=0).fit(X, y)
    assert exact.graph_ is not None
    assert exact.graph_.recall == 1.0
    monkeypatch.setattr(INVERTED, "FAISS_ROWS", 1000)
    near = LSVVClassifier(features=RandomFourier(20), random_state=0).fit(X, y)
    assert near.graph_ is not None
    assert near.graph_.recall is not None
    assert 0.99 <= near.graph_.recall <= 1.0
    assert NeighborGraph(near.graph_.S).recall is None


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_tensors_are_searched_exactly_in_blocks(dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X = on_a_sheet(500).astype(dtype) + dtype(100)
    expected = neighbors(X, 6, search="exact")
    monkeypatch.setattr("lsvv.graph.blocked.CANDIDATES", 64)
    monkeypatch.setattr("lsvv.graph.blocked.BLOCK_BYTES", 64 * 8 * 37)
    index = NeighborIndex(torch.as_tensor(X))
    assert isinstance(index.rows, torch.Tensor)
    laws.assert_close(index.among(6).toarray(), expected.toarray(), rtol=1e-6, atol=1e-9)
    new = on_a_sheet(20, seed=1).astype(dtype) + dtype(100)
    exact = NeighborIndex(X, search="exact").of(new, 6)
    laws.assert_close(index.of(torch.as_tensor(new), 6).toarray(), exact.toarray(), rtol=1e-6, atol=1e-9)


def test_many_tensor_rows_are_searched_in_cells_with_borders(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    X = on_a_sheet(2000)
    monkeypatch.setattr("lsvv.graph.coarse_cells.ROWS_A_CELL", 100)
    search = CellSearch(put(X), target=0.99)
    found = search.nearest(put(X), 7)
    assert search.recall >= 0.99
    distances = NearestNeighbors(n_neighbors=7).fit(X).kneighbors()[0]
    assert ((found[0] <= distances[:, -1:] * (1 + 1e-9)).sum(axis=1) >= 7).mean() > 0.9
    np.testing.assert_array_equal(found[1][:, 0], np.arange(2000))


def test_one_cell_is_the_exact_search(put: Put) -> None:
    X = on_a_sheet(300)
    search = CellSearch(put(X), target=0.99)
    distances, found = search.nearest(put(X), 5)
    exact, places = Blocked(X).nearest(X, 5)
    np.testing.assert_array_equal(found, places)
    laws.assert_close(distances, exact)
    assert search.recall == 1.0


def test_a_cell_of_few_rows_says_that_it_has_no_more() -> None:
    X = np.array([[0.0], [0.1], [9.0], [9.1], [9.2]])
    search = CellSearch(X, target=0.1)
    search._settle(4)
    search._kept, search._ends = np.array([0, 1]), np.array([0, 2])
    distances, found = search.nearest(X[:1], 4)
    np.testing.assert_array_equal(found, [[0, 1, -1, -1]])
    assert np.isinf(distances[0, 2:]).all()


@pytest.mark.parametrize("recall", [0.0, 1.5, -1.0])
def test_a_recall_is_a_share(recall: float) -> None:
    with pytest.raises(ValueError, match=r"recall=.* is no share. Pass a number above 0 and at most 1"):
        KNNGraph(recall=recall)
