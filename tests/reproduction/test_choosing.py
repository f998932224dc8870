"""Both ways to choose: fits that are the core's, methods that are parts of one grid, ends of theta that agree."""

import numpy as np
import pytest

from lsvv import LSVVClassifier, LSVVRegressor
from lsvv.features import Linear, RandomFourier
from lsvv.losses import Squared
from lsvv.selection.run import MOST_ENTRIES
from reproduction.bundled import GENERATED, bundled
from reproduction.choosing import allowed, choose
from reproduction.cross_validation import (
    HINGE,
    N_FEATURES,
    _plain_laplacian,
    _Space,
)
from reproduction.data import DATASETS, Dataset, Fold, make_fold, split
from reproduction.data.splits import LABELLED_SHARE
from reproduction.experiments import OWN, PAPER
from reproduction.paper_grid import Setting, drawn_settings, of_method
from reproduction.published import METHODS


def fold_of(data: Dataset, seed: int = 0) -> Fold:
    return make_fold(data, split(data.y, data.task, seed))


IRIS, LABELS = fold_of(bundled("iris")), fold_of(bundled(GENERATED))


@pytest.mark.parametrize("width", [0.0, 0.5])
def test_a_candidate_is_the_cores_fit_at_the_converted_strengths(width: float) -> None:
    X, y = IRIS.X_train, IRIS.y_train
    rows = np.flatnonzero(y >= 0)
    T = np.eye(3)[y]
    Lap, degree = _plain_laplacian(X)
    here = _Space.of(X, Lap, degree, width, rows, T[rows], np.ones((rows.size, 3), bool), Squared(), 3)
    one = Setting(width, 1e-2, 1e-3, 0.02, 1)
    core = LSVVClassifier(
        features=RandomFourier(100, width=width, random_state=3) if width else Linear(),
        loss="squared",
        ridge=1e-2,
        smoothing=0.0,
        manifold=1e-3 * len(X) * degree,
        spectral=0.02,
        free_rank=1,
        n_neighbors=10,
        laplacian="plain",
        power=1,
        tol=1e-9,
        max_iter=20_000,
    ).fit(X, y)
    (scores,) = here.scores([one], IRIS.X_test, np.ones(rows.size, bool))
    np.testing.assert_allclose(scores, core.decision_function(IRIS.X_test), atol=5e-3)


def test_the_smoothed_hinge_is_the_cores() -> None:
    X, y = IRIS.X_train, IRIS.y_train
    rows = np.flatnonzero(y >= 0)
    Lap, degree = _plain_laplacian(X)
    here = _Space.of(X, Lap, degree, 0.0, rows, np.eye(3)[y[rows]], np.ones((rows.size, 3), bool), HINGE, 0)
    (scores,) = here.scores([Setting(0.0, 1e-2, 0.0, 0.0, 0)], IRIS.X_test, np.ones(rows.size, bool))
    core = LSVVClassifier(features=Linear(), loss=HINGE, ridge=1e-2, smoothing=0.0, tol=1e-8, max_iter=20_000)
    core.fit(X, y)
    np.testing.assert_allclose(scores, core.decision_function(IRIS.X_test), atol=6e-2)


def test_masked_entries_are_left_out_of_each_outputs_loss() -> None:
    data = bundled(GENERATED)
    fold = make_fold(data, split(data.y, data.task, 0, unit="entries"))
    Y = fold.y_train
    known = ~np.isnan(Y)
    rows = np.flatnonzero(known.any(axis=1))
    Lap, degree = _plain_laplacian(fold.X_train)
    T = np.nan_to_num(Y)
    here = _Space.of(fold.X_train, Lap, degree, 0.0, rows, T[rows], known[rows], Squared(), 0)
    (scores,) = here.scores([Setting(0.0, 1e-2, 0.0, 0.0, 0)], fold.X_test, np.ones(rows.size, bool))
    core = LSVVRegressor(features=Linear(), ridge=1e-2, smoothing=0.0).fit(fold.X_train, Y)
    spread = np.array([Y[known[:, k], k].std() for k in range(Y.shape[1])])
    assert spread.min() > 0
    np.testing.assert_allclose(scores, core.predict(fold.X_test), atol=2e-2)


def test_methods_see_the_same_settings_without_what_they_lack() -> None:
    drawn = drawn_settings("kernel", 10, 0, whole=False)
    assert drawn == drawn_settings("kernel", 10, 0, whole=False) != drawn_settings("kernel", 10, 1, whole=False)
    for method in METHODS:
        for one in of_method(method, drawn, 10):
            assert allowed(method, {"manifold": one.tau_i, "spectral": one.tau_s})
    assert {(c.width, c.tau_a) for c in of_method("SRM-VV", drawn, 10)} == {(c.width, c.tau_a) for c in drawn}


