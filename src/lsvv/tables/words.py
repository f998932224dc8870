"""Counted nouns, the verb that goes with them, lengths of time, and shares as percentages."""

from __future__ import annotations

import math

__all__ = ["PERCENT", "count", "duration", "percent", "was"]

PERCENT = "\u00a0%"
"""With a blank at which no line breaks."""


def count(n: int, noun: str) -> str:
    """A counted noun.

    Examples
    --------
    >>> count(1, "row"), count(12000, "cell")
    ('1 row', '12,000 cells')
    """
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def duration(seconds: float) -> str:
    """A length of time, in the largest unit that it fills twice.

    Examples
    --------
    >>> duration(0.2), duration(50), duration(250), duration(9000)
    ('1 second', '50 seconds', '4 minutes', '2 hours')
    """
    size, unit = next((size, unit) for size, unit in _UNITS if seconds >= 2 * size or size == 1)
    return count(max(1, round(seconds / size)), unit)


_UNITS = ((3600, "hour"), (60, "minute"), (1, "second"))


def was(n: int) -> str:
    """Was for one, were for any other number."""
    return "was" if n == 1 else "were"


def percent(share: float | None) -> str:
    r"""A share as a percentage, kept on one line; what is not quite 0 or 1 does not read as if it were.

    Examples
    --------
    >>> percent(0.914), percent(0.9991), percent(0.001), percent(1.0)
    ('91\xa0%', 'over 99\xa0%', 'under 1\xa0%', '100\xa0%')
    """
    if share is None or not math.isfinite(share):
        return "–"
    if 0 < share < 0.005:
        return f"under 1{PERCENT}"
    return f"over 99{PERCENT}" if 0.995 <= share < 1 else f"{100 * share:.0f}{PERCENT}"
