"""Encoders of texts and pictures as features: frozen, asked once a row, and judged by what they return."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from lsvv import LabeledKFold, LSVVClassifier, LSVVClassifierCV, LSVVRegressor
from lsvv.features import Encoder


class Letters:
    """Counts letters, and remembers what it was asked: as sentence-transformers answer, without their size."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def encode(self, texts: list[str]) -> np.ndarray:
        self.asked.append(list(texts))
        return np.array([[text.count(letter) for letter in "abcdefgh"] for text in texts], dtype=np.float32)


@pytest.fixture(name="texts")
def some_texts(rng: np.random.Generator) -> list[str]:
    return ["".join(rng.choice(list("abcdefgh"), size=12)) for _ in range(90)]


@pytest.fixture(name="truth")
def their_classes(texts: list[str]) -> np.ndarray:
    return np.array(["many" if text.count("a") > 1 else "few" for text in texts])


@pytest.mark.parametrize("kind", [LSVVClassifier, LSVVClassifierCV])
def test_an_estimator_takes_what_the_encoder_takes(kind: Any, texts: list[str], truth: np.ndarray) -> None:
    y = np.where(np.arange(90) < 60, truth, np.array(None))
    model = kind(features=Encoder(Letters()), smoothing=0, random_state=0).fit(texts, y)
    vectors = Letters().encode(texts)
    plain = kind(features="linear", smoothing=0, random_state=0).fit(vectors, y)
    np.testing.assert_allclose(model.predict_proba(texts), plain.predict_proba(vectors))
    assert model.n_features_in_ == 8
    assert model.score(texts, truth) > 0.8


def test_what_follows_may_be_any_map(texts: list[str], truth: np.ndarray) -> None:
    y = np.where(np.arange(90) < 60, truth, np.array(None))
    core = LSVVClassifier(features=Encoder(Letters(), then="fourier"), random_state=0).fit(texts[:70], y[:70])
    assert core.coef_.shape == (2, 2000)
    search = LSVVClassifierCV(features=Encoder(Letters(), then="auto"), random_state=0).fit(texts, y)
    assert "extra trees" in search.kinds_
    with_more = LSVVClassifier(features=Encoder(Letters()), smoothing=0.5).fit(
        texts[:70], y[:70], X_unlabeled=texts[70:]
    )
    assert len(with_more.transduction_) == 90


def test_each_row_is_encoded_once(texts: list[str], truth: np.ndarray) -> None:
    letters = Letters()
    encoder = Encoder(letters, batch_size=40)
    model = LSVVClassifier(features=encoder, smoothing=0).fit(texts, truth)
    model.predict([texts[3], "new one", "new one"])
    clone(model).fit(texts, truth)
    assert [len(rows) for rows in letters.asked] == [40, 40, 10, 1]
    cross_val_score(model, np.array(texts, dtype=object), truth, cv=LabeledKFold(3))
    assert len(letters.asked) == 4
    forgetful = Encoder(Letters(), keep=False)
    forgetful.transform(texts), forgetful.transform(texts)
    assert len(forgetful.model.asked) == 4


def test_rows_come_back_in_their_order(texts: list[str]) -> None:
    encoder = Encoder(Letters(), batch_size=7)
    encoder.transform(texts[10:20])
    np.testing.assert_array_equal(encoder.transform(texts), Letters().encode(texts))


def test_a_torch_module_gets_one_tensor_and_stays_as_it_is(rng: np.random.Generator) -> None:
    pictures = rng.uniform(size=(30, 3, 8, 8))
    torch.manual_seed(0)
    module = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()
    )
    before = pickle.dumps(module.state_dict())
    y = pictures.mean(axis=(1, 2, 3))
    model = LSVVRegressor(features=Encoder(module), smoothing=0).fit(list(pictures), y)
    assert model.coef_.shape == (1, 4)
    assert module.training
    assert pickle.dumps(module.state_dict()) == before
    rows = module.eval()(torch.as_tensor(pictures, dtype=torch.float32)).detach().numpy()
    np.testing.assert_allclose(Encoder(module).transform(pictures), rows, atol=1e-6)


@pytest.mark.parametrize("kind", [list, np.array, lambda rows: pd.Series(rows), lambda rows: pd.DataFrame({"t": rows})])
def test_every_collection_of_texts(kind: Any, texts: list[str]) -> None:
    np.testing.assert_array_equal(Encoder(Letters()).transform(kind(texts)), Letters().encode(texts))


def test_it_is_a_step_of_a_pipeline(texts: list[str], truth: np.ndarray) -> None:
    model = make_pipeline(Encoder(Letters()), LSVVClassifier(features="linear", smoothing=0)).fit(texts, truth)
    direct = LSVVClassifier(features=Encoder(Letters()), smoothing=0).fit(texts, truth)
    np.testing.assert_array_equal(model.predict(texts), direct.predict(texts))


def test_a_pickle_leaves_the_vectors_behind(texts: list[str]) -> None:
    encoder = Encoder(Letters())
    encoder.transform(texts)
    kept = pickle.loads(pickle.dumps(encoder))
    assert len(kept._kept) == 0 < len(encoder._kept)
    np.testing.assert_array_equal(kept.transform(texts), encoder.transform(texts))


def test_progress_is_told(texts: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Encoder(Letters(), batch_size=50, verbose=1).transform([*texts, texts[0]])
    told = capsys.readouterr().out.splitlines()
    assert told[-1] == "[Encoder] 90 of 90 rows encoded, 1 more were known."
    assert len(told) == 2


@pytest.mark.parametrize(
    ("model", "X", "sentence"),
    [
        (lambda rows: [["a", "b"]] * len(rows), ["x"], "The encoder returned str_, such as .*'a'.*, where numbers are"),
        (lambda rows: np.zeros((len(rows), 2, 2)), ["x"], r"an array of shape \(1, 2, 2\) for 1 rows"),
        (lambda rows: np.zeros((1, 2)), ["x", "y"], r"of shape \(1, 2\) for 2 rows. Pass one that returns"),
        (3, ["x"], "model=3 is no encoder"),
        (Letters(), "text", "X is str, not a collection of rows"),
        (Letters(), [], "X has 0 rows"),
    ],
)
def test_what_makes_no_vectors_is_refused(model: Any, X: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Encoder(model).transform(X)


def test_a_transformer_that_returns_strings_is_refused(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2))
    words = FunctionTransformer(lambda rows: np.where(rows > 0, "up", "down"))
    with pytest.raises(
        ValueError, match=r"The transformer given as features= returned what is no number .*'(up|down)'"
    ):
        LSVVRegressor(features=words, smoothing=0).fit(X, X[:, 0])
