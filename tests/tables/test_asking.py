"""What to label next, and labels that come back."""

from collections.abc import Callable

import numpy as np
import pytest

import naive
from lsvv.features import RandomFourier
from lsvv.tables import Filled, Table, TableError, asking, fill
from lsvv.tables.asking import costs_of, questions, sheet, uncertainty, with_labels

Text = Callable[..., str]
Reader = Callable[[str | bytes], Table]


@pytest.fixture
def filled(beasts: Text, csv_table: Reader) -> Filled:
    return fill(csv_table(beasts()), ["kind", "weight"], features="linear")


def test_only_empty_cells_are_asked_for_once_each_within_the_budget(filled: Filled) -> None:
    asked = questions(filled, 9, {"kind": 1.0, "weight": 2.0})
    assert 5 <= len(asked) <= 9
    assert sum(one.cost for one in asked) <= 9
    assert len({(one.row, one.column) for one in asked}) == len(asked)
    assert all(one.row % 3 != 0 for one in asked)
    assert all(one.why and one.suggestion for one in asked)


def test_a_budget_beyond_the_holes_asks_for_all_of_them(filled: Filled) -> None:
    assert len(questions(filled, 1e6, {"kind": 1.0, "weight": 1.0})) <= 60


def test_a_cheaper_column_is_asked_for_more_often(filled: Filled) -> None:
    def count(column: str, cost: float) -> int:
        return sum(one.column == column for one in questions(filled, 10, {"kind": 1.0, "weight": 1.0, column: cost}))

    assert count("weight", 0.25) > count("weight", 4.0)


def test_questions_are_about_what_the_model_does_not_know(csv_table: Reader, rng: np.random.Generator) -> None:
    x = np.concatenate([rng.normal(-3, 0.3, 40), rng.normal(3, 0.3, 40), rng.normal(0, 0.3, 40)])
    kinds = ["low" if i < 5 else "high" if 40 <= i < 45 else "" for i in range(120)]
    text = "x,kind\n" + "\n".join(f"{value:.3f},{kind}" for value, kind in zip(x, kinds, strict=True))
    filled = fill(csv_table(text), ["kind"])
    assert questions(filled, 3, {"kind": 1.0})[0].row >= 80
    assert uncertainty(filled.results[0])[80:].mean() > uncertainty(filled.results[0])[:80].mean()


def test_each_question_lowers_the_doubt_about_all_rows_most(filled: Filled) -> None:
    asked = [one.row for one in questions(filled, 6, {"kind": 1.0, "weight": 100.0}, random_state=3)]
    Phi = RandomFourier(asking.N_FEATURES, width="median", random_state=3).fit_transform(filled.X.astype(np.float64))
    kinds = filled.results[0]
    assert asked == naive.best_rows(Phi, uncertainty(kinds), kinds.target.known, 6, asking.NOISE)


def test_a_filled_sheet_comes_back_as_labels_and_is_written(filled: Filled, csv_table: Reader) -> None:
    asked = questions(filled, 4, {"kind": 1.0, "weight": 1.0})
    lines = sheet(filled, asked).decode().splitlines()
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


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("a,b\n1,2\n", "has no column 'row'"), ("row,target,label\n99,kind,cat\n", "names row 99")],
)
def test_sheets_that_do_not_fit_get_a_sentence(filled: Filled, csv_table: Reader, text: str, sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        with_labels(filled.table, csv_table(text), ["kind"])


def test_costs_and_budgets_are_above_0(filled: Filled) -> None:
    for words in ("kind", "kind=0", "size=1", "kind=x"):
        with pytest.raises(TableError, match="is not COL=COST"):
            costs_of(words, ["kind"])
    with pytest.raises(TableError, match="pays for nothing"):
        questions(filled, 0, {"kind": 1.0, "weight": 1.0})
