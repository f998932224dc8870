"""Files that are damaged, swollen or no files: the same result, or a sentence; nothing large is unpacked or built."""

import io
import os
import struct
import subprocess
import sys
import tracemalloc
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl.styles import Font

from lsvv.tables import Table, TableError, fill, gate, parse, read, spreadsheet
from lsvv.tables.gate import content, packed, unpacked
from lsvv.tables.modelfile import TableModel, opened, saved
from lsvv.tables.table import Edits

Text = Callable[..., str]
Reader = Callable[[str | bytes], Table]
Judge = Callable[[bytes], list[Any]]


def workbook(*rows: list[Any], change: Callable[[Any], None] = lambda sheet: None) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    change(book.active)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def sheet_of(*parts: str) -> bytes:
    """A workbook whose sheet holds this XML."""
    members = unpacked(workbook(["x", "y"], [1, 2]), "t.xlsx")
    start = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    return packed({**members, "xl/worksheets/sheet1.xml": (start + "".join(parts) + "</worksheet>").encode()})


def cells_of(table: Table) -> list[Any]:
    return [list(table.frame.columns), *table.frame.astype(object).where(table.frame.notna(), None).values.tolist()]


def flipped(data: bytes, n_flips: int, judge: Judge) -> Counter[str]:
    """How often one flipped bit, at seeded places, leaves the result as it was, or is told of in a sentence."""
    rng, found = np.random.default_rng(0), Counter[str]()
    whole = judge(data)
    for place, bit in zip(rng.integers(len(data), size=n_flips), rng.integers(8, size=n_flips), strict=True):
        damaged = bytearray(data)
        damaged[place] ^= 1 << bit
        try:
            found["same" if judge(bytes(damaged)) == whole else "other"] += 1
        except TableError as error:
            found["sentence" if str(error).endswith(".") else "other"] += 1
    return found


def test_one_flipped_bit_of_a_workbook_changes_nothing_or_is_told() -> None:
    data = workbook(["size", "kind", "sum"], *([row, "ab"[row % 2], f"=A{row + 2}*2"] for row in range(30)))
    found = flipped(data, 400, lambda damaged: cells_of(parse(damaged, "t.xlsx", format="xlsx")))
    assert (found["other"], found["same"] > 0, found["sentence"] > 200) == (0, True, True)


def test_one_flipped_bit_of_a_parquet_page_is_told() -> None:
    columns = {"size": np.arange(300) * 1.5, "kind": [f"word {7 * row % 100}" for row in range(300)]}
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    # as this package writes it: with checksums of its pages
    data = parse(stream.getvalue(), "t.parquet", format="parquet").source.rendered(Edits({}, {}))
    footer = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]

    def judge(damaged: bytes) -> list[Any]:
        return cells_of(parse(damaged + data[footer:], "t.parquet", format="parquet"))

    found = flipped(data[:footer], 300, judge)
    assert (found["other"], found["sentence"] > 200) == (0, True)


def test_one_flipped_bit_of_a_model_file_changes_nothing_or_is_told(
    beasts: Text, csv_table: Reader, tmp_path: Path
) -> None:
    table, path = csv_table(beasts()), tmp_path / "m.lsvv"

    def judge(damaged: bytes) -> list[Any]:
        path.write_bytes(damaged)
        return list(opened(path).predictions(table).columns.values())

    data = saved(TableModel.of(fill(table, ["kind"], features="linear")))
    found = flipped(data, 150, judge)
    assert (found["other"], found["sentence"] > 100) == (0, True)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
@pytest.mark.parametrize("ending", ["xlsx", "parquet"])
def test_a_file_that_was_cut_off_is_told(ending: str, share: float) -> None:
    stream = io.BytesIO()
    pq.write_table(pa.table({"x": [1, 2], "y": ["a", None]}), stream)
    data = workbook(["x", "y"], [1, "a"]) if ending == "xlsx" else stream.getvalue()
    with pytest.raises(TableError, match=r"is damaged|is not a"):
        parse(data[: int(share * len(data))], f"t.{ending}", format=ending)


def test_what_is_far_away_and_empty_costs_nothing() -> None:
    def change(sheet: Any) -> None:
        sheet["XFD1048576"].font = Font(bold=True)

    data = workbook(["x", "kind"], [1, "cat"], [2, None], change=change)
    tracemalloc.start()
    table = parse(data, "t.xlsx", format="xlsx")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert cells_of(table) == [["x", "kind"], [1, "cat"], [2, None]]
    assert peak < 30e6
    written = table.source.rendered(Edits({"kind": {1: "dog"}}, {"p": [None, 0.5]}))
    assert parse(written, "t.xlsx", format="xlsx").frame["kind"].tolist() == ["cat", "dog"]


