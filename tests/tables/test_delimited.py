"""CSV and TSV: what was there stays, byte for byte."""

import codecs
import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsvv.tables import Table, TableError, parse
from lsvv.tables.cells import COMMA, read_numbers
from lsvv.tables.filling import cells_of
from lsvv.tables.table import Edits

NOTHING = Edits({}, {})


def cells(table: Table) -> list[list[str | None]]:
    """The values, None where a cell is empty."""
    return [list(row) for row in zip(*(cells_of(table, column) for column in table.frame.columns), strict=True)]


@pytest.mark.parametrize(
    "data",
    [
        b"a,b\n1,2\n",
        b"a,b\r\n1,2\r\n",
        b"a,b\r1,2\r",
        b"a,b\n1,2",
        b'a,b\n"x ""y"", z",2\n',
        b'a,b\n"two\nlines",2\n"x"\r\n',
        b'a,b\n5" pipe,2\n',
        b"a,b\n\n1,2\n\n",
        b"a,b\n1\n",
        b"a,b\n1,2\n,\n,",
        codecs.BOM_UTF8 + "a,b\nä,2\n".encode(),
        "a,b\ncafé,2\n".encode("cp1252"),
        "a,b\ncafé,2\n".encode() + "na\xefve,3\n".encode("cp1252"),
        b"a,b\n\x81\x8d,2\n",
        codecs.BOM_UTF16_LE + "a,b\nä,2\n".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "a,b\r\nä,2\r\n".encode("utf-16-be"),
        codecs.BOM_UTF32_LE + "a,b\nä,2\n".encode("utf-32-le"),
        codecs.BOM_UTF32_BE + "a,b\nä,2\n".encode("utf-32-be"),
        b"a;b\n1,5;2\n",
        b"a\tb\n1\t2\n",
        b'a,b\n=cmd|" /C calc"!A0,2\n',
        b"a,a\n1,2\n",
        b'"a, really",b\n1,2\n',
    ],
)
def test_a_file_without_edits_is_written_as_it_was(data: bytes) -> None:
    assert parse(data, "t", format="csv").source.rendered(NOTHING) == data


