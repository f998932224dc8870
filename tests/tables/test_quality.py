"""Quality and intervals say what they measure."""

import numpy as np
import pytest

from lsvv.intervals import error_law, left_out_interval
from lsvv.tables.quality import interval_of, quality_of_choices, quality_of_numbers


def test_the_interval_of_a_law_has_its_usual_width_and_tells_of_too_few() -> None:
    law = error_law(np.array([1.0, 2.0, 3.0]), np.zeros(3))
    interval = interval_of(law, np.array([-3.0, -3.0, 0.0]), np.array([3.0, 3.0, 1.0]))
    assert (interval.half_width, interval.n_known, interval.coverage) == (3.0, 3, 0.9)
    assert "3 known cells are too few for a 90 % interval" in interval.note
    assert interval_of(error_law(np.arange(9.0), np.zeros(9)), np.zeros(1), np.ones(1)).note == ""


def test_shares_have_intervals_and_sentences() -> None:
    quality = quality_of_choices(np.array([True] * 9 + [False]), 0.5)
    assert (quality.low, quality.high) == left_out_interval(0.9, 10)
    assert quality.low < 0.9 < quality.high
    assert "90 % right" in quality.sentence()


def test_r2_is_1_for_the_truth_and_0_for_the_mean() -> None:
    truth = np.arange(10.0)
    assert quality_of_numbers(truth, truth).value == 1.0
    mean = quality_of_numbers(truth, np.full(10, truth.mean()))
    assert mean.value == 0.0
    assert "R2 0.00" in mean.sentence()
    assert "all 4 known cells are the same" in quality_of_numbers(np.ones(4), np.zeros(4)).sentence()


@pytest.mark.parametrize("n", [20, 60])
@pytest.mark.parametrize(("slope", "noise"), [(1.0, 0.5), (1.0, 3.0), (0.0, 5.0)])
def test_the_range_of_r2_holds_it_with_95_percent(rng: np.random.Generator, n: int, slope: float, noise: float) -> None:
    held, r2 = 0, 1.0 - ((1.0 - slope) ** 2 + noise**2) / (slope**2 + noise**2)
    for _ in range(400):
        predicted = rng.normal(size=n)
        quality = quality_of_numbers(slope * predicted + noise * rng.normal(size=n), predicted)
        held += quality.low <= r2 <= quality.high
    assert 0.92 <= held / 400 <= 0.98


def test_the_range_of_r2_is_none_for_two_numbers_and_a_point_for_the_truth() -> None:
    assert np.isnan(quality_of_numbers(np.arange(2.0), np.zeros(2)).low)
    lonely = quality_of_numbers(np.eye(9)[0], np.zeros(9))
    assert np.isnan(lonely.low)
    assert lonely.sentence().startswith("R2 -0.12 on 9 known cells")
    exact = quality_of_numbers(np.arange(9.0), np.arange(9.0))
    assert [exact.low, exact.high] == pytest.approx([1.0, 1.0])
