"""Labels that a person gives on a sheet."""

import io
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lsvv.tables import Filled, Table, TableError, WritingError, fill, parse
from lsvv.tables.asking import Question, best_questions
from lsvv.tables.sheets import check_sheet, sheet, with_labels
from lsvv.tables.table import Edits

Reader = Callable[[str | bytes], Table]


def test_a_filled_sheet_comes_back_as_labels_and_is_written(filled: Filled, csv_table: Reader) -> None:
    asked = best_questions(filled.X, filled.results, 4, {"kind": 1.0, "weight": 1.0})
    lines = sheet(filled.table, asked).decode().splitlines()
    assert lines[0].startswith("row,target,label,suggestion,cost,why,size")
    answered = [lines[0]]
    for one, line in zip(asked, lines[1:], strict=True):
        label = "wolf" if one.column == "kind" else "99.5"
        answered.append(line.replace(f"{one.row + 1},{one.column},,", f"{one.row + 1},{one.column},{label},", 1))
    table = with_labels(filled.table, csv_table("\n".join(answered)), ["kind", "weight"])
    assert "4 labels were taken" in table.notes[-1]
    again = fill(table, ["kind", "weight"], features="linear")
    written = again.rendered().decode().splitlines()
    for one in asked:
        assert again.frame[one.column][one.row] == ("wolf" if one.column == "kind" else "99.5")
        assert not again.frame[f"{one.column}_filled"][one.row]
        assert ("wolf" if one.column == "kind" else "99.5") in written[one.row + 1]


def test_known_cells_are_never_changed_by_a_sheet(filled: Filled, csv_table: Reader) -> None:
    table = with_labels(filled.table, csv_table("row,target,label\n1,kind,wolf\n"), ["kind"])
    assert table.frame["kind"][0] == "cat"


def test_labels_that_cannot_be_taken_are_counted(filled: Filled, csv_table: Reader) -> None:
    sheet = csv_table("row,target,label\n1,kind,wolf\n2,kind,cat\n2,kind,dog\n3,size,4\n")
    table = with_labels(filled.table, sheet, ["kind"])
    assert table.labels == {"kind": {1: "dog"}}
    assert table.notes[-2:] == (
        "1 label was taken from t.csv.",
        "2 labels of t.csv were left out: already known, or of no target column.",
    )


def test_the_last_line_of_a_cell_counts_one_without_a_label_takes_it_back(filled: Filled, csv_table: Reader) -> None:
    lines = "row,target,label\n2,kind,cat\n3,kind,dog\n2,kind,dog\n3,kind,\n3,weight,5.5\n"
    table = with_labels(filled.table, csv_table(lines), ["kind", "weight"])
    assert table.labels == {"kind": {1: "dog"}, "weight": {2: "5.5"}}


def test_one_sheet_adds_to_another(filled: Filled, csv_table: Reader) -> None:
    first = with_labels(filled.table, csv_table("row,target,label\n2,kind,cat\n"), ["kind"])
    both = with_labels(first, csv_table("row,target,label\n3,kind,dog\n"), ["kind"])
    assert both.labels == {"kind": {1: "cat", 2: "dog"}}


