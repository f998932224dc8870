"""Scorers: scikit-learn's values where all is known, and nothing unknown ever counts."""

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.model_selection import GridSearchCV, cross_validate

from lsvv import LSVVClassifier, LSVVRegressor
from lsvv.features import RandomFourier
from lsvv.selection.scorers import SCORERS, LabeledScorer, get_scorer
from lsvv.selection.splitters import LabeledKFold

NAN = float("nan")
NUMBERS = ("r2", "neg_root_mean_squared_error")
CLASSES = tuple(name for name in SCORERS if name not in (*NUMBERS, "neg_ranking_loss"))
LABELS = (*CLASSES, "neg_ranking_loss")


@dataclass
class Answers:
    """An estimator that says what it is told; rows of X are numbers of answers."""

    guess: Any
    scores: Any = None
    classes_: Any = None

    def predict(self, X: Any) -> Any:
        return self.guess[X]

    def predict_proba(self, X: Any) -> Any:
        return self.scores[X]


class Ranker(Answers):
    """One with a decision function, which comes before probabilities."""

    def decision_function(self, X: Any) -> Any:
        return 10 * self.scores[X]


def class_problem(rng: np.random.Generator, n: int = 40, K: int = 3) -> tuple[Answers, np.ndarray]:
    p = rng.dirichlet(np.ones(K), size=n)
    y = rng.integers(K, size=n)
    return Answers(p.argmax(axis=1), p, np.arange(K)), y


def label_problem(rng: np.random.Generator, n: int = 40, K: int = 4) -> tuple[Answers, np.ndarray]:
    # few distinct scores, so that some are equal
    p = rng.integers(1, 9, size=(n, K)) / 10
    return Answers((p > 0.5).astype(int), p), rng.integers(2, size=(n, K)).astype(float)


def number_problem(rng: np.random.Generator, n: int = 40, K: int = 3) -> tuple[Answers, np.ndarray]:
    Y = rng.normal(size=(n, K))
    return Answers(Y + 0.3 * rng.normal(size=(n, K))), Y


PROBLEMS = [
    *[(class_problem, name) for name in CLASSES],
    *[(label_problem, name) for name in LABELS],
    *[(number_problem, name) for name in NUMBERS],
]


# ------------------------------------------------------------------------------------------ where all is known

ON_CLASSES = {
    "accuracy": lambda y, m: metrics.accuracy_score(y, m.guess),
    "balanced_accuracy": lambda y, m: metrics.balanced_accuracy_score(y, m.guess),
    "neg_log_loss": lambda y, m: -metrics.log_loss(y, m.scores, labels=m.classes_),
    "neg_brier_score": lambda y, m: (
        -metrics.brier_score_loss(y, m.scores if len(m.classes_) > 2 else m.scores[:, 1], labels=m.classes_)
    ),
    "neg_hamming_loss": lambda y, m: -metrics.hamming_loss(y, m.guess),
    "f1_micro": lambda y, m: metrics.f1_score(y, m.guess, average="micro"),
    "f1_macro": lambda y, m: metrics.f1_score(y, m.guess, average="macro"),
}
ON_LABELS = {
    "accuracy": lambda Y, m: metrics.accuracy_score(Y, m.guess),
    "balanced_accuracy": lambda Y, m: np.mean(
        [metrics.balanced_accuracy_score(t, g) for t, g in zip(Y.T, m.guess.T, strict=True)]
    ),
    "neg_log_loss": lambda Y, m: -metrics.log_loss(Y.ravel(), m.scores.ravel()),
    "neg_brier_score": lambda Y, m: -metrics.brier_score_loss(Y.ravel(), m.scores.ravel()),
    "neg_hamming_loss": lambda Y, m: -metrics.hamming_loss(Y, m.guess),
    "f1_micro": lambda Y, m: metrics.f1_score(Y, m.guess, average="micro"),
    "f1_macro": lambda Y, m: metrics.f1_score(Y, m.guess, average="macro"),
    "neg_ranking_loss": lambda Y, m: -metrics.label_ranking_loss(Y, m.scores),
}
ON_NUMBERS = {
    "r2": lambda Y, m: metrics.r2_score(Y, m.guess),
    "neg_root_mean_squared_error": lambda Y, m: -metrics.root_mean_squared_error(Y, m.guess),
}


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("name", CLASSES)
def test_classes_as_scikit_learn(rng: np.random.Generator, name: str, K: int) -> None:
    model, y = class_problem(rng, K=K)
    assert get_scorer(name)(model, np.arange(40), y) == pytest.approx(ON_CLASSES[name](y, model), rel=1e-12)


