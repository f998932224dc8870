"""The reproduction of the paper as pages: Markdown, LaTeX, one HTML file, figures."""

from reproduction.pages.figures import check_matplotlib
from reproduction.pages.writing import write_pages

__all__ = ["check_matplotlib", "write_pages"]
