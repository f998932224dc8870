"""The singular-value maps: exact against fifty digits, lawful at both ends of free_rank."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import laws
import naive
from laws import Put
from lsvv import spectral
from lsvv.linalg import to_numpy
from lsvv.penalties import TailSum


def with_singular_values(values: Any, n_rows: int, seed: int = 0) -> np.ndarray:
    """A matrix with these singular values and random singular vectors."""
    rng = np.random.default_rng(seed)
    K = len(values)
    U = np.linalg.qr(rng.normal(size=(n_rows, K)))[0]
    V = np.linalg.qr(rng.normal(size=(K, K)))[0]
    return np.asarray((U * np.asarray(values)) @ V.T)


def relative_error(step: np.ndarray, exact: np.ndarray) -> float:
    return float(np.linalg.norm(step - exact) / np.linalg.norm(exact))


CONDITIONS = [1e1, 1e4, 1e6, 1e8, 1e10]
THRESHOLDS = [1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1.0]


@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("free_rank", [0, 2])
def test_the_step_is_exact_to_a_millionth(condition: float, threshold: float, free_rank: int) -> None:
    W = with_singular_values(np.geomspace(1.0, 1.0 / condition, 5), 8)
    exact = naive.exact_step(W, threshold, free_rank)
    assert relative_error(spectral._step(W, threshold, free_rank), exact) < 1e-6


@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_tail_of_one_value_is_exact_to_a_millionth_or_to_the_rounding_of_w(
    condition: float, threshold: float
) -> None:
    W = with_singular_values(np.geomspace(1.0, 1.0 / condition, 5), 8)
    exact = naive.exact_step(W, threshold, 4)
    # the smallest singular pair of the rounded W is known to eps * condition only
    assert relative_error(spectral._step(W, threshold, 4), exact) < max(1e-6, 2.2e-16 * condition)


@pytest.mark.parametrize("threshold", [1e-8, 1e-6, 1e-3])
@pytest.mark.parametrize("small", [1e-3, 1e-5, 1e-6, 1e-7, 1e-8])
def test_the_step_is_exact_where_small_values_straddle_the_free_rank(small: float, threshold: float) -> None:
    W = with_singular_values([1.0, small, 0.9 * small, 0.1 * small], 8)
    exact = naive.exact_step(W, threshold, 2)
    assert relative_error(spectral._step(W, threshold, 2), exact) < 1e-6


@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_clustered_tail_is_exact_to_a_millionth(condition: float, threshold: float) -> None:
    W = with_singular_values([1.0, 1.0, 2 / condition, 2 / condition, 1 / condition], 8)
    exact = naive.exact_step(W, threshold, 0)
    assert relative_error(spectral._step(W, threshold, 0), exact) < 1e-6


def test_the_gram_route_is_taken_where_the_tail_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    W = with_singular_values(np.geomspace(1.0, 1e-3, 6), 40)
    expected = naive.prox_tail_sum(W, 0.05, 0)
    monkeypatch.setattr(spectral, "_step_by_svd", None)
    laws.assert_close(spectral.prox_tail_sum(W, 0.05, 0), expected)


def test_the_svd_route_is_taken_where_squaring_would_lose_the_tail(monkeypatch: pytest.MonkeyPatch) -> None:
    W = with_singular_values(np.geomspace(1.0, 1e-9, 6), 40)
    calls: list[float] = []
    by_svd = spectral._step_by_svd

    def counted(W: Any, threshold: float, free_rank: int) -> Any:
        calls.append(threshold)
        return by_svd(W, threshold, free_rank)

    monkeypatch.setattr(spectral, "_step_by_svd", counted)
    laws.assert_close(spectral.prox_tail_sum(W, 1e-11, 0), naive.prox_tail_sum(W, 1e-11, 0))
    assert calls == [1e-11]


@given(
    shape=st.tuples(st.integers(1, 7), st.integers(1, 7)),
    share=st.floats(0.0, 1.5),
    free=st.floats(0.0, 1.0),
    seed=st.integers(0, 10_000),
)
def test_the_prox_is_that_of_a_plain_svd(shape: tuple[int, int], share: float, free: float, seed: int) -> None:
    W = np.random.default_rng(seed).normal(size=shape)
    free_rank = round(free * min(shape))
    threshold = share * float(np.linalg.norm(W, 2))
    laws.assert_close(spectral.prox_tail_sum(W, threshold, free_rank), naive.prox_tail_sum(W, threshold, free_rank))


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-7, 1e-9])
def test_the_error_of_the_gram_route_is_owned_up_to_where_a_free_value_is_next_to_a_cut_one(
    gap: float, place: int
) -> None:
    sigma = np.array([1.0, 0.6, 0.4, 0.2])
    sigma[place] = sigma[place - 1] - gap
    W = with_singular_values(sigma, 40, seed=1)
    step, told = spectral._step_by_gram(W, 0.1, place)
    error = np.linalg.norm(step - naive.exact_step(W, 0.1, place))
    assert error < told < 1e-14 / gap


@pytest.mark.parametrize("shape", [(9, 4), (4, 9), (5, 5)])
def test_numpy_and_torch_agree(put: Put, shape: tuple[int, int], rng: np.random.Generator) -> None:
    W = rng.normal(size=shape)
    prox = spectral.prox_tail_sum(put(W), 0.7, 2)
    assert type(prox) is type(put(W))
    laws.assert_close(prox, naive.prox_tail_sum(W, 0.7, 2))
    laws.assert_close(spectral.singular_values(put(W)), np.linalg.svd(W, compute_uv=False))
    assert spectral.tail_sum(put(W), 2) == pytest.approx(np.linalg.svd(W, compute_uv=False)[2:].sum())
    laws.assert_close(spectral.shrink_leading_as_printed(put(W), 0.0, 2), W)


def test_the_tail_rule_keeps_the_leading_values() -> None:
    W = with_singular_values([5.0, 3.0, 2.0, 1.0, 0.2], 7)
    laws.assert_close(spectral.singular_values(spectral.prox_tail_sum(W, 0.5, 2)), [5.0, 3.0, 1.5, 0.5, 0.0])


def test_the_printed_rule_lowers_the_leading_values() -> None:
    W = with_singular_values([5.0, 3.0, 2.0, 1.0, 0.2], 7)
    printed = spectral.shrink_leading_as_printed(W, 0.5, 2)
    laws.assert_close(spectral.singular_values(printed), [4.5, 2.5, 2.0, 1.0, 0.2])


def test_free_rank_zero_is_singular_value_thresholding(rng: np.random.Generator) -> None:
    W = rng.normal(size=(6, 4))
    U, sigma, Vt = np.linalg.svd(W, full_matrices=False)
    laws.assert_close(spectral.prox_tail_sum(W, 0.8, 0), (U * np.maximum(sigma - 0.8, 0)) @ Vt)
    assert spectral.tail_sum(W, 0) == pytest.approx(np.linalg.norm(W, "nuc"))


@pytest.mark.parametrize("shape", [(6, 4), (4, 6)])
def test_full_free_rank_is_no_penalty(shape: tuple[int, int], rng: np.random.Generator) -> None:
    W = rng.normal(size=shape)
    np.testing.assert_array_equal(spectral.prox_tail_sum(W, 3.0, 4), W)
    assert spectral.tail_sum(W, 4) == 0.0


def test_the_printed_rule_raises_the_objective_where_the_tail_rule_lowers_it() -> None:
    W = np.random.default_rng(0).normal(size=(12, 8), scale=0.3)
    penalty = TailSum(1.0, 3)
    stay, printed, tail = (
        laws.prox_objective(penalty, V, W, 0.3)
        for V in (W, spectral.shrink_leading_as_printed(W, 0.3, 3), spectral.prox_tail_sum(W, 0.3, 3))
    )
    assert tail < stay < printed


def test_a_zero_matrix_stays_zero(put: Put) -> None:
    zero = put(np.zeros((5, 3)))
    for free_rank in (0, 1, 3):
        np.testing.assert_array_equal(to_numpy(spectral.prox_tail_sum(zero, 0.1, free_rank)), np.zeros((5, 3)))
    assert spectral.effective_rank(zero) == 0


def test_a_matrix_cut_whole_is_exactly_zero_and_of_rank_zero(put: Put, rng: np.random.Generator) -> None:
    W = rng.normal(size=(6, 4))
    cut = spectral.prox_tail_sum(put(W), 1.01 * float(np.linalg.norm(W, 2)), 0)
    np.testing.assert_array_equal(to_numpy(cut), 0.0)
    assert spectral.effective_rank(cut) == 0


def test_single_precision_stays_single_and_is_rounded_once(put: Put) -> None:
    W = with_singular_values(np.geomspace(1.0, 1e-4, 5), 8).astype(np.float32)
    prox = spectral.prox_tail_sum(put(W), 1e-3, 1)
    assert to_numpy(prox).dtype == np.float32
    laws.assert_close(prox, naive.prox_tail_sum(W.astype(np.float64), 1e-3, 1), rtol=0, atol=1e-7)


def test_a_negative_threshold_is_refused() -> None:
    with pytest.raises(ValueError, match="threshold=-1 is negative"):
        spectral.prox_tail_sum(np.eye(2), -1, 0)


def test_effective_rank_counts_what_is_not_rounding() -> None:
    assert spectral.effective_rank(with_singular_values([2.0, 1.0, 1e-5, 1e-9], 6)) == 3


@pytest.mark.parametrize(
    ("free_rank", "count"),
    [(0, 0), (3, 3), (7, 7), (0.0, 0), (1.0, 7), (0.5, 4), (1 / 7, 1), (np.int64(2), 2), (np.float32(0.5), 4)],
)
def test_free_rank_counts_or_is_a_fraction_rounded_up(free_rank: Any, count: int) -> None:
    assert spectral.resolve_free_rank(free_rank, 100, 7) == count


def test_a_fraction_is_not_rounded_up_by_its_own_rounding() -> None:
    assert [spectral.resolve_free_rank(tenth / 10, 10, 10) for tenth in range(11)] == list(range(11))


@pytest.mark.parametrize("free_rank", [-1, 8, 1.5, -0.1, float("nan"), "half", True, None])
def test_free_rank_out_of_range_is_refused(free_rank: Any) -> None:
    with pytest.raises(ValueError, match=r"free_rank=.* is out of range. Pass an integer from 0 to min\(D, K\) = 7"):
        spectral.resolve_free_rank(free_rank, 100, 7)


SPECTRA = st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=12).map(lambda v: np.sort(v)[::-1])


@given(sigma=SPECTRA, n=st.integers(1, 10_000))
def test_the_balanced_free_rank_is_the_first_whose_head_is_not_below_its_tail(sigma: np.ndarray, n: int) -> None:
    theta = spectral.balanced_free_rank(sigma, n)
    share = sigma / sigma.sum()
    assert theta**2 >= n * np.sum(share[theta:] ** 2)
    assert all(t**2 < n * np.sum(share[t:] ** 2) * (1 + 1e-9) for t in range(theta))


@given(sigma=SPECTRA, n=st.integers(1, 10_000))
def test_the_balanced_bound_is_at_most_twice_the_smallest(sigma: np.ndarray, n: int) -> None:
    share = sigma / sigma.sum()
    bounds = np.array([t / n + np.sqrt(np.sum(share[t:] ** 2) / n) for t in range(sigma.size + 1)])
    assert bounds[spectral.balanced_free_rank(sigma, n)] <= 2 * bounds.min() + 2 / n + 1e-12


@given(sigma=SPECTRA, n=st.integers(1, 1000), unit=st.floats(1e-3, 1e3))
def test_the_balanced_free_rank_grows_with_the_labels_and_knows_no_unit(sigma: np.ndarray, n: int, unit: float) -> None:
    theta = spectral.balanced_free_rank(sigma, n)
    assert 1 <= theta <= spectral.balanced_free_rank(sigma, 10 * n)
    # a unit may move a tie by rounding, so the labels are moved off it first
    assert spectral.balanced_free_rank(unit * sigma, n + 1) >= theta


def test_many_labels_free_the_rank_and_equal_values_have_a_closed_form() -> None:
    assert spectral.balanced_free_rank(np.array([3.0, 2.0, 1.0, 0.0, 0.0]), 10**12) == 3
    # theta^2 >= n (K - theta) / K^2 with n = K^2: theta^2 + theta >= K
    assert spectral.balanced_free_rank(np.ones(11), 121) == 3
    assert spectral.balanced_free_rank(np.zeros(4), 50) == 0


@pytest.mark.parametrize("shape", [(7, 4), (4, 7)])
def test_a_stack_is_proxed_as_its_matrices_are(shape: tuple[int, int]) -> None:
    W = np.random.default_rng(0).normal(size=(5, *shape))
    thresholds, free_ranks = np.array([0.0, 0.3, 1.0, 2.0, 9.0]), np.array([0, 1, 0, 3, 4])
    together = spectral.prox_tail_sums(W, thresholds, free_ranks)
    for V, one, threshold, free in zip(together, W, thresholds, free_ranks, strict=True):
        np.testing.assert_allclose(V, spectral.prox_tail_sum(one, float(threshold), int(free)), atol=1e-10)
