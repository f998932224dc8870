"""The report: one self-contained HTML page from plain values, and plots for Python users."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lsvv.report.content import Report
from lsvv.report.displays import AtlasDisplay, GraphDisplay, LearningCurveDisplay, SpectrumDisplay
from lsvv.report.page import render, write_report

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
    "write_report",
]


def fill_report(filled: Filled) -> str:
    """The report of a filled table as HTML."""
    from lsvv.report.from_fill import report_of

    return render(report_of(filled))


def write_fill_report(filled: Filled, path: str | os.PathLike[str]) -> None:
    """Write the report of a filled table to a file, whole or not at all."""
    from lsvv.report.from_fill import report_of

    write_report(report_of(filled), path)
