"""A labelling session: which rows are asked, what was answered, what is believed. It knows of no server and no page.

Answers are taken under a lock and at once; :meth:`Session.refit` learns from them beside that, and any thread may
call it. Each tab of a browser has a row of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lsvv.tables.asking import Question, question
from lsvv.tables.cells import COMMA, is_list, read_numbers
from lsvv.tables.filling import cells_of
from lsvv.tables.labeling.belief import Belief, Next, believe
from lsvv.tables.labeling.journal import Journal
from lsvv.tables.labeling.outlook import Outlook, outlook_of, point_of
from lsvv.tables.labeling.prepared import Prepared, prepared
from lsvv.tables.naming import check_columns
from lsvv.tables.sheets import kind_of, line_of, with_labels
from lsvv.tables.table import Table, TableError
from lsvv.tables.tasks import ASKED, Finding, find_task, task_words
from lsvv.tables.words import count

__all__ = ["AlreadyAnsweredError", "Session"]

GONE = 60.0
"""Seconds without a word after which a tab is taken for closed, and its row may be asked elsewhere."""
FEWEST_TO_FIND_A_TASK = 2
MOST_POINTS = 20
"""Of the curve as it is drawn again when a session goes on."""


class AlreadyAnsweredError(TableError):
    """Another tab answered the row in the meantime; nothing was saved."""


@dataclass
class _Tab:
    """A tab of a browser: its row, what it answered last, and when it was last heard of."""

    row: int | None = None
    stands_for: int = 0
    answered: list[tuple[int, str, str]] = field(default_factory=list)
    heard: float = 0.0


class Session:
    """Labels for one column of a table, asked one by one.

    Parameters
    ----------
    table : Table
        It is never changed.
    column : str
        The column to label.
    journal : Journal
        Where the answers go; those that it holds already are taken up.
    task : str, optional
        "classes", "tags" or "numbers"; found from the known cells where there are enough.
    random_state : int
        Seeds all draws.
    clock : callable
        Seconds, for telling which tabs are still open.

    Attributes
    ----------
    version : int
        Goes up with each answer and each refit.
    """

    def __init__(
        self,
        table: Table,
        column: str,
        journal: Journal,
        *,
        task: str | None = None,
        random_state: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        check_columns(table, [column])
        self.table, self.column, self.journal = table, column, journal
        self.finding = _finding(with_labels(table, journal.read(), [column]), column, task)
        self.ready: Prepared = prepared(table, column, random_state)
        self.version = 0
        self._clock = clock
        self._lock = threading.RLock()
        self._fitting = threading.Lock()
        self._place = {row: place for place, row in enumerate(self.ready.rows.tolist())}
        self._given = cells_of(table, column)
        self._cells: list[Any] = list(self._given)
        self._labels: dict[int, str] = {}
        self._skipped: list[int] = []
        self._tabs: dict[str, _Tab] = {}
        self._n_changes, self._fitted_to = 0, -1
        self._take_up()
        self._earlier = [(row, "", label) for row, label in self._labels.items()]
        self.points = self._earlier_points()
        self.belief: Belief
        self.outlook: Outlook | None = None
        self.refit()

    def _take_up(self) -> None:
        """The answers that the journal holds, of this process and of others."""
        there = with_labels(self.table, self.journal.read(), [self.column]).labels.get(self.column, {})
        for row in {*self._labels, *there}:
            self._cells[row] = there.get(row)
            if row not in self._labels:
                self._leave(row)
        self._labels = {row: _label_of(cell) for row, cell in there.items()}
        self._n_changes += 1
        self.version += 1

    def _earlier_points(self) -> list[Any]:
        """The curve of a session that goes on, drawn again in the order of its answers."""
        order = [row for row, *_ in self._earlier if row in self._place]
        sizes = np.unique(np.linspace(0, len(order), min(len(order), MOST_POINTS) + 1, dtype=int))[1:-1].tolist()
        cells = [self._given[row] for row in self.ready.rows]
        points, taken = [], 0
        for size in sizes:
            for row in order[taken:size]:
                cells[self._place[row]] = self._cells[row]
            taken = size
            point = point_of(self.ready, self.finding, cells)
            points += [] if point is None else [point]
        return points

    def _looked_at(self) -> list[Any]:
        return [self._cells[row] for row in self.ready.rows]

    @property
    def n_answered(self) -> int:
        """Answers in the journal."""
        return len(self._labels)

    @property
    def n_known(self) -> int:
        """Known cells of the column, those of the table and of the journal."""
        return sum(cell is not None for cell in self._cells)

    def label_of(self, row: int) -> str:
        """What the journal says of a row; nothing where it is not answered."""
        return self._labels.get(row, "")

    def is_given(self, row: int) -> bool:
        """Whether the table itself knows the row's label."""
        return self._given[row] is not None

    def label_at(self, place: int) -> Any:
        """The known label of a row that is looked at."""
        return self._cells[int(self.ready.rows[place])]

    def known_cells(self) -> list[Any]:
        """The known cells of the column, those of the table and of the journal."""
        return [cell for cell in list(self._cells) if cell is not None]

    def current(self, tab: str) -> tuple[int | None, int]:
        """The table's row that a tab is asked for, None where all are labelled, and for how many others it stands."""
        with self._lock:
            self._hear_others()
            mine = self._heard(tab)
            if mine.row is None:
                taken = {one.row for one in self._open_tabs() if one is not mine}
                found = self._next(taken)
                mine.row, mine.stands_for = (None, 0) if found is None else found
            return mine.row, mine.stands_for

    def _next(self, taken: set[int | None]) -> tuple[int, int] | None:
        rows = self.ready.rows
        queue = [Next(int(rows[one.row]), one.stands_for) for one in self.belief.queue]
        aside = {*taken, *self._skipped}
        for one in queue:
            if self._cells[one.row] is None and one.row not in aside:
                return one.row, one.stands_for
        left = [row for row in rows.tolist() if self._cells[row] is None and row not in taken]
        fresh = [row for row in left if row not in self._skipped]
        # what was skipped comes back in its order when nothing else is left
        order = fresh or sorted(left, key=self._skipped.index)
        return (order[0], 0) if order else None

    def answer(self, tab: str, row: int, label: str, before: str = "") -> None:
        """Take an answer; it is on disk when this returns.

        ``before`` is the label that the tab believes the row to have, nothing where it has none: where another tab has
        answered in the meantime, nothing is saved.
        """
        with self._lock:
            if label.strip() == "":
                raise TableError("There is no label to save. Choose one, or skip the row.")
            self._hear_others()
            self._check(row, before)
            cell = self._read(label.strip(), row)
            self._write(row, _label_of(cell), cell)
            mine = self._heard(tab)
            mine.answered.append((row, before, self.label_of(row)))
            self._leave(row)

    def skip(self, tab: str, row: int) -> None:
        """Ask for another row; this one comes back when nothing else is left."""
        with self._lock:
            self._heard(tab)
            self._check_row(row)
            if self._cells[row] is None:
                self._skipped = [*(one for one in self._skipped if one != row), row]
            self._leave(row)
            self.version += 1

    def undo(self, tab: str) -> int:
        """Take back the tab's last answer, or the last of an earlier session; the tab is asked for that row again."""
        with self._lock:
            mine = self._heard(tab)
            undone = mine.answered or self._earlier
            if not undone:
                raise TableError("There is no answer of this tab to take back.")
            self._hear_others()
            row, before, label = undone.pop()
            self._check(row, label)
            self._write(row, before, self._read(before, row) if before else None)
            mine.row, mine.stands_for = row, 0
            return row

    def again(self, tab: str, row: int) -> None:
        """Ask a tab for a row that was answered, for a second look."""
        with self._lock:
            if row not in self._labels:
                raise TableError(f"Row {row + 1} has no answer of this session. Correct it in the table.")
            mine = self._heard(tab)
            mine.row, mine.stands_for = row, 0

    def refit(self) -> bool:
        """Learn from the answers so far; whether there was anything new."""
        with self._fitting:
            with self._lock:
                if self._fitted_to == self._n_changes:
                    return False
                changes, cells = self._n_changes, self._looked_at()
            belief = believe(self.ready, self.finding, cells)
            with self._lock:
                self.belief, self._fitted_to = belief, changes
                self.version += 1
            outlook = outlook_of(self.ready, self.finding, cells, belief)
            with self._lock:
                self.outlook = outlook
                if outlook is not None:
                    kept = [point for point in self.points if point.n_labels < outlook.now.n_labels]
                    self.points = [*kept, outlook.now]
                self.version += 1
            return True

    def _hear_others(self) -> None:
        if self.journal.has_changed():
            self._take_up()

    def _check_row(self, row: int) -> None:
        if row not in self._place:
            raise TableError(f"The table has no row {row + 1} to be labelled.")

    def _check(self, row: int, before: str) -> None:
        self._check_row(row)
        if self.is_given(row):
            raise TableError(f"Row {row + 1} has its label in the table, which is never changed. Correct it there.")
        there = self.label_of(row)
        if there != before:
            said = f"was answered with “{there}”" if there else "was taken back"
            raise AlreadyAnsweredError(f"Row {row + 1} {said} in another tab or session. Yours was not saved.")

    def _read(self, label: str, row: int) -> Any:
        """The cell of a label, as the column holds its cells."""
        if label in self.table.missing:
            raise TableError(f"{label!r} means an empty cell in this table, so it cannot be a label.")
        # the sheet is written here, with decimal points and commas as the column has them
        kind = kind_of(self.column, self._given, self.table.source, self.table.source.notation)
        cell = kind.read(label, f"Row {row + 1}")
        if self.finding.task == "numbers" and read_numbers([cell], self.finding.usual).strange:
            raise TableError(f"{label!r} is no number. Write it as the column writes its numbers.")
        return cell

    def _write(self, row: int, label: str, cell: Any) -> None:
        self.journal.append(line_of(self.table, self._question(row), label))
        self._cells[row] = cell
        if label:
            self._labels[row] = label
        else:
            self._labels.pop(row, None)
        self._n_changes += 1
        self.version += 1

    def _question(self, row: int) -> Question:
        """What the sheet says of a question beside its answer."""
        answer = self.belief.answer
        if answer is None:
            return Question(row, self.column, 1.0, "", "no guess yet")
        found = question(answer, self._place[row])
        return Question(row, self.column, found.cost, found.suggestion, found.why)

    def _leave(self, row: int) -> None:
        """No tab is asked for the row any longer."""
        for one in self._tabs.values():
            if one.row == row:
                one.row = None

    def _heard(self, tab: str) -> _Tab:
        found = self._tabs.setdefault(tab, _Tab())
        found.heard = self._clock()
        return found

    def _open_tabs(self) -> list[_Tab]:
        since = self._clock() - GONE
        return [one for one in self._tabs.values() if one.heard >= since]


def _label_of(cell: Any) -> str:
    """A known cell as a sheet says it; 1.259 as 1.2590, which nobody takes for 1259."""
    if is_list(cell):
        return "; ".join(map(str, cell))
    text = str(cell)
    return f"{text}0" if isinstance(cell, float) and COMMA.reads(text) else text


def _finding(table: Table, column: str, task: str | None) -> Finding:
    """What the column asks for: as asked, or found from its known cells."""
    cells, given = cells_of(table, column), task_words(task, [column])
    n_known = sum(cell is not None for cell in cells)
    if n_known >= FEWEST_TO_FIND_A_TASK:
        (finding,) = find_task({column: cells}, given, table.source.notation)
        return finding
    if column not in given:
        raise TableError(
            f"The target {column!r} has {count(n_known, 'known cell')}, too few to tell what it holds. Say so with "
            f"--task classes, --task tags or --task numbers."
        )
    word = "classes" if given[column] == "labels" else given[column]
    return Finding(column, word, ASKED, table.source.notation, asked=True)
