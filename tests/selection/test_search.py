"""The CV estimators: agreement with the core, masks, the guard, what they keep, sentences."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_moons, make_multilabel_classification
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import QuantileTransformer

import laws
from laws import Put, assert_fails_only
from lsvv import LSVVClassifier, LSVVClassifierCV, LSVVRegressor, LSVVRegressorCV
from lsvv.features import Linear, Nystroem, RandomFourier
from lsvv.graph import KNNGraph
from lsvv.selection import run as run_module
from models import blobs, some_labels

SMALL: dict[str, Any] = {
    "features": RandomFourier(20, width=0.5, random_state=0),
    "ridge": (1e-4, 1e-2),
    "smoothing": (0.0, 0.9),
    "random_state": 0,
}


def iris(step: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, truth = load_iris(return_X_y=True)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    y = np.full(150, -1)
    y[::step] = truth[::step]
    return X, y, truth


def apart(X: np.ndarray) -> np.ndarray:
    """The rows a little off the grid they were measured on, so that no two neighbours are equally near."""
    return np.asarray(X + np.random.default_rng(0).normal(scale=1e-3, size=X.shape))


# ------------------------------------------------------------------------------------------- what the average is


def test_the_average_beats_guessing_and_names_its_parts() -> None:
    X, y, truth = iris()
    model = LSVVClassifierCV(features=[RandomFourier(30), Linear()], n_draws=2, random_state=0).fit(X, y)
    assert model.score(X, truth) > 0.85
    np.testing.assert_allclose(model.shares_.sum(axis=0), 1.0)
    assert len(model.shares_) == len(model.plan_)
    assert model.guard_ is not None
    assert model.guard_.sentence in model.notes_
    assert model.best_params_["ridge"] in model.cv_results_["param_ridge"]
    assert len(model.cv_results_["params"]) == len(model.loo_)
    assert model.cv_results_["rank_test_score"][model.best_index_] == 1


def test_probabilities_sum_to_one_and_agree_with_predictions() -> None:
    X, y, _ = iris()
    model = LSVVClassifierCV(**SMALL).fit(X, y)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert np.array_equal(model.classes_[np.argmax(P, axis=1)], model.predict(X))
    known = y != -1
    assert np.array_equal(model.transduction_[known], y[known])


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("smoothing", [0.0, 0.9])
def test_one_setting_is_the_core_at_that_setting_to_the_last_bit(loss: str, smoothing: float) -> None:
    X, y, _ = iris()
    setting = {**SMALL, "ridge": 1e-2, "smoothing": smoothing, "loss": loss, "manifold": 0.5}
    model = LSVVClassifierCV(**setting).fit(X, y)
    core = LSVVClassifier(**{**setting, "random_state": None}).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), core.predict_proba(X))
    np.testing.assert_array_equal(model.transduction_, core.transduction_)


def test_one_setting_of_the_regressor_with_a_tail_is_the_core() -> None:
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 3)), rng.normal(size=(40, 4))
    Y[20:] = np.nan
    setting: dict[str, Any] = {"features": Linear(), "ridge": 1e-2, "smoothing": 0.5, "spectral": 0.1, "free_rank": 1}
    model = LSVVRegressorCV(**setting).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), LSVVRegressor(**setting).fit(X, Y).predict(X))
    low, high = model.predict_interval(X)
    assert (low < model.predict(X)).all()
    assert (model.predict(X) < high).all()


def test_the_average_of_settings_is_the_average_of_cores() -> None:
    X, y, _ = iris()
    model = LSVVClassifierCV(**{**SMALL, "loss": "squared", "ridge": 1e-2, "safe": False}).fit(X, y)
    total = np.zeros((150, 3))
    for line, share in zip(model.plan_, model.shares_[:, 0], strict=True):
        core = model.core({"features": SMALL["features"], "ridge": 1e-2, "smoothing": line.smoothing}).fit(X, y)
        total += share * core._scores(X)
    np.testing.assert_allclose(model._scores(X), total, atol=1e-8)


def test_training_rows_get_the_smoothed_scores() -> None:
    X, y, _ = iris()
    settings = {**SMALL, "loss": "squared", "ridge": 1e-2, "smoothing": (0.5, 0.9), "safe": False}
    model = LSVVClassifierCV(**settings).fit(X, y)
    scores = np.zeros((150, 3))
    for line, share in zip(model.plan_, model.shares_[:, 0], strict=True):
        core = model.core({"features": SMALL["features"], "ridge": 1e-2, "smoothing": line.smoothing}).fit(X, y)
        scores += share * (core.smoothed_scores_ + core.intercept_)
    unknown = y == -1
    assert np.array_equal(model.transduction_[unknown], np.argmax(scores, axis=1)[unknown])


def test_best_refits_the_core_estimator() -> None:
    X, y, truth = iris()
    model = LSVVClassifierCV(**{**SMALL, "loss": "squared"}, selection="best").fit(X, y)
    best: Any = model.best_estimator_
    assert best.ridge == model.best_params_["ridge"]
    np.testing.assert_array_equal(model.predict(X), best.predict(X))
    np.testing.assert_allclose(model.predict_proba(X), best.predict_proba(X))
    assert model.score(X, truth) > 0.8


def test_best_takes_named_columns_without_a_warning() -> None:
    pd = pytest.importorskip("pandas")
    X, y, _ = iris()
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = LSVVClassifierCV(**SMALL, selection="best").fit(frame, y)
    np.testing.assert_array_equal(model.predict(frame), model.predict_proba(frame).argmax(axis=1))


def test_best_hands_every_choice_to_the_core() -> None:
    X, y, _ = iris()
    chosen: dict[str, Any] = {"n_neighbors": 4, "laplacian": "plain", "fit_intercept": False, "spectral": (0.0, 0.05)}
    model = LSVVClassifierCV(**{**SMALL, "loss": "squared", **chosen}, selection="best").fit(X, y)
    core: Any = model.best_estimator_
    assert (core.n_neighbors, core.laplacian, core.fit_intercept) == (4, "plain", False)
    names = ("ridge", "smoothing", "manifold", "power", "spectral", "free_rank")
    assert {name: getattr(core, name) for name in names} == {name: model.best_params_[name] for name in names}


def test_the_methods_of_the_paper_are_settings_of_the_search() -> None:
    X, y, _ = iris()
    small = {"features": RandomFourier(20), "ridge": (1e-3, 1e-1), "loss": "squared", "random_state": 0}
    for name, terms in {"SRM-VV": (0, 0), "LRC-VV": (0, 1), "SS-VV": (1, 0), "LSVV": (1, 1)}.items():
        model = LSVVClassifierCV.method(name, **small).fit(X, y)
        found = (any(line.manifold > 0 for line in model.plan_), any(line.spectral > 0 for line in model.plan_))
        assert found == tuple(map(bool, terms))
        assert not any(line.smoothing for line in model.plan_)
        assert list(model.kinds_) == ["maps"]
    assert LSVVRegressorCV.method("LSVV").target_scale == "as is"
    with pytest.raises(ValueError, match="There is no method 'SVM'"):
        LSVVClassifierCV.method("SVM")


# ----------------------------------------------------------------------------------- labels, numbers, masks, weights


def test_masked_labels_are_the_columns_alone() -> None:
    X, Y = make_multilabel_classification(80, 6, n_classes=3, random_state=0)
    Y = Y.astype(float)
    rng = np.random.default_rng(0)
    Y[rng.random(Y.shape) < 0.5] = np.nan
    settings = {**SMALL, "loss": "squared", "safe": False, "per_output": True}
    together, two = (LSVVClassifierCV(**settings).fit(X, part) for part in (Y, Y[:, [0, 1]]))
    np.testing.assert_allclose(together.shares_[:, :2], two.shares_, atol=1e-6)
    assert together.predict(X).shape == Y.shape


def shrunken_labels(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Two rare labels that a line can only hint at: its scores stay low where most rows have the label."""
    X = np.random.default_rng(0).normal(size=(n, 2))
    return X, (X > 1.0).astype(np.float64)


