"""All pages in one HTML file that needs nothing else."""

import base64
from collections.abc import Iterator, Sequence
from html import escape

from reproduction.pages.blocks import Block, Entry, Grid, Links, Page, Picture

__all__ = ["webpage"]

_STYLE = """
:root {
  --paper: #faf9f6; --card: #fff; --ink: #22282b; --soft: #586166; --rule: #dedbd3; --wash: #f1efe9; --accent: #0b6b65;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14181a; --card: #1c2225; --ink: #e6e9ea; --soft: #a5b0b4; --rule: #333c40; --wash: #242b2f;
    --accent: #5cc4bb;
  }
}
html { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; max-width: 78rem; margin: 0 auto;
  padding: 2rem 1.2rem; background: var(--paper); color: var(--ink); overflow-wrap: break-word; }
h1, h2 { font-family: ui-serif, Charter, "Iowan Old Style", Georgia, serif; line-height: 1.2; }
h1 { font-size: clamp(1.8rem, 5vw, 2.8rem); margin: 0 0 1rem; } h2 { font-size: 1.6rem; margin: 0 0 .6rem; }
a { color: var(--accent); } nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin-bottom: 1.4rem; }
section {
  background: var(--card); border: 1px solid var(--rule); border-radius: 14px; padding: 1.6rem; margin: 0 0 1.4rem;
}
p { max-width: 72ch; }
table {
  border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; display: block; overflow-x: auto;
  margin: 0 0 1rem;
}
caption { text-align: left; font-weight: 600; padding: .5rem 0; }
th, td { padding: .35rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule); }
thead th { color: var(--soft); font-weight: 400; } tbody tr:hover { background: var(--wash); }
th:first-child, td:first-child { text-align: left; }
td.wide { white-space: normal; text-align: left; min-width: 14rem; }
figure { margin: 1rem 0; } figure img { max-width: 100%; background: #fff; border-radius: 8px; }
figcaption, .note { color: var(--soft); font-size: .9rem; margin: .2rem 0; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_WIDE = 40
"""Letters from which a cell is a sentence."""


def webpage(title: str, pages: Sequence[Page]) -> str:
    """One file: styles and figures inside, nothing fetched from anywhere, every text escaped.

    Examples
    --------
    >>> "a &amp; b" in webpage("a & b", [])
    True

    """
    links = "\n".join(f'<a href="#{escape(page.name)}">{escape(page.title)}</a>' for page in pages)
    sections = "\n".join("\n".join(_section(page)) for page in pages)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n<style>{_STYLE}</style>\n</head>\n<body>\n'
        f"<h1>{escape(title)}</h1>\n<nav>\n{links}\n</nav>\n{sections}\n</body>\n</html>\n"
    )


def _section(page: Page) -> Iterator[str]:
    yield f'<section id="{escape(page.name)}">\n<h2>{escape(page.title)}</h2>'
    for block in page.blocks:
        yield from _block(block)
    yield "</section>"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Grid):
        yield from _table(block)
    elif isinstance(block, Picture):
        image = base64.b64encode(block.svg).decode()
        text = escape(block.caption)
        yield f'<figure><img alt="{text}" src="data:image/svg+xml;base64,{image}">'
        yield f"<figcaption>{text}</figcaption></figure>"
    elif not isinstance(block, Links):
        # the head of the page has the links
        yield f"<p>{escape(block)}</p>"


def _table(grid: Grid) -> Iterator[str]:
    yield f"<table>\n<caption>{escape(grid.caption)}</caption>"
    header = "".join(f'<th scope="col">{escape(name)}</th>' for name in grid.header)
    yield f"<thead><tr>{header}</tr></thead>\n<tbody>"
    for row in grid.rows:
        yield f"<tr>{''.join(_cell(entry) for entry in row)}</tr>"
    yield "</tbody>\n</table>"
    for note in grid.notes:
        yield f'<p class="note">{escape(note)}</p>'


def _cell(entry: Entry) -> str:
    text = escape(entry.text)
    if entry.bold:
        text = f"<b>{text}</b>"
    elif entry.underline:
        text = f"<u>{text}</u>"
    return f'<td class="wide">{text}</td>' if len(entry.text) > _WIDE else f"<td>{text}</td>"
