"""What a file says is a model, checked before it predicts: kinds, finite numbers, indices in range, walks that end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsvv.selection import LSVVClassifierCV, LSVVRegressorCV
from lsvv.selection.forests import Forest
from lsvv.tables.filling import Fitted
from lsvv.tables.targets import Group
from lsvv.tables.vectorizer import FrameVectorizer

__all__ = ["check_sound"]

_LEAVES = (str, bytes, int, float, complex, type(None), type, np.generic, np.dtype, date)
"""What has nothing inside that could be wrong."""


def check_sound(vectorizer: Any, fitted: Sequence[Any]) -> None:
    """Refuses, with a ValueError, parts that no model of lsvv has."""
    _check_kind(vectorizer, FrameVectorizer)
    for part in fitted:
        _check_kind(part, Fitted)
        _check_kind(part.group, Group)
        _check_kind(part.model, LSVVClassifierCV, LSVVRegressorCV)
    n_features = len(vectorizer.sources)
    for thing in _things([vectorizer, *fitted]):
        if isinstance(thing, np.ndarray):
            _check_finite(thing)
        elif sp.issparse(thing):
            _check_sparse(thing)
        elif isinstance(thing, Forest):
            _check_forest(thing, n_features)


def _check_kind(thing: Any, *kinds: type) -> None:
    if type(thing) not in kinds:
        raise ValueError(f"it holds a {type(thing).__name__} in place of a {kinds[0].__name__}")


def _things(whole: Sequence[Any]) -> Iterator[Any]:
    """Everything that is inside, each thing once."""
    waiting, seen = list(whole), dict[int, Any]()
    while waiting:
        thing = waiting.pop()
        if id(thing) not in seen:
            # kept, so that no other takes its place in memory
            seen[id(thing)] = thing
            yield thing
            waiting += _inside(thing)


def _inside(thing: Any) -> list[Any]:
    if isinstance(thing, dict):
        return [*thing.keys(), *thing.values()]
    if isinstance(thing, (list, tuple, set, frozenset)):
        return list(thing)
    if isinstance(thing, np.ndarray):
        return list(thing.ravel()) if thing.dtype == object else []
    if isinstance(thing, _LEAVES) or sp.issparse(thing):
        return []
    slots = [name for kind in type(thing).__mro__ for name in vars(kind).get("__slots__", ())]
    if not slots and "__dict__" not in dir(thing):
        # compiled code trusts its own numbers
        raise ValueError(f"it holds a {type(thing).__name__}, which no model of lsvv holds")
    return [getattr(thing, name) for name in slots] + list(getattr(thing, "__dict__", {}).values())


def _check_finite(numbers: np.ndarray) -> None:
    if numbers.dtype.kind in "fc" and not np.isfinite(numbers).all():
        raise ValueError("it holds a number that is not finite")


def _check_sparse(matrix: Any) -> None:
    if matrix.format not in ("csr", "csc"):
        raise ValueError(f"it holds a sparse matrix of the format {matrix.format}")
    matrix.check_format(full_check=True)
    _check_finite(matrix.data)


def _check_forest(forest: Forest, n_features: int) -> None:
    """Refuses a forest in which a row could leave the arrays, or walk for ever: children come after their parents."""
    here = np.arange(forest.column.size)
    nodes = (forest.column, forest.threshold, forest.below, forest.above, forest.leaf)
    is_leaf = (forest.below == here) & (forest.above == here)
    ends = forest.leaf[is_leaf]
    lines = forest.roots, forest.column, forest.below, forest.above, forest.leaf, forest.outputs
    sound = (
        all(one.shape == here.shape for one in nodes)
        and all(one.dtype.kind == "i" for one in lines)
        and forest.roots.size > 0
        and _within(forest.roots, here.size)
        and _within(forest.column, n_features)
        and _within(forest.below, here.size)
        and _within(forest.above, here.size)
        and bool(np.all(is_leaf | ((forest.below > here) & (forest.above > here))))
        and _within(ends, len(forest.values))
        and forest.values.shape[1:] == forest.outputs.shape == forest.share.shape
        and bool(np.all(forest.outputs >= 0))
    )
    if not sound:
        raise ValueError("its trees lead nowhere")


def _within(places: np.ndarray, stop: int) -> bool:
    return bool(np.all((places >= 0) & (places < stop)))
