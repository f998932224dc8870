"""What a data folder holds, and whether it is what it should be."""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse

from reproduction.data.loading import Dataset, data_folder, find, load, missing_sentence
from reproduction.data.registry import paper_names
from reproduction.data.sources import NPZ_SHA256
from reproduction.data.text import DataError

__all__ = ["CHECKSUMS", "Checked", "available", "examined", "file_sha256", "recorded_sums", "varying_columns", "verify"]

CHECKSUMS = "checksums.json"


@dataclass(frozen=True)
class Checked:
    """What was found out about a data set in a folder: good or not, and why in one sentence.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from reproduction.data import available
    >>> with TemporaryDirectory() as folder:
    ...     finding = available(folder)[0]
    >>> finding.name, finding.good, finding.sentence.split(":")[0]
    ('iris', False, 'not here')
    """

    name: str
    good: bool
    sentence: str


def available(folder: str | os.PathLike[str] | None = None) -> tuple[Checked, ...]:
    """For each data set of the paper: is it here, and if not, why not. Nothing is read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     findings = available(folder)
    >>> len(findings), any(finding.good for finding in findings)
    (23, False)
    """
    place = data_folder(folder)
    return tuple(_presence(name, place) for name in paper_names())


def verify(folder: str | os.PathLike[str] | None = None, names: tuple[str, ...] | None = None) -> tuple[Checked, ...]:
    """Loads each data set that is here and holds it against the registry.

    Checked are the shape, the rows of each class, the number of non-constant columns and, where it is known,
    the file's SHA-256.

    Parameters
    ----------
    folder : path, optional
        Where to look; by default the folder in the variable LSVV_DATA.
    names : tuple of str, optional
        What to verify; by default the data sets of the paper.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from reproduction.data import verify
    >>> X, y = load_wine(return_X_y=True)
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "wine.npz", X=X[:100], y=y[:100])
    ...     (finding,) = verify(folder, ("wine",))
    >>> finding.good
    False
    >>> "holds 100 rows" in finding.sentence
    True
    """
    place = data_folder(folder)
    return tuple(examined(name, place) for name in (paper_names() if names is None else names))


def varying_columns(X: NDArray[np.floating] | csr_matrix) -> int:
    """How many columns of X are not constant; the paper's d is one more. Missing values do not count.

    Examples
    --------
    >>> varying_columns(np.array([[1.0, 2.0], [1.0, 3.0]]))
    1
    """
    if issparse(X):
        low, high = X.min(axis=0).toarray(), X.max(axis=0).toarray()
    else:
        low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    return int(np.count_nonzero(low < high))


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def recorded_sums(folder: Path) -> dict[str, str]:
    """The SHA-256 of the files fetched into a folder, as noted when they first arrived."""
    path = folder / CHECKSUMS
    if not path.is_file():
        return {}
    try:
        return dict(json.loads(path.read_text()))
    except ValueError as error:
        raise DataError(f"{path} is not the list of checksums it was ({error}); remove it.") from error


def _presence(name: str, folder: Path) -> Checked:
    found = find(name, folder)
    if found is None:
        return Checked(name, False, f"not here: {missing_sentence(name, folder)}")
    empty = [file for file in found.files if file.stat().st_size == 0]
    if empty:
        return Checked(name, False, f"not here: {empty[0]} is empty; remove it and fetch it again.")
    return Checked(name, True, f"here: {' with '.join(file.name for file in found.files)}.")


def examined(name: str, folder: Path) -> Checked:
    """Whether the files of a data set in a folder are what they should be."""
    presence = _presence(name, folder)
    if not presence.good:
        return presence
    try:
        data = load(name, folder, dtype=np.float32)
        faults = [*_content_faults(data), *_sum_faults(data, folder)]
    except DataError as error:
        return Checked(name, False, str(error))
    if faults:
        return Checked(name, False, " ".join(faults))
    rows, columns = data.X.shape
    return Checked(name, True, f"{rows} rows, {columns} columns and {data.info.K} outputs, as they should be.")


def _content_faults(data: Dataset) -> list[str]:
    entry = data.info
    faults = []
    varying = varying_columns(data.X)
    if varying != entry.varying:
        faults.append(f"{data.origin[0]} has {varying} columns that vary, but {entry.varying} should.")
    counts = tuple(sorted(np.bincount(data.y).tolist())) if entry.counts else ()
    if counts != entry.counts:
        faults.append(f"{data.origin[0]} has {counts} rows in its classes, but {entry.counts} are known.")
    return faults


def _sum_faults(data: Dataset, folder: Path) -> list[str]:
    known = {**{f"{name}.npz": value for name, value in NPZ_SHA256.items()}, **recorded_sums(folder)}
    return [
        f"{file} has the right shape, but its SHA-256 is not the known one."
        for file in data.origin
        if file.name in known and file_sha256(file) != known[file.name]
    ]
