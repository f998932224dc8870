"""What the paper concludes from its tables and figures, held against our records by rules stated in advance.

A rule is a function of the records. It is supported, not supported, or open where the records do not reach; it says by
which rule, and on what evidence. A case of fewer than ``LEAST_SPLITS`` splits, or of a curve that lacks points, is not
judged; a conclusion is open as long as such cases could decide it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from reproduction.comparing import FLOAT_NOISE, ranks_by_space
from reproduction.experiments import SPACES
from reproduction.judging import NO_RECORD, Case, Verdict, case_of, judged, settled, told_cases
from reproduction.published import METHODS, PARTS, TABLES
from reproduction.statistics import MeanRanks, paired_t
from reproduction.tabulated import BASELINES, LEVEL, OURS, Curve, Results, Row

__all__ = ["verdicts"]

NAMED = ("iris", "pendigits", "shuttle", "Sensorless", "MNIST")
"""The sets on which the paper calls the kernel space significantly better."""

ROUNDING = 0.005
"""Means that differ by no more count as equal: half a unit of the second decimal."""

PLAIN = "SRM-VV"
SEMI_SUPERVISED = tuple(method for method in METHODS if PARTS[method].manifold)
WITH_TAIL = tuple(method for method in METHODS if PARTS[method].tail)
BETWEEN = tuple(method for method in METHODS if PARTS[method].manifold != PARTS[method].tail)
WITHOUT_TAIL = {
    method: next(other for other in METHODS if PARTS[other] == PARTS[method]._replace(tail=False))
    for method in WITH_TAIL
}
"""What a method with a tail is when nothing of the tail is penalised."""


def verdicts(results: Results) -> tuple[Verdict, ...]:
    """All of them, in the paper's order."""
    return (
        *_on_classes(_begun(results.at_hand(TABLES[:2]))),
        *_on_labels(_begun(results.at_hand(TABLES[2:]))),
        *_on_rates(results.panels("labeled-rate") if results.curves("labeled-rate") else ()),
        *_on_thetas(results.panels("theta") if results.curves("theta") else ()),
    )


def _begun(rows: Sequence[Row]) -> Sequence[Row]:
    return rows if any(row.cells for row in rows) else ()


def _mean(row: Row, method: str) -> float:
    return row.cells[method].summary.mean


def _name(row: Row) -> str:
    return f"{row.data} ({row.space})"


def _below(row: Row, method: str, others: Iterable[str]) -> bool:
    return all(_mean(row, method) < _mean(row, other) for other in others)


def _above(row: Row, method: str, others: Iterable[str]) -> bool:
    return all(_mean(row, method) > _mean(row, other) for other in others)


def _on_classes(rows: Sequence[Row]) -> tuple[Verdict, ...]:
    others = tuple(method for method in METHODS if method != PLAIN)
    return (
        judged(
            "MC (1)",
            "LSVV outperforms the others on all multi-class data sets, in both spaces.",
            "The mean error of LSVV is below those of the three others in every cell.",
            [case_of(_name(row), row.count, _below, row, OURS, BASELINES) for row in rows],
        ),
        judged(
            "MC (2)",
            "SRM-VV has the highest average test error on all multi-class data sets, in both spaces.",
            "The mean error of SRM-VV is above those of the three others in every cell.",
            [case_of(_name(row), row.count, _above, row, PLAIN, others) for row in rows],
        ),
        _ranked(rows),
        judged(
            "MC (4)",
            "Approximate kernel approaches always provide better results than linear ones.",
            "For each method and data set the mean error in the kernel space is below that in the linear space.",
            [
                case_of(f"{data} ({method})", min(linear.count, kernel.count), _kernel_below, linear, kernel, method)
                for data, (linear, kernel) in _pairs(rows).items()
                for method in METHODS
            ],
        ),
        judged(
            "MC (5)",
            f"With 100 random features the kernel results are significantly better on {', '.join(NAMED)}.",
            "On each of these sets at hand LSVV is better in the kernel space by the paired t at 95 %, over the splits "
            "that both spaces have.",
            [
                case_of(data, len(_common(linear, kernel)), _significantly_below, kernel, linear)
                for data, (linear, kernel) in _pairs(rows).items()
                if data in NAMED
            ],
            absent=[data for data in NAMED if data not in _pairs(rows)],
        ),
    )


