"""The local class: its place around the best hypothesis in the trace-norm ball, and its complexity."""

from __future__ import annotations

from typing import Any

import numpy as np
from theory_figure import MEASURED, panels, save

from lsvv.theory import rademacher_local, rademacher_trace_norm

EIGENVALUES = np.array([1.0, 0.15])
BEST = np.array([0.55, 0.2])
RADII = (0.2, 0.05, 0.01)


def main() -> None:
    figure, (left, right) = panels(2)
    draw_classes(left)
    draw_complexities(right)
    save(figure, "local_class")


def draw_classes(axis: Any) -> None:
    """Of diagonal W: ||W||_* = |w_1| + |w_2|, and E ||h - h*||^2 is an ellipse, long where the features vary little."""
    grid = np.linspace(-1.1, 1.1, 400)
    W = np.stack(np.meshgrid(grid, grid))
    ball = np.abs(W).sum(axis=0) <= 1.0
    distance = np.tensordot(EIGENVALUES, (W - BEST[:, None, None]) ** 2, axes=1)
    axis.contourf(grid, grid, ball, levels=[0.5, 1.5], colors=["0.9"])
    for r, shade in zip(RADII, ("#c6dbef", "#6baed6", "#2171b5"), strict=True):
        local = np.where(ball, distance, np.inf) <= r
        axis.contourf(grid, grid, local, levels=[0.5, 1.5], colors=[shade])
        axis.plot([], [], "s", color=shade, label=f"r = {r:g}")
    axis.plot(*BEST, "k*", label="h*")
    axis.plot([], [], "s", color="0.9", label="trace norm at most 1")
    axis.set(xlabel="w_1", ylabel="w_2", aspect="equal", title="H_r inside H")
    axis.legend(fontsize=7, loc="upper left")


def draw_complexities(axis: Any) -> None:
    """The smaller the class, the smaller its complexity; beyond a radius it is that of the whole ball."""
    rows = np.random.default_rng(0).standard_normal((60, 8)) * 0.5 ** np.arange(8)
    rows /= np.linalg.norm(rows, axis=1).max()
    radii = np.geomspace(1e-4, 1.0, 12)
    local = [rademacher_local(rows, 3, r, n_draws=20, random_state=0).value for r in radii]
    whole = rademacher_trace_norm(rows, 3, n_draws=200, random_state=0).value
    axis.loglog(radii, local, **{**MEASURED, "label": "R(H_r), measured"})
    axis.axhline(whole, color="0.5", linestyle="--", label="R(H), measured")
    axis.loglog(radii, radii, color="tab:green", linewidth=1, label="r")
    axis.set(xlabel="radius r", ylabel="complexity", title="exponential decay, K = 3, n = 60")
    axis.legend(fontsize=7)


if __name__ == "__main__":
    main()
