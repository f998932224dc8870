"""The report of a filled table."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np

from lsvv.report.checks import Learnt, learnt_of
from lsvv.report.column_summary import ColumnSummary, column_summary
from lsvv.report.inside import Model, model_of
from lsvv.report.phrases import percent, shortened, summary_of_help
from lsvv.report.rowmap import RowMap, map_of
from lsvv.tables import Answer, Filled
from lsvv.tables.asking import best_questions
from lsvv.tables.cells import is_list, is_missing
from lsvv.tables.files import MISSING, ending_of, format_of
from lsvv.tables.frame_source import Frame
from lsvv.tables.headline import further_notes
from lsvv.tables.summary import versions
from lsvv.tables.words import count

__all__ = ["AskedCell", "FilledCell", "FilledRow", "Repeat", "Report", "UnsureCell", "report_of"]

MOST_UNSURE = 25
MOST_TOLD = 4
N_QUESTIONS = 10
N_EXAMPLES = 6
MOST_ROWS_FOR_QUESTIONS = 20_000
"""Beyond it choosing what to ask takes longer than a reader waits for a page."""
DOUBTFUL = 0.6


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
class AskedCell:
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
    counted: str
    warnings: tuple[str, ...]
    summary: tuple[str, ...]
    column_summary: ColumnSummary
    learnt: tuple[Learnt, ...]
    models: tuple[Model, ...]
    map: RowMap | None
    examples: tuple[FilledRow, ...]
    unsure: tuple[UnsureCell, ...]
    questions: tuple[AskedCell, ...]
    notes: tuple[str, ...]
    repeat: Repeat


def report_of(filled: Filled) -> Report:
    """All that the page shows of a filled table."""
    models = tuple(
        model_of(part.group.name, part.model, found)
        for part, found in zip(filled.fitted, filled.importances, strict=True)
    )
    owner = {target.column: place for place, part in enumerate(filled.fitted) for target in part.group.targets}
    learnt = tuple(_of_whole(filled, learnt_of(result, owner[result.target.column])) for result in filled.results)
    rows = map_of(filled.X, filled.results)
    # what the section on unlabelled rows says
    told = {part.help_note for part in filled.fitted}
    return Report(
        title=PurePath(filled.table.name).name,
        counted="" if filled.drawn is None else f"Counted among the {count(len(filled.X), 'row')} learnt from.",
        warnings=tuple(one.text for one in filled.warnings),
        summary=tuple(_summary(filled, models)),
        column_summary=column_summary(filled),
        learnt=learnt,
        models=models,
        map=None if rows is None else replace(rows, rows=_numbered(filled, rows.rows)),
        examples=tuple(_examples(filled)),
        unsure=tuple(_unsure(filled)),
        questions=tuple(_questions(filled)),
        notes=tuple(note for note in further_notes(filled) if note not in {*told, filled.drawn}),
        repeat=_repeat(filled),
    )


def _of_whole(filled: Filled, learnt: Learnt) -> Learnt:
    """The same with the numbers of cells and rows in the whole table."""
    extent, numbers = filled.extent, learnt.numbers
    numbers = None if numbers is None else replace(numbers, rows=_numbered(filled, numbers.rows))
    return replace(learnt, n_known=extent.known[learnt.column], n_filled=extent.empty[learnt.column], numbers=numbers)


def _numbered(filled: Filled, rows: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers, from 1, that rows of the table have in the whole table."""
    return tuple(filled.numbers[np.asarray(rows, dtype=int) - 1].tolist())


def _summary(filled: Filled, models: tuple[Model, ...]) -> Iterator[str]:
    """What concerns several targets."""
    if filled.drawn is not None:
        yield filled.drawn
    help = summary_of_help(models)
    if help:
        yield help
    doubtful = sum(
        int(np.sum(result.probability[result.rows] < DOUBTFUL))
        for result in filled.results
        if result.probability is not None
    )
    if doubtful:
        cells = "1 filled cell has" if doubtful == 1 else f"{doubtful:,} filled cells have"
        among = "" if filled.drawn is None else "Of the rows learnt from, "
        yield f"{among}{cells} a probability below {percent(DOUBTFUL)}: look at them before you rely on them."


def _examples(filled: Filled) -> Iterator[FilledRow]:
    """Rows with filled cells, spread evenly over the table."""
    results = [result for result in filled.results if len(result.rows)]
    if not results:
        return
    rows = np.unique(np.concatenate([result.rows for result in results]))
    for row in rows[np.linspace(0, len(rows) - 1, min(N_EXAMPLES, len(rows))).astype(int)].tolist():
        cells = [_filled_cell(result, row) for result in results if row in result.rows]
        yield FilledRow(int(filled.numbers[row]), _about(filled, row), tuple(cells[:MOST_TOLD]))


