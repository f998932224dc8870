"""What no label changes, computed once: rows as numbers, their graph, and features smoothed over it.

What is left to do after an answer is a small search over labelled rows alone: the mapped rows are those of phi_s, and
smoothing them again is not needed.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from lsvv import LSVVClassifierCV, LSVVRegressorCV
from lsvv.features import Linear, MappedRows, RandomFourier
from lsvv.graph import Smoother
from lsvv.linalg import threads_for
from lsvv.tables.aside import with_useful_inputs
from lsvv.tables.asking import looked_at, question_rows
from lsvv.tables.filling import cells_of
from lsvv.tables.model_choice import neighbour_graph
from lsvv.tables.results import Answer, answers, says
from lsvv.tables.table import Table
from lsvv.tables.targets import Group, Target
from lsvv.tables.vectorizer import FrameVectorizer

__all__ = ["Prepared", "left_out", "prepared", "prepared_rows", "quick_answer"]

N_FEATURES = 300
SMOOTHINGS = (0.0, 0.8, 0.95)
MANY_ROWS = 20_000
"""Beyond it there is one map fewer and one smoothing fewer."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """The rows of a table as learning meets them.

    Attributes
    ----------
    rows : array
        Which rows of the table are looked at, ascending: all, or a random part of very many.
    X : array of shape (rows, features)
        Vectorised inputs.
    Z : array of shape (rows, columns)
        Every map of X under every smoothing, side by side.
    maps : tuple of Columns
        Where each stands in Z.
    asked : MappedRows
        What questions are chosen by.
    notes : tuple of str
        How the columns were read.
    """

    rows: np.ndarray
    X: np.ndarray
    Z: np.ndarray
    maps: tuple[Columns, ...]
    asked: MappedRows
    notes: tuple[str, ...]


class Columns(TransformerMixin, BaseEstimator):
    """The columns from ``start`` to before ``stop``: a map that was computed before."""

    def __init__(self, start: int = 0, stop: int = 1) -> None:
        self.start = start
        self.stop = stop

    def fit(self, X: np.ndarray, y: Any = None) -> Self:
        """Nothing is learnt."""
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Those columns of the rows."""
        return X[:, self.start : self.stop]


def prepared(table: Table, column: str, random_state: int = 0) -> Prepared:
    """The rows of a table for labelling one column; no label of it has a part."""
    table = with_useful_inputs(table, [column])
    known = np.array([cell is not None for cell in cells_of(table, column)], dtype=bool)
    rows = looked_at(len(known), [known], random_state)
    with threads_for(rows.size):
        vectorizer = FrameVectorizer(decimal=table.source.notation.decimal, random_state=random_state)
        X = vectorizer.fit_transform(table.frame.iloc[rows].drop(columns=[column, *table.aside]))
        return prepared_rows(X, rows, random_state, notes=(*table.notes, *vectorizer.notes_))


def prepared_rows(X: np.ndarray, rows: np.ndarray, random_state: int = 0, *, notes: tuple[str, ...] = ()) -> Prepared:
    """The same of rows that are numbers already; ``rows`` are their numbers in the table."""
    graph = neighbour_graph(X)
    Z, maps = _smoothed(X, Smoother(graph.S), random_state)
    return Prepared(rows, X, Z, maps, question_rows(X, graph, random_state), notes)


def _smoothed(X: np.ndarray, smoother: Smoother, random_state: int) -> tuple[np.ndarray, tuple[Columns, ...]]:
    many = len(X) > MANY_ROWS
    widths = ("1.0 median",) if many else ("0.5 median", "1.0 median")
    features = [Linear(), *(RandomFourier(N_FEATURES, width=width, random_state=random_state) for width in widths)]
    blocks = []
    for one in features:
        Phi = np.asarray(one.fit(X).transform(X), dtype=np.float32)
        for smoothing in SMOOTHINGS[many:]:
            blocks.append(np.asarray(smoother.columns(Phi, smoothing)) if smoothing else Phi)
    ends = np.cumsum([0, *(block.shape[1] for block in blocks)]).tolist()
    return np.hstack(blocks), tuple(Columns(*pair) for pair in pairwise(ends))


def quick_answer(ready: Prepared, target: Target) -> Answer:
    """What a quick model says of every row, checked on known cells left out one at a time."""
    known = np.flatnonzero(target.known)
    (answer,), model = _learnt(ready, target, known)
    (said,) = says(Group(target.task, (target,)), model, ready.Z)
    return replace(answer, target=target, said=said, held_out_rows=known[answer.held_out_rows])


def left_out(ready: Prepared, target: Target, rows: np.ndarray) -> Answer:
    """What a quick model learnt from the known cells of ``rows`` says of these, each left out in turn."""
    return _learnt(ready, target, rows)[0][0]


def _learnt(ready: Prepared, target: Target, rows: np.ndarray) -> tuple[list[Answer], Any]:
    """The answers for labelled rows alone, and their model."""
    values = target.values[rows]
    if target.task == "classes":
        # some of the labels may be of some of the classes
        values = np.unique(values, return_inverse=True)[1]
    alone = replace(target, known=np.ones(rows.size, dtype=bool), values=values)
    group, Z = Group(target.task, (alone,)), ready.Z[rows]
    settings: dict[str, Any] = {"features": list(ready.maps), "trees": False, "smoothing": 0.0, "safe": False}
    kind: Any = LSVVRegressorCV if target.task == "numbers" else LSVVClassifierCV
    if target.task != "numbers":
        settings["loss"] = "squared"
    with warnings.catch_warnings(), threads_for(rows.size):
        warnings.simplefilter("ignore")
        model = kind(**settings, random_state=0).fit(Z, group.as_array())
        return list(answers(group, model, Z)), model
