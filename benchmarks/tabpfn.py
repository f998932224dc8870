"""Against TabPFN v1 where it may be used: at most 1000 labelled rows, 10 classes and 100 columns."""

from __future__ import annotations

import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.resumable import dataset_of, worked
from benchmarks.smoothing_marks import FIRST_SPLIT
from benchmarks.timing import verdict
from lsvv import LSVVClassifierCV
from reproduction.data import make_fold, split
from reproduction.records import Record, Trial, trial_key
from reproduction.statistics import holm, paired_t

VARIABLE = "LSVV_TABPFN_PYTHON"
RUNNER = Path(__file__).with_name("tabpfn_predict.py")
MOST_LABELS, MOST_CLASSES, MOST_COLUMNS = 1000, 10, 100
CASES = {
    **{(name, 0.1): 5 for name in ("iris", "wine", "glass", "svmguide2", "vehicle")},
    **{(name, rate): 5 for name in ("segment", "digits") for rate in (0.01, 0.1)},
    **{(name, rate): 2 for name in ("satimage", "pendigits") for rate in (0.01, 0.1)},
    ("poker", 0.01): 2,
    ("shuttle", 0.01): 2,
}
"""Splits of each case: all multi-class sets at hand that fit, at 10% and, from 1500 rows on, at 1%."""

Figures = dict[tuple[str, float], dict[str, list[float]]]


def main(data: Path | None = None) -> list[str]:
    if data is None or not at_hand():
        return [
            f"- needs --data DIR, and tabpfn 0.1.x with its weights (benchmarks/tabpfn_predict.py), here or in the "
            f"interpreter whose path {VARIABLE} holds"
        ]
    return _table(worked("tabpfn", _trials(), partial(_figures, data=data)))


def at_hand() -> bool:
    """Whether this interpreter has TabPFN or another one is named that does."""
    return bool(os.environ.get(VARIABLE)) or find_spec("tabpfn") is not None


def predicted(X: np.ndarray, y: np.ndarray, tests: np.ndarray) -> np.ndarray:
    """What TabPFN says of the test rows, in the interpreter that is named for it, else in this one."""
    python = os.environ.get(VARIABLE)
    if python:
        return _predicted_apart(python, X, y, tests)
    from benchmarks.tabpfn_predict import labels

    return labels(X, y, tests)


def _trials() -> Iterator[Trial]:
    for number in range(max(CASES.values())):
        for (name, rate), count in CASES.items():
            if number < count:
                yield {"data": name, "labelled": rate, "seed": FIRST_SPLIT + number}


def _figures(trial: Trial, data: Path) -> dict[str, float | None]:
    """The errors in % of both on one split, and their seconds."""
    start = time.time()
    dataset, seed = dataset_of(trial, data), int(trial["seed"] or 0)
    fold = make_fold(dataset, split(dataset.y, "multi-class", seed, labelled=float(trial["labelled"] or 0)))
    X, tests = (np.asarray(part, dtype=np.float32) for part in (fold.X_train, fold.X_test))
    known = fold.y_train >= 0
    _check(X[known], fold.y_train[known])
    ours = LSVVClassifierCV(random_state=seed).fit(X, fold.y_train).predict(tests)
    between = time.time()
    theirs = predicted(X[known], fold.y_train[known], tests)
    return {
        "search": 100.0 * float(np.mean(ours != fold.y_test)),
        "TabPFN": 100.0 * float(np.mean(theirs != fold.y_test)),
        "seconds search": between - start,
        "seconds TabPFN": time.time() - between,
        "labels": float(known.sum()),
    }


def _check(X: np.ndarray, y: np.ndarray) -> None:
    sizes = {"labelled rows": (len(X), MOST_LABELS), "columns": (X.shape[1], MOST_COLUMNS)}
    for what, (count, most) in {**sizes, "classes": (len(np.unique(y)), MOST_CLASSES)}.items():
        if count > most:
            raise ValueError(f"TabPFN takes at most {most} {what}; here are {count}.")


