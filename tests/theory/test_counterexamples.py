"""Where the printed statements fail, and that the corrected ones do not."""

import numpy as np
import pytest

from lsvv.theory import (
    LinearUnderRoot,
    Minimum,
    contraction,
    corollary_1,
    covariance_spectrum,
    rademacher_local,
    rademacher_trace_norm,
    theorem_1,
    theorem_2,
    theorem_3,
)


def test_independence_of_k_fails_for_a_constant_feature() -> None:
    n, K = 1000, 100
    rows = np.ones((n, 1))
    measured = rademacher_trace_norm(rows, K, n_draws=200, random_state=0)
    printed, corrected = (
        theorem_2(covariance_spectrum(rows), 1e3, n=n, n_outputs=K, version=version).value
        for version in ("printed", "corrected")
    )
    assert measured.value == pytest.approx(0.316, abs=0.002)
    assert printed == pytest.approx(0.0632, abs=1e-4)
    assert measured.value - 4 * measured.standard_error > printed
    assert measured.value + 4 * measured.standard_error < corrected


@pytest.mark.parametrize("K", [1, 2, 4, 6, 9, 16, 64])
def test_the_printed_bound_fails_exactly_when_k_is_large(K: int) -> None:
    """||(1/n) sum eps_i|| is about sqrt(K/n); the printed 2/sqrt(n) is passed just above K = 4."""
    rows = np.ones((400, 1))
    measured = rademacher_trace_norm(rows, K, n_draws=400, random_state=1).value
    printed = theorem_2([1.0], 1e3, n=400, n_outputs=K, version="printed").value
    assert (measured > printed) == (K > 4)
    assert measured <= theorem_2([1.0], 1e3, n=400, n_outputs=K).value


def test_the_printed_constant_fails_for_two_rows_and_one_output() -> None:
    """sqrt(a) + sqrt(b) in the proof, sqrt(a + b) in the statement: on these rows the first is reached."""
    rows, r = np.diag([1.0, 0.05]), 0.02
    measured = rademacher_local(rows, 1, r, n_draws=None)
    assert np.ptp(measured.draws) < 1e-6 * measured.value
    printed, corrected = (
        theorem_2(covariance_spectrum(rows), r, n=2, version=version).value for version in ("printed", "corrected")
    )
    assert measured.value == pytest.approx(1.086 * printed, rel=1e-3)
    assert measured.value < corrected


def worst_minimiser_excess(D: int, n: int, seed: int) -> float:
    """Excess of the empirical minimiser that has every unseen atom wrong, on D uniform atoms.

    Targets +-1/sqrt(D), loss min(|w_i - y_i|, 2/sqrt(D)): 1-Lipschitz, in [0, B] with B = 2/sqrt(D).
    """
    rng = np.random.default_rng(seed)
    y = rng.choice([-1.0, 1.0], size=D) / np.sqrt(D)
    seen = np.zeros(D, dtype=bool)
    seen[rng.integers(0, D, size=n)] = True
    w = np.where(seen, y, -y)
    assert np.linalg.norm(w) <= 1 + 1e-9
    loss = np.minimum(np.abs(w - y), 2 / np.sqrt(D))
    assert loss[seen].max() == 0
    return float(loss.mean())


def test_unlabelled_rows_in_the_rate_are_refuted() -> None:
    D, n, delta = 10**6, 1000, 0.05
    B = 2 / np.sqrt(D)
    excess = worst_minimiser_excess(D, n, seed=0)
    assert excess * np.sqrt(D) == pytest.approx(1.998, abs=1e-3)
    u = 10**30
    eigenvalues = np.full(D, 1 / D)
    tail = float(eigenvalues.sum())
    psi = Minimum((LinearUnderRoot(0.0, 8 * B**2 * tail / (n + u)),))
    printed = theorem_1(psi, n=n, loss_range=B, delta=delta, version="printed")
    assert printed.bound * np.sqrt(D) == pytest.approx(0.294, abs=1e-3)
    assert excess > 6 * printed.bound


def test_the_refutation_does_not_hang_on_the_clipped_loss() -> None:
    """Without clipping the loss reaches B = 1 + 1/sqrt(D); then more labels are needed to show it."""
    D, n = 10**6, 10**5
    printed = theorem_1(LinearUnderRoot(0.0, 0.0), n=n, loss_range=1 + 1 / np.sqrt(D), version="printed")
    assert worst_minimiser_excess(D, n, seed=2) > 1.2 * printed.bound


def test_the_corrected_corollary_covers_the_atoms() -> None:
    D, n = 10**4, 100
    B = 2 / np.sqrt(D)
    corrected = corollary_1(np.full(D, 1 / D), n=n, loss_range=B)
    assert worst_minimiser_excess(D, n, seed=1) <= corrected.bound


def test_more_rows_do_not_shrink_the_complexity_of_the_loss() -> None:
    """The contraction at n + u rows falls below the complexity of the loss at n rows."""
    n, u = 4, 396
    at_n = rademacher_trace_norm(np.ones((n, 1)), 1, n_draws=None).value
    at_all = rademacher_trace_norm(np.ones((n + u, 1)), 1, n_draws=500, random_state=0).value
    printed = contraction(at_all, lipschitz=1.0, n=n, complexity_rows=n + u, version="printed")
    # The loss |h - y| with h in [-1, 1] and y = 1 is 1 - h: its complexity at n rows is that of h.
    assert at_n > printed.bound
    assert [a.holds for a in printed.assumptions] == [None, False]
    assert at_n <= contraction(at_n, lipschitz=1.0, n=n).bound


@pytest.mark.parametrize("D", [16, 64])
def test_theorem_3_as_printed_fails_for_one_output(D: int) -> None:
    """K = 1 leaves W one singular value, so theta = 1 has no tail; yet D flat directions all count.

    On the rows e_1, ..., e_D the ball mean (w'phi)^2 <= 1/D is the whole unit ball.
    """
    rows = np.eye(D)
    measured = rademacher_local(rows, 1, r=1 / D, n_draws=4, random_state=0).value
    assert measured == pytest.approx(1 / np.sqrt(D), rel=1e-6)
    printed = theorem_3([1.0], 1 / D, n=D, version="printed").value
    assert printed == pytest.approx(1 / D)
    assert measured > 3.9 * printed
    assert measured <= theorem_3([1.0], 1 / D, n=D, n_features=D, n_outputs=1).value
