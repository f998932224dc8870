"""Parquet files that are not held whole: what fills a small one whole fills a large one block by block."""

import errno
import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lsvv.cli.console import BAD_INPUT, CANNOT_WRITE, WRONG_USAGE
from lsvv.report import fill_report
from lsvv.stored import rows_to_learn_from
from lsvv.tables import TableError, fill, read
from lsvv.tables.by_blocks import fill_large, write_filled
from lsvv.tables.large import LargeTable, is_large, opened_large
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
    assert not is_large(tmp_path / "..")  # whatever lies there, no Parquet file is right in it
    path.rename(tmp_path / "t.csv")
    assert not is_large(tmp_path)
    assert is_large(tmp_path / "t.csv", "parquet") is False


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
        if column.endswith(("_probability", "_lower", "_upper")) or column == "weight":
            np.testing.assert_allclose(ours[column], theirs[column], atol=0.11)
        else:
            assert ours[column].tolist() == theirs[column].tolist() or column == "home"
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
    assert "Learnt from 50 of the 400 rows" in fill_report(filled)


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
    np.testing.assert_allclose(ours["weight_upper"], theirs["weight_upper"], atol=0.11)


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
        (("-t", "kind", "-o", "out.csv"), CANNOT_WRITE, "out.csv should end in .parquet"),
        (("-t", "home", "--task", "numbers"), BAD_INPUT, "is to be numbers, but row"),
    ],
)
def test_what_cannot_be_is_said(place: Path, given: tuple[str, ...], code: int, sentence: str) -> None:
    done = here("fill", "t.parquet", "--features", "linear", *given)
    assert (done.exit_code, sentence in " ".join(done.stderr.split())) == (code, True), done.stderr
    assert sorted(path.name for path in place.iterdir()) == ["t.parquet"]


def test_rows_named_in_an_error_are_counted_among_those_drawn(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsvv.stored.MOST_DRAWN", 60)
    with pytest.raises(TableError, match=r"Rows are counted among the 60 drawn to learn from\.$"):
        fill_large(opened_large("t.parquet"), ["home"], task="numbers")


def test_files_of_a_folder_must_have_the_same_columns(place: Path) -> None:
    folder = place / "parts"
    folder.mkdir()
    beasts().to_parquet(folder / "0.parquet")
    beasts().astype({"age": np.float64}).to_parquet(folder / "1.parquet")
    done = here("fill", "parts", "-t", "kind", *QUICK)
    assert done.exit_code == BAD_INPUT
    assert "1.parquet has other columns than" in done.stderr
    assert "'age' (double). Write both with the same columns and types." in " ".join(done.stderr.split())


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
