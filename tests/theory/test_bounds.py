"""The corrected bounds against the measured complexity, and their laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsvv.theory import (
    Facts,
    LinearUnderRoot,
    contraction,
    covariance_spectrum,
    loss_constants,
    proposition_1,
    rademacher_local,
    rademacher_loss,
    rademacher_trace_norm,
    theorem_1,
    theorem_2,
    theorem_3,
)
from lsvv.theory.arguments import Floats, Version

VERSIONS: tuple[Version, Version] = ("printed", "corrected")
MANY = settings(deadline=None, derandomize=True, max_examples=200)
SOME = settings(deadline=None, derandomize=True, max_examples=60)
SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4)).filter(lambda s: s[0] * s[2] <= 6)


def features(n: int, D: int, seed: int) -> Floats:
    """Rows of norm at most 1 with a spectrum that is flat, steep or of rank one, as the seed has it."""
    rng = np.random.default_rng(seed)
    decay = np.exp(-rng.choice([0.0, 1.0, 4.0]) * np.arange(D))
    rows = rng.standard_normal((n, D)) * decay
    if seed % 5 == 0:
        rows = np.outer(rng.standard_normal(n), rows[0])
    return rows / np.linalg.norm(rows, axis=1).max()


@MANY
@given(shape=SHAPES, log_r=st.floats(-5, 1), L=st.floats(0.3, 3), seed=st.integers(0, 10**6))
def test_theorem_2_lies_above_the_exact_local_complexity(
    shape: tuple[int, int, int], log_r: float, L: float, seed: int
) -> None:
    n, D, K = shape
    rows, r = features(n, D, seed), 10.0**log_r
    # Every sign matrix is used: the upper end of the measurement is the class's complexity, no noise.
    measured = 2 * rademacher_local(rows, K, r / (4 * L**2), n_draws=None).upper
    bound = theorem_2(covariance_spectrum(rows), r, n=n, n_outputs=K, lipschitz=L)
    assert measured <= bound.value * (1 + 1e-5)


@MANY
@given(n=st.integers(5, 30), D=st.integers(1, 8), K=st.integers(1, 6), seed=st.integers(0, 10**6))
def test_theorem_2_lies_above_the_measured_local_complexity_of_larger_problems(
    n: int, D: int, K: int, seed: int
) -> None:
    rows = features(n, D, seed)
    r = 10.0 ** np.random.default_rng(seed).uniform(-4, 0.5)
    measured = rademacher_local(rows, K, r / 4, n_draws=8, random_state=seed, tol=1e-5)
    bound = theorem_2(covariance_spectrum(rows), r, n=n, n_outputs=K)
    assert 2 * (measured.upper - 4 * measured.standard_error) <= bound.value


@MANY
@given(shape=SHAPES, seed=st.integers(0, 10**6))
def test_theorem_2_lies_above_the_exact_global_complexity(shape: tuple[int, int, int], seed: int) -> None:
    n, D, K = shape
    rows = features(n, D, seed)
    bound = theorem_2(covariance_spectrum(rows), 1e6, n=n, n_outputs=K)
    assert rademacher_trace_norm(rows, K, n_draws=None).value <= bound.value


def low_rank(D: int, K: int, theta: int, tail: float, rng: np.random.Generator) -> Floats:
    """A random W with sum_{j>theta} sigma_j = tail."""
    U = np.linalg.qr(rng.standard_normal((D, min(D, K))))[0]
    V = np.linalg.qr(rng.standard_normal((K, min(D, K))))[0]
    sigma = np.full(min(D, K), tail / max(min(D, K) - theta, 1))
    sigma[:theta] = sigma.max() + rng.random(theta)
    return (U * sigma) @ V.T


@MANY
@given(seed=st.integers(0, 10**6))
def test_corrected_theorem_3_lies_above_its_class(seed: int) -> None:
    """Members of the class never correlate with the signs more than the bound, in the mean over signs."""
    rng = np.random.default_rng(seed)
    n, D, K = int(rng.integers(4, 40)), int(rng.integers(1, 7)), int(rng.integers(1, 7))
    theta, tail = int(rng.integers(0, min(D, K) + 1)), float(rng.random() * 0.3)
    tail = 0.0 if theta == min(D, K) else tail
    r = 10.0 ** rng.uniform(-4, 0)
    rows = features(n, D, seed)
    sigma = np.full(min(D, K), tail / max(min(D, K) - theta, 1))
    sigma[:theta] = max(1.0, sigma.max())
    members = np.array([low_rank(D, K, theta, tail, rng) for _ in range(50)])
    spread = np.mean(np.sum((rows @ members) ** 2, axis=2), axis=1)
    members *= np.minimum(1, np.sqrt(r / np.maximum(spread, 1e-300)))[:, None, None]
    signs = rng.choice([-1.0, 1.0], size=(100, n, K))
    X = np.einsum("nd,snk->sdk", rows, signs) / n
    best = np.einsum("sdk,mdk->sm", X, members).max(axis=1)
    bound = theorem_3(sigma, r, n=n, n_features=D, n_outputs=K)
    assert best.mean() <= bound.by_theta[theta] * (1 + 1e-9)


@SOME
@given(seed=st.integers(0, 10**6))
def test_corrected_theorem_3_without_a_tail_lies_above_the_solved_programme(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, D, K = int(rng.integers(4, 20)), int(rng.integers(1, 6)), int(rng.integers(1, 5))
    rows, r = features(n, D, seed), 10.0 ** rng.uniform(-4, 0)
    sigma = np.full(min(D, K), 1 / min(D, K))
    measured = rademacher_local(rows, K, r / 4, n_draws=8, random_state=seed, tol=1e-5)
    bound = theorem_3(sigma, r, n=n, n_features=D, n_outputs=K)
    assert 2 * (measured.upper - 4 * measured.standard_error) <= bound.by_theta[-1]


@SOME
@given(seed=st.integers(0, 10**6), L=st.floats(0.5, 2))
def test_the_whole_chain_from_losses_to_eigenvalues(seed: int, L: float) -> None:
    """R(L_r) <= sqrt(2) L R(H_r) <= sqrt(2) L Theorem 2, for a finite piece of H_r."""
    rng = np.random.default_rng(seed)
    n, D, K, r = 8, 3, 2, 0.05
    rows, targets = features(n, D, seed), rng.standard_normal((n, K))
    W = rng.standard_normal((30, D, K))
    W /= np.linalg.svd(W, compute_uv=False).sum(axis=1)[:, None, None]
    scores = rows @ W
    spread = np.mean(np.sum(scores**2, axis=2), axis=1)
    scores *= np.minimum(1, np.sqrt(r / spread) / L)[:, None, None]
    losses = L * np.linalg.norm(scores - targets, axis=2)
    bound = theorem_2(covariance_spectrum(rows), r, n=n, n_outputs=K, lipschitz=L)
    assert rademacher_loss(losses, n_draws=None).value <= contraction(bound.value, lipschitz=L, n=n).bound


@SOME
@given(n=st.integers(2, 1000), u=st.integers(0, 1000), K=st.integers(1, 30), log_r=st.floats(-4, 1))
def test_theorem_2_is_monotone_where_the_formula_is(n: int, u: int, K: int, log_r: float) -> None:
    spectrum, r = 0.5 ** np.arange(1, 12), 10.0**log_r
    for version in VERSIONS:
        base = theorem_2(spectrum, r, n=n, u=u, n_outputs=K, version=version).value
        assert theorem_2(spectrum, r, n=2 * n, u=u, n_outputs=K, version=version).value < base
        assert theorem_2(spectrum, 2 * r, n=n, u=u, n_outputs=K, version=version).value >= base
        more = theorem_2(spectrum, r, n=n, u=u + 500, n_outputs=K, version=version).value
        wider = theorem_2(spectrum, r, n=n, u=u, n_outputs=4 * K, version=version).value
        if version == "printed":
            assert more < base
            assert wider == base
        else:
            assert more == base
            assert wider == pytest.approx(2 * base)


def test_theorem_2_closed_forms() -> None:
    identity = theorem_2(np.full(5, 0.2), 0.04, n=50, n_outputs=2)
    assert identity.theta == 5
    assert identity.value == pytest.approx(2 * np.sqrt(2) * np.sqrt(2 / 50 * 5 * 0.01))
    one = theorem_2([1.0, 0.0, 0.0], 0.4, n=50, n_outputs=2)
    assert one.theta == 1
    assert one.value == pytest.approx(2 * np.sqrt(2) * np.sqrt(2 / 50 * 0.1))
    exponential = theorem_2(np.exp(-np.arange(40.0)), 4 * np.exp(-5.5), n=50)
    assert exponential.theta == 6  # eigenvalues above r / (4 L^2) are cut off, the rest is summed
    for found in (identity, one, exponential):
        assert found.value == found.by_theta.min()


def test_the_corrected_bound_is_sqrt_2_k_times_the_printed_one_without_unlabelled_rows() -> None:
    printed, corrected = (theorem_2([0.6, 0.3], 0.1, n=9, n_outputs=5, version=v).value for v in VERSIONS)
    assert corrected == pytest.approx(np.sqrt(2 * 5) * printed)


def test_theorem_3_printed_and_its_warning() -> None:
    for version in VERSIONS:
        found = theorem_3([0.6, 0.4], 0.1, n=10, n_features=4, n_outputs=3, version=version)
        assert "motivation" in found.note
        assert not found.certificate
    printed = theorem_3([0.6, 0.4], 0.1, n=10, u=30, version="printed")
    assert [a.holds for a in printed.assumptions] == [True, None, None, False, False]
    assert printed.value == pytest.approx(2 * np.sqrt(min(0.52, 0.025 + 0.16, 0.05) / 40))
    assert printed.theta == 2


def test_corrected_theorem_3_is_monotone_in_n_and_r() -> None:
    sigma = [0.5, 0.3, 0.1]
    base = theorem_3(sigma, 0.1, n=50, n_features=8, n_outputs=3).value
    assert theorem_3(sigma, 0.1, n=100, n_features=8, n_outputs=3).value < base
    assert theorem_3(sigma, 0.2, n=50, n_features=8, n_outputs=3).value >= base
    assert theorem_3(sigma, 0.1, n=50, u=9, n_features=8, n_outputs=3).value == base


def test_theorem_1_constants() -> None:
    psi = LinearUnderRoot(1e-3, 1e-6)
    printed = theorem_1(psi, n=200, loss_range=2.0, delta=0.1, version="printed")
    corrected = theorem_1(psi, n=200, loss_range=2.0, delta=0.1)
    assert (printed.c1, printed.c2) == (352.5, 98.0)
    assert corrected.bound == pytest.approx(printed.bound)
    assert printed.bound == pytest.approx(705 / 2 * psi.fixed_point + 49 * 2 * np.log(10) / 200)
    other = theorem_1(psi, n=200, loss_range=2.0, delta=0.1, bernstein=4.0)
    assert (other.c1, other.c2) == (705 / 4, 22 * 2 + 27 * 4)


def test_theorem_1_covers_proposition_1_with_the_true_width() -> None:
    """f lies in [-B, B], the empirical minimiser has P_n f <= 0, and K = 705/704 gives the constants."""
    psi = LinearUnderRoot(1e-3, 1e-6)
    low = proposition_1(psi, n=100, alpha=1.5, width=2 * 3.0, factor=705 / 704)
    high = theorem_1(psi, n=100, loss_range=3.0, bernstein=1.5)
    assert low.c1 == pytest.approx(high.c1)
    assert low.c2 <= high.c2 <= 1.03 * low.c2


def test_proposition_1_parts() -> None:
    found = proposition_1(LinearUnderRoot(0.0, 1e-4), n=100, alpha=2.0, width=1.0, empirical_mean=0.1)
    assert found.empirical_term == pytest.approx(0.2)
    assert found.complexity_term == pytest.approx(704 * 2 / 2 * 0.01)
    assert found.confidence_term == pytest.approx((11 + 26 * 2 * 2) * np.log(20) / 100)
    assert found.bound == found.empirical_term + found.complexity_term + found.confidence_term


def test_assumptions_say_what_holds() -> None:
    facts = Facts(largest_norm=2.0, trace_norm=0.8, loss=loss_constants("hinge", 3))
    found = theorem_2([0.5, 0.5], 0.1, n=10, u=5, n_outputs=3, lipschitz=1.0, facts=facts, version="printed")
    held = {a.name: a.holds for a in found.assumptions}
    assert held == {
        "||W||_* <= 1": True,
        "kappa(x, x) <= 1": False,
        "L = 1 (Lipschitz loss)": False,
        "lambda_j are the population's": None,
        "n + u in place of n": False,
        "no factor sqrt(2)": False,
        "no factor K": False,
    }
    assert [a.holds for a in theorem_2([1.0], 0.1, n=5).assumptions] == [None] * 4


def test_errors_are_sentences() -> None:
    with pytest.raises(ValueError, match=r'version is .*"printed" \(the formula of the paper\) or "corrected"'):
        theorem_2([1.0], 0.1, n=5, version="other")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="eigenvalues rises after entry 0; sort it"):
        theorem_2([1.0, 2.0], 0.1, n=5)
    with pytest.raises(ValueError, match=r"eigenvalues\[1\] is -1.0; every entry must be finite"):
        theorem_2([1.0, -1.0], 0.1, n=5)
    with pytest.raises(ValueError, match="the contraction lemma compares the same rows"):
        contraction(0.1, lipschitz=1.0, n=10, complexity_rows=100)
    with pytest.raises(ValueError, match='bernstein belongs to version="corrected"'):
        theorem_1(LinearUnderRoot(1, 1), n=10, loss_range=1, bernstein=1, version="printed")
    with pytest.raises(ValueError, match=r"delta is 1\.5; it must lie strictly between 0 and 1"):
        theorem_1(LinearUnderRoot(1, 1), n=10, loss_range=1, delta=1.5)
    with pytest.raises(ValueError, match="needs n_features and n_outputs, the shape of W"):
        theorem_3([1.0], 0.1, n=5)
    with pytest.raises(ValueError, match="There are 3 singular values; a 5 x 2 matrix has 2"):
        theorem_3([0.3, 0.2, 0.1], 0.1, n=5, n_features=5, n_outputs=2)
    with pytest.raises(ValueError, match="the K of Proposition 1 must be above 1"):
        proposition_1(LinearUnderRoot(1, 1), n=5, alpha=1, width=1, factor=1.0)
