import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = [
    "local_class",
    "proposition_1",
    "contraction",
    "theorem_1",
    "theorem_2",
    "theorem_3",
    "corollary_1",
    "corollary_2",
    "rates",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_of_the_page_is_made(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setattr(sys, "argv", ["figure", str(tmp_path)])
    runpy.run_path(str(EXAMPLES / f"theory_{name}.py"), run_name="__main__")
    assert (tmp_path / f"{name}.svg").read_text(encoding="utf-8").startswith("<?xml")
    page = EXAMPLES.parent / "docs" / "theory.md"
    assert f"(theory/{name}.svg)" in page.read_text(encoding="utf-8")
