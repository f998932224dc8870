import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsvv.theory import (
    Numerical,
    corollary_1,
    corollary_2,
    covariance_spectrum,
    exponential_decay,
    finite_rank,
    fixed_point_coefficients,
    theorem_2,
    theorem_3,
    worst_case,
)
from lsvv.theory.arguments import Version

VERSIONS: tuple[Version, Version] = ("printed", "corrected")
FIXED = settings(deadline=None, derandomize=True, max_examples=80)


@FIXED
@given(
    n=st.integers(1, 10**5),
    u=st.integers(0, 10**5),
    K=st.integers(1, 50),
    L=st.floats(0.3, 3),
    B=st.floats(0.3, 5),
    rate=st.floats(0.1, 2),
)
def test_the_corollary_bounds_the_fixed_point_of_theorem_2(
    n: int, u: int, K: int, L: float, B: float, rate: float
) -> None:
    spectrum = np.exp(-rate * np.arange(1, 15))
    found = corollary_1(spectrum, n=n, u=u, n_outputs=K, lipschitz=L, loss_range=B)
    r = found.psi.fixed_point
    assert found.psi(r) == pytest.approx(r, rel=1e-10)
    assert r <= found.r_star * (1 + 1e-12)
    at_r = theorem_2(spectrum, r, n=n, u=u, n_outputs=K, lipschitz=L).value
    assert found.psi(r) == pytest.approx(np.sqrt(2) * B * L * at_r, rel=1e-9)


@FIXED
@given(n=st.integers(1, 10**4), u=st.integers(0, 10**4), L=st.floats(0.3, 3), B=st.floats(0.3, 5))
def test_the_printed_function_and_the_sum_that_bounds_it(n: int, u: int, L: float, B: float) -> None:
    """r* <= 2 B^2 theta/N + 2 sqrt(2) B L sqrt(T/N) for psi = sqrt(2) B L times the printed Theorem 2."""
    spectrum = 0.7 ** np.arange(1, 10)
    found = corollary_1(spectrum, n=n, u=u, lipschitz=L, loss_range=B, version="printed")
    N, tails = n + u, np.append(np.cumsum(spectrum[::-1])[::-1], 0)
    r = found.psi.fixed_point
    at_r = theorem_2(spectrum, r, n=n, u=u, lipschitz=L, version="printed").value
    assert r == pytest.approx(np.sqrt(2) * B * L * at_r, rel=1e-9)
    sums = 2 * B**2 * np.arange(10) / N + 2 * np.sqrt(2) * B * L * np.sqrt(tails / N)
    assert r <= sums.min() * (1 + 1e-12)
    assert found.r_star == pytest.approx((np.arange(10) / N + np.sqrt(tails / N)).min())
    assert found.bound >= 705 / B * r + 49 * B * np.log(20) / n - 1e-9


@FIXED
@given(n=st.integers(1, 10**4), K=st.integers(1, 6), L=st.floats(0.3, 3))
def test_corollary_2_solves_the_fixed_point_of_theorem_3(n: int, K: int, L: float) -> None:
    sigma = 0.5 ** np.arange(1, K + 1)
    found = corollary_2(sigma, n=n, n_features=9, n_outputs=K, lipschitz=L, loss_range=2.0)
    at_r = theorem_3(sigma, found.r_star, n=n, n_features=9, n_outputs=K, lipschitz=L).value
    assert found.r_star == pytest.approx(np.sqrt(2) * 2 * L * at_r, rel=1e-9)
    assert Numerical(found.psi).fixed_point == pytest.approx(found.r_star, rel=1e-9)
    assert not found.certificate


@pytest.mark.parametrize("version", VERSIONS)
def test_special_cases_agree_with_the_corollary(version: Version) -> None:
    coefficients = fixed_point_coefficients(n=900, u=100, n_outputs=3, version=version)
    flat = corollary_1(np.full(10**4, 1e-4), n=900, u=100, n_outputs=3, version=version)
    assert flat.theta == 0
    assert flat.r_star == flat.worst_case == pytest.approx(worst_case(1.0, coefficients).r_star)
    ranked = corollary_1([0.4, 0.3, 0.3, 0.0], n=900, u=100, n_outputs=3, version=version)
    assert ranked.r_star == pytest.approx(finite_rank(3, coefficients).r_star)
    assert ranked.theta == 3


