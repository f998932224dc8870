"""The command line as people and scripts meet it: subprocesses, sentences, exit codes."""

import errno
import html
import json
import os
import re
import resource
import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from lsvv.cli.app import app
from lsvv.cli.console import BAD_INPUT, BUG, CANNOT_WRITE, STOPPED
from lsvv.cli.stopping import Stopped
from lsvv.tables.asking import Question

USAGE = 2
HUNG_UP, TERMINATED = 129, 143
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "120", "TERM": "dumb"}
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


def beasts(n_rows: int = 30) -> str:
    """Two kinds told apart by size; every third is known."""
    lines = ["size,habitat,kind"]
    for row in range(n_rows):
        size, kind = (20 + row % 7, "cat") if row % 2 == 0 else (60 + row % 5, "dog")
        lines.append(f"{size}.5,{'house' if row % 4 < 2 else 'field'},{kind if row % 3 == 0 else ''}")
    return "\n".join(lines) + "\n"


def here(*arguments: str) -> Result:
    """Runs a command within this process: quicker, where the process itself is not what is tested."""
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs ``python -m lsvv`` in an empty folder that holds t.csv."""
    (tmp_path / "t.csv").write_text(beasts())

    def call(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[bytes]":
        command = [sys.executable, "-m", "lsvv", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, env=ENVIRONMENT, timeout=60, **options)

    return call


def test_fill_writes_beside_the_table_and_says_what_it_did(run: Run, tmp_path: Path) -> None:
    done = run("fill", "t.csv", "--target", "kind", "--features", "linear")
    assert done.returncode == 0, done.stderr
    said = done.stderr.decode()
    assert "kind: classes, because its cells are 2 different names." in said
    assert "Filled 20 cells; 10 were known." in said
    assert "kind: The answer comes from smooth functions alone." in said
    assert "The filled table is in t.filled.csv" in said
    assert done.stdout == b""
    before = beasts().splitlines()
    after = (tmp_path / "t.filled.csv").read_text().splitlines()
    assert after[0] == before[0] + ",kind_probability,kind_filled"
    assert after[2].startswith(before[2] + "dog,0.")
    assert after[1] == before[1] + ",,false"
    assert (tmp_path / "t.csv").read_text() == beasts()


def test_a_table_flows_from_standard_input_to_standard_output(run: Run) -> None:
    done = run("fill", "-", "-t", "kind", "--features", "linear", "--quiet", input=beasts().encode())
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    assert len(done.stdout.splitlines()) == 31


def test_json_is_all_that_stands_on_standard_output(run: Run) -> None:
    done = run("fill", "t.csv", "-t", "kind", "--features", "linear", "--json", "-o", "out.csv")
    said = json.loads(done.stdout)
    assert (said["out"], said["targets"][0]["filled"], said["targets"][0]["task"]) == ("out.csv", 20, "classes")
    assert done.stderr == b""


def test_a_model_is_fitted_into_a_file_and_predicts_in_another_process(run: Run, tmp_path: Path) -> None:
    assert run("fit", "t.csv", "-t", "kind", "-o", "m.lsvv", "--features", "linear").returncode == 0
    (tmp_path / "new.csv").write_text("habitat,size\nhouse,21\nfield,63\n")
    done = run("predict", "m.lsvv", "new.csv")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "new.predicted.csv").read_text().splitlines()
    assert lines[0] == "habitat,size,kind_predicted,kind_probability"
    assert [line.split(",")[2] for line in lines[1:]] == ["cat", "dog"]
    assert here("export", str(tmp_path / "m.lsvv"), "-o", str(tmp_path / "m.onnx")).exit_code == 0
    assert (tmp_path / "m.onnx").stat().st_size > 0


def test_fit_and_predict_tell_what_they_took_for_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(beasts().replace("\n20.5,", "\nsmall,", 1))
    (tmp_path / "new.csv").write_text("habitat,size\nhouse,21\nfield,large\n")
    fitted = here("fit", "t.csv", "-t", "kind", "-o", "m.lsvv", "--features", "linear")
    assert "Note: Column 'size' is numbers: 1 cell is no number and counts as empty, 'small' in row 1" in fitted.stderr
    done = here("predict", "m.lsvv", "new.csv")
    assert "Note: Column 'size' is numbers: 1 cell is no number and counts as empty, 'large' in row 2" in done.stderr


def test_predict_reads_numbers_as_the_new_file_writes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(beasts())
    (tmp_path / "new.csv").write_text("habitat;size;x\nhouse;20,5;0,5\nfield;groß;1,5\n", encoding="utf-8")
    assert here("fit", "t.csv", "-t", "kind", "-o", "m.lsvv", "--features", "linear").exit_code == 0
    done = here("predict", "m.lsvv", "new.csv")
    assert "1 cell is no number and counts as empty, 'groß' in row 2" in done.stderr
    assert (tmp_path / "new.predicted.csv").read_text(encoding="utf-8").splitlines()[1].startswith("house;20,5;0,5;cat")


def test_a_sheet_is_asked_for_and_handed_back(tmp_path: Path) -> None:
    table, sheet, out = (str(tmp_path / name) for name in ("t.csv", "t.ask.csv", "out.csv"))
    Path(table).write_text(beasts())
    asked = here("ask", table, "-t", "kind", "--budget", "3", "--features", "linear")
    assert (asked.exit_code, "Worth asking for: 3 cells, at a cost of 3." in asked.stderr) == (0, True)
    assert "Note: kind: " in asked.stderr
    Path(sheet).write_text(Path(sheet).read_text().replace(",kind,,", ",kind,wolf,"))
    done = here("fill", table, "-t", "kind", "--labels", sheet, "-o", out, "--features", "linear")
    assert (done.exit_code, "3 labels were taken from" in done.stderr) == (0, True)
    assert Path(out).read_text().count("wolf") >= 3


def test_tasks_for_label_studio_are_written_and_its_export_is_handed_back(tmp_path: Path) -> None:
    table, place, out = (str(tmp_path / name) for name in ("t.csv", "t.ask.json", "out.csv"))
    Path(table).write_text(beasts())
    asked = here("ask", table, "-t", "kind", "--budget", "2", "--features", "linear", "--format", "label-studio")
    assert (asked.exit_code, "the labelling setup for Label Studio" in asked.stderr) == (0, True), asked.stderr
    assert '<Choice value="cat"/>' in (tmp_path / "t.ask.setup.xml").read_text()
    tasks = json.loads(Path(place).read_text())
    for task in tasks:
        (result,) = task["predictions"][0]["result"]
        result["value"]["choices"] = ["dog"]
        task["annotations"] = [{"result": [result], "was_cancelled": False}]
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    labels = ("--labels", str(tmp_path / "export.json"))
    assert here("fill", table, "-t", "kind", "--out", out, "--features", "linear", *labels).exit_code == 0
    lines = Path(out).read_text().splitlines()
    assert all(",dog,,false" in lines[task["data"]["row"]] for task in tasks)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("t.csv", "-t", "none"), BAD_INPUT, "has no column 'none'"),
        (("t.csv", "-t", "kind,size"), BAD_INPUT, "One column is labelled at a time"),
        (("-", "-t", "kind"), BAD_INPUT, "A session needs a table in a file"),
        (("t.csv", "-t", "kind", "--out", "t.csv"), CANNOT_WRITE, "is an input, which is never overwritten"),
        (("t.csv", "-t", "kind", "--out", "none/s.csv"), CANNOT_WRITE, "There is no folder none"),
        (("t.csv", "-t", "kind", "--task", "poetry"), BAD_INPUT, "There is no task 'poetry'"),
        (("empty.csv", "-t", "kind"), BAD_INPUT, "too few to tell what it holds"),
    ],
)
def test_what_cannot_be_labelled_is_refused_before_a_page_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(beasts())
    (tmp_path / "empty.csv").write_text("size,kind\n1,\n2,\n")
    done = here("label", *arguments, "--no-browser")
    assert (done.exit_code, sentence in done.stderr) == (code, True), done.stderr


def test_a_stopped_session_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(beasts())
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    done = here("label", "t.csv", "-t", "kind", "--task", "classes")
    assert done.exit_code == 0, done.stderr
    assert f"Label at {opened[0]}" in done.stderr
    command = done.stderr.splitlines()[-1].strip()
    assert command == "lsvv fill t.csv --target kind --labels t.label.csv --task classes"
    assert here(*shlex.split(command)[1:], "--features", "linear").exit_code == 0


def test_a_session_that_is_told_to_end_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise Stopped

    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(beasts())
    monkeypatch.setattr("uvicorn.Server.run", stopped)
    monkeypatch.setattr("lsvv.cli.stopping._arrived", [15])
    done = here("label", "t.csv", "-t", "kind", "--task", "classes", "--no-browser")
    assert done.exit_code == 143
    assert "No file was written" not in done.stderr
    assert done.stderr.splitlines()[-1].strip().startswith("lsvv fill t.csv --target kind")


def test_the_seed_reaches_the_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = []

    def ask(*arguments: object, random_state: int = 0) -> list[Question]:
        seeds.append(random_state)
        return []

    monkeypatch.setattr("lsvv.tables.asking.best_questions", ask)
    (tmp_path / "t.csv").write_text(beasts())
    assert here("ask", str(tmp_path / "t.csv"), "-t", "kind", "--features", "linear", "--seed", "5").exit_code == 0
    assert seeds == [5]


def test_one_of_a_thing_is_told_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(beasts(3 * 4).replace(",\n", ",cat\n").replace("field,cat", "field,", 1))
    asked = here("ask", "t.csv", "-t", "kind", "--features", "linear")
    assert "Worth asking for: 1 cell, at a cost of 1." in asked.stderr
    (tmp_path / "s.csv").write_text("row,target,label\n1,kind,dog\n")
    done = here("fill", "t.csv", "-t", "kind", "--features", "linear", "--labels", "s.csv")
    assert "Filled 1 cell; 11 were known." in done.stderr
    assert "Note: 0 labels were taken from s.csv." in done.stderr
    assert "Note: 1 label of s.csv was left out" in done.stderr


def test_a_second_round_of_questions_builds_on_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(beasts())
    ask = ("ask", "t.csv", "-t", "kind", "--budget", "3", "--features", "linear")
    assert here(*ask).exit_code == 0
    assert here(*ask).exit_code == 0
    first, second = tmp_path / "t.ask.csv", tmp_path / "second.csv"
    first.write_text(first.read_text().replace(",kind,,", ",kind,wolf,"))
    answered = first.read_text()
    done = here(*ask)
    assert (done.exit_code, "t.ask.csv was filled in, which a new sheet would lose" in done.stderr) == (
        CANNOT_WRITE,
        True,
    )
    assert here(*ask, "--labels", "t.ask.csv").exit_code == CANNOT_WRITE
    done = here(*ask, "--labels", "t.ask.csv", "--out", "second.csv")
    assert (done.exit_code, "--labels t.ask.csv --labels second.csv" in done.stderr) == (0, True), done.stderr
    assert first.read_text() == answered
    rows = [{line.split(",")[0] for line in sheet.read_text().splitlines()[1:]} for sheet in (first, second)]
    assert rows[0].isdisjoint(rows[1])
    second.write_text(second.read_text().replace(",kind,,", ",kind,fox,"))
    sheets = ("--labels", "t.ask.csv", "--labels", "second.csv")
    assert here("fill", "t.csv", "-t", "kind", "--features", "linear", "-o", "out.csv", *sheets).exit_code == 0
    written = (tmp_path / "out.csv").read_text()
    assert (written.count("wolf,,false"), written.count("fox,,false")) == (3, 3)


@pytest.mark.parametrize(
    ("text", "arguments", "code", "sentence"),
    [
        (b"", ("-t", "y"), BAD_INPUT, "is empty"),
        (b"x,y\n1,\n2,\n", ("-t", "y"), BAD_INPUT, "has no known cell"),
        (b"x,y\n1,a\n", ("-t", "y", "-o", "in.csv"), CANNOT_WRITE, "is an input, which is never overwritten"),
    ],
)
def test_hostile_tables_end_a_process_with_a_sentence_and_a_code(
    run: Run, tmp_path: Path, text: bytes, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    (tmp_path / "in.csv").write_bytes(text)
    done = run("fill", "in.csv", *arguments)
    said = done.stderr.decode()
    assert (done.returncode, sentence in said, "Traceback" in said) == (code, True, False), said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "t.csv"]


@pytest.mark.parametrize(
    ("text", "arguments", "code", "sentence"),
    [
        (b"x,y\n", ("-t", "y"), BAD_INPUT, "has no rows"),
        (b"x,y\n1,a\n", ("-t", "y"), BAD_INPUT, "has one known cell"),
        (b"y\na\nb\n", ("-t", "y"), BAD_INPUT, "no column beside the target"),
        (b"x,y,y\n1,a,b\n", ("-t", "y"), BAD_INPUT, "several columns named 'y'"),
        (b'x,y\n1,"open\n', ("-t", "y"), BAD_INPUT, "never closes"),
        (b"x,y\n1,a\n", ("-t", "y", "--task", "poetry"), BAD_INPUT, "There is no task 'poetry'"),
        (b"x,y\n1,a\n", ("-t", "y", "-o", "no/out.csv"), CANNOT_WRITE, "There is no folder no"),
        (b"x,y\n1,a\n", ("-t", "y", "-o", "out.xlsx"), CANNOT_WRITE, "should end in .csv"),
        (b"x,y\n1,a\n", ("-t", "y", "--report", "no/r.html"), CANNOT_WRITE, "choose another place with --report"),
        (b"x,y\n1,a\n", (), USAGE, "--target"),
        (b"x,y\n1,a\n", ("-t", "y", "--seed", "-1"), USAGE, "Invalid value for '--seed'"),
        (
            b"x,y\n1,a\n",
            ("-t", "y", "--json", "-o", "-"),
            CANNOT_WRITE,
            "--json and --out both write to standard output",
        ),
    ],
)
def test_hostile_tables_end_with_a_sentence_and_a_code(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: bytes,
    arguments: tuple[str, ...],
    code: int,
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_bytes(text)
    done = here("fill", "in.csv", *arguments)
    said = done.stderr
    assert (done.exit_code, sentence in said, "Traceback" in said) == (code, True, False), said
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("--budget", "0"), BAD_INPUT, "A budget of 0 pays for nothing."),
        (("--out", "s.xlsx"), CANNOT_WRITE, "s.xlsx should end in .csv: a sheet is written as CSV."),
        (("--features", "poly"), BAD_INPUT, "There are no features 'poly'."),
        (("--cost", "kind"), BAD_INPUT, "is not COL=COST"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lsvv.tables.filling.FrameVectorizer", None)
    (tmp_path / "t.csv").write_text(beasts())
    done = here("ask", "t.csv", "-t", "kind", *arguments)
    assert (done.exit_code, sentence in done.stderr) == (code, True), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("fill", "t.csv", "-t", "kind", "--report", "t.csv", "--out", "o.csv"),
        ("fill", "t.csv", "-t", "kind", "--out", "o.csv", "--report", "o.csv"),
        ("fill", "t.csv", "-t", "kind", "--out", "-", "--report", "-"),
        ("fill", "t.csv", "-t", "kind", "--json", "--report", "-"),
        ("fill", "t.csv", "-t", "kind", "--labels", "s.csv", "--out", "s.csv"),
        ("fill", "t.csv", "-t", "kind", "--labels", "s.csv", "--report", "s.csv"),
        ("fit", "t.csv", "-t", "kind", "--out", "t.csv"),
        ("ask", "t.csv", "-t", "kind", "--out", "t.csv"),
        ("predict", "m.lsvv", "t.csv", "--out", "t.csv"),
        ("predict", "m.lsvv", "t.csv", "--out", "m.lsvv"),
        ("export", "m.lsvv", "--out", "m.lsvv"),
        ("bounds", "t.svg", "-t", "kind", "--format", "csv", "--plot", "t.svg"),
    ],
    ids=" ".join,
)
def test_no_output_is_an_input_or_another_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    before = dict.fromkeys(("m.lsvv", "s.csv", "t.csv", "t.svg"), beasts())
    for name, text in before.items():
        (tmp_path / name).write_text(text)
    done = here(*arguments)
    refused = "which is never overwritten" in done.stderr or "both write to" in done.stderr
    assert (done.exit_code, refused, done.stdout) == (CANNOT_WRITE, True, ""), done.stderr
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before


def with_column(name: bytes, cell: Callable[[int], bytes]) -> bytes:
    """The table of beasts with a column put before the others."""
    head, *rows = beasts().encode().splitlines()
    return b"\n".join([name + b"," + head, *(cell(number) + b"," + row for number, row in enumerate(rows)), b""])


ODD_TABLES = {
    "a byte order mark and carriage returns": (b"\xef\xbb\xbf" + beasts().encode().replace(b"\n", b"\r\n"), ""),
    "quotes and newlines": (with_column(b"note", lambda row: b'"say ""hi"",\nthere %d"' % (row % 3)), ""),
    "formulas": (with_column(b"sum", lambda row: b"=cmd|x%d" % (row % 2)), ""),
    "lists": (with_column(b"tags", lambda row: b'"[1, %d]"' % (row % 3)), ""),
    "mixed encodings": (
        with_column(b"place", lambda row: b"caf\xe9" if row % 2 else "caf\u00e9".encode()),
        "all bytes stay as they are",
    ),
    "one name twice": (with_column(b"size", lambda row: b"%d" % row), "2 columns are named 'size'"),
    "no hole": (b"size,kind\n" + b"1,cat\n9,dog\n" * 5, "nothing was filled, only checked"),
}


@pytest.mark.parametrize("name", ODD_TABLES)
def test_odd_tables_are_filled_by_a_process_and_keep_their_bytes(run: Run, tmp_path: Path, name: str) -> None:
    data, note = ODD_TABLES[name]
    (tmp_path / "in.csv").write_bytes(data)
    done = run("fill", "in.csv", "-t", "kind", "--features", "linear")
    said = done.stderr.decode()
    assert (done.returncode, note in said, "Traceback" in said) == (0, True, False), said
    filled = (tmp_path / "in.filled.csv").read_bytes()
    before, after = (records(table) for table in (data, filled))
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        assert new.startswith(old)
    assert (tmp_path / "in.csv").read_bytes() == data


def records(table: bytes) -> list[bytes]:
    """The rows of a CSV file as bytes; a newline between quotes ends none."""
    rows, start, quoted = [], 0, False
    for place, byte in enumerate(table):
        quoted ^= byte == ord('"')
        if byte == ord("\n") and not quoted:
            rows.append(table[start:place].removesuffix(b"\r"))
            start = place + 1
    return rows


def test_a_missing_file_is_a_sentence_and_with_debug_a_traceback(run: Run) -> None:
    done = here("fill", "no.csv", "-t", "kind")
    assert (done.exit_code, done.stderr) == (BAD_INPUT, "Error: There is no file no.csv. Check the path.\n")
    assert b"Traceback" in run("fill", "no.csv", "-t", "kind", "--debug").stderr


@pytest.mark.parametrize("table", [".", "/", ""])
@pytest.mark.parametrize("command", [("fill", "-t", "y"), ("ask", "-t", "y"), ("predict", "m.lsvv")], ids=" ".join)
def test_a_path_without_a_name_is_a_sentence(command: tuple[str, ...], table: str) -> None:
    done = here(*command, table)
    assert (done.exit_code, done.stderr) == (BAD_INPUT, f"Error: {table!r} names no file. Name a table.\n")


@pytest.mark.parametrize(
    ("name", "options", "beside"),
    [
        ("x.dat", ("--format", "csv"), "x.filled.dat"),
        ("x", ("--format", "csv"), "x.filled"),
        ("x.tab", (), "x.filled.tab"),
    ],
)
def test_the_default_place_suits_every_table_that_can_be_read(
    tmp_path: Path, name: str, options: tuple[str, ...], beside: str
) -> None:
    mark = "\t" if name.endswith(".tab") else ","
    (tmp_path / name).write_text(beasts().replace(",", mark))
    done = here("fill", str(tmp_path / name), "-t", "kind", "--features", "linear", *options)
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / beside).read_text().startswith(f"size{mark}habitat{mark}kind{mark}kind_probability")


@pytest.mark.parametrize("missing", ["n.a.,-", ",?,-"])
def test_the_command_in_the_report_repeats_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my beasts").write_text(beasts().replace("field,dog", "field,?"))
    for name, row in (("a.csv", 2), ("b.csv", 3)):
        (tmp_path / name).write_text(f"row,target,label\n{row},kind,wolf\n")
    given = ("--format", "csv", "--missing", missing, "--labels", "a.csv", "--labels", "b.csv", "--seed", "3")
    places = ("--out", "out.csv", "--report", "r.html")
    assert here("fill", "my beasts", "-t", "kind", "--features", "linear", *given, *places).exit_code == 0
    (command,) = set(re.findall(r"lsvv fill [^<\n]*", html.unescape((tmp_path / "r.html").read_text())))
    words = shlex.split(command)
    assert set(given) <= set(words)
    assert here(*words[1:], "--out", "again.csv").exit_code == 0
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


@pytest.mark.parametrize(("missing", "empty"), [(None, "NA"), ("-", "NA -"), ("-, x", "NA - x"), ("", ""), (",-", "-")])
def test_texts_that_mean_an_empty_cell_are_added_to_the_usual_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str | None, empty: str
) -> None:
    monkeypatch.chdir(tmp_path)
    cells = ["NA", "-", "x"]
    (tmp_path / "t.csv").write_text("size,kind\n" + "".join(f"{7 * n % 30},{cells[n % 3]}\n" for n in range(60)))
    given = () if missing is None else ("--missing", missing)
    done = here("fill", "t.csv", "-t", "kind", "--features", "linear", "--task", "classes", "--json", *given)
    filled = 20 * len(empty.split())
    if filled == 60:
        assert "has no known cell" in done.stderr
    elif filled == 40:
        assert "at least two classes" in done.stderr
    else:
        assert json.loads(done.stdout)["targets"][0]["filled"] == filled


SABOTAGE = """
import errno, os, signal, sys
import lsvv.tables.filling
# the suite itself may run under nohup
signal.signal(signal.SIGHUP, signal.SIG_DFL)
def {name}(*arguments, **options):
    {act}
{where}.{name} = {name}
sys.argv = ["lsvv", "fill", "t.csv", "-t", "kind", "--features", "linear"]
from lsvv.cli import main
main()
"""


@pytest.mark.parametrize(
    ("where", "name", "act", "code", "sentence"),
    [
        (
            "os",
            "fsync",
            "raise OSError(errno.ENOSPC, 'No space left')",
            CANNOT_WRITE,
            "could not be written: No space left",
        ),
        ("os", "replace", "signal.raise_signal(signal.SIGINT)", STOPPED, "Stopped. No file was written."),
        ("os", "fsync", "signal.raise_signal(signal.SIGTERM)", TERMINATED, "Stopped. No file was written."),
        ("os", "replace", "signal.raise_signal(signal.SIGHUP)", HUNG_UP, "Stopped. No file was written."),
        ("lsvv.tables.filling", "choose_model", "signal.raise_signal(signal.SIGINT)", STOPPED, "Stopped."),
        ("lsvv.tables.filling", "choose_model", "raise MemoryError", BAD_INPUT, "There is not enough memory for this"),
        ("lsvv.tables.filling", "choose_model", "raise RuntimeError('oops')", BUG, "itself failed: RuntimeError: oops"),
    ],
)
def test_what_breaks_on_the_way_leaves_no_file(
    tmp_path: Path, where: str, name: str, act: str, code: int, sentence: str
) -> None:
    (tmp_path / "t.csv").write_text(beasts())
    script = SABOTAGE.format(where=where, name=name, act=act)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, timeout=60
    )
    said = done.stderr.decode()
    assert (done.returncode, sentence in said, "Traceback" in said) == (code, True, False), said
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_disk_that_takes_no_more_leaves_what_was_there(run: Run, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("before")
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (100, 100))
    done = run("fill", "t.csv", "-t", "kind", "--features", "linear", "-o", "out.csv", preexec_fn=limit)
    said = "Error: out.csv could not be written: File too large. Nothing was left behind"
    assert (done.returncode, said in done.stderr.decode()) == (CANNOT_WRITE, True), done.stderr
    assert (tmp_path / "out.csv").read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "t.csv"]


@pytest.mark.parametrize(
    ("descriptor", "words", "code", "sentence"),
    [
        (0, ("fill", "-", "-t", "kind"), BAD_INPUT, "Error: Standard input is closed. Send a table into it"),
        (1, ("fill", "t.csv", "-t", "kind", "--features", "linear", "-o", "-"), CANNOT_WRITE, "output is closed. Send"),
    ],
)
def test_a_stream_that_the_shell_has_closed_is_told(
    run: Run, descriptor: int, words: tuple[str, ...], code: int, sentence: str
) -> None:
    done = run(*words, preexec_fn=partial(os.close, descriptor))
    assert (done.returncode, sentence in done.stderr.decode()) == (code, True), done.stderr


EARLY = """
import signal, sys
from lsvv.cli import main
class Finder:
    def find_spec(self, name, *_):
        if name == "{module}":
            try:
                signal.raise_signal(signal.{signal})
            except BaseException as stop:
                {act}
