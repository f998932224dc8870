"""The examples in the docstrings print what they say, and every public name has one."""

import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import lsvv
import reproduction

API = Path(__file__).parent.parent / "docs" / "api"
PUBLIC = sorted("lsvv" if page.stem == "lsvv" else f"lsvv.{page.stem}" for page in API.glob("*.md"))
COMMANDS = ("lsvv.cli", "lsvv.__main__", "reproduction.commands", "reproduction.__main__")
MODULES = [
    module.name
    for package in (lsvv, reproduction)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.startswith(COMMANDS)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_say(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_class_and_function_shows_an_example(name: str) -> None:
    module = importlib.import_module(name)
    things = {public: getattr(module, public) for public in module.__all__}
    told = {public: inspect.cleandoc(thing.__doc__ or "") for public, thing in things.items() if callable(thing)}
    assert told
    assert [public for public, text in told.items() if "\nExamples\n--------\n" not in text or ">>> " not in text] == []
