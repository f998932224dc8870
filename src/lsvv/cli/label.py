"""``lsvv label``: a page on this machine that asks for one label after the other."""

from __future__ import annotations

import webbrowser
from typing import TYPE_CHECKING, Annotated

import typer

from lsvv.cli import options
from lsvv.cli.console import put_json, say, say_notes, sentences
from lsvv.cli.stopping import Stopped, code_of_stop

if TYPE_CHECKING:
    from lsvv.tables.labeling import Session

__all__ = ["label_command"]


@options.with_options
def label_command(
    *,
    table: options.Table,
    target: Annotated[str | None, typer.Option("--target", "-t", metavar="COL", help="The column to label.")] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="The sheet that takes the answers; one that is there goes on."
        ),
    ] = None,
    inputs: options.Inputs,
    task: Annotated[
        str | None,
        typer.Option(
            "--task", metavar="WORD", help="classes, tags or numbers; found from the known cells where there are some."
        ),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", metavar="NUMBER", min=0, max=65535, help="Where to listen; 0 takes a free port.")
    ] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    seed: options.Seed = 0,
    format: options.Format = None,
    reading: options.ReadAs,
    telling: options.Telling,
) -> None:
    """Label a column on a page of this machine, one row at a time; stop with Ctrl-C and go on whenever you like.

    Each answer is on disk, in a sheet beside the table, before the page says so. The table itself is not touched:
    hand the sheet to `lsvv fill`.

    Try:

    `lsvv label animals.csv --target species`

    `lsvv label houses.xlsx --target price --task numbers --no-browser`

    `lsvv fill animals.csv --target species --labels animals.label.csv`
    """
    with sentences(telling.debug):
        from lsvv.tables import TableError, check_places
        from lsvv.tables.labeling import Journal, Server, Session

        place = out or options.beside(table, "label", ".csv")
        if "-" in (table, place):
            raise TableError("A session needs a table in a file and a sheet beside it. Name them.")
        check_places({"--out": place}, [table, *(inputs.labels or ())])
        say("Reading the table and finding which rows hang together ...", telling.silent)
        found = reading.table(table, format)
        found, targets = inputs.labelled(found, [target] if target else None, reading)
        if len(targets) != 1:
            raise TableError("One column is labelled at a time. Name one with --target.")
        session = Session(found, targets[0], Journal(place, found), task=task, random_state=seed)
        server = Server(session, port)
        say_notes(session.ready.notes, telling.silent)
        # the address is what a script waits for, quiet or not
        if telling.as_json:
            put_json({"address": server.address, "sheet": place}, session.ready.notes)
        else:
            say(f"Label at {server.address}")
        say("Stop with Ctrl-C. Only this machine can open the page.", telling.silent)
        if browser:
            webbrowser.open(server.address)
        try:
            server.run()
        except Stopped as stop:
            # nothing was cut short: all answers are on disk
            raise typer.Exit(code_of_stop(stop) or 0) from None
        finally:
            _part(session, telling.silent)


def _part(session: Session, quiet: bool) -> None:
    from lsvv.tables.labeling import command_to_fill
    from lsvv.tables.words import count

    say("", quiet)
    say(f"{count(session.n_answered, 'answer')} in {session.journal.place}. Fill the table with:", quiet)
    say(f"  {command_to_fill(session)}", quiet)
