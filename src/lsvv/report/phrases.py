"""Numbers and findings in plain words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsvv.tables.words import PERCENT, count, percent, was

if TYPE_CHECKING:
    from lsvv.report.content import Learnt, Model

__all__ = ["number", "percent", "shortened", "span", "summary_of_help", "summary_of_target"]


def number(value: float | None, digits: int = 3) -> str:
    """A number with a few significant digits, without an exponent where it reads well.

    Examples
    --------
    >>> number(1234.5678), number(0.000123), number(0.5), number(None)
    ('1,235', '0.000123', '0.5', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0 or 1e-4 <= abs(value) < 10**digits:
        return f"{value:.{digits}g}"
    return f"{value:,.0f}" if 10**digits <= abs(value) < 1e7 else f"{value:.{digits - 1}e}"


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


def summary_of_target(learnt: Learnt) -> str:
    """How many cells were filled and how far to trust them."""
    filled = f"{count(learnt.n_filled, 'empty cell')} of “{shortened(learnt.column)}” {was(learnt.n_filled)} filled"
    told = f"{filled}, learnt from {count(learnt.n_known, 'known cell')}."
    if learnt.value is None:
        return f"{told} How good they are cannot be measured, because all known cells say the same or none was hidden."
    if learnt.numbers is not None:
        within, width = percent(learnt.numbers.measured), number(learnt.numbers.half_width)
        return (
            f"{told} Hiding known numbers one at a time, the predictions explain {percent(max(learnt.value, 0.0))} of "
            f"their differences, and {within} lie within their intervals, usually ±{width}."
        )
    return (
        f"{told} Hiding known cells one at a time, {percent(learnt.value)} come out right "
        f"({span(learnt.low, learnt.high)} with 95{PERCENT} confidence); always giving the most common answer would "
        f"reach {percent(learnt.baseline)}."
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
