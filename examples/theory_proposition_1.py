"""Proposition 1: a sub-root function crosses the diagonal once; the minimum over theta crosses first."""

from __future__ import annotations

import numpy as np
from theory_figure import panels, save

from lsvv.theory import corollary_1, proposition_1


def main() -> None:
    psi = corollary_1(0.5 ** np.arange(1, 15), n=20_000).psi
    figure, (axis,) = panels(1)
    radii = np.geomspace(1e-5, 1, 60)
    axis.loglog(radii, radii, color="grey", linewidth=1, label="r")
    for theta in (0, 3, 6, 10):
        part = psi.parts[theta]
        axis.loglog(radii, [part(r) for r in radii], linewidth=1, label=f"psi, theta = {theta}")
    axis.loglog(radii, [psi(r) for r in radii], color="black", label="minimum over theta")
    axis.plot(psi.fixed_point, psi.fixed_point, "ko", label=f"r* = {psi.fixed_point:.2g}")
    axis.set(xlabel="r", ylabel="psi(r)", title="Proposition 1: the fixed point")
    axis.legend(fontsize=7)
    save(figure, "proposition_1")
    print(proposition_1(psi, n=20_000, alpha=1.0, width=2.0))


if __name__ == "__main__":
    main()
