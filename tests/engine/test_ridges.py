"""The ridge of a single model: by leave-one-out, to the mean on noise, to next to none on a line."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel

from lsvv import LSVVClassifier, LSVVRegressor
from lsvv.engine import chosen_ridge, fits, judgeable, spread
from lsvv.engine.ridges import RIDGES, SURE
from lsvv.losses import Squared


@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("signal", [0.0, 0.4, 3.0])
def test_the_ridge_is_next_to_the_best_where_that_beats_the_mean_by_a_t_test(
    rng: np.random.Generator, signal: float, n: int
) -> None:
    taken = set()
    for _ in range(20):
        Phi, A = rng.normal(size=(n, 6)), np.full((n, 2), 1 / n)
        T = signal * Phi[:, :2] + rng.normal(size=(n, 2))
        path = list(fits(Phi, T, A, Squared(), [spread(Phi, A) * ridge for ridge in RIDGES]))
        path = [one for one, kept in zip(path, judgeable(path), strict=True) if kept]
        losses = [(A * (one.loo - T) ** 2).sum(axis=1) for one in path]
        best = int(np.argmin([rows.sum() for rows in losses]))
        is_better = best > 0 and ttest_rel(losses[0], losses[best], alternative="greater").pvalue < 1.0 - SURE
        excess = np.array([rows - losses[best] for rows in losses])
        is_close = excess.sum(axis=1) <= 0.5 * np.sqrt(n) * excess.std(axis=1, ddof=1)
        is_close[0] = not is_better
        assert chosen_ridge(Phi, T, A)[0] == path[int(np.argmax(is_close))].ridge
        taken.add(is_better)
    if n == 40:
        assert taken >= {signal > 0.0}
        assert (False in taken) == (signal < 3.0)


@pytest.mark.parametrize(("n", "d"), [(10, 1), (50, 5), (100, 30)])
def test_noise_is_predicted_by_its_mean(rng: np.random.Generator, n: int, d: int) -> None:
    ratios = []
    for _ in range(8):
        X, y = rng.normal(size=(3 * n, d)), rng.normal(size=3 * n)
        y[n:] = np.nan
        predicted = LSVVRegressor(random_state=0).fit(X, y).predict(rng.normal(size=(200, d)))
        ratios.append((1.0 + np.mean(predicted**2)) / (1.0 + np.nanmean(y) ** 2))
    assert np.mean(ratios) < 1.03


def test_auto_is_a_number_of_the_fitted_model_and_needs_the_squared_loss(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    model = LSVVRegressor(features="linear", smoothing=0.0).fit(X, X @ [1.0, 2.0])
    same = LSVVRegressor(features="linear", smoothing=0.0, ridge=model.ridge_).fit(X, X @ [1.0, 2.0])
    np.testing.assert_array_equal(model.coef_, same.coef_)
    assert LSVVRegressor(ridge=0.3).fit(X, X[:, 0]).ridge_ == 0.3
    with pytest.raises(ValueError, match=r"ridge='auto' needs the squared loss, not 'logistic'. Pass a number"):
        LSVVClassifier(ridge="auto", loss="logistic").fit(X, (X[:, 0] > 0).astype(int))


def test_equal_rows_are_one_row_of_their_weight(rng: np.random.Generator) -> None:
    Phi, T, A = rng.normal(size=(30, 4)), rng.normal(size=(30, 2)), np.full((30, 2), 1 / 30)
    T += 2 * Phi[:, :2]
    twice = chosen_ridge(np.vstack([Phi, Phi]), np.vstack([T + 0.5, T - 0.5]), np.vstack([A, A]) / 2)
    assert twice[0] == pytest.approx(chosen_ridge(Phi, T, A)[0])


def test_of_many_masks_the_outputs_known_best_decide(rng: np.random.Generator) -> None:
    Phi, T = rng.normal(size=(40, 4)), rng.normal(size=(40, 5))
    T[:, [0, 2, 4]] += 3 * Phi[:, :3]
    known = rng.random((40, 5)) < [0.9, 0.3, 0.8, 0.3, 0.7]
    A = known / known.sum(axis=0)
    best = [0, 2, 4]
    assert chosen_ridge(Phi, T, A)[0] == chosen_ridge(Phi, T[:, best], A[:, best])[0]
    assert chosen_ridge(Phi, T, A) != chosen_ridge(Phi, T[:, [1, 3]], A[:, [1, 3]])


def test_the_spread_is_the_mean_square_about_the_weighted_mean(
    rng: np.random.Generator,
) -> None:
    Phi, A = rng.normal(size=(20, 3)), rng.uniform(size=(20, 2))
    a = A.max(axis=1)
    about = Phi - np.average(Phi, axis=0, weights=a)
    assert spread(Phi, A) == pytest.approx(np.average((about**2).sum(axis=1), weights=a))
    assert spread(np.ones((4, 2)), np.ones((4, 1))) == 1.0


@pytest.mark.parametrize(("d", "dropped"), [(4, False), (23, True), (400, False)])
def test_ridges_whose_left_out_errors_are_one_coin_are_not_compared(
    rng: np.random.Generator, d: int, dropped: bool
) -> None:
    Phi, A, T = rng.normal(size=(24, d)), np.full((24, 1), 1 / 24), rng.choice([0.0, 1.0], (24, 1))
    unit = spread(Phi, A)
    path = list(fits(Phi, T, A, Squared(), [unit * ridge for ridge in RIDGES]))
    kept = judgeable(path)
    assert kept[0]
    assert (not all(kept)) == dropped
    assert kept == [one.independent >= 6.0 for one in path]


def test_of_two_labels_all_ridges_are_compared() -> None:
    Phi, A = np.array([[0.0], [1.0], [3.0]]), np.full((3, 1), 1 / 3)
    path = list(fits(Phi, np.array([[0.0], [1.0], [1.0]]), A, Squared(), [1.0, 0.1]))
    assert all(judgeable(path))
