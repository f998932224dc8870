"""Paths with masks are paths of each column, and a fit of the engine is the estimator's."""

from functools import partial
from typing import Any

import numpy as np
import pytest

import laws
import naive
from laws import Put
from lsvv.engine import chosen_ridge, fits, paths, smooth_path
from lsvv.graph import KNNGraph
from lsvv.losses import BinaryLogistic, Loss, MulticlassLogistic, Squared
from models import GRAPHS, SUPERVISED, blobs, classifier, curves, indicators, regressor, some_labels
from refitting import problem

X, TRUTH = blobs()
Y = some_labels(TRUTH)
KNOWN = Y != -1
RIDGES = [1e-3, 1e-1]


def masked_problem(D: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Ten rows and five outputs: two of one mask, one of another, one known once, one never."""
    Phi, T, G = problem(7, 10, D, 5)
    known = np.ones((10, 5))
    known[:4, 2] = 0.0
    known[1:, 3] = 0.0
    known[:, 4] = 0.0
    return Phi, np.where(known > 0, T > 0, 0.0), naive.mean_loss_weights(known), G


@pytest.mark.parametrize("D", [4, 14], ids=["n > D", "n < D"])
@pytest.mark.parametrize("loss", [Squared(), BinaryLogistic()], ids=["squared", "logistic"])
@pytest.mark.parametrize("manifold", [0.0, 0.5])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_masked_outputs_are_each_alone(
    D: int, loss: Loss, manifold: float, fit_intercept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # outputs that share a mask share the steps of a solver, which must run to its end
    monkeypatch.setattr(paths, "smooth_path", partial(smooth_path, n_iter=5000, tol=1e-10))
    Phi, T, A, G = masked_problem(D)
    how: dict[str, Any] = {"manifold": manifold, "G": G, "fit_intercept": fit_intercept}
    together = list(fits(Phi, T, A, loss, RIDGES, **how))
    assert [point.ridge for point in together] == sorted(RIDGES, reverse=True)
    for k in range(5):
        for point, alone in zip(together, fits(Phi, T[:, [k]], A[:, [k]], loss, RIDGES, **how), strict=True):
            atol = 1e-10 if isinstance(loss, Squared) else 1e-5
            laws.assert_close(point.W[:, [k]], alone.W, atol=atol)
            laws.assert_close(point.b[[k]], alone.b, atol=atol)
            laws.assert_close(point.loo[:, [k]], alone.loo, atol=atol)
    assert not together[0].loo[A == 0].any()


@pytest.mark.parametrize("D", [4, 14], ids=["n > D", "n < D"])
@pytest.mark.parametrize("loss", [Squared(), BinaryLogistic()], ids=["squared", "logistic"])
@pytest.mark.parametrize("manifold", [0.0, 0.5])
def test_tensors_have_the_paths_of_arrays(put: Put, D: int, loss: Loss, manifold: float) -> None:
    Phi, T, A, G = masked_problem(D)
    arrays = fits(Phi, T, A, loss, RIDGES, manifold=manifold, G=G)
    tensors = fits(put(Phi), T, A, loss, RIDGES, manifold=manifold, G=put(G))
    for one, twin in zip(arrays, tensors, strict=True):
        assert isinstance(twin.W, np.ndarray)
        laws.assert_close(twin.W, one.W, atol=1e-8)
        laws.assert_close(twin.b, one.b, atol=1e-8)
        laws.assert_close(twin.loo, one.loo, atol=1e-8)
        assert twin.independent == pytest.approx(one.independent)
    ridges = [chosen_ridge(rows, T[:, :1], A[:, :1])[0] for rows in (Phi, put(Phi))]
    assert ridges[1] == pytest.approx(ridges[0])


def test_masked_outputs_are_the_rows_that_are_known() -> None:
    Phi, T, A, _ = masked_problem(4)
    points = fits(Phi, T, A, Squared(), RIDGES)
    only = fits(Phi[4:], T[4:, [2]], np.full((6, 1), 1 / 6), Squared(), RIDGES)
    for point, alone in zip(points, only, strict=True):
        laws.assert_close(point.W[:, [2]], alone.W)
        laws.assert_close(point.loo[4:, [2]], alone.loo)


@pytest.mark.parametrize("loss", [Squared(), BinaryLogistic()], ids=["squared", "logistic"])
def test_what_is_known_once_or_never_is_a_constant(loss: Loss) -> None:
    Phi, T, A, _ = masked_problem(4)
    for point in fits(Phi, T, A, loss, RIDGES):
        assert not point.W[:, 3:].any()
        assert not point.loo[:, 3:].any()
        # above or below the score that decides
        assert (point.b[3] > loss.threshold) == (T[0, 3] == 1.0)
        assert point.b[4] < loss.threshold


def test_without_an_intercept_what_is_known_once_bends_w_alone() -> None:
    Phi, T, A, G = masked_problem(4)
    T[0, 3] = 1.0
    for point in fits(Phi, T, A, Squared(), RIDGES, manifold=0.2, G=G, fit_intercept=False):
        P = point.ridge * np.eye(4) + 0.2 * G
        laws.assert_close(point.W[:, 3], np.linalg.solve(np.outer(Phi[0], Phi[0]) + P, Phi[0]))
        assert not point.b.any()
        assert not point.loo[:, 3].any()


# ------------------------------------------------------------------------------------------- the engine and the core


def smoothed(terms: dict[str, Any], Phi: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
    """R Phi and the manifold term by dense matrices, for the graph that an estimator builds itself."""
    S = KNNGraph(weights="self-tuned" if terms["smoothing"] else "binary").build(X, 4).toarray()
    G = naive.manifold_matrix(Phi, naive.laplacian(S, "normalized"), 2)
    return naive.smoother(S, terms["smoothing"]) @ Phi, {"manifold": terms["manifold"], "G": G}


def near(terms: dict[str, Any]) -> float:
    """R is short of its limit by 1e-10, which the ridge divides."""
    return 1e-7 if terms["smoothing"] else 1e-9


@pytest.mark.parametrize("terms", [SUPERVISED, *GRAPHS], ids=str)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_one_setting_is_the_classifier(terms: dict[str, Any], fit_intercept: bool) -> None:
    model = classifier(ridge=1e-2, fit_intercept=fit_intercept, **terms).fit(X, Y)
    Phi, how = smoothed(terms, model.feature_map_.transform(X))
    T, A = np.eye(3)[Y[KNOWN]], np.full((KNOWN.sum(), 3), 1 / KNOWN.sum())
    (point,) = fits(Phi[KNOWN], T, A, Squared(), [1e-2], fit_intercept=fit_intercept, **how)
    laws.assert_close(model.coef_, point.W.T, rtol=0, atol=near(terms))
    laws.assert_close(model.intercept_, point.b, rtol=0, atol=near(terms))


@pytest.mark.parametrize("terms", [SUPERVISED, *GRAPHS], ids=str)
def test_one_setting_is_the_classifier_of_labels_and_the_regressor(terms: dict[str, Any]) -> None:
    weight = np.random.default_rng(5).uniform(0.5, 2.0, size=(60, 3))
    _, labels = indicators()
    model = classifier(ridge=1e-2, **terms).fit(X, labels, sample_weight=weight)
    Phi, how = smoothed(terms, model.feature_map_.transform(X))
    known = ~np.isnan(labels)
    (point,) = fits(Phi, np.nan_to_num(labels), naive.mean_loss_weights(known * weight), Squared(), [1e-2], **how)
    laws.assert_close(model.coef_, point.W.T, rtol=0, atol=near(terms))
    laws.assert_close(model.intercept_, point.b, rtol=0, atol=near(terms))
    _, numbers = curves()
    regression = regressor(ridge=1e-2, **terms).fit(X, numbers)
    known = ~np.isnan(numbers)
    mean, scale = np.nanmean(numbers, axis=0), np.nanstd(numbers, axis=0)
    T = np.where(known, (numbers - mean) / scale, 0.0)
    (point,) = fits(Phi, T, naive.mean_loss_weights(known.astype(float)), Squared(), [1e-2], **how)
    laws.assert_close(regression.coef_ / scale[:, None], point.W.T, rtol=0, atol=near(terms))
    laws.assert_close((regression.intercept_ - mean) / scale, point.b, rtol=0, atol=near(terms))


@pytest.mark.parametrize("terms", [SUPERVISED, *GRAPHS], ids=str)
def test_one_setting_of_a_smooth_loss_is_the_classifier(terms: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "smooth_path", partial(smooth_path, n_iter=5000, tol=1e-10))
    model = classifier(loss="logistic", ridge=1e-2, tol=1e-9, max_iter=5000, **terms).fit(X, Y)
    Phi, how = smoothed(terms, model.feature_map_.transform(X))
    T, A = np.eye(3)[Y[KNOWN]], np.full((KNOWN.sum(), 3), 1 / KNOWN.sum())
    (point,) = fits(Phi[KNOWN], T, A, MulticlassLogistic(), [1e-2], **how)
    laws.assert_close(model.coef_, point.W.T, rtol=0, atol=1e-5)
