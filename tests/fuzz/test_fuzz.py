"""The first of the generated cases, and those whose faults were mended; ``make fuzz`` runs many more."""

from collections import Counter

import pytest

from fuzz.judging import FaultError, badly_said, check, judged
from fuzz.kinds import KINDS, run

STEP = 40
MENDED = (
    *(523, 566, 710, 721, 803, 1210, 1392, 1403, 1422, 1621, 1623, 1694, 1824, 2371, 2808, 4067, 4163, 4599, 5107),
    *(5382, 5392, 5444, 7477, 10966, 12589, 12627, 13031, 14047, 14814, 16433, 17540),
)


@pytest.mark.parametrize("start", range(0, 320, STEP))
def test_every_case_ends_in_a_sane_result_or_in_a_sentence(start: int) -> None:
    verdicts = [run(number) for number in range(start, start + STEP)]
    assert [one for one in verdicts if one.ended == "fault"] == []
    kinds = Counter(one.kind for one in verdicts)
    assert set(kinds) == set(KINDS)


@pytest.mark.parametrize("number", MENDED)
def test_what_was_mended_stays_so(number: int) -> None:
    assert run(number).ended != "fault"


def test_a_case_is_drawn_from_its_number_alone() -> None:
    assert [run(number) for number in range(20)] == [run(number) for number in range(20)]


@pytest.mark.parametrize("error", [ZeroDivisionError("It went wrong somewhere."), ValueError("bad"), FaultError("NaN")])
def test_what_is_no_sentence_of_ours_is_a_fault(error: Exception) -> None:
    def case(draw: object) -> None:
        raise error

    assert judged(0, "x", case).ended == "fault"


def test_a_sentence_ends_and_says_what_is_wrong() -> None:
    assert badly_said("X contains NaN at row 0") == "no full stop"
    assert badly_said("It is wrong.") == "says too little"
    assert not badly_said("X contains NaN at row 0, column 1. Fill it first.")
    with pytest.raises(FaultError, match="of no shape"):
        check(False, "of no shape")
