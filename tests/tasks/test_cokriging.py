"""Co-kriging: the evidence and the posterior of the exact Gaussian process, and honest deviations."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning

import laws
from lsvv.features import Nystroem
from lsvv.features.kernels import Kernel, as_kernel
from lsvv.tasks import CoKriging
from lsvv.tasks.likelihood import Entries, Law, log_evidence, posterior

B = np.array([[1.0, 0.6], [0.6, 0.8]])


def some_entries(rng: np.random.Generator, n: int = 25) -> tuple[Entries, Law]:
    entries = Entries(rng.uniform(size=(n, 2)), np.arange(n) % 2, rng.normal(size=n), 2)
    return entries, Law(B, np.array([0.05, 0.2]), 0.4)


def covariance(kernel: Kernel, entries: Entries, law: Law) -> np.ndarray:
    k, places = entries.field, entries.X / law.width
    return np.asarray(law.B[np.ix_(k, k)] * kernel.values(places, places) + np.diag(law.noise[k]))


@pytest.mark.parametrize("name", ["gaussian", "matern"])
def test_the_evidence_is_the_density_and_its_slopes_are_its_slopes(rng: np.random.Generator, name: str) -> None:
    kernel = as_kernel(name)
    entries, law = some_entries(rng)
    value, by_B, by_noise, by_width = log_evidence(kernel, entries, law)

    def log_density(law: Law) -> float:
        return float(multivariate_normal(cov=covariance(kernel, entries, law)).logpdf(entries.y))

    np.testing.assert_allclose(value, log_density(law), rtol=1e-10)
    h = 1e-6
    for k in range(2):
        step = h * np.eye(2)[k]
        up, down = (log_density(Law(law.B, law.noise + s * step, law.width)) for s in (1, -1))
        np.testing.assert_allclose(by_noise[k], (up - down) / (2 * h), rtol=1e-5)
    direction = np.array([[0.3, -0.7], [-0.7, 0.2]])
    up, down = (log_density(Law(law.B + s * h * direction, law.noise, law.width)) for s in (1, -1))
    np.testing.assert_allclose(np.sum(by_B * direction), (up - down) / (2 * h), rtol=1e-5)
    up, down = (log_density(Law(law.B, law.noise, law.width * np.exp(s * h))) for s in (1, -1))
    np.testing.assert_allclose(by_width, (up - down) / (2 * h), rtol=1e-4)


def test_with_all_places_as_landmarks_the_posterior_is_the_exact_one(rng: np.random.Generator) -> None:
    kernel = as_kernel("matern")
    entries, law = some_entries(rng)
    new = rng.uniform(size=(9, 2))
    phi = Nystroem(25, width=law.width, kernel="matern").fit(entries.X)
    found = posterior(phi.transform(entries.X), entries, law)
    cross = np.asarray(kernel.values(new / law.width, entries.X / law.width))
    inverse = np.linalg.inv(covariance(kernel, entries, law))
    for k in range(2):
        c = cross * B[k, entries.field]
        np.testing.assert_allclose((phi.transform(new) @ found.W)[:, k], c @ inverse @ entries.y, atol=1e-7)
        exact = B[k, k] - np.einsum("ij,jk,ik->i", c, inverse, c)
        # what landmarks leave out is added as if no entry knew of it
        assert np.all(found.variances(phi.transform(new))[:, k] >= exact - 1e-8)
    at_places = found.variances(phi.transform(entries.X))
    c = np.asarray(kernel.values(entries.X / law.width, entries.X / law.width)) * B[0, entries.field]
    np.testing.assert_allclose(at_places[:, 0], B[0, 0] - np.einsum("ij,jk,ik->i", c, inverse, c), atol=1e-6)


@pytest.fixture(scope="module", name="fields")
def two_fields() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 2))
    K = np.asarray(as_kernel("gaussian").values(X / 0.2, X / 0.2)) + 1e-9 * np.eye(400)
    shared = np.linalg.cholesky(K) @ rng.normal(size=(400, 1))
    truth = shared @ np.array([[1.0, -2.0]]) + 5.0
    Y = truth + 0.1 * rng.normal(size=(400, 2))
    return X, truth, Y


def test_a_field_helps_the_other(fields: tuple[np.ndarray, ...]) -> None:
    X, truth, Y = fields
    seen = Y.copy()
    seen[15:, 0], seen[:15, 1] = np.nan, np.nan
    together = CoKriging(100, random_state=0).fit(X, seen)
    alone = CoKriging(100, random_state=0).fit(X[:15], seen[:15, 0])
    errors = [np.mean((one - truth[:, 0]) ** 2) for one in (together.predict(X)[:, 0], alone.predict(X))]
    assert errors[0] < 0.1 * errors[1]
    correlation = together.covariance_ / np.sqrt(np.outer(*[np.diag(together.covariance_)] * 2))
    assert correlation[0, 1] < -0.9
    np.testing.assert_allclose(together.width_, 0.2, rtol=0.3)
    np.testing.assert_allclose(together.noise_[1], 0.01, rtol=0.5)


def test_intervals_hold_what_they_say(fields: tuple[np.ndarray, ...]) -> None:
    X, _, Y = fields
    seen = Y[:200].copy()
    seen[::2, 0], seen[1::2, 1] = np.nan, np.nan
    model = CoKriging(200, random_state=0).fit(X[:200], seen)
    for level in (0.5, 0.9):
        low, high = model.predict_interval(X[200:], level)
        share = np.mean((low <= Y[200:]) & (Y[200:] <= high))
        assert abs(share - level) < 0.09
    middle, deviation = model.predict(X[200:], return_std=True)
    np.testing.assert_allclose(0.5 * (low + high), middle)
    assert deviation.shape == middle.shape == (200, 2)


def test_far_from_all_places_the_deviation_is_that_of_the_field(fields: tuple[np.ndarray, ...]) -> None:
    X, _, Y = fields
    model = CoKriging(100, random_state=0).fit(X, Y[:, 0])
    middle, deviation = model.predict(X[:1] + 100.0, return_std=True)
    np.testing.assert_allclose(middle, Y[:, 0].mean(), rtol=1e-6)
    np.testing.assert_allclose(deviation, np.sqrt(model.covariance_[0, 0] + model.noise_), rtol=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_is_a_scikit_learn_regressor() -> None:
    laws.assert_fails_only(CoKriging(20, random_state=0), {})


def test_it_is_kept_and_takes_frames(fields: tuple[np.ndarray, ...]) -> None:
    X, _, Y = fields
    frame = pd.DataFrame(X[:60], columns=["east", "north"])
    model = CoKriging(30, random_state=0).fit(frame, Y[:60])
    kept = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(kept.predict(frame), model.predict(frame))
    assert model.score(frame, Y[:60]) > 0.8


@pytest.mark.parametrize(
    ("settings", "y", "sentence"),
    [
        ({}, [[1.0, 2.0], [2.0, np.nan], [0.5, np.nan]], "Column 1 of y has one known entry; a field needs two"),
        ({"width": "wide"}, [1.0, 2.0, 3.0], "width='wide' is not a width"),
        ({"kernel": "rbf"}, [1.0, 2.0, 3.0], "kernel='rbf' is not known"),
        ({"most_entries": 0}, [1.0, 2.0, 3.0], "most_entries=0 is out of range"),
    ],
)
def test_what_cannot_be_learnt_is_refused(settings: dict[str, Any], y: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        CoKriging(**settings).fit([[0.0], [1.0], [2.0]], y)


def test_a_level_that_is_no_probability_and_steps_cut_short(fields: tuple[np.ndarray, ...]) -> None:
    X, _, Y = fields
    with pytest.warns(ConvergenceWarning, match="The evidence was still rising after 1 steps"):
        model = CoKriging(20, max_iter=1, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match=r"level=1\.5 is no probability"):
        model.predict_interval(X, 1.5)
