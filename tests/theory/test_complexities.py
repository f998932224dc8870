from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsvv.theory import (
    contraction,
    rademacher_local,
    rademacher_loss,
    rademacher_outputs,
    rademacher_trace_norm,
)
from lsvv.theory.arguments import Floats

FIXED = settings(deadline=None, derandomize=True, max_examples=60)


def naive_trace_norm(rows: Floats, K: int) -> float:
    norms = []
    for flat in product((-1.0, 1.0), repeat=len(rows) * K):
        signs = np.array(flat).reshape(len(rows), K)
        norms.append(np.linalg.norm(rows.T @ signs / len(rows), ord=2))
    return float(np.mean(norms))


def test_all_signs_agree_with_the_definition() -> None:
    rows = np.random.default_rng(0).standard_normal((4, 3))
    found = rademacher_trace_norm(rows, 2, n_draws=None)
    assert found.value == pytest.approx(naive_trace_norm(rows, 2), rel=1e-12)
    assert found.standard_error == 0


def test_monte_carlo_is_within_its_standard_error_of_the_exact_value() -> None:
    rows = np.random.default_rng(1).standard_normal((5, 3))
    exact = rademacher_trace_norm(rows, 3, n_draws=None).value
    found = rademacher_trace_norm(rows, 3, n_draws=4000, random_state=0)
    assert abs(found.value - exact) < 4 * found.standard_error


def test_orthonormal_rows_with_one_output_have_a_closed_form() -> None:
    assert rademacher_trace_norm(np.eye(9), 1, n_draws=10, random_state=0).draws == pytest.approx(1 / 3)


@FIXED
@given(cuts=st.lists(st.integers(1, 99), max_size=5), seed=st.integers(0, 1000))
def test_blocks_may_be_cut_anywhere(cuts: list[int], seed: int) -> None:
    rows = np.random.default_rng(seed).standard_normal((100, 4))
    whole = rademacher_trace_norm(rows, 3, n_draws=7, random_state=seed)
    cut = rademacher_trace_norm(iter(np.split(rows, sorted(set(cuts)))), 3, n_draws=7, random_state=seed)
    np.testing.assert_allclose(cut.draws, whole.draws, rtol=1e-12)
    assert cut.n_rows == 100


def test_rows_beyond_one_block_and_float32_give_the_same_value() -> None:
    rows = np.random.default_rng(2).standard_normal((9000, 6))
    double = rademacher_trace_norm(rows, 2, n_draws=5, random_state=0)
    single = rademacher_trace_norm(rows.astype(np.float32), 2, n_draws=5, random_state=0)
    np.testing.assert_allclose(single.draws, double.draws, rtol=1e-3)


@FIXED
@given(seed=st.integers(0, 10**6), scale=st.floats(0.1, 10))
def test_the_complexity_is_homogeneous_and_invariant_under_rotation(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((6, 3))
    rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    plain = rademacher_trace_norm(rows, 2, n_draws=9, random_state=1).value
    turned = rademacher_trace_norm(scale * rows @ rotation, 2, n_draws=9, random_state=1).value
    assert turned == pytest.approx(scale * plain, rel=1e-9)


def test_local_complexity_grows_with_the_radius_and_the_outputs() -> None:
    rows = np.random.default_rng(3).standard_normal((12, 5))
    radii = [rademacher_local(rows, 2, r, n_draws=40, random_state=0).value for r in (0.01, 0.1, 1, 10)]
    assert np.all(np.diff(radii) >= 0)
    outputs = [rademacher_local(rows, K, 0.1, n_draws=200, random_state=0).value for K in (1, 3, 9)]
    assert np.all(np.diff(outputs) > 0)


def test_a_data_frame_is_one_block() -> None:
    pd = pytest.importorskip("pandas")
    rows = np.random.default_rng(6).standard_normal((20, 3))
    frame = rademacher_trace_norm(pd.DataFrame(rows), 2, n_draws=5, random_state=0)
    assert frame.value == rademacher_trace_norm(rows.tolist(), 2, n_draws=5, random_state=0).value


def test_rows_of_zeros_have_no_complexity() -> None:
    assert rademacher_local(np.zeros((3, 2)), 2, 0.1, n_draws=4).value == 0


def test_more_features_than_rows_is_the_same_problem_in_the_row_space() -> None:
    rng = np.random.default_rng(4)
    rows = rng.standard_normal((5, 2))
    lifted = rows @ np.linalg.qr(rng.standard_normal((9, 2)))[0].T
    small = rademacher_local(rows, 2, 0.05, n_draws=10, random_state=0).value
    assert rademacher_local(lifted, 2, 0.05, n_draws=10, random_state=0).value == pytest.approx(small, rel=1e-5)


@settings(deadline=None, derandomize=True, max_examples=200)
@given(hypotheses=st.integers(1, 6), n=st.integers(1, 4), K=st.integers(1, 3), seed=st.integers(0, 10**6))
def test_contraction_holds_for_every_finite_class(hypotheses: int, n: int, K: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    outputs = rng.standard_normal((hypotheses, n, K))
    targets = rng.standard_normal((n, K))
    losses = np.linalg.norm(outputs - targets, axis=2)
    measured = rademacher_loss(losses, n_draws=None).value
    complexity = rademacher_outputs(outputs, n_draws=None).value
    assert measured <= contraction(complexity, lipschitz=1.0, n=n).bound + 1e-12


def test_finite_class_monte_carlo_agrees_with_all_signs() -> None:
    losses = np.random.default_rng(5).random((5, 8))
    exact = rademacher_loss(losses, n_draws=None).value
    found = rademacher_loss(losses, n_draws=4000, random_state=0)
    assert abs(found.value - exact) < 4 * found.standard_error


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: rademacher_trace_norm(np.ones((9, 2)), 2, n_draws=None), r"have 2\^18 sign matrices"),
        (lambda: rademacher_trace_norm(np.ones((9, 2)), 0), "n_outputs is 0; it must be a whole number"),
        (lambda: rademacher_trace_norm(np.ones(3), 2), r"Block 0 of the rows has shape \(3,\)"),
        (lambda: rademacher_trace_norm([], 2), r"Block 0 of the rows has shape \(0,\)"),
        (lambda: rademacher_trace_norm(iter([]), 2), "There are no rows"),
        (lambda: rademacher_trace_norm([np.ones((2, 3)), np.ones((2, 4))], 2), "has 4 features, .* before it 3"),
        (lambda: rademacher_trace_norm([[1.0, np.nan]], 2), "Row 0 of block 0 is not finite"),
        (lambda: rademacher_loss(np.ones(3)), r"losses has shape \(3,\); pass \(hypotheses, rows\)"),
        (lambda: rademacher_outputs(np.ones((2, 3))), r"outputs has shape \(2, 3\); pass"),
    ],
)
def test_errors_are_sentences(call: object, sentence: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=sentence):
        call()
