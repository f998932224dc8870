"""A file is whole or not there."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from lsvv.tables import WritingError, check_ending, check_places, parse, write_atomically


def test_a_file_is_written_with_the_usual_rights(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    write_atomically(b"data", place)
    (tmp_path / "other").write_bytes(b"")
    assert place.read_bytes() == b"data"
    assert place.stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_that_is_replaced_keeps_its_rights(tmp_path: Path, mode: int) -> None:
    place = tmp_path / "t.csv"
    place.write_bytes(b"before")
    place.chmod(mode)
    write_atomically(b"data", place)
    assert (place.read_bytes(), place.stat().st_mode & 0o777) == (b"data", mode)


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, link, new = tmp_path / "far" / "t.csv", tmp_path / "link.csv", tmp_path / "new.csv"
    target.write_bytes(b"before")
    target.chmod(0o600)
    link.symlink_to(Path("far") / "t.csv")
    new.symlink_to(tmp_path / "far" / "n.csv")
    for place in (link, new):
        check_places({"--out": str(place)}, [])
        write_atomically(b"data", place)
    assert (link.is_symlink(), target.read_bytes(), target.stat().st_mode & 0o777) == (True, b"data", 0o600)
    assert (new.is_symlink(), (tmp_path / "far" / "n.csv").read_bytes()) == (True, b"data")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["far", "link.csv", "n.csv", "new.csv", "t.csv"]


def test_a_name_as_long_as_may_be_is_written(tmp_path: Path) -> None:
    place = tmp_path / (251 * "n" + ".csv")
    write_atomically(b"data", place)
    assert place.read_bytes() == b"data"


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


def test_places_where_nothing_must_go_are_refused_before_any_work(tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    source.write_bytes(b"a,b\n")
    (tmp_path / "link.csv").symlink_to(source)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "lost.csv").symlink_to(Path("nowhere") / "t.csv")
    for place, sentence in (
        (source, "t.csv is an input, which is never overwritten. Choose another place with --report."),
        (tmp_path / "link.csv", "link.csv is an input, which is never overwritten"),
        (tmp_path / "." / ".." / tmp_path.name / "sheet.csv", "sheet.csv is an input"),
        (tmp_path, "is a folder. Name a file in it with --report."),
        (tmp_path / "pipe", "pipe is a device or a pipe"),
        (tmp_path / "no" / "t.csv", "There is no folder"),
        (tmp_path / (300 * "n"), "n cannot be written: File name too long. Choose another place with --report"),
        (tmp_path / "circle", "circle is a link that leads in a circle. Choose another place with --report"),
        (tmp_path / "lost.csv", "There is no folder .*nowhere. Make it"),
    ):
        with pytest.raises(WritingError, match=sentence):
            check_places({"--out": None, "--report": str(place)}, [str(source), None, str(tmp_path / "sheet.csv")])


def test_a_file_that_is_write_protected_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "t.csv"
    place.write_bytes(b"before")
    # root may write everything
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(WritingError, match=r"t.csv is write-protected. Choose another place with --out"):
        check_places({"--out": str(place)}, [])


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no folder that takes no file")
def test_a_folder_that_takes_no_file_is_refused_by_the_option_that_names_it() -> None:
    with pytest.raises(WritingError, match=r"Nothing can be written into /proc: .+ with --report"):
        check_places({"--out": "-", "--report": "/proc/r.html"}, ["t.csv"])


@pytest.mark.parametrize(("one", "other"), [("a.csv", "a.csv"), ("a.csv", "./a.csv"), ("a.csv", "link"), ("-", "-")])
def test_two_outputs_are_never_one_file(one: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("a.csv")
    with pytest.raises(WritingError, match=r"--out and --report both write to (a.csv|standard output)"):
        check_places({"--out": one, "--report": other}, ["t.csv"])


def test_standard_input_may_flow_to_standard_output() -> None:
    check_places({"--out": "-"}, ["-", None])


@pytest.mark.parametrize(
    ("source", "format", "good", "bad"),
    [
        ("t.csv", None, ("o.csv", "o.CSV", "o.txt"), ("o.tsv", "o.xlsx", "o.json", "o")),
        ("t.tab", None, ("o.tab", "o.tsv"), ("o.csv", "o.parquet")),
        ("t.dat", "csv", ("o.dat", "o.csv", "o.txt"), ("o.tsv", "o.data")),
        ("-", "jsonl", ("o.jsonl", "o.ndjson"), ("o.csv", "o.json")),
    ],
)
def test_a_table_goes_only_where_its_format_is_named(
    source: str, format: str | None, good: tuple[str, ...], bad: tuple[str, ...]
) -> None:
    table = parse(b'{"a": 1}\n', source, format=format or Path(source).suffix)
    for place in good:
        check_ending(place, table, source)
    for place in bad:
        with pytest.raises(WritingError, match=f"{place} should end in {table.format}: a table is written in"):
            check_ending(place, table, source)
