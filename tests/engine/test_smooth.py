"""Fits of smooth losses are the core's; one Newton step comes close to refitting without the label."""

import numpy as np
import pytest

from lsvv.assembly import build_objective, build_risk
from lsvv.calibration import probabilities
from lsvv.engine import Fit, smooth, smooth_path
from lsvv.features import MappedRows
from lsvv.losses import BinaryLogistic, Loss, MulticlassHinge, MulticlassLogistic
from lsvv.penalties import TailSum
from lsvv.solvers import solve
from refitting import brute_force, even, problem, refit


@pytest.mark.parametrize(
    ("loss", "left"), [(MulticlassLogistic(), 0.2), (BinaryLogistic(), 0.2), (MulticlassHinge(0.5), 0.45)]
)
@pytest.mark.parametrize("manifold", [0.0, 1.0])
def test_one_newton_step_comes_close_to_refitting(loss: Loss, left: float, manifold: float) -> None:
    rng = np.random.default_rng(3)
    Phi, _, G = problem(3, 30, 5, 3)
    T = np.eye(3)[np.argmax(Phi[:, :3] + 0.5 * rng.normal(size=(30, 3)), axis=1)]
    (point,) = smooth_path(Phi, T, even(30), [0.05], loss, manifold=manifold, G=G, n_iter=3000)
    W, b = refit(Phi, T, G, 0.05, manifold, loss, True)
    np.testing.assert_allclose(point.W, W, atol=1e-4)
    exact = brute_force(Phi, T, G, 0.05, manifold, loss, True)
    fitted = Phi @ W + b
    # the step accounts for most of what leaving a label out changes
    assert np.linalg.norm(point.loo - exact) < left * np.linalg.norm(fitted - exact)


@pytest.mark.parametrize("D", [4, 25])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("manifold", [0.0, 0.5])
def test_smooth_fits_are_the_cores_with_fewer_and_with_more_columns_than_rows(
    D: int, fit_intercept: bool, weighted: bool, manifold: float
) -> None:
    Phi, _, G = problem(5, 12, D, 3)
    T = np.eye(3)[np.arange(12) % 3]
    a = np.arange(1.0, 13.0) / 78 if weighted else even(12)
    A = np.repeat(a[:, None], 3, axis=1)
    risk = build_risk(
        MappedRows(Phi, lambda block: block), MulticlassLogistic(), T, A, fit_intercept=fit_intercept, by_rows=True
    )
    how = {"manifold": manifold, "G": G, "fit_intercept": fit_intercept}
    points = smooth_path(Phi, T, a, [1e-2, 1.0], MulticlassLogistic(), tol=1e-10, **how)  # type: ignore[arg-type]
    for point in points:
        objective = build_objective(risk, ridge=point.ridge, manifold=manifold, G=G, spectral=TailSum(0.0))
        V = solve(objective, tol=1e-9, max_iter=20_000).variable
        np.testing.assert_allclose(point.W, objective.weights(V), atol=1e-5)
        # the softmax does not see a constant added to all classes
        np.testing.assert_allclose(point.b - point.b.mean(), risk.intercept(V) - np.mean(risk.intercept(V)), atol=1e-5)


