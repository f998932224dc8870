"""Model files: they say the same as the model, and execute nothing."""

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
import skops.io
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import PolynomialFeatures

from lsvv.features import Linear, Nystroem, RandomFourier
from lsvv.graph import KNNGraph
from lsvv.selection import run
from lsvv.tables import Filled, Table, TableError, fill, parse, summary, write_atomically
from lsvv.tables.filling import Fitted
from lsvv.tables.gate import packed
from lsvv.tables.model_choice import choose_model, neighbour_graph
from lsvv.tables.modelfile import FORMAT_VERSION, TRUSTED, TableModel, opened, saved
from lsvv.tables.onnx import exported

Text = Callable[..., str]
Reader = Callable[[str | bytes], Table]


@pytest.fixture(params=["linear", "auto"])
def filled(request: pytest.FixtureRequest, beasts: Text, csv_table: Reader) -> Filled:
    return fill(csv_table(beasts()), ["kind", "weight"], features=request.param)


def rewritten(data: bytes, name: str, content: bytes) -> bytes:
    """A model file with one of its members exchanged, and the checksum of its body made to hold."""
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        members = {member: old.read(member) for member in old.namelist()} | {name: content}
    if name == "fitted.skops":
        header = {**json.loads(members["lsvv.json"]), "sha256": sha256(content).hexdigest()}
        members["lsvv.json"] = json.dumps(header).encode()
    return packed(members)


FEW_MAPS = [Linear(), RandomFourier(40, width=1.0), Nystroem(30, width=3.0, kernel="laplacian")]


def sheets(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three classes on three sheets, fifteen labels, and new rows beside the others and far away."""
    truth = np.arange(150) % 3
    X = rng.normal(size=(150, 3)) * [3.0, 0.3, 0.3] + np.eye(3)[truth] * [0.0, 4.0, 4.0]
    near = X[:60] + 0.1 * rng.normal(size=(60, 3))
    return X, np.where(np.arange(150) < 15, truth, -1), np.concatenate([near, 50.0 * rng.normal(size=(20, 3))])


def opened_again(fitted: Any, path: Path) -> Any:
    """An estimator after its way through the body of a file, in place of the one that suits the file's columns."""
    table = fill(parse(b"x,y\n1,a\n2,b\n3,a\n4,\n", "t.csv", format="csv"), ["y"], features="linear")
    model = TableModel.of(replace(table, fitted=(replace(table.fitted[0], model=fitted),)))
    path.write_bytes(saved(model))
    with zipfile.ZipFile(path) as archive:
        return skops.io.loads(archive.read("fitted.skops"), trusted=sorted(TRUSTED))["fitted"][0].model


def test_a_model_from_a_file_predicts_the_same(filled: Filled, tmp_path: Path) -> None:
    path = tmp_path / "m.lsvv"
    path.write_bytes(saved(TableModel.of(filled)))
    model = opened(path)
    columns = model.predictions(filled.table).columns
    assert list(columns) == ["kind_predicted", "kind_probability", "weight_predicted", "weight_lower", "weight_upper"]
    kinds, weights = filled.results
    for row, cell in zip(kinds.rows, kinds.cells, strict=True):
        assert columns["kind_predicted"][row] == cell
    for row, cell in zip(weights.rows, weights.cells, strict=True):
        assert columns["weight_predicted"][row] == cell
    assert model.notes == ()
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("lsvv.json"))
    assert header["format_version"] == FORMAT_VERSION
    assert header["summary"] == summary(filled)
    kind = header["summary"]["targets"][0]
    assert (kind["column"], kind["task"], kind["outputs"]) == ("kind", "classes", ["cat", "dog"])


