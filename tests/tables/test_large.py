"""Parquet files that are not held whole: what fills a small one whole fills a large one block by block."""

import errno
import json
import os
import resource
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lsvv.cli.console import BAD_INPUT, CANNOT_WRITE, WRONG_USAGE
from lsvv.report import fill_report
from lsvv.report.from_fill import report_of
from lsvv.stored import rows_to_learn_from
from lsvv.tables import TableError, by_blocks, fill, read
from lsvv.tables.by_blocks import fill_large, write_filled
from lsvv.tables.large import LargeTable, is_large, opened_large
from lsvv.tables.parquet import Parquet
from lsvv.tables.vectorizer import FrameVectorizer
from test_cli import here

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

N_ROWS = 400
QUICK = ("--features", "linear", "--quiet")


def beasts(n_rows: int = N_ROWS, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    size, age = rng.uniform(0, 10, n_rows).round(2), rng.integers(1, 20, n_rows)
    kind = np.where(size + 0.2 * age > 7, "wolf", "fox")
    weight = (3 * size + 0.5 * age + rng.normal(0, 0.3, n_rows)).round(1)
    known = np.arange(n_rows) % 5 == 0
    return pd.DataFrame(
        {
            "size": size,
            "age": age.astype(np.int32),
            "home": rng.choice(np.array(["sea", "wood", None], dtype=object), n_rows),
            "kind": pd.Series(kind).where(pd.Series(known), None),
            "weight": np.where(known | (np.arange(n_rows) % 7 == 0), weight, np.nan),
        }
    )


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsvv.tables.large.LARGE_ROWS", 100)
    monkeypatch.setattr("lsvv.tables.large.BLOCK_ROWS", 60)
    monkeypatch.setattr("lsvv.tables.large.HEAD", 60)
    monkeypatch.setattr("lsvv.tables.large.MOST_ANSWERS", 3)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_limits: None) -> Path:
    monkeypatch.chdir(tmp_path)
    beasts().to_parquet("t.parquet", row_group_size=90)
    return tmp_path


def test_many_rows_many_cells_and_folders_are_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    beasts().to_parquet(path)
    assert not is_large(path)
    monkeypatch.setattr("lsvv.tables.large.LARGE_CELLS", 5 * N_ROWS - 1)
    assert is_large(path)
    assert not is_large(path, "csv")
    assert not is_large("-")
    assert not is_large(tmp_path / "none.parquet")
    monkeypatch.undo()
    assert is_large(tmp_path)
    path.rename(tmp_path / "t.csv")
    assert not is_large(tmp_path)
    monkeypatch.setattr("lsvv.tables.large.LARGE_BYTES", 1000)
    assert not is_large(tmp_path / "t.csv")
    assert is_large(tmp_path / "t.csv", "parquet")
    # what reads it says why it cannot be read
    assert not is_large("x" * 300 + ".parquet")


def test_learnt_from_all_rows_it_is_what_fills_the_table_whole(place: Path) -> None:
    """Blocks of 60 rows, row groups of 90, and the table in one piece give the same cells."""
    targets = ["kind", "weight"]
    whole = fill(read("t.parquet"), targets, together=False)
    large = opened_large("t.parquet")
    assert large.block_rows == 60
    filled = fill_large(large, targets)
    assert filled.drawn is None
    with open("out.parquet", "wb") as stream:
        write_filled(large, filled, stream)
    expected = place / "expected.parquet"
    expected.write_bytes(whole.rendered())
    out, other = pq.read_table("out.parquet"), pq.read_table(expected)
    assert out.schema.equals(other.schema)
    ours, theirs = out.to_pandas(), other.to_pandas()
    for column in ours.columns:
        if column.endswith("_probability"):
            np.testing.assert_allclose(ours[column], theirs[column], atol=1e-4)
        elif column.endswith(("_lower", "_upper")) or column == "weight":
            # to the last decimal, which rounding may move
            np.testing.assert_allclose(ours[column], theirs[column], atol=0.1001)
        else:
            assert ours[column].fillna("").tolist() == theirs[column].fillna("").tolist()
    given = beasts()
    assert ours["kind_filled"].tolist() == given["kind"].isna().tolist()
    assert ours["weight"][given["weight"].notna()].tolist() == given["weight"].dropna().tolist()


