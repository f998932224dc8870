"""Pages of a reproduction: marks, escapes, missing rows, and the same bytes for the same records."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from made_up import ENVIRONMENT, curve_records, means, row_records
from reproduction.bundled import GENERATED
from reproduction.experiments import EXPERIMENTS, OWN, PAPER, QUICK
from reproduction.inventory import Holding, inventory
from reproduction.pages import write_pages
from reproduction.pages.blocks import Entry, Grid, Links, Page, Picture
from reproduction.pages.figures import critical_groups, curves_picture, ranks_picture
from reproduction.pages.latex import page_latex
from reproduction.pages.markdown import page_markdown
from reproduction.pages.overview import overview_page, verdicts_page
from reproduction.pages.tables import (
    beside_grid,
    compared_words,
    curve_grid,
    data_grid,
    methods_grid,
    result_grid,
)
from reproduction.pages.webpage import webpage
from reproduction.pages.writing import pages
from reproduction.records import Record, recording
from reproduction.statistics import MeanRanks
from reproduction.tabulated import Cell, Results

NASTY = "a_b & <i>50%</i> | {x} $y$ #1 *z* ~ ^ \\"
PAGE = Page("p", NASTY, (NASTY, Grid(NASTY, (NASTY, "n"), ((Entry(NASTY), Entry("1", bold=True)),), (NASTY,))))


class Parsed(HTMLParser):
    """The texts and the tags of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]


def some_records() -> list[Record]:
    return [
        *row_records("linear-mc", "iris", means(4, 3, 2.9, 2), noise=0.3),
        *row_records("kernel-mc", "iris", means(3, 2, 1.9, 1), splits=7),
        *row_records("linear-ml", "scm20d", means(4, 3, 2, 1)),
        *row_records("linear-ml", "scene", means(4, 3, 2, 1)),
        *curve_records("theta", "bibtex", "kernel", lambda x, method: x + len(method)),
        *curve_records("labeled-rate", "scene", "linear", lambda x, method: x + len(method)),
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with recording(tmp_path / "out") as append:
        for record in some_records():
            append(record)
    return tmp_path / "out"


def test_html_shows_every_text_as_it_is() -> None:
    parsed = Parsed(webpage(NASTY, [PAGE]))
    assert parsed.texts.count(NASTY) == 9
    assert "i" not in parsed.tags
    assert parsed.tags.count("b") == 1


def test_latex_leaves_no_special_letter_bare() -> None:
    text = page_latex(PAGE)
    assert r"a\_b \& $<$i$>$50\%$<$/i$>$ $|$ \{x\} \$y\$ \#1 *z* \textasciitilde{} \textasciicircum{}" in text
    assert r"\textbackslash{}" in text
    assert re.search(r"(?<!\\)[%#_]", text) is None
    assert text.count(r"\begin{") == text.count(r"\end{") == 2
    assert text.index(r"\toprule") < text.index(r"\midrule") < text.index(r"\bottomrule")


def test_sentences_are_paragraphs_in_latex() -> None:
    row = tuple(Entry(text) for text in ("a" * 41, "1.00", "b" * 60, "c" * 40))
    text = page_latex(Page("p", "p", (Grid("t", ("w", "x", "y", "z"), (row,)),)))
    assert r"\begin{tabular}{p{0.35\linewidth}rp{0.35\linewidth}r}" in text


def test_markdown_has_as_many_columns_as_the_header() -> None:
    lines = [line for line in page_markdown(PAGE).splitlines() if line.startswith("|")]
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in lines] == [3, 3, 3]
    assert page_markdown(PAGE).startswith(r"# a\_b & &lt;i&gt;50%")


@pytest.mark.parametrize(("height", "text"), [(0.94, "0.9400"), (1.5, "1.500"), (13.0, "13.00"), (0.0, "0.00")])
def test_curves_close_together_are_told_apart(tmp_path: Path, height: float, text: str) -> None:
    records = curve_records("theta", "bibtex", "kernel", lambda x, method: height)
    (curve,) = Results(records, tmp_path).curves("theta")
    grid = curve_grid(curve)
    assert grid.rows[0][2].text.split(" ± ")[0] == text


def test_links_lead_to_the_other_pages() -> None:
    page = Page("index", "All", (Links({"theta": "Theta_1"}),))
    assert "- [Theta\\_1](theta.md)" in page_markdown(page)
    assert "#theta" in Parsed(webpage("All", [page, Page("theta", "Theta_1", ())])).links


