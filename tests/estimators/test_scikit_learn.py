"""scikit-learn's own checks, cloning, pickling, pipelines, names."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomTreesEmbedding
from sklearn.kernel_approximation import RBFSampler
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import laws
from lsvv import LSVVClassifier, LSVVRegressor
from lsvv.features import RandomFourier
from models import PAPER, SUPERVISED, blobs, classifier, curves, regressor, some_labels

MINUS_ONE = {"check_classifiers_classes": "uses -1 as a class, which means unlabelled here"}
GRAPH = {
    f"check_sample_weight_equivalence_on_{kind}_data": "a repeated row is one more node of the graph, a weight is not"
    for kind in ("dense", "sparse")
}


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_the_supervised_classifier_fails_only_where_minus_one_is_a_class(loss: str) -> None:
    model = LSVVClassifier(features=RandomFourier(100), loss=loss, ridge=1e-2, tol=1e-5, **SUPERVISED)
    laws.assert_fails_only(model, MINUS_ONE)


def test_the_classifier_fails_only_where_minus_one_and_the_graph_contradict_a_check() -> None:
    laws.assert_fails_only(LSVVClassifier(features=RandomFourier(100)), MINUS_ONE | GRAPH)


def test_the_supervised_regressor_passes_every_check() -> None:
    laws.assert_fails_only(LSVVRegressor(features=RandomFourier(100), **SUPERVISED), {})


def test_the_regressor_as_it_comes_fails_only_where_the_graph_contradicts_a_check() -> None:
    laws.assert_fails_only(LSVVRegressor(), GRAPH)


@pytest.mark.parametrize("kind", [LSVVClassifier, LSVVRegressor])
def test_parameters_are_keyword_only_and_stored_as_given(kind: Any) -> None:
    with pytest.raises(TypeError, match="positional"):
        kind("linear")
    features = RandomFourier(7)
    assert kind(features=features).features is features
    expected = {
        "features", "ridge", "smoothing", "manifold", "spectral", "free_rank", "spectral_rule", "n_neighbors",
        "laplacian", "power", "graph", "solver", "fit_intercept", "tol", "max_iter", "n_jobs", "device", "random_state",
        "verbose",
    }  # fmt: skip
    assert set(kind().get_params()) == expected | ({"loss", "class_weight"} if kind is LSVVClassifier else set())


def test_a_clone_learns_the_same() -> None:
    X, truth = blobs()
    model = classifier().fit(X, some_labels(truth))
    np.testing.assert_array_equal(clone(model).fit(X, some_labels(truth)).coef_, model.coef_)


@pytest.mark.parametrize("loss", ["squared", "hinge"])
def test_a_pickle_predicts_the_same(loss: str) -> None:
    X, truth = blobs()
    model = classifier(loss=loss, tol=1e-3).fit(X, some_labels(truth))
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    Xr, Yr = curves()
    numbers = regressor().fit(Xr, Yr)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(numbers)).predict(Xr), numbers.predict(Xr))


def test_names_of_columns_are_learnt_and_compared() -> None:
    X, truth = blobs()
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = classifier().fit(frame, some_labels(truth))
    assert list(model.feature_names_in_) == ["a", "b"]
    assert model.n_features_in_ == 2
    np.testing.assert_array_equal(model.predict(frame), classifier().fit(X, some_labels(truth)).predict(X))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"a": "z"}))


def test_in_a_pipeline_unlabelled_rows_are_marked_in_y() -> None:
    X, truth = blobs()
    y = some_labels(truth)
    piped = make_pipeline(StandardScaler(), classifier()).fit(X, y)
    alone = classifier().fit(StandardScaler().fit_transform(X), y)
    np.testing.assert_array_equal(piped.predict(X), alone.predict(StandardScaler().fit(X).transform(X)))
    assert piped.score(X, truth) > 0.9


def test_cross_validation_and_grid_search_run() -> None:
    X, truth = blobs()
    assert cross_val_score(classifier(), X, truth, cv=3).mean() > 0.8
    search = GridSearchCV(classifier(), {"ridge": [1e-4, 1e-2], "features__n_components": [10, 30]}, cv=3).fit(X, truth)
    assert search.best_score_ > 0.8


@pytest.mark.parametrize(
    "transformer",
    [RBFSampler(n_components=30, random_state=0), PolynomialFeatures(2), StandardScaler()],
    ids=lambda t: type(t).__name__,
)
@pytest.mark.parametrize("terms", [SUPERVISED, PAPER], ids=str)
def test_any_transformer_is_a_map(transformer: Any, terms: dict[str, Any]) -> None:
    X, truth = blobs()
    y = some_labels(truth)
    model = classifier(features=transformer, **terms).fit(X, y)
    assert model.score(X, truth) > 0.8
    assert classifier(features=transformer).fit(X, y).score(X, truth) > 0.8
    fitted = clone(transformer).fit(X if terms["manifold"] else X[y != -1])
    assert model.coef_.shape == (3, fitted.transform(X).shape[1])
    np.testing.assert_allclose(model.decision_function(X), fitted.transform(X) @ model.coef_.T + model.intercept_)


def test_a_transformer_that_gives_frames_is_a_map() -> None:
    X, truth = blobs()
    framed = PolynomialFeatures(2).set_output(transform="pandas")
    plain = classifier(features=PolynomialFeatures(2)).fit(X, some_labels(truth))
    np.testing.assert_allclose(classifier(features=framed).fit(X, some_labels(truth)).coef_, plain.coef_)


def test_a_transformer_that_gives_sparse_rows_is_a_map() -> None:
    X, truth = blobs()
    model = classifier(features=RandomTreesEmbedding(10, max_depth=3, random_state=0)).fit(X, some_labels(truth))
    assert model.score(X, truth) > 0.8
    assert isinstance(model.coef_, np.ndarray)


@pytest.mark.parametrize("name", ["linear", "fourier", "nystroem", "sketch"])
def test_maps_by_name(name: str) -> None:
    X, truth = blobs(30)
    model = LSVVClassifier(features=name, random_state=0).fit(X, some_labels(truth))
    assert model.score(X, truth) > 0.8


def test_a_seed_fixes_everything() -> None:
    X, truth = blobs()
    y = some_labels(truth)
    first, again, other = (
        LSVVClassifier(features=RandomFourier(20), random_state=seed).fit(X, y).coef_ for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-3
    drawn = [
        LSVVClassifier(features=RandomFourier(20), random_state=np.random.RandomState(3)).fit(X, y).coef_ for _ in "ab"
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])
