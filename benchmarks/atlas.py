"""The atlas: hundreds of settings with leave-one-out against single fits and against GridSearchCV."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import GridSearchCV

from benchmarks.timing import verdict
from lsvv import LabeledKFold, LSVVClassifier, LSVVClassifierCV
from lsvv.data import load, make_fold, split
from lsvv.features import RandomFourier
from lsvv.selection.atlas import Member, Setting
from lsvv.selection.tail import tail_members

RIDGES = tuple(10.0**e for e in range(-7, 3))
MANIFOLDS = (0.0, *(10.0**e for e in range(-4, 5)))
WIDTHS = (0.25, 0.5, 1.0, 2.0)


def main(data: Path | None = None) -> list[str]:
    lines = _four_hundred()
    lines += _letter(data) if data else ["- the defaults on letter need --data DIR"]
    return lines + _paper_grid()


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


def _paper_grid() -> list[str]:
    """10 ridges x 11 manifolds x 11 spectral x 10 free ranks, 5 folds, D = 100, K = 10, 500 labels, one map."""
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(5000, 16))
    y = np.argmin(((X[:500, None] - rng.uniform(size=(10, 16))) ** 2).sum(-1), axis=1)
    Phi = RandomFourier(100, width="median", random_state=0).fit(X).transform(X)[:500]
    T, A, folds = np.eye(10)[y], np.full((500, 10), 1 / 500), np.arange(500) % 5
    G = Phi.T @ Phi / 500
    spectral, free_ranks = [0.0, *(10.0**e for e in np.linspace(-4, -0.5, 10))], [i / 10 for i in range(10)]

    def cell(ridge: float, manifold: float) -> int:
        member = Member(Setting(0, "squared", 2, manifold, ridge), Phi, T, T, np.ones(10))
        return 1 + len(tail_members(member, Phi, T, A, G, spectral, free_ranks, folds, fit_intercept=True))

    cells = list(product(10.0 ** np.arange(-6.0, 4.0), [0.0, *(10.0 ** np.arange(-5.0, 5.0))]))
    start = time.perf_counter()
    counts = Parallel(n_jobs=2)(delayed(cell)(ridge, manifold) for ridge, manifold in cells)
    minutes = (time.perf_counter() - start) / 60
    return [
        f"- the paper's whole grid, {sum(counts)} settings x 5 folds and a fit of each to all labels: {minutes:.1f} "
        f"minutes on two processes (mark: at most 5, {verdict(minutes <= 5)})"
    ]


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
