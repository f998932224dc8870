"""Warnings: each is given where it must be, and not where all is well."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lsvv.tables import Filled, Table, fill, summary
from lsvv.tables.headline import further_notes, headline

Reader = Callable[[str], Table]
N = 120


def text_of(x: Any, y: list[Any]) -> str:
    return "\n".join(["x,z,y", *(f"{a:.3f},{row % 7},{b}" for row, (a, b) in enumerate(zip(x, y, strict=True)))])


def warned(filled: Filled) -> dict[str, str]:
    return {one.kind: one.text for one in filled.warnings}


def quick(csv_table: Reader, x: Any, y: list[Any], **settings: Any) -> Filled:
    return fill(csv_table(text_of(x, y)), ["y"], features="linear", **settings)


def test_nothing_is_warned_of_where_all_is_well(csv_table: Reader) -> None:
    x = np.random.default_rng(0).normal(size=N)
    y = [("high" if one > 0 else "low") if row % 3 == 0 else "" for row, one in enumerate(x)]
    assert quick(csv_table, x, y).warnings == ()


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_an_answer_no_better_than_the_plainest(csv_table: Reader, task: str) -> None:
    rng = np.random.default_rng(1)
    names = {"classes": rng.choice(["a", "b"], N, p=[0.7, 0.3]), "numbers": rng.normal(10, 1, N).round(2)}[task]
    text = warned(quick(csv_table, rng.normal(size=N), [one if row % 2 else "" for row, one in enumerate(names)]))
    plainest = "always giving the most common answer, 'a'" if task == "classes" else "always giving the mean, "
    assert plainest in text["no better"]
    assert "be no better than" in text["no better"] or "are no better than" in text["no better"]


def test_an_answer_that_is_never_given_and_balanced_weights_that_give_it(csv_table: Reader) -> None:
    rng = np.random.default_rng(2)
    spam = rng.random(400) < 0.12
    x = rng.normal(size=400) + 0.3 * spam
    y = [("spam" if one else "ham") if row % 4 == 0 else "" for row, one in enumerate(spam)]
    plain, balanced = (quick(csv_table, x, y, class_weight=weight) for weight in ("none", "balanced"))
    never = warned(plain)["never given"]
    assert "'spam' is in" in never
    assert "none of the 300 filled ones" in never
    assert "--class-weight balanced" in never
    assert "never given" not in warned(balanced)
    assert balanced.settings["class_weight"] == "balanced"


@pytest.mark.parametrize("end", ["first", "last"])
def test_known_rows_that_are_no_random_sample(csv_table: Reader, end: str) -> None:
    x = np.sort(np.random.default_rng(3).normal(size=N))
    places = range(40) if end == "first" else range(N - 40, N)
    y = [("a" if row % 2 else "b") if row in places else "" for row in range(N)]
    text = warned(quick(csv_table, x, y))["not random"]
    assert f"(they are the {end} 40 rows)" in text
    assert "of 100 pairs, where chance gives 50" in text


def test_rows_in_a_row_are_told_of_where_the_inputs_do_not_tell_them_apart(csv_table: Reader) -> None:
    x = np.random.default_rng(4).normal(size=N)
    text = warned(quick(csv_table, x, [("a" if x[row] > 0 else "b") if row < 40 else "" for row in range(N)]))
    assert text["not random"].startswith("y: all known cells are in the first 40 rows. If the order means anything")


def test_names_that_hardly_recur(csv_table: Reader) -> None:
    y = [f"name {row // 3}" if row % 2 else "" for row in range(N)]
    text = warned(quick(csv_table, np.arange(N) ** 1.5, y, task="classes"))["nearly unique"]
    assert "the 60 known cells are 40 different names" in text


def test_terminal_summary_and_notes_say_the_same(csv_table: Reader) -> None:
    rng = np.random.default_rng(1)
    y = [one if row % 2 else "" for row, one in enumerate(rng.choice(["a", "b"], N, p=[0.7, 0.3]))]
    filled = quick(csv_table, rng.normal(size=N), y)
    texts = [one.text for one in filled.warnings]
    assert texts
    assert list(headline(filled))[: len(texts)] == [f"Warning: {text}" for text in texts]
    assert [one["text"] for one in summary(filled)["warnings"]] == texts
    assert list(filled.notes) == [*texts, *further_notes(filled)]


def test_a_table_without_a_hole_tells_nothing_of_unlabelled_rows(csv_table: Reader) -> None:
    x = np.random.default_rng(0).normal(size=60)
    filled = quick(csv_table, x, ["high" if one > 0 else "low" for one in x])
    assert filled.fitted[0].model.guard_ is not None
    assert "y: All 60 rows are labelled: the model is supervised." in filled.notes
    assert not any("Rows without a label" in note for note in filled.notes)


def test_two_signs_are_two_answers(csv_table: Reader) -> None:
    x = np.random.default_rng(0).normal(size=N)
    y = [("+" if one > 0 else "-") if row % 3 == 0 else "" for row, one in enumerate(x)]
    assert "placeholder" not in warned(quick(csv_table, x, y))


@pytest.mark.parametrize(("word", "told"), [("-", True), ("unknown", True), ("none", False)])
def test_a_class_that_may_say_that_a_cell_is_empty(csv_table: Reader, word: str, told: bool) -> None:
    x = np.random.default_rng(0).normal(size=N)
    filled = quick(
        csv_table, x, [("high" if one > 0 else "low") if row % 3 == 0 else word for row, one in enumerate(x)]
    )
    text = warned(filled).get("placeholder", "")
    assert (f"{word!r} in 80 known cells was taken for an answer" in text) == told
    assert (f"give --missing {word}." in text) == told
