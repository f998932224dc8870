"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from lsvv.tables.table import Table as ReadTable

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
FEATURES = typer.Option("--features", help="What the model may be: auto, linear or fourier (curved).")
Features = Annotated[str, FEATURES]
Seed = Annotated[
    int,
    typer.Option("--seed", min=0, max=2**32 - 1, help="Seeds all draws; the same seed repeats the result."),
]
Format = Annotated[
    str | None, typer.Option("--format", help="csv, tsv, parquet, xlsx or jsonl, whatever the file's ending says.")
]
Missing = Annotated[
    str | None,
    typer.Option(
        "--missing",
        metavar="TEXT[,TEXT...]",
        help="Texts that mean an empty cell, beside NA, N/A, NaN and the like; '' switches these off.",
    ),
]
SafeCsv = Annotated[
    bool,
    typer.Option("--safe-csv", help="Put ' before new texts of a CSV file that a spreadsheet takes for a formula."),
]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--labels",
        metavar="SHEET",
        help="A sheet from 'lsvv ask' or 'lsvv label', or a JSON export of Label Studio. Repeatable.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print a summary as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def markers(missing: str | None) -> tuple[str, ...]:
    """The texts that mean an empty cell: the usual ones and those given, or these alone where one of them is empty."""
    from lsvv.tables.files import MISSING

    given = [] if missing is None else [text.strip() for text in missing.split(",")]
    return (*(() if "" in given else MISSING), *(text for text in given if text))


def labelled(
    table: str, target: list[str], labels: list[str] | None, format: str | None, missing: str | None
) -> tuple[ReadTable, list[str]]:
    """The table with the labels of the sheets, and the names of its target columns."""
    from lsvv.tables import read
    from lsvv.tables.labelstudio import read_export
    from lsvv.tables.sheets import with_labels

    found = read(table, format=format, missing=markers(missing))
    targets = _names_in(target, list(found.frame.columns))
    for sheet in labels or ():
        read_sheet = read_export if sheet.lower().endswith(".json") else read
        found = with_labels(found, read_sheet(sheet, missing=markers(missing)), targets)
    return found, targets


def _names_in(given: list[str], there: list[str]) -> list[str]:
    """Column names from an option that may be repeated and may hold several, parted by commas."""
    names: list[str] = []
    for value in given:
        names += [value] if value in there else [name.strip() for name in value.split(",") if name.strip()]
    return names


def beside(table: str, mark: str, ending: str | None = None) -> str:
    """Where an output goes by default: animals.csv to animals.MARK.csv, standard input to standard output."""
    from lsvv.tables import TableError

    path = Path(table)
    if table == "-":
        return "-"
    if not path.name:
        raise TableError(f"{table!r} names no file. Name a table.")
    return str(path.with_name(f"{path.stem}.{mark}{path.suffix if ending is None else ending}"))
