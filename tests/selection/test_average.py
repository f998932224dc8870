"""Laws of the shares of candidates, of the average on rows they did not see, and of the model they make."""

import numpy as np
import pytest

from lsvv.selection.average import average
from lsvv.selection.averaging import LeftOut, loo_weights, mixed


def _stacked(loo: np.ndarray, T: np.ndarray, A: np.ndarray, per_output: bool) -> tuple[np.ndarray, np.ndarray]:
    """Shares and expectation of the average of members that expect ``loo``."""
    found = average([LeftOut.plain(one) for one in loo], T, A, per_output=per_output)
    return found.shares, found.expectation.apart


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


def test_parts_that_an_average_did_not_use_have_no_share() -> None:
    loo, T, A = _problem()
    some = np.array([True, False, False, True])
    part = average([LeftOut.plain(one) for one in loo[some]], T, A, per_output=False)
    shares = part.among(some).shares
    assert not shares[1:3].any()
    np.testing.assert_array_equal(shares[some], part.shares)


def test_what_all_rows_expect_together_is_the_sum_of_the_shares() -> None:
    loo, T, A = _problem()
    found = average([LeftOut.plain(one) for one in loo], T, A, per_output=True)
    np.testing.assert_allclose(found.expectation.together, np.sum(found.shares[:, None, :] * loo, axis=0))


def test_honest_scores_of_chosen_ridges_are_those_of_ridges_that_were_not_chosen_on_noise() -> None:
    """Twice the difference is what a row's label does to the weights: by its own residual, and by those of others."""
    rng = np.random.default_rng(0)
    n, draws, ridges = 20, 1000, 10.0 ** np.arange(-3, 3)
    gaps: dict[str, list[float]] = {"together": [], "apart": [], "honest": []}
    for _ in range(draws):
        X, fresh = rng.normal(size=(n, 3)), rng.normal(size=(100, 3))
        y = rng.normal(size=(n, 1))
        K, across = (np.exp(-0.5 * ((rows[:, None] - X) ** 2).sum(axis=2)) for rows in (X, fresh))
        inverses = [np.linalg.inv(K + ridge * np.eye(n)) for ridge in ridges]
        loo = [LeftOut.plain(y - (B @ y) / np.diag(B)[:, None]) for B in inverses]
        residuals, predicted = np.array([one.apart - y for one in loo]), np.array([across @ (B @ y) for B in inverses])

        def shares_by(rows: np.ndarray, residuals: np.ndarray = residuals) -> np.ndarray:
            return loo_weights((residuals[:, rows] ** 2).sum(axis=1), float(rows.sum()), sharpness=1.0)

        def gap(said: np.ndarray, shares: np.ndarray, y: np.ndarray = y, predicted: np.ndarray = predicted) -> float:
            truth = 1.0 + np.mean(np.sum(shares[:, None] * predicted, axis=0) ** 2)
            return float(np.mean((said - y) ** 2) - truth)

        even = np.full((len(ridges), 1), 1.0 / len(ridges))
        # one label less costs a little, whatever the shares
        unchosen = gap(np.mean([one.apart for one in loo], axis=0), even)
        shares, found = mixed(loo, shares_by)
        for name, values in gaps.items():
            values.append(gap(getattr(found, name), shares) - unchosen)
    bias = {name: float(np.mean(values)) for name, values in gaps.items()}
    assert bias["together"] < bias["apart"] < -0.03
    assert abs(bias["honest"]) < 0.5 * abs(bias["apart"])
