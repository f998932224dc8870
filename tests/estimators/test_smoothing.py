"""Features smoothed over the graph: dense matrices and refits as witnesses, bad input, and what the model keeps."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors

import laws
import naive
from laws import Put
from lsvv import LSVVClassifier, LSVVRegressor
from lsvv.engine import fits
from lsvv.features import RandomFourier
from lsvv.graph import KNNGraph, NeighborGraph
from lsvv.linalg import to_numpy
from lsvv.losses import Squared
from models import blobs, classifier, curves, indicators, regressor, some_labels

X, TRUTH = blobs()
Y = some_labels(TRUTH)
KNOWN = Y != -1
NEW = np.random.default_rng(9).normal(size=(15, 2))
A = 0.9
R = naive.smoother(naive.self_tuned_weights(X, 4), A)
LINKS = naive.self_tuned_links(X, NEW, 4)
LOSSES = ("squared", "logistic", "hinge", "smooth_hinge")
NEAR = {"rtol": 0.0, "atol": 1e-7}
"""R is short of its limit by 1e-10 of a column's norm at most, which the ridge of 1e-3 divides."""


# ------------------------------------------------------------------------------------------------------ the equation


def test_without_smoothing_the_model_is_the_papers() -> None:
    rows, truth = blobs(40)
    y = some_labels(truth)
    known = y != -1
    phi = RandomFourier(12, width=1.0, random_state=0)
    model = LSVVClassifier(features=phi, smoothing=0.0, manifold=1.0, ridge=1e-5, n_neighbors=4).fit(rows, y)
    Phi = phi.fit(rows).transform(rows)
    Lap = naive.laplacian(naive.adjacency(rows, 4), "normalized")
    P = 1e-5 * np.eye(12) + naive.manifold_matrix(Phi, Lap, 2)
    T = np.eye(3)[y[known]]
    W, b = naive.ridge_with_intercept(Phi[known], T, np.full(T.shape, 1 / len(T)), P)
    laws.assert_close(model.coef_, W.T, rtol=1e-10, atol=1e-10)
    laws.assert_close(model.intercept_, b, rtol=1e-10, atol=1e-10)
    new = phi.transform(NEW) @ W + b
    laws.assert_close(model.decision_function(NEW), new, rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(model.transduction_[~known], np.argmax(Phi @ W + b, axis=1)[~known])


def test_without_smoothing_the_model_keeps_no_row() -> None:
    here, there = (classifier(smoothing=a).fit(X, Y) for a in (0.0, A))
    assert here.graph_ is None
    assert here.smoothed_scores_ is None
    assert there.graph_ is not None
    assert there.smoothed_scores_ is not None
    assert len(pickle.dumps(here)) < len(pickle.dumps(there))


@pytest.mark.parametrize("ridge", [1e-3, 1e-1])
@pytest.mark.parametrize("manifold", [0.0, 0.3])
def test_a_fit_is_the_minimiser_over_smoothed_features(ridge: float, manifold: float) -> None:
    model = classifier(smoothing=A, ridge=ridge, manifold=manifold).fit(X, Y)
    Phi = model.feature_map_.transform(X)
    # the manifold term looks at the features as they are
    Lap = naive.laplacian(naive.self_tuned_weights(X, 4), "normalized")
    P = ridge * np.eye(40) + manifold * naive.manifold_matrix(Phi, Lap, 2)
    T = np.eye(3)[Y[KNOWN]]
    W, b = naive.ridge_with_intercept((R @ Phi)[KNOWN], T, np.full(T.shape, 1 / len(T)), P)
    laws.assert_close(model.coef_, W.T, **NEAR)
    laws.assert_close(model.intercept_, b, **NEAR)
    np.testing.assert_array_equal(model.transduction_[~KNOWN], np.argmax(R @ Phi @ W + b, axis=1)[~KNOWN])


def test_training_scores_are_smoothed_and_new_rows_look_at_their_neighbours(put: Put) -> None:
    _, numbers = curves()
    model = regressor(smoothing=A).fit(put(X), numbers)
    W, b, phi = to_numpy(model.coef_).T, to_numpy(model.intercept_), model.feature_map_
    near = R @ to_numpy(phi.transform(put(X))) @ W
    unknown = np.isnan(numbers)
    laws.assert_close(model.transduction_[unknown], (near + b)[unknown], rtol=1e-8)
    new = (1 - A) * to_numpy(phi.transform(put(NEW))) @ W + A * LINKS @ near + b
    laws.assert_close(model.predict(put(NEW)), new, rtol=1e-8)


def test_the_temperature_is_that_of_smoothed_leave_one_out_scores() -> None:
    model = classifier(smoothing=A, ridge=0.01).fit(X, TRUTH)
    T = np.eye(3)[TRUTH]
    Phi = R @ model.feature_map_.transform(X)
    scores = naive.leave_one_out(Phi, T, np.full((60, 3), 1 / 60), 0.01 * np.eye(40))
    pull = 2 / 62
    expected = naive.temperature(scores - 0.5, T * (1 - pull) + pull / 3, np.ones(60))
    assert model.temperature_ == pytest.approx(expected, rel=1e-4)


@settings(max_examples=20)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 8),
    a=st.sampled_from([0.0, 0.5, 0.95]),
    ridge=st.sampled_from([1e-2, 1.0]),
    linear=st.booleans(),
    weighted=st.booleans(),
)
def test_leaving_a_label_out_is_hiding_it_from_the_estimator(
    seed: int, n: int, a: float, ridge: float, linear: bool, weighted: bool
) -> None:
    rng = np.random.default_rng(seed)
    rows, y = rng.normal(size=(12, 2)), np.full(12, -1)
    y[:n] = np.arange(n) % 2
    weight = rng.uniform(0.5, 2.0, size=12) if weighted else np.ones(12)
    phi = "linear" if linear else RandomFourier(8, width=1.0, random_state=0)
    model = LSVVClassifier(features=phi, smoothing=a, manifold=0.1, ridge=ridge, n_neighbors=3)

    def hidden(i: int) -> np.ndarray:
        without = y.copy()
        without[i] = -1
        return _training_scores(clone(model).fit(rows, without, sample_weight=weight), rows)[i]

    fitted = model.fit(rows, y, sample_weight=weight)
    S = KNNGraph(weights="self-tuned" if a else "binary").build(rows, 3).toarray()
    Phi = fitted.feature_map_.transform(rows)
    G = naive.manifold_matrix(Phi, naive.laplacian(S, "normalized"), 2)
    weights = np.repeat((weight[:n] / weight[:n].sum())[:, None], 2, axis=1)
    smooth = (naive.smoother(S, a) @ Phi)[:n]
    (point,) = fits(smooth, np.eye(2)[y[:n]], weights, Squared(), [ridge], manifold=0.1, G=G)
    expected = np.array([hidden(i) for i in range(n)])
    np.testing.assert_allclose(point.loo, expected, atol=1e-8, rtol=0)


