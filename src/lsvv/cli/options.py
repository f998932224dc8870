"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from lsvv.tables.large import LargeTable
    from lsvv.tables.table import Table as ReadTable

READING, LEARNING, WRITING = "How the file is read", "How it learns", "What is written and said"
"""Options that few need stand apart from the others."""
Table = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, Parquet, Excel, JSON or JSON-lines file, packed by gzip or not; - is standard input.",
        show_default=False,
    ),
]
AnySizeTable = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, Excel, JSON or JSON-lines file, packed by gzip or not; Parquet of any size, or a folder of "
        "such files; - is standard input.",
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
        rich_help_panel=LEARNING,
    ),
]
Task = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="TASK",
        help="classes, labels, tags or numbers; or COL=TASK[,COL=TASK...]. Found from the cells by default.",
        rich_help_panel=LEARNING,
    ),
]
FEATURES = typer.Option(
    "--features",
    metavar="WORD",
    help="What the model may be: auto, linear or fourier (curved).",
    rich_help_panel=LEARNING,
)
Features = Annotated[str, FEATURES]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="NUMBER",
        min=0,
        max=2**32 - 1,
        help="Seeds all draws; the same seed repeats the result.",
        rich_help_panel=LEARNING,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="WORD",
        help="csv, tsv, parquet, xlsx, json or jsonl, whatever the file's ending says.",
        rich_help_panel=READING,
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        metavar="NAME",
        help="The sheet of an Excel workbook that is the table [default: first].",
        rich_help_panel=READING,
    ),
]
HeaderRow = Annotated[
    int,
    typer.Option(
        "--header-row",
        metavar="NUMBER",
        min=0,
        help="The line that names the columns; 0 where none does.",
        rich_help_panel=READING,
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar="SIGN",
        help="The decimal sign of a CSV file, . or , [default: found from its columns].",
        rich_help_panel=READING,
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        "--missing",
        metavar="TEXT[,TEXT...]",
        help="Texts that mean an empty cell, beside NA, N/A, NaN and the like; '' switches these off.",
        rich_help_panel=READING,
    ),
]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="Put ' before new texts of a CSV file that a spreadsheet takes for a formula.",
        rich_help_panel=WRITING,
    ),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Write over what was edited, or filled for other columns.", rich_help_panel=WRITING),
]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--labels",
        metavar="SHEET",
        help="A sheet from 'lsvv ask' or 'lsvv label', or a JSON export of Label Studio. Repeatable.",
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print a summary as JSON on standard output.", rich_help_panel=WRITING)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.", rich_help_panel=WRITING)]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel=WRITING)]


@dataclass(frozen=True)
class ReadAs:
    """How the table is read, whatever its file says."""

    missing: Missing = None
    sheet: Sheet = None
    header_row: HeaderRow = 1
    decimal: Decimal = None

    def table(self, place: str, format: str | None = None) -> ReadTable:
        """The table at a place."""
        from lsvv.tables import read
        from lsvv.tables.table import Layout

        layout = Layout(self.sheet, self.header_row, self.decimal)
        return read(place, format=format, missing=markers(self.missing), layout=layout)

    def table_of_any_size(self, place: str, format: str | None = None) -> ReadTable | LargeTable:
        """The table at a place, or what opens a Parquet file that is too large to be held."""
        from lsvv.tables.files import check_layout
        from lsvv.tables.large import is_large, opened_large
        from lsvv.tables.parquet_files import ENDING
        from lsvv.tables.table import Layout

        if not is_large(place, format):
            return self.table(place, format)
        check_layout(Layout(self.sheet, self.header_row, self.decimal), ENDING)
        return opened_large(place, markers(self.missing))


@dataclass(frozen=True)
class Inputs:
    """What is known from elsewhere, and which columns are learnt from."""

    labels: Labels = None
    keep: Keep = None
    ignore: Ignore = None

    @property
    def given(self) -> dict[str, list[str] | None]:
        """The options and what was given."""
        return {"--labels": self.labels, "--keep": self.keep, "--ignore": self.ignore}

    def of_any_size(
        self, found: ReadTable | LargeTable, target: list[str] | None, reading: ReadAs
    ) -> tuple[ReadTable | LargeTable, list[str]]:
        """The same of a table that may be too large to be held."""
        from lsvv.tables import TableError
        from lsvv.tables.large import LargeTable
        from lsvv.tables.naming import NoTargetError

        if not isinstance(found, LargeTable):
            return self.labelled(found, target, reading)
        if self.labels:
            raise TableError(
                f"--labels is for tables that are held whole, and {found.name} has {found.n_rows:,} rows. Write the "
                f"labels into the table."
            )
        n_seen = len(found.head.frame)
        try:
            head, targets = self.labelled(found.head, target, reading)
        except NoTargetError as error:
            counted = f" Counted in the first {n_seen:,} rows." if n_seen < found.n_rows else ""
            raise NoTargetError(f"{error}{counted}") from error
        return replace(found, head=head), targets

    def labelled(self, found: ReadTable, target: list[str] | None, reading: ReadAs) -> tuple[ReadTable, list[str]]:
        """A table with the labels of the sheets and without the columns set aside, and the names of its targets."""
        from lsvv.tables import read
        from lsvv.tables.labelstudio import read_export
        from lsvv.tables.naming import check_columns, with_inputs
        from lsvv.tables.sheets import with_labels

        there = list(found.frame.columns)
        targets = _names_in(target, there)
        check_columns(found, targets)
        found = with_inputs(found, targets, _names_in(self.keep, there), _names_in(self.ignore, there))
        for sheet in self.labels or ():
            read_sheet = read_export if sheet.lower().endswith(".json") else read
            found = with_labels(found, read_sheet(sheet, missing=markers(reading.missing)), targets)
        return found, targets


@dataclass(frozen=True)
class Telling:
    """What a command says, and to whom."""

    as_json: Json = False
    quiet: Quiet = False
    debug: Debug = False

    @property
    def silent(self) -> bool:
        """Whether nothing but errors, and JSON, is to be read."""
        return self.quiet or self.as_json

    @property
    def json_place(self) -> str | None:
        """Where JSON goes."""
        return "-" if self.as_json else None


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of :class:`ReadAs`, :class:`Inputs` and :class:`Telling` as options of its own."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if kind in (ReadAs, Inputs, Telling)}

    def spread(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    options: list[Parameter] = []
    for name, own in signature(command, eval_str=True).parameters.items():
        options += signature(groups[name], eval_str=True).parameters.values() if name in groups else [own]
    spread.__doc__ = command.__doc__
    vars(spread)["__signature__"] = Signature([one.replace(kind=Parameter.KEYWORD_ONLY) for one in options])
    return spread


def markers(missing: str | None) -> tuple[str, ...]:
    """The texts that mean an empty cell: the usual ones and those given, or these alone where one of them is empty."""
    from lsvv.tables.files import MISSING

    given = [] if missing is None else [text.strip() for text in missing.split(",")]
    return (*(() if "" in given else MISSING), *(text for text in given if text))


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
    if os.path.isdir(path):
        # its files become one; what is behind a point may be a part of its name
        own, ending = own if own == ".parquet" else "", ".parquet" if ending is None else ending
    ending = own if ending is None else ending
    return str(path.with_name(f"{path.name.removesuffix(own)}.{mark}{ending}"))
