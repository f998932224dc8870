"""What a single cell says: nothing, a number, a truth value, a list or a text."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

__all__ = [
    "COMMA",
    "POINT",
    "Formula",
    "Notation",
    "Reading",
    "ambiguous",
    "amounts",
    "as_numbers",
    "counted",
    "day_and_month",
    "decimals_of",
    "digits_of",
    "is_date",
    "is_list",
    "is_missing",
    "known",
    "parted_unit",
    "plain",
    "read_numbers",
    "unit_of",
]

MOST_DIGITS = 12
MOST_STRANGE = 0.1
"""The share of cells that may be no numbers in a column of numbers, or no dates in one of dates."""

BLANKS = " \u00a0\u202f"
"""The blanks that part groups of thousands, as in 1 826,57; the last two do not break a line."""

_CURRENCY = r"[$€£¥]|\b(?:USD|EUR|GBP|CHF|JPY)\b"
_WITH_UNIT = re.compile(
    rf"(?P<minus>[+\-\u2212]?)(?P<before>{_CURRENCY})(?P<last>.*)|(?P<first>.*)(?P<after>%|{_CURRENCY})"
)

_TIME = r"(?:[T ]+\d{1,2}:\d{2}.*)?"
_YEAR_FIRST = re.compile(r"[12]\d{3}([-/.])(\d{1,2})\1(\d{1,2})" + _TIME)
# 1.2.10 is a version, while 1/2/10 is a date
_DAY_AND_MONTH = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(?:\d{4}|(?<=/)\d{2})" + _TIME)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\.?"
)
_NAMED_MONTH = re.compile(rf"(?:\d{{1,2}}[- ]{_MONTH}|{_MONTH} \d{{1,2}})(?:,? |-)[12]\d{{3}}{_TIME}", re.IGNORECASE)


@dataclass(frozen=True)
class Notation:
    """How texts write numbers: the decimal sign, and the sign that parts groups of thousands, as blanks may."""

    decimal: str
    group: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What is a number; 007 is a code rather than one, and so is +49 30 123."""
        decimal, group = re.escape(self.decimal), re.escape(self.group)
        whole = rf"(?:0|[1-9]\d*|[1-9]\d{{0,2}}(?:(?:{group}\d{{3}})+|(?:[{BLANKS}]\d{{3}})+))"
        return re.compile(rf"\s*[+\-\u2212]?(?:{whole}(?:{decimal}\d*)?|{decimal}\d+)(?:[eE][+-]?\d+)?\s*")

    @property
    def other(self) -> Notation:
        """The notation in which the two signs change places."""
        return COMMA if self is POINT else POINT

    def reads(self, text: str) -> bool:
        """Whether the text is a number in this notation."""
        return self.pattern.fullmatch(text) is not None

    def plain(self, text: str) -> str:
        """The number as Python writes it.

        Examples
        --------
        >>> POINT.plain("1,050.5"), COMMA.plain("1.050,5"), COMMA.plain("1 050,5")
        ('1050.5', '1050.5', '1050.5')
        """
        return text.strip().translate(self._plain_signs)

    @cached_property
    def _plain_signs(self) -> dict[int, str]:
        return str.maketrans({**dict.fromkeys((self.group, *BLANKS), ""), self.decimal: ".", "\u2212": "-"})

    def group_in(self, texts: Iterable[str]) -> str:
        """What parts groups of thousands in numbers, as in the first that has any; nothing where none has."""
        return next((sign for text in texts for sign in (self.group, *BLANKS) if sign in text.strip()), "")

    def explained(self, text: str) -> str:
        """What the text is read as, in words."""
        return f"{text.strip()!r} as {float(self.plain(text)):.15g}"


POINT, COMMA = Notation(".", ","), Notation(",", ".")


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


class Formula(str):
    """A formula of a spreadsheet whose value is not known."""

    __slots__ = ()


def known(values: Iterable[Any]) -> list[Any]:
    """The values, None where a cell is empty."""
    return [None if is_missing(value) else value for value in values]


def counted(values: Iterable[Any]) -> list[Any]:
    """The values, with 1 for true and 0 for false."""
    return [int(value) if isinstance(value, (bool, np.bool_)) else value for value in values]


def parted_unit(text: str) -> tuple[str, str]:
    """The percent or currency sign at an end of the text, nothing where there is none, and the rest.

    Examples
    --------
    >>> parted_unit("12.5 %"), parted_unit("-$1,230"), parted_unit("7")
    (('%', '12.5 '), ('$', '-1,230'), ('', '7'))
    """
    match = _WITH_UNIT.fullmatch(text.strip())
    if match is None:
        return "", text
    if match["before"]:
        return match["before"], match["minus"] + match["last"]
    return match["after"], match["first"]


def unit_of(cells: Sequence[Any]) -> str:
    """The percent or currency sign that nearly all given cells have; nothing where they have none."""
    given = [cell for cell in cells if cell is not None]
    counts = Counter(parted_unit(cell)[0] for cell in given if isinstance(cell, str))
    unit, count = counts.most_common(1)[0] if counts else ("", 0)
    return unit if count >= (1.0 - MOST_STRANGE) * len(given) else ""


def amounts(cells: Sequence[Any], unit: str) -> list[Any]:
    """What may be numbers: cells without their unit, a cell of another as an empty text; 1 for true, 0 for false."""
    if not unit:
        return counted(cells)
    parted = [None if cell is None else parted_unit(str(cell)) for cell in cells]
    return [None if one is None else one[1] if one[0] == unit else "" for one in parted]


def is_list(value: Any) -> bool:
    """Whether a cell holds several values."""
    return isinstance(value, (list, tuple, set, np.ndarray))


