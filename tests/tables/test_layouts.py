"""Files that need a word on how they are laid out, and files packed or written in other ways."""

import gzip
import io
import json
from typing import Any

import openpyxl
import pytest

from lsvv.tables import TableError, WritingError, check_ending, fill, parse
from lsvv.tables.cells import read_numbers
from lsvv.tables.files import FORMATS
from lsvv.tables.table import Edits, Layout

EDITS = Edits({"y": {1: "b"}}, {"p": [None, 0.5]})


def workbook(*rows: list[Any]) -> bytes:
    book = openpyxl.Workbook()
    book.active.title = "cover"
    book.active.append(["nothing here"])
    sheet = book.create_sheet("data")
    for row in rows:
        sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def rendered(data: bytes, ending: str, edits: Edits = EDITS, **layout: Any) -> bytes:
    return parse(data, f"t{ending}", format=ending, layout=Layout(**layout)).source.rendered(edits)


def test_what_is_above_the_line_of_names_stays() -> None:
    data = b"A title, and more\r\n\r\nx;y\r\n1;a\r\n2;\r\n"
    table = parse(data, "t.csv", format="csv", layout=Layout(header_row=3))
    assert table.frame.columns.tolist() == ["x", "y"]
    assert table.source.rendered(Edits({}, {})) == data
    assert table.source.rendered(EDITS) == b"A title, and more\r\n\r\nx;y;p\r\n1;a;\r\n2;b;0.5\r\n"


def test_a_file_without_names_gets_none() -> None:
    edits = Edits({"column 2": {1: "b"}}, {"p": [None, 0.5]})
    assert rendered(b"1,a\n2,\n", ".csv", edits, header_row=0) == b"1,a,\n2,b,0.5\n"


@pytest.mark.parametrize("header_row", [0, 1, 3])
def test_a_sheet_is_chosen_with_its_line_of_names_and_filled_cells_are_coloured(header_row: int) -> None:
    above = [["title"], ["more"]] if header_row == 3 else []
    names = ["x", "y"] if header_row else ["column 1", "column 2"]
    data = workbook(*above, *([names] if header_row else []), [1, "a"], [2, None])
    edits = Edits({names[1]: {1: "b"}}, {"p": [None, 0.5]})
    book = openpyxl.load_workbook(io.BytesIO(rendered(data, ".xlsx", edits, sheet="data", header_row=header_row)))
    sheet = book["data"]
    assert [cell.value for cell in sheet[header_row + 2]] == [2, "b", 0.5]
    assert [cell.value for cell in sheet[header_row + 1]] == [1, "a", None]
    assert sheet.cell(header_row + 2, 2).fill.fgColor.rgb.endswith("FFF2CC")
    assert sheet.cell(header_row + 1, 2).fill.fill_type is None
    assert header_row == 0 or sheet.cell(header_row, 3).value == "p"
    assert book["cover"]["A1"].value == "nothing here"


@pytest.mark.parametrize(
    ("decimal", "numbers"),
    [(".", [1050.0, 785.0]), (",", [1.05, 785.0])],
)
def test_the_decimal_sign_decides_where_cells_do_not(decimal: str, numbers: list[float]) -> None:
    table = parse(b"x;y\n1,050;a\n785;b\n", "t.csv", format="csv", layout=Layout(decimal=decimal))
    assert read_numbers(table.frame["x"].tolist(), table.source.notation).values.tolist() == numbers


def test_a_packed_file_comes_back_packed() -> None:
    table = parse(gzip.compress(b"x,y\n1,a\n2,\n"), "t.csv.gz", format=".csv")
    assert (table.format, table.frame["x"].tolist()) == (".csv", ["1", "2"])
    assert gzip.decompress(table.source.rendered(EDITS)) == b"x,y,p\n1,a,\n2,b,0.5\n"
    assert table.source.rendered(EDITS) == table.source.rendered(EDITS)
    check_ending("out.csv.gz", table, "t.csv.gz")
    with pytest.raises(WritingError, match=r"out.csv should end in .csv.gz"):
        check_ending("out.csv", table, "t.csv.gz")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (gzip.compress(b"x,y\n" + b"0" * 10_000, mtime=0)[:-9], "t.csv is damaged"),
        (gzip.compress(b"\n" * 40 * 2**20, mtime=0), "would unpack from .* Over 100 times its size it is not unpacked"),
    ],
)
def test_a_packed_file_passes_the_gate(data: bytes, sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        parse(data, "t.csv", format="csv")


def test_an_array_of_objects_keeps_what_it_says() -> None:
    data = '\ufeff[\n  {"x": 1.50, "y": "a"},\n  {"x": 2e0,\n   "y": null, "z": [1, {"q": 2}]}\n]\n'.encode()
    table = parse(data, "t.json", format="json")
    assert table.frame["x"].tolist() == [1.5, 2.0]
    assert table.source.rendered(Edits({}, {})) == data
    written = table.source.rendered(EDITS).decode()
    assert '{"x": 1.50, "y": "a", "p": null},' in written
    assert '{"x": 2e0,\n   "y": "b", "z": [1, {"q": 2}], "p": 0.5}' in written
    assert json.loads(written.removeprefix("\ufeff"))[1]["y"] == "b"
    assert parse(data.removeprefix(b"\xef\xbb\xbf"), "standard input").format == ".json"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"x": 1}', "is no array of objects"),
        ("[]", "no object stands after 0 of them"),
        ('[{"x": 1}, 2]', "no object stands after 1 of them"),
        ('[{"x": 1}, {"x": }]', "object 2 is not JSON"),
        ('[{"x": 1}', "no object stands after 1"),
        ('[{"x": 1, "x": 2}]', "object 1 names 'x' twice"),
    ],
)
def test_what_is_no_array_of_objects_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        parse(text.encode(), "t.json", format="json")


