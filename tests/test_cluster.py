"""Fits on a real dask cluster of processes: one cell is the fit in memory, and a lost worker changes nothing."""

import os
import pickle
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import laws
import naive
from lsvv import LSVVClassifier, LSVVClassifierCV, LSVVRegressor
from lsvv.assembly import build_summed_graph, map_rows
from lsvv.cluster import ClusterRows, added, check_cluster, computed, delayed
from lsvv.features import MappedRows, RandomFourier
from lsvv.graph import CellGraph, Graph, KNNGraph, NeighborGraph, NeighborIndex, manifold_matrices, neighbors
from lsvv.graph.spread import SpreadRows
from lsvv.stored import StoredRows

M, D = 900, 3
SETTINGS: dict[str, Any] = {
    "smoothed": {"smoothing": 0.9},
    "compact": {"smoothing": 0.0, "manifold": 0.5},
    "power one": {"smoothing": 0.0, "manifold": 0.5, "power": 1},
    "plain": {"smoothing": 0.0, "manifold": 0.5, "laplacian": "plain"},
    "supervised": {"smoothing": 0.0},
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Client]:
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**settings, host="127.0.0.1") as processes, Client(processes) as client:
        yield client


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(M, D)) + np.repeat(4.0 * np.eye(D), M // D, axis=0)
    return X, np.where(rng.random(M) < 0.1, np.repeat(np.arange(D), M // D), -1)


def classifier(**how: Any) -> LSVVClassifier:
    return LSVVClassifier(random_state=0, **{"features": RandomFourier(30), **how})


def parted(X: np.ndarray) -> Any:
    return da.from_array(X, chunks=(250, 2))


@pytest.mark.parametrize("setting", SETTINGS)
def test_one_cell_is_the_fit_in_memory(
    cluster: Client, setting: str, data: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data
    whole = classifier(**SETTINGS[setting]).fit(X, y)
    monkeypatch.setattr("lsvv.features.rows.BLOCK_BYTES", 8 * 30 * 300)
    model = classifier(**SETTINGS[setting]).fit(parted(X), da.from_array(y, chunks=400))
    laws.assert_close(model.coef_, whole.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(model.transduction_, whole.transduction_)
    laws.assert_close(model.predict_proba(parted(X)), whole.predict_proba(X), rtol=1e-6, atol=1e-9)
    # what is left is a local model
    laws.assert_close(model.predict_proba(X), whole.predict_proba(X), rtol=1e-6, atol=1e-9)


def test_a_frame_names_its_columns_and_its_target(cluster: Client, data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    whole = classifier().fit(frame, y)
    model = classifier().fit(dd.from_pandas(frame.assign(y=y), npartitions=3), "y")
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(model.predict(dd.from_pandas(frame, npartitions=2)), whole.predict(frame))


def test_numbers_are_learnt_on_a_cluster_too(cluster: Client) -> None:
    X = np.random.default_rng(0).uniform(-3, 3, size=(400, 2))
    Y = np.stack([np.sin(X[:, 0]), np.cos(X[:, 1])], axis=1)
    Y[40:, 0], Y[:300, 1] = np.nan, np.nan
    whole = LSVVRegressor(features=RandomFourier(40), random_state=0).fit(X, Y)
    model = LSVVRegressor(features=RandomFourier(40), random_state=0).fit(parted(X), Y)
    laws.assert_close(model.predict(X), whole.predict(X), rtol=1e-6, atol=1e-8)


def test_a_search_reads_its_rows_from_a_cluster_and_answers_there(
    cluster: Client, data: tuple[np.ndarray, np.ndarray]
) -> None:
    X, y = data
    whole = LSVVClassifierCV(random_state=0).fit(X, y)
    model = LSVVClassifierCV(random_state=0).fit(parted(X), da.from_array(y, chunks=400))
    np.testing.assert_array_equal(model.transduction_, whole.transduction_)
    laws.assert_close(model.predict_proba(parted(X)), whole.predict_proba(X), rtol=1e-9, atol=1e-12)
    laws.assert_close(model.predict_proba(X), whole.predict_proba(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("target", [0.9, 0.99])
def test_many_cells_find_as_many_neighbours_as_they_say(
    cluster: Client, target: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    X = np.sin(rng.normal(size=(3000, 2)) @ rng.normal(size=(2, 6)))
    monkeypatch.setattr("lsvv.graph.spread.ROWS_A_CELL", 300)
    index = NeighborIndex(check_cluster(classifier(), da.from_array(X, chunks=(800, 6))), target=target)
    found = index.among(6)
    exact = neighbors(X, 6, search="exact")
    assert index.recall is not None
    assert index.recall >= target
    assert found.astype(bool).multiply(exact.astype(bool)).sum() / exact.nnz >= target - 0.02
    np.testing.assert_array_equal(np.diff(found.indptr), 6)
    assert not found.diagonal().any()
    assert isinstance(index.brought_here().rows, np.ndarray | StoredRows)


def test_many_cells_learn_nearly_the_same(
    cluster: Client, data: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data
    whole = classifier().fit(X, y)
    monkeypatch.setattr("lsvv.graph.spread.ROWS_A_CELL", 200)
    model = classifier(graph=KNNGraph(weights="self-tuned", recall=0.95)).fit(parted(X), y)
    assert model.graph_ is not None
    assert model.graph_.recall is not None
    assert 0.95 <= model.graph_.recall <= 1.0
    assert (model.predict(X) == whole.predict(X)).mean() > 0.98


STAGES = ("spread._searched", "cell_graph._links", "cell_graph._with_links", "cell_graph._rows_beside")


@pytest.mark.parametrize("stage", [*STAGES, "cell_graph._smoothness"])
def test_a_worker_that_dies_changes_nothing(
    cluster: Client,
    stage: str,
    data: tuple[np.ndarray, np.ndarray],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = data
    here, died = os.getpid(), tmp_path / "died"

    def deadly(work: Callable[..., Any]) -> Callable[..., Any]:
        def dying(*arguments: Any) -> Any:
            if os.getpid() != here and not died.exists():
                died.touch()
                os._exit(9)
            return work(*arguments)

        return dying

    monkeypatch.setattr("lsvv.graph.spread.ROWS_A_CELL", 200)
    whole = classifier(**SETTINGS["compact"]).fit(parted(X), y)
    module, name = stage.split(".")
    place = import_module(f"lsvv.graph.{module}")
    monkeypatch.setattr(place, name, deadly(getattr(place, name)))
    model = classifier(**SETTINGS["compact"]).fit(parted(X), y)
    assert died.exists()
    laws.assert_close(model.coef_, whole.coef_, rtol=1e-9, atol=1e-12)


def test_work_that_kills_every_worker_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    killed = type("KilledWorker", (Exception,), {})

    def killing(values: Any) -> Any:
        raise killed("worker 3")

    monkeypatch.setattr("dask.compute", killing)
    with pytest.raises(RuntimeError, match=r"gave a task up .* \(worker 3\)\. Give the workers more memory"):
        computed(delayed(abs)(-1))


# ------------------------------------------------------------------------------------- without a scheduler's processes


def cluster_rows(X: np.ndarray, size: int) -> ClusterRows:
    return check_cluster(classifier(), da.from_array(X, chunks=(size, -1)))


def central(rows: ClusterRows, rule: KNNGraph, k: int, kind: str) -> np.ndarray:
    """Lap from the edges of all cells, brought together."""
    edges = NeighborIndex(rows, target=rule.recall).among(k, lengths=False).toarray()
    S = edges | edges.T if rule.symmetry == "union" else edges & edges.T
    return naive.laplacian(S.astype(float), kind)


@pytest.mark.parametrize("kind", ["normalized", "plain"])
@pytest.mark.parametrize("symmetry", ["union", "mutual"])
@pytest.mark.parametrize("rows_a_cell", [2, 7, 30])
def test_cells_that_tell_each_other_their_edges_have_the_sums_of_one_place(
    rows_a_cell: int, symmetry: str, kind: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(90, 3))
    X[:12], X[-1] = X[12], 50.0
    monkeypatch.setattr("lsvv.graph.spread.ROWS_A_CELL", rows_a_cell)
    rows = check_cluster(classifier(), da.concatenate([da.from_array(X[:0]), da.from_array(X, chunks=(19, -1))]))
    phi = RandomFourier(20, random_state=0).fit(X)
    rule = KNNGraph(symmetry=symmetry, recall=0.9)
    graph = rule.spread(rows, 8)
    G = manifold_matrices(
        MappedRows(rows, phi.transform_checked, block_bytes=8 * 20 * 25), graph.laplacian(kind), (1, 2)
    )
    Lap = central(rows, rule, 8, kind)
    for power in (1, 2):
        laws.assert_close(G[power], naive.manifold_matrix(phi.transform(X), Lap, power), rtol=1e-9, atol=1e-12)
    assert graph.recall == rule.fit(rows, 8).recall
    # a cell without borders would share no edge
    assert graph.spread.cells_a_row > 1


def test_no_edge_comes_to_the_process_that_fits(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    X = rng.normal(size=(3000, 3))
    monkeypatch.setattr("lsvv.graph.spread.ROWS_A_CELL", 500)
    rows = cluster_rows(X, 700)
    mapped = map_rows(RandomFourier(20, random_state=0).fit(X), rows)
    graph, came, compute = KNNGraph().spread(rows, 6), [], dask.compute

    def weighed(*values: Any) -> Any:
        done = compute(*values)
        came.append(len(pickle.dumps(done)))
        return done

    monkeypatch.setattr("dask.compute", weighed)
    manifold_matrices(mapped, graph.laplacian(), (2,))
    assert 8 * 20**2 < sum(came) < 4 * 3000


@pytest.mark.parametrize(
    ("graph", "kind"),
    [
        ("auto", CellGraph),
        (KNNGraph(symmetry="mutual"), CellGraph),
        (KNNGraph(weights="heat"), NeighborGraph),
        (KNNGraph(weights="self-tuned"), NeighborGraph),
        (KNNGraph(on="features"), NeighborGraph),
        (np.eye(30)[::-1], NeighborGraph),
    ],
)
def test_a_graph_of_equal_weights_between_rows_stays_with_them(
    graph: Any, kind: type[Graph], rng: np.random.Generator
) -> None:
    rows = cluster_rows(rng.normal(size=(30, 2)), 8)
    built = build_summed_graph(graph, rows, MappedRows(rows, np.tanh), n_neighbors=3, n_jobs=None)
    assert isinstance(built, kind)


def test_parts_times_cells_are_not_that_many_tasks(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsvv.graph.spread.ROWS_A_CELL", 10)
    spread = SpreadRows.of(cluster_rows(rng.normal(size=(300, 2)), 10), 3, 0.9)
    tasks = {key for cell in spread.edges(3, NeighborIndex, lengths=True) for key in cell.__dask_graph__()}
    assert len(tasks) < 30 * 30


@pytest.mark.parametrize("size", [1, 4, 100])
def test_rows_are_read_where_they_are_asked_for(size: int, rng: np.random.Generator) -> None:
    X = rng.normal(size=(11, 2))
    rows = cluster_rows(X, size)
    index = np.array([7, 2, 2, 10])
    np.testing.assert_array_equal(rows[index], X[index])
    np.testing.assert_array_equal(rows[3:9], X[3:9])
    some = rows.view(np.array([0, 5, 6]))
    np.testing.assert_array_equal(some[:], X[[0, 5, 6]])
    np.testing.assert_array_equal(rows.brought_here()[:], X)
    assert rows.total(np.sum, 2) == pytest.approx(X.sum())
    assert [len(one) for one in rows.view(np.array([1])).each(np.asarray, 3)] == [1]
    beside = np.arange(11.0)
    assert rows.total(lambda block, a: a @ block, 3, beside) == pytest.approx(beside @ X)


def test_values_are_added_two_by_two() -> None:
    for n in (1, 2, 5, 8):
        assert computed(added([delayed(int)(i) for i in range(n)])) == n * (n - 1) // 2


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        ({"nan": True}, r"Partition 2 of X contains NaN at row 5, column 1"),
        ({"empty": True}, r"X has 0 rows; a minimum of 1 is required"),
    ],
)
def test_bad_partitions_are_named(spoil: dict[str, bool], sentence: str, data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data[0].copy(), data[1]
    X[505, 1] = np.nan if "nan" in spoil else 0.0
    rows = da.from_array(X[:0] if "empty" in spoil else X, chunks=(250, -1))
    with pytest.raises(ValueError, match=sentence):
        classifier().fit(rows, y)


def test_partitions_without_rows_or_labels_are_no_matter(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    y = np.where(np.arange(M) % 300 < 30, np.repeat(np.arange(D), M // D), -1)
    empty = da.concatenate([da.from_array(X[:0], chunks=-1), da.from_array(X, chunks=(100, -1))])
    model = classifier(**SETTINGS["compact"]).fit(empty, y)
    laws.assert_close(model.coef_, classifier(**SETTINGS["compact"]).fit(X, y).coef_, rtol=1e-6, atol=1e-8)


def test_a_target_that_is_no_column_is_refused(data: tuple[np.ndarray, np.ndarray]) -> None:
    with pytest.raises(ValueError, match="y='z' names a column, but X has none of that name"):
        classifier().fit(parted(data[0]), "z")
