"""What is run, declared before anything is run: data sets, splits, spaces, choosers, and the column that counts.

The column compared with the published cells is the one of ``DECLARED_CHOOSER``; the figure compared is that of
``COMPARED``. Neither is picked after a run.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from reproduction.bundled import GENERATED
from reproduction.data import DATASETS, info, paper_names
from reproduction.data.registry import Task
from reproduction.data.splits import LABELLED_SHARE
from reproduction.published import METHODS, TABLES
from reproduction.records import Trial

__all__ = [
    "BIG",
    "CHOOSERS",
    "COMPARED",
    "DECLARED_CHOOSER",
    "EXPERIMENTS",
    "FIRST_SEED",
    "OWN",
    "PAPER",
    "QUICK",
    "SPACES",
    "SUBSTITUTES",
    "Design",
    "Unit",
    "curve_units",
    "plan",
    "seeds",
    "space_of",
    "table_sets",
    "table_units",
    "task_of",
]

Space: TypeAlias = Literal["linear", "kernel"]
Chooser: TypeAlias = Literal["atlas", "cv", "smoothed"]
Hidden: TypeAlias = Literal["rows", "entries"]

EXPERIMENTS = (*TABLES, "labeled-rate", "theta", "datasets", "methods")
SPACES: tuple[Space, ...] = ("linear", "kernel")
CHOOSERS: tuple[Chooser, ...] = ("atlas", "cv")
DECLARED_CHOOSER: Chooser = "atlas"
"""Our losses and our averaging; "cv" is the paper's losses and candidates, by 5 folds on the labelled rows."""

OWN: Chooser = "smoothed"
"""Our own method: features smoothed over the graph, neither manifold term nor tail, chosen as by "atlas".

It is worked on splits of its own, so that records of the paper's four methods stay whole without it. No verdict and no
comparison with the paper looks at it.
"""

COMPARED: Mapping[Task, str] = MappingProxyType(
    {"multi-class": "error", "multi-label": "hamming", "regression": "mse100"}
)
"""The figure that is held against the published cell."""

SUBSTITUTES: Mapping[str, str] = MappingProxyType({"scm20d": "scm1d"})
"""Shown in place of a set that cannot be had, and compared with no published cell."""

BIG = ("shuttle", "Sensorless", "MNIST", "connect-4", "acoustic", "covtype")
"""Worked last, one seed of each before the next seed, so that a part of the run has some splits of every set."""


