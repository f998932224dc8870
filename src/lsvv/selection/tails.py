"""The spectral axis: tail penalties at one candidate, judged by k-fold over the labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsvv.assembly import build_objective, build_risk
from lsvv.engine import spread
from lsvv.features import MappedRows
from lsvv.linalg import Array, like, take_rows, to_numpy
from lsvv.losses import Squared
from lsvv.objective import NO_TAIL, Objective
from lsvv.penalties import TailSum
from lsvv.selection.average import Member, output_losses
from lsvv.selection.averaging import LeftOut
from lsvv.solvers import solve
from lsvv.spectral import balanced_free_rank, resolve_free_rank, singular_values

TAIL_FOLDS = 3
SHARES = (0.01, 0.03, 0.1, 0.3)
"""What spectral="auto" tries beside 0: shares of the penalty that empties W with free_rank 0."""
LITTLE = 1e-5
"""Ridge beside a tail penalty that shrinks in its place, in units of the features' spread."""
TAIL_TOL, TAIL_STEPS = 1e-4, 300
"""For comparing settings, and for members of an average."""


@dataclass(frozen=True, eq=False)
class TailProblem:
    """The labelled rows of a map, with the ridge and the manifold term at which tails are tried."""

    Phi: Array
    T: np.ndarray
    A: np.ndarray
    G: Array | None
    ridge: float
    manifold: float
    fit_intercept: bool

    def objective(self, kept: np.ndarray | None = None) -> Objective:
        """The objective without a tail, of all labels or of those ``kept``."""
        A = self.A if kept is None else self.A * kept[:, None]
        total = A.sum(axis=0)
        rows = MappedRows(self.Phi, lambda block: block)
        weights = A / np.where(total > 0, total, 1.0)
        risk = build_risk(rows, Squared(), self.T, weights, fit_intercept=self.fit_intercept)
        return build_objective(risk, ridge=self.ridge, manifold=self.manifold, G=self.G, spectral=NO_TAIL)

    @property
    def emptying(self) -> float:
        """||grad at W = 0||_2: the smallest penalty that empties W where no singular value is free."""
        objective = self.objective()
        gradient = objective.weights(objective.smooth_value_and_gradient(objective.start)[1])
        return float(np.linalg.norm(to_numpy(gradient), 2))


class Best:
    """What tails are tried at: the best squared candidate, and the best supervised one."""

    def __init__(self) -> None:
        self._held: dict[bool, tuple[Member, TailProblem]] = {}

    def note(self, member: Member, problem: TailProblem) -> None:
        """Keep a candidate where it is better than what is held."""
        for supervised in (False, True) if member.candidate.is_supervised else (False,):
            held = self._held.get(supervised)
            if held is None or member.lowest < held[0].lowest:
                self._held[supervised] = (member, problem)

    def distinct(self) -> list[tuple[Member, TailProblem]]:
        """What is held, a candidate that is both but once."""
        return list({id(member): (member, problem) for member, problem in self._held.values()}.values())


def tail_members(
    best: Member,
    problem: TailProblem,
    spectrals: Sequence[float],
    free_ranks: Sequence[Any],
    folds: np.ndarray,
    *,
    free_ridge: bool,
) -> Iterator[Member]:
    """``best`` with each tail penalty: its loss is the best one's, times the ratio of the k-fold losses.

    The ridge that is best without a tail shrinks what the tail would leave free, so that with ``free_ridge`` each tail
    is tried beside next to no ridge, too.
    """
    D, K = problem.Phi.shape[1], problem.T.shape[1]
    little = LITTLE * spread(problem.Phi, problem.A)
    sides = [problem, replace(problem, ridge=little)] if free_ridge and little < problem.ridge else [problem]
    axis = [(side, s, r) for side in sides for r in free_ranks for s in sorted(spectrals) if s > 0.0]
    if not axis or min(D, K) < 2:
        return
    lowest = best.losses[np.argmin(best.losses.sum(axis=1))]
    base = output_losses(_held_out(problem, NO_TAIL, folds), problem.T, problem.A)
    for side, strength, free_rank in axis:
        tail = TailSum(strength, _count(free_rank, best.W, len(problem.T)))
        W, b = _solved(side.objective(), tail)
        held = _held_out(side, tail, folds)
        ratio = output_losses(held, problem.T, problem.A) / np.maximum(base, 1e-12)
        line = replace(
            best.candidate, spectral=strength, free_rank=free_rank, ridges=(side.ridge,), scaled=False, cost=0.0
        )
        yield Member(line, np.array([side.ridge]), (lowest * ratio)[None, :], W, b, LeftOut.plain(held))


def _count(free_rank: Any, W: np.ndarray, n_labelled: int) -> int:
    """theta as a count; "balance" reads it from the W that is best without a tail."""
    if isinstance(free_rank, str):
        return balanced_free_rank(singular_values(W), n_labelled)
    return resolve_free_rank(free_rank, *W.shape)


def _held_out(problem: TailProblem, tail: TailSum, folds: np.ndarray) -> np.ndarray:
    """Each row's scores from the labels of the other folds."""
    held = np.zeros(problem.T.shape)
    for fold in np.unique(folds):
        out = folds == fold
        W, b = _solved(problem.objective(~out), tail)
        held[out] = to_numpy(take_rows(problem.Phi, np.flatnonzero(out)) @ like(W, problem.Phi)) + b
    return held


def _solved(objective: Objective, tail: TailSum) -> tuple[np.ndarray, np.ndarray]:
    """W and b; with a tail from the fit without it, in steps."""
    bare = solve(objective)
    if tail.strength == 0.0:
        V = bare.variable
    else:
        with_tail = replace(objective, spectral=tail)
        V = solve(with_tail, start=bare.variable, tol=TAIL_TOL, max_iter=TAIL_STEPS).variable
    return to_numpy(objective.weights(V)), to_numpy(objective.risk.intercept(V))
