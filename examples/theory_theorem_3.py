"""Theorem 3 is a motivation, not a certificate: one output, flat features, one singular value."""

from __future__ import annotations

import numpy as np
from theory_figure import CORRECTED, MEASURED, PRINTED, panels, plain_ticks, save

from lsvv.theory import rademacher_local, theorem_3


def main() -> None:
    figure, (left, right) = panels(2)
    dimensions = np.array([2, 4, 8, 16, 32, 64])
    measured = [rademacher_local(np.eye(D), 1, 1 / D, n_draws=2, random_state=0).value for D in dimensions]
    printed = [theorem_3([1.0], 1 / D, n=D, version="printed").value for D in dimensions]
    corrected = [theorem_3([1.0], 1 / D, n=D, n_features=D, n_outputs=1).value for D in dimensions]
    left.loglog(dimensions, measured, **MEASURED)
    left.loglog(dimensions, printed, **PRINTED)
    left.loglog(dimensions, corrected, **CORRECTED)
    left.set(xlabel="features D (= rows), r = 1/D", ylabel="complexity", title="K = 1: the printed bound fails")
    left.legend(fontsize=7)

    for decay in (0.2, 0.5, 0.8):
        sigma = decay ** np.arange(20)
        found = theorem_3(sigma / sigma.sum(), 0.01, n=1000, n_features=50, n_outputs=20)
        right.semilogy(found.by_theta, label=f"sigma_j = {decay}^j, best theta {found.theta}")
    right.set(xlabel="theta", title="corrected, by theta: a short tail pays")
    right.legend(fontsize=7)
    plain_ticks(left)
    save(figure, "theorem_3")


if __name__ == "__main__":
    main()
