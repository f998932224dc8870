"""Splitters that test on labelled rows alone and train on all others, unlabelled ones included."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from lsvv.inputs import generator, quoted
from lsvv.selection.stratification import Labelled, balance, deal, even_sizes, read_labelled, spread_out

Stratify = Literal["auto", False]


class LabeledKFold(BaseCrossValidator):
    """K folds of the labelled rows: fold k tests, all other rows train, unlabelled ones in every fold.

    train_k = all rows without test_k, where test_1, ..., test_K are disjoint and make up the labelled rows.

    A row is unlabelled where y is -1 (integers), None or NaN; a row of a 2-d y where all its entries are NaN. Sizes
    of the folds differ by at most 1. What the folds have alike depends on y:

    - classes (1-d integers, names, whole floats): counts of every class differ by at most 1 between folds;
    - labels (2-d y of 0 and 1): counts of every label and of its known entries are evened out, see
      :func:`lsvv.selection.stratification.balance`;
    - numbers (all other floats): nothing. Pass integers that are numbers, not classes, as floats.

    A class with fewer labels than folds is missing from some folds' tests. A class with one label is missing from the
    training rows of the fold that tests it, and a warning says so. Rows that are unlabelled only by a
    ``sample_weight`` of 0 count as labelled here.

    Parameters
    ----------
    n_splits : int, default=5
        Folds; at least 2 and at most the number of labelled rows.
    shuffle : bool, default=False
        Whether rows are shuffled before they are dealt out. Without it rows that follow each other stay together
        where they can.
    random_state : int, Generator, RandomState or None
        Seeds the shuffling.
    stratify : "auto" or False, default="auto"
        False leaves classes and labels to chance (or to the order of the rows).

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.selection.splitters import LabeledKFold
    >>> y = np.array([0, -1, 1, 0, -1, 1])
    >>> for train, test in LabeledKFold(2).split(np.zeros((6, 1)), y):
    ...     print(train, test)
    [1 3 4 5] [0 2]
    [0 1 2 4] [3 5]
    """

    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None, stratify: Stratify = "auto"
    ) -> None:
        _check_count("n_splits", n_splits, 2)
        _check_stratify(stratify)
        if not isinstance(shuffle, (bool, np.bool_)):
            raise ValueError(f"shuffle={quoted(shuffle)} is not known. Pass True or False.")
        if not shuffle and random_state is not None:
            raise ValueError("random_state is given but shuffle=False draws nothing. Pass shuffle=True as well.")
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.stratify = stratify

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Training and test rows of each fold, ascending.

        Parameters
        ----------
        X : array of shape (n, d) or None
            Only its number of rows is looked at.
        y : array of shape (n,) or (n, K)
            Targets with -1, None or NaN for "unlabelled".
        groups : ignored
            There for scikit-learn's sake; a warning says that it is ignored.
        """
        _ignore(groups, self)
        labelled = read_labelled(X, y, stratify=self.stratify == "auto")
        n = labelled.rows.size
        if n < self.n_splits:
            raise ValueError(
                f"{n} of {labelled.n_rows} rows are labelled, fewer than n_splits={self.n_splits}: a fold would have "
                f"nothing to test on. {f'Lower n_splits to at most {n}, or label' if n > 1 else 'Label'} more rows."
            )
        _tell_lonely_classes(labelled)
        order = generator(self.random_state).permutation(n) if self.shuffle else np.arange(n)
        if labelled.labels is None:
            folds = deal(labelled.classes, self.n_splits, order)
        else:
            folds = balance(labelled.labels, even_sizes(n, self.n_splits), order)
        tests = (labelled.rows[folds == fold] for fold in range(self.n_splits))
        return ((_all_but(test, labelled.n_rows), test) for test in tests)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of folds."""
        return int(self.n_splits)


class LabeledShuffleSplit(BaseCrossValidator):
    """Random splits of the labelled rows: a share tests, the others train, unlabelled ones in every split.

    train = unlabelled rows + labelled rows that do not test (or, with ``train_size``, so many of them).

    What is unlabelled and what the parts have alike is told at :class:`LabeledKFold`. Of n_c labelled rows of a
    class, floor or ceil of n_c * n_train / n train. Where that may be none, one label of the class is kept for
    training first, so that every class trains if ``n_train`` has room for all.

    Parameters
    ----------
    n_splits : int, default=10
        How many splits.
    test_size : float, int or None
        Share of the labelled rows, rounded to whole rows and at least one, or their number; by default what
        ``train_size`` leaves, or 0.2.
    train_size : float, int or None
        Share or number of the labelled rows in training; by default all that do not test. Labelled rows in neither
        part are left out.
    random_state : int, Generator, RandomState or None
        Seeds the draws.
    stratify : "auto" or False, default="auto"
        False leaves classes and labels to chance.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.selection.splitters import LabeledShuffleSplit
    >>> y = np.array([0, 0, 0, 0, 1, 1, 1, 1, -1, -1])
    >>> for train, test in LabeledShuffleSplit(2, test_size=0.5, random_state=0).split(None, y):
    ...     print(np.bincount(y[test]), bool(np.isin([8, 9], train).all()))
    [2 2] True
    [2 2] True
    """

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | int | None = None,
        train_size: float | int | None = None,
        random_state: Any = None,
        stratify: Stratify = "auto",
    ) -> None:
        _check_count("n_splits", n_splits, 1)
        _check_stratify(stratify)
        _check_size("test_size", test_size)
        _check_size("train_size", train_size)
        self.n_splits = n_splits
        self.test_size = test_size
        self.train_size = train_size
        self.random_state = random_state
        self.stratify = stratify

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Training and test rows of each split, ascending; see :meth:`LabeledKFold.split`."""
        _ignore(groups, self)
        labelled = read_labelled(X, y, stratify=self.stratify == "auto")
        n_train, n_test = self._counts(labelled.rows.size)
        draw = _draw_by_class if labelled.labels is None else _draw_by_labels
        rng = generator(self.random_state)
        draws = (draw(labelled, n_train, n_test, rng) for _ in range(self.n_splits))
        return ((_all_but(labelled.rows[~train], labelled.n_rows), labelled.rows[test]) for train, test in draws)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of splits."""
        return int(self.n_splits)

    def _counts(self, n: int) -> tuple[int, int]:
        """How many of n labelled rows train and test."""
        train_size, test_size = self.train_size, self.test_size
        if test_size is None:
            test_size = 0.2 if train_size is None else n - _rows(train_size, n)
        n_test = _rows(test_size, n)
        n_train = n - n_test if train_size is None else _rows(train_size, n)
        if n_train < 1 or n_test < 1 or n_train + n_test > n:
            raise ValueError(
                f"Of the labelled rows, {n} in all, train_size={self.train_size} and test_size={self.test_size} ask "
                f"for {n_train} to train and {n_test} to test. Each part needs at least 1 row: change the sizes, or "
                f"label more rows."
            )
        return n_train, n_test


def _draw_by_class(
    labelled: Labelled, n_train: int, n_test: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Which labelled rows train and which test: places that lie evenly among the rows sorted by class."""
    classes, n = labelled.classes, labelled.rows.size
    counts = np.bincount(classes)
    # a random order of the classes, so that no class has the remainders for ever
    shuffled = rng.permutation(n)
    by_class = shuffled[np.argsort(rng.permutation(counts.size)[classes[shuffled]], kind="stable")]
    first = by_class[np.flatnonzero(np.diff(classes[by_class], prepend=-1))]
    kept = first[_scarce(counts, n_train)[classes[first]]][:n_train]
    train, test = np.zeros((2, n), dtype=bool)
    train[kept] = True
    for part, count in ((train, n_train - kept.size), (test, n_test)):
        free = by_class[~(train | test)[by_class]]
        part[free[spread_out(free.size, count, int(rng.integers(free.size)))]] = True
    return train, test