sys.meta_path.insert(0, Finder())
sys.argv = ["lsvv", "fill", "t.csv", "-t", "kind", "--features", "linear"]
main()
"""


@pytest.mark.parametrize("module", ["typer", "lsvv.tables", "skrub"])
@pytest.mark.parametrize(
    ("signal", "act", "code"),
    [
        ("SIGINT", "raise", STOPPED),
        ("SIGTERM", "raise", TERMINATED),
        # as modules of compiled code say it
        ("SIGINT", "raise ImportError('initialization failed') from stop", STOPPED),
    ],
)
def test_a_signal_while_modules_are_loaded_says_the_same(
    tmp_path: Path, module: str, signal: str, act: str, code: int
) -> None:
    (tmp_path / "t.csv").write_text(beasts())
    script = EARLY.format(module=module, signal=signal, act=act)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr.decode()) == (code, "Stopped. No file was written.\n")


@pytest.mark.parametrize("command", ["fill", "predict"])
def test_new_texts_like_formulas_are_told_and_made_safe_where_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(beasts().replace("cat", "=1+1"))
    assert here("fit", "t.csv", "-t", "kind", "--features", "linear", "-o", "m.lsvv").exit_code == 0
    words = (
        ("fill", "t.csv", "-t", "kind", "--features", "linear") if command == "fill" else ("predict", "m.lsvv", "t.csv")
    )
    done = here(*words, "-o", "plain.csv")
    assert "begin like a formula, such as '=1+1', which a spreadsheet program may run. --safe-csv" in done.stderr
    assert ",'=1+1" not in (tmp_path / "plain.csv").read_text()
    report = ("--report", "r.html") if command == "fill" else ()
    done = here(*words, "-o", "safe.csv", "--safe-csv", *report)
    assert "such as '=1+1': an apostrophe stands before." in done.stderr
    lines = (tmp_path / "safe.csv").read_text().splitlines()
    assert sum(",'=1+1" in line for line in lines) >= 10
    # what is known stays as it was
    assert sum(",=1+1," in line for line in lines) == 5
    assert command == "predict" or "--safe-csv" in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (KeyboardInterrupt(), STOPPED, "Stopped. Written before that, and whole: out.csv.\n"),
        (ValueError("No page."), BAD_INPUT, "Error: No page. Written before that, and whole: out.csv.\n"),
    ],
)
def test_a_command_that_ends_early_tells_what_it_has_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, sentence: str
) -> None:
    def fail(filled: object) -> str:
        raise error

    monkeypatch.setattr("lsvv.report.fill_report", fail)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(beasts())
    done = here("fill", "t.csv", "-t", "kind", "--features", "linear", "-o", "out.csv", "--report", "r.html")
    assert (done.exit_code, done.stderr) == (code, sentence)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "t.csv"]


@pytest.mark.parametrize("command", ["fill", "fit", "predict", "export", "ask", "label"])
def test_every_help_has_an_example(command: str) -> None:
    shown = here(*command.split(), "--help")
    assert shown.exit_code == 0
    assert f"lsvv {command} " in " ".join(shown.output.split()).replace("Usage: ", "", 1) + " "
    assert "Try:" in shown.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("fill", "t.csv", "-t", "kind", "--features", "linear", "--out", "-"),
        ("ask", "t.csv", "-t", "kind", "--features", "linear", "--out", "-"),
        ("bounds", "t.csv", "-t", "kind", "--features", "linear"),
    ],
    ids=" ".join,
)
def test_a_reader_that_stops_reading_is_no_error(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "t.csv").write_text(beasts())
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "lsvv", *arguments]
    done = subprocess.run(
        command, cwd=tmp_path, env=ENVIRONMENT, stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False
    )
    os.close(writing)
    said = done.stderr.decode().lower()
    assert (done.returncode, "pipe" in said, "error" in said) == (1, False, False), said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (
            ("fill", "t.csv", "-t", "kind", "--features", "linear", "--json"),
            " Written before that, and whole: t.filled",
        ),
        (("fill", "t.csv", "-t", "kind", "--features", "linear", "--out", "-"), ""),
        (("--version",), ""),
    ],
)
def test_standard_output_on_a_full_disk_is_a_sentence(tmp_path: Path, arguments: tuple[str, ...], kept: str) -> None:
    (tmp_path / "t.csv").write_text(beasts())
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "lsvv", *arguments],
            cwd=tmp_path,
            env=ENVIRONMENT,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    said = f"Error: Standard output cannot be written: {os.strerror(errno.ENOSPC)}. Send it elsewhere.{kept}"
    assert (done.returncode, done.stderr.decode()[: len(said)]) == (CANNOT_WRITE, said)
    assert b"Traceback" not in done.stderr


def test_help_loads_nothing_that_learns() -> None:
    script = (
        "import sys, lsvv; before = set(sys.modules); import lsvv.cli.app; "
        "print(*[name for name in ('numpy', 'sklearn', 'pandas', 'skrub', 'torch', 'rich.progress', 'lsvv.tables') "
        "if name in set(sys.modules) - before])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("arguments", [("reproduce", "all", "--quick"), ("data", "fetch", "iris"), ("data", "--help")])
def test_commands_that_moved_say_where(arguments: tuple[str, ...]) -> None:
    done = here(*arguments)
    assert done.exit_code == USAGE
    assert done.stderr.startswith(f"Error: lsvv {arguments[0]} has moved: ")
    assert "run: python -m reproduction --help" in done.stderr
    assert arguments[0] not in here("--help").output.split()
