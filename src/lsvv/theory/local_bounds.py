"""Theorems 2 and 3: the local complexity bounded by eigenvalue and by singular-value tails."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lsvv.theory.arguments import Floats, Version, is_corrected, nonincreasing, positive, whole
from lsvv.theory.assumptions import Assumption, Facts, check_class, check_lipschitz, check_population
from lsvv.theory.spectra import Spectrum

MOTIVATION = (
    "A motivation for the regulariser, not a certificate: the complexity is a supremum over all W, "
    "while these singular values belong to one."
)


@dataclass(frozen=True)
class LocalBound:
    """A bound of R(H_r), H_r = {h : L^2 E||h - h*||^2 <= r}, with its parts.

    Attributes
    ----------
    value : float
        The bound.
    theta : int
        The cut-off that minimises it.
    head, tail : float
        What the first theta directions and the rest contribute, in the units of the formula.
    by_theta : array
        The bound for theta = 0, 1, ...; ``value`` is its minimum.
    sample_size : int
        n + u as printed, n as corrected.
    certificate : bool
        Whether the formula bounds R(H_r) of the class when its assumptions hold.
    note : str
        What the number may be used for.
    version : str
    assumptions : tuple of Assumption

    Examples
    --------
    >>> from lsvv.theory import theorem_2
    >>> found = theorem_2([0.5, 0.5], r=0.01, n=100, n_outputs=4)
    >>> found.by_theta.round(3).tolist(), found.theta
    ([0.566, 0.401, 0.04], 2)
    """

    value: float
    theta: int
    head: float
    tail: float
    by_theta: Floats
    sample_size: int
    certificate: bool
    note: str
    version: Version
    assumptions: tuple[Assumption, ...]


def tail_sums(eigenvalues: Spectrum | ArrayLike) -> Floats:
    """sum_{j > theta} lambda_j for theta = 0, 1, ...; a :class:`Spectrum` adds what it does not list.

    Parameters
    ----------
    eigenvalues : Spectrum or array
        From the largest to the smallest.

    Examples
    --------
    >>> tail_sums([3.0, 2.0, 1.0]).tolist()
    [6.0, 3.0, 1.0, 0.0]
    """
    if isinstance(eigenvalues, Spectrum):
        return eigenvalues.tails
    values = nonincreasing("eigenvalues", eigenvalues)
    return np.append(np.cumsum(values[::-1])[::-1], 0.0)


def theorem_2(
    eigenvalues: Spectrum | ArrayLike,
    r: float,
    *,
    n: int,
    u: int = 0,
    n_outputs: int = 1,
    lipschitz: float = 1.0,
    facts: Facts | None = None,
    version: Version = "corrected",
) -> LocalBound:
    """R(H_r) <= 2 sqrt( (1/(n+u)) min_theta (theta r/(4 L^2) + sum_{j>theta} lambda_j) ) (Theorem 2).

    Corrected: R(H_r) <= 2 sqrt(2) sqrt( (K/n) min_theta (theta r/(4 L^2) + sum_{j>theta} lambda_j) ).
    K because a supremum over K outputs adds up K independent sign vectors; n because the contraction
    needs the complexity on the labelled rows; sqrt(2) because the proof ends with sqrt(a) + sqrt(b).

    Parameters
    ----------
    eigenvalues : Spectrum or array
        lambda_j of the feature covariance (the kernel operator), from the largest to the smallest: the population's,
        which numbers are taken to be. A :class:`Spectrum` is a sample's, and makes the bound an estimate.
    r : float
        Radius: L^2 E||h - h*||^2 <= r.
    n, u : int
        Labelled and unlabelled rows. The corrected bound does not depend on u.
    n_outputs : int
        K. The printed bound does not depend on it.
    lipschitz : float
        L.
    facts : Facts, optional
        What is known about the data; a :class:`Spectrum` adds its largest norm.
    version : str
        ``"printed"`` or ``"corrected"``.

    Examples
    --------
    >>> found = theorem_2([0.5, 0.5], r=0.01, n=100, n_outputs=4)
    >>> found.theta, round(found.value, 4)
    (2, 0.04)
    """
    tails = tail_sums(eigenvalues)
    radius, L = positive("r", r), positive("lipschitz", lipschitz)
    rows, extra, K = whole("n", n), whole("u", u, least=0), whole("n_outputs", n_outputs)
    corrected = is_corrected(version)
    size = rows if corrected else rows + extra
    factor = 8 * K / size if corrected else 4 / size
    heads = np.arange(tails.size, dtype=np.float64) * radius / (4 * L**2)
    known = facts or Facts()
    if isinstance(eigenvalues, Spectrum) and known.largest_norm is None:
        known = Facts(eigenvalues.largest_norm, known.trace_norm, known.loss)
    sample = eigenvalues.n_rows if isinstance(eigenvalues, Spectrum) else None
    assumptions = (
        *check_class(known),
        check_lipschitz(known, L),
        check_population(sample),
        *_sizes(corrected, extra, K),
    )
    certificate = corrected and sample is None
    return _smallest(factor, heads, tails, size, certificate, _note(corrected, sample), version, assumptions)


def _note(corrected: bool, sample: int | None) -> str:
    if corrected and sample is not None:
        return f"An estimate: the eigenvalues are those of {sample} rows, and the bound needs the population's."
    if corrected:
        return "A bound for the class localised in E||h - h*||^2, at the labelled sample size."
    return "As printed: it fails for several outputs, by its constant, and with unlabelled rows in the rate."


def _sizes(corrected: bool, u: int, K: int) -> tuple[Assumption, ...]:
    if corrected:
        return ()
    return (
        _labelled_size(u),
        Assumption("no factor sqrt(2)", False, "the proof ends with sqrt(a) + sqrt(b), above sqrt(a + b)."),
        Assumption("no factor K", K == 1, f"there are K = {K} outputs; the proof needs K = 1."),
    )


def _labelled_size(u: int) -> Assumption:
    sentence = f"there are u = {u} unlabelled rows; the proof needs u = 0."
    return Assumption("n + u in place of n", u == 0, sentence)


def _gaps(u: int) -> tuple[Assumption, ...]:
    one = Assumption("one W for the supremum", False, "the complexity is a supremum over all W.")
    return (_labelled_size(u), one)


def _smallest(
    factor: float,
    heads: Floats,
    tails: Floats,
    size: int,
    certificate: bool,
    note: str,
    version: Version,
    assumptions: tuple[Assumption, ...],
) -> LocalBound:
    values = np.sqrt(factor * (heads + tails))
    theta = int(np.argmin(values))
    parts = float(values[theta]), theta, float(heads[theta]), float(tails[theta])
    return LocalBound(*parts, values, size, certificate, note, version, assumptions)


def theorem_3(
    singular_values: ArrayLike,
    r: float,
    *,
    n: int,
    u: int = 0,
    n_features: int | None = None,
    n_outputs: int | None = None,
    lipschitz: float = 1.0,
    facts: Facts | None = None,
    version: Version = "corrected",
) -> LocalBound:
    """R(H_r) <= 2 sqrt( (1/(n+u)) min_theta (theta r/(4 L^2) + sum_{j>theta} sigma_j^2) ) (Theorem 3).

    A motivation for the regulariser, not a certificate: the complexity is a supremum over W, the
    sigma_j belong to one W. For K = 1 every W has one singular value and theta = 1 leaves no tail; the
    printed bound sqrt(r/N)/L is then too small by up to sqrt(D).

    Corrected: for the class of ALL W with sum_{j>theta} sigma_j(W) <= t, on fixed rows with
    mean ||phi||^2 <= 1 and H_r localised by the mean over these rows,

        R(H_r) <= sqrt(2 theta) (sqrt(r)/L + 2 t) w + 2 t g,
        w = min(sqrt(pi/2) (sqrt(D) + sqrt(K)), sqrt(D K)) / sqrt(n),   g = sqrt(K/n),

    by splitting W - W* into a part of rank 2 theta and a rest of trace norm at most 2 t, and by
    Chevet's inequality for the whitened rows. This holds for a class fixed in advance; with t read off
    a fitted W it remains a motivation.

    Parameters
    ----------
    singular_values : array
        sigma_j(W), from the largest to the smallest.
    r : float
        Radius: L^2 E||h - h*||^2 <= r.
    n, u : int
        Labelled and unlabelled rows. The corrected bound does not depend on u.
    n_features, n_outputs : int
        D and K; the corrected version needs them.
    lipschitz : float
        L.
    facts : Facts, optional
        What is known about the data.
    version : str
        ``"printed"`` or ``"corrected"``.

    Returns
    -------
    LocalBound
        ``certificate`` is False in both versions.

    Examples
    --------
    >>> found = theorem_3([0.7, 0.3], r=0.01, n=100, u=900, version="printed")
    >>> found.theta, round(found.value, 5)
    (2, 0.00447)
    """
    sigma = nonincreasing("singular_values", singular_values)
    radius, L = positive("r", r), positive("lipschitz", lipschitz)
    rows, extra = whole("n", n), whole("u", u, least=0)
    corrected = is_corrected(version)
    known = facts or Facts()
    if known.trace_norm is None:
        known = Facts(known.largest_norm, float(sigma.sum()), known.loss)
    assumptions: tuple[Assumption, ...] = (*check_class(known), check_lipschitz(known, L))
    if not corrected:
        assumptions += _gaps(extra)
        tails, heads = tail_sums(sigma**2), np.arange(sigma.size + 1, dtype=np.float64) * radius / (4 * L**2)
        size = rows + extra
        return _smallest(4 / size, heads, tails, size, False, MOTIVATION, version, assumptions)
    assumptions += (Assumption("theta and t fixed in advance", None, "the singular values may be fitted."),)
    factors, constants = low_rank_parts(sigma, rows, n_features, n_outputs, L)
    values = factors * np.sqrt(radius) + constants
    theta = int(np.argmin(values))
    parts = float(values[theta]), theta, float(values[theta] - constants[theta]), float(constants[theta])
    return LocalBound(*parts, values, rows, False, MOTIVATION, version, assumptions)


def low_rank_parts(
    sigma: Floats, n: int, n_features: int | None, n_outputs: int | None, lipschitz: float
) -> tuple[Floats, Floats]:
    """For every theta the two numbers of the corrected Theorem 3: factor sqrt(r) + constant."""
    if n_features is None or n_outputs is None:
        raise ValueError('version="corrected" needs n_features and n_outputs, the shape of W.')
    D, K = whole("n_features", n_features), whole("n_outputs", n_outputs)
    if sigma.size > min(D, K):
        raise ValueError(f"There are {sigma.size} singular values; a {D} x {K} matrix has {min(D, K)}.")
    w = min(np.sqrt(np.pi / 2) * (np.sqrt(D) + np.sqrt(K)), np.sqrt(D * K)) / np.sqrt(n)
    g = np.sqrt(K / n)
    t = tail_sums(sigma)
    width = np.sqrt(2 * np.arange(t.size, dtype=np.float64))
    return width * w / lipschitz, 2 * t * (width * w + g)