LINE: dict[str, Any] = {**SMALL, "features": Linear(), "loss": "squared", "smoothing": 0.0}


def test_a_label_is_given_where_it_is_as_likely_as_not() -> None:
    X, Y = shrunken_labels()
    model = LSVVClassifierCV(**LINE).fit(X[:200], Y[:200])
    at_half = (np.asarray(model._scores(X[200:])) > 0.5).astype(np.float64)
    given = model.predict(X[200:])
    assert np.mean(given != Y[200:]) < 0.8 * np.mean(at_half != Y[200:])
    assert any(sentence.startswith("A label is given from an expectation of 0.") for sentence in model.notes_)


def test_labels_given_are_those_more_likely_than_not() -> None:
    X, Y = shrunken_labels()
    Y[100:] = np.nan
    model = LSVVClassifierCV(**LINE).fit(X, Y)
    given = model.predict(X)
    assert np.array_equal(given, model.predict_proba(X) > 0.5)
    assert np.array_equal(given, model.decision_function(X) > 0.0)
    assert np.array_equal(given[100:], model.transduction_[100:])


def test_regression_with_missing_entries() -> None:
    X = np.random.default_rng(0).uniform(-2, 2, size=(120, 1))
    Y = np.hstack([np.sin(X), 100 + 10 * X])
    masked = Y.copy()
    masked[20:, 0] = np.nan
    masked[:60, 1] = np.nan
    model = LSVVRegressorCV(features=RandomFourier(40), random_state=0).fit(X, masked)
    assert model.score(X, Y) > 0.95
    np.testing.assert_array_equal(model.transduction_[:20, 0], masked[:20, 0])
    assert model.loo_predictions_.shape == (len(model.labeled_), 2)
    assert np.abs(model.loo_predictions_[-20:, 1] - masked[-20:, 1]).max() < 5.0


