"""What a model rests on, in plain words: the kinds of model that carried its answer, the columns that mattered."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsvv.selection import Importances
from lsvv.tables.words import count, percent

__all__ = ["carried_by", "columns_sentence", "kinds_sentence", "most_important", "rest_sentence"]

NAMES = {
    "maps": "smooth functions",
    "lines": "straight lines",
    "neighbours": "neighbours' votes",
    "extra trees": "trees",
    "bagged trees": "trees",
    "boosted trees": "trees",
}
MOST_NAMED = 3


def carried_by(model: Any) -> dict[str, float]:
    """The shares of the kinds of model by plain names, the largest first; those without one are left out.

    They are those of the average, all outputs together, and sum to 1.
    """
    shares: dict[str, float] = {}
    for kind, share in model.kinds_.items():
        shares[NAMES[kind]] = shares.get(NAMES[kind], 0.0) + share
    return {name: share for name, share in sorted(shares.items(), key=lambda item: -item[1]) if share > 0.0}


def kinds_sentence(model: Any) -> str:
    """Which kinds of model carried the answer."""
    shares = carried_by(model)
    if len(shares) == 1:
        return f"The answer comes from {next(iter(shares))} alone."
    *most, last = (f"{name} ({percent(share)})" for name, share in shares.items())
    return f"The answer comes from {', '.join(most)} and {last}."


def most_important(found: Importances, most: int) -> list[int]:
    """Places of the columns that matter measurably, the most important first.

    Examples
    --------
    >>> most_important(Importances(("a", "b", "c"), np.array([0.2, 0.0, 0.5]), np.full(3, 0.01)), most=10)
    [2, 0]
    """
    order = np.argsort(-found.rise, kind="stable")
    return order[found.matters[order]][:most].tolist()


def columns_sentence(found: Importances) -> str:
    """The columns that mattered most.

    Examples
    --------
    >>> columns_sentence(Importances(("size", "age"), np.array([0.5, 0.0]), np.array([0.1, 0.1])))
    'What mattered most: size.'
    """
    names = [str(found.names[place]) for place in most_important(found, MOST_NAMED)]
    return f"What mattered most: {', '.join(names)}." if names else "No column mattered measurably by itself."


def rest_sentence(found: Importances, n_shown: int) -> str:
    """The columns beyond the most important ones, summed up; empty where there are none.

    Examples
    --------
    >>> rest_sentence(Importances(("a", "b", "c"), np.array([0.5, 0.4, 0.0]), np.full(3, 0.1)), n_shown=1)
    '1 more column mattered less; 1 column did not matter measurably.'
    """
    less, none = int(found.matters.sum()) - n_shown, int((~found.matters).sum())
    told = [f"{count(less, 'more column')} mattered less"] if less else []
    told += [f"{count(none, 'column')} did not matter measurably"] if none else []
    return f"{'; '.join(told)}." if told else ""
