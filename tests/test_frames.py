"""lsvv.fill: frames in, frames of the same kind out, by the same work as on a file."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import lsvv
from lsvv.frames import FilledFrame
from lsvv.tables import TableError, parse
from lsvv.tables import fill as fill_table

N = 48
CAT = np.arange(N) % 2 == 0
KNOWN = np.arange(N) % 3 == 0


def columns() -> dict[str, list[Any]]:
    """Two kinds told apart by size, their homes and weights; every third kind and weight is known."""
    rng = np.random.default_rng(0)
    size = np.where(CAT, 20.0, 60.0) + rng.normal(size=N)
    return {
        "size": [None if row == 5 else round(float(one), 2) for row, one in enumerate(size)],
        "home": [("house" if cat else "field") if row != 7 else None for row, cat in enumerate(CAT)],
        "kind": [("cat" if cat else "dog") if known else None for cat, known in zip(CAT, KNOWN, strict=True)],
        "weight": [round(float(one) / 4) if known else None for one, known in zip(size, KNOWN, strict=True)],
    }


def pandas_frame() -> pd.DataFrame:
    frame = pd.DataFrame(columns(), index=pd.Index([f"r{row % 40}" for row in range(N)], name="name"))
    return frame.astype({"home": "category", "weight": "Int16"})


def polars_frame() -> pl.DataFrame:
    return pl.DataFrame(columns()).with_columns(pl.col("home").cast(pl.Categorical), pl.col("weight").cast(pl.Int16))


def quick(frame: Any, target: Any, **settings: Any) -> FilledFrame:
    return lsvv.fill(frame, target, **{"features": "linear", **settings})


@pytest.mark.parametrize("make", [pandas_frame, polars_frame])
def test_a_frame_comes_back_filled_and_otherwise_as_it_was(make: Any) -> None:
    given, untouched = make(), make()
    filled = quick(given, ["kind", "weight"])
    assert type(filled.frame) is type(given)
    assert list(filled.frame.columns) == list(given.columns)
    assert list(filled.frame.dtypes) == list(given.dtypes)
    if isinstance(given, pd.DataFrame):
        pd.testing.assert_frame_equal(given, untouched)
        pd.testing.assert_index_equal(filled.frame.index, given.index)
        pd.testing.assert_index_equal(filled.certainty.index, given.index)
        pd.testing.assert_frame_equal(filled.frame[KNOWN], given[KNOWN])
        pd.testing.assert_frame_equal(filled.frame[["size", "home"]], given[["size", "home"]])
    else:
        assert given.equals(untouched)
        assert filled.frame.filter(pl.Series(KNOWN)).equals(given.filter(pl.Series(KNOWN)))
        assert filled.frame.select("size", "home").equals(given.select("size", "home"))
    assert filled.frame["kind"].to_list() == ["cat" if cat else "dog" for cat in CAT]
    assert all(isinstance(one, int) for one in filled.frame["weight"].to_list())


def test_what_is_sure_stands_beside_in_a_frame_of_its_own() -> None:
    filled = quick(pandas_frame(), ["kind", "weight"])
    certainty = filled.certainty
    names = ["kind_probability", "kind_filled", "weight_lower", "weight_upper", "weight_filled"]
    assert certainty.columns.tolist() == names
    assert certainty["kind_filled"].tolist() == (~KNOWN).tolist()
    assert certainty["kind_probability"].isna().tolist() == KNOWN.tolist()
    assert (certainty["weight_lower"] <= certainty["weight_upper"])[~KNOWN].all()
    P = filled.probabilities("kind")
    assert P.columns.tolist() == ["cat", "dog"]
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    np.testing.assert_allclose(P.max(axis=1)[~KNOWN], certainty["kind_probability"][~KNOWN], atol=1e-4)
    with pytest.raises(TableError, match="'weight' is numbers, which have intervals"):
        filled.probabilities("weight")
    with pytest.raises(TableError, match="Name a target: one of 'kind', 'weight'"):
        filled.probabilities()


def test_a_frame_is_filled_as_its_file_is() -> None:
    frame = pd.DataFrame(columns())
    from_file = fill_table(
        parse(frame.to_csv(index=False).encode(), "t.csv", format="csv"), ["kind"], features="linear"
    )
    from_frame = quick(frame, "kind")
    assert from_frame.frame["kind"].tolist() == from_file.frame["kind"].tolist()
    np.testing.assert_allclose(
        np.asarray(from_frame.filled.results[0].probabilities),
        np.asarray(from_file.results[0].probabilities),
        atol=1e-6,
    )
    assert from_frame.quality["kind"] == from_file.results[0].quality


@pytest.mark.parametrize(
    ("kind", "cells", "task"),
    [
        ("category", [1, 2, None], "classes"),
        ("boolean", [True, False, None], "classes"),
        ("float32", [0.5, 0.25, None], "numbers"),
        ("Int8", [100, 126, None], "numbers"),
        ("object", [("a", "b"), ("b",), None], "tags"),
    ],
)
def test_a_column_keeps_its_type(kind: str, cells: list[Any], task: str) -> None:
    given = [cells[row % 2] if row % 3 else None for row in range(36)]
    if kind == "Int8":
        given = [None if one is None else one - row for row, one in enumerate(given)]
    frame = pd.DataFrame({"x": [row % 2 + row / 100 for row in range(36)], "y": pd.Series(given, dtype=kind)})
    filled = quick(frame, "y")
    assert filled.filled.results[0].target.task == task
    assert filled.frame["y"].dtype == frame["y"].dtype
    assert filled.frame["y"].notna().all()


def test_a_cell_that_its_type_cannot_hold_is_told() -> None:
    numbers = [row / 4 if row % 3 else None for row in range(30)]
    frame = pd.DataFrame({"x": range(100, 130), "y": pd.Series(numbers, dtype="category")})
    frame["x"] = frame["x"] ** 2
    with pytest.raises(TableError, match=r"Column 'y' is of the type category and cannot hold .* another task"):
        _ = quick(frame, "y", task="numbers").frame


def test_texts_that_mean_empty_are_filled_and_may_be_named() -> None:
    cells = columns()
    frame = pd.DataFrame({**cells, "kind": [one or "?" for one in cells["kind"]]})
    filled = quick(frame, "kind")
    assert set(filled.frame["kind"]) == {"cat", "dog"}
    assert any("'?' in 'kind' was taken for an empty cell" in note for note in filled.notes)
    frame["kind"] = frame["kind"].replace("?", "unclear")
    assert set(quick(frame, "kind", missing=["unclear"]).frame["kind"]) == {"cat", "dog"}


def test_inputs_are_kept_and_ignored() -> None:
    assert set(quick(pandas_frame(), "kind", keep="home").filled.vectorizer.kinds) == {"home"}
    assert set(quick(pandas_frame(), "kind", ignore=["home"]).filled.vectorizer.kinds) == {"size"}


def test_a_task_may_be_named_for_each_target() -> None:
    filled = quick(pandas_frame(), ["kind", "weight"], task={"weight": "classes"})
    assert [one.target.task for one in filled.filled.results] == ["classes", "classes"]
    assert filled.filled.results[1].target.reason == "you asked for it"


def test_it_shows_itself_and_its_report(tmp_path: Path) -> None:
    filled = quick(pandas_frame(), "kind")
    assert repr(filled).startswith("kind: classes, because its cells are 2 different names.")
    assert repr(filled).splitlines()[-1].startswith("The filled frame is .frame, how sure each cell is .certainty")
    assert "<table" in filled._repr_html_()
    page = filled.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page.html
    assert page._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert filled.summary()["targets"][0]["filled"] == int((~KNOWN).sum())
    assert "lsvv.fill(frame, target=[&#39;kind&#39;]" in page.html


@pytest.mark.parametrize(
    ("frame", "target", "sentence"),
    [
        ([1, 2], "kind", r"A list is no frame\. Pass a pandas or polars DataFrame"),
        (pl.DataFrame(columns()).lazy(), "kind", r"A LazyFrame is no frame\. Call its collect\(\) first"),
        (pd.DataFrame(columns()), "knd", r"the frame has no column 'knd'\. Did you mean 'kind'\?"),
        (pd.DataFrame([[1, 2]], columns=["x", "x"]), "x", "columns of the same name"),
        (pd.DataFrame(columns()), [], r"No target is named\. Columns with empty cells: kind \(32 of 48\)"),
    ],
)
def test_what_cannot_be_filled_is_refused(frame: Any, target: Any, sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        quick(frame, target)


@pytest.mark.parametrize("estimator", [lsvv.LSVVClassifier, lsvv.LSVVClassifierCV])
@pytest.mark.parametrize("column", [["a", "b"] * 20, [1.0, None] * 20])
def test_an_estimator_says_what_takes_frames_as_they_are(estimator: Any, column: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"lsvv\.fill"):
        estimator().fit(pd.DataFrame({"x": range(40), "y": column}), [0, 1] * 20)