@pytest.mark.parametrize("loss", [MulticlassLogistic(), BinaryLogistic(), MulticlassHinge(0.5)])
@pytest.mark.parametrize("ridge", [1e-6, 1e-2])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_both_forms_of_the_step_agree(
    loss: Loss, ridge: float, fit_intercept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    Phi, _, G = problem(6, 20, 6, 3)
    T = np.eye(3)[np.arange(20) % 3]

    def step(primal: float, dual: float) -> np.ndarray:
        monkeypatch.setattr(smooth, "_step_costs", lambda n, D, K: (primal, dual))
        (point,) = smooth_path(Phi, T, even(20), [ridge], loss, manifold=0.1, G=G, fit_intercept=fit_intercept)
        return point.loo

    np.testing.assert_allclose(step(0.0, 1.0), step(1.0, 0.0), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("n_classes", [3, 7])
def test_both_forms_agree_where_every_curvature_is_the_bound(n_classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    T = np.eye(n_classes)[np.arange(40) % n_classes]
    monkeypatch.setattr(smooth, "FEW_ROWS", 10)
    found = []
    for costs in ((0.0, 1.0), (1.0, 0.0)):
        monkeypatch.setattr(smooth, "_step_costs", lambda n, D, K, costs=costs: costs)
        # so strong a ridge leaves all classes within the hinge's smoothing
        (point,) = smooth_path(np.eye(40, 45), T, even(40), [100.0], MulticlassHinge(20.0))
        found.append(point.loo)
    assert np.isfinite(found[1]).all()
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)


def test_labelled_rows_that_are_all_alike_predict_the_mean() -> None:
    T = np.eye(2)[[0, 0, 1]]
    for manifold in (0.0, 1.0):
        (point,) = smooth_path(
            np.ones((3, 6)), T, even(3), [1e-3], MulticlassLogistic(), manifold=manifold, G=np.eye(6)
        )
        np.testing.assert_allclose(point.W, 0.0, atol=1e-9)
        assert point.b[0] - point.b[1] == pytest.approx(np.log(2.0), abs=1e-3)


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e8])
def test_weak_ridges_bear_columns_that_are_nearly_equal_and_large(scale: float) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(40, 1))
        Phi = np.hstack([scale * x, scale * x + rng.normal(size=(40, 1)), 1e-3 * rng.normal(size=(40, 1))])
        T = np.eye(2)[(x[:, 0] > 0).astype(int)]
        for point in smooth_path(Phi, T, even(40), [1e-7, 1e-3], MulticlassLogistic()):
            assert np.isfinite(point.loo).all()