def far_away(sheet: Any) -> None:
    sheet["XFD1048576"] = 1


@pytest.mark.parametrize(
    ("data", "format", "sentence"),
    [
        (workbook(["x"], [1], change=far_away), "xlsx", "a table of 1,048,576 rows and 16,384 columns; the most is"),
        (sheet_of('<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'), "xlsx", "17,179,869,184 merged cells"),
        (sheet_of('<hyperlinks><hyperlink ref="A1:XFD1048576"/></hyperlinks>'), "xlsx", "17,179,869,184 merged cells"),
        (sheet_of('<sheetData><row r="9999999999"><c><v>1</v></c></row></sheetData>'), "xlsx", "9,999,999,999 rows"),
        (sheet_of('<sheetData><row r="1"><c t="s"><v>99</v></c></row></sheetData>'), "xlsx", "is damaged"),
        (sheet_of("<sheetData><row><c>"), "xlsx", "is damaged"),
        (b"\n".join(b'{"k%d": 1}' % row for row in range(20_000)), "jsonl", "20,000 rows and 20,000 columns"),
        (b",".join(b"k%d" % row for row in range(20_000)) + b"\n1" * 20_000, "csv", "20,000 rows and 20,000 columns"),
    ],
    ids=["far", "merged", "linked", "row", "string", "cut", "keys", "short rows"],
)
def test_a_table_that_cannot_be_held_is_not_built(data: bytes, format: str, sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        parse(data, "t", format=format)


def test_a_workbook_holds_only_so_many_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheet, "MOST_STORED", 5)
    with pytest.raises(TableError, match=r"t.xlsx holds 6 cells; the most is 5. Delete the sheets that are not needed"):
        parse(workbook(["x", "y"], [1, 2], [3, 4]), "t.xlsx", format="xlsx")


def test_a_zip_file_that_swells_is_not_unpacked(tmp_path: Path) -> None:
    members = unpacked(workbook(["x", "y"], [1, 2]), "t.xlsx")
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in {**members, "xl/media/image.bin": bytes(60_000_000)}.items():
            archive.writestr(name, member)
    path = tmp_path / "m.lsvv"
    path.write_bytes(bomb.getvalue())
    tracemalloc.start()
    with pytest.raises(TableError, match=r"would unpack from 0.1 MB to 57.\d MB. Over 100 times its size it is not"):
        parse(bomb.getvalue(), "t.xlsx", format="xlsx")
    with pytest.raises(TableError, match="would unpack from"):
        opened(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5e6


def test_a_zip_file_that_lies_of_its_size_is_not_unpacked_beyond_it() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", bytes(60_000_000))
    lying = stream.getvalue().replace(struct.pack("<I", 60_000_000), struct.pack("<I", 10))
    tracemalloc.start()
    with pytest.raises(TableError, match="is damaged"):
        unpacked(lying, "t.zip")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6


def test_what_is_even_is_packed_so_that_it_opens_again() -> None:
    members = {"a": bytes(40_000_000), "b": b"b"}
    assert unpacked(packed(members), "t.zip") == members


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_file_of_another_kind_is_told(method: int) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("a", bytes(1000))
    with pytest.raises(TableError, match="a is packed in an unusual way"):
        unpacked(stream.getvalue(), "t.zip")


def test_what_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    with path.open("wb") as stream:
        stream.truncate(gate.MOST_BYTES + 1)
    with pytest.raises(TableError, match=r"t.csv holds over 4 GB, which is the most. Take some of its rows."):
        read(path)
    monkeypatch.setattr(gate, "MOST_BYTES", 3 * 2**20)
    with pytest.raises(TableError, match="/dev/zero holds over 0 GB"):
        read("/dev/zero", format="csv")


def test_a_pipe_is_read_where_somebody_writes_into_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(TableError, match=r"pipe is a pipe that nobody writes into. Name a file."):
        content(pipe)
    script = (
        "import sys, time; out = open(sys.argv[1], 'wb', 0); print(flush=True); time.sleep(0.1); out.write(b'a\\n1')"
    )
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with subprocess.Popen([sys.executable, "-c", script, str(pipe)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        assert read(pipe, format="csv").frame["a"].tolist() == ["1"]
    os.close(reading)


def test_what_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(TableError, match=r"t.csv cannot be read: Permission denied."):
        read(tmp_path / "t.csv")


def test_standard_input_that_is_closed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(TableError, match=r"Standard input is closed. Send a table into it, or name a file."):
        read("-")