@pytest.mark.parametrize("name", LABELS)
def test_labels_as_scikit_learn(rng: np.random.Generator, name: str) -> None:
    model, Y = label_problem(rng)
    assert get_scorer(name)(model, np.arange(40), Y) == pytest.approx(ON_LABELS[name](Y, model), rel=1e-12)


@pytest.mark.parametrize("K", [1, 3])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_as_scikit_learn(rng: np.random.Generator, name: str, K: int) -> None:
    model, Y = number_problem(rng, K=K)
    expected = pytest.approx(ON_NUMBERS[name](Y, model), rel=1e-12)
    assert get_scorer(name)(model, np.arange(40), Y) == expected
    if K == 1:
        assert get_scorer(name)(Answers(model.guess[:, 0]), np.arange(40), Y[:, 0]) == expected


# ---------------------------------------------------------------------------------------- nothing unknown counts


@pytest.mark.parametrize(("problem", "name"), PROBLEMS)
@given(seed=st.integers(0, 2**16))
def test_answers_for_unknown_entries_do_not_matter(problem: Any, name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    model, y = problem(rng)
    other, _ = problem(rng)
    hidden = rng.random(y.shape) < 0.5
    hidden[:5] = False
    seen = np.where(hidden, -1 if y.ndim == 1 else np.nan, y)
    guess = np.where(hidden, other.guess, model.guess)
    scores = None
    if model.scores is not None:
        scores = np.where(hidden[:, None] if y.ndim == 1 else hidden, other.scores, model.scores)
    score = get_scorer(name)
    rows = np.arange(len(y))
    assert score(Answers(guess, scores, model.classes_), rows, seen) == score(model, rows, seen)


@pytest.mark.parametrize(("problem", "name"), PROBLEMS)
def test_unlabelled_rows_do_not_matter(rng: np.random.Generator, problem: Any, name: str) -> None:
    model, y = problem(rng)
    seen = y.copy()
    seen[10:] = -1 if y.ndim == 1 else np.nan
    score = get_scorer(name)
    assert score(model, np.arange(40), seen) == pytest.approx(score(model, np.arange(10), y[:10]), rel=1e-12)


def test_by_hand() -> None:
    Y = np.array([[1, 0, NAN], [NAN, 1, 0], [NAN, NAN, NAN], [1, NAN, NAN]])
    guess = np.array([[1, 1, 1], [0, 1, 0], [1, 1, 1], [0, 0, 0]])
    scores = np.array([[0.9, 0.9, 0.1], [0.1, 0.8, 0.3], [0.5, 0.5, 0.5], [0.5, 0.5, 0.5]])
    model, rows = Ranker(guess, scores), np.arange(4)
    assert SCORERS["accuracy"](model, rows, Y) == pytest.approx(1 / 3)
    assert SCORERS["neg_hamming_loss"](model, rows, Y) == pytest.approx(-2 / 5)
    assert SCORERS["f1_micro"](model, rows, Y) == pytest.approx(4 / 6)
    # label 2 has no 1 to find and none found: it is left out
    assert SCORERS["f1_macro"](model, rows, Y) == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert SCORERS["balanced_accuracy"](model, rows, Y) == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    # row 0: a tie is wrong; row 1: right; row 3: no pair
    assert SCORERS["neg_ranking_loss"](model, rows, Y) == pytest.approx(-1 / 3)
    assert SCORERS["neg_brier_score"](model, rows, Y) == pytest.approx(-(0.01 + 0.81 + 0.04 + 0.09 + 0.25) / 5)


def test_nothing_to_find_and_nothing_found() -> None:
    model = Answers(np.zeros((2, 2), dtype=int))
    for name in ("f1_micro", "f1_macro"):
        assert SCORERS[name](model, np.arange(2), [[0, None], [0, 0]]) == 1.0


def test_a_class_that_never_trained() -> None:
    model = Answers(np.array([0, 1]), np.array([[0.7, 0.3], [0.4, 0.6]]), np.array([0, 1]))
    rows, y = np.arange(2), np.array([0, 2])
    least = np.log(np.finfo(float).eps)
    assert SCORERS["neg_log_loss"](model, rows, y) == pytest.approx((np.log(0.7) + least) / 2)
    assert SCORERS["neg_brier_score"](model, rows, y) == pytest.approx(-(0.18 + 1.52) / 2 / 2)
    assert SCORERS["balanced_accuracy"](model, rows, y) == 0.5


def test_constant_and_scarce_outputs() -> None:
    Y = np.array([[2.0, 1.0, NAN], [2.0, NAN, 0.0], [2.0, NAN, 2.0]])
    near = np.array([[2.0, 1.0, 0.0], [2.0, 0.0, 0.0], [2.0, 0.0, 1.0]])
    assert SCORERS["r2"](Answers(near), np.arange(3), Y) == pytest.approx((1 + 0.5) / 2)
    assert SCORERS["r2"](Answers(near + np.array([1.0, 0, 0])), np.arange(3), Y) == pytest.approx((0 + 0.5) / 2)
    assert SCORERS["neg_root_mean_squared_error"](Answers(near), np.arange(3), Y) == pytest.approx(-np.sqrt(0.5) / 3)


@pytest.mark.parametrize(
    "y",
    [[1, -1, 1], [1.0, NAN, 1.0], [1, None, 1], torch.tensor([1, -1, 1]), [[1], [-1], [1]]],
    ids=["integers", "floats", "objects", "tensor", "column"],
)
def test_one_class_beside_unlabelled_rows(y: Any) -> None:
    assert SCORERS["accuracy"](Answers(np.array([1, 0, 0])), np.arange(3), y) == 0.5


def test_names_of_classes() -> None:
    model = Answers(np.array(["a", "b", "a"]), np.array([[0.9, 0.1], [0.2, 0.8], [1, 0]]), np.array(["a", "b"]))
    y = ["a", None, "b"]
    assert SCORERS["accuracy"](model, np.arange(3), y) == 0.5
    assert SCORERS["neg_brier_score"](model, np.arange(3), y) == pytest.approx(-(0.01 + 1.0) / 2)


# ------------------------------------------------------------------------------------------ within scikit-learn


def test_all_scorers_in_scikit_learn(rng: np.random.Generator) -> None:
    X = rng.normal(size=(150, 2))
    y = np.where(rng.random(150) < 0.6, -1, (X[:, 0] > 0).astype(int))
    Y = np.where(rng.random((150, 3)) < 0.6, NAN, np.column_stack([X > 0, X.sum(axis=1) > 0]))
    numbers = np.where(rng.random((150, 2)) < 0.6, NAN, X)
    for kind, target, names in (
        (LSVVClassifier, y, CLASSES),
        (LSVVClassifier, Y, LABELS),
        (LSVVRegressor, numbers, NUMBERS),
    ):
        model = kind(features=RandomFourier(30), random_state=0)
        scoring = {name: SCORERS[name] for name in names}
        result = cross_validate(model, X, target, cv=LabeledKFold(3), scoring=scoring, error_score="raise")
        for name in names:
            least = -0.7 if name.startswith("neg_") else 0.6
            assert result[f"test_{name}"].mean() > least, name
    search = GridSearchCV(
        LSVVClassifier(features=RandomFourier(30), random_state=0),
        {"ridge": [1e-5, 1e3]},
        cv=LabeledKFold(3),
        scoring=get_scorer("neg_log_loss"),
    )
    assert search.fit(X, y).best_params_ == {"ridge": 1e-5}


def test_accuracy_and_r2_are_the_estimators_own_scores(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    y = np.where(rng.random(60) < 0.3, -1, (X[:, 0] > 0).astype(int))
    model = LSVVClassifier(features=RandomFourier(30), random_state=0).fit(X, y)
    assert SCORERS["accuracy"](model, X, y) == pytest.approx(model.score(X, y))
    numbers = np.where(rng.random((60, 2)) < 0.5, NAN, X)
    regressor = LSVVRegressor(features=RandomFourier(30), random_state=0).fit(X, numbers)
    assert SCORERS["r2"](regressor, X, numbers) == pytest.approx(regressor.score(X, numbers))


@pytest.mark.parametrize("name", SCORERS)
def test_pickle(name: str) -> None:
    assert pickle.loads(pickle.dumps(get_scorer(name))) == SCORERS[name]
    assert repr(SCORERS[name]) == f"LabeledScorer(name='{name}')"


def test_a_callable_is_a_scorer_already() -> None:
    own = LabeledScorer("own", lambda model, X, y: 1.0)
    assert get_scorer(own) is own
    assert own(None, None, [0, 1]) == 1.0


# ---------------------------------------------------------------------------------------------------- sentences


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("acuracy", "There is no scorer 'acuracy'. Did you mean 'accuracy'\\? Choose one of accuracy, balanced_acc"),
        (3, "There is no scorer 3. Choose one of"),
    ],
)
def test_sentences_of_names(name: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        get_scorer(name)


@pytest.mark.parametrize("name", SCORERS)
def test_nothing_known(name: str) -> None:
    model = Answers(np.zeros((2, 2)), np.full((2, 2), 0.5), np.arange(2))
    with pytest.raises(ValueError, match="so there is nothing to score"):
        SCORERS[name](model, np.arange(2), np.full((2, 2), NAN))
    if name in CLASSES:
        with pytest.raises(ValueError, match="No entry of y is known, so there is nothing to score"):
            SCORERS[name](model, np.arange(2), [-1, -1])


class Silent:
    """An estimator that cannot give probabilities."""

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X))


