"""The data flows one way: three rooms, and in each a module imports only from modules to its left."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import lsvv

ROOT = Path(__file__).parent.parent

ROOMS = {
    "library": (
        "extras",
        "linalg",
        "stored",
        "categories",
        "inputs",
        "cluster",
        "parameters",
        "targets",
        "sums",
        "losses",
        "spectral",
        "nn",
        "features",
        "graph",
        "penalties",
        "risk",
        "objective",
        "engine",
        "solvers",
        "calibration",
        "intervals",
        "assembly",
        "estimators",
        "selection",
        "tasks",
    ),
    "application": ("tables", "report", "frames", "cli"),
    "reproduction": (
        "data",
        "published",
        "statistics",
        "records",
        "bundled",
        "metrics",
        "experiments",
        "paper_grid",
        "cross_validation",
        "choosing",
        "protocol",
        "running",
        "inventory",
        "outliers",
        "tabulated",
        "comparing",
        "judging",
        "verdicts",
        "pages",
        "commands",
    ),
}
"""The rooms, each an order; a room imports from those before it, nothing from those behind it."""

BESIDE = ("theory",)
"""Imports nothing of the library, and nothing in it imports this."""

SHARED = {
    "lsvv.tables": "writes a file whole or not at all",
    "lsvv.tables.words": "counts nouns",
    "lsvv.cli.options": "the options that every command has",
    "lsvv.cli.console": "sentences on standard error, a bar, exit codes",
}
"""All that the reproduction takes from the application: its files and commands behave like those of lsvv."""

PRIVATE = {
    ("benchmarks/prox.py", "_step"),
    ("benchmarks/prox.py", "_step_by_svd"),
}
"""Private names of the library that are used outside of it: none should be, and none may be added."""

TWICE = {"fill", "run"}
"""Names that stand for the same in two places: filling a frame and a table, and commands beside what they run."""

PYTHONS_OWN = ("_replace", "_exit", "_repr_html_")
OPENPYXLS_OWN = ("_cells",)
"""The cells that a sheet holds: asked through its public names, it makes all others first, 17 thousand millions."""
HEAVY = ("torch", "faiss", "pandas", "polars", "matplotlib", "dask")

FOLDERS = {"src/lsvv": "lsvv", "reproduction": "reproduction", "benchmarks": "benchmarks"}


def name_of(path: Path) -> str:
    """The dotted name of a module; a package has that of its folder."""
    for folder, name in FOLDERS.items():
        if path.is_relative_to(ROOT / folder):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            return ".".join((name, *(part for part in parts if part != "__init__")))
    raise AssertionError(f"{path} is in no folder of the project")


MODULES = {name_of(path): path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))}
PLACED = [name for name in MODULES if "." in name and not name.endswith("__main__")]


def place_of(name: str) -> tuple[str, str]:
    """The room and the layer of a module."""
    package, layer = f"{name}.".split(".")[:2]
    if package != "lsvv":
        return package, layer
    return ("application" if layer in ROOMS["application"] else "library"), layer


def imports(name: str, *, types: bool = True) -> Iterator[tuple[str, str]]:
    """What a module imports of ours, at its top or inside a function: pairs of module and name."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    guarded = [one for one in ast.walk(tree) if isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING"]
    for_types = {inner for one in guarded for inner in ast.walk(one)}
    for node in ast.walk(tree):
        if not types and node in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from ((one.name, "") for one in node.names if one.name.split(".")[0] in FOLDERS.values())
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: imports are absolute"
            if node.module and node.module.split(".")[0] in FOLDERS.values():
                yield from ((node.module, one.name) for one in node.names)


def imported_modules(name: str, *, types: bool = True) -> Iterator[str]:
    for module, thing in imports(name, types=types):
        yield f"{module}.{thing}" if f"{module}.{thing}" in MODULES else module


def is_allowed(importing: str, imported: str) -> bool:
    """Whether the first module may import the second."""
    if imported == "lsvv":
        # its public names, which the selection defines last
        return place_of(importing)[0] != "library"
    (room, layer), (other_room, other) = place_of(importing), place_of(imported)
    if room == "benchmarks":
        return True
    if room != other_room:
        from_application = other_room == "application" and imported in SHARED
        return room != "library" and (other_room == "library" or (room == "reproduction" and from_application))
    if layer == other:
        return True
    if layer in BESIDE or other in BESIDE:
        return False
    order = ROOMS[room]
    return order.index(other) < order.index(layer)


@pytest.mark.parametrize("name", PLACED)
def test_every_import_points_to_the_left(name: str) -> None:
    room, layer = place_of(name)
    assert room == "benchmarks" or layer in (*ROOMS[room], *BESIDE), f"{layer} has no place in the order of its room"
    wrong = [imported for imported in imported_modules(name) if not is_allowed(name, imported)]
    assert wrong == [], f"{name} must not import {wrong}"


