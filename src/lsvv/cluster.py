"""Rows on a cluster: partitions of dask arrays and frames. Work goes to them, and what comes back adds.

A partition that is lost with its worker is made again by the scheduler, from what it was made of.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from lsvv.extras import optional
from lsvv.inputs import checked_blocks
from lsvv.linalg import in_blocks
from lsvv.stored import StoredRows, parts_beside, written


class ClusterRows(StoredRows):
    """Partitions of rows on a cluster, as an array that is read where it is asked for.

    Parameters
    ----------
    parts : list of Delayed
        Each an array of shape (rows of the part, d).
    sizes : list of int
        The rows of each part.
    width : int
        d.
    dtype : dtype
        float32 or float64.
    """

    is_remote = True

    def __init__(self, parts: list[Any], sizes: list[int], width: int, dtype: Any) -> None:
        self.parts, self.ends = parts, [0, *accumulate(sizes)]
        self.dtype = np.dtype(dtype)
        self.shape, self.itemsize = (self.ends[-1], width), self.dtype.itemsize

    def __getitem__(self, index: Any) -> np.ndarray:
        """Some of the rows, fetched."""
        places = np.arange(self.shape[0])[index] if isinstance(index, slice) else np.asarray(index)
        return np.asarray(computed(self._piece(places)), dtype=self.dtype)

    def view(self, index: np.ndarray) -> ClusterRows:
        """Rows of these rows, at an ascending index, where they are."""
        sizes = [int(some.size) for _, some in self._by_part(index)]
        parts = [delayed(_taken)(part, some) for part, some in self._by_part(index)]
        return ClusterRows(parts, sizes, self.shape[1], self.dtype)

    def each(self, work: Callable[..., Any], at_once: int, *beside: Any) -> Iterator[Any]:
        """work(block, rows of each array beside) for every block of at most so many rows, in order."""
        sent = delayed(work)
        found = [
            delayed(_each)(part, sent, at_once, *parts_beside(beside, slice(*ends))) for part, ends in self._with_ends()
        ]
        return (one for blocks in computed(found) for one in blocks)

    def total(self, work: Callable[..., Any], at_once: int, *beside: Any) -> Any:
        """The sum of ``work`` over the blocks: of each part where it is, then two by two."""
        sent = delayed(work)
        return computed(
            added(
                [
                    delayed(_total)(part, sent, at_once, *parts_beside(beside, slice(*ends)))
                    for part, ends in self._with_ends()
                ]
            )
        )

    def total_at(self, work: Callable[..., Any], pieces: Iterable[tuple[np.ndarray, tuple[Any, ...]]]) -> Any:
        """The sum of work(rows, *more) over pieces (index of the rows, more)."""
        return computed(added([delayed(work)(self._piece(index), *more) for index, more in pieces]))

    def map(self, work: Callable[..., Any], *arguments: Any) -> list[Any]:
        """work(part, number of its first row, *arguments) for every part, not yet computed."""
        return [delayed(work)(part, ends[0], *arguments) for part, ends in self._with_ends()]

    def brought_here(self) -> StoredRows:
        """All rows in a temporary file, part by part."""
        return written(computed(part) for part in self.parts)

    def _piece(self, index: np.ndarray) -> Any:
        # parts are in order, and so are the rows of each
        order = np.argsort(index, kind="stable")
        taken = [delayed(_taken)(part, some) for part, some in self._by_part(index[order]) if some.size]
        return delayed(_joined)(taken, np.argsort(order)) if taken else delayed(np.empty)((0, self.shape[1]))

    def _by_part(self, index: np.ndarray) -> list[tuple[Any, np.ndarray]]:
        cuts = np.searchsorted(index, self.ends)
        return [
            (part, index[cuts[number] : cuts[number + 1]] - self.ends[number]) for number, part in enumerate(self.parts)
        ]

    def _with_ends(self) -> list[tuple[Any, tuple[int, int]]]:
        # a part without rows has no block
        return [(part, ends) for part, ends in zip(self.parts, pairwise(self.ends), strict=True) if ends[0] < ends[1]]


def is_on_cluster(X: Any) -> bool:
    """Whether X is a dask array or frame.

    Examples
    --------
    >>> is_on_cluster([[1.0]])
    False
    """
    return hasattr(X, "to_delayed") and hasattr(X, "__dask_graph__")


def check_cluster(estimator: Any, X: Any) -> ClusterRows:
    """A dask array or frame, kept in the cluster's memory and passed over once: bad cells are named by partition."""
    known = ("n_features_in_", "feature_names_in_")
    for learnt in (*known, "categories_"):
        vars(estimator).pop(learnt, None)
    parts = partitions(X)
    if hasattr(X, "columns"):
        estimator.feature_names_in_ = np.array([str(name) for name in X.columns], dtype=object)
    estimator.n_features_in_ = int(X.shape[1])
    facts = {name: getattr(estimator, name) for name in known if hasattr(estimator, name)}
    arrays = persisted([delayed(_as_array)(part) for part in parts])
    told = computed(
        [delayed(_told)(part, number, type(estimator).__name__, facts) for number, part in enumerate(arrays)]
    )
    for sentence in (sentence for _, _, sentence in told if sentence):
        raise ValueError(sentence)
    sizes = [size for size, _, _ in told]
    if sum(sizes) == 0:
        raise ValueError("X has 0 rows; a minimum of 1 is required.")
    dtype = np.result_type(*(kind for size, kind, _ in told if size))
    return ClusterRows(arrays, sizes, estimator.n_features_in_, dtype)


