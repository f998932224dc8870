"""Table files in every format, whole and damaged, through the commands; known cells and the input stay as they were."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import openpyxl
import pandas as pd

from lsvv.tables import TableError, fill, parse
from lsvv.tables.modelfile import TableModel, saved

from .commands import lsvv
from .damage import damaged
from .draws import Draw
from .judging import FaultError, check

FORMATS = ("csv", "csv", "csv", "tsv", "xlsx", "parquet", "jsonl")
WORDS = (
    "red",
    "blue",
    "dark green",
    "naïve",
    "日本",
    "a,b",
    'say "so"',
    "it's",
    "=1+1",
    " pad ",
    "x;y",
    "🙂",
    "007",
    "1e5",
)
LINES = ("two\nlines", "tab\there", "\x00", "\ufeff", "a" * 300, "-", "#", "'quoted'", "\\", "%", "NA", "nan", "None")
NAMES = ("size", "colour", "when", "note", "price (EUR)", "Größe", "a b", "x", "x", "", "1", "target,comma", "=f")
CODES = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252")


@dataclass(frozen=True)
class Drawn:
    """A table as it was drawn: names, columns of cells (None is empty), and the columns to fill."""

    names: list[str]
    columns: list[list[Any]]
    targets: list[str]

    @property
    def n_rows(self) -> int:
        return len(self.columns[0])


def fill_command(draw: Draw) -> None:
    _command(draw, "fill")


def ask_command(draw: Draw) -> None:
    _command(draw, "ask")


def predict_command(draw: Draw) -> None:
    _command(draw, "predict")


def drawn_table(draw: Draw, command: str) -> Drawn:
    n = draw.one_of((6, 10, 14, 20, 30))
    if draw.spoilt(0.06):
        n = draw.count(0, 5)
    names = list(dict.fromkeys(["size", *(draw.one_of(NAMES[:8]) for _ in range(draw.count(0, 3)))]))
    if command == "predict":
        names = ["size", "colour", "when", "x"][int(draw.spoilt(0.05)) :]
    if draw.spoilt(0.08):
        names.append(draw.one_of((*NAMES, *names)))
    columns = [_inputs(draw, n, "numbers" if name == "size" else None) for name in names]
    targets = [f"t{place}" for place in range(draw.one_of((1, 1, 1, 2)))]
    columns += [_target(draw, n) for _ in targets]
    return Drawn([*names, *targets], columns, targets)


def _inputs(draw: Draw, n: int, kind: str | None) -> list[Any]:
    rng = draw.rng
    kinds = ("numbers", "whole", "words", "dates", "bools", "mixed", "empty", "same", "lines", "wide")
    match kind or draw.one_of(kinds):
        case "numbers":
            cells: list[Any] = [round(float(v), 3) for v in rng.normal(size=n) * 10.0 ** draw.between(-2, 5)]
        case "whole":
            cells = rng.integers(-50, 50, size=n).tolist()
        case "words":
            cells = [draw.one_of(WORDS) for _ in range(n)]
        case "dates":
            cells = [date(2020, 1, 1) + timedelta(days=int(v)) for v in rng.integers(0, 900, size=n)]
        case "bools":
            cells = [bool(v) for v in rng.random(n) < 0.5]
        case "mixed":
            cells = [draw.one_of((1, 2.5, "a", "x", 10**12, -1)) for _ in range(n)]
        case "empty":
            cells = [None] * n
        case "same":
            cells = ["one"] * n
        case "lines":
            cells = [draw.one_of(LINES if draw.spoilt(0.1) else WORDS) for _ in range(n)]
        case _:
            cells = [float(f"{v:.4g}") for v in 10.0 ** rng.uniform(-30, 30, size=n)]
    return [None if draw.chance(0.1) else cell for cell in cells]


def _target(draw: Draw, n: int) -> list[Any]:
    match draw.one_of(("classes", "classes", "numbers", "numbers", "tags", "codes", "labels")):
        case "classes":
            names = draw.one_of((("cat", "dog"), ("ja", "nein", "weiß nicht"), WORDS[:5]))
            cells: list[Any] = [names[row % len(names)] for row in range(n)]
        case "numbers":
            cells = [round(float(v), 2) for v in draw.rng.normal(size=n) * 10.0 ** draw.between(-1, 4)]
        case "tags":
            cells = [draw.one_of(("red; round", "red", "round; soft", "soft")) for _ in range(n)]
        case "codes":
            cells = [row % 3 for row in range(n)]
        case _:
            cells = [row % 2 for row in range(n)]
    known = draw.one_of((0.8, 0.5, 0.5))
    cells = [cell if row < 6 or draw.chance(known) else None for row, cell in enumerate(cells)]
    if draw.spoilt(0.06):
        cells = [draw.one_of((*WORDS, *LINES, 1e300, -1, 10**30, None)) if draw.chance(0.3) else cell for cell in cells]
    if draw.spoilt(0.02):
        cells = [None] * n
    return cells


def written(draw: Draw, table: Drawn, format: str) -> bytes:
    """The table as a file; what the format cannot hold is left out of it."""
    rows = list(zip(*table.columns, strict=True))
    match format:
        case "csv" | "tsv":
            return _delimited(draw, table, rows, "\t" if format == "tsv" else draw.one_of((",", ",", ";", "|", "\t")))
        case "jsonl":
            return _json_lines(draw, table, rows)
        case "xlsx":
            return _workbook(table, rows)
    return _parquet(draw, table)


def _delimited(draw: Draw, table: Drawn, rows: Sequence[Any], delimiter: str) -> bytes:
    stream = io.StringIO()
    end = draw.one_of(("\n", "\n", "\r\n"))
    quoting = draw.one_of((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC))
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow(table.names)
    comma = delimiter == ";" and draw.chance(0.5)
    for row in rows:
        cells = ["" if cell is None else cell for cell in row]
        writer.writerow([str(cell).replace(".", ",") if comma and isinstance(cell, float) else cell for cell in cells])
    text = stream.getvalue()
    if draw.chance(0.1):
        text = text.rstrip("\r\n")
    if draw.spoilt(0.06):
        text = draw.one_of(
            (
                *(
                    text + "\n\n",
                    text + delimiter * 40,
                    text.replace(end, "\r"),
                    f"sep={delimiter}\n{text}",
                    "\n" + text,
                ),
                *(
                    text.replace('"', "'"),
                    text + '"',
                    f"# a remark\n{text}",
                    text.replace(end, end + end),
                    "",
                    "\n",
                    text * 2,
                ),
            )
        )
    code = draw.one_of(CODES)
    draw.hostile |= any(ord(c) > 255 for c in text) and code in ("latin-1", "cp1252")
    return text.encode(code, "replace")


def _json_lines(draw: Draw, table: Drawn, rows: Sequence[Any]) -> bytes:
    lines = []
    for row in rows:
        cells = dict(zip(table.names, row, strict=True))
        entry = {name: cell for name, cell in cells.items() if cell is not None or draw.chance(0.5)}
        lines.append(json.dumps(entry, default=str, ensure_ascii=draw.chance(0.5)))
    if draw.spoilt(0.08):
        odd = (
            "[]",
            "1",
            "null",
            '{"x": {"deep": [1, 2]}}',
            '{"x": NaN}',
            "{}",
            '{"x": 1, "x": 2}',
            '{"x": 1' + "0" * 400 + "}",
            "",
        )
        lines.insert(draw.count(0, len(lines)), draw.one_of((*odd, "[" * 3000)))
    return "\n".join(lines).encode() + b"\n"


def _workbook(table: Drawn, rows: Sequence[Any]) -> bytes:
    book, stream = openpyxl.Workbook(), io.BytesIO()
    for place, row in enumerate([table.names, *rows], start=1):
        for column, cell in enumerate(row, start=1):
            if cell is not None:
                text = cell.replace("\x00", "") if isinstance(cell, str) else cell
                at = book.active.cell(place, column)
                at.value = text
                if isinstance(text, str):
                    at.data_type = "s"
    book.save(stream)
    return stream.getvalue()


def _parquet(draw: Draw, table: Drawn) -> bytes:
    stream = io.BytesIO()
    names = [f"{name}_{place}" if name in table.names[:place] else name for place, name in enumerate(table.names)]
    frame = pd.DataFrame(dict(zip(names, (_typed(cells) for cells in table.columns), strict=True)))
    for name in names:
        if (
            frame[name].dtype == object
            and draw.chance(0.2)
            and frame[name].map(lambda cell: isinstance(cell, str)).all()
        ):
            frame[name] = frame[name].astype("category")
    frame.to_parquet(stream)
    return stream.getvalue()


def _typed(cells: list[Any]) -> pd.Series:
    """Cells of one type: Parquet holds no mixture."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds <= {int, float}:
        return pd.Series([np.nan if cell is None else float(cell) for cell in cells])
    if len(kinds) > 1:
        cells = [None if cell is None else str(cell) for cell in cells]
    return pd.Series(cells, dtype=object)


