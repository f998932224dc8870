"""Counted nouns, the verb that goes with them, and shares as percentages."""

from __future__ import annotations

import math

__all__ = ["PERCENT", "count", "percent", "was"]

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
