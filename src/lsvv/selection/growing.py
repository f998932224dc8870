"""How the trees of a forest are grown: cut at random, on bootstrap samples, or each on what those before left over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

COLUMNS = 64
"""The most columns that are looked at for one cut: single columns that decide are found, and many take no longer."""
DEPTH, SAMPLE = 5, 0.7
"""Cuts down to a leaf of a boosted tree, and the share of rows that each of them sees."""
PACE = 10.0
"""Rounds of boosting x what each takes of what is left over."""


@dataclass(frozen=True, eq=False)
class Grown:
    """Trees of scikit-learn whose forest says the mean of ``base + scale * leaf``.

    Attributes
    ----------
    trees : list of scikit-learn's Tree
    base : array of shape (outputs,)
    scale : float
    """

    trees: list[Any]
    base: np.ndarray
    scale: float


Grow = Callable[[Any, np.ndarray, np.ndarray, int, np.random.Generator], Grown]
"""(labelled rows, targets, weights, number of trees, generator) -> trees."""


def extra_trees(rows: Any, T: np.ndarray, weight: np.ndarray, n_trees: int, rng: np.random.Generator) -> Grown:
    """Trees that cut at random places."""
    return _mean_of(ExtraTreeRegressor, rows, T, (weight for _ in range(n_trees)), rng)


def bagged_trees(rows: Any, T: np.ndarray, weight: np.ndarray, n_trees: int, rng: np.random.Generator) -> Grown:
    """Trees that cut at the best place, each on a sample of as many rows, drawn with replacement."""
    n = len(T)
    samples = (weight * np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(n_trees))
    return _mean_of(DecisionTreeRegressor, rows, T, samples, rng)


def _mean_of(kind: Any, rows: Any, T: np.ndarray, samples: Iterator[np.ndarray], rng: np.random.Generator) -> Grown:
    """The forests of scikit-learn would look at the same few rows anew for every tree."""
    rows = rows.tocsc() if sp.issparse(rows) else rows
    trees = [
        kind(max_features=min(rows.shape[1], COLUMNS), random_state=int(rng.integers(2**31)))
        .fit(rows, T, sample_weight=sample, check_input=False)
        .tree_
        for sample in samples
    ]
    return Grown(trees, np.zeros(T.shape[1]), 1.0)


def boosted_trees(rows: Any, T: np.ndarray, weight: np.ndarray, n_trees: int, rng: np.random.Generator) -> Grown:
    """F_0 = mean of T, F_t = F_(t-1) + pace / rounds * tree_t, tree_t the least squares of T - F_(t-1).

    Each tree has few cuts, sees a part of the rows, and looks at half of the columns for a cut. F is a mean over the
    trees when each of them says F_0 + pace * its leaf.
    """
    by_column = rows.tocsc() if sp.issparse(rows) else rows
    base = np.asarray(np.average(T, axis=0, weights=weight))
    left = T - base
    trees = []
    for _ in range(n_trees):
        sample = weight * (rng.random(len(T)) < SAMPLE)
        tree = DecisionTreeRegressor(
            max_depth=DEPTH, max_features=_half(rows.shape[1]), random_state=int(rng.integers(2**31))
        ).fit(by_column, left, sample_weight=sample if sample.any() else weight, check_input=False)
        left = left - PACE / n_trees * tree.tree_.predict(rows).reshape(left.shape)
        trees.append(tree.tree_)
    return Grown(trees, base, PACE)


def _half(n_columns: int) -> int:
    return min(max(1, n_columns // 2), COLUMNS)
