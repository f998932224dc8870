"""Equivalences: what must not change a model, what must change it in a known way."""

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge

import laws
import naive
from laws import Put
from lsvv import LSVVClassifier, LSVVRegressor, risk
from lsvv.features import Linear, MappedRows, Nystroem, RandomFourier, Sketch
from lsvv.graph import KNNGraph
from lsvv.linalg import to_numpy
from models import GRAPHS, MAP, PAPER, SUPERVISED, blobs, classifier, curves, indicators, regressor, some_labels

X, TRUTH = blobs()
Y = some_labels(TRUTH)
KNOWN = Y != -1
LOSSES = ("squared", "logistic", "smooth_hinge")


# ------------------------------------------------------------------------------------------ the equation, as a whole


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("kind", ["normalized", "plain"])
def test_a_fit_is_the_minimiser_of_the_equation(kind: str, power: int) -> None:
    model = classifier(laplacian=kind, power=power, smoothing=0.0, manifold=0.7, ridge=0.01).fit(X, Y)
    Phi = model.feature_map_.transform(X)
    Lap = naive.laplacian(naive.adjacency(X, 4), kind)
    P = 0.01 * np.eye(40) + 0.7 * naive.manifold_matrix(Phi, Lap, power)
    T = np.eye(3)[TRUTH[KNOWN]]
    W, b = naive.ridge_with_intercept(Phi[KNOWN], T, np.full(T.shape, 1 / len(T)), P)
    laws.assert_close(model.coef_, W.T, rtol=1e-6)
    laws.assert_close(model.intercept_, b, rtol=1e-6)
    laws.assert_close(model.decision_function(X), Phi @ W + b, rtol=1e-6)


def test_a_supervised_fit_is_ridge() -> None:
    model = classifier(features=Linear(), ridge=0.02, **SUPERVISED).fit(X, Y)
    reference = Ridge(alpha=0.02 * KNOWN.sum()).fit(X[KNOWN], np.eye(3)[TRUTH[KNOWN]])
    laws.assert_close(model.coef_, reference.coef_)
    laws.assert_close(model.intercept_, reference.intercept_)


def test_a_supervised_logistic_fit_is_logistic_regression() -> None:
    model = classifier(features=Linear(), ridge=0.02, loss="logistic", tol=1e-9, **SUPERVISED).fit(X, Y)
    reference = LogisticRegression(C=1 / (2 * 0.02 * KNOWN.sum()), tol=1e-10).fit(X[KNOWN], Y[KNOWN])
    laws.assert_close(model.predict_proba(X), reference.predict_proba(X), rtol=1e-4, atol=1e-6)


