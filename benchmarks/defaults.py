"""The defaults, untuned: semi-supervised against supervised and LabelSpreading."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.semi_supervised import LabelSpreading

from benchmarks.timing import verdict
from lsvv import LSVVClassifier
from lsvv.data import Dataset, load, make_fold, split

SMALL = ("iris", "wine", "glass", "svmguide2", "vowel", "vehicle", "segment", "satimage", "pendigits")
N_SPLITS = 30


def main(data: Path | None = None) -> list[str]:
    X, y = load_digits(return_X_y=True)
    errors = np.array([_digits_errors(X, y, seed) for seed in range(N_SPLITS)]).mean(axis=0)
    ours, supervised, spreading = errors
    lines = [
        f"- digits, 1% labels, {N_SPLITS} splits: default {100 * ours:.1f}%, manifold=0 {100 * supervised:.1f}%, "
        f"LabelSpreading {100 * spreading:.1f}%; ratio to manifold=0 {ours / supervised:.2f} "
        f"(mark: at most 0.55, {verdict(ours / supervised <= 0.55)}); against LabelSpreading "
        f"(mark: not more, {verdict(ours <= spreading)})"
    ]
    if data is None:
        return [*lines, "- the small sets need --data DIR"]
    lines += ["", "| data, 10% labels | default | manifold=0 | ratio |", "|---|---|---|---|"]
    worst = 0.0
    for name in SMALL:
        dataset = load(name, data)
        pairs = np.array([_fold_errors(dataset, seed) for seed in range(N_SPLITS)]).mean(axis=0)
        worst = max(worst, pairs[0] / pairs[1])
        lines.append(f"| {name} | {100 * pairs[0]:.1f} | {100 * pairs[1]:.1f} | {pairs[0] / pairs[1]:.2f} |")
    lines += ["", f"Largest ratio {worst:.2f} (mark: at most 1.15, {verdict(worst <= 1.15)})."]
    return lines


def _digits_errors(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[float, float, float]:
    part = split(y, "multi-class", seed, labelled=0.01)
    rows, tests = X[part.train] / 16, X[part.test] / 16
    seen = np.where(part.known, y[part.train], -1)
    spreading = LabelSpreading(kernel="knn", n_neighbors=10).fit(rows, seen)
    return (*_errors(rows, seen, tests, y[part.test], seed), 1 - spreading.score(tests, y[part.test]))


def _fold_errors(dataset: Dataset, seed: int) -> tuple[float, float]:
    fold = make_fold(dataset, split(dataset.y, "multi-class", seed))
    return _errors(fold.X_train, fold.y_train, fold.X_test, fold.y_test, seed)


def _errors(rows: np.ndarray, seen: np.ndarray, tests: np.ndarray, truth: np.ndarray, seed: int) -> tuple[float, float]:
    models = (LSVVClassifier(random_state=seed), LSVVClassifier(manifold=0, random_state=seed))
    ours, supervised = (1 - model.fit(rows, seen).score(tests, truth) for model in models)
    return ours, supervised
