"""Rademacher complexities, measured: the numbers every bound is judged by.

X_eps = (1/n) sum_i phi(x_i) eps_i' is the D x K matrix of the paper's appendix, eps_ik independent signs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lsvv.theory.arguments import Floats, whole
from lsvv.theory.localised import local_supremum
from lsvv.theory.row_blocks import Rows, blocks

ALL_SIGNS_UP_TO = 16


@dataclass(frozen=True)
class Complexity:
    """A mean over sign draws, with what is needed to judge it.

    Attributes
    ----------
    value : float
        The mean of ``draws``.
    standard_error : float
        Of ``value``; 0 when all sign matrices were used, so that ``value`` is exact.
    upper : float
        The mean of certified upper bounds of the draws; equal to ``value`` where a draw is exact.
    draws : array of shape (n_draws,)
        The supremum for each sign draw.
    n_rows : int
        The sample size the complexity belongs to.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.theory import rademacher_trace_norm
    >>> found = rademacher_trace_norm(np.eye(4), n_outputs=3, n_draws=50, random_state=0)
    >>> found.draws.size, found.n_rows, found.standard_error < 0.1 * found.value
    (50, 4, True)
    """

    value: float
    standard_error: float
    upper: float
    draws: Floats
    n_rows: int


def rademacher_trace_norm(
    rows: Rows, n_outputs: int, *, n_draws: int | None = 100, random_state: int | None = None
) -> Complexity:
    """R(H) = E ||X_eps||_op: the exact empirical complexity of {x -> W'phi(x): ||W||_* <= 1}.

    The trace norm and the operator norm are dual, so the supremum of <W, X_eps> over the ball IS the
    operator norm; only the expectation over signs is a Monte Carlo mean. One pass over the rows serves
    all draws; memory is D x (n_outputs n_draws) numbers and one block of rows and signs. The draws
    depend on ``random_state`` and on the order of the rows, not on how they are cut into blocks.

    Parameters
    ----------
    rows : array of shape (n, D) or iterable of such blocks
        The features phi(x_i).
    n_outputs : int
        K.
    n_draws : int or None
        Number of sign matrices; None uses all 2^(nK) of them, for n K <= 16.
    random_state : int or None
        Seed of the signs.

    Examples
    --------
    >>> rademacher_trace_norm([[1.0], [1.0]], 1, n_draws=None).value
    0.5
    """
    K = whole("n_outputs", n_outputs)
    if n_draws is None:
        features = _whole(rows)
        X = np.einsum("nd,snk->sdk", features, _all_signs(len(features), K)) / len(features)
        return _exact(_operator_norms(X), len(features))
    draws = whole("n_draws", n_draws, least=2)
    totals, n_rows = _signed_sums(rows, K * draws, np.random.default_rng(random_state))
    X = totals.reshape(-1, draws, K).transpose(1, 0, 2) / n_rows
    values = _operator_norms(X)
    return _monte_carlo(values, values, n_rows)


def _signed_sums(rows: Rows, columns: int, rng: np.random.Generator) -> tuple[Floats, int]:
    """sum_i phi_i eps_i' for ``columns`` sign columns at once, and the number of rows.

    With eps = 2 b - 1 the bits b enter the product and the row sum is taken off once at the end: that
    saves a pass over the signs. Each row takes whole 64-bit words, so that blocks may be cut anywhere.
    """
    words = -(-columns // 64)
    totals: Floats | None = None
    sums: Floats | None = None
    n_rows = 0
    for block in blocks(rows):
        drawn = rng.integers(0, 2**64, size=(len(block), words), dtype=np.uint64)
        bits = np.unpackbits(drawn.view(np.uint8), axis=1, count=columns).astype(block.dtype)
        product = block.T @ bits
        totals = product.astype(np.float64) if totals is None else totals + product
        sums = block.sum(axis=0, dtype=np.float64) if sums is None else sums + block.sum(axis=0)
        n_rows += len(block)
    assert totals is not None
    assert sums is not None
    return 2 * totals - sums[:, None], n_rows


def _operator_norms(X: Floats) -> Floats:
    """The operator norm of each matrix, from its smaller Gram matrix: a stack of thin SVDs is far slower."""
    turned = X.transpose(0, 2, 1)
    gram = turned @ X if X.shape[1] >= X.shape[2] else X @ turned
    return np.sqrt(np.maximum(np.linalg.eigvalsh(gram)[:, -1], 0.0))


def rademacher_local(
    rows: ArrayLike,
    n_outputs: int,
    r: float,
    *,
    n_draws: int | None = 32,
    random_state: int | None = None,
    tol: float = 1e-7,
) -> Complexity:
    """E max <W, X_eps> subject to ||W||_* <= 1 and mean_i ||W'phi_i||^2 <= r.

    The local complexity of the hypothesis space around 0, on small problems (rank times K up to about
    150), by solving the convex programme of every draw to a relative gap of ``tol``. The class around
    any other h* in the ball, {h : L^2 mean ||h - h*||^2 <= s}, has at most twice the complexity at
    r = s / (4 L^2): that is the first step of the proofs of Theorems 2 and 3.

    Parameters
    ----------
    rows : array of shape (n, D)
        The features phi(x_i).
    n_outputs : int
        K.
    r : float
        Radius of the ball in mean ||W'phi||^2; ``numpy.inf`` gives the trace-norm ball.
    n_draws, random_state
        As in :func:`rademacher_trace_norm`.
    tol : float
        Relative gap between the value and its upper bound.

    Returns
    -------
    Complexity
        ``value`` comes from feasible W, ``upper`` from dual points: the truth for these draws lies
        between them.

    Examples
    --------
    >>> import numpy as np
    >>> far = rademacher_local(np.eye(3), 2, r=np.inf, n_draws=20, random_state=0)
    >>> near = rademacher_local(np.eye(3), 2, r=0.01, n_draws=20, random_state=0)
    >>> near.value < far.value
    True
    """
    features = _whole(rows)
    n, K = len(features), whole("n_outputs", n_outputs)
    if n_draws is None:
        signs = _all_signs(n, K)
    else:
        rng = np.random.default_rng(random_state)
        signs = rng.choice([-1.0, 1.0], size=(whole("n_draws", n_draws, least=2), n, K))
    U, sigma, _ = np.linalg.svd(features, full_matrices=False)
    kept = sigma > np.finfo(np.float64).eps * max(features.shape) * sigma[0]
    X = sigma[kept, None] * np.einsum("nd,snk->sdk", U[:, kept], signs) / n
    if not kept.any():
        return _exact(np.zeros(len(signs)), n)
    found = local_supremum(X, sigma[kept] ** 2 / n, r, tol)
    if n_draws is None:
        return Complexity(float(found.value.mean()), 0.0, float(found.upper.mean()), found.value, n)
    return _monte_carlo(found.value, found.upper, n)


def rademacher_outputs(
    outputs: ArrayLike, *, n_draws: int | None = 1000, random_state: int | None = None
) -> Complexity:
    """R(H) = (1/n) E max_h sum_i sum_k eps_ik h_k(x_i) for a finite class of hypotheses.

    Parameters
    ----------
    outputs : array of shape (hypotheses, n, K)
        h_k(x_i) for every hypothesis.
    n_draws, random_state
        As in :func:`rademacher_trace_norm`.

    Examples
    --------
    >>> rademacher_outputs([[[1.0]], [[-1.0]]], n_draws=None).value
    1.0
    """
    values = np.asarray(outputs, dtype=np.float64)
    if values.ndim != 3 or 0 in values.shape:
        raise ValueError(f"outputs has shape {values.shape}; pass (hypotheses, rows, outputs).")
    _, n, K = values.shape
    if n_draws is None:
        return _exact(_best(values, _all_signs(n, K)), n)
    rng = np.random.default_rng(random_state)
    signs = rng.choice([-1.0, 1.0], size=(whole("n_draws", n_draws, least=2), n, K))
    best = _best(values, signs)
    return _monte_carlo(best, best, n)


def rademacher_loss(losses: ArrayLike, *, n_draws: int | None = 1000, random_state: int | None = None) -> Complexity:
    """R(L) = (1/n) E max_h sum_i eps_i loss(h(x_i), y_i) for a finite class (Definition 1).

    Parameters
    ----------
    losses : array of shape (hypotheses, n)
        The loss of every hypothesis on every labelled row.
    n_draws, random_state
        As in :func:`rademacher_trace_norm`.

    Examples
    --------
    >>> rademacher_loss([[0.0, 0.0], [1.0, 1.0]], n_draws=None).value
    0.25
    """
    values = np.asarray(losses, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"losses has shape {values.shape}; pass (hypotheses, rows).")
    return rademacher_outputs(values[:, :, None], n_draws=n_draws, random_state=random_state)


def _best(values: Floats, signs: Floats) -> Floats:
    scores = signs.reshape(len(signs), -1) @ values.reshape(len(values), -1).T
    return scores.max(axis=1) / values.shape[1]


def _whole(rows: Rows) -> NDArray[np.float64]:
    return np.concatenate([block.astype(np.float64, copy=False) for block in blocks(rows)])


def _all_signs(n: int, K: int) -> Floats:
    size = n * K
    if size > ALL_SIGNS_UP_TO:
        raise ValueError(
            f"{n} rows and {K} outputs have 2^{size} sign matrices; n_draws=None lists at most "
            f"2^{ALL_SIGNS_UP_TO}. Give a number of draws."
        )
    bits = (np.arange(2**size)[:, None] >> np.arange(size)) & 1
    return np.where(bits, 1.0, -1.0).reshape(-1, n, K)


def _exact(values: Floats, n_rows: int) -> Complexity:
    value = float(values.mean())
    return Complexity(value, 0.0, value, values, n_rows)


def _monte_carlo(values: Floats, upper: Floats, n_rows: int) -> Complexity:
    error = float(values.std(ddof=1) / np.sqrt(len(values)))
    return Complexity(float(values.mean()), error, float(upper.mean()), values, n_rows)
