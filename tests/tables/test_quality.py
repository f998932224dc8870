"""Quality and intervals say what they measure."""

import numpy as np
import pytest

from lsvv.tables.quality import interval_of, quality_of_choices, quality_of_numbers, wilson


def test_the_interval_covers_new_values_as_promised(rng: np.random.Generator) -> None:
    shares = []
    for _ in range(200):
        errors, new = rng.normal(size=50), rng.normal(size=200)
        interval = interval_of(errors, np.zeros(50))
        shares.append(np.mean(np.abs(new) <= interval.half_width))
        assert abs(interval.measured - 0.9) <= 0.05
    assert np.mean(shares) == pytest.approx(0.9, abs=0.02)


def test_measured_coverage_equals_leaving_each_out(rng: np.random.Generator) -> None:
    truth = rng.normal(size=23)
    within = [abs(one) <= interval_of(np.delete(truth, i), np.zeros(22)).half_width for i, one in enumerate(truth)]
    assert interval_of(truth, np.zeros(23)).measured == pytest.approx(np.mean(within))


def test_too_few_known_cells_are_told() -> None:
    interval = interval_of(np.array([1.0, 2.0, 3.0]), np.zeros(3))
    assert interval.half_width == 3.0
    assert "3 known cells are too few" in interval.note
    assert np.isnan(interval_of(np.array([1.0]), np.zeros(1)).measured)


def test_shares_have_wilson_intervals_and_sentences() -> None:
    quality = quality_of_choices(np.array([True] * 9 + [False]), 0.5)
    assert (quality.low, quality.high) == wilson(0.9, 10)
    assert quality.low < 0.9 < quality.high
    assert "90 % right" in quality.sentence()


def test_r2_is_1_for_the_truth_and_0_for_the_mean() -> None:
    truth = np.arange(10.0)
    assert quality_of_numbers(truth, truth).value == 1.0
    mean = quality_of_numbers(truth, np.full(10, truth.mean()))
    assert mean.value == 0.0
    assert "R2 0.00" in mean.sentence()
    assert "all 4 known cells are the same" in quality_of_numbers(np.ones(4), np.zeros(4)).sentence()
