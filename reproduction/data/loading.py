"""Loading a named data set from a folder, whatever layout it has there."""

import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import TypeAlias
from zipfile import BadZipFile

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_matrix, issparse, vstack

from reproduction.data.arff import ArffTable, read_arff, read_label_names
from reproduction.data.registry import DatasetInfo, Task, info
from reproduction.data.sources import LAYOUTS, FileLayout
from reproduction.data.text import SUFFIXES, DataError, read_libsvm, read_table

__all__ = ["FOLDER_VARIABLE", "Dataset", "FoundFiles", "data_folder", "find", "load"]

FOLDER_VARIABLE = "LSVV_DATA"

_Inputs: TypeAlias = NDArray[np.floating] | csr_matrix
_Pair: TypeAlias = tuple[_Inputs, NDArray[np.generic]]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set in memory, as it was published: neither scaled nor cleaned of constant columns.

    Attributes
    ----------
    name, task : str
        The registry's name and task.
    X : array or CSR matrix of shape (rows, columns)
        The inputs.
    y : array
        Classes 0 .. K-1 of shape (rows,), labels 0 or 1 or targets of shape (rows, K).
    classes : tuple of str
        What the classes 0 .. K-1 are called in the file; empty unless the task is multi-class.
    origin : tuple of Path
        The files that were read.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from reproduction.data import Dataset
    >>> X, y = load_iris(return_X_y=True)
    >>> data = Dataset("iris", "multi-class", X, y, ("setosa", "versicolor", "virginica"), origin=())
    >>> data.X.shape, data.info.K
    ((150, 4), 3)
    """

    name: str
    task: Task
    X: _Inputs
    y: NDArray[np.int64] | NDArray[np.float64]
    classes: tuple[str, ...]
    origin: tuple[Path, ...]

    @property
    def info(self) -> DatasetInfo:
        """The registry entry."""
        return info(self.name)


@dataclass(frozen=True)
class FoundFiles:
    """The files of a data set in a folder and how to read them."""

    layout: FileLayout
    files: tuple[Path, ...]
    labels: Path | None

    @property
    def named(self) -> str:
        """The files as sentences name them."""
        return " with ".join(str(file) for file in self.files)


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """The folder to look in: the one given, else the one the variable LSVV_DATA names."""
    chosen = folder if folder is not None else os.environ.get(FOLDER_VARIABLE)
    if not chosen:
        raise DataError(f"No data folder is known: pass one or set the variable {FOLDER_VARIABLE}.")
    if not Path(chosen).is_dir():
        raise DataError(f"The data folder {chosen} does not exist.")
    return Path(chosen)


def find(name: str, folder: Path) -> FoundFiles | None:
    """The first layout of a data set whose files all lie in ``folder`` or in its subfolder ``name``."""
    entry = info(name)
    for layout in LAYOUTS[entry.name]:
        for place in (folder, folder / name):
            files = [_present(place, file) for file in layout.files]
            present = [file for file in files if file is not None]
            if len(present) == len(files):
                return FoundFiles(layout, tuple(present), _present(place, layout.labels) if layout.labels else None)
    return None


def load(name: str, folder: str | os.PathLike[str] | None = None, *, dtype: DTypeLike = np.float64) -> Dataset:
    """A data set by name.

    Parameters
    ----------
    name : str
        One of the registry's names.
    folder : path, optional
        Where to look for ``name.npz`` or the original LIBSVM, Mulan or UCI files; by default the folder in
        the variable LSVV_DATA.
    dtype : dtype, default=float64
        Of X; float32 halves the memory of MNIST and covtype.

    Returns
    -------
    Dataset
        With the rows the paper used; "rf2" drops the rows that miss an input, "rf2_with_missing" keeps them.

    Raises
    ------
    DataError
        If the data set is not there, or a file is damaged or of another shape.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "iris.npz", X=X, y=y)
    ...     load("iris", folder).X.shape
    (150, 4)
    """
    entry = info(name)
    place = data_folder(folder)
    found = find(name, place)
    if found is None:
        raise DataError(f"{name} is not at hand: {missing_sentence(name, place)}")
    X, target = _stack([_read(entry, found, file) for file in found.files])
    _check_arrays(entry, found, X, target)
    if entry.complete:
        X, target = _complete_rows(X, target)
    X = csr_matrix(X, dtype=np.dtype(dtype)) if entry.sparse else _dense(X, dtype)
    y, classes = _targets(entry, target)
    _check_shape(entry, found, X, target, len(classes))
    return Dataset(name, entry.task, X, y, classes, found.files)


def missing_sentence(name: str, folder: Path) -> str:
    """What was looked for in vain, for the user to put there."""
    wanted = dict.fromkeys(" with ".join(layout.files) for layout in LAYOUTS[name])
    return f"none of {', '.join(wanted)} is in {folder}; put one there or fetch it."


def _present(place: Path, file: str) -> Path | None:
    return next((place / f"{file}{suffix}" for suffix in SUFFIXES if (place / f"{file}{suffix}").is_file()), None)


def _read(entry: DatasetInfo, found: FoundFiles, file: Path) -> _Pair:
    layout = found.layout
    if layout.reader == "npz":
        return _read_npz(file, entry)
    if layout.reader == "libsvm":
        return read_libsvm(file, entry.columns)
    if layout.reader == "arff":
        return _split_columns(file, read_arff(file), found.labels, entry)
    rows = entry.rows if layout.first else None
    return read_table(file, layout.separator, layout.label, layout.drop, layout.cells, rows)


def _read_npz(file: Path, entry: DatasetInfo) -> _Pair:
    """X and y or Y of an archive; X may lie there as the pieces of a CSR matrix."""
    target = "y" if entry.task == "multi-class" else "Y"
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            if "X" in archive:
                return archive["X"], archive[target]
            pieces = (archive["X_data"], archive["X_indices"], archive["X_indptr"])
            return csr_matrix(pieces, shape=tuple(archive["X_shape"])), archive[target]
    except KeyError as error:
        raise DataError(f"{file} lacks an array: {error.args[0]}; it needs X and {target}.") from error
    except (BadZipFile, EOFError, NotImplementedError, OSError, TokenError, TypeError, ValueError, zlib.error) as error:
        raise DataError(f"{file} ends early or is damaged ({error}); remove it and fetch it again.") from error


def _split_columns(file: Path, table: ArffTable, labels: Path | None, entry: DatasetInfo) -> _Pair:
    """X and targets of an ARFF table: the columns the XML list names, else the last K (one, for classes)."""
    names = [attribute.name for attribute in table.attributes]
    if labels is None:
        count = 1 if entry.task == "multi-class" else entry.K
        wanted = set(names[-count:])
    else:
        wanted = set(read_label_names(labels))
        absent = sorted(wanted.difference(names))
        if absent:
            raise DataError(f"{labels} names the label {absent[0]!r}, which is no column of {file}.")
    chosen = np.array([name in wanted for name in names])
    target = table.rows[:, chosen]
    X = table.rows[:, ~chosen]
    dense = csr_matrix(target).toarray() if issparse(target) else target
    return X, dense[:, 0] if entry.task == "multi-class" else dense


def _stack(parts: list[_Pair]) -> _Pair:
    if len(parts) == 1:
        return parts[0]
    inputs = [X for X, _ in parts]
    join: Callable[..., _Inputs] = vstack if issparse(inputs[0]) else np.vstack
    return join(inputs), np.concatenate([target for _, target in parts])


def _dense(X: _Inputs, dtype: DTypeLike) -> NDArray[np.floating]:
    return np.asarray(csr_matrix(X).toarray() if issparse(X) else X, dtype=dtype)


def _complete_rows(X: _Inputs, target: NDArray[np.generic]) -> _Pair:
    kept = ~np.isnan(_dense(X, np.float64)).any(axis=1)
    return X[kept], target[kept]


def _targets(
    entry: DatasetInfo, target: NDArray[np.generic]
) -> tuple[NDArray[np.int64] | NDArray[np.float64], tuple[str, ...]]:
    if entry.task == "multi-class":
        values, codes = np.unique(target, return_inverse=True)
        return codes.astype(np.int64), tuple(_class_name(value) for value in values)
    if entry.task == "multi-label":
        return target.astype(np.int64), ()
    return target.astype(np.float64), ()


def _class_name(value: np.generic) -> str:
    """The class as written: LIBSVM's 3.0 is the class 3."""
    return f"{value:g}" if isinstance(value, np.floating) else str(value)


