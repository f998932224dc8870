"""Losses on scores F (n x K) for targets T (n x K) under weights A (n x K): value sum_i,k A_ik l(F_ik, T_ik).

The weights already hold the division by each output's known weight and are 0 where an entry is unknown, so a
loss never needs a mask of its own. A loss that couples the outputs of a row (classes) reads one weight a row.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

from lsvv.inputs import quoted
from lsvv.linalg import Array, namespace


class Loss(ABC):
    """A convex loss of the scores.

    Attributes
    ----------
    curvature : float
        Bound c on the second derivative: the Lipschitz constant of the gradient in the scores; inf for a kink.
    couples_outputs : bool
        Whether a row's loss mixes its outputs (one class a row) or is a sum over them.
    threshold : float
        The score above which a single output counts as "yes".
    gap : float
        How far below its kinked original the loss may lie, per unit of weight; 0 where it is exact.
    """

    curvature: float
    couples_outputs: bool = False
    threshold: float = 0.0
    gap: float = 0.0

    @abstractmethod
    def value_and_gradient(self, F: Array, T: Array, A: Array) -> tuple[float, Array]:
        """The weighted loss and its (sub-)gradient in the scores."""

    def value(self, F: Array, T: Array, A: Array) -> float:
        """The weighted loss."""
        return self.value_and_gradient(F, T, A)[0]

    @abstractmethod
    def derivatives(self, F: Array, T: Array) -> tuple[Array, Array]:
        """First and second derivative in each score, unweighted; of the second the diagonal alone."""


class Squared(Loss):
    """l(f, t) = (f - t)^2; classes and labels are coded 0 and 1."""

    curvature = 2.0
    threshold = 0.5

    def value_and_gradient(self, F: Array, T: Array, A: Array) -> tuple[float, Array]:
        """sum A (F - T)^2 and 2 A (F - T)."""
        R = A * (F - T)
        return float(namespace(F).sum(R * (F - T))), 2.0 * R

    def derivatives(self, F: Array, T: Array) -> tuple[Array, Array]:
        """2 (F - T) and 2."""
        return 2.0 * (F - T), namespace(F).full_like(F, 2.0)


class MulticlassLogistic(Loss):
    """l(f, y) = log sum_k exp(f_k) - f_y; its probabilities are the softmax of the scores."""

    curvature = 0.5
    couples_outputs = True

    def value_and_gradient(self, F: Array, T: Array, A: Array) -> tuple[float, Array]:
        """sum_i a_i l_i and a_i (softmax(f_i) - t_i)."""
        xp = namespace(F)
        a = A[:, 0]
        shifted = F - xp.max(F, axis=1, keepdims=True)
        E = xp.exp(shifted)
        total = xp.sum(E, axis=1)
        value = xp.sum(a * (xp.log(total) - xp.sum(shifted * T, axis=1)))
        return float(value), a[:, None] * (E / total[:, None] - T)

    def derivatives(self, F: Array, T: Array) -> tuple[Array, Array]:
        """p - t and p (1 - p), p the softmax."""
        xp = namespace(F)
        E = xp.exp(F - xp.max(F, axis=1, keepdims=True))
        P = E / xp.sum(E, axis=1, keepdims=True)
        return P - T, P * (1.0 - P)


class BinaryLogistic(Loss):
    """l(f, t) = log(1 + exp(-s f)), s = 2 t - 1, one label an output; its probability is the sigmoid."""

    curvature = 0.25

    def value_and_gradient(self, F: Array, T: Array, A: Array) -> tuple[float, Array]:
        """sum A log(1 + exp(-s F)) and A (sigmoid(F) - T)."""
        xp = namespace(F)
        tail = xp.exp(-xp.abs(F))
        softplus = xp.log1p(tail) + xp.where(F > 0, F, xp.zeros_like(F)) - F * T
        sigmoid = xp.where(F > 0, 1.0 / (1.0 + tail), tail / (1.0 + tail))
        return float(xp.sum(A * softplus)), A * (sigmoid - T)

    def derivatives(self, F: Array, T: Array) -> tuple[Array, Array]:
        """p - t and p (1 - p), p the sigmoid."""
        xp = namespace(F)
        tail = xp.exp(-xp.abs(F))
        P = xp.where(F > 0, 1.0 / (1.0 + tail), tail / (1.0 + tail))
        return P - T, P * (1.0 - P)


@dataclass(frozen=True)
class MulticlassHinge(Loss):
    """l(f, y) = max_k ([k != y] + f_k) - f_y (Crammer-Singer), smoothed by gamma where gamma > 0.

    The smoothing takes max over p in the simplex of <p, [k != y] + f> - gamma/2 ||p||^2 in place of the max over
    k: below the hinge by at most gamma / 2, with a gradient that is 1/gamma-Lipschitz. The kink of the hinge is at
    margin 1 and where the runner-up ties.
    """

    smoothing: float = 0.0
    couples_outputs = True

    @property
    def curvature(self) -> float:  # type: ignore[override]
        """1 / gamma."""
        return 1.0 / self.smoothing if self.smoothing else float("inf")

    @property
    def gap(self) -> float:  # type: ignore[override]
        """gamma / 2."""
        return 0.5 * self.smoothing

    def value_and_gradient(self, F: Array, T: Array, A: Array) -> tuple[float, Array]:
        """sum_i a_i l_i and a_i (p_i - t_i), p_i the maximiser."""
        xp = namespace(F)
        a, U = A[:, 0], F + (1.0 - T)
        P = self.maximiser(U.T).T
        losses = xp.sum(P * U, axis=1) - xp.sum(F * T, axis=1) - self.gap * xp.sum(P * P, axis=1)
        # the row's own class sits at margin 0 in U, so the unsmoothed value is never negative
        return float(xp.sum(a * losses)), a[:, None] * (P - T)

    def derivatives(self, F: Array, T: Array) -> tuple[Array, Array]:
        """p - t, and (1 - 1 / |support|) / gamma on the support of p."""
        xp = namespace(F)
        P = self.maximiser((F + (1.0 - T)).T).T
        support = xp.astype(P > 0, F.dtype)
        share = 1.0 - 1.0 / xp.sum(support, axis=1, keepdims=True)
        return P - T, support * share * (1.0 / self.smoothing if self.smoothing else 0.0)

    def maximiser(self, U: Array) -> Array:
        """p in the simplex that maximises <p, u> - gamma/2 ||p||^2, classes along the first axis of ``U``."""
        return _project_to_simplex(U / self.smoothing) if self.smoothing else _first_maximum(U)


@dataclass(frozen=True)
class BinaryHinge(Loss):
    """l(f, t) = max(0, 1 - s f), s = 2 t - 1, one label an output, smoothed by gamma where gamma > 0.

    The smoothing takes max over p in [0, 1] of p (1 - s f) - gamma/2 p^2: below the hinge by at most gamma / 2.
    """

    smoothing: float = 0.0

    @property
    def curvature(self) -> float:  # type: ignore[override]
        """1 / gamma."""
        return 1.0 / self.smoothing if self.smoothing else float("inf")

    @property
    def gap(self) -> float:  # type: ignore[override]
        """gamma / 2."""
        return 0.5 * self.smoothing

    def value_and_gradient(self, F: Array, T: Array, A: Array) -> tuple[float, Array]:
        """sum A (p (1 - s F) - gamma/2 p^2) and -A s p."""
        xp = namespace(F)
        s = 2.0 * T - 1.0
        margin = 1.0 - s * F
        P = xp.clip(margin / self.smoothing, 0.0, 1.0) if self.smoothing else xp.astype(margin > 0, F.dtype)
        return float(xp.sum(A * (P * margin - self.gap * P * P))), -A * s * P

    def derivatives(self, F: Array, T: Array) -> tuple[Array, Array]:
        """-s p, and 1 / gamma where 0 < p < 1."""
        xp = namespace(F)
        s = 2.0 * T - 1.0
        margin = 1.0 - s * F
        P = xp.clip(margin / self.smoothing, 0.0, 1.0) if self.smoothing else xp.astype(margin > 0, F.dtype)
        inside = xp.astype((P > 0) & (P < 1), F.dtype)
        return -s * P, inside * (1.0 / self.smoothing if self.smoothing else 0.0)


SMOOTHING = 0.1
"""gamma of loss="smooth_hinge"."""


def make_loss(loss: Any, *, one_class_a_row: bool) -> Loss:
    """The loss of that name for classes (coupled) or for labels and numbers (one output at a time)."""
    if isinstance(loss, Loss):
        if loss.couples_outputs and not one_class_a_row:
            raise ValueError(
                f"{type(loss).__name__} needs one class a row, but y has several outputs. "
                f"Choose loss='hinge' or 'logistic' by name and the form fits the targets."
            )
        return loss
    named: dict[str, Loss] = {
        "squared": Squared(),
        "logistic": MulticlassLogistic() if one_class_a_row else BinaryLogistic(),
        "hinge": MulticlassHinge() if one_class_a_row else BinaryHinge(),
        "smooth_hinge": MulticlassHinge(SMOOTHING) if one_class_a_row else BinaryHinge(SMOOTHING),
    }
    if not isinstance(loss, str) or loss not in named:
        raise ValueError(f"loss={quoted(loss)} is not known. Choose one of {', '.join(named)}.")
    return named[loss]


def smoothed(loss: MulticlassHinge | BinaryHinge, gamma: float) -> MulticlassHinge | BinaryHinge:
    """The same hinge with smoothing ``gamma``."""
    return replace(loss, smoothing=gamma)


def _first_maximum(U: Array) -> Array:
    """The indicator of the first maximum along the first axis."""
    xp = namespace(U)
    classes = xp.reshape(xp.arange(U.shape[0], device=U.device), (-1,) + (1,) * (U.ndim - 1))
    return xp.astype(classes == xp.argmax(U, axis=0)[None], U.dtype)


def _project_to_simplex(U: Array) -> Array:
    """max(u - tau, 0) along the first axis, tau such that the sum is 1: the nearest point of the probability simplex.

    tau = (sum over the support of u - 1) / |support| grows from the whole axis as support, and with it the support
    falls until none leaves (Michelot): a few passes without sorting.
    """
    xp = namespace(U)
    # a shift moves nothing, and keeps far-out scores from swallowing the 1
    U = U - xp.max(U, axis=0, keepdims=True)
    count = U.shape[0]
    tau = (xp.sum(U, axis=0, keepdims=True) - 1.0) / count
    for _ in range(count):
        support = xp.astype(tau < U, U.dtype)
        higher = (xp.sum(support * U, axis=0, keepdims=True) - 1.0) / xp.sum(support, axis=0, keepdims=True)
        if not bool(xp.any(higher > tau)):
            break
        tau = xp.maximum(higher, tau)
    P = U - tau
    return xp.where(P > 0, P, xp.zeros_like(P))
