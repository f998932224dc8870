"""Mutants of the core: small wrong changes, and how many of them the tests notice.

A mutant is one change of one place: a comparison, an operator, a sign, a number, a condition, a minimum for a maximum.
It runs in a copy of the tree against the tests of its module, then against those of what stands on it, and is killed
where they fail or need four times the processor time. LSVV_MUTANTS of them (60) are drawn by lot, the same ones each
time, after LSVV_SKIPPED others (0); none is begun after LSVV_SECONDS. What was found is kept in build/mutants.jsonl
until the module or its tests change.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import resource
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis  # noqa: F401
import pytest
import sklearn.utils.estimator_checks  # noqa: F401
import torch  # noqa: F401

ROOT = Path(__file__).parent.parent
FOUND = ROOT / "build" / "mutants.jsonl"
ENGINE = ("tests/engine",)
TESTS = {
    "linalg.py": ("tests/test_linalg.py", "tests/test_risk.py"),
    "spectral.py": ("tests/test_spectral.py", "tests/test_penalties.py"),
    "penalties.py": ("tests/test_penalties.py", "tests/test_objective.py"),
    "losses.py": ("tests/test_losses.py", "tests/solvers/test_stacked.py"),
    "risk.py": ("tests/test_risk.py", "tests/test_objective.py", "tests/solvers/test_closed_form.py"),
    "objective.py": ("tests/test_objective.py", "tests/solvers/test_closed_form.py"),
    "engine/paths.py": ENGINE,
    "engine/quadratic.py": ENGINE,
    "engine/ridges.py": ENGINE,
    "engine/smooth.py": ENGINE,
    "selection/averaging.py": ("tests/selection/test_averaging.py", "tests/selection/test_average.py"),
    "calibration.py": ("tests/test_calibration.py", "tests/selection/test_target_scale.py"),
    "graph/adjacency.py": ("tests/test_graph.py", "tests/test_smoothing.py"),
    "graph/edges.py": ("tests/test_graph.py", "tests/test_smoothing.py"),
}
"""The modules of the core; the tests of each, and then those of what stands on it."""
OTHER = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
OTHER_NAME = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}
SLOWER = 4
"""Times the processor seconds of the unchanged module that a mutant may take."""


@dataclass(frozen=True)
class Mutant:
    """A change of a module; its key changes with the module and its tests."""

    key: str
    module: str
    line: int
    before: str
    after: str
    text: str


def main(data: Path | None = None) -> list[str]:
    everything = [mutant for module in TESTS for mutant in mutants_of(module)]
    skipped = int(os.environ.get("LSVV_SKIPPED", "0"))
    drawn = sorted(everything, key=_lot)[skipped:][: int(os.environ.get("LSVV_MUTANTS", "60"))]
    found = _worked(drawn)
    done = [mutant for mutant in drawn if mutant.key in found]
    survivors = [mutant for mutant in done if not found[mutant.key]]
    lines = [
        f"{len(everything)} changes of {len(TESTS)} modules, {len(drawn)} drawn, {len(done)} run.\n",
        f"- killed: {len(done) - len(survivors)} of {len(done)}\n",
        "| module | killed | run |",
        "|---|---|---|",
    ]
    for module in TESTS:
        here = [mutant for mutant in done if mutant.module == module]
        lines.append(f"| `{module}` | {sum(found[mutant.key] for mutant in here)} | {len(here)} |")
    lines.append("\nSurvivors:\n" if survivors else "\nNo survivor.")
    return lines + [f"- `{m.module}` line {m.line}: `{m.before}` became `{m.after}`" for m in survivors]


def _lot(mutant: Mutant) -> str:
    """By lot, and the same one as long as the line and its change are."""
    return hashlib.sha256(f"{mutant.module} {mutant.line} {mutant.before} {mutant.after}".encode()).hexdigest()


def mutants_of(module: str) -> list[Mutant]:
    """All changes of a module, in the order of its text."""
    source = ROOT / "src" / "lsvv" / module
    tests = [path for name in TESTS[module] for path in sorted((ROOT / name).glob("*.py")) or [ROOT / name]]
    seen = b"".join(path.read_bytes() for path in (source, *tests))
    tree, found = ast.parse(source.read_text(encoding="utf-8")), []
    for place in _places(tree):
        for change in _changes(place):
            mutated = ast.unparse(ast.fix_missing_locations(_Replaced(place, change).visit(tree)))
            key = hashlib.sha256(seen + mutated.encode()).hexdigest()[:16]
            found.append(Mutant(key, module, place.lineno, *map(ast.unparse, map(_head, (place, change))), mutated))
            _Replaced(change, place).visit(tree)
    return found


class _Replaced(ast.NodeTransformer):
    """One node for another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def _places(node: ast.AST) -> Iterator[ast.AST]:
    """What computes: no annotation, no sentence of an error, no default that a class or a name states in text."""
    if isinstance(node, ast.Raise | ast.JoinedStr):
        return
    if hasattr(node, "lineno"):
        yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "decorator_list"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _places(child)


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in OTHER:
            yield ast.Compare(node.left, [OTHER[type(op)]()], node.comparators)
        case ast.BinOp(op=op) if type(op) in OTHER:
            yield ast.BinOp(node.left, OTHER[type(op)](), node.right)
        case ast.BoolOp(op=op):
            yield ast.BoolOp(OTHER[type(op)](), node.values)
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float()):
            yield ast.Constant(node.value + 1)
        case ast.If():
            yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
        case ast.IfExp():
            yield ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
        case ast.Name(id=name) if name in OTHER_NAME:
            yield ast.Name(OTHER_NAME[name], node.ctx)
        case ast.Attribute(attr=name) if name in OTHER_NAME:
            yield ast.Attribute(node.value, OTHER_NAME[name], node.ctx)


