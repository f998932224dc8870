"""What every command says and how it ends: sentences on standard error, exit codes for scripts."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from lsvv.cli.stopping import Stopped, code_of_stop, end_at_once_on_signals

if TYPE_CHECKING:
    from lsvv.tables.cautions import Caution
    from lsvv.tables.files import Content
    from lsvv.tables.filling import Progress

__all__ = [
    "BAD_INPUT",
    "BUG",
    "CANNOT_WRITE",
    "STOPPED",
    "WRONG_USAGE",
    "progress",
    "put",
    "put_json",
    "say",
    "say_notes",
    "say_warnings",
    "sentences",
]

BAD_INPUT, WRONG_USAGE, CANNOT_WRITE, BUG, STOPPED = 1, 2, 3, 70, 130
LONG = 30.0
"""Seconds after which work that nobody sees a bar of tells how far it is, and again how far a stage is."""
NO_MEMORY = "There is not enough memory for this table. Leave out rows or columns, or use a larger machine."


@contextmanager
def sentences(debug: bool) -> Iterator[Callable[..., None]]:
    """Turns what goes wrong into a sentence and an exit code; with ``debug`` into a traceback.

    Yields what writes bytes to a place, so that a command that ends early can tell what it has written.
    """
    written: list[str] = []

    def write(data: Content, out: str, targets: Sequence[str] = ()) -> None:
        _write(data, out, targets)
        written.append("standard output" if out == "-" else out)

    try:
        yield write
        end_at_once_on_signals()
    except (typer.Exit, BrokenPipeError):
        # a reader that stops reading, as head does, is no error: the command line ends quietly, with exit code 1
        raise
    except (Exception, KeyboardInterrupt, Stopped) as error:
        stop = code_of_stop(error)
        if stop is not None:
            say(f"Stopped. {_kept(written) or 'No file was written.'}")
            raise typer.Exit(stop) from None
        if debug:
            raise
        code = _code(error)
        said = NO_MEMORY if isinstance(error, MemoryError) else str(error) or f"{type(error).__name__}."
        if code == BUG:
            said = (
                f"lsvv itself failed: {type(error).__name__}: {said} Run again with --debug and report what it shows."
            )
        say(" ".join(filter(None, (f"Error: {said}", _kept(written)))))
        raise typer.Exit(code) from None


def _kept(written: list[str]) -> str:
    return f"Written before that, and whole: {', '.join(written)}." if written else ""


def _code(error: BaseException) -> int:
    from lsvv.tables import WritingError
    from lsvv.tables.naming import NoTargetError

    if isinstance(error, WritingError):
        return CANNOT_WRITE
    if isinstance(error, NoTargetError):
        return WRONG_USAGE
    # estimators and loaders speak in ValueError and ImportError, always with a sentence
    return BAD_INPUT if isinstance(error, (ValueError, ImportError, MemoryError)) else BUG


def say(sentence: str, quiet: bool = False) -> None:
    """One line on standard error, so that standard output stays clean for tables and JSON."""
    if not quiet:
        typer.echo(sentence, err=True)


def say_notes(notes: Iterable[str], quiet: bool = False) -> None:
    """What a user should know of how the table was read and what the model took."""
    for note in notes:
        say(f"Note: {note}", quiet)


def say_warnings(warnings: Iterable[Caution], quiet: bool = False) -> None:
    """What a user should hear first."""
    for one in warnings:
        say(f"Warning: {one.text}", quiet)


def _write(data: Content, out: str, targets: Sequence[str]) -> None:
    """To a file, whole or not at all, or to standard output for "-"."""
    from lsvv.tables import write_atomically
    from lsvv.tables.files import put_into
    from lsvv.tables.written import remember

    if out == "-":
        with _standard_output():
            put_into(sys.stdout.buffer, data)
    else:
        write_atomically(data, out)
        remember(out, targets)


def put(text: str) -> None:
    """A text and the end of its line on standard output."""
    with _standard_output():
        typer.echo(text)


def put_json(values: Any, notes: Iterable[str] | None = None) -> None:
    """Values for scripts on standard output, with notes where they have none of their own."""
    put(json.dumps(values if notes is None else {**values, "notes": list(notes)}, indent=2, ensure_ascii=False))


@contextmanager
def _standard_output() -> Iterator[None]:
    """Tells of standard output that takes no more, as on a full disk."""
    if sys.stdout is None:
        from lsvv.tables import WritingError

        raise WritingError("Standard output is closed. Send it to a file, or name one with --out.")
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        from lsvv.tables import WritingError

        # what is left in the buffer would fail once more as Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise WritingError(f"Standard output cannot be written: {error.strerror}. Send it elsewhere.") from error


@contextmanager
def progress(quiet: bool) -> Iterator[Progress | None]:
    """A bar with stages and the time gone by on a terminal; elsewhere plain lines, once the work takes long.

    What a stage says behind a colon is how far it is.
    """
    if quiet:
        yield None
        return
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield _told_in_lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    # stages differ too much between tables for a time left that would be true
    columns: list[Any] = [SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Reading", total=1.0)

        def show(stage: str, done: float) -> None:
            bar.update(task, description=stage, completed=done)

        yield show


def _told_in_lines() -> Progress:
    """A line for each stage, and for a long one now and then."""
    start = time.monotonic()
    last: tuple[str, float] = ("", start)

    def show(stage: str, done: float) -> None:
        nonlocal last
        name, now = stage.partition(":")[0], time.monotonic()
        if now - start < LONG or (name == last[0] and now - last[1] < LONG):
            return
        last = (name, now)
        say(f"{stage} ...")

    return show
