"""Classes and labels: predictions, probabilities, scores, and what a fit tells of itself."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import laws
import naive
from lsvv import LSVVClassifier
from lsvv.features import RandomFourier
from lsvv.losses import MulticlassHinge
from models import SUPERVISED, blobs, classifier, indicators, some_labels

X, TRUTH = blobs()
Y = some_labels(TRUTH)
FAR = np.array([[1e30, -1e30], [1e30, 1e30], [-1e30, 0.0], [0.0, 1e30]])
LOSSES = ("squared", "logistic", "hinge", "smooth_hinge")


@pytest.fixture(scope="module", params=LOSSES)
def fitted(request: pytest.FixtureRequest) -> LSVVClassifier:
    return classifier(loss=request.param, ridge=0.01, tol=1e-3).fit(X, Y)


@pytest.fixture(scope="module", params=LOSSES)
def fitted_labels(request: pytest.FixtureRequest) -> LSVVClassifier:
    # the labels change within a cluster, where 60 rows bear less smoothing
    return classifier(loss=request.param, ridge=0.01, smoothing=0.5, tol=1e-3).fit(*indicators())


def test_classes_are_learnt(fitted: LSVVClassifier) -> None:
    assert fitted.score(X, TRUTH) > 0.9
    assert fitted.coef_.shape == (3, 40)
    assert fitted.intercept_.shape == (3,)
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert fitted.singular_values_.shape == (3,)
    assert 1 <= fitted.effective_rank_ <= 3
    assert fitted.n_iter_ == fitted.solution_.n_iter >= 1


def test_probabilities_sum_to_one_and_agree_with_the_prediction(fitted: LSVVClassifier) -> None:
    for rows in (X, FAR):
        P = fitted.predict_proba(rows)
        assert P.shape == (len(rows), 3)
        assert np.isfinite(P).all()
        assert P.min() >= 0.0
        laws.assert_close(P.sum(axis=1), np.ones(len(rows)))
        np.testing.assert_array_equal(fitted.classes_[np.argmax(P, axis=1)], fitted.predict(rows))


@pytest.mark.parametrize("loss", LOSSES)
def test_probabilities_are_finite_far_from_the_data_in_linear_space(loss: str) -> None:
    model = classifier(features="linear", loss=loss, ridge=0.01, tol=1e-3).fit(X, Y)
    P = model.predict_proba(FAR)
    laws.assert_close(P.sum(axis=1), np.ones(4))
    np.testing.assert_array_equal(np.argmax(P, axis=1), model.predict(FAR))


def test_scores_decide(fitted: LSVVClassifier) -> None:
    scores = fitted.decision_function(X)
    assert scores.shape == (60, 3)
    np.testing.assert_array_equal(np.argmax(scores, axis=1), fitted.predict(X))


@pytest.mark.parametrize("loss", LOSSES)
def test_two_classes_have_one_score(loss: str) -> None:
    rows, truth = blobs(K=2)
    model = classifier(loss=loss, ridge=0.01, tol=1e-3).fit(rows, np.array(["no", "yes"])[truth])
    scores = model.decision_function(rows)
    assert scores.shape == (60,)
    np.testing.assert_array_equal(scores > 0, model.predict(rows) == "yes")
    assert model.predict_proba(rows).shape == (60, 2)
    assert model.coef_.shape == (2, 40)


def test_labels_are_learnt_entry_by_entry(fitted_labels: LSVVClassifier) -> None:
    rows, full = indicators(holes=False)
    predicted = fitted_labels.predict(rows)
    assert predicted.shape == (60, 3)
    assert set(np.unique(predicted)) <= {0, 1}
    assert (predicted == full).mean() > 0.9
    assert fitted_labels.decision_function(rows).shape == (60, 3)
    np.testing.assert_array_equal(fitted_labels.decision_function(rows) > 0, predicted == 1)


def test_probabilities_of_labels_are_one_array(fitted_labels: LSVVClassifier) -> None:
    for rows in (X, FAR):
        P = fitted_labels.predict_proba(rows)
        assert isinstance(P, np.ndarray)
        assert P.shape == (len(rows), 3)
        assert np.isfinite(P).all()
        assert P.min() >= 0.0
        assert P.max() <= 1.0
        np.testing.assert_array_equal(P > 0.5, fitted_labels.predict(rows) == 1)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, bool])
def test_complete_indicators_keep_their_kind(dtype: Any) -> None:
    rows, full = indicators(holes=False)
    model = classifier().fit(rows, full.astype(dtype))
    assert model.predict(rows).dtype == dtype
    assert model.transduction_.dtype == dtype


def test_frames_of_labels() -> None:
    rows, holed = indicators()
    expected = classifier().fit(rows, holed).coef_
    frame = pd.DataFrame(holed, columns=["a", "b", "c"])
    laws.assert_close(classifier().fit(rows, frame).coef_, expected)
    laws.assert_close(classifier().fit(rows, frame.astype("Int64")).coef_, expected)


def test_the_score_ignores_what_is_unknown() -> None:
    model = classifier().fit(X, Y)
    known = Y != -1
    assert model.score(X, Y) == np.mean(model.predict(X)[known] == Y[known])
    weight = np.arange(60) + 1.0
    right = (model.predict(X) == Y)[known]
    assert model.score(X, Y, sample_weight=weight) == pytest.approx(np.average(right, weights=weight[known]))
    with pytest.raises(ValueError, match=r"No row of y is labelled, so there is nothing to score"):
        model.score(X, np.full(60, -1))


def test_rows_of_class_one_alone_can_be_scored() -> None:
    model = classifier().fit(X, Y)
    rows = TRUTH == 1
    assert model.score(X[rows], np.r_[-1, np.ones(rows.sum() - 1, dtype=int)]) > 0.9


def test_truths_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="X has 60 rows, y has 10"):
        classifier().fit(X, Y).score(X, TRUTH[:10])
    with pytest.raises(ValueError, match=r"y has shape \(60, 2\), but the model has 3 labels a row"):
        classifier().fit(*indicators()).score(X, np.zeros((60, 2)))


@pytest.mark.parametrize("truth", [TRUTH, TRUTH.astype(float), TRUTH.astype(object)])
def test_numbers_are_no_truths_for_names(truth: np.ndarray) -> None:
    names = np.array(["ant", "bee", "cow"])[TRUTH]
    model = classifier().fit(X, names)
    sentence = r"y holds numbers, such as [0-2.]+, but the classes are names, such as '\w+'\. Pass the classes as"
    with pytest.raises(ValueError, match=sentence):
        model.score(X, truth)
    assert model.score(X, names.astype(object)) == model.score(X, names) > 0.9


def test_names_are_no_truths_for_numbers() -> None:
    with pytest.raises(ValueError, match=r"y holds names, such as '[0-2]', but the classes are numbers"):
        classifier().fit(X, TRUTH).score(X, TRUTH.astype(str))
    two = TRUTH > 0
    assert classifier().fit(X, two).score(X, two.astype(int)) > 0.9


def test_the_score_of_labels_counts_rows_whose_known_entries_are_all_right() -> None:
    rows, holed = indicators()
    model = classifier().fit(rows, holed)
    predicted = model.predict(rows)
    known = ~np.isnan(holed).all(axis=1)
    right = [
        all(p == t for p, t in zip(*row, strict=True) if not np.isnan(t)) for row in zip(predicted, holed, strict=True)
    ]
    assert model.score(rows, holed) == pytest.approx(np.mean(np.asarray(right)[known]))


def test_the_temperature_of_the_squared_loss_is_that_of_leave_one_out_scores() -> None:
    model = classifier(ridge=0.01, **SUPERVISED).fit(X, TRUTH)
    Phi, T = model.feature_map_.transform(X), np.eye(3)[TRUTH]
    scores = naive.leave_one_out(Phi, T, np.full((60, 3), 1 / 60), 0.01 * np.eye(40))
    pull = 2 / 62
    expected = naive.temperature(scores - 0.5, T * (1 - pull) + pull / 3, np.ones(60))
    assert model.temperature_ == pytest.approx(expected, rel=1e-4)


def test_the_logistic_loss_has_probabilities_of_its_own() -> None:
    model = classifier(loss="logistic", ridge=0.01).fit(X, Y)
    assert model.temperature_ == 1.0
    E = np.exp(model.decision_function(X))
    laws.assert_close(model.predict_proba(X), E / E.sum(axis=1, keepdims=True))


def test_weights_of_single_entries() -> None:
    rows, holed = indicators()
    weight = np.random.default_rng(3).uniform(0.5, 2.0, size=holed.shape)
    together = classifier(smoothing=0.9).fit(rows, holed, sample_weight=weight)
    for k in range(3):
        column = np.c_[holed[:, k], np.full(60, np.nan)]
        alone = classifier(smoothing=0.9).fit(rows, column, sample_weight=np.repeat(weight[:, [k]], 2, axis=1))
        laws.assert_close(together.coef_[k], alone.coef_[0], rtol=1e-6, atol=1e-9)


# ----------------------------------------------------------------------------------------------------------- solving


@pytest.mark.parametrize("loss", LOSSES)
def test_mini_batches_learn(loss: str) -> None:
    model = classifier(loss=loss, ridge=0.01, solver="minibatch", max_iter=60, tol=1e-3)
    with pytest.warns(ConvergenceWarning, match=r"Stopped at max_iter=60"):
        model.fit(X, Y)
    assert model.score(X, TRUTH) > 0.9
    assert np.isfinite(model.solution_.residual)
    laws.assert_close(model.predict_proba(X).sum(axis=1), np.ones(60))


def test_the_printed_rule_is_for_mini_batches_alone() -> None:
    with pytest.raises(
        ValueError, match=r"spectral_rule='as_printed' is the prox of no function, so only solver='minibatch'"
    ):
        classifier(spectral=0.01, spectral_rule="as_printed").fit(X, Y)
    model = classifier(spectral=0.01, free_rank=1, spectral_rule="as_printed", solver="minibatch", max_iter=30)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, Y)
    assert model.score(X, TRUTH) > 0.9


def test_too_few_steps_warn_with_the_number() -> None:
    model = classifier(loss="logistic", max_iter=2, tol=1e-9)
    with pytest.warns(ConvergenceWarning, match=r"Stopped at max_iter=2 above tol=1e-09 \(residual \d") as caught:
        model.fit(X, Y)
    assert f"{model.solution_.residual:.2g}" in str(caught[0].message)
    assert not model.solution_.converged


@pytest.mark.parametrize("solver", ["auto", "closed", "accelerated"])
def test_solvers_agree(solver: str) -> None:
    model = classifier(solver=solver, ridge=0.01, tol=1e-9, max_iter=5000).fit(X, Y)
    laws.assert_close(model.coef_, classifier(ridge=0.01).fit(X, Y).coef_, rtol=1e-5, atol=1e-7)
    assert model.solution_.converged


def test_the_closed_form_is_refused_where_there_is_none() -> None:
    for settings in ({"loss": "logistic"}, {"spectral": 0.1}):
        with pytest.raises(ValueError, match=r"solver='closed' needs the squared loss and spectral=0"):
            classifier(solver="closed", **settings).fit(X, Y)


def test_a_loss_may_be_an_object() -> None:
    named = classifier(loss="smooth_hinge", ridge=0.01, tol=1e-5).fit(X, Y)
    given = classifier(loss=MulticlassHinge(0.1), ridge=0.01, tol=1e-5).fit(X, Y)
    laws.assert_close(named.coef_, given.coef_)


def test_without_an_intercept_there_is_none() -> None:
    for loss in ("squared", "logistic"):
        model = classifier(loss=loss, fit_intercept=False, ridge=0.01).fit(X, Y)
        assert not model.intercept_.any()


def test_verbose_tells_the_stages_and_then_the_steps(capsys: pytest.CaptureFixture[str]) -> None:
    classifier().fit(X, Y)
    assert capsys.readouterr().out == ""
    classifier(verbose=1).fit(X, Y)
    stages = capsys.readouterr().out
    assert "[LSVVClassifier] Mapped 60 rows of 2 columns." in stages
    assert "Laid out a graph of 60 rows." in stages
    assert "closed form" in stages
    model = classifier(verbose=2, loss="logistic", ridge=0.1, tol=1e-3).fit(X, Y)
    assert capsys.readouterr().out.count("step ") >= model.n_iter_


def test_all_labelled_is_a_plain_note() -> None:
    assert classifier().fit(X, TRUTH).notes_ == ("All 60 rows are labelled: the model is supervised.",)
    assert classifier().fit(X, Y).notes_ == ()


def test_labels_that_never_occur_are_noted_and_predicted_zero() -> None:
    rows, full = indicators(holes=False)
    labels = np.c_[full, np.zeros(60), np.full(60, np.nan), np.ones(60)]
    for loss in ("squared", "logistic", "hinge"):
        model = classifier(loss=loss, ridge=0.01, tol=1e-2).fit(rows, labels)
        assert "Label column 3 never occurs and is predicted 0." in model.notes_
        assert "Label column 4 has no known entry and is predicted 0." in model.notes_
        np.testing.assert_array_equal(model.predict(rows)[:, 3:], np.tile([0, 0, 1], (60, 1)))


def test_a_model_that_is_not_fitted_says_so() -> None:
    with pytest.raises(NotFittedError):
        classifier().predict(X)


@pytest.mark.parametrize(
    "settings",
    [{"spectral": 1e-7}, {"spectral": 1e-5, "free_rank": 1}, {"loss": "hinge"}, {"loss": "smooth_hinge"}, {}],
    ids=str,
)
def test_on_noise_a_model_is_no_surer_than_it_is_right(settings: dict[str, Any]) -> None:
    sure, right = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        rows, labels = rng.normal(size=(60, 20)), rng.integers(0, 3, 60)
        map_ = RandomFourier(100, random_state=0)
        model = LSVVClassifier(features=map_, tol=1e-3, random_state=seed, **SUPERVISED, **settings).fit(rows, labels)
        assert model.score(rows, labels) > 0.95
        new = rng.normal(size=(300, 20))
        sure.append(model.predict_proba(new).max(axis=1).mean())
        right.append(model.score(new, rng.integers(0, 3, 300)))
    assert np.mean(sure) < np.mean(right) + 0.12


def test_folds_are_fitted_without_the_labels_they_judge() -> None:
    """An interpolating fit is right of all its rows; of those of a fold that it has not seen it is not."""
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(60, 30)), rng.integers(0, 2, 60)
    model = LSVVClassifier(features="linear", ridge=1e-4, spectral=1e-7, random_state=0, **SUPERVISED)
    by_folds = model.fit(rows, labels).temperature_
    by_leaving_one_out = model.set_params(spectral=0.0).fit(rows, labels).temperature_
    assert by_folds > 0.3 * by_leaving_one_out


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_known_labels_of_a_class_of_weight_zero_stay(loss: str) -> None:
    model = classifier(loss=loss, ridge=0.01, class_weight={0: 0.0}, tol=1e-3).fit(X, Y)
    known = Y != -1
    np.testing.assert_array_equal(model.transduction_[known], Y[known])
    assert 0 not in model.transduction_[~known]


def test_the_printed_rule_shrinks_all_values_where_all_are_leading() -> None:
    settings = {"solver": "minibatch", "ridge": 0.01, "tol": 0.1, "max_iter": 300, "spectral": 0.1, "free_rank": 1.0}
    with pytest.warns(ConvergenceWarning):
        shrunk = classifier(spectral_rule="as_printed", **settings).fit(X, Y)
    with pytest.warns(ConvergenceWarning):
        free = classifier(**{**settings, "tol": 1e-9}).fit(X, Y)
    assert shrunk.singular_values_.sum() < 0.8 * free.singular_values_.sum()
