"""The answers of a session on disk: a labelling sheet beside the table, one line more for each answer.

A line is on disk before anybody is told so. Nothing is ever rewritten: what is taken back or changed is a further line,
and the last line of a cell counts, as on every sheet. Several processes may write to one journal.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lsvv.tables.files import parse
from lsvv.tables.sheets import SHEET, context
from lsvv.tables.table import Table, TableError, WritingError

__all__ = ["Journal"]


class Journal:
    """An append-only sheet for one table.

    Parameters
    ----------
    place : path
        A CSV file; it is made where there is none. A line that a crash cut short is finished, not read as an answer.
    table : Table
        What the sheet is for; its cells stand in every line, so that the sheet finds its rows again.
    """

    def __init__(self, place: str | os.PathLike[str], table: Table) -> None:
        self.place = Path(place)
        self._header = [*SHEET, *context(table).values()]
        self._missing = table.missing
        self._begin()

    def read(self) -> Table:
        """The sheet as it is on disk."""
        return parse(self.place.read_bytes(), str(self.place), format="csv", missing=self._missing)

    def append(self, line: Sequence[Any]) -> None:
        """One line more; when this returns, the disk has it."""
        self._write(_as_csv(line))

    def _begin(self) -> None:
        try:
            there = self.place.read_bytes() if self.place.exists() else b""
        except OSError as error:
            raise WritingError(f"{self.place} cannot be read: {error.strerror}. Choose another with --out.") from error
        if not there.strip():
            self._write(_as_csv(self._header))
            return
        first = next(csv.reader(io.StringIO(there.decode("utf-8", errors="replace"), newline="")), [])
        if first != self._header:
            raise TableError(
                f"{self.place} is there already and is no sheet of this table: its columns are others. Choose another "
                f"place with --out."
            )
        torn = _torn(there, len(self._header))
        if torn is not None:
            os.truncate(self.place, torn)
        elif not there.endswith(b"\n"):
            # as some editors leave it
            self._write("\n")

    def _write(self, text: str) -> None:
        try:
            # O_APPEND: lines of several writers follow one another, whole
            handle = os.open(self.place, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            try:
                data = text.encode("utf-8")
                if os.write(handle, data) != len(data):
                    raise OSError(0, "the disk took a part of a line only")
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise WritingError(
                f"{self.place} cannot be written: {error.strerror}. The last answer is not saved. Free space, or "
                f"start again with another --out."
            ) from error


def _as_csv(line: Sequence[Any]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow(line)
    return stream.getvalue()


def _torn(data: bytes, n_cells: int) -> int | None:
    """Where a last line begins that was cut short, as by a power cut: it has no end, and fewer cells than the first."""
    if data.endswith(b"\n"):
        return None
    text = data.decode("utf-8", errors="replace")
    *_, last = csv.reader(io.StringIO(text, newline=""))
    if len(last) >= n_cells:
        return None
    ends = [place for place, sign in enumerate(data) if sign == 0x0A and data.count(b'"', 0, place) % 2 == 0]
    return ends[-1] + 1 if ends else 0
