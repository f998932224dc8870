"""What lsvv wrote is written over; what was edited since is not, unless it is asked for."""

from pathlib import Path

import pytest

from lsvv.cli.console import CANNOT_WRITE
from lsvv.tables import WritingError
from lsvv.tables.written import check_same_targets, check_unedited, remember
from test_cli import beasts, here


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_an_edited_output_is_refused_and_one_as_it_was_is_not(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    check_unedited([str(out), "-", None])
    out.write_bytes(b"a")
    # whoever wrote it: nothing is known of it
    check_unedited([str(out)])
    remember(str(out))
    check_unedited([str(out)])
    out.write_bytes(b"b")
    with pytest.raises(WritingError, match=r"out\.csv was changed since lsvv wrote it, .* or give --force\."):
        check_unedited([str(out)])
    check_unedited([str(out)], force=True)
    out.unlink()
    check_unedited([str(out)])


def test_a_link_is_known_by_the_file_it_leads_to(tmp_path: Path) -> None:
    out, link = tmp_path / "out.csv", tmp_path / "link.csv"
    out.write_bytes(b"a")
    link.symlink_to(out)
    remember(str(link))
    out.write_bytes(b"b")
    with pytest.raises(WritingError):
        check_unedited([str(out)])


def test_the_ledger_is_bounded_and_may_be_broken(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsvv.tables.written.MOST_REMEMBERED", 3)
    out = tmp_path / "out.csv"
    out.write_bytes(b"a")
    remember(str(out))
    out.write_bytes(b"b")
    for place in range(3):
        remember(str(tmp_path / f"{place}.csv"))
    check_unedited([str(out)])
    (cache / "lsvv" / "written.json").write_bytes(b"nonsense")
    check_unedited([str(out)])
    remember(str(out))
    out.write_bytes(b"c")
    with pytest.raises(WritingError):
        check_unedited([str(out)])


def test_a_cache_that_cannot_be_written_refuses_nothing(tmp_path: Path, cache: Path) -> None:
    cache.write_bytes(b"a file in its place")
    out = tmp_path / "out.csv"
    out.write_bytes(b"a")
    remember(str(out))
    out.write_bytes(b"b")
    check_unedited([str(out)])


def test_fill_and_predict_keep_what_was_edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(beasts())
    quick = ("--features", "linear", "--quiet")
    assert here("fit", "t.csv", "-t", "kind", *quick).exit_code == 0
    for command, out in (
        (("fill", "t.csv", "-t", "kind", *quick), "t.filled.csv"),
        (("predict", "model.lsvv", "t.csv", "--quiet"), "t.predicted.csv"),
    ):
        assert here(*command).exit_code == 0
        assert here(*command).exit_code == 0
        whole = Path(out).read_bytes()
        Path(out).write_bytes(whole + b"mine\n")
        done = here(*command)
        assert done.exit_code == CANNOT_WRITE
        assert f"{out} was changed since lsvv wrote it" in done.stderr
        assert Path(out).read_bytes() == whole + b"mine\n"
        assert here(*command, "--force").exit_code == 0
        assert Path(out).read_bytes() == whole


def test_answers_for_other_columns_are_not_lost(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    check_same_targets(str(out), ["kind"])
    out.write_bytes(b"a")
    check_same_targets(str(out), ["kind"])
    remember(str(out), ["kind", "size"])
    check_same_targets(str(out), ["size", "kind", "home"])
    with pytest.raises(WritingError, match=r"holds the filled cells of 'kind', which .* each with --target, .*--force"):
        check_same_targets(str(out), ["size"])
    check_same_targets(str(out), ["size"], force=True)
    check_same_targets("-", ["size"])
    out.unlink()
    check_same_targets(str(out), ["size"])