def test_without_smoothing_unlabelled_rows_change_only_the_map() -> None:
    X, y, _ = iris()
    fixed = {**SMALL, "smoothing": 0.0}
    everything = LSVVClassifierCV(**fixed).fit(X, y)
    labelled = LSVVClassifierCV(**fixed).fit(X[y != -1], y[y != -1])
    np.testing.assert_allclose(everything.predict_proba(X), labelled.predict_proba(X), atol=1e-8)
    assert everything.guard_ is None
    assert everything.graphs_ == {}


def test_the_scale_and_the_place_of_columns_do_not_matter_to_the_ridge() -> None:
    X, y, _ = iris()
    settings: dict[str, Any] = {"features": [Linear(), Nystroem(30, random_state=0)], "random_state": 0}
    here = LSVVClassifierCV(**settings).fit(X, y)
    for there in (1e6 * X, 1e-6 * X, X + 100.0):
        moved = LSVVClassifierCV(**settings).fit(there, y)
        # rows at equal distances may change places among the neighbours
        np.testing.assert_allclose(moved.predict_proba(there), here.predict_proba(X), atol=1e-3)


# --------------------------------------------------------------------------------------------- smoothing and graphs


def test_unlabelled_rows_show_the_moons_that_few_labels_do_not() -> None:
    X, truth = make_moons(400, noise=0.07, random_state=4)
    y = np.full(400, -1)
    y[:12] = truth[:12]
    model = LSVVClassifierCV(random_state=0).fit(X, y)
    supervised = LSVVClassifierCV(smoothing=0.0, random_state=0).fit(X, y)
    assert model.score(X, truth) > 0.99 > 0.97 > supervised.score(X, truth)
    assert model.guard_ is not None
    assert model.guard_.share > 0.9


def test_a_graph_on_features_is_one_of_each_map() -> None:
    X, y, truth = iris()
    maps = [RandomFourier(20, width=w, random_state=0) for w in (0.5, 5.0)]
    model = LSVVClassifierCV(**{**SMALL, "features": maps, "graph": KNNGraph(on="features")}).fit(X, y)
    assert len(model.graphs_) == 2
    assert (model.graphs_[0].S != model.graphs_[1].S).nnz > 0
    assert model.score(X, truth) > 0.8


