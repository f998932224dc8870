"""Fetching a data set from the web into a folder: resumed where it broke off, examined before it is kept."""

import importlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from reproduction.data import sources
from reproduction.data.checking import CHECKSUMS, examined, file_sha256, recorded_sums
from reproduction.data.loading import FOLDER_VARIABLE, find
from reproduction.data.registry import info
from reproduction.data.text import DataError

__all__ = ["Progress", "fetch"]

Progress = Callable[[str, int, int | None], None]
"""Called with the file, the bytes here so far, and the bytes in all where the server tells."""

_BLOCK = 1 << 16
_PATIENCE = 60.0
"""Seconds without a byte, or with fewer than ``_SLOWEST`` a second, after which a server is given up."""
_SLOWEST = 1024
_LARGEST = 1 << 29
"""Bytes of a file, beyond which none of the data sets goes."""


def fetch(
    name: str, folder: str | os.PathLike[str] | None = None, progress: Progress | None = None
) -> tuple[Path, ...]:
    """The files of a data set: those in the folder, else those of the LIBSVM, Mulan or OpenML sites.

    A download that broke off goes on where it stopped. What arrived is kept only if it loads as the data set it should
    be (rows, classes, columns that vary). The SHA-256 of a file is noted in ``checksums.json`` then and holds from
    there on: a file that has changed since is fetched again. OpenML tells its checksum beforehand.

    Parameters
    ----------
    name : str
        One of the registry's names.
    folder : path, optional
        Where the files go; it is made if need be. By default the folder in the variable LSVV_DATA.
    progress : callable, optional
        Called as ``progress(file, bytes_here, bytes_in_all)`` while a file arrives.

    Returns
    -------
    tuple of Path
        The files, ready for ``load``.

    Raises
    ------
    DataError
        If no site gave the files; the sentence tells what each answered.

    Examples
    --------
    What is in the folder already is not fetched again:

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from reproduction.data import fetch
    >>> X, y = load_iris(return_X_y=True)
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "iris.npz", X=X, y=y)
    ...     [path.name for path in fetch("iris", folder)]
    ['iris.npz']
    """
    entry = info(name)
    place = _target_folder(folder)
    found = find(name, place)
    sums = recorded_sums(place)
    if found is not None and all(sums.get(file.name) in (None, file_sha256(file)) for file in found.files):
        return found.files
    failures = []
    for mirror in sources.MIRRORS[name]:
        try:
            addresses = _openml_file(mirror.openml, entry.rows) if mirror.openml else _plain_sums(mirror.files)
            return _kept(name, place, addresses, progress)
        except (OSError, ValueError, HTTPException) as error:
            failures.append(str(error))
        except KeyError as error:
            failures.append(f"OpenML answered without {error}")
    raise DataError(f"{name} could not be fetched: {'; '.join(failures)}. Put its files into {place} by hand.")


def _target_folder(folder: str | os.PathLike[str] | None) -> Path:
    chosen = folder if folder is not None else os.environ.get(FOLDER_VARIABLE)
    if not chosen:
        raise DataError(f"No folder to fetch into: pass one or set the variable {FOLDER_VARIABLE}.")
    place = Path(chosen)
    place.mkdir(parents=True, exist_ok=True)
    return place


def _plain_sums(files: Any) -> dict[str, tuple[str, str | None]]:
    return {file: (url, None) for file, url in files.items()}


def _pooch() -> Any:
    try:
        return importlib.import_module("pooch")
    except ModuleNotFoundError as error:
        if error.name != "pooch":
            raise
        raise ImportError(
            "Fetching data needs pooch: pip install '.[reproduction]' in the project's folder."
        ) from error


def _kept(
    name: str, place: Path, addresses: dict[str, tuple[str, str | None]], progress: Progress | None
) -> tuple[Path, ...]:
    """Files of one mirror, moved into the folder once they are found to be the data set."""
    arrived = place / f"{name}.arrived"
    arrived.mkdir(exist_ok=True)
    sums = recorded_sums(place)
    try:
        for file, (url, known) in addresses.items():
            _retrieve(arrived, place / f"{file}.part", file, url, known or sums.get(file), progress)
        finding = examined(name, arrived)
        for file in addresses:
            path = arrived / file
            path.replace(place / file) if finding.good else path.unlink()
    finally:
        # files that arrived before another failed stay for the next call
        if not any(arrived.iterdir()):
            arrived.rmdir()
    if not finding.good:
        told = finding.sentence.replace(f"{arrived}{os.sep}", "")
        raise DataError(f"what {' and '.join(url for url, _ in addresses.values())} sent is not {name}: {told}")
    _note_sums(place, {**sums, **{file: file_sha256(place / file) for file in addresses}})
    return tuple(place / file for file in addresses)


