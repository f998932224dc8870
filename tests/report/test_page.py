"""The page as text: whole, escaped, small, written at once or not at all."""

import html
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from lsvv.report import fill_report, render, write_fill_report
from lsvv.report.from_fill import report_of
from lsvv.report.page import SCRIPTS, _json, _script
from lsvv.report.rowmap import Layer
from lsvv.tables import Filled, WritingError, fill, parse

VOID = {"meta", "input", "br", "img", "link", "line", "rect", "circle", "path"}


class Outline(HTMLParser):
    """Checks that tags close in order, and collects identifiers, headings, addresses and scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headings: list[int] = []
        self.loads: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag not in VOID:
            self.open.append(tag)
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "a":
            self.links.append(values["href"])
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        self.loads += [values[name] for name in ("src", "srcset") if name in values]
        self.handlers += [name for name in values if name.startswith("on")]

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def outline(html: str) -> Outline:
    parser = Outline()
    parser.feed(html)
    return parser


def test_the_page_is_well_formed(outline: Outline) -> None:
    assert outline.open == []
    assert len(set(outline.ids)) == len(outline.ids)
    assert {link.removeprefix("#") for link in outline.links} <= set(outline.ids)
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    steps = np.diff(outline.headings)
    assert steps.max() <= 1


def test_nothing_is_loaded_and_no_text_of_the_table_is_code(outline: Outline, html: str) -> None:
    assert outline.loads == []
    assert outline.handlers == []
    body = html[html.index("<body>") : html.index('<script type="application/json"')]
    assert "<script" not in body
    assert "&lt;script&gt;window.pwned" in body
    assert "&lt;i&gt;habitat" in body
    assert "=cmd|&#39;/c calc&#39;!A1" in body
    assert html.count("<script") == 1 + len(SCRIPTS) == html.count("</script>")
    assert "sourceMappingURL" not in html


def test_data_for_charts_cannot_end_their_script(html: str) -> None:
    data = re.search(r'<script type="application/json" id="data-of-charts">(.*?)</script>', html, re.S)
    assert data is not None
    assert "<" not in data[1]
    assert any("<script>" in group for group in json.loads(data[1])["map"]["layers"][0]["groups"])


def test_scripts_hold_no_end_of_themselves() -> None:
    assert all("</script" not in _script(path).lower() for path in SCRIPTS)


def test_json_has_no_nan() -> None:
    with pytest.raises(ValueError, match="JSON"):
        _json({"x": float("nan")})


def test_the_same_content_gives_the_same_page(filled: Filled, html: str) -> None:
    assert render(report_of(filled)) == html


def test_pages_are_small(filled: Filled, html: str) -> None:
    assert len(html.encode()) < 600_000
    report = report_of(filled)
    assert report.map is not None
    n = 3000
    layer = Layer("kind", tuple(f"class {k}" for k in range(8)), False, (3,) * n, (False,) * n, (0.123,) * n)
    points = tuple(np.linspace(-1.234, 1.234, n).round(3).tolist())
    full = replace(report.map, rows=tuple(range(n)), x=points, y=points, layers=(layer,) * 12, n_rows=10_000)
    assert len(render(replace(report, map=full)).encode()) < 3_000_000


def test_a_report_without_map_questions_and_notes_is_a_page(filled: Filled) -> None:
    report = report_of(filled)
    models = tuple(replace(model, help=None) for model in report.models)
    page = render(replace(report, map=None, questions=(), unsure=(), notes=(), models=models))
    assert "A map of the rows" not in page
    assert "There was nothing to compare" in page


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (["a", "b", ""], "1 empty cell filled"),
        (["a", "b"] * 6, "no empty cell filled"),
        (["1.5", "2.5", ""], "of the differences explained"),
        (["5.5"] * 6 + [""] * 6, "because all known cells say the same"),
        (["red;blue", "red", "blue", "green;red", "", ""], "Tag"),
        (["c" * 300, "d" * 300, ""], "ccc …"),
    ],
)
def test_small_and_odd_tables_have_a_report(answers: list[str], said: str) -> None:
    lines = [f"{row * row + 0.5},{cell}" for row, cell in enumerate(answers)]
    table = parse("\n".join(["x,kind", *lines, ""]).encode(), "t.csv", format="csv")
    assert said in fill_report(fill(table, ["kind"], features="linear"))


def test_reports_are_written_whole_or_not_at_all(filled: Filled, html: str, tmp_path: Path) -> None:
    write_fill_report(filled, tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == html
    with pytest.raises(WritingError, match="could not be written"):
        write_fill_report(filled, tmp_path / "missing" / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_without_jinja_the_extra_is_named(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'lsvv\[cli\]'"):
        render(report_of(filled))


def test_warnings_stand_first_and_only_there() -> None:
    lines = (f"{row * row},{('ab'[row % 2] if row < 20 else '')}" for row in range(60))
    table = parse("\n".join(["x,kind", *lines, ""]).encode(), "t.csv", format="csv")
    filled = fill(table, ["kind"], features="linear")
    page = fill_report(filled)
    assert filled.warnings
    for one in filled.warnings:
        said = html.escape(one.text).replace("&#x27;", "&#39;")
        assert page.count(said) == 1
        assert page.index('id="short"') < page.index(said) < page.index('class="tiles"')