def _head(node: ast.AST) -> ast.AST:
    return node.test if isinstance(node, ast.If) else node


def _worked(drawn: list[Mutant]) -> dict[str, bool]:
    """Whether each mutant was killed, by key; those that there was no time for are not in it."""
    deadline = time.time() + float(os.environ.get("LSVV_SECONDS", "inf"))
    FOUND.parent.mkdir(exist_ok=True)
    known = [json.loads(line) for line in FOUND.read_text().splitlines()] if FOUND.exists() else []
    found = {each["key"]: each["killed"] for each in known}
    seconds: dict[tuple[str, ...], float] = {}
    with TemporaryDirectory() as folder, FOUND.open("a", encoding="utf-8") as written:
        for part in ("src", "tests"):
            shutil.copytree(ROOT / part, Path(folder) / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", folder)
        for mutant in drawn:
            if mutant.key in found or time.time() > deadline:
                continue
            tests, place = TESTS[mutant.module], Path(folder) / "src" / "lsvv" / mutant.module
            if tests not in seconds:
                passed, seconds[tests] = _tested(tests, folder, 600.0)
                if not passed:
                    raise RuntimeError(f"{' '.join(tests)} fails without any change. Mend it first.")
            unchanged = place.read_text(encoding="utf-8")
            place.write_text(mutant.text, encoding="utf-8")
            found[mutant.key] = not _tested(tests, folder, SLOWER * seconds[tests] + 10.0)[0]
            place.write_text(unchanged, encoding="utf-8")
            written.write(json.dumps({"key": mutant.key, "killed": found[mutant.key]}) + "\n")
            written.flush()
    return found


def _tested(tests: tuple[str, ...], folder: str, limit: float) -> tuple[bool, float]:
    """Whether the tests pass within the processor seconds, and how many they took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = get_context("fork").Process(target=_test, args=(tests, folder, int(limit)))
    child.start()
    child.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return child.exitcode == 0, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _test(tests: tuple[str, ...], folder: str, limit: int) -> None:
    """Run in a fork, so that what all tests import is imported once; lsvv is that of the folder."""
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    for name in [name for name in sys.modules if name.split(".")[0] == "lsvv"]:
        del sys.modules[name]
    sys.dont_write_bytecode = True
    sys.path.insert(0, f"{folder}/src")
    os.chdir(folder)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    raise SystemExit(int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", "--assert=plain", *tests])))
