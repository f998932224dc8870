"""Tasks are found from cells, and answers are spelt as the column spells them."""

from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from lsvv.tables import TableError
from lsvv.tables.cells import COMMA, Formula, as_numbers, decimals_of, read_numbers
from lsvv.tables.coding import code, grouped
from lsvv.tables.targets import NumberTarget
from lsvv.tables.tasks import Finding, find_task, task_words


def task_of(*cells: Any) -> str:
    return find_task({"y": list(cells)}, {})[0].task


@pytest.mark.parametrize(
    ("cells", "task"),
    [
        (("cat", None, "dog"), "classes"),
        (("0", "1", None), "classes"),
        ((True, False, None), "classes"),
        (("1", "2", "3") * 4, "classes"),
        (("1", "2", "3"), "numbers"),
        (("-1", "1") * 4, "classes"),
        ((2.0, 4.0, None) * 3, "classes"),
        (("2", "4", "4", "4", "4"), "numbers"),
        (("2.5", "4") * 4, "numbers"),
        (("1.5", None, "-2e3"), "numbers"),
        (("1,5", "2,25"), "numbers"),
        ((3, 4.5, None), "numbers"),
        (("007", "042"), "classes"),
        (("red; blue", "red", "blue", None), "tags"),
        (("red|blue", "red", "blue", "green"), "tags"),
        (("Smith, John", "Doe, Jane"), "classes"),
        ((["a"], ["a", "b"]), "tags"),
        (("=cmd", "dog"), "classes"),
        ((1, "2.5", 3.5, None), "numbers"),
        ((Decimal("1.50"), Decimal("2"), None), "numbers"),
        (("10%", "20%", "none") * 4, "classes"),
        (("1", "2", "3+") * 4, "classes"),
        ((*("1,5", "2,5", "1,2") * 5, "-"), "classes"),
        ((*(str(10001 + row % 20) for row in range(60)), "02139"), "classes"),
        ((*(f"{row % 20 + 100}.{row % 4}" for row in range(60)), "005.1"), "classes"),
        (("G", "1", "2", "1", "2", "G", "3"), "classes"),
        ((*(str(row % 20) for row in range(35)), *["V27", "E11"] * 3), "classes"),
        ((*(str(10001 + row % 20) for row in range(60)), *["unknown", "none", "lost"] * 9), "classes"),
        ((*map(str, range(1, 9)), *"12345", "G", "G"), "classes"),
        (("7732-18-5", "1001-20-45", "2020/13/45", "2020-00-10") * 2, "classes"),
        ((*(f"{row}%" for row in range(3)), "a", "b", "c"), "classes"),
        (("1,2", "3,4,5", "2,3", "1,3", "2", "1,2,3"), "tags"),
    ],
)
def test_the_task_follows_from_the_cells(cells: tuple[Any, ...], task: str) -> None:
    assert task_of(*cells) == task


def test_several_columns_of_0_and_1_are_labels_learnt_together() -> None:
    cells: dict[str, list[Any]] = {"a": ["0", "1"], "b": ["1", "0"], "c": ["x", "y"], "d": [1.5, 2.5], "e": [0.5, 3]}
    found = find_task(cells, {})
    assert [finding.task for finding in found] == ["labels", "labels", "classes", "numbers", "numbers"]
    groups = grouped([code(finding, cells[finding.column]) for finding in found])
    assert [group.name for group in groups] == ["a, b", "c", "d, e"]
    assert groups[0].as_array().shape == (2, 2)


