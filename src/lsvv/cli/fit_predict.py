"""``lsvv fit``, ``lsvv predict`` and ``lsvv export``: a model in a file, used on other tables."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from lsvv.cli import options
from lsvv.cli.console import progress, put_json, say, say_notes, say_warnings, sentences

__all__ = ["export_command", "fit_command", "predict_command"]

Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file from 'lsvv fit'.")]


@options.with_options
def fit_command(
    *,
    table: options.AnySizeTable,
    target: options.Target = None,
    out: Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="Where the model goes.")] = "model.lsvv",
    inputs: options.Inputs,
    task: options.Task = None,
    features: options.Features = "auto",
    class_weight: options.ClassWeight = "none",
    seed: options.Seed = 0,
    format: options.Format = None,
    reading: options.ReadAs,
    telling: options.Telling,
) -> None:
    """Learn from a table and keep the model in a file, which opens without executing code.

    Try:

    `lsvv fit animals.csv --target species --out animals.lsvv`

    `lsvv predict animals.lsvv new.csv`
    """
    with sentences(telling.debug) as write:
        from lsvv.tables import check_places, fill, summary
        from lsvv.tables.by_blocks import fill_large
        from lsvv.tables.large import LargeTable
        from lsvv.tables.modelfile import TableModel, saved

        check_places({"--json": telling.json_place, "--out": out}, [table, *(inputs.labels or ())])
        with progress(telling.silent) as show:
            found, targets = inputs.of_any_size(reading.table_of_any_size(table, format), target, reading)
            how: dict[str, Any] = {"task": task, "features": features, "class_weight": class_weight}
            how |= {"random_state": seed, "progress": show}
            if isinstance(found, LargeTable):
                filled = fill_large(found, targets, **how)
            else:
                filled = fill(found, targets, together=False, **how)
            write(saved(TableModel.of(filled)), out)
        if telling.as_json:
            put_json({**summary(filled), "out": out})
            return
    from lsvv.tables.headline import further_notes

    say_warnings(filled.warnings, telling.quiet)
    for result in filled.results:
        say(f"{result.target.column}: {result.target.task}, {result.quality.sentence()}.", telling.quiet)
    alone = "The model predicts each target from the inputs alone; lsvv fill asks known cells of the other targets too."
    say_notes((*further_notes(filled), *([alone] if len(filled.results) > 1 else [])), telling.quiet)
    if out != "-":
        say(f"The model is in {out}", telling.quiet)


@options.with_options
def predict_command(
    *,
    model: Model,
    table: options.AnySizeTable,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Where the table goes; - is standard output.")
    ] = None,
    format: options.Format = None,
    reading: options.ReadAs,
    safe_csv: options.SafeCsv = False,
    force: options.Force = False,
    telling: options.Telling,
) -> None:
    """Add predictions to every row of a table: a prediction and its probability or interval for each target.

    Try: `lsvv predict animals.lsvv new.csv --out new.predicted.csv`
    """
    with sentences(telling.debug) as write:
        from lsvv.tables import check_ending, check_places
        from lsvv.tables.by_blocks import write_predicted
        from lsvv.tables.formulas import with_safe_texts
        from lsvv.tables.large import LargeTable
        from lsvv.tables.modelfile import opened
        from lsvv.tables.vectorizer import Unread
        from lsvv.tables.written import check_same_targets, check_unedited

        place = out or options.beside(table, "predicted")
        check_places({"--json": telling.json_place, "--out": place}, [model, table])
        check_unedited((place,), force)
        check_same_targets(place, (), force)
        fitted = opened(Path(model))
        found = reading.table_of_any_size(table, format)
        # the first rows of a large table tell what becomes of all
        some = found.head if isinstance(found, LargeTable) else found
        if out not in (None, "-"):
            check_ending(out, some, table)
        edits, told = with_safe_texts(some, fitted.predictions(some), safe_csv)
        unread = Unread(fitted.vectorizer)
        if isinstance(found, LargeTable):
            with progress(telling.silent) as show:
                write(partial(write_predicted, found, fitted, unread, progress=show), place)
        else:
            write(some.source.rendered(edits), place)
            unread.hear(some.frame, some.source.notation)
    notes = (*fitted.notes, *some.notes, *unread.notes, *told)
    n_rows = found.n_rows if isinstance(found, LargeTable) else len(some.frame)
    if telling.as_json:
        put_json({"table": table, "rows": n_rows, "added": list(edits.columns), "out": place}, notes)
        return
    say_notes(notes, telling.quiet)
    if place != "-":
        say(f"The predictions are in {place}", telling.quiet)


@options.with_options
def export_command(
    *,
    model: Model,
    out: Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="Where the ONNX file goes.")] = "model.onnx",
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", metavar="COL", help="Which target, where the model has several groups."),
    ] = None,
    telling: options.Telling,
) -> None:
    """Write a model as ONNX: from the vectorised inputs to one score an output, what the model expects of it.

    Try: `lsvv export animals.lsvv --out animals.onnx`
    """
    with sentences(telling.debug) as write:
        from lsvv.tables import check_places
        from lsvv.tables.modelfile import opened
        from lsvv.tables.onnx import exported

        check_places({"--json": telling.json_place, "--out": out}, [model])
        fitted = opened(Path(model))
        write(exported(fitted.model_of(target)), out)
    if telling.as_json:
        put_json({"model": model, "out": out}, fitted.notes)
        return
    say_notes(fitted.notes, telling.quiet)
    if out != "-":
        say(f"The ONNX model is in {out}", telling.quiet)
