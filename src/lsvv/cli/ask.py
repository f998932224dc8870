"""``lsvv ask``: which cells to label next."""

from __future__ import annotations

from typing import Annotated

import typer

from lsvv.cli import options
from lsvv.cli.console import progress, put_json, say, say_notes, sentences

__all__ = ["ask_command"]


@options.with_options
def ask_command(
    *,
    table: options.Table,
    target: options.Target = None,
    budget: Annotated[
        float, typer.Option("--budget", "-b", metavar="NUMBER", help="Cells to ask for, or what they may cost.")
    ] = 20,
    cost: Annotated[
        str | None,
        typer.Option("--cost", metavar="COL=COST[,...]", help="What one label of a column costs [default: 1]."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Where the sheet goes; - is standard output.")
    ] = None,
    inputs: options.Inputs,
    task: options.Task = None,
    features: options.Features = "auto",
    seed: options.Seed = 0,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="WORD",
            help="label-studio writes tasks for Label Studio instead of a sheet; csv, tsv, parquet, xlsx, json or "
            "jsonl say how the table is read, whatever its ending.",
        ),
    ] = None,
    reading: options.ReadAs,
    telling: options.Telling,
) -> None:
    """Write a sheet of the cells whose labels would help most; fill its label column and hand it back.

    Try:

    `lsvv ask animals.csv --target species --budget 20`

    `lsvv ask animals.csv --target species,weight_kg --budget 30 --cost weight_kg=2 --out sheet.csv`

    `lsvv fill animals.csv --target species --labels animals.ask.csv`

    `lsvv ask animals.csv --target species --labels animals.ask.csv --out second.csv`

    `lsvv ask animals.csv --target species --format label-studio`
    """
    with sentences(telling.debug) as write, progress(telling.silent) as show:
        from lsvv.tables import check_places, fill
        from lsvv.tables.asking import best_questions, check_budget, costs_of
        from lsvv.tables.sheets import check_sheet
        from lsvv.tables.sheets import sheet as sheet_of
        from lsvv.tables.words import count

        check_budget(budget)
        answered = inputs.labels or []
        studio = format == "label-studio"
        place = out or options.beside(table, "ask", ".json" if studio else ".csv")
        setup = None if not studio or place == "-" else options.beside(place, "setup", ".xml")
        check_places({"--json": telling.json_place, "--out": place, "the labelling setup": setup}, [table, *answered])
        if place != "-" and not studio:
            check_sheet(place)
        read_as = None if studio else format
        found = reading.table(table, read_as)
        found, targets = inputs.labelled(found, target, reading)
        costs = costs_of(cost, targets)
        filled = fill(found, targets, task=task, features=features, random_state=seed, progress=show)
        asked = best_questions(filled.X, filled.results, budget, costs, random_state=seed)
        if studio:
            from lsvv.tables.labelstudio import labelling_setup, tasks

            write(tasks(found, asked, filled.results), place)
            if setup is not None:
                write(labelling_setup(filled.results), setup)
        else:
            write(sheet_of(found, asked), place)
    if telling.as_json:
        from lsvv.tables.asking import told

        put_json({"asked": [told(one) for one in asked], "out": place, "setup": setup}, filled.notes)
        return
    say_notes(filled.notes, telling.quiet)
    say(
        f"Worth asking for: {count(len(asked), 'cell')}, at a cost of {sum(one.cost for one in asked):g}.",
        telling.quiet,
    )
    if place == "-":
        return
    if studio:
        say(f"The tasks are in {place}, the labelling setup for Label Studio's settings in {setup}.", telling.quiet)
        say("Export the project as JSON or JSON-MIN and run lsvv fill with --labels and that file.", telling.quiet)
        return
    again = " ".join(f"--labels {one}" for one in (*answered, place))
    say(f"The sheet is in {place}. Fill its column 'label' and run lsvv fill with {again}", telling.quiet)
