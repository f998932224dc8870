"""The paper's way to choose: its candidates, 5 folds over the labelled rows, for all four methods side by side."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from lsvv.assembly import build_objective, build_risk, map_rows
from lsvv.features import Linear, MappedRows, RandomFourier
from lsvv.graph import KNNGraph, laplacian, manifold_matrix
from lsvv.linalg import Array, dense, take_rows, to_numpy
from lsvv.losses import Loss, MulticlassHinge, Squared
from lsvv.penalties import TailSum
from lsvv.selection.splitters import LabeledKFold
from lsvv.solvers import solve
from lsvv.solvers.stacked import Gradient, minimise_stacked
from lsvv.spectral import resolve_free_rank
from lsvv.sums import distinct_columns
from reproduction.paper_grid import N_DRAWN, Setting, drawn_settings, of_method
from reproduction.published import METHODS

__all__ = ["Chosen", "cross_validate"]

N_NEIGHBORS = 10
N_FEATURES = 100
N_FOLDS = 5
WHOLE_GRID_ROWS = 15
"""Up to this many labelled rows all candidates of the linear space are tried."""
HINGE = MulticlassHinge(smoothing=0.1)
MAX_ITER, REFIT_STEPS = 300, 3000
"""Steps of a candidate tried, and of the chosen one."""
STACK_BYTES = 1e6
"""Of the scores of problems solved side by side, which should stay in a cache."""
PROJECTION = 100.0
"""Operations that the hinge's projection of one score costs as much time as."""
TOO_DEAR = 1e13
"""Operations of a split beyond which five folds over the candidates are refused: some 20 minutes on one core."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """The setting one method chose, its mean figure over the folds, and the scores of the rows asked about.

    ``residual`` is how far from optimal the core's solver left the fit to all labelled rows; 0 for a closed form.
    """

    candidate: Setting
    figure: float
    scores: np.ndarray
    residual: float


def cross_validate(
    X: Array,
    y: np.ndarray,
    T: np.ndarray,
    known: np.ndarray,
    X_asked: Array,
    *,
    task: str,
    space: str,
    seed: int,
    free_rank: float | None = None,
) -> dict[str, Chosen]:
    """Choose among the paper's candidates for each method and score the rows ``X_asked`` with what was chosen.

    The figure is the error of classes, the Hamming loss of labels and the squared error of numbers on held-out
    labelled rows; of equal ones the candidate of the smallest held-out loss is taken, of these the first. The loss is
    the hinge, smoothed by 0.1, for classes and the squared loss for all else. The graph's Laplacian is the plain one,
    D - S, of 10 neighbours: manifold = tau_I m (mean degree).

    Parameters
    ----------
    X, X_asked : arrays
        All training rows, and the rows to predict.
    y : array
        The training targets with the unknown ones hidden.
    T, known : arrays of shape (training rows, K)
        The targets coded, and which of their entries are known.
    task, space : str
        As :func:`reproduction.choosing.choose` takes them.
    seed : int
        Of the candidates, the folds and the Fourier features.
    free_rank : float, optional
        theta / min(D, K) where it is fixed.
    """
    n_features = N_FEATURES if space == "kernel" else X.shape[1]
    full_rank = min(n_features, T.shape[1])
    rows = np.flatnonzero(known.any(axis=1))
    loss: Loss = HINGE if task == "multi-class" else Squared()
    if N_DRAWN * N_FOLDS * MAX_ITER * _step_operations(rows.size, n_features, T.shape[1], loss) > TOO_DEAR:
        raise ValueError(
            f"Five folds over {N_DRAWN} settings take too long for a W of {n_features} x {T.shape[1]} and {rows.size} "
            f"labelled rows. Choose by 'atlas' here."
        )
    theta = None if free_rank is None else resolve_free_rank(float(free_rank), full_rank, full_rank)
    whole = space == "linear" and rows.size <= WHOLE_GRID_ROWS and theta is None
    drawn = drawn_settings(space, full_rank, seed, whole=whole, theta=theta)
    mine = {method: of_method(method, drawn, full_rank) for method in METHODS}
    every = sorted({one for some in mine.values() for one in some})
    folds = [np.isin(rows, test) for test in _folds(X, y, rows, seed)]
    Lap, degree = _plain_laplacian(X)
    figures: dict[Setting, tuple[float, float]] = {}
    spaces: dict[float, _Space] = {}
    for width in sorted({one.width for one in every}):
        some = [one for one in every if one.width == width]
        here = spaces[width] = _Space.of(X, Lap, degree, width, rows, T[rows], known[rows], loss, seed)
        figures.update(zip(some, _judged(here, some, folds, task), strict=True))
    best = {method: min(some, key=lambda one: (*figures[one], one)) for method, some in mine.items()}
    return {
        method: Chosen(one, figures[one][0], *spaces[one.width].refit(one, X_asked)) for method, one in best.items()
    }


def _step_operations(n: int, D: int, K: int, loss: Loss) -> float:
    """Of one step of one candidate: the gradient of loss and penalty, and the prox."""
    least = min(D, K)
    gradient = 2.0 * D * D * K if isinstance(loss, Squared) else (4.0 * D + PROJECTION) * n * K
    return gradient + 2.0 * D * D * K + 4.0 * D * K * least + 10.0 * least**3


def _folds(X: Array, y: np.ndarray, rows: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    with warnings.catch_warnings():
        # a class of one label is out of training in one fold, as it would be by hand
        warnings.simplefilter("ignore", UserWarning)
        splitter = LabeledKFold(min(N_FOLDS, rows.size), shuffle=True, random_state=seed)
        yield from (test for _, test in splitter.split(X, y))


def _plain_laplacian(X: Array) -> tuple[sp.csr_array, float]:
    """(D - S) / (mean degree), and the mean degree."""
    S = KNNGraph().build(X, N_NEIGHBORS)
    return laplacian(S, "plain"), float(S.sum()) / X.shape[0]


def _judged(here: _Space, some: list[Setting], folds: list[np.ndarray], task: str) -> list[tuple[float, float]]:
    """(figure, loss) of each candidate on the rows held out, over all folds."""
    F = np.zeros((len(some), *here.T.shape))
    for out in folds:
        F[:, out] = here.scores(some, here.X_labelled[out], ~out)
    weight = here.known / here.known.sum()
    if task == "multi-class":
        figures = np.mean(F.argmax(axis=2) != here.T.argmax(axis=1), axis=1)
        ones = np.full(here.T.shape, 1.0 / len(here.T))
        losses = [here.loss.value(one, here.T, ones) for one in F]
    else:
        losses = [float(np.sum(weight * (one - here.T) ** 2)) for one in F]
        figures = losses if task == "regression" else [float(np.sum(weight * ((one > 0.5) != here.T))) for one in F]
    return [(float(figure), loss) for figure, loss in zip(figures, losses, strict=True)]


@dataclass(frozen=True, eq=False)
class _Space:
    """The labelled rows in one feature space: Phi, the targets, G, and the factor from tau_I to ``manifold``."""

    transform: Callable[[Array], np.ndarray]
    X_labelled: Array
    Phi: np.ndarray
    T: np.ndarray
    known: np.ndarray
    G: np.ndarray
    per_tau_i: float
    loss: Loss

    @classmethod
    def of(
        cls,
        X: Array,
        Lap: sp.csr_array,
        degree: float,
        width: float,
        rows: np.ndarray,
        T: np.ndarray,
        known: np.ndarray,
        loss: Loss,
        seed: int,
    ) -> _Space:
        """The inputs themselves for width 0, Fourier features elsewhere."""
        feature_map = RandomFourier(N_FEATURES, width=width, random_state=seed) if width else Linear()
        mapped = map_rows(feature_map.fit(X), X)
        G = np.asarray(to_numpy(manifold_matrix(mapped, Lap, 1)), dtype=np.float64)
        asked = take_rows(X, rows)

        def transform(some: Array) -> np.ndarray:
            return np.asarray(to_numpy(dense(feature_map.transform_checked(some))), dtype=np.float64)

        return cls(transform, asked, transform(asked), T, known, G, X.shape[0] * degree, loss)

    def refit(self, one: Setting, X: Array) -> tuple[np.ndarray, float]:
        """Scores of rows ``X`` from the core's fit to all labelled rows, and its residual."""
        if isinstance(self.loss, Squared) and one.tau_s == 0.0:
            # the stack's closed form bears a ridge of 1e-15 on more columns than rows
            return self.scores([one], X, np.ones(len(self.T), dtype=bool))[0], 0.0
        A = self.known / np.maximum(self.known.sum(axis=0), 1)
        risk = build_risk(MappedRows(self.Phi, lambda rows: rows), self.loss, self.T, A, fit_intercept=True)
        objective = build_objective(
            risk,
            ridge=one.tau_a,
            manifold=one.tau_i * self.per_tau_i,
            G=self.G,
            spectral=TailSum(one.tau_s, one.theta),
        )
        solution = solve(objective, "accelerated", tol=1e-5, max_iter=REFIT_STEPS)
        V = solution.variable
        return self.transform(X) @ objective.weights(V) + risk.intercept(V), solution.residual

    def scores(self, some: list[Setting], X: Array, used: np.ndarray) -> np.ndarray:
        """Scores (candidates, rows, K) of rows ``X`` from fits to the labelled rows ``used``, a stack at a time."""
        size = max(1, int(STACK_BYTES / (8 * max(self.Phi.shape) * self.T.shape[1])))
        stacks = [some[start : start + size] for start in range(0, len(some), size)]
        return np.concatenate([self._stacked_scores(stack, X, used) for stack in stacks])

    def _stacked_scores(self, some: list[Setting], X: Array, used: np.ndarray) -> np.ndarray:
        T, known = self.T[used], self.known[used]
        A = known / np.maximum(known.sum(axis=0), 1)
        a = A.mean(axis=1)
        centre = a @ self.Phi[used]
        ridge = np.array([one.tau_a for one in some])
        manifold = np.array([one.tau_i * self.per_tau_i for one in some])
        thresholds, ranks = np.array([one.tau_s for one in some]), np.array([one.theta for one in some])
        Z = self.Phi[used] - centre
        spread = float(np.linalg.norm(Z * np.sqrt(A.max(axis=1))[:, None], 2) ** 2)
        unit = spread**0.5 if spread > 0 else 1.0
        Z = np.hstack([Z, np.full((len(Z), 1), unit)])
        penalty = _Penalty(self.G, ridge, manifold)
        L = self.loss.curvature * spread + 2.0 * ridge + 2.0 * manifold * float(np.linalg.norm(self.G, 2))
        gradient, start = _smooth_part(Z, T, A, self.loss, penalty)
        V = minimise_stacked(gradient, start, L, thresholds, ranks, n_features=len(centre), max_iter=MAX_ITER)
        b = unit * V[:, -1] - np.matmul(centre, V[:, :-1])
        return np.matmul(self.transform(X), V[:, :-1]) + b[:, None, :]


