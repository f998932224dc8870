"""What to label next: cells whose labels would help most, on a sheet a person fills in and hands back.

A cell is worth its uncertainty times how many rows are like it times how unlike it is to rows that are labelled or
already asked for. Cells are taken one by one, the highest worth per cost first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lsvv.features.width import median_distance
from lsvv.tables.cells import as_numbers, is_list, is_missing, plain
from lsvv.tables.filling import Filled, TargetResult, cells_of
from lsvv.tables.table import Table, TableError, fresh_name

__all__ = ["Question", "costs_of", "questions", "sheet", "uncertainty", "with_labels"]

N_DENSITY_ROWS = 1000
WIDTH = 0.4
"""How far likeness reaches, as a share of the median distance between rows."""
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
    """--cost as a mapping; 1 for columns that are not named.

    Examples
    --------
    >>> costs_of("b=2.5", ["a", "b"])
    {'a': 1.0, 'b': 2.5}
    """
    costs = dict.fromkeys(columns, 1.0)
    for part in (words or "").split(","):
        if not part.strip():
            continue
        column, _, number = part.strip().rpartition("=")
        value = as_numbers([number])
        if column not in costs or value is None or not value[0] > 0:
            raise TableError(f"--cost {part.strip()!r} is not COL=COST with a target column and a cost above 0.")
        costs[column] = float(value[0])
    return costs


def uncertainty(result: TargetResult) -> np.ndarray:
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
    """The cells to ask for, best first, as many as the budget pays."""
    if not budget > 0:
        raise TableError(f"A budget of {budget:g} pays for nothing. Pass a number above 0.")
    X = filled.X.astype(np.float64)
    rng = np.random.default_rng(random_state)
    width = WIDTH * median_distance(X, None, rng)
    density = _density(X, width, rng)
    worth = {result.target.column: _first_worth(result, X, width, density) for result in filled.results}
    results = {result.target.column: result for result in filled.results}
    asked: list[Question] = []
    while worth:
        affordable = {column: values for column, values in worth.items() if costs[column] <= budget + 1e-9}
        best = {column: int(np.argmax(values)) for column, values in affordable.items()}
        rated = {column: worth[column][row] / costs[column] for column, row in best.items()}
        column = max(rated, key=lambda name: rated[name], default=None)
        if column is None or not rated[column] > 0:
            break
        row = best[column]
        asked.append(_question(results[column], row, costs[column], float(worth[column][row])))
        budget -= costs[column]
        worth[column] = worth[column] * (1.0 - _similarity(X, X[row], width))
        worth[column][row] = 0.0
    return asked


def _first_worth(result: TargetResult, X: np.ndarray, width: float, density: np.ndarray) -> np.ndarray:
    known = np.flatnonzero(result.target.known)
    nearest = np.zeros(len(X))
    for row in known[:N_DENSITY_ROWS]:
        nearest = np.maximum(nearest, _similarity(X, X[row], width))
    worth = uncertainty(result) * density * (1.0 - nearest)
    worth[known] = 0.0
    return np.asarray(worth)


def _similarity(X: np.ndarray, one: np.ndarray, width: float) -> np.ndarray:
    return np.asarray(np.exp(-0.5 * np.sum((X - one) ** 2, axis=1) / width**2))


def _density(X: np.ndarray, width: float, rng: np.random.Generator) -> np.ndarray:
    """The mean likeness of each row to the others, of a random part of them where they are many."""
    some = X if len(X) <= N_DENSITY_ROWS else X[rng.choice(len(X), N_DENSITY_ROWS, replace=False)]
    total = np.zeros(len(X))
    for one in some:
        total += _similarity(X, one, width)
    return total / len(some)


def _question(result: TargetResult, row: int, cost: float, worth: float) -> Question:
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
        suggestion = "; ".join(one.suggestion) if is_list(one.suggestion) else one.suggestion
        writer.writerow([one.row + 1, one.column, "", suggestion, f"{one.cost:g}", one.why, *cells])
    return stream.getvalue().encode("utf-8")


def with_labels(table: Table, answers: Table, targets: Sequence[str]) -> Table:
    """The table with the labels of a filled sheet in its empty cells; known cells are never changed."""
    lacking = [name for name in ("row", "target", "label") if name not in answers.frame.columns]
    if lacking:
        raise TableError(f"{answers.name} has no column {lacking[0]!r}. Use a sheet from 'lsvv ask'.")
    frame = table.frame.copy()
    columns = {column: cells_of(table, column) for column in targets if column in frame.columns}
    labels: dict[str, dict[int, Any]] = {column: {} for column in columns}
    for line, (number, column, label) in enumerate(
        zip(*(answers.frame[name] for name in ("row", "target", "label")), strict=True), 1
    ):
        if column not in columns or is_missing(label):
            continue
        row = _row(number, len(frame), f"{answers.name}: line {line + 1}")
        if columns[column][row] is None:
            labels[column][row] = _as_in(columns[column], str(label))
    for column, given in labels.items():
        cells = [given.get(row, cell) for row, cell in enumerate(columns[column])]
        frame[column] = np.array([*cells, None], dtype=object)[:-1]
    count = sum(len(given) for given in labels.values())
    note = f"{count} labels were taken from {answers.name}."
    return replace(table, frame=frame, labels=labels, notes=(*table.notes, note))


def _row(number: Any, n_rows: int, where: str) -> int:
    value = as_numbers([number])
    if value is None or not 1 <= value[0] <= n_rows or value[0] != int(value[0]):
        raise TableError(f"{where} names row {number}, but the table has rows 1 to {n_rows}. Correct the sheet.")
    return int(value[0]) - 1


def _as_in(cells: Sequence[Any], label: str) -> Any:
    """A label from the sheet as the column holds its cells: a text, a number, a truth value or a list."""
    example = plain(next((cell for cell in cells if cell is not None), ""))
    if is_list(example):
        return [part.strip() for part in label.split(";") if part.strip()]
    if isinstance(example, bool):
        return label.strip().lower() in ("1", "true", "yes")
    number = as_numbers([label])
    if isinstance(example, (int, float)) and number is not None:
        return int(number[0]) if isinstance(example, int) and number[0] == int(number[0]) else float(number[0])
    return label
