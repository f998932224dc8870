"""Corollary 2, a motivation: r* against the tail of the singular values left beyond theta = 3."""

from __future__ import annotations

import numpy as np
from theory_figure import CORRECTED, PRINTED, panels, save

from lsvv.theory import corollary_2


def main() -> None:
    figure, (axis,) = panels(1)
    tails = np.geomspace(1e-5, 0.2, 25)
    for version, style in (("printed", PRINTED), ("corrected", CORRECTED)):
        values = []
        for tail in tails:
            sigma = np.r_[np.full(3, (1 - tail) / 3), np.full(17, tail / 17)]
            found = corollary_2(sigma, n=10**6, n_features=100, n_outputs=20, version=version)
            values.append(found.r_star)
        axis.loglog(tails, values, **style)
    axis.set(xlabel="tail sum beyond the third singular value", ylabel="r*", title="n = 10^6, W is 100 x 20")
    axis.legend(fontsize=7, loc="center left")
    save(figure, "corollary_2")


if __name__ == "__main__":
    main()