@dataclass(frozen=True, eq=False)
class _Penalty:
    """ridge_s ||W||^2 + manifold_s tr(W' G W) for each problem s of a stack."""

    G: np.ndarray
    ridge: np.ndarray
    manifold: np.ndarray

    def add_gradient(self, gradient: np.ndarray, V: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """``gradient`` with 2 ridge W + 2 manifold G W added to its first D rows."""
        W = V[:, :-1]
        ridge, manifold = (2.0 * some[numbers][:, None, None] for some in (self.ridge, self.manifold))
        gradient[:, :-1] += ridge * W + manifold * np.matmul(self.G, W)
        return gradient


def _smooth_part(
    Z: np.ndarray, T: np.ndarray, A: np.ndarray, loss: Loss, penalty: _Penalty
) -> tuple[Gradient, np.ndarray]:
    """The gradient of loss + penalty on stacks, and where to start: the closed form for the squared loss, else 0."""
    start = np.zeros((penalty.ridge.size, Z.shape[1], T.shape[1]))
    if isinstance(loss, MulticlassHinge):
        return _hinge_gradient(Z, T, A, loss, penalty), start
    if len(distinct_columns(A)) > 1:
        return lambda V, s: penalty.add_gradient(np.matmul(Z.T, 2.0 * A * (np.matmul(Z, V) - T)), V, s), start
    C, B = (Z.T * A[:, 0]) @ Z, (Z.T * A[:, 0]) @ T
    return lambda V, s: penalty.add_gradient(2.0 * (np.matmul(C, V) - B), V, s), _closed_forms(C, B, penalty)


def _hinge_gradient(Z: np.ndarray, T: np.ndarray, A: np.ndarray, loss: MulticlassHinge, penalty: _Penalty) -> Gradient:
    """Of the hinge and the penalty on stacks, with classes first and rows last: two products move the whole stack.

    The hinge's part is in single precision: candidates stop at a step of 1e-4, and the chosen one is fitted in double.
    """
    Z, targets, weight = (part.astype(np.float32) for part in (Z, T.T[:, None, :], A[:, 0]))

    def gradient(V: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        S, D, K = V.shape
        F = (V.transpose(2, 0, 1).reshape(K * S, D).astype(np.float32) @ Z.T).reshape(K, S, -1)
        R = weight * (loss.maximiser(F + (1.0 - targets)) - targets)
        slopes = (R.reshape(K * S, -1) @ Z).reshape(K, S, D)
        return penalty.add_gradient(slopes.transpose(1, 2, 0).astype(np.float64), V, numbers)

    return gradient


def _closed_forms(C: np.ndarray, B: np.ndarray, penalty: _Penalty) -> np.ndarray:
    """(C + ridge I + manifold G)^+ B for each problem, through one eigen-decomposition for each manifold."""
    start = np.zeros((penalty.ridge.size, *B.shape))
    for manifold in np.unique(penalty.manifold):
        H = C.copy()
        H[:-1, :-1] += manifold * penalty.G
        values, E = scipy.linalg.eigh(H, check_finite=False, driver="evd")
        turned = E.T @ B
        for number in np.flatnonzero(penalty.manifold == manifold):
            shifted = np.maximum(values, 0.0) + penalty.ridge[number]
            inverse = np.where(shifted > 1e-12 * shifted[-1], 1.0 / shifted, 0.0)
            start[number] = E @ (inverse[:, None] * turned)
    return start
