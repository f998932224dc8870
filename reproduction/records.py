"""Records of trials: append-only JSON lines that survive being killed at any moment.

A row is acknowledged when ``append`` returns: its line, newline included, is then on disk. A line without its
newline was never acknowledged; readers leave it out and the next writer cuts it off.
"""

import gzip
import hashlib
import json
import math
import os
import platform
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

__all__ = [
    "LIVE",
    "PACKED",
    "Record",
    "RecordsError",
    "Trial",
    "environment",
    "latest",
    "pack",
    "read_records",
    "recording",
    "trial_key",
]

LIVE = "records.jsonl"
PACKED = "records.jsonl.gz"
_LOCK = "records.lock"

Trial = Mapping[str, str | int | float | bool | None]
"""What identifies a trial: data set, space, method, seed and whatever else tells it apart."""


class RecordsError(ValueError):
    """A record file that is locked by another run or is damaged."""


_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "trial": dict,
    "parameters": dict,
    "figures": dict,
    "seconds": (int, float),
    "reason": str,
    "environment": dict,
}
"""What the fields of a record are in JSON."""


@dataclass(frozen=True)
class Record:
    """One trial: what was tried, what came out, and under which conditions.

    Attributes
    ----------
    trial : mapping
        What identifies the trial, the seed among it.
    parameters, figures : mapping
        What was chosen, and what was measured.
    seconds : float
        Wall time.
    reason : str
        Why the trial failed; empty if it did not.
    environment : mapping
        Versions and cores, see ``environment``; a run adds whether its data is bundled or from a folder.
    """

    trial: Trial
    parameters: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, float | None] = field(default_factory=dict)
    seconds: float = 0.0
    reason: str = ""
    environment: Mapping[str, Any] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether the trial ended without figures."""
        return bool(self.reason)


def environment() -> dict[str, Any]:
    """What a figure may depend on besides its trial: our code, versions of the packages, the machine, the cores to use.

    Examples
    --------
    >>> sorted(environment())
    ['code', 'cores', 'machine', 'versions']
    """
    packages = ("lsvv", "numpy", "scipy", "scikit-learn")
    versions = {"python": platform.python_version(), **{package: version(package) for package in packages}}
    return {"code": _code(), "versions": versions, "machine": platform.machine(), "cores": _cores()}


def trial_key(trial: Trial) -> str:
    """One string for a trial, whatever the order of its entries.

    Examples
    --------
    >>> trial_key({"seed": 0, "data": "iris"}) == trial_key({"data": "iris", "seed": 0})
    True
    """
    return _line(dict(trial))


@contextmanager
def recording(folder: str | os.PathLike[str]) -> Iterator[Callable[[Record], None]]:
    """The right to append records to a folder, for one run at a time.

    Yields ``append(record)``, which returns once the row is on disk. A second run on the folder, in this or
    another process, is refused while the first lasts; the lock of a killed run is void.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with recording(folder) as append:
    ...         append(Record({"data": "iris", "seed": 0}, figures={"error": 0.05}))
    ...     [record.figures["error"] for record in read_records(folder)]
    [0.05]
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    with _locked(place), (place / LIVE).open("a+b") as stream:
        _cut_torn_line(stream)
        _sync_folder(place)

        def append(record: Record) -> None:
            stream.write(f"{_line(asdict(record))}\n".encode())
            stream.flush()
            os.fsync(stream.fileno())

        yield append


def read_records(source: str | os.PathLike[str]) -> list[Record]:
    """The acknowledged records of a file (.jsonl or .jsonl.gz) or of a folder, oldest first.

    A folder's compressed records come before its live ones, so that a run can go on from committed results.
    A last line cut short by a kill is left out.

    Raises
    ------
    RecordsError
        With the file and the line, if a whole line is not a record.
    """
    path = Path(source)
    if path.is_dir():
        return [record for name in (PACKED, LIVE) if (path / name).is_file() for record in read_records(path / name)]
    return [_parse(path, number, line) for number, line in enumerate(_whole_lines(path), start=1)]


def latest(records: Iterable[Record]) -> dict[str, Record]:
    """The last record of each trial, by ``trial_key``: a trial that was tried again counts once."""
    return {trial_key(record.trial): record for record in records}


