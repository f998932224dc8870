"""Fill the holes of a table: find the tasks, vectorise, fit by groups, answer, and say how sure."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from lsvv.linalg import threads_for
from lsvv.selection import Importances, column_importances
from lsvv.selection.forests import KINDS
from lsvv.tables.aside import with_useful_inputs
from lsvv.tables.cautions import Caution, cautions
from lsvv.tables.cells import known
from lsvv.tables.coding import code, grouped
from lsvv.tables.formulas import with_safe_texts
from lsvv.tables.helping import second_round
from lsvv.tables.model_choice import choose_model, neighbour_graph
from lsvv.tables.naming import check_columns
from lsvv.tables.notes import model_notes, result_notes
from lsvv.tables.results import Answer, answers, named
from lsvv.tables.table import Edits, Layout, Table, TableError
from lsvv.tables.targets import Group, Target
from lsvv.tables.tasks import find_task, task_words
from lsvv.tables.vectorizer import FrameVectorizer
from lsvv.tables.weights import check_class_weight, weights_of
from lsvv.tables.widths import Judge

__all__ = ["Extent", "Filled", "Fitted", "Progress", "Watch", "cells_of", "fill", "in_rows"]

Progress = Callable[[str, float], None]
"""Called with the name of a stage as it begins and the share of the work done so far."""


_USUAL: dict[str, Any] = {**vars(Layout()), "ignore": [], "class_weight": "none", "safe_csv": False}
"""Settings that go without saying."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """One group of targets, the estimator that learnt them, and what it warned of."""

    group: Group
    model: Any
    warned: tuple[str, ...] = ()

    @property
    def help_note(self) -> str | None:
        """What rows without a label did for it; None where that was not measured."""
        guard = self.model.guard_
        return None if guard is None else f"{self.group.name}: {guard.sentence}"


@dataclass(frozen=True)
class Extent:
    """How much there is of a table: its rows, and the known and the empty cells of each target."""

    n_rows: int
    known: dict[str, int]
    empty: dict[str, int]


@dataclass(frozen=True, eq=False)
class Filled:
    """A filled table and all that is known about how it was filled.

    Attributes
    ----------
    table : Table
        As it was read, with the columns that were left aside; of a table that is not held whole, the rows learnt from.
    edits : Edits
        What ``table.source.rendered`` needs to write it.
    results : tuple of Answer
        One for each target, in the order asked for.
    added : dict of column to dict of str
        The names of the added columns by kind: "probability" or "lower" and "upper", and "filled".
    fitted : tuple of Fitted
        The groups and their models.
    vectorizer : FrameVectorizer
        How rows became numbers.
    X : array of shape (rows, features)
        The vectorised inputs.
    warnings : tuple of Caution
        What a reader should hear first: signs that filled cells are worse than they look.
    notes : tuple of str
        What a reader should know, the sentences of ``warnings`` before all others.
    seconds : dict of str to float
        Time of each stage.
    settings : dict
        What repeats this result.
    whole : Extent or None
        Of the table that the rows of ``table`` were drawn from, where these are not all.
    """

    table: Table
    edits: Edits
    results: tuple[Answer, ...]
    added: dict[str, dict[str, str]]
    fitted: tuple[Fitted, ...]
    vectorizer: FrameVectorizer
    X: np.ndarray
    warnings: tuple[Caution, ...]
    notes: tuple[str, ...]
    seconds: dict[str, float]
    settings: dict[str, Any]
    whole: Extent | None = None

    @cached_property
    def extent(self) -> Extent:
        """Of the whole table."""
        if self.whole is not None:
            return self.whole
        known = {result.target.column: int(result.target.known.sum()) for result in self.results}
        empty = {result.target.column: len(result.rows) for result in self.results}
        return Extent(len(self.table.frame), known, empty)

    @cached_property
    def drawn(self) -> str | None:
        """Which rows were learnt from, in a sentence; None where these are all."""
        n_rows, n_drawn = self.extent.n_rows, len(self.table.frame)
        if n_drawn == n_rows:
            return None
        n_known = int(np.any([result.target.known for result in self.results], axis=0).sum())
        return (
            f"Learnt from {n_drawn:,} of the {n_rows:,} rows, {n_known:,} of them with a known cell: notes count cells "
            f"among these."
        )

    @property
    def numbers(self) -> np.ndarray:
        """The numbers of the rows of ``table`` in the whole table, from 1."""
        return np.asarray(self.table.frame.index) + 1

    @cached_property
    def frame(self) -> Any:
        """The filled values with the added columns, as a pandas.DataFrame."""
        import pandas as pd

        columns = {str(name): column.astype(object).tolist() for name, column in self.table.frame.items()}
        for name, cells in self.edits.cells.items():
            for row, value in cells.items():
                columns[name][row] = value
        return pd.DataFrame({**columns, **self.edits.columns}, index=self.table.frame.index)

    @cached_property
    def importances(self) -> tuple[Importances | None, ...]:
        """Which input columns mattered to each of ``fitted``; None where no trees were grown, which alone tell."""
        seed, sources = self.settings["random_state"], self.vectorizer.sources
        return tuple(
            column_importances(part.model, self.X, groups=sources, random_state=seed)
            if _has_trees(part.model)
            else None
            for part in self.fitted
        )

    def __getstate__(self) -> dict[str, Any]:
        # the models of a copy no longer hold the trees that tell
        return {**vars(self), "importances": self.importances}

    def rendered(self) -> bytes:
        """The file: the same format, what was known as it was."""
        return self.table.source.rendered(self.edits)


def fill(
    table: Table,
    targets: Sequence[str],
    *,
    task: str | None = None,
    features: str = "auto",
    class_weight: str = "none",
    together: bool = True,
    safe_csv: bool = False,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Filled:
    r"""The table with the empty cells of its target columns filled.

    Parameters
    ----------
    table : Table
        From :func:`lsvv.tables.read`.
    targets : sequence of str
        Columns whose empty cells are to be filled; their known cells are the labels.
    task : str, optional
        "classes", "labels", "tags" or "numbers" for all targets, or "column=task" parted by commas; found from the
        cells where it is not given.
    features : "auto", "linear" or "fourier"
        The maps searched: straight, curved, or both.
    class_weight : "none" or "balanced"
        Whether every answer weighs the same however rare it is among the known cells; numbers are not concerned.
    together : bool
        Whether known cells of one target help to fill another. They have no part in a model file.
    safe_csv : bool
        Whether texts that are written into a CSV file and begin like a formula get an apostrophe before.
    random_state : int
        Seeds all draws.
    progress : callable, optional
        Called as ``progress(stage, share_done)``.

    Examples
    --------
    >>> from lsvv.tables import fill, parse
    >>> rows = "".join(f"{i * i},{('low' if i < 20 else 'high') if i % 4 == 0 else ''}\n" for i in range(40))
    >>> filled = fill(parse(b"size,kind\n" + rows.encode(), "sizes.csv", format="csv"), ["kind"], features="linear")
    >>> filled.frame["kind"][1], filled.frame["kind"][39]
    ('low', 'high')
    """
    watch = Watch(progress)
    with threads_for(len(table.frame)):
        check_class_weight(class_weight)
        new_model = partial(choose_model, n_rows=len(table.frame), features=features, random_state=random_state)
        with watch.stage("Understanding the columns", 0.0):
            check_columns(table, targets)
            ignored, table = table.aside, with_useful_inputs(table, targets)
            cells = {column: cells_of(table, column) for column in targets}
            _refuse_empty_formulas(table, cells)
            coded = _coded(table, cells, task)
            groups = grouped(coded)
            models = [new_model(one.task) for one in groups]
        with watch.stage("Turning columns into numbers", 0.05):
            vectorizer = FrameVectorizer(decimal=table.source.notation.decimal, random_state=random_state)
            inputs = table.frame.drop(columns=[*targets, *table.aside])
            X = vectorizer.fit_transform(inputs, judge=Judge(coded, random_state))
        fitted = _fitted(X, groups, models, class_weight, watch)
        with watch.stage("Asking the other targets" if together and len(coded) > 1 else "Checking the answers", 0.8):
            found = {one.target.column: one for part in fitted for one in answers(part.group, part.model, X)}
            results = tuple(found[column] for column in targets)
            beside = partial(_model_beside, new_model, class_weight)
            helps = tuple(second_round(X, results, beside)) if together else ()
            found |= {one.answer.target.column: one.answer for one in helps}
            results = tuple(found[column] for column in targets)
        with watch.stage("Filling the holes", 0.95):
            taken = {str(column) for column in table.frame.columns}
            added = {one.target.column: named(one.target.column, (*one.beside(), "filled"), taken) for one in results}
            edits, told = with_safe_texts(table, _edits(table, results, added), safe_csv)
        heard = tuple(one for result in results for one in cautions(X, result, random_state))
        notes = (*(one.text for one in heard), *table.notes, *vectorizer.notes_)
        notes += (*model_notes(fitted), *result_notes(table, results))
        notes += (*(one.sentence() for one in helps), *told)
        settings = {"targets": list(targets), "task": task, "features": features, "random_state": random_state}
        settings |= {"format": table.format, "missing": list(table.missing), "labels": list(table.sheets)}
        unusual = {
            **vars(table.layout),
            "ignore": list(ignored),
            "class_weight": class_weight,
            "safe_csv": safe_csv,
        }
        settings |= {name: value for name, value in unusual.items() if value != _USUAL[name]}
        return Filled(table, edits, results, added, fitted, vectorizer, X, heard, notes, watch.seconds, settings)


def _fitted(
    X: np.ndarray, groups: Sequence[Group], models: Sequence[Any], class_weight: str, watch: Watch
) -> tuple[Fitted, ...]:
    """Each group with its model, fitted on one graph of the rows."""
    with watch.stage("Finding neighbours", 0.25):
        graph = neighbour_graph(X)
    fitted = []
    for place, (group, model) in enumerate(zip(groups, models, strict=True)):
        with watch.stage(f"Learning {group.name}", 0.5 + 0.3 * place / len(groups)):
            fitted.append(_learnt(X, group, model.set_params(graph=graph), class_weight))
    return tuple(fitted)


def _learnt(X: np.ndarray, group: Group, model: Any, class_weight: str) -> Fitted:
    # what a program hears as a warning, a person reads as a note
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, group.as_array(), sample_weight=weights_of(group, class_weight))
    return Fitted(group, model, tuple(dict.fromkeys(str(one.message) for one in caught)))


def _has_trees(model: Any) -> bool:
    return not KINDS.keys().isdisjoint(model.kinds_)


def _model_beside(new_model: Callable[..., Any], class_weight: str, group: Group, X: np.ndarray) -> Any:
    """A model of a group from features that other targets are among, on a graph of its own."""
    return _learnt(X, group, new_model(group.task, graph=neighbour_graph(X)), class_weight).model


def cells_of(table: Table, column: str) -> list[Any]:
    """The cells of a column, None where they are empty."""
    return known(table.frame[column].tolist())


def _refuse_empty_formulas(table: Table, cells: Mapping[str, Sequence[Any]]) -> None:
    """Refuses a target with a formula that shows nothing: it is no known cell, and no hole either."""
    for column, there in cells.items():
        labels = table.labels.get(column, {})
        for row, formula in table.source.formulas_in(column).items():
            if there[row] is None or row in labels:
                raise TableError(
                    f"The target {column!r} holds the formula {formula!r} in row {row + 1}, which shows nothing, and "
                    f"formulas are never written over. Replace the formulas by their values."
                )


def _coded(table: Table, cells: Mapping[str, Sequence[Any]], task: str | None) -> list[Target]:
    asked = task_words(task, list(cells))
    typed = {column: "classes" for column in cells if column not in asked and table.source.is_categorical(column)}
    found = find_task(cells, typed | asked, table.source.notation)
    found = [replace(one, reason="its type is categorical") if one.column in typed else one for one in found]
    return [code(finding, cells[finding.column]) for finding in found]


def _edits(table: Table, results: Sequence[Answer], added: Mapping[str, Mapping[str, str]]) -> Edits:
    cells: dict[str, dict[int, Any]] = {}
    columns: dict[str, list[Any]] = {}
    for result in results:
        column, rows = result.target.column, result.rows.tolist()
        cells[column] = {**table.labels.get(column, {}), **dict(zip(rows, result.cells, strict=True))}
        for kind, values in result.beside().items():
            columns[added[column][kind]] = in_rows(values, rows, len(table.frame))
        columns[added[column]["filled"]] = (~result.target.known).tolist()
    return Edits(cells, columns)


def in_rows(values: Sequence[Any], rows: Sequence[int], n_rows: int) -> list[Any]:
    """A column that holds the values in some rows and is empty elsewhere."""
    column: list[Any] = [None] * n_rows
    for row, value in zip(rows, values, strict=True):
        column[row] = value
    return column


class Watch:
    """Times the stages and tells of them."""

    def __init__(self, progress: Progress | None) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress

    @contextmanager
    def stage(self, name: str, done: float) -> Iterator[str]:
        """Around the work of a stage, whose name it gives back."""
        if self._progress is not None:
            self._progress(name, done)
        start = time.perf_counter()
        yield name
        self.seconds[name] = time.perf_counter() - start
