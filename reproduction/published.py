"""The figures the paper publishes: 184 cells, each a mean and a standard deviation over repeats."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["METHODS", "PARTS", "TABLES", "Parts", "PublishedCell", "published"]

TABLES = ("linear-mc", "kernel-mc", "linear-ml", "kernel-ml")
METHODS = ("SRM-VV", "SS-VV", "LRC-VV", "LSVV")


class Parts(NamedTuple):
    """What a method has besides loss and ridge: smoothness over all rows, and the tail of the singular values."""

    manifold: bool
    tail: bool


PARTS: Mapping[str, Parts] = MappingProxyType(
    {
        "SRM-VV": Parts(manifold=False, tail=False),
        "SS-VV": Parts(manifold=True, tail=False),
        "LRC-VV": Parts(manifold=False, tail=True),
        "LSVV": Parts(manifold=True, tail=True),
    }
)
"""The four methods are one equation with parts of it left out."""


@dataclass(frozen=True)
class PublishedCell:
    """One cell of the paper: mean and standard deviation of the test error over its repeats.

    The unit is per cent for classes (error) and labels (Hamming loss); what the paper calls the RMSE of rf2
    and scm1d behaves like 100 times the mean squared error of targets scaled to [0, 1].
    """

    mean: float
    std: float


@cache
def published() -> Mapping[tuple[str, str, str], PublishedCell]:
    """The published cells by (table, data set, method), in the paper's order.

    The names of the tables are in ``TABLES``, those of the methods in ``METHODS``.

    Examples
    --------
    >>> published()["linear-mc", "iris", "LSVV"]
    PublishedCell(mean=28.4, std=5.53)
    >>> len(published())
    184
    """
    text = files("reproduction").joinpath("published.csv").read_text(encoding="utf-8")
    return MappingProxyType({_key(row): _cell(row) for row in csv.DictReader(text.splitlines())})


def _key(row: Mapping[str, str]) -> tuple[str, str, str]:
    return f"{row['space']}-{row['task'].lower()}", row["dataset"], row["method"]


def _cell(row: Mapping[str, str]) -> PublishedCell:
    return PublishedCell(float(row["mean"]), float(row["std"]))
