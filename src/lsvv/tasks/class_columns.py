"""Several columns of classes in one model, whose weights share a subspace."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from lsvv.calibration import fit_temperature, probabilities
from lsvv.estimators import LSVVRegressor
from lsvv.inputs import check_rows, generator
from lsvv.linalg import Array, canonical_order, take_rows, to_numpy
from lsvv.targets import Classes, Targets, as_targets_array, encode_classes

FOLDS = 3
"""Fits that leave labels out, for the temperatures."""


class ClassColumns(ClassifierMixin, BaseEstimator):
    """h(x) = (h_1(x), ..., h_C(x)), h_c the scores of the classes of column c, all of one W under the tail penalty.

    Each column is coded by the indicators of its classes; together they are the outputs of one regressor, so that its
    ``spectral`` term makes all columns share a subspace of the features. Rows may be known for some columns only.
    Probabilities of a column are the softmax of its scores over a temperature fitted on labels left out.

    Parameters
    ----------
    estimator : LSVVRegressor or LSVVRegressorCV, optional
        The regressor of the indicators; the default has ``spectral=0.05``.
    random_state : int, Generator, RandomState or None
        Seeds the folds, and the estimator where it has no seed.

    Attributes
    ----------
    classes_ : list of arrays
        The classes of each column.
    estimator_ : fitted regressor
    temperatures_ : array of shape (C,)

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.tasks import ClassColumns
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> colour = np.where(X[:, 0] > 0, "red", np.where(X[:, 1] > 0, "blue", "green"))
    >>> size = np.where(X[:, 0] + X[:, 1] > 0, "large", "small")
    >>> y = np.column_stack([colour, size]).astype(object)
    >>> y[100:, 0], y[:60, 1] = None, None
    >>> model = ClassColumns(random_state=0).fit(X, y)
    >>> model.predict([[2.0, 1.0], [-2.0, -1.0]]).tolist()
    [['red', 'large'], ['green', 'small']]
    >>> [proba.shape for proba in model.predict_proba(X)]
    [(200, 3), (200, 2)]
    """

    def __init__(self, estimator: Any = None, *, random_state: Any = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows and columns of classes.

        Parameters
        ----------
        X : array, tensor, sparse matrix or frame of shape (n, d)
            Rows, labelled or not.
        y : array or frame of shape (n, C)
            Classes; None or NaN, or -1 among integers, mark what is unknown.

        Returns
        -------
        self
        """
        X = check_rows(self, X, reset=True)
        columns = _columns_of(y, X.shape[0])
        self.classes_ = [column.codec.classes for column in columns if isinstance(column.codec, Classes)]
        edges = np.cumsum([0, *(len(one) for one in self.classes_)])
        self._parts = [slice(start, end) for start, end in pairwise(edges)]
        Y = np.concatenate([np.where(one.weights > 0, one.values, np.nan) for one in columns], axis=1)
        rng = generator(self.random_state)
        base = clone(LSVVRegressor(spectral=0.05) if self.estimator is None else self.estimator)
        if base.get_params(deep=False).get("random_state", 0) is None:
            base.set_params(random_state=int(rng.integers(2**31)))
        self.estimator_ = clone(base).fit(X, Y)
        held, some = _left_out(base, X, Y, rng)
        self.temperatures_ = np.array(
            [_temperature(held[:, part], column, some) for part, column in zip(self._parts, columns, strict=True)]
        )
        return self

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "temperatures_")
        rows = check_rows(self, X, reset=False)
        return np.asarray(to_numpy(self.estimator_.predict(rows)), dtype=np.float64)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row in each column, (n, C)."""
        scores = self._scores(X)
        found = [one[scores[:, part].argmax(axis=1)] for one, part in zip(self.classes_, self._parts, strict=True)]
        kinds = {one.dtype.kind in "OUS" for one in found}
        return np.column_stack([one.astype(object) for one in found] if len(kinds) > 1 else found)

    def predict_proba(self, X: Any) -> list[np.ndarray]:
        """Probabilities of each column's classes, (n, K_c) each; rows sum to 1."""
        scores = self._scores(X)
        return [
            np.asarray(probabilities(scores[:, part], float(temperature), one_class_a_row=True))
            for part, temperature in zip(self._parts, self.temperatures_, strict=True)
        ]

    def score(self, X: Any, y: Any) -> float:
        """Share of right classes among the known entries of each column, the mean over the columns."""
        scores = self._scores(X)
        shares = []
        for column, classes, part in zip(_entries(y, len(scores)).T, self.classes_, self._parts, strict=True):
            truth = [classes.tolist().index(one) if one in classes.tolist() else -1 for one in column.tolist()]
            known = np.array([not _is_unknown(one) for one in column.tolist()])
            if known.any():
                shares.append(float(np.mean(scores[known][:, part].argmax(axis=1) == np.array(truth)[known])))
        if not shares:
            raise ValueError("No entry of y is labelled, so there is nothing to score. Pass labelled rows.")
        return float(np.mean(shares))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


def _entries(y: Any, n_rows: int) -> np.ndarray:
    """y with one column a task."""
    array = as_targets_array(y)
    if array.ndim != 2 or array.shape[0] != n_rows or array.shape[1] == 0:
        raise ValueError(
            f"y has shape {array.shape}, X has {n_rows} rows. Pass one row of y a row of X and one column of classes a "
            f"task; for a single column use LSVVClassifier."
        )
    return array


def _columns_of(y: Any, n_rows: int) -> list[Targets]:
    """Each column in code; a column that cannot be learnt is named."""
    found = []
    for number, column in enumerate(_entries(y, n_rows).T):
        given = np.array([None if _is_unknown(one) else one for one in column.tolist()], dtype=object)
        try:
            found.append(encode_classes(given, n_rows, None, None))
        except ValueError as error:
            raise ValueError(f"Column {number} of y: {error}") from error
    return found


def _is_unknown(entry: Any) -> bool:
    return entry is None or (isinstance(entry, float) and np.isnan(entry)) or (isinstance(entry, int) and entry == -1)


def _left_out(base: Any, X: Array, Y: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Scores of the labelled rows from fits without their fold, and which of them have any."""
    labelled = np.flatnonzero(~np.isnan(Y).all(axis=1))
    labelled = labelled[canonical_order(take_rows(X, labelled), np.nan_to_num(Y[labelled], nan=-1.0))]
    folds = rng.permutation(labelled.size) % min(FOLDS, labelled.size)
    held = np.full(Y.shape, np.nan)
    for fold in np.unique(folds):
        out = labelled[folds == fold]
        kept = Y.copy()
        kept[out] = np.nan
        learnt = ~np.isnan(kept).all(axis=0)
        if learnt.any():
            scores = np.asarray(to_numpy(clone(base).fit(X, kept[:, learnt]).predict(take_rows(X, out))))
            held[np.ix_(out, np.flatnonzero(learnt))] = scores.reshape(out.size, -1)
    return held, labelled


def _temperature(held: np.ndarray, column: Targets, labelled: np.ndarray) -> float:
    """Of one column, from its labelled rows whose scores were left out."""
    mine = labelled[(column.counts[labelled] > 0).any(axis=1) & ~np.isnan(held[labelled]).any(axis=1)]
    if not mine.size:
        return 1.0
    return fit_temperature(held[mine], column.values[mine], column.counts[mine], one_class_a_row=True)
