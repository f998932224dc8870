"""Filling: the right cells, with the right answers, and everything known as it was."""

import csv
import io
import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lsvv.report import fill_report
from lsvv.report.column_summary import column_summary
from lsvv.selection import run
from lsvv.tables import Filled, Table, TableError, fill, parse, summary
from lsvv.tables.cells import COMMA, POINT, Formula, Notation
from lsvv.tables.modelfile import TableModel, opened, saved
from lsvv.tables.vectorizer import FrameVectorizer

Text = Callable[..., str]
Reader = Callable[[str | bytes], Table]
WEEK = timedelta(days=7)


def fit_vectorizer(frame: pd.DataFrame, leave_out: list[str], usual: Notation = POINT) -> FrameVectorizer:
    return FrameVectorizer(decimal=usual.decimal).fit(frame.drop(columns=leave_out))


@pytest.mark.parametrize("features", ["linear", "auto"])
def test_classes_and_numbers_are_filled_in_one_go(beasts: Text, csv_table: Reader, features: str) -> None:
    filled = fill(csv_table(beasts()), ["kind", "weight"], features=features)
    kinds, weights = filled.results
    assert (kinds.target.task, weights.target.task) == ("classes", "numbers")
    assert filled.frame["kind"].tolist() == ["cat", "dog"] * 22 + ["cat"]
    assert kinds.quality.value > 0.9
    truth = filled.frame["size"].astype(float) / 4
    assert np.abs(filled.frame["weight"].astype(float) - truth).max() < 1.0
    assert weights.interval is not None
    assert 0.8 <= weights.interval.measured <= 1.0
    assert filled.frame["kind_filled"].sum() == len(kinds.rows) == 30
    assert all(0.5 <= value <= 1 for value in filled.frame["kind_probability"].dropna())


def test_every_known_cell_stays_byte_for_byte(beasts: Text, csv_table: Reader) -> None:
    text = beasts(end="\r\n").replace("house", '"a ""house"",\nor so"').replace("field", "=cmd|x!A0")
    filled = fill(csv_table(text), ["kind", "weight"], features="linear").rendered().decode()
    before, after = (list(csv.reader(io.StringIO(one, newline=""))) for one in (text, filled))
    assert after[0][4:] == ["kind_probability", "kind_filled", "weight_lower", "weight_upper", "weight_filled"]
    for old, new in zip(before[1:], after[1:], strict=True):
        assert all(now == then for then, now in zip(old, new, strict=False) if then)
        assert all(new[:4])
        assert (new[5], new[8]) == (("true", "true") if not old[2] else ("false", "false"))
    for old_line in text.split("\r\n"):
        if old_line and not old_line.endswith(","):
            assert old_line in filled


def test_the_same_seed_gives_the_same_bytes(beasts: Text, csv_table: Reader) -> None:
    one, two = (fill(csv_table(beasts()), ["kind"], features="linear", random_state=3).rendered() for _ in range(2))
    assert one == two


def test_of_very_many_labels_those_left_out_are_the_ones_judged(
    beasts: Text, csv_table: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "MOST_ENTRIES", 11 * 4 * 2)
    kinds, _ = fill(csv_table(beasts(60)), ["kind", "weight"], features="linear").results
    monkeypatch.setattr(run, "MOST_ENTRIES", 11 * 4)
    _, weights = fill(csv_table(beasts(60)), ["kind", "weight"], features="linear").results
    assert kinds.held_out_rows.size == weights.held_out_rows.size == 11
    assert kinds.quality.value == 1.0
    assert weights.quality.value > 0.9


