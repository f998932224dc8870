"""``python -m reproduction run``: the tables and figures of the paper, from the data sets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsvv.cli import options
from lsvv.cli.console import STOPPED, progress, say, sentences

if TYPE_CHECKING:
    from reproduction.experiments import Chooser, Design
    from reproduction.running import Outcome, Step

__all__ = ["run_command"]

ALL = "all"
CHOICES = {
    "atlas": ("atlas", "smoothed"),
    "smoothed": ("smoothed",),
    "cv": ("cv",),
    "both": ("atlas", "smoothed", "cv"),
}
SAID_EVERY = 60.0
"""Seconds between two lines of progress where there is no terminal to draw a bar on."""


def run_command(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="linear-mc, kernel-mc, linear-ml, kernel-ml, labeled-rate, theta, datasets, methods or all.",
        ),
    ],
    out: Annotated[str, typer.Option("--out", "-o", help="Folder for records, tables and figures.")] = "reproduced",
    data: Annotated[
        str | None, typer.Option("--data", envvar="LSVV_DATA", help="Where the data sets are [default: $LSVV_DATA].")
    ] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Processes [default: one a core].")] = None,
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0.0, help="Begin no further split after so many minutes.")
    ] = None,
    repeats: Annotated[int | None, typer.Option("--repeats", min=1, help="Splits of a cell [default: 30].")] = None,
    sets: Annotated[
        str | None, typer.Option("--sets", metavar="SET[,SET...]", help="Work on these data sets only.")
    ] = None,
    chooser: Annotated[
        str,
        typer.Option(
            "--chooser", help="How tables choose: atlas (and our own method), cv or both; smoothed is our own alone."
        ),
    ] = "both",
    hide: Annotated[
        str, typer.Option("--hide", help="What is unlabelled in multi-label sets: rows or entries.")
    ] = "rows",
    quick: Annotated[
        bool, typer.Option("--quick", help="A smoke version on data that comes with scikit-learn; no --data needed.")
    ] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Try failed trials again.")] = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Run the paper's experiments and write their tables and figures, beside the published ones.

    Every finished split is kept: a run that was stopped, killed or out of time goes on where it was, on this machine or
    another, and a finished one is not run again.

    Try:

    `python -m reproduction run all --quick --out quick`

    `python -m reproduction run linear-mc kernel-mc --data data --out results --minutes 240`

    `python -m reproduction run all --data data --out results --chooser atlas --sets iris,wine`
    """
    with sentences(debug):
        from reproduction.experiments import plan
        from reproduction.pages import check_matplotlib, write_pages
        from reproduction.running import run

        check_matplotlib()
        asked = _experiments(names)
        design = _design(quick, repeats, hide)
        choosers = _choosers(chooser)
        folder = None if quick else _data_folder(data)
        units = plan(asked, design, choosers, None if sets is None else [name.strip() for name in sets.split(",")])
        _make(out)
        try:
            with _writable(out), _showing(quiet, len(units)) as show:
                outcome = run(units, folder, out, jobs=jobs, minutes=minutes, retry=retry, show=show)
            write_pages(out, folder, _shown(design, _design(quick, None, hide)), asked)
        except KeyboardInterrupt:
            say(f"Stopped. All finished splits are in {out}; the same command goes on from there.")
            raise typer.Exit(STOPPED) from None
        _tell(outcome, out, quiet)


def _experiments(names: list[str]) -> tuple[str, ...]:
    from reproduction.experiments import EXPERIMENTS

    wrong = [name for name in names if name not in (*EXPERIMENTS, ALL)]
    if wrong:
        raise ValueError(f"There is no experiment {wrong[0]!r}. Choose out of: {', '.join(EXPERIMENTS)}, {ALL}.")
    return tuple(name for name in EXPERIMENTS if ALL in names or name in names)


def _design(quick: bool, repeats: int | None, hide: str) -> Design:
    from reproduction.experiments import PAPER, QUICK

    if hide not in ("rows", "entries"):
        raise ValueError(f"--hide {hide} is unknown. Choose rows or entries.")
    hidden: Any = hide
    design = replace(QUICK if quick else PAPER, hidden=hidden)
    if repeats is None:
        return design
    return replace(
        design,
        repeats=repeats,
        rate_repeats=min(repeats, design.rate_repeats),
        theta_repeats=min(repeats, design.theta_repeats),
    )


def _shown(worked: Design, whole: Design) -> Design:
    """What the pages consist of: all that earlier runs may have left, and splits beyond that if they were asked for."""
    return replace(whole, repeats=max(worked.repeats, whole.repeats))


def _choosers(chooser: str) -> tuple[Chooser, ...]:
    if chooser not in CHOICES:
        raise ValueError(f"--chooser {chooser} is unknown. Choose one of: {', '.join(CHOICES)}.")
    found: Any = CHOICES[chooser]
    return found


def _data_folder(data: str | None) -> Path:
    from reproduction.data.loading import data_folder

    return data_folder(data)


def _make(out: str) -> None:
    from lsvv.tables import WritingError

    try:
        Path(out).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WritingError(f"The folder {out} cannot be made: {error.strerror}. Choose another with --out.") from error


@contextmanager
def _writable(out: str) -> Iterator[None]:
    """Tells of a folder that takes no records, as one that is read-only or on a full disk."""
    from lsvv.tables import WritingError

    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise WritingError(
            f"{error.filename or out} cannot be used: {error.strerror}. Splits that were finished are on record; "
            "make room or choose another folder with --out."
        ) from error


@contextmanager
def _showing(quiet: bool, total: int) -> Iterator[Callable[[Step], None] | None]:
    """A bar on a terminal, else a line now and then."""
    with progress(quiet) as bar:
        said = time.monotonic()

        def show(step: Step) -> None:
            nonlocal said
            words = f"{step.done} of {step.total} splits, {step.unit.data} ({step.unit.space})"
            left = f"{'at least' if step.at_least else 'about'} {_duration(step.seconds_left)} left"
            if bar is not None:
                bar(f"{words}, {left}", step.done / step.total)
            elif time.monotonic() - said > SAID_EVERY:
                said = time.monotonic()
                say(f"{words} done, {left}")

        yield None if quiet else show


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes} min"


def _tell(outcome: Outcome, out: str, quiet: bool) -> None:
    say(f"{outcome.worked} splits worked now, {outcome.found} were on record.", quiet)
    if outcome.missing:
        say(f"Data not at hand: {', '.join(outcome.missing)}.", quiet)
    if outcome.failed:
        say(f"{outcome.failed} trials failed; their records say why. --retry tries them again.")
    if outcome.left:
        say(f"{outcome.left} splits are left; the same command goes on with them.", quiet)
    say(f"The tables and figures are in {out}: begin with index.md or reproduction.html.", quiet)