def test_among_many_classes_each_has_its_own_curvature(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    centres = rng.normal(size=(8, 4))
    classes = np.arange(48) % 8
    Phi, T = centres[classes] + 0.5 * rng.normal(size=(48, 4)), np.eye(8)[classes]
    loss = MulticlassLogistic()

    def without(i: int, ridge: float) -> np.ndarray:
        kept = np.arange(48) != i
        (point,) = smooth_path(Phi[kept], T[kept], even(47), [ridge], loss, n_iter=5000, tol=1e-9)
        return Phi[i] @ point.W + point.b

    def brier(scores: np.ndarray) -> float:
        return float(np.sum((probabilities(scores, 1.0, one_class_a_row=True) - T) ** 2) / len(T))

    for ridge in (1e-5, 1e-3):
        honest = brier(np.array([without(i, ridge) for i in range(48)]))
        (apart,) = smooth_path(Phi, T, even(48), [ridge], loss)
        with monkeypatch.context() as patched:
            patched.setattr(smooth, "APART", 0.0)
            (shared,) = smooth_path(Phi, T, even(48), [ridge], loss)
        assert abs(brier(apart.loo) - honest) < 0.05 * honest
        assert abs(brier(shared.loo) - honest) > 0.1 * honest


def test_the_rows_that_curve_most_do_for_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    classes = np.arange(60) % 4
    Phi, T = np.eye(4, 80)[classes] + 0.3 * rng.normal(size=(60, 80)), np.eye(4)[classes]
    monkeypatch.setattr(smooth, "_step_costs", lambda n, D, K: (1.0, 0.0))
    exact: list[Fit] = []
    most: list[Fit] = []
    for found, rows in ((exact, 60), (most, 20)):
        monkeypatch.setattr(smooth, "FEW_ROWS", rows)
        found += smooth_path(Phi, T, even(60), [1e-4, 1e-2], MulticlassLogistic())
    for one, other in zip(exact, most, strict=True):
        moved = np.linalg.norm(one.loo - (Phi @ one.W + one.b))
        assert 0.0 < np.linalg.norm(one.loo - other.loo) < 0.2 * moved


def test_smooth_paths_run_from_strong_ridges_to_weak() -> None:
    Phi, _, G = problem(4, 12, 4, 2)
    T = np.eye(2)[np.arange(12) % 2]
    points = list(smooth_path(Phi, T, even(12), [1e-3, 1e-1], MulticlassLogistic(), manifold=1.0, G=G))
    assert [point.ridge for point in points] == [1e-1, 1e-3]


@pytest.mark.parametrize("loss", [MulticlassLogistic(), BinaryLogistic()], ids=["classes", "labels"])
@pytest.mark.parametrize("ridge", [1e-4, 1e-2, 1.0])
def test_orthogonal_rows_are_predicted_by_nothing_however_well_they_are_fitted(loss: Loss, ridge: float) -> None:
    T = np.eye(3)[np.arange(9) % 3]
    (point,) = smooth_path(3.0 * np.eye(9), T, even(9), [ridge], loss, fit_intercept=False, n_iter=5000, tol=1e-11)
    assert np.abs(point.W).max() > 0.01
    np.testing.assert_allclose(point.loo, 0.0, atol=1e-5 * np.abs(point.W).max())


def test_a_map_that_learns_by_heart_is_seen_through() -> None:
    rng = np.random.default_rng(0)
    Phi, T = rng.normal(size=(24, 60)) / 60**0.5, np.eye(3)[rng.integers(3, size=24)]
    (point,) = smooth_path(Phi, T, even(24), [1e-3], MulticlassLogistic(), n_iter=1000)
    honest = brute_force(Phi, T, np.zeros((60, 60)), 1e-3, 0.0, MulticlassLogistic(), True)
    approximate, exact = (float(np.mean(f.argmax(axis=1) == T.argmax(axis=1))) for f in (point.loo, honest))
    assert np.mean((Phi @ point.W + point.b).argmax(axis=1) == T.argmax(axis=1)) == 1.0
    assert abs(approximate - exact) < 0.15


@pytest.mark.parametrize("counts", [(4, 4, 4), (5, 5, 1), (9, 2, 1)])
def test_the_step_stays_within_bounds_with_an_intercept_and_a_class_of_one_label(counts: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    T = np.repeat(np.eye(3), counts, axis=0)
    for width in (0.1, 1.0, 10.0):
        Phi = np.cos(rng.normal(size=(len(T), 4)) @ rng.normal(size=(4, 100)) / width) * 2**0.5 / 10
        ridges = [1e-4, 1e-3, 1e-2, 1e-1]
        for point in smooth_path(Phi, T, even(len(T)), ridges, MulticlassLogistic()):
            assert np.abs(point.loo).max() < 50 * max(1.0, np.abs(Phi @ point.W + point.b).max())


@pytest.mark.parametrize("D", [4, 20], ids=["n > D", "n < D"])
def test_a_matrix_without_a_weight_is_no_term(D: int) -> None:
    Phi, _, G = problem(4, 12, D, 2)
    T = np.eye(2)[np.arange(12) % 2]
    (with_it,) = smooth_path(Phi, T, even(12), [0.1], MulticlassLogistic(), G=G)
    (without,) = smooth_path(Phi, T, even(12), [0.1], MulticlassLogistic())
    np.testing.assert_allclose(with_it.W, without.W, atol=1e-4)
    np.testing.assert_allclose(with_it.loo, without.loo, atol=1e-3)


def test_the_cost_of_a_step_counts_its_products() -> None:
    assert smooth._step_costs(2, 6, 5) == (5 * (2 * 36 + 36), 4 * 6 + 8 + 5 * 2 * 0.25)
    assert not smooth.takes_outputs_apart(10_000, 5_000, 100)
    # columns beyond the rows cost nothing
    assert smooth.takes_outputs_apart(50, 100_000, 10)
