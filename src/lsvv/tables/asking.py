"""What to label next: cells whose labels would help most, on a sheet a person fills in and hands back.

A cell is worth as much as its label would lower the doubt about all rows. Rows vary together as a Gaussian process over
the inputs; what is labelled or asked for already leaves little to learn nearby. Cells are taken one by one, the highest
worth per cost first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lsvv.features import MappedRows, RandomFourier
from lsvv.tables.cells import COMMA, POINT, Notation, as_numbers, is_list, is_missing, plain, read_numbers
from lsvv.tables.files import parse
from lsvv.tables.filling import Filled, cells_of
from lsvv.tables.results import Answer
from lsvv.tables.table import Source, Table, TableError, WritingError, fresh_name
from lsvv.tables.tasks import by_column

__all__ = ["Question", "best_questions", "check_sheet", "costs_of", "questions", "sheet", "uncertainty", "with_labels"]

N_FEATURES = 300
NOISE = 0.1
"""How far a label may be off, as a share of the variance of what it measures."""
BLOCK_BYTES = 2**27
"""Mapped rows held at once; their products with D x D matrices, in double precision, take four times that."""
TRUTHS = {
    **dict.fromkeys(("true", "yes", "t", "y", "1"), True),
    **dict.fromkeys(("false", "no", "f", "n", "0"), False),
}
"""Words that a sheet may say in a column of truth values."""
SHEET = ("row", "target", "label", "suggestion", "cost", "why")


@dataclass(frozen=True)
class Question:
    """One cell worth a label: its row (from 0), column and cost, what the model thinks, and why it is asked."""

    row: int
    column: str
    cost: float
    worth: float
    suggestion: Any
    why: str


def costs_of(words: str | None, columns: Sequence[str]) -> dict[str, float]:
    """--cost as a mapping; 1 for columns that are not named. A name may hold a comma or an equals sign.

    Examples
    --------
    >>> costs_of("b=2.5", ["a", "b"])
    {'a': 1.0, 'b': 2.5}
    >>> costs_of("b=2,size, cm=3", ["b", "size, cm"])
    {'b': 2.0, 'size, cm': 3.0}
    """
    costs = dict.fromkeys(columns, 1.0)
    for column, number in by_column(words, columns):
        value = as_numbers([number])
        if column is None or value is None or not value[0] > 0:
            said = number if column is None else f"{column}={number}"
            raise TableError(f"--cost {said!r} is not COL=COST with a target column and a cost above 0.")
        costs[column] = float(value[0])
    return costs


def uncertainty(result: Answer) -> np.ndarray:
    """How unsure the model is of each row, from 0 to 1.

    1 - (p1 - p2) for the two likeliest classes, 1 - |2p - 1| for yes or no, its mean over tags, and for numbers the
    share of the variance that is not explained, the same for all rows.
    """
    P = result.probabilities
    if P is None:
        return np.full(len(result.predictions), float(np.clip(1.0 - result.quality.value, 0.05, 1.0)))
    if result.target.task == "tags":
        return np.asarray(np.mean(1.0 - np.abs(2.0 * P - 1.0), axis=1))
    ordered = np.sort(P, axis=1)
    return np.asarray(1.0 - (ordered[:, -1] - ordered[:, -2]))


def questions(filled: Filled, budget: float, costs: Mapping[str, float], random_state: int = 0) -> list[Question]:
    """The cells of a filled table to ask for, best first, as many as the budget pays."""
    return best_questions(filled.X, filled.results, budget, costs, random_state)


def best_questions(
    X: np.ndarray, answers: Sequence[Answer], budget: float, costs: Mapping[str, float], random_state: int = 0
) -> list[Question]:
    """The cells to ask for, from the vectorised rows and what a model says of them."""
    if not budget > 0:
        raise TableError(f"A budget of {budget:g} pays for nothing. Pass a number above 0.")
    phi = RandomFourier(N_FEATURES, width="median", random_state=random_state)
    rows = MappedRows(X, phi.fit(X).transform, block_bytes=BLOCK_BYTES)
    doubts = {result.target.column: _Doubt(rows, result) for result in answers}
    results = {result.target.column: result for result in answers}
    asked: list[Question] = []
    while True:
        worth = {column: doubt.worth() for column, doubt in doubts.items() if costs[column] <= budget + 1e-9}
        best = {column: int(np.argmax(values)) for column, values in worth.items()}
        rated = {column: worth[column][row] / costs[column] for column, row in best.items()}
        column = max(rated, key=lambda name: rated[name], default=None)
        if column is None or not rated[column] > 0:
            return asked
        row = best[column]
        asked.append(_question(results[column], row, costs[column], float(worth[column][row])))
        budget -= costs[column]
        doubts[column].ask(row)


class _Doubt:
    """What is not known of one column: f = w'phi(x) with w ~ N(0, I), labels f + noise, each row weighed by u_j.

    A label of row i lowers the mean of u_j Var f_j by mean_j u_j Cov_ij^2 / (Var_i + noise). With P the covariance of w
    given the labels and M = mean_j u_j phi_j phi_j' that is phi_i' P M P phi_i / (phi_i' P phi_i + noise).
    """

    def __init__(self, rows: MappedRows, result: Answer) -> None:
        self._rows = rows
        self._open = ~result.target.known
        labelled = rows.take(np.flatnonzero(result.target.known))
        self._P = np.linalg.inv(np.eye(rows.shape[1]) + labelled.gram() / NOISE)
        self._M = rows.gram(uncertainty(result)) / rows.shape[0]
        self._variance, self._fall = np.zeros(rows.shape[0]), np.zeros(rows.shape[0])
        for part, Phi in rows.blocks():
            smooth = Phi @ self._P
            self._variance[part] = np.sum(smooth * Phi, axis=1)
            self._fall[part] = np.sum((smooth @ self._M) * smooth, axis=1)

    def worth(self) -> np.ndarray:
        """By how much a label of each row lowers the doubt; 0 where there is one."""
        return np.where(self._open, self._fall / (self._variance + NOISE), 0.0)

    def ask(self, row: int) -> None:
        """As if the row were labelled: P becomes P - v v' / s with v = P phi_i and s = Var_i + noise."""
        v = self._P @ self._rows.transform(self._rows.X[row : row + 1])[0].astype(np.float64)
        s = self._variance[row] + NOISE
        a, g = self._rows.times(np.column_stack([v, self._P @ (self._M @ v)])).astype(np.float64).T
        self._fall += a * (a * (v @ self._M @ v) / s - 2.0 * g) / s
        self._variance -= a**2 / s
        self._P -= np.outer(v, v) / s
        self._open[row] = False


def _question(result: Answer, row: int, cost: float, worth: float) -> Question:
    target, P = result.target, result.probabilities
    suggestion = target.spelt(result.predictions[row : row + 1])[0]
    if P is None:
        why = "unlike the rows whose value is known"
    elif target.task == "tags":
        unsure = int(np.argmin(np.abs(P[row] - 0.5)))
        why = f"unsure of {target.outputs[unsure]} ({100 * P[row, unsure]:.0f} %)"
    else:
        names = target.outputs if target.task == "classes" else ("no", "yes")
        second, first = np.argsort(P[row])[-2:]
        why = f"unsure: {names[first]} {100 * P[row, first]:.0f} %, {names[second]} {100 * P[row, second]:.0f} %"
    return Question(row, target.column, cost, worth, suggestion, f"{why}; stands for rows like it")


def sheet(filled: Filled, asked: Sequence[Question]) -> bytes:
    """The labelling sheet as CSV: one line a question, with the row's other cells for the person who answers."""
    import csv
    import io

    columns = [str(column) for column in filled.table.frame.columns]
    taken = set(SHEET)
    context = [fresh_name(column, taken) for column in columns]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*SHEET, *context])
    for one in asked:
        cells = ["" if is_missing(cell) else cell for cell in filled.table.frame.iloc[one.row].tolist()]
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
        return _Kind("whole numbers", partial(_whole_number, sheet=sheet))
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
        return _Kind(f"numbers with a decimal {sign}", partial(_written, notation=reading.notation, sheet=sheet))
    return _Kind("numbers", partial(_typed_number, sheet=sheet))


def _names(label: str) -> list[str]:
    return [part.strip() for part in label.split(";") if part.strip()]


def _written(label: str, notation: Notation, sheet: Notation) -> str | None:
    """The number as its column writes it; None for one in the other notation, which would turn the column into names.

    A sheet with decimal commas that reads it otherwise than the column tells that it may be in the other.
    """
    doubtful = sheet is COMMA and sheet.reads(label) and sheet.plain(label) != notation.plain(label)
    return label.strip() if notation.reads(label) and not doubtful else None


def _whole_numbers(label: str) -> list[int] | None:
    numbers = []
    for name in _names(label):
        number = _whole_number(name, POINT)
        if number is None:
            return None
        numbers.append(number)
    return numbers


def _typed_number(label: str, sheet: Notation) -> float | int | None:
    """A whole number is written without a decimal sign, as a file holds it."""
    values = as_numbers([label], sheet)
    if values is None:
        return None
    value = float(values[0])
    return int(value) if value.is_integer() else value


def _whole_number(label: str, sheet: Notation) -> int | None:
    value = _typed_number(label, sheet)
    return value if isinstance(value, int) else None
