"""What the paper concludes from its tables and figures, held against our records by rules stated in advance.

A rule is a function of the records. It is supported, not supported, or open where the records do not reach; it says by
which rule, and on what evidence.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lsvv.experiments.comparing import critical_ranks
from lsvv.experiments.published import METHODS, TABLES
from lsvv.experiments.statistics import paired_t
from lsvv.experiments.summary import BASELINES, LEVEL, OURS, Curve, Results, Row

__all__ = ["Verdict", "verdicts"]

NAMED = ("iris", "pendigits", "shuttle", "Sensorless", "MNIST")
"""The sets on which the paper calls the kernel space significantly better."""

NO_RECORD = "No record bears on it yet."
ROUNDING = 0.005
"""Two means agree if they print alike with two decimals."""


@dataclass(frozen=True)
class Verdict:
    """One conclusion of the paper and what our runs say of it.

    Attributes
    ----------
    number : str
        Where it stands: "MC (1)" is the first conclusion from the multi-class tables.
    claim : str
        What the paper says.
    rule : str
        When we call it supported.
    supported : bool or None
        None if no record bears on it.
    evidence : str
        The figures behind the verdict.

    """

    number: str
    claim: str
    rule: str
    supported: bool | None
    evidence: str


def verdicts(results: Results) -> tuple[Verdict, ...]:
    """All of them, in the paper's order."""
    classes, labels = results.rows(tables=TABLES[:2]), results.rows(tables=TABLES[2:])
    rates, thetas = results.curves("labeled-rate"), results.curves("theta")
    return (*_on_classes(classes), *_on_labels(labels), *_on_rates(rates), *_on_thetas(thetas))


def _judged(number: str, claim: str, rule: str, found: Sequence[tuple[str, bool]], *, most: bool = False) -> Verdict:
    """Supported if every (or more than half) of the named cases holds; the others are listed."""
    if not found:
        return Verdict(number, claim, rule, None, NO_RECORD)
    holding = sum(holds for _, holds in found)
    against = [name for name, holds in found if not holds]
    evidence = f"It holds in {holding} of {len(found)} cases."
    if against:
        evidence = f"{evidence} It does not in: {', '.join(against)}."
    return Verdict(number, claim, rule, 2 * holding > len(found) if most else not against, evidence)


def _mean(row: Row, method: str) -> float:
    return row.cells[method].summary.mean


def _name(row: Row) -> str:
    return f"{row.data} ({row.table.split('-')[0]})"


def _below(row: Row, method: str, others: Iterable[str]) -> bool:
    return all(_mean(row, method) < _mean(row, other) for other in others)


def _on_classes(rows: Sequence[Row]) -> tuple[Verdict, ...]:
    semi = ("SS-VV", "LRC-VV")
    return (
        _judged(
            "MC (1)",
            "LSVV outperforms the others on all multi-class data sets, in both spaces.",
            "The mean error of LSVV is below those of the three others in every cell.",
            [(_name(row), _below(row, OURS, BASELINES)) for row in rows],
        ),
        _judged(
            "MC (2)",
            "SRM-VV has the highest average test error on all multi-class data sets, in both spaces.",
            "The mean error of SRM-VV is above those of the three others in every cell.",
            [(_name(row), all(_mean(row, m) < _mean(row, "SRM-VV") for m in (*semi, OURS))) for row in rows],
        ),
        _ranked(rows),
        _judged(
            "MC (4)",
            "Approximate kernel approaches always provide better results than linear ones.",
            "For each method and data set the mean error in the kernel space is below that in the linear space.",
            [
                (f"{data} ({method})", _mean(kernel, method) < _mean(linear, method))
                for data, (linear, kernel) in _pairs(rows).items()
                for method in METHODS
            ],
        ),
        _judged(
            "MC (5)",
            f"With 100 random features the kernel results are significantly better on {', '.join(NAMED)}.",
            "On each of these sets at hand LSVV is better in the kernel space by the paired t at 95 %.",
            [
                (data, _significantly_below(kernel.errors[OURS], linear.errors[OURS]))
                for data, (linear, kernel) in _pairs(rows).items()
                if data in NAMED and linear.count == kernel.count > 1
            ],
        ),
    )


def _ranked(rows: Sequence[Row]) -> Verdict:
    claim = "SS-VV and LRC-VV are comparable, better than SRM-VV and worse than LSVV."
    rule = (
        "Over all multi-class cells the mean ranks of SS-VV and LRC-VV lie between those of LSVV and SRM-VV, and "
        "differ by less than the critical difference."
    )
    ranks = critical_ranks(rows)
    if ranks is None:
        return Verdict("MC (3)", claim, rule, None, NO_RECORD)
    between = all(ranks.ranks[OURS] < ranks.ranks[method] < ranks.ranks["SRM-VV"] for method in ("SS-VV", "LRC-VV"))
    comparable = abs(ranks.ranks["SS-VV"] - ranks.ranks["LRC-VV"]) < ranks.critical
    told = ", ".join(f"{method} {rank:.2f}" for method, rank in ranks.ranks.items())
    evidence = f"Mean ranks over {ranks.cells} cells: {told}; critical difference {ranks.critical:.2f}."
    return Verdict("MC (3)", claim, rule, between and comparable, evidence)


