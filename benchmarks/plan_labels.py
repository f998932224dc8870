"""plan_labels looked back: the error at all labels forecast from half of them, on real data sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lsvv import LSVVClassifier
from lsvv.data import Dataset, load
from lsvv.data.splits import column_range
from lsvv.features import RandomFourier
from lsvv.graph import KNNGraph
from lsvv.theory import BackTest, back_test

SETS = ("vehicle", "vowel", "segment", "satimage", "pendigits", "letter", "scene", "yeast")
METHODS = {"supervised": 0.0, "semi-supervised": 1.0}
REPEATS = 15
MOST_ROWS = 1000
SHARES = (*2.0 ** np.arange(-4, -0.5, 0.5), 1.0)
COVERAGE = 0.9

Curve = tuple[np.ndarray, np.ndarray, np.ndarray]


def main(data: Path | None = None) -> list[str]:
    if data is None:
        return ["- needs --data DIR"]
    lines = [
        "LSVVClassifier(RandomFourier(200)), supervised (manifold=0) and semi-supervised (manifold=1), all else",
        f"default; {REPEATS} random splits of at most {MOST_ROWS} rows, half of them for testing. Seven sizes up to a",
        f"sixth of the rows make the forecast and its {100 * COVERAGE:.0f}% interval for a third of them; what was",
        "measured there is not used. Errors in %: wrong classes, or wrong cells of a row of labels.",
        "",
        "| data, method | labels | forecast | interval | measured | inside | off by | labels planned | inside |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    found = {}
    for name in SETS:
        dataset = load(name, data)
        for method, manifold in METHODS.items():
            found[name, method] = back_test(*curve(dataset, manifold), coverage=COVERAGE, random_state=0)
            lines.append(_row(f"{name}, {method}", found[name, method]))
    return [*lines, "", *_summary(list(found.values()))]


def curve(dataset: Dataset, manifold: float) -> Curve:
    """Numbers of labels, the mean test error at each over common splits, and its standard error."""
    sizes = (np.array(SHARES) * (min(len(dataset.y), MOST_ROWS) // 3)).astype(int)
    errors = np.array([_errors(dataset, manifold, sizes, seed) for seed in range(REPEATS)])
    return sizes, errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(REPEATS)


def _errors(dataset: Dataset, manifold: float, sizes: np.ndarray, seed: int) -> list[float]:
    """The error on the test half at each size; a larger size holds the labels of the smaller ones."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(dataset.y))[:MOST_ROWS]
    train, test = np.array_split(order, 2)
    scale = column_range(dataset.X[train]).scale
    rows, asked, truth = scale(dataset.X[train]), scale(dataset.X[test]), dataset.y[train]
    graph = KNNGraph().build(rows, 10, None) if manifold else "auto"
    errors = []
    for size in sizes:
        seen = truth.copy() if truth.ndim == 1 else truth.astype(np.float64)
        seen[size:] = -1 if truth.ndim == 1 else np.nan
        model = LSVVClassifier(features=RandomFourier(200), manifold=manifold, graph=graph, random_state=seed)
        errors.append(float(np.mean(model.fit(rows, seen).predict(asked) != dataset.y[test])))
    return errors


def _row(name: str, found: BackTest) -> str:
    low, high = found.error_interval
    fewest, most = found.plan.interval
    inside = {True: "yes", False: "no"}
    off = found.predicted_error / found.error - 1
    return (
        f"| {name} | {found.size:.0f} | {100 * found.predicted_error:.2f} | {100 * low:.2f} to {100 * high:.2f} | "
        f"{100 * found.error:.2f} | {inside[found.error_covered]} | {100 * off:+.1f}% | {fewest:.0f} to {most:.0f} | "
        f"{inside[found.size_covered]} |"
    )


def _summary(found: list[BackTest]) -> list[str]:
    covered = sum(one.error_covered for one in found)
    sizes = sum(one.size_covered for one in found)
    bounded = sum(np.isfinite(one.plan.interval[1]) for one in found)
    off = [abs(one.predicted_error / one.error - 1) for one in found]
    width = [(one.error_interval[1] - one.error_interval[0]) / one.error for one in found]
    return [
        f"- {covered} of {len(found)} measured errors lie in their {100 * COVERAGE:.0f}% interval, and {sizes} of "
        f"{len(found)} numbers of labels; the two methods of a set share their splits, so these are not "
        f"{len(found)} independent trials",
        f"- the forecast is off by {100 * np.median(off):.1f}% of the error at the median, {100 * max(off):.1f}% at "
        f"most; the intervals are {100 * np.median(width):.0f}% of the error wide at the median",
        f"- {bounded} of {len(found)} plans have an upper end; the others do not rule out that the curve levels off",
    ]
