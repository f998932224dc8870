import ast
import dataclasses
from pathlib import Path

import pytest

from lsvv import theory

FOLDER = Path(theory.__file__).parent
MODULES = sorted(FOLDER.glob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_theory_stands_beside_the_rest(module: Path) -> None:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lsvv"):
            assert (node.module or "").startswith("lsvv.theory.")


def test_results_are_frozen() -> None:
    for name in theory.__all__:
        item = getattr(theory, name)
        if dataclasses.is_dataclass(item):
            assert item.__dataclass_params__.frozen  # type: ignore[union-attr]