def _check_arrays(entry: DatasetInfo, found: FoundFiles, X: _Inputs, target: NDArray[np.generic]) -> None:
    """Refuses what is no table of numbers with one target a row, or a row of them."""
    dimensions = (X.ndim, target.ndim)
    expected = (2, 1 if entry.task == "multi-class" else 2)
    if dimensions != expected:
        raise DataError(
            f"{found.named} holds inputs and targets of {dimensions[0]} and {dimensions[1]} dimensions; {entry.name} "
            f"has {expected[0]} and {expected[1]}: the file is not the one meant."
        )
    if X.dtype.kind not in "biuf" or (entry.task != "multi-class" and target.dtype.kind not in "biuf"):
        raise DataError(f"{found.named} holds texts where {entry.name} has numbers: the file is not the one meant.")
    if target.dtype.kind == "f" and not np.isfinite(target).all():
        raise DataError(f"{found.named} lacks a target, or has one that is infinite: the file is damaged.")


def _check_shape(entry: DatasetInfo, found: FoundFiles, X: _Inputs, target: NDArray[np.generic], classes: int) -> None:
    outputs = classes if entry.task == "multi-class" else target.shape[1]
    seen = (*X.shape, outputs)
    expected = (entry.rows, entry.columns, entry.K)
    if seen != expected or len(target) != entry.rows:
        raise DataError(
            f"{found.named} holds {seen[0]} rows ({len(target)} with targets), {seen[1]} columns and {seen[2]} "
            f"outputs; {entry.name} has {expected[0]}, {expected[1]} and {expected[2]}: "
            "the file ends early or is not the one meant."
        )
    if entry.task == "multi-label" and not np.isin(target, (0, 1)).all():
        raise DataError(f"{found.named}: a label is neither 0 nor 1; the label columns are not those of {entry.name}.")
