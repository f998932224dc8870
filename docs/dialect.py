"""The Markdown of this site, an extension that any builder on Python-Markdown reads.

Angle brackets in a sentence are mathematics, pages of results list themselves, and Sphinx roles show their names.
"""

import re
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

RESULTS = Path(__file__).parent / "results"
LIST = "<!-- the list of results -->"
FIRST = "fill_tables"
"""What most readers come for."""


class Dialect(Extension):
    """<V, X> in a sentence is an inner product, not a tag."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Leave tags in sentences alone, fill in the list of results, take the roles away."""
        md.inlinePatterns.deregister("html")
        md.preprocessors.register(ListOfResults(md), "list_of_results", 35)
        md.postprocessors.register(NamesAlone(md), "names_alone", 5)


class ListOfResults(Preprocessor):
    """Pages of results are listed by their own second headings, so that a new one is never forgotten."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines with the list in its place."""
        if LIST not in lines:
            return lines
        place = lines.index(LIST)
        pages = sorted(RESULTS.glob("*.md"), key=lambda path: (path.stem != FIRST, path.name))
        pages += sorted(RESULTS.glob("*/index.md"))
        return [*lines[:place], *map(_entry, pages), *lines[place + 1 :]]


class NamesAlone(Postprocessor):
    """Docstrings mark cross-references as Sphinx does; the name alone is shown."""

    def run(self, text: str) -> str:
        """The page without roles."""
        return re.sub(r":(?:class|func|meth|mod|data|attr):(?=<code>)", "", text)


def makeExtension(**options: Any) -> Dialect:  # noqa: N802
    """What Python-Markdown calls."""
    return Dialect(**options)


def _entry(path: Path) -> str:
    """A folder of results is listed by the first heading of its first page."""
    level, name = ("#", path.parent.name) if path.stem == "index" else ("##", path.stem)
    heading = re.search(rf"^{level} (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return f"- [{name}]({path.relative_to(RESULTS.parent).as_posix()}): {heading[1] if heading else ''}"