@pytest.mark.parametrize("version", VERSIONS)
def test_exponential_decay_is_the_minimum_over_theta(version: Version) -> None:
    a, b = coefficients = fixed_point_coefficients(n=10**5, version=version)
    found = exponential_decay(0.9, 0.01, coefficients)
    theta = np.arange(5000)
    by_theta = a * theta + b * np.sqrt(0.9) * np.exp(-0.005 * theta)
    assert found.r_star <= by_theta.min() <= found.r_star * (1 + 1e-4)
    assert found.r_star == pytest.approx(a * (found.theta + 2 / 0.01))
    assert abs(found.theta - by_theta.argmin()) <= 1
    eigenvalues = 0.9 * np.exp(-0.01 * theta) * (1 - np.exp(-0.01))
    assert corollary_1(eigenvalues, n=10**5, version=version).r_star == pytest.approx(found.r_star, rel=1e-3)


def test_the_rate_of_exponential_decay_is_log_n_over_n() -> None:
    values = [exponential_decay(1.0, 1.0, fixed_point_coefficients(n=n)).r_star for n in (10**4, 10**8)]
    assert values[0] / values[1] == pytest.approx(10**4 * np.log(10**4) / np.log(10**8), rel=0.2)


def test_a_steep_tail_that_is_already_small_keeps_theta_zero() -> None:
    assert exponential_decay(1e-12, 1.0, (0.01, 0.1)).theta == 0


@FIXED
@given(n=st.integers(2, 10**5), u=st.integers(0, 10**5), K=st.integers(1, 40))
def test_the_excess_bound_is_monotone_where_the_formula_is(n: int, u: int, K: int) -> None:
    spectrum = 0.8 ** np.arange(1, 20)
    for version in VERSIONS:
        base = corollary_1(spectrum, n=n, u=u, n_outputs=K, version=version).bound
        assert corollary_1(spectrum, n=2 * n, u=u, n_outputs=K, version=version).bound < base
        assert corollary_1(spectrum, n=n, u=u, n_outputs=K, delta=0.01, version=version).bound > base
        more = corollary_1(spectrum, n=n, u=2 * u + 1, n_outputs=K, version=version).bound
        wider = corollary_1(spectrum, n=n, u=u, n_outputs=2 * K, version=version).bound
        assert (more < base) if version == "printed" else (more == base)
        assert (wider == base) if version == "printed" else (wider > base)


def test_a_vacuous_number_is_called_vacuous() -> None:
    small = corollary_1([0.5, 0.5], n=100)
    assert small.vacuous
    assert "it is vacuous and says nothing" in small.verdict
    large = corollary_1([0.5, 0.5], n=10**8)
    assert not large.vacuous
    assert large.verdict.startswith("The excess risk is at most")
    assert "if every assumption holds" in large.verdict
    linear = corollary_2([0.5], n=10**10, n_features=2, n_outputs=1)
    assert not linear.vacuous
    assert "not a certificate" in linear.verdict
    printed = corollary_1([0.5, 0.5], n=10**8, version="printed")
    assert "As printed: it fails for several outputs" in printed.verdict
    for version in VERSIONS:
        assert "not a certificate" in corollary_2([0.5], n=9, n_features=2, n_outputs=1, version=version).verdict


def test_a_bernstein_constant_changes_both_terms() -> None:
    base = corollary_1([0.5, 0.5], n=1000, loss_range=2.0)
    other = corollary_1([0.5, 0.5], n=1000, loss_range=2.0, bernstein=1.0)
    assert other.r_star < base.r_star
    assert other.confidence_term == pytest.approx((22 * 2 + 27) * np.log(20) / 1000)


def test_a_sample_gives_an_estimate_and_no_certificate() -> None:
    rows = np.random.default_rng(0).normal(size=(200, 3)) / 10
    spectrum = covariance_spectrum(rows)
    of_sample = corollary_1(spectrum, n=10**9)
    of_numbers = corollary_1(spectrum.eigenvalues, n=10**9)
    assert of_sample.bound == pytest.approx(of_numbers.bound, rel=1e-3)
    assert of_numbers.certificate
    assert not of_sample.certificate
    assert not of_sample.vacuous
    assert "An estimate: the eigenvalues are those of 200 rows" in of_sample.verdict
    told = [str(one) for one in of_sample.assumptions]
    assert "lambda_j are the population's does not hold: they are those of 200 rows" in " ".join(told)
    unchecked = next(one for one in of_numbers.assumptions if one.name == "lambda_j are the population's")
    assert unchecked.holds is None
