"""A quick chooser."""

import sys

import pytest

import quick_choosing


@pytest.fixture
def quick_chooser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Experiments choose in milliseconds."""
    monkeypatch.setitem(sys.modules, "reproduction.choosing", quick_choosing)
