"""The tail axis: the core's answer at each penalty, with one mask and with several."""

from typing import Any

import numpy as np
import pytest

from lsvv import LSVVRegressorCV
from lsvv.assembly import build_objective, build_risk
from lsvv.engine import spread
from lsvv.features import MappedRows
from lsvv.losses import Squared
from lsvv.penalties import TailSum
from lsvv.selection.average import Member
from lsvv.selection.averaging import LeftOut
from lsvv.selection.plan import Candidate
from lsvv.selection.tails import TailProblem, tail_members
from lsvv.solvers import solve

rng = np.random.default_rng(1)
Phi = rng.normal(size=(60, 8))
T = Phi @ rng.normal(size=(8, 2)) @ rng.normal(size=(2, 5)) + rng.normal(size=(60, 5))
G = Phi.T @ Phi / 60
ONE_MASK = np.full(T.shape, 1 / 60)
MASKS = ONE_MASK * (rng.random(T.shape) < 0.7)


FOLDS = np.arange(60) % 3


def best(K: int = 5) -> Member:
    line = Candidate(0, "squared", manifold=0.1)
    return Member(
        line, np.array([1e-2]), np.ones((1, K)), np.ones((8, K)), np.zeros(K), LeftOut.plain(np.zeros((60, K)))
    )


@pytest.mark.parametrize("A", [ONE_MASK, MASKS], ids=["one mask", "several masks"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_members_hold_the_cores_answer_at_their_setting(A: np.ndarray, fit_intercept: bool) -> None:
    A = A / A.sum(axis=0)
    problem = TailProblem(Phi, T, A, G, 1e-2, 0.1, fit_intercept)
    found = list(tail_members(best(), problem, [0.0, 0.01, 0.2], [0.0, 2], FOLDS, free_ridge=False))
    assert [(one.candidate.spectral, one.candidate.free_rank) for one in found] == [
        (0.01, 0.0),
        (0.2, 0.0),
        (0.01, 2),
        (0.2, 2),
    ]
    risk = build_risk(MappedRows(Phi, lambda block: block), Squared(), T, A, fit_intercept=fit_intercept)
    for one in found:
        tail = TailSum(one.candidate.spectral, int(one.candidate.free_rank))
        objective = build_objective(risk, ridge=1e-2, manifold=0.1, G=G, spectral=tail)
        V = solve(objective, tol=1e-9, max_iter=20_000).variable
        scores = Phi @ objective.weights(V) + risk.intercept(V)
        np.testing.assert_allclose(Phi @ one.W + one.b, scores, atol=2e-3 * np.abs(scores).max())


def test_the_emptying_penalty_empties_w_and_little_less_does_not() -> None:
    problem = TailProblem(Phi, T, ONE_MASK, None, 1e-2, 0.0, True)
    full, less = tail_members(
        best(), problem, [0.9 * problem.emptying, 1.001 * problem.emptying], [0.0], FOLDS, free_ridge=False
    )
    assert np.abs(less.W).max() < 1e-6
    assert np.abs(full.W).max() > 1e-3


def test_a_balanced_free_rank_is_that_of_the_w_without_a_tail() -> None:
    problem = TailProblem(Phi, T, ONE_MASK, None, 1e-2, 0.0, True)
    (one,) = tail_members(best(), problem, [1e6], ["balance"], FOLDS, free_ridge=False)
    # a W of one pattern leaves its one singular value free
    assert np.linalg.matrix_rank(one.W, tol=1e-6) == 1


def test_one_output_has_no_tail() -> None:
    problem = TailProblem(Phi, T[:, :1], ONE_MASK[:, :1], None, 1e-2, 0.0, True)
    assert list(tail_members(best(1), problem, [0.1], [0.0], FOLDS, free_ridge=False)) == []


def test_a_tail_is_tried_beside_next_to_no_ridge_too() -> None:
    problem = TailProblem(Phi, T, ONE_MASK, None, 0.5, 0.0, True)
    found = list(tail_members(best(), problem, [0.1], [0.0], FOLDS, free_ridge=True))
    assert [float(one.ridges[0]) for one in found] == [0.5, pytest.approx(1e-5 * spread(Phi, ONE_MASK))]


def test_tasks_of_one_subspace_are_found_with_their_rank() -> None:
    draws = np.random.default_rng(0)
    W = draws.normal(size=(10, 2)) @ draws.normal(size=(2, 8))
    X, new = draws.normal(size=(160, 10)), draws.normal(size=(300, 10))
    Y = np.full((160, 8), np.nan)
    own = np.arange(160) % 8
    Y[np.arange(160), own] = (X @ W)[np.arange(160), own] + 0.5 * draws.normal(size=160)
    plain: dict[str, Any] = {"features": "linear", "smoothing": 0, "random_state": 0}
    shared = LSVVRegressorCV(spectral="auto", free_rank=[0, 1, 2, 3], selection="best", **plain).fit(X, Y)
    apart = LSVVRegressorCV(**plain).fit(X, Y)
    errors = [np.mean((model.predict(new) - new @ W) ** 2) for model in (shared, apart)]
    assert errors[0] < 0.6 * errors[1]
    assert shared.effective_rank_ == 2
