"""Products and distances: sparse with dense, moments in double precision, rows a few at a time."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator
from functools import reduce

import numpy as np
import scipy.sparse as sp
from array_api_compat import device, is_numpy_array
from scipy.spatial.distance import cdist

from lsvv.linalg.arrays import Array, bytes_at_once, dense, is_on_device, namespace, to_float64

CACHED_BYTES, PASSING_BYTES = 2**24, 2**21
"""Rows of a product that are widened to double precision at once, and rows that several passes work on at once."""


def sparse_times_dense(S: sp.csr_array, B: Array) -> Array:
    """``S B`` for a SciPy sparse matrix and a dense array of any namespace (or a sparse one)."""
    return sparse_operator(S, B)(B)


def sparse_operator(S: sp.csr_array, reference: Array) -> Callable[[Array], Array]:
    """B -> ``S B`` for arrays of the kind, device and precision of ``reference``: S is brought there once."""
    if sp.issparse(reference) or is_numpy_array(reference):
        return S.astype(reference.dtype, copy=False).__matmul__
    xp = namespace(reference)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse (CSR tensor support is in beta|invariant checks are)")
        S_device = xp.sparse_csr_tensor(
            xp.asarray(S.indptr.astype(np.int64)),
            xp.asarray(S.indices.astype(np.int64)),
            xp.asarray(S.data),
            size=S.shape,
            dtype=reference.dtype,
            device=device(reference),
            check_invariants=False,
        )
    return S_device.__matmul__


def symmetric_product(A: Array, weights: Array | None = None) -> Array:
    """``A' diag(weights) A`` in double precision, dense; unweighted or non-negative weights."""
    if weights is not None:
        root = weights**0.5
        A = A * root[:, None] if not sp.issparse(A) else sp.diags_array(root) @ A
    if sp.issparse(A):
        A = to_float64(A)
        return dense(A.T @ A)
    wide = (to_float64(A[part, ...]) for part in in_cache(A, A.shape[0]))
    return reduce(operator.iadd, (part.T @ part for part in wide))


def in_cache(like_array: Array, n_rows: int) -> Iterator[slice]:
    """Slices of rows as wide as those of an array that stay within the processor's cache in double precision.

    There is one at least, and of sparse rows no more, since dense products of each would be added.
    """
    at_once = max(1, bytes_at_once(like_array, CACHED_BYTES) // (8 * like_array.shape[1]))
    at_once = max(n_rows, 1) if sp.issparse(like_array) else at_once
    return (slice(start, start + at_once) for start in range(0, max(n_rows, 1), at_once))


def by_few_rows(work: Callable[[Array], Array], X: Array, width: int) -> Array:
    """``work(X)``, a few rows at a time on a processor, whose cache then holds the ``width`` numbers of each row."""
    xp = namespace(X)
    pieces = -(-X.shape[0] * width * 8 // PASSING_BYTES)
    if pieces <= 1 or is_on_device(X):
        return work(X)
    # of even sizes, since a row alone may be summed in another order than rows together
    at_once = -(-X.shape[0] // pieces)
    first = work(X[:at_once])
    whole = xp.empty((X.shape[0], first.shape[1]), dtype=first.dtype, device=device(first))
    whole[:at_once] = first
    for start in range(at_once, X.shape[0], at_once):
        whole[start : start + at_once] = work(X[start : start + at_once])
    return whole


def cross_product(A: Array, B: Array) -> Array:
    """``A' B`` in double precision, dense."""
    return dense(to_float64(A).T @ to_float64(B))


def largest_eigenvalue(apply: Callable[[Array], Array], start: Array, n_iter: int = 40) -> float:
    """The largest eigenvalue of a symmetric positive semi-definite operator, from below, by power iteration."""
    xp = namespace(start)
    vector = start / xp.linalg.vector_norm(start)
    value = 0.0
    for _ in range(n_iter):
        image = apply(vector)
        norm = float(xp.linalg.vector_norm(image))
        if norm == 0.0:
            return value
        vector = image / norm
        if abs(norm - value) <= 1e-4 * norm:
            return norm
        value = norm
    return value


def mean_rows(values: Array, places: Array) -> Array:
    """The mean of the rows ``values[places]`` over each row of ``places``.

    Examples
    --------
    >>> mean_rows(np.array([[0.0], [1.0], [4.0]]), np.array([[0, 2], [1, 1]])).ravel().tolist()
    [2.0, 1.0]
    """
    if not is_numpy_array(values):
        return namespace(values).mean(to_float64(values[places]), axis=1)
    # as a sparse matrix of counts times the values nothing is copied
    n, k = places.shape
    counts = (np.full(places.size, 1.0 / k), places.ravel(), np.arange(0, places.size + 1, k))
    return np.asarray(sp.csr_array(counts, shape=(n, len(values))) @ to_float64(values))


def squared_distances(X: Array, Z: Array) -> Array:
    """``||x_i - z_j||^2`` for the rows of ``X`` (dense or sparse) and of ``Z`` (dense), clipped at 0.

    Dense rows are measured from the mean of ``Z``, so that rows far from 0 lose no digits.
    """
    xp = namespace(Z)
    if not sp.issparse(X):
        origin = xp.mean(Z, axis=0)[None, :]
        X, Z = X - origin, Z - origin
    cross = X @ Z.T
    distances = row_norms(X)[:, None] + row_norms(Z)[None, :] - 2.0 * cross
    return xp.where(distances > 0, distances, xp.zeros_like(distances))


def city_block_distances(X: Array, Z: Array) -> Array:
    """``||x_i - z_j||_1`` for the rows of ``X`` (dense or sparse) and of ``Z`` (dense)."""
    if is_numpy_array(Z):
        return cdist(dense(X), Z, "cityblock").astype(Z.dtype, copy=False)
    return namespace(Z).cdist(X, Z, p=1.0)


def row_norms(X: Array) -> Array:
    """``||x_i||^2`` for every row."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return namespace(X).sum(X * X, axis=1)