def _training_scores(model: Any, rows: np.ndarray) -> np.ndarray:
    if model.smoothed_scores_ is None:
        return np.asarray(model.feature_map_.transform(rows) @ model.coef_.T + model.intercept_)
    return np.asarray(model.smoothed_scores_ + model.intercept_)


# --------------------------------------------------------------------------------------------------- what it is for


def test_one_label_in_each_of_two_clusters_is_enough() -> None:
    rng = np.random.default_rng(0)
    # two long strips, each labelled at one end only
    along = np.linspace(0.0, 4.0, 25)
    rows = np.r_[np.c_[along, np.zeros(25)], np.c_[along, np.ones(25)]] + 0.03 * rng.normal(size=(50, 2))
    truth = np.repeat([0, 1], 25)
    y = np.full(50, -1)
    y[0], y[49] = 0, 1
    settings: dict[str, Any] = {"features": RandomFourier(200, width=2.0, random_state=0), "n_neighbors": 4}
    model = LSVVClassifier(smoothing=0.999, **settings).fit(rows, y)
    np.testing.assert_array_equal(model.transduction_, truth)
    np.testing.assert_array_equal(model.predict(rows + 0.01), truth)
    assert LSVVClassifier(smoothing=0.0, **settings).fit(rows, y).score(rows, truth) < 0.9


def test_the_defaults_learn_moons_from_a_dozen_labels() -> None:
    rows, truth = make_moons(300, noise=0.08, random_state=0)
    y = np.where(np.arange(300) < 12, truth, -1)
    assert np.mean(LSVVClassifier(random_state=0).fit(rows, y).transduction_ == truth) > 0.95
    filled = LSVVRegressor(random_state=0).fit(rows, np.where(y == -1, np.nan, truth)).transduction_
    assert np.mean((filled > 0.5) == truth) > 0.95


