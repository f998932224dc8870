"""Laws that every member of a registry must obey; each takes the member and says in its name what it asserts."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.estimator_checks import check_estimator

from lsvv.linalg import to_numpy
from lsvv.losses import Loss
from lsvv.penalties import QuadraticPenalty, SpectralPenalty
from lsvv.solvers import Solution

Put = Callable[[Any], Any]
"""Turns a NumPy array into an array of the library a test runs on."""


def scores_and_targets(
    rng: np.random.Generator, n: int, K: int, *, one_class_a_row: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random scores, 0/1 targets (one 1 a row where asked) and weights, some of them 0."""
    F = rng.normal(size=(n, K), scale=2.0)
    A = rng.uniform(0.1, 1.0, size=(n, K)) * (rng.random((n, K)) < 0.7)
    T = (rng.random((n, K)) < 0.5).astype(float)
    if one_class_a_row:
        T = np.eye(K)[rng.integers(K, size=n)]
        A = np.repeat(A[:, :1], K, axis=1)
    return F, T, A


def finite_differences(loss: Loss, F: np.ndarray, T: np.ndarray, A: np.ndarray, h: float = 1e-6) -> np.ndarray:
    """Central differences of the loss in every score."""
    slope = np.zeros_like(F)
    for index in np.ndindex(*F.shape):
        up, down = F.copy(), F.copy()
        up[index] += h
        down[index] -= h
        slope[index] = (loss.value(up, T, A) - loss.value(down, T, A)) / (2 * h)
    return slope


def assert_gradient_is_the_slope(loss: Loss, F: np.ndarray, T: np.ndarray, A: np.ndarray) -> None:
    """The gradient equals finite differences."""
    np.testing.assert_allclose(
        loss.value_and_gradient(F, T, A)[1], finite_differences(loss, F, T, A), atol=1e-7, rtol=1e-5
    )


def assert_loss_is_convex(loss: Loss, F: np.ndarray, H: np.ndarray, T: np.ndarray, A: np.ndarray) -> None:
    """The (sub-)gradient inequality l(H) >= l(F) + <grad l(F), H - F>."""
    value, gradient = loss.value_and_gradient(F, T, A)
    assert loss.value(H, T, A) >= value + np.sum(gradient * (H - F)) - 1e-10


def assert_gradient_is_lipschitz(loss: Loss, F: np.ndarray, H: np.ndarray, T: np.ndarray, A: np.ndarray) -> None:
    """||grad l(F) - grad l(H)|| <= curvature ||F - H|| for weights of at most 1."""
    difference = loss.value_and_gradient(F, T, A)[1] - loss.value_and_gradient(H, T, A)[1]
    assert np.linalg.norm(difference) <= loss.curvature * np.max(A) * np.linalg.norm(F - H) * (1 + 1e-9)


def assert_weight_zero_means_unknown(loss: Loss, F: np.ndarray, T: np.ndarray, A: np.ndarray) -> None:
    """Whatever stands in an entry of weight 0, score or target, value and other gradients stay the same."""
    unknown = A == 0
    other_F, other_T = np.where(unknown, 17.0, F), np.where(unknown, 1.0 - T, T)
    if loss.couples_outputs:
        other_T = np.where(unknown, np.roll(T, 1, axis=1), T)
    value, gradient = loss.value_and_gradient(F, T, A)
    other_value, other_gradient = loss.value_and_gradient(other_F, other_T, A)
    assert value == other_value
    np.testing.assert_array_equal(gradient, other_gradient)
    assert not np.any(gradient[unknown])


def assert_quadratic_gradient_is_the_slope(penalty: QuadraticPenalty, W: np.ndarray, E: np.ndarray) -> None:
    """<gradient(W), E> is the derivative of the value at W along E; exact for a quadratic."""
    slope = (penalty.value(W + E) - penalty.value(W - E)) / 2
    np.testing.assert_allclose(np.sum(penalty.gradient(W) * E), slope, rtol=1e-9, atol=1e-9)


def prox_objective(penalty: SpectralPenalty, V: np.ndarray, W: np.ndarray, step: float) -> float:
    """1/2 ||V - W||^2 + step * penalty(V)."""
    return 0.5 * float(np.sum((V - W) ** 2)) + step * penalty.value(V)


def assert_prox_is_minimal(penalty: SpectralPenalty, W: np.ndarray, step: float, competitors: list[np.ndarray]) -> None:
    """No competitor lies below the prox."""
    reached = prox_objective(penalty, penalty.prox(W, step), W, step)
    for V in competitors:
        assert reached <= prox_objective(penalty, V, W, step) + 1e-10 * (1 + abs(reached))


def assert_three_points(penalty: SpectralPenalty, W: np.ndarray, step: float, V: np.ndarray) -> None:
    """phi(V) >= phi(prox) + 1/2 ||V - prox||^2 for phi = prox objective: strong convexity."""
    P = penalty.prox(W, step)
    gained = prox_objective(penalty, V, W, step) - prox_objective(penalty, P, W, step)
    assert gained >= 0.5 * float(np.sum((V - P) ** 2)) - 1e-9 * (1 + gained)


def assert_never_rises(history: tuple[float, ...], slack: float) -> None:
    """A history of objectives that only falls, up to rounding."""
    assert np.all(np.diff(history) <= slack)


def assert_solution_proves_itself(solution: Solution, objective: Any, tol: float) -> None:
    """What a solution says of itself is what the objective says of its point."""
    assert solution.converged
    assert solution.residual <= tol
    assert solution.residual == objective.residual(solution.variable)
    np.testing.assert_allclose(solution.value, objective.value(solution.variable), rtol=1e-12)


def assert_fails_only(estimator: Any, expected: dict[str, str]) -> None:
    """scikit-learn's own checks pass, all but the expected ones, each named with its reason; and those do fail."""
    results = check_estimator(estimator, on_fail=None, on_skip=None, expected_failed_checks=expected)
    failed = {r["check_name"]: repr(r["exception"]) for r in results if r["status"] in ("failed", "xfail")}
    assert failed.keys() == expected.keys(), {name: failed[name] for name in failed.keys() - expected.keys()}


def assert_close(first: Any, second: Any, rtol: float = 1e-9, atol: float = 1e-11) -> None:
    """Two arrays of any library agree."""
    np.testing.assert_allclose(to_numpy(first), to_numpy(second), rtol=rtol, atol=atol)
