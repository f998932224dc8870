from collections.abc import Callable
from dataclasses import replace

import pytest

from made_up import curve_records, means, records_of, row_records
from reproduction.experiments import FIRST_SEED, PAPER, table_units
from reproduction.judging import Verdict
from reproduction.records import Record
from reproduction.tabulated import Results
from reproduction.verdicts import verdicts

AS_PRINTED = means(4, 3, 2.9, 2)


NOWHERE = "a folder with no data"
"""Only what is on record counts as at hand."""


def verdict(records: list[Record], number: str, data: str | None = NOWHERE) -> Verdict:
    return next(one for one in verdicts(Results(records, data)) if one.number == number)


def both_spaces(data: str, linear: dict[str, float], kernel: dict[str, float], kind: str = "mc") -> list[Record]:
    return [*row_records(f"linear-{kind}", data, linear), *row_records(f"kernel-{kind}", data, kernel)]


def shifted(values: dict[str, float], by: float) -> dict[str, float]:
    return {method: value + by for method, value in values.items()}


def theta(at: Callable[[float], float], flat: float = 9.0) -> list[Record]:
    """The two methods with a tail follow ``at``, the others do not move."""
    return [
        record
        for data in PAPER.theta_sets
        for record in curve_records("theta", data, "kernel", lambda x, m: at(x) if m in ("LSVV", "LRC-VV") else flat)
    ]


def rates(error: Callable[[float, str], float]) -> list[Record]:
    return [record for space in ("linear", "kernel") for record in curve_records("labeled-rate", "scene", space, error)]


def test_every_conclusion_of_the_paper_has_a_verdict() -> None:
    found = verdicts(Results([], None))
    assert [one.number for one in found] == [
        *(f"MC ({n})" for n in range(1, 6)),
        *(f"ML ({n})" for n in range(1, 3)),
        *(f"Labelled rate ({n})" for n in range(1, 3)),
        *(f"Theta ({n})" for n in range(1, 5)),
    ]
    assert {one.supported for one in found} == {None}
    assert {one.evidence for one in found} == {"No record bears on it yet."}


def test_records_like_the_papers_support_all_that_it_says_of_its_tables() -> None:
    records = [
        *both_spaces("iris", shifted(AS_PRINTED, 5), AS_PRINTED),
        *both_spaces("letter", shifted(AS_PRINTED, 5), AS_PRINTED),
        *both_spaces("scene", shifted(AS_PRINTED, 5), AS_PRINTED, "ml"),
    ]
    for number in ("MC (1)", "MC (2)", "MC (3)", "MC (4)", "MC (5)", "ML (1)", "ML (2)"):
        assert verdict(records, number).supported is True, number


@pytest.mark.parametrize(
    ("number", "kernel"),
    [
        ("MC (1)", means(4, 1, 2.9, 2)),
        ("MC (2)", means(4, 5, 2.9, 2)),
        ("MC (3)", means(2, 3, 2.9, 4)),
        ("MC (4)", means(4, 9, 2.9, 2)),
        ("MC (5)", means(4, 3, 2.9, 7)),
    ],
)
def test_one_cell_against_it_refutes_a_conclusion_on_all_classes(number: str, kernel: dict[str, float]) -> None:
    found = verdict(both_spaces("iris", shifted(AS_PRINTED, 5), kernel), number)
    assert found.supported is False
    if number != "MC (3)":
        assert "It does not in: iris" in found.evidence


def test_named_sets_alone_bear_on_the_fifth_conclusion() -> None:
    found = verdict(both_spaces("letter", AS_PRINTED, AS_PRINTED), "MC (5)")
    assert (found.supported, found.evidence) == (None, "No record bears on it yet.")


OTHERS_NAMED = "Not at hand: pendigits, shuttle, Sensorless, MNIST."


def seeded(table: str, seeds: range, error: Callable[[int], float]) -> list[Record]:
    units = [replace(table_units(table, "iris", "atlas")[0], seed=seed) for seed in seeds]
    return records_of(units, lambda unit, _: error(unit.seed))


