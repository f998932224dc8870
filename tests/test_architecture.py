"""The data flows one way: a module imports only from modules to its left."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lsvv

SOURCE = Path(lsvv.__file__).parent

ORDER = (
    "extras",
    "linalg",
    "categories",
    "inputs",
    "parameters",
    "targets",
    "features",
    "graph",
    "losses",
    "spectral",
    "penalties",
    "risk",
    "objective",
    "engine",
    "solvers",
    "nn",
    "calibration",
    "intervals",
    "assembly",
    "estimators",
    "selection",
    "tables",
    "experiments",
    "report",
    "cli",
)
BESIDE = ("data", "theory")
"""Import nothing of lsvv; only what stands right of the estimators may import them."""

HEAVY = ("torch", "faiss", "pandas", "polars", "matplotlib", "dask")

MODULES = sorted(
    path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or path.stem not in ("__init__", "__main__")
)


def layer_of(path: Path) -> str:
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def imported_layers(path: Path) -> Iterator[str]:
    """The layers of lsvv that a module imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[1] for name in node.names if name.name.startswith("lsvv."))
            assert all(name.name != "lsvv" for name in node.names), f"{path}: import a module of lsvv, not lsvv itself"
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            module = (node.module or "").split(".")
            if module[0] == "lsvv":
                yield from [module[1]] if len(module) > 1 else [layer_of_name(name.name) for name in node.names]


def layer_of_name(name: str) -> str:
    """``from lsvv import name``: a layer, or a public name, which the estimators define."""
    return name if name in (*ORDER, *BESIDE) else "estimators"


def is_allowed(layer: str, imported: str) -> bool:
    if layer == imported:
        return True
    if layer in BESIDE:
        return False
    if imported in BESIDE:
        return ORDER.index(layer) > ORDER.index("estimators") and (imported == "data" or layer != "selection")
    return ORDER.index(imported) < ORDER.index(layer)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_import_points_to_the_left(path: Path) -> None:
    layer = layer_of(path)
    assert layer in (*ORDER, *BESIDE), f"{layer} has no place in the order of the layers"
    wrong = [imported for imported in imported_layers(path) if not is_allowed(layer, imported)]
    assert wrong == [], f"{layer} must not import {wrong}"


@pytest.mark.parametrize(
    ("layer", "imported", "allowed"),
    [
        ("solvers", "objective", True),
        ("objective", "solvers", False),
        ("features", "graph", False),
        ("engine", "risk", True),
        ("engine", "solvers", False),
        ("theory", "linalg", False),
        ("data", "theory", False),
        ("estimators", "theory", False),
        ("selection", "theory", False),
        ("experiments", "theory", True),
        ("cli", "data", True),
    ],
)
def test_the_rule_itself(layer: str, imported: str, allowed: bool) -> None:
    assert is_allowed(layer, imported) is allowed


def test_the_public_names_are_frozen() -> None:
    assert sorted(lsvv.__all__) == [
        "LSVVClassifier",
        "LSVVClassifierCV",
        "LSVVRegressor",
        "LSVVRegressorCV",
        "LabeledKFold",
        "LabeledShuffleSplit",
        "will_unlabeled_help",
    ]
    assert all(getattr(lsvv, name).__name__ == name for name in lsvv.__all__)


def test_importing_lsvv_loads_no_optional_package() -> None:
    # scikit-learn itself loads pandas where it is installed
    script = (
        f"import sys, sklearn.base, sklearn.utils.validation; before = set(sys.modules); import lsvv; "
        f"print(*[name for name in {HEAVY} if name in set(sys.modules) - before])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
