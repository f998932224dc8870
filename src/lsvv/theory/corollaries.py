"""Corollaries 1 and 2: Theorems 2 and 3 put into Theorem 1, with r*, its theta and the special cases."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from lsvv.theory.arguments import Floats, Version, is_corrected, nonincreasing, positive
from lsvv.theory.assumptions import Assumption, Facts
from lsvv.theory.fixed_points import fixed_point_coefficients
from lsvv.theory.local_bounds import (
    LocalBound,
    low_rank_parts,
    tail_sums,
    theorem_2,
    theorem_3,
)
from lsvv.theory.spectra import Spectrum
from lsvv.theory.subroot import LinearUnderRoot, Minimum, RootPlusConstant, SubRoot
from lsvv.theory.theorems import RiskBound, theorem_1


@dataclass(frozen=True)
class ExcessBound:
    """A bound of the excess risk E(h^) - E(h*), with everything it is made of.

    Attributes
    ----------
    bound : float
        complexity_term + confidence_term.
    complexity_term, confidence_term : float
        The multiple of r* and the multiple of log(1/delta)/n.
    r_star : float
        The corollary's bound of the fixed point, minimised over theta.
    theta : int
        The minimising theta.
    by_theta : array
        The bound of the fixed point for theta = 0, 1, ...
    psi : SubRoot
        The sub-root function whose fixed point r* is; ``psi.fixed_point`` solves it exactly.
    worst_case : float
        r* at theta = 0: the global complexity.
    loss_range : float
        B; an excess risk never exceeds it.
    certificate : bool
        Whether the formula is a theorem when its assumptions hold; never of a sample's eigenvalues.
    note : str
        What the number may be used for.
    version : str
    assumptions : tuple of Assumption

    Examples
    --------
    >>> from lsvv.theory import corollary_1
    >>> print(corollary_1([0.5, 0.5], n=1000, n_outputs=3).verdict)
    The number 17.07 is not below the range B = 1 of the loss: it is vacuous and says nothing about this model.
    """

    bound: float
    complexity_term: float
    confidence_term: float
    r_star: float
    theta: int
    by_theta: Floats = field(repr=False)
    psi: SubRoot = field(repr=False)
    worst_case: float
    loss_range: float
    certificate: bool
    note: str
    version: Version
    assumptions: tuple[Assumption, ...] = field(repr=False)

    @property
    def vacuous(self) -> bool:
        """Whether the bound is at least B, which every hypothesis meets."""
        return self.bound >= self.loss_range

    @property
    def verdict(self) -> str:
        """What the number says, in a sentence."""
        if self.certificate and not self.vacuous:
            return f"The excess risk is at most {self.bound:.4g} if every assumption holds."
        said = f"The number {self.bound:.4g} is below the range B = {self.loss_range:.4g} of the loss."
        if self.vacuous:
            said = (
                f"The number {self.bound:.4g} is not below the range B = {self.loss_range:.4g} of the loss: "
                "it is vacuous and says nothing about this model."
            )
        return said if self.certificate else f"{said} {self.note}"


def corollary_1(
    eigenvalues: Spectrum | ArrayLike,
    *,
    n: int,
    u: int = 0,
    n_outputs: int = 1,
    lipschitz: float = 1.0,
    loss_range: float = 1.0,
    delta: float = 0.05,
    bernstein: float | None = None,
    facts: Facts | None = None,
    version: Version = "corrected",
) -> ExcessBound:
    """E(h^) - E(h*) <= c_{L,B} (r* + log(1/delta)/n), r* <= min (theta/N + sqrt(tail/N)) (Corollary 1).

    N = n + u as printed; the paper does not name c_{L,B}, the smallest its own proof allows is
    705 max(2 B, 2 sqrt(2) L). Corrected: (705/alpha) r* + (22 B + 27 alpha) log(1/delta)/n with
    r* <= min_theta (4 alpha^2 K theta/n + 4 alpha L sqrt(K tail/n)).

    Parameters
    ----------
    eigenvalues : Spectrum or array
        lambda_j of the feature covariance, from the largest to the smallest, as in :func:`theorem_2`: with a sample's,
        a :class:`Spectrum`, the number is an estimate and no certificate.
    n, u, n_outputs
        Labelled rows, unlabelled rows, K.
    lipschitz, loss_range : float
        L and B, see :func:`loss_constants`.
    delta : float
        The bound holds with probability at least 1 - delta.
    bernstein : float, optional
        alpha, as in :func:`theorem_1`; B unless told.
    facts : Facts, optional
        What is known about the data.
    version : str
        ``"printed"`` or ``"corrected"``.

    Examples
    --------
    >>> found = corollary_1([0.5, 0.5], n=1000, n_outputs=3)
    >>> found.theta, round(found.r_star, 4), found.vacuous
    (2, 0.024, True)
    """
    local = theorem_2(
        eigenvalues, 1.0, n=n, u=u, n_outputs=n_outputs, lipschitz=lipschitz, facts=facts, version=version
    )
    tails = tail_sums(eigenvalues)
    thetas = np.arange(tails.size)
    alpha = loss_range if bernstein is None else bernstein
    a, b = fixed_point_coefficients(n=n, u=u, n_outputs=n_outputs, lipschitz=lipschitz, alpha=alpha, version=version)
    if is_corrected(version):
        psi = Minimum(tuple(LinearUnderRoot(a * k, b**2 * tail) for k, tail in zip(thetas, tails, strict=True)))
    else:
        psi = printed_psi(tails, n + u, lipschitz, loss_range)
    by_theta = a * thetas + b * np.sqrt(tails)
    risk = theorem_1(psi, n=n, loss_range=loss_range, delta=delta, bernstein=bernstein, facts=facts, version=version)
    constant = None if is_corrected(version) else _printed_constant(lipschitz, loss_range)
    return _excess(by_theta, psi, local, risk, constant, loss_range)


def printed_psi(tails: Floats, size: int, lipschitz: float, loss_range: float) -> Minimum:
    """psi(r) = 2 sqrt(2) B L sqrt((theta r/(4 L^2) + tail)/N), the smallest over theta, as printed."""
    slope, offset = 2 * loss_range**2 / size, 8 * (loss_range * lipschitz) ** 2 / size
    return Minimum(tuple(LinearUnderRoot(slope * k, offset * tail) for k, tail in enumerate(tails)))


def _excess(
    by_theta: Floats,
    psi: SubRoot,
    local: LocalBound,
    risk: RiskBound,
    constant: float | None,
    loss_range: float,
) -> ExcessBound:
    """Theorem 1 with the corollary's bound of r*; ``constant`` replaces both its factors, as printed."""
    theta = int(np.argmin(by_theta))
    r_star = float(by_theta[theta])
    complexity, confidence = risk.c1 * r_star, risk.confidence_term
    if constant is not None:
        complexity, confidence = constant * r_star, constant * confidence / risk.c2
    return ExcessBound(
        bound=complexity + confidence,
        complexity_term=complexity,
        confidence_term=confidence,
        r_star=r_star,
        theta=theta,
        by_theta=by_theta,
        psi=psi,
        worst_case=float(by_theta[0]),
        loss_range=loss_range,
        certificate=local.certificate,
        note=local.note,
        version=local.version,
        assumptions=(*local.assumptions, *risk.assumptions),
    )


