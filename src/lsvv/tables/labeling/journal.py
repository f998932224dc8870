"""The answers of a session on disk: a labelling sheet beside the table, one line more for each answer.

A line is on disk before anybody is told so. Nothing is ever rewritten: what is taken back or changed is a further line,
and the last line of a cell counts, as on every sheet. Several processes may write to one journal, and each can tell
that another did.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lsvv.tables.files import parse
from lsvv.tables.sheets import SHEET, context
from lsvv.tables.table import Table, TableError, WritingError

__all__ = ["Journal"]


class Journal:
    """An append-only sheet for one table.

    Parameters
    ----------
    place : path
        A CSV file; it is made where there is none. A last line that a crash cut short is dropped: nobody was
        told of it.
    table : Table
        What the sheet is for; its cells stand in every line, so that the sheet finds its rows again.
    """

    def __init__(self, place: str | os.PathLike[str], table: Table) -> None:
        self.place = Path(place)
        self._header = [*SHEET, *context(table).values()]
        self._missing = table.missing
        self._size = 0
        self._begin()

    def read(self) -> Table:
        """The sheet as it is on disk."""
        data = self.place.read_bytes()
        self._size = len(data)
        return parse(data, str(self.place), format="csv", missing=self._missing)

    def has_changed(self) -> bool:
        """Whether another process has written since."""
        return self.place.exists() and self.place.stat().st_size != self._size

    def append(self, line: Sequence[Any]) -> None:
        """One line more; when this returns, the disk has it."""
        text = _as_csv(line)
        self._write(text)
        self._size += len(text.encode("utf-8"))

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
        whole = _whole(there)
        if whole == len(there):
            return
        (last,) = csv.reader(io.StringIO(there[whole:].decode("utf-8", errors="replace"), newline=""))
        if len(last) >= len(self._header) and there.count(b'"', whole) % 2 == 0:
            # without its end, as some editors leave it
            self._write("\n")
        else:
            # cut short, as by a power cut, so that nobody was told that it was saved
            os.truncate(self.place, whole)

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


def _whole(data: bytes) -> int:
    """Where the last line ends that is whole: a line end between quotes is a part of a cell."""
    signs = np.frombuffer(data, dtype=np.uint8)
    outside = np.cumsum(signs == ord('"')) % 2 == 0
    ends = np.flatnonzero((signs == ord("\n")) & outside)
    return int(ends[-1]) + 1 if ends.size else 0
