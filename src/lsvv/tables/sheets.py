"""The labelling sheet: questions for a person to answer, and the labels that come back."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lsvv.tables.asking import Question
from lsvv.tables.cells import COMMA, POINT, Notation, as_numbers, is_list, is_missing, plain, read_numbers
from lsvv.tables.files import parse
from lsvv.tables.filling import cells_of
from lsvv.tables.table import Source, Table, TableError, WritingError, fresh_name

__all__ = ["check_sheet", "sheet", "with_labels"]

SHEET = ("row", "target", "label", "suggestion", "cost", "why")
TRUTHS = {
    **dict.fromkeys(("true", "yes", "t", "y", "1"), True),
    **dict.fromkeys(("false", "no", "f", "n", "0"), False),
}
"""Words that a sheet may say in a column of truth values."""


def sheet(table: Table, asked: Sequence[Question]) -> bytes:
    """The labelling sheet as CSV: one line a question, with the row's other cells for the person who answers."""
    columns = [str(column) for column in table.frame.columns]
    taken = set(SHEET)
    context = [fresh_name(column, taken) for column in columns]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*SHEET, *context])
    for one in asked:
        cells = ["" if is_missing(cell) else cell for cell in table.frame.iloc[one.row].tolist()]
        suggestion = "; ".join(map(str, one.suggestion)) if is_list(one.suggestion) else one.suggestion
        writer.writerow([one.row + 1, one.column, "", suggestion, f"{one.cost:g}", one.why, *cells])
    return stream.getvalue().encode("utf-8")


def check_sheet(place: str | os.PathLike[str]) -> None:
    """Refuses, before any work, to write over a sheet that holds labels."""
    path = Path(place)
    if not path.is_file() or not path.stat().st_size:
        return
    try:
        # whatever a person typed is a label, NA as well
        there = parse(path.read_bytes(), str(path), format="csv", missing=())
    except (TableError, OSError) as error:
        raise WritingError(
            f"{path} is there already, and whether it holds labels cannot be told: {error} Choose another place with "
            f"--out."
        ) from error
    if "label" in there.frame.columns and not all(map(is_missing, there.frame["label"])):
        raise WritingError(
            f"{path} holds labels, which a new sheet would lose. Use them with 'lsvv fill --labels {path}', or choose "
            f"another place with --out."
        )


def with_labels(table: Table, answers: Table, targets: Sequence[str]) -> Table:
    """The table with the labels of a filled sheet in its empty cells; known cells are never changed."""
    frame = table.frame.copy()
    columns = {column: cells_of(table, column) for column in targets if column in frame.columns}
    sheet = answers.source.notation
    kinds = {column: _kind_of(column, cells, table.source, sheet) for column, cells in columns.items()}
    labels: dict[str, dict[int, Any]] = {column: dict(table.labels.get(column, {})) for column in columns}
    taken = left = 0
    for where, number, column, label in _given(answers):
        row = _row(number, len(frame), where)
        if column not in columns or columns[column][row] is not None:
            left += 1
            continue
        labels[column][row] = columns[column][row] = kinds[column].read(label, f"{where}, column {column!r}")
        taken += 1
    for column, cells in columns.items():
        frame[column] = np.array([*cells, None], dtype=object)[:-1]
    notes = [f"{taken} labels were taken from {answers.name}."]
    if left:
        notes.append(f"{left} labels of {answers.name} were left out: their cells are known or in no target column.")
    return replace(table, frame=frame, labels={**table.labels, **labels}, notes=(*table.notes, *notes))


def _given(answers: Table) -> Iterator[tuple[str, Any, Any, str]]:
    """Where each label of a sheet stands, the row and the column it is for, and what it says."""
    lacking = [name for name in ("row", "target", "label") if name not in answers.frame.columns]
    if lacking:
        raise TableError(f"{answers.name} has no column {lacking[0]!r}. Use a sheet from 'lsvv ask'.")
    lines = zip(*(answers.frame[name] for name in ("row", "target", "label")), strict=True)
    for line, (number, column, label) in enumerate(lines, 2):
        if not is_missing(label):
            yield f"{answers.name}: line {line}", number, column, str(label)


def _row(number: Any, n_rows: int, where: str) -> int:
    value = as_numbers([number])
    if value is None or not 1 <= value[0] <= n_rows or value[0] != int(value[0]):
        raise TableError(f"{where} names row {number}, but the table has rows 1 to {n_rows}. Correct the sheet.")
    return int(value[0]) - 1


@dataclass(frozen=True)
class _Kind:
    """What the known cells of a column are, and what makes such a cell of a text; None where nothing does."""

    name: str
    cell_of: Callable[[str], Any]

    def read(self, label: str, where: str) -> Any:
        """A label from the sheet as the column holds its cells."""
        cell = self.cell_of(label)
        if cell is None:
            raise TableError(
                f"{where} says {label!r}, but the known cells are {self.name}. Correct it, or write it into the table."
            )
        return cell


def _kind_of(column: str, cells: Sequence[Any], source: Source, sheet: Notation) -> _Kind:
    """What a column of a file holds; ``sheet`` is how the sheet writes numbers."""
    if source.is_whole(column):
        return _Kind("whole numbers", lambda label: _whole_number(label, sheet))
    known = [plain(cell) for cell in cells if cell is not None]
    if any(is_list(cell) for cell in known):
        parts = [plain(part) for cell in known if is_list(cell) for part in cell]
        whole = bool(parts) and all(isinstance(part, int) for part in parts)
        return _Kind("lists of whole numbers", _whole_numbers) if whole else _Kind("lists", _names)
    if known and all(isinstance(cell, bool) for cell in known):
        return _Kind(f"true or false ({', '.join(TRUTHS)})", lambda label: TRUTHS.get(label.strip().lower()))
    reading = read_numbers(known, source.notation)
    if not known or reading.strange:
        return _Kind("texts", str)
    if isinstance(known[0], str):
        sign = "comma" if reading.notation is COMMA else "point"
        return _Kind(f"numbers with a decimal {sign}", lambda label: _written(label, reading.notation, sheet))
    return _Kind("numbers", lambda label: _number(label, sheet))


def _names(label: str) -> list[str]:
    return [part.strip() for part in label.split(";") if part.strip()]


def _whole_numbers(label: str) -> list[int] | None:
    names = _names(label)
    numbers = [number for number in (_whole_number(name, POINT) for name in names) if number is not None]
    return numbers if len(numbers) == len(names) else None


def _written(label: str, notation: Notation, sheet: Notation) -> str | None:
    """The number as its column writes it; None for one in the other notation, which would turn the column into names.

    A sheet with decimal commas that reads it otherwise than the column tells that it may be in the other.
    """
    doubtful = sheet is COMMA and sheet.reads(label) and sheet.plain(label) != notation.plain(label)
    return label.strip() if notation.reads(label) and not doubtful else None


def _number(label: str, sheet: Notation) -> float | None:
    """A whole number is written without a decimal sign, as a file holds it."""
    values = as_numbers([label], sheet)
    if values is None:
        return None
    value = float(values[0])
    return int(value) if value.is_integer() else value


def _whole_number(label: str, sheet: Notation) -> int | None:
    value = _number(label, sheet)
    return value if isinstance(value, int) else None
