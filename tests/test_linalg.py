"""The few array functions of our own, on NumPy, torch and sparse arrays alike."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import laws
from laws import Put
from lsvv import linalg
from lsvv.linalg import products


def positive_definite(rng: np.random.Generator, D: int, rank: int | None = None) -> np.ndarray:
    root = rng.normal(size=(D, rank or D + 5))
    return np.asarray(root @ root.T)


@pytest.mark.parametrize("weighted", [False, True])
def test_products_are_those_of_dense_double_arrays(put: Put, weighted: bool, rng: np.random.Generator) -> None:
    A, B, w = rng.normal(size=(7, 3)), rng.normal(size=(7, 2)), rng.random(7)
    expected = A.T @ np.diag(w if weighted else np.ones(7)) @ A
    laws.assert_close(linalg.symmetric_product(put(A), put(w) if weighted else None), expected)
    laws.assert_close(linalg.symmetric_product(sp.csr_array(A), w if weighted else None), expected)
    laws.assert_close(linalg.cross_product(put(A), put(B)), A.T @ B)
    laws.assert_close(linalg.cross_product(sp.csr_array(A), B), A.T @ B)


def test_products_of_single_precision_are_double(put: Put, rng: np.random.Generator) -> None:
    A = rng.normal(size=(7, 3)).astype(np.float32)
    product = linalg.to_numpy(linalg.symmetric_product(put(A)))
    assert product.dtype == np.float64
    laws.assert_close(product, A.astype(np.float64).T @ A.astype(np.float64), rtol=1e-14)


@pytest.mark.parametrize("rows", [0, 1, 4, 11])
def test_work_on_few_rows_at_a_time_is_work_on_all(
    put: Put, rows: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def work(X: Any) -> Any:
        seen.append(len(X))
        return X @ linalg.like(mixing, X)

    A, mixing = put(rng.normal(size=(rows, 3))), rng.normal(size=(3, 2))
    whole = work(A)
    monkeypatch.setattr(products, "PASSING_BYTES", 4 * 8 * 2)
    laws.assert_close(linalg.by_few_rows(work, A, 2), linalg.to_numpy(whole))
    assert sum(seen[1:]) == rows
    # a device has no cache to spare
    assert max(seen[1:]) <= (rows if linalg.is_on_device(A) else 4)


def test_sparse_times_dense(put: Put, rng: np.random.Generator) -> None:
    S = sp.random_array((6, 8), density=0.3, rng=1, format="csr")
    B = rng.normal(size=(8, 3))
    laws.assert_close(linalg.sparse_times_dense(S, put(B)), S.toarray() @ B)
    laws.assert_close(linalg.sparse_times_dense(S, sp.csr_array(B)).toarray(), S.toarray() @ B)
    single = linalg.sparse_times_dense(S, put(B.astype(np.float32)))
    assert linalg.to_numpy(single).dtype == np.float32


def test_rows_are_taken_and_stacked(put: Put, rng: np.random.Generator) -> None:
    A, B, index = rng.normal(size=(5, 3)), rng.normal(size=(2, 3)), np.array([3, 0, 3])
    laws.assert_close(linalg.take_rows(put(A), index), A[index])
    laws.assert_close(linalg.take_rows(sp.csr_array(A), index).toarray(), A[index])
    laws.assert_close(linalg.stack_rows(put(A), put(B)), np.vstack([A, B]))
    laws.assert_close(linalg.stack_rows(sp.csr_array(A), B).toarray(), np.vstack([A, B]))


def test_rows_are_stacked_in_the_kind_of_the_first(put: Put, rng: np.random.Generator) -> None:
    A, B = rng.normal(size=(5, 3)).astype(np.float32), rng.normal(size=(2, 3))
    for below in (B, torch.as_tensor(B), sp.csr_array(B)):
        stacked = linalg.stack_rows(put(A), below)
        if not sp.issparse(stacked):
            assert type(stacked) is type(put(A))
            assert linalg.to_numpy(stacked).dtype == np.float64  # the wider of the two
        laws.assert_close(linalg.dense(stacked), np.vstack([A, B]), rtol=1e-6)
    laws.assert_close(linalg.stack_rows(sp.csr_array(A), put(B)).toarray(), np.vstack([A, B]))


def test_like_takes_the_kind_of_its_reference(put: Put) -> None:
    reference = put(np.zeros(2, dtype=np.float32))
    moved = linalg.like(np.array([1.0, 2.0]), reference)
    assert type(moved) is type(reference)
    assert moved.dtype == reference.dtype
    sparse = linalg.like(np.array([1.0, 2.0]), sp.csr_array(np.eye(2, dtype=np.float32)))
    assert sparse.dtype == np.float32


def test_a_regular_system_is_solved(put: Put, rng: np.random.Generator) -> None:
    A, B = positive_definite(rng, 5), rng.normal(size=(5, 2))
    solution, regular = linalg.solve_positive_definite(put(A), put(B))
    assert regular
    laws.assert_close(solution, np.linalg.solve(A, B))


def test_a_singular_system_gives_the_minimum_norm_solution_and_says_so(put: Put, rng: np.random.Generator) -> None:
    A = positive_definite(rng, 6, rank=3)
    B = A @ rng.normal(size=(6, 2))
    solution, regular = linalg.solve_positive_definite(put(A), put(B))
    assert not regular
    laws.assert_close(solution, np.linalg.pinv(A, rcond=1e-10) @ B, rtol=1e-6)


def test_a_system_of_zeros_has_the_solution_zero(put: Put) -> None:
    solution, regular = linalg.solve_positive_definite(put(np.zeros((3, 3))), put(np.zeros((3, 1))))
    assert not regular
    laws.assert_close(solution, np.zeros((3, 1)))


def test_whether_a_system_is_singular_does_not_depend_on_units(put: Put, rng: np.random.Generator) -> None:
    A, unit = positive_definite(rng, 4), np.diag([1e-9, 1e-3, 1.0, 1e9])
    B = rng.normal(size=(4, 1))
    solution, regular = linalg.solve_positive_definite(put(unit @ A @ unit), put(unit @ B))
    assert regular
    laws.assert_close(unit @ linalg.to_numpy(solution), np.linalg.solve(A, B), rtol=1e-6)


def test_power_iteration_reaches_the_largest_eigenvalue_from_below(put: Put, rng: np.random.Generator) -> None:
    A = positive_definite(rng, 8)
    largest = np.linalg.eigvalsh(A)[-1]
    found = linalg.largest_eigenvalue(put(A).__matmul__, put(np.ones(8)))
    assert 0.98 * largest <= found <= largest * (1 + 1e-12)


def test_the_largest_eigenvalue_of_zero_is_zero(put: Put) -> None:
    assert linalg.largest_eigenvalue(put(np.zeros((3, 3))).__matmul__, put(np.ones(3))) == 0.0


def test_squared_distances_are_those_of_loops(put: Put, rng: np.random.Generator) -> None:
    X, Z = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    slow = np.array([[np.sum((x - z) ** 2) for z in Z] for x in X])
    laws.assert_close(linalg.squared_distances(put(X), put(Z)), slow)
    laws.assert_close(linalg.squared_distances(sp.csr_array(X), Z), slow)


def test_city_block_distances_are_those_of_loops(put: Put, rng: np.random.Generator) -> None:
    X, Z = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    slow = np.array([[np.sum(np.abs(x - z)) for z in Z] for x in X])
    found = linalg.city_block_distances(put(X), put(Z))
    assert type(found) is type(put(X))
    laws.assert_close(found, slow)
    laws.assert_close(linalg.city_block_distances(sp.csr_array(X), Z), slow)


def test_squared_distances_are_never_negative(put: Put) -> None:
    X = put(np.full((3, 2), 1e8) + np.arange(6).reshape(3, 2) * 1e-9)
    assert linalg.to_numpy(linalg.squared_distances(X, X)).min() >= 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_of_rows_far_from_0_keep_their_digits(put: Put, dtype: Any, rng: np.random.Generator) -> None:
    far = (rng.normal(size=(8, 3)) + 1e4).astype(dtype)
    slow = ((far[:, None].astype(float) - far[None].astype(float)) ** 2).sum(axis=2)
    laws.assert_close(linalg.squared_distances(put(far), put(far)), slow, rtol=1e-5, atol=1e-5)


def test_keys_of_rows_follow_their_content_alone(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 7))
    X[30:] = X[:20]
    order = rng.permutation(50)
    keys = linalg.row_keys(X)
    np.testing.assert_array_equal(linalg.row_keys(X[order]), keys[order])
    np.testing.assert_array_equal(keys[30:], keys[:20])
    assert np.unique(keys).size == 30
    np.testing.assert_array_equal(linalg.canonical_order(8.0 * X + 3.0), linalg.canonical_order(X))
    drawn = linalg.drawn_by_content(X[:30], 10, np.random.default_rng(0))
    again = linalg.drawn_by_content(X[:30][::-1], 10, np.random.default_rng(0))
    np.testing.assert_array_equal(X[drawn], X[:30][::-1][again])


@pytest.mark.parametrize("layout", ["C", "F"])
def test_equal_rows_have_equal_keys_in_any_piece(
    layout: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = np.asarray(np.repeat(rng.normal(size=(1, 40)), 21, axis=0), order=layout)
    rows[0] += 1.0
    for bytes_at_once in (2**20, 8 * 40 * 5, 8 * 40 * 10):
        monkeypatch.setattr(products, "PASSING_BYTES", bytes_at_once)
        keys = linalg.row_keys(rows)
        assert keys[0] != keys[1]
        assert np.unique(keys).size == 2


@pytest.mark.parametrize("as_rows", [np.asarray, sp.csr_array])
def test_keys_of_rows_do_not_depend_on_units_or_constant_columns(as_rows: Callable[[np.ndarray], Any]) -> None:
    X = np.array([[0.0, 2.0, 5.0], [3.0, 0.0, 5.0], [1.0, 1.0, 5.0]])
    keys = linalg.row_keys(as_rows(X))
    assert len(set(keys)) == 3
    laws.assert_close(linalg.row_keys(as_rows(X * [10.0, 1.0, 1.0])), keys)
    rows = as_rows(X)
    linalg.row_keys(rows)
    np.testing.assert_array_equal(linalg.dense(rows), X)
