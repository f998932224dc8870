"""Tables with holes: read them, fill them, write them back with everything known as it was."""

from lsvv.tables.files import parse, read, write_atomically
from lsvv.tables.filling import Filled, TargetResult, fill
from lsvv.tables.quality import Interval, Quality
from lsvv.tables.table import Table, TableError

__all__ = [
    "Filled",
    "Interval",
    "Quality",
    "Table",
    "TableError",
    "TargetResult",
    "fill",
    "parse",
    "read",
    "write_atomically",
]
