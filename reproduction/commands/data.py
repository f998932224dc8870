"""``python -m reproduction data``: the data sets of the paper."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from lsvv.cli import options
from lsvv.cli.console import BAD_INPUT, STOPPED, progress, put, say, sentences

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode="markdown", help="List, fetch and verify the paper's data sets."
)

Folder = Annotated[
    str | None,
    typer.Option("--folder", "--data", envvar="LSVV_DATA", help="Where the data sets are [default: $LSVV_DATA]."),
]
Names = Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="Which data sets; all by default.")]

ALL = "all"
TOLD = ("name", "task", "rows", "columns", "d", "K", "source", "citation", "note")


def _known(names: list[str] | None) -> tuple[str, ...]:
    """The names, all of them in the registry; empty if all data sets are meant."""
    from reproduction.data import DATASETS, DataError

    given = () if names is None or ALL in names else tuple(names)
    for name in given:
        if name not in DATASETS:
            raise DataError(f"There is no data set named {name!r}. See 'python -m reproduction data list'.")
    return given


@app.command("list")
def list_command(
    folder: Folder = None, as_json: options.Json = False, quiet: options.Quiet = False, debug: options.Debug = False
) -> None:
    """List the data sets by name, task and size; which of them are in the folder, and why the others are not.

    Try: `python -m reproduction data list --folder data`
    """
    with sentences(debug):
        from reproduction.data import DATASETS

        entries = list(DATASETS.values())
        found = {} if folder is None else _presence(folder)
        if as_json:
            told = [{key: getattr(entry, key) for key in TOLD} | {"found": found.get(entry.name)} for entry in entries]
            put(json.dumps(told, indent=2))
            return
        for entry in entries:
            sizes = f"{entry.rows:7} rows {entry.columns:5} columns {entry.K:4} outputs"
            put(f"{entry.name:17} {entry.task:12} {sizes}  {found.get(entry.name, '')}".rstrip())
        if folder is None:
            say("Name a folder with --folder or LSVV_DATA to see what is in it.", quiet)


def _presence(folder: str) -> dict[str, str]:
    """Of each data set, whether it is in the folder, and if not, why."""
    from reproduction.data import DATASETS, available
    from reproduction.data.loading import find, missing_sentence

    said = {finding.name: finding.sentence for finding in available(folder)}
    for name in DATASETS.keys() - said.keys():
        found = find(name, Path(folder))
        said[name] = (
            f"not here: {missing_sentence(name, Path(folder))}"
            if found is None
            else f"here: {' with '.join(file.name for file in found.files)}."
        )
    return said


@app.command("fetch")
def fetch_command(
    names: Names = None, folder: Folder = None, quiet: options.Quiet = False, debug: options.Debug = False
) -> None:
    """Fetch data sets into a folder; a download that broke off goes on where it stopped.

    One that cannot be had does not keep the others from being fetched; the exit code is then 1.

    Try: `python -m reproduction data fetch iris wine --folder data`
    """
    with sentences(debug):
        from reproduction.data import paper_names

        wanted = _known(names) or paper_names()
        try:
            fetched = [_fetched(name, folder, quiet) for name in wanted]
        except KeyboardInterrupt:
            say("Stopped. What was fetched stays; the same command goes on from there.")
            raise typer.Exit(STOPPED) from None
        if not all(fetched):
            raise typer.Exit(BAD_INPUT)


def _fetched(name: str, folder: str | None, quiet: bool) -> bool:
    """Whether the files of a data set are in the folder now; says where, or why not."""
    from lsvv.tables import WritingError
    from reproduction.data import DataError, fetch

    try:
        with progress(quiet) as bar:
            files = fetch(name, folder, None if bar is None else partial(_show, bar))
    except DataError as error:
        if folder is None:
            raise
        say(f"Error: {error}")
        return False
    except OSError as error:
        raise WritingError(f"{error.filename or folder} cannot be written: {error.strerror}.") from error
    say(f"{name}: {', '.join(str(file) for file in files)}", quiet)
    return True


def _show(bar: Callable[[str, float], None], file: str, here: int, total: int | None) -> None:
    megabytes = f"{here / 1e6:.1f}" if total is None else f"{here / 1e6:.1f} of {total / 1e6:.1f}"
    bar(f"{file}, {megabytes} MB", here / total if total else 0.0)


@app.command("verify")
def verify_command(
    names: Names = None, folder: Folder = None, as_json: options.Json = False, debug: options.Debug = False
) -> None:
    """Load each data set that is here and hold it against what is known of it.

    The exit code is 1 if one fails, if one that is named is not here, or if none is.

    Try: `python -m reproduction data verify iris --folder data`
    """
    with sentences(debug):
        from reproduction.data import verify
        from reproduction.data.loading import data_folder, find

        named = _known(names)
        findings = verify(folder, named or None)
        absent = {finding.name for finding in findings if find(finding.name, data_folder(folder)) is None}
        if as_json:
            put(json.dumps([vars(one) | {"here": one.name not in absent} for one in findings], indent=2))
        else:
            for finding in findings:
                word = "good" if finding.good else "BAD" if named or finding.name not in absent else ""
                put(f"{word:4} {finding.name}: {finding.sentence}")
        wrong = [one for one in findings if not one.good and (named or one.name not in absent)]
        if wrong or len(absent) == len(findings):
            raise typer.Exit(BAD_INPUT)
