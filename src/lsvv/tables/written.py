"""What was written last at a place, so that a file that was edited since is not overwritten unasked.

A ledger in the user's cache folder holds the checksum of each output; without it nothing is known, and nothing refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from lsvv.tables.files import write_atomically
from lsvv.tables.table import WritingError

__all__ = ["check_unedited", "remember"]

MOST_REMEMBERED = 1000


def check_unedited(places: Iterable[str | None], force: bool = False) -> None:
    """Refuses, before any work, to write over a file that is not as it was written; "-" and None are no files."""
    known = {} if force else _known()
    for place in places:
        written = None if place is None else known.get(os.path.realpath(place))
        if written is not None and _sum_of(str(place)) not in (None, written):
            raise WritingError(
                f"{place} was changed since lsvv wrote it, which a new one would lose. Choose another place, or give "
                f"--force."
            )


def remember(place: str, data: bytes) -> None:
    """What was written at a place."""
    # a cache that cannot be written remembers nothing
    with suppress(OSError, RuntimeError, ValueError):
        known = _known()
        known.pop(os.path.realpath(place), None)
        known[os.path.realpath(place)] = sha256(data).hexdigest()
        _ledger().parent.mkdir(parents=True, exist_ok=True)
        write_atomically(json.dumps(dict([*known.items()][-MOST_REMEMBERED:])).encode(), _ledger())


def _ledger() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "lsvv", "written.json")


def _known() -> dict[str, str]:
    with suppress(OSError, RuntimeError, ValueError):
        found = json.loads(_ledger().read_bytes())
        if isinstance(found, dict):
            return found
    return {}


def _sum_of(place: str) -> str | None:
    """The checksum of a file; None where there is none that can be read."""
    with suppress(OSError):
        return sha256(Path(place).read_bytes()).hexdigest()
    return None
