"""Small learning problems as plain arrays, and the objective built on them for either array library."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import naive
from laws import Put
from lsvv.features import MappedRows
from lsvv.losses import Loss, Squared, make_loss
from lsvv.objective import Objective
from lsvv.penalties import Manifold, QuadraticPenalty, Ridge, TailSum
from lsvv.risk import QuadraticRisk, Risk, RowRisk

SMOOTH_LOSSES = ("squared", "logistic", "smooth_hinge")


@dataclass(frozen=True, eq=False)
class Problem:
    """Mapped rows Phi, targets T, normalised weights A, and a manifold matrix G."""

    Phi: np.ndarray
    T: np.ndarray
    A: np.ndarray
    G: np.ndarray
    one_class_a_row: bool

    def loss(self, name: str) -> Loss:
        """The loss of that name in the form that fits the targets."""
        return make_loss(name, one_class_a_row=self.one_class_a_row)

    def rows(self, put: Put = np.asarray, block_bytes: int = 2**20) -> MappedRows:
        """Phi as mapped rows."""
        return MappedRows(put(self.Phi), _same, block_bytes=block_bytes)

    def risk(self, loss: Loss, put: Put = np.asarray, *, fit_intercept: bool = True, by_rows: bool = False) -> Risk:
        """On the moments for the squared loss, over the rows otherwise or where asked."""
        if isinstance(loss, Squared) and not by_rows:
            return QuadraticRisk.from_rows(self.rows(put), put(self.T), self.A, fit_intercept=fit_intercept)
        return RowRisk.from_rows(self.rows(put), loss, put(self.T), self.A, fit_intercept=fit_intercept)

    def objective(
        self,
        loss: str | Loss = "squared",
        put: Put = np.asarray,
        *,
        ridge: float = 0.01,
        manifold: float = 0.1,
        spectral: float = 0.0,
        free_rank: int = 0,
        **how: Any,
    ) -> Objective:
        """The whole equation."""
        penalties: list[QuadraticPenalty] = [Ridge(ridge), Manifold(manifold, put(self.G))]
        chosen = self.loss(loss) if isinstance(loss, str) else loss
        return Objective(self.risk(chosen, put, **how), penalties, TailSum(spectral, free_rank))


def make_problem(
    *,
    n: int = 40,
    D: int = 6,
    K: int = 4,
    one_class_a_row: bool = True,
    masked: bool = False,
    noise: float = 1.0,
    seed: int = 0,
) -> Problem:
    """Noisy linear scores turned into classes or labels; with ``masked`` some entries are unknown."""
    rng = np.random.default_rng(seed)
    Phi = rng.normal(size=(n, D)) + 0.5
    scores = Phi @ rng.normal(size=(D, K)) + noise * rng.normal(size=(n, K))
    T = np.eye(K)[np.argmax(scores, axis=1)] if one_class_a_row else (scores > scores.mean(axis=0)).astype(float)
    known = rng.uniform(0.5, 2.0, size=(n, K)) * (rng.random((n, K)) < 0.6) if masked else np.ones((n, K))
    root = rng.normal(size=(D, D))
    return Problem(Phi, np.where(known > 0, T, 0.0), naive.mean_loss_weights(known), root @ root.T / D, one_class_a_row)


def _same(rows: Any) -> Any:
    return rows
