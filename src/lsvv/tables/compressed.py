"""Files that were packed by gzip: unpacked to be read, packed again when they are written."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass

from lsvv.tables.cells import Notation
from lsvv.tables.table import Edits, Source

__all__ = ["MARK", "Gzipped"]

MARK = b"\x1f\x8b"


@dataclass(frozen=True, eq=False)
class Gzipped(Source):
    """A source within a gzip file, and its notation."""

    inner: Source
    notation: Notation

    def is_whole(self, column: str) -> bool:
        """As the file within says."""
        return self.inner.is_whole(column)

    def formulas_in(self, column: str) -> Mapping[int, str]:
        """As the file within says."""
        return self.inner.formulas_in(column)

    def rendered(self, edits: Edits) -> bytes:
        """The file within, packed; the time is left out, so that the same table gives the same bytes."""
        return gzip.compress(self.inner.rendered(edits), mtime=0)
