"""``lsvv fill``: a table with holes in, the same table filled out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsvv.cli import options
from lsvv.cli.console import progress, put_json, say, say_notes, sentences

if TYPE_CHECKING:
    from lsvv.tables import Filled

__all__ = ["fill_command"]


@options.with_options
def fill_command(
    *,
    table: options.AnySizeTable,
    target: options.Target = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where the filled table goes; - is standard output."),
    ] = None,
    report: Annotated[str | None, typer.Option("--report", metavar="FILE", help="Write an HTML report there.")] = None,
    inputs: options.Inputs,
    task: options.Task = None,
    features: options.Features = "auto",
    class_weight: options.ClassWeight = "none",
    seed: options.Seed = 0,
    format: options.Format = None,
    reading: options.ReadAs,
    safe_csv: options.SafeCsv = False,
    force: options.Force = False,
    telling: options.Telling,
) -> None:
    """Fill the empty cells of target columns; everything known stays as it was.

    The filled table has the same rows, columns and format, and new columns to its right: for each target a probability
    (or lower and upper ends of a 90 % interval for numbers) and a mark of what was filled.

    Try:

    `lsvv fill animals.csv --target species`

    `lsvv fill animals.csv --target species,weight_kg --out full.csv --report report.html`

    `lsvv fill houses.xlsx --target price --task numbers --json`

    `lsvv fill animals.csv --target species --ignore note --class-weight balanced`

    `cat animals.csv | lsvv fill - --target species > full.csv`
    """
    with sentences(telling.debug) as write:
        from lsvv.tables import check_ending, check_places, fill
        from lsvv.tables.by_blocks import fill_large, write_filled
        from lsvv.tables.large import LargeTable
        from lsvv.tables.written import check_same_targets, check_unedited

        place = out or options.beside(table, "filled")
        check_places(
            {"--json": telling.json_place, "--out": place, "--report": report}, [table, *(inputs.labels or ())]
        )
        check_unedited((place, report), force)
        with progress(telling.silent) as show:
            found, targets = inputs.of_any_size(reading.table_of_any_size(table, format), target, reading)
            check_same_targets(place, targets, force)
            if out not in (None, "-"):
                check_ending(out, found.head if isinstance(found, LargeTable) else found, table)
            how: dict[str, Any] = {"task": task, "features": features, "class_weight": class_weight}
            how |= {"random_state": seed, "progress": show}
            if isinstance(found, LargeTable):
                filled = fill_large(found, targets, **how)
                write(partial(write_filled, found, filled, progress=show), place, targets)
            else:
                filled = fill(found, targets, safe_csv=safe_csv, **how)
                if show is not None:
                    show("Writing", 0.98)
                write(filled.rendered(), place, targets)
            if report is not None:
                from lsvv.report import fill_report

                write(fill_report(filled).encode("utf-8"), report)
        _tell(filled, place, report, telling)


def _tell(filled: Filled, place: str, report: str | None, telling: options.Telling) -> None:
    if telling.as_json:
        from lsvv.tables import summary

        put_json({**summary(filled), "out": place, "report": report})
        return
    if telling.quiet:
        return
    from lsvv.tables.headline import further_notes, headline

    for line in headline(filled):
        say(line)
    say_notes(further_notes(filled))
    for what, where in (("filled table", place), ("report", report)):
        if where not in (None, "-"):
            say(f"The {what} is in {where}")
