"""Symmetric matrices taken apart: eigenvalues, Cholesky factors and what they solve."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from array_api_compat import is_numpy_array

from lsvv.linalg.arrays import Array, namespace

SINGULAR_PIVOT = 1e-14
"""Share of a column's variance below which it counts as determined by the others."""


def eigh(A: Array) -> tuple[Array, Array]:
    """The eigenvalues of a symmetric matrix, ascending, and its eigenvectors, in its own precision.

    Examples
    --------
    >>> values, _ = eigh(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> values.round(12).tolist()
    [1.0, 3.0]
    """
    if is_numpy_array(A):
        values, vectors = scipy.linalg.eigh(A, check_finite=False, driver="evd")
        return values, vectors
    xp = namespace(A)
    if not bool(xp.all(xp.isfinite(A))):
        raise np.linalg.LinAlgError("There are no eigenvalues of a matrix that is not finite.")
    values, vectors = xp.linalg.eigh(A)
    return values, vectors


def cholesky(A: Array) -> Array:
    """L with L L' = A, from the lower half of a positive definite matrix; a ``LinAlgError`` where it is none.

    Examples
    --------
    >>> cholesky(np.array([[4.0, 0.0], [2.0, 2.0]])).tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """
    if is_numpy_array(A):
        return scipy.linalg.cholesky(A, lower=True, check_finite=False)
    factor, info = namespace(A).linalg.cholesky_ex(A)
    if int(info) != 0:
        raise np.linalg.LinAlgError("The matrix is not positive definite.")
    return factor


def solve_lower(L: Array, B: Array, *, transposed: bool = False) -> Array:
    """L^-1 B for a lower triangular matrix, or L'^-1 B.

    Examples
    --------
    >>> L = np.array([[2.0, 0.0], [1.0, 1.0]])
    >>> solve_lower(L, np.array([[2.0], [3.0]])).ravel().tolist()
    [1.0, 2.0]
    >>> solve_lower(L, np.array([[2.0], [3.0]]), transposed=True).ravel().tolist()
    [-0.5, 3.0]
    """
    if is_numpy_array(L):
        # a quarter of what solve_triangular of SciPy takes
        return np.asarray(scipy.linalg.blas.dtrsm(1.0, L, B, lower=1, trans_a=int(transposed)))
    return namespace(L).linalg.solve_triangular(L.T if transposed else L, B, upper=transposed)


def add_to_diagonal(A: Array, values: Array) -> None:
    """A + diag(values), in place.

    Examples
    --------
    >>> A = np.zeros((2, 2))
    >>> add_to_diagonal(A, np.array([1.0, 2.0]))
    >>> A.tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    if is_numpy_array(A):
        A[np.diag_indices_from(A)] += values
    else:
        A.diagonal().add_(values)


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
    values, vectors = eigh(A)
    keep = values > A.shape[0] * 2.3e-16 * xp.max(xp.abs(values))
    inverse = xp.where(keep, 1.0 / xp.where(keep, values, xp.ones_like(values)), xp.zeros_like(values))
    return vectors @ (inverse[:, None] * (vectors.T @ B)), False


def _cholesky(A: Array) -> Array | None:
    """The lower Cholesky factor of ``A``; None where ``A`` is singular to working precision."""
    try:
        factor = cholesky(A)
    except np.linalg.LinAlgError:
        return None
    linalg = namespace(A).linalg
    # what a column keeps of its own variance once the columns before it are known: free of units
    kept = linalg.diagonal(factor) ** 2 / linalg.diagonal(A)
    return factor if float(kept.min()) > SINGULAR_PIVOT else None


def _cholesky_solve(factor: Array, B: Array) -> Array:
    if is_numpy_array(factor):
        return scipy.linalg.cho_solve((factor, True), B, check_finite=False)
    return namespace(factor).cholesky_solve(B, factor)