def _pairs(rows: Sequence[Row]) -> Mapping[str, tuple[Row, Row]]:
    """data set -> its rows in the linear and in the kernel space, where there are both."""
    by_space = [{row.data: row for row in rows if row.table.startswith(space)} for space in ("linear", "kernel")]
    return {data: (row, by_space[1][data]) for data, row in by_space[0].items() if data in by_space[1]}


def _significantly_below(first: Sequence[float], second: Sequence[float]) -> bool:
    test = paired_t(first, second)
    return test.difference < 0 and test.p_value < LEVEL


def _on_labels(rows: Sequence[Row]) -> tuple[Verdict, ...]:
    return (
        _judged(
            "ML (1)",
            "LSVV with 100 random features always gives the best results among all eight approaches.",
            "On each data set the mean of LSVV in the kernel space is below those of the seven others.",
            [
                (data, _below(kernel, OURS, BASELINES) and all(_mean(kernel, OURS) < _mean(linear, m) for m in METHODS))
                for data, (linear, kernel) in _pairs(rows).items()
            ],
        ),
        _judged(
            "ML (2)",
            "SS-VV and LRC-VV outperform SRM-VV on most data sets.",
            "In more than half of the cells the means of both are below that of SRM-VV.",
            [(_name(row), all(_mean(row, m) < _mean(row, "SRM-VV") for m in ("SS-VV", "LRC-VV"))) for row in rows],
            most=True,
        ),
    )


def _on_rates(curves: Sequence[Curve]) -> tuple[Verdict, ...]:
    whole = [curve for curve in curves if len(curve.points[OURS]) > 1]
    return (
        _judged(
            "Labelled rate (1)",
            "The test errors of all methods decrease as the number of labelled examples increases.",
            "For each method and space every larger share has a smaller mean error than the share before.",
            [
                (f"{method} ({curve.space})", _falling([at.mean for _, at in sorted(curve.points[method].items())]))
                for curve in whole
                for method in METHODS
            ],
        ),
        _judged(
            "Labelled rate (2)",
            "The semi-supervised LSVV and SS-VV outperform the supervised LRC-VV and SRM-VV.",
            "At each share and in each space the means of LSVV and SS-VV are below those of LRC-VV and SRM-VV.",
            [
                (f"{share:g} ({curve.space})", _semi_supervised_wins(curve, share))
                for curve in curves
                for share in curve.points[OURS]
            ],
        ),
    )


def _falling(values: Sequence[float]) -> bool:
    return all(later < earlier for earlier, later in pairwise(values))


def _semi_supervised_wins(curve: Curve, share: float) -> bool:
    worst = max(curve.points[method][share].mean for method in (OURS, "SS-VV"))
    return worst < min(curve.points[method][share].mean for method in ("LRC-VV", "SRM-VV"))


def _on_thetas(curves: Sequence[Curve]) -> tuple[Verdict, ...]:
    whole = [curve for curve in curves if {0.0, 1.0} < set(curve.points[OURS])]
    tail = (OURS, "LRC-VV")

    def cases(holds: Callable[[Mapping[float, float]], bool]) -> list[tuple[str, bool]]:
        return [
            (f"{curve.data} ({method})", holds({x: at.mean for x, at in curve.points[method].items()}))
            for curve in whole
            for method in tail
        ]

    return (
        _judged(
            "Theta (1)",
            "At theta / min(K, D) = 1 LSVV degrades into SS-VV and LRC-VV into SRM-VV.",
            "The means at 1 agree to two decimals.",
            [
                (f"{curve.data} ({first})", abs(_at_one(curve, first) - _at_one(curve, second)) <= ROUNDING)
                for curve in whole
                for first, second in ((OURS, "SS-VV"), ("LRC-VV", "SRM-VV"))
            ],
        ),
        _judged(
            "Theta (2)",
            "A smaller theta reduces the error rate.",
            "The least mean over all theta below 1 is below the mean at 1 by more than two decimals show.",
            cases(lambda at: min(mean for x, mean in at.items() if x < 1.0) < at[1.0] - ROUNDING),
        ),
        _judged(
            "Theta (3)",
            "theta = 0, the trace norm, is preferable but not optimal.",
            "The mean at 0 is below that at 1, and that of some theta between is below both.",
            cases(lambda at: _inside(at) < at[0.0] < at[1.0]),
        ),
        _judged(
            "Theta (4)",
            "There always is an optimal theta for LSVV and LRC-VV with the lowest error rate.",
            "The least mean is at a theta strictly between 0 and 1, below both ends by more than two decimals show.",
            cases(lambda at: _inside(at) < min(at[0.0], at[1.0]) - ROUNDING),
        ),
    )


def _at_one(curve: Curve, method: str) -> float:
    return curve.points[method][1.0].mean


def _inside(at: Mapping[float, float]) -> float:
    return min(mean for x, mean in at.items() if 0.0 < x < 1.0)