def test_nystroem_with_all_rows_is_kernel_ridge() -> None:
    y = np.sin(X[:, 0])
    model = regressor(features=Nystroem(60, width=1.5), ridge=1e-2, fit_intercept=False, **SUPERVISED).fit(X, y)
    reference = KernelRidge(alpha=1e-2 * 60, kernel="rbf", gamma=1 / (2 * 1.5**2)).fit(X, y)
    new = X + 0.1
    laws.assert_close(model.predict(new), reference.predict(new), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_four_methods_are_four_settings(loss: str) -> None:
    fits = {
        name: LSVVClassifier.method(
            name, features=MAP, loss=loss, ridge=0.01, free_rank=1, tol=1e-4, n_neighbors=4
        ).fit(X, Y)
        for name in ("SRM-VV", "LRC-VV", "SS-VV", "LSVV")
    }
    assert all(model.smoothing == 0.0 for model in fits.values())
    assert {name: (m.manifold > 0, m.spectral > 0) for name, m in fits.items()} == {
        "SRM-VV": (False, False),
        "LRC-VV": (False, True),
        "SS-VV": (True, False),
        "LSVV": (True, True),
    }
    assert all(model.score(X, TRUTH) > 0.8 for model in fits.values())


def test_methods_take_no_term_they_have_not() -> None:
    assert LSVVRegressor.method("LSVV", manifold=3.0).manifold == 3.0
    with pytest.raises(ValueError, match=r"SRM-VV has no manifold term. Leave manifold out, or choose another method"):
        LSVVClassifier.method("SRM-VV", manifold=1.0)
    with pytest.raises(ValueError, match=r"There is no method 'SVM'. Choose one of SRM-VV, LRC-VV, SS-VV, LSVV"):
        LSVVClassifier.method("SVM")


# ------------------------------------------------------------------------------------------------- what changes nothing


@pytest.mark.parametrize("features", [MAP, RandomFourier(40), Nystroem(10), Sketch(5)], ids=lambda f: type(f).__name__)
@pytest.mark.parametrize("loss", LOSSES)
def test_without_a_graph_unlabelled_rows_do_not_matter(loss: str, features: Any) -> None:
    settings = {"features": features, "loss": loss, "ridge": 0.01, "tol": 1e-7, **SUPERVISED}
    mixed = classifier(**settings).fit(X, Y)
    alone = classifier(**settings).fit(X[KNOWN], Y[KNOWN])
    laws.assert_close(mixed.coef_, alone.coef_)
    laws.assert_close(mixed.predict_proba(X), alone.predict_proba(X))


@pytest.mark.parametrize("terms", GRAPHS, ids=str)
@pytest.mark.parametrize("loss", LOSSES)
def test_the_order_of_the_rows_does_not_matter(loss: str, terms: dict[str, Any]) -> None:
    order = np.random.default_rng(1).permutation(60)
    here = classifier(loss=loss, ridge=0.01, tol=1e-9, max_iter=5000, **terms).fit(X, Y)
    there = classifier(loss=loss, ridge=0.01, tol=1e-9, max_iter=5000, **terms).fit(X[order], Y[order])
    laws.assert_close(there.coef_, here.coef_, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(there.transduction_, here.transduction_[order])


@pytest.mark.parametrize("loss", LOSSES)
def test_permuting_classes_permutes_coefficients(loss: str) -> None:
    renamed = np.array([2, 0, 1])
    settings = {"loss": loss, "ridge": 0.01, "spectral": 1e-3, "free_rank": 1, "tol": 1e-9, "max_iter": 5000}
    here = classifier(**settings).fit(X, Y)
    there = classifier(**settings).fit(X, np.where(KNOWN, renamed[Y], -1))
    laws.assert_close(there.coef_[renamed], here.coef_, rtol=1e-5, atol=1e-6)
    laws.assert_close(there.intercept_[renamed], here.intercept_, rtol=1e-5, atol=1e-6)


def test_classes_may_be_called_anything() -> None:
    here, there = classifier().fit(X, Y), classifier().fit(X, np.where(KNOWN, 10 * Y + 7, -1))
    assert there.classes_.tolist() == [7, 17, 27]
    laws.assert_close(there.coef_, here.coef_)


@pytest.mark.parametrize("loss", LOSSES)
def test_an_integer_weight_is_that_many_rows_without_a_graph(loss: str) -> None:
    weight = np.random.default_rng(0).integers(0, 3, size=60)
    settings = {"loss": loss, "ridge": 0.01, "tol": 1e-9, "max_iter": 5000, **SUPERVISED}
    weighted = classifier(**settings).fit(X, TRUTH, sample_weight=weight)
    repeated = classifier(**settings).fit(np.repeat(X, weight, axis=0), np.repeat(TRUTH, weight))
    laws.assert_close(weighted.coef_, repeated.coef_, rtol=1e-5, atol=1e-6)


def test_the_scale_of_the_weights_does_not_matter() -> None:
    weight = np.random.default_rng(0).uniform(0.5, 2.0, size=60)
    here, there = (classifier().fit(X, Y, sample_weight=c * weight) for c in (1.0, 100.0))
    laws.assert_close(here.coef_, there.coef_)


def test_balanced_classes_are_classes_weighted_by_hand() -> None:
    y = Y.copy()
    y[np.flatnonzero(y == 0)[:4]] = -1
    count = np.bincount(y[y != -1])
    balanced = classifier(class_weight="balanced").fit(X, y)
    by_dict = classifier(class_weight=dict(enumerate(count.sum() / (3 * count)))).fit(X, y)
    weight = np.where(y == -1, 1.0, (count.sum() / (3 * count))[y])
    by_weight = classifier().fit(X, y, sample_weight=weight)
    laws.assert_close(balanced.coef_, by_dict.coef_)
    laws.assert_close(balanced.coef_, by_weight.coef_)


@pytest.mark.parametrize("terms", GRAPHS, ids=str)
def test_a_ready_graph_is_the_graph(terms: dict[str, Any]) -> None:
    weights = "self-tuned" if terms["smoothing"] else "binary"
    built = KNNGraph(weights=weights).fit(X, n_neighbors=4)
    expected = classifier(**terms).fit(X, Y)
    for graph in (built.S.toarray(), built.S, sp.csr_matrix(built.S), built, KNNGraph(weights=weights)):
        laws.assert_close(classifier(graph=graph, **terms).fit(X, Y).coef_, expected.coef_)
    heated = classifier(graph=KNNGraph(weights="heat"), **terms).fit(X, Y)
    assert np.abs(heated.coef_ - expected.coef_).max() > 1e-6


def test_a_graph_of_features_is_another_model() -> None:
    on_features = classifier(features=RandomFourier(30, width=0.3, random_state=0), graph=KNNGraph(on="features"))
    on_inputs = classifier(features=RandomFourier(30, width=0.3, random_state=0))
    assert np.abs(on_features.fit(X, Y).coef_ - on_inputs.fit(X, Y).coef_).max() > 1e-6


# ------------------------------------------------------------------------------------------------------- masked targets


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("terms", [SUPERVISED, *GRAPHS], ids=str)
def test_masked_labels_are_fits_of_each_column(loss: str, terms: dict[str, Any]) -> None:
    rows, labels = indicators()
    settings = {"loss": loss, "ridge": 0.01, "tol": 1e-9, "max_iter": 5000, **terms}
    together = classifier(**settings).fit(rows, labels)
    for k in range(3):
        # a second column without a known entry keeps the target two-dimensional
        column = np.c_[labels[:, k], np.full(60, np.nan)]
        alone = classifier(**settings).fit(rows, column)
        laws.assert_close(together.coef_[k], alone.coef_[0], rtol=1e-5, atol=1e-6)
        laws.assert_close(together.intercept_[k], alone.intercept_[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("terms", [SUPERVISED, *GRAPHS], ids=str)
def test_masked_numbers_are_fits_of_each_column(terms: dict[str, Any]) -> None:
    rows, numbers = curves()
    together = regressor(**terms).fit(rows, numbers)
    for k in range(2):
        alone = regressor(**terms).fit(rows, numbers[:, k])
        laws.assert_close(together.predict(rows)[:, k], alone.predict(rows), rtol=1e-6)
        laws.assert_close(together.coef_[k], alone.coef_[0], rtol=1e-6, atol=1e-8)


def test_a_tail_penalty_ties_the_columns_together() -> None:
    rows, numbers = curves()
    free, tied = (regressor(spectral=s, tol=1e-6).fit(rows, numbers) for s in (0.0, 0.5))
    assert tied.effective_rank_ < free.effective_rank_
    assert np.abs(tied.coef_ - free.coef_).max() > 1e-3


def test_numbers_follow_their_own_scale() -> None:
    rows, numbers = curves()
    here, there = regressor().fit(rows, numbers), regressor().fit(rows, 1e6 * numbers - 3.0)
    laws.assert_close(there.predict(rows), 1e6 * here.predict(rows) - 3.0, rtol=1e-7)
    laws.assert_close(there.singular_values_, here.singular_values_, rtol=1e-6)


# --------------------------------------------------------------------------------------------------------- the spectrum


@pytest.mark.parametrize("loss", LOSSES)
def test_full_free_rank_is_no_penalty(loss: str) -> None:
    settings = {"loss": loss, "ridge": 0.01, "tol": 1e-8, "max_iter": 5000}
    plain = classifier(**settings).fit(X, Y)
    for free_rank in (3, 1.0):
        free = classifier(spectral=0.5, free_rank=free_rank, **settings).fit(X, Y)
        laws.assert_close(free.coef_, plain.coef_, rtol=1e-5, atol=1e-6)


def test_a_strong_trace_norm_leaves_nothing_but_the_intercept() -> None:
    model = classifier(spectral=100.0).fit(X, Y)
    assert model.effective_rank_ == 0
    laws.assert_close(model.coef_, np.zeros((3, 40)))
    laws.assert_close(model.intercept_, np.bincount(Y[KNOWN]) / KNOWN.sum())


def test_a_free_rank_survives_a_strong_penalty() -> None:
    model = classifier(spectral=100.0, free_rank=1).fit(X, Y)
    assert model.effective_rank_ == 1
    laws.assert_close(model.singular_values_, np.linalg.svd(model.coef_, compute_uv=False), atol=1e-9)


# ------------------------------------------------------------------------------------------------------ kinds of arrays


@pytest.mark.parametrize(
    "features", [MAP, Linear(), Nystroem(20, width=1.0, random_state=0)], ids=lambda f: type(f).__name__
)
@pytest.mark.parametrize(
    "settings",
    [{}, PAPER, {"loss": "logistic"}, {"spectral": 1e-3, "free_rank": 1}, {"loss": "hinge", **PAPER}],
    ids=str,
)
def test_tensors_learn_what_arrays_learn(put: Put, features: Any, settings: dict[str, Any]) -> None:
    settings = {"features": features, "ridge": 0.01, "tol": 1e-4 if "loss" in settings else 1e-8, **settings}
    here = classifier(**settings).fit(X, Y)
    there = classifier(**settings).fit(put(X), put(Y))
    for name in ("coef_", "intercept_"):
        assert type(getattr(there, name)) is type(put(X))
        laws.assert_close(getattr(there, name), getattr(here, name), rtol=1e-6, atol=1e-7)
    laws.assert_close(there.decision_function(put(X)), here.decision_function(X), rtol=1e-6, atol=1e-7)
    laws.assert_close(there.predict_proba(put(X)), here.predict_proba(X), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(to_numpy(there.predict(put(X))), here.predict(X))
    np.testing.assert_array_equal(to_numpy(there.transduction_), here.transduction_)
    assert there.score(put(X), put(TRUTH)) == here.score(X, TRUTH)


def test_tensors_of_numbers_and_labels(put: Put) -> None:
    for model, (rows, targets) in [(regressor(), curves()), (classifier(), indicators())]:
        expected = model.fit(rows, targets).predict(rows)
        found = model.fit(put(rows), put(targets))
        laws.assert_close(found.predict(put(rows)), expected, rtol=1e-7)
        assert found.score(put(rows), put(targets)) == pytest.approx(found.score(rows, targets))
        unlabelled = model.fit(put(rows[:40]), put(targets[:40]), X_unlabeled=put(rows[40:]))
        laws.assert_close(
            unlabelled.coef_, model.fit(rows[:40], targets[:40], X_unlabeled=rows[40:]).coef_, rtol=1e-6, atol=1e-9
        )


@pytest.mark.parametrize(
    "features", [MAP, Linear(), Nystroem(20, width=1.0), Sketch(10, width=1.0)], ids=lambda f: type(f).__name__
)
@pytest.mark.parametrize("terms", GRAPHS, ids=str)
def test_sparse_rows_learn_what_dense_ones_learn(features: Any, terms: dict[str, Any]) -> None:
    holed = np.where(np.abs(X) > 0.3, X, 0.0)
    dense = classifier(features=features, **terms).fit(holed, Y)
    sparse = classifier(features=features, **terms).fit(sp.csr_array(holed), Y)
    laws.assert_close(sparse.coef_, dense.coef_, rtol=1e-6, atol=1e-9)
    laws.assert_close(sparse.predict_proba(sp.csr_array(holed)), dense.predict_proba(holed), rtol=1e-6)


@pytest.mark.parametrize("settings", [{}, {"loss": "logistic"}, {"spectral": 1e-3}, SUPERVISED, PAPER], ids=str)
def test_single_precision_in_is_single_precision_out(put: Put, settings: dict[str, Any]) -> None:
    single = put(X.astype(np.float32))
    model = classifier(ridge=0.01, tol=1e-3, **settings).fit(single, Y)
    double = classifier(ridge=0.01, tol=1e-3, **settings).fit(X, Y)
    for values in (model.coef_, model.intercept_, model.decision_function(single), model.predict_proba(single)):
        assert to_numpy(values).dtype == np.float32
    laws.assert_close(model.predict_proba(single), double.predict_proba(X), rtol=0, atol=2e-2)


def test_single_precision_numbers(put: Put) -> None:
    rows, numbers = curves()
    model = regressor().fit(put(rows.astype(np.float32)), numbers.astype(np.float32))
    assert to_numpy(model.predict(put(rows.astype(np.float32)))).dtype == np.float32
    assert to_numpy(model.coef_).dtype == np.float32
    laws.assert_close(
        model.predict(put(rows.astype(np.float32))), regressor().fit(rows, numbers).predict(rows), rtol=1e-2, atol=1e-1
    )


def test_a_model_of_arrays_takes_tensors_and_back() -> None:
    model = classifier().fit(X, Y)
    np.testing.assert_array_equal(model.predict(torch.as_tensor(X)), model.predict(X))
    there = classifier().fit(torch.as_tensor(X), Y)
    np.testing.assert_array_equal(there.predict(X), model.predict(X))


# -------------------------------------------------------------------------------------------------------------- memory


@pytest.mark.parametrize(
    "settings", [{}, PAPER, {"loss": "logistic"}, {"spectral": 1e-3}, {"power": 1, **PAPER}], ids=str
)
@pytest.mark.parametrize("block_bytes", [1, 40 * 8 * 7])
def test_a_fit_in_blocks_is_the_same_fit(
    put: Put, settings: dict[str, Any], block_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = classifier(ridge=0.05, tol=1e-6, **settings).fit(X, Y)
    monkeypatch.setitem(MappedRows.__init__.__kwdefaults__ or {}, "block_bytes", block_bytes)
    blocked = classifier(ridge=0.05, tol=1e-6, **settings).fit(put(X), put(Y))
    laws.assert_close(blocked.coef_, whole.coef_, rtol=1e-6, atol=1e-8)
    laws.assert_close(blocked.predict_proba(put(X)), whole.predict_proba(X), rtol=1e-6, atol=1e-8)


def test_masks_beyond_the_memory_for_moments_are_worked_over_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, labels = indicators()
    _, numbers = curves()
    on_moments = (classifier(ridge=0.05).fit(rows, labels), regressor(ridge=0.05).fit(rows, numbers))
    monkeypatch.setattr(risk, "MOMENT_BYTES", 0)
    over_rows = (
        classifier(ridge=0.05, tol=1e-9, max_iter=5000).fit(rows, labels),
        regressor(ridge=0.05, tol=1e-9, max_iter=5000).fit(rows, numbers),
    )
    for here, there in zip(on_moments, over_rows, strict=True):
        assert "closed form" in here.solution_.status
        assert "closed form" not in there.solution_.status
        laws.assert_close(there.coef_, here.coef_, rtol=1e-5, atol=1e-6)


def test_tensors_come_back_as_tensors_where_they_are_numbers(put: Put) -> None:
    for y in (TRUTH, Y):
        model = classifier().fit(put(X), y)
        assert type(model.predict(put(X))) is type(model.transduction_) is type(put(X))
    names = np.array(["no", "yes", "so"], dtype=object)[np.clip(TRUTH, 0, 2)]
    model = classifier().fit(put(X), names)
    assert type(model.predict(put(X))) is type(model.transduction_) is np.ndarray


def test_tensors_on_another_device_are_refused() -> None:
    model = classifier().fit(torch.as_tensor(X), TRUTH)
    elsewhere = torch.empty(X.shape, device="meta")
    with pytest.raises(
        ValueError, match=r"X lies on meta, but the rows that the model was fitted on lie on cpu\. Move"
    ):
        model.predict(elsewhere)
    with pytest.raises(ValueError, match=r"X_unlabeled lies on meta, but .* lie on cpu"):
        classifier().fit(torch.as_tensor(X), TRUTH, X_unlabeled=elsewhere)


def test_scikit_learn_passes_tensors_on() -> None:
    script = """
import numpy as np, sklearn, torch
from sklearn.utils import get_tags
from lsvv import LSVVRegressor, LSVVRegressorCV
X = torch.linspace(-1, 1, 40, dtype=torch.float64)[:, None]
for model in (LSVVRegressor(features="linear"), LSVVRegressorCV(features="linear")):
    with sklearn.config_context(array_api_dispatch=True):
        print(type(model.fit(X, X[:, 0]).predict(X)).__name__, get_tags(model).array_api_support)
"""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["Tensor", "True", "Tensor", "True"]
