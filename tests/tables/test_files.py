"""A file is whole or not there."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from lsvv.tables import WritingError, check_place, parse, write_atomically


def test_a_file_is_written_with_the_usual_rights(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    write_atomically(b"data", place)
    (tmp_path / "other").write_bytes(b"")
    assert place.read_bytes() == b"data"
    assert place.stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize("name", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), KeyboardInterrupt()])
def test_a_full_disk_or_ctrl_c_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: BaseException
) -> None:
    place = tmp_path / "t.csv"
    place.write_bytes(b"before")

    def fail(*args: Any) -> None:
        raise error

    monkeypatch.setattr(os, name, fail)
    with pytest.raises(WritingError if isinstance(error, OSError) else KeyboardInterrupt) as caught:
        write_atomically(b"data", place)
    monkeypatch.undo()
    assert not isinstance(error, OSError) or "No space left on device. Nothing was left behind" in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
    assert place.read_bytes() == b"before"


def test_places_where_a_table_must_not_go_are_refused_before_any_work(tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    source.write_bytes(b"a,b\n")
    table = parse(b"a,b\n", "t.csv", format="csv")
    (tmp_path / "link.csv").symlink_to(source)
    for place, sentence in (
        (source, "is the input, which is never overwritten"),
        (tmp_path / "link.csv", "is the input, which is never overwritten"),
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "t.csv", "There is no folder"),
        (tmp_path / "t.xlsx", "should end in .csv"),
    ):
        with pytest.raises(WritingError, match=sentence):
            check_place(place, table, source)
