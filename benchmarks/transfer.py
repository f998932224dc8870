"""Transfer to few target rows: against the target alone and all domains pooled, on generated shifts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.base import clone

from benchmarks.timing import verdict
from lsvv import LSVVRegressor
from lsvv.tasks import TransferRegressor
from reproduction.statistics import paired_t

N_SPLITS = 30
COLUMNS, OUTPUTS, N_SOURCE, N_NEW = 20, 10, 1000, 1000
N_TARGET = (20, 60)
NOISE = 0.5
SHIFTS = ("none", "rank 1", "rank 2", "all")


def main(data: Path | None = None) -> list[str]:
    rows, worse, better = [], [], []
    for kind in SHIFTS:
        for n in N_TARGET:
            found = np.array([_errors(kind, n, seed) for seed in range(N_SPLITS)])
            mean = found.mean(axis=0)
            best = 1 + int(np.argmin(mean[1:]))
            p = paired_t(found[:, 0], found[:, best]).p_value if np.any(found[:, 0] != found[:, best]) else 1.0
            gap = float(mean[0] - mean[best])
            case = f"{kind}, {n}"
            if p < 0.05 and gap > 0:
                worse.append(case)
            if p < 0.05 and gap < 0:
                better.append(case)
            rows.append(f"| {kind} | {n} | {mean[0]:.4f} | {mean[1]:.4f} | {mean[2]:.4f} | {gap:+.4f} | {p:.2g} |")
    low = [case for case in better if case.startswith("rank")]
    n_low = len(N_TARGET) * sum(kind.startswith("rank") for kind in SHIFTS)
    return [
        f"Mean squared error of the noise-free target at {N_NEW:,} new rows, means over {N_SPLITS} draws; {N_SOURCE:,}",
        f"source rows, {COLUMNS} columns, {OUTPUTS} outputs of variance about 1, noise {NOISE}. The target's weights",
        "are the source's and a shift of that rank, or weights of its own (all). Every way fits",
        '`LSVVRegressor(features="linear", smoothing=0)`.',
        "",
        "| shift | target rows | transfer | target alone | pooled | gap to the better | p |",
        "|---|---|---|---|---|---|---|",
        *rows,
        "",
        f"- significantly worse than the better plain way on {len(worse)} of {len(rows)} "
        f"({', '.join(worse) or 'none'}; mark: 0, {verdict(not worse)})",
        f"- significantly better than both where the shift is of low rank on {len(low)} of {n_low} (mark: all, "
        f"{verdict(len(low) == n_low)})",
    ]


def _errors(kind: str, n_target: int, seed: int) -> list[float]:
    rng = np.random.default_rng(seed)
    W, own = rng.normal(size=(2, COLUMNS, OUTPUTS)) / np.sqrt(COLUMNS)
    rank = {"none": 0, "rank 1": 1, "rank 2": 2}.get(kind)
    if rank is not None:
        left, right = rng.normal(size=(COLUMNS, rank)), rng.normal(size=(rank, OUTPUTS))
        own = W + left @ right / np.sqrt(COLUMNS * max(rank, 1))
    n = N_SOURCE + n_target
    X, new = rng.normal(size=(n, COLUMNS)), rng.normal(size=(N_NEW, COLUMNS))
    domain = np.where(np.arange(n) < N_SOURCE, 1, -1)
    Y = np.where(domain[:, None] > 0, X @ W, X @ own) + NOISE * rng.normal(size=(n, OUTPUTS))
    base = LSVVRegressor(features="linear", smoothing=0)
    models = (
        TransferRegressor(base, random_state=seed).fit(X, Y, sample_domain=domain),
        clone(base).fit(X[domain < 0], Y[domain < 0]),
        clone(base).fit(X, Y),
    )
    return [float(np.mean((model.predict(new) - new @ own) ** 2)) for model in models]