@dataclass(frozen=True, eq=False)
class Reading:
    """The numbers in a column.

    Attributes
    ----------
    values : float64 array
        NaN where a cell is empty or no number.
    strange : tuple of int
        The places of cells that are neither empty nor numbers.
    notation : Notation
        How its texts write numbers.
    """

    values: np.ndarray
    strange: tuple[int, ...]
    notation: Notation

    @property
    def mostly(self) -> bool:
        """Whether nearly all that is given are numbers."""
        n_numbers = int(np.count_nonzero(~np.isnan(self.values)))
        return n_numbers > 0 and len(self.strange) <= MOST_STRANGE * (n_numbers + len(self.strange))


def read_numbers(values: Sequence[Any], usual: Notation = POINT) -> Reading:
    """The numbers among the values, where None is an empty cell and a truth value is no number.

    All texts are read in one notation: the one that reads more of them, else the usual one.

    Examples
    --------
    >>> read_numbers(["1,050", "785"]).values, read_numbers(["1,050", "1,5"]).values
    (array([1050.,  785.]), array([1.05, 1.5 ]))
    """
    notation, numbers = usual, [_number(value, usual) for value in values]
    if None in numbers:
        others = [_number(value, usual.other) for value in values]
        if others.count(None) < numbers.count(None):
            notation, numbers = usual.other, others
    strange = tuple(place for place, number in enumerate(numbers) if number is None)
    return Reading(np.array(numbers, dtype=np.float64), strange, notation)


def _number(value: Any, notation: Notation) -> float | None:
    """NaN for an empty cell, None for what is no number."""
    if value is None:
        return math.nan
    if isinstance(value, str):
        return float(notation.plain(value)) if notation.reads(value) else None
    is_number = isinstance(value, (int, float, Decimal, np.number)) and not isinstance(value, bool)
    return float(value) if is_number else None


def as_numbers(values: Sequence[Any], usual: Notation = POINT) -> np.ndarray | None:
    """The values as float64 with NaN for None; None where one of them is no number.

    Examples
    --------
    >>> as_numbers(["1.5", None, "-2"])
    array([ 1.5,  nan, -2. ])
    >>> as_numbers(["1,5", "2"])
    array([1.5, 2. ])
    >>> as_numbers(["007"]) is None
    True
    """
    reading = read_numbers(values, usual)
    return None if reading.strange else reading.values


def ambiguous(values: Iterable[Any], notation: Notation) -> str | None:
    """How the first text with groups of thousands is read, where all texts might have decimals instead.

    Examples
    --------
    >>> ambiguous(["785", "1,050"], POINT)
    "'1,050' as 1050"
    >>> ambiguous(["1,050", "1,050,000"], POINT) is None
    True
    """
    texts = [value for value in values if isinstance(value, str)]
    example = next((text for text in texts if notation.group in text and notation.reads(text)), None)
    sure = example is None or any(notation.reads(text) and not notation.other.reads(text) for text in texts)
    return None if example is None or sure else notation.explained(example)


def day_and_month(text: str) -> tuple[int, int] | None:
    """The first two numbers of a date such as 15/01/2020, one of them the day and one the month; None for other texts.

    Examples
    --------
    >>> day_and_month("15.01.2020"), day_and_month("1/2/20 10:30"), day_and_month("2020-01-15"), day_and_month("1.2.3")
    ((15, 1), (1, 2), None, None)
    """
    match = _DAY_AND_MONTH.fullmatch(text.strip())
    if match is None:
        return None
    one, two = int(match[1]), int(match[3])
    return (one, two) if _are_of_a_date(min(one, two), max(one, two)) else None


def is_date(value: Any) -> bool:
    """Whether a cell is a date, or a text such as 2020-01-15, 15/01/2020 or 15-Jan-2020.

    Examples
    --------
    >>> [is_date(text) for text in ("2020-01-15", "15/01/2020", "Jan 15, 2020", "2020-15-01", "7732-18-5")]
    [True, True, True, False, False]
    """
    if not isinstance(value, str):
        return hasattr(value, "year")
    year_first = _YEAR_FIRST.fullmatch(value.strip())
    if year_first is not None:
        return _are_of_a_date(int(year_first[2]), int(year_first[3]))
    return day_and_month(value) is not None or _NAMED_MONTH.fullmatch(value.strip()) is not None


def _are_of_a_date(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31


def decimals_of(values: Iterable[Any], notation: Notation = POINT) -> int:
    """The most decimals of the numbers, as far as they are among the first 12 decimals or 12 significant digits.

    Examples
    --------
    >>> decimals_of(["1.25", "3"]), decimals_of([2, 3.0]), decimals_of(["1.2e-08"]), decimals_of(["6.15e+24"])
    (2, 0, 9, 0)
    """
    most = 0
    for value in values:
        number = _decimal(value, notation)
        within = max(MOST_DIGITS, MOST_DIGITS - 1 - number.adjusted())
        most = max(most, min(-int(number.as_tuple().exponent), within))
    return most


def digits_of(values: Iterable[Any], notation: Notation = POINT) -> int:
    """The most significant digits of the numbers, at most 12.

    Examples
    --------
    >>> digits_of(["1.20e-08", "3e-9"])
    3
    """
    return min(MOST_DIGITS, max(len(_decimal(value, notation).as_tuple().digits) for value in values))


def _decimal(value: Any, notation: Notation) -> Decimal:
    """The digits of a number: all that a text writes, none that only its type adds, as in 2.0."""
    if isinstance(value, (str, Decimal)):
        return Decimal(notation.plain(value) if isinstance(value, str) else value)
    return Decimal(repr(plain(value))).normalize()


def plain(value: Any) -> Any:
    """A NumPy scalar as the Python value it holds, a decimal as a whole or floating number; anything else as it is."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value.item() if isinstance(value, np.generic) else value
