"""Trees that no label has grown, as features: rows are alike where random cuts leave them together."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import RandomTreesEmbedding

from lsvv.features.maps import FeatureMap
from lsvv.inputs import generator
from lsvv.linalg import Array, to_numpy
from lsvv.parameters import check_parameters


class Trees(FeatureMap):
    """phi(x) = T^-1/2 (1 where leaf l of tree t holds x, else 0), sparse: one entry for each of T random trees.

    <phi(x), phi(z)> is the share of the trees in which x and z end in the same leaf. Cuts are drawn at random without
    a look at labels, so that leaving a label out stays exact. Whatever keeps the order of a column's values changes
    little, and columns need no common scale.

    Parameters
    ----------
    n_trees : int
        T.
    max_depth : int
        Cuts from the root to a leaf, at most.
    random_state : int, Generator, RandomState or None
        Seeds the cuts.

    Attributes
    ----------
    embedding_ : sklearn.ensemble.RandomTreesEmbedding

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.features import Trees
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> Phi = Trees(20, max_depth=3, random_state=0).fit_transform(X)
    >>> Phi.nnz, round(float(Phi[[0]].power(2).sum()), 6)
    (1000, 1.0)
    """

    def __init__(self, n_trees: int = 100, *, max_depth: int = 5, random_state: Any = None) -> None:
        self.n_trees = n_trees
        self.max_depth = max_depth
        self.random_state = random_state

    def _fit(self, X: Array, sample_weight: np.ndarray | None) -> int:
        check_parameters(self)
        seed = int(generator(self.random_state).integers(2**31))
        self.embedding_ = RandomTreesEmbedding(self.n_trees, max_depth=self.max_depth, random_state=seed)
        return int(self.embedding_.fit_transform(_plain(X), sample_weight=sample_weight).shape[1])

    def transform_checked(self, X: Array) -> Array:
        """phi(x) for rows that have passed the gate."""
        dtype = X.dtype if isinstance(X, np.ndarray) or sp.issparse(X) else np.float64
        return sp.csr_array(self.embedding_.transform(_plain(X)) / np.sqrt(self.n_trees)).astype(dtype)


def _plain(X: Array) -> Any:
    """Rows as scikit-learn's trees take them."""
    return sp.csr_matrix(X) if sp.issparse(X) else to_numpy(X)
