"""Scorers that look at known entries alone: scorer(estimator, X, y) -> float, greater is better.

Unlabelled rows (-1 in integer classes, None or NaN elsewhere) and NaN entries of a 2-d y are left out of every sum.
Where all is known the values are those of scikit-learn's scorer of the same name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from lsvv.linalg import to_numpy
from lsvv.targets.reading import as_numbers, as_rows_of_targets, as_targets_array, read_classes

Measure = Callable[[Any, Any, np.ndarray], float]


@dataclass(frozen=True)
class LabeledScorer:
    """scorer(estimator, X, y) -> a number, the greater the better, over the known entries of y.

    For ``scoring=`` of scikit-learn's GridSearchCV, cross_validate and their like.

    Parameters
    ----------
    name : str
        What it is called in :data:`SCORERS`.
    measure : callable
        The number from the estimator, X and y as an array.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from lsvv.selection.scorers import get_scorer
    >>> model = DummyClassifier().fit(np.zeros((3, 1)), [0, 0, 1])
    >>> get_scorer("accuracy")(model, np.zeros((4, 1)), [0, 0, 1, -1])
    0.6666666666666666
    """

    name: str
    measure: Measure = field(repr=False)

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """The score of ``estimator`` on the known entries of ``y``."""
        y = as_targets_array(y)
        return float(self.measure(estimator, X, y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y))


def get_scorer(name: str | Callable[..., float]) -> Callable[..., float]:
    """The scorer of a name of :data:`SCORERS`; a callable is one already.

    accuracy : share of labelled rows with every known entry right
    balanced_accuracy : mean recall of the classes; for labels, of 0 and 1, the mean over labels
    neg_log_loss, neg_brier_score : of predict_proba, over labelled rows (classes) or known entries (labels)
    neg_hamming_loss : minus the share of known entries wrong
    f1_micro, f1_macro : 2 TP / (2 TP + FP + FN) over all classes or labels together, or its mean over them
    neg_ranking_loss : minus the share of known (1, 0) pairs of a row's labels in wrong order
    r2, neg_root_mean_squared_error : over known numbers, the mean over outputs

    Examples
    --------
    >>> get_scorer("f1_macro")
    LabeledScorer(name='f1_macro')
    """
    if callable(name):
        return name
    if name not in SCORERS:
        close = get_close_matches(str(name), SCORERS, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"There is no scorer {name!r}.{hint} Choose one of {', '.join(SCORERS)}.")
    return SCORERS[name]


# ------------------------------------------------------------------------------------------ classes and labels


@dataclass(frozen=True, eq=False)
class _Compared:
    """Truth and prediction side by side: one column of class codes, or a column of 0 and 1 a label."""

    truth: np.ndarray
    guess: np.ndarray
    known: np.ndarray
    n_classes: int | None = None

    def indicators(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Truth, prediction and what is known, a column a class or a label."""
        if self.n_classes is None:
            return self.truth == 1, self.guess == 1, self.known
        codes = np.arange(self.n_classes)
        return self.truth == codes, self.guess == codes, self.known


def _compare(estimator: Any, X: Any, y: np.ndarray) -> _Compared:
    guess = to_numpy(_ask(estimator, X, "predict"))
    y = as_rows_of_targets(y, guess.shape[0], "y")
    if y.ndim == 2:
        truth, known = _read_labels(y)
        _check_shape(guess, truth.shape, "predict")
        return _Compared(truth, guess, known)
    labels, rows = _read_classes(y)
    guess = guess.ravel()[rows]
    classes, codes = np.unique(np.concatenate([labels[rows], guess]), return_inverse=True)
    truth, coded = codes[: guess.size, None], codes[guess.size :, None]
    return _Compared(truth, coded, np.ones(truth.shape, dtype=bool), classes.size)


def _accuracy(estimator: Any, X: Any, y: np.ndarray) -> float:
    """Share of labelled rows of which every known entry is predicted right."""
    c = _compare(estimator, X, y)
    right = ((c.truth == c.guess) | ~c.known).all(axis=1)
    return float(right[c.known.any(axis=1)].mean())


def _balanced_accuracy(estimator: Any, X: Any, y: np.ndarray) -> float:
    """Mean over the classes of y of the share of their rows predicted right; for labels, the mean of that over them."""
    c = _compare(estimator, X, y)
    columns = zip(c.truth.T, c.guess.T, c.known.T, strict=True)
    return float(np.mean([_mean_recall(truth[known], guess[known]) for truth, guess, known in columns if known.any()]))