@pytest.mark.parametrize("most_entries", [5e6, 1e3])
def test_models_of_every_task_and_kind_of_column_open_again(
    rng: np.random.Generator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_entries: float
) -> None:
    monkeypatch.setattr(run, "MOST_ENTRIES", most_entries)
    rows = []
    for number in range(60):
        x, y = rng.uniform(-1, 1, size=2)
        described = {
            "x": x,
            "when": f"2024-{1 + number % 12:02d}-03",
            "text": f"seen {number} times near the {rng.choice(['barn', 'river'])}",
            "day": f"{1 + number % 28:02d}/02/2024",
            "share": f"{x:.2f}".replace(".", ","),
            "flag": bool(number % 3),
            "kind": str(rng.choice(list("abc"))),
        }
        answers = {
            "one": int(x > 0),
            "two": int(y > 0),
            "tags": ["east" if x > 0 else "west", "north" if y > 0 else "south"],
            "side": "left" if x + y > 0 else "right",
            "product": x * y,
            "price": f"{6000 + 5500 * x:,.0f}",
            "codes": [7, 12] if x > 0 else [7],
            "tiny": f"{x * 1e-9:.3e}",
        }
        rows.append(described | (answers if number % 2 else dict.fromkeys(answers)))
    table = parse("\n".join(json.dumps(row) for row in rows).encode(), "t.jsonl", format="jsonl")
    filled = fill(table, list(answers), features="linear")
    path = tmp_path / "m.lsvv"
    path.write_bytes(saved(TableModel.of(filled)))
    columns = opened(path).predictions(table).columns
    for result in filled.results:
        said = columns[f"{result.target.column}_predicted"]
        assert [said[row] for row in result.rows] == list(result.cells)
    assert all(exported(part.model) for part in filled.fitted)


