"""Choosing hyper-parameters from few labels: errors on common splits, and safe against supervised."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from benchmarks.timing import verdict
from lsvv import LSVVClassifierCV, LSVVRegressorCV
from lsvv.data import load, make_fold, split
from lsvv.experiments.plan import seeds
from lsvv.experiments.records import Record, Trial, environment, latest, pack, read_records, recording, trial_key
from lsvv.experiments.statistics import holm, paired_t
from lsvv.features import Linear, Nystroem, RandomFourier

MARKS = {
    "iris": 6.7,
    "wine": 5.6,
    "glass": 43.0,
    "svmguide2": 27.0,
    "vowel": 51.0,
    "vehicle": 29.0,
    "segment": 8.3,
    "satimage": 13.9,
    "pendigits": 3.0,
    "letter": 26.7,
}
OTHERS = ("scene", "yeast", "rf2", "scm20d", "bibtex", "corel5k")
"""Further sets of at most 15,000 rows, labels and numbers, for the comparison with supervised."""
N_SPLITS = 30
QUICK = tuple(MARKS)[:6]
STAGES = ((0, 2), (2, 5), (5, 10), (10, N_SPLITS))
"""Splits of larger sets worked on all of them before the next: a run cut short has some of each."""
SMALL = [RandomFourier(100), Nystroem(100), Nystroem(100, kernel="laplacian"), Linear()]

ABOUT_RESTRICTED = (
    "",
    "What stands between the defaults and restricted maps: with at most 1000 rows the defaults hold the restricted",
    "maps and whole kernels, which from a dozen to a hundred labels add little to each other. Tried on few splits",
    "from 100 on: Laplacian landmarks of the columns' ranks (no gain on glass and segment, the two sets run).",
    "Not followed up: the average of models of the columns and of their quantiles, better on five of seven sets there.",
)
ABOUT_SUPERVISED = (
    "",
    "What stands between safe and supervised: both are averages over the same maps and losses, and once a tenth of the",
    "labels is known that average leaves the manifold term little to add on most sets; with a dozen labels",
    "leave-one-out cannot tell which of the two is better. Tried without gain on splits 0 to 9, with an earlier rule:",
    "class masses, votes, weights in two levels, a temperature for each setting.",
)


def main(data: Path | None = None) -> list[str]:
    if data is None:
        return ["- needs --data DIR"]
    folder = Path(os.environ.get("LSVV_RECORDS", "selection_records"))
    _run(data, folder)
    pack(folder)
    return _table(read_records(folder))


def _run(data: Path, folder: Path) -> None:
    """Records the trials that the folder does not have yet, until the time is over."""
    deadline = time.time() + float(os.environ.get("LSVV_SECONDS", "inf"))
    trials: list[Trial] = [{"data": name, "seed": seed} for name, seed in _trials()]
    with recording(folder) as append:
        done = latest(read_records(folder))
        results = Parallel(n_jobs=-1, pre_dispatch="n_jobs", return_as="generator_unordered")(
            delayed(_record)(trial, data, deadline) for trial in trials if trial_key(trial) not in done
        )
        for record in filter(None, results):
            append(record)


def _record(trial: Trial, data: Path, deadline: float) -> Record | None:
    """A trial's figures and seconds; nothing once the time is over."""
    start = time.time()
    if start > deadline:
        return None
    figures = _figures(str(trial["data"]), data, int(trial["seed"] or 0))
    return Record(trial, figures=figures, seconds=time.time() - start, environment=environment())


def _trials() -> Iterator[tuple[str, int]]:
    """The small sets whole, then the larger ones that have marks and at last the others, stage by stage."""
    yield from product(QUICK, seeds(N_SPLITS))
    for names in ([name for name in MARKS if name not in QUICK], OTHERS):
        for start, end in STAGES:
            yield from product(names, seeds(N_SPLITS)[start:end])


def _figures(name: str, data: Path, seed: int) -> dict[str, float | None]:
    """Test figures of the models on one split: error of classes, Hamming loss of labels, 100 MSE of numbers."""
    dataset = load(name, data)
    fold = make_fold(dataset, split(dataset.y, dataset.task, seed))
    make = LSVVRegressorCV if dataset.task == "regression" else LSVVClassifierCV
    default = make(random_state=seed).fit(fold.X_train, fold.y_train)
    fitted = {"default": default, "supervised": default.limited_to(lambda setting: setting.is_supervised)}
    if name in MARKS:
        fitted["restricted"] = make(features=SMALL, random_state=seed).fit(fold.X_train, fold.y_train)
    difference = {model: one.predict(fold.X_test) - fold.y_test for model, one in fitted.items()}
    if dataset.task == "regression":
        return {model: 100.0 * float(np.mean(one**2)) for model, one in difference.items()}
    return {model: 100.0 * float(np.mean(one != 0)) for model, one in difference.items()}


