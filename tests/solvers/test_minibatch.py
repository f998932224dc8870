"""Algorithm 1: every step rule approaches the optimum, reproducibly."""

import numpy as np
import pytest

import laws
from laws import Put
from lsvv.linalg import to_numpy
from lsvv.objective import Objective
from lsvv.penalties import Ridge, TailSumAsPrinted
from lsvv.solvers import MiniBatch, minimise, solve
from lsvv.solvers.minibatch import STEP_RULES
from problems import make_problem


def share_left(objective: Objective, method: MiniBatch, passes: int, best: float) -> float:
    """The gap to the optimum after that many passes, as a share of the first one."""
    solution = minimise(objective, method, tol=0.0, max_iter=passes)
    return (solution.value - best) / (solution.history[0] - best)


@pytest.mark.parametrize("name", ["squared", "logistic"])
@pytest.mark.parametrize("step_rule", STEP_RULES)
def test_every_step_rule_approaches_the_optimum(put: Put, step_rule: str, name: str) -> None:
    problem = make_problem(n=64)
    objective = problem.objective(name, put, spectral=0.01, free_rank=1, by_rows=True)
    best = solve(problem.objective(name, put, spectral=0.01, free_rank=1), "accelerated", tol=1e-6, max_iter=5000).value
    left = share_left(objective, MiniBatch(batch_size=16, step_rule=step_rule), 200, best)
    assert -1e-6 <= left < 0.1


def test_the_hinge_approaches_its_optimum_and_has_a_residual(put: Put) -> None:
    objective = make_problem(n=64).objective("hinge", put, spectral=0.01, free_rank=1)
    best = solve(objective, tol=1e-4, max_iter=3000).value
    solution = solve(objective, "minibatch", tol=1e-9, max_iter=100)
    assert solution.value - best < 0.1 * (solution.history[0] - best)
    assert solution.value == pytest.approx(objective.value(solution.variable))
    assert 0.0 < solution.residual < 10.0
    assert "the hinge lies" in solution.status


def test_decaying_steps_come_closer_than_constant_ones(put: Put) -> None:
    problem = make_problem(n=64)
    objective = problem.objective("squared", put, by_rows=True)
    best = solve(problem.objective("squared", put)).value
    left = {rule: share_left(objective, MiniBatch(batch_size=8, step_rule=rule), 100, best) for rule in STEP_RULES}
    assert left["decay"] < left["constant"]


def test_one_batch_of_all_rows_is_a_proximal_gradient_step(put: Put) -> None:
    objective = make_problem(n=40).objective("logistic", put, spectral=0.05)
    solution = minimise(objective, MiniBatch(batch_size=40, step_rule="constant"), tol=0.0, max_iter=1)
    gradient = objective.smooth_value_and_gradient(objective.start)[1]
    expected = objective.prox(objective.start - gradient / objective.lipschitz, 1 / objective.lipschitz)
    laws.assert_close(solution.variable, expected)


def test_a_seed_fixes_the_order_of_the_batches(put: Put) -> None:
    objective = make_problem().objective("logistic", put)
    first, again, other = (
        to_numpy(solve(objective, "minibatch", seed=seed, max_iter=3, tol=0.0).variable) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-6


def test_a_solution_counts_passes_and_carries_the_residual(put: Put) -> None:
    objective = make_problem().objective("logistic", put)
    solution = solve(objective, "minibatch", max_iter=4, tol=1e-12)
    assert solution.n_iter == 4
    assert not solution.converged
    assert solution.residual == objective.residual(solution.variable)
    assert "Stopped at max_iter=4 above tol=1e-12" in solution.status


def test_the_printed_rule_runs_and_shrinks_the_leading_values() -> None:
    problem = make_problem(n=64)
    risk = problem.risk(problem.loss("squared"), by_rows=True)
    printed = Objective(risk, [Ridge(0.01)], TailSumAsPrinted(0.3, 1))
    plain = Objective(risk, [Ridge(0.01)])
    shrunk, free = (
        np.linalg.svd(solve(o, "minibatch", tol=0.0, max_iter=60).variable[:6], compute_uv=False)[0]
        for o in (printed, plain)
    )
    assert shrunk < 0.9 * free


def test_mini_batches_need_rows_and_a_known_rule() -> None:
    problem = make_problem()
    with pytest.raises(TypeError, match="Mini-batches need the rows"):
        minimise(problem.objective("squared"), MiniBatch())
    with pytest.raises(ValueError, match=r"step_rule='adam' is not known. Choose one of adadelta, decay, constant"):
        minimise(problem.objective("logistic"), MiniBatch(step_rule="adam"))
