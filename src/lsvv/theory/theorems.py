"""Proposition 1, the contraction lemma and Theorem 1, as printed and as corrected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsvv.theory.arguments import Version, is_corrected, positive, probability, whole
from lsvv.theory.assumptions import Assumption, Facts, check_lipschitz, check_range
from lsvv.theory.subroot import SubRoot


@dataclass(frozen=True)
class RiskBound:
    """Pf <= empirical_term + complexity_term + confidence_term, with everything it is made of.

    Attributes
    ----------
    bound : float
        The sum of the three terms.
    empirical_term, complexity_term, confidence_term : float
        K/(K-1) of the empirical mean; the multiple of r*; the multiple of log(1/delta)/n.
    r_star : float
        The fixed point of psi.
    c1, c2 : float
        The factors of r* and of log(1/delta)/n.
    version : str
    assumptions : tuple of Assumption

    Examples
    --------
    >>> from lsvv.theory import LinearUnderRoot, proposition_1
    >>> found = proposition_1(LinearUnderRoot(0.0, 1e-8), n=10_000, alpha=1.0, width=1.0)
    >>> found.bound == found.empirical_term + found.complexity_term + found.confidence_term
    True
    >>> [assumption.holds for assumption in found.assumptions]
    [None, None]
    """

    bound: float
    empirical_term: float
    complexity_term: float
    confidence_term: float
    r_star: float
    c1: float
    c2: float
    version: Version
    assumptions: tuple[Assumption, ...]


def proposition_1(
    psi: SubRoot,
    *,
    n: int,
    alpha: float,
    width: float,
    delta: float = 0.05,
    factor: float = 2.0,
    empirical_mean: float = 0.0,
    version: Version = "corrected",
) -> RiskBound:
    """Pf <= K/(K-1) P_n f + (704 K/alpha) r* + (11 width + 26 K alpha) log(1/delta)/n (Proposition 1).

    The first part of Theorem 3.3 of Bartlett, Bousquet and Mendelson (2005), for all f of a class at
    once. Both versions have the same numbers; the corrected one adds that n counts the rows on which
    f is evaluated, the labelled ones.

    Parameters
    ----------
    psi : SubRoot
        At least alpha R({f : T(f) <= r}) for every r >= r*.
    n : int
        Rows on which P_n f is taken.
    alpha : float
        Var f <= T(f) <= alpha Pf for every f.
    width : float
        a' - a, where f lies in [a, a'].
    delta : float
        The bound holds with probability at least 1 - delta.
    factor : float
        K > 1 (not the number of outputs).
    empirical_mean : float
        P_n f.
    version : str
        ``"printed"`` or ``"corrected"``.

    Examples
    --------
    >>> from lsvv.theory import LinearUnderRoot
    >>> proposition_1(LinearUnderRoot(0.0, 1e-8), n=10_000, alpha=1.0, width=1.0).r_star
    0.0001
    """
    is_corrected(version)
    rows, a, b = whole("n", n), positive("alpha", alpha), positive("width", width)
    if not factor > 1:
        raise ValueError(f"factor is {factor!r}; the K of Proposition 1 must be above 1.")
    c1, c2 = 704 * factor / a, 11 * b + 26 * factor * a
    return _risk_bound(
        psi,
        rows,
        delta,
        c1,
        c2,
        version,
        _local_variance(a),
        empirical=factor / (factor - 1) * empirical_mean,
    )


def _risk_bound(
    psi: SubRoot,
    n: int,
    delta: float,
    c1: float,
    c2: float,
    version: Version,
    assumptions: tuple[Assumption, ...],
    empirical: float = 0.0,
) -> RiskBound:
    r_star = psi.fixed_point
    confidence = c2 * np.log(1 / probability("delta", delta)) / n
    return RiskBound(
        float(empirical + c1 * r_star + confidence),
        float(empirical),
        float(c1 * r_star),
        float(confidence),
        r_star,
        float(c1),
        float(c2),
        version,
        assumptions,
    )


def _local_variance(alpha: float) -> tuple[Assumption, ...]:
    return (
        Assumption(
            f"Var f <= T(f) <= {alpha:.6g} Pf",
            None,
            "it is a property of the distribution and of the class, not of a sample.",
        ),
        Assumption("psi(r) >= alpha R({T(f) <= r})", None, "psi was given, not derived here."),
    )


@dataclass(frozen=True)
class ContractionBound:
    """R(L_r) <= factor * complexity, both at the sample size ``n``.

    Attributes
    ----------
    bound : float
        factor times complexity.
    factor : float
        sqrt(2) L.
    complexity : float
        R(H_r).
    n : int
        Rows of the loss space: the labelled ones.
    complexity_rows : int
        Rows of the hypothesis space whose complexity was given.
    version : str
    assumptions : tuple of Assumption

    Examples
    --------
    >>> from lsvv.theory import contraction
    >>> found = contraction(0.1, lipschitz=2.0, n=50)
    >>> round(found.factor, 4), round(found.bound, 4), found.complexity_rows
    (2.8284, 0.2828, 50)
    """

    bound: float
    factor: float
    complexity: float
    n: int
    complexity_rows: int
    version: Version
    assumptions: tuple[Assumption, ...]


def contraction(
    complexity: float,
    *,
    lipschitz: float,
    n: int,
    complexity_rows: int | None = None,
    facts: Facts | None = None,
    version: Version = "corrected",
) -> ContractionBound:
    """R(L_r) <= sqrt(2) L R(H_r) (Lemma 1; Lemma 5 of Cortes et al. 2016, Theorem 3 of Maurer 2016).

    The lemma compares two complexities on the same rows. The paper puts the complexity on n + u rows
    into it; the printed version computes that product and says that it does not hold, the corrected
    version refuses it.

    Parameters
    ----------
    complexity : float
        R(H_r), on ``complexity_rows`` rows.
    lipschitz : float
        L.
    n : int
        Labelled rows.
    complexity_rows : int, optional
        n unless told.
    facts : Facts, optional
        What is known about the loss.
    version : str
        ``"printed"`` or ``"corrected"``.

    Examples
    --------
    >>> round(contraction(0.1, lipschitz=1.0, n=100).bound, 4)
    0.1414
    """
    L, rows = positive("lipschitz", lipschitz), whole("n", n)
    used = rows if complexity_rows is None else whole("complexity_rows", complexity_rows)
    if is_corrected(version) and used != rows:
        raise ValueError(
            f"The complexity belongs to {used} rows and the loss to n = {rows}; the contraction lemma "
            "compares the same rows. Measure the complexity at n rows."
        )
    factor = float(np.sqrt(2) * L)
    same = Assumption("same sample size", used == rows, f"loss on {rows} rows, hypotheses on {used}.")
    assumptions = (check_lipschitz(facts or Facts(), L), same)
    return ContractionBound(factor * complexity, factor, complexity, rows, used, version, assumptions)


def theorem_1(
    psi: SubRoot,
    *,
    n: int,
    loss_range: float,
    delta: float = 0.05,
    bernstein: float | None = None,
    facts: Facts | None = None,
    version: Version = "corrected",
) -> RiskBound:
    """E(h^) - E(h*) <= (705/B) r* + 49 B log(1/delta)/n (Theorem 1).

    Corrected: (705/alpha) r* + (22 B + 27 alpha) log(1/delta)/n with psi(r) >= sqrt(2) alpha L R(H_r),
    where H_r = {h : L^2 E||h - h*||^2 <= r}, R is taken at the n labelled rows, and
    L^2 E||h - h*||^2 <= alpha (E(h) - E(h*)) is assumed. The paper derives Var f <= B Pf for
    f = loss(h) - loss(h*), which changes sign; it does not follow. For the squared loss on a convex
    class the assumption holds with alpha = L^2. With alpha = B both versions are the same number; the
    width 2 B of f, which the paper's proof gives as B, is what makes 49 out of 22 + 27.

    Parameters
    ----------
    psi : SubRoot
        At least sqrt(2) alpha L R(H_r) for every r >= r* (alpha = B as printed).
    n : int
        Labelled rows.
    loss_range : float
        B: the loss lies in [0, B].
    delta : float
        The bound holds with probability at least 1 - delta.
    bernstein : float, optional
        alpha; B unless told. The printed version has none.
    facts : Facts, optional
        What is known about the loss.
    version : str
        ``"printed"`` or ``"corrected"``.

    Examples
    --------
    >>> from lsvv.theory import LinearUnderRoot
    >>> found = theorem_1(LinearUnderRoot(1e-5, 0.0), n=10_000, loss_range=1.0)
    >>> round(found.complexity_term, 5), round(found.confidence_term, 5)
    (0.00705, 0.01468)
    """
    B, rows = positive("loss_range", loss_range), whole("n", n)
    range_known = check_range(facts or Facts(), B)
    if not is_corrected(version):
        if bernstein is not None:
            raise ValueError('bernstein belongs to version="corrected"; the printed theorem has alpha = B.')
        claim = Assumption(
            "Var f <= B Pf", None, "the paper's proof claims it, but f = loss(h) - loss(h*) changes sign."
        )
        return _risk_bound(psi, rows, delta, 705 / B, 49 * B, version, (range_known, claim))
    alpha = B if bernstein is None else positive("bernstein", bernstein)
    needed = Assumption(
        f"L^2 E||h - h*||^2 <= {alpha:.6g} (E(h) - E(h*))",
        None,
        "it is a property of the distribution; for the squared loss alpha = L^2 does.",
    )
    c2 = 22 * B + 27 * alpha
    return _risk_bound(psi, rows, delta, 705 / alpha, c2, version, (range_known, needed))
