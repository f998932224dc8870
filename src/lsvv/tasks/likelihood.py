"""The intrinsic model of co-kriging: what it learns from some entries by evidence, and its posterior from all of them.

    y_k(x) = f_k(x) + noise_k,   cov(f_k(x), f_l(z)) = B_kl kappa(x / width, z / width),   noise_k ~ N(0, s_k).

Entries are triples (x_i, k_i, y_i): each field is known at places of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import minimize

from lsvv.features.kernels import Kernel

SMALLEST = 1e-6
"""Of the noise and of B's eigenvalues, in units of the targets' variance."""
FINE = 1e-4
"""Step in log(width) for the kernel's slope."""


@dataclass(frozen=True, eq=False)
class Entries:
    """Known entries: their places, the field of each, and their values about 0 with a variance of about 1."""

    X: np.ndarray
    field: np.ndarray
    y: np.ndarray
    n_fields: int

    def some(self, which: np.ndarray) -> Entries:
        """A part of them."""
        return Entries(self.X[which], self.field[which], self.y[which], self.n_fields)


@dataclass(frozen=True, eq=False)
class Law:
    """What the model learns beyond its posterior: B (K x K), the noise (K,) and the width of the kernel."""

    B: np.ndarray
    noise: np.ndarray
    width: float


def log_evidence(kernel: Kernel, entries: Entries, law: Law) -> tuple[float, np.ndarray, np.ndarray, float]:
    """log p(y) = -(y' S^-1 y + log|S| + n log(2 pi)) / 2, S_ij = B_{k_i k_j} kappa_ij + [i = j] s_{k_i}; its slopes.

    The slopes are in B, in the noise and in log(width): tr(G dS) with G = (alpha alpha' - S^-1) / 2, alpha = S^-1 y.
    """
    k = entries.field
    kappa, between = _gram(kernel, entries.X / law.width), law.B[np.ix_(k, k)]
    S = between * kappa
    S[np.diag_indices_from(S)] += law.noise[k]
    factor = cho_factor(S, lower=True, check_finite=False)
    inverse = cho_solve(factor, np.eye(len(k)), check_finite=False)
    alpha = inverse @ entries.y
    value = -0.5 * float(entries.y @ alpha) - float(np.log(np.diag(factor[0])).sum()) - 0.5 * len(k) * np.log(2 * np.pi)
    G = 0.5 * (np.outer(alpha, alpha) - inverse)
    own = np.eye(entries.n_fields)[k]
    by_B, by_noise = own.T @ (G * kappa) @ own, np.bincount(k, np.diag(G), minlength=entries.n_fields)
    wider, narrower = (_gram(kernel, entries.X / (law.width * np.exp(step))) for step in (FINE, -FINE))
    slope = (wider - narrower) / (2.0 * FINE)
    return value, by_B, by_noise, float(np.sum(G * between * slope))


def _gram(kernel: Kernel, places: np.ndarray) -> np.ndarray:
    return np.asarray(kernel.values(places, places))


def learnt(
    kernel: Kernel, entries: Entries, width: float, *, fixed_width: bool, tol: float, max_iter: int
) -> tuple[Law, float, int]:
    """The law of the highest evidence near fields that go half together, its evidence, and the steps it took.

    L-BFGS over the lower triangle of L, B = L L', and the logarithms of the noise and of the width.
    """
    K, n = entries.n_fields, len(entries.y)
    lower = np.tril_indices(K)
    edge = lower[0].size

    def read(x: np.ndarray) -> tuple[np.ndarray, Law]:
        L = np.zeros((K, K))
        L[lower] = x[:edge]
        return L, Law(L @ L.T + SMALLEST * np.eye(K), np.exp(x[edge : edge + K]), float(np.exp(x[-1])))

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        L, law = read(x)
        value, by_B, by_noise, by_width = log_evidence(kernel, entries, law)
        slope = np.concatenate([2.0 * (by_B @ L)[lower], by_noise * law.noise, [0.0 if fixed_width else by_width]])
        return -value / n, -slope / n

    start = np.linalg.cholesky(0.5 * np.eye(K) + 0.5)[lower]
    x = np.concatenate([start, np.full(K, np.log(0.1)), [np.log(width)]])
    noise, scales = (np.log(SMALLEST), np.log(10.0)), (x[-1] - np.log(1e3), x[-1] + np.log(1e3))
    bounds = [(None, None)] * edge + [noise] * K + [scales]
    found = minimize(loss, x, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": max_iter, "ftol": tol})
    return read(found.x)[1], -float(found.fun) * n, int(found.nit)


@dataclass(frozen=True, eq=False)
class Posterior:
    """Of f_k = w_k' phi + rest_k, given features phi with <phi, phi> at most kappa.

    Attributes
    ----------
    W : array of shape (D, K)
        Its mean.
    factor : array of shape (D K, D K)
        The lower Cholesky factor of the precision of vec(W), output by output.
    B : array of shape (K, K)
    """

    W: np.ndarray
    factor: np.ndarray
    B: np.ndarray

    def variances(self, Phi: np.ndarray) -> np.ndarray:
        """Of each field at each row: phi' cov(w_k) phi, and B_kk for the part of the kernel that phi has not."""
        (D, K), found = self.W.shape, []
        for k in range(K):
            place = np.zeros((D * K, len(Phi)))
            place[k * D : (k + 1) * D] = Phi.T
            found.append(np.sum(solve_triangular(self.factor, place, lower=True, check_finite=False) ** 2, axis=0))
        return np.stack(found, axis=1) + rest(Phi)[:, None] * np.diag(self.B)


def posterior(Phi: np.ndarray, entries: Entries, law: Law) -> Posterior:
    """From the features of all entries: the precision of vec(W) is B^-1 (x) I + diag_k(Phi_k' V_k^-1 Phi_k).

    V_k holds the noise, and B_kk times what the features miss of the kernel. Memory is 8 (D K)^2 bytes.
    """
    D, K = Phi.shape[1], entries.n_fields
    precision = np.kron(np.linalg.inv(law.B), np.eye(D))
    h = np.zeros((K, D))
    missed = rest(Phi)
    for k in range(K):
        mine, part = np.flatnonzero(entries.field == k), slice(k * D, (k + 1) * D)
        scaled = Phi[mine] / (law.noise[k] + law.B[k, k] * missed[mine])[:, None]
        precision[part, part] += scaled.T @ Phi[mine]
        h[k] = scaled.T @ entries.y[mine]
    factor = cho_factor(precision, lower=True, check_finite=False)
    mean = cho_solve(factor, h.ravel(), check_finite=False)
    return Posterior(mean.reshape(K, D).T, np.tril(factor[0]), law.B)


def rest(Phi: np.ndarray) -> np.ndarray:
    """kappa(x, x) - ||phi(x)||^2, with kappa(x, x) = 1."""
    return np.asarray(np.maximum(1.0 - np.sum(Phi**2, axis=1), 0.0))
