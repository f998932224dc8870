"""Trees as features: a kernel of shared leaves, sparse through graph, manifold term, solvers and search."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_moons

from lsvv import LSVVClassifier, LSVVClassifierCV, LSVVRegressor
from lsvv.features import Linear, Trees
from lsvv.graph import KNNGraph


def test_the_kernel_is_the_share_of_trees_with_a_common_leaf(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 4))
    phi = Trees(40, max_depth=3, random_state=1).fit(X)
    leaves = phi.embedding_.apply(X)
    together = np.mean(leaves[:, None, :] == leaves[None, :, :], axis=2)
    Phi = phi.transform(X)
    assert sp.issparse(Phi)
    np.testing.assert_allclose((Phi @ Phi.T).toarray(), together, atol=1e-12)


def test_labels_have_no_part_in_the_cuts(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    first, second = (
        LSVVRegressor(features=Trees(20, random_state=0), ridge=1e-2).fit(X, y).feature_map_.transform(X)
        for y in (X[:, 0], rng.normal(size=40))
    )
    assert (first != second).nnz == 0


@pytest.mark.parametrize("terms", [{}, {"smoothing": 0.9}, {"manifold": 0.1}, {"spectral": 1e-3}])
def test_sparse_leaves_give_the_model_of_dense_ones(terms: dict[str, float]) -> None:
    X, truth = make_moons(120, noise=0.1, random_state=0)
    y = np.where(np.arange(120) % 4 == 0, truth, -1)
    settings = {"smoothing": 0.0, "random_state": 0, "graph": KNNGraph().build(X, 7), **terms}
    phi = Trees(30, max_depth=4, random_state=0).fit(X)
    leaves = phi.transform(X)
    models = [LSVVClassifier(features=Linear(), **settings) for _ in range(2)]
    sparse, dense = (model.fit(rows, y) for model, rows in zip(models, (leaves, leaves.toarray()), strict=True))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-5)
    direct = LSVVClassifier(features=Trees(30, max_depth=4, random_state=0), **settings).fit(X, y)
    assert np.mean(direct.transduction_ == truth) > 0.8


def test_a_search_takes_trees_among_its_maps() -> None:
    X, truth = make_moons(150, noise=0.1, random_state=0)
    y = np.where(np.arange(150) % 5 == 0, truth, -1)
    model = LSVVClassifierCV(features=[Linear(), Trees(50, random_state=0)], random_state=0).fit(X, y)
    assert model.score(X, truth) > 0.9
