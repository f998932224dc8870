"""Splitters: every labelled row is tested once, no unlabelled row ever, and the parts resemble each other."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV, cross_validate

from lsvv import LSVVClassifier, LSVVRegressor
from lsvv.features import RandomFourier
from lsvv.selection.splitters import LabeledKFold, LabeledShuffleSplit

Splits = list[tuple[np.ndarray, np.ndarray]]
NAN = float("nan")


def some_classes(rng: np.random.Generator, n: int = 200, n_classes: int = 4, known: float = 0.4) -> np.ndarray:
    """Classes of unequal frequency, two labels each at least, -1 elsewhere."""
    y = np.minimum(rng.geometric(0.5, size=n) - 1, n_classes - 1)
    y[rng.random(n) > known] = -1
    y[: 2 * n_classes] = np.tile(np.arange(n_classes), 2)
    return y


def some_labels(rng: np.random.Generator, n: int = 3000, K: int = 12, missing: float = 0.0) -> np.ndarray:
    """Labels from frequent to rare; some entries and some whole rows unknown."""
    Y = (rng.random((n, K)) < 0.5 / np.arange(1, K + 1)).astype(float)
    Y[rng.random((n, K)) < missing] = np.nan
    Y[rng.random(n) < 0.3] = np.nan
    return Y


def folds_of(splits: Splits, n: int) -> np.ndarray:
    """The fold that tests each row, -1 where none does."""
    folds = np.full(n, -1)
    for k, (_, test) in enumerate(splits):
        folds[test] = k
    return folds


def counts(columns: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """Counts of boolean columns in each fold."""
    return np.array([columns[folds == k].sum(axis=0) for k in range(folds.max() + 1)])


def assert_is_cross_validation(splits: Splits, labelled: np.ndarray) -> None:
    n = labelled.size
    tested = np.concatenate([test for _, test in splits])
    assert np.array_equal(np.sort(tested), np.flatnonzero(labelled))
    for train, test in splits:
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
        assert np.all(np.diff(train) > 0)
        assert np.all(np.diff(test) > 0)
    sizes = [test.size for _, test in splits]
    assert max(sizes) - min(sizes) <= 1


# ------------------------------------------------------------------------------------------------------- k folds


@given(
    seed=st.integers(0, 2**16),
    n=st.integers(20, 80),
    n_classes=st.integers(2, 6),
    n_splits=st.integers(2, 6),
    shuffle=st.booleans(),
)
def test_folds_of_classes(seed: int, n: int, n_classes: int, n_splits: int, shuffle: bool) -> None:
    y = some_classes(np.random.default_rng(seed), n, n_classes)
    cv = LabeledKFold(min(n_splits, int((y >= 0).sum())), shuffle=shuffle, random_state=seed if shuffle else None)
    splits = list(cv.split(np.zeros((n, 1)), y))
    assert len(splits) == cv.get_n_splits()
    assert_is_cross_validation(splits, y >= 0)
    per_class = counts(y[:, None] == np.arange(n_classes), folds_of(splits, n))
    assert np.ptp(per_class, axis=0).max() <= 1


@given(
    seed=st.integers(0, 2**16),
    n=st.integers(10, 60),
    K=st.integers(2, 6),
    n_splits=st.integers(2, 5),
    missing=st.sampled_from([0.0, 0.5]),
)
def test_folds_of_labels(seed: int, n: int, K: int, n_splits: int, missing: float) -> None:
    Y = some_labels(np.random.default_rng(seed), n, K, missing)
    Y[:n_splits] = 1.0
    splits = list(LabeledKFold(n_splits, shuffle=True, random_state=0).split(np.zeros((n, 1)), Y))
    assert_is_cross_validation(splits, ~np.isnan(Y).all(axis=1))


@pytest.mark.parametrize("stratify", ["auto", False])
@pytest.mark.parametrize("columns", [1, 2])
def test_folds_of_numbers(rng: np.random.Generator, columns: int, stratify: Any) -> None:
    y = rng.normal(size=(50, columns))
    y[rng.random(50) < 0.5] = NAN
    y[0, 0] = NAN
    y = y[:, 0] if columns == 1 else y
    splits = list(LabeledKFold(4, stratify=stratify).split(np.zeros((50, 1)), y))
    assert_is_cross_validation(splits, np.any(~np.isnan(y.reshape(50, -1)), axis=1))


@pytest.mark.parametrize("missing", [0.0, 0.5])
@pytest.mark.parametrize("shuffle", [False, True])
def test_labels_are_far_evener_than_by_chance(rng: np.random.Generator, missing: float, shuffle: bool) -> None:
    Y = some_labels(rng, missing=missing)
    spreads = {}
    for stratify in ("auto", False):
        cv = LabeledKFold(5, shuffle=shuffle, random_state=0 if shuffle else None, stratify=stratify)
        folds = folds_of(list(cv.split(np.zeros((len(Y), 1)), Y)), len(Y))
        spreads[stratify] = [np.ptp(counts(columns, folds), axis=0) for columns in (Y == 1, ~np.isnan(Y))]
    assert spreads["auto"][0].max() <= 3
    assert spreads["auto"][0].mean() < 0.1 * spreads[False][0].mean()
    if missing:
        assert spreads["auto"][1].mean() < 0.2 * spreads[False][1].mean()


def test_neighbours_stay_together_without_shuffling() -> None:
    (_, first), _ = LabeledKFold(2).split(None, np.array([0, 0, 0, 0, 1, 1, 1, 1, -1, -1]))
    assert first.tolist() == [0, 1, 4, 5]


def test_equal_seeds_give_equal_folds_and_others_differ(rng: np.random.Generator) -> None:
    for y in (some_classes(rng), some_labels(rng, n=200)):
        for make in (
            lambda s: LabeledKFold(3, shuffle=True, random_state=s),
            lambda s: LabeledShuffleSplit(random_state=s),
        ):
            first, again, other = ([test.tolist() for _, test in make(s).split(None, y)] for s in (1, 1, 2))
            assert first == again
            assert first != other


SPELLINGS: dict[str, Any] = {
    "integers": [0, 1, -1, 0, 1, -1],
    "floats": np.array([0.0, 1.0, NAN, 0.0, 1.0, NAN]),
    "numbers": np.array([0.5, 1.0, NAN, -3.0, 1.0, NAN]),
    "distinct whole floats": np.array([1.0, 2.0, NAN, 3.0, 4.0, NAN]),
    "object numbers": [0.5, 1, None, 3, 1, None],
    "names": ["a", "b", None, "a", "b", None],
    "pandas": pd.Series(["a", "b", None, "a", "b", None]),
    "polars": pl.Series([0, 1, None, 0, 1, None]),
    "tensor": torch.tensor([0, 1, -1, 0, 1, -1]),
    "one column": np.array([[0], [1], [-1], [0], [1], [-1]]),
    "labels": np.array([[0, 1], [1, 1], [NAN, NAN], [0, NAN], [NAN, 1], [NAN, NAN]]),
    "frame of numbers": pd.DataFrame({"a": [0.1, 2, NAN, 4, NAN, NAN], "b": [NAN, 1, NAN, 1, 2, NAN]}),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("stratify", ["auto", False])
def test_every_spelling_of_unlabelled(spelling: str, stratify: Any) -> None:
    splits = list(LabeledKFold(2, stratify=stratify).split(np.zeros((6, 1)), SPELLINGS[spelling]))
    assert_is_cross_validation(splits, np.array([True, True, False] * 2))


def test_one_label_of_a_class_is_told() -> None:
    y = np.array([0, 0, 0, 1, 1, 1, 2, 3, -1])
    with pytest.warns(UserWarning, match="Class 2 has one label, and so have 1 other classes: the fold that tests it"):
        splits = list(LabeledKFold(3).split(None, y))
    assert_is_cross_validation(splits, y >= 0)
    assert_is_cross_validation(list(LabeledKFold(3, stratify=False).split(None, y)), y >= 0)


# ------------------------------------------------------------------------------------------------ random splits


@given(
    seed=st.integers(0, 2**16),
    n_classes=st.integers(2, 6),
    test_size=st.sampled_from([0.1, 0.2, 0.5, 0.8, 1, 3]),
    train_size=st.sampled_from([None, 0.2, 4]),
)
def test_random_splits_of_classes(seed: int, n_classes: int, test_size: float, train_size: Any) -> None:
    y = some_classes(np.random.default_rng(seed), 60, n_classes)
    n = int((y >= 0).sum())
    n_test = test_size if isinstance(test_size, int) else max(1, round(test_size * n))
    for train, test in LabeledShuffleSplit(3, test_size=test_size, train_size=train_size, random_state=seed).split(
        None, y
    ):
        assert test.size == n_test
        assert np.all(y[test] >= 0)
        assert np.intersect1d(train, test).size == 0
        assert np.isin(np.flatnonzero(y == -1), train).all()
        labelled = train[y[train] >= 0]
        if train_size is None:
            assert labelled.size == n - n_test
        if labelled.size >= n_classes:
            assert np.unique(y[labelled]).size == n_classes


def test_random_splits_keep_the_shares_of_classes(rng: np.random.Generator) -> None:
    y = some_classes(rng, 2000)
    share = np.bincount(y[y >= 0]) * 0.25
    for _, test in LabeledShuffleSplit(5, test_size=0.25, random_state=0).split(None, y):
        assert np.abs(np.bincount(y[test]) - share).max() <= 1


def test_every_class_trains_where_there_is_room() -> None:
    # two lonely classes and two others: an even share alone would leave class 1 out now and then
    y = np.array([0, 0, 0, 0, 1, 1, 2, 3, -1])
    for train, _ in LabeledShuffleSplit(50, test_size=4, random_state=0).split(None, y):
        assert set(y[train]) == {-1, 0, 1, 2, 3}


def test_more_classes_than_room() -> None:
    y = np.arange(10)
    for train, test in LabeledShuffleSplit(5, random_state=0).split(None, y):
        assert (train.size, test.size) == (8, 2)


def test_random_splits_keep_the_shares_of_labels(rng: np.random.Generator) -> None:
    Y = some_labels(rng, missing=0.3)
    n, yes = int((~np.isnan(Y).all(axis=1)).sum()), (Y == 1).sum(axis=0)
    for train, test in LabeledShuffleSplit(2, test_size=0.2, train_size=0.5, random_state=0).split(None, Y):
        labelled = train[~np.isnan(Y[train]).all(axis=1)]
        assert (test.size, labelled.size) == (round(0.2 * n), round(0.5 * n))
        assert np.isnan(Y).all(axis=1).sum() + labelled.size == train.size
        assert np.abs((Y[test] == 1).sum(axis=0) - 0.2 * yes).max() <= 3
        assert np.abs((Y[labelled] == 1).sum(axis=0) - 0.5 * yes).max() <= 3


# ----------------------------------------------------------------------------------------- within scikit-learn


class Recording(LSVVClassifier):
    """Keeps the y it was fitted to."""

    def fit(self, X: Any, y: Any, **arguments: Any) -> "Recording":
        self.seen_y_ = np.asarray(y)
        return super().fit(X, y, **arguments)


def two_moons(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] > 0).astype(int)
    y[rng.random(120) < 0.7] = -1
    return X, y


def test_a_grid_search_never_scores_an_unlabelled_row(rng: np.random.Generator) -> None:
    X, y = two_moons(rng)
    scored: list[np.ndarray] = []
    n_unlabelled = int((y == -1).sum())

    def record(model: Recording, X_test: np.ndarray, y_test: np.ndarray) -> float:
        scored.append(y_test)
        assert int((model.seen_y_ == -1).sum()) == n_unlabelled
        return model.score(X_test, y_test)

    model = Recording(features=RandomFourier(30), random_state=0)
    search = GridSearchCV(model, {"ridge": [1e-4, 1e-1]}, cv=LabeledKFold(5), scoring=record, refit=False)
    search.fit(X, y)
    assert len(scored) == 10
    assert all(part.min() >= 0 for part in scored)
    assert sum(part.size for part in scored) == 2 * (y >= 0).sum()
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize(
    "cv", [LabeledKFold(3), LabeledShuffleSplit(3, random_state=0)], ids=lambda cv: type(cv).__name__
)
def test_the_default_score_of_every_kind_of_target(rng: np.random.Generator, cv: Any) -> None:
    X, y = two_moons(rng)
    names = np.array(["no", "yes", None], dtype=object)[y]
    Y = np.where(y[:, None] == -1, NAN, np.column_stack([y, 1 - y, X[:, 1] > 0]))
    Y[::7, 1] = NAN
    numbers = np.where(y == -1, NAN, X[:, 0])
    for kind, target in ((LSVVClassifier, y), (LSVVClassifier, names), (LSVVClassifier, Y), (LSVVRegressor, numbers)):
        model = kind(features=RandomFourier(30), random_state=0)
        result = cross_validate(model, X, target, cv=cv, error_score="raise")
        assert result["test_score"].mean() > 0.5


def test_pickle_and_words() -> None:
    cv = pickle.loads(pickle.dumps(LabeledKFold(4)))
    assert repr(cv) == "LabeledKFold(n_splits=4, random_state=None, shuffle=False, stratify='auto')"


# ---------------------------------------------------------------------------------------------------- sentences


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"n_splits": 1}, "n_splits=1 is out of range. Pass an integer of at least 2."),
        ({"n_splits": 2.0}, "n_splits=2.0 is out of range"),
        ({"n_splits": True}, "n_splits=True is out of range"),
        ({"shuffle": "yes"}, "shuffle='yes' is not known. Pass True or False."),
        ({"random_state": 0}, "random_state is given but shuffle=False draws nothing. Pass shuffle=True as well."),
        ({"stratify": True}, "stratify=True is not known. Pass 'auto' or False."),
    ],
)
def test_sentences_of_folds(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        LabeledKFold(**arguments)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"n_splits": 0}, "n_splits=0 is out of range. Pass an integer of at least 1."),
        ({"test_size": 1.0}, "test_size=1.0 is out of range. Pass a share between 0 and 1, a number of labelled rows"),
        ({"train_size": 0}, "train_size=0 is out of range"),
        ({"stratify": "classes"}, "stratify='classes' is not known"),
    ],
)
def test_sentences_of_random_splits(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        LabeledShuffleSplit(**arguments)


@pytest.mark.parametrize(
    ("cv", "y", "sentence"),
    [
        (
            LabeledKFold(3),
            [0, 1, -1, -1],
            "2 of 4 rows are labelled, fewer than n_splits=3: .* Lower n_splits to at most 2, or",
        ),
        (LabeledKFold(3), [0, -1, -1, -1], "a fold would have nothing to test on. Label more rows."),
        (LabeledKFold(3), [-1, -1, -1, -1], "None of the 4 rows is labelled: every y is missing"),
        (LabeledKFold(3), np.full((4, 2), NAN), "None of the 4 rows is labelled"),
        (LabeledKFold(3), [0, 1], "X has 4 rows, y has 2"),
        (LabeledKFold(3), None, "requires y to be passed"),
        (LabeledKFold(2), [1, 1, -1, -1], "y holds only -1 and"),
        (LabeledShuffleSplit(test_size=3), [0, 1, 1, -1], "3 in all, train_size=None and test_size=3 ask for 0"),
        (LabeledShuffleSplit(test_size=2, train_size=0.5), [0, 1, 1, -1], "ask for 2 to train and 2 to test"),
        (LabeledShuffleSplit(), [0, -1, -1, -1], "Each part needs at least 1 row"),
        (LabeledShuffleSplit(random_state="x"), [0, 1, 0, 1], "random_state='x' cannot seed a generator"),
    ],
)
def test_sentences_of_targets(cv: Any, y: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        cv.split(np.zeros((4, 1)), y)


@pytest.mark.parametrize("cv", [LabeledKFold(2), LabeledShuffleSplit()], ids=lambda cv: type(cv).__name__)
def test_groups_are_not_ignored_silently(cv: Any) -> None:
    with pytest.warns(UserWarning, match="The groups are ignored by Labeled"):
        cv.split(np.zeros((4, 1)), [0, 1, 0, 1], groups=[0, 0, 1, 1])
