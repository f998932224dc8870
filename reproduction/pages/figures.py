"""The paper's figures, and the diagram of critical differences."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from reproduction.pages.blocks import Picture
from reproduction.pages.tables import compared_words
from reproduction.published import METHODS
from reproduction.statistics import MeanRanks, Summary
from reproduction.tabulated import Curve

__all__ = ["check_matplotlib", "critical_groups", "curves_picture", "ranks_picture"]

STYLES: Mapping[str, dict[str, Any]] = {
    "SRM-VV": {"color": "#7f7f7f", "marker": "s"},
    "SS-VV": {"color": "#1f77b4", "marker": "^"},
    "LRC-VV": {"color": "#ff7f0e", "marker": "D"},
    "LSVV": {"color": "#2ca02c", "marker": "o"},
}
AXES = {"labeled-rate": "share of labelled training rows", "theta": "θ / min(K, D)"}


def curves_picture(name: str, caption: str, curves: Sequence[Curve]) -> Picture:
    """The mean figure of each method along the axis, one panel a curve, with bars of one standard error."""
    figure = _figure(4.4 * len(curves), 3.4)
    for axis, curve in zip(figure.subplots(1, len(curves), squeeze=False)[0], curves, strict=True):
        for method in METHODS:
            points = sorted(curve.points[method].items())
            axis.errorbar(
                [x for x, _ in points],
                [at.mean for _, at in points],
                [_standard_error(at) for _, at in points],
                label=method,
                markersize=4,
                linewidth=1.2,
                capsize=2,
                **STYLES[method],
            )
        axis.set(
            xlabel=AXES[curve.figure], ylabel=compared_words(curve.data), title=f"{curve.data}, {curve.space} space"
        )
        axis.grid(alpha=0.3)
    figure.axes[0].legend(fontsize=8)
    return _picture(figure, name, caption)


def _standard_error(at: Summary) -> float:
    return 0.0 if np.isnan(at.std) else at.std / at.count**0.5


def ranks_picture(name: str, caption: str, ranked: Mapping[str, MeanRanks]) -> Picture:
    """Mean ranks on a line, the best on the left; a bar joins methods that are not significantly different."""
    figure = _figure(6.4, 1.9 * len(ranked))
    for axis, (title, ranks) in zip(figure.subplots(len(ranked), 1, squeeze=False)[:, 0], ranked.items(), strict=True):
        _draw_ranks(axis, title, ranks)
    return _picture(figure, name, caption)


def _draw_ranks(axis: Any, title: str, ranks: MeanRanks) -> None:
    axis.set(xlim=(0.9, len(METHODS) + 0.1), ylim=(-1.0, 2.6), yticks=[], xticks=range(1, len(METHODS) + 1))
    axis.set_title(f"{title}, {ranks.cells} rows (critical difference {ranks.critical:.2f})", fontsize=9)
    for side in ("left", "right", "top"):
        axis.spines[side].set_visible(False)
    for place, (method, rank) in enumerate(sorted(ranks.ranks.items(), key=lambda item: item[1])):
        style = STYLES[method]
        axis.plot([rank], [0.0], linestyle="none", markersize=6, **style)
        # each name at a height of its own, over the lines that lead to names above it
        axis.annotate(
            f"{method} {rank:.2f}", (rank, 0.0), (rank, 2.2 - 0.5 * place), ha="center", fontsize=8,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            arrowprops={"arrowstyle": "-", "color": style["color"], "linewidth": 0.8},
        )  # fmt: skip
    for place, (low, high) in enumerate(critical_groups(ranks)):
        axis.plot([low - 0.03, high + 0.03], [-0.35 - 0.25 * place] * 2, color="black", linewidth=2.5)


def critical_groups(ranks: MeanRanks) -> list[tuple[float, float]]:
    """The widest ranges of mean ranks, least and greatest, that differ by less than the critical difference.

    Examples
    --------
    >>> critical_groups(MeanRanks({"a": 1.0, "b": 1.5, "c": 3.0}, 1.0, 10))
    [(1.0, 1.5)]
    """
    values = sorted(ranks.ranks.values())
    ranges = [(low, max(v for v in values if v - low < ranks.critical)) for low in values]
    widest: list[tuple[float, float]] = []
    for low, high in ranges:
        if high > low and (not widest or high > widest[-1][1]):
            widest.append((low, high))
    return widest


def check_matplotlib() -> None:
    """Refuses, before any work, figures that could not be drawn after it."""
    if find_spec("matplotlib") is None:
        raise ImportError("The figures need matplotlib: pip install 'lsvv[plot]'.")


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _picture(figure: Any, name: str, caption: str) -> Picture:
    """Both formats, the same bytes for the same figures."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "lsvv"}):
        svg, png = io.BytesIO(), io.BytesIO()
        figure.savefig(svg, format="svg", metadata={"Date": None})
        figure.savefig(png, format="png", dpi=150, metadata={"Software": None})
    return Picture(name, caption, svg.getvalue(), png.getvalue())