def test_two_spaces_are_paired_by_the_seeds_of_their_splits() -> None:
    first = FIRST_SEED
    rising = seeded("linear-mc", range(first, first + 20), lambda seed: float(seed - first))
    # one less on the same split, but as many splits from another start
    below = seeded("kernel-mc", range(first + 10, first + 30), lambda seed: seed - first - 1.0)
    found = verdict([*rising, *below], "MC (5)")
    assert (found.supported, found.evidence) == (
        True,
        f"It holds in 1 of 1 cases, of 10 splits at least. {OTHERS_NAMED}",
    )


def test_a_set_whose_spaces_share_too_few_splits_is_named() -> None:
    first = FIRST_SEED
    rising = seeded("linear-mc", range(first, first + 6), lambda seed: 9.0 + seed)
    below = seeded("kernel-mc", range(first + 4, first + 10), lambda seed: 1.0 + seed)
    found = verdict([*rising, *below], "MC (5)")
    assert (found.supported, found.evidence) == (None, f"Too few splits to tell: iris. {OTHERS_NAMED}")


@pytest.mark.parametrize("number", ["MC (1)", "MC (2)", "MC (3)", "MC (4)", "MC (5)"])
@pytest.mark.parametrize("by", [5.0, -5.0])
def test_two_splits_support_and_refute_nothing(number: str, by: float) -> None:
    records = [
        *row_records("linear-mc", "iris", shifted(AS_PRINTED, by), splits=2),
        *row_records("kernel-mc", "iris", AS_PRINTED if by > 0 else means(1, 2, 3, 4), splits=2),
    ]
    found = verdict(records, number)
    assert found.supported is None
    assert "Too few splits to tell" in found.evidence
    assert verdict(both_spaces("iris", shifted(AS_PRINTED, 5), AS_PRINTED), number).supported is True


def test_too_few_splits_neither_support_nor_hide_what_others_refute() -> None:
    thin = row_records("kernel-mc", "iris", AS_PRINTED, splits=1)
    against = row_records("linear-mc", "iris", means(1, 2, 3, 4), splits=4)
    found = verdict([*thin, *against], "MC (1)")
    assert found.supported is False
    assert found.evidence == (
        "It holds in 0 of 1 cases, of 4 splits at least. It does not in: iris (linear). "
        "Too few splits to tell: iris (kernel)."
    )


def test_a_set_at_hand_that_was_not_run_leaves_a_conclusion_open() -> None:
    records = both_spaces("iris", shifted(AS_PRINTED, 5), AS_PRINTED)
    assert verdict(records, "MC (1)").supported is True
    bundled = verdict(records, "MC (1)", data=None)
    assert (bundled.supported, bundled.evidence.partition(". ")[2]) == (
        None,
        "Too few splits to tell: wine (linear), wine (kernel).",
    )


def test_ranks_must_be_as_printed_in_both_spaces() -> None:
    one = row_records("linear-mc", "iris", AS_PRINTED)
    assert verdict(one, "MC (3)").supported is None
    assert verdict([*one, *row_records("kernel-mc", "iris", means(1, 2, 3, 4))], "MC (3)").supported is False
    both = verdict([*one, *row_records("kernel-mc", "iris", AS_PRINTED)], "MC (3)")
    assert both.supported is True
    assert "Mean ranks over 1 sets, kernel space: SRM-VV 4.00, SS-VV 3.00" in both.evidence


def test_the_substitute_bears_on_no_conclusion() -> None:
    records = both_spaces("scm20d", shifted(AS_PRINTED, 5), AS_PRINTED, "ml")
    assert [verdict(records, f"ML ({n})").evidence for n in (1, 2)] == ["No record bears on it yet."] * 2


def test_the_best_of_eight_must_beat_the_linear_space_too() -> None:
    assert verdict(both_spaces("scene", shifted(AS_PRINTED, -1), AS_PRINTED, "ml"), "ML (1)").supported is False


def test_most_is_more_than_half() -> None:
    half = both_spaces("scene", AS_PRINTED, means(1, 2, 3, 4), "ml")
    assert verdict(half, "ML (2)").supported is False
    more = [*half, *row_records("linear-ml", "yeast", AS_PRINTED)]
    assert verdict(more, "ML (2)").supported is True
    assert verdict(more, "ML (2)").evidence == (
        "It holds in 2 of 3 cases, of 30 splits at least. It does not in: scene (kernel)."
    )


