"""Supervised closed form against scikit-learn's Ridge(solver="cholesky")."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.linear_model import Ridge

from benchmarks.timing import interleaved, verdict
from lsvv import LSVVRegressor


def main(data: Path | None = None) -> list[str]:
    rng = np.random.default_rng(0)
    n, d, k = 20_000, 1000, 10
    X = rng.normal(size=(n, d))
    Y = X @ rng.normal(size=(d, k)) + rng.normal(size=(n, k))
    ours = LSVVRegressor(features="linear", ridge=1e-3, manifold=0)
    theirs = Ridge(alpha=1e-3 * n, solver="cholesky")
    seconds = interleaved({"lsvv": lambda: ours.fit(X, Y), "Ridge": lambda: theirs.fit(X, Y)})
    ratio = seconds["lsvv"] / seconds["Ridge"]
    distance = float(np.abs(ours.coef_ - theirs.coef_).max())
    return [
        f"- n={n}, D={d}, K={k}: lsvv {seconds['lsvv']:.2f} s, Ridge {seconds['Ridge']:.2f} s, ratio {ratio:.2f} "
        f"(mark: at most 1.1, {verdict(ratio <= 1.1)}); largest difference of a coefficient {distance:.1e}"
    ]
