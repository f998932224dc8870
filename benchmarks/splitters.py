"""Stratified folds of 100,000 rows x 100 labels against sorting the same table, and how even they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import interleaved, verdict
from lsvv.selection.splitters import LabeledKFold

N_ROWS, N_LABELS, N_FOLDS = 100_000, 100, 5


def main(data: Path | None = None) -> list[str]:
    rng = np.random.default_rng(0)
    often = np.minimum(0.5, 1.0 / np.arange(1, N_LABELS + 1))
    # labels from every second row to every hundredth, three in ten entries unknown
    Y = (rng.random((N_ROWS, N_LABELS)) < often).astype(float)
    masked = np.where(rng.random(Y.shape) < 0.3, np.nan, Y)
    classes = rng.integers(N_LABELS, size=N_ROWS)
    lines = []
    for name, y in ((f"{N_LABELS} labels", Y), (f"{N_LABELS} labels, 30% unknown", masked)):
        seconds = interleaved(
            {"split": lambda y=y: _folds(y, "auto"), "sort": lambda: np.sort(rng.random(Y.shape), axis=0)}, 3
        )
        lines.append(
            f"- {N_ROWS:,} rows, {name}, {N_FOLDS} folds: {seconds['split']:.2f} s, "
            f"{seconds['split'] / seconds['sort']:.1f} times drawing and sorting a table of that size (mark: at most "
            f"5 s, {verdict(seconds['split'] <= 5)})"
        )
        even, plain = (_unevenness(y, _folds(y, stratify)) for stratify in ("auto", False))
        lines.append(f"- the counts of a label differ between folds by {even:.1f} on average, unstratified {plain:.1f}")
    seconds = interleaved({"split": lambda: _folds(classes, "auto"), "sort": lambda: np.sort(rng.random(N_ROWS))}, 5)
    lines.append(
        f"- {N_ROWS:,} rows, {N_LABELS} classes: {1e3 * seconds['split']:.0f} ms, "
        f"{seconds['split'] / seconds['sort']:.1f} times drawing and sorting as many numbers"
    )
    return lines


def _folds(y: np.ndarray, stratify: Any) -> list[np.ndarray]:
    cv = LabeledKFold(N_FOLDS, shuffle=True, random_state=0, stratify=stratify)
    return [test for _, test in cv.split(None, y)]


def _unevenness(Y: np.ndarray, folds: list[np.ndarray]) -> float:
    """Largest less smallest count of a label over the folds, the mean over labels."""
    return float(np.ptp([(Y[test] == 1).sum(axis=0) for test in folds], axis=0).mean())
