"""The sums that learning needs from rows: whatever the blocks and their order, the sums are the same."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import laws
from laws import Put
from lsvv.linalg import to_numpy
from lsvv.sums import Moments, Sums, label_sums, smoothness_sums

N, D, K = 60, 5, 4


def made_up(seed: int, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, targets, and weights with three masks among four outputs; the first rows are known for all alike."""
    rng = np.random.default_rng(seed)
    A = np.repeat(rng.uniform(0.5, 2.0, size=(N, 1)), K, axis=1)
    A[20:, 1] *= rng.random(40) < 0.5
    A[30:45, 2] = 0.0
    return rng.normal(size=(N, D)) + shift, rng.normal(size=(N, K)), A


def blocks(data: tuple[Any, ...], cuts: list[int]) -> list[Sums]:
    return [label_sums(*(part[a:b] for part in data)) for a, b in pairwise([0, *cuts, N])]


def assert_equal(one: Sums, other: Sums, rtol: float = 1e-12) -> None:
    assert [group.columns.tolist() for group in one.moments] == [group.columns.tolist() for group in other.moments]
    for a, b in zip(one.moments, other.moments, strict=True):
        for name in Moments.__dataclass_fields__:
            there = to_numpy(getattr(b, name))
            np.testing.assert_allclose(
                to_numpy(getattr(a, name)), there, rtol=rtol, atol=rtol * max(1.0, float(np.abs(there).max()))
            )


@given(seed=st.integers(0, 10_000), cuts=st.lists(st.integers(1, N - 1), unique=True, max_size=6).map(sorted))
def test_blocks_of_any_size_in_any_order_add_to_the_whole(seed: int, cuts: list[int]) -> None:
    data = made_up(seed)
    parts, whole = blocks(data, cuts), label_sums(*data)
    assert_equal(sum(parts, Sums()), whole)
    assert_equal(sum(np.random.default_rng(seed).permutation(np.array(parts, dtype=object)), Sums()), whole)


@given(seed=st.integers(0, 10_000))
def test_addition_is_associative_and_commutative(seed: int) -> None:
    a, b, c = blocks(made_up(seed), [15, 35])
    assert_equal((a + b) + c, a + (b + c))
    assert_equal(a + b, b + a)
    assert_equal(a + Sums(), a)


@pytest.mark.parametrize("block_rows", [1, 7, 30])
def test_rows_far_from_0_lose_no_digits(block_rows: int) -> None:
    Phi, T, A = made_up(0, shift=2.0**20)
    Phi = np.round(Phi * 2**20) / 2**20
    far = sum(blocks((Phi, T, A), list(range(block_rows, N, block_rows))), Sums())
    near = label_sums(Phi - 2.0**20, T, A)
    for one, other in zip(far.moments, near.moments, strict=True):
        laws.assert_close(one.C, other.C, atol=1e-10 * float(np.abs(other.C).max()))
        laws.assert_close(one.B, other.B, atol=1e-10 * float(np.abs(other.C).max()))


@pytest.mark.parametrize("cached_bytes", [2**24, 8 * 3 * 4])
def test_the_moments_are_those_of_the_definition(put: Put, cached_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsvv.linalg.products.CACHED_BYTES", cached_bytes)
    Phi, T, A = made_up(1)
    for group in label_sums(put(Phi), put(T), A).moments:
        a = A[:, group.columns[0]]
        mean, target_mean = a @ Phi / a.sum(), a @ T[:, group.columns] / a.sum()
        laws.assert_close(group.C, (Phi - mean).T @ np.diag(a) @ (Phi - mean))
        laws.assert_close(group.B, (Phi - mean).T @ np.diag(a) @ (T[:, group.columns] - target_mean))
        laws.assert_close(group.squares, a @ (T[:, group.columns] - target_mean) ** 2)
        assert group.weight == pytest.approx(a.sum())


def test_sparse_blocks_add_to_those_of_dense_ones() -> None:
    Phi, T, A = made_up(2)
    Phi = Phi * (Phi > 0.3)
    parts = [label_sums(sp.csr_array(Phi[part]), T[part], A[part]) for part in (slice(0, 25), slice(25, N))]
    assert_equal(parts[0] + parts[1], label_sums(Phi, T, A), rtol=1e-10)


def test_outputs_part_where_a_block_tells_them_apart() -> None:
    data = made_up(3)
    first, second = blocks(data, [20])
    assert [len(one.moments) for one in (first, second, first + second)] == [1, 3, 3]
    assert [group.columns.tolist() for group in (first + second).moments] == [[0, 3], [1], [2]]


def test_a_block_without_a_known_entry_adds_nothing() -> None:
    Phi, T, A = made_up(4)
    nothing = label_sums(Phi, T, 0.0 * A)
    assert nothing.moments[0].weight == 0.0
    assert_equal(label_sums(Phi, T, A) + nothing, label_sums(Phi, T, A))


@pytest.mark.parametrize("power", [1, 2])
def test_smoothness_adds_too(put: Put, power: int, rng: np.random.Generator) -> None:
    Phi, Lap = rng.normal(size=(N, D)), rng.normal(size=(N, N))
    Lap = Lap + Lap.T
    parts = [smoothness_sums(put(Lap[p] @ Phi), (1, 2), put(Phi[p])) for p in (slice(0, 11), slice(11, N))]
    expected = Phi.T @ np.linalg.matrix_power(Lap, power) @ Phi / N
    laws.assert_close((parts[1] + parts[0]).manifold(power), expected)
    labelled = label_sums(*made_up(0))
    both = parts[0] + labelled + parts[1]
    laws.assert_close(both.manifold(power), expected)
    assert_equal(both, labelled)
