"""The labelling sheet: questions for a person to answer, and the labels that come back."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from lsvv.tables.asking import Question
from lsvv.tables.cells import COMMA, POINT, Notation, as_numbers, is_list, is_missing, plain, read_numbers
from lsvv.tables.files import format_of, parse
from lsvv.tables.filling import cells_of
from lsvv.tables.gate import content
from lsvv.tables.table import Source, Table, TableError, WritingError, fresh_name
from lsvv.tables.tasks import separator_of
from lsvv.tables.words import count, was

__all__ = ["SHEET", "Kind", "check_sheet", "context", "kind_of", "line_of", "sheet", "with_labels"]

SHEET = ("row", "target", "label", "suggestion", "cost", "why")
MOST_NEW, MOST_NAMES, ALMOST = 20, 200, 0.8
"""New labels that are compared, known names they are compared with, and how like one of them a slip is."""
TRUTHS = {
    **dict.fromkeys(("true", "yes", "t", "y", "1"), True),
    **dict.fromkeys(("false", "no", "f", "n", "0"), False),
}
"""Words that a sheet may say in a column of truth values."""


def sheet(table: Table, asked: Sequence[Question]) -> bytes:
    """The labelling sheet as CSV: one line a question, with the row's other cells for the person who answers."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*SHEET, *context(table).values()])
    writer.writerows(line_of(table, one) for one in asked)
    return stream.getvalue().encode("utf-8")


def line_of(table: Table, asked: Question, label: str = "") -> list[Any]:
    """The line of a question, and of its answer where there is one."""
    cells = ["" if is_missing(cell) else cell for cell in table.frame.iloc[asked.row].tolist()]
    suggestion = "; ".join(map(str, asked.suggestion)) if is_list(asked.suggestion) else asked.suggestion
    return [asked.row + 1, asked.column, label, suggestion, f"{asked.cost:g}", asked.why, *cells]


def context(table: Table) -> dict[str, str]:
    """What a sheet calls the columns of the table."""
    names: dict[str, str] = {}
    for column in table.frame.columns:
        names[column] = fresh_name(str(column), {*SHEET, *names.values()})
    return names


def check_sheet(place: str | os.PathLike[str]) -> None:
    """Refuses, before any work, a place that names no CSV file, and to write over a sheet that was filled in."""
    path = Path(place)
    if format_of(path.suffix) != ".csv":
        raise WritingError(f"{path} should end in .csv: a sheet is written as CSV.")
    if not path.is_file() or not path.stat().st_size:
        return
    try:
        # whatever a person typed stays, NA as well
        there = parse(content(path), str(path), format="csv", missing=())
    except TableError as error:
        raise WritingError(
            f"{path} is there already, and whether it was filled in cannot be told: {error} Choose another place with "
            f"--out."
        ) from error
    if "label" in there.frame.columns and not all(map(is_missing, there.frame["label"])):
        raise WritingError(
            f"{path} was filled in, which a new sheet would lose. Use it with 'lsvv fill --labels {path}', or choose "
            f"another place with --out."
        )


def with_labels(table: Table, answers: Table, targets: Sequence[str]) -> Table:
    """The table with the labels of a filled sheet in its empty cells; known cells are never changed.

    Of several lines for one cell the last counts, and one without a label takes back what stands above it.
    """
    frame = table.frame.copy()
    columns = {column: cells_of(table, column) for column in targets if column in frame.columns}
    sheet = answers.source.notation
    kinds = {column: kind_of(column, cells, table.source, sheet) for column, cells in columns.items()}
    labels: dict[str, dict[int, Any]] = {column: dict(table.labels.get(column, {})) for column in columns}
    taken = left = 0
    known = {column: list(cells) for column, cells in columns.items()}
    for line, number, column, label in _given(answers):
        where = f"{answers.name}: line {line + 2}"
        row = _row(number, len(frame), where)
        _refuse_another_row(table, row, answers, line, targets)
        if column not in columns or columns[column][row] is not None:
            left += 1
            continue
        labels[column][row] = columns[column][row] = kinds[column].read(label, f"{where}, column {column!r}")
        taken += 1
    for column, cells in columns.items():
        frame[column] = np.array([*cells, None], dtype=object)[:-1]
    notes = (*table.notes, *_notes(answers, taken, left))
    for column, cells in known.items():
        given = {str(label).strip() for row, label in labels[column].items() if cells[row] is None}
        notes += tuple(_slips(column, cells, kinds[column], given))
    sheets = (*table.sheets, answers.name)
    return replace(table, frame=frame, labels={**table.labels, **labels}, notes=notes, sheets=sheets)


