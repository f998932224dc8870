"""The guide's examples print what they say."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [DOCS / "index.md", *sorted((DOCS / "guide").glob("*.md")), DOCS / "coming-from.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_print_what_they_say(page: Path) -> None:
    results = doctest.testfile(str(page), module_relative=False)
    assert results.attempted >= 5
    assert results.failed == 0


def test_every_block_of_python_is_run() -> None:
    for page in PAGES:
        blocks = page.read_text(encoding="utf-8").split("```python\n")[1:]
        assert blocks, page
        assert all(block.startswith(">>> ") for block in blocks), page