def _ranked(rows: Sequence[Row]) -> Verdict:
    claim = "SS-VV and LRC-VV are comparable, better than SRM-VV and worse than LSVV."
    rule = (
        "In each space, over all multi-class sets, the mean ranks of SS-VV and LRC-VV lie between those of LSVV and "
        "SRM-VV, and differ by less than the critical difference."
    )
    ranks = ranks_by_space(rows)
    if not ranks:
        return Verdict("MC (3)", claim, rule, None, NO_RECORD)
    fewest = {space: min((row.count for row in rows if row.space == space), default=0) for space in SPACES}
    cases = [case_of(f"{space} space", fewest[space], _between, ranks.get(space)) for space in SPACES]
    told = " ".join(_told(space, found) for space, found in ranks.items())
    return Verdict("MC (3)", claim, rule, settled(cases), f"{told} {told_cases(cases)}")


def _between(found: MeanRanks) -> bool:
    ranks = found.ranks
    between = all(ranks[OURS] < ranks[method] < ranks[PLAIN] for method in BETWEEN)
    return between and abs(ranks[BETWEEN[0]] - ranks[BETWEEN[1]]) < found.critical


def _told(space: str, found: MeanRanks) -> str:
    ranks = ", ".join(f"{method} {rank:.2f}" for method, rank in found.ranks.items())
    return f"Mean ranks over {found.cells} sets, {space} space: {ranks}; critical difference {found.critical:.2f}."


def _pairs(rows: Sequence[Row]) -> Mapping[str, tuple[Row, Row]]:
    """data set -> its rows in the linear and in the kernel space, where there are both."""
    linear, kernel = ({row.data: row for row in rows if row.space == space} for space in SPACES)
    return {data: (row, kernel[data]) for data, row in linear.items() if data in kernel}


def _kernel_below(linear: Row, kernel: Row, method: str) -> bool:
    return _mean(kernel, method) < _mean(linear, method)


def _common(first: Row, second: Row) -> tuple[int, ...]:
    return tuple(seed for seed in first.seeds if seed in second.seeds)


def _significantly_below(first: Row, second: Row) -> bool:
    """LSVV in the first row against LSVV in the second, on the splits of both."""
    seeds = _common(first, second)
    ours = (dict(zip(row.seeds, row.errors[OURS], strict=True)) for row in (first, second))
    test = paired_t(*([errors[seed] for seed in seeds] for errors in ours))
    return test.difference < 0 and test.p_value < LEVEL


def _on_labels(rows: Sequence[Row]) -> tuple[Verdict, ...]:
    return (
        judged(
            "ML (1)",
            "LSVV with 100 random features always gives the best results among all eight approaches.",
            "On each data set the mean of LSVV in the kernel space is below those of the seven others.",
            [
                case_of(data, min(linear.count, kernel.count), _best_of_eight, linear, kernel)
                for data, (linear, kernel) in _pairs(rows).items()
            ],
        ),
        judged(
            "ML (2)",
            "SS-VV and LRC-VV outperform SRM-VV on most data sets.",
            "In more than half of the cells the means of both are below that of SRM-VV.",
            [case_of(_name(row), row.count, _above, row, PLAIN, BETWEEN) for row in rows],
            most=True,
        ),
    )


def _best_of_eight(linear: Row, kernel: Row) -> bool:
    return _below(kernel, OURS, BASELINES) and all(_mean(kernel, OURS) < _mean(linear, method) for method in METHODS)