def _predicted_apart(python: str, X: np.ndarray, y: np.ndarray, tests: np.ndarray) -> np.ndarray:
    """What TabPFN, in its own interpreter, says of the test rows."""
    with TemporaryDirectory() as folder:
        given, out = Path(folder, "split.npz"), Path(folder, "predicted.npz")
        np.savez(given, X=X, y=y, tests=tests)
        done = subprocess.run([python, "-I", RUNNER, given, out], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"TabPFN did not run:\n{done.stderr}")
        with np.load(out) as arrays:
            return np.asarray(arrays["predicted"])


def _table(records: list[Record]) -> list[str]:
    columns = _columns(records)
    seconds = {name: sum(sum(case[f"seconds {name}"]) for case in columns.values()) for name in ("search", "TabPFN")}
    return [
        "Test error in %, means over common splits (70/30; labelled rows drawn per class), those of `smoothing_marks`",
        f"from number {FIRST_SPLIT} on. TabPFN gets the labelled rows and averages 32 configurations; the search",
        "sees the unlabelled training rows too. Rank: 1 for the lower mean error of a case, 2 for the other.",
        "",
        "| data | labelled | labels | splits | search | TabPFN v1 | p (Holm) |",
        "|---|---|---|---|---|---|---|",
        *_rows(columns),
        "",
        "By a hash of the code: "
        + ", ".join(f"{n} splits with {code}" for code, n in Counter(r.environment["code"] for r in records).items())
        + ". "
        + f"{seconds['search']:.0f} s for the searches, {seconds['TabPFN']:.0f} s for TabPFN, its start included.",
        "",
        *_verdict(columns),
    ]


def _columns(records: list[Record]) -> Figures:
    columns: Figures = {}
    for record in sorted(records, key=lambda record: trial_key(record.trial)):
        case = columns.setdefault((str(record.trial["data"]), float(record.trial["labelled"] or 0)), {})
        for name, figure in record.figures.items():
            case.setdefault(name, []).append(float(figure or 0.0))
    return {case: columns[case] for case in CASES if case in columns}


def _rows(columns: Figures) -> Iterator[str]:
    for ((name, rate), case), p in zip(columns.items(), _p_values(columns), strict=True):
        ours, theirs = (f"{np.mean(case[which]):.3g}" for which in ("search", "TabPFN"))
        yield (
            f"| {name} | {100 * rate:g}% | {np.mean(case['labels']):.0f} | {len(case['search'])} | {ours} | {theirs} | "
            f"{'' if np.isnan(p) else f'{p:.2g}'} |"
        )


def _p_values(columns: Figures) -> list[float]:
    """Paired t over the splits of a case, Holm over the cases; NaN where two splits say too little."""
    found = []
    for case in columns.values():
        ours, theirs = np.array(case["search"]), np.array(case["TabPFN"])
        if ours.size < 3:
            found.append(np.nan)
        else:
            found.append(paired_t(ours, theirs).p_value if np.any(ours != theirs) else 1.0)
    tested = [place for place, p in enumerate(found) if not np.isnan(p)]
    for place, p in zip(tested, holm([found[place] for place in tested]) if tested else [], strict=True):
        found[place] = float(p)
    return found


def _verdict(columns: Figures) -> list[str]:
    pairs = [(float(np.mean(case["search"])), float(np.mean(case["TabPFN"]))) for case in columns.values()]
    ours = float(np.mean([1.5 - 0.5 * np.sign(theirs - mine) for mine, theirs in pairs]))
    p_values = _p_values(columns)
    better, worse = (
        sum(p < 0.05 and sign * (theirs - mine) > 0 for p, (mine, theirs) in zip(p_values, pairs, strict=True))
        for sign in (1.0, -1.0)
    )
    return [
        f"- mean rank over {len(pairs)} cases: search {ours:.2f}, TabPFN v1 {3.0 - ours:.2f} (mark: ahead, "
        f"{verdict(ours < 1.5)}); significantly better on {better}, significantly worse on {worse}"
    ]
