"""Numbers and findings in plain words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsvv.tables.words import PERCENT, percent

if TYPE_CHECKING:
    from lsvv.report.checks import Learnt
    from lsvv.report.inside import Model

__all__ = ["headline_of", "number", "percent", "quality_of", "shortened", "span", "summary_of_help"]


def number(value: float | None, digits: int = 3) -> str:
    """A number with a few significant digits, without an exponent where it reads well.

    Examples
    --------
    >>> number(12345.678), number(1975), number(0.000123), number(999.7), number(None)
    ('12,346', '1975', '0.000123', '1000', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if value and not 1e-4 <= abs(value) < 1e7:
        return f"{value:.{digits - 1}e}"
    rounded = float(f"{value:.{digits}g}")
    if abs(rounded) < 10**digits:
        return f"{rounded:g}"
    # a year has no comma
    return f"{value:.0f}" if abs(value) < 9999.5 else f"{value:,.0f}"


def span(low: float | None, high: float | None) -> str:
    r"""Two shares as a range of percentages.

    Examples
    --------
    >>> span(0.91, 0.997)
    '91 to 100\xa0%'
    """
    return "–" if low is None or high is None else f"{100 * low:.0f} to {100 * high:.0f}{PERCENT}"


def shortened(text: str, most: int = 60) -> str:
    r"""A text on one line, cut where it is long.

    Examples
    --------
    >>> shortened("one two\nthree", most=9)
    'one two …'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()} …"


def headline_of(learnt: Learnt) -> str:
    """The one figure that says how good the answers are; how far it reaches is in :func:`quality_of`."""
    if learnt.value is None:
        return "–"
    if learnt.numbers is not None:
        return f"off by {number(learnt.numbers.off, 2)}"
    return percent(learnt.value) if learnt.f1 is None else f"F1 {percent(learnt.f1)}"


def quality_of(learnt: Learnt) -> str:
    """What the headline means, and what the plainest answer would reach."""
    if learnt.value is None:
        return "How good these are cannot be measured, because all known cells say the same or none was hidden."
    sure = f" ({span(learnt.low, learnt.high)})" if learnt.low is not None else ""
    if learnt.numbers is not None:
        numbers = learnt.numbers
        return (
            f"is typical for a hidden number; guessing the mean is off by {number(numbers.mean_off, 2)}. "
            f"{percent(max(learnt.value, 0.0))} of the differences explained{sure}."
        )
    if learnt.f1 is not None:
        return (
            f"balances tags found and tags rightly given. Of hidden cells {percent(learnt.value)} come out right as a "
            f"whole{sure}; always giving the most common set would reach {percent(learnt.baseline)}."
        )
    return (
        f"of hidden cells come out right{sure}; always giving “{shortened(learnt.outputs[0].name, 30)}” would reach "
        f"{percent(learnt.baseline)}."
    )


def summary_of_help(models: Sequence[Model]) -> str:
    """For which targets the unlabelled rows were of use; empty where nothing was compared."""
    verdicts: dict[str, list[str]] = {}
    for model in models:
        if model.help is not None:
            did = {1.0: "helped with", 0.0: "were left aside for"}.get(model.help.share, "were used in part for")
            verdicts.setdefault(did, []).append(f"“{shortened(model.name, 80)}”")
    told = "; they ".join(f"{did} {', '.join(names)}" for did, names in verdicts.items())
    return f"The rows without a label {told}." if told else ""
