"""A mixture of experts as one feature map: a soft partition of the rows' space, times a map for each part."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import KMeans

from lsvv.features.maps import MAPS, FeatureMap
from lsvv.inputs import generator
from lsvv.linalg import Array, dense, drawn_by_content, like, namespace, squared_distances, take_rows, to_numpy
from lsvv.parameters import check_parameters

MOST_ROWS = 10_000
"""Rows that the parts are found from."""
FEWEST_ROWS = 10
"""Of a part, for a map to be fitted to its rows alone."""


class Experts(FeatureMap):
    """phi(x) = (g_1(x) (1, phi_1(x)), ..., g_M(x) (1, phi_M(x))), g = softmax(-||x - c_m||^2 / (2 softness s^2)).

    So h(x) = sum_m g_m(x) (W_m' phi_m(x) + b_m): each expert speaks where its part is, with an intercept of its own
    (which ridge shrinks), and all of them are solved together. The centres c are those of k-means, and s^2 is the mean
    squared distance of a row to its own centre, so that no label has a part in it and leaving a label out stays exact.

    Parameters
    ----------
    n_parts : int
        M; as many as there are different rows where they are fewer.
    expert : str or FeatureMap
        phi_m, fitted to the rows of part m: a short name or an object.
    softness : float
        How far parts reach into each other: towards 0 every row has one expert alone.
    random_state : int, Generator, RandomState or None
        Seeds k-means and the experts.

    Attributes
    ----------
    centres_ : array of shape (M, d)
    spread_ : float
        s^2.
    experts_ : list of fitted maps

    Examples
    --------
    A tent is two lines:

    >>> import numpy as np
    >>> from lsvv import LSVVRegressor
    >>> from lsvv.features import Experts
    >>> X = np.linspace(-1, 1, 200)[:, None]
    >>> tent = LSVVRegressor(features=Experts(2, softness=0.1, random_state=0), smoothing=0).fit(X, np.abs(X[:, 0]))
    >>> line = LSVVRegressor(features="linear", smoothing=0).fit(X, np.abs(X[:, 0]))
    >>> bool(tent.score(X, np.abs(X[:, 0])) > 0.98), bool(line.score(X, np.abs(X[:, 0])) < 0.1)
    (True, True)
    """

    experts_: list[FeatureMap]

    def __init__(
        self, n_parts: int = 8, *, expert: str | FeatureMap = "linear", softness: float = 1.0, random_state: Any = None
    ) -> None:
        self.n_parts = n_parts
        self.expert = expert
        self.softness = softness
        self.random_state = random_state

    def _fit(self, X: Array, sample_weight: np.ndarray | None) -> int:
        check_parameters(self)
        rng = generator(self.random_state)
        some = drawn_by_content(X, MOST_ROWS, rng)
        rows = take_rows(X, some)
        given = rows if sp.issparse(rows) else np.asarray(to_numpy(rows), dtype=np.float64)
        weight = None if sample_weight is None else sample_weight[some]
        most = min(self.n_parts, len(np.unique(dense(given), axis=0)))
        parts = KMeans(most, n_init=3, random_state=int(rng.integers(2**31))).fit(given, sample_weight=weight)
        self.centres_ = like(parts.cluster_centers_, X if not sp.issparse(X) else parts.cluster_centers_)
        total = float(len(some) if weight is None else weight.sum())
        self.spread_ = float(parts.inertia_) / total
        self.experts_ = [
            self._expert(take_rows(rows, np.flatnonzero(parts.labels_ == m)), rows, rng) for m in range(most)
        ]
        return most + sum(one._n_features_out for one in self.experts_)

    def _expert(self, mine: Array, rows: Array, rng: np.random.Generator) -> FeatureMap:
        """The map of a part; a part of a few rows has one of all rows."""
        if not (isinstance(self.expert, FeatureMap) or (isinstance(self.expert, str) and self.expert in MAPS)):
            raise ValueError(
                f"expert={self.expert!r} is not a map of lsvv.features. Pass one, or its short name "
                f"({', '.join(sorted(MAPS))})."
            )
        chosen = MAPS[self.expert]() if isinstance(self.expert, str) else clone(self.expert)
        seed = int(rng.integers(2**31))
        if chosen.get_params(deep=False).get("random_state", 0) is None:
            chosen.set_params(random_state=seed)
        return chosen.fit(mine if mine.shape[0] >= FEWEST_ROWS else rows)

    def shares(self, X: Array) -> Array:
        """g(x) for rows that have passed the gate, (rows, M)."""
        template = np.zeros(0, dtype=X.dtype) if sp.issparse(X) else X
        distances = squared_distances(X, like(self.centres_, template))
        xp = namespace(distances)
        # all rows may lie on their centres
        least = distances - xp.min(distances, axis=1, keepdims=True)
        share = xp.exp(-least / (2.0 * self.softness * max(self.spread_, 1e-300)))
        return share / xp.sum(share, axis=1, keepdims=True)

    def transform_checked(self, X: Array) -> Array:
        """phi(x) for rows that have passed the gate."""
        g = self.shares(X)
        blocks = [g]
        for m, expert in enumerate(self.experts_):
            Phi = expert.transform_checked(X)
            blocks.append(sp.csr_array(Phi.multiply(g[:, m][:, None])) if sp.issparse(Phi) else Phi * g[:, m][:, None])
        if any(sp.issparse(block) for block in blocks):
            return sp.csr_array(sp.hstack([sp.csr_array(block) for block in blocks]))
        return namespace(*blocks).concat(blocks, axis=1)