def test_a_ready_graph_serves_and_a_matrix_answers_for_the_training_rows_alone() -> None:
    X, y, _ = iris()
    ready = KNNGraph(weights="self-tuned").fit(X, 7)
    built = LSVVClassifierCV(**SMALL).fit(X, y)
    given = LSVVClassifierCV(**SMALL, graph=ready).fit(X, y)
    np.testing.assert_allclose(given.predict_proba(X), built.predict_proba(X))
    matrix = LSVVClassifierCV(**SMALL, graph=ready.S).fit(X, y)
    assert np.array_equal(matrix.transduction_, built.transduction_)
    with pytest.raises(ValueError, match="New rows have no neighbours in a graph that was given as a matrix"):
        matrix.predict(X)


def test_sparse_rows_are_searched_like_dense_ones() -> None:
    X, y, _ = iris()
    settings = {**SMALL, "features": Linear()}
    dense, sparse = (LSVVClassifierCV(**settings).fit(kind, y).predict_proba(kind) for kind in (X, sp.csr_array(X)))
    np.testing.assert_allclose(sparse, dense, atol=1e-7)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"features": Linear(), "manifold": [0.0, 0.1], "power": [1, 2], "smoothing": 0.0},
        {"features": RandomFourier(40, width=1.0, random_state=0), "spectral": "auto", "loss": "squared"},
        {"features": [Linear(), RandomFourier(40, width=1.0, random_state=0)], "selection": "best"},
    ],
    ids=["auto", "manifold", "tails", "best"],
)
def test_tensors_are_searched_like_arrays(put: Put, settings: dict[str, Any]) -> None:
    X, y, truth = iris()
    X = apart(X)
    here = LSVVClassifierCV(**settings, random_state=0).fit(X, y)
    there = LSVVClassifierCV(**settings, random_state=0).fit(put(X), put(y))
    # shares come from a minimiser that stops a little before its end
    laws.assert_close(there.shares_, here.shares_, atol=1e-3)
    proba = there.predict_proba(put(X))
    assert type(proba) is type(there.transduction_) is type(put(X))
    laws.assert_close(proba, here.predict_proba(X), atol=1e-3)
    laws.assert_close(there.transduction_, here.transduction_)
    assert there.score(put(X), put(truth)) == here.score(X, truth)


def test_tensors_of_numbers_are_searched_like_arrays(put: Put) -> None:
    X = apart(iris()[0])
    Y = np.where(np.arange(150)[:, None] % 5 < [1, 2], X[:, 2:], np.nan)
    here = LSVVRegressorCV(random_state=0).fit(X[:, :2], Y)
    there = LSVVRegressorCV(random_state=0).fit(put(X[:, :2]), put(Y))
    laws.assert_close(there.predict(put(X[:, :2])), here.predict(X[:, :2]), atol=1e-3)
    for here_end, there_end in zip(here.predict_interval(X[:, :2]), there.predict_interval(put(X[:, :2])), strict=True):
        laws.assert_close(there_end, here_end, atol=1e-3)


def test_any_transformer_is_a_map() -> None:
    X, y, truth = iris()
    ranks = QuantileTransformer(n_quantiles=20, random_state=0)
    assert LSVVClassifierCV(features=[ranks, "linear"], random_state=0).fit(X, y).score(X, truth) > 0.85


def test_rows_in_another_order_give_the_same_model() -> None:
    X, y, _ = iris(step=3)
    settings: dict[str, Any] = {"features": RandomFourier(30, width=0.5, random_state=0), "safe": False}
    order = np.random.default_rng(1).permutation(150)
    here = LSVVClassifierCV(**settings).fit(X, y)
    there = LSVVClassifierCV(**settings).fit(X[order], y[order])
    np.testing.assert_allclose(there.shares_, here.shares_, atol=1e-3)
    np.testing.assert_allclose(there._scores(X), here._scores(X), atol=1e-3)


