"""One gate for files: each is opened, sized, unpacked and checked before anybody reads what it says."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from lsvv.tables.table import TableError

__all__ = ["check_cells", "check_size", "content", "decompressed", "packed", "understood", "unpacked"]

MOST_BYTES = 4 * 2**30
"""Of a file, and of what it unpacks to."""
MOST_CELLS = 250_000_000
"""Rows x columns of a table: two gigabytes if each cell is but a reference."""
MOST_FOLD = 100
"""How many times its size a file may unpack to, beyond ``SMALL``; tables and fitted models seldom reach twenty."""
SMALL = 32 * 2**20
"""What may always be unpacked."""
_STEP = 2**20


def content(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, or of standard input for "-"; what is no file, or too large, is refused with a sentence."""
    if str(path) == "-":
        # a shell may have closed it
        if sys.stdin is None:
            raise TableError("Standard input is closed. Send a table into it, or name a file.")
        return _within(sys.stdin.buffer, "Standard input")
    place = Path(path)
    try:
        with open(os.open(place, os.O_RDONLY | getattr(os, "O_BINARY", 0) | _NO_WAIT), "rb", buffering=0) as stream:
            kind = os.fstat(stream.fileno())
            if stat.S_ISFIFO(kind.st_mode):
                return _piped(stream, place)
            check_size(kind.st_size, str(place))
            return _within(stream, str(place))
    except FileNotFoundError as error:
        raise TableError(f"There is no file {place}. Check the path.") from error
    except IsADirectoryError as error:
        raise TableError(f"{place} is a folder. Name a table in it.") from error
    except OSError as error:
        raise TableError(f"{place} cannot be read: {error.strerror}.") from error


_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Opens a pipe that nobody writes into without waiting for ever."""


def _piped(stream: BinaryIO, place: Path) -> bytes:
    """What comes through a pipe, as from ``<(command)``; one that nobody writes into is refused."""
    first = stream.read(_STEP)
    if first == b"":
        raise TableError(f"{place} is a pipe that nobody writes into. Name a file.")
    os.set_blocking(stream.fileno(), True)
    # nothing, where the other side is open and has not written yet
    return (first or b"") + _within(stream, str(place))


def _within(stream: BinaryIO, name: str) -> bytes:
    """All that a stream holds, step by step, so that one without end is cut."""
    whole = bytearray()
    while part := stream.read(_STEP):
        whole += part
        check_size(len(whole), name)
    return bytes(whole)


def check_size(size: int, name: str) -> None:
    """Refuses what is too large to be read."""
    if size > MOST_BYTES:
        raise TableError(
            f"{name} holds over {MOST_BYTES / 2**30:.0f} GB, which is the most. Take some of its rows, or write it as "
            f"Parquet, which 'lsvv fill' reads block by block."
        )


def _check_unpacked(size: int, packed_size: int, name: str) -> None:
    """Refuses what would unpack to very many times its size."""
    check_size(size, name)
    if _is_swollen(size, packed_size):
        raise TableError(
            f"{name} would unpack from {_megabytes(packed_size)} to {_megabytes(size)}. Over {MOST_FOLD} times its "
            f"size it is not unpacked. Save it anew."
        )


def _is_swollen(size: int, packed_size: int) -> bool:
    return size > max(SMALL, MOST_FOLD * packed_size)


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.1f} MB"


def check_cells(n_rows: int, n_columns: int, name: str) -> None:
    """Refuses a table that is too large to be held, before it is built."""
    if n_rows * n_columns > MOST_CELLS:
        raise TableError(
            f"{name} would be a table of {n_rows:,} rows and {n_columns:,} columns; the most is {MOST_CELLS:,} cells. "
            f"Leave out columns or rows, or delete a cell far away from the others."
        )


def unpacked(data: bytes, name: str) -> dict[str, bytes]:
    """The members of a zip file, each as its checksum says; sizes are looked at before anything is unpacked."""
    with understood(name), ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        _check_unpacked(sum(member.file_size for member in members), len(data), name)
        return {member.filename: _unpacked(archive, member) for member in members}


def decompressed(data: bytes, name: str) -> bytes:
    """What a gzip file holds; unpacking ends where it would be too much."""
    whole = bytearray()
    with understood(name), gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        while part := stream.read(_STEP):
            whole += part
            _check_unpacked(len(whole), len(data), name)
    return bytes(whole)


def _unpacked(archive: ZipFile, member: ZipInfo) -> bytes:
    # others are unpacked in one go, whatever size they claim
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise BadZipFile(f"{member.filename} is packed in an unusual way")
    whole = bytearray()
    with archive.open(member) as stream:
        while part := stream.read(_STEP):
            whole += part
    return bytes(whole)


def packed(members: Mapping[str, bytes], *, deflated: bool = True) -> bytes:
    """A zip file that :func:`unpacked` takes back, also where its content is very even."""
    stream = io.BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED if deflated else ZIP_STORED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    data = stream.getvalue()
    size = sum(map(len, members.values()))
    return packed(members, deflated=False) if deflated and _is_swollen(size, len(data)) else data


@contextmanager
def understood(name: str, remedy: str = "Copy it again, or save it anew.") -> Iterator[None]:
    """Whatever a library stumbles over within, the file is not what was written."""
    try:
        yield
    except (TableError, ImportError, MemoryError):
        raise
    except Exception as error:
        why = " ".join(str(error).split()) or "it ends early"
        raise TableError(f"{name} is damaged ({type(error).__name__}: {why}). {remedy}") from error
