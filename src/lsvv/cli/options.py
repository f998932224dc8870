"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from lsvv.tables.table import Table as ReadTable

Table = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, Parquet, Excel, JSON or JSON-lines file, packed by gzip or not; - is standard input.",
        show_default=False,
    ),
]
Target = Annotated[
    list[str] | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COL[,COL...]",
        help="Columns to fill; empty cells are holes. Repeatable; without it, columns with holes are listed.",
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="COL[,COL...]", help="Learn from these columns alone. Repeatable."),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="COL[,COL...]", help="Do not learn from these columns. Repeatable."),
]
ClassWeight = Annotated[
    str,
    typer.Option(
        "--class-weight",
        metavar="WORD",
        help="balanced gives rare answers as much weight as common ones; none leaves them as they are.",
    ),
]
Task = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="TASK",
        help="classes, labels, tags or numbers; or COL=TASK[,COL=TASK...]. Found from the cells by default.",
    ),
]
FEATURES = typer.Option("--features", metavar="WORD", help="What the model may be: auto, linear or fourier (curved).")
Features = Annotated[str, FEATURES]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", metavar="NUMBER", min=0, max=2**32 - 1, help="Seeds all draws; the same seed repeats the result."
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="WORD", help="csv, tsv, parquet, xlsx, json or jsonl, whatever the file's ending says."
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option("--sheet", metavar="NAME", help="The sheet of an Excel workbook that is the table [default: first]."),
]
HeaderRow = Annotated[
    int,
    typer.Option("--header-row", metavar="NUMBER", min=0, help="The line that names the columns; 0 where none does."),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal", metavar="SIGN", help="The decimal sign of a CSV file, . or , [default: found from its columns]."
    ),
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
    typer.Option(
        "--safe-csv",
        metavar="",
        help="Put ' before new texts of a CSV file that a spreadsheet takes for a formula.",
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--labels",
        metavar="SHEET",
        help="A sheet from 'lsvv ask' or 'lsvv label', or a JSON export of Label Studio. Repeatable.",
    ),
]
Json = Annotated[bool, typer.Option("--json", metavar="", help="Print a summary as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="Say nothing but errors.")]
Debug = Annotated[bool, typer.Option("--debug", metavar="", help="Show the traceback of an error.")]


def markers(missing: str | None) -> tuple[str, ...]:
    """The texts that mean an empty cell: the usual ones and those given, or these alone where one of them is empty."""
    from lsvv.tables.files import MISSING

    given = [] if missing is None else [text.strip() for text in missing.split(",")]
    return (*(() if "" in given else MISSING), *(text for text in given if text))


def read_table(
    table: str,
    format: str | None,
    missing: str | None,
    sheet: str | None = None,
    header_row: int = 1,
    decimal: str | None = None,
) -> ReadTable:
    """The table as the options say that it is read."""
    from lsvv.tables import read
    from lsvv.tables.table import Layout

    return read(table, format=format, missing=markers(missing), layout=Layout(sheet, header_row, decimal))


def labelled(
    found: ReadTable,
    target: list[str] | None,
    labels: list[str] | None,
    missing: str | None,
    keep: list[str] | None = None,
    ignore: list[str] | None = None,
) -> tuple[ReadTable, list[str]]:
    """A table with the labels of the sheets and without the columns set aside, and the names of its targets."""
    from lsvv.tables import read
    from lsvv.tables.labelstudio import read_export
    from lsvv.tables.naming import check_columns, with_inputs
    from lsvv.tables.sheets import with_labels

    there = list(found.frame.columns)
    targets = _names_in(target, there)
    check_columns(found, targets)
    found = with_inputs(found, targets, _names_in(keep, there), _names_in(ignore, there))
    for sheet in labels or ():
        read_sheet = read_export if sheet.lower().endswith(".json") else read
        found = with_labels(found, read_sheet(sheet, missing=markers(missing)), targets)
    return found, targets


def _names_in(given: list[str] | None, there: list[str]) -> list[str]:
    """Column names from an option that may be repeated and may hold several, parted by commas."""
    names: list[str] = []
    for value in given or ():
        names += [value] if value in there else [name.strip() for name in value.split(",") if name.strip()]
    return names


def beside(table: str, mark: str, ending: str | None = None) -> str:
    """Where an output goes by default: animals.csv to animals.MARK.csv, standard input to standard output."""
    from lsvv.tables import TableError
    from lsvv.tables.files import ending_of

    path = Path(table)
    if table == "-":
        return "-"
    if not path.name:
        raise TableError(f"{table!r} names no file. Name a table.")
    own = path.name[len(path.name) - len(ending_of(path)) :]
    return str(path.with_name(f"{path.name.removesuffix(own)}.{mark}{own if ending is None else ending}"))
