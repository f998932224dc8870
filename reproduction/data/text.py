"""Readers of text files, plain or compressed: LIBSVM lines and tables of cells."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.datasets import load_svmlight_file

__all__ = ["SUFFIXES", "DataError", "open_lines", "read_libsvm", "read_table"]

_OPENERS: dict[str, Callable[[Path], IO[bytes]]] = {
    "": lambda path: path.open("rb"),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".gz": lambda path: cast(IO[bytes], gzip.GzipFile(path)),
}
SUFFIXES = tuple(_OPENERS)


class DataError(ValueError):
    """A data file that is missing, damaged or not the one meant; the message names the file and the line.

    Examples
    --------
    >>> from reproduction.data import DataError, load
    >>> try:
    ...     load("iris", "no such folder")
    ... except DataError as error:
    ...     print(error)
    The data folder no such folder does not exist.
    """


@contextmanager
def open_lines(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a plain, .bz2, .xz or .gz file; damage found while reading becomes a DataError."""
    with _OPENERS.get(path.suffix, _OPENERS[""])(path) as stream:
        try:
            yield stream
        except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
            raise DataError(f"{path} ends early or is damaged ({error}); remove it and fetch it again.") from error


def read_libsvm(path: Path, columns: int) -> tuple[csr_matrix, NDArray[np.float64]]:
    """Rows of ``label index:value ...`` with indices from 1, as (X, labels).

    Parameters
    ----------
    path : Path
        The file, plain or compressed.
    columns : int
        Columns of X; trailing columns that no row mentions are zero.
    """
    with open_lines(path) as stream:
        try:
            X, y = load_svmlight_file(stream, n_features=columns, zero_based=False)
        except ValueError as error:
            raise DataError(_first_fault(path, _libsvm_fault(columns)) or f"{path}: {error}") from error
    return X, y


def read_table(
    path: Path, separator: str | None, label: int, drop: tuple[int, ...], cells: str, rows: int | None
) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Lines of cells with one cell for the class, as (X, labels).

    Parameters
    ----------
    path : Path
        The file, plain or compressed.
    separator : str or None
        What stands between two cells; None for blanks.
    label : int
        Column of the class; it may hold any word.
    drop : tuple of int
        Columns to leave out.
    cells : str
        If not empty, each cell is one of these letters and becomes one indicator column a letter.
    rows : int or None
        How many rows to read; None for all.
    """
    with open_lines(path) as stream:
        width = len(_split(stream.readline().decode(errors="replace"), separator))
    kept = [j for j in range(width) if j != label % width and j not in drop]

    def parse(dtype: type, usecols: list[int]) -> NDArray[np.generic]:
        with open_lines(path) as stream:
            lines = (line.decode(errors="replace") for line in stream if line.strip())
            return np.loadtxt(
                islice(lines, rows), dtype=dtype, delimiter=separator, usecols=usecols, ndmin=2, comments=None
            )

    try:
        words = parse(str, [label % width])[:, 0].astype(str)
        X = _indicators(parse(str, kept).astype(str), cells) if cells else parse(float, kept).astype(float)
    except ValueError as error:
        fault = _first_fault(path, _table_fault(separator, width, kept, cells))
        raise DataError(fault or f"{path}: {error}") from error
    return X, words


def _indicators(words: NDArray[np.str_], cells: str) -> NDArray[np.float64]:
    """Column len(cells) * j + c is 1 where cell j holds the letter number c, else 0."""
    codes = words[:, :, None] == np.array(list(cells))
    if not codes.any(axis=2).all():
        raise ValueError("a cell holds an unknown letter")
    return codes.reshape(len(words), -1).astype(float)


def _split(line: str, separator: str | None) -> list[str]:
    return [cell.strip() for cell in line.strip().split(separator)]


def _first_fault(path: Path, fault: Callable[[str], str]) -> str:
    """The sentence on the first line that ``fault`` objects to; empty if there is none."""
    with open_lines(path) as stream:
        for number, line in enumerate(stream, start=1):
            reason = fault(line.decode(errors="replace")) if line.strip() else ""
            if reason:
                return f"{path}, line {number}: {reason}; remove the file and fetch it again."
    return ""


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _libsvm_fault(columns: int) -> Callable[[str], str]:
    def fault(line: str) -> str:
        label, *pairs = line.partition("#")[0].split()
        if not _is_number(label):
            return f"the label {label!r} is not a number"
        last = 0
        for pair in pairs:
            index, colon, value = pair.partition(":")
            if not (colon and index.isdigit() and _is_number(value)):
                return f"{pair!r} is not of the form index:value"
            if not last < int(index) <= columns:
                return f"index {index} is out of order or not between 1 and {columns}"
            last = int(index)
        return ""

    return fault


def _table_fault(separator: str | None, width: int, kept: list[int], cells: str) -> Callable[[str], str]:
    def fault(line: str) -> str:
        found = _split(line, separator)
        if len(found) != width:
            return f"{len(found)} cells, but the first line has {width}"
        for column in kept:
            if cells and found[column] not in cells:
                return f"cell {column + 1} holds {found[column]!r}, not one of {', '.join(cells)}"
            if not cells and not _is_number(found[column]):
                return f"cell {column + 1} holds {found[column]!r}, not a number"
        return ""

    return fault
