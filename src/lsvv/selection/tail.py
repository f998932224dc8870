"""The spectral axis: tail penalties at one setting, judged by k-fold over the labels, all solved side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import scipy.linalg

from lsvv.risk import distinct_columns
from lsvv.selection.atlas import Member, output_losses
from lsvv.solvers.stacked import minimise_stacked
from lsvv.spectral import resolve_free_rank

TAIL_FOLDS = 3


@dataclass(frozen=True, eq=False)
class _Fits:
    """W (S, D, K) and b (S, K) of S tail penalties, the one without a tail first, and the penalty that empties W."""

    W: np.ndarray
    b: np.ndarray
    unit: float


def tail_members(
    member: Member,
    Phi: np.ndarray,
    T: np.ndarray,
    A: np.ndarray,
    G: np.ndarray | None,
    fractions: Sequence[float],
    free_ranks: Sequence[float],
    folds: np.ndarray,
    *,
    fit_intercept: bool,
) -> list[Member]:
    """``member`` with each tail penalty: its loss is the member's, times the ratio of the k-fold losses.

    ``fractions`` are shares of the spectral norm of the gradient at W = 0, the penalty that empties W (with
    ``free_rank`` 0), so they need no unit.
    """
    axis = [(f, r) for r, f in product(free_ranks, sorted(fractions)) if f > 0]
    if not axis or min(Phi.shape[1], T.shape[1]) < 2:
        return []
    P = member.setting.ridge * np.eye(Phi.shape[1])
    P = P if G is None else P + member.setting.manifold * G
    whole = _fits(Phi, T, A, P, axis, fit_intercept)
    held = np.zeros((len(axis) + 1, *T.shape))
    for fold in np.unique(folds):
        out = folds == fold
        fits = _fits(Phi, T, A * ~out[:, None], P, axis, fit_intercept)
        held[:, out] = np.matmul(Phi[out], fits.W) + fits.b[:, None, :]
    base = output_losses(held[0], T, A)
    members = []
    for number, (fraction, free_rank) in enumerate(axis, start=1):
        ratio = output_losses(held[number], T, A) / np.maximum(base, 1e-12)
        setting = replace(
            member.setting, spectral=fraction * whole.unit, spectral_share=fraction, free_rank=float(free_rank)
        )
        members.append(Member(setting, whole.W[number], whole.b[number], held[number], member.losses * ratio))
    return members


def _fits(
    Phi: np.ndarray,
    T: np.ndarray,
    A: np.ndarray,
    P: np.ndarray,
    axis: Sequence[tuple[float, float]],
    fit_intercept: bool,
) -> _Fits:
    """The fit without a tail in closed form, and from it every tail at once.

    With one mask for all outputs the problem is turned into the eigenbasis of C + P, where its gradient is a scaling
    and its singular values are the same.
    """
    total = A.sum(axis=0)
    A = A / np.where(total > 0, total, 1.0)
    mean = A.T @ Phi * float(fit_intercept)
    centre = np.sum(A * T, axis=0) * float(fit_intercept)
    groups = [(columns, *_moments(Phi, T, A, columns, mean, centre)) for columns in distinct_columns(A)]
    B = np.zeros((Phi.shape[1], T.shape[1]))
    for columns, _, b in groups:
        B[:, columns] = b
    E, bare, gradient, largest = _bare(groups, B, P)
    unit = 2.0 * float(np.linalg.norm(B, 2))
    shares = np.array([0.0, *(fraction for fraction, _ in axis)])
    counts = np.array([0, *(resolve_free_rank(float(rank), *B.shape) for _, rank in axis)])
    start = np.broadcast_to(bare, (len(shares), *B.shape)).copy()
    lipschitz = np.full(len(shares), 2.0 * largest)
    stack = minimise_stacked(
        gradient, start, lipschitz, shares * unit, counts, n_features=len(B), max_iter=_steps(*B.shape)
    )
    W = stack if E is None else np.matmul(E, stack)
    return _Fits(W, centre - np.einsum("kd,sdk->sk", mean, W), unit)


def _steps(D: int, K: int) -> int:
    """300, or 100 where a step of one problem costs more than about ten milliseconds."""
    return 300 if D * K * min(D, K) <= 1e7 else 100


def _moments(
    Phi: np.ndarray, T: np.ndarray, A: np.ndarray, columns: np.ndarray, mean: np.ndarray, centre: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """C and B of the outputs that share a mask, about their means."""
    rows = np.flatnonzero(A[:, columns[0]])
    Z = Phi[rows] - mean[columns[0]]
    weighted = Z.T * A[rows, columns[0]]
    return weighted @ Z, weighted @ (T[np.ix_(rows, columns)] - centre[columns])


def _bare(
    groups: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]], B: np.ndarray, P: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray, Callable[[np.ndarray, np.ndarray], np.ndarray], float]:
    """The basis E (None for the given one), the minimiser without a tail in it, the gradient, and half its L."""
    if len(groups) == 1:
        values, E = scipy.linalg.eigh(groups[0][1] + P, check_finite=False, driver="evd")
        values, turned = np.maximum(values, 1e-300), E.T @ B
        return E, turned / values[:, None], lambda U, _: 2.0 * (values[:, None] * U - turned), float(values[-1])
    bare = np.zeros(B.shape)
    for columns, C, _ in groups:
        bare[:, columns] = scipy.linalg.solve(C + P, B[:, columns], assume_a="pos", check_finite=False)

    def gradient(V: np.ndarray, _: np.ndarray) -> np.ndarray:
        image = np.matmul(P, V)
        for columns, C, _b in groups:
            image[:, :, columns] += np.matmul(C, V[:, :, columns])
        return 2.0 * (image - B)

    largest = max(float(np.linalg.norm(C + P, 2)) for _, C, _ in groups)
    return None, bare, gradient, largest
