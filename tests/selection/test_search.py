"""The CV estimators: agreement with the core, masks, weights, the guard, sentences."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine, make_multilabel_classification

from laws import assert_fails_only
from lsvv import LSVVClassifierCV, LSVVRegressorCV
from lsvv.features import Linear, Nystroem, RandomFourier

SMALL: dict[str, Any] = {
    "features": RandomFourier(20, width=0.5, random_state=0),
    "ridge": (1e-4, 1e-2),
    "manifold": (0.0, 1.0),
    "power": 2,
    "spectral": 0.0,
    "random_state": 0,
}


def iris(step: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, truth = load_iris(return_X_y=True)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    y = np.full(150, -1)
    y[::step] = truth[::step]
    return X, y, truth


def test_the_average_beats_guessing_and_names_its_parts() -> None:
    X, y, truth = iris()
    model = LSVVClassifierCV(features=[RandomFourier(30), Linear()], n_draws=2, random_state=0).fit(X, y)
    assert model.score(X, truth) > 0.85
    np.testing.assert_allclose(model.weights_.sum(axis=0), 1.0)
    assert len(model.weights_) == len(model.atlas_.members)
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


def test_one_setting_is_the_core_estimator_at_its_measured_strength() -> None:
    X, y, _ = iris()
    single = {**SMALL, "ridge": 1e-2, "manifold": 1.0, "loss": "squared", "safe": False}
    model = LSVVClassifierCV(**single).fit(X, y).limited_to(lambda setting: not setting.taught)
    n = int(np.sum(y != -1))
    core = model._core(
        {"features": SMALL["features"], "ridge": 1e-2 * (n - 1) / n, "manifold": (n - 1) / n, "power": 2}
    ).fit(X, y)
    family = model._ensemble.families[0]
    np.testing.assert_allclose(family.W, core.coef_.T, atol=1e-7)


def test_best_refits_the_core_estimator() -> None:
    X, y, truth = iris()
    model = LSVVClassifierCV(**{**SMALL, "loss": "squared"}, selection="best").fit(X, y)
    assert model.best_estimator_ is not None
    assert model.best_estimator_.ridge == model.best_params_["ridge"]
    assert np.array_equal(model.predict(X), model.best_estimator_.predict(X))
    assert model.score(X, truth) > 0.8


def test_best_hands_every_choice_to_the_core() -> None:
    X, y, _ = iris()
    chosen = {"n_neighbors": 4, "laplacian": "plain", "fit_intercept": False, "spectral": (0.0, 0.05)}
    model = LSVVClassifierCV(**{**SMALL, "loss": "squared", **chosen}, selection="best").fit(X, y)
    core = model.best_estimator_
    assert core is not None
    assert (core.n_neighbors, core.laplacian, core.fit_intercept) == (4, "plain", False)
    setting = model.atlas_.settings[model.best_index_]
    assert (core.spectral, core.free_rank, core.manifold) == (setting.spectral, setting.free_rank, setting.manifold)
    assert core.feature_map_.width_ == model.maps_[setting.map].width_


def test_a_whole_tail_empties_w() -> None:
    X, y, _ = iris()
    model = LSVVClassifierCV(**{**SMALL, "spectral": (0.0, 1.01), "free_rank": 0.0, "loss": "squared"}).fit(X, y)
    setting = next(s for s in model.atlas_.settings if s.spectral > 0)
    params = {"features": SMALL["features"], "ridge": setting.ridge, "manifold": setting.manifold, "power": 2}
    core = model._core({**params, "spectral": setting.spectral}).fit(X, y)
    assert core.effective_rank_ == 0


def test_more_features_than_rows_are_compressed_without_loss() -> None:
    X, y, _ = iris(step=10)
    rows = slice(0, None, 3)
    wide = {**SMALL, "features": RandomFourier(80, width=0.5, random_state=1), "loss": "squared", "safe": False}
    model = LSVVClassifierCV(**{**wide, "ridge": 1e-2, "manifold": 1.0}).fit(X[rows], y[rows])
    model = model.limited_to(lambda setting: not setting.taught)
    n = int(np.sum(y[rows] != -1))
    core = model._core(
        {"features": wide["features"], "ridge": 1e-2 * (n - 1) / n, "manifold": (n - 1) / n, "power": 2}
    ).fit(X[rows], y[rows])
    np.testing.assert_allclose(model._ensemble.families[0].W, core.coef_.T, atol=1e-7)


def test_masked_labels_are_the_columns_alone() -> None:
    X, Y = make_multilabel_classification(80, 6, n_classes=3, random_state=0)
    Y = Y.astype(float)
    rng = np.random.default_rng(0)
    Y[rng.random(Y.shape) < 0.5] = np.nan
    settings = {**SMALL, "loss": "squared", "safe": False, "per_output": True}
    together = LSVVClassifierCV(**settings).fit(X, Y)
    two = LSVVClassifierCV(**settings).fit(X, Y[:, [0, 1]])
    np.testing.assert_allclose(
        [m.losses[:2] for m in together.atlas_.members if m.setting.ridge == 1e-2],
        [m.losses for m in two.atlas_.members if m.setting.ridge == 1e-2],
        rtol=1e-6,
    )
    assert together.predict(X).shape == Y.shape


def shrunken_labels(n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Two rare labels that a line can only hint at: its scores stay low where most rows have the label."""
    X = np.random.default_rng(0).normal(size=(n, 2))
    return X, (X > 1.0).astype(np.float64)