def pack(folder: str | os.PathLike[str]) -> Path:
    """Moves all records of a folder, the last of each trial, into its compressed file.

    Equal records give equal bytes, so that the file can be kept under version control.
    """
    place = Path(folder)
    with _locked(place):
        records = latest(read_records(place)).values()
        text = "".join(f"{_line(asdict(record))}\n" for record in records)
        draft = place / f"{PACKED}.part"
        with draft.open("wb") as stream:
            stream.write(gzip.compress(text.encode(), mtime=0))
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(place / PACKED)
        _sync_folder(place)
        (place / LIVE).unlink(missing_ok=True)
    return place / PACKED


@cache
def _code() -> str:
    """A short hash of the sources a figure comes from: all that learns, chooses, splits and judges."""
    here, library = Path(__file__).parent, Path(str(files("lsvv")))
    judging = [here / f"{name}.py" for name in ("choosing", "cross_validation", "metrics", "paper_grid", "protocol")]
    splitting = (here / "data").rglob("*.py")
    beside = ("cli", "report", "tables", "theory")
    learning = (path for path in library.rglob("*.py") if path.relative_to(library).parts[0] not in beside)
    sources = [*judging, *sorted(splitting), *sorted(learning)]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _line(content: Mapping[str, Any]) -> str:
    try:
        return json.dumps(content, sort_keys=True, allow_nan=False, default=_plain)
    except ValueError as error:
        raise ValueError(f"A record can hold finite numbers only, use None for a missing one: {content}.") from error


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"A record can hold numbers, words, lists and mappings, not {value!r}.")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    import fcntl  # not on every platform; only writers need it

    with (folder / _LOCK).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            raise RecordsError(
                f"Another run (process {lock.read().strip() or 'unknown'}) is writing to {folder}; "
                "wait for it to end or choose another folder."
            ) from error
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def _cut_torn_line(stream: BinaryIO) -> None:
    stream.seek(0)
    whole = stream.read().rfind(b"\n") + 1
    stream.truncate(whole)
    stream.seek(whole)


def _sync_folder(folder: Path) -> None:
    """A new file is safe only when its folder's entry is on disk too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _whole_lines(path: Path) -> Sequence[bytes]:
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = _unpacked(path, content)
    return content[: content.rfind(b"\n") + 1].splitlines()


def _unpacked(path: Path, content: bytes) -> bytes:
    try:
        if not content:
            raise EOFError("it is empty")
        return gzip.decompress(content)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise RecordsError(
            f"{path} ends early or is damaged ({error}). Take it from a copy, or remove it to run its trials again."
        ) from error


def _parse(path: Path, number: int, line: bytes) -> Record:
    try:
        content = json.loads(line)
        fault = _fault(content)
    except ValueError as error:
        content, fault = {}, str(error)
    except RecursionError:
        content, fault = {}, "it is nested too deep"
    if fault:
        raise RecordsError(f"{path}, line {number}: not a record ({fault}). Remove the line to run its trial again.")
    return Record(**content)


def _fault(content: object) -> str:
    """What keeps a value from being a record; empty if nothing does."""
    if not isinstance(content, dict):
        return "it has no fields"
    unknown = sorted(content.keys() - _KINDS.keys())
    if unknown:
        return f"{unknown[0]!r} is unknown to this version of lsvv; a newer one may have written it"
    if "trial" not in content:
        return "it has no 'trial'"
    wrong = [name for name, value in content.items() if not isinstance(value, _KINDS[name])]
    if wrong:
        return f"its {wrong[0]!r} is {content[wrong[0]]!r}"
    numbers = {"seconds": content.get("seconds", 0.0), **content.get("figures", {})}
    code = content.get("environment", {}).get("code", "")
    if not isinstance(code, str):
        return f"its 'code' is {code!r}, which is no text"
    unfit = [name for name, value in numbers.items() if not (value is None or _is_number(value))]
    return f"its {unfit[0]!r} is {numbers[unfit[0]]!r}, which is no finite number" if unfit else ""


def _is_number(value: object) -> bool:
    """Whether a figure fits a float."""
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False