def _filled_cell(result: Answer, row: int) -> FilledCell:
    place = int(np.searchsorted(result.rows, row))
    beside = result.said.of(result.rows[[place]]).beside(result.target)
    if result.probability is not None:
        words = percent(float(result.probability[row]))
    else:
        words = " to ".join(_text(end) for (end,) in beside.values() if end is not None)
    return FilledCell(result.target.column, _text(result.cells[place]), words)


def _unsure(filled: Filled) -> list[UnsureCell]:
    """The filled cells of lowest probability, as many of each target; numbers have none."""
    found = []
    choices = [result for result in filled.results if result.probability is not None]
    for result in choices:
        p = np.asarray(result.probability)[result.rows]
        for place in np.argsort(p, kind="stable")[: max(1, MOST_UNSURE // len(choices))].tolist():
            found.append((float(p[place]), result, place))
    found.sort(key=lambda item: item[0])
    return [_unsure_cell(filled, *item) for item in found[:MOST_UNSURE]]


def _unsure_cell(filled: Filled, probability: float, result: Answer, place: int) -> UnsureCell:
    row = int(result.rows[place])
    value = _text(result.cells[place])
    number, column = int(filled.numbers[row]), result.target.column
    return UnsureCell(number, column, value, probability, _rival(result, row), _about(filled, row))


def _rival(result: Answer, row: int) -> str:
    """The second likeliest class, or the tag the model is least sure of."""
    name, p = result.doubts(row)[-1]
    return f"{'least sure of ' if result.target.task == 'tags' else ''}{name}, {percent(p)}"


def _questions(filled: Filled) -> Iterator[AskedCell]:
    if len(filled.X) > MOST_ROWS_FOR_QUESTIONS or not any(len(result.rows) for result in filled.results):
        return
    costs = {result.target.column: 1.0 for result in filled.results}
    for one in best_questions(filled.X, filled.results, N_QUESTIONS, costs):
        yield AskedCell(
            int(filled.numbers[one.row]), one.column, _text(one.suggestion), one.why, _about(filled, one.row)
        )


def _about(filled: Filled, row: int) -> str:
    """The first cells of a row beside the targets."""
    targets = {result.target.column for result in filled.results}
    cells = zip(filled.table.frame.columns, filled.table.frame.iloc[row].tolist(), strict=True)
    told = [f"{name} {_text(cell)}" for name, cell in cells if name not in targets and not is_missing(cell)]
    return " · ".join(told[:MOST_TOLD])


def _text(cell: Any) -> str:
    return shortened("; ".join(map(str, cell)) if is_list(cell) else str(cell), 40)


def _missing_words(texts: Sequence[str]) -> str:
    """What --missing takes: texts that are added to the usual ones, or after an empty text all there are."""
    added = [text for text in texts if text not in MISSING]
    return ",".join(added if set(MISSING) <= set(texts) else ["", *texts])


def _repeat(filled: Filled) -> Repeat:
    settings = filled.settings
    again = _again(filled) if isinstance(filled.table.source, Frame) else shlex.join(_words(filled))
    shown = tuple((name, "found" if value is None else _text(value) or "none") for name, value in settings.items())
    return Repeat(again, shown, tuple(versions().items()), tuple(filled.seconds.items()))


def _again(filled: Filled) -> str:
    """What fills a frame again, in Python."""
    settings = filled.settings
    given = {"target": settings["targets"], "task": settings["task"], "ignore": settings.get("ignore")}
    given |= {"class_weight": settings.get("class_weight"), "features": settings["features"]}
    given |= {"missing": settings["missing"] if tuple(settings["missing"]) != MISSING else None}
    said = [f"{name}={value!r}" for name, value in given.items() if value is not None]
    return f"lsvv.fill(frame, {', '.join(said)}, random_state={settings['random_state']})"


def _words(filled: Filled) -> list[str]:
    """What fills a file again, on the command line."""
    settings = filled.settings
    name = filled.table.name
    words = ["lsvv", "fill", "-" if name == "standard input" else name]
    words += [word for target in settings["targets"] for word in ("--target", target)]
    words += [word for sheet in settings["labels"] for word in ("--labels", sheet)]
    words += [word for column in settings.get("ignore", ()) for word in ("--ignore", column)]
    if settings["task"] is not None:
        words += ["--task", settings["task"]]
    if settings["format"] != format_of(ending_of(name).removesuffix(".gz")):
        words += ["--format", settings["format"].lstrip(".")]
    if tuple(settings["missing"]) != MISSING:
        words += ["--missing", _missing_words(settings["missing"])]
    for option in ("sheet", "header_row", "decimal", "class_weight"):
        if option in settings:
            words += [f"--{option.replace('_', '-')}", str(settings[option])]
    if settings.get("safe_csv"):
        words.append("--safe-csv")
    return [*words, "--features", settings["features"], "--seed", str(settings["random_state"])]
