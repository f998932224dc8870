"""The few things the array API standard lacks, in one home for NumPy arrays and torch tensors."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, reduce
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from array_api_compat import array_namespace, device, is_numpy_array, is_torch_array
from scipy.spatial.distance import cdist
from threadpoolctl import ThreadpoolController

Array = Any
"""A NumPy array or a torch tensor: whatever the caller passed."""

SINGULAR_PIVOT = 1e-14
"""Share of a column's variance below which it counts as determined by the others."""


CACHED_BYTES, PASSING_BYTES = 2**24, 2**20
"""Rows of a product that are widened to double precision at once, and rows that several passes work on at once."""
SMALL_ROWS = 5000
"""Rows up to which one thread does all the work: handing small products to several costs more than it saves."""


@cache
def _thread_pools() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def threads_for(n_rows: int) -> Iterator[None]:
    """One thread for the linear algebra of small problems, as many as there are for large ones."""
    if n_rows > SMALL_ROWS:
        yield
        return
    with _thread_pools().limit(limits=1):
        yield


def namespace(*arrays: Array) -> Any:
    """The array API namespace of the dense arrays among ``arrays`` (NumPy's for sparse matrices)."""
    dense = [a for a in arrays if a is not None and not sp.issparse(a)]
    return array_namespace(*dense) if dense else array_namespace(np.empty(0))


def like(values: Array, reference: Array, dtype: Any = None) -> Array:
    """``values`` in the namespace and on the device of ``reference``; its dtype too unless one is given."""
    xp = namespace(reference)
    if sp.issparse(reference):
        return np.asarray(to_numpy(values), dtype=dtype or reference.dtype)
    dtype = dtype or reference.dtype
    if is_numpy_array(reference):
        return np.asarray(to_numpy(values), dtype=dtype)
    if is_numpy_array(values) and not values.flags.writeable:
        # a tensor would share memory that is not to be written
        values = values.copy()
    return xp.asarray(values, dtype=dtype, device=device(reference))


def like_numbers(values: np.ndarray, reference: Array) -> Array:
    """``values`` in the kind of ``reference``, with their own dtype; what is no number stays a NumPy array."""
    if not is_torch_array(reference) or values.dtype.kind not in "biuf":
        return values
    return namespace(reference).asarray(np.ascontiguousarray(values), device=device(reference))


def to_numpy(values: Array) -> np.ndarray:
    """``values`` as a NumPy array, fetched from its device if need be."""
    if is_torch_array(values):
        return values.detach().cpu().numpy()
    return np.asarray(values)


def refuse_another_device(X: Any, reference: Array, name: str = "X") -> None:
    """Tensors on two devices: what is meant to be fast would be copied to and fro."""
    if is_torch_array(X) and is_torch_array(reference) and X.device != reference.device:
        raise ValueError(
            f"{name} lies on {X.device}, but the rows that the model was fitted on lie on {reference.device}. Move it "
            f"with {name}.to({str(reference.device)!r}), or fit on {X.device}."
        )


def to_float64(values: Array) -> Array:
    """``values`` in double precision; moments and their solves are never computed in less."""
    if sp.issparse(values):
        return values.astype(np.float64, copy=False)
    xp = namespace(values)
    return xp.astype(values, xp.float64, copy=False)


def dense(values: Array) -> Array:
    """``values`` as a dense array."""
    return values.toarray() if sp.issparse(values) else values


def take_rows(X: Array, index: Array) -> Array:
    """``X[index]`` for dense, sparse and device arrays."""
    if sp.issparse(X) or not is_torch_array(X):
        return X[index]
    xp = namespace(X)
    return xp.take(X, xp.asarray(index, device=device(X)), axis=0)


def stack_rows(first: Array, second: Array) -> Array:
    """``first`` above ``second``: sparse where either is, else of the kind and device of ``first``."""
    if sp.issparse(first) or (sp.issparse(second) and is_numpy_array(first)):
        return sp.vstack([sp.csr_array(a if sp.issparse(a) else to_numpy(a)) for a in (first, second)], format="csr")
    xp, below = namespace(first), dense(second)
    dtype = xp.float64 if below.itemsize > first.itemsize else first.dtype
    return xp.concat([xp.astype(first, dtype, copy=False), like(below, first, dtype)], axis=0)


def sparse_times_dense(S: sp.csr_array, B: Array) -> Array:
    """``S B`` for a SciPy sparse matrix and a dense array of any namespace (or a sparse one)."""
    return sparse_operator(S, B)(B)


