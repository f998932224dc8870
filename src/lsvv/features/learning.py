"""Maps that learn from targets: the lesson an estimator gives them, and what they hold out of it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from lsvv.features.maps import FeatureMap
from lsvv.inputs import check_rows, generator
from lsvv.linalg import Array
from lsvv.losses import Loss, make_loss
from lsvv.parameters import check_parameters
from lsvv.targets import Targets, as_targets_array, encode_classes, encode_numbers

PLAIN_RIDGE = 1e-4
"""While features are learnt; an estimator's ridge="auto" is chosen once they are."""
MOST_HELD_OUT = 10_000


@dataclass(frozen=True, eq=False)
class Lesson:
    """What a map may learn from: targets of some rows, the graph of all, and the terms of the objective.

    Attributes
    ----------
    labelled : array of int
        The rows with a known target.
    T, A : arrays of shape (labelled rows, K)
        Their targets as the loss wants them, and weights of which each output's sum to 1.
    loss : Loss
    ridge, smoothing, manifold, spectral, free_rank
        As in :class:`lsvv.LSVVClassifier`.
    S : sparse matrix of shape (m, m), optional
        The adjacency of all rows, where smoothing or manifold asks for one.
    laplacian : "normalized" or "plain"

    Examples
    --------
    Two rows that are neighbours, the first of them labelled. Two walks in three from it end where they began:

    >>> import numpy as np, scipy.sparse as sp
    >>> from lsvv.features import Lesson
    >>> from lsvv.losses import make_loss
    >>> pair = sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> one = np.ones((1, 1))
    >>> lesson = Lesson(np.array([0]), one, one, make_loss("squared", one_class_a_row=False), smoothing=0.5, S=pair)
    >>> ends = lesson.reached(np.zeros(3000, dtype=int), np.random.default_rng(0))
    >>> bool(abs(np.mean(ends == 0) - 1 / (1 + 0.5)) < 0.03)
    True
    """

    labelled: np.ndarray
    T: np.ndarray
    A: np.ndarray
    loss: Loss
    ridge: float = PLAIN_RIDGE
    smoothing: float = 0.0
    manifold: float = 0.0
    spectral: float = 0.0
    free_rank: int | float | str = 0
    S: sp.csr_array | None = None
    laplacian: str = "normalized"

    @classmethod
    def of(cls, targets: Targets, loss: Loss, **terms: Any) -> Self:
        """The lesson of these targets."""
        labelled = targets.labelled
        return cls(labelled, targets.values[labelled], targets.normalised_weights(), loss, **terms)

    def reached(self, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Where a walk over the graph from each row ends, which goes on with probability ``smoothing`` at each step.

        From row i it ends in j with probability R_ij, R = (1 - a)(I - a P)^-1. So the mean of a loss over the ends is
        at least the loss of the smoothed score, by Jensen's inequality, and needs one row in place of all.
        """
        if self.S is None or self.smoothing == 0.0:
            return rows
        at = rows.copy()
        reach = np.cumsum(self.S.data)
        going = np.flatnonzero(rng.random(at.size) < self.smoothing)
        while going.size:
            first, last = self.S.indptr[at[going]], self.S.indptr[at[going] + 1]
            # a row without neighbours keeps its own features
            going, first, last = (one[last > first] for one in (going, first, last))
            low, high = np.where(first > 0, reach[first - 1], 0.0), reach[last - 1]
            edge = np.searchsorted(reach, low + rng.random(going.size) * (high - low), side="right")
            at[going] = self.S.indices[np.clip(edge, first, last - 1)]
            going = going[rng.random(going.size) < self.smoothing]
        return at

    def held_out(self, share: float, rng: np.random.Generator) -> np.ndarray:
        """Places among the labelled rows of a share of them, drawn so that each output and class keeps a label."""
        n = len(self.labelled)
        wanted = min(max(1, round(share * n)), MOST_HELD_OUT)
        left = [(self.A > 0).sum(axis=0), ((self.A > 0) & (self.T > 0)).sum(axis=0)]
        held: list[int] = []
        for row in rng.permutation(n):
            if len(held) == wanted:
                break
            mine = [self.A[row] > 0, (self.A[row] > 0) & (self.T[row] > 0)]
            if all((some[one] > 1).all() for some, one in zip(left, mine, strict=True)):
                held.append(int(row))
                left = [some - one for some, one in zip(left, mine, strict=True)]
        return np.sort(np.array(held, dtype=int))


class LearningMap(FeatureMap):
    """phi that learns from targets, all but some that it holds out: these judge what is made of it.

    As ``features=`` of an estimator it gets the estimator's loss, penalties and graph with the targets; W is then
    solved exactly, on the features as they are, with all labels. Alone, ``fit(X, y)`` reads integers, names and truth
    values as classes (logistic loss) and floating numbers as numbers (squared loss).

    Attributes
    ----------
    unseen_ : array of int
        Places among the labelled rows of those whose labels had no part in the features: leaving a label out is honest
        for these alone.

    Examples
    --------
    A map of one's own says what it learns from the labelled rows that are not held out:

    >>> import numpy as np
    >>> from lsvv import LSVVRegressor
    >>> from lsvv.features import LearningMap
    >>> class AlongTheSlope(LearningMap):
    ...     def _learn(self, X, lesson, held):
    ...         seen = np.setdiff1d(np.arange(len(lesson.labelled)), held)
    ...         self.slope_ = X[lesson.labelled[seen]].T @ (lesson.A * lesson.T)[seen]
    ...         return self.slope_.shape[1]
    ...     def transform_checked(self, X):
    ...         return X @ self.slope_
    >>> X = np.random.default_rng(0).normal(size=(50, 9))
    >>> model = LSVVRegressor(features=AlongTheSlope()).fit(X, X[:, 0])
    >>> model.feature_map_.transform(X).shape
    (50, 1)
    """

    unseen_: np.ndarray
    validation_fraction: float = 0.2
    random_state: Any = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the map from the rows of ``X`` and their targets, in which -1, None or NaN mean unlabelled."""
        X = check_rows(self, X, reset=True)
        return self.fit_checked(X, _plain_lesson(y, X.shape[0], sample_weight))

    def fit_checked(self, X: Array, lesson: Lesson) -> Self:
        """Learn from checked rows, and from targets in code."""
        check_parameters(self)
        self.n_features_in_ = int(X.shape[1])
        rng = generator(self.random_state)
        held = lesson.held_out(self.validation_fraction, rng)
        if not held.size:
            raise ValueError(
                f"{type(self).__name__} learns from labels and holds some out, but no output or class has a second "
                f"labelled row. Label more rows, or choose features that do not learn from labels, such as 'fourier'."
            )
        self.unseen_ = held
        self._seed = int(rng.integers(2**31))
        self._n_features_out = self._learn(X, lesson, held)
        return self

    def _fit(self, X: Array, sample_weight: np.ndarray | None) -> int:
        raise TypeError(f"{type(self).__name__} learns from targets, by fit(X, y) or fit_checked(X, lesson).")

    @abstractmethod
    def _learn(self, X: Array, lesson: Lesson, held: np.ndarray) -> int:
        """Learn from checked rows and the labelled ones that are not ``held`` out, and return D."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _plain_lesson(y: Any, n_rows: int, sample_weight: Any) -> Lesson:
    """Targets without an estimator: classes, or numbers."""
    array = as_targets_array(y)
    if array.ndim == 2 or array.dtype.kind == "f":
        return Lesson.of(encode_numbers(array, n_rows, sample_weight), make_loss("squared", one_class_a_row=False))
    classes = encode_classes(array, n_rows, sample_weight, None)
    return Lesson.of(classes, make_loss("logistic", one_class_a_row=True))
