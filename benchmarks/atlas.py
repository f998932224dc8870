"""The atlas: hundreds of settings with leave-one-out against single fits and against GridSearchCV."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.model_selection import GridSearchCV

from benchmarks.timing import verdict
from lsvv import LabeledKFold, LSVVClassifier, LSVVClassifierCV
from lsvv.data import load, make_fold, split
from lsvv.features import RandomFourier

RIDGES = tuple(10.0**e for e in range(-7, 3))
MANIFOLDS = (0.0, *(10.0**e for e in range(-4, 5)))
WIDTHS = (0.25, 0.5, 1.0, 2.0)


def main(data: Path | None = None) -> list[str]:
    return _four_hundred() + (_letter(data) if data else ["- the defaults on letter need --data DIR"])


def _four_hundred() -> list[str]:
    """4 widths x 10 ridges x 10 manifolds, 10,000 rows of 16 columns, 1000 labels, D = 1000, K = 10."""
    rng = np.random.default_rng(0)
    X, centres = rng.uniform(size=(10_000, 16)), rng.uniform(size=(10, 16))
    y = np.argmin(((X[:, None] - centres) ** 2).sum(-1), axis=1)
    y[1000:] = -1
    maps = [RandomFourier(1000, width=f"{w} median", random_state=0) for w in WIDTHS]
    grid = {"ridge": RIDGES, "manifold": MANIFOLDS, "power": 2, "spectral": 0.0, "loss": "squared"}
    single = LSVVClassifier(features=maps[1], random_state=0)
    one = _seconds(lambda: single.fit(X, y))
    atlas = _seconds(lambda: LSVVClassifierCV(features=maps, safe=False, random_state=0, **grid).fit(X, y))
    sample = {"ridge": [1e-5, 1e-2], "manifold": [0.1, 10.0]}
    search = GridSearchCV(single, sample, cv=LabeledKFold(5), refit=False)
    slow = _seconds(lambda: search.fit(X, y)) * len(WIDTHS) * len(RIDGES) * len(MANIFOLDS) / 4
    return [
        f"- 400 settings with exact leave-one-out: {atlas:.1f} s, one fit {one:.2f} s, {atlas / one:.1f} fits "
        f"(mark: at most 12, {verdict(atlas / one <= 12)})",
        f"- the same by GridSearchCV with 5 folds, extrapolated from 4 settings: {slow:.0f} s, {slow / atlas:.0f} "
        f"times slower (mark: at least 30, {verdict(slow / atlas >= 30)})",
    ]


def _letter(data: Path) -> list[str]:
    dataset = load("letter", data)
    fold = make_fold(dataset, split(dataset.y, "multi-class", 0))
    one = _seconds(lambda: LSVVClassifier(random_state=0).fit(fold.X_train, fold.y_train))
    search = _seconds(lambda: LSVVClassifierCV(random_state=0).fit(fold.X_train, fold.y_train))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return [
        f"- LSVVClassifierCV() on letter: {search:.0f} s, one default fit {one:.1f} s, {search / one:.0f} fits "
        f"(mark: at most 30, {verdict(search / one <= 30)}); peak memory of the process {peak:.1f} GB "
        f"(mark: under 3, {verdict(peak < 3)})"
    ]


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