# -------------------------------------------------------------------------------------------- what is kept, and cost


def test_only_what_predict_needs_is_kept() -> None:
    X, y, _ = iris(step=10)
    model = LSVVClassifierCV(random_state=0).fit(X, y)
    assert len(pickle.dumps(model)) < 1e6
    assert set(model.maps_) == {number for part in model.parts_ for number in part.weights}
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


def test_left_out_probabilities_are_public_and_agree_with_the_labels() -> None:
    X, y, _ = iris(step=3)
    model = LSVVClassifierCV(**SMALL).fit(X, y)
    assert np.array_equal(model.labeled_, np.flatnonzero(y >= 0))
    np.testing.assert_allclose(model.loo_proba_.sum(axis=1), 1.0)
    assert np.array_equal(model.classes_[model.loo_proba_.argmax(axis=1)], model.loo_predictions_)
    assert np.mean(model.loo_predictions_ == y[model.labeled_]) > 0.8


def test_what_takes_too_long_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = iris()
    monkeypatch.setattr(run_module, "BUDGET", 1e4)
    model = LSVVClassifierCV(**SMALL).fit(X, y)
    assert len(model.plan_) == 1
    assert any("candidates were left out, since they would take too long on 150 rows" in n for n in model.notes_)


def test_very_many_labels_are_chosen_on_a_part_and_fitted_on_all(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _, truth = iris()
    monkeypatch.setattr(run_module, "MOST_ENTRIES", 20 * 60)
    model = LSVVClassifierCV(**{**SMALL, "loss": "squared"}).fit(X, truth)
    assert model.labeled_.size == 60
    assert model.best_estimator_ is not None
    assert model.score(X, truth) > 0.9


def test_float32_stays_and_clone_works() -> None:
    X, y, _ = iris()
    model = clone(LSVVClassifierCV(**SMALL)).fit(X.astype(np.float32), y)
    assert model.decision_function(X.astype(np.float32)).dtype == np.float32


def test_a_class_with_one_label_and_two_labels_in_all_are_handled() -> None:
    X, _, truth = iris()
    y = np.full(150, -1)
    y[[0, 149]] = truth[[0, 149]]
    model = LSVVClassifierCV(**SMALL).fit(X, y)
    assert set(model.predict(X)) <= {0, 2}
    assert np.all(np.isfinite(model.predict_proba(X)))


def test_digits_with_thirty_labels_are_read_as_well_as_by_the_plain_default() -> None:
    X, truth = load_digits(return_X_y=True)
    y = np.full(truth.size, -1)
    y[:30] = truth[:30]
    maps = [RandomFourier(500, width="0.5 median"), Nystroem(300, kernel="laplacian", width="4 median")]
    found = LSVVClassifierCV(features=maps, random_state=0).fit(X, y).transduction_
    plain = LSVVClassifier(random_state=0).fit(X, y).transduction_
    assert np.mean(found == truth) > np.mean(plain == truth) - 0.02


# ---------------------------------------------------------------------------------------------------------- sentences


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"ridge": ()}, r"ridge=\(\) is empty. Pass a value or several"),
        ({"ridge": (0.0, 1.0)}, "Leave-one-out needs ridge > 0"),
        ({"selection": "vote"}, "selection='vote' is out of range. Pass 'average' or 'best'"),
        ({"loss": "hinge"}, "Choose 'smooth_hinge'"),
        ({"loss": "huber"}, "loss='huber' is not known"),
        ({"n_draws": 0}, "n_draws=0 is out of range"),
    ],
)
def test_sentences_of_the_search(params: dict[str, Any], sentence: str) -> None:
    X, y, _ = iris()
    with pytest.raises(ValueError, match=sentence):
        LSVVClassifierCV(**{**SMALL, **params}).fit(X, y)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ridge", -1.0),
        ("ridge", "much"),
        ("smoothing", 1.0),
        ("smoothing", -0.1),
        ("smoothing", float("nan")),
        ("smoothing", True),
        ("manifold", float("inf")),
        ("manifold", 10**400),
        ("power", 3),
        ("spectral", None),
        ("free_rank", 1.5),
        ("free_rank", -1),
        ("free_rank", "all"),
        ("n_neighbors", 0),
        ("n_neighbors", None),
        ("n_neighbors", 2.5),
        ("laplacian", "cubic"),
        ("fit_intercept", "no"),
    ],
)
def test_core_and_search_refuse_a_value_with_the_same_sentence(name: str, value: Any) -> None:
    X, y, _ = iris()
    said = []
    for make in (LSVVClassifier, LSVVClassifierCV):
        with pytest.raises(ValueError, match=f"{name}=.* is out of range. Pass ") as caught:
            make(**{name: value}).fit(X, y)
        said.append(str(caught.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("value", ["no", 0, None])
def test_safe_is_true_or_false(value: Any) -> None:
    X, y, _ = iris()
    with pytest.raises(ValueError, match=r"safe=.* is out of range. Pass True or False"):
        LSVVClassifierCV(**SMALL, safe=value).fit(X, y)


@pytest.mark.parametrize("estimator", [LSVVClassifierCV(**SMALL), LSVVRegressorCV(**{**SMALL, "features": "linear"})])
def test_scikit_learn_checks(estimator: Any) -> None:
    expected = {
        "check_sample_weight_equivalence_on_dense_data": "leaving one of two equal rows out is not leaving both out",
        "check_sample_weight_equivalence_on_sparse_data": "leaving one of two equal rows out is not leaving both out",
    }
    if isinstance(estimator, LSVVClassifierCV):
        expected["check_classifiers_classes"] = "-1 means unlabelled"
    assert_fails_only(estimator, expected)


def test_the_best_setting_is_refitted_on_the_graph_of_the_search() -> None:
    X, y, _ = iris()
    grid: dict[str, Any] = {**SMALL, "manifold": (0.0, 1.0), "loss": "squared"}
    model = LSVVClassifierCV(**grid, selection="best").fit(X, y)
    core = model.core({**model.best_params_, "smoothing": 0.0, "manifold": 1.0}).fit(X, y)
    same = LSVVClassifier(
        **{**SMALL, "ridge": core.ridge, "smoothing": 0.0, "manifold": 1.0, "graph": KNNGraph(weights="self-tuned")}
    ).fit(X, y)
    np.testing.assert_allclose(core.coef_, same.coef_)


def test_settings_that_overflow_are_left_out_and_told() -> None:
    rows, truth = blobs()
    far, y = 1e20 * rows, some_labels(truth)
    settings: dict[str, Any] = {"features": "linear", "smoothing": 0.0, "loss": "logistic"}
    model = LSVVClassifierCV(manifold=[0.0, 1e299], **settings).fit(far, y)
    assert model.notes_ == ("1 setting was left out: numbers overflow.",)
    plain = LSVVClassifierCV(**settings).fit(far, y)
    np.testing.assert_allclose(model.predict_proba(far), plain.predict_proba(far), atol=0.01)
    with pytest.raises(ValueError, match=r"No setting could be computed: numbers overflow. Scale the columns of X"):
        LSVVClassifierCV(manifold=1e299, **settings).fit(far, y)
    tails = LSVVClassifierCV(features="linear", ridge=1e299, spectral=[0.0, 1.0]).fit(rows, y)
    assert "1 setting was left out: numbers overflow." in tails.notes_
    assert np.isfinite(tails.predict_proba(rows)).all()


def test_a_map_that_is_frozen_stays_as_it_is() -> None:
    X, y, _ = iris()
    fitted = RandomFourier(20, width=0.5, random_state=0).fit(X)
    settings = {**SMALL, "features": FrozenEstimator(fitted)}
    frozen, free = LSVVClassifierCV(**settings).fit(X, y), LSVVClassifierCV(**SMALL).fit(X, y)
    np.testing.assert_allclose(frozen.predict_proba(X), free.predict_proba(X), atol=1e-6)
