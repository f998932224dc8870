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
from pathlib import Path, PurePath
from typing import BinaryIO

import numpy as np

from lsvv.extras import optional
from lsvv.tables.compressed import MARK, Gzipped
from lsvv.tables.delimited import read_delimited
from lsvv.tables.gate import content, decompressed
from lsvv.tables.jsonlines import read_json, read_json_lines
from lsvv.tables.parquet import read_parquet
from lsvv.tables.spreadsheet import read_spreadsheet
from lsvv.tables.table import Layout, Table, TableError, WritingError

__all__ = [
    "FORMATS",
    "MISSING",
    "check_ending",
    "check_layout",
    "check_places",
    "format_of",
    "parse",
    "read",
    "without_markers",
    "write_atomically",
]

FORMATS: dict[str, Callable[[bytes, str, Layout], Table]] = {
    ".csv": read_delimited,
    ".tsv": partial(read_delimited, delimiter=b"\t"),
    ".parquet": lambda data, name, _: read_parquet(data, name),
    ".xlsx": read_spreadsheet,
    ".xlsm": read_spreadsheet,
    ".jsonl": lambda data, name, _: read_json_lines(data, name),
    ".json": lambda data, name, _: read_json(data, name),
}
_TEXTS, _BOOKS = (".csv", ".tsv"), (".xlsx", ".xlsm")
_ANY = Layout()
MISSING = ("NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "null", "NULL", "<NA>", "?")
"""Texts that mean an empty cell, beside blanks."""
_OTHER_ENDINGS = {".txt": ".csv", ".tab": ".tsv", ".pq": ".parquet", ".ndjson": ".jsonl"}
"""Endings that mean the format of another."""
PACKED = ".gz"
_NEEDS = {".parquet": ("pyarrow",), ".xlsx": ("openpyxl",), ".xlsm": ("openpyxl",)}


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    missing: tuple[str, ...] = MISSING,
    layout: Layout = _ANY,
) -> Table:
    r"""The table in a file, or on standard input for "-".

    Parameters
    ----------
    path : path
        A CSV, TSV, Parquet, Excel, JSON or JSON-lines file, packed by gzip or not, or "-".
    format : str, optional
        "csv", "tsv", "parquet", "xlsx", "json" or "jsonl"; by default the ending of the path, for "-" what the first
        bytes say.
    missing : tuple of str
        Texts that mean an empty cell, beside blanks.
    layout : Layout
        The sheet, the line of names and the decimal sign, where the file does not say.

    Raises
    ------
    TableError
        If the file cannot be read; the sentence says what to do.

    Examples
    --------
    >>> from pathlib import Path, PurePath
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.csv")
    ...     _ = path.write_text("x,y\n1,\n")
    ...     read(path).frame.shape
    (1, 2)
    """
    data = content(path)
    if str(path) == "-":
        return parse(data, "standard input", format=format, missing=missing, layout=layout)
    ending = ending_of(path).removesuffix(PACKED)
    return parse(data, str(path), format=format or ending, missing=missing, layout=layout)


def parse(
    data: bytes,
    name: str,
    *,
    format: str | None = None,
    missing: tuple[str, ...] = MISSING,
    layout: Layout = _ANY,
) -> Table:
    """The table in ``data``, the bytes of a file called ``name``."""
    if data.startswith(MARK):
        inner = parse(decompressed(data, name), name, format=format, missing=missing, layout=layout)
        return replace(inner, source=Gzipped(inner.source, inner.source.notation))
    suffix = format_of("." + format.lstrip(".")) if format else _guess(data)
    if suffix not in FORMATS:
        known = ", ".join((*FORMATS, *_OTHER_ENDINGS))
        raise TableError(f"{name} has the ending {suffix!r}, which is not known. Use one of {known}, or --format.")
    for package in ("pandas", *_NEEDS.get(suffix, ())):
        optional(package, f"Reading {suffix} files", "tables")
    check_layout(layout, suffix)
    table = FORMATS[suffix](data, name, layout)
    return without_markers(replace(table, format=suffix, missing=missing, layout=layout))


def check_layout(layout: Layout, suffix: str) -> None:
    """Refuses what a format has no use for."""
    for option, given, of in (
        ("--sheet", layout.sheet, _BOOKS),
        ("--header-row", layout.header_row != 1, (*_TEXTS, *_BOOKS)),
        ("--decimal", layout.decimal, _TEXTS),
    ):
        if given and suffix not in of:
            raise TableError(f"{option} is for files in {' or '.join(of)}, and this one is {suffix}. Leave it out.")
    if layout.decimal not in (None, ".", ","):
        raise TableError(f"{layout.decimal!r} is no decimal sign. Give --decimal . or --decimal ,")


def ending_of(path: str | os.PathLike[str]) -> str:
    """The ending of a name in small letters, with what is before .gz.

    Examples
    --------
    >>> ending_of("a.b.CSV"), ending_of("a.csv.gz"), ending_of("a")
    ('.csv', '.csv.gz', '')
    """
    endings = [suffix.lower() for suffix in PurePath(path).suffixes]
    return "".join(endings[-2:] if endings[-1:] == [PACKED] else endings[-1:])


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
    start = data.lstrip()[:1]
    return {b"{": ".jsonl", b"[": ".json"}.get(start, ".csv")


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
        if any(_is_within(place, source) for source in sources):
            raise WritingError(f"{place} is in the folder that is read. Choose another place with {option}.")
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


def _is_within(place: str, folder: str) -> bool:
    return os.path.isdir(folder) and Path(os.path.realpath(folder)) in Path(os.path.realpath(place)).parents


def check_ending(out: str | os.PathLike[str], table: Table, source: str | os.PathLike[str]) -> None:
    """Refuses, before any work, a place whose ending names another format than the table from ``source`` has."""
    packed = PACKED if isinstance(table.source, Gzipped) else ""
    needed = table.format + packed
    endings = (needed, _plain_ending(source))
    if _plain_ending(out) not in endings:
        raise WritingError(f"{out} should end in {needed}: a table is written in the format it was read in.")


def _plain_ending(path: str | os.PathLike[str]) -> str:
    """The ending of a name that stands for its format, with .gz where it is packed."""
    ending = ending_of(path)
    plain = ending.removesuffix(PACKED)
    return format_of(plain) + ending[len(plain) :]


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


Content = bytes | Callable[[BinaryIO], object]
"""What a file is to hold: its bytes, or what writes them into a stream one after the other."""


def put_into(stream: BinaryIO, data: Content) -> None:
    """Writes what a file is to hold into a stream."""
    if isinstance(data, bytes):
        stream.write(data)
    else:
        data(stream)
    stream.flush()


def write_atomically(data: Content, path: str | os.PathLike[str]) -> None:
    """The file at ``path`` holds ``data``, or is as it was: a broken write leaves nothing behind.

    The bytes go to a file beside the target, which takes its name once the disk has them.
    """
    # a link stays a link, and what it leads to is written
    place = Path(os.path.realpath(path))
    draft = place.with_name(f".lsvv-{secrets.token_hex(8)}.part")
    try:
        with open(draft, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as stream:
            put_into(stream, data)
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
