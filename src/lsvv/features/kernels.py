"""Shift-invariant kernels kappa(x, z) = k(x - z): their values and the frequencies of their spectral measure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsvv.inputs import quoted
from lsvv.linalg import Array, city_block_distances, dense, namespace, squared_distances

ENTRIES_AT_ONCE = 10**6
"""Of a square matrix of which a few columns are kept."""
ENTRIES_AT_CACHE = 10**5
"""Of a block of kernel values that is summed up column by column."""


class Kernel(ABC):
    """kappa(x, z) = E cos(w'(x - z)), w drawn from the spectral measure (Bochner); inputs in units of the width."""

    @abstractmethod
    def values(self, X: Array, Z: Array) -> Array:
        """kappa(x_i, z_j) for rows of ``X`` (dense or sparse) and of ``Z`` (dense)."""

    @abstractmethod
    def frequencies(self, rng: np.random.Generator, n_columns: int, n_draws: int) -> np.ndarray:
        """``n_draws`` independent frequencies as columns."""


class IsotropicKernel(Kernel):
    """A kernel of the Euclidean distance: its frequencies are a direction times a length."""

    def frequencies(self, rng: np.random.Generator, n_columns: int, n_draws: int) -> np.ndarray:
        """Gaussian directions, each rescaled by an independent factor."""
        return rng.standard_normal((n_columns, n_draws)) * self.scales(rng, n_draws)

    def orthogonal_frequencies(self, rng: np.random.Generator, n_columns: int, n_draws: int) -> np.ndarray:
        """The same marginal law with directions orthogonal within blocks of ``n_columns`` draws."""
        blocks = []
        for start in range(0, n_draws, n_columns):
            count = min(n_columns, n_draws - start)
            Q, R = np.linalg.qr(_leading_columns(rng, n_columns, count))
            lengths = np.sqrt(rng.chisquare(n_columns, size=n_columns))[:count]
            blocks.append(Q * np.sign(np.diag(R)) * lengths)
        return np.concatenate(blocks, axis=1) * self.scales(rng, n_draws)

    @abstractmethod
    def scales(self, rng: np.random.Generator, n_draws: int) -> np.ndarray:
        """The factor on each Gaussian frequency."""


def _leading_columns(rng: np.random.Generator, n: int, count: int) -> np.ndarray:
    """The first ``count`` columns of an n x n Gaussian matrix: more of them begin with the same ones.

    A few rows are drawn at a time, so the whole matrix is never held.
    """
    height = max(1, ENTRIES_AT_ONCE // n)
    heights = [min(height, n - start) for start in range(0, n, height)]
    return np.concatenate([rng.standard_normal((some, n))[:, :count] for some in heights])


@dataclass(frozen=True)
class Gaussian(IsotropicKernel):
    """kappa(x, z) = exp(-||x - z||^2 / 2); frequencies N(0, I)."""

    def values(self, X: Array, Z: Array) -> Array:
        """exp(-||x - z||^2 / 2)."""
        return namespace(Z).exp(-0.5 * squared_distances(X, Z))

    def scales(self, rng: np.random.Generator, n_draws: int) -> np.ndarray:
        """All one."""
        return np.ones(n_draws)


@dataclass(frozen=True)
class Matern(IsotropicKernel):
    """Matern kernel of smoothness nu = 1/2, 3/2 or 5/2; frequencies are Student t with 2 nu degrees of freedom."""

    nu: float = 1.5

    def __post_init__(self) -> None:
        if self.nu not in (0.5, 1.5, 2.5):
            raise ValueError(f"nu={self.nu} has no closed form here. Choose nu=0.5, 1.5 or 2.5.")

    def values(self, X: Array, Z: Array) -> Array:
        """(1 + s + [nu = 5/2] s^2 / 3) exp(-s), s = sqrt(2 nu) ||x - z||; exp(-s) alone for nu = 1/2."""
        s = (2.0 * self.nu * squared_distances(X, Z)) ** 0.5
        polynomial = {0.5: 1.0, 1.5: 1.0 + s, 2.5: 1.0 + s + s * s / 3.0}[self.nu]
        return polynomial * namespace(Z).exp(-s)

    def scales(self, rng: np.random.Generator, n_draws: int) -> np.ndarray:
        """sqrt(2 nu / chi^2_{2 nu})."""
        return np.sqrt(2.0 * self.nu / rng.chisquare(2.0 * self.nu, size=n_draws))


@dataclass(frozen=True)
class Laplacian(Kernel):
    """kappa(x, z) = exp(-||x - z||_1); frequencies standard Cauchy, independent over columns."""

    def values(self, X: Array, Z: Array) -> Array:
        """exp(-||x - z||_1)."""
        return namespace(Z).exp(-city_block_distances(X, Z))

    def frequencies(self, rng: np.random.Generator, n_columns: int, n_draws: int) -> np.ndarray:
        """Standard Cauchy draws."""
        return rng.standard_cauchy((n_columns, n_draws))


@dataclass(frozen=True)
class Cauchy(Kernel):
    """kappa(x, z) = prod_j 1 / (1 + (x_j - z_j)^2); frequencies standard Laplace, independent over columns."""

    def values(self, X: Array, Z: Array) -> Array:
        """exp(-sum_j log(1 + (x_j - z_j)^2))."""
        xp = namespace(Z)
        return xp.exp(-_sum_over_columns(X, Z, lambda difference: xp.log1p(difference * difference)))

    def frequencies(self, rng: np.random.Generator, n_columns: int, n_draws: int) -> np.ndarray:
        """Standard Laplace draws."""
        return rng.laplace(size=(n_columns, n_draws))


KERNELS: dict[str, type[Kernel]] = {
    "gaussian": Gaussian,
    "laplacian": Laplacian,
    "matern": Matern,
    "cauchy": Cauchy,
}


def as_kernel(kernel: str | Kernel) -> Kernel:
    """The kernel of that name, or the object itself."""
    if isinstance(kernel, Kernel):
        return kernel
    if not isinstance(kernel, str) or kernel not in KERNELS:
        raise ValueError(f"kernel={quoted(kernel)} is not known. Choose one of {', '.join(sorted(KERNELS))}.")
    return KERNELS[kernel]()


def _sum_over_columns(X: Array, Z: Array, term: Any) -> Array:
    """sum_j term(x_ij - z_lj), one column at a time so that no third axis is ever held.

    A few rows at a time stay in the processor's cache, which is several times faster than all of them.
    """
    X = dense(X)
    at_once = max(1, ENTRIES_AT_CACHE // Z.shape[0])
    blocks = []
    for start in range(0, X.shape[0], at_once):
        rows = X[start : start + at_once, :]
        total = term(rows[:, 0][:, None] - Z[:, 0][None, :])
        for j in range(1, Z.shape[1]):
            total += term(rows[:, j][:, None] - Z[:, j][None, :])
        blocks.append(total)
    return blocks[0] if len(blocks) == 1 else namespace(Z).concat(blocks, axis=0)
