"""Forests beside the maps: each tree is grown without one fold of the labels, and that fold judges it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import device
from sklearn import config_context
from sklearn.utils.parallel import Parallel, delayed

from lsvv.linalg import Array, dense, is_on_device, like_numbers, mean_rows, namespace, to_numpy
from lsvv.selection.growing import COLUMNS, Grow, Grown, bagged_trees, boosted_trees, extra_trees

KINDS: dict[str, Grow] = {"extra trees": extra_trees, "bagged trees": bagged_trees, "boosted trees": boosted_trees}
"""What each kind of tree is called, and how it is grown."""
FOLDS = 10
TREES = (100, 200)
"""Trees of a kind and a set of outputs: as many as labelled rows, between these; fewer where they take long."""
FEWEST = 40
SEEN_BY_ALL = FOLDS
"""The fold of trees that every label has grown."""
MOST_MASKS = 12
"""Beyond so many sets of outputs known in the same rows there are three folds, so that trees take no minutes."""
ROUNDS, FEWEST_ROUNDS, FEWEST_TO_BOOST = 100, 30, 100
"""Boosted trees of a fold, the fewest worth growing, and the labels below which they bring nothing to the others."""
MOST_TO_BOOST = 4
"""Sets of outputs known in the same rows beyond which boosting takes longer than all else."""
PAIRS = 2**20
"""Rows x trees that are followed to their leaves at once."""
COST = 2e9
"""Rows x columns x outputs x trees that one kind may look at."""
BOOSTING_COST = 1e10
"""The same of boosting, whose trees have few cuts."""


@dataclass(frozen=True, eq=False)
class Forest:
    """share * the mean of what the trees say, for some of the outputs.

    A tree's leaf holds the mean target of its labelled rows: shares of classes, of labels, or a number. For classes
    the squared error of the indicators is Gini's impurity. All trees lie in plain arrays, which can be kept in a file
    and read from it without harm.

    Attributes
    ----------
    kind : str
        "extra trees", "bagged trees" or "boosted trees".
    roots, folds : arrays of int, one a tree
        Its first node, and the fold of the labels that it has not seen.
    column, threshold, below, above : arrays, one entry a node
        A row goes on to ``below`` where its column is at most the threshold, else to ``above``; a leaf to itself.
    leaf : array of int, one a node
        The row of ``values`` that a leaf says.
    values : array of shape (leaves, outputs)
    outputs : array of int
        The outputs it speaks of.
    share : array
        Of each of these outputs.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv import LSVVRegressorCV
    >>> X = np.arange(40.0)[:, None]
    >>> model = LSVVRegressorCV(features="linear", trees=True, random_state=0).fit(X, X[:, 0] % 20 > 9)
    >>> [forest.kind for forest in model.forests_]
    ['extra trees', 'bagged trees']
    """

    kind: str
    roots: np.ndarray
    folds: np.ndarray
    column: np.ndarray
    threshold: np.ndarray
    below: np.ndarray
    above: np.ndarray
    leaf: np.ndarray
    values: np.ndarray
    outputs: np.ndarray
    share: np.ndarray

    def mean(self, X: Any, which: np.ndarray | None = None) -> np.ndarray:
        """The mean over the trees, or over those ``which``, for rows that :func:`tree_rows` made."""
        roots = self.roots if which is None else self.roots[which]
        step = max(1, PAIRS // roots.size)
        walk = _Walk.there(self, X)
        found = [walk.mean(dense(X[start : start + step]), roots) for start in range(0, max(X.shape[0], 1), step)]
        return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class _Walk:
    """The nodes of a forest where the rows lie that go down its trees."""

    column: Array
    threshold: Array
    below: Array
    above: Array
    leaf: Array
    values: Array

    @classmethod
    def there(cls, forest: Forest, X: Any) -> _Walk:
        return cls(*(like_numbers(getattr(forest, one.name), X) for one in fields(cls)))

    def mean(self, rows: Array, roots: np.ndarray) -> np.ndarray:
        """The mean of the values of each row's leaves."""
        leaves = self.leaf[self._ends(rows, like_numbers(roots, rows))]
        return to_numpy(mean_rows(self.values, namespace(rows).reshape(leaves, (len(rows), len(roots)))))

    def _ends(self, rows: Array, roots: Array) -> Array:
        """The leaf of each row in each tree, row by row."""
        xp = namespace(rows)
        n, count = len(rows), len(roots)
        node = xp.tile(roots, (n,))
        going = xp.arange(n * count, device=device(rows))
        while len(going):
            here = node[going]
            low = rows[going // count, self.column[here]] <= self.threshold[here]
            there = xp.where(low, self.below[here], self.above[here])
            node[going] = there
            going = going[self.below[there] != there]
        return node


@dataclass(frozen=True, eq=False)
class CrossFitted:
    """The forests of one kind, one for each set of outputs known in the same rows, and what they expect out of fold.

    Attributes
    ----------
    kind : str
    forests : tuple of Forest
    folds : array of int
        The fold of each labelled row.
    expectation : array of shape (labelled rows, K)
        Of each labelled row, from trees that have not seen its fold.
    """

    kind: str
    forests: tuple[Forest, ...]
    folds: np.ndarray
    expectation: np.ndarray

    def shared(self, share: np.ndarray) -> Iterator[Forest]:
        """The forests with these shares of the outputs, without those that have none."""
        for forest in self.forests:
            if share[forest.outputs].any():
                yield replace(forest, share=share[forest.outputs])


def tree_rows(X: Array) -> Any:
    """Rows as trees read them: single precision, sparse where they were, on the device where they lie."""
    if sp.issparse(X):
        return sp.csr_matrix(X, dtype=np.float32)
    return namespace(X).astype(X, namespace(X).float32) if is_on_device(X) else np.asarray(to_numpy(X), np.float32)


def forests_of(forests: Sequence[Forest], X: Array, n_outputs: int) -> np.ndarray:
    """sum of share * mean over the forests, (rows, K)."""
    rows, total = tree_rows(X), np.zeros((X.shape[0], n_outputs))
    for forest in forests:
        total[:, forest.outputs] += forest.share * forest.mean(rows)
    return total


def cross_fitted(
    kind: str, X: Array, T: np.ndarray, A: np.ndarray, folds: np.ndarray, rng: np.random.Generator, n_jobs: int | None
) -> CrossFitted | None:
    """Forests of one kind, grown on the labelled rows ``X`` with targets ``T`` and weights ``A``, 0 where unknown.

    None where so few labels, or so long a work, are not worth it.
    """
    rows = tree_rows(X if sp.issparse(X) else to_numpy(X))
    groups = _groups(A > 0)
    folds = folds % 3 if len(groups) > MOST_MASKS else folds
    forests = []
    for outputs in groups:
        known = np.flatnonzero(A[:, outputs[0]] > 0)
        mine, seed = folds[known], int(rng.integers(2**31))
        trees = _n_trees(kind, len(known), X.shape[1], len(outputs), len(groups))
        if trees == 0:
            return None
        forest = _grown(
            kind, rows[known], T[np.ix_(known, outputs)], A[np.ix_(known, outputs)], mine, trees, seed, n_jobs
        )
        forests.append(replace(forest, outputs=outputs))
    return CrossFitted(kind, tuple(forests), folds, out_of_fold(forests, rows, folds, T.shape[1]))


def _groups(known: np.ndarray) -> list[np.ndarray]:
    """Outputs that are known in the same rows; one that is known in none has no group."""
    _, group = np.unique(known, axis=1, return_inverse=True)
    groups = [np.flatnonzero(group.ravel() == number) for number in range(group.max() + 1)]
    return [outputs for outputs in groups if known[:, outputs[0]].any()]


def _n_trees(kind: str, n_rows: int, n_columns: int, n_outputs: int, n_groups: int) -> int:
    """Trees of a fold: as many as the cost leaves room for; none where so few rows or rounds bring nothing."""
    tree = n_rows * np.log2(n_rows + 2.0) * min(n_columns, COLUMNS) * (4.0 + n_outputs)
    if kind == "boosted trees":
        rounds = int(min(BOOSTING_COST / (tree * n_groups * FOLDS), ROUNDS))
        pays = n_rows >= FEWEST_TO_BOOST and rounds >= FEWEST_ROUNDS and n_groups <= MOST_TO_BOOST
        return rounds if pays else 0
    wanted = np.clip(n_rows, *TREES) / min(n_groups, 4)
    total = min(max(COST / (tree * n_groups), FEWEST), wanted)
    return max(1, int(np.ceil(total / FOLDS)))


def _grown(
    kind: str,
    rows: Any,
    T: np.ndarray,
    A: np.ndarray,
    folds: np.ndarray,
    trees_a_fold: int,
    seed: int,
    n_jobs: int | None,
) -> Forest:
    """Trees for each fold from the rows of the others; of a single fold, from all rows."""
    # without the last bits, on which the unit of the weights leaves its mark and a cut may turn; of a fold whose rows
    # weigh next to nothing trees are grown all the same
    weight = np.maximum(np.round(A.mean(axis=1) / A.mean(), 9), 1e-9)
    numbers = np.unique(folds)
    if numbers.size == 1:
        # no tree can miss the only fold: all of them belong to a fold that no row has
        numbers = np.array([SEEN_BY_ALL])
    each = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_trees_without)(kind, rows, T, weight, folds != number, trees_a_fold, [seed, int(number)])
        for number in numbers
    )
    return in_arrays(kind, each, np.repeat(numbers, trees_a_fold))