def test_a_model_of_decimals_opens_again(tmp_path: Path) -> None:
    frame = {
        "x": pa.array([Decimal(row).scaleb(-1) for row in range(40)]),
        "code": pa.array([Decimal(1 + row // 20) if row % 2 else None for row in range(40)], type=pa.decimal128(4, 1)),
    }
    stream = io.BytesIO()
    pq.write_table(pa.table(frame), stream)
    table = parse(stream.getvalue(), "t.parquet", format="parquet")
    path = tmp_path / "m.lsvv"
    path.write_bytes(saved(TableModel.of(fill(table, ["code"], features="linear"))))
    predicted = opened(path).predictions(table).columns["code_predicted"]
    # the row in the middle may be either
    assert [*predicted[:20], *predicted[21:]] == [1] * 20 + [2] * 19


@pytest.mark.parametrize("selection", ["average", "best"])
def test_a_smoothed_model_from_a_file_predicts_new_rows_as_before(
    rng: np.random.Generator, tmp_path: Path, selection: str
) -> None:
    X, y, new = sheets(rng)
    model = choose_model("classes", 150, graph=neighbour_graph(X)).set_params(smoothing=0.9, selection=selection)
    fitted = model.set_params(features=FEW_MAPS).fit(X, y)
    assert len(fitted.graphs_ if selection == "average" else [fitted.best_estimator_.graph_]) == 1
    lean = opened_again(fitted, tmp_path / "m.lsvv")
    np.testing.assert_array_equal(lean.predict_proba(new), fitted.predict_proba(new))
    np.testing.assert_array_equal(lean.predict_proba(X), fitted.predict_proba(X))


def test_a_file_holds_no_label_and_no_edge(rng: np.random.Generator, tmp_path: Path) -> None:
    X, y, _ = sheets(rng)
    fitted = choose_model("classes", 150).set_params(smoothing=(0.0, 0.9), safe=False, features=FEW_MAPS).fit(X, y)
    lean = opened_again(fitted, tmp_path / "m.lsvv")
    assert not {"labeled_", "transduction_", "loo_", "loo_proba_", "loo_predictions_"} & set(vars(lean))
    assert lean.graphs_[0].S.nnz == 0
    assert fitted.graphs_[0].S.nnz > 0


def run_onnx(model: Any, X: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(exported(model), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"X": X.astype(np.float64)})[0])


def test_onnx_scores_are_the_estimators_to_1e_5(filled: Filled) -> None:
    for part in filled.fitted:
        scores = run_onnx(part.model, filled.X)
        if part.group.task == "numbers":
            np.testing.assert_allclose(scores[:, 0], part.model.predict(filled.X), atol=1e-5)
        else:
            np.testing.assert_allclose(scores[:, 1] - scores[:, 0], part.model.decision_function(filled.X), atol=1e-5)


@pytest.mark.parametrize("selection", ["average", "best"])
@pytest.mark.parametrize("weights", ["self-tuned", "heat", "binary"])
def test_onnx_of_a_smoothed_model_finds_the_neighbours_of_new_rows(
    rng: np.random.Generator, weights: str, selection: str
) -> None:
    X, y, new = sheets(rng)
    graph = KNNGraph(weights=weights)
    model = choose_model("classes", 150, graph=graph).set_params(smoothing=(0.5, 0.95), selection=selection)
    model.set_params(features=FEW_MAPS).fit(X, y)
    nodes = [node.op_type for node in onnx.load_from_string(exported(model)).graph.node]
    assert nodes.count("TopK") == 1
    np.testing.assert_allclose(run_onnx(model, new), model.decision_function(new), atol=1e-5)


@pytest.mark.parametrize("smoothing", [0.0, 0.9, (0.0, 0.9)])
@pytest.mark.parametrize("selection", ["average", "best"])
def test_onnx_numbers_are_on_their_own_scale(
    rng: np.random.Generator, smoothing: float | tuple[float, ...], selection: str
) -> None:
    X, y, new = sheets(rng)
    numbers = np.where((y < 0)[:, None], np.nan, np.column_stack([1e4 + 300.0 * X[:, 0], 1e-3 * y]))
    model = choose_model("numbers", 150).set_params(smoothing=smoothing, selection=selection, features=FEW_MAPS)
    model.fit(X, numbers)
    np.testing.assert_allclose(run_onnx(model, new), model.predict(new), rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("selection", ["average", "best"])
def test_logarithms_go_through_a_file_and_onnx(rng: np.random.Generator, tmp_path: Path, selection: str) -> None:
    X, y, new = sheets(rng)
    spread = np.exp(X[:, 0])
    numbers = np.where((y < 0)[:, None], np.nan, np.column_stack([spread, X[:, 1], spread * (np.arange(150) != 3)]))
    model = choose_model("numbers", 150).set_params(smoothing=(0.0, 0.9), selection=selection, features=FEW_MAPS)
    model.fit(X, numbers)
    assert model.target_scales_[:2] == ("log", "as is")
    np.testing.assert_allclose(run_onnx(model, new), model.predict(new), rtol=1e-5, atol=1e-8)
    lean = opened_again(model, tmp_path / "m.lsvv")
    np.testing.assert_array_equal(lean.predict(new), model.predict(new))
    np.testing.assert_array_equal(lean.predict_interval(new), model.predict_interval(new))
    assert not {"loo_intervals_", "loo_predictions_"} & set(vars(lean))


def test_onnx_of_more_neighbours_than_rows_and_of_equal_rows() -> None:
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [5.0, 2.0]], 3, axis=0)
    y = np.repeat([0, 1, 1], 3)
    for n_neighbors in (2, 40):
        graph = KNNGraph(weights="self-tuned").fit(X, n_neighbors)
        model = choose_model("classes", 9, features="linear", graph=graph).set_params(smoothing=0.9).fit(X, y)
        np.testing.assert_allclose(run_onnx(model, X)[:, 1] > 0.5, model.predict(X) == 1)
        assert np.isfinite(run_onnx(model, X)).all()


def test_onnx_of_labels_has_every_map_and_both_links(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 3))
    Y = (X @ rng.normal(size=(3, 2)) + 0.5 * np.sin(3 * X[:, :1]) > 0).astype(float)
    Y[30:] = np.nan
    model = choose_model("labels", 60).fit(X, Y)
    nodes = {node.op_type for node in onnx.load_from_string(exported(model)).graph.node}
    assert nodes >= {"Cos", "Abs", "Exp", "Sigmoid", "Identity"}
    np.testing.assert_allclose(run_onnx(model, X) - 0.5, model.decision_function(X), atol=1e-5)


