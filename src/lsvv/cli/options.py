"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Table = Annotated[
    str, typer.Argument(metavar="TABLE", help="CSV, TSV, Parquet, Excel or JSON-lines file; - is standard input.")
]
Target = Annotated[
    list[str],
    typer.Option("--target", "-t", metavar="COL[,COL...]", help="Columns to fill; empty cells are holes. Repeatable."),
]
Task = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="TASK",
        help="classes, labels, tags or numbers; or COL=TASK[,COL=TASK...]. Found from the cells by default.",
    ),
]
Features = Annotated[str, typer.Option("--features", help="What the model may be: auto, linear or fourier (curved).")]
Seed = Annotated[
    int,
    typer.Option("--seed", min=0, max=2**32 - 1, help="Seeds all draws; the same seed gives the same table."),
]
Format = Annotated[
    str | None, typer.Option("--format", help="csv, tsv, parquet, xlsx or jsonl, where the file's ending does not say.")
]
Missing = Annotated[
    str | None,
    typer.Option(
        "--missing", metavar="TEXT[,TEXT...]", help="Texts that mean an empty cell [default: NA,N/A,NaN,...]."
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option("--labels", metavar="SHEET", help="A sheet from 'lsvv ask', filled in by hand. Repeatable."),
]
Json = Annotated[bool, typer.Option("--json", help="Print a summary as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def markers(missing: str | None) -> tuple[str, ...]:
    """The texts that mean an empty cell."""
    from lsvv.tables.files import MISSING

    return MISSING if missing is None else tuple(text.strip() for text in missing.split(","))


def beside(table: str, mark: str, ending: str | None = None) -> str:
    """Where an output goes by default: animals.csv to animals.MARK.csv, standard input to standard output."""
    from lsvv.tables import TableError

    path = Path(table)
    if table == "-":
        return "-"
    if not path.name:
        raise TableError(f"{table!r} names no file. Name a table.")
    return str(path.with_name(f"{path.stem}.{mark}{path.suffix if ending is None else ending}"))