def _trees_without(
    kind: str, rows: Any, T: np.ndarray, weight: np.ndarray, kept: np.ndarray, n_trees: int, seed: list[int]
) -> Grown:
    """Trees of the rows ``kept``."""
    # their parameters are ours, and checking them for each tree is a fifth of the time that small trees take
    with config_context(skip_parameter_validation=True):
        return KINDS[kind](rows[kept], T[kept], weight[kept], n_trees, np.random.default_rng(seed))


def in_arrays(kind: str, grown: Sequence[Grown], folds: np.ndarray) -> Forest:
    """The nodes of scikit-learn's trees, one tree after the other."""
    trees = [tree for one in grown for tree in one.trees]
    starts = np.cumsum([0, *(tree.node_count for tree in trees)])
    itself = np.arange(starts[-1])
    offset = np.repeat(starts[:-1], np.diff(starts))
    column, threshold, left, right = (
        np.concatenate([getattr(tree, name) for tree in trees])
        for name in ("feature", "threshold", "children_left", "children_right")
    )
    is_leaf = left < 0
    said = [one.base + one.scale * tree.value[:, :, 0] for one in grown for tree in one.trees]
    values = np.concatenate(said)[is_leaf]
    return Forest(
        kind,
        roots=starts[:-1].astype(np.int32),
        folds=folds.astype(np.int32),
        column=np.where(is_leaf, 0, column).astype(np.int32),
        threshold=np.where(is_leaf, 0.0, threshold),
        below=np.where(is_leaf, itself, left + offset).astype(np.int32),
        above=np.where(is_leaf, itself, right + offset).astype(np.int32),
        leaf=(np.cumsum(is_leaf) - 1).astype(np.int32),
        values=values.astype(np.float32),
        outputs=np.arange(values.shape[1]),
        share=np.ones(values.shape[1]),
    )


def out_of_fold(forests: Sequence[Forest], rows: Any, folds: np.ndarray, n_outputs: int) -> np.ndarray:
    """What the trees that have not seen a row's fold say of it, (rows, K); 0 where every tree has seen it."""
    found = np.zeros((len(folds), n_outputs))
    for number in np.unique(folds):
        mine = np.flatnonzero(folds == number)
        for forest in forests:
            without = forest.folds == number
            if without.any():
                found[np.ix_(mine, forest.outputs)] = forest.mean(rows[mine], without)
    return found


def balanced_folds(T: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A fold for each labelled row; classes, or the first eight outputs, are spread evenly over the folds."""
    n = len(T)
    order = np.lexsort((rng.random(n), *np.where(known, T, 0.0).round(1).T[:8]))
    folds = np.empty(n, dtype=int)
    folds[order] = np.arange(n) % min(FOLDS, n)
    return folds
