"""JSON: one object a line, or one array of objects; known values stay as they are written, empty is null or absent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from lsvv.tables.cells import known
from lsvv.tables.gate import check_cells
from lsvv.tables.table import Edits, Source, Table, TableError

__all__ = ["JsonArray", "JsonLines", "read_json", "read_json_lines"]

MOST_DIGITS = 300
"""Whole numbers of more have no floating twin."""
_HALF = re.compile("[\ud800-\udfff]")
"""Half of a pair of surrogates."""
_BLANKS = re.compile(r"[\s\ufeff]*")
_BETWEEN = re.compile(r"[\s:,]*")
"""What stands before a key or a value in an object."""


@dataclass(frozen=True, eq=False)
class JsonLines(Source):
    """The lines as they were; those without an object are no rows."""

    lines: tuple[str, ...]

    def rendered(self, edits: Edits) -> bytes:
        """Every line as it was, with its holes filled and new keys at the end of its object."""
        rows = count()
        lines = [_edited(line, next(rows), edits) if _holds_row(line) else line for line in self.lines]
        return "\n".join(lines).encode("utf-8")


@dataclass(frozen=True, eq=False)
class JsonArray(Source):
    """The objects of an array as they were, and what stands before, between and after them."""

    objects: tuple[str, ...]
    between: tuple[str, ...]

    def rendered(self, edits: Edits) -> bytes:
        """Every object as it was, with its holes filled and new keys at its end."""
        edited = [_edited(text, row, edits) for row, text in enumerate(self.objects)]
        parts = [part for pair in zip(self.between, edited, strict=False) for part in pair]
        return "".join([*parts, self.between[-1]]).encode("utf-8")


def read_json_lines(data: bytes, name: str) -> Table:
    """A table from the bytes of a JSON-lines file; columns in the order in which keys first appear."""
    lines = tuple(_text(data, name).split("\n"))
    rows = [_row(line, f"{name}: line {number}") for number, line in enumerate(lines, start=1) if _holds_row(line)]
    if not rows:
        raise TableError(f"{name} holds no line. It needs one JSON object a line.")
    return _table(rows, JsonLines(lines), name)


def read_json(data: bytes, name: str) -> Table:
    """A table from the bytes of a JSON file that is an array of objects."""
    text = _text(data, name)
    place = _after(_BLANKS, text, 0)
    if text[place : place + 1] != "[":
        raise TableError(f"{name} is no array of objects. Write [{{...}}, {{...}}], or one object a line as .jsonl.")
    decoder, objects, between, start = json.JSONDecoder(), list[str](), list[str](), 0
    place = _after(_BETWEEN, text, place + 1)
    while text[place : place + 1] == "{":
        try:
            _, stop = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            raise TableError(f"{name}: object {len(objects) + 1} is not JSON ({error}). Correct it.") from error
        between.append(text[start:place])
        objects.append(text[place:stop])
        start, place = stop, _after(_BETWEEN, text, stop)
    if not objects or text[place:].strip() != "]":
        raise TableError(f"{name}: no object stands after {len(objects)} of them. Write [{{...}}, {{...}}].")
    rows = [_row(one, f"{name}: object {number}") for number, one in enumerate(objects, start=1)]
    return _table(rows, JsonArray(tuple(objects), (*between, text[start:])), name)


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TableError(f"{name} is not UTF-8 ({error}). Save it as UTF-8.") from error


def _table(rows: list[dict[str, Any]], source: Source, name: str) -> Table:
    import pandas as pd

    columns = list(dict.fromkeys(key for row in rows for key in row))
    _check_names(columns, name)
    check_cells(len(rows), len(columns), name)
    values = {column: known(row.get(column) for row in rows) for column in columns}
    return Table(name, pd.DataFrame(values, columns=columns, dtype=object), source)


def _check_names(columns: list[str], name: str) -> None:
    """Refuses names that no table can have; cells may hold what they like."""
    for column in columns:
        if _HALF.search(column):
            raise TableError(f"{name} names {column!a}, which holds half a character. Correct the name.")


def _holds_row(line: str) -> bool:
    return bool(_object(line))


def _object(line: str) -> str:
    """A line without the byte order mark and the blanks around its object."""
    return line.strip("\ufeff \t\r")


def _row(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(_object(line), parse_int=_whole_number, object_pairs_hook=_without_twins)
    except TableError as error:
        raise TableError(f"{where} {error}") from error
    except (ValueError, RecursionError) as error:
        raise TableError(f"{where} is not JSON ({error}). Write one object a line.") from error
    if not isinstance(row, dict):
        raise TableError(f"{where} holds no object. Write one object, {{...}}, a line.")
    return row


def _whole_number(digits: str) -> float:
    return int(digits) if len(digits) <= MOST_DIGITS else float(digits)


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a key that comes again would hide what the first says."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise TableError(f"names {twice!r} twice. Name it once.")
    return found


def _edited(line: str, row: int, edits: Edits) -> str:
    """A line with what the edits have for its row: in place of an empty value, or as a new key."""
    new = {name: cells[row] for name, cells in edits.cells.items() if row in cells}
    new |= {name: column[row] for name, column in edits.columns.items()}
    written = {name: _written(cell) for name, cell in new.items()}
    spans = dict(_spans(line)) if any(name in edits.cells for name in written) else {}
    for name in sorted(spans.keys() & written.keys(), key=lambda name: -spans[name].start):
        line = line[: spans[name].start] + written[name] + line[spans[name].stop :]
    added = [f"{_written(name)}: {cell}" for name, cell in written.items() if name not in spans]
    end = line.rindex("}")
    before = line[:end].rstrip()
    parts = [] if before.endswith("{") else [""]
    return line if not added else before + ", ".join([*parts, *added]) + line[end:]


def _written(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    # it can only be escaped
    return json.dumps(value) if _HALF.search(text) else text


def _spans(line: str) -> Iterator[tuple[str, slice]]:
    """Where the value of each key of an object stands."""
    decoder = json.JSONDecoder(parse_int=_whole_number)
    place = _after(_BETWEEN, line, line.index("{") + 1)
    while line[place] != "}":
        key, place = decoder.raw_decode(line, place)
        start = _after(_BETWEEN, line, place)
        _, stop = decoder.raw_decode(line, start)
        yield key, slice(start, stop)
        place = _after(_BETWEEN, line, stop)


def _after(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return place if found is None else found.end()