@pytest.mark.parametrize(
    ("importing", "imported", "allowed"),
    [
        ("lsvv.solvers.loop", "lsvv.objective", True),
        ("lsvv.objective", "lsvv.solvers", False),
        ("lsvv.features.maps", "lsvv.graph", False),
        ("lsvv.engine.paths", "lsvv.risk", True),
        ("lsvv.theory.rates", "lsvv.linalg", False),
        ("lsvv.estimators.base", "lsvv.theory", False),
        ("lsvv.selection.run", "lsvv.tables", False),
        ("lsvv.selection.run", "reproduction.data", False),
        ("lsvv.selection.run", "lsvv", False),
        ("lsvv.tables.model_bounds", "lsvv.theory", True),
        ("lsvv.tables.files", "lsvv.report", False),
        ("lsvv.tables.files", "reproduction.records", False),
        ("lsvv.cli.app", "reproduction.commands", False),
        ("lsvv.cli.app", "benchmarks", False),
        ("reproduction.choosing", "lsvv.selection", True),
        ("reproduction.pages.writing", "lsvv.tables", True),
        ("reproduction.pages.writing", "lsvv.report.page", False),
        ("reproduction.data.loading", "reproduction.experiments", False),
        ("reproduction.experiments", "benchmarks.timing", False),
        ("benchmarks.ask", "reproduction.data", True),
    ],
)
def test_the_rule_itself(importing: str, imported: str, allowed: bool) -> None:
    assert is_allowed(importing, imported) is allowed


def test_no_import_goes_in_a_circle() -> None:
    """Inside a folder too; what is imported for types alone does not count."""
    graph = {name: {one for one in imported_modules(name, types=False) if one in MODULES} for name in PLACED}
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"These modules import each other: {' <- '.join(error.args[1])}")
    place = {name: number for number, name in enumerate(order)}
    assert all(place[one] < place[name] for name, imported in graph.items() for one in imported)


def test_no_room_uses_what_another_keeps_to_itself() -> None:
    used = set()
    for name in PLACED:
        if place_of(name)[0] == "library":
            continue
        path = MODULES[name].relative_to(ROOT).as_posix()
        used |= {
            (path, thing)
            for module, thing in imports(name)
            if thing.startswith("_") and place_of(module)[0] != place_of(name)[0]
        }
        used |= {(path, one) for one in private_attributes(MODULES[name]) if one not in (*PYTHONS_OWN, *OPENPYXLS_OWN)}
    assert used == PRIVATE


def private_attributes(path: Path) -> Iterator[str]:
    """What a module takes of an object that is not its own."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) not in ("self", "cls"):
            yield from re.findall(r"^_[a-z]\w*$", node.attr)


def test_the_order_that_is_told_is_this_one() -> None:
    told = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\w+) \| `[^|]+` \| (\w[^|]*) \|$", told, re.MULTILINE))
    assert {room: tuple(row.split(" -> ")) for room, row in rows.items()} == ROOMS


def test_every_hop_is_told_with_its_file_and_what_is_in_it() -> None:
    told = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w./]+\.(?:py|md))`(?::\s+`(\w+)`)?", told)
    assert len(named) > 30
    for path, name in named:
        assert (ROOT / path).is_file(), path
        if name:
            tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
            defined = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
            assert name in defined, f"{path} defines no {name}"


def test_each_hop_of_a_walk_is_one_file() -> None:
    told = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    hops = re.findall(r"^\| (\d+) \| .* \| (.*) \|$", told, re.MULTILINE)
    assert [int(n) for n, _ in hops] == [*range(1, 15), *range(1, 12)]
    assert all(re.fullmatch(r"`[\w./]+\.py`: `\w+`", where) for _, where in hops)


def test_the_wheel_has_the_library_and_the_application_alone() -> None:
    built = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    assert built["targets"]["wheel"] == {"packages": ["src/lsvv"]}
    here = {path.relative_to(ROOT / "src" / "lsvv").parts[0] for path in (ROOT / "src" / "lsvv").rglob("*.py")}
    layers = {Path(part).stem for part in here}
    assert layers - {"__init__", "__main__"} == {*ROOMS["library"], *ROOMS["application"], *BESIDE}


def test_each_name_stands_for_one_thing() -> None:
    """Modules, classes and public functions of the package and of the reproduction, but for a few that are told."""
    places: dict[tuple[type, str], set[str]] = {}
    for name, path in MODULES.items():
        if name.startswith("benchmarks") or path.stem == "__main__":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = {(type(one), one.name) for one in tree.body if isinstance(one, (ast.FunctionDef, ast.ClassDef))}
        for kind, one in {*found, (ast.Module, path.stem)}:
            if not one.startswith("_"):
                places.setdefault((kind, one), set()).add(name)
    assert {one for (_, one), found in places.items() if len(found) > 1} == TWICE


def test_the_public_names_are_frozen() -> None:
    assert sorted(lsvv.__all__) == [
        "LSVVClassifier",
        "LSVVClassifierCV",
        "LSVVRegressor",
        "LSVVRegressorCV",
        "LabeledKFold",
        "LabeledShuffleSplit",
        "fill",
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
