"""The penalties of the model for training loops of one's own in torch: tail of singular values, graph, last layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from lsvv.extras import optional
from lsvv.linalg import to_numpy
from lsvv.spectral import balanced_free_rank, prox_tail_sum, resolve_free_rank, singular_values

if TYPE_CHECKING:
    from torch.nn import Module

torch = optional("torch", "lsvv.nn", "torch")
Module = torch.nn.Module

__all__ = ["LSVVHead", "ManifoldLoss", "TailNuclearNorm"]

Tensor = Any


class TailNuclearNorm(Module):
    """T(W) = sum_{j > theta} sigma_j(W), the tail of the singular values, with a gradient where it has one, and a prox.

    The gradient is sum_{j > theta} u_j v_j', where sigma_theta > sigma_{theta+1} and no value of the tail is 0. A
    matrix and its transpose have the same tail, so that ``torch.nn.Linear.weight`` is taken as it is.

    Parameters
    ----------
    free_rank : int, float or "balance"
        theta, as in :class:`lsvv.LSVVClassifier`; "balance" needs ``n_labelled``.
    n_labelled : int
        Labelled rows, for "balance".

    Examples
    --------
    >>> import torch
    >>> from lsvv.nn import TailNuclearNorm
    >>> W = torch.diag(torch.tensor([3.0, 2.0, 0.5]))
    >>> tail = TailNuclearNorm(free_rank=1)
    >>> float(tail(W))
    2.5
    >>> tail.prox_(W, step=1.0).diag().tolist()
    [3.0, 1.0, 0.0]
    """

    def __init__(self, free_rank: int | float | str = 0, n_labelled: int = 1) -> None:
        super().__init__()
        self.free_rank = free_rank
        self.n_labelled = n_labelled

    def forward(self, W: Tensor) -> Tensor:
        """T(W)."""
        return torch.linalg.svdvals(W)[self._count(W) :].sum()

    def prox_(self, W: Tensor, step: float) -> Tensor:
        """argmin_V 1/2 ||V - W||^2 + step T(V), in place: the tail's values fall by ``step``, others stay."""
        with torch.no_grad():
            return W.copy_(prox_tail_sum(W.detach(), step, self._count(W)))

    def _count(self, W: Tensor) -> int:
        if isinstance(self.free_rank, str):
            return balanced_free_rank(singular_values(W.detach()), self.n_labelled)
        return resolve_free_rank(self.free_rank, *W.shape)


