"""Theorem 1: the two terms of the bound against n, and where it stops being vacuous."""

from __future__ import annotations

import numpy as np
from theory_figure import CORRECTED, panels, save

from lsvv.theory import corollary_1, loss_constants, theorem_1


def main() -> None:
    loss = loss_constants("squared", 3)
    sizes = np.geomspace(1e2, 1e10, 40).astype(int)
    found = []
    alpha = loss.lipschitz**2  # what the squared loss satisfies on a convex class
    for n in sizes:
        psi = corollary_1(
            0.5 ** np.arange(1, 40),
            n=n,
            n_outputs=3,
            lipschitz=loss.lipschitz,
            loss_range=loss.loss_range,
            bernstein=alpha,
        ).psi
        found.append(theorem_1(psi, n=n, loss_range=loss.loss_range, bernstein=alpha))
    figure, (axis,) = panels(1)
    axis.loglog(sizes, [bound.bound for bound in found], **CORRECTED)
    axis.loglog(sizes, [bound.complexity_term for bound in found], color="tab:green", label="705/alpha r*")
    axis.loglog(sizes, [bound.confidence_term for bound in found], color="tab:orange", label="log(1/delta)/n term")
    axis.axhline(loss.loss_range, color="grey", linestyle=":", label="B: vacuous above")
    axis.set(xlabel="labelled rows n", ylabel="excess risk at most", title="Theorem 1, squared loss, K = 3")
    axis.legend(fontsize=7)
    save(figure, "theorem_1")


if __name__ == "__main__":
    main()
