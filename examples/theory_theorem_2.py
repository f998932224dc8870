"""Theorem 2: printed and corrected against the measured complexity, in K and in r."""

from __future__ import annotations

import numpy as np
from theory_figure import CORRECTED, MEASURED, PRINTED, panels, save

from lsvv.theory import covariance_spectrum, rademacher_local, rademacher_trace_norm, theorem_2
from lsvv.theory.arguments import Version

STYLES: dict[Version, dict[str, object]] = {"printed": PRINTED, "corrected": CORRECTED}


def main() -> None:
    figure, (left, right) = panels(2)
    outputs, constant = [1, 2, 4, 8, 16, 32, 64, 128], np.ones((1000, 1))
    measured = [rademacher_trace_norm(constant, K, n_draws=100, random_state=0).value for K in outputs]
    left.loglog(outputs, measured, **MEASURED)
    for version, style in STYLES.items():
        bounds = [theorem_2([1.0], 1e3, n=1000, n_outputs=K, version=version).value for K in outputs]
        left.loglog(outputs, bounds, **style)
    left.set(xlabel="outputs K", ylabel="complexity", title="a constant feature, n = 1000")

    rows = np.random.default_rng(0).standard_normal((60, 8)) * 0.5 ** np.arange(8)
    rows /= np.linalg.norm(rows, axis=1).max()
    spectrum, radii = covariance_spectrum(rows), np.geomspace(1e-4, 4, 12)
    twice = [2 * rademacher_local(rows, 3, r / 4, n_draws=20, random_state=0).value for r in radii]
    right.loglog(radii, twice, **MEASURED)
    for version, style in STYLES.items():
        bounds = [theorem_2(spectrum, r, n=60, n_outputs=3, version=version).value for r in radii]
        right.loglog(radii, bounds, **style)
    right.set(xlabel="radius r", title="exponential decay, K = 3, n = 60")
    right.legend(fontsize=7)
    save(figure, "theorem_2")


if __name__ == "__main__":
    main()
