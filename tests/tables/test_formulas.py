"""What is written into a CSV file and looks like a formula is told, and made harmless where that is asked for."""

from collections.abc import Callable

import pytest

from lsvv.tables import Table, parse
from lsvv.tables.formulas import with_safe_texts
from lsvv.tables.table import Edits

Reader = Callable[[str | bytes], Table]
EDITS = Edits({"kind": {1: "=cmd|' /C calc'!A0"}}, {"=p": ["@SUM(A1)", -0.5], "q": ["-0.5", "-"]})


def test_formulas_are_told_and_written_as_they_are(csv_table: Reader) -> None:
    table = csv_table("x,kind\n1,=A9\n2,\n")
    edits, notes = with_safe_texts(table, EDITS, False)
    assert edits is EDITS
    told = ", which a spreadsheet program may run. --safe-csv puts an apostrophe before."
    assert notes == (
        f"1 new text of column 'kind' begins like a formula, such as \"=cmd|' /C calc'!A0\"{told}",
        f"2 new texts of column '=p' begin like a formula, such as '=p'{told}",
    )


def test_an_apostrophe_stands_before_new_formulas_alone(csv_table: Reader) -> None:
    table = csv_table("x,kind\n1,=A9\n2,\n")
    edits, notes = with_safe_texts(table, EDITS, True)
    assert table.source.rendered(edits) == b"x,kind,'=p,q\n1,=A9,'@SUM(A1),-0.5\n2,'=cmd|' /C calc'!A0,-0.5,-\n"
    assert notes[1] == "2 new texts of column '=p' begin like a formula, such as '=p': an apostrophe stands before."


@pytest.mark.parametrize("safe", [False, True])
def test_formats_that_have_types_need_no_apostrophe(safe: bool) -> None:
    table = parse(b'{"kind": "a"}\n{}\n', "t.jsonl", format="jsonl")
    assert with_safe_texts(table, EDITS, safe) == (EDITS, ())


@pytest.mark.parametrize("cell", ["-5", "+5.5", "-5,5", "-1.234,5", "-", "=", "a=b", "", -5, None, True])
def test_numbers_and_plain_texts_are_no_formulas(csv_table: Reader, cell: object) -> None:
    assert with_safe_texts(csv_table("x\n1\n"), Edits({}, {"p": [cell]}), False)[1] == ()
