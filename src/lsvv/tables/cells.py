"""What a single cell says: nothing, a number, a truth value, a list or a text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

__all__ = ["as_numbers", "decimals_of", "is_list", "is_missing", "known", "plain"]

# 007 is a code rather than a number, and so is +49 30 123
_NUMBER = re.compile(r"\s*[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*")
_NUMBER_WITH_COMMA = re.compile(_NUMBER.pattern.replace(r"\.", ","))


def is_missing(value: Any) -> bool:
    """Whether a cell is empty: None, NaN or blanks.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), " ", "NA", 0, [])]
    [True, True, True, False, False, False]
    """
    if value is None:
        return True
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, (float, np.floating)):
        return math.isnan(value)
    return type(value).__name__ in ("NAType", "NaTType")


def known(values: Iterable[Any]) -> list[Any]:
    """The values, None where a cell is empty."""
    return [None if is_missing(value) else value for value in values]


def is_list(value: Any) -> bool:
    """Whether a cell holds several values."""
    return isinstance(value, (list, tuple, set, np.ndarray))


def as_numbers(values: Sequence[Any]) -> np.ndarray | None:
    """The values as float64 with NaN for None; None where one of them is no number.

    Texts are numbers with a decimal point, or all of them with a decimal comma. Truth values are not numbers.

    Examples
    --------
    >>> as_numbers(["1.5", None, "-2"])
    array([ 1.5,  nan, -2. ])
    >>> as_numbers(["1,5", "2"])
    array([1.5, 2. ])
    >>> as_numbers(["007"]) is None
    True
    """
    given = [value for value in values if value is not None]
    texts = [value for value in given if isinstance(value, str)]
    comma = False
    if texts:
        if len(texts) < len(given):
            return None
        comma = not all(map(_NUMBER.fullmatch, texts))
        if comma and not all(map(_NUMBER_WITH_COMMA.fullmatch, texts)):
            return None
    elif not all(isinstance(value, (int, float, np.number)) and not isinstance(value, bool) for value in given):
        return None
    read = (lambda text: float(text.replace(",", "."))) if comma else float
    return np.array([math.nan if value is None else read(value) for value in values], dtype=np.float64)


def decimals_of(values: Iterable[Any]) -> int:
    """The most digits that follow a decimal sign, at most 12; 6 where a text has an exponent.

    Examples
    --------
    >>> decimals_of(["1.25", "3"]), decimals_of([2, 3]), decimals_of([0.5])
    (2, 0, 1)
    """
    most = 0
    for value in values:
        text = value.strip() if isinstance(value, str) else repr(plain(value))
        if "e" in text.lower():
            most = max(most, 6)
            continue
        fraction = re.split(r"[.,]", text)[1:]
        # 2.0 of a typed column is the number 2, while the text 2.0 was written with a digit
        digits = "" if not fraction or (fraction[0] == "0" and not isinstance(value, str)) else fraction[0]
        most = max(most, min(len(digits), 12))
    return most


def plain(value: Any) -> Any:
    """A NumPy scalar as the Python value it holds; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value
