"""Bad input is handled, or refused with a sentence that says what to do; never a silent wrong model."""

from typing import Any, cast

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import torch
from sklearn.exceptions import DataConversionWarning

import laws
from laws import Put
from lsvv import LSVVClassifier, LSVVClassifierCV, LSVVRegressor
from lsvv.features import RandomFourier, Trees
from lsvv.graph import KNNGraph
from models import GRAPHS, PAPER, SMOOTHED, SUPERVISED, blobs, classifier, curves, indicators, regressor, some_labels

X, TRUTH = blobs()
Y = some_labels(TRUTH)
BOTH = pytest.mark.parametrize("kind", [LSVVClassifier, LSVVRegressor])


def small(kind: Any, **settings: Any) -> Any:
    return classifier(**settings) if kind is LSVVClassifier else regressor(**settings)


# ---------------------------------------------------------------------------------------------------------- targets


def test_no_labels_at_all() -> None:
    with pytest.raises(ValueError, match=r"No row is labelled: every y is missing .* Label some rows"):
        classifier().fit(X, np.full(60, -1))
    with pytest.raises(ValueError, match="No row is labelled"):
        classifier().fit(X, np.full((60, 3), np.nan))
    with pytest.raises(ValueError, match="No row is labelled"):
        regressor().fit(X, np.full(60, np.nan))


def test_one_class_only() -> None:
    with pytest.raises(ValueError, match=r"All labelled rows are of one class, .*: label a row of another class"):
        classifier().fit(X, np.where(Y == 1, 5, -1))
    with pytest.raises(ValueError, match="All labelled rows are of one class, 'a'"):
        classifier().fit(X, ["a"] + [None] * 59)


def test_plus_and_minus_one_are_refused() -> None:
    with pytest.raises(ValueError, match=r"y holds only -1 and \+1, and -1 means unlabelled here. If -1 is a class"):
        classifier().fit(X, np.where(TRUTH == 0, 1, -1))
    with pytest.raises(ValueError, match="y is floating and holds -1"):
        classifier().fit(X, np.where(TRUTH == 0, 1.0, -1.0))


@pytest.mark.parametrize("bad", [2.0, -1.0, 0.5])
def test_an_indicator_that_is_none(bad: float) -> None:
    rows, labels = indicators()
    labels[3, 1] = bad
    with pytest.raises(ValueError, match=f"Y holds {bad:g} at row 3, column 1. A 2-d Y for the classifier is an"):
        classifier().fit(rows, labels)


def test_numbers_for_the_classifier_and_words_for_the_regressor() -> None:
    with pytest.raises(ValueError, match=r"Unknown label type: continuous.*use LSVVRegressor for numbers"):
        classifier().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="y holds entries that are not numbers"):
        regressor().fit(X, ["a"] * 60)


def test_a_column_of_numbers_without_a_known_entry() -> None:
    rows, numbers = curves()
    numbers[:, 1] = np.nan
    with pytest.raises(ValueError, match=r"Column 1 of y has no known entry. Drop the column, or label"):
        regressor().fit(rows, numbers)


@BOTH
def test_targets_of_another_length(kind: Any) -> None:
    with pytest.raises(ValueError, match="X has 60 rows, y has 59"):
        small(kind).fit(X, TRUTH[:59])
    with pytest.raises(ValueError, match="X has 60 rows"):
        small(kind).fit(X, np.zeros((59, 2)))


@BOTH
def test_infinite_and_huge_targets(kind: Any) -> None:
    y = TRUTH.astype(float)
    y[5] = np.inf
    with pytest.raises(ValueError, match="y contains infinity at row 5"):
        small(kind).fit(X, y)
    if kind is LSVVRegressor:
        y[5] = 1e30
        assert np.isfinite(small(kind).fit(X, y).predict(X)).all()
        y[5] = 1e300
        with pytest.raises(ValueError, match=r"y holds values whose squares overflow. Divide y"):
            small(kind).fit(X, y)


def test_one_label_column_is_read_as_classes_with_a_warning() -> None:
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        model = classifier().fit(X, (TRUTH == 0).astype(int)[:, None])
    assert model.predict(X).shape == (60,)


# ------------------------------------------------------------------------------------------------------------- rows