@given(
    st.lists(
        st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=6), min_size=3, max_size=3),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(["\n", "\r\n"]),
)
def test_any_csv_of_the_standard_library_reads_as_it_was_meant(rows: list[list[str]], end: str) -> None:
    stream = io.StringIO()
    csv.writer(stream, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([["a", "b", "c"], *rows])
    data = stream.getvalue().encode("utf-8")
    table = parse(data, "t", format="csv", missing=())
    assert table.source.rendered(NOTHING) == data
    assert cells(table) == [[cell if cell.strip() else None for cell in row] for row in rows]


def test_empty_cells_are_filled_and_columns_added_with_quotes_where_needed() -> None:
    table = parse(b"a,b\r\n1,\r\n2,x\r\n", "t", format="csv")
    edits = Edits({"b": {0: 'say "hi", twice'}}, {"sure": [0.5, None], "done": [True, False]})
    assert table.source.rendered(edits) == (b'a,b,sure,done\r\n1,"say ""hi"", twice",0.5,true\r\n2,x,,false\r\n')


def test_lines_of_separators_at_the_end_are_no_rows_and_stay_as_they_are() -> None:
    table = parse(b"a,b\n,\n1,\n\n , \n,\n", "t", format="csv")
    assert cells(table) == [[None, None], ["1", None]]
    assert table.notes == ("Lines at the end that hold nothing but separators are no rows, and stay as they are.",)
    assert table.source.rendered(Edits({"b": {1: "x"}}, {"p": [0.5, 1]})) == b"a,b,p\n,,0.5\n1,x,1\n\n , \n,\n"


def test_a_line_that_names_the_separator_is_obeyed_and_kept() -> None:
    table = parse(codecs.BOM_UTF8 + b"sep=;\r\na, x, y;b\r\n1;\r\n", "t", format="csv")
    assert list(table.frame.columns) == ["a, x, y", "b"]
    assert cells(table) == [["1", None]]
    written = codecs.BOM_UTF8 + b"sep=;\r\na, x, y;b;p\r\n1;z;1\r\n"
    assert table.source.rendered(Edits({"b": {0: "z"}}, {"p": [1]})) == written
    assert list(parse(b"sep=\t\na\tb\n", "t", format="csv").frame.columns) == ["a", "b"]
    assert list(parse(b"sep=;,b\n1,2\n", "t", format="csv").frame.columns) == ["sep=;", "b"]


def test_a_filled_cell_is_written_in_the_encoding_of_the_file() -> None:
    western = parse("a,b\n1,café\n2,\n".encode("cp1252"), "t", format="csv")
    assert western.source.rendered(Edits({"b": {1: "café"}}, {})).endswith("2,café\n".encode("cp1252"))
    wide = parse(codecs.BOM_UTF16_LE + "a,b\n1,\n".encode("utf-16-le"), "t", format="csv")
    assert wide.source.rendered(Edits({"b": {0: "ä"}}, {})).decode("utf-16") == "a,b\n1,ä\n"


def test_mixed_encodings_are_read_line_by_line_with_a_note() -> None:
    table = parse("a\ncafé\nnaïve\n".encode() + "café\n".encode("cp1252"), "t", format="csv")
    assert table.frame["a"].tolist() == ["café", "naïve", "café"]
    assert "1 line not in UTF-8 was read as Windows-1252" in table.notes[0]


def test_markers_mean_an_empty_cell_and_can_be_chosen() -> None:
    data = b"a,b\nNA,-\nnone, \nn/a,None\n#NA,?\n"
    # None may be one of several classes
    assert cells(parse(data, "t", format="csv")) == [[None, "-"], ["none", None], [None, "None"], [None, None]]
    chosen = cells(parse(data, "t", format="csv", missing=("-",)))
    assert chosen == [["NA", None], ["none", None], ["n/a", "None"], ["#NA", "?"]]


def test_duplicate_and_empty_names_are_numbered_with_a_note() -> None:
    table = parse(b"x,y,x,\n1,2,3,4\n", "t", format="csv")
    assert list(table.frame.columns) == ["x (1)", "y", "x (2)", "column 4"]
    assert "2 columns are named 'x'" in table.notes[0]


@pytest.mark.parametrize(
    ("data", "written"),
    [
        (b"a;b\n1,5;\n2,5;3\n", b"a;b;p\n1,5;;0,25\n2,5;3;\n"),
        (b'a;b\n"1,5";\n"2,5";3\n', b'a;b;p\n"1,5";;0,25\n"2,5";3;\n'),
        (b"a\tb\n1,5\t\n2,5\t3\n", b"a\tb\tp\n1,5\t\t0,25\n2,5\t3\t\n"),
        (b"a;b\n1.5;\n2.5;3\n", b"a;b;p\n1.5;;0.25\n2.5;3;\n"),
    ],
)
def test_numbers_with_decimal_commas_get_decimal_commas(data: bytes, written: bytes) -> None:
    table = parse(data, "t", format="tsv" if b"\t" in data else "csv")
    assert table.source.rendered(Edits({}, {"p": [0.25, None]})) == written


@pytest.mark.parametrize(
    ("data", "cells", "note"),
    [
        (b"a;b\n1,050;2,5\n785;3\n", [1.05, 785], "'1,050' as 1.05"),
        (b"a;b\n1.613;2,5\n850;3\n", [1613, 850], "'1.613' as 1613"),
        (b"a;b\n1,050;2\n785;3\n", [1.05, 785], "'1,050' as 1.05"),
        (b"a\tb\n1,050\t2,5\n785\t3\n", [1.05, 785], "'1,050' as 1.05"),
        (b"a\tb\n1,050\t2\n785\t3\n", [1050, 785], None),
        (b"a|b\n1,050|2\n785|3\n", [1050, 785], None),
        (b"a|b\n1,050|2,5\n785|3\n", [1.05, 785], "'1,050' as 1.05"),
        (b"a\tb\n1,050\t2.5\n785\t3\n", [1050, 785], None),
        (b"a;b\n1.613;2.5\n850;3\n", [1.613, 850], "'1.613' as 1.613"),
        (b"a;b\n1.613;2\n850;3\n", [1613, 850], "'1.613' as 1613"),
        (b"a;b\n1.613;2\n-1.850;3\n", [1.613, -1.85], None),
        (b"a;b\n1.613;2\n850;0.250\n", [1.613, 850], "'1.613' as 1.613"),
        (b"a\tb\n1.613\t2\n850\t3\n", [1.613, 850], "'1.613' as 1.613"),
        (b"a,b\n1.613,2\n850,3\n", [1.613, 850], None),
        (b'a,b\n"1,050","2,5"\n785,3\n', [1050, 785], None),
        (b"a;b\n1.613;2,5\nNA;3\n", [1613], "'1.613' as 1613"),
        (b"a;b\n1.613;2,5\n850;1,2,3\n", [1613, 850], "'1.613' as 1613"),
        (b"a;b;c;d\n1.613;2,5;1.5;2.5\n850;3,5;1.5;2.5\n", [1.613, 850], "'1.613' as 1.613"),
        (b"a;b;c\n1.613;2,5;1.5\n850;3,5;1.5\n", [1613, 850], "'1.613' as 1613"),
        (b"a;b\n0,050;2,5\n785;3\n", [0.05, 785], None),
        (b"a;b\n1.613;2,5 %\n850;3 %\n", [1613, 850], "'1.613' as 1613"),
        (b"a;b\n1.613;$2.5\n850;$3\n", [1.613, 850], "'1.613' as 1.613"),
    ],
)
def test_a_file_tells_how_its_ambiguous_columns_are_read(data: bytes, cells: list[float], note: str | None) -> None:
    table = parse(data, "t", format="tsv" if b"\t" in data else "csv")
    texts = [cell for cell in cells_of(table, "a") if cell is not None]
    assert all(cell.encode() in data for cell in texts)
    assert read_numbers(texts, table.source.notation).values.tolist() == cells
    sign = "commas" if table.source.notation is COMMA else "points"
    told = [] if note is None else [f"Column 'a' is read with decimal {sign} like its file, {note}."]
    assert list(table.notes) == told


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("Länge, cm;Breite, cm;Art\n12;3;x\n14;4;y\n", ["Länge, cm", "Breite, cm", "Art"]),
        ("Länge, cm;Breite, cm;Art\n1,2;0,3;x\n1,4;0,4;y\n", ["Länge, cm", "Breite, cm", "Art"]),
        ("a, b, c, d;e\n1;2\n3;4\n", ["a, b, c, d", "e"]),
        ("a;b;c,d\nx,1\ny,2\n", ["a;b;c", "d"]),
        ("a,tags\n1,x;y\n2,x\n", ["a", "tags"]),
        ("a,b,c|d\n1,2,3\n1,2\n", ["a", "b", "c|d"]),
        ('"a;b;c",d\n"x;y\nz",2\n', ["a;b;c", "d"]),
        ("a\tb, c\n1\t2\n", ["a", "b, c"]),
        (f"a, b, c;d\n1;2\n{'x' * 70_000};1\n", ["a, b, c", "d"]),
        ("a\n1\n", ["a"]),
    ],
)
def test_the_separator_parts_the_first_lines_alike(text: str, columns: list[str]) -> None:
    assert list(parse(text.encode(), "t", format="csv").frame.columns) == columns


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is empty"),
        (b"\na,b\n", "starts with an empty line"),
        (b"a,b\n1,2,3\n", "row 1 has 3 cells, but there are names for 2 only. Quote .* --header-row"),
        (b'a,b\n1,"open\n2,3\n', "record 2 opens a quote in column 2 that never closes"),
        (b"a,b\n\x00,1\n", "holds zero bytes"),
        (codecs.BOM_UTF16_LE + b"a\xd8\x00", "says it is UTF-16 but is not"),
        (codecs.BOM_UTF32_LE + b"a\xd8\x00\xff", "says it is UTF-32 but is not"),
    ],
)
def test_what_is_no_table_gets_a_sentence(data: bytes, sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        parse(data, "t", format="csv")