def test_numbers_of_which_none_was_left_out_are_filled_and_told(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(run, "MOST_ENTRIES", 5 * 4)
    lines = ["x,z,many,few,one,two"]
    for row, (x, z) in enumerate(rng.normal(size=(80, 2))):
        known = (f"{x - z:.2f}", row % 2) if row in (10, 41) else ("", "")
        lines.append(f"{x:.3f},{z:.3f},{x + z:.2f},{known[0]},{int(x > 0)},{known[1]}")
    table = parse("\n".join(lines).encode(), "t.csv", format="csv")
    filled = fill(table, ["many", "few", "one", "two"], features="linear")
    few, two = filled.results[1], filled.results[3]
    assert few.held_out_rows.size == two.held_out_rows.size == 0
    assert few.interval is None
    assert "not measured: none of its known cells was among those left out" in few.quality.sentence()
    assert "few: none of its known cells was left out" in " ".join(filled.notes)
    assert filled.frame["few_lower"].isna().all()
    assert summary(filled)["targets"][1]["interval"] is None
    assert "cannot be measured" in fill_report(filled)
    path = tmp_path / "m.lsvv"
    path.write_bytes(saved(TableModel.of(filled)))
    assert opened(path).predictions(table).columns["few_upper"] == [None] * 80


def test_labels_and_tags_are_learnt_together(rng: np.random.Generator) -> None:
    rows = []
    for number in range(60):
        x, y = rng.uniform(-1, 1, size=2)
        tags = [name for name, value in (("east", x > 0), ("north", y > 0)) if value] or ["south"]
        known = number % 2 == 0
        rows.append(
            {
                "x": x,
                "y": y,
                "is_east": int(x > 0) if known else None,
                "is_north": int(y > 0) if known else None,
                "tags": tags if known else None,
            }
        )
    table = parse("\n".join(json.dumps(row) for row in rows).encode(), "t.jsonl", format="jsonl")
    filled = fill(table, ["is_east", "is_north", "tags"], features="linear")
    assert [part.group.task for part in filled.fitted] == ["labels", "tags"]
    east, _, sets = filled.results
    truth = np.array([row["x"] > 0 for row in rows])
    assert np.mean(np.array(filled.frame["is_east"].tolist()) == truth) > 0.85
    assert all(isinstance(cell, list) and cell for cell in filled.frame["tags"])
    assert east.probabilities is not None
    assert east.probabilities.shape == (60, 2)
    assert sets.quality.value > sets.quality.baseline
    assert json.loads(filled.rendered().splitlines()[1])["is_east_filled"] is True


def test_columns_that_say_nothing_are_left_out_with_a_note(beasts: Text, csv_table: Reader) -> None:
    lines = beasts().splitlines()
    text = "\n".join(
        f"{line},{extra}"
        for line, extra in zip(
            lines, ["code,row id,same,empty", *(f"k{i},{7 * i},x," for i in range(len(lines) - 1))], strict=True
        )
    )
    filled = fill(csv_table(text), ["kind"], features="linear")
    assert set(filled.vectorizer.kinds) == {"size", "habitat"}
    notes = " ".join(filled.notes)
    for why in ("'code' is left out: every row has its own name", "it numbers the rows", "are the same", "it is empty"):
        assert why in notes


@pytest.mark.parametrize(
    ("form", "strange", "note"),
    [
        ("{:.1f}%", "12.5", "is read as percentages, '10.5%' as 10.5."),
        ("{:.1f} %", "n.d.", "is read as percentages, '10.5 %' as 10.5."),
        ("-${:,.2f}", "€12.00", "is read as amounts in $, '-$10.50' as -10.5."),
        ("{:.2f} EUR", "12.00 USD", "is read as amounts in EUR, '10.50 EUR' as 10.5."),
    ],
)
def test_percentages_and_money_are_numbers_as_inputs(form: str, strange: str, note: str) -> None:
    numbers = [10.5 + 97 * (row * row % 31) for row in range(30)]
    sign = "-" if form.startswith("-") else ""
    plain = pd.DataFrame({"m": [*(f"{sign}{number}" for number in numbers), "x"]})
    written = pd.DataFrame({"m": [*map(form.format, numbers), strange]})
    vectorizer = fit_vectorizer(written, [])
    assert vectorizer.kinds == {"m": "number"}
    assert f"Column 'm' {note}" in vectorizer.notes_
    (unit,) = {sign for sign in ("%", "$", "EUR") if sign in form}
    strangest = (
        f"numbers with {unit}: 1 cell is no number with {unit} and counts as empty, {strange!r} in row 31 for one."
    )
    assert f"Column 'm' is {strangest}" in vectorizer.notes_
    np.testing.assert_array_equal(vectorizer.transform(written), fit_vectorizer(plain, []).transform(plain))
    np.testing.assert_array_equal(vectorizer.transform(written[4:5]), vectorizer.transform(written)[4:5])
    assert "'7' in row 1 for one" in vectorizer.unread(pd.DataFrame({"m": ["7"]}))[0]


@pytest.mark.parametrize(
    ("column", "numbers", "left_out"),
    [
        ("row", range(30), True),
        ("row", range(1, 31), True),
        ("year", range(1950, 1980), False),
        ("left", range(30, 0, -1), False),
        ("number_of_visitors", range(7, 400, 13), False),
        ("no. of visitors", range(7, 400, 13), False),
        ("notes", range(7, 400, 13), False),
        ("Customer-ID", range(7, 400, 13), True),
        ("Nr.", range(7, 400, 13), True),
    ],
)
def test_only_what_numbers_the_rows_is_left_out(column: str, numbers: range, left_out: bool) -> None:
    size = np.arange(len(numbers)) % 7
    vectorizer = fit_vectorizer(pd.DataFrame({column: list(numbers), "size": size}), [])
    assert vectorizer.notes_ == ((f"Column {column!r} is left out: it numbers the rows.",) if left_out else ())
    assert (column in vectorizer.kinds) != left_out


def test_a_few_texts_among_numbers_count_as_empty_with_a_note(csv_table: Reader) -> None:
    def read(*strange: str) -> tuple[dict[str, str], str]:
        cells = [*(f"{row * row / 7:.3f}" for row in range(60 - len(strange))), *strange]
        lines = ["a,b,kind", *(f"{cell},{row % 7},{'xy'[row > 30]}" for row, cell in enumerate(cells))]
        vectorizer = fit_vectorizer(csv_table("\n".join(lines)).frame, ["kind"])
        return vectorizer.kinds, " ".join(vectorizer.notes_)

    assert read("n/a", "?") == ({"a": "number", "b": "number"}, "")
    kinds, notes = read("unknown")
    assert kinds == {"a": "number", "b": "number"}
    assert notes == "Column 'a' is numbers: 1 cell is no number and counts as empty, 'unknown' in row 60 for one."
    assert "6 cells are no numbers and count as empty, 'x0' in row 55" in read(*(f"x{i}" for i in range(6)))[1]
    assert "'a' is left out" in read(*(f"x{i}" for i in range(7)))[1]
    only_texts_differ = csv_table("a,kind\n" + "0,x\n" * 30 + "odd,y\n" * 3)
    assert fit_vectorizer(only_texts_differ.frame, ["kind"]).kinds == {"a": "text"}


@pytest.mark.parametrize(
    ("form", "note"),
    [
        ("%Y-%m-%d", None),
        ("%d/%m/%Y", None),
        ("%m/%d/%Y", None),
        ("%d.%m.%Y", None),
        ("%d/%m/%y %H:%M", None),
        ("01.%m.%Y", "the day first, as in '01.01.2020'"),
        ("%m/01/%Y", "the month first, as in '01/01/2020'"),
        ("%m-01-%Y", "the month first, as in '01-01-2020'"),
    ],
)
def test_dates_are_read_in_the_order_they_are_written(csv_table: Reader, form: str, note: str | None) -> None:
    months = "01" in form
    days = [date(2020 + row // 12, 1 + row % 12, 1) if months else date(2020, 1, 1) + row * WEEK for row in range(60)]

    def written(form: str) -> Any:
        cells = [day.strftime(form) for day in days]
        return csv_table("when,kind\n" + "\n".join(f"{cell},{row % 3}" for row, cell in enumerate(cells))).frame

    frame, plain = written(form), written("%Y-%m-%d")
    vectorizer = fit_vectorizer(frame, ["kind"])
    X = vectorizer.transform(frame)
    # a single date is read as its column was, and one that starts with the year as it must
    np.testing.assert_array_equal(vectorizer.transform(frame[1:2]), X[1:2])
    np.testing.assert_array_equal(vectorizer.transform(plain), X)
    np.testing.assert_allclose(X, fit_vectorizer(plain, ["kind"]).transform(plain), atol=1e-4)
    assert vectorizer.notes_ == (() if note is None else (f"Column 'when' is read as dates with {note}.",))


@pytest.mark.parametrize(
    ("form", "others", "note"),
    [
        ("%d/%m/%Y", ["unknown"], "1 cell is no date and counts as empty, 'unknown' in row 28"),
        ("%Y-%m-%d", ["unknown", "?", "2020-02-31"], "2 cells are no dates and count as empty, 'unknown' in row 28"),
        ("%d.%m.%Y", ["2020-03-28"], None),
        ("%d.%m.%Y", ["28 Mar 2020"], None),
        ("%d-%b-%Y", ["March 28 2020"], None),
        ("%d-%b-%Y", ["Mar 2020"], "1 cell is no date and counts as empty, 'Mar 2020' in row 28"),
    ],
)
def test_a_few_texts_among_dates_count_as_empty_with_a_note(
    csv_table: Reader, form: str, others: list[str], note: str | None
) -> None:
    def column(cells: list[str]) -> Any:
        return csv_table("\n".join(["when,kind", *(f"{cell},{row % 2}" for row, cell in enumerate(cells))])).frame

    cells = [date(2020, 3, day).strftime(form) for day in range(1, 28)]
    frame = column(cells + others)
    vectorizer = fit_vectorizer(frame, ["kind"])
    told = () if note is None else (f"Column 'when' is dates: {note} for one.",)
    assert vectorizer.kinds == {"when": "date"}
    assert vectorizer.notes_ == vectorizer.unread(frame) == told
    X = vectorizer.transform(frame)
    np.testing.assert_array_equal(X[27], vectorizer.transform(column(["2020-03-28" if note is None else ""]))[0])
    with pytest.raises(TableError, match="'when' is left out: every row has its own name in it"):
        fit_vectorizer(column(cells + [f"x{row}" for row in range(4)]), ["kind"])
    constant = column(["01/02/2020"] * 27 + ["unknown"])
    assert fit_vectorizer(constant, ["kind"]).kinds == {"when": "text"}


def test_an_empty_list_is_an_answer_where_it_is_known() -> None:
    def filled(low: list[str]) -> Filled:
        rows = [{"x": row / 8, "tags": (low, ["a"], ["a", "b"])[row // 20] if row % 2 else None} for row in range(60)]
        table = parse("\n".join(map(json.dumps, rows)).encode(), "t.jsonl", format="jsonl")
        return fill(table, ["tags"], features="fourier")

    some, none = filled(["b"]), filled([])
    assert all(some.frame["tags"])
    assert none.frame["tags"].tolist()[:16:2] == [[]] * 8
    assert none.results[0].quality.value > 0.8


def test_texts_are_never_taken_for_something_else() -> None:
    # an encoder that guesses would read NA as empty, and codes as numbers
    texts = {"NA": "south", "none": "north", "007": "south", "012": "north"}
    rows = [f"{text},{kind if row % 2 else ''}" for row in range(20) for text, kind in texts.items()]
    table = parse("\n".join(["code,kind", *rows]).encode(), "t.csv", format="csv", missing=())
    filled = fill(table, ["kind"], features="linear")
    assert filled.frame["kind"].tolist() == [kind for _ in range(20) for kind in texts.values()]
    vectorizer = filled.vectorizer
    assert vectorizer.kinds == {"code": "text"}
    known, unseen = vectorizer.transform(pd.DataFrame({"code": ["007", "7"]}))
    np.testing.assert_array_equal(known, filled.X[2])
    assert np.any(unseen != known)


def test_numbers_far_from_zero_keep_their_differences() -> None:
    seconds = [1_700_000_000 + 37 * row % 60 for row in range(60)]
    X = FrameVectorizer().fit_transform(pd.DataFrame({"when": seconds}))
    assert len(np.unique(X)) == 60
    assert X.dtype == np.float32


def test_a_text_that_is_new_is_neither_of_two() -> None:
    vectorizer = fit_vectorizer(pd.DataFrame({"s": ["f", "m"] * 20}), [])
    f, m, new, none = vectorizer.transform(pd.DataFrame({"s": ["f", "m", "x", None]}))
    for other in (new, none):
        np.testing.assert_allclose(np.linalg.norm(other - f), np.linalg.norm(other - m))
        assert np.linalg.norm(other - f) > 0


def test_what_only_looks_like_dates_is_text() -> None:
    days = [f"2020-03-{1 + row % 28:02d} 10:30 {'to' if row % 2 else 'till'} 11:30" for row in range(30)]
    assert fit_vectorizer(pd.DataFrame({"d": days}), []).kinds == {"d": "text"}


def test_formulas_without_a_value_are_empty_inputs_with_a_note() -> None:
    cells: list[Any] = [row * row if row % 3 else Formula(f"=A{row}*2") for row in range(30)]
    vectorizer = fit_vectorizer(pd.DataFrame({"b": pd.Series(cells, dtype=object)}), [])
    assert vectorizer.kinds == {"b": "number"}
    assert vectorizer.notes_[0].startswith(
        "Column 'b' holds 10 formulas whose values are not in the file, taken for empty"
    )


def test_quoted_thousands_count_as_thousands_in_inputs_and_targets(csv_table: Reader) -> None:
    lines = ["area,price"]
    for row in range(60):
        area = 400 + 20 * row
        lines.append(f'"{area:,}","{2 * area:,}"' if row % 3 else f'"{area:,}",')
    filled = fill(csv_table("\n".join(lines)), ["price"], features="linear")
    assert "Column 'area' is read with groups of thousands, '1,000' as 1000." in filled.notes
    assert "from 840 to 3160, reading '1,000' as 1000" in filled.results[0].target.reason
    for row, cell in zip(filled.results[0].rows, filled.results[0].cells, strict=True):
        assert abs(float(cell.replace(",", "")) - 2 * (400 + 20 * row)) < 20
        assert ("," in cell) == (float(cell.replace(",", "")) >= 1000)


def test_a_column_with_decimal_commas_is_read_so_in_new_tables(csv_table: Reader) -> None:
    lines = ["a,kind", *(f'"{row / 8:.3f}",{"ab"[row > 20]}'.replace(".", ",") for row in range(40))]
    frame = csv_table("\n".join(lines)).frame
    vectorizer = fit_vectorizer(frame, ["kind"])
    X = vectorizer.transform(frame)
    np.testing.assert_array_equal(vectorizer.transform(frame[8:9]), X[8:9])
    np.testing.assert_array_equal(vectorizer.transform(frame[9:]), X[9:])


def test_a_column_is_read_like_its_file_when_learnt_and_predicted() -> None:
    def european(rows: range, share: str) -> Table:
        people = [f"{900 + 37 * row:,}".replace(",", ".") for row in rows]
        lines = [f"{share.format(row)};{cell};{'ab'[row > 20]}" for row, cell in zip(rows, people, strict=True)]
        return parse("\n".join(["x;people;kind", *lines]).encode(), "t.csv", format="csv")

    plain = "x,people,kind\n" + "".join(f"0.{row:02d},{900 + 37 * row},{'ab'[row > 20]}\n" for row in range(40))
    frame = parse(plain.encode(), "p.csv", format="csv").frame
    told, silent = european(range(40), "0,{:02d}"), european(range(10, 12), "1")
    assert (told.source.notation, silent.source.notation) == (COMMA, POINT)
    learnt = fit_vectorizer(told.frame, ["kind"], usual=COMMA)
    assert learnt.notes_ == ()
    X = learnt.transform(told.frame, COMMA)
    np.testing.assert_array_equal(X, learnt.transform(frame))
    people = [source == "people" for source in learnt.sources]
    np.testing.assert_array_equal(learnt.transform(silent.frame)[:, people], X[10:12, people])
    # a file that tells is read as it says, whatever the model learnt
    np.testing.assert_array_equal(fit_vectorizer(frame, ["kind"]).transform(told.frame, COMMA), X)


def test_answers_are_written_as_a_file_with_decimal_commas_writes_them() -> None:
    rows = [(row, f"{900 + 10 * row:,}".replace(",", "."), ("1.100", "2.000")[row > 20]) for row in range(40)]
    lines = [f"0,{row:02d};{price if row % 2 else ''};{code if row % 3 else ''}" for row, price, code in rows]
    table = parse("\n".join(["x;price;code", *lines]).encode(), "t.csv", format="csv")
    filled = fill(table, ["price", "code"], task="code=classes", features="linear")
    prices, codes = filled.results
    assert "from 910 to 1290, reading '1.010' as 1010" in prices.target.reason
    assert prices.cells[-1] in ("1.279", "1.280", "1.281")
    assert codes.target.outputs == ("1.100", "2.000")
    assert set(codes.cells) == {"1.100", "2.000"}
    assert column_summary(filled).columns[0].words == "910 to 1290, half below 1100"


def test_a_target_without_holes_is_only_checked(beasts: Text, csv_table: Reader) -> None:
    lines = beasts().splitlines()
    text = "\n".join([lines[0], *(line for line in lines[1:] if not line.endswith(","))])
    filled = fill(csv_table(text), ["kind"], features="linear")
    assert len(filled.results[0].rows) == 0
    assert "has no empty cell" in " ".join(filled.notes)
    assert filled.results[0].quality.n_known == 15


def test_a_text_taken_for_an_empty_cell_is_told(beasts: Text, csv_table: Reader) -> None:
    text = beasts().replace(",,", ",NA,", 1)
    filled = fill(csv_table(text), ["kind"], features="linear")
    assert "The text 'NA' in 'kind' was taken for an empty cell" in " ".join(filled.notes)
    assert "NA" not in filled.rendered().decode()


def test_names_of_added_columns_do_not_clash(beasts: Text, csv_table: Reader) -> None:
    text = beasts().replace("habitat", "kind_filled", 1)
    assert fill(csv_table(text), ["kind"], features="linear").added["kind"]["filled"] == "kind_filled_2"


@pytest.mark.parametrize(
    ("text", "targets", "sentence"),
    [
        ("x,y\n", ["y"], "has no rows"),
        ("x,y\n1,\n", ["y"], "has no known cell"),
        ("x,y\n1,a\n", ["y"], "has one known cell"),
        ("x,y\n1,a\n2,a\n", ["y"], "at least two classes"),
        ("y\na\n\n", ["y"], "no column beside the target"),
        ("x,y\n1,a\n2,b\n", ["z"], "has no column 'z'. It has 'x', 'y'"),
        ("x,y\n1,a\n2,b\n", [], "No target is named"),
        ("x,y,y\n1,a,b\n", ["y"], r"several columns named 'y'. Choose one of y \(1\), y \(2\)"),
        ("x,y (cm)\n1,a\n", ["y"], r"has no column 'y'. It has 'x', 'y \(cm\)'"),
        ("x,y\n1,a\n1,b\n", ["y"], "No column is left to learn from"),
        ("x,y\n1,a\n2,b\n", ["y", "y"], "is named twice"),
    ],
)
def test_hostile_tables_get_a_sentence(csv_table: Reader, text: str, targets: list[str], sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        fill(csv_table(text), targets)


def test_unknown_features_are_refused_before_any_work(
    beasts: Text, csv_table: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lsvv.tables.filling.FrameVectorizer", None)
    with pytest.raises(TableError, match=r"There are no features 'poly'. Choose one of auto, linear, fourier"):
        fill(csv_table(beasts()), ["kind"], features="poly")


def test_dates_texts_lists_truths_and_empty_cells_become_numbers(rng: np.random.Generator) -> None:
    rows = [
        {
            "when": f"2024-{1 + number % 12:02d}-03",
            "text": f"seen {number} times near the {rng.choice(['barn', 'river'])}",
            "list": ["a", "b"][: 1 + number % 2],
            "flag": bool(number % 3),
            "hole": None if number % 4 else number * 1.5,
            "mixed": "x" if number % 5 else 3,
        }
        for number in range(50)
    ]
    table = parse("\n".join(json.dumps(row) for row in rows).encode(), "t.jsonl", format="jsonl")
    vectorizer = fit_vectorizer(table.frame, [])
    X = vectorizer.transform(table.frame)
    assert np.isfinite(X).all()
    assert set(vectorizer.sources) == set(rows[0])
    for column in rows[0]:
        block = X[:, [source == column for source in vectorizer.sources]]
        assert block.var(axis=0).sum() == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("unit", [1e19, 1e32, 1e36])
def test_large_numbers_count_like_small_ones(beasts: Text, csv_table: Reader, unit: float) -> None:
    def with_unit(unit: float) -> np.ndarray:
        frame = csv_table(beasts()).frame
        frame["size"] = [f"{float(size) * unit:.9e}" for size in frame["size"]]
        return fit_vectorizer(frame, ["kind", "weight"]).transform(frame)

    np.testing.assert_allclose(with_unit(unit), with_unit(1.0), atol=1e-4)


def test_numbers_too_large_to_compute_with_are_told(csv_table: Reader, beasts: Text) -> None:
    lines = beasts().splitlines()
    cells = ["some,all", "1e300,1e39", *(f"{row % 5},1e300" for row in range(len(lines) - 2))]
    table = csv_table("\n".join(f"{more},{line}" for more, line in zip(cells, lines, strict=True)))
    vectorizer = fit_vectorizer(table.frame, ["kind", "weight"])
    assert vectorizer.notes_ == (
        "1 number of column 'some' is beyond 1e+38 and taken for empty.",
        "Column 'all' is left out: its numbers are beyond 1e+38.",
    )
    assert np.isfinite(vectorizer.transform(table.frame)).all()


def test_numbers_are_raised_to_0_where_no_known_one_is_below(csv_table: Reader) -> None:
    sizes = np.linspace(-1.0, 1.0, 60)
    known = [f"{size:.3f}" if size >= 0 else "" for size in sizes]
    text = "x,size\n" + "\n".join(f"{x:.3f},{size}" for x, size in zip(sizes, known, strict=True))
    filled = fill(csv_table(text), ["size"], features="linear")
    assert [float(cell) for cell in filled.results[0].cells[:20]] == [0.0] * 20
    assert min(float(cell) for cell in filled.frame["size_lower"].dropna()) == 0.0
    assert sum("size: what would have come out below 0 was written as 0" in note for note in filled.notes) == 1
    shifted = fill(csv_table(text.replace("\n1.000,1.000", "\n1.000,-1.000")), ["size"], features="linear")
    assert "below 0" not in " ".join(shifted.notes)
    assert min(float(cell) for cell in shifted.results[0].cells) < -0.5


def test_new_rows_may_hold_what_training_never_did(beasts: Text, csv_table: Reader) -> None:
    vectorizer = fit_vectorizer(csv_table(beasts()).frame, ["kind", "weight"])
    strange = csv_table("size,habitat\nhuge,moon\n1e40,\n").frame
    assert np.isfinite(vectorizer.transform(strange)).all()
    assert vectorizer.unread(strange) == (
        "Column 'size' is numbers: 1 cell is no number and counts as empty, 'huge' in row 1 for one.",
    )
    with pytest.raises(TableError, match="has no column 'habitat'"):
        vectorizer.transform(strange[["size"]])
    with pytest.raises(TableError, match="The table has no rows below its first line"):
        vectorizer.transform(strange[:0])


def test_the_summary_is_plain_json_and_progress_is_told(beasts: Text, csv_table: Reader) -> None:
    stages: list[tuple[str, float]] = []
    filled = fill(
        csv_table(beasts()), ["kind", "weight"], features="linear", progress=lambda *told: stages.append(told)
    )
    said = json.loads(json.dumps(summary(filled), allow_nan=False))
    assert [target["filled"] for target in said["targets"]] == [30, 30]
    assert said["rows"] == 45
    shares = [share for _, share in stages]
    assert shares == sorted(shares)
    assert [name for name, _ in stages] == list(filled.seconds)


@pytest.mark.parametrize("name", ["#", "%", ""])
def test_a_column_whose_name_has_no_word_is_a_column(csv_table: Reader, name: str) -> None:
    rows = "".join(f"{7 * row % 23},{'ab'[7 * row % 23 > 11] if row % 3 == 0 else ''}\n" for row in range(40))
    assert fill(csv_table(f"{name},kind\n{rows}"), ["kind"], features="linear").results[0].rows.size == 26


def test_times_of_several_zones_are_dates(csv_table: Reader) -> None:
    zones = ("+01:00", "+02:00", "Z")
    rows = "".join(
        f"2020-{1 + row % 12:02d}-{1 + row % 28:02d}T12:{row:02d}:00{zones[row % 3]},"
        f"{'ab'[row % 12 > 5] if row % 3 else ''}\n"
        for row in range(40)
    )
    filled = fill(csv_table(f"when,kind\n{rows}"), ["kind"], features="linear")
    assert filled.vectorizer.kinds == {"when": "date"}
