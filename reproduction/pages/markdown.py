"""Pages as Markdown. It has no underline: italics stand for it."""

import re
from collections.abc import Iterator

from reproduction.pages.blocks import Entry, Grid, Links, Page, Picture

__all__ = ["escape", "page_markdown"]


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
    parts = [f"# {escape(page.title)}"]
    for block in page.blocks:
        if isinstance(block, Grid):
            parts.append("\n".join(_lines(block)))
        elif isinstance(block, Picture):
            parts.append(f"![{escape(block.caption)}]({block.name}.svg)")
            parts.append(escape(block.caption))
        elif isinstance(block, Links):
            parts.append("\n".join(f"- [{escape(title)}]({name}.md)" for name, title in block.titles.items()))
        else:
            parts.append(escape(block))
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    r"""Text that Markdown would take for a mark, taken as it is.

    Examples
    --------
    >>> print(escape("a|b_c*"))
    a\|b\_c\*

    """
    marked = re.sub(r"([\\`*_|\[\]])", r"\\\1", text)
    return marked.replace("<", "&lt;").replace(">", "&gt;")


def _lines(grid: Grid) -> Iterator[str]:
    if grid.caption:
        yield from (f"**{escape(grid.caption)}**", "")
    yield f"| {' | '.join(escape(name) for name in grid.header)} |"
    yield f"|{'|'.join('---' for _ in grid.header)}|"
    for row in grid.rows:
        yield f"| {' | '.join(_entry(entry) for entry in row)} |"
    for note in grid.notes:
        yield from ("", escape(note))


def _entry(entry: Entry) -> str:
    text = escape(entry.text)
    if entry.bold:
        return f"**{text}**"
    return f"*{text}*" if entry.underline else text
