"""Networks as features: what they learn from, W exact on top, and honesty about labels that were seen."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator

import laws
from lsvv import LSVVClassifier, LSVVClassifierCV, LSVVRegressor
from lsvv.features import Neural
from lsvv.graph import KNNGraph

SMALL: dict[str, Any] = {"hidden": (16, 8), "batch_size": 32, "learning_rate": 1e-2, "patience": 3, "random_state": 0}
GRAPHS: list[dict[str, Any]] = [
    {"smoothing": 0.0},
    {"smoothing": 0.95},
    {"smoothing": 0.0, "manifold": 3.0, "power": 1},
]
HELD_OUT = "the labels held out are drawn by place: a row of weight 2 is drawn once, two rows may be parted"


@pytest.fixture(scope="module", name="moons")
def two_moons() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, truth = make_moons(300, noise=0.1, random_state=0)
    return X, truth, np.where(np.arange(300) < 40, truth, -1)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_is_a_scikit_learn_transformer() -> None:
    drawn = {f"check_sample_weight_equivalence_on_{kind}_data": HELD_OUT for kind in ("dense", "sparse")}
    laws.assert_fails_only(Neural(hidden=(4,), max_iter=1, random_state=0), drawn)


def test_the_same_seed_gives_the_same_network_and_leaves_torch_alone(moons: tuple[np.ndarray, ...]) -> None:
    X, _, y = moons
    torch.manual_seed(7)
    first = Neural(**SMALL).fit_transform(X, y)
    after = torch.rand(1)
    torch.manual_seed(8)
    np.testing.assert_array_equal(Neural(**SMALL).fit_transform(X, y), first)
    torch.manual_seed(7)
    assert after == torch.rand(1)
    other = clone(Neural(**SMALL)).set_params(random_state=1).fit_transform(X, y)
    assert not np.allclose(other, first)


@pytest.mark.parametrize("terms", [{"smoothing": 0.0}, {"smoothing": 0.9}, {"manifold": 0.1, "spectral": 1e-3}])
def test_w_is_solved_exactly_on_the_features_as_they_are(moons: tuple[np.ndarray, ...], terms: dict[str, Any]) -> None:
    X, _, y = moons
    model = LSVVClassifier(features=Neural(**SMALL), **terms).fit(X, y)
    again = LSVVClassifier(features=FrozenEstimator(model.feature_map_), **terms).fit(X, y)
    np.testing.assert_allclose(again.coef_, model.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(again.decision_function(X), model.decision_function(X), rtol=1e-6, atol=1e-8)
    assert model.solution_.converged


def test_features_have_a_mean_squared_length_of_one(moons: tuple[np.ndarray, ...]) -> None:
    X, _, y = moons
    Phi = Neural(**SMALL).fit_transform(X, y)
    np.testing.assert_allclose(np.mean(np.sum(Phi**2, axis=1)), 1.0, rtol=1e-5)


def test_the_graph_teaches_what_labels_alone_do_not() -> None:
    X, truth = make_moons(400, noise=0.08, random_state=3)
    y = np.full(400, -1)
    for kind in (0, 1):
        y[np.flatnonzero(truth == kind)[:4]] = kind
    alone, by_walks, by_edges = (LSVVClassifier(features=Neural(**SMALL), **terms).fit(X, y) for terms in GRAPHS)
    errors = [float(np.mean(model.transduction_ != truth)) for model in (alone, by_walks, by_edges)]
    assert errors[1] < 0.6 * errors[0]
    assert errors[2] < 0.8 * errors[0]


def test_the_tail_penalty_lowers_the_rank_of_what_is_learnt(rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 3))
    curve = np.tanh(X[:, :1])
    Y = curve @ rng.normal(size=(1, 6)) + 0.3 * rng.normal(size=(200, 6))
    ranks = [
        LSVVRegressor(features=Neural(**SMALL), smoothing=0, ridge=1e-4, spectral=tail).fit(X, Y).effective_rank_
        for tail in (0.0, 0.3)
    ]
    assert ranks[1] < ranks[0]


def test_unlabelled_rows_are_not_looked_at_where_no_term_asks(moons: tuple[np.ndarray, ...]) -> None:
    X, _, y = moons
    Z = X.copy()
    Z[y < 0] += 100.0
    first, second = (LSVVClassifier(features=Neural(**SMALL), smoothing=0).fit(rows, y) for rows in (X, Z))
    np.testing.assert_array_equal(first.coef_, second.coef_)


def test_probabilities_and_ridge_are_judged_by_labels_that_no_feature_has_seen(rng: np.random.Generator) -> None:
    # a network learns noise by heart; a judge who has seen its labels would believe it
    X, y = rng.normal(size=(120, 5)), rng.integers(2, size=120)
    wide = Neural((64,), learning_rate=1e-2, patience=5, random_state=0)
    model = LSVVClassifier(features=wide, smoothing=0).fit(X, y)
    assert np.mean(model.predict(X) == y) > 0.6
    assert model.predict_proba(X).max() < 0.9
    noise = rng.normal(size=120)
    judged = LSVVRegressor(features=wide, smoothing=0).fit(X, noise)
    assert judged.ridge_ > 1e-3
    assert set(judged.feature_map_.unseen_) < set(range(120))


def test_rows_known_for_some_outputs_only(rng: np.random.Generator) -> None:
    X = rng.uniform(-2, 2, size=(200, 2))
    truth = np.stack([X[:, 0] * X[:, 1], np.sin(X[:, 0])], axis=1)
    Y = truth.copy()
    Y[::2, 0], Y[1::2, 1] = np.nan, np.nan
    model = LSVVRegressor(features=Neural(**{**SMALL, "patience": 10}), smoothing=0).fit(X, Y)
    assert model.score(X, truth) > 0.8


@pytest.mark.parametrize("kind", [sp.csr_array, torch.as_tensor, np.float32])
def test_every_kind_of_rows(moons: tuple[np.ndarray, ...], kind: Any) -> None:
    X, _, y = moons
    expected = Neural(**SMALL).fit(X, y).transform(X)
    rows = kind(X)
    found = Neural(**SMALL).fit(rows, y).transform(rows)
    assert isinstance(found, torch.Tensor) == isinstance(rows, torch.Tensor)
    np.testing.assert_allclose(np.asarray(found), expected, atol=1e-3)


def test_a_network_of_ones_own_is_copied_and_starts_as_it_is(moons: tuple[np.ndarray, ...]) -> None:
    X, _, y = moons
    torch.manual_seed(0)
    mine = torch.nn.Sequential(torch.nn.Linear(2, 12), torch.nn.Tanh())
    before = mine[0].weight.detach().clone()
    settings = {**SMALL, "learning_rate": 1e-12, "max_iter": 4}
    phi = Neural(network=mine, **settings).fit(X, y)
    assert torch.equal(mine[0].weight, before)
    expected = phi.scale_ * mine.double()(torch.as_tensor(X)).detach().numpy()
    np.testing.assert_allclose(phi.transform(X), expected, rtol=1e-5)
    made = Neural(network=lambda d: torch.nn.Linear(d, 3), **SMALL).fit(X, y)
    assert made.transform(X).shape == (300, 3)


def test_a_fitted_network_can_be_kept(moons: tuple[np.ndarray, ...]) -> None:
    X, _, y = moons
    model = LSVVClassifier(features=Neural(**SMALL)).fit(X, y)
    kept = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(kept.predict_proba(X), model.predict_proba(X))


def test_progress_is_told(moons: tuple[np.ndarray, ...], capsys: pytest.CaptureFixture[str]) -> None:
    X, _, y = moons
    phi = Neural(**SMALL, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == phi.n_iter_ == len(phi.held_out_losses_)
    assert lines[0].startswith("[Neural] look 1: loss of the labels held out ")


def test_training_that_was_cut_short_is_told(moons: tuple[np.ndarray, ...]) -> None:
    X, _, y = moons
    with pytest.warns(ConvergenceWarning, match=r"Neural stopped after 2 looks .* Raise max_iter or learning_rate"):
        Neural(**SMALL, max_iter=2).fit(X, y)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"hidden": ()}, r"hidden=\(\) is out of range. Pass a sequence of integers"),
        ({"hidden": 3}, "hidden=3 is out of range"),
        ({"learning_rate": 0.0}, "learning_rate=0.0 is out of range. Pass a finite number above 0"),
        ({"validation_fraction": 1.0}, "validation_fraction=1.0 is out of range"),
        ({"learning_rate": 1e30}, r"The loss of the network is (nan|inf) at step \d+. The likely cause is a learning"),
        ({"network": torch.nn.Unflatten(1, (1, 2))}, r"an output of shape \(2, 1, 2\) of 2 rows. Pass one that makes"),
        ({"network": torch.nn.Linear(3, 2)}, r"does not take rows of 2 columns: mat1 and mat2"),
        ({"network": 3}, "network=3 is not a network"),
        pytest.param(
            {"network": lambda d: d},
            "is not a network. Pass a torch.nn.Module, or a function",
            id="a function of no module",
        ),
        ({"device": "tpu9"}, "device='tpu9' is not known to torch"),
    ],
    ids=str,
)
def test_what_cannot_be_trained_is_refused(
    moons: tuple[np.ndarray, ...], settings: dict[str, Any], sentence: str
) -> None:
    X, _, y = moons
    with pytest.raises(ValueError, match=sentence):
        Neural(**{**SMALL, **settings}).fit(X, y)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_named(moons: tuple[np.ndarray, ...]) -> None:
    with pytest.raises(ValueError, match="device='cuda' asks for a GPU, but torch finds none"):
        Neural(device="cuda").fit(moons[0], moons[2])


def test_labels_are_needed_in_pairs() -> None:
    X = np.arange(6.0).reshape(3, 2)
    with pytest.raises(ValueError, match="Neural learns from labels and holds some out, but no output or class has a"):
        Neural().fit(X, [0, 1, -1])


def test_a_search_and_a_graph_on_features_are_refused(moons: tuple[np.ndarray, ...]) -> None:
    X, _, y = moons
    with pytest.raises(ValueError, match=r"Neural learns from labels, so leaving a label out .* judge it too well"):
        LSVVClassifierCV(features=["linear", Neural()]).fit(X, y)
    with pytest.raises(ValueError, match=r"Neural learns its features over the graph, so KNNGraph\(on='features'\)"):
        LSVVClassifier(features=Neural(), graph=KNNGraph(on="features")).fit(X, y)


def test_rows_that_are_not_in_memory_are_refused(moons: tuple[np.ndarray, ...]) -> None:
    X, _, y = moons
    with pytest.raises(ValueError, match="Neural learns from labels, in rows that are in memory"):
        LSVVClassifier(features=Neural(**SMALL), smoothing=0).fit(iter([X[:150], X[150:]]), y)
