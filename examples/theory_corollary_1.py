"""Corollary 1: r* in the worst case, for a finite rank and for exponential decay; and what u does."""

from __future__ import annotations

import numpy as np
from theory_figure import CORRECTED, PRINTED, panels, save

from lsvv.theory import corollary_1, exponential_decay, finite_rank, fixed_point_coefficients, worst_case


def main() -> None:
    figure, (left, right) = panels(2)
    sizes = np.geomspace(1e2, 1e7, 30).astype(int)
    pairs = [fixed_point_coefficients(n=n, n_outputs=3) for n in sizes]
    left.loglog(sizes, [worst_case(1.0, pair).r_star for pair in pairs], label="worst case")
    left.loglog(sizes, [exponential_decay(1.0, 0.5, pair).r_star for pair in pairs], label="exponential decay")
    left.loglog(sizes, [finite_rank(5, pair).r_star for pair in pairs], label="rank 5")
    left.set(xlabel="labelled rows n", ylabel="r* at most", title="corrected, K = 3")
    left.legend(fontsize=7)

    spectrum, extra = 0.9 ** np.arange(1, 200) / 9, np.geomspace(1, 1e7, 30).astype(int)
    for version, style in (("printed", PRINTED), ("corrected", CORRECTED)):
        values = [corollary_1(spectrum, n=1000, u=u, n_outputs=3, version=version).r_star for u in extra]
        right.loglog(extra, values, **style)
    right.set(xlabel="unlabelled rows u, n = 1000", title="the fall with u is not proved")
    right.legend(fontsize=7)
    save(figure, "corollary_1")


if __name__ == "__main__":
    main()
