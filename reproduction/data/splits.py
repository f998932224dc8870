"""The splits of the protocol: train and test rows, which labels are seen, scaling by training rows only."""

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse

from reproduction.data.loading import Dataset
from reproduction.data.registry import Task

__all__ = [
    "LABELLED_SHARE",
    "Fold",
    "Range",
    "Split",
    "column_range",
    "make_fold",
    "split",
    "visible_targets",
]

LABELLED_SHARE: dict[Task, float] = {"multi-class": 0.1, "multi-label": 0.5, "regression": 0.5}

Unit: TypeAlias = Literal["rows", "entries"]
_Array: TypeAlias = NDArray[Any]
_Inputs: TypeAlias = _Array | csr_matrix
_Bools: TypeAlias = NDArray[np.bool_]
_Integers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Split:
    """Which rows train, which test, and which training labels the learner may see.

    Attributes
    ----------
    train, test : int arrays
        Row numbers, ascending; together every row once.
    known : bool array of shape (training rows,) or (training rows, K)
        Whether the label of a training row, or each of its entries, is seen.
    seed : int
        What it was drawn from.

    Examples
    --------
    >>> import numpy as np
    >>> from reproduction.data import split
    >>> drawn = split(np.repeat([0, 1, 2], 50), "multi-class", seed=0)
    >>> drawn.train.size, drawn.test.size, drawn.labelled.size + drawn.unlabelled.size
    (105, 45, 105)
    """

    train: _Integers
    test: _Integers
    known: _Bools
    seed: int

    @property
    def labelled(self) -> _Integers:
        """Numbers of the training rows of which something is known."""
        return self.train[self._any_known]

    @property
    def unlabelled(self) -> _Integers:
        """Numbers of the training rows of which nothing is known."""
        return self.train[~self._any_known]

    @property
    def _any_known(self) -> _Bools:
        return np.asarray(self.known.reshape(len(self.train), -1).any(axis=1))