def test_onnx_gives_a_label_above_one_half_whatever_the_model_does(rng: np.random.Generator) -> None:
    X = rng.normal(size=(400, 2))
    model = choose_model("labels", 400).set_params(features=Linear(), loss="squared").fit(X, (X > 1.0).astype(float))
    assert any("in place of 0.5" in note for note in model.notes_)
    np.testing.assert_array_equal(run_onnx(model, X) > 0.5, model.predict(X))


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_onnx_holds_landmarks(rng: np.random.Generator, kernel: str) -> None:
    X, y, new = sheets(rng)
    features = Nystroem(20, width=2.0, kernel=kernel)
    model = choose_model("classes", 150).set_params(features=features, smoothing=0.0).fit(X, y)
    np.testing.assert_allclose(run_onnx(model, new), model.decision_function(new), atol=1e-5)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"features": PolynomialFeatures(2)}, "PolynomialFeatures features cannot be written as ONNX"),
        ({"features": Nystroem(5, width=1.0, kernel="cauchy")}, "Landmarks of the Cauchy kernel cannot be written"),
        ({"smoothing": 0.9, "graph": NearestNeighbors(n_neighbors=3)}, "ONNX can hold neighbours by the Euclidean"),
        ({"smoothing": 0.9, "graph": KNNGraph(on="features")}, "ONNX can hold neighbours by the Euclidean"),
        ({"smoothing": 0.9, "graph": KNNGraph().build(np.arange(20.0)[:, None], 3)}, "given as a matrix"),
    ],
)
def test_what_onnx_cannot_hold_is_refused(changes: dict[str, Any], sentence: str) -> None:
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = choose_model("classes", 20, features="linear").set_params(**changes).fit(X, (X[:, 0] > 0).astype(int))
    with pytest.raises(TableError, match=sentence):
        exported(model)


