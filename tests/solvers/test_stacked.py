"""Problems solved side by side have the answers they have alone."""

import numpy as np
import pytest

from lsvv.assembly import build_objective, build_risk
from lsvv.features import MappedRows
from lsvv.losses import Loss, MulticlassLogistic, Squared
from lsvv.penalties import TailSum
from lsvv.risk import RowRisk
from lsvv.solvers import solve
from lsvv.solvers.stacked import minimise_stacked

rng = np.random.default_rng(0)
Phi = rng.normal(size=(40, 6))
T = np.eye(4)[rng.integers(4, size=40)]
A = np.full(T.shape, 1 / 40)
SPECTRAL = np.array([0.0, 0.02, 0.05, 10.0])
FREE_RANKS = np.array([0, 0, 2, 1])


def stacked(risk: RowRisk, ridge: float = 1e-2) -> np.ndarray:
    """The four tail penalties at once, through the risk's own gradient."""

    def gradient(V: np.ndarray, _: np.ndarray) -> np.ndarray:
        return np.stack([risk.value_and_gradient(one)[1] for one in V]) + 2 * ridge * penalised * V

    penalised = np.ones((risk.n_rows_of_variable, 1))
    penalised[6:] = 0.0
    start = np.zeros((4, risk.n_rows_of_variable, 4))
    L = np.full(4, risk.curvature() + 2 * ridge)
    return minimise_stacked(gradient, start, L, SPECTRAL, FREE_RANKS, n_features=6, tol=1e-10, max_iter=5000)


@pytest.mark.parametrize("loss", [Squared(), MulticlassLogistic()], ids=["squared", "logistic"])
def test_each_problem_ends_where_the_core_ends(loss: Loss) -> None:
    rows = MappedRows(Phi, lambda block: block)
    risk = RowRisk.from_rows(rows, loss, T, A, fit_intercept=True)
    for V, strength, free in zip(stacked(risk), SPECTRAL, FREE_RANKS, strict=True):
        objective = build_objective(risk, ridge=1e-2, manifold=0.0, G=None, spectral=TailSum(strength, int(free)))
        alone = solve(objective, tol=1e-9, max_iter=10_000)
        assert objective.value(V) == pytest.approx(alone.value, rel=1e-7)


def test_a_stack_stops_after_max_iter_with_what_it_has() -> None:
    risk = build_risk(MappedRows(Phi, lambda block: block), Squared(), T, A, fit_intercept=False)
    start = np.zeros((1, 6, 4))

    def gradient(V: np.ndarray, _: np.ndarray) -> np.ndarray:
        return np.stack([risk.value_and_gradient(one)[1] for one in V])

    none = np.zeros(1)
    (V,) = minimise_stacked(
        gradient, start, np.array([risk.curvature()]), none, none.astype(int), n_features=6, max_iter=1
    )
    np.testing.assert_allclose(V, -risk.value_and_gradient(start[0])[1] / risk.curvature())
