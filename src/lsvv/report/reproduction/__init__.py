"""The reproduction of the paper as pages: Markdown, LaTeX, one HTML file, figures."""

from lsvv.report.reproduction.figures import check_matplotlib
from lsvv.report.reproduction.pages import write_pages

__all__ = ["check_matplotlib", "write_pages"]
