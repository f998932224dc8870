"""Mapped rows: the few verbs, whole or in blocks, on every kind of array."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import laws
from laws import Put
from lsvv.features import MappedRows
from lsvv.linalg import to_numpy

BLOCKS = [1, 8 * 4 * 5, 2**20]


def square(rows: Any) -> Any:
    return rows * rows


@pytest.mark.parametrize("block_bytes", BLOCKS)
def test_the_verbs_are_dense_products_whatever_the_blocks(put: Put, block_bytes: int, rng: np.random.Generator) -> None:
    X, W, R, w = rng.normal(size=(23, 4)), rng.normal(size=(4, 2)), rng.normal(size=(23, 3)), rng.random(23)
    rows, Phi = MappedRows(put(X), square, block_bytes=block_bytes), X**2
    assert rows.shape == Phi.shape
    laws.assert_close(rows.times(put(W)), Phi @ W)
    laws.assert_close(rows.transpose_times(put(R)), Phi.T @ R)
    laws.assert_close(rows.transpose_times(put(R[:, 0])), Phi.T @ R[:, 0])
    laws.assert_close(rows.gram(), Phi.T @ Phi)
    laws.assert_close(rows.gram(put(w)), Phi.T @ np.diag(w) @ Phi)
    laws.assert_close(rows.whole(), Phi)


@pytest.mark.parametrize("block_bytes", BLOCKS)
def test_sparse_rows_obey_the_same_laws(block_bytes: int, rng: np.random.Generator) -> None:
    X = sp.random_array((23, 4), density=0.4, rng=2, format="csr")
    W, R, w, Phi = rng.normal(size=(4, 2)), rng.normal(size=(23, 3)), rng.random(23), X.toarray() ** 2
    rows = MappedRows(X, square, block_bytes=block_bytes)
    laws.assert_close(rows.times(W), Phi @ W)
    laws.assert_close(rows.transpose_times(R), Phi.T @ R)
    laws.assert_close(rows.gram(), Phi.T @ Phi)
    laws.assert_close(rows.gram(w), Phi.T @ np.diag(w) @ Phi)
    laws.assert_close(rows.whole(), Phi)


@pytest.mark.parametrize("block_bytes", BLOCKS)
def test_taken_rows_are_rows_of_the_whole(put: Put, block_bytes: int, rng: np.random.Generator) -> None:
    X, index = rng.normal(size=(23, 4)), np.array([20, 3, 3, 0])
    rows = MappedRows(put(X), square, block_bytes=block_bytes)
    laws.assert_close(rows.take(index).whole(), X[index] ** 2)
    rows.whole()
    laws.assert_close(rows.take(index).whole(), X[index] ** 2)


def test_rows_that_fit_one_block_are_mapped_once(rng: np.random.Generator) -> None:
    sizes: list[int] = []

    def counted(rows: np.ndarray) -> np.ndarray:
        sizes.append(len(rows))
        return rows

    rows = MappedRows(rng.normal(size=(100, 2)), counted)
    for _ in range(3):
        rows.gram()
    assert sizes == [64, 100]


def test_no_block_is_larger_than_asked(rng: np.random.Generator) -> None:
    rows = MappedRows(rng.normal(size=(100, 4)), square, block_bytes=10 * 4 * 8)
    assert max(part.stop - part.start for part, _ in rows.blocks()) == 10


def test_moments_of_single_precision_are_double(put: Put, rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 3)).astype(np.float32)
    rows = MappedRows(put(X), square)
    assert to_numpy(rows.gram()).dtype == np.float64
    assert to_numpy(rows.transpose_times(put(X))).dtype == np.float64
    assert to_numpy(rows.times(np.ones((3, 2)))).dtype == np.float32


@pytest.mark.parametrize("block_bytes", BLOCKS)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_rows_measured_from_an_origin_obey_the_same_laws(block_bytes: int, form: Any, rng: np.random.Generator) -> None:
    X = np.where(rng.random((23, 4)) < 0.5, rng.normal(size=(23, 4)), 0.0)
    W, R, w, o = rng.normal(size=(4, 2)), rng.normal(size=(23, 3)), rng.random(23), rng.normal(size=4)
    index, Phi = np.array([1, 4, 20]), X**2 - o
    rows = MappedRows(form(X), square, block_bytes=block_bytes)
    fresh = rows.measured_from(o)
    rows.whole()
    for moved in (fresh, rows.measured_from(o)):
        laws.assert_close(moved.times(W), Phi @ W)
        laws.assert_close(moved.transpose_times(R), Phi.T @ R)
        laws.assert_close(moved.transpose_times(R[:, 0]), Phi.T @ R[:, 0])
        laws.assert_close(moved.gram(), Phi.T @ Phi)
        laws.assert_close(moved.gram(w), Phi.T @ np.diag(w) @ Phi)
        laws.assert_close(moved.take(index).times(W), Phi[index] @ W)
        laws.assert_close(moved.whole(), Phi)
        laws.assert_close(moved.columns(slice(1, 3)), Phi[:, 1:3])


@pytest.mark.filterwarnings("ignore:The device has no memory left:ResourceWarning")
def test_a_full_device_gets_smaller_blocks(rng: np.random.Generator) -> None:
    X, sizes = rng.normal(size=(64, 3)), []

    def transform(rows: Any) -> Any:
        sizes.append(len(rows))
        if len(rows) > 10 and len(sizes) > 1:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return rows * rows

    rows = MappedRows(torch.as_tensor(X), transform, block_bytes=40 * 3 * 8)
    laws.assert_close(rows.gram(), (X**2).T @ X**2)
    assert sizes[1:5] == [40, 20, 10, 10]


def test_a_full_device_says_so(rng: np.random.Generator) -> None:
    def transform(rows: Any) -> Any:
        if len(rows) == 40:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return rows

    rows = MappedRows(torch.as_tensor(rng.normal(size=(50, 3))), transform, block_bytes=40 * 3 * 8)
    with pytest.warns(ResourceWarning, match="The device has no memory left for 40 rows at once: going on with 20"):
        rows.gram()


def test_one_row_that_does_not_fit_is_an_error() -> None:
    def transform(rows: Any) -> Any:
        if len(rows) == 1:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return rows

    rows = MappedRows(torch.ones((70, 3)), transform, block_bytes=1)
    with pytest.raises(torch.OutOfMemoryError):
        rows.gram()