LINE: dict[str, Any] = {**SMALL, "features": Linear(), "loss": "squared", "manifold": 0.0}


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


def test_the_best_setting_refitted_gives_labels_as_the_core_does() -> None:
    X, Y = shrunken_labels()
    model = LSVVClassifierCV(**LINE, selection="best").fit(X, Y)
    assert model.best_estimator_ is not None
    assert np.array_equal(model.predict(X), model.best_estimator_.predict(X))


def test_regression_with_missing_entries() -> None:
    X = np.random.default_rng(0).uniform(-2, 2, size=(120, 1))
    Y = np.hstack([np.sin(X), 100 + 10 * X])
    masked = Y.copy()
    masked[20:, 0] = np.nan
    masked[:60, 1] = np.nan
    model = LSVVRegressorCV(features=RandomFourier(40), random_state=0).fit(X, masked)
    assert model.score(X, Y) > 0.95
    assert np.array_equal(model.transduction_[:20, 0], masked[:20, 0]) or np.allclose(
        model.transduction_[:20, 0], masked[:20, 0]
    )


def test_the_tail_axis_adds_settings_in_shares_of_what_empties_w() -> None:
    X, y, _ = iris()
    model = LSVVClassifierCV(**{**SMALL, "spectral": (0.0, 0.1), "free_rank": (0.0, 0.5)}).fit(X, y)
    tails = [s for s in model.atlas_.settings if s.spectral > 0]
    for supervised in (False, True):
        mine = [s for s in tails if (s.manifold == 0.0) == supervised]
        assert sorted((s.spectral_share, s.free_rank) for s in mine) == [(0.1, 0.0), (0.1, 0.5)]
        assert len({round(s.spectral, 12) for s in mine}) == 1


def test_without_the_manifold_axis_unlabelled_rows_change_only_the_map() -> None:
    X, y, _ = iris()
    fixed = {**SMALL, "features": RandomFourier(20, width=0.5, random_state=0), "manifold": 0.0}
    everything = LSVVClassifierCV(**fixed).fit(X, y)
    labelled = LSVVClassifierCV(**fixed).fit(X[y != -1], y[y != -1])
    np.testing.assert_allclose(everything.predict_proba(X), labelled.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"ridge": ()}, "holds no valid grid"),
        ({"ridge": (0.0, 1.0)}, "Leave-one-out needs ridge > 0"),
        ({"manifold": (-1.0,)}, "holds no valid grid"),
        ({"manifold": ("much",)}, "holds no valid grid"),
        ({"free_rank": "balance"}, "free_rank='balance' holds no valid grid"),
        ({"selection": "vote"}, "Choose 'average' or 'best'"),
        ({"loss": "hinge"}, "Choose 'smooth_hinge'"),
        ({"n_draws": 0, "features": RandomFourier(5)}, "is not a count"),
        ({"power": 3}, "power=3 is not supported"),
    ],
)
def test_sentences(params: dict[str, Any], sentence: str) -> None:
    X, y, _ = iris()
    with pytest.raises(ValueError, match=sentence):
        LSVVClassifierCV(**{**SMALL, **params}).fit(X, y)