def test_the_best_is_bold_and_what_is_close_underlined(tmp_path: Path) -> None:
    grid = result_grid(Results(some_records(), tmp_path).table("linear-mc"))
    cells = Results(some_records(), tmp_path).table("linear-mc").rows[0].cells
    for place, (method, cell) in enumerate(cells.items()):
        entry = grid.rows[0][2 + 2 * place]
        assert (entry.bold, entry.underline) == (cell.mark == "best", cell.mark == "close"), method
    page = Page("p", "p", (grid,))
    assert page_latex(page).count(r"\textbf{") == 1
    assert page_markdown(page).count(f"**{grid.rows[0][8].text}**") == 1
    assert grid.rows[0][8].bold


@pytest.mark.parametrize(
    ("mark", "corrected", "dagger"), [("worse", "close", True), ("worse", "worse", False), ("close", "close", False)]
)
def test_a_dagger_marks_what_only_the_paired_t_tells_apart(
    tmp_path: Path, mark: Any, corrected: Any, dagger: bool
) -> None:
    table = Results(some_records(), tmp_path).table("linear-mc")
    row = table.rows[0]
    cell: Cell = replace(row.cells["SS-VV"], mark=mark, corrected=corrected)
    changed = replace(table, rows=(replace(row, cells={**row.cells, "SS-VV": cell}),))
    assert ("†" in result_grid(changed).rows[0][4].text) is dagger


def test_rows_say_splits_published_cell_and_difference(tmp_path: Path) -> None:
    grid = result_grid(Results(some_records(), tmp_path).table("kernel-mc"))
    texts = [entry.text for entry in grid.rows[0]]
    assert texts[:2] == ["iris", "7"]
    assert re.fullmatch(r"(0\.99|1\.0\d) ± 0\.\d\d", texts[8])
    assert re.fullmatch(r"4\.44 ± 3\.51 \(−3\.4\d\)", texts[9])


def test_a_set_that_is_not_at_hand_keeps_its_row_and_its_published_cells(tmp_path: Path) -> None:
    grid = result_grid(Results(some_records(), tmp_path).table("linear-mc"))
    texts = [entry.text for entry in grid.rows[-1]]
    assert texts[:4] == ["covtype", "", "data not at hand", "27.52 ± 2.10"]
    assert len(grid.rows) == 17


def test_the_substitute_is_named_and_compared_with_nothing(tmp_path: Path) -> None:
    grid = result_grid(Results(some_records(), tmp_path).table("linear-ml"))
    texts = {row[0].text: [entry.text for entry in row] for row in grid.rows}
    assert texts["scm1d"][2] == "data not at hand"
    assert texts["scm20d (substitute for scm1d)"][3] == "–"
    assert "whole rows of Y" in " ".join(grid.notes)


def test_failures_are_told_below_the_table(tmp_path: Path) -> None:
    records = some_records()
    records[0] = Record(records[0].trial, reason="no", environment=ENVIRONMENT)
    results = Results(records, tmp_path)
    assert (
        "iris: 1 trials failed; splits that not all methods ended are left out."
        in result_grid(results.table("linear-mc")).notes
    )
    assert "Failed 1 times, iris (linear) by 'atlas': no." in overview_page(results).blocks


def test_other_figures_stand_beside_the_compared_one(tmp_path: Path) -> None:
    results = Results(some_records(), tmp_path)
    grid = beside_grid(results.table("linear-ml"))
    assert grid is not None
    assert [(row[0].text, row[1].text) for row in grid.rows] == [
        ("scene", "micro-F1 (%)"),
        ("scene", "macro-F1 (%)"),
        ("scene", "ranking loss (%)"),
        ("scm20d (substitute for scm1d)", "RMSE"),
    ]
    assert beside_grid(results.table("linear-mc")) is None


def test_sizes_that_differ_show_the_printed_one(tmp_path: Path) -> None:
    (iris,) = inventory(None, ("iris",))
    assert iris.loaded is not None
    odd: Holding = replace(iris, loaded=replace(iris.loaded, training=106), note="One row more.")
    grid = data_grid([iris, odd, *inventory(tmp_path, ("wine", "scm20d"))])
    texts = [[entry.text for entry in row] for row in grid.rows]
    assert texts[0] == ["iris", "multi-class", "105", "45", "5", "3", ""]
    assert texts[1][2:] == ["106 (105)", "45", "5", "3", "One row more."]
    assert texts[2][2:] == ["(125)", "(53)", "(14)", "(3)", "data not at hand."]
    assert texts[3][2] == "–"
    assert grid.notes[0].startswith("1 of the 2 sets at hand have the printed sizes.")


def test_four_methods_are_four_settings_and_ours_smooths() -> None:
    rows = [[entry.text for entry in row] for row in methods_grid().rows]
    assert [tuple(row[2:4]) for row in rows[:4]] == [("0", "0"), ("chosen", "0"), ("0", "chosen"), ("chosen", "chosen")]
    assert [row[-1] for row in rows] == ["0", "0", "0", "0", "chosen"]
    assert rows[4][:5] == ["smoothed (ours)", "chosen", "0", "0", "–"]