def test_the_chosen_candidate_is_fitted_by_the_core() -> None:
    X, y = IRIS.X_train, IRIS.y_train
    rows = np.flatnonzero(y >= 0)
    Lap, degree = _plain_laplacian(X)
    here = _Space.of(X, Lap, degree, 0.5, rows, np.eye(3)[y[rows]], np.ones((rows.size, 3), bool), HINGE, 0)
    scores, residual = here.refit(Setting(0.5, 1e-6, 1e-6, 1e-3, 0), IRIS.X_test)
    core = LSVVClassifier(
        features=RandomFourier(100, width=0.5, random_state=0),
        loss=HINGE,
        ridge=1e-6,
        smoothing=0.0,
        manifold=1e-6 * len(X) * degree,
        spectral=1e-3,
        n_neighbors=10,
        laplacian="plain",
        power=1,
        tol=1e-7,
        max_iter=20_000,
    ).fit(X, y)
    assert residual <= 1e-5
    np.testing.assert_allclose(scores, core.decision_function(IRIS.X_test), atol=2e-2)


def test_candidates_in_several_stacks_score_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = IRIS.X_train, IRIS.y_train
    rows = np.flatnonzero(y >= 0)
    Lap, degree = _plain_laplacian(X)
    here = _Space.of(X, Lap, degree, 0.0, rows, np.eye(3)[y[rows]], np.ones((rows.size, 3), bool), HINGE, 0)
    some = drawn_settings("linear", 3, 0, whole=False)[:7]
    together = here.scores(some, IRIS.X_test, np.ones(rows.size, bool))
    monkeypatch.setattr("reproduction.cross_validation.STACK_BYTES", 1)
    np.testing.assert_allclose(here.scores(some, IRIS.X_test, np.ones(rows.size, bool)), together, atol=1e-9)


NUMBERS = fold_of(
    Dataset(
        **{
            **vars(bundled(GENERATED)),
            "task": "regression",
            "y": bundled(GENERATED).y + np.random.default_rng(0).normal(size=bundled(GENERATED).y.shape),
        }
    )
)
TASKS = {"multi-class": IRIS, "multi-label": LABELS, "regression": NUMBERS}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("chooser", ["cv", "atlas", OWN])
@pytest.mark.parametrize("space", ["linear", "kernel"])
def test_all_methods_answer_on_every_task_without_looking_at_the_test_targets(
    chooser: str, space: str, task: str
) -> None:
    fold = TASKS[task]
    found = choose(fold, task=task, space=space, chooser=chooser, seed=0)
    assert list(found) == ([OWN] if chooser == OWN else list(METHODS))
    blind = Fold(**{**vars(fold), "y_test": np.zeros_like(fold.y_test), "y_train_true": np.zeros_like(fold.y_train)})
    again = choose(blind, task=task, space=space, chooser=chooser, seed=0)
    for method, choice in found.items():
        assert choice.scores.shape[0] == fold.y_test.shape[0]
        assert np.isfinite(choice.scores).all()
        assert ("residual" in choice.parameters) == (chooser == "cv")
        np.testing.assert_array_equal(choice.scores, again[method].scores)


def test_no_set_of_the_paper_has_more_labels_than_the_atlas_looks_at() -> None:
    for name in (*PAPER.classes, *PAPER.labels):
        data = DATASETS[name]
        widest = max(min(data.columns, 0.7 * data.rows), N_FEATURES, 4 * data.K)
        assert 0.7 * LABELLED_SHARE[data.task] * data.rows * widest < MOST_ENTRIES


@pytest.mark.parametrize("chooser", ["cv", "atlas"])
def test_with_every_value_free_the_tail_is_gone(chooser: str) -> None:
    found = choose(LABELS, task="multi-label", space="linear", chooser=chooser, seed=0, free_rank=1.0)
    np.testing.assert_allclose(found["LSVV"].scores, found["SS-VV"].scores, atol=1e-5)
    np.testing.assert_allclose(found["LRC-VV"].scores, found["SRM-VV"].scores, atol=1e-5)


def test_with_no_value_free_the_tail_is_the_trace_norm() -> None:
    found = choose(LABELS, task="multi-label", space="linear", chooser="atlas", seed=0, free_rank=0.0)["LSVV"]
    told = {name: found.parameters[name] for name in ("ridge", "smoothing", "manifold", "power", "spectral")}
    core = LSVVClassifier(features=Linear(), loss="squared", n_neighbors=10, **told).fit(LABELS.X_train, LABELS.y_train)
    assert told["smoothing"] == 0.0
    assert told["spectral"] > 0.0
    assert core.free_rank == 0
    np.testing.assert_array_equal(core.predict(LABELS.X_test), found.scores > 0.5)


def test_the_methods_have_the_terms_that_are_theirs() -> None:
    found = choose(LABELS, task="multi-label", space="linear", chooser="atlas", seed=0)
    for method, choice in found.items():
        assert allowed(method, choice.parameters)
        assert choice.parameters["smoothing"] == 0.0
    own = choose(LABELS, task="multi-label", space="linear", chooser=OWN, seed=0)[OWN].parameters
    assert (own["manifold"], own["spectral"]) == (0.0, 0.0)
    assert own["semi_supervised_share"] is not None


def test_our_own_method_has_no_theta() -> None:
    with pytest.raises(ValueError, match=r"smoothed has no tail, so that free_rank=0.5 says nothing"):
        choose(LABELS, task="multi-label", space="linear", chooser=OWN, seed=0, free_rank=0.5)


def test_a_w_too_large_for_folds_is_refused_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reproduction.cross_validation.TOO_DEAR", 10)
    with pytest.raises(ValueError, match="Choose by 'atlas' here"):
        choose(LABELS, task="multi-label", space="linear", chooser="cv", seed=0)