def _retrieve(folder: Path, part: Path, file: str, url: str, known: str | None, progress: Progress | None) -> None:
    """One file through pooch, its checksum held against the known one."""
    pooch = _pooch()
    pooch.get_logger().setLevel("WARNING")
    pooch.retrieve(url, known_hash=known, fname=file, path=folder, downloader=_Resuming(part, file, progress))


def _note_sums(place: Path, sums: dict[str, str]) -> None:
    draft = place / f"{CHECKSUMS}.part"
    draft.write_text(json.dumps(sums, indent=2, sort_keys=True) + "\n")
    draft.replace(place / CHECKSUMS)


class _Resuming:
    """A downloader for pooch that keeps what has arrived beside the target and asks for the rest only."""

    def __init__(self, part: Path, file: str, progress: Progress | None) -> None:
        self._part = part
        self._file = file
        self._progress = progress

    def __call__(self, url: str, output_file: str, pooch: object) -> None:
        here = self._part.stat().st_size if self._part.is_file() else 0
        try:
            self._receive(url, here)
        except HTTPError as error:
            # 416: the part is as long as the file or longer, so what is here cannot be continued.
            if error.code != 416:
                raise OSError(f"{url} answered {error.code} {error.reason}") from error
            self._receive(url, 0)
        except URLError as error:
            raise OSError(f"{url} was out of reach ({error.reason})") from error
        self._part.replace(output_file)

    def _receive(self, url: str, here: int) -> None:
        request = Request(url, headers={"Range": f"bytes={here}-"} if here else {})
        with urlopen(request, timeout=_PATIENCE) as answer:
            if here and not _goes_on(answer, here):
                here = 0
                if answer.status == 206:
                    self._receive(url, 0)
                    return
            length = answer.headers.get("Content-Length")
            total = None if length is None else here + int(length)
            with self._part.open("ab" if here else "wb") as stream:
                try:
                    for block in _blocks(answer, url, _LARGEST - here):
                        stream.write(block)
                        here += len(block)
                        if self._progress is not None:
                            self._progress(self._file, here, total)
                except _TooLargeError:
                    self._part.unlink()
                    raise
        if total is not None and here != total:
            raise OSError(f"{url} broke off after {here} of {total} bytes; fetch again to go on from there")


def _goes_on(answer: HTTPResponse, here: int) -> bool:
    """Whether an answer holds the bytes that were asked for, those from ``here`` on."""
    told = re.match(r"bytes (\d+)-", answer.headers.get("Content-Range") or "")
    return answer.status == 206 and told is not None and int(told[1]) == here


class _TooLargeError(OSError):
    """A server sends more than any of the data sets has."""


def _blocks(answer: HTTPResponse, url: str, most: int) -> Iterator[bytes]:
    """What a server sends, as long as it is not too much and does not drip."""
    length = int(answer.headers.get("Content-Length") or 0)
    here, since, before = 0, time.monotonic(), 0
    # one reading of the socket at a time: a full block may never come
    while block := answer.read1(_BLOCK):
        here += len(block)
        if max(here, length) > most:
            raise _TooLargeError(f"{url} sends more than {_LARGEST >> 20} MB, which none of the data sets has")
        yield block
        if time.monotonic() - since > _PATIENCE:
            if here - before < _SLOWEST * _PATIENCE:
                raise OSError(f"{url} sends less than {_SLOWEST} bytes a second; fetch again to go on later")
            since, before = time.monotonic(), here


def _openml_file(name: str, rows: int) -> dict[str, tuple[str, str | None]]:
    """The ARFF file of the active OpenML data set with this name and number of rows, with its MD5 sum."""
    listed = _json(f"{sources.OPENML}/list/data_name/{quote(name)}/status/active")["data"]["dataset"]
    fitting = [entry for entry in listed if entry["format"].lower().endswith("arff") and _rows(entry) >= rows]
    if not fitting:
        raise DataError(f"OpenML has no data set {name} with at least {rows} rows")
    about = _json(f"{sources.OPENML}/{fitting[0]['did']}")["data_set_description"]
    return {f"{name}.arff": (about["url"], f"md5:{about['md5_checksum']}")}


def _rows(entry: dict[str, Any]) -> int:
    return next((int(float(item["value"])) for item in entry["quality"] if item["name"] == "NumberOfInstances"), 0)


def _json(url: str) -> dict[str, Any]:
    try:
        with urlopen(url, timeout=_PATIENCE) as answer:
            return dict(json.loads(b"".join(_blocks(answer, url, _LARGEST))))
    except HTTPError as error:
        raise OSError(f"{url} answered {error.code} {error.reason}") from error
    except URLError as error:
        raise OSError(f"{url} was out of reach ({error.reason})") from error
