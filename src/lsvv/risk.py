"""The mean loss as a function of W: over the rows for any loss, on the moments Phi'Phi and Phi'Y for the squared one.

Both keep W and the intercept b in one variable V. On the moments b is eliminated, V = W; over the rows V = [W; b'],
b in units that balance its curvature with W's and measured from the weighted mean of Phi, which changes nothing
but the conditioning.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from lsvv.features.rows import MappedRows
from lsvv.linalg import Array, largest_eigenvalue, like, namespace, to_float64
from lsvv.losses import Loss
from lsvv.penalties import QuadraticPenalty
from lsvv.sums import Moments, Sums, distinct_columns

MOMENT_BYTES = 2**30
"""Memory for Gram matrices, one for each distinct mask: n_masks * D^2 * 8 bytes; beyond it, rows are used."""


class Risk(ABC):
    """mean loss(W' phi(x_i) + b, y_i) over the known entries; ``precision`` is the relative rounding of a value."""

    n_features: int
    n_outputs: int
    precision: float = 1e-14

    @property
    @abstractmethod
    def n_rows_of_variable(self) -> int:
        """D, or D + 1 where the last row of V is the intercept."""

    @abstractmethod
    def value_and_gradient(self, V: Array) -> tuple[float, Array]:
        """The risk and its gradient at V."""

    @abstractmethod
    def intercept(self, V: Array) -> Array:
        """b at V."""

    @abstractmethod
    def curvature(self) -> float:
        """An estimate of the Lipschitz constant of the gradient."""

    @abstractmethod
    def zeros(self) -> Array:
        """V = 0."""


@dataclass(frozen=True, eq=False)
class MomentGroup:
    """The outputs ``columns`` that share one mask: covariance C, cross moments B, constants, and the means."""

    columns: np.ndarray
    C: Array
    B: Array
    constant: float
    feature_mean: Array
    target_mean: Array


@dataclass(frozen=True, eq=False)
class QuadraticRisk(Risk):
    """sum_k w_k' C_k w_k - 2 w_k' b_k + const for the squared loss: after one pass no cost depends on n.

    C_k = cov(Phi), b_k = cov(Phi, y_k) under output k's weights, so that the intercept is eliminated exactly;
    outputs with the same mask share one C.
    """

    groups: tuple[MomentGroup, ...]
    n_features: int
    n_outputs: int
    fit_intercept: bool

    @classmethod
    def from_rows(cls, rows: MappedRows, T: Array, A: np.ndarray, *, fit_intercept: bool) -> Self:
        """The mean loss over rows; one Gram matrix for each distinct column of the weights ``A``."""
        return cls.from_sums(rows.label_sums(T, A), fit_intercept=fit_intercept)

    @classmethod
    def from_sums(cls, sums: Sums, *, fit_intercept: bool) -> Self:
        """The mean loss over the rows of ``sums``, however these were cut into blocks."""
        groups = tuple(_mean(moments, fit_intercept) for moments in sums.moments)
        n_outputs = sum(group.columns.size for group in groups)
        return cls(groups, int(groups[0].C.shape[0]), n_outputs, fit_intercept)

    @property
    def n_rows_of_variable(self) -> int:
        """D."""
        return self.n_features

    def value_and_gradient(self, V: Array) -> tuple[float, Array]:
        """sum_k v_k' C v_k - 2 v_k' b_k + const and 2 (C V - B)."""
        xp = namespace(V)
        if len(self.groups) == 1:
            return _quadratic(self.groups[0], V)
        value, gradient = 0.0, xp.zeros_like(V)
        for group in self.groups:
            part, slope = _quadratic(group, V[:, group.columns])
            value += part
            gradient[:, group.columns] = slope
        return value, gradient

    def intercept(self, V: Array) -> Array:
        """b_k = mean(y_k) - mean(phi)' w_k."""
        xp = namespace(V)
        b = xp.zeros_like(V[0, :])
        for group in self.groups:
            b[group.columns] = group.target_mean - group.feature_mean @ V[:, group.columns]
        return b

    def curvature(self) -> float:
        """2 lmax(C), the largest over the groups."""
        start = self.zeros()[:, 0] + 1.0
        return max(2.0 * largest_eigenvalue(group.C.__matmul__, start) for group in self.groups)

    def zeros(self) -> Array:
        """W = 0."""
        C = self.groups[0].C
        return like(np.zeros((self.n_features, self.n_outputs)), C)

    def plus(self, penalties: Sequence[QuadraticPenalty]) -> Self:
        """The same quadratic with the penalties' matrices added to every C."""
        groups = []
        for group in self.groups:
            C = group.C
            for penalty in penalties:
                C = penalty.add_to(C)
            groups.append(replace(group, C=C))
        return replace(self, groups=tuple(groups))


@dataclass(frozen=True, eq=False)
class RowRisk(Risk):
    """sum_i,k A_ik loss(F_ik, T_ik), F = Phi W + 1 b', for any loss, by passes over the rows.

    With an intercept ``rows`` are measured from ``centre``.
    """

    rows: MappedRows
    loss: Loss
    T: Array
    A: Array
    centre: Array
    unit: float
    fit_intercept: bool

    @classmethod
    def from_rows(cls, rows: MappedRows, loss: Loss, T: Array, A: np.ndarray, *, fit_intercept: bool) -> Self:
        """Centre and unit of the intercept from the rows' weighted mean and covariance."""
        template = rows.template
        heaviest = like(A.max(axis=1), template)
        centre = rows.transpose_times(heaviest / namespace(heaviest).sum(heaviest))
        if fit_intercept:
            # as the rows' own precision has it
            centre = to_float64(like(centre, template))
            rows = rows.measured_from(centre)
        spread = _covariance_norm(rows, heaviest)
        unit = spread**0.5 if spread > 0 else 1.0
        return cls(rows, loss, like(T, template), like(A, template), centre, unit, fit_intercept)

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """D."""
        return self.rows.shape[1]

    @property
    def n_outputs(self) -> int:  # type: ignore[override]
        """K."""
        return int(self.T.shape[1])

    @property
    def precision(self) -> float:  # type: ignore[override]
        """Relative rounding of a value, by the precision of the mapped rows."""
        return 1e-14 if self.A.dtype == namespace(self.A).float64 else 1e-6

    @property
    def n_rows_of_variable(self) -> int:
        """D + 1 with an intercept, D without."""
        return self.n_features + int(self.fit_intercept)

    def scores(self, V: Array) -> Array:
        """F = Phi W + 1 b'."""
        scores = self.rows.times(V[: self.n_features, :])
        return scores + like(self.unit * V[-1, :], scores)[None, :] if self.fit_intercept else scores

    def value_and_gradient(self, V: Array) -> tuple[float, Array]:
        """The loss, and [Phi' R; unit 1'R] for its gradient R in the scores."""
        xp = namespace(V)
        value, R = self.loss.value_and_gradient(self.scores(V), self.T, self.A)
        gradient = self.rows.transpose_times(R)
        if self.fit_intercept:
            total = xp.sum(to_float64(R), axis=0)[None, :]
            gradient = xp.concat([gradient, self.unit * total], axis=0)
        return value, gradient

    def value(self, V: Array) -> float:
        """The loss alone."""
        return self.loss.value(self.scores(V), self.T, self.A)

    def intercept(self, V: Array) -> Array:
        """b = unit * (last row of V) - centre' W."""
        if not self.fit_intercept:
            return 0.0 * V[0, :]
        return self.unit * V[-1, :] - self.centre @ V[: self.n_features, :]

    def curvature(self) -> float:
        """c * lmax of the covariance, which the intercept's unit equals."""
        return self.loss.curvature * max(self.unit**2, 1e-300)

    def zeros(self) -> Array:
        """V = 0."""
        return like(np.zeros((self.n_rows_of_variable, self.n_outputs)), self.centre)

    def batch(self, index: np.ndarray) -> Self:
        """The same risk over the rows ``index`` alone, scaled so that its mean over batches is the whole."""
        share = self.rows.shape[0] / len(index)
        position = like(index, self.A, dtype=namespace(self.A).int64)
        T, A = (namespace(self.A).take(a, position, axis=0) for a in (self.T, self.A))
        return replace(self, rows=self.rows.take(index), T=T, A=share * A)

    def with_loss(self, loss: Loss) -> Self:
        """The same rows under another loss."""
        return replace(self, loss=loss)


def moments_fit(A: np.ndarray, n_features: int) -> bool:
    """Whether one D x D matrix for each distinct mask stays within ``MOMENT_BYTES``."""
    return len(distinct_columns(A)) * n_features**2 * 8 <= MOMENT_BYTES


def _mean(moments: Moments, fit_intercept: bool) -> MomentGroup:
    """Moments divided by their weight, about the means, or about 0 where there is no intercept to eliminate."""
    weight = moments.weight or 1.0
    C, B, squares = moments.C / weight, moments.B / weight, moments.squares / weight
    mean, target_mean = moments.feature_mean, moments.target_mean
    if not fit_intercept:
        C, B = C + mean[:, None] * mean[None, :], B + mean[:, None] * target_mean[None, :]
        squares = squares + target_mean**2
        mean, target_mean = 0.0 * mean, 0.0 * target_mean
    return MomentGroup(moments.columns, C, B, float(namespace(squares).sum(squares)), mean, target_mean)


def _quadratic(group: MomentGroup, V: Array) -> tuple[float, Array]:
    image = group.C @ V
    return float(namespace(V).sum(V * (image - 2.0 * group.B))) + group.constant, 2.0 * (image - group.B)


def _covariance_norm(rows: MappedRows, weights: Array) -> float:
    """lmax of Phi' diag(w) Phi."""

    def apply(v: Array) -> Array:
        xp = namespace(v)
        pulled = to_float64(weights)[:, None] * to_float64(rows.times(v[:, None]))
        # rows may be of single precision, which squares of theirs leave
        size = float(xp.max(xp.abs(pulled))) or 1.0
        return size * rows.transpose_times(pulled / size)[:, 0]

    start = like(np.ones(rows.shape[1]), rows.template, dtype=namespace(rows.template).float64)
    return 1.02 * largest_eigenvalue(apply, start, n_iter=20)
