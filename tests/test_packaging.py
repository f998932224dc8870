"""What pyproject.toml promises of versions and licences holds."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _pins(file: str) -> dict[str, str]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    return {name.lower().replace("_", "-"): version for name, version in pairs}


def _named() -> list[Requirement]:
    """What is named with a lower bound, in the dependencies and in all extras."""
    extras = PROJECT["optional-dependencies"].values()
    requirements = map(Requirement, [*PROJECT["dependencies"], *(each for extra in extras for each in extra)])
    return [each for each in requirements if each.name != "lsvv"]


@pytest.mark.parametrize("requirement", _named(), ids=str)
def test_the_suite_is_run_at_every_lower_bound_and_at_a_version_within_it(requirement: Requirement) -> None:
    name = requirement.name.lower()
    lowest = next(str(bound.version) for bound in requirement.specifier if bound.operator == ">=")
    oldest = _pins("constraints-oldest.txt")[name]
    assert oldest == lowest or oldest.startswith(f"{lowest}.")
    assert requirement.specifier.contains(_pins("constraints.txt")[name])


def test_every_licence_of_a_vendored_file_is_in_the_metadata() -> None:
    listed = {path for pattern in PROJECT["license-files"] for path in ROOT.glob(pattern)}
    assert ROOT / "LICENSE" in listed
    vendored = set((ROOT / "src").rglob("*.min.js"))
    assert vendored
    for script in vendored:
        name = script.name.split(".")[0].removesuffix("js")
        assert any(path.parent == script.parent and path.name.startswith(name) for path in listed), script
