"""Tables that are not held whole: models learn from some of their rows, and all are filled block by block."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np

from lsvv.stored import most_drawn, rows_to_learn_from
from lsvv.tables.filling import Extent, Filled, Fitted, Progress, Watch, cells_of, fill, in_rows
from lsvv.tables.large import LargeTable
from lsvv.tables.modelfile import TableModel
from lsvv.tables.naming import check_columns
from lsvv.tables.parquet import Parquet, types_beside
from lsvv.tables.results import Said, says
from lsvv.tables.table import Edits, Table, TableError
from lsvv.tables.targets import Target
from lsvv.tables.vectorizer import FrameVectorizer, Unread
from lsvv.tables.words import duration

__all__ = ["fill_large", "write_filled", "write_predicted"]

MOST_DRAWN_BYTES = 2**30
"""Of the rows that are learnt from, unpacked."""
LEARNING, WRITING = 0.15, 0.5
"""The shares of the work after which models learn, and rows are filled."""


def fill_large(
    large: LargeTable,
    targets: Sequence[str],
    *,
    task: str | None = None,
    features: str = "auto",
    class_weight: str = "none",
    random_state: int = 0,
    progress: Progress | None = None,
) -> Filled:
    """What :func:`lsvv.tables.fill` learns from some rows of a large table; :func:`write_filled` fills all of them.

    All rows with a known cell are learnt from, up to ``lsvv.stored.MOST_KNOWN`` drawn at random, and others up to
    ``MOST_DRAWN`` in all. Each target is predicted from the inputs alone.
    """
    check_columns(large.head, targets)
    watch = Watch(progress)
    with watch.stage("Looking for known cells", 0.0) as stage:
        there, firsts = large.known(targets, _paced(progress, stage, large.n_rows, 0.0, 0.05))
    most = max(2, min(most_drawn(large.n_columns), int(MOST_DRAWN_BYTES / large.row_bytes)))
    rows = rows_to_learn_from(there, most, np.random.default_rng(random_state), firsts)
    with watch.stage("Drawing rows to learn from", 0.05) as stage:
        some = large.drawn(rows, _paced(progress, stage, large.n_rows, 0.05, LEARNING))
    try:
        filled = fill(
            some,
            targets,
            task=task,
            features=features,
            class_weight=class_weight,
            together=False,
            random_state=random_state,
            progress=None if progress is None else _within(progress, LEARNING, WRITING),
        )
    except TableError as error:
        raise type(error)(_numbered(str(error), rows)) from error
    n_known = there.sum(axis=0).tolist()
    empty = {column: large.n_rows - count for column, count in zip(targets, n_known, strict=True)}
    whole = Extent(large.n_rows, dict(zip(targets, n_known, strict=True)), empty)
    place = len(filled.warnings)
    filled = replace(filled, whole=whole, seconds={**watch.seconds, **filled.seconds})
    told = [] if filled.drawn is None else [filled.drawn]
    others = (_numbered(note, rows) for note in filled.notes[place:])
    return replace(filled, notes=(*filled.notes[:place], *told, *others))


def write_filled(large: LargeTable, filled: Filled, stream: BinaryIO, *, progress: Progress | None = None) -> None:
    """Writes all rows with their holes filled as a Parquet file, a block in memory at a time."""
    filling = _Filling(filled.vectorizer, filled.fitted, filled.added, _decimals_more(filled))
    watch = Watch(progress)
    with watch.stage("Filling rows", WRITING) as stage:
        _write(large, stream, filling.edits, _types(filled), _paced(progress, stage, large.n_rows, WRITING, 1.0))
    filled.seconds.update(watch.seconds)


def write_predicted(
    large: LargeTable, model: TableModel, unread: Unread, stream: BinaryIO, *, progress: Progress | None = None
) -> None:
    """Writes all rows with the predictions of a model beside them, a block in memory at a time.

    ``unread`` hears of cells that are not what the model takes their columns for.
    """
    tell = _paced(progress, "Predicting rows", large.n_rows, 0.0, 1.0)
    more: dict[str, int] = {}
    model.predictions(large.head, more)

    def edits(block: Table) -> Edits:
        unread.hear(block.frame, block.source.notation, first=int(block.frame.index[0]))
        return model.predictions(block, more)

    _write(large, stream, edits, model.types(large.head, more), tell)


@dataclass(frozen=True, eq=False)
class _Filling:
    """What fills a block: models, the names of new columns, and how many decimals more the ends of intervals have."""

    vectorizer: FrameVectorizer
    fitted: Sequence[Fitted]
    added: Mapping[str, Mapping[str, str]]
    more: Mapping[str, int]

    def edits(self, block: Table) -> Edits:
        """The cells of a block that were empty, and the columns beside them."""
        frame = block.frame
        cells: dict[str, dict[int, Any]] = {}
        columns: dict[str, list[Any]] = {}
        empty = {column: np.array([cell is None for cell in cells_of(block, column)]) for column in self.added}
        needed = np.flatnonzero(np.any([*empty.values()], axis=0))
        said = self._said(frame.iloc[needed], block) if needed.size else {}
        for column, names in self.added.items():
            rows = np.flatnonzero(empty[column])
            beside: dict[str, list[Any]] = {kind: [] for kind in names if kind != "filled"}
            if rows.size:
                target, answer = said[column]
                answer = answer.of(np.searchsorted(needed, rows))
                cells[column] = dict(zip(rows.tolist(), target.spelt(answer.predictions), strict=True))
                beside |= answer.beside(target, self.more[column])
            columns |= {names[kind]: in_rows(values, rows.tolist(), len(frame)) for kind, values in beside.items()}
            columns[names["filled"]] = empty[column].tolist()
        return Edits(cells, columns)

    def _said(self, some: Any, block: Table) -> dict[str, tuple[Target, Said]]:
        X = self.vectorizer.transform(some, block.source.notation)
        return {
            target.column: (target, answer)
            for part in self.fitted
            for target, answer in zip(part.group.targets, says(part.group, part.model, X), strict=True)
        }


def _decimals_more(filled: Filled) -> dict[str, int]:
    """How many decimals more than its column the ends of each target's intervals have."""
    return {one.target.column: one.said.of(one.rows).decimals_more(one.target) for one in filled.results}


