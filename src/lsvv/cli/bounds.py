"""``lsvv bounds``: what the theory says of a model, and how little where it says little."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsvv.cli import options
from lsvv.cli.speech import names_in, progress, put, say, sentences

if TYPE_CHECKING:
    import numpy as np

    from lsvv.tables.filling import Progress
    from lsvv.tables.modelfile import TableModel

__all__ = ["bounds_command"]

PLOTS = ("svg", "png", "pdf")


def bounds_command(
    source: Annotated[str, typer.Argument(metavar="TABLE|MODEL", help="A table, or a model file from 'lsvv fit'.")],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", "-t", metavar="COL[,COL...]", help="Columns to learn; a model file knows its own."),
    ] = None,
    rows: Annotated[
        str | None, typer.Option("--rows", metavar="TABLE", help="Rows for the spectrum, beside a model file.")
    ] = None,
    plot: Annotated[str | None, typer.Option("--plot", help="Write the spectra there: .svg, .png or .pdf.")] = None,
    delta: Annotated[float, typer.Option("--delta", help="A bound may fail with this probability.")] = 0.05,
    task: options.Task = None,
    features: options.Features = "auto",
    seed: options.Seed = 0,
    format: options.Format = None,
    missing: options.Missing = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Print the parts of the paper's bounds, as printed and as corrected, beside the complexity measured.

    With few labels the numbers exceed the range of the loss; such a number is called vacuous, and so it is.

    Try:

    `lsvv bounds animals.csv --target species --plot spectrum.svg`

    `lsvv bounds animals.lsvv --rows animals.csv`
    """
    with sentences(debug) as write:
        from lsvv.experiments.bounds import bounds_of, subjects
        from lsvv.report.bounds import bounds_lines, bounds_summary, spectrum_plot
        from lsvv.tables import TableError, check_places

        if plot is not None and Path(plot).suffix.lstrip(".") not in PLOTS:
            raise TableError(f"{plot} is no plot: end its name with one of .{', .'.join(PLOTS)}.")
        check_places({"--plot": plot}, [source, rows])
        with progress(quiet or as_json) as show:
            if _is_model(source):
                model, X = _from_model(source, rows, target, format, missing)
            else:
                model, X = _from_table(source, rows, target, task, features, seed, format, missing, show)
            found = [bounds_of(subject, delta=delta, random_state=seed) for subject in subjects(model, X)]
            if plot is not None:
                write(spectrum_plot(found, Path(plot).suffix.lstrip(".")), plot)
        if as_json:
            put(json.dumps([bounds_summary(one) for one in found], indent=2, ensure_ascii=False))
        else:
            put("\n\n".join("\n".join(bounds_lines(one)) for one in found))
    if plot is not None:
        say(f"The spectra are in {plot}", quiet)


def _is_model(source: str) -> bool:
    """Whether a file is a model of lsvv; a spreadsheet is a zip file too."""
    import zipfile

    from lsvv.tables.modelfile import HEADER

    if source == "-" or not zipfile.is_zipfile(source):
        return False
    with zipfile.ZipFile(source) as archive:
        return HEADER in archive.namelist()


def _from_model(
    source: str, rows: str | None, target: list[str] | None, format: str | None, missing: str | None
) -> tuple[TableModel, np.ndarray | None]:
    from lsvv.tables import TableError, read
    from lsvv.tables.modelfile import opened

    if target:
        raise TableError(f"{source} is a model file and knows its targets. Leave --target out.")
    model = opened(Path(source))
    if rows is None:
        return model, None
    table = read(rows, format=format, missing=options.markers(missing))
    return model, model.vectoriser.transform(table.frame, table.source.notation)


def _from_table(
    source: str,
    rows: str | None,
    target: list[str] | None,
    task: str | None,
    features: str,
    seed: int,
    format: str | None,
    missing: str | None,
    show: Progress | None,
) -> tuple[TableModel, np.ndarray]:
    from lsvv.tables import TableError, fill, read
    from lsvv.tables.modelfile import TableModel

    if not target:
        raise TableError(f"{source} is a table: name the columns to learn with --target.")
    if rows is not None:
        raise TableError("--rows goes with a model file; a table has rows of its own. Leave it out.")
    table = read(source, format=format, missing=options.markers(missing))
    targets = names_in(target, list(table.frame.columns))
    filled = fill(table, targets, task=task, features=features, random_state=seed, progress=show)
    return TableModel.of(filled), filled.X