def _table(records: list[Record]) -> list[str]:
    """One row a set: the figures, the marks, and the paired comparison with supervised."""
    lines = [
        "Test error of classes and Hamming loss of labels in %, 100 x MSE of numbers scaled to [0, 1]; mean over",
        "common splits (70/30; 10% of the training rows labelled for classes, stratified, 50% for labels, numbers).",
        "No fit sees a test row, and rules and maps were made on splits below 200. A first try at weaker ridges for",
        "smooth losses was taken back after the errors of splits 1000 and 1001 of pendigits and letter were seen;",
        "the ones in use now, and the weights of maps and losses (one of about 20 variants), were made on splits 100",
        "to 119. Defaults draw small maps beside the large ones since reported splits of the small sets had shown them",
        "above restricted; that was judged on splits 100 to 111 of iris, wine, glass and svmguide2. Fits to what is",
        "expected of unlabelled rows are one of about 15 variants compared on splits 100 to 139 of seven small sets.",
        "Restricted: maps of at most 100 columns (Fourier, landmarks of two kernels, linear), five draws each.",
        "Default: `safe=True`, any map. Supervised: what of the same search does not use unlabelled rows.",
        "",
        "| data | splits | restricted (s.e.) | mark | | default | default / restricted | supervised | p (Holm) |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    figures = _columns(records)
    tested = [name for name in (*MARKS, *OTHERS) if (name, "default") in figures]
    adjusted = dict(zip(tested, holm([_p_value(figures, name) for name in tested]), strict=True)) if tested else {}
    lines += [_row(name, figures, float(adjusted[name])) for name in tested]
    marked = [name for name in tested if name in MARKS]
    reached = [name for name in marked if _passes(name, figures)]
    ratios = [figures[name, "default"].mean() / figures[name, "restricted"].mean() for name in marked]
    gains = {name: figures[name, "supervised"].mean() - figures[name, "default"].mean() for name in tested}
    better, worse = (
        [name for name in tested if adjusted[name] < 0.05 and sign * gains[name] > 0] for sign in (1.0, -1.0)
    )
    half = 2 * len(better) >= len(tested)
    below, above = sum(r < 0.9 for r in ratios), sum(r > 1.0 for r in ratios)
    codes = Counter(record.environment["code"] for record in records)
    return [
        *lines,
        "",
        "By a hash of the code: "
        + ", ".join(f"{count} splits with {code}" for code, count in codes.most_common())
        + ".",
        "",
        f"- restricted marks (plus one standard error) reached on {len(reached)} of {len(marked)} sets",
        f"- default below 0.9 of restricted on {below} of {len(marked)} sets (mark: half, "
        f"{verdict(2 * below >= len(marked))}), above it on {above} (mark: none, {verdict(above == 0)})",
        f"- safe against supervised over {len(tested)} sets: significantly worse on {len(worse)} (mark: 0, "
        f"{verdict(not worse)}), significantly better on {len(better)} (mark: half, {verdict(half)})",
        *(ABOUT_RESTRICTED if 2 * below < len(marked) or above else ()),
        *(ABOUT_SUPERVISED if worse or not half else ()),
    ]


def _columns(records: list[Record]) -> dict[tuple[str, str], np.ndarray]:
    """Figures by (set, model) over the splits, of sets with at least two."""
    columns: dict[tuple[str, str], list[float]] = {}
    for record in sorted(latest(records).values(), key=lambda record: trial_key(record.trial)):
        for model, figure in record.figures.items():
            if figure is not None:
                columns.setdefault((str(record.trial["data"]), model), []).append(figure)
    return {key: np.array(column) for key, column in columns.items() if len(column) > 1}


def _p_value(figures: dict[tuple[str, str], np.ndarray], name: str) -> float:
    ours, theirs = figures[name, "default"], figures[name, "supervised"]
    return paired_t(ours, theirs).p_value if np.any(ours != theirs) else 1.0


def _passes(name: str, figures: dict[tuple[str, str], np.ndarray]) -> bool:
    ours = figures[name, "restricted"]
    return bool(ours.mean() <= MARKS[name] + ours.std(ddof=1) / np.sqrt(ours.size))


def _row(name: str, figures: dict[tuple[str, str], np.ndarray], p_value: float) -> str:
    default, supervised = figures[name, "default"], figures[name, "supervised"]
    small = "| | | | "
    ratio = ""
    if name in MARKS:
        ours = figures[name, "restricted"]
        error = ours.std(ddof=1) / np.sqrt(ours.size)
        small = f"| {ours.mean():.2f} ({error:.2f}) | {MARKS[name]} | {verdict(_passes(name, figures))} "
        ratio = f"{default.mean() / ours.mean():.2f}"
    return (
        f"| {name} | {default.size} {small}| {default.mean():.3g} | {ratio} | {supervised.mean():.3g} | {p_value:.2g} |"
    )
