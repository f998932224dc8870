"""The commands by name. Nothing heavy is imported before a command runs, so that help is quick."""

from __future__ import annotations

from typing import Annotated, Any

import typer
import typer.core

from lsvv.cli import ask, bounds, fill, fit_predict, label
from lsvv.cli.console import WRONG_USAGE, put, say, sentences

__all__ = ["app"]


class _PlainFlags:
    """A command, or their group, whose help names no type for options that take no value."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options, those that take no value without the name of a type."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in found:
            if getattr(one, "is_flag", False):
                one.metavar = ""
        return found


class Command(_PlainFlags, typer.core.TyperCommand):
    """A command of its own."""


class Commands(_PlainFlags, typer.core.TyperGroup):
    """All commands."""


app = typer.Typer(
    name="lsvv",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Fill the holes of a table: few labels, many rows, one command.\n\n"
        "Example: `lsvv fill animals.csv --target species`\n\n"
        "Exit codes: 0 done; 1 the input cannot be used; 2 wrong usage; 3 the output cannot be written; "
        "70 an error of lsvv itself; 130 stopped by Ctrl-C, 143 or 129 by another "
        "signal to end."
    ),
)
app.command("fill", cls=Command)(fill.fill_command)
app.command("fit", cls=Command)(fit_predict.fit_command)
app.command("predict", cls=Command)(fit_predict.predict_command)
app.command("export", cls=Command)(fit_predict.export_command)
app.command("ask", cls=Command)(ask.ask_command)
app.command("label", cls=Command)(label.label_command)
app.command("bounds", cls=Command)(bounds.bounds_command)


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


ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


@app.command("reproduce", hidden=True, context_settings=ANYTHING)
@app.command("data", hidden=True, context_settings=ANYTHING)
def _moved(context: typer.Context) -> None:
    """Tell where a former command has gone."""
    say(
        f"Error: lsvv {context.command.name} has moved: the paper's experiments and their data sets are no longer part "
        f"of what pip installs. In the project's folder, run: python -m reproduction --help"
    )
    raise typer.Exit(WRONG_USAGE)
