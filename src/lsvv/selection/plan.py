"""The plan of a search: a list of candidates in a fixed order, each with its cost, cut where a budget ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from lsvv.graph.smoothing import Series

RIDGES = tuple(10.0**e for e in range(-7, 1))
"""Ridges of ridge="auto", in units of the features' mean squared distance from their mean."""
SMOOTHINGS = (0.0, 0.8, 0.95, 0.99)
"""What smoothing="auto" stands for."""
MANIFOLDS = (0.0, *(10.0**e for e in range(-3, 3)))
"""What manifold="auto" stands for."""
BUDGET = 5e12
"""Multiplications that a search may take: a few minutes on two cores."""
SPARSE, DECOMPOSED, SMOOTH = 2.0, 25.0, 5e4
"""What a multiplication of the graph costs beside one of dense matrices, and an eigen-decomposition beside a cube; and
how dear a smooth loss is beside the path of the squared one: more than its time, since it brings less for it."""
EDGES = 14
"""Neighbours of a row on average, where either end may ask."""


@dataclass(frozen=True)
class Candidate:
    """One line of a plan: a map, a loss, how far features are smoothed, the manifold term, and a path of ridges.

    Attributes
    ----------
    map : int
        Its number among the maps of the search.
    loss : str
        "squared", "logistic" or "smooth_hinge".
    smoothing, manifold, power
        As in :class:`lsvv.LSVVClassifier`.
    ridges : tuple of float
        The path; in units of the features' spread where ``scaled``.
    scaled : bool
        Whether ridges are shares.
    cost : float
        Multiplications.
    spectral, free_rank
        A tail penalty; 0 has none.

    Examples
    --------
    >>> Candidate(map=0, loss="squared", smoothing=0.95, ridges=(1e-3,)).is_supervised
    False
    """

    map: int
    loss: str
    smoothing: float = 0.0
    manifold: float = 0.0
    power: int = 2
    ridges: tuple[float, ...] = RIDGES
    scaled: bool = True
    cost: float = 0.0
    spectral: float = 0.0
    free_rank: Any = 0

    @property
    def is_supervised(self) -> bool:
        """Whether rows without a label have no part in it beyond the map."""
        return self.smoothing == 0.0 and self.manifold == 0.0

    @property
    def is_smooth(self) -> bool:
        """Whether its loss has no closed form."""
        return self.loss != "squared"


@dataclass(frozen=True)
class Axes:
    """The values searched along each axis."""

    losses: tuple[str, ...]
    smoothings: tuple[float, ...]
    manifolds: tuple[float, ...]
    powers: tuple[int, ...]
    ridges: tuple[float, ...]
    scaled: bool


@dataclass(frozen=True)
class Sizes:
    """Rows, labelled rows and outputs of a problem."""

    rows: int
    labelled: int
    outputs: int


@dataclass(frozen=True)
class MapSize:
    """Columns of a map, and multiplications to map all rows."""

    columns: int
    mapping: float


def candidates(axes: Axes, maps: Sequence[MapSize], sizes: Sizes) -> list[Candidate]:
    """Every candidate in the order in which it is worth its time: squared before smooth losses, cheap before dear.

    Beside the squared loss, smooth ones meet features as they are, or under the weakest smoothing there is, and every
    fourth manifold term.
    """
    lines = [
        replace(one, cost=cost(one, maps[one.map], sizes))
        for number in range(len(maps))
        for one in _lines(number, axes)
    ]
    return sorted(lines, key=lambda one: (one.is_smooth, one.cost, one.map))


def _lines(number: int, axes: Axes) -> Iterator[Candidate]:
    for loss in axes.losses:
        some = _weaker(axes) if loss != "squared" and "squared" in axes.losses else axes
        for smoothing, manifold in product(some.smoothings, some.manifolds):
            for power in some.powers if manifold > 0.0 else some.powers[:1]:
                yield Candidate(number, loss, smoothing, manifold, power, _ridges(loss, axes), axes.scaled)


def _weaker(axes: Axes) -> Axes:
    """The part of the grid for losses that take longer: the weakest smoothing, a few manifold terms, one power."""
    return replace(axes, smoothings=axes.smoothings[:1], manifolds=axes.manifolds[::4], powers=axes.powers[-1:])


def _ridges(loss: str, axes: Axes) -> tuple[float, ...]:
    """Of the ridges of ridge="auto" a smooth loss takes those from 1e-5 on: below, its Newton step is too hopeful."""
    return axes.ridges if loss == "squared" or not axes.scaled else tuple(r for r in axes.ridges if r > 0.9e-5)


def within(lines: Sequence[Candidate], budget: float = BUDGET) -> tuple[list[Candidate], list[Candidate]]:
    """The lines that fit the budget one after the other, and those left out; the first always fits.

    Examples
    --------
    >>> lines = [Candidate(0, "squared", cost=c) for c in (5.0, 9.0, 1.0)]
    >>> [one.cost for one in within(lines, budget=7.0)[0]]
    [5.0, 1.0]
    """
    kept: list[Candidate] = []
    left: list[Candidate] = []
    spent = 0.0
    for line in lines:
        fits = not kept or spent + line.cost <= budget
        (kept if fits else left).append(line)
        spent += line.cost if fits else 0.0
    return kept, left


def cost(line: Candidate, one_map: MapSize, sizes: Sizes) -> float:
    """Multiplications of a line: its share of the map, smoothing, the decomposition, and the path."""
    n, D, m = float(sizes.labelled), float(one_map.columns), float(sizes.rows)
    small = min(n, D)
    whole = n * D * small + DECOMPOSED * small**3
    total = one_map.mapping + whole + len(line.ridges) * n * small * sizes.outputs
    if line.manifold > 0.0:
        total = DECOMPOSED * D**3 + m * D * D + len(line.ridges) * total
    if line.is_smooth:
        total += SMOOTH * len(line.ridges) * n * small * sizes.outputs
    if line.smoothing > 0.0:
        total += m * small * SPARSE * EDGES * Series.of(line.smoothing, 1e-5).steps + n * m * D * (n <= D)
    return total