@cache
def fitted_model(place: int) -> bytes:
    """One of a few model files."""
    rng = np.random.default_rng(place)
    targets, features = ((["t0", "t1"], "linear"), (["t0"], "linear"), (["t1"], "fourier"))[place]
    lines = [",".join(["size,colour,when,x", *targets])]
    for row in range(24):
        day = date(2021, 1, 1) + timedelta(days=row)
        known = row % 4 != 3
        answers = {"t0": ("cat", "dog")[row % 2], "t1": str(row * 1.5)} if known else {}
        told = ",".join(answers.get(target, "") for target in targets)
        lines.append(f"{rng.normal():.3f},{WORDS[row % 3]},{day},{row},{told}")
    table = parse("\n".join(lines).encode(), "base.csv", format="csv")
    return saved(TableModel.of(fill(table, targets, features=features, together=False)))


def _command(draw: Draw, command: str) -> None:
    table, format = drawn_table(draw, command), draw.one_of(FORMATS)
    data = written(draw, table, format)
    if draw.spoilt(0.2):
        data = damaged(draw, data)
    with TemporaryDirectory() as folder:
        place = Path(folder, f"in.{format}")
        out = Path(folder, "out.csv" if command == "ask" else f"out.{format}")
        place.write_bytes(data)
        call = [str(place), "--out", str(out), *_options(draw, table, command)]
        if command == "predict":
            model = Path(folder, "m.lsvv")
            model.write_bytes(fitted_model(draw.count(0, 2)))
            call.insert(0, str(model))
        refused = lsvv(command, *call)
        check(place.read_bytes() == data, "the input file changed")
        stray = {*os.listdir(folder)} - {place.name, out.name, "m.lsvv", "report.html"}
        check(not stray, f"left behind: {stray}")
        if refused is not None:
            check(not out.exists(), "a table in spite of an error")
            raise refused
        if command == "ask":
            parse(out.read_bytes(), "out.csv", format="csv")
        else:
            holes = call[call.index("--missing") + 1].split(",") if "--missing" in call else []
            _check_cells(data, out.read_bytes(), format, table if not draw.hostile else None, holes)