@pytest.mark.parametrize(
    ("name", "model", "y", "sentence"),
    [
        ("accuracy", Answers(np.zeros(2)), [0, 1, 1], "X has 2 rows, y has 3"),
        ("accuracy", Answers(np.zeros(2)), [0.5, 1.0], "Unknown label type: continuous"),
        (
            "accuracy",
            Answers(np.zeros((2, 3))),
            np.eye(2),
            r"predict returned shape \(2, 3\), but y has shape \(2, 2\)",
        ),
        ("f1_micro", Answers(np.zeros((2, 2))), [[0, 1], [2, 0]], "y holds 2 at row 1, column 0. A 2-d y of labels"),
        ("neg_log_loss", Silent(), [0, 1], "This score needs predict_proba, which Silent does not have"),
        ("neg_ranking_loss", Answers(np.zeros(2)), [0, 1], "neg_ranking_loss ranks the labels of a 2-d y"),
        ("r2", Answers(np.zeros(2)), [1.0, NAN], "No output of y has 2 known entries or more"),
        ("r2", Answers(np.zeros(2)), ["a", "b"], "y holds entries that are not numbers"),
        ("r2", Answers(np.zeros((2, 3))), np.eye(2), "predict returned shape"),
    ],
)
def test_sentences_of_scores(name: str, model: Any, y: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        SCORERS[name](model, np.arange(2), y)


def test_a_list_of_probabilities() -> None:
    class Forest(Answers):
        def predict_proba(self, X: Any) -> Any:
            return [np.full((2, 2), 0.5)] * 2

    with pytest.raises(ValueError, match=r"predict_proba of Forest returns a list\. Labels need one array"):
        SCORERS["neg_log_loss"](Forest(np.zeros((2, 2))), np.arange(2), np.eye(2))
