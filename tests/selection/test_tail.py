"""The tail axis: side by side as alone, with one mask and with several."""

import numpy as np
import pytest

from lsvv.assembly import build_objective, build_risk
from lsvv.features import MappedRows
from lsvv.losses import Squared
from lsvv.penalties import TailSum
from lsvv.selection.atlas import Member, Setting
from lsvv.selection.tail import tail_members
from lsvv.solvers import solve

rng = np.random.default_rng(1)
Phi = rng.normal(size=(60, 8))
T = Phi @ rng.normal(size=(8, 2)) @ rng.normal(size=(2, 5)) + rng.normal(size=(60, 5))
G = Phi.T @ Phi / 60
ONE_MASK = np.full(T.shape, 1 / 60)
MASKS = ONE_MASK * (rng.random(T.shape) < 0.7)


@pytest.mark.parametrize("A", [ONE_MASK, MASKS], ids=["one mask", "several masks"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_members_hold_the_cores_answer_at_their_setting(A: np.ndarray, fit_intercept: bool) -> None:
    A = A / A.sum(axis=0)
    member = Member(Setting(0, "squared", 1, 0.1, 1e-2), Phi, T, T, np.ones(5))
    found = tail_members(
        member, Phi, T, A, G, [0.0, 0.01, 0.2], [0.0, 0.4], np.arange(60) % 3, fit_intercept=fit_intercept
    )
    assert [(one.setting.spectral_share, one.setting.free_rank) for one in found] == [
        (0.01, 0.0),
        (0.2, 0.0),
        (0.01, 0.4),
        (0.2, 0.4),
    ]
    risk = build_risk(MappedRows(Phi, lambda block: block), Squared(), T, A, fit_intercept=fit_intercept)
    for one in found:
        tail = TailSum(one.setting.spectral, int(one.setting.free_rank * 5))
        objective = build_objective(risk, ridge=1e-2, manifold=0.1, G=G, spectral=tail)
        V = solve(objective, tol=1e-9, max_iter=20_000).variable
        scores = Phi @ objective.weights(V) + risk.intercept(V)
        np.testing.assert_allclose(Phi @ one.W + one.b, scores, atol=2e-3 * np.abs(scores).max())


def test_the_full_share_with_no_free_rank_empties_w() -> None:
    member = Member(Setting(0, "squared", 1, 0.0, 1e-2), Phi, T, T, np.ones(5))
    (one,) = tail_members(member, Phi, T, ONE_MASK, None, [1.001], [0.0], np.arange(60) % 3, fit_intercept=True)
    assert np.abs(one.W).max() < 1e-6


def test_one_output_has_no_tail() -> None:
    member = Member(Setting(0, "squared", 1, 0.0, 1e-2), Phi, T[:, :1], T[:, :1], np.ones(1))
    A = ONE_MASK[:, :1]
    assert tail_members(member, Phi, T[:, :1], A, None, [0.1], [0.0], np.arange(60) % 3, fit_intercept=True) == []
