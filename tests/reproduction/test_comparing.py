import math

import pytest

from made_up import means, row_records
from reproduction.comparing import comparisons, goals, own_comparisons, ranks_by_space
from reproduction.experiments import OWN
from reproduction.published import METHODS, PublishedCell
from reproduction.records import Record
from reproduction.statistics import holm, paired_t
from reproduction.tabulated import Results, Row


def rows_of(records: list[Record]) -> tuple[Row, ...]:
    return Results(records, None).rows()


def test_holm_runs_over_all_cells_and_methods() -> None:
    records = [
        *row_records("linear-mc", "iris", means(2.2, 2.0, 1.0, 2.0), noise=0.5),
        *row_records("kernel-mc", "wine", means(2.3, 2.0, 2.0, 2.0), noise=0.5),
        *row_records("linear-ml", "scm20d", means(2.0, 2.0, 2.0, 2.0), noise=0.5),
    ]
    rows = rows_of(records)
    found = comparisons(rows)
    assert len(found) == 9
    plain = [paired_t(row.errors["LSVV"], row.errors[other]).p_value for row in rows for other in METHODS[:3]]
    assert [one.adjusted for one in found] == pytest.approx(holm(plain).tolist())
    outcomes = {(one.data, one.other): one.outcome for one in found}
    assert outcomes["iris", "LRC-VV"] == "worse"
    assert outcomes["iris", "SS-VV"] == "even"
    assert {one.data for one in found} == {"iris", "wine", "scm20d"}


def test_better_is_less_error() -> None:
    found = comparisons(rows_of(row_records("linear-mc", "iris", means(9, 8, 7, 1))))
    assert {one.outcome for one in found} == {"better"}
    corrected = comparisons(rows_of(row_records("linear-mc", "iris", means(9, 8, 7, 1))), "corrected")
    assert all(abs(c.test.statistic) < abs(p.test.statistic) for c, p in zip(corrected, found, strict=True))


def test_a_single_split_is_not_compared() -> None:
    assert comparisons(rows_of(row_records("linear-mc", "iris", means(9, 8, 7, 1), splits=1))) == ()
    assert comparisons(()) == ()


def test_our_own_method_is_compared_with_lsvv_on_common_splits_and_with_nothing_else() -> None:
    four = [
        *row_records("linear-mc", "iris", means(4, 3, 2, 2), splits=9),
        *row_records("kernel-mc", "wine", means(4, 3, 2, 1)),
        *row_records("linear-ml", "scm20d", means(4, 3, 2, 1)),
    ]
    own = [
        *row_records("linear-mc", "iris", {OWN: 1.0}, chooser=OWN),
        *row_records("kernel-mc", "wine", {OWN: 5.0}, chooser=OWN, splits=4),
    ]
    rows = rows_of([*four, *own])
    found = own_comparisons(rows)
    assert {(one.data, one.other): (one.outcome, one.test.degrees) for one in found} == {
        ("iris", "LSVV"): ("better", 8),
        ("wine", "LSVV"): ("worse", 3),
    }
    assert comparisons(rows) == comparisons(rows_of(four))
    assert goals(rows) == goals(rows_of(four))
    assert ranks_by_space(rows) == ranks_by_space(rows_of(four))
    assert own_comparisons(rows_of(four)) == ()


def test_ranks_are_over_the_rows_of_a_space() -> None:
    records = [
        *row_records("linear-mc", "iris", means(4, 3, 2, 1), noise=0.0),
        *row_records("linear-mc", "wine", means(4, 3, 1, 2), noise=0.0),
        *row_records("kernel-ml", "scene", means(1, 2, 3, 4), noise=0.0),
    ]
    found = ranks_by_space(rows_of(records))
    assert {space: (ranks.ranks, ranks.cells) for space, ranks in found.items()} == {
        "linear": (means(4.0, 3.0, 1.5, 1.5), 2),
        "kernel": (means(1.0, 2.0, 3.0, 4.0), 1),
    }
    assert ranks_by_space(()) == {}


def test_a_substitute_has_no_rank() -> None:
    records = [
        *row_records("linear-ml", "scene", means(4, 3, 2, 1), noise=0.0),
        *row_records("linear-ml", "scm20d", means(1, 2, 3, 4), noise=0.0),
    ]
    found = ranks_by_space(rows_of(records))["linear"]
    assert (found.ranks, found.cells) == (means(4.0, 3.0, 2.0, 1.0), 1)


def test_a_goal_is_the_published_mean_or_less() -> None:
    at, above = (
        goals(rows_of(row_records("linear-mc", "iris", means(40, 40, 40, 28.40 + more), noise=0.0)))[0]
        for more in (0.0, 0.3)
    )
    assert at.reached
    assert at.reason == ""
    assert at.distance == pytest.approx(0.0)
    assert not above.reached
    assert above.distance == pytest.approx(0.3)
    assert above.standard_errors == pytest.approx(0.3 / (5.53 / math.sqrt(5)))
    assert above.reason == "none of our four methods reaches it; the best is LSVV with 28.70"


@pytest.mark.parametrize(("ours", "errors"), [(27.0, -math.inf), (28.40, 0.0), (30.0, math.inf)])
def test_without_spread_a_distance_is_infinite_or_none(
    ours: float, errors: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = {("linear-mc", "iris", method): PublishedCell(28.40, 0.0) for method in METHODS}
    monkeypatch.setattr("reproduction.tabulated.published", lambda: cells)
    (found,) = goals(rows_of(row_records("linear-mc", "iris", means(40, 40, 40, ours), noise=0.0)))
    assert found.standard_errors == errors


def test_a_missed_goal_names_the_method_that_reaches_it() -> None:
    (found,) = goals(rows_of(row_records("linear-mc", "iris", means(40, 20, 40, 30), noise=0.0)))
    assert found.reason == "our SS-VV reaches it with 20.00"


@pytest.mark.parametrize(("ours", "reached"), [(12.0, True), (10.0, False), (8.0, False)])
def test_corel5k_counts_only_with_labels_that_are_right(ours: float, reached: bool) -> None:
    records = [
        Record(r.trial, {}, {**r.figures, "micro_f1": ours if r.trial["method"] == "LSVV" else 10.0}, 1.0)
        for r in row_records("kernel-ml", "corel5k", means(0.93, 0.93, 0.93, 0.93), noise=0.0)
    ]
    (found,) = goals(rows_of(records))
    assert found.distance < 0
    assert found.reached is reached
    assert ("micro-F1" in found.reason) is not reached


def test_a_substitute_is_no_goal() -> None:
    assert goals(rows_of(row_records("linear-ml", "scm20d", means(1, 1, 1, 1)))) == ()


def test_no_mean_is_rounded_into_a_goal() -> None:
    records = row_records("linear-mc", "iris", means(40, 40, 40, 28.404), noise=0.0)
    assert not goals(rows_of(records))[0].reached