def _types(filled: Filled) -> dict[str, Any]:
    """The types of the columns beside each target, by their names."""
    more = _decimals_more(filled)
    return {
        name: types_beside(one.target, more[one.target.column])[kind]
        for one in filled.results
        for kind, name in filled.added[one.target.column].items()
    }


def _write(
    large: LargeTable,
    stream: BinaryIO,
    edits_of: Callable[[Table], Edits],
    types: Mapping[str, Any],
    tell: Callable[[int], None],
) -> None:
    """Writes each block with its edits; ``types`` are those of the new columns."""
    import pyarrow.parquet as pq

    writer = None
    try:
        for block in large.tables():
            tell(int(block.frame.index[0]))
            source = block.source
            assert isinstance(source, Parquet)
            done = source.edited(edits_of(block), types)
            if writer is None:
                writer = pq.ParquetWriter(stream, done.schema, write_page_checksum=True)
            writer.write_table(done)
    finally:
        if writer is not None:
            writer.close()


def _numbered(sentence: str, rows: np.ndarray) -> str:
    """A sentence about the rows drawn, with the numbers that these have in the whole table.

    What is quoted is a cell, whatever it says.
    """

    def numbered(found: re.Match[str]) -> str:
        drawn = int(found["row"] or 0)
        return f"row {rows[drawn - 1] + 1}" if 0 < drawn <= rows.size else found[0]

    return re.sub(r"""'[^']*'|"[^"]*"|\brow (?P<row>\d+)\b""", numbered, sentence)


def _within(progress: Progress, first: float, last: float) -> Progress:
    """A part of the work, told as shares of the whole."""
    return lambda stage, done: progress(stage, first + (last - first) * done)


def _paced(progress: Progress | None, stage: str, n_rows: int, first: float, last: float) -> Callable[[int], None]:
    """Tells at which row a stage is, and the time that it has left by the time it took so far."""
    begin = time.monotonic()

    def tell(row: int) -> None:
        if progress is None:
            return
        left = f", {duration((time.monotonic() - begin) * (n_rows - row) / row)} left" if row else ""
        progress(f"{stage}: {row:,} of {n_rows:,}{left}", first + (last - first) * row / n_rows)

    return tell