def _scarce(counts: np.ndarray, n_train: int) -> np.ndarray:
    """Which classes have too few labels for an even share of ``n_train`` to hold one of each for certain."""
    scarce = np.zeros(counts.size, dtype=bool)
    while True:
        # what is kept for the scarce ones leaves less to the others, which may make more of them scarce
        rate = (n_train - scarce.sum()) / max(1, counts.sum() - scarce.sum())
        more = ~scarce & (counts * rate < 1)
        if not more.any():
            return scarce
        scarce |= more


def _draw_by_labels(
    labelled: Labelled, n_train: int, n_test: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Which labelled rows train and which test: parts that are alike in every label."""
    assert labelled.labels is not None
    n = labelled.rows.size
    sizes = np.array([n_train, n_test, n - n_train - n_test])
    parts = balance(labelled.labels, sizes[sizes > 0], rng.permutation(n))
    return parts == 0, parts == 1


def _all_but(rows: np.ndarray, n_rows: int) -> np.ndarray:
    kept = np.ones(n_rows, dtype=bool)
    kept[rows] = False
    return np.flatnonzero(kept)


def _rows(size: float | int, n: int) -> int:
    """A size as a number of rows: an int is one, a float a share."""
    return max(1, round(size * n)) if isinstance(size, (float, np.floating)) else int(size)


def _tell_lonely_classes(labelled: Labelled) -> None:
    lonely = labelled.names[np.bincount(labelled.classes) == 1] if labelled.names.size else labelled.names
    if lonely.size:
        more = "" if lonely.size == 1 else f", and so have {lonely.size - 1} other classes"
        warnings.warn(
            f"Class {lonely.tolist()[0]!r} has one label{more}: the fold that tests it trains without the class. "
            f"Label more rows, or pass stratify=False.",
            UserWarning,
            stacklevel=3,
        )


def _ignore(groups: Any, splitter: BaseCrossValidator) -> None:
    if groups is not None:
        warnings.warn(
            f"The groups are ignored by {type(splitter).__name__}: rows of one group may train and test. Leave them "
            f"out, or use a splitter for groups.",
            UserWarning,
            stacklevel=3,
        )


def _check_count(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name}={quoted(value)} is out of range. Pass an integer of at least {least}.")


def _check_stratify(stratify: Any) -> None:
    if stratify is not False and stratify != "auto":
        raise ValueError(f"stratify={quoted(stratify)} is not known. Pass 'auto' or False.")


def _check_size(name: str, size: Any) -> None:
    whole = isinstance(size, (int, np.integer)) and not isinstance(size, bool) and size >= 1
    share = isinstance(size, (float, np.floating)) and 0 < size < 1
    if not (size is None or whole or share):
        raise ValueError(
            f"{name}={quoted(size)} is out of range. Pass a share between 0 and 1, a number of labelled rows, or None."
        )
