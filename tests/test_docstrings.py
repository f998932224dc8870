"""The examples in the docstrings of the core print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import lsvv

BESIDE = (
    "lsvv.theory",
    "lsvv.data",
    "lsvv.experiments",
    "lsvv.tables",
    "lsvv.report",
    "lsvv.cli",
    "lsvv.selection",
    "lsvv.__main__",
)
"""Have tests of their own."""

MODULES = [m.name for m in pkgutil.walk_packages(lsvv.__path__, "lsvv.") if not m.name.startswith(BESIDE)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_say(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(examples) >= 9
