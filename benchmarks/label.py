"""What 30 labels are worth that lsvv label asks for, against 30 random ones.

Tables of 2,000 rows without any label: all multi-class sets of the paper with so many rows or nearly, and
scikit-learn's digits. The person is simulated: the row that the session asks for first gets its true label, and the
session learns anew, as after each answer on the page. Then ``lsvv fill``'s own search fills the table, from these 30
labels and from 30 drawn at random. The error is the share of wrong cells in the filled table. The rule of asking was
chosen on other draws (seeds from 100 on) of all these sets but digits at two seeds each.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.resumable import Figures, dataset_of, worked
from lsvv.tables.labeling.belief import believe, learnable
from lsvv.tables.labeling.prepared import prepared_rows, quick_answer
from lsvv.tables.model_choice import choose_model, neighbour_graph
from lsvv.tables.tasks import Finding
from reproduction.records import Record, Trial

SETS = ("digits", "segment", "satimage", "pendigits", "letter", "poker", "shuttle", "MNIST", "connect-4", "covtype")
REPEATS = 20
N_ROWS, N_LABELS = 2000, 30
COLUMN = Finding("y", "classes", "as asked for")
MARK = 0.85


def main(data: Path | None = None) -> list[str]:
    if data is None:
        return ["- needs --data DIR"]
    trials: list[Trial] = [{"data": name, "seed": seed} for seed, name in product(range(REPEATS), SETS)]
    records = worked("label", trials, lambda trial: _figures(trial, data))
    return list(_page(records))


def _page(records: list[Record]) -> Iterator[str]:
    errors = {name: _errors(records, name) for name in SETS}
    repeats = [len(found) for found in errors.values()]
    few, many = min(repeats), max(repeats)
    draws = f"{few}" if few == many else f"{few} to {many}"
    yield f"{draws} draws of each table. Errors in %, the difference with its standard error."
    yield ""
    yield "| table | draws | asked | random | ratio | difference | asked, on the page | random, on the page | ratio |"
    yield "|---|---|---|---|---|---|---|---|---|"
    ratios, quick = [], []
    for name, found in errors.items():
        asked, random, asked_quick, random_quick = found.mean(axis=0)
        off = (found[:, 0] - found[:, 1]).std(ddof=1) / np.sqrt(len(found))
        ratios.append(asked / random)
        quick.append(asked_quick / random_quick)
        yield (
            f"| {name} | {len(found)} | {asked:.1f} | {random:.1f} | {asked / random:.2f} | "
            f"{asked - random:+.1f} ± {off:.1f} | {asked_quick:.1f} | {random_quick:.1f} | {quick[-1]:.2f} |"
        )
    yield f"| mean | | | | {np.mean(ratios):.2f} | | | | {np.mean(quick):.2f} |"
    yield ""
    met = "reached" if np.mean(ratios) <= MARK else "MISSED"
    yield f"- the mark, a mean ratio of at most {MARK}: {met}, {np.mean(ratios):.3f} by lsvv fill"
    below = [name for name, ratio in zip(SETS, ratios, strict=True) if ratio <= MARK]
    yield f"- at most {MARK} in {len(below)} of {len(SETS)} tables: {', '.join(below) or 'none'}"
    worse = [name for name, ratio in zip(SETS, ratios, strict=True) if ratio > 1.0]
    yield f"- a higher mean error than at random in {len(worse)}: {', '.join(worse) or 'none'}"


def _errors(records: list[Record], name: str) -> np.ndarray:
    """Errors in % of each draw: asked and random by fill, and by the quick model of the page."""
    keys = ("asked", "random", "asked_quick", "random_quick")
    return np.array([[one.figures[key] for key in keys] for one in records if one.trial["data"] == name], dtype=float)


def _figures(trial: Trial, data: Path) -> Figures:
    dataset, seed = dataset_of(trial, data), int(trial["seed"])
    rng = np.random.default_rng(seed)
    some = rng.permutation(len(dataset.y))[:N_ROWS]
    X, names = np.asarray(dataset.X[some], dtype=np.float64), [str(one) for one in np.asarray(dataset.y)[some]]
    spread = X.std(axis=0)
    X = np.clip((X - X.mean(axis=0))[:, spread > 0] / spread[spread > 0], -4.0, 4.0).astype(np.float32)
    ready = prepared_rows(X, np.arange(len(X)), seed)
    cells: list[Any] = [None] * len(names)
    for _ in range(N_LABELS):
        row = believe(ready, COLUMN, cells).queue[0].row
        cells[row] = names[row]
    random = _labelled(names, rng)
    return {
        "asked": _error(X, cells, names, seed),
        "random": _error(X, random, names, seed),
        "asked_quick": _quick_error(ready, cells, names),
        "random_quick": _quick_error(ready, random, names),
    }


def _labelled(names: list[str], rng: np.random.Generator) -> list[Any]:
    """Thirty random labels; of a table whose rows are nearly all of one class, some of another are among them."""
    rows = set(rng.choice(len(names), N_LABELS, replace=False).tolist())
    cells = [name if row in rows else None for row, name in enumerate(names)]
    return cells if learnable(COLUMN, cells) is not None else _labelled(names, rng)


def _error(X: np.ndarray, cells: list[Any], names: list[str], seed: int) -> float:
    """Wrong cells in % of the table that fill's search makes."""
    target = learnable(COLUMN, cells)
    assert target is not None
    model = choose_model("classes", len(X), graph=neighbour_graph(X), random_state=seed).fit(X, target.values)
    return _share(target.spelt(model.predict(X)), cells, names)


def _quick_error(ready: Any, cells: list[Any], names: list[str]) -> float:
    target = learnable(COLUMN, cells)
    assert target is not None
    return _share(target.spelt(quick_answer(ready, target).predictions), cells, names)


def _share(said: list[Any], cells: list[Any], names: list[str]) -> float:
    filled = [str(guess) if cell is None else cell for guess, cell in zip(said, cells, strict=True)]
    return 100.0 * float(np.mean([one != truth for one, truth in zip(filled, names, strict=True)]))
