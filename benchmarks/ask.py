"""What to label next: the cells lsvv ask chooses against random ones, at equal budget.

A run starts from two labels an output, drawn at random, and buys 10, 10, 20 and 40 more; after each round the model is
fitted anew. Asking goes through ``lsvv.tables.asking.best_questions``, as ``lsvv ask`` does. The model is a small one
of the kind ``lsvv fill`` takes: LSVVClassifierCV or LSVVRegressorCV with a linear map and 200 Fourier features, the
squared loss, power 2 and no tail. Columns are centred, divided by their deviation and cut at 4, as ``lsvv fill`` does.
The rule of asking was chosen among several on seeds from 100 on; the seeds here are 0 to 19.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from lsvv import LSVVClassifierCV, LSVVRegressorCV
from lsvv.features import Linear, RandomFourier
from lsvv.graph import KNNGraph
from lsvv.tables.asking import best_questions
from lsvv.tables.results import answers
from lsvv.tables.targets import ClassTarget, Group, NumberTarget, TagTarget, Target
from reproduction.data import Dataset, load
from reproduction.statistics import holm, paired_t

SETS = (
    "iris", "wine", "glass", "svmguide2", "vowel", "vehicle", "segment", "satimage", "pendigits", "letter", "yeast",
    "scm20d",
)  # fmt: skip
REPEATS = 20
ROUNDS = (10, 10, 20, 40)
BUDGETS = tuple(accumulate(ROUNDS))
MOST_ROWS, MOST_TEST_ROWS = 2000, 1000
FEATURES, NEIGHBOURS = 200, 10
LEVEL = 0.05
COLUMN = "y"

Errors = dict[tuple[str, str], np.ndarray]
"""Errors (splits, 2) in %, asking and at random, by data set and labels bought."""


def main(data: Path | None = None, seeds: Sequence[int] = range(REPEATS)) -> list[str]:
    if data is None:
        return ["- needs --data DIR"]
    found, starts = {}, {}
    for name in SETS:
        dataset = load(name, data)
        starts[name] = _start(dataset)
        found[name] = 100 * np.array([_curves(dataset, seed) for seed in seeds])
    steps = {
        (f"{name}, {starts[name]}", str(bought)): errors[:, :, place]
        for name, errors in found.items()
        for place, bought in enumerate(BUDGETS)
    }
    whole = {(f"{name}, {starts[name]}", "all"): errors.mean(axis=2) for name, errors in found.items()}
    return [
        f"{len(seeds)} random splits of each data set: 70 % of the rows, at most {MOST_ROWS}, to learn from, and at",
        f"most {MOST_TEST_ROWS} of the others to test on. Two labels an output (ten for numbers) to begin with, drawn",
        "at random and the same for both. Then labels are bought in four rounds, by asking or at random; after each",
        "the model is fitted anew. Test errors in %: wrong classes, wrong cells of a row of tags (yeast), or the share",
        "of the variance that is not explained (scm20d, its first target). Difference: asking less random, with its",
        "standard error. p is that of a paired t test over the splits, corrected by Holm over the rows of its table.",
        "",
        "The mean over the four budgets:",
        "",
        *_table(whole),
        "",
        *_verdicts(whole),
        "",
        "Each budget by itself:",
        "",
        *_table(steps),
        "",
        *_verdicts(steps),
    ]


def _judged(errors: Errors) -> dict[tuple[str, str], tuple[float, float]]:
    """Difference and corrected p of each comparison."""
    tests = {key: paired_t(*pairs.T) for key, pairs in errors.items()}
    corrected = holm([test.p_value for test in tests.values()])
    return {key: (test.difference, float(p)) for (key, test), p in zip(tests.items(), corrected, strict=True)}


def _table(errors: Errors) -> list[str]:
    lines = [
        "| data, labels at the start | labels bought | asking | random | difference | p |",
        "|---|---|---|---|---|---|",
    ]
    for (name, bought), (difference, p) in _judged(errors).items():
        asking, random = errors[name, bought].T
        deviation = (asking - random).std(ddof=1) / np.sqrt(len(asking))
        lines.append(
            f"| {name} | {bought} | {asking.mean():.1f} | {random.mean():.1f} | {difference:+.1f} ± {deviation:.1f} | "
            f"{p:.3f} |"
        )
    return lines


def _verdicts(errors: Errors) -> list[str]:
    """Where asking helps, where it hurts, and where neither can be told."""
    where: dict[str, list[str]] = {"helps": [], "HURTS": [], "makes no difference that can be told": []}
    judged = _judged(errors)
    for (name, bought), (difference, p) in judged.items():
        told = "makes no difference that can be told" if p >= LEVEL else "helps" if difference < 0 else "HURTS"
        where[told].append(f"{name.split(',')[0]} ({bought})")
    better = sum(difference < 0 for difference, _ in judged.values())
    return [
        f"- asking has the lower mean error in {better} of {len(judged)} comparisons",
        *(f"- asking {told} in {len(names)}: {', '.join(names) or 'none'}" for told, names in where.items()),
    ]


def _start(dataset: Dataset) -> int:
    return 10 if dataset.task == "regression" else 2 * dataset.info.K


def _curves(dataset: Dataset, seed: int) -> list[list[float]]:
    """Test errors at every budget, asking and at random."""
    rng = np.random.default_rng(seed)
    X = np.asarray(dataset.X, dtype=np.float64)
    y = dataset.y[:, 0] if dataset.task == "regression" else dataset.y
    order = rng.permutation(len(y))
    size = min(MOST_ROWS, round(0.7 * len(y)))
    train, test = order[:size], order[size : size + MOST_TEST_ROWS]
    deviation = X[train].std(axis=0)
    unit = np.where(deviation > 0, deviation, 1.0)
    rows, asked = (np.clip((X[part] - X[train].mean(axis=0)) / unit, -4.0, 4.0) for part in (train, test))
    graph = KNNGraph(weights="self-tuned").fit(rows, NEIGHBOURS)
    first = _first_rows(dataset, y[train], rng)
    start = _fitted(dataset.task, rows, y[train], first, graph, seed)
    curves = []
    for asking in (True, False):
        (group, model), known, errors = start, first.copy(), []
        for bought in ROUNDS:
            if asking:
                found = best_questions(rows, list(answers(group, model, rows)), bought, {COLUMN: 1.0}, seed)
                known[[one.row for one in found]] = True
            else:
                known[rng.choice(np.flatnonzero(~known), min(bought, int(np.sum(~known))), replace=False)] = True
            group, model = _fitted(dataset.task, rows, y[train], known, graph, seed)
            errors.append(_error(group.targets[0], model.predict(asked), y[test]))
        curves.append(errors)
    return curves


def _first_rows(dataset: Dataset, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which rows are labelled to begin with: any, as long as they are not all of one class."""
    known = np.zeros(len(y), dtype=bool)
    known[rng.choice(len(y), _start(dataset), replace=False)] = True
    several = dataset.task != "multi-class" or np.unique(y[known]).size > 1
    return known if several else _first_rows(dataset, y, rng)