@dataclass(frozen=True, eq=False)
class Range:
    """x -> (x - low) / (high - low), column by column; a column with high = low becomes 0.

    Nothing is cut off: a test value outside the range of the training rows stays outside [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from reproduction.data import Range
    >>> unit = Range(low=np.array([0.0]), high=np.array([10.0]))
    >>> unit.scale(np.array([[5.0], [20.0]])).tolist(), unit.unscale(np.array([[0.5]])).tolist()
    ([[0.5], [2.0]], [[5.0]])
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def scale(self, X: _Inputs) -> _Inputs:
        """X on the scale of the range, in its own dtype; NaN stays NaN."""
        span = self.high - self.low
        varies = span > 0
        if not issparse(X):
            return np.where(varies, (X - self.low) / np.where(varies, span, 1.0), 0.0 * X).astype(X.dtype)
        scaled = csr_matrix(X, copy=True)
        columns = scaled.indices
        scaled.data = np.where(varies[columns], scaled.data / np.where(varies, span, 1.0)[columns], 0.0)
        return scaled

    def unscale(self, X: _Array) -> _Array:
        """The inverse of ``scale``: low + x (high - low); a constant column comes back as its one value."""
        return self.low + X * (self.high - self.low)


@dataclass(frozen=True, eq=False)
class Fold:
    """The arrays of one split, scaled: what a learner gets, and what it is judged by.

    Attributes
    ----------
    X_train, X_test : arrays or CSR matrices
        Inputs, each column min-max scaled by the training rows.
    y_train : array
        Training targets with the unseen ones hidden: -1 for a class, NaN for an entry.
    y_test, y_train_true : arrays
        Complete targets for judging; those of a regression are on the scale of ``target_range``.
    target_range : Range or None
        The unit of the targets of a regression, from the training rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lsvv import LSVVClassifier
    >>> from reproduction.data import Dataset, make_fold, split
    >>> X, y = load_iris(return_X_y=True)
    >>> fold = make_fold(Dataset("iris", "multi-class", X, y, (), ()), split(y, "multi-class", seed=0))
    >>> int((fold.y_train >= 0).sum()), len(fold.y_train)
    (12, 105)
    >>> model = LSVVClassifier(random_state=0).fit(fold.X_train, fold.y_train)
    >>> bool(model.score(fold.X_test, fold.y_test) > 0.8)
    True
    """

    X_train: _Inputs
    X_test: _Inputs
    y_train: _Array
    y_test: _Array
    y_train_true: _Array
    target_range: Range | None


def split(
    y: _Array,
    task: Task,
    seed: int,
    *,
    labelled: float | None = None,
    unit: Unit = "rows",
    train_share: float = 0.7,
) -> Split:
    """70 % of the rows train, drawn uniformly; then a share of their labels is seen.

    Of n rows, ceil(0.7 n) train. Of n_k training rows of a class, ceil(labelled * n_k) are labelled, so that
    no class among them is without a label. Of the rows of a multi-label or regression set,
    ceil(labelled * n) are labelled; with ``unit="entries"`` that many entries of each output are. For one
    seed the train rows do not depend on the share of labels, and what is labelled at a small share is
    labelled at a larger one.

    Parameters
    ----------
    y : array of shape (rows,) or (rows, K)
        Targets; only the training rows of a multi-class y matter, for their classes.
    task : str
        "multi-class", "multi-label" or "regression".
    seed : int
        Equal seeds give equal splits.
    labelled : float, optional
        Share of labels seen, above 0 and at most 1; by default the paper's 0.1 for classes, else 0.5.
    unit : {"rows", "entries"}, default="rows"
        What is hidden: whole rows of y or single entries; classes have rows only.
    train_share : float, default=0.7
        Share of training rows.

    Examples
    --------
    >>> y = np.repeat([0, 1, 2], 50)
    >>> drawn = split(y, "multi-class", seed=0)
    >>> len(drawn.train), len(drawn.test)
    (105, 45)
    >>> bool(np.isin([0, 1, 2], y[drawn.labelled]).all())
    True
    """
    share = LABELLED_SHARE[task] if labelled is None else labelled
    _check_shares(share, train_share, unit, task)
    partition, labels = np.random.default_rng(seed).spawn(2)
    order = partition.permutation(len(y))
    count = _rounded_up(train_share, len(y))
    train, test = np.sort(order[:count]), np.sort(order[count:])
    if unit == "entries":
        known = _first_ranked(labels.random((len(train), y.shape[1])), share)
    elif task == "multi-class":
        known = _known_per_class(y[train], share, labels)
    else:
        rows = _first_ranked(labels.random((len(train), 1)), share)
        known = np.repeat(rows, 1 if y.ndim == 1 else y.shape[1], axis=1).reshape(y[train].shape)
    return Split(train, test, known, seed)


def visible_targets(y: _Array, drawn: Split) -> _Array:
    """The training targets as a learner sees them: -1 for a hidden class, NaN for a hidden entry.

    Examples
    --------
    >>> drawn = split(np.array([0, 1] * 10), "multi-class", seed=0)
    >>> int((visible_targets(np.array([0, 1] * 10), drawn) == -1).sum())
    12
    """
    shown = y[drawn.train]
    if shown.ndim == 1 and np.issubdtype(shown.dtype, np.integer):
        return np.where(drawn.known, shown, -1)
    return np.where(drawn.known, shown.astype(np.float64), np.nan)


def column_range(X: _Inputs) -> Range:
    """The least and the greatest value of each column; missing values do not count.

    A sparse column must have its least value at 0: shifting it would fill the matrix.

    Examples
    --------
    >>> column_range(np.array([[1.0, 5.0], [3.0, 5.0]])).scale(np.array([[2.0, 7.0]]))
    array([[0.5, 0. ]])
    """
    if not issparse(X):
        low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
        return Range(low.astype(np.float64), high.astype(np.float64))
    low, high = (extreme.toarray().ravel().astype(np.float64) for extreme in (X.min(axis=0), X.max(axis=0)))
    shifted = np.flatnonzero((low != 0) & (low != high))
    if len(shifted):
        raise ValueError(
            f"Column {shifted[0]} of the sparse X has the least value {low[shifted[0]]:g}: scaling it "
            "to [0, 1] would fill the matrix; pass X as a dense array."
        )
    return Range(low, high)


def make_fold(data: Dataset, drawn: Split) -> Fold:
    """The arrays of a data set under a split.

    Every range comes from training rows alone. That of regression targets is taken over all training rows: it
    is the unit the errors are told in, and the same for every method.

    Examples
    --------
    >>> X, y = np.arange(20.0).reshape(10, 2), np.arange(10.0)[:, None]
    >>> fold = make_fold(Dataset("scm20d", "regression", X, y, (), ()), split(y, "regression", seed=1))
    >>> fold.X_train.min(), fold.X_train.max(), fold.y_train_true.min(), fold.y_train_true.max()
    (np.float64(0.0), np.float64(1.0), np.float64(0.0), np.float64(1.0))
    """
    inputs = column_range(data.X[drawn.train])
    targets = column_range(data.y[drawn.train]) if data.task == "regression" else None
    y: _Array = data.y if targets is None else np.asarray(targets.scale(data.y))
    return Fold(
        X_train=inputs.scale(data.X[drawn.train]),
        X_test=inputs.scale(data.X[drawn.test]),
        y_train=visible_targets(y, drawn),
        y_test=y[drawn.test],
        y_train_true=y[drawn.train],
        target_range=targets,
    )


def _check_shares(share: float, train_share: float, unit: Unit, task: Task) -> None:
    if not 0 < share <= 1:
        raise ValueError(f"The share of labels must be above 0 and at most 1, but labelled={share}.")
    if not 0 < train_share < 1:
        raise ValueError(f"The share of training rows must lie between 0 and 1, but train_share={train_share}.")
    if unit == "entries" and task == "multi-class":
        raise ValueError('A class has no entries to hide: use unit="rows" for a multi-class task.')


def _rounded_up(share: float, count: int) -> int:
    """ceil(share * count), where a product that is whole but for rounding is whole: 0.7 * 2310 = 1617."""
    return math.ceil(round(share * count, 6))


def _first_ranked(draws: NDArray[np.float64], share: float) -> _Bools:
    """Per column the ceil(share * rows) entries with the smallest draws."""
    ranks = draws.argsort(axis=0).argsort(axis=0)
    return ranks < _rounded_up(share, len(draws))


def _known_per_class(classes: _Array, share: float, rng: np.random.Generator) -> _Bools:
    draws = rng.random(len(classes))
    known = np.zeros(len(classes), dtype=bool)
    for value in np.unique(classes):
        members = np.flatnonzero(classes == value)
        known[members] = _first_ranked(draws[members, None], share)[:, 0]
    return known