def test_a_word_overrides_what_was_found() -> None:
    assert task_words("a=numbers, b=classes", ["a", "b"]) == {"a": "numbers", "b": "classes"}
    names = ["a, b", "b", "b=c"]
    assert task_words("a, b=numbers, b=classes,b=c=tags", names) == dict(
        zip(names, ("numbers", "classes", "tags"), strict=True)
    )
    assert task_words("tags,", names) == dict.fromkeys(names, "tags")
    assert find_task({"y": ["$1", "$2"]}, {"y": "classes"})[0].task == "classes"
    assert find_task({"y": ["1", "2"]}, {"y": "classes"})[0] == Finding("y", "classes", "you asked for it", asked=True)
    for words, sentence in (("nonsense", "There is no task 'nonsense'"), ("c=numbers", "is no target")):
        with pytest.raises(TableError, match=sentence):
            task_words(words, ["a", "b"])


@pytest.mark.parametrize(
    ("cells", "task", "sentence"),
    [
        ([None, None], None, "has no known cell"),
        (["cat", "cat"], None, "all say 'cat'"),
        (["1", "two"], "numbers", "row 2 says 'two'"),
        ([1.0, float("inf")], "numbers", "is infinite in row 2"),
        (["1.0", "0", None, "2.0"], "labels", "is to be 0 or 1, but holds '2.0'"),
        (["cat", "dog", True], "labels", "is to be 0 or 1, but holds 'cat'"),
        ([["a"], ["b", "a"]], "classes", "holds lists, which are no classes. Give --task tags"),
        (["a", "a"], "tags", "fewer than two different tags"),
        ([date(2020, 1, 1), date(2020, 1, 2)], None, "holds dates, such as '2020-01-01' in row 1"),
        ([None, "01/02/2020", "15/02/2020"], None, "holds dates, such as '01/02/2020' in row 2"),
        (["2020-01-02", "2020-01-03 10:30"], None, "holds dates"),
        ([*map(str, range(30)), None, "unknown"], None, "row 32 says 'unknown'. Give --task classes if these are"),
        ([*map(float, range(30)), "n.d."], None, "is mostly numbers, but row 31 says 'n.d.'"),
        ([*map(str, range(9)), "x"], None, "is mostly numbers, but row 10 says 'x'"),
        (
            [*map(str, range(218, 248)), None, *"-" * 15],
            None,
            "numbers, but 15 of its 45 known cells say '-'. Give --missing '-' if that means empty, or --task classes",
        ),
        (
            ["1,5", "2,25", "-", "3,5", "n.a.", "4,5", "-", "n.a.", "6,25"],
            None,
            "'-' or 'n.a.'. Give --missing '-,n.a.'",
        ),
        ([*map(str, range(218, 248)), *["unknown"] * 90], None, "holds numbers, but 90 of its 120 known cells say"),
        (
            [*(f"${row + 20}.{row}5" for row in range(11)), *"-" * 40],
            None,
            "holds numbers, but 40 of its 51 known cells",
        ),
        ([*map("{:.1f}%".format, range(11)), *"abcdefghij"], None, "holds percentages"),
        ([*(f"{row % 13},{row % 5}" for row in range(3, 30)), "-"], None, "is mostly numbers, but row 28 says '-'"),
        ([*(f"${row},256.00" for row in range(1, 9)), "7"], None, "'.1,256.00' in row 1, but row 9 says '7'"),
        ([*(f"{row / 7:.1f} EUR" for row in range(9)), "$7"], None, "but row 10 says '.7'. Write all cells with the"),
        (
            [*(f"{row / 7:.1f}%" for row in range(9)), "7.5"],
            None,
            "holds percentages, such as '0.0%' in row 1, but row",
        ),
        ([f"name {row}" for row in range(20)], None, "20 known cells of the target 'y' are 20 different names"),
        (["a", {"x": 1}, "b"], None, "holds objects or lists of lists, as in row 2"),
        ([["a"], ["b", ["c"]]], None, "holds objects or lists of lists, as in row 2"),
        ([Formula("=A1*2"), "b", "c"], None, "holds the formula '=A1\\*2' in row 1"),
    ],
)
def test_cells_that_do_not_fit_get_a_sentence(cells: list[Any], task: str | None, sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        code(find_task({"y": cells}, {"y": task} if task else {})[0], cells)


@pytest.mark.parametrize(
    ("cells", "task", "predictions", "spelt"),
    [
        ([" cat", "dog", "cat", "cat"], "classes", [0, 1], ["cat", "dog"]),
        (["1.0", "2.0", None], "classes", [0, 1], ["1.0", "2.0"]),
        (["1", "2.0", "1.0", "2", "1"], "classes", [0, 1], ["1", "2.0"]),
        (["1.10", "1.1"], "classes", [0, 1], ["1.1", "1.10"]),
        (["1,0", "2,0", "1", "1,0", "3"], "classes", [0, 1], ["1,0", "2,0"]),
        (["1.25", "3"], "numbers", [2.0, -1.006], ["2.00", "-1.01"]),
        (["1,25", "3"], "numbers", [2.5], ["2,50"]),
        (["1,050", "785"], "numbers", [2043.6, 12.0], ["2,044", "12"]),
        (["1,234,567.5", "8.25"], "numbers", [1e6], ["1,000,000.00"]),
        (["1.234,5", "8,25"], "numbers", [2500.0], ["2.500,00"]),
        (["1 234,5", "8,25"], "numbers", [2500.0, 25.0], ["2 500,00", "25,00"]),
        ([" 1\u202f234", "825"], "numbers", [-2500.0], ["-2\u202f500"]),
        (["1.2e-08", "3.45e-09"], "numbers", [2e-8, -7.214e-9], ["2.00e-08", "-7.21e-09"]),
        (["6.15E+24", "1.1E+24"], "numbers", [7.2148e24], ["7.21E+24"]),
        (["0.0012", "1.25e-05"], "numbers", [0.00345, 2.5e-6], ["0.00345", "2.5e-06"]),
        (["1,2e-08", "3,0e-08"], "numbers", [2.5e-8], ["2,5e-08"]),
        ([1.2e-8, 3.4e-9], "numbers", [2.03e-8], [2.03e-8]),
        ([6.15e24, 1.0], "numbers", [7.25e24], [7.25e24]),
        ([1, 3], "numbers", [2.4], [2]),
        ([1.5, 3.0], "numbers", [2.44], [2.4]),
        (["0", "1"], "labels", [1, 0], ["1", "0"]),
        ([True, None], "labels", [0, 1], [False, True]),
        ([1, "2", 3], "numbers", [2.4], [2]),
        ([1.5, "2"], "numbers", [2.44], [2.4]),
        ([Decimal("1.50"), Decimal("3.00")], "numbers", [2.444], [2.44]),
        ([Decimal("1.00"), Decimal("2.00")], "classes", [0, 1], [1, 2]),
        (["a; b", "b", "c; b"], "tags", [[1, 0, 1]], ["a; c"]),
        ([["a", "b"], ["b"]], "tags", [[1, 1]], [["a", "b"]]),
        ([[2, 10], [10, None]], "tags", [[1, 1], [0, 1]], [[10, 2], [2]]),
        ([["2", "x"], [2.0, " x"], "x"], "tags", [[1, 1]], [["2", "x"]]),
    ],
)
def test_answers_are_spelt_like_the_cells(
    cells: list[Any], task: str, predictions: list[Any], spelt: list[Any]
) -> None:
    target = code(Finding("y", task, ""), cells)
    assert target.spelt(np.asarray(predictions)) == spelt
    assert all(
        type(one) is type(other) for one, other in zip(target.spelt(np.asarray(predictions)), spelt, strict=True)
    )


def test_numbers_are_read_whole_or_not_at_all() -> None:
    assert as_numbers(["1", "x"]) is None
    assert as_numbers([True]) is None
    assert as_numbers(["."]) is None
    for text in ("1 82", "12 34 567", "1826 570", "0 826", "1 826.570,5", "1\u2212", "+49 30 123"):
        assert as_numbers([text]) is None
    assert decimals_of(["1e-5", 2.0]) == 5
    assert decimals_of([0.1 + 0.2, 1 / 3e9]) == 21
    target = code(Finding("y", "numbers", ""), ["1", None])
    assert isinstance(target, NumberTarget)
    assert target.spell(2.04, more=1) == "2.0"
    small = code(Finding("y", "numbers", ""), ["1.2e-08", "2.5e-08"])
    assert isinstance(small, NumberTarget)
    assert small.spell(2.04e-8, more=1) == "2.04e-08"


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["1,050", "785", "1,204"], [1050, 785, 1204]),
        (["1,234,567", "-1,000.5"], [1234567, -1000.5]),
        (["1,050", "0,5"], [1.05, 0.5]),
        (["1,050", "1050,5"], [1.05, 1050.5]),
        (["1.613", "2,5"], [1613, 2.5]),
        (["1.234.567", "1.000"], [1234567, 1000]),
        (["1.613", "2.5"], [1.613, 2.5]),
        (["1 826,57", "310\u00a0576,4", "1\u202f234\u202f567"], [1826.57, 310576.4, 1234567]),
        (["1 826.57", "310 576", "\u221212"], [1826.57, 310576, -12]),
    ],
)
def test_a_column_has_one_notation(texts: list[str], numbers: list[float]) -> None:
    assert read_numbers(texts).values.tolist() == numbers


