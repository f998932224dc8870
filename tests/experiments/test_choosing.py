"""Both ways to choose: fits that are the core's, methods that are parts of one grid, ends of theta that agree."""

import numpy as np
import pytest

from lsvv import LSVVClassifier, LSVVRegressor
from lsvv.data import Dataset, Fold, make_fold, split
from lsvv.experiments.bundled import GENERATED, bundled
from lsvv.experiments.choosing import ALLOWED, choose
from lsvv.experiments.cross_validation import HINGE, Candidate, _plain_laplacian, _Space, candidates, of_method
from lsvv.experiments.published import METHODS
from lsvv.features import Linear, RandomFourier
from lsvv.losses import Squared
from lsvv.selection.atlas import Setting


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
    one = Candidate(width, 1e-2, 1e-3, 0.02, 1)
    core = LSVVClassifier(
        features=RandomFourier(100, width=width, random_state=3) if width else Linear(),
        loss="squared",
        ridge=1e-2,
        manifold=1e-3 * len(X) * degree,
        spectral=0.02,
        free_rank=1,
        n_neighbors=10,
        laplacian="plain",
        power=1,
        tol=1e-9,
        max_iter=20_000,
    ).fit(X, y)
    (scores,) = here.scores([one], IRIS.X_test)
    np.testing.assert_allclose(scores, core.decision_function(IRIS.X_test), atol=5e-3)


def test_the_smoothed_hinge_is_the_cores() -> None:
    X, y = IRIS.X_train, IRIS.y_train
    rows = np.flatnonzero(y >= 0)
    Lap, degree = _plain_laplacian(X)
    here = _Space.of(X, Lap, degree, 0.0, rows, np.eye(3)[y[rows]], np.ones((rows.size, 3), bool), HINGE, 0)
    (scores,) = here.scores([Candidate(0.0, 1e-2, 0.0, 0.0, 0)], IRIS.X_test)
    core = LSVVClassifier(features=Linear(), loss=HINGE, ridge=1e-2, manifold=0.0, tol=1e-8, max_iter=20_000).fit(X, y)
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
    (scores,) = here.scores([Candidate(0.0, 1e-2, 0.0, 0.0, 0)], fold.X_test)
    core = LSVVRegressor(features=Linear(), ridge=1e-2, manifold=0.0).fit(fold.X_train, Y)
    spread = np.array([Y[known[:, k], k].std() for k in range(Y.shape[1])])
    assert spread.min() > 0
    np.testing.assert_allclose(scores, core.predict(fold.X_test), atol=2e-2)


def test_methods_see_the_same_settings_without_what_they_lack() -> None:
    drawn = candidates("kernel", 10, 0, whole=False)
    assert drawn == candidates("kernel", 10, 0, whole=False) != candidates("kernel", 10, 1, whole=False)
    for method in METHODS:
        for one in of_method(method, drawn, 10):
            assert ALLOWED[method](Setting(0, "squared", 1, one.tau_i, one.tau_a, one.tau_s))
    assert {(c.width, c.tau_a) for c in of_method("SRM-VV", drawn, 10)} == {(c.width, c.tau_a) for c in drawn}


@pytest.mark.parametrize("chooser", ["cv", "atlas"])
@pytest.mark.parametrize("space", ["linear", "kernel"])
def test_all_four_methods_answer_on_every_task(chooser: str, space: str) -> None:
    found = choose(LABELS, task="multi-label", space=space, chooser=chooser, seed=0)
    assert list(found) == list(METHODS)
    for choice in found.values():
        assert choice.scores.shape == LABELS.y_test.shape
        assert np.isfinite(choice.scores).all()


@pytest.mark.parametrize("chooser", ["cv", "atlas"])
def test_with_every_value_free_the_tail_is_gone(chooser: str) -> None:
    found = choose(LABELS, task="multi-label", space="linear", chooser=chooser, seed=0, free_rank=1.0)
    np.testing.assert_allclose(found["LSVV"].scores, found["SS-VV"].scores, atol=1e-5)
    np.testing.assert_allclose(found["LRC-VV"].scores, found["SRM-VV"].scores, atol=1e-5)


def test_test_targets_are_not_looked_at() -> None:
    hidden = Fold(**{**vars(IRIS), "y_test": np.zeros_like(IRIS.y_test), "y_train_true": np.zeros_like(IRIS.y_train)})
    seen = choose(IRIS, task="multi-class", space="linear", chooser="atlas", seed=0)
    unseen = choose(hidden, task="multi-class", space="linear", chooser="atlas", seed=0)
    for method in METHODS:
        np.testing.assert_array_equal(seen[method].scores, unseen[method].scores)
