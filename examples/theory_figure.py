"""What the figures of the theory share: one look, one way to save; run as ``python NAME.py FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

MEASURED = {"color": "black", "marker": "o", "markersize": 3, "label": "measured"}
PRINTED = {"color": "tab:red", "linestyle": "--", "label": "as printed"}
CORRECTED = {"color": "tab:blue", "label": "corrected"}


def panels(count: int) -> tuple[Any, list[Any]]:
    """A figure with ``count`` panels side by side."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "lsvv", "font.size": 9, "axes.grid": True})
    mpl.rcParams.update({"grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False})
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, count, figsize=(4.2 * count, 3.1), squeeze=False, layout="constrained")
    return figure, list(axes[0])


def plain_ticks(*axes: Any) -> None:
    """Labels at powers of ten alone: between them they would overlap."""
    from matplotlib.ticker import NullFormatter

    for axis in axes:
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.yaxis.set_minor_formatter(NullFormatter())


def save(figure: Any, name: str) -> None:
    """Write ``name``.svg into the folder given on the command line, the present one unless told."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.svg"
    figure.savefig(target, metadata={"Date": None})
    print(f"wrote {target}")