@pytest.mark.parametrize("text", [None, "", "row,target,label\n1,kind,\n2,kind, \n", "a,b\n1,2\n"])
def test_a_sheet_goes_where_no_label_is_lost(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "s.csv").write_text(text)
    check_sheet(tmp_path / "s.csv")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("row,target,label\n1,kind,\n2,kind,NA\n", "s.csv was filled in, which a new sheet would lose. Use it with"),
        ('row,target,label\n1,kind,"cat\n', "whether it was filled in cannot be told: .* never closes"),
    ],
)
def test_a_sheet_that_holds_labels_is_not_written_over(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(WritingError, match=sentence):
        check_sheet(tmp_path / "s.csv")


@pytest.mark.parametrize("name", ["s.xlsx", "s.tsv", "s"])
def test_a_sheet_goes_into_a_csv_file_only(tmp_path: Path, name: str) -> None:
    with pytest.raises(WritingError, match=f"{name} should end in .csv: a sheet is written as CSV."):
        check_sheet(tmp_path / name)


def test_what_means_an_empty_cell_is_no_label_and_is_told(filled: Filled, csv_table: Reader) -> None:
    table = with_labels(filled.table, csv_table("row,target,label\n2,kind,NA\n3,kind,dog\n5,kind,?\n"), ["kind"])
    assert table.labels == {"kind": {2: "dog"}}
    assert table.notes[-1] == "The label '?', 'NA' on t.csv was taken for an empty cell; --missing says what is."


ROW = "size,row,row_2,kind\n1.25,a b,x,\n2.5,c,,\n"


def test_columns_that_are_named_like_those_of_a_sheet_have_names_of_their_own(csv_table: Reader) -> None:
    asked = [Question(0, "kind", 1.0, "cat", "why")]
    lines = sheet(csv_table(ROW), asked).decode().splitlines()
    assert lines == ["row,target,label,suggestion,cost,why,size,row_2,row_2_2,kind", "1,kind,,cat,1,why,1.25,a b,x,"]


@pytest.mark.parametrize(
    "cells", ["1.25,a b,x,", "1.250001,A  B,x,wolf", ",,,", "1.25000001,a b,,cat", '"1,25",a b,x,']
)
def test_a_line_that_is_of_its_row_is_taken(csv_table: Reader, cells: str) -> None:
    answers = f"row,target,label,why,size,row_2,row_2_2,kind\n1,kind,cat,because,{cells}\n"
    assert with_labels(csv_table(ROW), csv_table(answers), ["kind"]).labels == {"kind": {0: "cat"}}


def test_a_line_that_is_of_another_row_is_refused(csv_table: Reader) -> None:
    answers = "row,target,label,size,row_2\n1,kind,cat,1.25,a b\n2,kind,dog,2.5,c\n"
    sorted_since = ROW.replace("a b", "B").replace(",c,", ",a b,").replace("B", "c")
    assert len(with_labels(csv_table(ROW), csv_table(answers), ["kind"]).labels["kind"]) == 2
    with pytest.raises(TableError, match=r"t.csv: line 2 is for row 1 and has 'a b' in 'row_2', but the table has 'c'"):
        with_labels(csv_table(sorted_since), csv_table(answers), ["kind"])
    for rows, said, there in ((("", "7"), "7", "nothing"), (("100005", "100004"), "100004", "'100005'")):
        table = csv_table("id,kind\n" + "".join(f"{row},\n" for row in rows))
        with pytest.raises(TableError, match=f"has '{said}' in 'id', but the table has {there} there"):
            with_labels(table, csv_table(f"row,target,label,id\n1,kind,cat,{said}\n"), ["kind"])
    swapped = "size,kind\n2.5,\n1.25,\n"
    with pytest.raises(TableError, match=r"line 2 is for row 1 and has '1.25' in 'size', but the table has '2.5'"):
        with_labels(csv_table(swapped), csv_table(answers), ["kind"])


CELLS = {
    "truths": ("true", "false"),
    "whole": ("3", "4"),
    "numbers": ("3", "4.5"),
    "points": ('"3"', '"4.5"'),
    "commas": ('"3"', '"4,5"'),
    "tags": ('["a"]', "[]"),
    "codes": ("[1, 2]", "[]"),
    "thousands": ('"1,050"', '"785.5"'),
    "texts": ('"a"', '"3"'),
}


def typed(column: str) -> Table:
    """Two known cells and an empty one."""
    cells = [*CELLS[column], "null"]
    return parse("".join(f'{{"x": 1, "{column}": {cell}}}\n' for cell in cells).encode(), "t.jsonl", format="jsonl")


@pytest.mark.parametrize(
    ("column", "label", "cell"),
    [
        *[("truths", word, True) for word in ("true", "TRUE", " y", "Yes", "t", "1")],
        *[("truths", word, False) for word in ("false", "N", "no", "f", "0")],
        ("whole", "12", 12),
        ("whole", "12.5", 12.5),
        ("numbers", "12", 12),
        ("numbers", "1.5", 1.5),
        ("points", " 1.5", "1.5"),
        ("commas", "1,5", "1,5"),
        ("commas", "2", "2"),
        ("tags", "a; b", ["a", "b"]),
        ("codes", "3;1", [3, 1]),
        ("thousands", "2,300", "2,300"),
        ("texts", "12 kg", "12 kg"),
    ],
)
def test_a_label_becomes_what_its_column_holds(csv_table: Reader, column: str, label: str, cell: object) -> None:
    table = with_labels(typed(column), csv_table(f'row,target,label\n3,{column},"{label}"\n'), [column])
    assert table.labels[column][2] == cell
    assert type(table.labels[column][2]) is type(cell)


@pytest.mark.parametrize(
    ("column", "label", "kind"),
    [
        ("truths", "x", "true or false"),
        ("truths", "2", "true or false"),
        ("whole", "12 kg", "numbers"),
        ("numbers", "12 kg", "numbers"),
        ("points", "12 kg", "numbers with a decimal point"),
        ("points", "1,5", "numbers with a decimal point"),
        ("commas", "1.5", "numbers with a decimal comma"),
        ("codes", "3;b", "lists of whole numbers"),
        ("thousands", "2,3", "numbers with a decimal point"),
    ],
)
def test_a_label_that_its_column_cannot_hold_is_refused(csv_table: Reader, column: str, label: str, kind: str) -> None:
    sheet = csv_table(f'row,target,label\n3,{column},\n3,{column},"{label}"\n')
    with pytest.raises(TableError, match=f"t.csv: line 3, column '{column}' says '{label}', but the .* are {kind}"):
        with_labels(typed(column), sheet, [column])


def test_a_label_is_whole_where_the_type_of_its_column_is(csv_table: Reader) -> None:
    stream = io.BytesIO()
    columns = {"n": pa.array([3, 4, None]), "none": pa.array([None] * 3, pa.int8()), "x": pa.array([3.0, 4.0, None])}
    pq.write_table(pa.table(columns), stream)
    table = parse(stream.getvalue(), "t.parquet", format="parquet")
    for column in ("n", "none"):
        assert with_labels(table, csv_table(f"row,target,label\n3,{column},5\n"), [column]).labels == {column: {2: 5}}
        with pytest.raises(TableError, match=r"says '5\.5', but the known cells are whole numbers"):
            with_labels(table, csv_table(f"row,target,label\n3,{column},5.5\n"), [column])
    halves = with_labels(table, csv_table("row,target,label\n3,x,5.5\n"), ["x"])
    written = table.source.rendered(Edits(halves.labels, {}))
    assert pq.read_table(io.BytesIO(written)).column("x").to_pylist() == [3.0, 4.0, 5.5]


EUROPEAN = "x;y\n1,5;{}\n2,5;785\n3,5;\n"


@pytest.mark.parametrize(
    ("table", "sheet", "cell"),
    [
        ('x,y\n1,"1234,5"\n2,"2,25"\n3,\n', "row;target;label\n3;y;1,234\n", "1,234"),
        (EUROPEAN.format("1,050"), 'row,target,label\n3,y,"1,234"\n', "1,234"),
        (EUROPEAN.format("1.050"), "row,target,label\n3,y,1.234\n", "1.234"),
        ('x,y\n1,"1,050.5"\n2,2.25\n3,\n', "row;target;label;cost\n3;y;1.5;0,5\n", "1.5"),
        ('x,y\n1,"1,050.5"\n2,2.25\n3,\n', "row;target;label\n3;y;1,234\n", None),
        ('{"y": 1.5}\n{"y": 2.5}\n{"y": null}\n', "row;target;label\n3;y;1,234\n", 1.234),
    ],
)
def test_a_label_is_a_number_as_its_column_and_its_sheet_write_them(
    csv_table: Reader, table: str, sheet: str, cell: object
) -> None:
    known = parse(table.encode(), "t", format=None)
    if cell is None:
        with pytest.raises(TableError, match="says '1,234', but the known cells are numbers with a decimal point"):
            with_labels(known, csv_table(sheet), ["y"])
    else:
        assert with_labels(known, csv_table(sheet), ["y"]).labels == {"y": {2: cell}}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("a,b\n1,2\n", "has no column 'row'"), ("row,target,label\n99,kind,cat\n", "names row 99")],
)
def test_sheets_that_do_not_fit_get_a_sentence(filled: Filled, csv_table: Reader, text: str, sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        with_labels(filled.table, csv_table(text), ["kind"])


def test_tags_that_are_whole_numbers_are_suggested() -> None:
    lines = "".join(f'{{"x": {2 * row}, "tags": {"null" if row % 3 else [7, 20]}}}\n' for row in range(30))
    filled = fill(parse(lines.encode(), "t.jsonl", format="jsonl"), ["tags"], features="linear")
    asked = best_questions(filled.X, filled.results, 2, {"tags": 1.0})
    assert all(",20; 7," in line for line in sheet(filled.table, asked).decode().splitlines()[1:])


def test_a_label_that_is_almost_a_known_one_is_taken_and_told(filled: Filled, csv_table: Reader) -> None:
    table = with_labels(filled.table, csv_table("row,target,label\n2,kind,wolf\n3,kind,cat\n"), ["kind"])
    assert not any("Did you mean" in note for note in table.notes)
    table = with_labels(filled.table, csv_table("row,target,label\n2,kind,catt\n3,kind,catt\n"), ["kind"])
    assert table.notes[-1] == "The label 'catt' is new in 'kind' and stays as it is. Did you mean 'cat'?"
    assert sum("Did you mean" in note for note in table.notes) == 1
