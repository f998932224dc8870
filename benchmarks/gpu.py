"""A GPU: seconds of whole fits on a CUDA device, to be run by hand on a machine that has one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks import scale_work
from benchmarks.scale_work import NEW, WARM, made_up
from benchmarks.timing import verdict
from lsvv import LSVVClassifier
from lsvv.features import RandomFourier
from lsvv.graph import KNNGraph

ROWS = 10_000_000


def main(data: Path | None = None) -> list[str]:
    if not torch.cuda.is_available():
        return ["There is no CUDA device here: nothing was measured."]
    lines = [f"One {torch.cuda.get_device_name(0)}; each after a fit of {WARM:,} rows. By the clock.", ""]
    if data is not None:
        lines += [_covtype(data), _mnist(data)]
    return [*lines, _generated()]


def _covtype(data: Path) -> str:
    stored = np.load(data / "covtype.npz")
    order = np.random.default_rng(0).permutation(len(stored["y"]))
    X, truth = stored["X"].astype(np.float32), stored["y"]
    low, high = X.min(axis=0), X.max(axis=0)
    X = (X - low) / np.where(high > low, high - low, 1.0)
    train, new = order[:406_708], order[-NEW:]
    y = np.where(np.random.default_rng(1).random(train.size) < 0.1, truth[train], -1)
    seconds, error = _fitted(4096, "exact", X[train], y, X[new], truth[new])
    return (
        f"- covtype, 406,708 rows, exact 10 neighbours, D = 4096: {seconds:.1f} s, error {error:.1f} % (mark: 4.5 s, "
        f"{verdict(seconds <= 4.5)})."
    )


def _generated() -> str:
    X, truth = made_up(ROWS, 0)
    new, right = made_up(NEW, 1)
    y = np.where(np.arange(ROWS) % 100 == 0, truth, -1)
    seconds, error = _fitted(2048, "auto", X, y, new, right)
    return (
        f"- {ROWS:,} generated rows of 50 columns, recall 0.99, D = 2048: {seconds:.0f} s, error {error:.1f} % (mark: "
        f"180 s, {verdict(seconds <= 180)})."
    )


def _fitted(
    D: int, search: str, X: np.ndarray, y: np.ndarray, new: np.ndarray, truth: np.ndarray
) -> tuple[float, float]:
    model = LSVVClassifier(
        features=RandomFourier(D),
        smoothing=0.0,
        manifold=1.0,
        n_neighbors=10,
        graph=KNNGraph(search=search),
        random_state=0,
    )
    there = torch.as_tensor(X, device="cuda")
    # the first kernels of a process are loaded and chosen
    model.fit(there[:WARM], y[:WARM])
    seconds = _seconds(lambda: model.fit(there, y))
    answers = model.predict(torch.as_tensor(new, device="cuda")).cpu().numpy()
    return seconds, 100 * float(np.mean(answers != truth))


def _mnist(data: Path) -> str:
    path = str(data / "MNIST.npz")
    there, here = scale_work.mnist(path, "cuda"), _on_two_cores({"path": path, "device": "cpu"})
    faster, apart = here["seconds"] / there["seconds"], abs(here["error"] - there["error"])
    without = "" if here["faiss"] else ", without faiss, which is not installed there"
    return (
        f"- MNIST, 42,000 rows, 420 labels, LSVVClassifierCV(): {there['seconds']:.1f} s and error "
        f"{there['error']:.2f} % on the GPU, {here['seconds']:.0f} s and {here['error']:.2f} % on two cores of that "
        f"machine{without}: {faster:.1f} times (mark: 20, {verdict(faster >= 20)}), errors {apart:.2f} points apart "
        f"(mark: 0.1, {verdict(apart <= 0.1)})."
    )


def _on_two_cores(how: dict[str, Any]) -> dict[str, Any]:
    """The same search in a process of its own that has two cores."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scale_work", "mnist", json.dumps(how)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "2")},
        preexec_fn=lambda: os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2]),
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _seconds(work: Callable[[], Any]) -> float:
    torch.cuda.synchronize()
    start = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return time.perf_counter() - start
