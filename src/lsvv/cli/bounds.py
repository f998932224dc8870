"""``lsvv bounds``: what the theory says of a model, and how little where it says little."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsvv.cli import options
from lsvv.cli.console import progress, put, put_json, say, say_notes, sentences

if TYPE_CHECKING:
    import numpy as np

    from lsvv.tables import Table
    from lsvv.tables.modelfile import TableModel

__all__ = ["bounds_command"]

PLOTS = ("svg", "png", "pdf")


@options.with_options
def bounds_command(
    *,
    source: Annotated[str, typer.Argument(metavar="TABLE|MODEL", help="A table, or a model file from 'lsvv fit'.")],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", "-t", metavar="COL[,COL...]", help="Columns to learn; a model file knows its own."),
    ] = None,
    rows: Annotated[
        str | None, typer.Option("--rows", metavar="TABLE", help="Rows for the spectrum, beside a model file.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option("--plot", metavar="FILE", help="Write the spectra there: .svg, .png or .pdf.")
    ] = None,
    delta: Annotated[
        float, typer.Option("--delta", metavar="NUMBER", help="A bound may fail with this probability.")
    ] = 0.05,
    inputs: options.Inputs,
    task: options.Task = None,
    features: Annotated[str | None, options.FEATURES] = None,
    seed: options.Seed = 0,
    format: options.Format = None,
    reading: options.ReadAs,
    telling: options.Telling,
) -> None:
    """Print the parts of the paper's bounds, as printed and as corrected, beside the complexity measured.

    With few labels the numbers exceed the range of the loss; such a number is called vacuous, and so it is.

    Try:

    `lsvv bounds animals.csv --target species --plot spectrum.svg`

    `lsvv bounds animals.lsvv --rows animals.csv`
    """
    with sentences(telling.debug) as write:
        from lsvv.report.bounds_text import bounds_lines, bounds_summary, spectrum_plot
        from lsvv.tables import TableError, check_places, fill
        from lsvv.tables.model_bounds import bounds_of, subjects
        from lsvv.tables.modelfile import TableModel, is_model

        if plot is not None and Path(plot).suffix.lstrip(".") not in PLOTS:
            raise TableError(f"{plot} is no plot: end its name with one of .{', .'.join(PLOTS)}.")
        check_places({"--plot": plot}, [source, rows, *(inputs.labels or ())])
        with progress(telling.silent) as show:
            if is_model(source):
                learning = {"--target": target, "--task": task, "--features": features}
                _refuse(learning | inputs.given, f"{source} is a model file and has learnt already")
                model, X, notes = _from_model(source, None if rows is None else reading.table(rows, format))
            else:
                _refuse({"--rows": rows}, f"{source} is no model file, and a table has rows of its own")
                found, targets = inputs.labelled(reading.table(source, format), target, reading)
                filled = fill(
                    found,
                    targets,
                    task=task,
                    features=features or "auto",
                    together=False,
                    random_state=seed,
                    progress=show,
                )
                model, X, notes = TableModel.of(filled), filled.X, filled.notes
            bounds = [bounds_of(subject, delta=delta, random_state=seed) for subject in subjects(model, X)]
            if plot is not None:
                write(spectrum_plot(bounds, Path(plot).suffix.lstrip(".")), plot)
        if telling.as_json:
            put_json([bounds_summary(one) for one in bounds])
        else:
            put("\n\n".join("\n".join(bounds_lines(one)) for one in bounds))
    say_notes(notes, telling.quiet)
    if plot is not None:
        say(f"The spectra are in {plot}", telling.quiet)


def _refuse(given: dict[str, Any], why: str) -> None:
    """Refuses options that would be of no effect."""
    for option, value in given.items():
        if value:
            raise ValueError(f"{why}. Leave {option} out.")


def _from_model(source: str, rows: Table | None) -> tuple[TableModel, np.ndarray | None, tuple[str, ...]]:
    """The model in a file, the rows of a table as it sees them, and what a user should know of both."""
    from lsvv.tables.modelfile import opened

    model = opened(Path(source))
    if rows is None:
        return model, None, model.notes
    seen = (rows.frame, rows.source.notation)
    notes = (*model.notes, *rows.notes, *model.vectorizer.unread(*seen))
    return model, model.vectorizer.transform(*seen), notes
