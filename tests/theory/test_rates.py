import math

import pytest

from lsvv.theory import RATES, SOURCES, rate_table, rates
from lsvv.theory.rates import TableName

TABLES: tuple[TableName, ...] = ("contributions", "vector-valued", "multi-class", "multi-label")


def test_every_row_of_the_four_tables_is_there_with_its_source() -> None:
    assert [len(rates(table, version="printed")) for table in TABLES] == [3, 8, 7, 4]
    assert [rate.worst.text for rate in rates("text")] == ["sqrt(d_N/n)", "n^(-1/3)", "n^(-1/4)"]
    assert [rate.excess for rate in rates("text")] == [False, True, True]
    assert {rate.source for rate in RATES} == set(SOURCES)


@pytest.mark.parametrize("rate", RATES, ids=lambda rate: f"{rate.table}: {rate.name} {rate.source}")
def test_formula_and_function_agree(rate: object) -> None:
    words = {"sqrt": math.sqrt, "log": math.log}
    n, u, K = 50, 300, 7
    for order in (rate.worst, rate.special):  # type: ignore[attr-defined]
        text = order.text.replace("log^2 K", "log(K)**2").replace("log^3(nK)", "log(n*K)**3")
        text = text.replace("log K", "log(K)").replace("K sqrt", "K*sqrt").replace("^", "**").replace("d_N", "K")
        assert order(n, u, K) == pytest.approx(eval(text, words, {"n": n, "u": u, "K": K}))


def test_rates_fall_with_n_and_never_rise_with_u() -> None:
    for rate in RATES:
        assert rate.worst(4000, 100, 5) < rate.worst(1000, 100, 5)
        assert rate.worst(1000, 900, 5) <= rate.worst(1000, 100, 5)
        assert (rate.worst(1000, 900, 5) < rate.worst(1000, 100, 5)) == rate.unlabelled


def test_corrected_rows_have_k_and_no_u() -> None:
    for table in TABLES:
        ours = [rate for rate in rates(table) if rate.source == "LSVV"]
        assert ours
        for rate in ours:
            assert rate.worst(100, 0, 9) == rate.worst(100, 10**6, 9) == pytest.approx(0.31)
            assert not rate.unlabelled
    linear = rates("multi-label")[-1]
    assert "not a certificate" in linear.note


def test_the_two_rates_of_one_source_are_both_carried_with_a_note() -> None:
    found = [rate for rate in RATES if rate.source == "Li et al. 2018"]
    assert [rate.worst.text for rate in found] == ["log K / n", "log^2 K / n"]
    assert all("log K / n" in rate.note and "log^2 K / n" in rate.note for rate in found)


def test_no_unlabelled_rows_make_the_semi_supervised_rate_infinite() -> None:
    assert rates("multi-class")[2].worst(10, 0, 3) == float("inf")


def test_table_as_markdown() -> None:
    lines = rate_table("multi-class", n=100, u=400, n_outputs=4, version="printed").splitlines()
    assert len(lines) == 9
    assert {line.count("|") for line in lines} == {7}
    assert lines[-1].startswith("| LRC for linear VV (Corollary 2) †‡ | LSVV | 1/sqrt(n+u) + 1/n | 0.0547 |")


def test_errors_are_sentences() -> None:
    with pytest.raises(ValueError, match="choose one of contributions, vector-valued, multi-class, multi-label"):
        rates("ranking")  # type: ignore[arg-type]
