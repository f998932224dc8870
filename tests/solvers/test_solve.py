"""The one loop and the choice of a solver."""

import numpy as np
import pytest

import laws
from laws import Put
from lsvv.linalg import to_numpy
from lsvv.parameters import SOLVERS
from lsvv.solvers import AcceleratedProximalGradient, ObjectiveOverflowError, minimise, solve
from problems import make_problem


def test_auto_takes_the_closed_form_where_there_is_one() -> None:
    problem = make_problem()
    assert "closed form" in solve(problem.objective("squared")).status
    assert solve(problem.objective("squared", spectral=0.1), tol=1e-4).n_iter > 1
    assert "closed form" not in solve(problem.objective("squared", by_rows=True), tol=1e-4).status
    assert "smoothing" in solve(problem.objective("hinge"), tol=1e-2).status


@pytest.mark.parametrize("solver", [name for name in SOLVERS if name != "minibatch"])
def test_all_solvers_find_the_same_point(put: Put, solver: str) -> None:
    problem = make_problem()
    solution = solve(problem.objective("squared", put), solver, tol=1e-11, max_iter=5000)
    laws.assert_close(solution.variable, solve(problem.objective("squared")).variable, rtol=1e-7, atol=1e-9)


def test_the_start_is_where_the_loop_starts(put: Put) -> None:
    objective = make_problem().objective("logistic", put)
    best = solve(objective, tol=1e-9, max_iter=3000)
    again = solve(objective, start=best.variable, tol=1e-6)
    assert again.history[0] == pytest.approx(best.value)
    assert again.n_iter <= 3


def test_progress_hears_of_every_step(put: Put) -> None:
    objective = make_problem().objective("logistic", put)
    heard: list[tuple[int, float, float]] = []
    solution = solve(objective, tol=1e-6, progress=lambda *step: heard.append(step))
    assert [step for step, _, _ in heard] == list(range(1, solution.n_iter + 1))
    assert [value for _, value, _ in heard] == list(solution.history[1:])


def test_too_few_steps_stop_with_a_sentence(put: Put) -> None:
    solution = solve(make_problem().objective("logistic", put), tol=1e-12, max_iter=3)
    assert not solution.converged
    assert solution.n_iter == 3
    assert solution.status == f"Stopped at max_iter=3 above tol=1e-12 (residual {solution.residual:.2g} after 3 steps)."


def test_an_objective_that_is_not_finite_stops_the_loop() -> None:
    problem = make_problem()
    objective = problem.objective("logistic")
    start = np.full_like(to_numpy(objective.start), np.nan)
    with pytest.raises(ObjectiveOverflowError, match="The objective overflows: a column of X"):
        minimise(objective, AcceleratedProximalGradient(), start=start)
