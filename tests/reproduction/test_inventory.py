from pathlib import Path

import numpy as np
import pytest

from reproduction.bundled import bundled
from reproduction.data import PaperSize, info, paper_names
from reproduction.inventory import Holding, inventory


def test_all_sets_of_the_paper_and_the_substitute_are_listed(tmp_path: Path) -> None:
    found = inventory(tmp_path)
    assert [holding.name for holding in found] == [*paper_names(), "scm20d"]
    assert all(holding.loaded is None and holding.differences == () for holding in found)


def test_what_is_at_hand_is_measured(tmp_path: Path) -> None:
    np.savez(tmp_path / "wine.npz", X=bundled("wine").X, y=bundled("wine").y)
    (found,) = inventory(tmp_path, ("wine",))
    assert found.loaded == found.printed == PaperSize(125, 53, 14, 3)


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_measured(tmp_path: Path) -> None:
    (tmp_path / "iris.npz").write_bytes(b"no archive")
    np.savez(tmp_path / "wine.npz", X=bundled("wine").X, y=bundled("wine").y)
    damaged, whole = inventory(tmp_path, ("iris", "wine"))
    assert (damaged.loaded, damaged.printed) == (None, info("iris").paper)
    assert damaged.note.startswith(f"{tmp_path / 'iris.npz'} ends early or is damaged")
    assert whole.loaded == whole.printed


def test_differences_are_named() -> None:
    found = Holding("x", "multi-class", PaperSize(30450, 13050, 10, 7), PaperSize(27631, 11841, 10, 7), "")
    assert found.differences == ("training", "testing")


@pytest.mark.parametrize("name", paper_names())
def test_a_registry_entry_that_differs_from_the_paper_says_why(name: str) -> None:
    entry = info(name)
    assert entry.paper is not None
    if (entry.rows, entry.d, entry.K) != (entry.paper.rows, entry.paper.d, entry.paper.K):
        assert str(entry.paper.rows) in entry.note
