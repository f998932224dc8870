"""Counted nouns, and the verb that goes with them."""

from __future__ import annotations

__all__ = ["count", "was"]


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
