"""Peak memory of a smoothed fit stays within the formula of docs/models.md."""

import tracemalloc

import numpy as np
import pytest

from lsvv import LSVVRegressor
from lsvv.features import RandomFourier
from lsvv.graph import KNNGraph

BLOCK = 2**21


@pytest.mark.parametrize("n_labels", [40, 400], ids=["fewer labels than columns", "more labels than columns"])
def test_a_smoothed_fit_holds_blocks_labelled_rows_and_scores(n_labels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("lsvv.features.rows", "lsvv.graph.smoothing"):
        monkeypatch.setattr(f"{module}.BLOCK_BYTES", BLOCK)
    m, D, K = 20_000, 200, 3
    X = np.random.default_rng(0).normal(size=(m, 4))
    Y = np.full((m, K), np.nan)
    Y[:n_labels] = np.random.default_rng(1).normal(size=(n_labels, K))
    graph = KNNGraph(weights="self-tuned").fit(X, 7)
    model = LSVVRegressor(features=RandomFourier(D, width=2.0, random_state=0), smoothing=0.9, graph=graph)
    tracemalloc.start()
    model.fit(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    edges = 12 * graph.S.nnz
    arrays = 8 * (3 * m * K + n_labels * D + 4 * D * D)
    # three blocks in passing; a few copies of the edges while the graph is checked and made P; targets and scores
    assert peak < 3 * BLOCK + 8 * edges + 3 * arrays
    assert peak < 8 * m * D
