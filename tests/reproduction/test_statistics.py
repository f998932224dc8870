import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from reproduction.statistics import (
    corrected_resampled_t,
    friedman,
    holm,
    marks,
    mean_ranks,
    nemenyi_difference,
    paired_t,
    summarise,
)

FIGURES = st.lists(st.floats(0, 100, width=32), min_size=3, max_size=12)
PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=10)


def test_summaries_use_n_minus_one() -> None:
    found = summarise([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0])
    assert (found.mean, found.count) == (5.0, 8)
    assert found.std == pytest.approx(math.sqrt(32 / 7))
    assert math.isnan(summarise([3.0]).std)
    with pytest.raises(ValueError, match="no figures to summarise"):
        summarise([])


def test_paired_t_is_the_textbook_one() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=30), rng.normal(0.3, 1, size=30)
    expected = stats.ttest_rel(a, b)
    found = paired_t(a, b)
    assert found.degrees == 29
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(FIGURES, st.integers(0, 10**6))
def test_the_corrected_t_is_the_paired_one_shrunk_by_a_known_factor(figures: list[float], seed: int) -> None:
    a = np.array(figures)
    b = a + np.random.default_rng(seed).normal(0.1, 1, len(a))
    plain, corrected = paired_t(a, b), corrected_resampled_t(a, b, test_share=0.3)
    shrink = math.sqrt((1 / len(a)) / (1 / len(a) + 3 / 7))
    assert corrected.statistic == pytest.approx(plain.statistic * shrink, rel=1e-9)
    assert corrected.p_value >= plain.p_value
    assert paired_t(b, a).statistic == pytest.approx(-plain.statistic, rel=1e-9)
    assert corrected_resampled_t(a, b, test_share=0.0) == plain


@pytest.mark.parametrize("shift", [-1.0, 0.0, 1.0])
def test_differences_that_never_vary_are_certain(shift: float) -> None:
    a = np.array([1.0, 2.0, 4.0])
    found = paired_t(a + shift, a)
    assert found.statistic == (math.copysign(math.inf, shift) if shift else 0.0)
    assert found.p_value == (0.0 if shift else 1.0)


def test_tests_refuse_what_they_cannot_compare() -> None:
    with pytest.raises(ValueError, match="same 2 or more splits for both, but has 2 and 3"):
        paired_t([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="but has 1 and 1"):
        paired_t([1.0], [1.0])
    with pytest.raises(ValueError, match="Figure 1 is nan: leave failed trials out"):
        paired_t([1.0, math.nan], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"shape is \(1, 2\)"):
        summarise([[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"but test_share=1"):
        corrected_resampled_t([1.0, 2.0], [1.0, 2.0], test_share=1.0)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(PROBABILITIES)
def test_holm_rejects_what_the_step_down_procedure_rejects(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert (adjusted >= p_values).all()
    assert (adjusted <= 1).all()
    rejected = set()
    for step, index in enumerate(np.argsort(p_values, kind="stable")):
        if p_values[index] * (len(p_values) - step) > 0.05:
            break
        rejected.add(int(index))
    assert {int(index) for index in np.flatnonzero(adjusted <= 0.05)} == rejected


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([0.01, 0.02, 0.03, 0.04], [0.04, 0.06, 0.06, 0.06]),  # 4 p, 3 p, and then no less than the one before
        ([0.2, 0.001, 0.01, 0.012], [0.2, 0.004, 0.03, 0.03]),
        ([0.5, 0.4, 0.03], [0.8, 0.8, 0.09]),
        ([0.9, 0.6], [1.0, 1.0]),
    ],
)
def test_holm_is_the_printed_adjustment(p_values: list[float], adjusted: list[float]) -> None:
    assert holm(p_values) == pytest.approx(adjusted)


def test_holm_refuses_what_is_no_probability() -> None:
    with pytest.raises(ValueError, match=r"outside \[0, 1\]"):
        holm([0.5, 1.5])


def test_marks_name_the_best_and_what_cannot_be_told_from_it() -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(10, 2, 30)
    errors = {"far": base + 1 + rng.normal(0, 0.1, 30), "near": base + rng.normal(0.01, 1, 30), "low": base - 0.01}
    assert marks(errors) == {"far": "worse", "near": "close", "low": "best"}
    assert marks({"a": [1.0, 2.0], "b": [2.0, 1.0]}) == {"a": "best", "b": "best"}
    assert marks(errors, test=corrected_resampled_t)["far"] == "worse"


def test_critical_differences_are_the_published_ones() -> None:
    # Demsar (2006), Table 5(a): q at 0.05 for 2, 4, 6 and 10 methods.
    for methods, q in ((2, 1.960), (4, 2.569), (6, 2.850), (10, 3.164)):
        expected = q * math.sqrt(methods * (methods + 1) / (6 * 30))
        assert nemenyi_difference(methods, 30) == pytest.approx(expected, abs=2e-3)
    with pytest.raises(ValueError, match="2 methods and 1 cell at least, but there are 1 and 5"):
        nemenyi_difference(1, 5)


def test_ranks_share_ties_and_sum_to_a_constant() -> None:
    found = mean_ranks({"a": [1.0, 5.0, 2.0], "b": [2.0, 5.0, 1.0], "c": [3.0, 1.0, 3.0]})
    assert found.ranks == pytest.approx({"a": 5.5 / 3, "b": 5.5 / 3, "c": 7 / 3})
    assert sum(found.ranks.values()) == pytest.approx(6)
    assert found.cells == 3
    assert found.critical == nemenyi_difference(3, 3)
    with pytest.raises(ValueError, match=r"numbers of cells are \[1, 2\]"):
        mean_ranks({"a": [1.0], "b": [1.0, 2.0]})


def test_friedmans_test_is_that_of_scipy_with_the_correction_of_iman_and_davenport() -> None:
    table = np.random.default_rng(0).normal(size=(12, 4)).round(1) + 0.2 * np.arange(4)
    chi2 = stats.friedmanchisquare(*table.T).statistic
    F = 11 * chi2 / (12 * 3 - chi2)
    assert friedman(table) == pytest.approx(stats.f.sf(F, 3, 33), rel=1e-12)
    assert mean_ranks(dict(zip("abcd", table.T, strict=True))).friedman == friedman(table)


def test_friedmans_test_at_its_ends() -> None:
    assert friedman([[1.0, 2.0, 3.0]] * 5) == 0.0
    assert friedman([[1.0, 1.0, 1.0]] * 5) == 1.0
    assert math.isnan(friedman([[1.0, 2.0, 3.0]]))