def test_most_is_open_while_thin_rows_could_decide_it() -> None:
    thin = row_records("kernel-ml", "scene", AS_PRINTED, splits=2)
    assert verdict([*thin, *row_records("linear-ml", "scene", AS_PRINTED)], "ML (2)").supported is None
    assert verdict([*thin, *row_records("linear-ml", "scene", means(1, 2, 3, 4))], "ML (2)").supported is False


def test_errors_fall_with_more_labels_or_they_do_not() -> None:
    falling = rates(lambda share, method: AS_PRINTED[method] - share)
    assert verdict(falling, "Labelled rate (1)").supported is True
    bump = rates(lambda share, method: AS_PRINTED[method] - (share if share != 0.4 else 0.2))
    assert verdict(bump, "Labelled rate (1)").supported is False


def test_a_curve_that_lacks_points_supports_nothing() -> None:
    whole = rates(lambda share, method: (1.0 if method in ("LSVV", "SS-VV") else 2.0) - share)
    assert [verdict(whole, f"Labelled rate ({n})").supported for n in (1, 2)] == [True, True]
    some = [record for record in whole if record.trial["labelled"] in (0.1, 0.9)]
    assert [verdict(some, f"Labelled rate ({n})").supported for n in (1, 2)] == [None, None]
    few = [record for record in whole if int(str(record.trial["seed"])) < FIRST_SEED + 2]
    assert [verdict(few, f"Labelled rate ({n})").supported for n in (1, 2)] == [None, None]


def test_a_theta_curve_is_judged_whole_and_its_end_alone() -> None:
    dip = theta(lambda x: 9.0 + (x - 1.0) * (x + 0.2))
    ends = [record for record in dip if record.trial["free_rank"] in (0.0, 0.5, 1.0)]
    assert [verdict(ends, f"Theta ({n})").supported for n in range(1, 5)] == [True, None, None, None]


def test_the_rules_state_how_far_equal_means_may_differ() -> None:
    assert verdict([], "Theta (1)").rule == "The means at 1 differ by 0.005 at most."
    for n in (2, 4):
        assert "by more than 0.005" in verdict([], f"Theta ({n})").rule
    assert verdict(theta(lambda _: 8.9949, flat=8.9951), "Theta (1)").supported is True
    assert verdict(theta(lambda _: 8.9955, flat=9.0040), "Theta (1)").supported is False


def test_semi_supervised_methods_win_at_every_share_or_they_do_not() -> None:
    assert verdict(rates(lambda *_: 1.0), "Labelled rate (2)").supported is False
    winning = rates(lambda share, method: 1.0 if method in ("LSVV", "SS-VV") else 2.0)
    assert verdict(winning, "Labelled rate (2)").supported is True
    printed = rates(lambda share, method: AS_PRINTED[method])
    assert verdict(printed, "Labelled rate (2)").supported is False


def test_a_dip_between_the_ends_is_what_the_paper_sees() -> None:
    dip = theta(lambda x: 9.0 + (x - 1.0) * (x + 0.2))
    assert [verdict(dip, f"Theta ({n})").supported for n in range(1, 5)] == [True, True, True, True]


def test_a_flat_line_beside_others_supports_only_that_the_end_is_the_same() -> None:
    flat = theta(lambda _: 9.0, flat=9.004)
    assert [verdict(flat, f"Theta ({n})").supported for n in range(1, 5)] == [True, False, False, False]


def test_a_panel_in_which_nothing_moves_tests_nothing() -> None:
    for n in range(1, 5):
        found = verdict(theta(lambda _: 9.0), f"Theta ({n})")
        assert (found.supported, found.tested) == (None, False)
        assert found.evidence == "Not tested on corel5k, bibtex: no setting moves a figure there."
    one, other = (
        [record for record in theta(at) if record.trial["data"] == data]
        for data, at in (("corel5k", lambda _: 9.0), ("bibtex", lambda x: 9.0 + (x - 1.0) * (x + 0.2)))
    )
    assert [verdict([*one, *other], f"Theta ({n})").supported for n in range(1, 5)] == [True] * 4
    assert "Not tested on corel5k" in verdict([*one, *other], "Theta (2)").evidence


def test_the_trace_norm_may_be_best() -> None:
    rising = theta(lambda x: 8.0 + x)
    assert [verdict(rising, f"Theta ({n})").supported for n in range(1, 5)] == [True, True, False, False]


def test_ends_that_differ_are_seen() -> None:
    assert verdict(theta(lambda _: 8.0), "Theta (1)").supported is False