@BOTH
@pytest.mark.parametrize(("bad", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_rows_that_are_not_finite(kind: Any, bad: float, word: str, put: Put) -> None:
    rows = X.copy()
    rows[7, 1] = bad
    with pytest.raises(ValueError, match=f"X contains {word} at row 7, column 1"):
        small(kind).fit(put(rows), TRUTH)
    with pytest.raises(ValueError, match=f"X_unlabeled contains {word} at row 7, column 1"):
        small(kind).fit(put(X), TRUTH, X_unlabeled=put(rows))
    with pytest.raises(ValueError, match=f"X contains {word} at row 7, column 1"):
        small(kind).fit(put(X), TRUTH).predict(put(rows))
    with pytest.raises(ValueError, match=r"column 1 \('b'\)"):
        small(kind).fit(pd.DataFrame(rows, columns=["a", "b"]), TRUTH)


@BOTH
def test_unlabelled_rows_with_other_columns(kind: Any, put: Put) -> None:
    with pytest.raises(ValueError, match=r"X(_unlabeled)? has 3 features, but LSVV\w+ is expecting 2 features"):
        small(kind).fit(put(X), TRUTH, X_unlabeled=put(np.ones((4, 3))))
    with pytest.raises(ValueError, match="feature names should match"):
        small(kind).fit(pd.DataFrame(X, columns=["a", "b"]), TRUTH, X_unlabeled=pd.DataFrame(X, columns=["a", "c"]))


@BOTH
@pytest.mark.parametrize("features", ["linear", "fourier", "nystroem", "sketch"])
def test_constant_columns_and_repeated_rows(kind: Any, features: str) -> None:
    rows = np.c_[X, np.full(60, 3.0)]
    rows[30:] = rows[:30]
    map_ = RandomFourier(40) if features == "fourier" else features
    model = small(kind, features=map_).fit(rows, np.r_[TRUTH[:30], TRUTH[:30]])
    assert np.isfinite(model.predict(rows)).all()
    assert model.score(rows, np.r_[TRUTH[:30], TRUTH[:30]]) > 0.5


@BOTH
def test_rows_that_are_all_the_same(kind: Any) -> None:
    rows = np.ones((20, 3))
    model = small(kind, features=RandomFourier(10)).fit(rows, np.arange(20) % 2)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.predict(rows)).all()


@BOTH
@pytest.mark.parametrize("terms", GRAPHS, ids=str)
def test_fewer_rows_than_neighbours(kind: Any, terms: dict[str, Any]) -> None:
    model = small(kind, n_neighbors=100, graph=KNNGraph(), **terms).fit(X[:6], TRUTH[:6])
    complete = small(kind, graph=1 - np.eye(6), **terms).fit(X[:6], TRUTH[:6])
    laws.assert_close(model.coef_, complete.coef_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("features", ["linear", "fourier", "nystroem"])
@BOTH
def test_values_of_1e30(kind: Any, features: str, dtype: Any) -> None:
    rows = (1e30 * X).astype(dtype)
    map_ = RandomFourier(40, random_state=0) if features == "fourier" else features
    model = small(kind, features=map_).fit(rows, TRUTH)
    predicted = model.predict(rows)
    assert np.isfinite(predicted).all()
    assert np.isfinite(model.coef_).all()
    plain = small(kind, features=map_).fit(X, TRUTH)
    if features != "linear":
        # maps that measure in units of the data see no difference
        laws.assert_close(predicted, plain.predict(X), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize(
    "settings", [{}, SUPERVISED, PAPER, {"loss": "logistic", "ridge": 1e130}, {"spectral": 1e60}], ids=str
)
def test_the_largest_values_taken_still_make_a_model(settings: dict[str, Any]) -> None:
    model = classifier(features="linear", tol=1e-3, **settings).fit(1e69 * X, TRUTH)
    assert np.isfinite(model.coef_).all()
    assert model.score(1e69 * X, TRUTH) > 0.8


@BOTH
def test_values_whose_powers_overflow(kind: Any) -> None:
    with pytest.raises(ValueError, match=r"X contains .*e\+\d+ at row 0, column 0, and its powers overflow"):
        small(kind).fit(1e200 * X, TRUTH)


@BOTH
@pytest.mark.parametrize("spectral", [0.0, 1e-6])
def test_no_ridge_on_a_singular_problem(kind: Any, spectral: float) -> None:
    rows = np.c_[X, X, X[:, 0] + X[:, 1]]
    model = small(kind, features="linear", ridge=0.0, spectral=spectral, max_iter=20_000, tol=1e-5, **SUPERVISED)
    model.fit(rows, TRUTH)
    assert np.isfinite(model.coef_).all()
    if spectral == 0.0:
        assert "minimum-norm solution of a singular system" in model.solution_.status
        wide = small(kind, features="linear", ridge=1e-10, **SUPERVISED).fit(rows, TRUTH)
        laws.assert_close(model.coef_, wide.coef_, rtol=1e-4, atol=1e-6)


def test_a_single_output_of_a_single_column() -> None:
    settings = {"features": "linear", **SUPERVISED}
    model = regressor(ridge=0.0, **settings).fit(X[:, :1], 2 * X[:, 0] + 1)
    assert model.coef_.shape == (1, 1)
    laws.assert_close(model.coef_[0, 0], 2.0)
    laws.assert_close(model.intercept_[0], 1.0)
    spectral = regressor(spectral=0.1, free_rank=1, **settings).fit(X[:, :1], 2 * X[:, 0] + 1)
    laws.assert_close(spectral.coef_, regressor(**settings).fit(X[:, :1], 2 * X[:, 0] + 1).coef_)


@BOTH
def test_one_row(kind: Any) -> None:
    if kind is LSVVClassifier:
        with pytest.raises(ValueError, match="All labelled rows are of one class"):
            small(kind).fit(X[:1], [0])
    else:
        laws.assert_close(small(kind).fit(X[:1], [3.0]).predict(X), np.full(60, 3.0))


def test_a_labelled_row_a_class() -> None:
    y = np.full(60, -1)
    y[:3] = TRUTH[:3]
    for loss in ("squared", "logistic", "hinge"):
        model = classifier(loss=loss, ridge=0.01, tol=1e-2).fit(X, y)
        laws.assert_close(model.predict_proba(X).sum(axis=1), np.ones(60))


# ---------------------------------------------------------------------------------------------------------- weights


@BOTH
@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (np.r_[-1.0, np.ones(59)], "sample_weight holds -1. Weights are at least 0; 0 makes a row unlabelled"),
        (np.zeros(60), "sample_weight is all zero"),
        (np.r_[np.nan, np.ones(59)], "sample_weight holds NaN or infinity"),
        (np.ones(59), "sample_weight has shape"),
    ],
    ids=["negative", "zero", "NaN", "short"],
)
def test_wrong_weights(kind: Any, weight: np.ndarray, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        small(kind).fit(X, TRUTH, sample_weight=weight)


def test_weights_that_leave_one_class() -> None:
    with pytest.raises(ValueError, match="All labelled rows are of one class"):
        classifier().fit(X, TRUTH, sample_weight=(TRUTH == 0).astype(float))


@pytest.mark.parametrize(
    ("class_weight", "sentence"),
    [
        ({9: 1.0}, "class_weight names 9, which is no class of y"),
        ({0: -1.0}, "class_weight holds -1"),
        ({0: 0.0, 1: 0.0, 2: 0.0}, "class_weight is all zero"),
        ("even", "class_weight='even' is not known"),
    ],
)
def test_wrong_class_weights(class_weight: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        classifier(class_weight=class_weight).fit(X, Y)


# ----------------------------------------------------------------------------------------------------------- graphs


@pytest.mark.parametrize(
    ("graph", "sentence"),
    [
        (np.zeros((59, 59)), "The graph is 59 x 59, but there are 60 training rows, labelled and unlabelled together"),
        (sp.eye_array(61, format="csr"), "The graph is 61 x 61, but there are 60 training rows"),
        (
            np.triu(np.ones((60, 60))),
            r"The graph is not symmetric. Symmetrise it first, for instance with \(S",
        ),
        (-np.ones((60, 60)), "The graph holds a negative weight in row 0. Weights are similarities"),
        (np.full((60, 60), np.nan), "The graph holds NaN or infinite weights"),
        ("knn", "graph='knn' is not a graph. Pass 'auto', a KNNGraph, a sparse adjacency matrix"),
    ],
    ids=["small", "large", "one-way", "negative", "NaN", "name"],
)
@pytest.mark.parametrize("terms", [PAPER, SMOOTHED], ids=str)
@BOTH
def test_wrong_graphs(kind: Any, terms: dict[str, Any], graph: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        small(kind, graph=graph, **terms).fit(X, TRUTH)


def test_a_graph_counts_unlabelled_rows() -> None:
    with pytest.raises(ValueError, match="The graph is 60 x 60, but there are 70 training rows"):
        classifier(graph=np.ones((60, 60))).fit(X, Y, X_unlabeled=X[:10])


@BOTH
@pytest.mark.parametrize("terms", GRAPHS, ids=str)
def test_a_graph_without_an_edge_is_a_supervised_model(kind: Any, terms: dict[str, Any]) -> None:
    empty = small(kind, graph=sp.csr_array((60, 60)), **terms).fit(X, TRUTH)
    supervised = small(kind, **SUPERVISED).fit(X, TRUTH)
    laws.assert_close(empty.coef_, supervised.coef_, rtol=1e-6, atol=1e-9)


# ------------------------------------------------------------------------------------------------------- parameters


@BOTH
@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"ridge": -1.0}, "ridge=-1.0 is out of range. Pass 'auto', or a finite number of at least 0"),
        ({"ridge": float("nan")}, "ridge=nan is out of range"),
        ({"manifold": -0.1}, "manifold=-0.1 is out of range"),
        ({"manifold": "much"}, "manifold='much' is out of range"),
        ({"manifold": None}, "manifold=None is out of range"),
        ({"spectral": float("inf")}, "spectral=inf is out of range"),
        ({"tol": -1e-3}, "tol=-0.001 is out of range"),
        ({"n_neighbors": 0}, "n_neighbors=0 is out of range. Pass an integer of at least 1"),
        ({"n_neighbors": 2.5}, "n_neighbors=2.5 is out of range"),
        ({"max_iter": 0}, "max_iter=0 is out of range"),
        ({"smoothing": -0.1}, "smoothing=-0.1 is out of range. Pass 'auto', or a number of at least 0 and below 1"),
        ({"smoothing": 1.0}, "smoothing=1.0 is out of range"),
        ({"smoothing": float("nan")}, "smoothing=nan is out of range"),
        ({"smoothing": "much"}, "smoothing='much' is out of range"),
        ({"smoothing": True}, "smoothing=True is out of range"),
        ({"free_rank": -1}, r"free_rank=-1 is out of range. Pass an integer of at least 0, a float from 0.0 to 1.0"),
        ({"free_rank": 99}, r"free_rank=99 is out of range. Pass an integer from 0 to min\(D, K\)"),
        ({"free_rank": 1.5}, "free_rank=1.5 is out of range"),
        ({"laplacian": "signed"}, "laplacian='signed' is out of range. Pass 'normalized' or 'plain'"),
        ({"power": 3}, "power=3 is out of range. Pass 1 or 2"),
        ({"solver": "adam"}, "solver='adam' is out of range. Pass 'auto', 'closed', 'accelerated', 'minibatch'"),
        ({"spectral_rule": "head"}, "spectral_rule='head' is out of range. Pass 'tail' or 'as_printed'"),
        ({"fit_intercept": "no"}, "fit_intercept='no' is out of range. Pass True or False"),
        ({"n_jobs": 1.5}, "n_jobs=1.5 is out of range. Pass an integer or None"),
        ({"verbose": -1}, "verbose=-1 is out of range. Pass an integer of at least 0"),
        ({"features": "rbf"}, "features='rbf' is not known. Choose one of"),
        ({"features": RandomFourier}, "is not a transformer. Pass a short name or an object with fit and transform"),
        ({"random_state": "x"}, "random_state='x' cannot seed a generator"),
        ({"random_state": -1}, "random_state=-1 cannot seed a generator. Pass None, an int of at least 0"),
        ({"features": RandomFourier(width=None)}, "width=None is not a width. Pass 'auto', a positive number"),  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_wrong_parameters(kind: Any, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        small(kind, **settings).fit(X, TRUTH)


def test_what_overflows_is_told_and_ends() -> None:
    for settings in (
        {"ridge": 1e160, "spectral": 1.0},
        {"ridge": 1e160, "loss": "hinge"},
        {"ridge": 1e160, "loss": "logistic", "solver": "minibatch"},
        {"manifold": 1e299},
        {"manifold": 1e299, "spectral": 1.0},
    ):
        with pytest.raises(ValueError, match="The objective overflows: a column of X, a weight or a penalty is too"):
            classifier(**settings).fit(X, Y)
    with pytest.raises(ValueError, match="X holds a number beyond 1e308"):
        classifier().fit([[10**400, 1], [1, 2]], [0, 1])
    with pytest.raises(ValueError, match="sample_weight holds what is no number"):
        classifier().fit(X, Y, sample_weight=["much"] * len(Y))


@pytest.mark.parametrize("loss", ["smooth_hinge", "logistic", "squared"])
def test_products_of_single_precision_rows_do_not_overflow(loss: str) -> None:
    settings = {"features": "linear", "loss": loss, "tol": 1e-3, **SUPERVISED}
    there = classifier(**settings).fit((1e25 * X).astype(np.float32), TRUTH)
    here = classifier(**settings, ridge=0.0).fit(X, TRUTH)
    laws.assert_close(there.predict_proba((1e25 * X).astype(np.float32)), here.predict_proba(X), rtol=0, atol=0.02)


BIG = 10**400
OF_TWO_KINDS = {"b": pd.Categorical(["u", "v", "w"] * 20)}


@pytest.mark.parametrize(
    ("fit", "sentence"),
    [
        (lambda m: m.fit(X, Y, sample_weight=["a"] * 60), "sample_weight holds what is no number"),
        (lambda m: m.fit(X, Y, sample_weight=[BIG] * 60), "sample_weight holds what is no number"),
        (lambda m: m.set_params(class_weight={0: "a"}).fit(X, Y), "class_weight holds what is no number"),
        (lambda m: m.set_params(class_weight={0: BIG}).fit(X, Y), "class_weight holds what is no number"),
        (lambda m: m.set_params(loss=["squared", None]).fit(X, Y), "is not known. Choose one of squared, logistic"),
        (lambda m: m.set_params(features=RandomFourier(BIG)).fit(X, Y), "n_components=1000.* is out of range"),
        (lambda m: m.set_params(features=RandomFourier(0)).fit(X, Y), "n_components=0 is out of range"),
        (lambda m: m.set_params(features=RandomFourier(5, width=BIG)).fit(X, Y), "width=1000.* is not a width"),
        (
            lambda m: m.set_params(features=RandomFourier(5, kernel=cast(Any, []))).fit(X, Y),
            r"kernel=\[\] is not known",
        ),
        (lambda m: m.set_params(features=Trees(0)).fit(X, Y), "n_trees=0 is out of range"),
        (lambda m: m.set_params(n_neighbors=BIG).fit(X, Y), "n_neighbors=1000.* is out of range. Pass an integer of"),
        (lambda m: m.set_params(smoothing=0.5, graph=np.ones(60)).fit(X, Y), "The graph is an array of 1 dimensions"),
        (lambda m: m.fit(X, Y).predict([[BIG, 1]]), "X holds a number beyond 1e308"),
        (lambda m: m.fit(X, Y).score(X, Y, sample_weight=[1] * 3), r"sample_weight has shape \(3,\), expected \(60,\)"),
        (lambda m: m.fit(X, Y).score(X, Y, sample_weight=["a"] * 60), "sample_weight holds what is no number"),
        (lambda m: m.fit(pd.DataFrame({"a": ["x"] * 60, "b": 1}), Y), "Column 'a' of X holds neither numbers nor"),
        (lambda m: m.fit(pd.DataFrame({"a": ["x"] * 60} | OF_TWO_KINDS), Y), "Column 'a' of X holds neither numbers"),
        (
            lambda m: m.fit(pd.DataFrame({"a": pd.Series([BIG] * 60, dtype=object)} | OF_TWO_KINDS), Y),
            "Column 'a' of X holds a number beyond",
        ),
        (
            lambda m: m.fit(pd.DataFrame({"a": pd.date_range("2020", periods=60), "b": 1}), Y),
            "Column 'a' of X holds dates. Make numbers of them first",
        ),
        (lambda m: m.fit(X, [[BIG, 1]] * 60), "Y holds a number beyond 1e308"),
    ],
)
@pytest.mark.parametrize("kind", [classifier, LSVVClassifierCV])
def test_what_is_no_number_is_named(kind: Any, fit: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        fit(kind(features="linear"))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"features": []}, r"features=\[\] is empty. Pass a value or several"),
        ({"loss": []}, r"loss=\[\] is empty"),
        ({"loss": 3}, "loss=3 is not known"),
        ({"ridge": BOTH}, "ridge=.* is out of range"),
        ({"n_draws": BIG}, "n_draws=1000.* is out of range"),
    ],
    ids=str,
)
def test_what_a_search_cannot_try_is_named(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        LSVVClassifierCV(**settings).fit(X, Y)


def test_targets_beyond_double_precision_are_named() -> None:
    with pytest.raises(ValueError, match=r"y holds a number beyond 1e308. Divide y by its largest value first"):
        regressor().fit(X, [BIG, 1] * 30)
    with pytest.raises(ValueError, match="y holds a number beyond 1e308"):
        regressor().fit(X, X[:, 0]).score(X, [BIG] * 60)


@pytest.mark.parametrize("factor", [1e308, 1e-320])
def test_the_unit_of_weights_may_be_anything(factor: float) -> None:
    laws.assert_close(classifier().fit(X, Y, sample_weight=np.full(60, factor)).coef_, classifier().fit(X, Y).coef_)


def test_infinity_in_single_precision_is_named() -> None:
    spoilt = np.asarray(X, dtype=np.float32).copy()
    spoilt[3, 1] = np.inf
    with pytest.raises(ValueError, match="X contains infinity at row 3, column 1"):
        classifier().fit(spoilt, Y)


def test_numbers_beyond_single_precision_are_predicted_from_single_precision_rows() -> None:
    rows = np.linspace(0.0, 1.0, 30, dtype=np.float32)[:, None]
    model = LSVVRegressor(features="linear").fit(rows, 1e39 * rows[:, 0].astype(np.float64))
    assert np.isfinite(model.predict(rows)).all()


def test_columns_of_one_name_are_refused() -> None:
    frame = pd.DataFrame(np.zeros((4, 2)), columns=["a", "a"])
    with pytest.raises(ValueError, match=r"X has several columns named 'a'. Give each a name of its own"):
        classifier().fit(frame, [0, 1, 0, 1])


def test_wrong_losses() -> None:
    with pytest.raises(ValueError, match=r"loss='huber' is not known. Choose one of squared, logistic, hinge"):
        classifier(loss="huber").fit(X, Y)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_that_hold_words_are_refused(frame: Any) -> None:
    with pytest.raises(ValueError, match="could not convert string to float"):
        classifier().fit(frame({"a": ["x", "y"], "b": ["u", "v"]}), [0, 1])


def test_nullable_columns_are_numbers_and_their_holes_are_named() -> None:
    whole = pd.DataFrame({"a": pd.array(range(60), dtype="Int64"), "b": X[:, 0]})
    assert classifier().fit(whole, Y).n_features_in_ == 2
    holed = whole.copy()
    holed.loc[4, "a"] = pd.NA
    with pytest.raises(ValueError, match=r"X contains NaN at row 4, column 0 \('a'\)"):
        classifier().fit(holed, Y)


# --------------------------------------------------------------------------------------------- found by tests/fuzz


@BOTH
@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([[1.0, 2.0], [3.0]] * 30, "X has rows of different lengths. Pass as many numbers in each row"),
        (torch.as_tensor(X).to_sparse(), r"X is a sparse tensor. Pass X.to_dense\(\), or a matrix of scipy.sparse"),
        (torch.as_tensor(X + 1j), "Complex data not supported: X is a tensor of complex numbers"),
    ],
    ids=["ragged", "sparse tensor", "complex tensor"],
)
def test_rows_that_no_matrix_holds(kind: Any, rows: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        small(kind).fit(rows, TRUTH)


@BOTH
def test_targets_without_columns_and_complex_weights(kind: Any) -> None:
    with pytest.raises(ValueError, match=r"y has no columns\. Pass one target a row"):
        small(kind).fit(X, np.empty((60, 0)))
    with pytest.raises(ValueError, match="sample_weight holds complex numbers"):
        small(kind).fit(X, TRUTH, sample_weight=np.full(60, 1j))


def test_classes_that_are_neither_names_nor_numbers() -> None:
    with pytest.raises(
        ValueError, match=r"Unknown label type: y holds an entry of type object, which is neither a name nor a number"
    ):
        classifier().fit(X, [object()] * 60)


@BOTH
def test_new_rows_of_single_precision_beyond_its_products(kind: Any) -> None:
    model = small(kind, features="linear").fit(X.astype(np.float32), TRUTH)
    assert np.isfinite(model.predict((1e37 * X).astype(np.float32))).all()


def test_an_output_without_a_label_beside_few_features() -> None:
    Y = np.array([[0.0, 1.0], [1.0, 0.0], [np.nan, 1.0], [np.nan, 0.0]])
    model = classifier(features="linear", spectral=1e-3, tol=1e-2).fit(X[:4, :1], Y, sample_weight=[1.0, 0.0, 0.0, 0.0])
    assert np.isfinite(model.predict_proba(X[:4, :1])).all()
