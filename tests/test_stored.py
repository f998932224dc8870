"""Rows that are not in memory: the models of arrays, blocks of bounded size, and sentences for what is wrong."""

import errno
import pickle
import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

import laws
from lsvv import LSVVClassifier, LSVVClassifierCV, LSVVRegressor, LSVVRegressorCV
from lsvv.features import Nystroem, RandomFourier
from lsvv.graph import KNNGraph
from lsvv.selection import column_importances
from lsvv.stored import StoredRows, is_stored, return_freed_memory, write_predictions, written

M, D = 900, 3
NAMES = ["a", "b", "c"]


class Store:
    """What HDF5 and Zarr have in common: a shape, a dtype and slices."""

    def __init__(self, values: np.ndarray) -> None:
        self._values, self.shape, self.dtype = values, values.shape, values.dtype

    def __getitem__(self, part: slice) -> np.ndarray:
        assert isinstance(part, slice)
        return self._values[part]


def in_blocks(values: np.ndarray) -> Iterator[np.ndarray]:
    return (values[start : start + 97] for start in range(0, len(values), 97))


def as_map(values: np.ndarray, folder: Path) -> np.memmap[Any, Any]:
    path = folder / f"{len(list(folder.iterdir()))}.npy"
    np.save(path, values)
    loaded = np.load(path, mmap_mode="r")
    assert isinstance(loaded, np.memmap)
    return loaded


