"""Which columns matter: how much worse trees predict rows they have not seen when a column is shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lsvv.categories import coded_from
from lsvv.features.encoders import encoded
from lsvv.inputs import check_rows, generator
from lsvv.linalg import dense, take_rows, to_numpy
from lsvv.selection.average import average_of_kinds, output_losses
from lsvv.selection.averaging import LeftOut
from lsvv.selection.forests import FOLDS, CrossFitted, out_of_fold, tree_rows

JUDGED = 25_000
"""Labelled rows x groups of columns that are judged: a random part of very many rows, so that it takes seconds."""
FEWEST_ROWS = 200
SURE = 3.0
"""Standard errors from which on a rise is more than chance, also the largest of dozens of columns."""


@dataclass(frozen=True, eq=False)
class Judges:
    """The forests of every kind, shared or not, with the labelled rows, their targets and weights."""

    labelled: np.ndarray
    T: np.ndarray
    A: np.ndarray
    kinds: tuple[CrossFitted, ...]

    def shares(self) -> np.ndarray:
        """Of the kinds (rows) for outputs (columns), by their errors out of fold."""
        said = [LeftOut.plain(one.expectation) for one in self.kinds]
        return average_of_kinds(said, self.T, self.A, per_output=False).shares

    def spread(self) -> float:
        """The squared error of the mean, all outputs together; 1 where all targets are the same."""
        total = float(output_losses((self.A * self.T).sum(axis=0), self.T, self.A).sum())
        return total if total > 0.0 else 1.0


@dataclass(frozen=True, eq=False)
class Importances:
    """How much the squared error rises without each column, in units of the error of the plain mean.

    Attributes
    ----------
    names : tuple
        Of the columns or groups of columns: as they were given, else by the names or the places of the columns.
    rise, error : arrays, one entry a name
        The mean over labelled rows, and its standard error. 0 is a column that says nothing, or nothing that others do
        not say; chance makes it a little more or less.

    Examples
    --------
    >>> import numpy as np
    >>> found = Importances(("a", "b"), np.array([0.5, 0.01]), np.array([0.1, 0.02]))
    >>> found.matters.tolist()
    [True, False]
    """

    names: tuple[Any, ...]
    rise: np.ndarray
    error: np.ndarray

    @property
    def matters(self) -> np.ndarray:
        """Where the rise is above 0 by more than chance: three standard errors."""
        return np.asarray(self.rise > SURE * self.error)


def column_importances(
    model: Any, X: Any, *, groups: Sequence[Any] | None = None, n_repeats: int = 5, random_state: Any = 0
) -> Importances:
    """rise_g = mean_i [ ||y_i - f(x_i with the columns g of another row)||^2 - ||y_i - f(x_i)||^2 ] / variance of y.

    f is the average of the kinds of trees, weighted as the search weighs kinds of model, and each labelled row is
    judged by trees that have not seen its fold. The other row comes from the same fold, so that a column that says
    nothing has a rise of 0 on average. For classes and labels the squared error is the Brier score. What maps and
    neighbours make of a column is not measured.

    Parameters
    ----------
    model : LSVVClassifierCV or LSVVRegressorCV
        Fitted with trees, in this session: files do not keep trees without a share in the average.
    X : array of shape (rows, columns)
        The rows it was fitted with.
    groups : sequence, optional
        A name for each column; columns of one name are exchanged together.
    n_repeats : int
        Other rows that each row is given columns of.
    random_state : int, Generator or None
        Seeds the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv import LSVVRegressorCV
    >>> from lsvv.selection import column_importances
    >>> X = np.random.default_rng(0).uniform(size=(60, 3))
    >>> model = LSVVRegressorCV(features="linear", trees=True, random_state=0).fit(X, np.sin(5 * X[:, 1]))
    >>> column_importances(model, X).matters.tolist()
    [False, True, False]
    """
    check_is_fitted(model, "plan_")
    judges = _judges_of(model)
    names, places = _named_groups(model, groups)
    rng = generator(random_state)
    some = _some(len(judges.T), len(names), rng)
    rows = _rows_of(model, X, judges.labelled[some])
    folds = judges.kinds[0].folds[some]
    T, A, share = judges.T[some], judges.A[some] * len(judges.T) / judges.spread(), judges.shares()

    def errors(of_rows: np.ndarray) -> np.ndarray:
        said = [out_of_fold(one.forests, of_rows, folds, T.shape[1]) for one in judges.kinds]
        return np.asarray((A * (np.sum(share[:, None, :] * said, axis=0) - T) ** 2).sum(axis=1))

    usual, rises = errors(rows), np.zeros((len(names), some.size))
    for _ in range(n_repeats):
        other = _partners(folds, rng)
        for place, columns in enumerate(places):
            changed = rows.copy()
            changed[:, columns] = rows[np.ix_(other, columns)]
            rises[place] += (errors(changed) - usual) / n_repeats
    return Importances(names, rises.mean(axis=1), rises.std(axis=1, ddof=1) / np.sqrt(some.size))


def _judges_of(model: Any) -> Judges:
    judges: Judges | None = vars(model).get("_judges")
    if judges is None:
        raise ValueError(
            "The trees that tell which columns matter are not kept in files or copies. Fit the model again, then ask."
        )
    if not judges.kinds:
        raise ValueError(
            "The model was fitted without trees, which tell which columns matter. Fit it with trees=True and "
            "selection='average'."
        )
    return judges


def _named_groups(model: Any, groups: Sequence[Any] | None) -> tuple[tuple[Any, ...], list[np.ndarray]]:
    """The names in the order of their first columns, and the columns of each."""
    n_columns = model.n_features_in_
    if groups is None:
        groups = list(getattr(model, "feature_names_in_", range(n_columns)))
    if len(groups) != n_columns:
        raise ValueError(f"groups has {len(groups)} names for {n_columns} columns of X. Pass one for each column.")
    if hasattr(model, "categories_"):
        told = dict(zip(model.feature_names_in_, groups, strict=True))
        groups = [told[name] for name in coded_from(model.feature_names_in_, model.categories_)]
    places: dict[Any, list[int]] = {}
    for column, name in enumerate(groups):
        places.setdefault(name, []).append(column)
    return tuple(places), [np.array(columns) for columns in places.values()]


def _some(n_rows: int, n_groups: int, rng: np.random.Generator) -> np.ndarray:
    """The labelled rows that are judged: all, or a random part of very many."""
    most = max(FEWEST_ROWS, JUDGED // n_groups)
    return np.arange(n_rows) if n_rows <= most else np.sort(rng.choice(n_rows, most, replace=False))


def _rows_of(model: Any, X: Any, some: np.ndarray) -> np.ndarray:
    """Some of the labelled rows as trees read them."""
    X = check_rows(model, encoded(model.features, X), reset=False)
    last = model.labeled_.max()
    if X.shape[0] <= last:
        raise ValueError(
            f"X has {X.shape[0]} rows, and row {last} of those the model was fitted with is labelled. "
            f"Pass the X it was fitted with."
        )
    read = model.columns_[max(model.columns_)].transform_checked(take_rows(X, some))
    return np.asarray(to_numpy(dense(tree_rows(read))))


def _partners(folds: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Another row for each row, of the same fold, which the same trees have not seen; of any fold where rows are few.

    Trees say more extreme things of values they have seen, and would make a column matter that does not.
    """
    n = len(folds)
    if n < 2 * FOLDS:
        folds = np.zeros(n, dtype=int)
    order = np.lexsort((rng.random(n), folds))
    partner = np.empty(n, dtype=int)
    for mine in np.split(order, np.flatnonzero(np.diff(folds[order])) + 1):
        partner[mine] = np.roll(mine, 1)
    return partner
