"""How many numbers a text becomes: as many as leave-one-out finds to help, the same in the model file."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from lsvv.tables import Table, fill, parse
from lsvv.tables.coding import code
from lsvv.tables.modelfile import TableModel, opened, saved
from lsvv.tables.targets import Target
from lsvv.tables.tasks import find_task
from lsvv.tables.vectorizer import TEXT_WIDTHS, FrameVectorizer
from lsvv.tables.widths import RIDGES, Judge


def words(rng: np.random.Generator, n: int) -> list[str]:
    return ["".join(rng.choice(list("bdfgklmnprst")) + rng.choice(list("aeiou")) for _ in range(3)) for _ in range(n)]


def written(rng: np.random.Generator, n_topics: int, n_rows: int = 240) -> tuple[list[str], list[str]]:
    """Short texts of one topic each, told by its own words, and the topics."""
    topics = [words(rng, 5) for _ in range(n_topics)]
    places = rng.integers(n_topics, size=n_rows)
    texts = [" ".join([*rng.choice(topics[place], 2), *words(rng, 1)]) for place in places]
    return texts, [f"topic {place}" for place in places]


def target_of(cells: list[str]) -> Target:
    return code(find_task({"topic": cells}, {"topic": "classes"})[0], cells)


@pytest.mark.parametrize("n_topics", [2, 30])
def test_texts_are_as_wide_as_their_topics_ask_for(rng: np.random.Generator, n_topics: int) -> None:
    texts, topics = written(rng, n_topics)
    frame, judge = pd.DataFrame({"text": texts}), Judge([target_of(topics)])
    vectorizer = FrameVectorizer()
    X = vectorizer.fit_transform(frame, judge=judge)
    assert X.shape[1] in TEXT_WIDTHS
    errors = [judge.error(FrameVectorizer().fit_transform(frame, judge=Fixed(width))) for width in TEXT_WIDTHS]
    assert X.shape[1] == TEXT_WIDTHS[int(np.argmin(errors))]
    if n_topics == 30:
        assert X.shape[1] > 20
    np.testing.assert_array_equal(vectorizer.transform(frame), X)
    assert FrameVectorizer().fit_transform(frame).shape[1] == 20
    np.testing.assert_allclose(X.var(axis=0).sum(), 1.0, rtol=1e-3)


def test_a_text_that_is_in_the_way_is_left_out_with_a_note(rng: np.random.Generator) -> None:
    texts, topics = written(rng, 3)
    noise, _ = written(rng, 60)
    frame = pd.DataFrame({"size": rng.normal(size=240), "text": texts, "noise": noise})
    vectorizer = FrameVectorizer()
    X = vectorizer.fit_transform(frame, judge=Judge([target_of(topics)]))
    assert list(vectorizer.kinds) == ["size", "text"]
    assert "Column 'noise' was left out: known cells are predicted better without its texts." in vectorizer.notes_
    np.testing.assert_array_equal(vectorizer.transform(frame), X)


class Fixed(Judge):
    """Likes one width alone."""

    def __init__(self, width: int) -> None:
        self.rows, self.width = np.arange(3), width

    def error(self, X: np.ndarray) -> float:
        return float(X.shape[1] != self.width)


def test_no_width_is_above_what_there_is(rng: np.random.Generator) -> None:
    texts, _ = written(rng, 5, n_rows=40)
    assert FrameVectorizer().fit_transform(pd.DataFrame({"text": texts}), judge=Fixed(150)).shape == (40, 20)
    assert FrameVectorizer().fit_transform(pd.DataFrame({"text": texts}), judge=Fixed(39)).shape == (40, 39)


def test_the_error_is_that_of_leaving_each_row_out(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 3))
    cells = ["a" if x > 0 else "b" for x in X[:, 0] + rng.normal(size=20)]
    T = np.eye(2)[[int(cell == "b") for cell in cells]]
    found = []
    for ridge in RIDGES:
        # scikit-learn's alpha is beside a sum, here of 19 rows, and ours beside a mean
        model = Ridge(alpha=19 * ridge * X.var(axis=0).sum())
        loo = cross_val_predict(model, X, T, cv=LeaveOneOut())
        found.append(np.mean(np.sum((loo - T) ** 2, axis=1)) / T.var(axis=0).sum())
    assert Judge([target_of(cells)]).error(X) == pytest.approx(min(found))


def table_of(texts: list[str], topics: list[str]) -> Table:
    lines = [f"{text},{topic if row % 2 else ''}" for row, (text, topic) in enumerate(zip(texts, topics, strict=True))]
    return parse("\n".join(["text,topic", *lines]).encode(), "t.csv", format="csv")


def test_the_width_is_kept_in_the_model_file(rng: np.random.Generator, tmp_path: Path) -> None:
    filled = fill(table_of(*written(rng, 20)), ["topic"], features="linear")
    path = tmp_path / "m.lsvv"
    path.write_bytes(saved(TableModel.of(filled)))
    model = opened(path)
    np.testing.assert_array_equal(model.vectorizer.transform(filled.table.frame), filled.X)
    assert filled.X.shape[1] > 20
    encoder = model.vectorizer.parts_[0].encoder
    assert encoder.tsvd_.components_.shape[0] == filled.X.shape[1]
