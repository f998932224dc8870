"""The gallery shows what the scripts draw."""

import re
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
PAGE = ROOT / "docs" / "examples.md"
HEAVIEST = 100_000


def test_the_displays_of_the_page_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setattr(sys, "argv", ["displays", str(tmp_path)])
    runpy.run_path(str(EXAMPLES / "displays.py"), run_name="__main__")
    drawn = {path.name for path in tmp_path.iterdir()}
    assert drawn == {"graph.svg", "spectrum.svg", "atlas.svg", "learning_curve.svg"}
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"(examples/{name})" in page for name in drawn)


def test_the_tasks_of_the_page_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setattr(sys, "argv", ["tasks", str(tmp_path)])
    runpy.run_path(str(EXAMPLES / "tasks.py"), run_name="__main__")
    drawn = {path.name for path in tmp_path.iterdir()}
    assert drawn == {"tasks_assays.svg", "tasks_transfer.svg", "tasks_fields.svg"}
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"(examples/{name})" in page for name in drawn)


def test_pictures_are_there_and_light() -> None:
    shown = re.findall(r"!\[.+\]\((examples/.+)\)", PAGE.read_text(encoding="utf-8"))
    assert {path.name for path in (ROOT / "docs" / "examples").iterdir()} == {Path(name).name for name in shown}
    assert all((ROOT / "docs" / name).stat().st_size < HEAVIEST for name in shown)
