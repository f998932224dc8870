"""Tables with holes: read them, fill them, write them back with everything known as it was."""

from lsvv.tables.files import check_ending, check_places, parse, read, write_atomically
from lsvv.tables.filling import Filled, fill
from lsvv.tables.labeling import label
from lsvv.tables.quality import Interval, Quality
from lsvv.tables.results import Answer
from lsvv.tables.summary import summary
from lsvv.tables.table import Table, TableError, WritingError
from lsvv.tables.vectorizer import FrameVectorizer

__all__ = [
    "Answer",
    "Filled",
    "FrameVectorizer",
    "Interval",
    "Quality",
    "Table",
    "TableError",
    "WritingError",
    "check_ending",
    "check_places",
    "fill",
    "label",
    "parse",
    "read",
    "summary",
    "write_atomically",
]
