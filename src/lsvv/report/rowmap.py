"""A map of the rows: the two directions in which they differ most, coloured by what each target says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lsvv.report.phrases import number, percent
from lsvv.tables import Answer

__all__ = ["MOST_POINTS", "Layer", "RowMap", "map_of", "two_directions"]

MOST_POINTS = 3000
FITTING_ROWS = 20_000
"""Rows that settle the two directions; more would cost memory and move them little."""
MOST_KNOWN = 1500
MOST_GROUPS = 8
MOST_LAYERS = 12
N_BINS = 5


@dataclass(frozen=True)
class Layer:
    """One way to colour the map: each point's group, whether it was known, and how sure the model is of it.

    ``ordered`` groups are bins of a number. ``sure`` is None where there is no probability.
    """

    name: str
    groups: tuple[str, ...]
    ordered: bool
    places: tuple[int, ...]
    known: tuple[bool, ...]
    sure: tuple[float, ...] | None


@dataclass(frozen=True)
class RowMap:
    """Rows as points: their numbers in the table from 1, coordinates, and layers to colour them by."""

    rows: tuple[int, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    layers: tuple[Layer, ...]
    n_rows: int
    words: str


def map_of(X: np.ndarray, results: Sequence[Answer], seed: int = 0) -> RowMap | None:
    """The map, of all rows or of a random part of a large table; None for fewer than three rows."""
    if len(X) < 3:
        return None
    rows = drawn_rows(results, len(X), seed)
    some = X if len(X) <= FITTING_ROWS else X[np.random.default_rng(seed).choice(len(X), FITTING_ROWS, replace=False)]
    places, shares = two_directions(some, X[rows])
    layers = [layer for result in results for layer in _layers(result, rows)]
    words = (
        f"Across and up are the two directions in which the rows differ most; "
        f"together they hold {percent(float(shares.sum()))} of all differences."
    )
    x, y = (tuple(np.round(axis, 3).tolist()) for axis in places.T)
    return RowMap(tuple((rows + 1).tolist()), x, y, tuple(layers[:MOST_LAYERS]), len(X), words)


def drawn_rows(results: Sequence[Answer], n_rows: int, seed: int) -> np.ndarray:
    """All rows, or of a large table some that are known and then any others."""
    if n_rows <= MOST_POINTS:
        return np.arange(n_rows)
    rng = np.random.default_rng(seed)
    known = np.any([result.target.known for result in results], axis=0)
    first = np.flatnonzero(known)
    if first.size > MOST_KNOWN:
        first = rng.choice(first, MOST_KNOWN, replace=False)
    others = np.setdiff1d(np.arange(n_rows), first)
    return np.sort(np.concatenate([first, rng.choice(others, MOST_POINTS - first.size, replace=False)]))


def two_directions(X: np.ndarray, rows: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(rows - mean) V for the two leading principal directions V of X, and their shares of the variance.

    The largest entry of each direction is positive, so that the same table gives the same map.

    Examples
    --------
    >>> import numpy as np
    >>> places, shares = two_directions(np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]))
    >>> places[:, 0].tolist(), shares.tolist()
    ([-2.0, 0.0, 2.0], [1.0, 0.0])
    """
    X = X.astype(np.float64)
    centred = X - X.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred)
    V = np.zeros((X.shape[1], 2))
    V[:, : min(2, X.shape[1])] = vectors[:, ::-1][:, :2]
    V *= np.where(V[np.argmax(np.abs(V), axis=0), [0, 1]] < 0, -1.0, 1.0)
    shares = np.zeros(2)
    shares[: min(2, values.size)] = np.maximum(values[::-1][:2], 0.0) / max(float(np.abs(values).sum()), 1e-300)
    return (centred if rows is None else rows - X.mean(axis=0)) @ V, shares


def _layers(result: Answer, rows: np.ndarray) -> Iterator[Layer]:
    target = result.target
    known = target.known[rows]
    flags = tuple(known.tolist())
    said = np.where(_like(known, target.values[rows]), target.values[rows], result.predictions[rows])
    sure = None if result.probability is None else _sure(result.probability[rows], known)
    if target.task == "numbers":
        groups, places = _binned(said)
        yield Layer(target.column, groups, True, places, flags, None)
    elif target.task == "tags":
        P = np.asarray(result.probabilities)[rows]
        for place in np.argsort(-np.nansum(said, axis=0), kind="stable")[:MOST_LAYERS]:
            yes = said[:, place]
            name = f"{target.column}: {target.outputs[place]}"
            sure = _sure(np.where(yes > 0.5, P[:, place], 1.0 - P[:, place]), known)
            yield Layer(name, ("no", "yes"), False, tuple(yes.astype(int).tolist()), flags, sure)
    else:
        groups, places = _commonest(said.astype(int), target.choices)
        yield Layer(target.column, groups, False, places, flags, sure)


def _like(known: np.ndarray, values: np.ndarray) -> np.ndarray:
    return known if values.ndim == 1 else known[:, None]


def _sure(probability: np.ndarray, known: np.ndarray) -> tuple[float, ...]:
    return tuple(np.where(known, 1.0, probability).round(3).tolist())


def _commonest(places: np.ndarray, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Groups in the order of ``names``; the rarest are put together where there are more than colours."""
    if len(names) <= MOST_GROUPS:
        return tuple(names), tuple(places.tolist())
    counts = np.bincount(places, minlength=len(names))
    kept = np.sort(np.argsort(-counts, kind="stable")[: MOST_GROUPS - 1])
    move = np.full(len(names), len(kept))
    move[kept] = np.arange(len(kept))
    rest = f"{len(names) - len(kept)} others"
    return (*(names[place] for place in kept), rest), tuple(move[places].tolist())


def _binned(values: np.ndarray) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Five bins of about as many rows each."""
    edges = np.unique(np.quantile(values, np.linspace(0.0, 1.0, N_BINS + 1)))
    inner = edges[1:-1]
    names = [f"{number(low)} to {number(high)}" for low, high in pairwise(edges)]
    return tuple(names) or (number(float(values[0])),), tuple(np.searchsorted(inner, values, side="right").tolist())
