"""Filling a large mixed table: 100,000 rows x 30 columns with 1,000 labels, in a process of its own."""

from __future__ import annotations

import csv
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.timing import verdict

N_ROWS, N_LABELS = 100_000, 1_000
MOST_SECONDS, MOST_GIGABYTES = 90.0, 2.0
WORDS = ("red", "bushy", "quick", "wet", "striped", "quiet", "old", "young", "alone", "near", "river", "wall", "hedge")


def main(data: Path | None = None) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "mixed.csv"), Path(folder, "filled.csv")
        truth = write_table(path)
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "lsvv", "fill", path, "-t", "kind", "-o", out, "--quiet"], check=True)
        seconds = time.perf_counter() - start
        right = accuracy(out, truth)
    # Linux counts in KiB, over all children that have ended: this is the only one
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    gigabytes, busy = used.ru_maxrss / 2**20, used.ru_utime + used.ru_stime
    quick, small = verdict(seconds < MOST_SECONDS), verdict(gigabytes < MOST_GIGABYTES)
    return [
        f"- {N_ROWS} rows x 30 columns (19 numbers, 6 categories, 2 dates, 2 texts, the target), {N_LABELS} labels: "
        f"{seconds:.0f} s (mark: under {MOST_SECONDS:.0f} s, {quick}), of which processors were busy for {busy:.0f} s; "
        f"peak {gigabytes:.2f} GB (mark: under {MOST_GIGABYTES:.0f} GB, {small}); {100 * right:.1f}% of the filled "
        f"cells are right"
    ]


def write_table(path: Path) -> np.ndarray:
    """Five kinds; every column depends on the kind a little, and a twentieth of the inputs is empty."""
    rng = np.random.default_rng(0)
    kind = rng.integers(5, size=N_ROWS)
    numbers = rng.normal(size=(5, 19))[kind] + 1.5 * rng.normal(size=(N_ROWS, 19))
    columns = {f"number {j}": [f"{value:.3f}" for value in numbers[:, j]] for j in range(19)}
    for j in range(6):
        shares = rng.dirichlet(np.full(8 + 10 * j, 0.5), size=5)
        codes = np.array([rng.choice(shares.shape[1], p=shares[one]) for one in kind])
        columns[f"category {j}"] = [f"c{code}" for code in codes]
    for j in range(2):
        days = np.datetime64("2020-01-01") + (rng.integers(1000, size=N_ROWS) + 100 * kind * j)
        columns[f"date {j}"] = days.astype(str).tolist()
    for j in range(2):
        picks = np.concatenate([rng.integers(len(WORDS), size=(N_ROWS, 4)), 2 * kind[:, None]], axis=1)
        columns[f"text {j}"] = [" ".join(WORDS[pick] for pick in row) for row in picks]
    for cells in columns.values():
        for row in np.flatnonzero(rng.random(N_ROWS) < 0.05):
            cells[row] = ""
    columns["kind"] = [""] * N_ROWS
    for row in rng.choice(N_ROWS, N_LABELS, replace=False):
        columns["kind"][row] = f"kind {kind[row]}"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return kind


def accuracy(out: Path, truth: np.ndarray) -> float:
    with out.open(newline="", encoding="utf-8") as stream:
        rows = csv.DictReader(stream)
        right = [
            row["kind"] == f"kind {one}" for row, one in zip(rows, truth, strict=True) if row["kind_filled"] == "true"
        ]
    return float(np.mean(right))


if __name__ == "__main__":
    print("\n".join(main()))
