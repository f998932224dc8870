"""Kernels: their closed forms, and frequencies whose cosines average to them."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.gaussian_process.kernels import Matern as GaussianProcessMatern

import laws
from laws import Put
from lsvv.features.kernels import KERNELS, Cauchy, Gaussian, IsotropicKernel, Kernel, Laplacian, Matern, as_kernel

MEMBERS: list[Kernel] = [Gaussian(), Laplacian(), Cauchy(), Matern(0.5), Matern(1.5), Matern(2.5)]
N_DRAWS = 20_000
TOLERANCE = 5 / np.sqrt(2 * N_DRAWS)
"""Five standard deviations of a mean of cosines."""


@pytest.mark.parametrize("kernel", MEMBERS, ids=str)
def test_cosines_of_the_frequencies_average_to_the_kernel(kernel: Kernel, rng: np.random.Generator) -> None:
    X = rng.normal(size=(6, 3), scale=0.7)
    W = kernel.frequencies(rng, 3, N_DRAWS)
    averaged = np.mean(np.cos((X[:, None, :] - X[None, :, :]) @ W), axis=2)
    np.testing.assert_allclose(averaged, kernel.values(X, X), atol=2 * TOLERANCE)


@pytest.mark.parametrize("kernel", [k for k in MEMBERS if isinstance(k, IsotropicKernel)], ids=str)
def test_orthogonal_frequencies_follow_the_same_law(kernel: IsotropicKernel, rng: np.random.Generator) -> None:
    X = rng.normal(size=(6, 3), scale=0.7)
    W = kernel.orthogonal_frequencies(rng, 3, N_DRAWS)
    averaged = np.mean(np.cos((X[:, None, :] - X[None, :, :]) @ W), axis=2)
    np.testing.assert_allclose(averaged, kernel.values(X, X), atol=2 * TOLERANCE)
    for block in (W[:, :3], W[:, 3:6]):
        gram = block.T @ block
        laws.assert_close(gram, np.diag(np.diag(gram)), atol=1e-9 * gram.max())


@pytest.mark.parametrize("n_columns", [7, 2000])
def test_more_orthogonal_frequencies_begin_with_the_same_ones(n_columns: int) -> None:
    few, more = (Gaussian().orthogonal_frequencies(np.random.default_rng(0), n_columns, count) for count in (3, 6))
    laws.assert_close(few, more[:, :3])


@pytest.mark.parametrize("kernel", MEMBERS, ids=str)
def test_a_kernel_is_one_at_distance_zero_and_positive_semi_definite(kernel: Kernel, rng: np.random.Generator) -> None:
    X = rng.normal(size=(10, 3))
    K = kernel.values(X, X)
    np.testing.assert_allclose(np.diag(K), 1.0, atol=1e-6)
    assert np.linalg.eigvalsh(K)[0] > -1e-10


@pytest.mark.parametrize("kernel", MEMBERS, ids=str)
def test_numpy_torch_and_sparse_rows_agree(kernel: Kernel, put: Put, rng: np.random.Generator) -> None:
    X, Z = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    laws.assert_close(kernel.values(put(X), put(Z)), kernel.values(X, Z))
    laws.assert_close(kernel.values(sp.csr_array(X), Z), kernel.values(X, Z))


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
def test_the_matern_kernel_is_that_of_gaussian_processes(nu: float, rng: np.random.Generator) -> None:
    X = rng.normal(size=(5, 3))
    laws.assert_close(Matern(nu).values(X, X), GaussianProcessMatern(nu=nu)(X), atol=1e-6)


def test_closed_forms(rng: np.random.Generator) -> None:
    x, z = rng.normal(size=(2, 3))
    difference = x - z
    for kernel, value in [
        (Gaussian(), np.exp(-np.sum(difference**2) / 2)),
        (Laplacian(), np.exp(-np.sum(np.abs(difference)))),
        (Cauchy(), np.prod(1 / (1 + difference**2))),
    ]:
        assert kernel.values(x[None], z[None])[0, 0] == pytest.approx(value)


def test_kernels_have_names() -> None:
    assert set(KERNELS) == {"gaussian", "laplacian", "matern", "cauchy"}
    assert all(as_kernel(name) == kind() for name, kind in KERNELS.items())
    assert as_kernel(Matern(2.5)) == Matern(2.5)


def test_unknown_kernels_are_refused() -> None:
    with pytest.raises(ValueError, match=r"kernel='rbf' is not known. Choose one of cauchy, gaussian"):
        as_kernel("rbf")
    with pytest.raises(ValueError, match=r"nu=2 has no closed form here. Choose nu=0.5, 1.5 or 2.5"):
        Matern(2)
