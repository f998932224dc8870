"""All pages in one HTML file that needs nothing else: styles and figures inside, every text escaped."""

import base64
from collections.abc import Sequence
from pathlib import Path

from lsvv.extras import optional
from reproduction.pages.blocks import Page

__all__ = ["webpage"]


def webpage(title: str, pages: Sequence[Page]) -> str:
    """The file; links to other pages are left out, as its head has them.

    Examples
    --------
    >>> "a &amp; b" in webpage("a & b", [])
    True
    """
    jinja2 = optional("jinja2", "The page of the reproduction", "cli")
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["base64"] = lambda data: base64.b64encode(data).decode()
    template = Path(__file__).with_suffix(".html").read_text(encoding="utf-8")
    return str(environment.from_string(template).render(title=title, pages=pages))
