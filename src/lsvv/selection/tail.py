"""The spectral axis: tail penalties at one setting, judged by k-fold over the labels, each solved from the last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lsvv.assembly import build_objective, build_risk
from lsvv.features import MappedRows
from lsvv.losses import Squared
from lsvv.penalties import TailSum
from lsvv.selection.atlas import Member, output_losses
from lsvv.solvers import solve
from lsvv.spectral import resolve_free_rank, singular_values

N_FOLDS = 3
TOL, MAX_ITER = 1e-3, 300


@dataclass(frozen=True, eq=False)
class _Fit:
    """The penalty, W, b and the predictions on held-out rows for each (spectral, free_rank)."""

    spectral: float
    W: np.ndarray
    b: np.ndarray
    predictions: np.ndarray


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
    axis = [(f, r) for r in free_ranks for f in sorted(fractions) if f > 0]
    if not axis or min(Phi.shape[1], T.shape[1]) < 2:
        return []
    whole = _fits(member, Phi, T, A, Phi, G, axis, fit_intercept)
    held = np.zeros((len(axis) + 1, *T.shape))
    for fold in np.unique(folds):
        out = folds == fold
        for number, fit in enumerate(_fits(member, Phi, T, A * ~out[:, None], Phi[out], G, axis, fit_intercept)):
            held[number][out] = fit.predictions
    base = output_losses(held[0], T, A)
    members = []
    for number, (fraction, free_rank) in enumerate(axis, start=1):
        ratio = output_losses(held[number], T, A) / np.maximum(base, 1e-12)
        fit = whole[number]
        setting = replace(member.setting, spectral=fit.spectral, spectral_share=fraction, free_rank=float(free_rank))
        members.append(Member(setting, fit.W, fit.b, held[number], member.losses * ratio))
    return members


def _fits(
    member: Member,
    Phi: np.ndarray,
    T: np.ndarray,
    A: np.ndarray,
    asked: np.ndarray,
    G: np.ndarray | None,
    axis: Sequence[tuple[float, float]],
    fit_intercept: bool,
) -> list[_Fit]:
    """The fit without a tail first; from its closed form along the axis, for each free rank from weak to strong."""
    rows = np.flatnonzero(A.any(axis=1))
    total = A.sum(axis=0)
    A = A[rows] / np.where(total > 0, total, 1.0)
    mapped = MappedRows(Phi[rows], lambda block: block)
    risk = build_risk(mapped, Squared(), T[rows], A, fit_intercept=fit_intercept)
    strengths = {"ridge": member.setting.ridge, "manifold": member.setting.manifold}
    gradient = risk.value_and_gradient(risk.zeros())[1]
    unit = float(singular_values(gradient[: Phi.shape[1]])[0])
    fits: list[_Fit] = []
    bare = start = None
    last = 0.0
    for fraction, free_rank in [(0.0, 0.0), *axis]:
        count = resolve_free_rank(float(free_rank), Phi.shape[1], T.shape[1])
        objective = build_objective(risk, **strengths, G=G, spectral=TailSum(fraction * unit, count))
        solution = solve(objective, start=start if fraction > last else bare, tol=TOL, max_iter=MAX_ITER)
        start, last = solution.variable, fraction
        bare = solution.variable if bare is None else bare
        W, b = objective.weights(solution.variable), risk.intercept(solution.variable)
        fits.append(_Fit(fraction * unit, W, b, asked @ W + b))
    return fits
