"""Experiments are tested with a chooser that takes milliseconds."""

import sys

import pytest

import quick_choosing


@pytest.fixture
def quick_chooser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lsvv.experiments.choosing", quick_choosing)
