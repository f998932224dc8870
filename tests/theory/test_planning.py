import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsvv.theory import back_test, fit_curve, plan_labels
from lsvv.theory.arguments import Floats

FIXED = settings(deadline=None, derandomize=True, max_examples=40)
SIZES = np.array([20.0, 40, 80, 160, 320])


def curve(floor: float, scale: float, exponent: float, sizes: Floats = SIZES) -> Floats:
    return floor + scale * sizes**-exponent


@FIXED
@given(floor=st.floats(0, 0.3), scale=st.floats(0.2, 2), exponent=st.sampled_from([0.25, 0.5, 0.75, 1.0]))
def test_a_clean_curve_is_recovered(floor: float, scale: float, exponent: float) -> None:
    fit = fit_curve(SIZES, curve(floor, scale, exponent), np.full(5, 1e-7), n_resamples=100, random_state=0)
    assert fit.exponent[0] == pytest.approx(exponent)
    assert fit.floor[0] == pytest.approx(floor, abs=1e-6)
    assert fit.sizes_for(curve(floor, scale, exponent)[-1])[0] == pytest.approx(320, rel=1e-3)
    assert fit.errors_at(80.0)[0] == pytest.approx(curve(floor, scale, exponent)[2])


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    noise, truth, covered = np.full(5, 0.01), 1280.0, 0
    target = float(curve(0.1, 1.0, 0.5, np.array([truth]))[0])
    for seed in range(100):
        measured = curve(0.1, 1.0, 0.5) + noise * rng.standard_normal(5)
        plan = plan_labels(SIZES, measured, noise, target, n_resamples=200, random_state=seed)
        covered += plan.interval[0] <= truth <= plan.interval[1]
    assert covered >= 85


def test_a_lower_target_needs_more_labels() -> None:
    measured, noise = curve(0.05, 1.0, 0.5), np.full(5, 0.003)
    plans = [plan_labels(SIZES, measured, noise, target, random_state=0) for target in (0.14, 0.12, 0.1)]
    assert plans[0].size < plans[1].size < plans[2].size
    assert all(plan.interval[0] <= plan.size <= plan.interval[1] for plan in plans)
    assert plans[2].more == plans[2].size - 320


def test_more_noise_makes_a_wider_interval() -> None:
    measured = curve(0.05, 1.0, 0.5)
    widths = []
    for noise in (0.001, 0.004):
        low, high = plan_labels(SIZES, measured, np.full(5, noise), 0.1, random_state=0).interval
        widths.append(np.log(high / low))
    assert widths[0] < widths[1]


def test_a_shape_that_does_not_fit_widens_the_interval() -> None:
    measured, noise = curve(0.1, 1.0, 0.5), np.full(5, 0.002)
    bumpy = measured + np.array([0.0, 0.03, -0.03, 0.03, 0.0])
    plain, rough = (plan_labels(SIZES, c, noise, 0.13, random_state=0) for c in (measured, bumpy))
    assert rough.fit.misfit > 3 > plain.fit.misfit
    assert rough.interval[1] - rough.interval[0] > plain.interval[1] - plain.interval[0]


def test_a_target_below_the_floor_is_never_reached() -> None:
    plan = plan_labels(SIZES, curve(0.2, 1.0, 1.0), np.full(5, 1e-5), 0.1, random_state=0)
    assert plan.size == plan.more == plan.interval[0] == float("inf")
    assert plan.verdict.startswith("No number of labels reaches an error of 0.1")


def test_a_target_that_may_never_be_reached_is_said_so() -> None:
    plan = plan_labels(SIZES, curve(0.1, 1.0, 0.5), np.full(5, 0.01), 0.1, random_state=0)
    assert plan.interval[1] == float("inf") > plan.interval[0]
    assert "does not rule out that it stays above it for ever" in plan.verdict


def test_a_flat_curve_reaches_what_it_already_has() -> None:
    plan = plan_labels(SIZES, np.full(5, 0.1), np.full(5, 1e-6), 0.2, random_state=0)
    assert plan.more == 0
    assert plan.verdict.startswith("About")


def test_back_test_predicts_the_largest_size_from_the_smaller_half() -> None:
    found = back_test(SIZES, curve(0.1, 1.0, 0.5), np.full(5, 0.004), random_state=0)
    assert (found.size, found.used) == (320.0, 4)
    assert found.predicted_error == pytest.approx(found.error, abs=0.02)
    assert found.error_covered
    assert found.size_covered


def test_back_test_reports_a_break_in_the_curve() -> None:
    broken = curve(0.1, 1.0, 0.5)
    broken[-1] = 0.9
    assert not back_test(SIZES, broken, np.full(5, 0.004), random_state=0).error_covered


def test_seeds_fix_the_answer() -> None:
    arguments = SIZES, curve(0.1, 1.0, 0.5), np.full(5, 0.004), 0.13
    first, second = (plan_labels(*arguments, random_state=3) for _ in range(2))
    assert first.interval == second.interval


def test_errors_are_sentences() -> None:
    noise = np.full(5, 0.01)
    good = curve(0.1, 1.0, 0.5)
    with pytest.raises(ValueError, match="The curve has 3 different sizes; measure at least 4"):
        plan_labels(SIZES[:3], good[:3], noise[:3], 0.1)
    with pytest.raises(ValueError, match=r"errors has shape \(4,\); sizes, errors, standard_errors are 1-d"):
        plan_labels(SIZES, good[:4], noise, 0.1)
    with pytest.raises(ValueError, match="errors has an entry that is negative or not finite"):
        plan_labels(SIZES, np.append(good[:4], np.nan), noise, 0.1)
    with pytest.raises(ValueError, match="must be above 0; repeat the measurement"):
        plan_labels(SIZES, good, np.zeros(5), 0.1)
    with pytest.raises(ValueError, match="n_resamples is 5; it must be a whole number of at least 100"):
        plan_labels(SIZES, good, noise, 0.1, n_resamples=5)
    with pytest.raises(ValueError, match="The curve has 3 different sizes"):
        back_test([10, 20, 30, 200, 300], good, noise)
