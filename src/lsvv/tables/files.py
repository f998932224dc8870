"""From a path or standard input to a table, and from bytes to a file that is whole or not there."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np

from lsvv.extras import optional
from lsvv.tables.delimited import read_delimited
from lsvv.tables.gate import content
from lsvv.tables.jsonlines import read_json_lines
from lsvv.tables.parquet import read_parquet
from lsvv.tables.spreadsheet import read_spreadsheet
from lsvv.tables.table import Table, TableError, WritingError

__all__ = [
    "FORMATS",
    "MISSING",
    "check_ending",
    "check_places",
    "format_of",
    "parse",
    "read",
    "without_markers",
    "write_atomically",
]

FORMATS: dict[str, Callable[[bytes, str], Table]] = {
    ".csv": read_delimited,
    ".tsv": partial(read_delimited, delimiter=b"\t"),
    ".parquet": read_parquet,
    ".xlsx": read_spreadsheet,
    ".xlsm": read_spreadsheet,
    ".jsonl": read_json_lines,
}
MISSING = ("NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "null", "NULL", "<NA>", "?")
"""Texts that mean an empty cell, beside blanks."""
_OTHER_ENDINGS = {".txt": ".csv", ".tab": ".tsv", ".pq": ".parquet", ".ndjson": ".jsonl"}
"""Endings that mean the format of another."""
_NEEDS = {".parquet": ("pyarrow",), ".xlsx": ("openpyxl",), ".xlsm": ("openpyxl",)}


def read(path: str | os.PathLike[str], *, format: str | None = None, missing: tuple[str, ...] = MISSING) -> Table:
    r"""The table in a file, or on standard input for "-".

    Parameters
    ----------
    path : path
        A CSV, TSV, Parquet, Excel or JSON-lines file, or "-".
    format : str, optional
        "csv", "tsv", "parquet", "xlsx" or "jsonl"; by default the ending of the path, for "-" what the first bytes
        say.
    missing : tuple of str
        Texts that mean an empty cell, beside blanks.

    Raises
    ------
    TableError
        If the file cannot be read; the sentence says what to do.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.csv")
    ...     _ = path.write_text("x,y\n1,\n")
    ...     read(path).frame.shape
    (1, 2)
    """
    data = content(path)
    if str(path) == "-":
        return parse(data, "standard input", format=format, missing=missing)
    return parse(data, str(path), format=format or Path(path).suffix.lower(), missing=missing)


def parse(data: bytes, name: str, *, format: str | None = None, missing: tuple[str, ...] = MISSING) -> Table:
    """The table in ``data``, the bytes of a file called ``name``."""
    suffix = format_of("." + format.lstrip(".")) if format else _guess(data)
    if suffix not in FORMATS:
        known = ", ".join((*FORMATS, *_OTHER_ENDINGS))
        raise TableError(f"{name} has the ending {suffix!r}, which is not known. Use one of {known}, or --format.")
    for package in ("pandas", *_NEEDS.get(suffix, ())):
        optional(package, f"Reading {suffix} files", "tables")
    table = FORMATS[suffix](data, name)
    return without_markers(replace(table, format=suffix, missing=missing))


def format_of(suffix: str) -> str:
    """The ending that stands for a format."""
    return _OTHER_ENDINGS.get(suffix.lower(), suffix.lower())


def without_markers(table: Table) -> Table:
    """The table with texts that mean an empty cell taken for one."""
    markers = frozenset(table.missing)
    frame, marked = table.frame.copy(deep=False), {}
    for column in frame.columns:
        if frame[column].dtype.kind in "biufM":
            continue
        cells = frame[column].tolist()
        seen = np.array([isinstance(cell, str) and cell.strip() in markers for cell in cells], dtype=bool)
        if seen.any():
            marked[str(column)] = frozenset(cells[row].strip() for row in np.flatnonzero(seen))
            frame[column] = frame[column].mask(seen, None)
    return replace(table, frame=frame, marked=marked)


def _guess(data: bytes) -> str:
    if data.startswith(b"PAR1"):
        return ".parquet"
    if data.startswith(b"PK\x03\x04"):
        return ".xlsx"
    return ".jsonl" if data.lstrip().startswith(b"{") else ".csv"


def check_places(outputs: Mapping[str, str | None], inputs: Sequence[str | None]) -> None:
    """Refuses, before any work, an output that cannot be written, that is an input, or that is another output.

    Parameters
    ----------
    outputs : mapping of option to place
        "-" is standard output; None is an option that was not given.
    inputs : sequence of paths
        "-" is standard input; None is a file that was not given.
    """
    places = {option: place for option, place in outputs.items() if place is not None}
    sources = [source for source in inputs if source not in (None, "-")]
    for option, place in places.items():
        if place == "-":
            continue
        if any(_is_same(place, source) for source in sources):
            raise WritingError(f"{place} is an input, which is never overwritten. Choose another place with {option}.")
        _check_folder(place, option)
    for (one, place), (other, twin) in combinations(places.items(), 2):
        if _is_same(place, twin):
            where = "standard output" if place == "-" else place
            raise WritingError(f"{one} and {other} both write to {where}. Name another file for one of them.")


def _is_same(one: str, other: str) -> bool:
    if "-" in (one, other):
        return one == other
    try:
        return os.path.samefile(one, other)
    except OSError:
        # one of them is not there yet
        return os.path.realpath(one) == os.path.realpath(other)


def check_ending(out: str | os.PathLike[str], table: Table, source: str | os.PathLike[str]) -> None:
    """Refuses, before any work, a place whose ending names another format than the table from ``source`` has."""
    place = Path(out)
    endings = (table.format, format_of(Path(source).suffix))
    if format_of(place.suffix) not in endings:
        raise WritingError(f"{place} should end in {endings[0]}: a table is written in the format it was read in.")


def _check_folder(out: str | os.PathLike[str], option: str) -> None:
    """Refuses, before any work, a place where no file can go; ``option`` is what names another."""
    place = Path(os.path.realpath(out))
    if os.path.isdir(place):
        raise WritingError(f"{out} is a folder. Name a file in it with {option}.")
    if os.path.islink(place):
        raise WritingError(f"{out} is a link that leads in a circle. Choose another place with {option}.")
    if os.path.exists(place) and not os.path.isfile(place):
        raise WritingError(f"{out} is a device or a pipe, which a file would replace. Name a file with {option}.")
    if os.path.exists(place) and not os.access(place, os.W_OK):
        raise WritingError(f"{out} is write-protected. Choose another place with {option}.")
    if not os.path.isdir(place.parent):
        raise WritingError(f"There is no folder {_folder(out, place)}. Make it, or choose another place with {option}.")
    try:
        # some folders take no file though their rights say so
        with tempfile.TemporaryFile(dir=place.parent):
            pass
    except OSError as error:
        raise WritingError(
            f"Nothing can be written into {_folder(out, place)}: {error.strerror}. Choose another place with {option}."
        ) from error
    try:
        os.stat(place)
    except FileNotFoundError:
        return
    except OSError as error:
        raise WritingError(f"{out} cannot be written: {error.strerror}. Choose another place with {option}.") from error


def _folder(out: str | os.PathLike[str], place: Path) -> Path:
    """The folder of an output as it was named, or of the file that a link leads to."""
    return place.parent if os.path.islink(out) else Path(out).parent


def write_atomically(data: bytes, path: str | os.PathLike[str]) -> None:
    """The file at ``path`` holds ``data``, or is as it was: a broken write leaves nothing behind.

    The bytes go to a file beside the target, which takes its name once the disk has them.
    """
    # a link stays a link, and what it leads to is written
    place = Path(os.path.realpath(path))
    draft = place.with_name(f".lsvv-{secrets.token_hex(8)}.part")
    try:
        with open(draft, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(draft, _mode_of(place))
        os.replace(draft, place)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        if isinstance(error, OSError):
            raise WritingError(
                f"{path} could not be written: {error.strerror}. Nothing was left behind; free space or choose "
                f"another place."
            ) from error
        raise


def _mode_of(place: Path) -> int:
    """What may be done with a file: what may be done with the one it replaces, or what a new one may do here."""
    try:
        return stat.S_IMODE(os.stat(place).st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
