"""The examples in the docstrings of the experiments print what they say."""

import doctest
import importlib

import pytest

MODULES = ("bundled", "plan", "metrics", "protocol", "run", "inventory", "published", "records", "statistics")


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_say(name: str) -> None:
    failed, attempted = doctest.testmod(importlib.import_module(f"lsvv.experiments.{name}"))
    assert attempted > 0
    assert failed == 0
