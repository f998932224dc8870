"""Intervals of numbers: exact where errors are alike everywhere, and as wide as errors are where they are not."""

import numpy as np
import pytest
from scipy.stats import binomtest

from lsvv import LSVVRegressorCV
from lsvv.intervals import MOST_RATIOS, error_law, left_out_interval

ORIGIN = np.zeros(1)


def test_the_interval_covers_new_values_as_promised(rng: np.random.Generator) -> None:
    shares = []
    for _ in range(200):
        law, new = error_law(rng.normal(size=50), np.zeros(50)), rng.normal(size=200)
        shares.append(np.mean(np.abs(new) <= law.half_widths(ORIGIN, 0.9)))
        assert abs(law.measured(0.9) - 0.9) <= 0.05
    assert np.mean(shares) == pytest.approx(0.9, abs=0.02)


def test_measured_coverage_equals_leaving_each_out(rng: np.random.Generator) -> None:
    truth = rng.normal(size=23)
    within = [
        abs(one) <= error_law(np.delete(truth, i), np.zeros(22)).half_widths(ORIGIN, 0.9)[0]
        for i, one in enumerate(truth)
    ]
    assert error_law(truth, np.zeros(23)).measured(0.9) == pytest.approx(np.mean(within))


def test_too_few_numbers_give_the_largest_error() -> None:
    law = error_law(np.array([1.0, -2.0, 3.0]), np.zeros(3))
    assert not law.has_enough(0.9)
    assert law.has_enough(0.5)
    assert law.half_widths(ORIGIN, 0.9).tolist() == [3.0]
    assert np.isnan(error_law(np.ones(1), ORIGIN).measured(0.9))


def test_each_ratio_is_made_without_its_own_error(rng: np.random.Generator) -> None:
    scores = rng.normal(size=100)
    truth = scores + np.abs(scores) * rng.normal(size=100)
    ratios = []
    for error in (1e3, 2e3):
        truth[7] = scores[7] + error
        ratios.append(error_law(truth, scores).ratios[-1])
    assert ratios[1] == pytest.approx(2 * ratios[0])


@pytest.mark.parametrize("scores", [np.zeros(100), np.repeat([0.0, 1.0], 50), np.r_[np.zeros(97), 1.0, 2.0, 3.0]])
def test_equal_scores_and_no_errors_make_finite_widths(scores: np.ndarray) -> None:
    for errors in (np.zeros(100), np.arange(100.0)):
        widths = error_law(scores + errors, scores).half_widths(np.array([-9.0, 0.5, 9.0]), 0.9)
        assert np.isfinite(widths).all()
        assert np.all(widths > 0) if errors.any() else np.all(widths < 1e-200)


def test_very_many_ratios_are_kept_as_quantiles(rng: np.random.Generator) -> None:
    law = error_law(rng.normal(size=9000), np.zeros(9000))
    assert (law.ratios.size, law.n_known) == (MOST_RATIOS, 9000)
    assert law.half_widths(ORIGIN, 0.9)[0] == pytest.approx(1.645, abs=0.05)


def growing(seed: int, n: int = 2400) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and numbers whose noise grows with them, above and below 0."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 3))
    middle = 5 * X[:, 0] + 2 * X[:, 1]
    return X, middle + (0.3 + 0.3 * (middle + 7)) * rng.normal(size=n)


def test_the_interval_covers_in_every_fifth_of_the_predicted_values() -> None:
    X, y = growing(0)
    known = np.where(np.arange(2400) < 600, y, np.nan)
    model = LSVVRegressorCV(features="linear", random_state=0).fit(X, known)
    lower, upper = model.predict_interval(X[600:])
    within = (lower <= y[600:]) & (y[600:] <= upper)
    fifths = np.array_split(np.argsort(model.predict(X[600:])), 5)
    assert all(0.85 <= within[fifth].mean() <= 0.95 for fifth in fifths)
    widths = upper - lower
    assert widths[fifths[4]].mean() > 3 * widths[fifths[0]].mean()


def test_intervals_have_the_shape_of_predictions_and_nest(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(80, 2)), rng.normal(size=80)
    one = LSVVRegressorCV(features="linear", random_state=0).fit(X, y)
    two = LSVVRegressorCV(features="linear", random_state=0).fit(X, np.c_[y, np.where(np.arange(80) < 30, y, np.nan)])
    for model in (one, two):
        (low, high), (lowest, highest) = (model.predict_interval(X, level) for level in (0.5, 0.95))
        assert low.shape == high.shape == model.predict(X).shape
        assert np.all((lowest <= low) & (low <= model.predict(X)) & (model.predict(X) <= high) & (high <= highest))
    with pytest.raises(ValueError, match=r"level=90 is out of range. Pass a number between 0 and 1, such as 0.9."):
        one.predict_interval(X, 90)
    with pytest.raises(ValueError, match=r"level='high' is out of range"):
        one.predict_interval(X, "high")  # type: ignore[arg-type]


@pytest.mark.parametrize("right", [0, 7, 20])
def test_the_interval_of_a_left_out_share_is_wilsons_of_half_as_many_rows(right: int) -> None:
    expected = binomtest(right, 20).proportion_ci(0.95, method="wilson")
    assert left_out_interval(right / 20, 40) == pytest.approx((expected.low, expected.high), abs=1e-4)
