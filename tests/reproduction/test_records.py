import gzip
import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproduction.records import (
    LIVE,
    PACKED,
    Record,
    RecordsError,
    environment,
    latest,
    pack,
    read_records,
    recording,
    trial_key,
)


def some_records(count: int) -> list[Record]:
    return [Record({"data": "iris", "seed": seed}, {"ridge": 0.1}, {"error": seed / 7}, 0.5) for seed in range(count)]


def test_records_come_back_as_they_were_written(tmp_path: Path) -> None:
    written = [
        *some_records(3),
        Record({"data": "wine", "seed": 0}, reason="LinAlgError: singular", environment=environment()),
    ]
    for record in written:
        with recording(tmp_path / "run") as append:
            append(record)
    found = read_records(tmp_path / "run")
    assert found == written
    assert [record.failed for record in found] == [False, False, False, True]


def test_a_record_carries_versions_and_cores() -> None:
    found = environment()
    assert found["versions"]["numpy"] == np.__version__
    assert found["cores"] >= 1


def test_numpy_numbers_are_numbers_and_what_is_not_finite_is_refused(tmp_path: Path) -> None:
    with recording(tmp_path) as append:
        append(Record({"seed": 0}, parameters={"rank": np.int64(3)}, figures={"error": np.float64(0.25)}))
        with pytest.raises(ValueError, match="finite numbers only, use None for a missing one"):
            append(Record({"seed": 1}, figures={"error": math.nan}))
        with pytest.raises(TypeError, match="numbers, words, lists and mappings, not"):
            append(Record({"seed": 1}, parameters={"map": object()}))
    assert read_records(tmp_path) == [Record({"seed": 0}, {"rank": 3}, {"error": 0.25})]


@settings(deadline=None, derandomize=True, max_examples=30)
@given(st.integers(0, 400))
def test_wherever_a_write_was_cut_every_whole_line_is_kept(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    folder = tmp_path_factory.mktemp("run")
    records = some_records(4)
    with recording(folder) as append:
        for record in records:
            append(record)
    whole = (folder / LIVE).read_bytes()
    (folder / LIVE).write_bytes(whole[: len(whole) - cut])
    kept = whole[: len(whole) - cut].count(b"\n")
    assert read_records(folder) == records[:kept]
    with recording(folder) as append:
        for record in records[kept:]:
            append(record)
    assert (folder / LIVE).read_bytes() == whole


def test_damage_inside_a_file_is_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / LIVE
    path.write_text('{"trial": {"seed": 0}}\nnonsense\n{"trial": {"seed": 1}}\n')
    with pytest.raises(RecordsError, match=r"records.jsonl, line 2: not a record"):
        read_records(tmp_path)
    path.write_text('{"attempt": {"seed": 0}}\n')
    with pytest.raises(RecordsError, match=r"line 1: not a record \(.*attempt"):
        read_records(tmp_path)
    (tmp_path / PACKED).write_bytes(gzip.compress(b"{}\n")[:-4])
    with pytest.raises(RecordsError, match=r"records.jsonl.gz ends early or is damaged"):
        read_records(tmp_path)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("[]", "it has no fields"),
        ("null", "it has no fields"),
        ('{"seconds": 1}', "it has no 'trial'"),
        ('{"trial": 5}', "its 'trial' is 5"),
        ('{"trial": {"seed": 0}, "figures": null}', "its 'figures' is None"),
        (
            '{"trial": {"seed": 0}, "watts": 3}',
            "'watts' is unknown to this version of lsvv; a newer one may have written it",
        ),
    ],
)
def test_a_line_of_another_form_is_told_by_what_is_wrong_with_it(tmp_path: Path, line: str, fault: str) -> None:
    (tmp_path / LIVE).write_text(f'{{"trial": {{"seed": 0}}}}\n{line}\n')
    with pytest.raises(RecordsError) as caught:
        read_records(tmp_path)
    sentence = f"line 2: not a record ({fault}). Remove the line to run its trial again."
    assert str(caught.value) == f"{tmp_path / LIVE}, {sentence}"


