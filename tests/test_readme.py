"""The README's example prints what the README says."""

import doctest
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_ten_lines_are_true() -> None:
    results = doctest.testfile(str(README), module_relative=False)
    assert results.attempted >= 9
    assert results.failed == 0
