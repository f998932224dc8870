"""Dividing rows: dealt evenly by class, balanced by labels, spread evenly over places."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsvv.selection.stratification import balance, deal, even_sizes, spread_out


def counts(columns: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """Counts of boolean columns in each part."""
    return np.array([columns[parts == part].sum(axis=0) for part in range(parts.max() + 1)])


@given(classes=st.lists(st.integers(0, 4), min_size=5, max_size=40), n_parts=st.integers(2, 5), seed=st.integers(0, 99))
def test_dealt_parts_differ_by_one(classes: list[int], n_parts: int, seed: int) -> None:
    of_rows = np.array(classes)
    parts = deal(of_rows, n_parts, np.random.default_rng(seed).permutation(of_rows.size))
    assert np.array_equal(np.bincount(parts, minlength=n_parts), even_sizes(of_rows.size, n_parts))
    assert np.ptp(counts(of_rows[:, None] == np.arange(5), parts), axis=0).max() <= 1


@given(seed=st.integers(0, 2**16), sizes=st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_balanced_parts_have_the_sizes_asked_for(seed: int, sizes: list[int]) -> None:
    rng, n = np.random.default_rng(seed), sum(sizes)
    Y = np.where(rng.random((n, 3)) < 0.3, np.nan, rng.integers(2, size=(n, 3)))
    assert np.bincount(balance(Y, np.array(sizes), rng.permutation(n))).tolist() == sizes


def test_each_label_by_itself_is_dealt_out_evenly() -> None:
    # rows with one label each are classes: the balance must be as good as dealing
    Y = np.repeat(np.eye(4), [3, 7, 12, 23], axis=0)
    folds = balance(Y, even_sizes(45, 5), np.arange(45))
    assert np.ptp(counts(Y == 1, folds), axis=0).max() <= 1
    assert np.bincount(folds).tolist() == [9] * 5


def iterative_stratification(Y: np.ndarray, n_parts: int, rng: np.random.Generator) -> np.ndarray:
    """Sechidis, Tsoumakas and Vlahavas (2011): the rarest label that is left, to the part that wants it most."""
    yes, parts = Y == 1, np.full(len(Y), -1)
    wants_rows, wants = np.full(n_parts, len(Y) / n_parts), np.tile(yes.sum(axis=0) / n_parts, (n_parts, 1))
    while (parts == -1).any():
        left = yes[parts == -1].sum(axis=0)
        label = np.where(left > 0, left, len(Y) + 1).argmin()
        for row in np.flatnonzero((parts == -1) & (yes[:, label] | (left.sum() == 0))):
            most = wants[:, label] if left.any() else wants_rows
            best = np.flatnonzero(most == most.max())
            part = rng.choice(best[wants_rows[best] == wants_rows[best].max()])
            parts[row], wants_rows[part], wants[part] = part, wants_rows[part] - 1, wants[part] - yes[row]
    return parts


@pytest.mark.parametrize("frequent", [0.1, 0.5])
def test_no_less_even_than_iterative_stratification(rng: np.random.Generator, frequent: float) -> None:
    Y = (rng.random((500, 8)) < frequent).astype(float)
    columns = np.column_stack([Y == 1, np.ones(500, dtype=bool)])
    ours = np.ptp(counts(columns, balance(Y, even_sizes(500, 5), np.arange(500))), axis=0)
    theirs = np.ptp(counts(columns, iterative_stratification(Y, 5, rng)), axis=0)
    assert ours[-1] == 0
    assert ours.sum() <= theirs.sum()


@given(n=st.integers(1, 40), data=st.data())
def test_spread_places_lie_evenly(n: int, data: st.DataObject) -> None:
    count, offset = data.draw(st.integers(0, n)), data.draw(st.integers(0, n - 1))
    taken = spread_out(n, count, offset)
    assert taken.sum() == count
    for length in range(1, n + 1):
        windows = np.convolve(taken, np.ones(length), mode="valid")
        assert np.abs(windows - length * count / n).max() < 1
