"""Displays: what they hold and what they draw, without a screen."""

from collections.abc import Iterator

import numpy as np
import pytest
import scipy.sparse as sp

from lsvv import LSVVClassifier, LSVVClassifierCV
from lsvv.features import Linear
from lsvv.graph import KNNGraph, NeighborGraph
from lsvv.report import AtlasDisplay, GraphDisplay, LearningCurveDisplay, SpectrumDisplay

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def no_figure_stays_open() -> Iterator[None]:
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    return rng.normal(size=(90, 4)) + 3.0 * np.eye(3, 4)[y], y


@pytest.fixture(scope="module")
def searched(rows: tuple[np.ndarray, np.ndarray]) -> LSVVClassifierCV:
    X, y = rows
    return LSVVClassifierCV(features=Linear(), random_state=0).fit(X, np.where(np.arange(90) < 30, y, -1))


def test_spectrum_marks_the_tail(rows: tuple[np.ndarray, np.ndarray]) -> None:
    model = LSVVClassifier(features=Linear(), spectral=0.01, free_rank=1).fit(*rows)
    display = SpectrumDisplay.from_estimator(model)
    assert display.first_penalised == 1
    assert [bar.get_height() for bar in display.bars_] == pytest.approx(model.singular_values_)
    assert display.bars_[0].get_facecolor() != display.bars_[1].get_facecolor()
    assert display.ax_.get_legend() is not None


def test_spectrum_without_a_tail_has_one_colour(rows: tuple[np.ndarray, np.ndarray]) -> None:
    display = SpectrumDisplay.from_estimator(LSVVClassifier(features=Linear()).fit(*rows))
    assert display.first_penalised is None
    assert len({bar.get_facecolor() for bar in display.bars_}) == 1
    assert display.ax_.get_legend() is None


def test_spectrum_of_an_average_goes_to_given_axes(searched: LSVVClassifierCV) -> None:
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    display = SpectrumDisplay.from_estimator(searched, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure


def test_spectrum_of_a_refitted_setting_marks_its_tail(rows: tuple[np.ndarray, np.ndarray]) -> None:
    model = LSVVClassifierCV(features=Linear(), loss="squared", spectral=0.01, free_rank=1, selection="best")
    display = SpectrumDisplay.from_estimator(model.fit(*rows))
    assert display.first_penalised == 1
    assert model.best_estimator_ is not None
    assert display.singular_values == pytest.approx(model.best_estimator_.singular_values_)


def test_atlas_stars_the_best_setting(searched: LSVVClassifierCV) -> None:
    display = AtlasDisplay.from_estimator(searched)
    settings = [(line, ridge) for line in searched.plan_ for ridge in sorted(line.ridges, reverse=True)]
    line, ridge = settings[searched.best_index_]
    assert display.axis == display.ax_.get_ylabel() == "smoothing"
    assert display.best == (line.smoothing, ridge)
    assert line.smoothing == searched.best_params_["smoothing"]
    assert display.im_.get_array().shape == display.losses.shape == (len(display.values), len(display.ridges))
    assert np.nanmin(display.losses) == searched.loo_.min()


def test_the_ridges_of_the_axis_are_shares_of_one_unit_for_each_candidate(searched: LSVVClassifierCV) -> None:
    settings = [(place, r) for place, line in enumerate(searched.plan_) for r in sorted(line.ridges, reverse=True)]
    units: dict[int, set[str]] = {}
    for (place, share), ridge in zip(settings, searched.cv_results_["param_ridge"], strict=True):
        units.setdefault(place, set()).add(f"{ridge / share:.9g}")
    assert all(len(found) == 1 for found in units.values())


def test_where_the_manifold_alone_is_searched_it_is_the_axis(rows: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = rows
    model = LSVVClassifierCV(features=Linear(), loss="squared", smoothing=0.0, random_state=0)
    model.set_params(ridge=(0.01, 0.1), manifold=(0.0, 0.1, 1.0), power=(1, 2))
    model.fit(X, np.where(np.arange(90) < 30, y, -1))
    for panel in (0, 1):
        display = AtlasDisplay.from_estimator(model, panel=panel)
        assert (display.axis, display.values, display.ridges) == ("manifold", (0.0, 0.1, 1.0), (0.01, 0.1))
        # without the manifold term powers do not differ
        assert np.isfinite(display.losses).all()
    best = model.best_params_
    assert AtlasDisplay.from_estimator(model).best == (best["manifold"], best["ridge"])


def test_atlas_names_the_panels_there_are(searched: LSVVClassifierCV) -> None:
    with pytest.raises(ValueError, match=r"panel=9 is not there. Choose one from 0 to 1."):
        AtlasDisplay.from_estimator(searched, panel=9)


def test_learning_curves_have_a_score_for_every_draw(rows: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = rows
    models = {f"smoothing {a:g}": LSVVClassifier(features=Linear(), smoothing=a) for a in (0.0, 0.9)}
    curve = LearningCurveDisplay.from_estimator(models, X, y, n_labels=[6, 30], n_repeats=3)
    assert {name: values.shape for name, values in curve.scores.items()} == dict.fromkeys(models, (3, 2))
    assert [text.get_text() for text in curve.ax_.get_legend().get_texts()] == list(models)
    assert all(np.all((values > 0.3) & (values <= 1.0)) for values in curve.scores.values())


def test_a_learning_curve_of_one_model_is_called_by_its_class(rows: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = rows
    partly = np.where(np.arange(90) < 60, y, -1)
    curve = LearningCurveDisplay.from_estimator(
        LSVVClassifier(features=Linear()), X, partly, n_labels=[10], n_repeats=1, score_name="accuracy"
    )
    assert list(curve.scores) == ["LSVVClassifier"]
    assert curve.ax_.get_ylabel() == "accuracy"


@pytest.mark.parametrize("labels", ["classes", "names", "numbers", "none"])
def test_graphs_draw_each_edge_once(rows: tuple[np.ndarray, np.ndarray], labels: str) -> None:
    X, y = rows
    partly = {
        "classes": np.where(np.arange(90) < 30, y, -1),
        "names": np.array([f"k{k}" if i < 30 else None for i, k in enumerate(y)], dtype=object),
        "numbers": np.where(np.arange(90) < 30, X[:, 0], np.nan),
        "none": None,
    }[labels]
    display = GraphDisplay.from_rows(X, partly, n_neighbors=4)
    S = KNNGraph().build(X, 4)
    assert len(display.edges) == S.nnz // 2
    assert np.all(display.edges[:, 0] < display.edges[:, 1])
    assert len(display.lines_.get_segments()) == len(display.edges)


def test_a_ready_graph_is_drawn_as_it_is(rows: tuple[np.ndarray, np.ndarray]) -> None:
    S = sp.csr_array(([1.0, 1.0], ([0, 5], [5, 0])), shape=(90, 90))
    assert GraphDisplay.from_rows(rows[0], graph=NeighborGraph(S)).edges.tolist() == [[0, 5]]
    assert GraphDisplay.from_rows(sp.csr_array(rows[0]), graph=S).edges.tolist() == [[0, 5]]


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_missing(_: str) -> None:
        raise ModuleNotFoundError(name="matplotlib")

    monkeypatch.setattr("lsvv.extras.import_module", is_missing)
    with pytest.raises(ImportError, match=r"SpectrumDisplay.plot needs matplotlib.*lsvv\[plot\]"):
        SpectrumDisplay([1.0]).plot()
