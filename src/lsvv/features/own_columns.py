"""Several maps side by side, each of its own columns: one feature map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from lsvv.features.maps import MAPS, FeatureMap
from lsvv.inputs import generator
from lsvv.linalg import Array, namespace, to_numpy


class Blocks(FeatureMap):
    """phi(x) = (w_1 phi_1(x), ..., w_M phi_M(x)), each phi_m of its own columns of x.

    <phi(x), phi(z)> is the sum of the kernels, each times w_m^2.

    Parameters
    ----------
    maps : sequence of maps, or of tuples (name, map, columns)
        As in scikit-learn's ColumnTransformer: columns are places, a slice, a mask, or names where X is a frame. A map
        is a short name, such as "fourier", or an object; alone it reads all columns.
    weights : sequence of float, optional
        w_1 ... w_M; all 1 by default.
    random_state : int, Generator, RandomState or None
        Seeds maps that have no seed of their own.

    Attributes
    ----------
    maps_ : list of fitted maps
    columns_ : list of arrays of int
    sizes_ : list of int
        How many features each map has.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.features import Linear, RandomFourier, Blocks
    >>> X = np.random.default_rng(0).normal(size=(20, 5))
    >>> two = Blocks([("place", RandomFourier(8), [0, 1]), ("rest", "linear", slice(2, 5))], random_state=0)
    >>> two.fit_transform(X).shape
    (20, 11)
    """

    maps_: list[FeatureMap]
    columns_: list[np.ndarray]

    def __init__(self, maps: Sequence[Any], *, weights: Sequence[float] | None = None, random_state: Any = None):
        self.maps = maps
        self.weights = weights
        self.random_state = random_state

    def placed(self, names: Any) -> Self:
        """The same maps with the places of columns that were named."""
        placed = [(name, one, _places(columns, names)) for name, one, columns in _triples(self.maps)]
        return clone(self).set_params(maps=placed)

    def _fit(self, X: Array, sample_weight: np.ndarray | None) -> int:
        names = getattr(self, "feature_names_in_", None)
        self.maps_, self.columns_ = fitted_maps(self.maps, X, names, sample_weight, self.random_state)
        self.weights_ = _weights(self.weights, len(self.maps_))
        self.sizes_ = [one._n_features_out for one in self.maps_]
        return sum(self.sizes_)

    def transform_checked(self, X: Array) -> Array:
        """phi(x) for rows that have passed the gate."""
        return side_by_side(self.maps_, self.columns_, self.weights_, X)


def fitted_maps(
    maps: Sequence[Any], X: Array, names: Any, sample_weight: np.ndarray | None, random_state: Any
) -> tuple[list[FeatureMap], list[np.ndarray]]:
    """Each map fitted on its columns."""
    rng = generator(random_state)
    fitted, places = [], []
    for _, one, columns in _triples(maps):
        own = np.arange(X.shape[1])[_places(columns, names)] if columns is not None else np.arange(X.shape[1])
        chosen = MAPS[one]() if isinstance(one, str) else clone(one)
        if chosen.get_params(deep=False).get("random_state", 0) is None:
            chosen.set_params(random_state=int(rng.integers(2**31)))
        fitted.append(chosen.fit(X[:, own], sample_weight=sample_weight))
        places.append(own)
    return fitted, places


def side_by_side(maps: Sequence[Any], columns: Sequence[np.ndarray], weights: np.ndarray, X: Array) -> Array:
    """The features of all maps of weight above 0, each times its weight."""
    used = [(one, own, float(w)) for one, own, w in zip(maps, columns, weights, strict=True) if w > 0.0]
    blocks = [w * one.transform_checked(X[:, own]) for one, own, w in used]
    if any(sp.issparse(block) for block in blocks):
        return sp.csr_array(sp.hstack([sp.csr_array(block) for block in blocks]))
    return namespace(*blocks).concat(blocks, axis=1)


def _triples(maps: Any) -> list[tuple[str, Any, Any]]:
    """(name, map, columns) of every entry, with None for all columns; refused where an entry is neither."""
    if not isinstance(maps, (list, tuple)) or not maps:
        raise ValueError(f"maps={maps!r} is no list of maps. Pass maps, or tuples (name, map, columns).")
    found = []
    for number, entry in enumerate(maps):
        name, one, columns = entry if isinstance(entry, tuple) and len(entry) == 3 else (f"map {number}", entry, None)
        if not (isinstance(one, FeatureMap) or (isinstance(one, str) and one in MAPS)):
            raise ValueError(
                f"{one!r} in maps is not a map of lsvv.features. Pass one, its short name ({', '.join(sorted(MAPS))}), "
                f"or a tuple (name, map, columns)."
            )
        found.append((str(name), one, columns))
    return found


def _places(columns: Any, names: Any) -> Any:
    """Places of columns, from names where there are any."""
    single = isinstance(columns, str)
    given = [columns] if single else columns
    if columns is None or isinstance(given, slice) or not any(isinstance(one, str) for one in given):
        return columns
    if names is None:
        raise ValueError(f"columns={columns!r} are names, but X has none. Pass a frame, or the places of the columns.")
    known = list(names)
    missing = [one for one in given if one not in known]
    if missing:
        raise ValueError(f"X has no column {missing[0]!r}. Its columns are {', '.join(map(repr, known[:20]))}.")
    return [known.index(one) for one in given]


def _weights(weights: Any, count: int) -> np.ndarray:
    found = np.ones(count) if weights is None else np.asarray(to_numpy(weights), dtype=np.float64)
    if found.shape != (count,) or not np.all(np.isfinite(found)) or found.min() < 0 or not found.any():
        raise ValueError(f"weights={weights!r} do not fit {count} maps. Pass one number of at least 0 for each.")
    return found
