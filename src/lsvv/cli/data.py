"""``lsvv data``: the data sets of the paper."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from lsvv.cli import options
from lsvv.cli.speech import BAD_INPUT, STOPPED, put, say, sentences

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode="markdown", help="List, fetch and verify the paper's data sets."
)

Folder = Annotated[
    str | None, typer.Option("--folder", envvar="LSVV_DATA", help="Where the data sets are [default: $LSVV_DATA].")
]
Names = Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="Which data sets; all by default.")]


def _known(names: list[str] | None) -> tuple[str, ...]:
    """The names, all of them in the registry."""
    from lsvv.data import DATASETS, DataError

    for name in names or ():
        if name not in DATASETS:
            raise DataError(f"There is no data set named {name!r}. See 'lsvv data list'.")
    return tuple(names or ())


@app.command("list")
def list_command(as_json: options.Json = False, debug: options.Debug = False) -> None:
    """List the data sets by name, task and size.

    Try: `lsvv data list`
    """
    with sentences(debug):
        from lsvv.data import DATASETS

        entries = list(DATASETS.values())
        if as_json:
            keys = ("name", "task", "rows", "columns", "K", "source", "note")
            put(json.dumps([{key: getattr(entry, key) for key in keys} for entry in entries], indent=2))
            return
        for entry in entries:
            put(f"{entry.name:17} {entry.task:12} {entry.rows:7} rows {entry.columns:5} columns {entry.K:4} outputs")


@app.command("fetch")
def fetch_command(
    names: Names = None, folder: Folder = None, quiet: options.Quiet = False, debug: options.Debug = False
) -> None:
    """Fetch data sets into a folder; a download that broke off goes on where it stopped.

    Try: `lsvv data fetch iris wine --folder data`
    """
    with sentences(debug):
        from lsvv.data import fetch, paper_names

        try:
            for name in _known(names) or paper_names():
                files = fetch(name, folder)
                say(f"{name}: {', '.join(str(file) for file in files)}", quiet)
        except KeyboardInterrupt:
            say("Stopped. What was fetched stays; the same command goes on from there.")
            raise typer.Exit(STOPPED) from None


@app.command("verify")
def verify_command(
    names: Names = None, folder: Folder = None, as_json: options.Json = False, debug: options.Debug = False
) -> None:
    """Load each data set that is here and hold it against what is known of it; exit code 1 if one fails.

    Try: `lsvv data verify iris --folder data`
    """
    with sentences(debug):
        from lsvv.data import verify

        findings = verify(folder, _known(names) or None)
        if as_json:
            put(json.dumps([vars(finding) for finding in findings], indent=2))
        else:
            for finding in findings:
                put(f"{'good' if finding.good else 'BAD '} {finding.name}: {finding.sentence}")
        if not all(finding.good for finding in findings):
            raise typer.Exit(BAD_INPUT)
