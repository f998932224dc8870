from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsvv.theory import covariance_spectrum, fit_decay, kernel_rank, kernel_spectrum, tail_sums
from lsvv.theory.arguments import Floats

FIXED = settings(deadline=None, derandomize=True, max_examples=60)


def gaussian(A: Floats, B: Floats) -> Floats:
    return np.exp(-0.5 * np.sum((A[:, None] - B[None]) ** 2, axis=2))


def ones(A: Floats) -> Floats:
    return np.ones(len(A))


@FIXED
@given(n=st.integers(1, 30), D=st.integers(1, 6), seed=st.integers(0, 10**6), cut=st.integers(1, 29))
def test_covariance_spectrum_agrees_with_the_singular_values(n: int, D: int, seed: int, cut: int) -> None:
    rows = np.random.default_rng(seed).standard_normal((n, D))
    found = covariance_spectrum(block for block in np.split(rows, [min(cut, n)]) if len(block))
    expected = np.zeros(D)
    expected[: min(n, D)] = np.linalg.svd(rows, compute_uv=False) ** 2 / n
    np.testing.assert_allclose(found.eigenvalues, expected, atol=1e-12)
    assert found.n_rows == n
    assert found.tails[0] == pytest.approx(found.trace)
    assert found.tails[-1] == pytest.approx(0, abs=1e-12)
    assert found.largest_norm == pytest.approx(np.max(np.sum(rows**2, axis=1)))
    np.testing.assert_allclose(tail_sums(found.eigenvalues), tail_sums(found), atol=1e-12)


def test_closed_form_spectra() -> None:
    np.testing.assert_allclose(covariance_spectrum(np.eye(4)).eigenvalues, 0.25)
    one = covariance_spectrum(np.outer([1.0, 2.0], [3.0, 4.0]))
    np.testing.assert_allclose(one.eigenvalues, [62.5, 0], atol=1e-12)


def test_kernel_spectrum_with_every_row_as_landmark_is_exact() -> None:
    X = np.random.default_rng(0).standard_normal((40, 2))
    found = kernel_spectrum(X, gaussian, X, diagonal=ones)
    exact = np.linalg.eigvalsh(gaussian(X, X) / 40)[::-1]
    kept = found.eigenvalues.size
    np.testing.assert_allclose(found.eigenvalues, exact[:kept], atol=1e-10)


@FIXED
@given(m=st.integers(1, 20), seed=st.integers(0, 10**6))
def test_landmarks_bound_eigenvalues_from_below_and_tails_from_above(m: int, seed: int) -> None:
    X = np.random.default_rng(seed).standard_normal((30, 2))
    found = kernel_spectrum(iter(np.split(X, 3)), gaussian, X[:m], diagonal=ones)
    exact = np.linalg.eigvalsh(gaussian(X, X) / 30)[::-1]
    kept = found.eigenvalues.size
    assert np.all(found.eigenvalues <= exact[:kept] + 1e-9)
    true_tails = np.append(np.cumsum(exact[::-1])[::-1], 0)[: kept + 1]
    assert np.all(found.tails >= true_tails - 1e-9)
    assert found.trace == pytest.approx(1)


@pytest.mark.parametrize(
    ("values", "kind", "rate"),
    [
        (0.3 * np.exp(-0.4 * np.arange(1, 30)), "exponential", 0.4),
        (0.3 * np.exp(-3.0 * np.arange(1, 30)), "exponential", 3.0),
        (2.0 * np.arange(1.0, 100) ** -1.5, "polynomial", 1.5),
        (np.r_[np.full(7, 0.1), np.zeros(20)], "finite rank", 7),
        (np.full(12, 0.1), "finite rank", 12),
        (np.r_[1.0, np.zeros(9)], "finite rank", 1),
    ],
)
def test_decay_laws_are_recognised(values: Floats, kind: str, rate: float) -> None:
    best = fit_decay(values)[0]
    assert best.kind == kind
    assert best.rate == pytest.approx(rate, rel=1e-6)
    assert best.goodness == pytest.approx(1)
    floor = 1e-14 * values[0]
    np.testing.assert_allclose(best.eigenvalues(values.size), values, rtol=1e-6, atol=10 * floor)


def test_laws_come_sorted_and_all_three() -> None:
    laws = fit_decay(1 / np.arange(1.0, 40))
    assert {law.kind for law in laws} == {"finite rank", "exponential", "polynomial"}
    assert laws[0].goodness >= laws[1].goodness >= laws[2].goodness


@pytest.mark.parametrize(("d", "p"), [(1, 1), (1, 4), (2, 3), (3, 2)])
def test_polynomial_rank_is_the_number_of_monomials(d: int, p: int) -> None:
    X = np.random.default_rng(0).standard_normal((60, d))
    gram = (X @ X.T + 1) ** p
    rank = np.linalg.matrix_rank(gram, tol=1e-9 * np.linalg.norm(gram))
    monomials = sum(1 for k in range(p + 1) for _ in combinations_with_replacement(range(d), k))
    assert kernel_rank("polynomial", d, p) == rank == monomials
    assert (kernel_rank("polynomial", d, p, version="printed") == rank) == (d == 1)


def test_other_ranks() -> None:
    assert kernel_rank("linear", 7) == 7
    assert kernel_rank("gaussian", 7) == float("inf")


def test_errors_are_sentences() -> None:
    with pytest.raises(ValueError, match='choose "linear", "polynomial" or "gaussian"'):
        kernel_rank("cosine", 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 3 entries, the first above 0"):
        fit_decay([1.0, 0.5])
    with pytest.raises(ValueError, match="no positive eigenvalue; it is not a kernel"):
        kernel_spectrum(np.ones((3, 1)), lambda A, B: -np.ones((len(A), len(B))), np.ones((2, 1)), diagonal=ones)
    with pytest.raises(ValueError, match=r"eigenvalues has shape \(1, 2\); pass a non-empty 1-d array"):
        fit_decay([[1.0, 2.0]])