def test_an_empty_file_of_packed_records_is_damage_and_no_beginning(tmp_path: Path) -> None:
    (tmp_path / PACKED).touch()
    with pytest.raises(RecordsError, match=r"damaged \(it is empty\)\. Take it from a copy, or remove it"):
        read_records(tmp_path)


def test_a_second_run_on_a_folder_is_refused(tmp_path: Path) -> None:
    with recording(tmp_path):
        with pytest.raises(RecordsError, match=rf"Another run \(process {os.getpid()}\) is writing to"):
            recording(tmp_path).__enter__()
        with pytest.raises(RecordsError, match="wait for it to end or choose another folder"):
            pack(tmp_path)
    with recording(tmp_path) as append:
        append(some_records(1)[0])


def test_packed_records_are_read_first_and_a_run_goes_on_after_them(tmp_path: Path) -> None:
    first, second = some_records(2)
    with recording(tmp_path) as append:
        append(Record(first.trial, reason="no luck"))
        append(first)
    content = pack(tmp_path).read_bytes()
    assert not (tmp_path / LIVE).exists()
    assert read_records(tmp_path / PACKED) == [first]
    with recording(tmp_path) as append:
        append(second)
    assert read_records(tmp_path) == [first, second]
    (tmp_path / LIVE).unlink()
    assert pack(tmp_path).read_bytes() == content


def test_the_last_record_of_a_trial_counts_whatever_the_order_of_its_entries() -> None:
    first = Record({"data": "iris", "seed": 0}, reason="failed")
    again = Record({"seed": 0, "data": "iris"}, seconds=2.0)
    assert latest([first, again]) == {trial_key(first.trial): again}


WRITER = """
import sys
from reproduction.records import Record, read_records, recording

folder = sys.argv[1]
start = len(read_records(folder))
with recording(folder) as append:
    for seed in range(start, 10**9):
        append(Record({"seed": seed}, figures={"error": seed / 3}, parameters={"padding": "x" * 5000}))
        print(seed, flush=True)
"""


def test_nothing_acknowledged_is_lost_when_the_writer_is_killed(tmp_path: Path) -> None:
    acknowledged = -1
    for kill_after in (3, 40, 11):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            for _ in range(kill_after):
                acknowledged = int(writer.stdout.readline())
            writer.send_signal(signal.SIGKILL)
            rest = writer.stdout.read().split()
        acknowledged = int(rest[-1]) if rest else acknowledged
        assert writer.returncode == -signal.SIGKILL
        seeds = [record.trial["seed"] for record in read_records(tmp_path)]
        assert seeds == list(range(len(seeds)))
        assert acknowledged < len(seeds) <= acknowledged + 2
    assert all(json.loads(line) for line in (tmp_path / LIVE).read_bytes().split(b"\n")[:-1])


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"trial": {}, "figures": {"error": "low"}}', "its 'error' is 'low', which is no finite number"),
        ('{"trial": {}, "figures": {"error": NaN}}', "its 'error' is nan, which is no finite number"),
        ('{"trial": {}, "seconds": 1' + "0" * 400 + "}", "which is no finite number"),
        ('{"trial": {}, "environment": {"code": {}}}', "its 'code' is {}, which is no text"),
        ('{"trial": ' + "[" * 100_000 + "]" * 100_000 + "}", "it is nested too deep"),
    ],
    ids=["text", "nan", "huge", "code", "deep"],
)
def test_a_line_that_cannot_be_reckoned_with_is_told(tmp_path: Path, line: str, fault: str) -> None:
    (tmp_path / LIVE).write_text(f'{{"trial": {{}}}}\n{line}\n')
    with pytest.raises(RecordsError, match=f"line 2: not a record .*{fault}"):
        read_records(tmp_path)
