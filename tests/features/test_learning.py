"""The lesson of a map that learns: walks end where the smoother says, and labels are held out with care."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lsvv.features import Lesson
from lsvv.graph import KNNGraph, Smoother
from lsvv.losses import Squared


def lesson(T: np.ndarray, A: np.ndarray, **terms: object) -> Lesson:
    return Lesson(np.arange(len(T)), T, A, Squared(), **terms)  # type: ignore[arg-type]


@pytest.mark.parametrize("smoothing", [0.0, 0.5, 0.9])
def test_walks_end_where_the_smoother_says(rng: np.random.Generator, smoothing: float) -> None:
    S = KNNGraph(weights="heat").build(rng.normal(size=(12, 2)), 3)
    # a row without neighbours keeps its own features
    S = sp.csr_array(sp.block_diag([S, sp.csr_array((1, 1))]))
    S.eliminate_zeros()
    R = Smoother(S).columns(np.eye(13), smoothing)
    some = lesson(np.ones((13, 1)), np.ones((13, 1)), smoothing=smoothing, S=S)
    n = 20_000
    for start in (0, 5, 12):
        ends = some.reached(np.full(n, start), rng)
        shares = np.bincount(ends, minlength=13) / n
        assert np.all(np.abs(shares - R[start]) <= 4.5 * np.sqrt(R[start] * (1 - R[start]) / n) + 1e-12)


def test_every_class_and_output_keeps_a_label(rng: np.random.Generator) -> None:
    T = np.eye(4)[[0, 0, 0, 0, 1, 1, 2, 2, 3]]
    for _ in range(20):
        held = lesson(T, np.ones((9, 4))).held_out(0.99, rng)
        kept = np.setdiff1d(np.arange(9), held)
        assert sorted(T[kept].argmax(axis=1)) == [0, 1, 2, 3]
    A = np.array([[1, 0], [1, 0], [0, 1], [1, 1]])
    held = lesson(rng.normal(size=(4, 2)) + 9.0, A).held_out(0.99, rng)
    assert A[np.setdiff1d(np.arange(4), held)].any(axis=0).all()


def test_the_share_is_kept_where_it_can_be(rng: np.random.Generator) -> None:
    held = lesson(np.ones((100, 1)), np.ones((100, 1))).held_out(0.25, rng)
    assert held.size == np.unique(held).size == 25
