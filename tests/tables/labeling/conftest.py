"""A table to label, and sessions on it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lsvv.tables import Table, parse
from lsvv.tables.labeling import Journal, Session

KINDS = ("cat", "dog", "eel")
N_ROWS = 90

Begin = Callable[..., Session]


def truth_of(row: int, task: str = "classes") -> str:
    """What a person who knows would say of a row."""
    kind = row % 3
    return {"classes": KINDS[kind], "numbers": f"{10 * kind + row / N_ROWS:.2f}", "tags": ("a", "a; b", "b")[kind]}[
        task
    ]


def table_of(known: int = 0, task: str = "classes", n_rows: int = N_ROWS) -> Table:
    """Three clouds of rows, the first few of them labelled."""
    rng = np.random.default_rng(0)
    lines = ["x,y,habitat,answer"]
    for row in range(n_rows):
        x, y = rng.normal(4 * (row % 3), 0.5), rng.normal(-3 * (row % 3), 0.5)
        answer = truth_of(row, task) if row < known else ""
        lines.append(f"{x:.3f},{y:.3f},{('wood', 'lake')[row % 2]},{answer}")
    return parse("\n".join([*lines, ""]).encode(), "t.csv", format="csv")


@pytest.fixture
def begin(tmp_path: Path) -> Begin:
    """A session whose sheet is always the same file."""

    def make(known: int = 6, task: str | None = None, table: Table | None = None, **more: Any) -> Session:
        found = table_of(known, task or "classes") if table is None else table
        return Session(found, "answer", Journal(tmp_path / "t.label.csv", found), task=task, **more)

    return make
