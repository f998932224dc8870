"""Laws of the weights of kinds and of the average on rows they did not see."""

import numpy as np
import pytest

from lsvv.selection.ensemble import _kind_weights, _unseen


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
    before, after = (_unseen(loo, labels, A, per_output) for labels in (T, other))
    np.testing.assert_array_equal(before[7], after[7])
    assert np.any(before[8] != after[8])


def test_weights_per_output_are_those_of_the_output_alone() -> None:
    loo, T, A = _problem()
    weights = _kind_weights(loo, T, A, per_output=True)
    for k in range(3):
        alone = _kind_weights(loo[:, :, [k]], T[:, [k]], A[:, [k]], per_output=False)
        np.testing.assert_allclose(weights[:, [k]], alone, atol=1e-6)
    np.testing.assert_allclose(weights.sum(axis=0), 1.0)


def test_unknown_entries_take_no_part_in_the_weights() -> None:
    loo, T, A = _problem()
    hidden = np.where(A > 0, loo, 1e6)
    np.testing.assert_array_equal(_kind_weights(loo, T, A, False), _kind_weights(hidden, T, A, False))
