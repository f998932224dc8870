"""Parquet, Excel and JSON lines: values stay, types stay."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import openpyxl.chart
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lsvv.tables import Table, TableError, fill, parse, read
from lsvv.tables.sheets import with_labels
from lsvv.tables.table import Edits

Reader = Callable[[str | bytes], Table]
EDITS = Edits({"kind": {1: "dog"}}, {"sure": [None, 0.5]})


def parquet(**columns: Any) -> Table:
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return parse(stream.getvalue(), "t.parquet", format="parquet")


def excel(*rows: list[Any]) -> Table:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.create_sheet("other")["A1"] = "stays"
    stream = io.BytesIO()
    book.save(stream)
    return parse(stream.getvalue(), "t.xlsx", format="xlsx")


def test_parquet_keeps_values_and_types() -> None:
    columns = {
        "kind": pa.array(["cat", None]).dictionary_encode(),
        "size": pa.array([1.5, None], type=pa.float32()),
        "seen": pa.array([date(2020, 1, 1), None]),
        "list": pa.array([["a", "b"], None]),
        "count": pa.array([2**60, None], type=pa.int64()),
    }
    filled = pq.read_table(io.BytesIO(parquet(**columns).source.rendered(EDITS)))
    assert filled.column("kind").to_pylist() == ["cat", "dog"]
    assert filled.column("sure").to_pylist() == [None, 0.5]
    for name, column in columns.items():
        assert filled.schema.field(name).type == column.type
        assert name == "kind" or filled.column(name).to_pylist() == column.to_pylist()


def test_whole_numbers_in_parquet_stay_whole() -> None:
    table = parquet(n=pa.array([1, None], type=pa.int32()))
    filled = pq.read_table(io.BytesIO(table.source.rendered(Edits({"n": {1: 4}}, {}))))
    assert filled.column("n").to_pylist() == [1, 4]
    assert filled.schema.field("n").type == pa.int32()


@pytest.mark.parametrize(("kind", "step", "ends"), [(pa.uint8(), -9, (0, 255)), (pa.int8(), 9, (-128, 127))])
def test_filled_numbers_stay_within_the_type_of_a_parquet_column(kind: Any, step: int, ends: tuple[int, int]) -> None:
    known = [step * row + (90 if step < 0 else 0) for row in range(11)]
    table = parquet(x=pa.array(range(0, 40, 2)), y=pa.array([*known, *[None] * 9], type=kind))
    filled = fill(table, ["y"], features="linear")
    assert f"what is filled stays within {ends[0]} and {ends[1]}" in filled.results[0].target.reason
    assert not any("below 0" in note for note in filled.notes)
    written = pq.read_table(io.BytesIO(filled.rendered()))
    assert written.schema.field("y").type == kind
    cells = written.column("y").to_pylist()
    assert cells[:11] == known
    assert cells[-1] == ends[step > 0]


def test_tags_that_are_whole_numbers_stay_whole_numbers() -> None:
    tags = [None if row % 3 == 2 else [7, 20] if row < 20 else [7] for row in range(40)]
    columns = {"x": pa.array(range(0, 80, 2)), "tags": pa.array(tags, type=pa.list_(pa.int32()))}
    filled = fill(parquet(**columns), ["tags"], features="linear")
    assert "All known cells of 'tags' hold '7', and so do the filled ones." in filled.notes
    written = pq.read_table(io.BytesIO(filled.rendered()))
    assert written.schema.field("tags").type == pa.list_(pa.int32())
    assert written.column("tags").to_pylist()[2] in ([7, 20], [20, 7])
    lines = "\n".join(json.dumps({"x": 2 * row, "tags": cell}) for row, cell in enumerate(tags))
    again = fill(parse(lines.encode(), "t.jsonl", format="jsonl"), ["tags"], features="linear")
    assert json.loads(again.rendered().splitlines()[38])["tags"] == [7]


def test_what_the_type_of_a_parquet_column_cannot_hold_gets_a_sentence() -> None:
    codes = [None if row % 3 == 2 else 7 + row % 2 for row in range(40)]
    filled = fill(parquet(x=pa.array(range(0, 80, 2)), y=pa.array(codes)), ["y"], task="tags", features="linear")
    with pytest.raises(TableError, match=r"Column 'y' is int64 and cannot hold '\d.*'. Give it another task"):
        filled.rendered()


def test_decimals_in_parquet_are_numbers_and_stay_decimals() -> None:
    cells = [None if row % 3 else Decimal(row).scaleb(-1) for row in range(60)]
    table = parquet(x=pa.array(range(0, 120, 2)), y=pa.array(cells, type=pa.decimal128(6, 2)))
    filled = fill(table, ["y"], features="linear")
    assert filled.results[0].target.task == "numbers"
    written = pq.read_table(io.BytesIO(filled.rendered()))
    assert written.schema.field("y").type == pa.decimal128(6, 2)
    for row, cell in enumerate(written.column("y").to_pylist()):
        assert abs(cell - Decimal(row) / 10) < Decimal("0.1")
    beyond = table.source.rendered(Edits({"y": {1: 12345.678, 2: -1e9}}, {}))
    assert pq.read_table(io.BytesIO(beyond)).column("y").to_pylist()[1:3] == [Decimal("9999.99"), Decimal("-9999.99")]


def test_a_formula_without_a_value_is_no_target() -> None:
    rows = [[row, f"=A{row + 2}*2" if row % 2 else None] for row in range(20)]
    with pytest.raises(TableError, match=r"holds the formula '=A3\*2' in row 2, whose value is not in the file"):
        fill(excel(["x", "y"], *rows), ["y"])


def test_excel_keeps_values_formulas_and_other_sheets() -> None:
    table = excel(["kind", "size", "sum"], ["cat", 1.5, "=B2*2"], [None, datetime(2020, 1, 1), True])
    book = openpyxl.load_workbook(io.BytesIO(table.source.rendered(EDITS)))
    rows = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
    assert rows == [
        ["kind", "size", "sum", "sure"],
        ["cat", 1.5, "=B2*2", None],
        ["dog", datetime(2020, 1, 1), True, 0.5],
    ]
    assert book["other"]["A1"].value == "stays"
    assert "Read the sheet" in table.notes[0]


def test_merged_cells_count_with_their_value_and_empty_ones_are_parted_to_be_filled() -> None:
    book = openpyxl.Workbook()
    for row in (["kind", "size"], ["cat", 1], [None, 2], [None, 3], [None, 4], [None, 5]):
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    book.active.merge_cells("A4:A5")
    book.active.merge_cells("C1:D1")
    stream = io.BytesIO()
    book.save(stream)
    table = parse(stream.getvalue(), "t.xlsx", format="xlsx")
    assert table.frame["kind"].tolist() == ["cat", "cat", None, None, None]
    assert table.notes == ("2 merged cells count with the value they show.",)
    edits = Edits({"kind": {2: "dog", 3: "cow", 4: "ant"}}, {"p": [1] * 5, "q": [2] * 5})
    sheet = openpyxl.load_workbook(io.BytesIO(table.source.rendered(edits))).active
    assert [cell.value for cell in sheet["A"]] == ["kind", "cat", None, "dog", "cow", "ant"]
    assert [cell.value for cell in sheet[1]] == ["kind", "size", "p", "q"]
    assert [str(one) for one in sheet.merged_cells.ranges] == ["A2:A3"]


def test_a_title_over_several_columns_stands_in_the_first() -> None:
    book = openpyxl.Workbook()
    for row in (["name", "size", "kind"], ["North", None, None], ["ann", 1, "cat"], ["South", None, None], []):
        book.active.append(row)
    book.active.merge_cells("A2:C2")
    book.active.merge_cells("A4:B5")
    stream = io.BytesIO()
    book.save(stream)
    table = parse(stream.getvalue(), "t.xlsx", format="xlsx")
    assert table.frame["name"].tolist() == ["North", "ann", "South"]
    assert table.frame["size"].tolist() == [None, 1, None]
    assert table.frame["kind"].tolist() == [None, "cat", None]
    assert table.notes == ()


def test_a_workbook_of_charts_alone_is_no_table() -> None:
    book = openpyxl.Workbook()
    book.create_chartsheet("chart").add_chart(openpyxl.chart.BarChart())
    book.remove(book.active)
    stream = io.BytesIO()
    book.save(stream)
    with pytest.raises(TableError, match=r"t.xlsx holds charts but no sheet of cells. Put the table into a sheet."):
        parse(stream.getvalue(), "t.xlsx", format="xlsx")


def test_the_table_is_the_first_sheet_of_cells() -> None:
    book = openpyxl.Workbook()
    book.active.append(["kind", "size"])
    book.active.append(["cat", 1])
    chart = openpyxl.chart.BarChart()
    chart.add_data(openpyxl.chart.Reference(book.active, min_col=2, min_row=1, max_row=2), titles_from_data=True)
    book.create_chartsheet("chart", 0).add_chart(chart)
    stream = io.BytesIO()
    book.save(stream)
    table = parse(stream.getvalue(), "t.xlsx", format="xlsx")
    assert table.frame["kind"].tolist() == ["cat"]
    assert openpyxl.load_workbook(io.BytesIO(table.source.rendered(Edits({}, {})))).sheetnames == ["chart", "Sheet"]


def test_a_text_that_looks_like_a_formula_is_written_to_excel_as_text() -> None:
    table = excel(["kind", "size"], ["cat", 1], [None, 2])
    book = openpyxl.load_workbook(io.BytesIO(table.source.rendered(Edits({"kind": {1: "=cmd|' /C calc'!A0"}}, {}))))
    cell = book.worksheets[0]["A3"]
    assert (cell.value, cell.data_type) == ("=cmd|' /C calc'!A0", "s")


def test_a_formula_is_no_hole_even_without_a_stored_value() -> None:
    assert excel(["kind", "size"], ["=A9", 1], [None, 2]).frame["kind"].tolist() == ["=A9", None]


def calculated(rows: list[list[Any]], shown: dict[str, bytes]) -> Table:
    """A workbook as Excel saves it: ``shown`` has the stored texts of formulas by cell."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)

    def stored(sheet: bytes) -> bytes:
        for place, text in shown.items():
            cell = rf'r="{place}">(<f>[^/]*</f>)<v ?/>'.encode()
            sheet, count = re.subn(cell, rb'r="%s" t="str">\1<v>%s</v>' % (place.encode(), text), sheet)
            assert count == 1
        return sheet

    return parse(exchanged(stream.getvalue(), "xl/worksheets/sheet1.xml", stored), "t.xlsx", format="xlsx")