def partitions(X: Any) -> list[Any]:
    """The parts of a dask array or frame, whole rows each."""
    if hasattr(X, "rechunk"):
        X = X.rechunk(dict.fromkeys(range(1, X.ndim), -1))
    return list(np.ravel(X.to_delayed()))


def delayed(work: Any) -> Any:
    """``work``, to be done on the cluster; or a value that many tasks share, and that is sent once."""
    return optional("dask", "A dask array", "dask").delayed(work, pure=False, traverse=True)


def persisted(values: list[Any]) -> list[Any]:
    """Values that stay in the cluster's memory as long as someone here refers to them."""
    return list(optional("dask", "A dask array", "dask").persist(*values))


def added(values: list[Any]) -> Any:
    """The sum of values that are not yet computed, two by two."""
    while len(values) > 1:
        pairs = [values[start : start + 2] for start in range(0, len(values), 2)]
        values = [delayed(operator.add)(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return values[0]


def computed(values: Any) -> Any:
    """Values from the cluster, or a sentence where it lost a task with several workers."""
    try:
        with warnings.catch_warnings():
            # pieces of the graph are as large as they are
            warnings.filterwarnings("ignore", message="Sending large graph")
            return optional("dask", "A dask array", "dask").compute(values)[0]
    except Exception as error:
        if type(error).__name__ != "KilledWorker":
            raise
        raise RuntimeError(
            f"The cluster gave a task up after several workers were lost with it ({error}). Give the workers more "
            f"memory, or repartition X into smaller parts."
        ) from error


def _as_array(part: Any) -> np.ndarray:
    rows = np.asarray(part.to_numpy() if hasattr(part, "to_numpy") else part)
    return rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)


def _told(part: np.ndarray, number: int, estimator: str, facts: dict[str, Any]) -> tuple[int, Any, str]:
    """The number of rows of a part, their dtype, and what is wrong with it."""
    if not len(part):
        return 0, part.dtype, ""
    witness = type(estimator, (), facts)()
    try:
        for _ in checked_blocks(witness, [part]):
            pass
    except ValueError as error:
        return len(part), part.dtype, str(error).replace("Block 0 of X", f"Partition {number} of X")
    return len(part), part.dtype, ""


def _taken(part: np.ndarray, index: np.ndarray) -> np.ndarray:
    return part[index]


def _joined(pieces: list[np.ndarray], places: np.ndarray) -> np.ndarray:
    """Rows of several parts in the order in which they were asked for."""
    return np.asarray(np.concatenate(pieces)[places])


def _each(part: np.ndarray, work: Callable[..., Any], at_once: int, *beside: Any) -> list[Any]:
    return list(in_blocks(lambda block: work(part[block], *parts_beside(beside, block)), len(part), at_once))


def _total(part: np.ndarray, work: Callable[..., Any], at_once: int, *beside: Any) -> Any:
    total, *others = _each(part, work, at_once, *beside)
    for one in others:
        total = total + one
    return total