def test_a_class_with_one_label_and_two_labels_in_all_are_handled() -> None:
    X, _, truth = iris()
    y = np.full(150, -1)
    y[[0, 149]] = truth[[0, 149]]
    model = LSVVClassifierCV(**SMALL).fit(X, y)
    assert set(model.predict(X)) <= {0, 2}
    assert np.all(np.isfinite(model.predict_proba(X)))


def test_float32_and_clone() -> None:
    X, y, _ = iris()
    model = clone(LSVVClassifierCV(**SMALL)).fit(X.astype(np.float32), y)
    assert model.decision_function(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("estimator", [LSVVClassifierCV(**SMALL), LSVVRegressorCV(**{**SMALL, "features": "linear"})])
def test_scikit_learn_checks(estimator: Any) -> None:
    expected = {
        "check_sample_weight_equivalence_on_dense_data": "leaving one of two equal rows out is not leaving both out",
        "check_sample_weight_equivalence_on_sparse_data": "leaving one of two equal rows out is not leaving both out",
    }
    if isinstance(estimator, LSVVClassifierCV):
        expected["check_classifiers_classes"] = "-1 means unlabelled"
    assert_fails_only(estimator, expected)


def test_limited_to_settings_is_the_search_over_them_alone() -> None:
    X, y, truth = iris()
    fixed = {**SMALL, "features": RandomFourier(20, width=0.5, random_state=0), "spectral": 0.0}
    wide = LSVVClassifierCV(**fixed).fit(X, y)
    limited = wide.limited_to(lambda setting: setting.is_supervised)
    narrow = LSVVClassifierCV(**{**fixed, "manifold": 0.0}).fit(X, y)
    np.testing.assert_allclose(limited.predict_proba(X), narrow.predict_proba(X), atol=2e-3)
    assert limited.best_params_["manifold"] == 0.0
    assert limited.guard_ is None
    assert not hasattr(limited, "transduction_")
    assert wide.score(X, truth) == LSVVClassifierCV(**fixed).fit(X, y).score(X, truth)


def test_limited_to_nothing_is_refused() -> None:
    X, y, _ = iris()
    model = LSVVClassifierCV(**SMALL).fit(X, y)
    with pytest.raises(ValueError, match="No setting of the atlas is allowed"):
        model.limited_to(lambda setting: setting.ridge > 1e9)
    with pytest.raises(ValueError, match="the rows, which are gone"):
        LSVVClassifierCV(**{**SMALL, "selection": "best"}).fit(X, y).limited_to(lambda setting: True)


def test_large_maps_meet_smooth_losses_only_where_the_squared_loss_puts_them_in_front(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lsvv.selection.tour.CHEAP", 1000)
    X, y = np.random.default_rng(0).normal(size=(300, 4)), np.full(300, -1)
    y[:40] = (X[:40, 0] > 0).astype(int)
    model = LSVVClassifierCV(features=[RandomFourier(250), Linear()], ridge=(1e-3, 1e-1), manifold=0.0, n_draws=1)
    model.fit(X, y)
    smooth = {s.map for s in model.atlas_.settings if s.loss == "logistic"}
    assert smooth == {5, *sorted(range(5), key=lambda number: squared_loss(model, number))[:3]}


def test_wide_maps_meet_the_manifold_term_only_where_they_lead_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsvv.selection.tour.WIDE", 100)
    monkeypatch.setattr("lsvv.selection.tour.WIDE_KINDS", 2)
    X, y = np.random.default_rng(0).normal(size=(300, 4)), np.full(300, -1)
    y[:40] = (X[:40, 0] > 0).astype(int)
    model = LSVVClassifierCV(
        features=[RandomFourier(120), Linear()], ridge=(1e-3, 1e-1), manifold=(0.0, 1.0), spectral=0.0, random_state=0
    )
    model.fit(X, y)
    met, smooth = (
        {s.kind for s in model.atlas_.settings if s.manifold > 0.0 and s.loss == loss}
        for loss in ("squared", "logistic")
    )
    alone = {
        kind: min(float(loss.sum()) for s, loss in zip(model.atlas_.settings, model.atlas_.losses, strict=True)
                  if s.kind == kind and s.manifold == 0.0 and s.loss == "squared")
        for kind in range(5)
    }  # fmt: skip
    assert met == smooth == {5, *sorted(alone, key=alone.__getitem__)[:2]}
    maps = Counter(s.kind for s in model.atlas_.settings if s.manifold > 0.0 and s.kind < 5 and s.loss == "squared")
    assert set(maps.values()) == {2 * 2 * 4}


def test_further_draws_of_the_foremost_kinds_meet_the_smooth_losses() -> None:
    X, y, _ = iris()
    model = LSVVClassifierCV(features=RandomFourier(20), ridge=(1e-3, 1e-1), manifold=0.0, n_draws=3, random_state=0)
    model.fit(X, y)
    foremost = sorted(range(5), key=lambda number: squared_loss(model, number))[:3]
    smooth = {s.map for s in model.atlas_.settings if s.loss == "logistic"}
    assert smooth == {*range(5), *(5 + kind for kind in foremost), *(10 + kind for kind in foremost)}


def test_further_draws_of_cheap_maps_take_no_place_of_dear_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsvv.selection.tour.CHEAP", 2000)
    X, y, _ = iris()
    dear = Nystroem(60, width=100.0)
    model = LSVVClassifierCV(
        features=[RandomFourier(20), dear], ridge=(1e-3, 1e-1), manifold=0.0, n_draws=2, random_state=0
    )
    model.fit(X, y)
    assert {5} < {s.kind for s in model.atlas_.settings if s.loss == "logistic"}


def test_further_draws_look_only_where_the_first_found_something() -> None:
    X, truth = load_digits(return_X_y=True)
    y = np.where(np.arange(len(truth)) % 3 == 0, truth, -1)
    model = LSVVClassifierCV(features=RandomFourier(30, width="median"), loss="squared", n_draws=2, random_state=0)
    model.fit(X / 16, y)
    tried = [{(s.manifold, s.ridge) for s in model.atlas_.settings if s.map == draw} for draw in (0, 1)]
    assert {(s.manifold, s.ridge) for s in model.atlas_.counting_squared(0)} <= tried[1] < tried[0]
    supervised = model.limited_to(lambda setting: setting.is_supervised)
    assert {family.map for family in supervised._ensemble.families} == {0, 1}


def test_a_smooth_loss_meets_the_best_manifold_term_where_every_other_one_does_not_count() -> None:
    X, y, _ = iris()
    model = LSVVClassifierCV(features=Linear(), ridge=(1e-3, 1e-2), manifold=(0.0, 1e-2, 1e6), power=2, spectral=0.0)
    model.fit(X, np.where(y < 0, load_iris().target, y))
    assert {s.manifold for s in model.atlas_.counting_squared(0)} == {0.0, 1e-2}
    assert {s.manifold for s in model.atlas_.settings if s.loss == "logistic"} == {0.0, 1e-2}


def test_no_further_draw_meets_a_smooth_loss_its_first_did_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsvv.selection.tour.CHEAP", 1000)
    X, y, _ = iris()
    fixed = [RandomFourier(30, width=0.5, random_state=seed) for seed in range(3)]
    poor = RandomFourier(30, width=30.0)
    model = LSVVClassifierCV(features=[*fixed, poor], ridge=1e-3, manifold=0.0, n_draws=3, random_state=0).fit(X, y)
    assert {s.map for s in model.atlas_.settings if s.loss == "logistic"} == {0, 1, 2}


def test_scores_that_are_probabilities_already_are_left_alone() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), rng.choice(3, size=400, p=[0.5, 0.4, 0.1])
    model = LSVVClassifierCV(features=Linear(), loss="squared", ridge=0.1, manifold=0.0, spectral=0.0).fit(X, y)
    (family,) = model._ensemble.families
    assert family.temperature is None
    told, _, _ = iris()
    clear = LSVVClassifierCV(features=Linear(), loss="squared", ridge=0.1, manifold=0.0, spectral=0.0)
    (family,) = clear.fit(told, load_iris().target)._ensemble.families
    assert family.temperature is not None


@pytest.mark.parametrize("manifold", [0.0, 1.0])
def test_many_wide_maps_need_no_manifold_axis(manifold: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsvv.selection.tour.WIDE", 20)
    X, y, truth = iris()
    model = LSVVClassifierCV(**{**SMALL, "features": RandomFourier(30), "manifold": manifold}).fit(X, y)
    assert {setting.manifold for setting in model.atlas_.settings} == {manifold}
    assert model.score(X, truth) > 0.8


def test_more_columns_than_rows_take_no_label_from_the_atlas(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = iris()
    monkeypatch.setattr("lsvv.selection.search.MOST_ENTRIES", 150 * np.sum(y >= 0))
    wide = np.hstack([X, np.zeros((150, 1000))])
    model = LSVVClassifierCV(**{**SMALL, "features": Linear()}).fit(wide, y)
    assert model.labelled_.size == np.sum(y >= 0)
    assert model.best_estimator_ is None


def test_the_best_setting_is_as_sure_as_the_core() -> None:
    X, truth = load_digits(return_X_y=True)
    y = np.full(truth.size, -1)
    y[::25] = truth[::25]
    settings: dict[str, Any] = {
        "features": RandomFourier(200),
        "loss": "squared",
        "ridge": (1e-5, 1e-3),
        "manifold": (0.0, 1.0),
    }
    model = LSVVClassifierCV(**settings, selection="best", spectral=0.0, n_draws=1, random_state=0).fit(X / 16, y)
    best: Any = model.best_estimator_
    np.testing.assert_allclose(model.predict_proba(X / 16), best.predict_proba(X / 16))


def test_squared_scores_of_classes_are_averaged_as_probabilities() -> None:
    X, y, _ = iris()
    model = LSVVClassifierCV(**{**SMALL, "loss": "squared"}).fit(X, y)
    for family in model._ensemble.families:
        scores = np.random.default_rng(0).normal(size=(4, 3))
        np.testing.assert_allclose(family.expectation(scores).sum(axis=1), 1.0)
        assert (family.expectation(scores).argmax(axis=1) == scores.argmax(axis=1)).all()
    numbers = LSVVRegressorCV(features=Linear(), ridge=1e-3).fit(X[:, :2], X[:, 2])
    assert {family.temperature for family in numbers._ensemble.families} == {None}


def squared_loss(model: LSVVClassifierCV, number: int) -> float:
    """The smallest leave-one-out loss of a map under the squared loss."""
    return min(
        float(loss.sum())
        for s, loss in zip(model.atlas_.settings, model.atlas_.losses, strict=True)
        if s.map == number and s.loss == "squared"
    )


def test_memory_for_members_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, truth = iris()
    monkeypatch.setattr("lsvv.selection.search.MEMBER_BYTES", 0)
    model = LSVVClassifierCV(**{**SMALL, "spectral": 0.0}).fit(X, y)
    families = Counter((m.setting.map, m.setting.loss) for m in model.atlas_.members)
    assert max(families.values()) <= 16
    best = min((m for m in model.atlas_.members if not m.setting.taught), key=lambda m: float(m.losses.sum()))
    assert best.losses.sum() == pytest.approx(min(float(loss.sum()) for loss in model.atlas_.losses))
    assert model.score(X, truth) > 0.85


def test_a_loss_too_dear_for_every_map_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = iris()
    both = {**SMALL, "loss": ("squared", "logistic")}
    assert not any("loss was left out" in note for note in LSVVClassifierCV(**both).fit(X, y).notes_)
    for name in ("CHEAP", "DEAR"):
        monkeypatch.setattr(f"lsvv.selection.tour.{name}", 0)
    notes = LSVVClassifierCV(**both).fit(X, y).notes_
    assert any("The logistic loss was left out" in note for note in notes)


def taught(model: Any) -> list[Any]:
    return [member for member in model.atlas_.members if member.setting.taught]


def test_taught_members_have_half_of_the_average_at_most_and_are_no_settings() -> None:
    X, y, _ = iris(step=10)
    model = LSVVClassifierCV(**SMALL).fit(X, y)
    assert {(m.setting.map, m.setting.loss) for m in taught(model)} == {(0, "squared"), (0, "logistic")}
    assert not any(setting.taught for setting in model.atlas_.settings)
    assert len(model.cv_results_["params"]) == len(model.atlas_.settings) == len(model.loo_)
    share = sum(w[0] for w, m in zip(model.weights_, model.atlas_.members, strict=True) if m.setting.taught)
    assert 0.0 < share <= 0.5
    assert f"Fits to what was expected of unlabelled rows make up {100 * share:.0f} % of the average." in model.notes_
    without = model.limited_to(lambda setting: not setting.taught)
    assert not any("expected of unlabelled rows" in note for note in without.notes_)
    with pytest.raises(ValueError, match="No setting of the atlas is allowed"):
        model.limited_to(lambda setting: setting.taught)


def test_what_is_taught_finds_clusters_that_few_labels_do_not_show() -> None:
    data = load_wine()
    X, truth = (data.data - data.data.min(axis=0)) / np.ptp(data.data, axis=0), data.target
    rng = np.random.default_rng(0)
    gains = []
    for _ in range(5):
        y = np.full(len(X), -1)
        some = rng.choice(len(X), 15, replace=False)
        y[some] = truth[some]
        model = LSVVClassifierCV(features=Linear(), random_state=0).fit(X, y)
        gains.append(model.score(X, truth) - model.limited_to(lambda setting: not setting.taught).score(X, truth))
    assert np.mean(gains) > 0.005


def test_a_hinge_does_not_teach() -> None:
    X, y, _ = iris(step=10)
    assert taught(LSVVClassifierCV(**SMALL, loss="smooth_hinge").fit(X, y)) == []


def labelled_at(rows: slice) -> np.ndarray:
    y, truth = np.full(150, -1), iris()[2]
    y[rows] = truth[rows]
    return y


@pytest.mark.parametrize(
    ("labelled", "changes"),
    [
        (slice(0, None, 10), {"manifold": 0.0}),
        (slice(0, None, 10), {"selection": "best"}),
        (slice(None), {}),
        (slice(10, None, 40), {}),
    ],
    ids=["supervised by choice", "one setting", "all labelled", "fewer labels than folds"],
)
def test_nothing_is_taught_where_it_is_not_asked_for_or_cannot_be(labelled: slice, changes: dict[str, Any]) -> None:
    assert taught(LSVVClassifierCV(**{**SMALL, **changes}).fit(iris()[0], labelled_at(labelled))) == []


def test_only_few_rows_are_taught(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = iris(step=10)
    for most, some in ((150 * 20 * 3, True), (150 * 20 * 3 - 1, False)):
        monkeypatch.setattr("lsvv.selection.tour.TEACHABLE", most)
        assert bool(taught(LSVVClassifierCV(**SMALL).fit(X, y))) == some
