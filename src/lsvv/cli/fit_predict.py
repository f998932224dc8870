"""``lsvv fit``, ``lsvv predict`` and ``lsvv export``: a model in a file, used on other tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from lsvv.cli import options
from lsvv.cli.console import progress, put, say, say_notes, sentences

__all__ = ["export_command", "fit_command", "predict_command"]

Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file from 'lsvv fit'.")]


def fit_command(
    table: options.Table,
    target: options.Target,
    out: Annotated[str, typer.Option("--out", "-o", help="Where the model goes.")] = "model.lsvv",
    labels: options.Labels = None,
    task: options.Task = None,
    features: options.Features = "auto",
    seed: options.Seed = 0,
    format: options.Format = None,
    missing: options.Missing = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Learn from a table and keep the model in a file, which opens without executing code.

    Try:

    `lsvv fit animals.csv --target species --out animals.lsvv`

    `lsvv predict animals.lsvv new.csv`
    """
    with sentences(debug) as write:
        from lsvv.tables import check_places, fill, summary
        from lsvv.tables.modelfile import TableModel, saved

        check_places({"--json": "-" if as_json else None, "--out": out}, [table, *(labels or ())])
        with progress(quiet or as_json) as show:
            found, targets = options.labelled(table, target, labels, format, missing)
            filled = fill(
                found, targets, task=task, features=features, together=False, random_state=seed, progress=show
            )
            write(saved(TableModel.of(filled)), out)
        if as_json:
            put(json.dumps({**summary(filled), "out": out}, indent=2, ensure_ascii=False))
            return
    for result in filled.results:
        say(f"{result.target.column}: {result.target.task}, {result.quality.sentence()}.", quiet)
    alone = "The model predicts each target from the inputs alone; lsvv fill asks known cells of the other targets too."
    say_notes((*filled.notes, *([alone] if len(filled.results) > 1 else [])), quiet)
    if out != "-":
        say(f"The model is in {out}", quiet)


def predict_command(
    model: Model,
    table: options.Table,
    out: Annotated[str | None, typer.Option("--out", "-o", help="Where the table goes; - is standard output.")] = None,
    format: options.Format = None,
    missing: options.Missing = None,
    safe_csv: options.SafeCsv = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Add predictions to every row of a table: a prediction and its probability or interval for each target.

    Try: `lsvv predict animals.lsvv new.csv --out new.predicted.csv`
    """
    with sentences(debug) as write:
        from lsvv.tables import check_ending, check_places, read
        from lsvv.tables.formulas import with_safe_texts
        from lsvv.tables.modelfile import opened

        place = out or options.beside(table, "predicted")
        check_places({"--out": place}, [model, table])
        fitted = opened(Path(model))
        read_table = read(table, format=format, missing=options.markers(missing))
        if out not in (None, "-"):
            check_ending(out, read_table, table)
        edits, told = with_safe_texts(read_table, fitted.predictions(read_table), safe_csv)
        write(read_table.source.rendered(edits), place)
    unread = fitted.vectoriser.unread(read_table.frame, read_table.source.notation)
    say_notes((*fitted.notes, *read_table.notes, *unread, *told), quiet)
    if place != "-":
        say(f"The predictions are in {place}", quiet)


def export_command(
    model: Model,
    out: Annotated[str, typer.Option("--out", "-o", help="Where the ONNX file goes.")] = "model.onnx",
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Which target, where the model has several groups.")
    ] = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Write a model as ONNX: from the vectorised inputs to one score an output, what the model expects of it.

    Try: `lsvv export animals.lsvv --out animals.onnx`
    """
    with sentences(debug) as write:
        from lsvv.tables import check_places
        from lsvv.tables.modelfile import opened
        from lsvv.tables.onnx import exported

        check_places({"--out": out}, [model])
        fitted = opened(Path(model))
        write(exported(fitted.model_of(target)), out)
    say_notes(fitted.notes, quiet)
    if out != "-":
        say(f"The ONNX model is in {out}", quiet)