# ----------------------------------------------------------------------------------------------- what changes nothing


@pytest.mark.parametrize("loss", LOSSES)
def test_the_order_of_the_rows_does_not_matter(loss: str) -> None:
    order = np.random.default_rng(1).permutation(60)
    model = classifier(smoothing=A, loss=loss, ridge=0.01, tol=1e-4, max_iter=5000)
    here, there = clone(model).fit(X, Y), clone(model).fit(X[order], Y[order])
    np.testing.assert_array_equal(there.transduction_, here.transduction_[order])
    laws.assert_close(there.decision_function(NEW), here.decision_function(NEW), rtol=0, atol=1e-3)


def test_the_order_of_the_rows_does_not_matter_to_numbers() -> None:
    _, numbers = curves()
    order = np.random.default_rng(1).permutation(60)
    here, there = regressor().fit(X, numbers), regressor().fit(X[order], numbers[order])
    laws.assert_close(there.transduction_, here.transduction_[order], rtol=1e-7)
    laws.assert_close(there.predict(NEW), here.predict(NEW), rtol=1e-7)


@pytest.mark.parametrize("loss", LOSSES)
def test_tensors_learn_what_arrays_learn(put: Put, loss: str) -> None:
    model = classifier(smoothing=A, loss=loss, ridge=0.01, tol=1e-4)
    here, there = clone(model).fit(X, Y), clone(model).fit(put(X), put(Y))
    scores = there.decision_function(put(NEW))
    assert type(scores) is type(put(X))
    laws.assert_close(scores, here.decision_function(NEW), rtol=1e-6, atol=1e-7)
    laws.assert_close(there.transduction_, here.transduction_)


def test_single_precision_is_near_double(put: Put) -> None:
    here, there = classifier().fit(X, Y), classifier().fit(put(X.astype(np.float32)), Y)
    scores = there.decision_function(put(NEW.astype(np.float32)))
    assert to_numpy(scores).dtype == np.float32
    laws.assert_close(scores, here.decision_function(NEW), rtol=0, atol=2e-2)


def test_labels_that_are_partly_known_are_fits_of_each_column() -> None:
    _, labels = indicators()
    weight = np.random.default_rng(3).uniform(0.5, 2.0, size=labels.shape)
    together = classifier(smoothing=A).fit(X, labels, sample_weight=weight)
    for k in range(3):
        column = np.c_[labels[:, k], np.full(60, np.nan)]
        alone = classifier(smoothing=A).fit(X, column, sample_weight=np.repeat(weight[:, [k]], 2, axis=1))
        laws.assert_close(together.decision_function(NEW)[:, k], alone.decision_function(NEW)[:, 0], rtol=1e-6)


def test_weights_are_repetitions_as_far_as_the_graph_allows() -> None:
    S = KNNGraph(weights="self-tuned").build(X, 4)
    weight = np.where(KNOWN, 1.0, 0.0)
    weight[0] = 3.0
    weighted = classifier(smoothing=A, graph=S).fit(X, TRUTH, sample_weight=weight)
    # three labels on one node of the graph
    Phi = weighted.feature_map_.transform(X)
    rows = np.r_[np.flatnonzero(KNOWN), 0, 0]
    T = np.eye(3)[TRUTH[rows]]
    smooth = R @ Phi
    W, b = naive.ridge_with_intercept(smooth[rows], T, np.full(T.shape, 1 / len(T)), 1e-3 * np.eye(40))
    laws.assert_close(weighted.coef_, W.T, **NEAR)
    laws.assert_close(weighted.intercept_, b, **NEAR)


def test_a_tail_penalty_acts_on_the_smoothed_fit() -> None:
    _, numbers = curves()
    free, tied = (regressor(smoothing=A, spectral=s).fit(X, numbers) for s in (0.0, 0.5))
    assert tied.effective_rank_ < free.effective_rank_
    none = regressor(smoothing=A, spectral=0.5, free_rank=2).fit(X, numbers)
    laws.assert_close(none.predict(NEW), free.predict(NEW), rtol=1e-7)


def test_sparse_rows_learn_what_dense_ones_learn() -> None:
    holed, new = (np.where(np.abs(rows) > 0.3, rows, 0.0) for rows in (X, NEW))
    for features in ("linear", RandomFourier(20, width=1.0, random_state=0)):
        dense = classifier(features=features).fit(holed, Y)
        sparse = classifier(features=features).fit(sp.csr_array(holed), Y)
        laws.assert_close(sparse.decision_function(sp.csr_array(new)), dense.decision_function(new), rtol=1e-6)
        np.testing.assert_array_equal(sparse.transduction_, dense.transduction_)


