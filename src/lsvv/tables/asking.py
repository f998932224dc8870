"""What to label next: the cells whose labels would help most.

A cell is worth as much as its label would lower the doubt about all rows. Rows vary together as a Gaussian process over
the graph of all rows: a label tells of the rows that hang together with its own, and what is labelled or asked for
already leaves little to learn nearby. Cells are taken one by one, the highest worth per cost first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsvv.features import MappedRows, RandomFourier
from lsvv.graph import NeighborGraph, Smoother
from lsvv.tables.cells import as_numbers, is_list
from lsvv.tables.model_choice import neighbour_graph
from lsvv.tables.results import Answer
from lsvv.tables.table import TableError
from lsvv.tables.tasks import by_column

__all__ = [
    "Doubt",
    "Question",
    "best_questions",
    "check_budget",
    "costs_of",
    "looked_at",
    "question",
    "question_rows",
    "told",
    "uncertainty",
]

N_FEATURES = 300
SMOOTHING = 0.9
"""How far a label's word carries over the graph of the rows."""
NOISE = 0.1
"""How far a label may be off, as a share of the variance of what it measures."""
MOST_ROWS = 100_000
"""Of more a random part is looked at, with all that are labelled, so that features and their products fit memory."""


SURE = 0.8
"""The probability beyond which a model is not called unsure."""


@dataclass(frozen=True)
class Question:
    """One cell worth a label: its row (from 0), column and cost, what the model thinks, and why it is asked."""

    row: int
    column: str
    cost: float
    suggestion: Any
    why: str


