"""The commands by name. Nothing heavy is imported before a command runs, so that help is quick."""

from __future__ import annotations

from typing import Annotated

import typer

from lsvv.cli import ask, bounds, data, fill, label, models, reproduce
from lsvv.cli.speech import put, sentences

__all__ = ["app"]

app = typer.Typer(
    name="lsvv",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Fill the holes of a table: few labels, many rows, one command.\n\n"
        "Example: `lsvv fill animals.csv --target species`\n\n"
        "Exit codes: 0 done; 1 the input cannot be used; 2 wrong usage; 3 the output cannot be written; "
        "70 an error of lsvv itself; 130 stopped by Ctrl-C."
    ),
)
app.command("fill")(fill.fill_command)
app.command("fit")(models.fit_command)
app.command("predict")(models.predict_command)
app.command("export")(models.export_command)
app.command("ask")(ask.ask_command)
app.command("label")(label.label_command)
app.command("bounds")(bounds.bounds_command)
app.command("reproduce")(reproduce.reproduce_command)
app.add_typer(data.app, name="data")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        with sentences(debug=False):
            put(f"lsvv {version('lsvv')}")
        raise typer.Exit


@app.callback()
def lsvv(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Declare what stands before a command."""
