"""The rates of the paper's tables against n, u and K, constants dropped, and the tables themselves."""

from __future__ import annotations

import numpy as np
from theory_figure import panels, save

from lsvv.theory import rate_table, rates


def main() -> None:
    figure, axes = panels(3)
    grids = {
        "n": np.geomspace(1e2, 1e6, 30),
        "u": np.geomspace(1e2, 1e8, 30),
        "K": np.geomspace(2, 1e3, 30),
    }
    fixed = {"n": 1e4, "u": 1e6, "K": 20.0}
    shown = [rate for rate in rates("multi-class", version="printed") if "linear VV" not in rate.name]
    shown.append(rates("multi-class")[-2])
    labels = [f"{rate.source}: {rate.worst.text}" for rate in shown]
    labels[-2:] = [f"printed: {shown[-2].worst.text}", f"corrected: {shown[-1].worst.text}"]
    for axis, (name, grid) in zip(axes, grids.items(), strict=True):
        for rate, label in zip(shown, labels, strict=True):
            axis.loglog(grid, [rate.worst(**(fixed | {name: value})) for value in grid], label=label, linewidth=1)
        held = ", ".join(f"{key} = {value:g}" for key, value in fixed.items() if key != name)
        axis.set(xlabel=name, title=held)
    axes[0].set_ylabel("rate, worst case")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=7)
    save(figure, "rates")
    for table in ("contributions", "vector-valued", "multi-class", "multi-label"):
        print(f"\n{table}\n\n{rate_table(table, n=10_000, u=1_000_000, n_outputs=20)}")


if __name__ == "__main__":
    main()
