"""``import lsvv`` with its estimators against ``import sklearn.linear_model``, fresh interpreters in turns."""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.timing import verdict

PROBE = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"

OURS, THEIRS = "from lsvv import LSVVClassifier, LSVVClassifierCV", "import sklearn.linear_model"


def main(data: Path | None = None) -> list[str]:
    seconds: dict[str, list[float]] = {OURS: [], THEIRS: []}
    for _ in range(9):
        for name, values in seconds.items():
            out = subprocess.run([sys.executable, "-c", PROBE.format(name)], capture_output=True, text=True, check=True)
            values.append(float(out.stdout))
    ours, theirs = (statistics.median(seconds[name]) for name in (OURS, THEIRS))
    return [
        f"- {OURS} {ours:.2f} s, {THEIRS} {theirs:.2f} s, ratio {ours / theirs:.2f} "
        f"(median of 9 in turns; mark: at most 1.3, {verdict(ours / theirs <= 1.3)})"
    ]
