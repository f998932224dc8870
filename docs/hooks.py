"""What the site needs beside Markdown: a list of the results, and angle brackets that are mathematics."""

import re
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown

RESULTS = Path(__file__).parent / "results"
LIST = "<!-- the list of results -->"
FIRST = "fill_tables"
"""What most readers come for."""


class NoInlineHTML(Extension):
    """<V, X> in a sentence is an inner product, not a tag."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Leave tags in sentences alone."""
        md.inlinePatterns.deregister("html")


def on_config(config: Any) -> Any:
    """The extension has no name to be listed under in mkdocs.yml."""
    config.markdown_extensions.append(NoInlineHTML())
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Pages of results are listed by their own second headings, so that a new one is never forgotten."""
    if Path(page.file.src_uri).parent.as_posix() == "results":
        page.title = page.file.name
    if page.file.src_uri == "theory.md":
        markdown = _four_spaces(markdown)
    pages = sorted(RESULTS.glob("*.md"), key=lambda path: (path.stem != FIRST, path.name))
    pages += sorted(RESULTS.glob("*/index.md"))
    return markdown.replace(LIST, "\n".join(map(_entry, pages)))


def on_page_content(html: str, **_: Any) -> str:
    """Docstrings mark cross-references as Sphinx does; the name alone is shown."""
    return re.sub(r":(?:class|func|meth|mod|data|attr):(?=<code>)", "", html)


def _entry(path: Path) -> str:
    """A folder of results is listed by the first heading of its first page."""
    level, name = ("#", path.parent.name) if path.stem == "index" else ("##", path.stem)
    heading = re.search(rf"^{level} (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return f"- [{name}]({path.relative_to(RESULTS.parent).as_posix()}): {heading[1] if heading else ''}"


def _four_spaces(markdown: str) -> str:
    """Paragraphs of a numbered list: three spaces in CommonMark, four and a blank line here."""
    deeper = re.sub(r"^((?: {4})?) {3}(?=\S)", r"\1    ", markdown, flags=re.MULTILINE)
    return re.sub(r"^( {4}\S.*\n)(?=\d+\. )", r"\1\n", deeper, flags=re.MULTILINE)
