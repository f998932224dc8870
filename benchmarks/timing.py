"""Timing two things side by side, and the environment every result carries."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from datetime import date
from importlib.metadata import version


def interleaved(calls: dict[str, Callable[[], object]], repeats: int = 7) -> dict[str, float]:
    """Median seconds of each call, taken in turns so that a busy machine slows all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats + 1):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    # the first round warms caches and threads
    return {name: statistics.median(values[1:]) for name, values in seconds.items()}


def environment() -> str:
    """Versions, cores and date, in one line."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("lsvv", "numpy", "scipy", "scikit-learn"))
    return f"{packages}, Python {platform.python_version()}, {os.cpu_count()} cores, {date.today().isoformat()}"


def verdict(passed: bool) -> str:
    """How a mark is reported."""
    return "reached" if passed else "NOT reached"
