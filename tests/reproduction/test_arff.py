from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproduction.data import DataError
from reproduction.data.arff import read_arff, read_label_names

HEADER = """% a comment
@relation 'toy: -C 2'

@attribute size numeric
@ATTRIBUTE 'a "long" name, quoted' REAL
@attribute colour {red,'dark, blue',"it's"}
@attribute flag {0,1}
@attribute tag {FALSE,TRUE}
@data
"""


def write(tmp_path: Path, body: str, header: str = HEADER) -> Path:
    path = tmp_path / "toy.arff"
    path.write_text(header + body)
    return path


def test_dense_rows_with_quotes_missing_values_and_comments(tmp_path: Path) -> None:
    table = read_arff(write(tmp_path, "1, 2.5,red,0,FALSE\n% aside\n\n?,1e-3,'dark, blue',1,TRUE\n3,4,\"it's\",1,TRUE"))
    assert [a.name for a in table.attributes] == ["size", 'a "long" name, quoted', "colour", "flag", "tag"]
    expected = [[1, 2.5, 0, 0, 0], [np.nan, 1e-3, 1, 1, 1], [3, 4, 2, 1, 1]]
    np.testing.assert_array_equal(table.rows, expected)


def test_sparse_rows_leave_out_zeros(tmp_path: Path) -> None:
    header = "@relation t\n@attribute a numeric\n@attribute b {0,1}\n@attribute c {0,1}\n@data\n"
    table = read_arff(write(tmp_path, "{0 2.5, 2 1}\n{}\n{1 1}\n", header))
    np.testing.assert_array_equal(table.rows.toarray(), [[2.5, 0, 1], [0, 0, 0], [0, 1, 0]])  # type: ignore[union-attr]


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.lists(st.lists(st.sampled_from([0.0, 1.0, -2.5]), min_size=3, max_size=3), min_size=1, max_size=6))
def test_sparse_and_dense_files_of_one_table_agree(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[float]]
) -> None:
    folder = tmp_path_factory.mktemp("arff")
    header = "@relation t\n" + "".join(f"@attribute x{j} numeric\n" for j in range(3)) + "@data\n"
    dense = "".join(",".join(map(str, row)) + "\n" for row in rows)
    sparse = "".join("{" + ",".join(f"{j} {v}" for j, v in enumerate(row) if v) + "}\n" for row in rows)
    from_dense = read_arff(write(folder, dense, header)).rows
    from_sparse = read_arff(write(folder, sparse, header)).rows
    np.testing.assert_array_equal(from_sparse.toarray(), from_dense)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("1,2,red,0,FALSE\n1,2,red,0\n", "line 11: 4 cells, but there are 5 columns"),
        ("1,x,red,0,FALSE\n", "line 10: 'x' is no value of column 'a \"long\" name, quoted'"),
        ("1,inf,red,0,FALSE\n", "line 10: 'inf' is no value of column"),
        ("1,2,green,0,FALSE\n", "line 10: 'green' is no value of column 'colour'"),
        ("1,2,'red,0,FALSE\n", "line 10: a quotation mark is out of place or not closed"),
        ("{0 1}\n1,2,red,0,FALSE\n", "line 11: not a sparse row in braces"),
        ("{0 1, 9 1}\n", "line 10: '9 1' does not start with a column number below 5"),
        ("{0 1, 0 2}\n", "line 10: column 0 is given twice"),
        ("{0 1, 3 ", "line 10: not a sparse row in braces"),
        ("", "no rows after @data"),
    ],
)
def test_damage_is_named_by_line(tmp_path: Path, body: str, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        read_arff(write(tmp_path, body))


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ("@relation t\n@attribute a numeric\n", "has no @data line: it ends in the header"),
        ("@relation t\n@data\n", "line 2: @data before any @attribute"),
        ("@relation t\n@attribute a string\n@data\n", "line 2: column 'a' is of type 'string'"),
        ("@relation t\n@attribute a\n@data\n", "line 2: an attribute needs a name and a type"),
        ("@relation t\nsome words\n", "line 2: 'some words' is no line of an ARFF header"),
        ("@relation t\n@attribute a {x,'y\n@data\n", "line 2: column 'a' is of type"),
    ],
)
def test_bad_headers_are_named_by_line(tmp_path: Path, header: str, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        read_arff(write(tmp_path, "", header))


def test_a_sparse_column_whose_first_value_is_not_zero_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="leaves out column 'a' means its first value, not 0"):
        read_arff(write(tmp_path, "{}\n", "@relation t\n@attribute a {1,0}\n@data\n"))


def test_label_lists_may_be_nested_and_named_in_a_namespace(tmp_path: Path) -> None:
    path = tmp_path / "toy.xml"
    path.write_text(
        '<?xml version="1.0"?><labels xmlns="http://mulan.sourceforge.net/labels">'
        '<label name="a"><label name="b"/></label><label name="c"></label></labels>'
    )
    assert read_label_names(path) == ("a", "b", "c")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("<labels>\n<label", "line 2: not a list of labels"), ("<labels/>", "names no label")],
)
def test_damaged_label_lists_are_named(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "toy.xml"
    path.write_text(text)
    with pytest.raises(DataError, match=sentence):
        read_label_names(path)