def _options(draw: Draw, table: Drawn, command: str) -> list[str]:
    options = ["--quiet"] if draw.chance(0.7) else []
    if command == "predict":
        return [*options, "--safe-csv"] if draw.chance(0.2) else options
    options += ["--target", ",".join(table.targets), "--features", "linear" if draw.chance(0.97) else "fourier"]
    if command == "ask":
        options += ["--budget", draw.one_of(("1", "5", "20", "1000"))]
    if draw.spoilt(0.1):
        options += draw.one_of(
            (
                *(
                    ["--task", "numbers"],
                    ["--task", "classes"],
                    ["--task", "tags"],
                    ["--task", "labels"],
                    ["--task", "t0=x"],
                ),
                *(
                    ["--missing", "cat,1"],
                    ["--missing", ""],
                    ["--format", "xlsx"],
                    ["--format", "doc"],
                    ["--features", "x"],
                ),
                *(["--target", "nowhere"], ["--seed", "-1"], ["--labels", "nowhere.csv"], ["--target", table.names[0]]),
            )
        )
    elif command == "fill":
        options += draw.one_of(([], [], ["--json"], ["--safe-csv"]))
    return options


def _check_cells(data: bytes, after: bytes, format: str, whole: Drawn | None, holes: Sequence[str]) -> None:
    """Rows and known cells of the input, those that are no ``holes``, are in the output; what was added is finite."""
    try:
        old, new = (parse(part, f"in.{format}", format=format).frame for part in (data, after))
    except TableError as error:
        raise FaultError(f"the output cannot be read: {error}") from error
    check(len(old) == len(new), f"{len(old)} rows became {len(new)}")
    check(set(old.columns) <= set(new.columns), f"columns {list(old.columns)} became {list(new.columns)}")
    for name in old.columns:
        for row, (was, now) in enumerate(zip(old[name].tolist(), new[name].tolist(), strict=True)):
            known = not (was is None or was != was or was is pd.NaT or str(was) in holes)
            check(not known or was == now or str(was) == str(now), f"{name!r} in row {row}: {was!r} became {now!r}")
    for name in (name for name in new.columns if name not in set(old.columns)):
        for cell in new[name].tolist():
            check(cell not in ("nan", "inf", "-inf"), f"{name!r} holds {cell!r}")
            if str(name).endswith("_probability") and cell not in (None, ""):
                check(0.0 <= float(str(cell).replace(",", ".")) <= 1.0 or cell != cell, f"{name!r} holds {cell!r}")
    if whole is not None:
        # empty rows at the end are no rows
        filled = [row for row in range(whole.n_rows) if any(column[row] is not None for column in whole.columns)]
        check(filled[-1] < len(new) <= whole.n_rows, f"{whole.n_rows} rows were drawn, {len(new)} written")
