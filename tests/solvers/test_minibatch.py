"""Algorithm 1: every step rule approaches the optimum, reproducibly."""

import numpy as np
import pytest
from sklearn.base import clone

import laws
from laws import Put
from lsvv import LSVVClassifier
from lsvv.linalg import to_numpy
from lsvv.losses import MulticlassHinge
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


def test_the_sub_gradient_is_the_printed_one() -> None:
    problem = make_problem(n=30)
    objective = problem.objective(MulticlassHinge(0.003), ridge=0.01, manifold=0.1, fit_intercept=False)

    def direction(V: np.ndarray, subgradient: bool) -> np.ndarray:
        method = MiniBatch(batch_size=30, step_rule="constant", subgradient=subgradient)
        return objective.lipschitz * (V - to_numpy(method.step(objective, method.init(objective, V)).V))

    V = 3.0 * np.linalg.lstsq(problem.Phi, problem.T, rcond=None)[0]
    printed = 2 * 0.01 * V + 2 * 0.1 * problem.G @ V
    met = 0
    for x, target in zip(problem.Phi, problem.T, strict=True):
        scores, label = x @ V, int(target.argmax())
        rival = int(np.argmax(np.where(target == 1, -np.inf, scores)))
        if scores[label] - scores[rival] < 1:
            printed += np.outer(x, np.eye(4)[rival] - np.eye(4)[label]) / 30
            met += 1
    assert 0 < met < 30
    np.testing.assert_allclose(direction(V, True), printed, atol=1e-9)
    # at 0 all rivals tie: the smoothing takes them evenly, the sub-gradient the first
    assert np.abs(direction(0.0 * V, True) - direction(0.0 * V, False)).max() > 0.01


def test_its_settings_reach_it_through_an_estimator() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    model = LSVVClassifier(features="linear", loss="logistic", smoothing=0, ridge=0.1, tol=1e-2, random_state=0)
    coef = {
        solver: clone(model).set_params(solver=solver).fit(X, y).coef_
        for solver in ("minibatch", MiniBatch(), MiniBatch(batch_size=40), MiniBatch(step_rule="decay"))
    }
    plain, same, *others = coef.values()
    np.testing.assert_array_equal(plain, same)
    assert all(np.abs(plain - other).max() > 1e-6 for other in others)
    with pytest.raises(ValueError, match=r"batch_size=0 holds no row"):
        clone(model).set_params(solver=MiniBatch(batch_size=0)).fit(X, y)
    with pytest.raises(ValueError, match=r"solver=3 is out of range\. Pass 'auto', .*'minibatch' or a MiniBatch\."):
        clone(model).set_params(solver=3).fit(X, y)