def test_our_own_method_is_the_last_column_without_a_published_cell(tmp_path: Path) -> None:
    own = [
        *row_records("linear-mc", "iris", {OWN: 1.0}, chooser=OWN),
        *row_records("linear-ml", "scene", {OWN: 1.0}, chooser=OWN, splits=2),
    ]
    results = Results([*some_records(), *own], tmp_path)
    before, grid = (
        result_grid(Results(some_records(), tmp_path).table("linear-mc")),
        result_grid(results.table("linear-mc")),
    )
    assert [row[:-1] for row in grid.rows] == [row[:-1] for row in before.rows]
    assert grid.header[-1] == "smoothed (ours)"
    assert re.fullmatch(r"(0\.99|1\.0\d) ± 0\.\d\d", grid.rows[0][-1].text)
    assert "better in 1, even in 0, worse in 0." in " ".join(grid.notes)
    assert [row[-1].text for row in before.rows[:2]] == ["not run yet", ""]
    labels = {row[0].text: row[-1].text for row in result_grid(results.table("linear-ml")).rows}
    assert labels["scene"].endswith("(2 splits)")
    beside = beside_grid(results.table("linear-ml"))
    assert beside is not None
    assert [(row[0].text, row[-1].text) for row in beside.rows][::3] == [
        ("scene", "50.00 ± 0.00"),
        ("scm20d (substitute for scm1d)", "not run yet"),
    ]
    assert result_grid(results.table("linear-mc", "cv")).header[-1] == "paper (difference)"


def test_the_overview_declares_and_counts(tmp_path: Path) -> None:
    page = overview_page(Results(some_records(), tmp_path))
    told = " ".join(block for block in page.blocks if isinstance(block, str))
    assert "the column compared with the paper is 'atlas'" in told
    assert (
        "'atlas': LSVV is at or below the published LSVV in 3 of 3 cells with data (mark: at least 30, NOT reached)."
        in told
    )
    assert "Mean ranks over 2 rows of the linear space" in told
    assert "Mean ranks over 1 row of the kernel space" in told
    (grid,) = page.grids
    assert [entry.text for entry in grid.rows[0]] == ["SRM-VV", "paired t", "4", "0", "0"]
    assert grid.notes[0] == (
        "p values are Holm-corrected over all 12 comparisons, at 95 %. "
        "Mark: nowhere significantly worse by the paired t, reached."
    )


def test_the_overview_tells_which_code_the_trials_ran_with(tmp_path: Path) -> None:
    made_up = row_records("linear-mc", "iris", means(4, 3, 2, 1), splits=5)
    records = [replace(record, environment={**ENVIRONMENT, "code": "abc"}) for record in made_up]
    told = "By a hash of the code that learns, chooses and judges: "
    assert f"{told}20 trials with abc." in overview_page(Results(records, tmp_path)).blocks
    records[0] = replace(records[0], environment={**ENVIRONMENT, "code": "def"})
    mixed = f"{told}19 trials with abc, 1 trials with def. Several states of the code are mixed."
    assert mixed in overview_page(Results(records, tmp_path)).blocks


def test_what_is_missed_or_worse_is_listed(tmp_path: Path) -> None:
    records = row_records("linear-mc", "iris", means(10, 20, 30, 40))
    page = overview_page(Results(records, tmp_path))
    missed, compared = page.grids
    assert [entry.text for entry in missed.rows[0][:3]] == ["linear-mc", "iris", "+11.60"]
    assert missed.rows[0][4].text == "our SRM-VV reaches it with 10.00"
    assert "Significantly worse by the paired t: linear-mc iris against SRM-VV (+30.00)" in compared.notes[1]


def test_verdicts_are_words(tmp_path: Path) -> None:
    (grid,) = verdicts_page(Results(some_records(), tmp_path)).grids
    words = {row[0].text: row[2].text for row in grid.rows}
    assert words["MC (1)"] == "supported"
    assert words["Theta (1)"] == "not supported"
    assert words["ML (1)"] == "open"


def test_the_compared_figure_is_called_by_its_name(tmp_path: Path) -> None:
    results = Results(some_records(), tmp_path)
    assert [compared_words(data) for data in ("iris", "scene", "rf2")] == [
        "test error (%)",
        "Hamming loss (%)",
        "100 × MSE",
    ]
    (page,) = (page for page in pages(results, tmp_path, ["theta"]) if page.name == "theta")
    assert page.grids[0].caption == "bibtex, kernel space, Hamming loss (%)"
    assert page.pictures[0].caption == "Mean Hamming loss (%) and its standard error against θ / min(K, D)"


