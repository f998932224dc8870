"""Several kernels with learnt weights: a kernel of a heavy tail of eigenvalues has to earn its place."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from lsvv.features.learning import LearningMap, Lesson
from lsvv.features.maps import FeatureMap, RandomFourier
from lsvv.features.own_columns import Blocks, fitted_maps, side_by_side
from lsvv.features.rows import MappedRows
from lsvv.linalg import Array, take_rows, to_numpy
from lsvv.spectral import resolve_free_rank

RIDGES = tuple(10.0**e for e in range(-6, 1))
"""Tried for the weights, and judged by the labels held out."""
NEGLIGIBLE = 1e-6
"""Share of the largest weight below which a kernel takes no further part."""
MOST_MASKS = 3
"""Of outputs known in different rows the best known are looked at."""
SMALLEST_TAIL = 1e-3
"""A kernel of finite rank has no tail, which would free it of all cost."""
SMALLEST_WEIGHT = 1e-4
"""Weights below this share of the largest are 0."""
WIDTHS = ("0.25 median", "0.5 median", "1 median", "2 median", "4 median")


def default_kernels() -> list[FeatureMap]:
    """Gaussian and Laplacian kernels of five widths each, two hundred features a kernel."""
    return [RandomFourier(200, width=w, kernel=kernel) for kernel in ("gaussian", "laplacian") for w in WIDTHS]


class MultipleKernels(LearningMap):
    """kappa(x, z) = sum_m mu_m kappa_m(x, z), mu >= 0 learnt under a bound on the tail of its eigenvalues.

    For kernel hypotheses T(h) = sum_{j > theta} lambda_j(K / n) says how complex they are. It is constant for one
    kernel; over several, mu and W minimise

        mean (f(x_i) - y_i)^2 + ridge sum_m ||W_m||^2,   f = sum_m sqrt(mu_m) W_m' phi_m,   sum_m mu_m T_m <= mean T_m,

    with T_m the tail of kernel m alone, scaled to a trace of 1. The sum of the tails is at most the tail of the sum,
    sum_m mu_m T_m <= T(h), so that the bound is a convex relaxation of one on T(h). The solution is the group lasso
    with penalty ridge (sum_m sqrt(T_m) ||V_m||)^2 / mean T_m in V_m = sqrt(mu_m) W_m: kernels that do not help get
    weight 0. With ``free_rank=0`` every T_m is 1, and this is plain multiple kernel learning. The ridge for the weights
    is the one whose f has the least squared error on the labels held out.

    Parameters
    ----------
    maps : sequence of maps, or of tuples (name, map, columns), optional
        As for :class:`lsvv.features.Blocks`: kernels, widths and groups of columns. The default has Gaussian and
        Laplacian kernels of five widths each.
    free_rank : int or float
        theta, of each kernel: a count, or a fraction of its features.
    max_iter : int
        Steps at most, of mu and W in turn.
    tol : float
        Change of the objective, as a share, below which the steps end.
    validation_fraction, random_state
        As for :class:`lsvv.features.Neural`.

    Attributes
    ----------
    mu_ : array of shape (M,)
        Weights of the kernels, each of trace 1; scaled to a sum of 1 in the end.
    tails_ : array of shape (M,)
        T_m.
    ridge_, n_iter_ : float, int
        The ridge of the weights, and the steps they took.
    maps_, columns_ : lists
        The fitted maps, and the columns each reads.
    unseen_ : array of int
        Places among the labelled rows of those held out.

    Examples
    --------
    The sine is in the first column; the second one is noise:

    >>> import numpy as np
    >>> from lsvv import LSVVRegressor
    >>> from lsvv.features import MultipleKernels, RandomFourier
    >>> X = np.random.default_rng(0).uniform(-3, 3, size=(200, 2))
    >>> kernels = MultipleKernels([("first", RandomFourier(50), [0]), ("second", RandomFourier(50), [1])])
    >>> model = LSVVRegressor(features=kernels, smoothing=0, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> (model.feature_map_.mu_ > 0.0).tolist()
    [True, False]
    """

    maps_: list[FeatureMap]
    columns_: list[np.ndarray]

    def __init__(
        self,
        maps: Sequence[Any] | None = None,
        *,
        free_rank: int | float = 0.05,
        max_iter: int = 50,
        tol: float = 1e-4,
        validation_fraction: float = 0.2,
        random_state: Any = None,
    ) -> None:
        self.maps = maps
        self.free_rank = free_rank
        self.max_iter = max_iter
        self.tol = tol
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def placed(self, names: Any) -> Self:
        """The same maps with the places of columns that were named."""
        if self.maps is None:
            return self
        return clone(self).set_params(maps=Blocks(self.maps).placed(names).maps)

    def _learn(self, X: Array, lesson: Lesson, held: np.ndarray) -> int:
        maps = default_kernels() if self.maps is None else self.maps
        names = getattr(self, "feature_names_in_", None)
        self.maps_, self.columns_ = fitted_maps(maps, X, names, None, self._seed)
        sizes = [one._n_features_out for one in self.maps_]
        groups = np.repeat(np.arange(len(sizes)), sizes)
        traces, self.tails_ = self._tails(X)
        units = 1.0 / np.sqrt(traces)
        problem = _Problem.of(self._rows(units, take_rows(X, lesson.labelled)), lesson, held, groups, self.tails_)
        found = [problem.solved(ridge, self.max_iter, self.tol) for ridge in RIDGES]
        best = int(np.argmin([error for _, _, error in found]))
        self.ridge_, (mu, self.n_iter_, _) = RIDGES[best], found[best]
        if self.n_iter_ == self.max_iter:
            warnings.warn(
                f"The weights of the kernels were still moving after {self.max_iter} steps. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        mu = np.where(mu > SMALLEST_WEIGHT * mu.max(), mu, 0.0)
        self.mu_ = mu / mu.sum()
        self.weights_ = np.sqrt(self.mu_) * units
        return int(np.asarray(sizes)[self.mu_ > 0.0].sum())

    def transform_checked(self, X: Array) -> Array:
        """phi(x) for rows that have passed the gate."""
        return side_by_side(self.maps_, self.columns_, self.weights_, X)

    def _rows(self, weights: np.ndarray, X: Array) -> MappedRows:
        return MappedRows(X, lambda rows: side_by_side(self.maps_, self.columns_, weights, rows))

    def _tails(self, X: Array) -> tuple[np.ndarray, np.ndarray]:
        """The trace of each kernel, and T_m once it is scaled to 1; from all rows, labelled or not."""
        found = []
        for one, own in zip(self.maps_, self.columns_, strict=True):
            rows = MappedRows(X, lambda block, one=one, own=own: one.transform_checked(block[:, own]))  # type: ignore[misc]
            values = np.linalg.eigvalsh(to_numpy(rows.gram()) / X.shape[0])[::-1]
            trace = max(float(values.sum()), 1e-300)
            count = resolve_free_rank(self.free_rank, values.size, values.size)
            found.append((trace, max(float(values[count:].sum()) / trace, SMALLEST_TAIL)))
        traces, tails = np.array(found).T
        return traces, tails


class _Problem:
    """Moments of the labelled rows that are kept, and the rows held out."""

    def __init__(self, moments: list[Any], held: list[Any], groups: np.ndarray, tails: np.ndarray) -> None:
        self.moments, self.held, self.groups, self.tails = moments, held, groups, tails

    @classmethod
    def of(cls, rows: MappedRows, lesson: Lesson, held: np.ndarray, groups: np.ndarray, tails: np.ndarray) -> Self:
        """Of outputs that are known in the same rows together; each output is centred."""
        kept = np.setdiff1d(np.arange(len(lesson.T)), held)
        moments: list[Any] = []
        judges: list[Any] = []
        for outputs in _alike(lesson.A):
            known = kept[lesson.A[kept, outputs[0]] > 0]
            a = lesson.A[known, outputs[0]] / lesson.A[known, outputs[0]].sum()
            some, T = rows.take(known), lesson.T[np.ix_(known, outputs)]
            mean, centre = to_numpy(some.transpose_times(a[:, None]))[:, 0], a @ T
            C = to_numpy(some.gram(a)) - np.outer(mean, mean)
            B = to_numpy(some.transpose_times(a[:, None] * (T - centre)))
            moments.append((C, B, float(a @ np.sum((T - centre) ** 2, axis=1))))
            out = held[lesson.A[held, outputs[0]] > 0]
            if out.size:
                weight = lesson.A[out, outputs[0]] / lesson.A[out, outputs[0]].sum()
                judges.append((rows.take(out), lesson.T[np.ix_(out, outputs)] - centre, weight, mean))
            else:
                judges.append(None)
        return cls(moments, judges, groups, tails)

    def solved(self, ridge: float, max_iter: int, tol: float) -> tuple[np.ndarray, int, float]:
        """mu from W and mu in turn, the steps until they came to rest, and the squared error held out."""
        mu = np.ones(self.tails.size) / self.tails.size
        last = np.inf
        for step in range(max_iter):
            V = self.ridged(ridge, mu)
            value = self.value(V, ridge)
            if last - value <= tol * abs(value):
                return mu, step, self.judged(V)
            last, mu = value, self.weights(V)
        return mu, max_iter, self.judged(V)

    def ridged(self, ridge: float, mu: np.ndarray) -> list[np.ndarray]:
        """V that minimises the loss plus ridge sum_m ||V_m||^2 / mu_m, by W = V / sqrt(mu)."""
        active = (mu > NEGLIGIBLE * mu.max())[self.groups]
        root = np.sqrt(mu)[self.groups][active]
        found = []
        for C, B, _ in self.moments:
            scaled = root[:, None] * C[np.ix_(active, active)] * root + ridge * np.eye(root.size)
            V = np.zeros_like(B)
            V[active] = root[:, None] * cho_solve(cho_factor(scaled), root[:, None] * B[active])
            found.append(V)
        return found

    def lengths(self, V: list[np.ndarray]) -> np.ndarray:
        """||V_m|| over all outputs."""
        squares = sum((part**2).sum(axis=1) for part in V)
        return np.sqrt(np.bincount(self.groups, squares, minlength=self.tails.size))

    def weights(self, V: list[np.ndarray]) -> np.ndarray:
        """argmin_mu of sum_m ||V_m||^2 / mu_m under sum_m mu_m T_m = mean T."""
        lengths, roots = self.lengths(V), np.sqrt(self.tails)
        total = float(roots @ lengths)
        if total == 0.0:
            return np.ones(self.tails.size) / self.tails.size
        return np.asarray(self.tails.mean() * lengths / (roots * total))

    def value(self, V: list[np.ndarray], ridge: float) -> float:
        """The loss plus ridge (sum_m sqrt(T_m) ||V_m||)^2 / mean T: mu is minimised out."""
        loss = sum(
            float(np.sum(part * (C @ part - 2.0 * B))) + constant
            for part, (C, B, constant) in zip(V, self.moments, strict=True)
        )
        return loss + ridge * float(np.sqrt(self.tails) @ self.lengths(V)) ** 2 / float(self.tails.mean())

    def judged(self, V: list[np.ndarray]) -> float:
        """The squared error of the labels held out."""
        total = 0.0
        for part, judge in zip(V, self.held, strict=True):
            if judge is not None:
                rows, T, weight, mean = judge
                total += float(weight @ np.sum((to_numpy(rows.times(part)) - mean @ part - T) ** 2, axis=1))
        return total


def _alike(A: np.ndarray) -> list[np.ndarray]:
    """Outputs with the same weights together, the best known first; no more than three sets."""
    _, first, group = np.unique(A, axis=1, return_index=True, return_inverse=True)
    sets = [np.flatnonzero(group.ravel() == number) for number in range(len(first))]
    return sorted(sets, key=lambda outputs: -int((A[:, outputs[0]] > 0).sum()) * len(outputs))[:MOST_MASKS]
