"""The estimator of a task: what it searches, its graph, and what it says of labels it did not see."""

import numpy as np
import pytest

from lsvv import LSVVClassifierCV, LSVVRegressorCV
from lsvv.features import Linear, RandomFourier
from lsvv.graph import KNNGraph, NeighborGraph
from lsvv.tables.model_choice import MANY_ROWS, choose_model, held_out, neighbour_graph


def test_few_rows_get_the_search_as_it_is() -> None:
    for task, kind in (("classes", LSVVClassifierCV), ("tags", LSVVClassifierCV), ("numbers", LSVVRegressorCV)):
        model = choose_model(task, MANY_ROWS, random_state=3)
        assert isinstance(model, kind)
        assert model.get_params() == kind(random_state=3).get_params()


@pytest.mark.parametrize("features", ["auto", "linear", "fourier"])
def test_many_rows_get_fewer_and_smaller_maps_and_less_smoothing(features: str) -> None:
    model = choose_model("classes", MANY_ROWS + 1, features=features)
    maps = model.features if isinstance(model.features, list) else [model.features]
    assert all(isinstance(one, Linear) or one.n_components <= 300 for one in maps)
    assert {type(one) for one in maps} == {
        "auto": {Linear, RandomFourier},
        "linear": {Linear},
        "fourier": {RandomFourier},
    }[features]
    assert set(model.smoothing) < {0.0, 0.8, 0.95, 0.99}


def test_the_graph_is_the_one_a_search_would_build_and_has_room_for_new_rows(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    graph = neighbour_graph(X)
    assert isinstance(graph, NeighborGraph)
    default = KNNGraph(weights="self-tuned").fit(X, LSVVClassifierCV().n_neighbors)
    np.testing.assert_array_equal(graph.S.toarray(), default.S.toarray())
    np.testing.assert_allclose(graph.links(rng.normal(size=(5, 3))).sum(axis=1), 1.0)


def test_what_is_said_of_hidden_labels_has_a_column_an_output(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    known = np.arange(60) % 2 == 0
    kinds = np.where(known, (X[:, 0] > 0).astype(int), -1)
    model = choose_model("classes", 60, features="linear").fit(X, kinds)
    rows, P = held_out(model)
    np.testing.assert_array_equal(rows, np.flatnonzero(known))
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    np.testing.assert_array_equal(P.argmax(axis=1), model.loo_predictions_)
    for numbers in (X[:, 0], X):
        hidden = np.where(known if numbers.ndim == 1 else known[:, None], 50.0 + numbers, np.nan)
        rows, said = held_out(choose_model("numbers", 60, features="linear").fit(X, hidden))
        assert said.shape == (30, 1 if numbers.ndim == 1 else 2)
        assert np.abs(said - hidden[rows].reshape(said.shape)).max() < 1.0