def _fitted(task: str, rows: np.ndarray, y: np.ndarray, known: np.ndarray, graph: Any, seed: int) -> tuple[Group, Any]:
    target = _target(task, y, known)
    group = Group(target.task, (target,))
    maps = [Linear(), RandomFourier(FEATURES)]
    settings: dict[str, Any] = {"features": maps, "power": 2, "spectral": 0.0, "n_draws": 1, "graph": graph}
    if task == "regression":
        return group, LSVVRegressorCV(**settings, random_state=seed).fit(rows, group.as_array())
    return group, LSVVClassifierCV(loss="squared", **settings, random_state=seed).fit(rows, group.as_array())


def _target(task: str, y: np.ndarray, known: np.ndarray) -> Target:
    """The column as lsvv fill codes it: classes by their place among those known."""
    about: dict[str, Any] = {"column": COLUMN, "reason": "as asked for", "known": known}
    if task == "multi-class":
        classes, places = np.unique(y[known], return_inverse=True)
        values = np.full(len(y), -1)
        values[known] = places
        names = tuple(map(str, classes))
        return ClassTarget(**about, task="classes", values=values, outputs=names, spellings=tuple(classes.tolist()))
    values = np.where(known if y.ndim == 1 else known[:, None], y, np.nan)
    if task == "multi-label":
        return TagTarget(**about, task="tags", values=values, outputs=tuple(map(str, range(y.shape[1]))), separator=";")
    return NumberTarget(**about, task="numbers", values=values, outputs=(COLUMN,), decimals=3, style="typed")


def _error(target: Target, predicted: np.ndarray, truth: np.ndarray) -> float:
    if isinstance(target, NumberTarget):
        return float(np.mean((predicted - truth) ** 2) / np.var(truth))
    return float(np.mean((target.spelt(predicted) if isinstance(target, ClassTarget) else predicted) != truth))
