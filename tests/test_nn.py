"""Torch pieces for training loops of one's own agree with the core's functions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from lsvv import LSVVClassifier
from lsvv.graph import KNNGraph, laplacian
from lsvv.nn import LSVVHead, ManifoldLoss, TailNuclearNorm
from lsvv.spectral import prox_tail_sum, tail_sum


@pytest.mark.parametrize("free_rank", [0, 1, 2, 4, 0.5])
@pytest.mark.parametrize("shape", [(6, 4), (4, 6)])
def test_the_tail_and_its_prox_are_those_of_the_core(
    rng: np.random.Generator, shape: tuple[int, int], free_rank: int | float
) -> None:
    W = rng.normal(size=shape)
    count = 2 if free_rank == 0.5 else int(free_rank)
    tail, tensor = TailNuclearNorm(free_rank), torch.tensor(W)
    np.testing.assert_allclose(float(tail(tensor)), tail_sum(W, count), rtol=1e-12)
    moved = tail.prox_(tensor, 0.4)
    assert moved is tensor
    np.testing.assert_allclose(tensor.numpy(), prox_tail_sum(W, 0.4, count), atol=1e-12)


@pytest.mark.parametrize("free_rank", [0, 2])
def test_the_gradient_is_the_slope(rng: np.random.Generator, free_rank: int) -> None:
    W = torch.tensor(rng.normal(size=(5, 4)), requires_grad=True)
    TailNuclearNorm(free_rank)(W).backward()
    slope, h = np.zeros((5, 4)), 1e-6
    for place in np.ndindex(5, 4):
        up, down = W.detach().numpy().copy(), W.detach().numpy().copy()
        up[place] += h
        down[place] -= h
        slope[place] = (tail_sum(up, free_rank) - tail_sum(down, free_rank)) / (2 * h)
    assert W.grad is not None
    np.testing.assert_allclose(W.grad.numpy(), slope, atol=1e-7)


def test_a_balanced_rank_is_read_from_the_matrix() -> None:
    W = torch.diag(torch.tensor([4.0, 2.0, 1.0, 0.5, 0.25], dtype=torch.float64))
    assert float(TailNuclearNorm("balance", n_labelled=100)(W)) == pytest.approx(1.75)


@pytest.mark.parametrize("kind", ["normalized", "plain"])
def test_the_mean_over_drawn_edges_is_the_trace(rng: np.random.Generator, kind: str) -> None:
    S = KNNGraph(weights="heat").build(rng.normal(size=(15, 2)), 3)
    S = sp.csr_array(sp.block_diag([S, sp.csr_array((1, 1))]))
    H = rng.normal(size=(16, 3))
    manifold = ManifoldLoss(S, kind)
    share = np.diff(manifold.reach, prepend=0.0) / manifold.reach[-1]
    each = [float(manifold(torch.tensor(H[[i]]), torch.tensor(H[[j]]), [i], [j])) for i, j in manifold.ends.T]
    np.testing.assert_allclose(share @ each, np.trace(H.T @ (laplacian(S, kind) @ H)) / 16, rtol=1e-10)
    i, j = manifold.draw(20_000, rng)
    drawn = float(manifold(torch.tensor(H[i]), torch.tensor(H[j]), i, j))
    np.testing.assert_allclose(drawn, share @ each, rtol=5.0 * np.std(each) / np.mean(each) / np.sqrt(20_000))


def test_a_head_is_solved_as_the_estimator_solves(rng: np.random.Generator) -> None:
    Z, y = rng.normal(size=(60, 4)), rng.integers(3, size=60)
    head = LSVVHead(4, 3).double()
    estimator = LSVVClassifier(features="linear", smoothing=0)
    head.solve_(estimator, torch.tensor(Z), torch.tensor(y))
    scores = LSVVClassifier(features="linear", smoothing=0).fit(Z, y).decision_function(Z)
    np.testing.assert_allclose(head(torch.tensor(Z)).detach().numpy(), scores, atol=1e-10)


def test_a_loop_of_ones_own_finds_the_minimum_of_the_core(rng: np.random.Generator) -> None:
    Z = torch.tensor(rng.normal(size=(80, 5)))
    Y = torch.tensor(rng.normal(size=(80, 1)) @ rng.normal(size=(1, 4)))
    from lsvv import LSVVRegressor

    head = LSVVHead(5, 4, ridge=1e-2, spectral=0.2).double()
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    scaled = (Y - Y.mean(dim=0)) / Y.std(dim=0, correction=0)
    for _ in range(400):
        loss = ((head(Z) - scaled) ** 2).mean(dim=0).sum() + head.penalty()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        head.prox_(0.1)
    model = LSVVRegressor(features="linear", ridge=1e-2, smoothing=0, spectral=0.2, tol=1e-9).fit(Z, Y)
    found = torch.linalg.svdvals(head.linear.weight).detach().numpy()
    np.testing.assert_allclose(found, model.singular_values_, atol=1e-6)


def test_what_has_no_edge_or_no_name_is_refused() -> None:
    with pytest.raises(ValueError, match="The graph has no edge"):
        ManifoldLoss(sp.csr_array((3, 3)))
    with pytest.raises(ValueError, match="laplacian='signed' is not known"):
        ManifoldLoss(sp.csr_array(np.ones((2, 2))), "signed")
