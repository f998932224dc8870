"""Model files: they say the same as the model, and execute nothing."""

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import skops.io

from lsvv.features import Linear, Nystroem
from lsvv.selection import search
from lsvv.tables import Filled, Table, TableError, fill, parse, summary, write_atomically
from lsvv.tables.modelfile import FORMAT_VERSION, TableModel, opened, saved
from lsvv.tables.models import choose_model
from lsvv.tables.onnx import exported

Text = Callable[..., str]
Reader = Callable[[str | bytes], Table]


@pytest.fixture(params=["linear", "auto"])
def filled(request: pytest.FixtureRequest, beasts: Text, csv_table: Reader) -> Filled:
    return fill(csv_table(beasts()), ["kind", "weight"], features=request.param)


def rewritten(data: bytes, name: str, content: bytes) -> bytes:
    """A model file with one of its members exchanged."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        for member in old.namelist():
            new.writestr(member, content if member == name else old.read(member))
    return stream.getvalue()


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
    monkeypatch.setattr(search, "MOST_ENTRIES", most_entries)
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


def test_onnx_scores_are_the_estimators_to_1e_5(filled: Filled) -> None:
    for part in filled.fitted:
        session = onnxruntime.InferenceSession(exported(part.model), providers=["CPUExecutionProvider"])
        scores = session.run(None, {"X": filled.X.astype(np.float64)})[0]
        if part.group.task == "numbers":
            np.testing.assert_allclose(scores[:, 0], part.model.predict(filled.X), atol=1e-5)
        else:
            np.testing.assert_allclose(scores[:, 1] - scores[:, 0], part.model.decision_function(filled.X), atol=1e-5)


def test_onnx_of_labels_has_both_maps_and_both_links(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 3))
    Y = (X @ rng.normal(size=(3, 2)) + 0.5 * np.sin(3 * X[:, :1]) > 0).astype(float)
    Y[30:] = np.nan
    model = choose_model("labels", 60).fit(X, Y)
    nodes = {node.op_type for node in onnx.load_from_string(exported(model)).graph.node}
    assert nodes >= {"Cos", "Sigmoid", "Identity"}
    session = onnxruntime.InferenceSession(exported(model), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(session.run(None, {"X": X})[0] - 0.5, model.decision_function(X), atol=1e-5)


def test_onnx_gives_a_label_above_one_half_whatever_the_model_does(rng: np.random.Generator) -> None:
    X = rng.normal(size=(400, 2))
    model = choose_model("labels", 400).set_params(features=Linear(), loss="squared").fit(X, (X > 1.0).astype(float))
    assert model._threshold < 0.45
    session = onnxruntime.InferenceSession(exported(model), providers=["CPUExecutionProvider"])
    np.testing.assert_array_equal(session.run(None, {"X": X})[0] > 0.5, model.predict(X))


def test_other_features_cannot_be_exported() -> None:
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = choose_model("classes", 20).set_params(features=Nystroem(5, width=1.0)).fit(X, (X[:, 0] > 0).astype(int))
    with pytest.raises(TableError, match="Nystroem features cannot be written as ONNX"):
        exported(model)


def test_damaged_foreign_newer_and_older_files_get_a_sentence(beasts: Text, csv_table: Reader, tmp_path: Path) -> None:
    good = saved(TableModel.of(fill(csv_table(beasts()), ["kind"], features="linear")))
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        header = json.loads(archive.read("lsvv.json"))
    newer, older = (json.dumps({**header, "format_version": FORMAT_VERSION + step}).encode() for step in (1, -1))
    learnt = {**header["summary"], "versions": {"skrub": "0.0.1"}}
    other_skrub = json.dumps({**header, "summary": learnt}).encode()
    strange = skops.io.dumps({"vectoriser": Path("x"), "fitted": []})
    calling = skops.io.dumps({"vectoriser": write_atomically, "fitted": []})
    for data, sentence in (
        (b"not a zip", "is not a model file of lsvv"),
        (pickle.dumps({"a": 1}), "is not a model file of lsvv"),
        (rewritten(good, "lsvv.json", b'{"format": "other"}'), "is not a model file of lsvv"),
        (good[: len(good) // 2], "is damaged"),
        (rewritten(good, "fitted.skops", b"nonsense"), "is damaged"),
        (rewritten(good, "lsvv.json", b"{"), "is damaged"),
        (rewritten(good, "lsvv.json", newer), "was written by a newer lsvv: its format is 3"),
        (rewritten(good, "lsvv.json", older), "was written by an older lsvv, in format 1. Fit the model again"),
        (rewritten(good, "fitted.skops", strange), "which no model of lsvv holds"),
        (rewritten(good, "fitted.skops", calling), "holds lsvv.tables.files.write_atomically"),
    ):
        path = tmp_path / "m.lsvv"
        path.write_bytes(data)
        with pytest.raises(TableError, match=sentence):
            opened(path)
    with pytest.raises(TableError, match="cannot be read"):
        opened(tmp_path / "no.lsvv")
    path.write_bytes(rewritten(good, "lsvv.json", other_skrub))
    assert "was fitted with skrub 0.0.1" in opened(path).notes[0]
    with pytest.raises(TableError, match="Name one of them"):
        opened(path).model_of("size")