@dataclass(frozen=True)
class Unit:
    """One split worked by all four methods, or by our own.

    Attributes
    ----------
    data : str
        Name of the data set.
    space : {"linear", "kernel"}
        The inputs themselves, or 100 Fourier features of them.
    seed : int
        Of the split, and of what the methods draw.
    chooser : {"atlas", "cv", "smoothed"}
        How settings are chosen on the labelled rows; "smoothed" is our own method alone.
    labelled : float, optional
        Share of labels seen; by default the paper's for the task.
    free_rank : float, optional
        theta / min(D, K) where it is fixed; by default it is chosen.
    hidden : {"rows", "entries"}
        What is unlabelled: whole rows of Y, or single entries.

    Examples
    --------
    >>> unit = Unit("iris", "linear", 0, "atlas")
    >>> unit.trial("LSVV")["method"], len(unit.trials)
    ('LSVV', 4)
    """

    data: str
    space: Space
    seed: int
    chooser: Chooser
    labelled: float | None = None
    free_rank: float | None = None
    hidden: Hidden = "rows"

    def trial(self, method: str) -> Trial:
        """What identifies the record of one method on this split."""
        return {**vars(self), "method": method}

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that work it."""
        return (OWN,) if self.chooser == OWN else METHODS

    @property
    def trials(self) -> tuple[Trial, ...]:
        """One for each method."""
        return tuple(self.trial(method) for method in self.methods)


@dataclass(frozen=True)
class Design:
    """How much is run: the data sets of tables and figures, the repeats, and the points on the axes.

    Attributes
    ----------
    classes, labels : tuple of str
        Data sets of the multi-class tables, and of the multi-label and regression tables.
    repeats : int
        Splits of every cell of a table.
    cv_rows, cv_repeats : int
        Sets of more rows have so many splits under "cv", which takes minutes a split there.
    rate_set, rate_repeats, shares
        Figure "labeled-rate": its data set, splits, and shares of labels. The paper prints no axis.
    theta_sets, theta_repeats, thetas, theta_spaces
        Figure "theta": the paper prints neither axis, repeats nor space. D = 100 of the kernel space makes
        min(D, K) = 100 on both sets.
    hidden : {"rows", "entries"}
        What is unlabelled in multi-label and regression sets.
    mark : int, optional
        In so many cells LSVV should be at or below the published LSVV.
    """

    classes: tuple[str, ...]
    labels: tuple[str, ...]
    repeats: int
    rate_set: str
    rate_repeats: int
    shares: tuple[float, ...]
    theta_sets: tuple[str, ...]
    theta_repeats: int
    thetas: tuple[float, ...]
    theta_spaces: tuple[Space, ...] = ("kernel",)
    hidden: Hidden = "rows"
    mark: int | None = None
    cv_rows: int = 1000
    cv_repeats: int = 5


FIRST_SEED = 1000
"""Splits from here on were not looked at while rules and defaults were made; those below 200 were."""


def seeds(count: int) -> range:
    """The seeds of ``count`` splits.

    Examples
    --------
    >>> list(seeds(2))
    [1000, 1001]
    """
    return range(FIRST_SEED, FIRST_SEED + count)


_TENTHS = tuple(step / 10 for step in range(11))
PAPER = Design(
    classes=tuple(name for name in paper_names() if info(name).task == "multi-class"),
    labels=(*(name for name in paper_names() if info(name).task != "multi-class"), *SUBSTITUTES),
    repeats=30,
    rate_set="scene",
    rate_repeats=10,
    shares=_TENTHS[1:-1],
    theta_sets=("corel5k", "bibtex"),
    theta_repeats=5,
    thetas=_TENTHS,
    mark=30,
)
"""The paper's experiments."""

QUICK = Design(
    classes=("iris", "wine"),
    labels=(GENERATED,),
    repeats=3,
    rate_set=GENERATED,
    rate_repeats=2,
    shares=(0.25, 0.5, 0.75),
    theta_sets=(GENERATED,),
    theta_repeats=2,
    thetas=(0.0, 0.5, 1.0),
)
"""A smoke version on data that is at hand everywhere."""


def task_of(name: str) -> Task:
    """The task of a data set of a design.

    Examples
    --------
    >>> task_of("iris"), task_of("generated")
    ('multi-class', 'multi-label')
    """
    return "multi-label" if name == GENERATED else info(name).task


def table_sets(table: str, design: Design = PAPER) -> tuple[str, ...]:
    """The data sets of a table, in its order.

    Examples
    --------
    >>> table_sets("kernel-ml")
    ('scene', 'yeast', 'corel5k', 'bibtex', 'rf2', 'scm1d', 'scm20d')
    """
    return design.classes if table.endswith("mc") else design.labels


def space_of(table: str) -> Space:
    """The space of a table.

    Examples
    --------
    >>> space_of("linear-mc"), space_of("kernel-ml")
    ('linear', 'kernel')
    """
    return "linear" if table.startswith("linear") else "kernel"


def table_units(table: str, data: str, chooser: Chooser, design: Design = PAPER) -> tuple[Unit, ...]:
    """The splits of one row of a table, by seed."""
    hidden: Hidden = "rows" if task_of(data) == "multi-class" else design.hidden
    space = space_of(table)
    dear = chooser == "cv" and data in DATASETS and DATASETS[data].rows > design.cv_rows
    repeats = min(design.repeats, design.cv_repeats) if dear else design.repeats
    return tuple(Unit(data, space, seed, chooser, hidden=hidden) for seed in seeds(repeats))


