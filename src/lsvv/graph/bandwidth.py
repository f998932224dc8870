"""The sequence of rows in which neighbours stand close to each other, so that products find them in the cache."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee


def low_bandwidth_order(edges: sp.csr_array) -> np.ndarray:
    """All rows of a symmetric graph in the reverse order of Cuthill and McKee, or as they are where edges are too many.

    Edges to columns beyond those of the rows do not count.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> chain = sp.csr_array(np.eye(6, k=1) + np.eye(6, k=-1))[[0, 2, 4, 1, 3, 5]][:, [0, 2, 4, 1, 3, 5]]
    >>> low_bandwidth_order(chain).tolist()
    [5, 2, 4, 1, 3, 0]
    """
    n_rows = edges.shape[0]
    if edges.nnz > np.iinfo(np.int32).max:
        return np.arange(n_rows)
    edges = edges if edges.shape[1] == n_rows else edges[:, :n_rows]
    narrow = (edges.data, *(part.astype(np.int32, copy=False) for part in (edges.indices, edges.indptr)))
    # a view of the order itself, backwards, which tensors do not take
    return reverse_cuthill_mckee(sp.csr_array(narrow, shape=edges.shape), symmetric_mode=True).astype(int)
