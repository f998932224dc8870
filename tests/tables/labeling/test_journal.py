"""The sheet of a session: nothing that was written is lost, nothing that was torn is read."""

import os
from pathlib import Path

import pytest

from lsvv.tables import TableError, WritingError
from lsvv.tables.asking import Question
from lsvv.tables.labeling import Journal
from lsvv.tables.sheets import line_of, with_labels

from .conftest import table_of


def write(journal: Journal, row: int, label: str, why: str = "because") -> None:
    journal.append(line_of(table_of(), Question(row, "answer", 1.0, "cat", why), label))


def labels(journal: Journal) -> dict[int, str]:
    return dict(with_labels(table_of(), journal.read(), ["answer"]).labels["answer"])


def test_lines_of_several_writers_follow_one_another(tmp_path: Path) -> None:
    one, other = (Journal(tmp_path / "s.csv", table_of()) for _ in range(2))
    write(one, 1, "cat")
    write(other, 2, "dog")
    write(one, 2, "eel")
    assert labels(one) == labels(other) == {1: "cat", 2: "eel"}
    assert (tmp_path / "s.csv").read_text().count("row,target") == 1


def test_every_line_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bytes] = []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append((tmp_path / "s.csv").read_bytes()))
    journal = Journal(tmp_path / "s.csv", table_of())
    write(journal, 1, "cat")
    assert b"cat" in synced[-1]
    assert len(synced) == 2


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_line_that_was_cut_short_is_no_answer(tmp_path: Path, cut: int) -> None:
    journal = Journal(tmp_path / "s.csv", table_of())
    write(journal, 1, "cat", why="a, “quoted”\nreason")
    whole = journal.place.read_bytes()
    write(journal, 2, "dog", why="a, “quoted”\nreason")
    torn = journal.place.read_bytes()[: len(whole) + cut]
    journal.place.write_bytes(torn)
    again = Journal(journal.place, table_of())
    assert labels(again) == {1: "cat"}
    write(again, 3, "eel")
    assert labels(again) == {1: "cat", 3: "eel"}


def test_a_last_line_without_an_end_as_editors_leave_it_is_kept(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "s.csv", table_of())
    write(journal, 1, "cat")
    journal.place.write_bytes(journal.place.read_bytes().rstrip(b"\n"))
    again = Journal(journal.place, table_of())
    write(again, 2, "dog")
    assert labels(again) == {1: "cat", 2: "dog"}


def test_a_file_that_is_no_sheet_of_the_table_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("row,target,label\n1,answer,cat\n")
    with pytest.raises(TableError, match="is no sheet of this table: its columns are others"):
        Journal(tmp_path / "s.csv", table_of())
    assert (tmp_path / "s.csv").read_text() == "row,target,label\n1,answer,cat\n"


def test_a_full_disk_is_told_and_nothing_is_promised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path / "s.csv", table_of())

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(WritingError, match=r"No space left on device\. The last answer is not saved"):
        write(journal, 1, "cat")
    with pytest.raises(WritingError, match="cannot be written"):
        Journal(tmp_path / "none" / "s.csv", table_of())
