"""Eigenvalues and their tails from data: what Theorem 2 reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, inf
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from lsvv.theory.arguments import Floats, Version, is_corrected, nonincreasing, whole
from lsvv.theory.row_blocks import Rows, blocks


@dataclass(frozen=True)
class Spectrum:
    """Leading eigenvalues lambda_1 >= lambda_2 >= ..., with the trace that tells the rest.

    Attributes
    ----------
    eigenvalues : array
        From the largest to the smallest; of the empirical operator on ``n_rows`` rows.
    trace : float
        The mean of kappa(x, x) = ||phi(x)||^2: the sum of all eigenvalues, listed or not.
    largest_norm : float
        The largest kappa(x, x) seen; the theorems want at most 1.
    n_rows : int
        The rows read.

    Examples
    --------
    >>> from lsvv.theory import covariance_spectrum
    >>> found = covariance_spectrum([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    >>> found.eigenvalues.round(3).tolist(), found.trace, found.largest_norm
    ([1.333, 0.667], 2.0, 4.0)
    """

    eigenvalues: Floats
    trace: float
    largest_norm: float
    n_rows: int

    @property
    def tails(self) -> Floats:
        """sum_{j > theta} lambda_j for theta = 0, 1, ..., len(eigenvalues)."""
        listed = float(self.eigenvalues.sum())
        inside = np.append(np.cumsum(self.eigenvalues[::-1])[::-1], 0.0)
        return inside + max(self.trace - listed, 0.0)


def covariance_spectrum(rows: Rows) -> Spectrum:
    """Eigenvalues of C = (1/n) sum_i phi(x_i) phi(x_i)', streamed: the lambda_j of Theorem 2.

    Memory is two D x D matrices and one block; the cost is n D^2. C is not centred, as in the paper.

    Parameters
    ----------
    rows : array of shape (n, D) or iterable of such blocks
        The features phi(x_i), labelled and unlabelled alike.

    Returns
    -------
    Spectrum
        With all D eigenvalues.

    Examples
    --------
    >>> covariance_spectrum([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]]).tails.round(3).tolist()
    [2.0, 0.667, 0.0]
    """
    gram: Floats | None = None
    largest, n_rows = 0.0, 0
    for block in blocks(rows):
        phi = block.astype(np.float64, copy=False)
        product = phi.T @ phi
        gram = product if gram is None else gram + product
        largest = max(largest, float(np.einsum("nd,nd->n", phi, phi).max(initial=0.0)))
        n_rows += len(phi)
    assert gram is not None
    values = eigh(gram / n_rows, eigvals_only=True)[::-1]
    trace = float(np.trace(gram)) / n_rows
    return Spectrum(np.maximum(values, 0.0), trace, largest, n_rows)


def kernel_spectrum(
    rows: Rows,
    kernel: Callable[[NDArray[Any], NDArray[Any]], ArrayLike],
    landmarks: ArrayLike,
    *,
    diagonal: Callable[[NDArray[Any]], ArrayLike],
) -> Spectrum:
    """Leading eigenvalues of the kernel operator (1/n) K, streamed through m landmarks.

    The features K_zz^{-1/2} kappa(z, x) of the landmarks z give a kernel that lies below kappa,
    while the trace is exact. So each listed eigenvalue is at most the true one, each tail sum at least
    the true one, and a bound computed from them stays a bound. Memory is m x m and one block.

    Parameters
    ----------
    rows : array of shape (n, d) or iterable of such blocks
        The inputs x_i.
    kernel : callable
        ``kernel(A, B)`` returns the matrix kappa(a_i, b_j).
    landmarks : array of shape (m, d)
        Points of the input space, as a rule a random sample of the rows.
    diagonal : callable
        ``diagonal(A)`` returns kappa(a_i, a_i).

    Returns
    -------
    Spectrum
        With at most m eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(-1, 1, 50)[:, None]
    >>> found = kernel_spectrum(X, lambda A, B: np.exp(-((A - B.T) ** 2)), X[::10],
    ...                         diagonal=lambda A: np.ones(len(A)))
    >>> float(found.trace), bool(found.tails[3] < 0.05)
    (1.0, True)
    """
    points = np.asarray(landmarks)
    whiten = _inverse_root(np.asarray(kernel(points, points), dtype=np.float64))
    gram = np.zeros((len(whiten), len(whiten)))
    total, largest, n_rows = 0.0, 0.0, 0
    for block in blocks(rows):
        phi = whiten @ np.asarray(kernel(points, block), dtype=np.float64)
        gram += phi @ phi.T
        own = np.asarray(diagonal(block), dtype=np.float64)
        total, largest = total + float(own.sum()), max(largest, float(own.max(initial=0.0)))
        n_rows += len(block)
    values = np.maximum(eigh(gram / n_rows, eigvals_only=True)[::-1], 0.0)
    return Spectrum(values, total / n_rows, largest, n_rows)


def _inverse_root(gram: Floats) -> Floats:
    """Rows v_j' / sqrt(s_j) over the eigenpairs of the landmark matrix that rounding leaves intact."""
    values, vectors = eigh(gram)
    kept = values > values[-1] * len(gram) * np.finfo(np.float64).eps
    if not kept.any():
        raise ValueError("The kernel of the landmarks has no positive eigenvalue; it is not a kernel.")
    return (vectors[:, kept] / np.sqrt(values[kept])).T


DecayKind = Literal["finite rank", "exponential", "polynomial"]


@dataclass(frozen=True)
class Decay:
    """A law fitted to eigenvalues.

    Attributes
    ----------
    kind : str
        ``"finite rank"``: lambda_j = scale for j <= rate, 0 beyond; ``"exponential"``:
        lambda_j = scale exp(-rate j); ``"polynomial"``: lambda_j = scale j^-rate.
    scale, rate : float
        The two numbers of the law.
    goodness : float
        1 - residual / total sum of squares of log lambda_j: 1 is a perfect fit.

    Examples
    --------
    >>> from lsvv.theory import fit_decay
    >>> law = fit_decay([0.5**j for j in range(1, 20)])[0]
    >>> law.kind, law.eigenvalues(3).round(3).tolist()
    ('exponential', [0.5, 0.25, 0.125])
    """

    kind: DecayKind
    scale: float
    rate: float
    goodness: float

    def eigenvalues(self, n: int) -> Floats:
        """lambda_1, ..., lambda_n of the law."""
        j = np.arange(1, n + 1, dtype=np.float64)
        if self.kind == "finite rank":
            return np.full(n, self.scale) * (j <= self.rate)
        if self.kind == "exponential":
            return self.scale * np.exp(-self.rate * j)
        return self.scale * np.exp(-self.rate * np.log(j))


def fit_decay(eigenvalues: ArrayLike) -> tuple[Decay, Decay, Decay]:
    """The three laws of the paper fitted to log lambda_j, the best one first.

    Values below 1e-14 lambda_1 are zero to rounding and count as that floor, in the data as in the
    laws. A finite rank is a step: one level up to the rank, the floor beyond it.

    Parameters
    ----------
    eigenvalues : array
        From the largest to the smallest, at least 3, the first above 0.

    Returns
    -------
    tuple of three Decay
        Sorted by ``goodness``, best first.

    Examples
    --------
    >>> best = fit_decay([0.5**j for j in range(1, 20)])[0]
    >>> best.kind, round(best.rate, 3)
    ('exponential', 0.693)
    """
    values = nonincreasing("eigenvalues", eigenvalues)
    if values.size < 3 or values[0] == 0:
        raise ValueError("eigenvalues needs at least 3 entries, the first above 0, to fit a law.")
    floor = 1e-14 * values[0]
    logs = np.log(np.maximum(values, floor))
    j = np.arange(1, values.size + 1)
    seen = values > floor
    laws = [_step(logs, int(seen.sum()), np.log(floor))]
    kinds: tuple[tuple[DecayKind, Floats], ...] = (
        ("exponential", j.astype(np.float64)),
        ("polynomial", np.log(j)),
    )
    for kind, axis in kinds:
        slope, level = np.polyfit(axis[seen], logs[seen], 1) if seen.sum() > 1 else (0.0, logs[0])
        fitted = np.maximum(level + slope * axis, np.log(floor))
        laws.append(Decay(kind, float(np.exp(level)), float(max(-slope, 0.0)), _goodness(logs, fitted)))
    first, second, third = sorted(laws, key=lambda law: -law.goodness)
    return first, second, third


def _step(logs: Floats, rank: int, floor: float) -> Decay:
    level = float(logs[:rank].mean())
    fitted = np.where(np.arange(logs.size) < rank, level, floor)
    return Decay("finite rank", float(np.exp(level)), float(rank), _goodness(logs, fitted))


def _goodness(data: Floats, fitted: Floats) -> float:
    total = float(np.sum((data - data.mean()) ** 2))
    residual = float(np.sum((data - fitted) ** 2))
    # A flat spectrum has nothing to explain: a fit at rounding level is then perfect.
    return 1.0 - residual / total if total > 1e-20 * data.size else float(residual < 1e-9)


def kernel_rank(
    kernel: Literal["linear", "polynomial", "gaussian"],
    n_features: int,
    degree: int = 1,
    *,
    version: Version = "corrected",
) -> float:
    """The largest rank of a kernel on R^d: linear d, polynomial C(d + p, p), Gaussian infinite.

    The paper prints p + 1 for (<x, x'> + 1)^p, which is right for d = 1 alone: the kernel spans all
    monomials of degree at most p in d variables.

    Parameters
    ----------
    kernel : str
        ``"linear"``, ``"polynomial"`` or ``"gaussian"``.
    n_features : int
        d.
    degree : int
        p, for the polynomial kernel.
    version : str
        ``"printed"`` or ``"corrected"``.

    Returns
    -------
    float
        A whole number, or infinity.

    Examples
    --------
    >>> kernel_rank("polynomial", 10, 3), kernel_rank("polynomial", 10, 3, version="printed")
    (286.0, 4.0)
    """
    d, p = whole("n_features", n_features), whole("degree", degree)
    corrected = is_corrected(version)
    if kernel == "linear":
        return float(d)
    if kernel == "polynomial":
        return float(comb(d + p, p)) if corrected else float(p + 1)
    if kernel == "gaussian":
        return inf
    raise ValueError(f'kernel is {kernel!r}; choose "linear", "polynomial" or "gaussian".')