def check_budget(budget: float) -> None:
    """Refuses, before any work, a budget that pays for nothing."""
    if not budget > 0:
        raise TableError(f"A budget of {budget:g} pays for nothing. Pass a number above 0.")


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
    share of the variance that is not explained, the same for all rows; 1 where it cannot be measured.
    """
    P = result.probabilities
    if P is None:
        value = result.quality.value
        share = float(np.clip(1.0 - value, 0.05, 1.0)) if np.isfinite(value) else 1.0
        return np.full(len(result.predictions), share)
    if result.target.task == "tags":
        return np.asarray(np.mean(1.0 - np.abs(2.0 * P - 1.0), axis=1))
    ordered = np.sort(P, axis=1)
    return np.asarray(1.0 - (ordered[:, -1] - ordered[:, -2]))


def question_rows(X: np.ndarray, graph: NeighborGraph, random_state: int = 0) -> MappedRows:
    """R Phi / c: Fourier features of the vectorised rows, smoothed over their graph, of mean squared length 1."""
    phi = RandomFourier(N_FEATURES, width="median", random_state=random_state)
    smooth = np.asarray(Smoother(graph.S).columns(phi.fit(X).transform(X), SMOOTHING))
    length = float(np.sqrt(np.mean(np.sum(smooth.astype(np.float64) ** 2, axis=1))))
    return MappedRows(smooth / np.asarray(length, dtype=smooth.dtype), lambda block: block)


def best_questions(
    X: np.ndarray, answers: Sequence[Answer], budget: float, costs: Mapping[str, float], random_state: int = 0
) -> list[Question]:
    """The cells to ask for, best first, as many as the budget pays.

    ``X`` holds the vectorised rows, and ``answers`` what a model says of them.
    """
    some = looked_at(len(X), [result.target.known for result in answers], random_state)
    rows = question_rows(X[some], neighbour_graph(X[some]), random_state)
    doubts = {
        result.target.column: Doubt(rows, result.target.known[some], uncertainty(result)[some]) for result in answers
    }
    results = {result.target.column: result for result in answers}
    asked: list[Question] = []
    while True:
        worth = {column: doubt.worth() for column, doubt in doubts.items() if costs[column] <= budget + 1e-9}
        best = {column: int(np.argmax(values)) for column, values in worth.items()}
        rated = {column: worth[column][row] / costs[column] for column, row in best.items()}
        column = max(rated, key=lambda name: rated[name], default=None)
        if column is None or not rated[column] > 0:
            return asked
        asked.append(question(results[column], int(some[best[column]]), costs[column]))
        budget -= costs[column]
        doubts[column].ask(best[column])


def looked_at(n_rows: int, known: Sequence[np.ndarray], random_state: int) -> np.ndarray:
    """All rows; of very many a random part, the labelled ones before others."""
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows)
    order = np.random.default_rng(random_state).permutation(n_rows)
    labelled = np.any(known, axis=0)[order]
    return np.sort(np.concatenate([order[labelled][: MOST_ROWS // 2], order[~labelled]])[:MOST_ROWS])


class Doubt:
    """What is not known of one column: f = w'phi(x) with w ~ N(0, I), labels f + noise, each row weighed by u_j.

    A label of row i lowers the mean of u_j Var f_j by mean_j u_j Cov_ij^2 / (Var_i + noise). With P the covariance of w
    given the labels and M = mean_j u_j phi_j phi_j' that is phi_i' P M P phi_i / (phi_i' P phi_i + noise).
    """

    def __init__(self, rows: MappedRows, known: np.ndarray, unsure: np.ndarray) -> None:
        self._rows = rows
        self._open = ~known
        P = np.eye(rows.shape[1])
        if known.any():
            P = np.linalg.inv(P + rows.take(np.flatnonzero(known)).gram() / NOISE)
        self._P = P
        self._M = rows.gram(unsure) / rows.shape[0]
        self._variance, self._fall = np.zeros(rows.shape[0]), np.zeros(rows.shape[0])
        for part, Phi in rows.blocks():
            smooth = Phi @ self._P
            self._variance[part] = np.sum(smooth * Phi, axis=1)
            self._fall[part] = np.sum((smooth @ self._M) * smooth, axis=1)

    def worth(self) -> np.ndarray:
        """By how much a label of each row lowers the doubt; 0 where there is one."""
        return np.where(self._open, self._fall / (self._variance + NOISE), 0.0)

    def stands_for(self, row: int) -> int:
        """How many other rows without a label vary with this one, at a correlation above one half."""
        v = self._P @ self._rows.transform(self._rows.X[row : row + 1])[0].astype(np.float64)
        covariance = self._rows.times(v[:, None]).astype(np.float64)[:, 0]
        alike = covariance**2 > 0.25 * self._variance[row] * self._variance
        return int(np.sum(alike & (covariance > 0) & self._open)) - int(self._open[row])

    def ask(self, row: int) -> None:
        """As if the row were labelled: P becomes P - v v' / s with v = P phi_i and s = Var_i + noise."""
        v = self._P @ self._rows.transform(self._rows.X[row : row + 1])[0].astype(np.float64)
        s = self._variance[row] + NOISE
        a, g = self._rows.times(np.column_stack([v, self._P @ (self._M @ v)])).astype(np.float64).T
        self._fall += a * (a * (v @ self._M @ v) / s - 2.0 * g) / s
        self._variance -= a**2 / s
        self._P -= np.outer(v, v) / s
        self._open[row] = False


def told(one: Question) -> dict[str, Any]:
    """A question as plain values, its row counted from 1."""
    suggestion = list(map(str, one.suggestion)) if is_list(one.suggestion) else str(one.suggestion)
    return {"row": one.row + 1, "column": one.column, "cost": one.cost, "suggestion": suggestion, "why": one.why}


def question(result: Answer, row: int, cost: float = 1.0) -> Question:
    """The question for a row, with what a model says of it."""
    target = result.target
    suggestion = target.spelt(result.predictions[row : row + 1])[0]
    doubts = ", ".join(f"{name} {100 * p:.0f} %" for name, p in result.doubts(row))
    sure = result.probability is not None and result.probability[row] > SURE
    why = f"{'rather sure' if sure else 'unsure'}: {doubts}" if doubts else "unlike the rows whose value is known"
    return Question(row, target.column, cost, suggestion, f"{why}; stands for rows like it")
