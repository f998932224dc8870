from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from reproduction.data import Dataset, Fold, column_range, make_fold, split, visible_targets
from reproduction.data.registry import Task

SEEDS = st.integers(0, 2**32 - 1)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.lists(st.integers(0, 4), min_size=4, max_size=80), SEEDS, st.sampled_from([0.01, 0.1, 0.5, 1.0]))
def test_no_class_in_the_training_rows_is_without_a_label(classes: list[int], seed: int, share: float) -> None:
    y = np.array(classes)
    drawn = split(y, "multi-class", seed, labelled=share)
    assert sorted([*drawn.train, *drawn.test]) == list(range(len(y)))
    assert sorted([*drawn.labelled, *drawn.unlabelled]) == drawn.train.tolist()
    for value in np.unique(y[drawn.train]):
        members = y[drawn.train] == value
        assert drawn.known[members].sum() == np.ceil(round(share * members.sum(), 6))


@pytest.mark.parametrize("task", ["multi-label", "regression"])
def test_half_the_rows_or_half_of_each_outputs_entries_are_seen(task: Task) -> None:
    Y = np.zeros((101, 3))
    rows = split(Y, task, seed=3)
    assert rows.known.shape == (71, 3)
    assert (rows.known.all(axis=1) == rows.known.any(axis=1)).all()
    assert len(rows.labelled) == 36
    entries = split(Y, task, seed=3, unit="entries")
    assert entries.known.sum(axis=0).tolist() == [36, 36, 36]
    assert len(entries.labelled) > 36
    np.testing.assert_array_equal(rows.train, entries.train)


def test_equal_seeds_give_equal_splits_and_other_seeds_others() -> None:
    y = np.arange(200) % 4
    first, again, other = (split(y, "multi-class", seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first.train, again.train)
    np.testing.assert_array_equal(first.known, again.known)
    assert (first.train != other.train).any()


@pytest.mark.parametrize(("task", "unit"), [("multi-class", "rows"), ("regression", "rows"), ("regression", "entries")])
def test_labels_seen_at_a_small_share_are_seen_at_a_larger_one(task: Task, unit: str) -> None:
    y = np.arange(120) % 3 if task == "multi-class" else np.zeros((120, 2))
    shares = [split(y, task, 0, labelled=share, unit=unit) for share in (0.1, 0.3, 1.0)]  # type: ignore[arg-type]
    for fewer, more in pairwise(shares):
        np.testing.assert_array_equal(fewer.train, more.train)
        assert (more.known | ~fewer.known).all()
    assert shares[-1].known.all()


def test_hidden_targets_are_marked() -> None:
    y = np.arange(40) % 2
    drawn = split(y, "multi-class", 0)
    shown = visible_targets(y, drawn)
    np.testing.assert_array_equal(shown == -1, ~drawn.known)
    np.testing.assert_array_equal(shown[drawn.known], y[drawn.labelled])
    Y = np.arange(80).reshape(40, 2)
    entries = split(Y, "multi-label", 0, unit="entries")
    np.testing.assert_array_equal(np.isnan(visible_targets(Y, entries)), ~entries.known)


TARGETS: dict[Task, NDArray[np.int64] | NDArray[np.float64]] = {
    "multi-class": np.arange(60) % 3,
    "multi-label": np.random.default_rng(0).integers(0, 2, (60, 3)),
    "regression": np.random.default_rng(0).normal(size=(60, 3)),
}


@pytest.mark.parametrize("task", TARGETS)
@pytest.mark.parametrize("sparse", [False, True])
def test_no_test_row_changes_what_is_trained_on(task: Task, sparse: bool) -> None:
    rng = np.random.default_rng(0)
    X = np.abs(rng.normal(size=(60, 4))) * (rng.random((60, 4)) < 0.5)
    y = TARGETS[task]
    drawn = split(y, task, seed=2)
    spoilt_X, spoilt_y = X.copy(), y.copy()
    spoilt_X[drawn.test] = 1e6
    spoilt_y[drawn.test] = 2
    np.testing.assert_array_equal(drawn.known, split(spoilt_y, task, seed=2).known)

    def fold(inputs: NDArray[np.float64], targets: NDArray[np.int64] | NDArray[np.float64]) -> Fold:
        data = Dataset("iris", task, csr_matrix(inputs) if sparse else inputs, targets, (), ())
        return make_fold(data, drawn)

    clean, spoilt = fold(X, y), fold(spoilt_X, spoilt_y)
    np.testing.assert_array_equal(csr_matrix(clean.X_train).toarray(), csr_matrix(spoilt.X_train).toarray())
    np.testing.assert_array_equal(clean.y_train, spoilt.y_train)


def test_regression_targets_are_scaled_by_training_rows_and_come_back() -> None:
    rng = np.random.default_rng(1)
    Y = rng.normal(size=(50, 3)) * [1.0, 10.0, 100.0]
    drawn = split(Y, "regression", seed=0)
    fold = make_fold(Dataset("rf2", "regression", np.ones((50, 1)), Y, (), ()), drawn)
    assert (fold.y_train_true.min(axis=0) == 0).all()
    assert (fold.y_train_true.max(axis=0) == 1).all()
    assert fold.target_range is not None
    np.testing.assert_allclose(fold.target_range.unscale(fold.y_test), Y[drawn.test], rtol=1e-12)


def test_sparse_and_dense_scaling_agree_and_constant_columns_become_zero() -> None:
    X = np.array([[0.0, 3.0, 1.0, 0.0], [2.0, 3.0, 0.0, 0.0], [4.0, 3.0, 0.5, 0.0]])
    dense, sparse = column_range(X), column_range(csr_matrix(X))
    expected = [[0, 0, 1, 0], [0.5, 0, 0, 0], [1, 0, 0.5, 0]]
    np.testing.assert_array_equal(dense.scale(X), expected)
    np.testing.assert_array_equal(csr_matrix(sparse.scale(csr_matrix(X))).toarray(), expected)
    later = np.array([[8.0, 9.0, 0.0, 9.0]])
    np.testing.assert_array_equal(dense.scale(later), [[2, 0, 0, 0]])
    np.testing.assert_array_equal(csr_matrix(sparse.scale(csr_matrix(later))).toarray(), [[2, 0, 0, 0]])
    assert column_range(X.astype(np.float32)).scale(X.astype(np.float32)).dtype == np.float32


def test_missing_inputs_stay_missing_and_leave_the_range_alone() -> None:
    X = np.array([[np.nan, 1.0], [2.0, np.nan], [4.0, 3.0]])
    np.testing.assert_array_equal(column_range(X).scale(X), [[np.nan, 0], [0, np.nan], [1, 1]])


def test_wrong_requests_are_refused_with_a_sentence() -> None:
    y = np.arange(10) % 2
    with pytest.raises(ValueError, match="above 0 and at most 1, but labelled=0"):
        split(y, "multi-class", 0, labelled=0)
    with pytest.raises(ValueError, match="between 0 and 1, but train_share=1"):
        split(y, "multi-class", 0, train_share=1)
    with pytest.raises(ValueError, match="A class has no entries to hide"):
        split(y, "multi-class", 0, unit="entries")
    with pytest.raises(ValueError, match="Column 1 of the sparse X has the least value -1"):
        column_range(csr_matrix(np.array([[0.0, -1.0], [1.0, 0.0]])))