def test_an_axis_is_named_by_the_compared_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []

    def kept(figure: Any, name: str, caption: str) -> Picture:
        drawn.append(figure)
        return Picture(name, caption, b"", b"")

    monkeypatch.setattr("reproduction.pages.figures._picture", kept)
    curves_picture("c", "C", Results(some_records(), tmp_path).curves("theta"))
    assert [axis.get_ylabel() for axis in drawn[0].axes] == ["Hamming loss (%)"]


def test_spaces_are_ranked_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    titles: list[str] = []

    def kept(name: str, caption: str, ranked: dict[str, MeanRanks]) -> Picture:
        titles.extend(ranked)
        return Picture(name, caption, b"", b"")

    monkeypatch.setattr("reproduction.pages.writing.ranks_picture", kept)
    list(pages(Results(some_records(), tmp_path), tmp_path, ()))
    assert titles == ["linear space", "kernel space"]


def test_bars_join_methods_within_the_critical_difference() -> None:
    assert critical_groups(MeanRanks({"a": 1.0, "b": 1.8, "c": 2.6, "d": 4.0}, 1.0, 9)) == [(1.0, 1.8), (1.8, 2.6)]
    assert critical_groups(MeanRanks({"a": 1.0, "b": 2.0, "c": 3.0}, 1.0, 9)) == []
    assert critical_groups(MeanRanks({"a": 1.0, "b": 2.0, "c": 3.0}, 9.0, 9)) == [(1.0, 3.0)]


def test_pictures_are_svg_and_png_and_the_same_each_time(tmp_path: Path) -> None:
    results = Results(some_records(), tmp_path)

    def draw() -> tuple[Picture, Picture]:
        ranks = {"both": MeanRanks(means(4.0, 3.0, 2.0, 1.0), 0.9, 9)}
        return curves_picture("c", "C", results.curves("theta")), ranks_picture("r", "R", ranks)

    for first, second in zip(draw(), draw(), strict=True):
        assert first == second
        assert first.png.startswith(b"\x89PNG")
        assert ElementTree.fromstring(first.svg).tag.endswith("svg")


def test_files_are_written_for_every_experiment_and_are_the_same_again(folder: Path) -> None:
    written = write_pages(folder, folder, PAPER, EXPERIMENTS)
    names = {path.name for path in written}
    assert {f"{name}.md" for name in (*EXPERIMENTS, "index", "verdicts")} <= names
    assert {"theta.svg", "theta.png", "labeled-rate.svg", "critical-difference.svg", "reproduction.html"} <= names
    before = {path: path.read_bytes() for path in written}
    write_pages(folder, folder, PAPER, ())
    assert {path: path.read_bytes() for path in written} == before


def test_latex_is_plain_ascii(folder: Path) -> None:
    written = [path for path in write_pages(folder, folder, PAPER, EXPERIMENTS) if path.suffix == ".tex"]
    assert len(written) >= 8
    for path in written:
        assert path.read_text(encoding="utf-8").isascii(), path.name
    assert r"100 $\times$ MSE" in (folder / "linear-ml.tex").read_text(encoding="ascii")
    methods = (folder / "methods.tex").read_text(encoding="ascii")
    assert r"$\tau$\_I $>$ 0" in methods
    assert r"|W|".replace("|", "$|$") + "$^2$" in methods


def test_the_page_needs_nothing_from_elsewhere(folder: Path) -> None:
    write_pages(folder, folder, PAPER, EXPERIMENTS)
    text = (folder / "reproduction.html").read_text(encoding="utf-8")
    parsed = Parsed(text)
    assert all(link.startswith(("#", "data:")) for link in parsed.links)
    assert "script" not in parsed.tags
    assert {link[1:] for link in parsed.links if link.startswith("#")} == set(
        re.findall(r'<section id="([\w-]+)"', text)
    )


def test_pages_of_other_experiments_stay(folder: Path) -> None:
    write_pages(folder, folder, PAPER, ["linear-mc"])
    assert not (folder / "theta.md").exists()
    write_pages(folder, folder, PAPER, ["theta"])
    assert "[Multi-class, linear space](linear-mc.md)" in (folder / "index.md").read_text(encoding="utf-8")


def test_without_records_the_pages_say_so(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write_pages(tmp_path / "out", None, QUICK, EXPERIMENTS)
    assert "no records for this figure yet" in (tmp_path / "out" / "theta.md").read_text(encoding="utf-8")
    table = (tmp_path / "out" / "linear-ml.md").read_text(encoding="utf-8")
    assert f"| {GENERATED} |  | not run yet |" in table
