"""From S to the Laplacian and to G = Phi' Lap^power Phi / m, the manifold matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsvv.features.rows import MappedRows
from lsvv.graph.adjacency import check_choice
from lsvv.linalg import Array, sparse_times_dense, take_rows
from lsvv.sums import Sums, smoothness_sums


def laplacian(S: sp.csr_array, kind: str = "normalized") -> sp.csr_array:
    """Lap = I - D^{-1/2} S D^{-1/2}, or (D - S) / mean degree for ``kind="plain"``.

    Isolated rows have a zero row. tr(H' (D - S) H) = 1/2 sum_ij S_ij ||h_i - h_j||^2 (half of what the paper
    prints, which is why the gradient 2 G W is right).

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> laplacian(sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))).toarray()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    check_choice("laplacian", kind, ("normalized", "plain"))
    degree = np.asarray(S.sum(axis=1)).ravel()
    if kind == "plain":
        mean = degree.mean()
        return sp.csr_array((sp.diags_array(degree) - S) / (mean if mean > 0 else 1.0))
    root = np.where(degree > 0, 1.0 / np.sqrt(np.where(degree > 0, degree, 1.0)), 0.0)
    scaled = sp.diags_array(root) @ S @ sp.diags_array(root)
    return sp.csr_array(sp.diags_array((degree > 0).astype(np.float64)) - scaled)


def manifold_matrix(rows: MappedRows, Lap: sp.csr_array, power: int = 2) -> Array:
    """G = Phi' Lap^power Phi / m for power 1 or 2, in double precision.

    Power 2 is (Lap Phi)'(Lap Phi) / m. Rows are worked in blocks together with their neighbours, so that
    neither Lap^2 nor more than one block of Phi is ever formed; where Phi fits one block it is mapped once.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.features import Linear, MappedRows
    >>> from lsvv.graph import KNNGraph, laplacian, manifold_matrix
    >>> X = np.array([[0.0, 1.0], [1.0, 1.0]])
    >>> Lap = laplacian(KNNGraph().build(X, n_neighbors=1))
    >>> manifold_matrix(MappedRows(X, Linear().fit(X).transform), Lap)
    array([[1., 0.],
           [0., 0.]])
    """
    return manifold_matrices(rows, Lap, (power,))[power]


def manifold_matrices(rows: MappedRows, Lap: sp.csr_array, powers: Sequence[int]) -> dict[int, Array]:
    """G for each of several powers, from one pass over the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.features import Linear, MappedRows
    >>> from lsvv.graph import KNNGraph, laplacian, manifold_matrices
    >>> X = np.array([[0.0, 1.0], [1.0, 1.0]])
    >>> Lap = laplacian(KNNGraph().build(X, n_neighbors=1))
    >>> G = manifold_matrices(MappedRows(X, Linear().fit(X).transform), Lap, powers=(1, 2))
    >>> float(G[1][0, 0]), float(G[2][0, 0])
    (0.5, 1.0)
    """
    for power in powers:
        if power not in (1, 2):
            raise ValueError(f"power={power!r} is not supported. Choose power=1 or power=2.")
    sums = Sums()
    for inside, Phi, smoothed in _smoothed_blocks(rows, Lap):
        sums += smoothness_sums(Phi[inside], smoothed, tuple(powers))
    return {power: sums.manifold(power) for power in powers}


def _smoothed_blocks(rows: MappedRows, Lap: sp.csr_array) -> Iterator[tuple[Any, Array, Array]]:
    """(where the block lies in Phi, Phi of the block's neighbourhood, Lap Phi on the block)."""
    m = rows.shape[0]
    if m <= rows.block_rows:
        for part, Phi in rows.blocks():
            yield part, Phi, sparse_times_dense(Lap, Phi)
        return
    # the neighbourhood of a block has at most as many rows as Lap has entries there
    starts = _cut_by_entries(Lap, rows.block_rows)
    for start, stop in pairwise(starts):
        part = Lap[start:stop]
        hood = np.union1d(part.indices, np.arange(start, stop))
        Phi = rows.transform(take_rows(rows.X, hood))
        inside = np.searchsorted(hood, np.arange(start, stop))
        yield inside, Phi, sparse_times_dense(sp.csr_array(part[:, hood]), Phi)


def _cut_by_entries(Lap: sp.csr_array, limit: int) -> list[int]:
    """Row cuts such that each piece has at most ``limit`` entries (or is a single row)."""
    cuts, m = [0], Lap.shape[0]
    while cuts[-1] < m:
        reach = int(np.searchsorted(Lap.indptr, Lap.indptr[cuts[-1]] + limit, side="right")) - 1
        cuts.append(min(m, max(reach, cuts[-1] + 1)))
    return cuts
