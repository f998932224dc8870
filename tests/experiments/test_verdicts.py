from collections.abc import Callable

import pytest

from lsvv.experiments.plan import PAPER
from lsvv.experiments.records import Record
from lsvv.experiments.summary import Results
from lsvv.experiments.verdicts import Verdict, verdicts
from made_up import curve_records, means, row_records

AS_PRINTED = means(4, 3, 2.9, 2)


def verdict(records: list[Record], number: str) -> Verdict:
    return next(one for one in verdicts(Results(records, None)) if one.number == number)


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
    assert verdict(both_spaces("letter", AS_PRINTED, AS_PRINTED), "MC (5)").supported is None


def test_the_best_of_eight_must_beat_the_linear_space_too() -> None:
    assert verdict(both_spaces("scene", shifted(AS_PRINTED, -1), AS_PRINTED, "ml"), "ML (1)").supported is False


def test_most_is_more_than_half() -> None:
    half = both_spaces("scene", AS_PRINTED, means(1, 2, 3, 4), "ml")
    assert verdict(half, "ML (2)").supported is False
    more = [*half, *row_records("linear-ml", "yeast", AS_PRINTED)]
    assert verdict(more, "ML (2)").supported is True
    assert verdict(more, "ML (2)").evidence == "It holds in 2 of 3 cases. It does not in: scene (kernel)."


def test_errors_fall_with_more_labels_or_they_do_not() -> None:
    falling = rates(lambda share, method: AS_PRINTED[method] - share)
    assert verdict(falling, "Labelled rate (1)").supported is True
    bump = rates(lambda share, method: AS_PRINTED[method] - (share if share != 0.4 else 0.2))
    assert verdict(bump, "Labelled rate (1)").supported is False


def test_semi_supervised_methods_win_at_every_share_or_they_do_not() -> None:
    assert verdict(rates(lambda *_: 1.0), "Labelled rate (2)").supported is False
    winning = rates(lambda share, method: 1.0 if method in ("LSVV", "SS-VV") else 2.0)
    assert verdict(winning, "Labelled rate (2)").supported is True
    printed = rates(lambda share, method: AS_PRINTED[method])
    assert verdict(printed, "Labelled rate (2)").supported is False


def test_a_dip_between_the_ends_is_what_the_paper_sees() -> None:
    dip = theta(lambda x: 9.0 + (x - 1.0) * (x + 0.2))
    assert [verdict(dip, f"Theta ({n})").supported for n in range(1, 5)] == [True, True, True, True]


def test_a_flat_line_supports_only_that_the_end_is_the_same() -> None:
    flat = theta(lambda _: 9.0)
    assert [verdict(flat, f"Theta ({n})").supported for n in range(1, 5)] == [True, False, False, False]


def test_the_trace_norm_may_be_best() -> None:
    rising = theta(lambda x: 8.0 + x)
    assert [verdict(rising, f"Theta ({n})").supported for n in range(1, 5)] == [True, True, False, False]


def test_ends_that_differ_are_seen() -> None:
    assert verdict(theta(lambda _: 8.0), "Theta (1)").supported is False
