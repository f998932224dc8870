"""Columns set aside unasked: what an earlier fill added, and what is unknown wherever it is needed."""

from collections.abc import Callable

import numpy as np
import pytest

from lsvv.tables import Table, fill
from lsvv.tables.aside import with_useful_inputs
from lsvv.tables.naming import with_inputs

Reader = Callable[[str], Table]
N = 60


def rows(known: float = 0.0) -> str:
    """Rows of which every third is judged, and priced; a share of the others has a price too."""
    rng = np.random.default_rng(0)
    lines = ["x,kind,price"]
    for row, x in enumerate(rng.normal(size=N)):
        judged = row % 3 == 0
        priced = judged or rng.random() < known
        lines.append(
            f"{x:.3f},{('high' if x > 0 else 'low') if judged else ''},{round(3 * x + 9, 2) if priced else ''}"
        )
    return "\n".join(lines)


def test_a_column_that_is_empty_wherever_it_is_needed_is_left_out_with_a_note(csv_table: Reader) -> None:
    filled = fill(csv_table(rows()), ["kind"], features="linear")
    assert filled.vectorizer.kinds.keys() == {"x"}
    assert any("'price' is empty in 40 of 40 rows to fill" in note for note in filled.notes)
    assert not any(one.kind == "not random" for one in filled.warnings)
    assert "ignore" not in filled.settings


@pytest.mark.parametrize(("known", "targets"), [(0.3, ["kind"]), (0.0, ["kind", "price"])])
def test_a_column_that_is_of_use_or_a_target_stays(csv_table: Reader, known: float, targets: list[str]) -> None:
    assert with_useful_inputs(csv_table(rows(known)), targets).aside == ()


def test_the_only_column_stays_however_poor(csv_table: Reader) -> None:
    text = "\n".join(
        ["kind,price", *(f"{'ab'[row % 2] if row < 20 else ''},{row if row < 20 else ''}" for row in range(40))]
    )
    assert with_useful_inputs(csv_table(text), ["kind"]).aside == ()


def test_what_an_earlier_fill_added_is_no_input(csv_table: Reader) -> None:
    once = fill(csv_table(rows(0.3)), ["price"], features="linear").rendered().decode()
    table = with_useful_inputs(csv_table(once), ["kind"])
    assert table.aside == ("price_lower", "price_upper", "price_filled")
    assert table.notes[-1] == (
        "Left out, because an earlier fill wrote them: 'price_lower', 'price_upper', 'price_filled'."
    )


def test_rows_that_came_after_a_fill_have_no_mark(csv_table: Reader) -> None:
    once = fill(csv_table(rows(0.3)), ["price"], features="linear").rendered().decode().strip()
    more = "\n".join([once, *("0.1,,,,," for _ in range(5))])
    assert with_useful_inputs(csv_table(more), ["kind"]).aside == ("price_lower", "price_upper", "price_filled")


def test_a_true_or_false_column_of_ones_own_stays(csv_table: Reader) -> None:
    lines = (f"{row},{'TRUE' if row % 3 else 'FALSE'},{'ab'[row % 2] if row % 4 else ''}" for row in range(40))
    assert with_useful_inputs(csv_table("\n".join(["order,order_filled,kind", *lines])), ["kind"]).aside == ()


def test_what_a_user_keeps_is_kept(csv_table: Reader) -> None:
    table = with_inputs(csv_table(rows()), ["kind"], keep=["x", "price"])
    assert with_useful_inputs(table, ["kind"]).aside == ()


def test_a_column_of_ones_own_that_is_called_filled_stays(csv_table: Reader) -> None:
    text = "\n".join(
        ["cup,cup_filled,kind", *(f"{row},{row % 3},{'ab'[row % 2] if row % 4 else ''}" for row in range(40))]
    )
    assert with_useful_inputs(csv_table(text), ["kind"]).aside == ()
