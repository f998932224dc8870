"""Orders of rows and of entries: by content, by size, and among sorted knots."""

from __future__ import annotations

from typing import Literal

import numpy as np
import scipy.sparse as sp
from array_api_compat import device, is_numpy_array, is_torch_array

from lsvv.linalg.arrays import Array, like, namespace, to_float64, to_numpy
from lsvv.linalg.products import by_few_rows

GROUP = 32
"""Columns of which the least one stands for all, where the least of many are looked for."""


def row_keys(X: Array) -> np.ndarray:
    """A number for each row that its content alone decides: equal rows have equal keys, wherever they stand.

    A fixed mixture of the columns, each in units of its spread, so that draws which follow the order of the keys follow
    neither the order of the rows nor the columns' units.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0], [3.0, 1.0], [1.0, 2.0]])
    >>> keys = row_keys(X)
    >>> bool(keys[0] == keys[2] != keys[1])
    True
    """
    mixture = np.sin(1.0 + np.arange(X.shape[1]))
    if sp.issparse(X):
        low, high = (end.toarray().ravel().astype(np.float64) for end in (X.min(axis=0), X.max(axis=0)))
        shares = sp.csr_array(X, dtype=np.float64, copy=True)
        shares.data /= np.where(high > low, high - low, 1.0)[shares.indices]
        return np.asarray(shares @ mixture)
    xp = namespace(X)
    low, high = (to_float64(end(X, axis=0)) for end in (xp.min, xp.max))
    units, weights = xp.where(high > low, high - low, xp.ones_like(low)), like(mixture, low)

    def mixed(rows: Array) -> Array:
        # a sum and no product with a vector, whose rounding depends on where a row stands
        return xp.sum((to_float64(rows) - low) / units * weights, axis=1, keepdims=True)

    return to_numpy(by_few_rows(mixed, X, X.shape[1]))[:, 0]


def canonical_order(*parts: Array) -> np.ndarray:
    """The order of rows that the content of ``parts`` decides, of the first one first.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[2.0], [1.0], [2.0]]), np.array([[1.0], [0.0], [0.0]])
    >>> canonical_order(X, y).tolist()
    [1, 2, 0]
    """
    return np.lexsort([row_keys(part) for part in reversed(parts)])


def drawn_by_content(X: Array, most: int, rng: np.random.Generator) -> np.ndarray:
    """All rows, or ``most`` of them at random, in an order that their content decides: their own does not matter."""
    order = canonical_order(X)
    return order if order.size <= most else order[np.sort(rng.choice(order.size, most, replace=False))]


def distinct_rows(X: Array) -> tuple[Array, np.ndarray]:
    """The rows of ``X`` without repetitions, and the place of each row of ``X`` among them.

    Examples
    --------
    >>> rows, place = distinct_rows(np.array([[2.0, 1.0], [0.0, 1.0], [2.0, 1.0]]))
    >>> rows.tolist(), place.tolist()
    ([[0.0, 1.0], [2.0, 1.0]], [1, 0, 1])
    """
    if is_numpy_array(X):
        rows, place = np.unique(X, axis=0, return_inverse=True)
        return rows, place.ravel()
    rows, place = namespace(X).unique(X, dim=0, return_inverse=True)
    return rows, to_numpy(place)


def sorted_columns(X: Array) -> Array:
    """The values of each column in ascending order, in double precision.

    Examples
    --------
    >>> sorted_columns(np.array([[2.0, 1.0], [0.0, 3.0]])).tolist()
    [[0.0, 1.0], [2.0, 3.0]]
    """
    values = to_float64(X)
    return namespace(values).sort(values, axis=0)


def places_among(knots: Array, values: Array, side: Literal["left", "right"]) -> Array:
    """How many of the sorted ``knots`` of each column are below its values, or up to them (``side="right"``).

    Examples
    --------
    >>> places_among(np.array([[1.0], [2.0], [2.0]]), np.array([[2.0], [0.0]]), "right").tolist()
    [[3], [0]]
    """
    xp = namespace(values)
    if is_torch_array(values):
        return xp.searchsorted(knots.T.contiguous(), values.T.contiguous(), right=side == "right").T
    columns = [np.searchsorted(some, mine, side) for some, mine in zip(knots.T, values.T, strict=True)]
    return np.stack(columns, axis=1)


def smallest(values: Array, k: int) -> tuple[Array, Array]:
    """The k least entries of each row in ascending order, and their places.

    Examples
    --------
    >>> import numpy as np
    >>> least, places = smallest(np.array([[3.0, 1.0, 2.0]]), 2)
    >>> least.tolist(), places.tolist()
    ([[1.0, 2.0]], [[1, 2]])
    """
    groups = values.shape[1] // GROUP
    return _smallest(values, k) if groups < 4 * k else _smallest_of_groups(values, k, groups)


def _smallest_of_groups(values: Array, k: int, groups: int) -> tuple[Array, Array]:
    """The same from one pass over many columns: the k least lie in the k groups whose least ones are least."""
    xp, (n, columns) = namespace(values), values.shape
    grouped = xp.reshape(values[:, : groups * GROUP], (n, GROUP, groups))
    _, chosen = _smallest(xp.min(grouped, axis=1), k)
    member = xp.arange(0, groups * GROUP, groups, dtype=chosen.dtype, device=device(values))
    rest = xp.arange(groups * GROUP, columns, dtype=chosen.dtype, device=device(values))
    places = xp.reshape(chosen[:, :, None] + member[None, None, :], (n, k * GROUP))
    places = xp.concat([places, xp.broadcast_to(rest[None, :], (n, rest.shape[0]))], axis=1)
    least, order = _smallest(xp.take_along_axis(values, places, axis=1), k)
    return least, xp.take_along_axis(places, order, axis=1)


def _smallest(values: Array, k: int) -> tuple[Array, Array]:
    if not is_numpy_array(values):
        return namespace(values).topk(values, k, dim=1, largest=False)
    places = np.argpartition(values, k - 1, axis=1)[:, :k]
    order = np.argsort(np.take_along_axis(values, places, axis=1), axis=1, kind="stable")
    places = np.take_along_axis(places, order, axis=1)
    return np.take_along_axis(values, places, axis=1), places
