"""Laws of the shares of candidates, of the average on rows they did not see, and of the model they make."""

import numpy as np
import pytest

from lsvv.selection.average import average


def _stacked(loo: np.ndarray, T: np.ndarray, A: np.ndarray, per_output: bool) -> tuple[np.ndarray, np.ndarray]:
    """Shares and expectation of the average of members that expect ``loo``."""
    found = average(list(loo), T, A, per_output=per_output)
    return found.shares, found.expectation


def _problem() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    T = rng.normal(size=(23, 3))
    known = rng.random(T.shape) < 0.7
    T = np.where(known, T, 0.0)
    return T + rng.normal(size=(4, *T.shape)), T, known / known.sum(axis=0)


@pytest.mark.parametrize("per_output", [False, True])
def test_the_average_on_a_row_does_not_depend_on_its_label(per_output: bool) -> None:
    loo, T, A = _problem()
    other = T.copy()
    other[7] += 10.0
    (_, before), (_, after) = (_stacked(loo, labels, A, per_output) for labels in (T, other))
    np.testing.assert_array_equal(before[7], after[7])
    assert np.any(before != after)


def test_weights_per_output_are_those_of_the_output_alone() -> None:
    loo, T, A = _problem()
    weights, _ = _stacked(loo, T, A, per_output=True)
    for k in range(3):
        alone, _ = _stacked(loo[:, :, [k]], T[:, [k]], A[:, [k]], per_output=False)
        np.testing.assert_allclose(weights[:, [k]], alone, atol=1e-6)
    np.testing.assert_allclose(weights.sum(axis=0), 1.0)


def test_unknown_entries_take_no_part_in_the_weights() -> None:
    loo, T, A = _problem()
    hidden = np.where(A > 0, loo, 1e6)
    np.testing.assert_array_equal(_stacked(loo, T, A, False)[0], _stacked(hidden, T, A, False)[0])


@pytest.mark.parametrize("per_output", [False, True])
def test_an_output_known_in_one_row_shares_evenly_where_that_row_is_left_out(per_output: bool) -> None:
    loo, T, A = _problem()
    A[:, 2] = 0.0
    A[5, 2] = 1.0
    weights, whole = _stacked(loo, T, A, per_output)
    np.testing.assert_allclose(weights.sum(axis=0), 1.0)
    assert np.isfinite(whole).all()
    if per_output:
        np.testing.assert_allclose(whole[5, 2], loo[:, 5, 2].mean())


def test_rows_that_come_in_a_period_are_averaged_as_well_as_shuffled_ones() -> None:
    # five classes in turn; each model is right about two of them
    rng = np.random.default_rng(1)
    labels = np.arange(200) % 5
    T = np.eye(5)[labels]
    right = np.array([[k in ((j % 5), ((j + 1) % 5)) for k in labels] for j in range(5)])
    loo = np.where(right[:, :, None], T, 0.2)
    A = np.full(T.shape, 1.0 / len(T))
    order = rng.permutation(len(T))
    losses = [
        np.sum(A * (_stacked(loo[:, rows], T[rows], A, False)[1] - T[rows]) ** 2) for rows in (slice(None), order)
    ]
    np.testing.assert_allclose(losses[0], losses[1], rtol=0.1)


def test_a_mixture_has_both_parts_of_shares_and_expectation() -> None:
    loo, T, A = _problem()
    every, some = np.ones(4, dtype=bool), np.array([True, False, False, True])
    whole, part = (average(list(loo[use]), T, A, per_output=False).among(use) for use in (every, some))
    assert not part.shares[1:3].any()
    mixed = whole.mixed_with(part, 0.3)
    np.testing.assert_allclose(mixed.shares, 0.3 * whole.shares + 0.7 * part.shares)
    np.testing.assert_allclose(mixed.expectation, 0.3 * whole.expectation + 0.7 * part.expectation)
