"""The penalties on W: ridge and manifold (smooth quadratics), the tail of the singular values (proximable)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from lsvv.linalg import Array, like, namespace
from lsvv.spectral import prox_tail_sum, shrink_leading_as_printed, tail_sum


class QuadraticPenalty(ABC):
    """strength * tr(W' Q W) with Q positive semi-definite: convex, with gradient 2 strength Q W."""

    strength: float

    @abstractmethod
    def times(self, W: Array) -> Array:
        """strength * Q W."""

    @abstractmethod
    def add_to(self, A: Array) -> Array:
        """A + strength * Q."""

    def value(self, W: Array) -> float:
        """strength * tr(W' Q W)."""
        return float(namespace(W).sum(W * self.times(W)))

    def gradient(self, W: Array) -> Array:
        """2 strength Q W."""
        return 2.0 * self.times(W)


@dataclass(frozen=True)
class Ridge(QuadraticPenalty):
    """tau_A ||W||_F^2."""

    strength: float

    def times(self, W: Array) -> Array:
        """strength * W."""
        return self.strength * W

    def add_to(self, A: Array) -> Array:
        """A + strength * I."""
        xp = namespace(A)
        return A + self.strength * like(xp.eye(A.shape[0], dtype=A.dtype), A)


@dataclass(frozen=True)
class Manifold(QuadraticPenalty):
    """tau_I tr(W' G W): smoothness over labelled and unlabelled rows; G is all it knows of them."""

    strength: float
    G: Array

    def times(self, W: Array) -> Array:
        """strength * G W."""
        return self.strength * (self.G @ W)

    def add_to(self, A: Array) -> Array:
        """A + strength * G."""
        return A + self.strength * self.G


class SpectralPenalty(ABC):
    """A function of the singular values with a prox; ``convex`` says which laws its prox obeys."""

    strength: float
    free_rank: int

    @property
    @abstractmethod
    def convex(self) -> bool:
        """Whether the penalty is a convex function of a D x K matrix with more than ``free_rank`` values."""

    @abstractmethod
    def prox(self, W: Array, step: float) -> Array:
        """argmin_V 1/2 ||V - W||^2 + step * penalty(V)."""

    def value(self, W: Array) -> float:
        """strength * sum_{j > free_rank} sigma_j(W)."""
        return self.strength * tail_sum(W, self.free_rank) if self.strength else 0.0


@dataclass(frozen=True)
class TailSum(SpectralPenalty):
    """tau_S sum_{j > theta} sigma_j(W): the bound on local Rademacher complexity, convex only for theta = 0."""

    strength: float
    free_rank: int = 0

    @property
    def convex(self) -> bool:
        """True for the trace norm and for no penalty at all."""
        return self.free_rank == 0 or self.strength == 0.0

    def prox(self, W: Array, step: float) -> Array:
        """Keep the leading values, lower the tail by ``step * strength``."""
        return prox_tail_sum(W, step * self.strength, self.free_rank)


@dataclass(frozen=True)
class TailSumAsPrinted(SpectralPenalty):
    """The tail sum with the update Algorithm 1 prints, which lowers the leading values instead: no prox at all."""

    strength: float
    free_rank: int = 0

    @property
    def convex(self) -> bool:
        """Never: the printed rule is the prox of no function."""
        return False

    def prox(self, W: Array, step: float) -> Array:
        """The printed rule, shrinking the first ``free_rank`` values."""
        return shrink_leading_as_printed(W, step * self.strength, self.free_rank)