def test_unlabelled_rows_may_come_apart() -> None:
    together = classifier().fit(np.r_[X[KNOWN], X[~KNOWN]], np.r_[Y[KNOWN], Y[~KNOWN]])
    apart = classifier().fit(X[KNOWN], Y[KNOWN], X_unlabeled=X[~KNOWN])
    laws.assert_close(apart.decision_function(NEW), together.decision_function(NEW))
    np.testing.assert_array_equal(apart.transduction_, together.transduction_)
    assert apart.transduction_.shape == (60,)


@pytest.mark.parametrize("loss", ["squared", "hinge"])
def test_clones_and_pickles_predict_the_same(loss: str) -> None:
    model = classifier(loss=loss, ridge=0.01, tol=1e-3).fit(X, Y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(NEW), model.predict_proba(NEW))
    np.testing.assert_array_equal(clone(model).fit(X, Y).predict_proba(NEW), model.predict_proba(NEW))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(copy)).predict_proba(NEW), model.predict_proba(NEW))


def test_a_fitted_model_does_not_hear_of_new_parameters() -> None:
    model = classifier().fit(X, Y)
    expected = model.decision_function(NEW)
    np.testing.assert_array_equal(model.set_params(smoothing=0.1).decision_function(NEW), expected)


# ------------------------------------------------------------------------------------------------------------ graphs


def test_the_graph_has_self_tuned_weights_only_where_features_are_smoothed() -> None:
    for a, weights in ((A, "self-tuned"), (0.0, "binary")):
        auto = classifier(smoothing=a, manifold=0.5).fit(X, Y)
        named = classifier(smoothing=a, manifold=0.5, graph=KNNGraph(weights=weights)).fit(X, Y)
        laws.assert_close(named.coef_, auto.coef_)


def test_a_graph_of_features_serves_new_rows_too() -> None:
    phi = RandomFourier(30, width=0.3, random_state=0)
    model = classifier(features=phi, smoothing=A, graph=KNNGraph(on="features")).fit(X, Y)
    Phi, new = (model.feature_map_.transform(rows) for rows in (X, NEW))
    near = naive.smoother(naive.adjacency(Phi, 4), A) @ Phi @ model.coef_.T
    nearest = NearestNeighbors(n_neighbors=4).fit(Phi).kneighbors_graph(new).toarray() / 4
    expected = (1 - A) * new @ model.coef_.T + A * nearest @ near + model.intercept_
    laws.assert_close(model.decision_function(NEW), expected, **NEAR)
    assert np.abs(classifier(features=phi, smoothing=A).fit(X, Y).decision_function(NEW) - expected).max() > 1e-3


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, lambda S: NeighborGraph(sp.csr_array(S))])
def test_a_graph_given_as_a_matrix_answers_for_the_training_rows(form: Any) -> None:
    S = naive.self_tuned_weights(X, 4)
    model = classifier(smoothing=A, graph=form(S)).fit(X, Y)
    expected = classifier(smoothing=A).fit(X, Y)
    laws.assert_close(model.coef_, expected.coef_, **NEAR)
    np.testing.assert_array_equal(model.transduction_, expected.transduction_)
    for ask in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(
            ValueError, match=r"New rows have no neighbours in a graph that was given as a matrix. Pass"
        ):
            ask(NEW)


def test_a_graph_built_before_serves_several_estimators() -> None:
    graph = KNNGraph(weights="self-tuned").fit(X, 4)
    for model, targets in [(classifier(), Y), (regressor(), np.where(KNOWN, X[:, 0], np.nan))]:
        expected = clone(model).fit(X, targets).predict(NEW)
        laws.assert_close(clone(model).set_params(graph=graph, n_neighbors=1).fit(X, targets).predict(NEW), expected)


def test_a_search_of_the_callers_serves_several_estimators() -> None:
    search = NearestNeighbors(n_neighbors=4)
    first = LSVVClassifier(graph=search, smoothing=A, features="linear").fit(X, Y)
    expected = first.decision_function(NEW)
    LSVVClassifier(graph=search, smoothing=A, features="linear").fit(X[:30] + 5.0, TRUTH[:30])
    np.testing.assert_array_equal(first.decision_function(NEW), expected)
    laws.assert_close(
        LSVVClassifier(smoothing=A, features="linear", n_neighbors=4).fit(X, Y).decision_function(NEW), expected
    )


