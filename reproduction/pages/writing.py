"""The pages of a reproduction, and the files they are written to."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from lsvv.tables import write_atomically
from reproduction.comparing import ranks_by_space
from reproduction.experiments import CHOOSERS, DECLARED_CHOOSER, EXPERIMENTS, Design
from reproduction.inventory import inventory
from reproduction.outliers import outlier_of
from reproduction.pages.blocks import Block, Links, Page
from reproduction.pages.figures import curves_picture, ranks_picture
from reproduction.pages.latex import page_latex
from reproduction.pages.markdown import page_markdown
from reproduction.pages.overview import overview_page, verdicts_page
from reproduction.pages.tables import (
    beside_grid,
    compared_words,
    curve_grid,
    data_grid,
    methods_grid,
    outlier_grid,
    result_grid,
)
from reproduction.pages.webpage import webpage
from reproduction.published import TABLES
from reproduction.records import read_records
from reproduction.tabulated import Results

__all__ = ["pages", "write_pages"]

TITLES = {
    "linear-mc": "Multi-class, linear space",
    "kernel-mc": "Multi-class, kernel space",
    "linear-ml": "Multi-label, linear space",
    "kernel-ml": "Multi-label, kernel space",
    "labeled-rate": "Error against the share of labels",
    "theta": "Error against theta",
    "datasets": "Data sets",
    "methods": "Methods",
}
CURVES = {
    "labeled-rate": "the share of labelled training rows",
    "theta": "θ / min(K, D)",
}
RANKS_CAPTION = "Mean ranks of the declared column, 1 is best; a bar joins methods that do not differ significantly"
HTML = "reproduction.html"


def write_pages(
    out: str | os.PathLike[str], data: str | os.PathLike[str] | None, design: Design, names: Iterable[str]
) -> tuple[Path, ...]:
    """Writes the pages of some experiments, those that have a page already, and the overview.

    Each page becomes ``name.md``, its tables ``name.tex``, its figures ``.svg`` and ``.png``; all together are one HTML
    file. Equal records give equal bytes.

    Parameters
    ----------
    out : path
        The folder with the records.
    data : path or None
        Folder of the data sets; None for the bundled ones.
    design : Design
        What the tables consist of.
    names : iterable of str
        Out of ``EXPERIMENTS``.

    Returns
    -------
    tuple of Path
        The files.
    """
    place = Path(out)
    asked = {*names, *(name for name in EXPERIMENTS if (place / f"{name}.md").is_file())}
    results = Results(read_records(place), data, design)
    written = tuple(pages(results, data, [name for name in EXPERIMENTS if name in asked]))
    files = {HTML: webpage("The paper's experiments, run again", written).encode()}
    for page in written:
        files |= _files(page)
    for name, content in files.items():
        write_atomically(content, place / name)
    return tuple(place / name for name in files)


def _files(page: Page) -> dict[str, bytes]:
    files = {f"{page.name}.md": page_markdown(page).encode()}
    if page.grids:
        files[f"{page.name}.tex"] = page_latex(page).encode()
    for picture in page.pictures:
        files |= {f"{picture.name}.svg": picture.svg, f"{picture.name}.png": picture.png}
    return files


def pages(results: Results, data: str | os.PathLike[str] | None, names: Iterable[str]) -> Iterator[Page]:
    """The overview, the verdicts, and a page for each experiment."""
    verdicts = verdicts_page(results)
    others = [verdicts, *(Page(name, TITLES[name], tuple(_blocks(results, data, name))) for name in names)]
    overview = overview_page(results)
    links = Links({page.name: page.title for page in others})
    yield Page(overview.name, overview.title, (links, *overview.blocks, *_ranks(results)))
    yield from others


def _blocks(results: Results, data: str | os.PathLike[str] | None, name: str) -> Iterator[Block]:
    if name in TABLES:
        yield from _tables(results, data, name)
    elif name in CURVES:
        yield from _curves(results, name)
    elif name == "datasets":
        yield data_grid(inventory(data))
    else:
        yield methods_grid()


def _tables(results: Results, data: str | os.PathLike[str] | None, name: str) -> Iterator[Block]:
    """The declared table always, the other once it has a row."""
    for chooser in CHOOSERS:
        table = results.table(name, chooser)
        if chooser == DECLARED_CHOOSER or table.filled:
            yield result_grid(table)
            beside = beside_grid(table)
            if beside is not None:
                yield beside
            for row in table.filled:
                outlier = outlier_of(row.data, data, row.seeds, table.hidden) if row.task == "regression" else None
                if outlier is not None:
                    yield outlier_grid(table, row, outlier)


def _curves(results: Results, name: str) -> Iterator[Block]:
    curves = results.curves(name)
    if not curves:
        yield "There are no records for this figure yet, or its data is not at hand."
        return
    words = " and ".join(dict.fromkeys(compared_words(curve.data) for curve in curves))
    yield curves_picture(name, f"Mean {words} and its standard error against {CURVES[name]}", curves)
    yield from (curve_grid(curve) for curve in curves)


def _ranks(results: Results) -> Iterator[Block]:
    ranked = {f"{space} space": found for space, found in ranks_by_space(results.rows()).items()}
    if ranked:
        yield ranks_picture("critical-difference", RANKS_CAPTION, ranked)
