"""The commands by name. Nothing heavy is imported before a command runs, so that help is quick."""

from __future__ import annotations

import typer

from reproduction.commands import data, run

__all__ = ["app"]

app = typer.Typer(
    name="reproduction",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="The paper's experiments, run again.\n\nExample: `python -m reproduction run all --quick --out quick`",
)


# keeps ``run`` a word of its own
@app.callback()
def reproduction() -> None:
    """Declare what stands before a command."""


app.command("run")(run.run_command)
app.add_typer(data.app, name="data")