def test_damaged_foreign_newer_and_older_files_get_a_sentence(beasts: Text, csv_table: Reader, tmp_path: Path) -> None:
    good = saved(TableModel.of(fill(csv_table(beasts()), ["kind"], features="linear")))
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        header = json.loads(archive.read("lsvv.json"))
    newer, older = (json.dumps({**header, "format_version": FORMAT_VERSION + step}).encode() for step in (1, -1))
    learnt = {**header["summary"], "versions": {"skrub": "0.0.1"}}
    other_skrub = json.dumps({**header, "summary": learnt}).encode()
    strange = skops.io.dumps({"vectorizer": Path("x"), "fitted": []})
    calling = skops.io.dumps({"vectorizer": write_atomically, "fitted": []})
    for data, sentence in (
        (b"not a zip", "is not a model file of lsvv"),
        (pickle.dumps({"a": 1}), "is not a model file of lsvv"),
        (rewritten(good, "lsvv.json", b'{"format": "other"}'), "is not a model file of lsvv"),
        (good[: len(good) // 2], "is damaged"),
        (rewritten(good, "fitted.skops", b"nonsense"), "is damaged"),
        (rewritten(good, "lsvv.json", b"{"), "is damaged"),
        (rewritten(good, "lsvv.json", newer), f"was written by a newer lsvv: its format is {FORMAT_VERSION + 1}"),
        (
            rewritten(good, "lsvv.json", older),
            f"was written by an older lsvv, in format {FORMAT_VERSION - 1}. Fit",
        ),
        (rewritten(good, "fitted.skops", strange), "which no model of lsvv holds"),
        (rewritten(good, "fitted.skops", calling), "holds lsvv.tables.files.write_atomically"),
    ):
        path = tmp_path / "m.lsvv"
        path.write_bytes(data)
        with pytest.raises(TableError, match=sentence):
            opened(path)
    with pytest.raises(TableError, match="There is no file"):
        opened(tmp_path / "no.lsvv")
    path.write_bytes(rewritten(good, "lsvv.json", other_skrub))
    assert "was fitted with skrub 0.0.1" in opened(path).notes[0]
    with pytest.raises(TableError, match="Name one of them"):
        opened(path).model_of("size")


def crafted(data: bytes, change: Callable[[list[Fitted]], object]) -> bytes:
    """A model file whose models were changed by hand, its checksum made to hold."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = skops.io.loads(archive.read("fitted.skops"), trusted=sorted(TRUSTED))
    change(parts["fitted"])
    return rewritten(data, "fitted.skops", skops.io.dumps(parts))


def put(thing: Any, name: str, value: Any) -> None:
    object.__setattr__(thing, name, value)


def set_weight(value: float) -> Callable[[list[Fitted]], None]:
    def change(fitted: list[Fitted]) -> None:
        weights = fitted[0].model.parts_[0].weights
        next(iter(weights.values()))[0, 0] = value

    return change


def set_node(name: str, value: int) -> Callable[[list[Fitted]], None]:
    def change(fitted: list[Fitted]) -> None:
        forest = fitted[0].model.forests_[0]
        inner = np.flatnonzero(forest.below != np.arange(forest.below.size))[1]
        getattr(forest, name)[inner] = value

    return change


def out_of_range() -> Any:
    """A sparse row whose only entry is beyond its columns."""
    S = sp.csr_array(([1.0], [7], [0, 1]), shape=(1, 8))
    S.indices[0] = 9
    return S


@pytest.fixture(scope="module")
def with_trees() -> bytes:
    rng = np.random.default_rng(0)
    rows = [
        (x, z, ("ab"[int(x * z > 0)] if row % 2 else ""))
        for row, (x, z) in enumerate(rng.normal(size=(80, 2)).round(2).tolist())
    ]
    text = "x,z,kind\n" + "".join(f"{x},{z},{kind}\n" for x, z, kind in rows)
    filled = fill(parse(text.encode(), "t.csv", format="csv"), ["kind"])
    assert filled.fitted[0].model.forests_
    return saved(TableModel.of(filled))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (set_weight(np.nan), "it holds a number that is not finite"),
        (set_weight(np.inf), "it holds a number that is not finite"),
        # finite, but what comes of it is not
        (set_weight(1e308), "The model has no number for 'kind'"),
        (set_node("below", 0), "its trees lead nowhere"),
        (set_node("above", 10**6), "its trees lead nowhere"),
        (set_node("column", -1), "its trees lead nowhere"),
        (set_node("column", 2), "its trees lead nowhere"),
        (lambda fitted: put(fitted[0].model.forests_[0], "roots", np.array([10**6])), "its trees lead nowhere"),
        (lambda fitted: put(fitted[0].model.forests_[0], "roots", np.zeros(0, dtype=int)), "its trees lead nowhere"),
        (lambda fitted: put(fitted[0].model.forests_[0], "values", np.zeros((1, 2))), "its trees lead nowhere"),
        (lambda fitted: put(fitted[0].model.parts_[0], "b", np.zeros(5)), "is damaged"),
        (lambda fitted: put(fitted[0], "group", "kind"), "it holds a str in place of a Group"),
        (lambda fitted: put(fitted[0], "model", Linear()), "it holds a Linear in place of a LSVVClassifierCV"),
        (
            lambda fitted: put(fitted[0], "warned", ExtraTreesClassifier().fit([[0], [1]], [0, 1])),
            "holds (sklearn.tree|a Tree)",
        ),
        (lambda fitted: put(fitted[0], "warned", out_of_range()), "indices must be < 8"),
        (lambda fitted: put(fitted[0], "warned", np.random.default_rng(0)), "it holds a Generator, which no model"),
    ],
)
def test_a_crafted_model_is_refused_before_it_predicts(
    with_trees: bytes, tmp_path: Path, change: Callable[[list[Fitted]], object], sentence: str
) -> None:
    path = tmp_path / "m.lsvv"
    path.write_bytes(crafted(with_trees, change))
    with pytest.raises(TableError, match=sentence):
        opened(path).predictions(parse(b"x,z\n5,4\n-1,-9\n", "t.csv", format="csv"))


def test_a_body_that_is_another_than_its_checksum_says_is_refused(with_trees: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.lsvv"
    path.write_bytes(
        rewritten(
            with_trees,
            "lsvv.json",
            json.dumps(
                {"format": "lsvv table model", "format_version": FORMAT_VERSION, "sha256": "0", "summary": {}}
            ).encode(),
        )
    )
    with pytest.raises(TableError, match="its checksum does not hold"):
        opened(path)
