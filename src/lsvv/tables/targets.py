"""Target columns coded for an estimator, and predictions spelt as the column spells its cells."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["ClassTarget", "Group", "LabelTarget", "NumberTarget", "TagTarget", "Target"]

MOST_DECIMALS_MORE = 3


@dataclass(frozen=True, eq=False)
class Target(ABC):
    """One target column: which cells are known, what they say in numbers, and how to write an answer.

    Attributes
    ----------
    column, task, reason : str
        The column, its task and why.
    known : bool array of shape (rows,)
    values : array of shape (rows,) or (rows, K)
        Coded cells; what stands in unknown rows has no meaning.
    outputs : tuple of str
        The names of the outputs: classes, tags, or the column itself.
    """

    column: str
    task: str
    reason: str
    known: np.ndarray
    values: np.ndarray
    outputs: tuple[str, ...]

    @property
    def holes(self) -> np.ndarray:
        """The rows whose cell is empty."""
        return np.flatnonzero(~self.known)

    @property
    def choices(self) -> tuple[str, ...]:
        """What the probabilities of a row are of: classes, tags, or no and yes as the column says them."""
        return tuple(map(str, self.spelt(np.array([0, 1])))) if self.task == "labels" else self.outputs

    @abstractmethod
    def spelt(self, predictions: np.ndarray) -> list[Any]:
        """Cells for the predictions of some rows, as the column writes them."""

    @property
    @abstractmethod
    def possible_cells(self) -> list[Any]:
        """Cells of every kind that an answer may be."""


@dataclass(frozen=True, eq=False)
class ClassTarget(Target):
    """One class a row; ``values`` are places in ``spellings``, -1 where unknown."""

    spellings: tuple[Any, ...]

    def spelt(self, predictions: np.ndarray) -> list[Any]:
        """The class of each row."""
        return [self.spellings[int(place)] for place in predictions]

    @property
    def possible_cells(self) -> list[Any]:
        """The classes."""
        return list(self.spellings)


@dataclass(frozen=True, eq=False)
class LabelTarget(Target):
    """0 or 1 a row, NaN where unknown."""

    spellings: tuple[Any, Any]

    def spelt(self, predictions: np.ndarray) -> list[Any]:
        """No or yes in the column's own words."""
        return [self.spellings[int(value > 0.5)] for value in predictions]

    @property
    def possible_cells(self) -> list[Any]:
        """No and yes."""
        return list(self.spellings)


@dataclass(frozen=True, eq=False)
class TagTarget(Target):
    """An indicator (rows, tags), NaN where unknown; ``separator`` is None where cells are lists.

    ``spellings`` are the tags as the cells hold them, where they are not all texts. ``may_be_none`` says that a known
    cell is an empty list, so that none is an answer.
    """

    separator: str | None
    spellings: tuple[Any, ...] | None = None
    may_be_none: bool = False

    def chosen(self, P: np.ndarray) -> np.ndarray:
        """An indicator of the tags above one half; where none is and there must be one, of the likeliest."""
        chosen = P > 0.5
        if not self.may_be_none:
            chosen[np.arange(len(P)), np.argmax(P, axis=1)] = True
        return chosen.astype(np.int64)

    def spelt(self, predictions: np.ndarray) -> list[Any]:
        """The tags of each row, joined as the column joins them."""
        spellings = self.outputs if self.spellings is None else self.spellings
        lists = [[spellings[place] for place in np.flatnonzero(row > 0.5)] for row in predictions]
        return lists if self.separator is None else [self.separator.join(tags) for tags in lists]

    @property
    def possible_cells(self) -> list[Any]:
        """A cell with all tags."""
        return self.spelt(np.ones((1, len(self.outputs))))


@dataclass(frozen=True, eq=False)
class NumberTarget(Target):
    """Numbers, NaN where unknown, written as the known cells are.

    Attributes
    ----------
    decimals : int
        The most that a known cell has.
    style : "whole", "typed", "point" or "comma"
        The type of a cell, or the decimal sign of a text.
    group : str
        What parts groups of thousands in texts, if anything does.
    form : "f", "e", "E", "g" or "G"
        Whether texts have no exponent, all have one, or some.
    digits : int
        The most significant digits of a text with an exponent.
    ends : pair of int, optional
        The least and the greatest number that the type of the cells holds.
    least : float
        0 where no known number is below, so that no other is to be; else there is none.
    before, after : str
        The percent or currency sign of a text, with its blanks.
    """

    decimals: int
    style: str
    group: str = ""
    form: str = "f"
    digits: int = 0
    ends: tuple[int, int] | None = None
    least: float = -math.inf
    before: str = ""
    after: str = ""

    def raised(self, numbers: np.ndarray) -> np.ndarray:
        """Numbers with those below ``least`` raised to it."""
        return np.maximum(numbers, self.least)

    def decimals_beyond(self, distance: float) -> int:
        """How many decimals more than the column has show two digits of a distance; none where that is next to 0."""
        if self.form != "f":
            return 1
        more = math.ceil(-math.log10(distance)) + 1 - self.decimals if 0.0 < distance < math.inf else 0
        return more if 0 < more <= MOST_DECIMALS_MORE else 0

    def spelt(self, predictions: np.ndarray) -> list[Any]:
        """Rounded numbers: texts where the column is text, whole where its type is."""
        low, high = (-math.inf, math.inf) if self.ends is None else self.ends
        return [self.spell(min(max(float(value), low), high)) for value in predictions]

    @property
    def possible_cells(self) -> list[Any]:
        """A number."""
        return self.spelt(np.array([max(0.5, self.least)]))

    def spell(self, value: float, more: int = 0) -> Any:
        """One number, with ``more`` decimals than the column has."""
        if self.style == "whole" and not more:
            return round(value)
        if self.form != "f":
            precision = self.digits + more - (self.form in "eE")
        else:
            precision = self.decimals + more
            value = round(value, precision)
        # adding 0 takes the sign off a zero
        value += 0.0
        if self.style in ("whole", "typed"):
            return value
        text = format(value, f"{',' if self.group else ''}.{precision}{self.form}")
        signs = {ord(","): self.group, ord("."): "," if self.style == "comma" else "."}
        minus, digits = text[: text.startswith("-")], text.removeprefix("-").translate(signs)
        return f"{minus}{self.before}{digits}{self.after}"


@dataclass(frozen=True, eq=False)
class Group:
    """Targets that one model learns together."""

    task: str
    targets: tuple[Target, ...]

    @property
    def name(self) -> str:
        """The columns of the group."""
        return ", ".join(target.column for target in self.targets)

    def as_array(self) -> np.ndarray:
        """The targets as an estimator takes them, unknown entries as -1 or NaN."""
        if self.task in ("classes", "tags"):
            return self.targets[0].values
        stacked = np.column_stack([target.values for target in self.targets])
        return stacked[:, 0] if stacked.shape[1] == 1 else stacked