def test_rows_that_nobody_knows_keep_their_features() -> None:
    S = naive.self_tuned_weights(X, 4)
    S[50:] = S[:, 50:] = 0.0
    model = regressor(smoothing=A, graph=S).fit(X, np.where(KNOWN, X[:, 0], np.nan))
    plain = model.feature_map_.transform(X) @ model.coef_.T + model.intercept_
    unknown = np.flatnonzero(~KNOWN)
    laws.assert_close(model.transduction_[unknown[unknown >= 50]], plain[unknown[unknown >= 50], 0], **NEAR)


# --------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "features", ["linear", RandomFourier(40, width=1.0, random_state=0)], ids=["linear", "fourier"]
)
@pytest.mark.parametrize("weights", ["binary", "heat", "self-tuned"])
def test_a_row_far_from_all_others_has_a_finite_answer(features: Any, weights: str) -> None:
    far = np.array([[1e6, -1e6], [1e12, 0.0], [-1e30, 1e30]])
    model = classifier(features=features, graph=KNNGraph(weights=weights)).fit(X, Y)
    probabilities = model.predict_proba(far)
    assert np.isfinite(probabilities).all()
    laws.assert_close(probabilities.sum(axis=1), np.ones(3))


def test_a_training_row_far_from_all_others_leaves_them_alone(put: Put) -> None:
    for dtype in (np.float64, np.float32):
        rows = np.r_[X, [[300.0, 0.0]]].astype(dtype)
        model = classifier().fit(put(rows), np.r_[Y, -1])
        assert np.isfinite(to_numpy(model.decision_function(put(rows)))).all()
        assert np.mean(to_numpy(model.transduction_)[:60] == TRUTH) > 0.9


def test_one_labelled_row_gives_its_number_to_all() -> None:
    y = np.full(60, np.nan)
    y[7] = 3.5
    model = regressor().fit(X, y)
    laws.assert_close(model.transduction_, np.full(60, 3.5))
    laws.assert_close(model.predict(NEW), np.full(15, 3.5))


def test_one_labelled_row_a_class_and_every_row_labelled() -> None:
    y = np.full(60, -1)
    y[:3] = TRUTH[:3]
    for loss in LOSSES:
        few = classifier(loss=loss, ridge=0.01, tol=1e-2).fit(X, y)
        assert np.mean(few.transduction_ == TRUTH) > 0.8
    every = classifier().fit(X, TRUTH)
    np.testing.assert_array_equal(every.transduction_, TRUTH)
    assert every.score(X, TRUTH) > 0.9
    assert "All 60 rows are labelled" in every.notes_[0]
    np.testing.assert_array_equal(classifier(smoothing=A).fit(X, TRUTH).transduction_, TRUTH)


def test_too_much_smoothing_warns_and_answers() -> None:
    with pytest.warns(ConvergenceWarning, match=r"smoothing=0.99999999 was stopped after 1000 products"):
        model = classifier(smoothing=0.99999999).fit(X, Y)
    assert np.isfinite(model.predict_proba(NEW)).all()


def test_as_it_comes_smoothing_reaches_the_farther_the_rarer_labels_are() -> None:
    for y, share in ((Y, KNOWN.mean()), (np.where(np.arange(60) < 3, TRUTH, -1), 0.05), (TRUTH, 1.0)):
        model = classifier().fit(X, y)
        assert model.smoothing_ == pytest.approx(1.0 - share ** (2 / 3))
        given = classifier(smoothing=model.smoothing_).fit(X, y)
        laws.assert_close(model.decision_function(NEW), given.decision_function(NEW))
    assert model.graph_ is None
    _, numbers = curves()
    known = (~np.isnan(numbers)).any(axis=1)
    more = regressor().fit(X, numbers, X_unlabeled=NEW)
    assert more.smoothing_ == pytest.approx(1.0 - (known.sum() / 75) ** (2 / 3))


@pytest.mark.parametrize("smoothing", [0, 0.5, np.float32(0.5), np.float64(0.25)])
def test_any_number_below_one_is_a_smoothing(smoothing: Any) -> None:
    expected = classifier(smoothing=float(smoothing)).fit(X, Y).decision_function(NEW)
    laws.assert_close(classifier(smoothing=smoothing).fit(X, Y).decision_function(NEW), expected)
