"""The Markdown of this site, an extension that any builder on Python-Markdown reads.

Angle brackets in a sentence are mathematics, blocks of ``math`` are drawn, pages of results list themselves and say in
short what they found, and Sphinx roles show their names.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

RESULTS = Path(__file__).parent / "results"
LIST = "<!-- the list of results -->"
COMPARISON = "<!-- against the usual peers -->"
REPRODUCES = "<!-- whether the paper reproduces -->"
FIRST = "fill_tables"
"""What most readers come for."""
SIGNS = np.array([1, -1] * 3)
"""The y axis of a page points down."""


class Dialect(Extension):
    """<V, X> in a sentence is an inner product, not a tag."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Leave tags in sentences alone, fill in the list of results, take the roles away."""
        md.inlinePatterns.deregister("html")
        md.preprocessors.register(ResultsInShort(md), "results_in_short", 35)
        # after blanks are normalised, which takes the marks of what is stashed away; before blocks of code
        md.preprocessors.register(Formulas(md), "formulas", 28)
        md.postprocessors.register(NamesAlone(md), "names_alone", 5)


class ResultsInShort(Preprocessor):
    """What the pages of results say stands in place of a comment, so that no figure is typed and none is stale."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines with every comment replaced."""
        said: dict[str, Callable[[], Iterator[str]]] = {
            LIST: _list_of_results,
            COMPARISON: _comparison,
            REPRODUCES: _whether_it_reproduces,
        }
        return [new for line in lines for new in (said[line]() if line in said else (line,))]


class Formulas(Preprocessor):
    """A block of ``math`` becomes a picture in the colour of the text, a line of it a line."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines with every block drawn."""
        text = re.sub(r"^```math\n(.*?)\n```$", self._drawn, "\n".join(lines), flags=re.DOTALL | re.MULTILINE)
        return text.split("\n")

    def _drawn(self, block: re.Match[str]) -> str:
        pictures = "".join(_formula(line) for line in block[1].splitlines())
        return f"\n{self.md.htmlStash.store(f'<div>{pictures}</div>')}\n"


class NamesAlone(Postprocessor):
    """Docstrings mark cross-references as Sphinx does; the name alone is shown."""

    def run(self, text: str) -> str:
        """The page without roles."""
        return re.sub(r":(?:class|func|meth|mod|data|attr):(?=<code>)", "", text)


def makeExtension(**options: Any) -> Dialect:  # noqa: N802
    """What Python-Markdown calls."""
    return Dialect(**options)


def _formula(line: str) -> str:
    """One line of TeX as an SVG; pixels are those of text of 16 pixels."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    path = TextPath((0, 0), f"${line}$", size=17, prop=FontProperties(math_fontfamily="cm"))
    box = path.get_extents()
    letters = {1: "M", 2: "L", 3: "Q", 4: "C", 79: "Z"}
    drawn = "".join(
        letters[int(code)]
        + ("" if code == 79 else " ".join(f"{number:.1f}" for number in points * SIGNS[: points.size]))
        for points, code in path.iter_segments(simplify=False, curves=True)
    )
    frame = f"{box.x0 - 1:.1f} {-box.y1 - 3:.1f} {box.width + 2:.1f} {box.height + 6:.1f}"
    return (
        f'<svg role="img" aria-label="{escape(line)}" viewBox="{frame}" fill="currentColor" '
        f'style="display:block;margin:.6em 0;max-width:100%;width:{box.width + 2:.0f}px"><path d="{drawn}"/></svg>'
    )


def _list_of_results() -> Iterator[str]:
    """Pages of results by their own second headings, so that a new one is never forgotten."""
    pages = sorted(RESULTS.glob("*.md"), key=lambda path: (path.stem != FIRST, path.name))
    yield from map(_entry, [*pages, *sorted(RESULTS.glob("*/index.md"))])


def _comparison() -> Iterator[str]:
    """The means over all tables of each method, and every mark, as the page of them has it."""
    for part in re.split(r"^### ", (RESULTS / f"{FIRST}.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line[:1] == "|"]
        header, mean = rows[0], next(row for row in rows if row[0] == "mean")
        ours = header.index("lsvv")
        peers = slice(ours, next(place for place, name in enumerate(header) if name.startswith("ours")))
        yield from ("", f"| {part.splitlines()[0]}, mean of {len(rows) - 3} tables | {' | '.join(header[peers])} |")
        yield "|---" * (1 + len(header[peers])) + "|"
        yield f"| few labels known | {' | '.join(mean[peers])} |"
        yield from ("", *(line for line in part.splitlines() if "mark:" in line))


def _whether_it_reproduces() -> Iterator[str]:
    """Counted from the verdicts, and from the cells that are as good as published."""
    table = (RESULTS / "reproduction" / "verdicts.md").read_text(encoding="utf-8")
    found = Counter(row.split(" | ")[2].strip("* ") for row in table.splitlines() if re.match(r"\| .*\(\d+\) \|", row))
    told = ", ".join(f"{times} {'is' if times == 1 else 'are'} {verdict}" for verdict, times in found.most_common())
    overview = (RESULTS / "reproduction" / "index.md").read_text(encoding="utf-8")
    cells = re.search(r"^'\w+': (LSVV is at or below .*)$", overview, re.MULTILINE)
    assert cells is not None
    yield f"Of the paper's {found.total()} conclusions, {told}."
    yield f"{cells[1]}"
    yield "[The verdicts](results/reproduction/verdicts.md) give the rule, stated in advance, and the evidence of each."


def _entry(path: Path) -> str:
    """A folder of results is listed by the first heading of its first page."""
    level, name = ("#", path.parent.name) if path.stem == "index" else ("##", path.stem)
    heading = re.search(rf"^{level} (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return f"- [{name}]({path.relative_to(RESULTS.parent).as_posix()}): {heading[1] if heading else ''}"