class ManifoldLoss(Module):
    """tr(H' Lap H) / m from a few edges at a time: the manifold term of scores H, without the graph in memory twice.

    For edges (i, j) drawn with probability S_ij / s, s the sum of S over the edges,

        tr(H' Lap H) / m = (s / m) E || h_i / r_i - h_j / r_j ||^2,

    r_i the root of i's degree ("normalized"), or of the mean degree ("plain").

    Parameters
    ----------
    S : sparse matrix of shape (m, m)
        Symmetric, non-negative: ``KNNGraph().fit(X, 7).S``.
    laplacian : "normalized" or "plain"

    Examples
    --------
    >>> import numpy as np, torch
    >>> from lsvv.graph import KNNGraph
    >>> from lsvv.nn import ManifoldLoss
    >>> manifold = ManifoldLoss(KNNGraph().build(np.array([[0.0], [1.0]]), n_neighbors=1))
    >>> i, j = manifold.draw(4, np.random.default_rng(0))
    >>> H = torch.tensor([[0.0], [3.0]])
    >>> float(manifold(H[i], H[j], i, j))  # half of (0 - 3)^2
    4.5
    """

    def __init__(self, S: sp.csr_array, laplacian: str = "normalized") -> None:
        super().__init__()
        if laplacian not in ("normalized", "plain"):
            raise ValueError(f"laplacian={laplacian!r} is not known. Choose 'normalized' or 'plain'.")
        edges = sp.coo_array(sp.triu(S, k=1))
        if not edges.nnz:
            raise ValueError("The graph has no edge, so that there is nothing to draw. Pass more neighbours.")
        degree = np.asarray(S.sum(axis=1)).ravel()
        roots = np.sqrt(degree) if laplacian == "normalized" else np.full(degree.size, np.sqrt(degree.mean()))
        self.ends = np.stack([edges.row, edges.col])
        self.reach = np.cumsum(edges.data)
        self.roots = np.where(degree > 0, roots, 1.0)
        self.factor = float(self.reach[-1]) / S.shape[0]

    def draw(self, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The ends of ``size`` edges, each drawn by its weight."""
        drawn = np.searchsorted(self.reach, rng.random(size) * self.reach[-1], side="right")
        first, second = self.ends[:, np.minimum(drawn, self.reach.size - 1)]
        return first, second

    def forward(self, first: Tensor, second: Tensor, i: np.ndarray, j: np.ndarray) -> Tensor:
        """The estimate from scores of the ends ``i`` and ``j`` of drawn edges."""
        a, b = (torch.as_tensor(self.roots[end], dtype=first.dtype, device=first.device)[:, None] for end in (i, j))
        return self.factor * ((first / a - second / b) ** 2).sum(dim=1).mean()


class LSVVHead(Module):
    """h(z) = W' z + b as a last layer: its ridge in the loss, the tail by a prox after each step, W exact at the end.

    Parameters
    ----------
    n_features, n_outputs : int
        D and K.
    ridge, spectral, free_rank
        As in :class:`lsvv.LSVVClassifier`.

    Examples
    --------
    >>> import torch
    >>> from lsvv import LSVVRegressor
    >>> from lsvv.nn import LSVVHead
    >>> _ = torch.manual_seed(0)
    >>> Z, W = torch.randn(60, 5, dtype=torch.float64), torch.randn(5, 2, dtype=torch.float64)
    >>> head = LSVVHead(5, 2, ridge=1e-3, spectral=0.1).double()
    >>> optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    >>> for _ in range(5):
    ...     loss = ((head(Z) - Z @ W) ** 2).mean() + head.penalty()
    ...     optimizer.zero_grad()
    ...     loss.backward()
    ...     optimizer.step()
    ...     head.prox_(step=0.1)
    >>> head.solve_(LSVVRegressor(features="linear", ridge=0.0, smoothing=0), Z, Z @ W)
    >>> bool(torch.allclose(head(Z), Z @ W))
    True
    """

    def __init__(
        self,
        n_features: int,
        n_outputs: int,
        *,
        ridge: float = 1e-4,
        spectral: float = 0.0,
        free_rank: int | float | str = 0,
        n_labelled: int = 1,
    ) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(n_features, n_outputs)
        self.ridge = ridge
        self.spectral = spectral
        self.tail = TailNuclearNorm(free_rank, n_labelled)

    def forward(self, Z: Tensor) -> Tensor:
        """W' z + b for every row."""
        return self.linear(Z)

    def penalty(self) -> Tensor:
        """ridge ||W||^2, for the loss; the tail is not in it, :meth:`prox_` takes care of that."""
        return self.ridge * (self.linear.weight**2).sum()

    def prox_(self, step: float) -> None:
        """The prox of step * spectral * T on W, after each step of an optimiser."""
        if self.spectral:
            self.tail.prox_(self.linear.weight, step * self.spectral)

    def solve_(self, estimator: Any, Z: Tensor, y: Any) -> None:
        """Fit a linear estimator, such as LSVVClassifier(features="linear", smoothing=0), to (Z, y), and take its W, b.

        The features ``Z`` stay as they are, and targets may be missing as everywhere.
        """
        fitted = estimator.fit(Z.detach(), to_numpy(y))
        with torch.no_grad():
            for own, found in ((self.linear.weight, fitted.coef_), (self.linear.bias, fitted.intercept_)):
                own.copy_(torch.as_tensor(to_numpy(found)).reshape(own.shape))
