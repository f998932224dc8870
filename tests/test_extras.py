"""A package that is missing is named with its extra; one that is broken shows its own error."""

import sys
from pathlib import Path

import pytest

from lsvv.extras import optional
from lsvv.tables.files import parse


def test_a_missing_package_is_named_with_its_extra() -> None:
    with pytest.raises(ImportError, match=r"^Flying needs wings\. Install it with: pip install 'lsvv\[air\]'$"):
        optional("wings.feathers", "Flying", "air")


@pytest.mark.parametrize(
    ("source", "own_error"),
    [
        ("from json import no_such_name", "ImportError: cannot import name 'no_such_name' from 'json'"),
        ("import a_module_that_it_needs", "ModuleNotFoundError: No module named 'a_module_that_it_needs'"),
        ("import numpy\nnumpy.no_such_name", "AttributeError: module 'numpy' has no attribute 'no_such_name'"),
        ("import wings_of_wax.feathers", "ModuleNotFoundError: No module named 'wings_of_wax.feathers'"),
    ],
)
def test_a_broken_package_shows_its_own_error(
    source: str, own_error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wings_of_wax").mkdir()
    (tmp_path / "wings_of_wax" / "__init__.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError) as caught:
        optional("wings_of_wax", "Flying", "air")
    said = str(caught.value)
    assert said.startswith(f"Flying needs wings_of_wax, which is installed but fails to import: {own_error}")
    assert "pip install" not in said


@pytest.mark.parametrize(("ending", "package"), [(".csv", "pandas"), (".xlsx", "openpyxl"), (".parquet", "pyarrow")])
def test_reading_names_the_package_of_its_format(ending: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"Reading {ending} files needs {package}\. .*'lsvv\[tables\]'"):
        parse(b"a,b\n", "t", format=ending)