def exchanged(data: bytes, name: str, change: Callable[[bytes], bytes], more: dict[str, bytes] | None = None) -> bytes:
    """A zip file with one of its members changed, and more of them."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        for member in old.namelist():
            new.writestr(member, change(old.read(member)) if member == name else old.read(member))
        for member, content in (more or {}).items():
            new.writestr(member, content)
    return stream.getvalue()


@pytest.mark.parametrize("stored", [None, b"", b" "])
def test_new_columns_go_to_the_right_of_formulas(stored: bytes | None) -> None:
    rows: list[list[Any]] = [["x", "kind"], ["1", "cat", "=A2*2"], ["2", None, "=A3*2"]]
    table = excel(*rows) if stored is None else calculated(rows, {"C2": stored, "C3": stored})
    assert list(table.frame.columns) == ["x", "kind", "column 3"]
    sheet = openpyxl.load_workbook(io.BytesIO(table.source.rendered(EDITS))).worksheets[0]
    assert [[cell.value for cell in row] for row in sheet] == [
        ["x", "kind", None, "sure"],
        ["1", "cat", "=A2*2", None],
        ["2", "dog", "=A3*2", 0.5],
    ]


def test_rows_of_formulas_that_show_nothing_are_no_rows() -> None:
    rows: list[list[Any]] = [["x", "kind"], ["1", "cat"], ["=A9", None]]
    assert len(calculated(rows, {"A3": b""}).frame) == 1
    assert len(excel(*rows).frame) == 2


@pytest.mark.parametrize("stored", [b"", b"  ", b"#N/A", b"NA"])
def test_a_formula_that_shows_nothing_is_an_empty_input_and_no_target(stored: bytes, csv_table: Reader) -> None:
    rows: list[list[Any]] = [[row, row % 7, "ab"[row % 2]] for row in range(20)]
    rows = [["x", "y", "z"], *rows, [99, "=A2*2", "a"], [7, 8, None]]
    table = calculated(rows, {"B22": stored})
    assert table.frame["y"][20] is None
    assert not any("'y'" in note for note in fill(table, ["z"], features="linear").notes)
    sentence = r"holds the formula '=A2\*2' in row 21, which shows nothing, and formulas are never written over"
    with pytest.raises(TableError, match=sentence):
        fill(table, ["y"], features="linear")
    with pytest.raises(TableError, match=sentence):
        fill(with_labels(table, csv_table("row,target,label\n21,y,5\n"), ["y"]), ["y"], features="linear")


def test_macros_stay_in_a_workbook() -> None:
    book = openpyxl.Workbook()
    for row in (["kind", "size"], ["cat", 1], [None, 2]):
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    plain, with_macros = b"spreadsheetml.sheet.main+xml", b"ms-excel.sheet.macroEnabled.main+xml"

    def typed(types: bytes) -> bytes:
        assert plain in types
        return types.replace(b"openxmlformats-officedocument." + plain, with_macros)

    data = exchanged(stream.getvalue(), "[Content_Types].xml", typed, {"xl/vbaProject.bin": b"macro"})
    written = parse(data, "t.xlsm", format="xlsm").source.rendered(EDITS)
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        assert archive.read("xl/vbaProject.bin") == b"macro"
        assert with_macros in archive.read("[Content_Types].xml")
    with zipfile.ZipFile(io.BytesIO(parse(stream.getvalue(), "t.xlsx").source.rendered(EDITS))) as archive:
        assert with_macros not in archive.read("[Content_Types].xml")


def test_json_lines_keep_values_order_and_absent_keys() -> None:
    text = '{"kind": "cat", "tags": ["é"], "n": 12345678901234567890}\n\n{"size": {"x": 1}, "n": 0.1}\n'
    table = parse(text.encode(), "t.jsonl", format="jsonl")
    rows = [json.loads(line) for line in table.source.rendered(EDITS).splitlines() if line]
    assert rows == [
        {"kind": "cat", "tags": ["é"], "n": 12345678901234567890, "sure": None},
        {"size": {"x": 1}, "n": 0.1, "kind": "dog", "sure": 0.5},
    ]


def test_what_is_known_in_json_lines_stays_byte_for_byte() -> None:
    text = (
        '\ufeff{"n":3.14159265358979323846, "u":"\\u00e9" ,"kind":"cat","}": {"b": [1,  2]} }\r\n\r\n'
        '{ "kind" : null , "n":1E5,"a": [{"kind": null}]}\r\n{}\r\n  {"kind": "NA"}'
    )
    table = parse(text.encode(), "t.jsonl", format="jsonl")
    assert table.frame["kind"].tolist() == ["cat", None, None, None]
    edits = Edits({"kind": {1: "dög", 2: "ox", 3: "emu"}}, {"p": [None, 0.5, 1, True], "q": [1, 2, 3, 4]})
    assert table.source.rendered(edits).decode() == (
        '\ufeff{"n":3.14159265358979323846, "u":"\\u00e9" ,"kind":"cat","}": {"b": [1,  2]}, "p": null, "q": 1}\r\n\r\n'
        '{ "kind" : "dög" , "n":1E5,"a": [{"kind": null}], "p": 0.5, "q": 2}\r\n{"kind": "ox", "p": 1, "q": 3}\r\n'
        '  {"kind": "emu", "p": true, "q": 4}'
    )
    assert table.source.rendered(Edits({}, {})) == text.encode()


def test_whole_numbers_of_very_many_digits_are_beyond_all_numbers() -> None:
    lines = "".join(f'{{"x": {row}, "n": {"9" * 400 if row == 3 else row % 7}, "y": {row}.5}}\n' for row in range(20))
    table = parse(lines.encode(), "t.jsonl", format="jsonl")
    assert "1 number of column 'n' is beyond 1e+38 and taken for empty." in fill(table, ["y"], features="linear").notes
    with pytest.raises(TableError, match="The target 'n' is infinite in row 4"):
        fill(table, ["n"])


@pytest.mark.parametrize(
    ("data", "format", "sentence"),
    [
        (b"nonsense", "parquet", "is not a Parquet file"),
        (b"nonsense", "xlsx", "is not an Excel workbook"),
        (b"PAR1 nonsense", "parquet", "is damaged"),
        (b"PK nonsense", "xlsx", "is damaged"),
        (b"{broken\n", "jsonl", "line 1 is not JSON"),
        (b'{"a": 1}\n[1]\n', "jsonl", "line 2 holds no object"),
        (b'{"a": 1}\n{"a": 1, "b": 2, "a": 3}\n', "jsonl", "t: line 2 names 'a' twice. Name it once."),
        (b"[" * 100_000, "jsonl", "line 1 is not JSON"),
        (b"\n", "jsonl", "holds no line"),
        (b'{"\\ud83d": 1}', "jsonl", r"t names '\\ud83d', which holds half a character. Correct the name."),
        (b"\xff{}", "jsonl", "is not UTF-8"),
        (b"a,b\n", "docx", "has the ending '.docx', which is not known"),
    ],
)
def test_what_cannot_be_read_gets_a_sentence(data: bytes, format: str, sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        parse(data, "t", format=format)


def test_the_format_of_standard_input_is_seen_from_its_first_bytes() -> None:
    assert parse(b'{"a": 1}\n', "t").format == ".jsonl"
    assert parse(b"a,b\n", "t").format == ".csv"


def test_paths_that_are_no_files_get_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="There is no file"):
        read(tmp_path / "no.csv")
    with pytest.raises(TableError, match="is a folder"):
        read(tmp_path)


def test_half_a_pair_of_surrogates_is_written_back_as_it_was() -> None:
    rows = [{"x": row / 8, "y": "a\ud83d"[row > 20] if row % 2 else None} for row in range(40)]
    lines = [json.dumps(row) for row in rows]
    filled = fill(parse("\n".join(lines).encode(), "t.jsonl", format="jsonl"), ["y"], features="linear")
    written = filled.rendered().decode().splitlines()
    assert json.loads(written[38])["y"] == json.loads(lines[39])["y"]
    assert written[39].startswith(lines[39][:-1])
