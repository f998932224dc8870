"""Quadratic penalties and their slopes; spectral penalties and the laws of a prox."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import laws
from laws import Put
from lsvv.penalties import Manifold, QuadraticPenalty, Ridge, TailSum, TailSumAsPrinted

D, K = 6, 4
ROOT = np.random.default_rng(1).normal(size=(D, D))
G = ROOT @ ROOT.T / D

QUADRATIC: dict[str, Callable[[], QuadraticPenalty]] = {
    "ridge": lambda: Ridge(0.3),
    "manifold": lambda: Manifold(0.7, G),
}
TAIL_SUMS = [TailSum(0.8, free_rank) for free_rank in range(K + 1)]


@pytest.mark.parametrize("name", QUADRATIC)
@given(seed=st.integers(0, 10_000))
def test_the_gradient_of_a_quadratic_penalty_is_its_slope(name: str, seed: int) -> None:
    W, E = np.random.default_rng(seed).normal(size=(2, D, K))
    laws.assert_quadratic_gradient_is_the_slope(QUADRATIC[name](), W, E)


@pytest.mark.parametrize("name", QUADRATIC)
def test_a_quadratic_penalty_is_the_matrix_it_adds(name: str, rng: np.random.Generator) -> None:
    penalty, W = QUADRATIC[name](), rng.normal(size=(D, K))
    Q = penalty.add_to(np.zeros((D, D)))
    assert penalty.value(W) == pytest.approx(np.trace(W.T @ Q @ W))
    laws.assert_close(penalty.times(W), Q @ W)


def test_quadratic_penalties_agree_on_numpy_and_torch(put: Put, rng: np.random.Generator) -> None:
    W = rng.normal(size=(D, K))
    for here, there in [(Ridge(0.3), Ridge(0.3)), (Manifold(0.7, G), Manifold(0.7, put(G)))]:
        assert there.value(put(W)) == pytest.approx(here.value(W))
        laws.assert_close(there.gradient(put(W)), here.gradient(W))
        laws.assert_close(there.add_to(put(G)), here.add_to(G))


@pytest.mark.parametrize("penalty", TAIL_SUMS, ids=str)
@given(seed=st.integers(0, 10_000), step=st.floats(1e-3, 3.0))
def test_no_competitor_lies_below_the_prox(penalty: TailSum, seed: int, step: float) -> None:
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(D, K))
    P = penalty.prox(W, step)
    near = [P + scale * rng.normal(size=(D, K)) for scale in (1e-4, 1e-2, 1.0)]
    laws.assert_prox_is_minimal(penalty, W, step, [W, np.zeros((D, K)), 0.5 * W, *near])


@pytest.mark.parametrize("penalty", [p for p in TAIL_SUMS if p.convex], ids=str)
@given(seed=st.integers(0, 10_000), step=st.floats(1e-3, 3.0))
def test_convex_penalties_obey_the_three_point_inequality(penalty: TailSum, seed: int, step: float) -> None:
    W, V = np.random.default_rng(seed).normal(size=(2, D, K))
    laws.assert_three_points(penalty, W, step, V)


@pytest.mark.parametrize("penalty", [p for p in TAIL_SUMS if p.convex], ids=str)
@given(seed=st.integers(0, 10_000))
def test_the_prox_of_a_convex_penalty_moves_points_no_further_apart(penalty: TailSum, seed: int) -> None:
    W, V = np.random.default_rng(seed).normal(size=(2, D, K))
    assert np.linalg.norm(penalty.prox(W, 0.5) - penalty.prox(V, 0.5)) <= np.linalg.norm(W - V) * (1 + 1e-12)


def test_the_tail_sum_is_convex_only_at_its_ends() -> None:
    assert [p.convex for p in TAIL_SUMS] == [True, False, False, False, False]
    assert TailSum(0.0, 2).convex
    assert not TailSumAsPrinted(0.8, 2).convex


@pytest.mark.parametrize("free_rank", [1, 2, 3])
def test_a_tail_sum_that_says_it_is_not_convex_is_not(free_rank: int) -> None:
    penalty = TailSum(1.0, free_rank)
    first = np.diag([1.0] * free_rank + [0.0] * (K - free_rank))
    second = np.diag([0.0] * (K - free_rank) + [1.0] * free_rank)
    assert penalty.value((first + second) / 2) > (penalty.value(first) + penalty.value(second)) / 2 + 0.1


def test_the_printed_rule_is_no_prox() -> None:
    W = np.random.default_rng(0).normal(size=(12, 8), scale=0.3)
    penalty = TailSumAsPrinted(1.0, 3)
    stay, moved = (laws.prox_objective(penalty, V, W, 0.3) for V in (W, penalty.prox(W, 0.3)))
    assert moved > stay


def test_spectral_penalties_agree_on_numpy_and_torch(put: Put, rng: np.random.Generator) -> None:
    W = rng.normal(size=(D, K))
    for penalty in [TailSum(0.8, 2), TailSumAsPrinted(0.8, 2)]:
        assert penalty.value(put(W)) == pytest.approx(penalty.value(W))
        laws.assert_close(penalty.prox(put(W), 0.5), penalty.prox(W, 0.5))
