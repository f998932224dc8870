"""A labelling session without a server: what is asked, what is kept, what is believed."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from lsvv.tables import Table, TableError, fill, parse, read
from lsvv.tables.labeling import AlreadyAnsweredError, Journal, Session
from lsvv.tables.labeling.page_state import page_state
from lsvv.tables.sheets import with_labels

from .conftest import KINDS, N_ROWS, table_of, truth_of

Begin = Callable[..., Session]


def answered(session: Session, n: int, tab: str = "a", task: str = "classes") -> list[int]:
    """The rows that a person who knows was asked for, and answered."""
    rows = []
    for _ in range(n):
        row, _ = session.current(tab)
        assert row is not None
        session.answer(tab, row, truth_of(row, task), session.label_of(row))
        session.refit()
        rows.append(row)
    return rows


def test_every_answer_is_on_disk_when_it_is_taken_and_the_table_is_as_it_was(begin: Begin) -> None:
    session = begin()
    before = session.table.frame.copy()
    for n in range(1, 6):
        rows = answered(session, 1)
        found = with_labels(session.table, read(session.journal.place), ["answer"])
        assert len(found.labels["answer"]) == n
        assert found.labels["answer"][rows[0]] == truth_of(rows[0])
    assert session.table.frame.equals(before)


def test_a_session_goes_on_where_it_was(begin: Begin) -> None:
    first = begin()
    rows = answered(first, 12)
    second = begin()
    assert second.n_answered == 12
    assert {row: second.label_of(row) for row in rows} == {row: truth_of(row) for row in rows}
    assert second.current("b")[0] not in rows
    assert [point.n_labels for point in second.points][-1] == 18
    assert len(second.points) > 5
    np.testing.assert_array_equal(second.belief.known, first.belief.known)


def test_a_sheet_of_a_session_fills_the_table(begin: Begin) -> None:
    session = begin()
    rows = answered(session, 8)
    labelled = with_labels(session.table, session.journal.read(), ["answer"])
    filled = fill(labelled, ["answer"], features="linear")
    assert [filled.frame["answer"][row] for row in rows] == [truth_of(row) for row in rows]
    assert list(filled.frame["answer"]) == [truth_of(row) for row in range(N_ROWS)]


def test_guesses_learn_from_answers(begin: Begin) -> None:
    session = begin(known=2)
    assert session.belief.answer is None
    answered(session, 7)
    answer = session.belief.answer
    assert answer is not None
    said = answer.target.spelt(answer.predictions)
    assert said == [truth_of(row) for row in range(N_ROWS)]


def test_nothing_is_learnt_twice(begin: Begin) -> None:
    session = begin()
    assert not session.refit()
    answered(session, 1)
    assert not session.refit()


@pytest.mark.parametrize("task", ["classes", "numbers", "tags"])
def test_a_column_without_any_label_is_labelled_once_its_task_is_named(begin: Begin, task: str) -> None:
    with pytest.raises(TableError, match=r"has 0 known cells, too few to tell what it holds\. Say so with --task"):
        begin(known=0)
    session = begin(known=0, task=task)
    asked = answered(session, 9, task=task)
    assert len(set(asked)) == 9
    # the first questions go to every cloud of rows
    assert {row % 3 for row in asked[:4]} == {0, 1, 2}
    assert session.belief.answer is not None
    assert page_state(session, "a")["question"]["guess"]["text"]


def test_tabs_are_asked_for_different_rows_and_keep_them(begin: Begin) -> None:
    session = begin()
    rows = {tab: session.current(tab)[0] for tab in "abc"}
    assert len(set(rows.values())) == 3
    answered(session, 3, tab="a")
    assert {tab: session.current(tab)[0] for tab in "bc"} == {tab: rows[tab] for tab in "bc"}


def test_a_row_that_another_tab_answered_is_not_written_over(begin: Begin) -> None:
    session = begin()
    row, _ = session.current("a")
    assert row is not None
    session.answer("a", row, "cat")
    with pytest.raises(AlreadyAnsweredError, match=f"Row {row + 1} was answered with “cat” in another tab."):
        session.answer("b", row, "dog", before="")
    assert session.label_of(row) == "cat"
    session.answer("b", row, "dog", before="cat")
    assert session.label_of(row) == "dog"


def test_the_row_of_a_closed_tab_is_asked_elsewhere(begin: Begin) -> None:
    now = [0.0]
    session = begin(clock=lambda: now[0])
    row, _ = session.current("closed")
    assert session.current("open")[0] != row
    now[0] = 1000.0
    session.skip("open", session.current("open")[0] or 0)
    assert session.current("open")[0] == row


def test_what_was_skipped_comes_back_last(begin: Begin) -> None:
    session = begin(table=table_of(known=6, n_rows=10))
    skipped = []
    for _ in range(4):
        row, _ = session.current("a")
        assert row is not None
        skipped.append(row)
        session.skip("a", row)
    assert sorted(skipped) == [6, 7, 8, 9]
    assert session.current("a")[0] == skipped[0]
    answered(session, 4)
    assert session.current("a") == (None, 0)
    assert page_state(session, "a")["question"] is None


def test_undo_takes_back_the_answers_of_its_tab_one_by_one(begin: Begin) -> None:
    session = begin()
    mine, other = answered(session, 2, tab="a"), answered(session, 1, tab="b")
    assert session.undo("a") == mine[1]
    assert session.current("a")[0] == mine[1]
    assert session.undo("a") == mine[0]
    assert [session.label_of(row) for row in (*mine, *other)] == ["", "", truth_of(other[0])]
    with pytest.raises(TableError, match="no answer of this tab to take back"):
        session.undo("a")
    assert begin().n_answered == 1


def test_a_new_session_takes_back_what_an_earlier_one_answered(begin: Begin) -> None:
    rows = answered(begin(), 2)
    session = begin()
    assert [session.undo("a"), session.undo("a")] == rows[::-1]
    assert session.n_answered == 0


def test_undoing_a_change_brings_the_first_answer_back(begin: Begin) -> None:
    session = begin()
    (row,) = answered(session, 1)
    session.again("a", row)
    assert session.current("a")[0] == row
    session.answer("a", row, "eel", before=truth_of(row))
    session.undo("a")
    assert session.label_of(row) == truth_of(row)


@pytest.mark.parametrize(
    ("row", "label", "sentence"),
    [
        (50, " ", "There is no label to save. Choose one, or skip the row."),
        (50, "NA", "'NA' means an empty cell in this table, so it cannot be a label."),
        (0, "dog", "Row 1 has its label in the table, which is never changed."),
        (900, "dog", "The table has no row 901"),
    ],
)
def test_what_is_no_answer_is_refused_and_not_written(begin: Begin, row: int, label: str, sentence: str) -> None:
    session = begin()
    with pytest.raises(TableError, match=re.escape(sentence)):
        session.answer("a", row, label)
    assert session.n_answered == 0


def test_numbers_are_numbers(begin: Begin) -> None:
    session = begin(task="numbers")
    with pytest.raises(TableError, match="known cells are numbers with a decimal point"):
        session.answer("a", 50, "much")
    empty = begin(known=0, task="numbers")
    with pytest.raises(TableError, match="'much' is no number"):
        empty.answer("a", 50, "much")


def test_a_number_of_a_typed_column_is_written_so_that_nobody_reads_it_otherwise(tmp_path: object) -> None:
    lines = [f'{{"x": "{row},5", "answer": {row + 0.25 if row < 5 else "null"}}}' for row in range(20)]
    table = parse("\n".join(lines).encode(), "t.jsonl", format="jsonl")
    journal = Journal(f"{tmp_path}/t.label.csv", table)
    session = Session(table, "answer", journal)
    session.answer("a", 10, "1.259")
    assert with_labels(table, journal.read(), ["answer"]).labels["answer"] == {10: 1.259}


def test_a_slip_is_shown_for_a_second_look(begin: Begin) -> None:
    session = begin(known=30)
    row, _ = session.current("a")
    assert row is not None
    wrong = next(kind for kind in KINDS if kind != truth_of(row))
    session.answer("a", row, wrong)
    session.refit()
    (doubtful,) = page_state(session, "a")["progress"]["doubtful"]
    assert (doubtful["row"], doubtful["label"], doubtful["mine"]) == (row + 1, wrong, True)
    assert truth_of(row) in doubtful["why"]


def test_the_view_tells_what_a_person_needs(begin: Begin) -> None:
    session = begin()
    view = page_state(session, "a")
    question = view["question"]
    assert question["choices"] == list(KINDS)
    assert sum(question["guess"]["shares"]) == pytest.approx(1.0, abs=1e-3)
    assert [one["name"] for one in question["cells"]] == ["x", "y", "habitat"]
    assert len(question["near"]) == 3
    assert all(one["label"] == truth_of(one["row"] - 1) for one in question["near"])
    assert re.match("The model (wavers between|says) “", question["why"])
    assert view["known"] == 6
    assert session.version == page_state(session, "a")["version"]


def test_very_many_rows_are_looked_at_in_part(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    from lsvv.tables import asking

    monkeypatch.setattr(asking, "MOST_ROWS", 40)
    session = begin()
    assert len(session.ready.rows) == 40
    assert set(range(6)) <= set(session.ready.rows.tolist())
    rows = answered(session, 5)
    assert set(rows) <= set(session.ready.rows.tolist())
    assert begin().n_answered == 5


def test_a_session_is_for_columns_that_are_there(tmp_path: object) -> None:
    table: Table = table_of(known=6)
    with pytest.raises(TableError, match="has no column 'none'"):
        Session(table, "none", Journal(f"{tmp_path}/t.label.csv", table))


def test_two_sessions_on_one_sheet_hear_of_each_other(begin: Begin) -> None:
    first, second = begin(), begin()
    row, _ = first.current("a")
    assert row is not None
    assert second.current("b")[0] == row
    first.answer("a", row, "cat")
    assert not first.journal.has_changed()
    with pytest.raises(AlreadyAnsweredError, match=f"Row {row + 1} was answered with “cat”"):
        second.answer("b", row, "dog")
    second.answer("b", row, "dog", "cat")
    found = with_labels(first.table, read(first.journal.place), ["answer"])
    assert found.labels["answer"] == {row: "dog"}
    with pytest.raises(AlreadyAnsweredError):
        first.answer("a", row, "cat", "cat")
    assert first.label_of(row) == "dog"


def test_what_another_session_changed_is_not_taken_back(begin: Begin) -> None:
    first, second = begin(), begin()
    row, _ = first.current("a")
    assert row is not None
    first.answer("a", row, "cat")
    assert second.current("b")[0] != row
    second.answer("b", row, "dog", "cat")
    with pytest.raises(AlreadyAnsweredError, match="was answered with “dog” in another tab or session"):
        first.undo("a")
    assert (first.label_of(row), second.label_of(row)) == ("dog", "dog")
    with pytest.raises(TableError, match="no answer of this tab"):
        first.undo("a")


def test_labels_that_are_no_better_than_the_plainest_answer_do_not_say_stop(begin: Begin) -> None:
    session = begin()
    rng = np.random.default_rng(0)
    for _ in range(14):
        row, _ = session.current("a")
        assert row is not None
        session.answer("a", row, str(rng.choice(KINDS)))
    session.refit()
    assert session.outlook is not None
    assert session.outlook.quality.low <= session.outlook.quality.baseline
    assert session.outlook.pays
    assert not any("You can stop" in sentence for sentence in session.outlook.sentences)
    assert "may be no better than always giving the most common answer" in session.outlook.sentences[-1]
