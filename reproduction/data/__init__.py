"""The data sets of the paper by name: loading, checking, fetching and splitting them."""

from reproduction.data.checking import Checked, available, varying_columns, verify
from reproduction.data.fetching import fetch
from reproduction.data.loading import Dataset, load
from reproduction.data.registry import DATASETS, DatasetInfo, PaperSize, info, paper_names
from reproduction.data.splits import Fold, Range, Split, column_range, make_fold, split, visible_targets
from reproduction.data.text import DataError

__all__ = [
    "DATASETS",
    "Checked",
    "DataError",
    "Dataset",
    "DatasetInfo",
    "Fold",
    "PaperSize",
    "Range",
    "Split",
    "available",
    "column_range",
    "fetch",
    "info",
    "load",
    "make_fold",
    "paper_names",
    "split",
    "varying_columns",
    "verify",
    "visible_targets",
]
