"""Several kernels: the weights are those of the group lasso, and a heavy tail has to earn its place."""

from __future__ import annotations

import numpy as np
import pytest

import laws
from lsvv import LSVVClassifier, LSVVRegressor
from lsvv.features import Blocks, Linear, MultipleKernels, RandomFourier
from lsvv.theory import kernel_tail, linear_tail

REASON = "the labels held out are drawn by place: a row of weight 2 is drawn once, two rows may be parted"


def each_column(d: int, size: int = 40) -> list[tuple[str, RandomFourier, list[int]]]:
    return [(f"column {j}", RandomFourier(size, random_state=j), [j]) for j in range(d)]


def test_it_is_a_scikit_learn_transformer() -> None:
    drawn = {f"check_sample_weight_equivalence_on_{kind}_data": REASON for kind in ("dense", "sparse")}
    laws.assert_fails_only(MultipleKernels([RandomFourier(5, random_state=0), Linear()]), drawn)


def test_kernels_that_do_not_help_get_no_weight(rng: np.random.Generator) -> None:
    X = rng.uniform(-2, 2, size=(300, 6))
    y = np.sin(2 * X[:, 1]) + X[:, 4] ** 2
    phi = MultipleKernels(each_column(6), random_state=0).fit(X, y)
    assert set(np.flatnonzero(phi.mu_ > 0.02 * phi.mu_.max())) == {1, 4}
    assert phi.transform(X).shape[1] == 40 * np.sum(phi.mu_ > 0)


def test_the_weights_make_a_better_model_than_the_plain_sum(rng: np.random.Generator) -> None:
    X, new = rng.uniform(-2, 2, size=(2, 150, 12))
    truth, wanted = (np.sin(2 * rows[:, 1]) + rows[:, 4] ** 2 for rows in (X, new))
    y = truth + 0.1 * rng.normal(size=150)
    errors = [
        np.mean((LSVVRegressor(features=phi, smoothing=0, random_state=0).fit(X, y).predict(new) - wanted) ** 2)
        for phi in (MultipleKernels(each_column(12)), Blocks(each_column(12)))
    ]
    assert errors[0] < 0.5 * errors[1]


@pytest.mark.parametrize("free_rank", [0, 3])
def test_the_weights_are_where_the_objective_is_lowest(rng: np.random.Generator, free_rank: int) -> None:
    """mu of the fixed point minimises the profile objective: no move along the constraint lowers it."""
    X = rng.uniform(-2, 2, size=(120, 3))
    Y = np.stack([np.sin(X[:, 0]) + 0.3 * X[:, 1], np.cos(X[:, 0])], axis=1)
    phi = MultipleKernels(each_column(3, 15), free_rank=free_rank, max_iter=2000, tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(phi.mu_.sum(), 1.0)
    mu = phi.mu_ * phi.tails_.mean() / (phi.mu_ @ phi.tails_)
    kept = np.setdiff1d(np.arange(120), phi.unseen_)
    T = (Y[kept] - Y.mean(axis=0)) / Y.std(axis=0)
    T = T - T.mean(axis=0)
    blocks = [one.transform(X[:, own]) for one, own in zip(phi.maps_, phi.columns_, strict=True)]
    blocks = [block / np.sqrt(np.mean(np.sum(block**2, axis=1))) for block in blocks]

    def profile(mu: np.ndarray) -> float:
        Phi = np.concatenate([np.sqrt(m) * block for m, block in zip(mu, blocks, strict=True)], axis=1)[kept]
        Phi = Phi - Phi.mean(axis=0)
        K = Phi @ Phi.T / len(kept)
        # min over W of the mean squared error plus ridge ||W||^2
        return float(phi.ridge_ * np.trace(T.T @ np.linalg.solve(K + phi.ridge_ * np.eye(len(kept)), T)) / len(kept))

    lowest = profile(mu)
    for _ in range(20):
        other = np.abs(mu + 0.1 * rng.normal(size=3))
        other *= phi.tails_.mean() / (other @ phi.tails_)
        assert profile(other) >= lowest - 1e-6


def test_a_single_kernel_has_weight_one(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    phi = MultipleKernels([RandomFourier(20, random_state=0)]).fit(X, y)
    np.testing.assert_allclose(phi.mu_, 1.0)
    Phi = RandomFourier(20, random_state=0).fit_transform(X)
    np.testing.assert_allclose(phi.transform(X), Phi / np.sqrt(np.mean(np.sum(Phi**2, axis=1))))


def test_a_tail_costs(rng: np.random.Generator) -> None:
    # the narrow kernel is as good on the kept rows and has many directions more
    X = rng.uniform(-1, 1, size=(200, 1))
    y = X[:, 0] + 0.1 * rng.normal(size=200)
    both = [RandomFourier(60, width=w, random_state=0) for w in (0.05, 2.0)]
    plain, with_tail = (MultipleKernels(both, free_rank=rank, random_state=0).fit(X, y) for rank in (0, 5))
    assert with_tail.tails_[0] > 10 * with_tail.tails_[1]
    assert with_tail.mu_[0] / with_tail.mu_.sum() <= plain.mu_[0] / plain.mu_.sum()


def test_the_tail_of_a_sum_is_at_least_the_sum_of_tails(rng: np.random.Generator) -> None:
    A, B = rng.normal(size=(2, 30, 6))
    for theta in range(13):
        together = kernel_tail(np.concatenate([A, B], axis=1), theta)
        assert together >= kernel_tail(A, theta) + kernel_tail(B, theta) - 1e-12
    np.testing.assert_allclose(kernel_tail(A, 2), np.linalg.eigvalsh(A @ A.T / 30)[::-1][2:].sum())
    np.testing.assert_allclose(linear_tail(A, 2), np.linalg.svd(A, compute_uv=False)[2:].sum())
    with pytest.raises(ValueError, match="free_rank is -1; it must be a whole number of at least 0"):
        kernel_tail(A, -1)


def test_the_estimator_is_judged_by_labels_that_had_no_part(rng: np.random.Generator) -> None:
    X = rng.uniform(-2, 2, size=(150, 4))
    y = np.where(np.arange(150) < 60, (np.abs(X[:, 0]) > 1).astype(int), -1)
    model = LSVVClassifier(features=MultipleKernels(each_column(4)), random_state=0).fit(X, y)
    assert model.feature_map_.unseen_.size == 12
    assert model.score(X, (np.abs(X[:, 0]) > 1).astype(int)) > 0.9


def test_outputs_known_in_rows_of_their_own(rng: np.random.Generator) -> None:
    X = rng.uniform(-2, 2, size=(160, 3))
    Y = np.stack([np.sin(2 * X[:, 0])] * 4, axis=1)
    Y[np.arange(160)[:, None] % 4 != np.arange(4)] = np.nan
    phi = MultipleKernels(each_column(3)).fit(X, Y)
    assert phi.mu_[0] > 10 * phi.mu_[1:].max()
