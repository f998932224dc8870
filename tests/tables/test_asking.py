"""What to label next."""

import re
from collections.abc import Callable

import numpy as np
import pytest

import naive
from lsvv.features import RandomFourier
from lsvv.tables import Filled, Table, TableError, asking, fill
from lsvv.tables.asking import Question, best_questions, check_budget, costs_of, question_rows, uncertainty
from lsvv.tables.model_choice import neighbour_graph

Text = Callable[..., str]
Reader = Callable[[str | bytes], Table]


def questions(filled: Filled, budget: float, costs: dict[str, float], random_state: int = 0) -> list[Question]:
    return best_questions(filled.X, filled.results, budget, costs, random_state)


def test_only_empty_cells_are_asked_for_once_each_within_the_budget(filled: Filled) -> None:
    asked = questions(filled, 9, {"kind": 1.0, "weight": 2.0})
    assert 5 <= len(asked) <= 9
    assert sum(one.cost for one in asked) <= 9
    assert len({(one.row, one.column) for one in asked}) == len(asked)
    assert all(one.row % 3 != 0 for one in asked)
    assert all(one.why and one.suggestion for one in asked)


def test_a_question_says_what_the_row_may_be(csv_table: Reader) -> None:
    text = "x,wet,old,tags\n"
    for row in range(40):
        cells = f"{row % 2},{row // 20},{'a;b' if row % 2 else 'a'}" if row % 3 else ",,"
        text += f"{row % 2 + row / 40:.3f},{cells}\n"
    filled = fill(csv_table(text), ["wet", "old", "tags"], features="linear")
    assert [one.target.choices for one in filled.results] == [("0", "1"), ("0", "1"), ("a", "b")]
    wet, _, tags = filled.results
    (one, p), (other, q) = wet.doubts(0)
    assert {one, other} == {"0", "1"}
    assert p >= q
    assert p + q == pytest.approx(1.0)
    assert tags.probabilities is not None
    assert [abs(p - 0.5) for _, p in tags.doubts(0)] == [np.abs(tags.probabilities[0] - 0.5).min()]
    for question in questions(filled, 12, {"wet": 1.0, "old": 1.0, "tags": 1.0}):
        shape = (
            r"(unsure|rather sure): [ab] \d+ %;"
            if question.column == "tags"
            else r"(unsure|rather sure): [01] \d+ %, [01] \d+ %;"
        )
        assert re.match(shape, question.why)


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
    Phi = question_rows(filled.X, neighbour_graph(filled.X), random_state=3).whole().astype(np.float64)
    kinds = filled.results[0]
    assert asked == naive.best_rows(Phi, uncertainty(kinds), kinds.target.known, 6, asking.NOISE)


def test_rows_vary_together_as_far_as_the_graph_reaches(rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(-3, 0.2, (12, 2)), rng.normal(3, 0.2, (12, 2))])
    graph = neighbour_graph(X)
    smooth = question_rows(X, graph, random_state=1).whole()
    assert np.mean(np.sum(smooth**2, axis=1)) == pytest.approx(1.0)
    S = graph.S.toarray()
    R = 0.1 * np.linalg.inv(np.eye(24) - asking.SMOOTHING * S / S.sum(axis=1, keepdims=True))
    phi = R @ RandomFourier(asking.N_FEATURES, width="median", random_state=1).fit_transform(X)
    np.testing.assert_allclose(smooth * np.linalg.norm(phi) / np.sqrt(24), phi, atol=1e-8)


def test_of_very_many_rows_a_part_is_looked_at_and_all_that_are_labelled(
    filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "MOST_ROWS", 40)
    asked = questions(filled, 100, {"kind": 1.0, "weight": 1.0})
    assert len({one.row for one in asked}) == 25
    assert all(not filled.results[0].target.known[one.row] for one in asked)


def test_a_column_named_with_a_comma_has_a_cost() -> None:
    columns = ["a", "a=1", "a,b", "b"]
    assert costs_of("a,b=2,b=3, a=1=4", columns) == {"a": 1.0, "a=1": 4.0, "a,b": 2.0, "b": 3.0}
    assert costs_of("b=3,a=5,", columns) == {"a": 5.0, "a=1": 1.0, "a,b": 1.0, "b": 3.0}


@pytest.mark.parametrize("targets", [["same", "kind"], ["kind", "same"]])
def test_numbers_whose_quality_cannot_be_measured_are_asked_for_too(
    beasts: Text, csv_table: Reader, targets: list[str]
) -> None:
    lines = beasts().splitlines()
    cells = ["same", *("" if line.endswith(",") else "5.5" for line in lines[1:])]
    text = "\n".join(f"{line},{cell}" for line, cell in zip(lines, cells, strict=True))
    filled = fill(csv_table(text), targets, features="linear")
    asked = questions(filled, 6, {"same": 1.0, "kind": 1.0})
    assert len(asked) == 6
    assert sum(one.column == "same" for one in asked) > 0


def test_costs_and_budgets_are_above_0() -> None:
    for words in ("kind", "kind=0", "size=1", "kind=x", "kind=2,size=1", "kind=2,5"):
        with pytest.raises(TableError, match="is not COL=COST"):
            costs_of(words, ["kind"])
    with pytest.raises(TableError, match="pays for nothing"):
        check_budget(0)
