"""From an answer to the next guesses: how long lsvv label takes to learn, at 10,000 rows of 30 columns.

The table has 24 columns of numbers, four of categories and two of texts. Answers come one by one; each refit is timed
until the guesses have it ("guesses") and until curve and forecast have it too ("all"). An answer is taken, and on disk,
before either.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from lsvv.tables import Table, parse
from lsvv.tables.labeling import Journal, Session
from lsvv.tables.labeling.belief import believe

N_ROWS = 10_000
N_NUMBERS, N_CATEGORIES = 24, 4
STARTS = (5, 100, 300)
N_ANSWERS = 40
TASKS = ("classes", "numbers", "tags")


def main(data: Path | None = None) -> list[str]:
    lines = [
        "| task | labels at the start | to begin | answer on disk | guesses, median | 95 % | all, median | 95 % |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for task in TASKS:
        for start in STARTS:
            begin, saved, guesses, whole = _timed(task, start)
            told = [f"{np.median(part):.2f} s | {np.quantile(part, 0.95):.2f} s" for part in (guesses, whole)]
            lines.append(
                f"| {task} | {start} | {begin:.1f} s | {1000 * np.median(saved):.0f} ms | {told[0]} | {told[1]} |"
            )
            print(lines[-1], flush=True)
    return lines


def _timed(task: str, start: int) -> tuple[float, list[float], list[float], list[float]]:
    """Seconds to begin; and of each answer to save it, to the guesses, and to all that is shown."""
    table, truth = _table(task, start)
    with TemporaryDirectory() as folder:
        at = time.perf_counter()
        session = Session(table, "y", Journal(Path(folder, "s.csv"), table), task=task)
        begin = time.perf_counter() - at
        saved, guesses, whole = [], [], []
        for _ in range(N_ANSWERS):
            row, _ = session.current("tab")
            assert row is not None
            at = time.perf_counter()
            session.answer("tab", row, truth[row])
            saved.append(time.perf_counter() - at)
            cells = [truth[place] if known else None for place, known in enumerate(session.belief.known)]
            cells[row] = truth[row]
            at = time.perf_counter()
            believe(session.ready, session.finding, cells)
            guesses.append(time.perf_counter() - at)
            at = time.perf_counter()
            session.refit()
            whole.append(time.perf_counter() - at)
    return begin, saved, guesses, whole


def _table(task: str, start: int) -> tuple[Table, list[str]]:
    import pandas as pd

    rng = np.random.default_rng(0)
    kind = rng.integers(5, size=N_ROWS)
    centres = rng.normal(size=(5, N_NUMBERS))
    X = centres[kind] + rng.normal(size=(N_ROWS, N_NUMBERS))
    columns: dict[str, Any] = {f"x{j}": np.round(X[:, j], 3) for j in range(N_NUMBERS)}
    for j in range(N_CATEGORIES):
        columns[f"c{j}"] = [f"kind {(one + rng.integers(3)) % 6}" for one in kind]
    words = [f"word{i}" for i in range(60)]
    for j in range(2):
        columns[f"t{j}"] = [" ".join(rng.choice(words[12 * one : 12 * one + 20], 5)) for one in kind]
    if task == "numbers":
        truth = [f"{value:.2f}" for value in 10 * kind + X[:, 0]]
    elif task == "tags":
        truth = ["; ".join("abcdef"[one : one + 1 + (x > 0)]) for one, x in zip(kind, X[:, 1], strict=True)]
    else:
        truth = ["abcde"[one] for one in kind]
    columns["y"] = [answer if row < start else None for row, answer in enumerate(truth)]
    return parse(pd.DataFrame(columns).to_csv(index=False).encode(), "t.csv", format="csv"), truth
