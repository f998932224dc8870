"""JSON lines: one object a line; empty is null or absent."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from lsvv.tables.cells import known
from lsvv.tables.table import Edits, Source, Table, TableError

__all__ = ["JsonLines", "read_json_lines"]


@dataclass(frozen=True, eq=False)
class JsonLines(Source):
    """The objects of the lines, in order."""

    rows: tuple[dict[str, Any], ...]
    suffix: str = ".jsonl"

    def rendered(self, edits: Edits) -> bytes:
        """Every object with its holes filled and new keys at its end."""
        lines = []
        for number, row in enumerate(self.rows):
            filled = {name: values[number] for name, values in edits.cells.items() if number in values}
            added = {name: values[number] for name, values in edits.columns.items()}
            lines.append(json.dumps({**row, **filled, **added}, ensure_ascii=False) + "\n")
        return "".join(lines).encode("utf-8")


def read_json_lines(data: bytes, name: str, suffix: str) -> Table:
    """A table from the bytes of a JSON-lines file; columns in the order in which keys first appear."""
    import pandas as pd

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableError(f"{name} is not UTF-8 ({error}). Save it as UTF-8.") from error
    rows = tuple(_row(line, number, name) for number, line in enumerate(text.split("\n"), start=1) if line.strip())
    if not rows:
        raise TableError(f"{name} holds no line. It needs one JSON object a line.")
    columns = list(dict.fromkeys(key for row in rows for key in row))
    values = {column: known(row.get(column) for row in rows) for column in columns}
    return Table(name, pd.DataFrame(values, columns=columns, dtype=object), JsonLines(rows, suffix))


def _row(line: str, number: int, name: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise TableError(f"{name}: line {number} is not JSON ({error}). Write one object a line.") from error
    if not isinstance(row, dict):
        raise TableError(f"{name}: line {number} holds no object. Write one object, {{...}}, a line.")
    return row