def _on_rates(curves: Sequence[Curve]) -> tuple[Verdict, ...]:
    return (
        judged(
            "Labelled rate (1)",
            "The test errors of all methods decrease as the number of labelled examples increases.",
            "For each method and space every larger share has a smaller mean error than the share before.",
            [
                case_of(f"{method} ({curve.space})", curve.splits(), _falling, curve, method)
                for curve in curves
                for method in METHODS
            ],
        ),
        judged(
            "Labelled rate (2)",
            "The semi-supervised LSVV and SS-VV outperform the supervised LRC-VV and SRM-VV.",
            "At each share and in each space the means of LSVV and SS-VV are below those of LRC-VV and SRM-VV.",
            [
                case_of(f"{share:g} ({curve.space})", curve.splits(share), _semi_supervised_wins, curve, share)
                for curve in curves
                for share in curve.places
            ],
        ),
    )


def _falling(curve: Curve, method: str) -> bool:
    means = [at.mean for _, at in sorted(curve.points[method].items())]
    return all(later < earlier for earlier, later in pairwise(means))


def _semi_supervised_wins(curve: Curve, share: float) -> bool:
    means = {method: curve.points[method][share].mean for method in METHODS}
    worst = max(means[method] for method in SEMI_SUPERVISED)
    return worst < min(mean for method, mean in means.items() if method not in SEMI_SUPERVISED)


def _on_thetas(panels: Sequence[Curve]) -> tuple[Verdict, ...]:
    silent = tuple(curve.data for curve in panels if _is_constant(curve))
    curves = [curve for curve in panels if curve.data not in silent]

    def cases(holds: Callable[[Mapping[float, float]], bool]) -> list[Case]:
        return [
            case_of(f"{curve.data} ({method})", curve.splits(), holds, _means(curve, method))
            for curve in curves
            for method in WITH_TAIL
        ]

    return (
        judged(
            "Theta (1)",
            "At theta / min(K, D) = 1 LSVV degrades into SS-VV and LRC-VV into SRM-VV.",
            f"The means at 1 differ by {ROUNDING} at most.",
            [
                case_of(
                    f"{curve.data} ({method})", curve.splits(1.0), _same_at_one, curve, method, WITHOUT_TAIL[method]
                )
                for curve in curves
                for method in WITH_TAIL
            ],
            silent=silent,
        ),
        judged(
            "Theta (2)",
            "A smaller theta reduces the error rate.",
            f"The least mean over all theta below 1 is below the mean at 1 by more than {ROUNDING}.",
            cases(lambda at: min(mean for x, mean in at.items() if x < 1.0) < at[1.0] - ROUNDING),
            silent=silent,
        ),
        judged(
            "Theta (3)",
            "theta = 0, the trace norm, is preferable but not optimal.",
            "The mean at 0 is below that at 1, and that of some theta between is below both.",
            cases(lambda at: _inside(at) < at[0.0] < at[1.0]),
            silent=silent,
        ),
        judged(
            "Theta (4)",
            "There always is an optimal theta for LSVV and LRC-VV with the lowest error rate.",
            f"The least mean is at a theta strictly between 0 and 1, below both ends by more than {ROUNDING}.",
            cases(lambda at: _inside(at) < min(at[0.0], at[1.0]) - ROUNDING),
            silent=silent,
        ),
    )


def _is_constant(curve: Curve) -> bool:
    """Whether all methods have one error at all theta, as where none of them ever gives a label."""
    means = {at.mean for points in curve.points.values() for at in points.values()}
    return len(curve.points[OURS]) > 1 and max(means) - min(means) <= FLOAT_NOISE


def _means(curve: Curve, method: str) -> Mapping[float, float]:
    return {x: at.mean for x, at in curve.points[method].items()}


def _same_at_one(curve: Curve, first: str, second: str) -> bool:
    return abs(curve.points[first][1.0].mean - curve.points[second][1.0].mean) <= ROUNDING


def _inside(at: Mapping[float, float]) -> float:
    return min(mean for x, mean in at.items() if 0.0 < x < 1.0)
