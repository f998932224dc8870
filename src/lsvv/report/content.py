"""What a report shows, as plain values: texts, numbers and tuples of them, no models."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Atlas",
    "Bin",
    "Column",
    "ColumnSummary",
    "Confusion",
    "FilledCell",
    "FilledRow",
    "Help",
    "Layer",
    "Learnt",
    "Mattered",
    "MixUp",
    "Model",
    "Numbers",
    "Output",
    "Panel",
    "Question",
    "Repeat",
    "Report",
    "RowMap",
    "Spectrum",
    "UnsureCell",
]


@dataclass(frozen=True)
class Column:
    """One column of the table: how it was read, the share of empty cells, and what its cells are like.

    ``histogram`` counts numbers in bins of equal width from the least to the greatest; empty for other columns.
    """

    name: str
    role: str
    kind: str
    empty: float
    words: str
    histogram: tuple[int, ...] = ()


@dataclass(frozen=True)
class ColumnSummary:
    """The table: its name and size, its columns, and how many of them are not listed."""

    name: str
    n_rows: int
    n_columns: int
    n_features: int
    columns: tuple[Column, ...]
    not_listed: int = 0


@dataclass(frozen=True)
class Layer:
    """One way to colour the map: each point's group, whether it was known, and how sure the model is of it.

    ``ordered`` groups are bins of a number. ``sure`` is None where there is no probability.
    """

    name: str
    groups: tuple[str, ...]
    ordered: bool
    places: tuple[int, ...]
    known: tuple[bool, ...]
    sure: tuple[float, ...] | None


@dataclass(frozen=True)
class RowMap:
    """Rows as points: their numbers in the table from 1, coordinates, and layers to colour them by."""

    rows: tuple[int, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    layers: tuple[Layer, ...]
    n_rows: int
    words: str


@dataclass(frozen=True)
class Output:
    """One class or tag: known and filled cells that bear it, and how well it is found.

    ``found`` is the share of its known cells that come out as it, ``right`` the share of those that come out as it
    which are it; None where there are none.
    """

    name: str
    known: int
    filled: int
    found: float | None
    right: float | None

    @property
    def f1(self) -> float | None:
        """2 found right / (found + right); None where it is neither known nor given.

        Examples
        --------
        >>> Output("old", known=4, filled=2, found=0.5, right=1.0).f1
        0.6666666666666666
        """
        if self.found is None and self.right is None:
            return None
        found, right = self.found or 0.0, self.right or 0.0
        return 2.0 * found * right / (found + right) if found + right else 0.0


@dataclass(frozen=True)
class Confusion:
    """counts[i][j]: known cells of class i that come out as class j when their label is hidden."""

    names: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class MixUp:
    """A class that comes out as another, and how often."""

    known: str
    came_out: str
    count: int


@dataclass(frozen=True)
class Bin:
    """Known cells of like probability: its mean, the share that is right with its 95 % interval, their count."""

    said: float
    right: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Numbers:
    """Known numbers against predictions made without them, and the ends and usual width of intervals.

    ``off`` is the median distance of these predictions from the known numbers, ``mean_off`` that of the mean of all
    other known numbers.
    """

    rows: tuple[int, ...]
    known: tuple[float, ...]
    predicted: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    half_width: float
    coverage: float
    measured: float
    off: float
    mean_off: float


@dataclass(frozen=True)
class Learnt:
    """What was learnt of one target, checked on known cells that were hidden one at a time.

    Attributes
    ----------
    column, task, reason : str
        The column, what was found to be asked for, and why.
    n_known, n_filled : int
        Cells.
    measure : str
        "right" for shares of right answers, "R²" for numbers.
    value, low, high, baseline : float or None
        The measure, its 95 % interval, and the same for the plainest answer; None where it cannot be measured.
    outputs, confusion, mix_ups, calibration : tuples
        For classes, labels and tags.
    f1 : float or None
        For tags: 2 x those given rightly / (those known + those given), over all tags of all known cells.
    certainty : tuple of int
        Filled cells by probability, in ten bins from 0 to 1.
    numbers : Numbers or None
        For numbers.
    model : int
        The place of its model in the report.
    """

    column: str
    task: str
    reason: str
    n_known: int
    n_filled: int
    measure: str
    value: float | None
    low: float | None
    high: float | None
    baseline: float | None
    outputs: tuple[Output, ...]
    confusion: Confusion | None
    mix_ups: tuple[MixUp, ...]
    calibration: tuple[Bin, ...]
    f1: float | None
    certainty: tuple[int, ...]
    numbers: Numbers | None
    model: int


@dataclass(frozen=True)
class Help:
    """Whether unlabelled rows helped: by how much hidden labels are predicted better with them, and how sure that is.

    ``gain`` and ``error`` are the mean fall of the leave-one-out loss and its standard error, ``sure`` the probability
    that the fall is above 0, ``share`` the weight their use was given.
    """

    headline: str
    sentence: str
    gain: float
    error: float
    sure: float
    share: float


@dataclass(frozen=True)
class Spectrum:
    """Singular values of W; those from place ``first`` on (from 0) bear the tail penalty, None where none do."""

    values: tuple[float, ...]
    first: int | None
    words: str


@dataclass(frozen=True)
class Panel:
    """Leave-one-out losses: a row a value of ``axis``, a column a ridge; None where it was not tried.

    ``axis`` is "smoothing" or "manifold". ``scaled`` ridges are in units of the features' spread.
    """

    name: str
    axis: str
    values: tuple[float, ...]
    ridges: tuple[float, ...]
    losses: tuple[tuple[float | None, ...], ...]
    scaled: bool


@dataclass(frozen=True)
class Atlas:
    """The settings of the best map, and each map tried with the lowest loss found on it."""

    n_settings: int
    map: str
    best: float
    panels: tuple[Panel, ...]
    maps: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Mattered:
    """The columns that mattered: how much the error rises without each, and its standard error; the rest in words.

    ``columns`` holds a name, a rise and an error for each, the most important first.
    """

    columns: tuple[tuple[str, float, float], ...]
    words: str


@dataclass(frozen=True)
class Model:
    """One model: the targets it learnt together, what carried its answer, whether unlabelled rows helped, its inside.

    ``carried`` is a sentence on kinds of model, ``mattered`` None where it was not measured.
    """

    name: str
    carried: str
    mattered: Mattered | None
    help: Help | None
    smoothing: str
    spectrum: Spectrum
    atlas: Atlas
    best: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FilledCell:
    """A filled cell and what stands beside it: a probability or an interval, as text."""

    column: str
    value: str
    beside: str


@dataclass(frozen=True)
class FilledRow:
    """A row with its filled cells; ``row`` counts from 1."""

    row: int
    about: str
    cells: tuple[FilledCell, ...]


@dataclass(frozen=True)
class UnsureCell:
    """A filled cell the model is unsure of; ``row`` counts from 1."""

    row: int
    column: str
    value: str
    probability: float
    rival: str
    about: str


@dataclass(frozen=True)
class Question:
    """A cell worth labelling next; ``row`` counts from 1."""

    row: int
    column: str
    suggestion: str
    why: str
    about: str


@dataclass(frozen=True)
class Repeat:
    """What repeats the result: the command, settings, versions, and how long each stage took."""

    command: str
    settings: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]
    seconds: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Report:
    r"""The whole page.

    Examples
    --------
    >>> from lsvv.report.from_fill import report_of
    >>> from lsvv.tables import fill, parse
    >>> text = "size,kind\n" + "".join(f"{i * i},{('small', 'big')[i > 9] if i % 2 else ''}\n" for i in range(20))
    >>> filled = fill(parse(text.encode(), "sizes.csv", format="csv"), ["kind"], features="linear")
    >>> report = report_of(filled)
    >>> report.title, report.column_summary.n_rows, report.learnt[0].n_filled
    ('sizes.csv', 20, 10)
    """

    title: str
    summary: tuple[str, ...]
    column_summary: ColumnSummary
    learnt: tuple[Learnt, ...]
    models: tuple[Model, ...]
    map: RowMap | None
    examples: tuple[FilledRow, ...]
    unsure: tuple[UnsureCell, ...]
    questions: tuple[Question, ...]
    notes: tuple[str, ...]
    repeat: Repeat