def sparse_operator(S: sp.csr_array, reference: Array) -> Callable[[Array], Array]:
    """B -> ``S B`` for arrays of the kind, device and precision of ``reference``: S is brought there once."""
    if sp.issparse(reference) or is_numpy_array(reference):
        return S.astype(reference.dtype, copy=False).__matmul__
    xp = namespace(reference)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
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
    # rows of single precision are widened within the processor's cache
    at_once = max(1, CACHED_BYTES // (8 * A.shape[1]))
    wide = (to_float64(A[start : start + at_once, ...]) for start in range(0, max(A.shape[0], 1), at_once))
    return reduce(operator.iadd, (part.T @ part for part in wide))


def by_few_rows(work: Callable[[Array], Array], X: Array, width: int) -> Array:
    """``work(X)``, a few rows at a time on a processor, whose cache then holds the ``width`` numbers of each row."""
    xp = namespace(X)
    at_once = max(1, PASSING_BYTES // (8 * width))
    if X.shape[0] <= at_once or (is_torch_array(X) and X.device.type != "cpu"):
        return work(X)
    first = work(X[:at_once])
    whole = xp.empty((X.shape[0], first.shape[1]), dtype=first.dtype, device=device(first))
    whole[:at_once] = first
    for start in range(at_once, X.shape[0], at_once):
        whole[start : start + at_once] = work(X[start : start + at_once])
    return whole


def cross_product(A: Array, B: Array) -> Array:
    """``A' B`` in double precision, dense."""
    return dense(to_float64(A).T @ to_float64(B))


def solve_positive_definite(A: Array, B: Array) -> tuple[Array, bool]:
    """The solution of ``A X = B`` for symmetric positive semi-definite ``A``, and whether ``A`` was regular.

    A Cholesky factorisation where it exists; the minimum-norm solution from the eigenvectors otherwise.
    """
    xp = namespace(A)
    factor = _cholesky(A)
    if factor is not None:
        solution = _cholesky_solve(factor, B)
        if bool(xp.all(xp.isfinite(solution))):
            return solution, True
    values, vectors = xp.linalg.eigh(A)
    keep = values > A.shape[0] * 2.3e-16 * xp.max(xp.abs(values))
    inverse = xp.where(keep, 1.0 / xp.where(keep, values, xp.ones_like(values)), xp.zeros_like(values))
    return vectors @ (inverse[:, None] * (vectors.T @ B)), False


def _cholesky(A: Array) -> Array | None:
    """The lower Cholesky factor of ``A``; None where ``A`` is singular to working precision."""
    if is_numpy_array(A):
        try:
            factor = scipy.linalg.cholesky(A, lower=True, check_finite=False)
        except scipy.linalg.LinAlgError:
            return None
    else:
        factor, info = namespace(A).linalg.cholesky_ex(A)
        if int(info) != 0:
            return None
    linalg = namespace(A).linalg
    # what a column keeps of its own variance once the columns before it are known: free of units
    kept = linalg.diagonal(factor) ** 2 / linalg.diagonal(A)
    return factor if float(kept.min()) > SINGULAR_PIVOT else None


def _cholesky_solve(factor: Array, B: Array) -> Array:
    if is_numpy_array(factor):
        return scipy.linalg.cho_solve((factor, True), B, check_finite=False)
    return namespace(factor).cholesky_solve(B, factor)


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


def row_keys(X: Array) -> np.ndarray:
    """A number for each row that its content alone decides: equal rows have equal keys, wherever they stand.

    A fixed mixture of the columns, each in units of its spread, so that draws which follow the order of the keys follow
    neither the order of the rows nor the columns' units.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0], [3.0, 1.0], [1.0, 2.0]])
    >>> keys = row_keys(X)
    >>> bool(keys[0] == keys[2] != keys[1])
    True
    """
    mixture = np.sin(1.0 + np.arange(X.shape[1]))
    if sp.issparse(X):
        low, high = (end.toarray().ravel().astype(np.float64) for end in (X.min(axis=0), X.max(axis=0)))
        shares = sp.csr_array(X, dtype=np.float64, copy=True)
        shares.data /= np.where(high > low, high - low, 1.0)[shares.indices]
        return np.asarray(shares @ mixture)
    xp, rows = namespace(X), to_float64(X)
    low, high = xp.min(rows, axis=0), xp.max(rows, axis=0)
    shares = (rows - low) / xp.where(high > low, high - low, xp.ones_like(low))
    # a sum and no product with a vector, whose rounding depends on where a row stands
    return to_numpy(xp.sum(shares * like(mixture, rows), axis=1))


def canonical_order(*parts: Array) -> np.ndarray:
    """The order of rows that the content of ``parts`` decides, of the first one first.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[2.0], [1.0], [2.0]]), np.array([[1.0], [0.0], [0.0]])
    >>> canonical_order(X, y).tolist()
    [1, 2, 0]
    """
    return np.lexsort([row_keys(part) for part in reversed(parts)])


def drawn_by_content(X: Array, most: int, rng: np.random.Generator) -> np.ndarray:
    """All rows, or ``most`` of them at random, in an order that their content decides: their own does not matter."""
    order = canonical_order(X)
    return order if order.size <= most else order[np.sort(rng.choice(order.size, most, replace=False))]


def smallest(values: Array, k: int) -> tuple[Array, Array]:
    """The k least entries of each row in ascending order, and their places.

    Examples
    --------
    >>> import numpy as np
    >>> least, places = smallest(np.array([[3.0, 1.0, 2.0]]), 2)
    >>> least.tolist(), places.tolist()
    ([[1.0, 2.0]], [[1, 2]])
    """
    if not is_numpy_array(values):
        return namespace(values).topk(values, k, dim=1, largest=False)
    places = np.argpartition(values, k - 1, axis=1)[:, :k]
    order = np.argsort(np.take_along_axis(values, places, axis=1), axis=1, kind="stable")
    places = np.take_along_axis(places, order, axis=1)
    return np.take_along_axis(values, places, axis=1), places


def in_blocks(work: Callable[[slice], Any], n_rows: int, at_once: int) -> Iterator[Any]:
    """What ``work`` returns for consecutive blocks of rows; a device that is full gets blocks of half the rows.

    Examples
    --------
    >>> list(in_blocks(lambda part: (part.start, part.stop), n_rows=5, at_once=3))
    [(0, 3), (3, 5)]
    """
    start = 0
    while start < n_rows:
        part = slice(start, min(start + at_once, n_rows))
        try:
            done = work(part)
        except RuntimeError as error:
            if type(error).__name__ != "OutOfMemoryError" or part.stop - part.start == 1:
                raise
            at_once = (part.stop - part.start) // 2
            warnings.warn(
                f"The device has no memory left for {part.stop - part.start} rows at once: going on with {at_once}.",
                ResourceWarning,
                stacklevel=2,
            )
            continue
        yield done
        start = part.stop


def row_norms(X: Array) -> Array:
    """``||x_i||^2`` for every row."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return namespace(X).sum(X * X, axis=1)