@pytest.mark.parametrize(
    ("ending", "layout", "sentence"),
    [
        (".csv", Layout(sheet="data"), r"--sheet is for files in .xlsx or .xlsm, and this one is .csv"),
        (".jsonl", Layout(header_row=2), "--header-row is for files in"),
        (".xlsx", Layout(decimal=","), "--decimal is for files in .csv or .tsv"),
        (".csv", Layout(decimal=";"), "';' is no decimal sign"),
        (".csv", Layout(header_row=9), "has 3 lines, and none with the number 9"),
        (".xlsx", Layout(sheet="dta"), r"has no sheet 'dta' of cells. It has 'cover', 'data'"),
        (".xlsx", Layout(header_row=9), "has 1 line, and none with the number 9"),
    ],
)
def test_a_layout_that_a_file_does_not_have_is_refused(ending: str, layout: Layout, sentence: str) -> None:
    data = {".csv": b"x,y\n1,a\n2,\n", ".jsonl": b'{"x": 1}\n', ".xlsx": workbook(["x", "y"], [1, "a"])}[ending]
    with pytest.raises(TableError, match=sentence):
        parse(data, "t", format=ending, layout=layout)


@pytest.mark.parametrize(
    ("text", "noticed"),
    [
        ("5.1,iris\n4.9,iris\n5.0,lily\n", True),
        ("size,kind\n4.9,iris\n5.0,lily\n", False),
        ("2019,2020,2021\n4,5,6\n7,8,9\n", False),
        ("cat,house\ndog,field\n", False),
    ],
)
def test_a_line_of_names_that_looks_like_a_row_is_noticed(text: str, noticed: bool) -> None:
    notes = parse(text.encode(), "t.csv", format="csv").notes
    assert any("--header-row 0" in note for note in notes) is noticed


def test_every_format_is_known_by_its_ending() -> None:
    assert set(FORMATS) == {".csv", ".tsv", ".parquet", ".xlsx", ".xlsm", ".jsonl", ".json"}


@pytest.mark.parametrize(
    ("spell", "unit"),
    [
        (lambda n: f"${1000 + 37 * n:,}.50", "amounts in $ from 1000.5 to"),
        (lambda n: f"{1000 + 37 * n} €", "amounts in € from 1000 to"),
        (lambda n: f"{n * 1.5 - 20:.1f} %", "percentages from -20 to"),
    ],
)
def test_money_and_percentages_are_filled_as_they_are_written(spell: Any, unit: str) -> None:
    lines = [f"{n}.5|{n % 7}|{spell(n) if n % 3 == 0 else ''}" for n in range(60)]
    filled = fill(parse("\n".join(["x|z|y", *lines]).encode(), "t.csv", format="csv"), ["y"], features="linear")
    (result,) = filled.results
    assert unit in result.target.reason
    assert [cell[:1] == "-" for cell in result.cells] == [spell(n)[:1] == "-" for n in range(60) if n % 3]
    near = [abs(_number(cell) - _number(spell(n))) for n, cell in zip(result.rows.tolist(), result.cells, strict=True)]
    assert max(near) < 5.0
    shape = spell(3).translate(str.maketrans("", "", "0123456789-"))
    assert {cell.translate(str.maketrans("", "", "0123456789-")) for cell in result.cells} == {shape}


def _number(text: str) -> float:
    return float("".join(one for one in text if one in "-.0123456789"))


def test_money_beside_plain_numbers_says_which_cells_to_mend() -> None:
    lines = [f"{n},{'$' if n % 4 else ''}{n * 3}.5" for n in range(40)]
    with pytest.raises(TableError, match=r"such as .* in row \d+, but row \d+ says .* Write all cells with the same"):
        fill(parse("\n".join(["x,y", *lines, "9,"]).encode(), "t.csv", format="csv"), ["y"])


@pytest.mark.parametrize(
    ("data", "ending", "sentence"),
    [
        (workbook(["x", "y"], [1, 2]), ".xlsx", "Sheets that were not read: 'data'; choose one with --sheet"),
        (b"2024-08-25,a\n2024-08-26,b\n", ".csv", "If its first line is a row, give --header-row 0"),
        (b"5.1,iris\n4.9,lily\n", ".csv", "If its first line is a row, give --header-row 0"),
    ],
)
def test_a_column_that_is_not_there_may_be_elsewhere(data: bytes, ending: str, sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        fill(parse(data, f"t{ending}", format=ending), ["price"])


def test_years_are_names() -> None:
    with pytest.raises(TableError) as refused:
        fill(parse(b"2019,2020\n1,2\n", "t.csv", format="csv"), ["price"])
    assert "--header-row" not in str(refused.value)