def test_one_class_is_not_a_thousand_where_points_part_thousands() -> None:
    cells = ["1", "1.000", "2", "1"]
    assert code(Finding("y", "classes", "", COMMA), cells).outputs == ("1", "1.000", "2")
    assert code(Finding("y", "classes", ""), cells).outputs == ("1", "2")
    # the column tells more of itself than its file does
    assert code(Finding("y", "classes", "", COMMA), [*cells, "1.0"]).outputs == ("1", "2")


def test_groups_of_thousands_are_no_decimals_and_the_reason_says_so() -> None:
    assert read_numbers(["1,050", "1.613", "785"], usual=COMMA).values.tolist() == [1.05, 1613, 785]
    finding = find_task({"y": ["1,050", "785", None]}, {})[0]
    assert (
        code(finding, ["1,050", "785", None]).reason
        == "its cells are numbers from 785 to 1050, reading '1,050' as 1050"
    )
    assert "reading" not in code(finding, ["1,050", "785.5"]).reason


@pytest.mark.parametrize(
    ("cells", "distance", "spelt"),
    [
        (["3", "12"], 4.2, "4.2"),
        (["3", "12"], 420.4, "420"),
        (["1.5", "2.0"], 0.382, "0.38"),
        (["10.25", "3.50"], 37.345, "37.34"),
        (["10.25", "3.50"], 0.0, "0.00"),
        (["10,25", "3,50"], 0.0042, "0,0042"),
        (["1.2e-08", "3.4e-09"], 2e-10, "2.00e-10"),
    ],
)
def test_a_distance_shows_two_digits_and_no_more_decimals_than_these_take(
    cells: list[str], distance: float, spelt: str
) -> None:
    target = code(find_task({"y": cells}, {})[0], cells)
    assert isinstance(target, NumberTarget)
    assert target.spell(distance, target.decimals_beyond(distance)) == spelt


def test_a_number_among_names_does_not_make_them_markers() -> None:
    assert find_task({"y": ["yes", "yes", "no", "no", "2.5"]}, {})[0].task == "classes"


def test_cells_stay_within_their_type_and_distances_need_not() -> None:
    cells = [np.int8(value) for value in (-100, 5, 120)]
    target = code(find_task({"y": cells}, {})[0], cells)
    assert isinstance(target, NumberTarget)
    assert target.spelt(np.array([300.0, -300.0])) == [127, -128]
    assert target.spell(180.0) == 180


def test_ends_of_numbers_have_the_decimal_sign_of_the_column() -> None:
    (found,) = find_task({"y": ["58,74", "351,03", "1,5"]}, {})
    assert found.reason == "its cells are numbers from 1,5 to 351,03"