def _printed_constant(lipschitz: float, loss_range: float) -> float:
    return 705 * max(2 * loss_range, 2 * float(np.sqrt(2)) * lipschitz)


def corollary_2(
    singular_values: ArrayLike,
    *,
    n: int,
    u: int = 0,
    n_features: int | None = None,
    n_outputs: int | None = None,
    lipschitz: float = 1.0,
    loss_range: float = 1.0,
    delta: float = 0.05,
    bernstein: float | None = None,
    facts: Facts | None = None,
    version: Version = "corrected",
) -> ExcessBound:
    """As Corollary 1 with r* <= min_theta (theta/N + sqrt(sum_{j>theta} sigma_j^2 / N)) (Corollary 2).

    A motivation for the regulariser, not a certificate, in both versions: see :func:`theorem_3`.
    Corrected: r* is the fixed point of sqrt(2) alpha L times the corrected Theorem 3.

    Parameters
    ----------
    singular_values : array
        sigma_j(W), from the largest to the smallest.
    n, u, n_features, n_outputs
        Labelled rows, unlabelled rows, and the shape of W, which the corrected version needs.
    lipschitz, loss_range, delta, bernstein, facts, version
        As in :func:`corollary_1`.

    Returns
    -------
    ExcessBound
        ``certificate`` is False.

    Examples
    --------
    >>> corollary_2([0.7, 0.3], n=100, u=900, version="printed").r_star
    0.002
    """
    sigma = nonincreasing("singular_values", singular_values)
    local = theorem_3(
        sigma,
        1.0,
        n=n,
        u=u,
        n_features=n_features,
        n_outputs=n_outputs,
        lipschitz=lipschitz,
        facts=facts,
        version=version,
    )
    psi: Minimum
    if is_corrected(version):
        alpha = loss_range if bernstein is None else positive("bernstein", bernstein)
        scale = np.sqrt(2) * alpha * lipschitz
        factors, constants = low_rank_parts(sigma, n, n_features, n_outputs, lipschitz)
        parts = zip(scale * factors, scale * constants, strict=True)
        psi = Minimum(tuple(RootPlusConstant(float(a), float(b)) for a, b in parts))
        by_theta = np.array([part.fixed_point for part in psi.parts])
    else:
        a, b = fixed_point_coefficients(n=n, u=u, version=version)
        tails = tail_sums(sigma**2)
        psi = printed_psi(tails, n + u, lipschitz, loss_range)
        by_theta = a * np.arange(tails.size) + b * np.sqrt(tails)
    risk = theorem_1(psi, n=n, loss_range=loss_range, delta=delta, bernstein=bernstein, facts=facts, version=version)
    constant = None if is_corrected(version) else _printed_constant(lipschitz, loss_range)
    return _excess(by_theta, psi, local, risk, constant, loss_range)