def test_a_part_of_the_rows_is_learnt_from_and_all_are_filled(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsvv.stored.MOST_DRAWN", 120)
    done = here("fill", "t.parquet", "-t", "kind,weight", "--features", "linear", "--report", "r.html", "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["rows"], told["rows_learnt_from"]) == (N_ROWS, 120)
    given = beasts()
    for target in told["targets"]:
        assert target["known"] == int(given[target["column"]].notna().sum())
        assert target["filled"] == int(given[target["column"]].isna().sum())
    (note,) = [note for note in told["notes"] if note.startswith("Learnt from")]
    assert note.startswith("Learnt from 120 of the 400 rows, ")
    out = pd.read_parquet("t.filled.parquet")
    assert out["kind"].notna().all()
    assert out["weight"].notna().all()
    right = np.where(given["size"] + 0.2 * given["age"] > 7, "wolf", "fox") == out["kind"]
    assert right.mean() > 0.9
    page = Path("r.html").read_text()
    assert "Learnt from 120 of the 400 rows" in page


def test_the_report_names_rows_by_their_numbers_in_the_whole_table(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lsvv.stored.MOST_DRAWN", 50)
    filled = fill_large(opened_large("t.parquet"), ["kind"], features="linear")
    numbers = filled.numbers
    assert numbers.max() > 300
    given = beasts()
    assert filled.table.frame["size"].tolist() == given["size"][numbers - 1].tolist()
    report = report_of(filled)
    assert report.column_summary.n_rows == N_ROWS
    shown: list[Any] = [*report.examples, *report.unsure, *report.questions]
    assert report.questions
    for row in shown:
        assert given["kind"].isna()[row.row - 1]
        assert row.about.startswith(f"size {given['size'][row.row - 1]} ")
    assert report.map is not None
    assert set(report.map.rows) == set(numbers.tolist())
    page = fill_report(filled)
    assert "Learnt from 50 of the 400 rows" in page
    assert page.count("Counted among the 50 rows learnt from.") == 3


def test_rows_are_drawn_with_half_of_each_targets_known_cells(rng: np.random.Generator) -> None:
    known = np.zeros((1000, 2), dtype=bool)
    known[:300, 0] = known[600:605, 1] = True
    rows = rows_to_learn_from(known, 100, rng)
    assert rows.size == 100
    assert np.all(np.diff(rows) > 0)
    assert set(range(600, 605)) <= set(rows.tolist())
    assert (rows < 300).sum() == 45
    alike = np.repeat(np.arange(1000)[:, None] < 300, 8, axis=1)
    assert (rows_to_learn_from(alike, 100, rng) < 300).sum() == 50
    # nothing is left to draw where all is known
    assert rows_to_learn_from(np.ones((10, 1), dtype=bool), 6, rng).size == 3


def test_a_model_predicts_a_large_table_as_it_does_a_small_one(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert here("fit", "t.parquet", "-t", "kind,weight", *QUICK).exit_code == 0
    assert here("predict", "model.lsvv", "t.parquet", "-o", "blocks.parquet", "--quiet").exit_code == 0
    monkeypatch.undo()
    monkeypatch.chdir(place)
    assert here("predict", "model.lsvv", "t.parquet", "-o", "whole.parquet", "--quiet").exit_code == 0
    ours, theirs = (pd.read_parquet(name) for name in ("blocks.parquet", "whole.parquet"))
    assert ours.columns.tolist() == theirs.columns.tolist()
    assert ours["kind_predicted"].tolist() == theirs["kind_predicted"].tolist()
    np.testing.assert_allclose(ours["kind_probability"], theirs["kind_probability"], atol=1e-4)
    np.testing.assert_allclose(ours["weight_upper"], theirs["weight_upper"], atol=0.1001)


def test_cells_that_are_not_what_a_column_is_are_told_wherever_they_are(place: Path) -> None:
    frame = beasts().astype({"size": object})
    frame["size"] = frame["size"].map(str)
    frame.to_parquet("t.parquet")
    assert here("fit", "t.parquet", "-t", "kind", *QUICK).exit_code == 0
    frame.loc[[110, 350], "size"] = "oops"
    frame.to_parquet("new.parquet")
    done = here("predict", "model.lsvv", "new.parquet", "--json")
    assert done.exit_code == 0, done.stderr
    told = "Column 'size' is numbers: 2 cells are no numbers and count as empty, 'oops' in row 111 for one."
    assert told in json.loads(done.stdout)["notes"]


@pytest.mark.parametrize(
    ("cells", "task"),
    [
        ([Decimal("1.50"), Decimal("2.00")], "classes"),
        ([[], ["a", "b"]], "tags"),
        ([["a"], ["b"]], "tags"),
        ([True, False], "labels"),
        ([1, 200], "numbers"),
    ],
)
def test_the_type_of_a_new_column_does_not_hang_on_the_first_block(
    place: Path, cells: list[Any], task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    low = np.repeat([True, False], N_ROWS // 2)
    table = pa.table(
        {
            "x": np.where(low, 0.0, 9.0) + np.random.default_rng(0).random(N_ROWS),
            "y": pa.array([cells[not one] if row % 3 else None for row, one in enumerate(low)]),
        }
    )
    pq.write_table(table, "t.parquet")
    for command in (("fill", "t.parquet", "-t", "y"), ("fit", "t.parquet", "-t", "y")):
        done = here(*command, "--task", task, *QUICK)
        assert done.exit_code == 0, done.stderr
    assert here("predict", "model.lsvv", "t.parquet", *QUICK[2:]).exit_code == 0
    ours = pq.read_table("t.predicted.parquet")
    filled = pq.read_table("t.filled.parquet")["y"]
    assert filled.type == table["y"].type
    monkeypatch.undo()
    monkeypatch.chdir(place)
    assert here("predict", "model.lsvv", "t.parquet", "-o", "whole.parquet", "--quiet").exit_code == 0
    theirs = pq.read_table("whole.parquet")
    assert ours.schema.names == theirs.schema.names
    assert ours["y_predicted"].to_pylist() == theirs["y_predicted"].to_pylist()
    assert ours["y_predicted"].type == theirs["y_predicted"].type


def test_a_dictionary_is_not_kept_once_a_block(place: Path) -> None:
    ids = [f"row {row} of many" for row in range(N_ROWS)]
    table = pa.table(beasts()).append_column("id", pa.array(ids).dictionary_encode())
    pq.write_table(table, "t.parquet", row_group_size=N_ROWS)
    large = opened_large("t.parquet")
    some = large.drawn(np.array([3, 100, 399]), lambda row: None)
    assert some.frame["id"].tolist() == [ids[3], ids[100], ids[399]]
    assert isinstance(some.source, Parquet)
    assert some.source.table.nbytes < 1000
    assert here("fill", "t.parquet", "-t", "kind", *QUICK).exit_code == 0
    out = pq.read_table("t.filled.parquet")["id"]
    assert out.type == table["id"].type
    assert out.to_pylist() == ids
    first = pq.ParquetFile("t.filled.parquet").read_row_group(0)["id"].chunk(0)
    assert len(first.dictionary) == len(first) == 60


def test_views_of_texts_are_drawn_from(place: Path) -> None:
    frame = pa.table(beasts())
    home = frame["home"].cast(pa.string_view())
    try:
        pq.write_table(frame.set_column(2, "home", home), "t.parquet")
    except NotImplementedError:
        pytest.skip("This version of pyarrow does not write views.")
    assert here("fill", "t.parquet", "-t", "kind", *QUICK).exit_code == 0
    assert pd.read_parquet("t.filled.parquet")["home"].isna().tolist() == beasts()["home"].isna().tolist()


def test_a_rare_class_is_learnt_from_whatever_is_drawn(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsvv.stored.MOST_DRAWN", 30)
    frame = beasts()
    frame.loc[[5, 310], "kind"] = "bear"
    frame.to_parquet("t.parquet")
    filled = fill_large(opened_large("t.parquet"), ["kind"], features="linear")
    assert filled.results[0].target.outputs == ("bear", "fox", "wolf")
    assert {6, 311} <= set(filled.numbers.tolist())


def test_a_few_empty_cells_of_each_target_are_drawn(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole number of few bits is one that may be empty: what is filled stays within its type."""
    monkeypatch.setattr("lsvv.stored.MOST_DRAWN", 40)
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, N_ROWS)
    x[[77, 300]] = 9.0
    count = pa.array((250 * np.minimum(x, 1)).astype(int), pa.uint8(), mask=x > 1)
    kind = pa.array(np.where(x > 0.5, "a", "b"), mask=(np.arange(N_ROWS) % 9 > 0) & (x < 1))
    pq.write_table(pa.table({"x": x, "count": count, "kind": kind}), "t.parquet")
    done = here("fill", "t.parquet", "-t", "count,kind", *QUICK)
    assert done.exit_code == 0, done.stderr
    out = pq.read_table("t.filled.parquet")
    assert out["count"].type == pa.uint8()
    assert out["count"].null_count == 0


def test_numbers_read_at_once_are_those_read_one_by_one(rng: np.random.Generator) -> None:
    cells = np.array([1.5, np.nan, np.inf, -np.inf, 1e39, -1e38, 0.0])
    frame = pd.DataFrame({"x": np.tile(cells, 5), "n": np.arange(35) % 7, "small": np.arange(35, dtype=np.int8) % 5})
    vectorizer = FrameVectorizer().fit(frame)
    np.testing.assert_array_equal(vectorizer.transform(frame), vectorizer.transform(frame.astype(object)))


def test_a_folder_is_one_table(place: Path) -> None:
    folder = place / "parts"
    folder.mkdir()
    frame = beasts()
    for part in range(4):
        frame[part * 100 : part * 100 + 100].to_parquet(folder / f"{part}.parquet", index=False)
    (folder / "_SUCCESS.parquet").write_bytes(b"")
    done = here("fill", "parts", "-t", "kind", *QUICK)
    assert done.exit_code == 0, done.stderr
    assert here("fill", "t.parquet", "-t", "kind", *QUICK).exit_code == 0
    ours, theirs = (pd.read_parquet(name) for name in ("parts.filled.parquet", "t.filled.parquet"))
    assert ours["kind"].tolist() == theirs["kind"].tolist()
    # columns that are set aside change nothing of how rows are read
    assert here("fill", "parts", "-t", "kind", "--ignore", "home", "--force", *QUICK).exit_code == 0


def test_a_block_without_a_hole_and_one_without_a_known_cell(place: Path) -> None:
    frame = beasts()
    frame["kind"] = ["fox", "wolf"] * 100 + [None] * 200
    frame["size"] = [1.0, 9.0] * 200
    frame.to_parquet("t.parquet")
    done = here("fill", "t.parquet", "-t", "kind", "--features", "linear", "--json")
    assert done.exit_code == 0, done.stderr
    out = pd.read_parquet("t.filled.parquet")
    assert out["kind"].tolist() == ["fox", "wolf"] * 200
    assert out["kind_probability"].isna().tolist() == [True] * 200 + [False] * 200
    assert out["kind_filled"].tolist() == [False] * 200 + [True] * 200


def test_texts_that_mean_empty_are_filled(place: Path) -> None:
    frame = beasts()
    frame["kind"] = frame["kind"].fillna("?")
    frame.to_parquet("t.parquet")
    assert here("fill", "t.parquet", "-t", "kind", *QUICK).exit_code == 0
    assert set(pd.read_parquet("t.filled.parquet")["kind"]) == {"fox", "wolf"}


@pytest.mark.parametrize(
    ("given", "code", "sentence"),
    [
        (("-t", "kin"), BAD_INPUT, "has no column 'kin'. Did you mean 'kind'?"),
        ((), WRONG_USAGE, "--target kind. Counted in the first 60 rows."),
        (("-t", "kind", "--labels", "x.csv"), BAD_INPUT, "--labels is for tables that are held whole"),
        (
            ("-t", "kind", "--decimal", ","),
            BAD_INPUT,
            "--decimal is for files in .csv or .tsv, and this one is",
        ),
        (("-t", "kind", "-o", "out.csv"), CANNOT_WRITE, "out.csv should end in .parquet"),
        (("-t", "home", "--task", "numbers"), BAD_INPUT, "is to be numbers, but row"),
    ],
)
def test_what_cannot_be_is_said(place: Path, given: tuple[str, ...], code: int, sentence: str) -> None:
    done = here("fill", "t.parquet", "--features", "linear", *given)
    assert (done.exit_code, sentence in " ".join(done.stderr.split())) == (code, True), done.stderr
    assert sorted(path.name for path in place.iterdir()) == ["t.parquet"]


def test_rows_in_notes_and_errors_have_their_numbers_in_the_whole_table(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lsvv.stored.MOST_DRAWN", 60)
    frame = beasts().astype({"size": object, "weight": object})
    frame["size"], frame["weight"] = (
        frame["size"].map(str),
        frame["weight"].map(lambda one: str(one) if one == one else None),
    )
    frame.loc[300, ["size", "weight", "kind"]] = ["oops", "heavy", "bear"]
    frame.to_parquet("t.parquet")
    with pytest.raises(TableError, match=r"is to be numbers, but row 301 says 'heavy'\."):
        fill_large(opened_large("t.parquet"), ["weight", "kind"], task="weight=numbers")
    filled = fill_large(opened_large("t.parquet"), ["kind"], features="linear")
    (note,) = [note for note in filled.notes if "'oops'" in note]
    assert note.endswith("'oops' in row 301 for one.")
    with pytest.raises(TableError, match=r"There is no task 'foo'\. Choose one of [a-z, ]+\.$"):
        fill_large(opened_large("t.parquet"), ["kind"], task="foo")


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("5 cells are no numbers, 'row 2' in row 2 for one.", "5 cells are no numbers, 'row 2' in row 31 for one."),
        ('but row 1 says "it\'s row 900".', 'but row 11 says "it\'s row 900".'),
        ("row 900 is none of those drawn", "row 900 is none of those drawn"),
    ],
)
def test_a_cell_that_reads_like_a_row_stays_as_it_is(sentence: str, expected: str) -> None:
    assert by_blocks._numbered(sentence, np.array([10, 30])) == expected


def test_unread_cells_of_a_frame_are_told_whatever_its_index() -> None:
    frame = pd.DataFrame({"x": [str(row * row % 17) for row in range(30)]}, index=[f"r{row}" for row in range(30)])
    vectorizer = FrameVectorizer().fit(frame)
    frame.loc["r7", "x"] = "oops"
    (note,) = vectorizer.unread(frame)
    assert note.endswith("'oops' in row 8 for one.")


def test_every_stage_is_timed(place: Path) -> None:
    large = opened_large("t.parquet")
    filled = fill_large(large, ["kind"], features="linear")
    with open("out.parquet", "wb") as stream:
        write_filled(large, filled, stream)
    stages = list(filled.seconds)
    assert stages[:2] == ["Looking for known cells", "Drawing rows to learn from"]
    assert stages[-1] == "Filling rows"
    assert "Checking the answers" in stages


def test_files_of_a_folder_must_have_the_same_columns(place: Path) -> None:
    folder = place / "parts"
    folder.mkdir()
    beasts().to_parquet(folder / "0.parquet")
    beasts().astype({"age": np.float64}).to_parquet(folder / "1.parquet")
    done = here("fill", "parts", "-t", "kind", *QUICK)
    assert done.exit_code == BAD_INPUT
    assert "1.parquet has other columns than" in done.stderr
    assert "'age' (double). Write both with the same columns and types." in " ".join(done.stderr.split())


def test_files_may_differ_in_what_is_empty_and_in_blanks_of_names(place: Path) -> None:
    folder = place / "parts"
    (folder / "deeper").mkdir(parents=True)
    frame = pa.table(beasts()).rename_columns(["size ", "age", "home", "kind", "weight"])
    none = frame.slice(0, 100)
    none = none.set_column(3, "kind", pa.nulls(100))
    pq.write_table(none, folder / "0.parquet")
    pq.write_table(frame.slice(100), folder / "1.parquet")
    done = here("fill", "parts", "-t", "kind", "--features", "linear", "--json")
    assert done.exit_code == 0, done.stderr
    assert "Folders in parts are not read, such as 'deeper'." in json.loads(done.stdout)["notes"]
    assert here("fill", "parts", "-t", "size", "--force", *QUICK).exit_code == 0
    out = pq.read_table("parts.filled.parquet")
    assert out.schema.names[:4] == ["size ", "age", "home", "kind"]


def test_folders_whose_names_have_points_are_not_filled_into_one_file(place: Path) -> None:
    for name in ("data.v1", "data.v2", "all.parquet"):
        Path(name).mkdir()
        beasts().to_parquet(f"{name}/0.parquet")
        assert here("fill", name, "-t", "kind", *QUICK).exit_code == 0
    assert {"data.v1.filled.parquet", "data.v2.filled.parquet", "all.filled.parquet"} <= set(os.listdir())


def test_many_files_are_not_open_at_once(place: Path) -> None:
    folder = place / "parts"
    folder.mkdir()
    for part in range(60):
        beasts(10, part).to_parquet(folder / f"{part:02}.parquet")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 30, hard))
    try:
        large = opened_large("parts")
        assert sum(len(table.frame) for table in large.tables()) == large.n_rows == 600
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_folder_without_parquet_and_an_output_in_the_folder_are_refused(place: Path) -> None:
    folder = place / "parts"
    folder.mkdir()
    assert "parts is a folder. Name a table in it." in here("fill", "parts", "-t", "kind").stderr
    beasts().to_parquet(folder / "0.parquet")
    done = here("fill", "parts", "-t", "kind", "-o", "parts/out.parquet")
    assert done.exit_code == CANNOT_WRITE
    assert "is in the folder that is read. Choose another place with --out." in " ".join(done.stderr.split())


def test_a_table_without_rows_is_refused(place: Path) -> None:
    folder = place / "parts"
    folder.mkdir()
    beasts()[:0].to_parquet(folder / "0.parquet")
    with pytest.raises(TableError, match=r"parts has no rows\. Add rows, some with the target\."):
        opened_large("parts")


def test_columns_of_the_same_name_are_refused(place: Path) -> None:
    table = pa.table([pa.array(range(N_ROWS))] * 2, names=["x", "x"])
    pq.write_table(table, "twins.parquet")
    with pytest.raises(TableError, match="columns of the same name"):
        opened_large("twins.parquet")


def test_a_damaged_block_leaves_what_was_there(place: Path) -> None:
    # damaged where its last rows are, which the first look at the file does not read
    frame = beasts()
    pq.write_table(
        pa.Table.from_pandas(frame), "t.parquet", row_group_size=90, compression="none", write_page_checksum=True
    )
    last = pq.ParquetFile("t.parquet").metadata.row_group(4).column(0)
    data = bytearray(Path("t.parquet").read_bytes())
    data[last.dictionary_page_offset + 40] ^= 0xFF
    Path("t.parquet").write_bytes(bytes(data))
    Path("t.filled.parquet").write_text("before")
    done = here("fill", "t.parquet", "-t", "kind", *QUICK)
    assert done.exit_code == BAD_INPUT
    assert "t.parquet is damaged" in done.stderr
    assert Path("t.filled.parquet").read_text() == "before"
    assert sorted(path.name for path in place.iterdir()) == ["t.filled.parquet", "t.parquet"]


def test_a_full_disk_leaves_nothing_behind(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: Any, *given: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pyarrow.parquet.ParquetWriter.write_table", fails)
    done = here("fill", "t.parquet", "-t", "kind", *QUICK)
    assert done.exit_code == CANNOT_WRITE
    assert "could not be written: No space left on device. Nothing was left behind" in " ".join(done.stderr.split())
    assert [path.name for path in place.iterdir()] == ["t.parquet"]


def test_stages_say_how_far_they_are_and_what_is_left(place: Path) -> None:
    heard: list[tuple[str, float]] = []
    show = lambda stage, done: heard.append((stage, done))  # noqa: E731
    large: LargeTable = opened_large("t.parquet")
    filled = fill_large(large, ["kind"], features="linear", progress=show)
    with open("out.parquet", "wb") as stream:
        partial(write_filled, large, filled, progress=show)(stream)
    shares = [done for _, done in heard]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1] < 1.0) == (0.0, True)
    stages = list(dict.fromkeys(stage.partition(":")[0] for stage, _ in heard))
    assert stages[:2] == ["Looking for known cells", "Drawing rows to learn from"]
    assert stages[-1] == "Filling rows"
    assert heard[-1][0].startswith("Filling rows: 3")
    assert heard[-1][0].endswith(" of 400, 1 second left")
