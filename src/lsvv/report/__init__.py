"""The report: one self-contained HTML page from plain values, and plots for Python users."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lsvv.report.displays import AtlasDisplay, GraphDisplay, LearningCurveDisplay, SpectrumDisplay
from lsvv.report.from_fill import Report, report_of
from lsvv.report.page import render
from lsvv.tables import write_atomically

if TYPE_CHECKING:
    from lsvv.tables import Filled

__all__ = [
    "AtlasDisplay",
    "GraphDisplay",
    "LearningCurveDisplay",
    "Report",
    "SpectrumDisplay",
    "fill_report",
    "render",
    "write_fill_report",
]


def fill_report(filled: Filled) -> str:
    r"""The report of a filled table as HTML.

    Examples
    --------
    >>> from lsvv.report import fill_report
    >>> from lsvv.tables import fill, parse
    >>> text = "size,kind\n" + "".join(f"{i * i},{('small', 'big')[i > 9] if i % 2 else ''}\n" for i in range(20))
    >>> filled = fill(parse(text.encode(), "sizes.csv", format="csv"), ["kind"], features="linear")
    >>> fill_report(filled).startswith("<!doctype html>")
    True
    """
    return render(report_of(filled))


def write_fill_report(filled: Filled, path: str | os.PathLike[str]) -> None:
    r"""Write the report of a filled table to a file, whole or not at all.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from lsvv.report import write_fill_report
    >>> from lsvv.tables import fill, parse
    >>> text = "size,kind\n" + "".join(f"{i * i},{('small', 'big')[i > 9] if i % 2 else ''}\n" for i in range(20))
    >>> filled = fill(parse(text.encode(), "sizes.csv", format="csv"), ["kind"], features="linear")
    >>> with TemporaryDirectory() as folder:
    ...     write_fill_report(filled, Path(folder) / "sizes.html")
    ...     [path.name for path in Path(folder).iterdir()]
    ['sizes.html']
    """
    write_atomically(fill_report(filled).encode("utf-8"), path)
