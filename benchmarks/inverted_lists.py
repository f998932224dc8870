"""Neighbours: inverted lists of whole rows, as the graph searches them, beside lists of packed codes ranked again.

One thread, seconds of processor time. Codes are 4 bits a pair of columns; whole rows rank ten times as many as asked.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scale_work import made_up
from lsvv.graph.inverted import JUDGED, TRAINED, InvertedLists, recall_of
from lsvv.graph.nearest import RECALL

ROWS, K, CODES, ASKED = 200_000, 11, 25, 20_000
PROBES = (4, 8, 16, 32)


def main(data: Path | None = None) -> list[str]:
    import faiss

    faiss.omp_set_num_threads(1)
    found = [line for name, X in _sets(data) for line in (_whole(name, X), _packed(name, X))]
    return [
        f"{ROWS:,} rows, {K - 1} neighbours. As few lists are searched as a recall of {RECALL} asks for, "
        f"{max(PROBES)} at most.",
        "",
        "| rows of | lists of | placed | searched | lists searched | recall |",
        "|---|---|---|---|---|---|",
        *found,
    ]


def _sets(data: Path | None) -> Iterator[tuple[str, np.ndarray]]:
    yield "a sheet in 50 columns", made_up(ROWS, 0)[0]
    if data is not None:
        X = np.load(data / "covtype.npz")["X"].astype(np.float32)
        X = X[np.random.default_rng(0).choice(len(X), ROWS, replace=False)]
        low, high = X.min(axis=0), X.max(axis=0)
        yield "cover type", ((X - low) / np.where(high > low, high - low, 1.0)).astype(np.float32)


def _whole(name: str, X: np.ndarray) -> str:
    start = time.process_time()
    lists = InvertedLists(X, RECALL)
    built = time.process_time()
    lists.nearest(X, K)
    searched = time.process_time() - built
    return _line(name, "whole rows", built - start, searched, lists.index.nprobe, lists.recall)


def _packed(name: str, X: np.ndarray) -> str:
    import faiss

    cells, d = int(4 * np.sqrt(len(X))), X.shape[1]
    rotated = "" if d == 2 * CODES else f"OPQ{CODES}_{2 * CODES},"
    index: Any = faiss.index_factory(d, f"{rotated}IVF{cells},PQ{CODES}x4fs,RFlat")
    lists = faiss.extract_index_ivf(index)
    lists.cp.max_points_per_centroid, lists.cp.min_points_per_centroid, index.k_factor = TRAINED, 1, 10
    rng = np.random.default_rng(1)
    start = time.process_time()
    index.train(X[rng.choice(len(X), min(len(X), TRAINED * cells), replace=False)])
    index.add(X)
    built = time.process_time() - start
    judges = X[rng.choice(len(X), JUDGED, replace=False)]
    exact = faiss.IndexFlatL2(d)
    exact.add(X)
    truth = exact.search(judges, K)[0][:, 1:]
    for probes in PROBES:
        lists.nprobe = probes
        recall = recall_of(index.search(judges, K)[0][:, 1:], truth)
        if recall >= RECALL:
            break
    start = time.process_time()
    index.search(X[:ASKED], K)
    searched = (time.process_time() - start) * len(X) / ASKED
    return _line(name, "codes", built, searched, probes, recall)


def _line(name: str, what: str, built: float, searched: float, probes: int, recall: float) -> str:
    return f"| {name} | {what} | {built:.1f} s | {searched:.1f} s | {probes} | {recall:.4f} |"