def _given(answers: Table) -> Iterator[tuple[int, Any, Any, str]]:
    """The line of each label of a sheet that no later line replaces, the row and the column, and what it says."""
    lacking = [name for name in ("row", "target", "label") if name not in answers.frame.columns]
    if lacking:
        raise TableError(f"{answers.name} has no column {lacking[0]!r}. Use a sheet from 'lsvv ask'.")
    lines = enumerate(zip(*(answers.frame[name] for name in ("row", "target", "label")), strict=True))
    last = {(str(number), column): (line, number, column, label) for line, (number, column, label) in lines}
    for line, number, column, label in sorted(last.values(), key=lambda one: one[0]):
        if not is_missing(label):
            yield line, number, column, str(label)


def _slips(column: str, cells: Sequence[Any], kind: Kind, labels: Iterable[str]) -> Iterator[str]:
    """What to say of labels that are new and almost one that is known."""
    names = sorted({str(cell).strip() for cell in cells if cell is not None}) if kind.cell_of is str else []
    if len(names) > MOST_NAMES or separator_of(names) is not None:
        return
    for label in sorted(set(labels) - set(names))[:MOST_NEW]:
        for near in get_close_matches(label, names, n=1, cutoff=ALMOST):
            yield f"The label {label!r} is new in {column!r} and stays as it is. Did you mean {near!r}?"


def _notes(answers: Table, taken: int, left: int) -> Iterator[str]:
    yield f"{count(taken, 'label')} {was(taken)} taken from {answers.name}."
    if left:
        yield (f"{count(left, 'label')} of {answers.name} {was(left)} left out: already known, or of no target column.")
    if "label" in answers.marked:
        texts = ", ".join(sorted(map(repr, answers.marked["label"])))
        yield f"The label {texts} on {answers.name} was taken for an empty cell; --missing says what is."


def _row(number: Any, n_rows: int, where: str) -> int:
    value = as_numbers([number])
    if value is None or not 1 <= value[0] <= n_rows or value[0] != int(value[0]):
        raise TableError(f"{where} names row {number}, but the table has rows 1 to {n_rows}. Correct the sheet.")
    return int(value[0]) - 1


def _refuse_another_row(table: Table, row: int, answers: Table, line: int, targets: Sequence[str]) -> None:
    """Refuses a line of the sheet whose other cells are not those of its row, as in a table that was sorted since."""
    for column, name in context(table).items():
        if column in targets or name not in answers.frame.columns:
            continue
        there, said = table.frame[column].iloc[row], answers.frame[name].iloc[line]
        if not _are_same(there, table.source, said, answers.source):
            has = "nothing" if is_missing(there) else repr(str(there))
            raise TableError(
                f"{answers.name}: line {line + 2} is for row {row + 1} and has {said!r} in {name!r}, but the table has "
                f"{has} there. Hand it back with the table as it was when 'lsvv ask' wrote the sheet; if the "
                f"row is right, delete the column {name!r} of the sheet."
            )


def _are_same(there: Any, source: Source, said: Any, sheet: Source) -> bool:
    """Whether two cells agree but for blanks, capitals and the digits that a spreadsheet program does not show."""
    # a cell may be deleted on a sheet, but not made up
    if is_missing(said):
        return True
    if is_missing(there):
        return False
    one, other = (" ".join(str(cell).split()).casefold() for cell in (there, said))
    if one == other:
        return True
    number, twin = as_numbers([plain(there)], source.notation), as_numbers([said], sheet.notation)
    if number is None or twin is None:
        return False
    # whole numbers are shown as they are, but for very long ones, which get an exponent
    is_shown = float(number[0]).is_integer() and "e" not in other
    return bool(number[0] == twin[0] if is_shown else np.isclose(number[0], twin[0], rtol=1e-5, atol=0.0))


@dataclass(frozen=True)
class Kind:
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


def kind_of(column: str, cells: Sequence[Any], source: Source, sheet: Notation) -> Kind:
    """What a column of a file holds; ``sheet`` is how the sheet writes numbers."""
    if source.is_whole(column):
        return Kind("whole numbers", lambda label: _whole_number(label, sheet))
    known = [plain(cell) for cell in cells if cell is not None]
    if any(is_list(cell) for cell in known):
        parts = [plain(part) for cell in known if is_list(cell) for part in cell]
        whole = bool(parts) and all(isinstance(part, int) for part in parts)
        return Kind("lists of whole numbers", _whole_numbers) if whole else Kind("lists", _names)
    if known and all(isinstance(cell, bool) for cell in known):
        return Kind(f"true or false ({', '.join(TRUTHS)})", lambda label: TRUTHS.get(label.strip().lower()))
    reading = read_numbers(known, source.notation)
    if not known or reading.strange:
        return Kind("texts", str)
    if isinstance(known[0], str):
        sign = "comma" if reading.notation is COMMA else "point"
        return Kind(f"numbers with a decimal {sign}", lambda label: _written(label, reading.notation, sheet))
    return Kind("numbers", lambda label: _number(label, sheet))


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
