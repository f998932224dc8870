"""The contraction lemma: exact complexities of finite classes, all sign matrices used."""

from __future__ import annotations

import numpy as np
from theory_figure import panels, save

from lsvv.theory import contraction, rademacher_loss, rademacher_outputs


def main() -> None:
    rng = np.random.default_rng(0)
    figure, (axis,) = panels(1)
    for K, colour in ((1, "tab:green"), (2, "tab:orange"), (3, "tab:purple")):
        points = []
        for _ in range(80):
            outputs = rng.standard_normal((int(rng.integers(2, 12)), 4, K)) * rng.uniform(0.1, 2)
            losses = np.linalg.norm(outputs - rng.standard_normal((4, K)), axis=2)
            complexity = rademacher_outputs(outputs, n_draws=None).value
            bound = contraction(complexity, lipschitz=1.0, n=4).bound
            points.append((bound, rademacher_loss(losses, n_draws=None).value))
        axis.plot(*zip(*points, strict=True), ".", color=colour, markersize=4, label=f"K = {K}")
    top = axis.get_xlim()[1]
    axis.plot([0, top], [0, top], color="grey", linewidth=1)
    axis.set(xlabel="sqrt(2) L R(H)", ylabel="R(L), exact", title="Contraction: every class lies below the line")
    axis.legend(fontsize=7)
    save(figure, "contraction")


if __name__ == "__main__":
    main()
