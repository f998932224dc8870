"""What was written last at a place, so that an edited file, or answers of another kind, are not overwritten unasked.

A ledger in the user's cache folder holds the checksum of each output and the columns that were filled in it; without it
nothing is known, and nothing refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path

from lsvv.tables.files import write_atomically
from lsvv.tables.table import WritingError

__all__ = ["check_same_targets", "check_unedited", "remember"]

MOST_REMEMBERED = 1000


def check_unedited(places: Iterable[str | None], force: bool = False) -> None:
    """Refuses, before any work, to write over a file that is not as it was written; "-" and None are no files."""
    known = {} if force else _known()
    for place in places:
        written = None if place is None else known.get(os.path.realpath(place))
        if written is not None and _sum_of(str(place)) not in (None, written[0]):
            raise WritingError(
                f"{place} was changed since lsvv wrote it, which a new one would lose. Choose another place, or give "
                f"--force."
            )


def check_same_targets(place: str, targets: Sequence[str], force: bool = False) -> None:
    """Refuses to write over a table with filled columns that are not to be filled this time."""
    written = None if force else _known().get(os.path.realpath(place))
    lost = [] if written is None or _sum_of(place) is None else [one for one in written[1:] if one not in targets]
    if lost:
        raise WritingError(
            f"{place} holds the filled cells of {', '.join(map(repr, lost))}, which a new one would lose. Fill all "
            f"columns at once, each with --target, choose another place with --out, or give --force."
        )


def remember(place: str, targets: Sequence[str] = ()) -> None:
    """What is written at a place, and which columns were filled in it."""
    # a cache that cannot be written remembers nothing
    with suppress(OSError, RuntimeError, ValueError):
        known = _known()
        known.pop(os.path.realpath(place), None)
        known[os.path.realpath(place)] = [_sum_of(place) or "", *targets]
        _ledger().parent.mkdir(parents=True, exist_ok=True)
        write_atomically(json.dumps(dict([*known.items()][-MOST_REMEMBERED:])).encode(), _ledger())


def _ledger() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "lsvv", "written.json")


def _known() -> dict[str, list[str]]:
    """For each place the checksum and the filled columns."""
    with suppress(OSError, RuntimeError, ValueError):
        found = json.loads(_ledger().read_bytes())
        if isinstance(found, dict):
            return {place: line if isinstance(line, list) else [line] for place, line in found.items() if line}
    return {}


def _sum_of(place: str) -> str | None:
    """The checksum of a file; None where there is none that can be read."""
    with suppress(OSError), open(place, "rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
    return None