def _mean_recall(truth: np.ndarray, guess: np.ndarray) -> float:
    _, codes = np.unique(truth, return_inverse=True)
    return float((np.bincount(codes, weights=truth == guess) / np.bincount(codes)).mean())


def _neg_hamming_loss(estimator: Any, X: Any, y: np.ndarray) -> float:
    """Minus the share of known entries predicted wrong."""
    c = _compare(estimator, X, y)
    return -float((c.truth != c.guess)[c.known].mean())


def _f1_micro(estimator: Any, X: Any, y: np.ndarray) -> float:
    """2 TP / (2 TP + FP + FN), counted over all classes or labels together; 1 where that is 0 / 0."""
    hits, total = _f1_counts(estimator, X, y)
    return float(hits.sum() / total.sum()) if total.any() else 1.0


def _f1_macro(estimator: Any, X: Any, y: np.ndarray) -> float:
    """Mean over classes or labels of 2 TP / (2 TP + FP + FN); those of 0 / 0 are left out, and all of them give 1."""
    hits, total = _f1_counts(estimator, X, y)
    return float((hits[total > 0] / total[total > 0]).mean()) if total.any() else 1.0


def _f1_counts(estimator: Any, X: Any, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """2 TP and 2 TP + FP + FN of each class or label."""
    truth, guess, known = _compare(estimator, X, y).indicators()
    hits = 2 * (truth & guess & known).sum(axis=0)
    return hits, (truth & known).sum(axis=0) + (guess & known).sum(axis=0)


# -------------------------------------------------------------------------------------- probabilities and ranks


def _probabilities(estimator: Any, X: Any, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities, indicator of the truth and what is known; for classes of the labelled rows alone.

    A class that no training row had has no column: its rows of the indicator are 0.
    """
    p = _ask(estimator, X, "predict_proba")
    if isinstance(p, list):
        raise ValueError(
            f"predict_proba of {type(estimator).__name__} returns a list. Labels need one array of shape (rows, "
            f"labels) with the probability of 1, as LSVVClassifier returns it."
        )
    p = to_numpy(p)
    y = as_rows_of_targets(y, p.shape[0], "y")
    if y.ndim == 2:
        truth, known = _read_labels(y)
        _check_shape(p, truth.shape, "predict_proba")
        return p, truth, known
    labels, rows = _read_classes(y)
    indicator = labels[rows][:, None] == np.asarray(estimator.classes_)[None, :]
    return p[rows], indicator, np.ones(indicator.shape, dtype=bool)


def _neg_log_loss(estimator: Any, X: Any, y: np.ndarray) -> float:
    """Mean of log p(truth) over labelled rows (classes) or known entries (labels); no p is below the rounding.

    A class that no training row had has p = 0, hence the rounding.
    """
    p, truth, known = _probabilities(estimator, X, y)
    of_truth = (p * truth).sum(axis=1) if y.ndim == 1 else np.where(truth == 1, p, 1 - p)[known]
    return float(np.log(np.clip(of_truth, np.finfo(p.dtype).eps, 1.0)).mean())


def _neg_brier_score(estimator: Any, X: Any, y: np.ndarray) -> float:
    """Minus the mean of sum_k (p_k - t_k)^2 over labelled rows, halved for two classes, or of (p - t)^2 over entries.

    A class that no training row had adds 1.
    """
    p, truth, known = _probabilities(estimator, X, y)
    if y.ndim == 2:
        return -float(((p - truth)[known] ** 2).mean())
    apart = ((p - truth) ** 2).sum(axis=1) + ~truth.any(axis=1)
    return -float(apart.mean()) / (2 if p.shape[1] == 2 else 1)


def _neg_ranking_loss(estimator: Any, X: Any, y: np.ndarray) -> float:
    """Minus the mean over rows of the share of known (1, 0) pairs of labels whose 1 does not score higher.

    A labelled row without such a pair counts as 0. Scores are those of decision_function, or of predict_proba where
    there is none.
    """
    if y.ndim == 1:
        raise ValueError("neg_ranking_loss ranks the labels of a 2-d y. Use neg_log_loss or accuracy for classes.")
    method = "decision_function" if hasattr(estimator, "decision_function") else "predict_proba"
    scores = to_numpy(_ask(estimator, X, method))
    truth, known = _read_labels(as_rows_of_targets(y, scores.shape[0], "y"))
    _check_shape(scores, truth.shape, method)
    yes, no = known & (truth == 1), known & (truth == 0)
    # in ascending order, 1 before 0 among equals: a pair is wrong where its 1 stands before its 0
    order = np.lexsort((no, scores), axis=1)
    before = np.take_along_axis(yes, order, axis=1).cumsum(axis=1)
    wrong = (before * np.take_along_axis(no, order, axis=1)).sum(axis=1)
    pairs = yes.sum(axis=1) * no.sum(axis=1)
    return -float((wrong / np.maximum(pairs, 1))[known.any(axis=1)].mean())


# ------------------------------------------------------------------------------------------------------ numbers


def _errors(estimator: Any, X: Any, y: np.ndarray, least: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Known values and their errors, of each output with at least ``least`` known entries."""
    guess = to_numpy(_ask(estimator, X, "predict"))
    y = as_rows_of_targets(y, guess.shape[0], "y")
    values = as_numbers(y if y.ndim == 2 else y[:, None], "y")
    guess = guess if guess.ndim == 2 else guess[:, None]
    _check_shape(guess, values.shape, "predict")
    known = ~np.isnan(values)
    outputs = np.flatnonzero(known.sum(axis=0) >= least)
    if outputs.size == 0:
        raise ValueError(
            f"No output of y has {least} known entries or more, so there is nothing to score. Pass more labelled rows; "
            f"LabeledKFold tests on labelled rows alone."
        )
    return [(values[known[:, k], k], (values - guess)[known[:, k], k]) for k in outputs]


def _r2(estimator: Any, X: Any, y: np.ndarray) -> float:
    """1 - sum (y - guess)^2 / sum (y - mean y)^2 over known entries, the mean over outputs.

    An output of which fewer than two entries are known is left out; a constant one has 1 if met exactly, else 0.
    """
    return float(np.mean([_share_explained(values, error) for values, error in _errors(estimator, X, y, 2)]))


def _share_explained(values: np.ndarray, error: np.ndarray) -> float:
    missed, spread = float(np.sum(error**2)), float(np.sum((values - values.mean()) ** 2))
    if spread == 0.0:
        return 1.0 if missed == 0.0 else 0.0
    return 1.0 - missed / spread


def _neg_rmse(estimator: Any, X: Any, y: np.ndarray) -> float:
    """Minus the root of the mean squared error over known entries, the mean over outputs."""
    return -float(np.mean([np.sqrt(np.mean(error**2)) for _, error in _errors(estimator, X, y, 1)]))


# ------------------------------------------------------------------------------------------------------ reading


def _ask(estimator: Any, X: Any, method: str) -> Any:
    try:
        answer = getattr(estimator, method)
    except AttributeError as error:
        raise ValueError(
            f"This score needs {method}, which {type(estimator).__name__} does not have. Choose a score that needs "
            f"predict alone, such as accuracy or r2, or another estimator."
        ) from error
    return answer(X)


def _read_classes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Classes and which rows are labelled; a test part may hold class 1 alone beside unlabelled rows."""
    labels, rows = (y, y != -1) if y.dtype.kind in "iu" else read_classes(y)
    _refuse_unknown(rows)
    return labels, rows


def _read_labels(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An indicator and which of its entries are known."""
    truth = as_numbers(Y, "y")
    known = ~np.isnan(truth)
    _refuse_unknown(known)
    wrong = known & (truth != 0) & (truth != 1)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"y holds {truth[row, column]:g} at row {row}, column {column}. A 2-d y of labels is an indicator of 0 "
            f"and 1 with NaN for unknown entries; score numbers by r2 or neg_root_mean_squared_error."
        )
    return truth, known


def _refuse_unknown(known: np.ndarray) -> None:
    if not known.any():
        raise ValueError(
            "No entry of y is known, so there is nothing to score. Pass labelled rows; LabeledKFold tests on labelled "
            "rows alone."
        )


def _check_shape(answer: np.ndarray, shape: tuple[int, ...], method: str) -> None:
    if answer.shape != shape:
        raise ValueError(
            f"{method} returned shape {answer.shape}, but y has shape {shape}. Score the estimator with targets like "
            f"those it was fitted to."
        )


SCORERS: dict[str, LabeledScorer] = {
    name: LabeledScorer(name, measure)
    for name, measure in (
        ("accuracy", _accuracy),
        ("balanced_accuracy", _balanced_accuracy),
        ("neg_log_loss", _neg_log_loss),
        ("neg_brier_score", _neg_brier_score),
        ("neg_hamming_loss", _neg_hamming_loss),
        ("f1_micro", _f1_micro),
        ("f1_macro", _f1_macro),
        ("neg_ranking_loss", _neg_ranking_loss),
        ("r2", _r2),
        ("neg_root_mean_squared_error", _neg_rmse),
    )
}
"""The scorers by name."""