def as_parquet(X: np.ndarray, y: np.ndarray, folder: Path) -> Path:
    target = folder / "rows"
    target.mkdir()
    for part in range(3):
        cut = slice(part * M // 3, (part + 1) * M // 3)
        table = pa.table({**dict(zip(NAMES, X[cut].T, strict=True)), "y": y[cut]})
        pyarrow.parquet.write_table(table, target / f"{part}.parquet")
    return target


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsvv.stored.BLOCK_BYTES", 8 * D * 100)


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(M, D)) + np.repeat(4.0 * np.eye(D), M // D, axis=0)
    y = np.repeat(np.arange(D), M // D)
    return X, np.where(rng.random(M) < 0.1, y, -1)


SETTINGS: dict[str, Any] = {
    "smoothed": {"smoothing": 0.9},
    "compact": {"smoothing": 0.0, "manifold": 0.5},
    "supervised": {"smoothing": 0.0},
}


def classifier(**how: Any) -> LSVVClassifier:
    return LSVVClassifier(features=RandomFourier(40), random_state=0, **how)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("kind", ["map", "store", "blocks", "parquet", "data set"])
def test_the_model_is_that_of_the_array(
    kind: str, setting: str, data: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    X, y = data
    whole = classifier(**SETTINGS[setting]).fit(X, y)
    if kind in ("parquet", "data set"):
        path = as_parquet(X, y, tmp_path)
        there: Any = path if kind == "parquet" else pyarrow.dataset.dataset(path)
        model = classifier(**SETTINGS[setting]).fit(there, "y")
        assert model.feature_names_in_.tolist() == NAMES
    else:
        make = {"map": lambda a: as_map(a, tmp_path), "store": Store, "blocks": in_blocks}[kind]
        model = classifier(**SETTINGS[setting]).fit(make(X), make(y))
        there = make(X)
    laws.assert_close(model.coef_, whole.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(model.transduction_, whole.transduction_)
    laws.assert_close(model.predict_proba(there), whole.predict_proba(X), rtol=1e-6, atol=1e-9)


def test_predictions_are_written_block_by_block(data: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    X, y = data
    model = classifier().fit(X, y)
    out = np.lib.format.open_memmap(tmp_path / "out.npy", mode="w+", dtype=np.float64, shape=(M, D))
    write_predictions(model, in_blocks(X), out, "predict_proba")
    laws.assert_close(np.load(tmp_path / "out.npy"), model.predict_proba(X))
    classes = np.empty(M, dtype=int)
    named = classifier().fit(pd.DataFrame(X, columns=NAMES), y)
    write_predictions(named, as_parquet(X, y, tmp_path), classes)
    np.testing.assert_array_equal(classes, model.predict(X))


def test_a_map_is_fitted_on_a_sample_of_many_rows(
    data: tuple[np.ndarray, np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data
    monkeypatch.setattr("lsvv.assembly.SAMPLED", 200)
    asked: list[int] = []

    class Spy(Nystroem):
        def _fit(self, X: Any, sample_weight: Any) -> int:
            asked.append(len(X))
            return super()._fit(X, sample_weight)

    model = LSVVClassifier(features=Spy(30), random_state=0).fit(as_map(X, tmp_path), y)
    assert asked == [200]
    truth = np.repeat(np.arange(D), M // D)
    assert (model.transduction_ == truth).mean() > 0.9


def test_numbers_are_learnt_from_blocks_too(tmp_path: Path) -> None:
    X = np.random.default_rng(0).uniform(-3, 3, size=(600, 2)).astype(np.float32)
    Y = np.stack([np.sin(X[:, 0]), np.cos(X[:, 1])], axis=1).astype(np.float64)
    Y[50:, 0] = np.nan
    Y[:400, 1] = np.nan
    whole = LSVVRegressor(features=RandomFourier(50), random_state=0).fit(X, Y)
    model = LSVVRegressor(features=RandomFourier(50), random_state=0).fit(in_blocks(X), in_blocks(Y))
    laws.assert_close(model.predict(as_map(X, tmp_path)), whole.predict(X), rtol=1e-3, atol=1e-4)
    assert model.coef_.dtype == np.float32


def test_a_smoothed_model_of_stored_rows_is_pickled_with_them(
    data: tuple[np.ndarray, np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data
    monkeypatch.setattr("lsvv.graph.inverted.FAISS_ROWS", 500)
    model = classifier().fit(as_map(X, tmp_path), y)
    assert model.graph_ is not None
    assert model.graph_.index is not None
    assert isinstance(model.graph_.index.rows, StoredRows)
    stored = pickle.dumps(model)
    for path in tmp_path.iterdir():
        path.unlink()
    np.testing.assert_array_equal(pickle.loads(stored).predict(X), model.predict(X))


def test_rows_from_all_over_a_map_are_read_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsvv.stored.SCATTERED", 3)
    X = np.random.default_rng(0).normal(size=(20, 2))
    rows, index = StoredRows(as_map(X, tmp_path)), np.array([7, 3, 3, 19, 0, 11, 5])
    np.testing.assert_array_equal(rows[index], X[index])
    np.testing.assert_array_equal(rows.view(index)[1:5], X[index[1:5]])
    np.testing.assert_array_equal(rows[X[:, 0] > 0], X[X[:, 0] > 0])


@pytest.mark.parametrize("missing", [AttributeError, OSError, TypeError])
def test_memory_is_returned_where_the_system_can_be_asked(
    missing: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def library(name: Any) -> Any:
        asked.append(name)
        raise missing

    return_freed_memory()
    monkeypatch.setattr("ctypes.CDLL", library)
    return_freed_memory()
    assert asked == [None]


def test_what_was_changed_in_a_private_map_is_read_again(tmp_path: Path) -> None:
    np.save(tmp_path / "X.npy", np.zeros((4, 2)))
    private = np.load(tmp_path / "X.npy", mmap_mode="c")
    private[1, 1] = 5.0
    rows = StoredRows(private)
    assert rows[:].sum() == rows[:].sum() == 5.0


def test_no_file_is_left_behind(
    data: tuple[np.ndarray, np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    X, y = data
    rows = written(in_blocks(X))
    assert list(tmp_path.iterdir()) == []
    np.testing.assert_array_equal(rows[:], X)
    X = X.copy()
    X[700, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        classifier().fit(in_blocks(X), y)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("setting", ["compact", "supervised"])
def test_peak_memory_stays_within_the_formula_of_the_guide(
    setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = 2**20
    monkeypatch.setattr("lsvv.features.rows.BLOCK_BYTES", block)
    monkeypatch.setattr("lsvv.stored.BLOCK_BYTES", block)
    monkeypatch.setattr("lsvv.assembly.SAMPLED", 1000)
    monkeypatch.setattr("lsvv.graph.inverted.FAISS_ROWS", 5000)
    monkeypatch.setattr("lsvv.graph.inverted.BLOCK", 4096)
    m, d, features, K = 30_000, 100, 150, 2
    rng = np.random.default_rng(0)
    X = as_map(rng.normal(size=(m, 2)) @ rng.normal(size=(2, d)), tmp_path)
    y = np.full(m, -1)
    y[:200] = np.arange(200) % K
    phi = RandomFourier(features, width=2.0)
    model = LSVVClassifier(features=phi, n_neighbors=5, random_state=0, **SETTINGS[setting])
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    graph = 40 * 5 * m if setting == "compact" else 0
    sample = 4 * d * min(m, int(256 * m**0.5)) if setting == "compact" else 0
    assert peak < 5 * block + sample + graph + 8 * (8 * m * K + 6 * features**2 + 1000 * d)
    # what would have been held otherwise
    assert peak < 8 * m * features
    assert peak < 8 * m * d or setting == "compact"


# --------------------------------------------------------------------------------------------------------- bad input


def test_what_is_stored_and_what_is_not(tmp_path: Path) -> None:
    X = np.ones((4, 2))
    there = as_map(X, tmp_path)
    assert is_stored(there)
    assert is_stored(there[:2])
    assert not is_stored(there[np.array([0, 1])])
    assert is_stored(Store(X))
    assert is_stored(tmp_path)
    assert is_stored(str(tmp_path))
    for kind in (X, X.tolist(), pd.DataFrame(X), pd.Series(X[:, 0]), None):
        assert not is_stored(kind)


def test_a_bad_cell_is_named_with_its_block_and_row(data: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    X, y = data
    X = X.copy()
    X[97 * 7 + 5, 2] = np.nan
    with pytest.raises(ValueError, match=r"Block 7 of X contains NaN at row 684, column 2\. Fill or drop it first"):
        classifier().fit(in_blocks(X), y)
    with pytest.raises(ValueError, match=r"Block 6 of X contains NaN at row 684, column 2"):
        classifier().fit(as_map(X, tmp_path), y)
    with pytest.raises(ValueError, match=r"column 2 \('c'\)"):
        classifier().fit(as_parquet(X, y, tmp_path), "y")


def test_a_block_with_other_columns_is_named() -> None:
    narrow = [np.ones((5, 3)), np.ones((5, 2))]
    with pytest.raises(ValueError, match=r"Block 1 of X has 2 columns, but LSVVClassifier is expecting 3 features"):
        classifier().fit(iter(narrow), np.zeros(10))
    frames = [pd.DataFrame(np.ones((5, 3)), columns=names) for names in (["a", "b", "c"], ["a", "x", "c"])]
    with pytest.raises(ValueError, match=r"Block 1 of X has a column 'x' where LSVVClassifier knows another"):
        classifier().fit(iter(frames), np.zeros(10))


@pytest.mark.parametrize(
    ("X", "y", "sentence"),
    [
        (lambda: iter([]), [0, 1], "X has 0 rows; a minimum of 1 is required"),
        (lambda: iter([np.ones(3)]), [0, 1], "Block 0 of X has 1 dimensions. Pass 2-d blocks"),
        (lambda: iter([np.array([["a", "b"]])]), [0], "Block 0 of X holds what is no number"),
        (lambda: iter([np.ones((3, 2))]), [0, 1], "X has 3 rows, y has 2"),
        (lambda: iter([np.ones((2, 2))]), "label", "y='label' names a column, but X is no data set with such"),
        (lambda: iter([np.ones((2, 2))]), iter([]), "y has no blocks. Pass one target a row"),
        (lambda: Path("/no/such/folder"), "y", "There is no /no/such/folder. Pass the path of a Parquet file"),
    ],
)
def test_wrong_blocks_are_refused_with_a_sentence(X: Any, y: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        classifier().fit(X(), y)


def test_empty_blocks_are_passed_over(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    blocks = iter([X[:0], X[:500], X[:0], X[500:]])
    np.testing.assert_array_equal(
        classifier().fit(blocks, y).transduction_, classifier().fit(in_blocks(X), y).transduction_
    )


def test_a_file_that_ends_early_is_named(data: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    path = as_parquet(*data, tmp_path)
    whole = (path / "1.parquet").read_bytes()
    (path / "1.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"rows cannot be read to its end: .* Copy or write its files again"):
        classifier().fit(path, "y")


def test_a_path_may_be_a_text_and_a_score_may_name_its_column(
    data: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    X, y = data
    folder = as_parquet(X, y, tmp_path)
    model = classifier().fit(str(folder), "y")
    np.testing.assert_array_equal(model.transduction_, classifier().fit(folder, "y").transduction_)
    assert model.score(str(folder), "y") == model.score(pd.DataFrame(X, columns=NAMES), y)
    number = LSVVRegressor(features="linear").fit(folder, X[:, 0])
    assert number.score(folder, X[:, 0]) > 0.99
    with pytest.raises(ValueError, match=r"y='z' names a column, but .* It has 'a', 'b', 'c', 'y'\. Pass the targets"):
        LSVVClassifierCV().fit(folder, "z")
    with pytest.raises(ValueError, match=r"There is no nowhere\. Pass the path of a Parquet file, or of a folder"):
        classifier().fit("nowhere", "y")


def test_a_data_set_without_a_column_is_refused_when_it_predicts(
    data: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    model = classifier().fit(as_parquet(*data, tmp_path), "y")
    pyarrow.parquet.write_table(pa.table({"a": [1.0], "b": [1.0]}), tmp_path / "new.parquet")
    with pytest.raises(ValueError, match=r"The data set has no column 'c'. Pass one with the columns of fit"):
        model.predict(tmp_path / "new.parquet")


def test_a_full_disk_is_told(data: tuple[np.ndarray, np.ndarray]) -> None:
    def blocks() -> Iterator[np.ndarray]:
        yield data[0]
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match=r"could not be copied into a temporary file in .*No space left.*24 bytes a row"):
        classifier().fit(blocks(), data[1])


def test_what_needs_all_rows_in_memory_says_so(data: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    X, y = data
    with pytest.raises(ValueError, match=r"RandomFourier takes X in memory, not Store\. Pass an array"):
        RandomFourier().fit(Store(X))
    with pytest.raises(ValueError, match=r"A ready graph goes with rows in memory\. Leave graph as 'auto'"):
        LSVVClassifierCV(graph=KNNGraph().fit(X, 5)).fit(Store(X), y)
    with pytest.raises(ValueError, match="X_unlabeled goes with rows in memory"):
        classifier().fit(Store(X), y, X_unlabeled=X)


@pytest.mark.parametrize("given", [{}, {"selection": "best", "features": RandomFourier(20)}, {"features": "linear"}])
def test_a_search_of_stored_rows_is_that_of_the_array(
    given: dict[str, Any], data: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    X, y = data
    whole = LSVVClassifierCV(random_state=0, **given).fit(pd.DataFrame(X, columns=NAMES), y)
    folder = as_parquet(X, y, tmp_path)
    model = LSVVClassifierCV(random_state=0, **given).fit(folder, "y")
    np.testing.assert_array_equal(model.labeled_, whole.labeled_)
    np.testing.assert_array_equal(model.transduction_, whole.transduction_)
    assert model.notes_ == whole.notes_
    proba = whole.predict_proba(pd.DataFrame(X, columns=NAMES))
    laws.assert_close(model.predict_proba(folder), proba, rtol=1e-9, atol=1e-12)
    laws.assert_close(model.predict_proba(in_blocks(X)), proba, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(model.predict(folder), whole.predict(pd.DataFrame(X, columns=NAMES)))


def test_a_search_of_numbers_reads_blocks_too() -> None:
    X = np.random.default_rng(0).uniform(-3, 3, size=(300, 2))
    Y = np.exp(np.stack([np.sin(X[:, 0]), np.cos(X[:, 1])], axis=1))
    Y[60:, 0], Y[:200, 1] = np.nan, np.nan
    whole = LSVVRegressorCV(random_state=0).fit(X, Y)
    model = LSVVRegressorCV(random_state=0).fit(in_blocks(X), Y)
    assert model.target_scales_ == whole.target_scales_
    laws.assert_close(model.transduction_, whole.transduction_, rtol=1e-9, atol=1e-12)
    for ours, theirs in zip(model.predict_interval(in_blocks(X)), whole.predict_interval(X), strict=True):
        laws.assert_close(ours, theirs, rtol=1e-9, atol=1e-12)


def test_a_search_learns_from_some_of_very_many_rows_and_answers_for_all(
    data: tuple[np.ndarray, np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data
    monkeypatch.setattr("lsvv.stored.MOST_DRAWN", 100)
    model = LSVVClassifierCV(random_state=0).fit(as_map(X, tmp_path), y)
    assert model.notes_[0] == "Learnt from 100 of the 900 rows, 50 of them labelled."
    assert model.labeled_.size == 50
    assert np.all(y[model.labeled_] >= 0)
    assert model.transduction_.shape == (M,)
    np.testing.assert_array_equal(model.transduction_[y >= 0], y[y >= 0])
    assert (model.transduction_ == np.repeat(np.arange(D), M // D)).mean() > 0.9
    # what is known of labelled rows by their numbers is known of them
    some = column_importances(model, X)
    monkeypatch.undo()
    whole = column_importances(LSVVClassifierCV(random_state=0).fit(X, y), X)
    assert some.names == whole.names
    assert some.matters.all()


def test_a_graph_of_ones_own_works_on_stored_rows(data: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    X, y = data
    graph = KNNGraph(weights="self-tuned").fit(X, 7)
    model = classifier(graph=graph).fit(as_map(X, tmp_path), y)
    np.testing.assert_array_equal(model.transduction_, classifier(graph=graph).fit(X, y).transduction_)
