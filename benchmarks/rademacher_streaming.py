"""The streaming complexity against the bare matrix product it needs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from lsvv.theory import rademacher_trace_norm

ROWS, FEATURES, OUTPUTS, DRAWS, BLOCK = 16_384, 1000, 10, 100, 4096
REPEATS = 7
MARK = 1.5


def main(data: Path | None = None) -> list[str]:
    rng = np.random.default_rng(0)
    block = rng.standard_normal((BLOCK, FEATURES))
    signs = rng.choice([-1.0, 1.0], size=(BLOCK, OUTPUTS * DRAWS))

    def blocks() -> Iterator[np.ndarray]:
        return (block for _ in range(ROWS // BLOCK))

    def product() -> None:
        total = np.zeros((FEATURES, OUTPUTS * DRAWS))
        for rows in blocks():
            total += rows.T @ signs

    def streaming() -> None:
        rademacher_trace_norm(blocks(), OUTPUTS, n_draws=DRAWS, random_state=0)

    pairs = [(_seconds(product), _seconds(streaming)) for _ in range(REPEATS + 1)][1:]  # the first warms up
    bare, full = (statistics.median(times) for times in zip(*pairs, strict=True))
    return [
        f"- {ROWS} rows, {FEATURES} features, {OUTPUTS} outputs, {DRAWS} sign draws: product {bare:.2f} s, "
        f"streaming complexity {full:.2f} s, ratio {full / bare:.2f} "
        f"(median of {REPEATS} in turns; mark: at most {MARK}, {'reached' if full / bare <= MARK else 'NOT reached'})"
    ]


def _seconds(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    print("\n".join(main()))
