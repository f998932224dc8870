"""What a page consists of, before it is Markdown, LaTeX or HTML."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Block", "Entry", "Grid", "Links", "Page", "Picture"]


@dataclass(frozen=True)
class Entry:
    """The text of a table's cell: bold for the best, underlined where it is not significantly different from it."""

    text: str
    bold: bool = False
    underline: bool = False


@dataclass(frozen=True)
class Grid:
    """A table: caption, header, rows of entries, and notes below."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Picture:
    """A figure in two formats, to be stored as ``name.svg`` and ``name.png``."""

    name: str
    caption: str
    svg: bytes
    png: bytes


@dataclass(frozen=True)
class Links:
    """Titles of other pages by the names of their files."""

    titles: Mapping[str, str]


Block: TypeAlias = str | Grid | Picture | Links
"""A string is a paragraph."""


@dataclass(frozen=True)
class Page:
    """A title and what stands below it; ``name`` is that of its file."""

    name: str
    title: str
    blocks: tuple[Block, ...]

    @property
    def grids(self) -> tuple[Grid, ...]:
        """The tables of the page."""
        return tuple(block for block in self.blocks if isinstance(block, Grid))

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The figures of the page."""
        return tuple(block for block in self.blocks if isinstance(block, Picture))
