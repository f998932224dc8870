"""Pages as Markdown. It has no underline: italics stand for it."""

import re
from collections.abc import Iterator

from reproduction.pages.blocks import Entry, Grid, Links, Page, Picture

__all__ = ["markdown_text", "page_markdown"]


def page_markdown(page: Page) -> str:
    r"""A page with one first heading.

    Examples
    --------
    >>> print(page_markdown(Page("a", "Sets_1", (Grid("", ("x",), ((Entry("2", bold=True),),)),))))
    # Sets\_1
    <BLANKLINE>
    | x |
    |---|
    | **2** |
    <BLANKLINE>
    """
    parts = [f"# {markdown_text(page.title)}"]
    for block in page.blocks:
        if isinstance(block, Grid):
            parts.append("\n".join(_lines(block)))
        elif isinstance(block, Picture):
            parts.append(f"![{markdown_text(block.caption)}]({block.name}.svg)")
            parts.append(markdown_text(block.caption))
        elif isinstance(block, Links):
            parts.append("\n".join(f"- [{markdown_text(title)}]({name}.md)" for name, title in block.titles.items()))
        else:
            parts.append(markdown_text(block))
    return "\n\n".join(parts) + "\n"


def markdown_text(text: str) -> str:
    r"""Text that Markdown would take for a mark, taken as it is.

    Examples
    --------
    >>> print(markdown_text("a|b_c*"))
    a\|b\_c\*
    """
    marked = re.sub(r"([\\`*_|\[\]])", r"\\\1", text)
    return marked.replace("<", "&lt;").replace(">", "&gt;")


def _lines(grid: Grid) -> Iterator[str]:
    if grid.caption:
        yield from (f"**{markdown_text(grid.caption)}**", "")
    yield f"| {' | '.join(markdown_text(name) for name in grid.header)} |"
    yield f"|{'|'.join('---' for _ in grid.header)}|"
    for row in grid.rows:
        yield f"| {' | '.join(_entry(entry) for entry in row)} |"
    for note in grid.notes:
        yield from ("", markdown_text(note))


def _entry(entry: Entry) -> str:
    text = markdown_text(entry.text)
    if entry.bold:
        return f"**{text}**"
    return f"*{text}*" if entry.underline else text
