"""Which kinds of model carried an answer and which columns mattered: sentences, the summary, copies."""

import json
import pickle
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from lsvv.selection import Importances, column_importances
from lsvv.tables import Filled, Table, fill, summary
from lsvv.tables.explaining import carried_by, columns_sentence, kinds_sentence, rest_sentence


@pytest.fixture(scope="module")
def with_trees() -> Filled:
    """Kinds by size, a text that says nothing, and trees to find it out."""
    from lsvv.tables import parse

    rng = np.random.default_rng(0)
    words = ["red sky", "blue sea", "green hill", "grey road", "white house", "black cat", "pink cloud"]
    rows = "".join(
        f"{size:.2f},{day},{('big' if size > 2 else 'small') if row % 2 else ''}\n"
        for row, (size, day) in enumerate(zip(rng.uniform(0, 4, 90), rng.choice(words, 90), strict=True))
    )
    return fill(parse(f"size,note,kind\n{rows}".encode(), "t.csv", format="csv"), ["kind"])


def test_kinds_are_told_by_plain_names_the_largest_first() -> None:
    shares = {"maps": 0.25, "neighbours": 0.15, "extra trees": 0.2, "bagged trees": 0.4}
    model = SimpleNamespace(kinds_=shares)
    assert list(carried_by(model)) == ["trees", "smooth functions", "neighbours' votes"]
    assert sum(carried_by(model).values()) == pytest.approx(1.0)
    said = "The answer comes from trees (60 %), smooth functions (25 %) and neighbours' votes (15 %)."
    assert kinds_sentence(model).replace("\xa0", " ") == said
    alone = SimpleNamespace(kinds_={"maps": 0.0, "extra trees": 0.5, "bagged trees": 0.5})
    assert kinds_sentence(alone) == "The answer comes from trees alone."


def test_columns_are_named_where_they_matter() -> None:
    found = Importances(("a", "b", "c", "d", "e"), np.array([0.1, 0.5, 0.4, 0.3, 0.0]), np.full(5, 0.01))
    assert columns_sentence(found) == "What mattered most: b, c, d."
    assert rest_sentence(found, 4) == "1 column did not matter measurably."
    nothing = Importances(("a",), np.array([0.01]), np.array([0.02]))
    assert columns_sentence(nothing) == "No column mattered measurably by itself."


def test_features_of_a_column_are_measured_together(with_trees: Filled) -> None:
    (found,) = with_trees.importances
    assert found is not None
    assert found.names == ("size", "note")
    assert with_trees.X.shape[1] > 2
    assert found.matters.tolist() == [True, False]
    model, sources = with_trees.fitted[0].model, with_trees.vectorizer.sources
    np.testing.assert_array_equal(found.rise, column_importances(model, with_trees.X, groups=sources).rise)


def test_the_summary_holds_kinds_and_columns(with_trees: Filled) -> None:
    (said,) = json.loads(json.dumps(summary(with_trees)))["models"]
    assert said["targets"] == ["kind"]
    assert sum(said["kinds"].values()) == pytest.approx(1.0, abs=1e-3)
    assert [one["column"] for one in said["columns"]] == ["size", "note"]
    assert said["columns"][0]["importance"] > 10 * said["columns"][0]["standard_error"] > 0


def test_without_trees_columns_are_not_measured(filled: Filled) -> None:
    assert filled.importances == (None, None)
    assert [one["columns"] for one in summary(filled)["models"]] == [None, None]


def test_a_copy_keeps_what_was_measured(with_trees: Filled) -> None:
    (found,), (again,) = with_trees.importances, pickle.loads(pickle.dumps(with_trees)).importances
    assert found is not None
    np.testing.assert_array_equal(again.rise, found.rise)


def test_a_copy_is_measured_before_it_is_made(
    beasts: Callable[..., str], csv_table: Callable[[str | bytes], Table]
) -> None:
    again = pickle.loads(pickle.dumps(fill(csv_table(beasts()), ["kind"])))
    (found,) = again.importances
    assert found.names == ("size", "habitat")