def curve_units(figure: str, data: str, space: Space, design: Design = PAPER) -> dict[float, list[Unit]]:
    """The splits of one panel of a figure, by the place on its axis; settings are chosen as declared.

    The share a table uses is not run twice: its splits are the table's.

    Examples
    --------
    >>> units = curve_units("labeled-rate", "scene", "linear")
    >>> list(units)[0], len(units[0.1]), units[0.1][0].labelled, units[0.5][0].labelled
    (0.1, 10, 0.1, None)
    """
    if figure == "theta":
        return {
            theta: [
                Unit(data, space, seed, DECLARED_CHOOSER, None, theta, design.hidden)
                for seed in seeds(design.theta_repeats)
            ]
            for theta in design.thetas
        }
    usual = LABELLED_SHARE[task_of(data)]
    return {
        share: [
            Unit(data, space, seed, DECLARED_CHOOSER, None if share == usual else share, None, design.hidden)
            for seed in seeds(design.rate_repeats)
        ]
        for share in design.shares
    }


_ORDER: tuple[Chooser, ...] = (DECLARED_CHOOSER, OWN, *(one for one in CHOOSERS if one != DECLARED_CHOOSER))
"""In which choosers come on the big sets."""


def plan(
    names: Iterable[str],
    design: Design = PAPER,
    choosers: tuple[Chooser, ...] = (DECLARED_CHOOSER,),
    sets: Iterable[str] | None = None,
) -> tuple[Unit, ...]:
    """The splits of some experiments in the order of work, each once.

    Small data sets come first, in the paper's order; then the figures, which use the declared chooser only; then
    the big ones by seed.

    Parameters
    ----------
    names : iterable of str
        Out of ``EXPERIMENTS``; "datasets" and "methods" have no splits.
    design : Design
        How much is run.
    choosers : tuple
        Those of the tables, out of ``CHOOSERS`` and ``OWN``.
    sets : iterable of str, optional
        Only these data sets.

    Examples
    --------
    >>> units = plan(["linear-mc"], sets=["iris", "covtype", "shuttle"])
    >>> len(units), units[0].data, [unit.data for unit in units[30:33]]
    (90, 'iris', ['shuttle', 'covtype', 'shuttle'])
    """
    asked = tuple(names)
    unknown = [name for name in asked if name not in EXPERIMENTS]
    if unknown:
        raise ValueError(f"There is no experiment named {unknown[0]!r}; choose one of: {', '.join(EXPERIMENTS)}.")
    wanted = None if sets is None else _known(sets, design)
    small: list[Unit] = []
    big: list[Unit] = []
    for unit in (*_of_tables(asked, design, choosers), *_of_figures(asked, design)):
        if wanted is None or unit.data in wanted:
            (big if unit.data in BIG else small).append(unit)
    big.sort(key=lambda unit: (_ORDER.index(unit.chooser), unit.seed))
    return tuple(dict.fromkeys((*small, *big)))


def _of_tables(names: tuple[str, ...], design: Design, choosers: tuple[Chooser, ...]) -> Iterator[Unit]:
    """Chooser by chooser, and both spaces of a set in a row: its file is then read once."""
    for chooser in choosers:
        for kind in ("mc", "ml"):
            tables = [name for name in TABLES if name in names and name.endswith(kind)]
            for data in table_sets(kind, design):
                for table in tables:
                    yield from table_units(table, data, chooser, design)


def _of_figures(names: tuple[str, ...], design: Design) -> Iterator[Unit]:
    if "labeled-rate" in names:
        for space in SPACES:
            for units in curve_units("labeled-rate", design.rate_set, space, design).values():
                yield from units
    if "theta" in names:
        for data in design.theta_sets:
            for space in design.theta_spaces:
                for units in curve_units("theta", data, space, design).values():
                    yield from units


def _known(sets: Iterable[str], design: Design) -> frozenset[str]:
    there = (*design.classes, *design.labels)
    chosen = frozenset(sets)
    unknown = sorted(chosen.difference(there))
    if unknown:
        raise ValueError(f"No experiment has a data set named {unknown[0]!r}; choose out of: {', '.join(there)}.")
    return chosen
