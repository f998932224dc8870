"""y: classes, labels and numbers in every spelling, with holes; weights and graphs beside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
import torch

from .draws import Draw


def classes(draw: Draw, n: int) -> Any:
    """One class a row, two at least where there are rows enough."""
    k = draw.one_of((2, 2, 3, 5))
    y = np.arange(n) % k
    draw.rng.shuffle(y)
    if n < 2:
        draw.hostile = True
    known = draw.rng.random(n) < draw.one_of((1.0, 0.7, 0.4))
    for code in (0, 1):
        known[np.flatnonzero(y == code)[:1]] = True
    match draw.one_of(
        ("ints", "ints", "ints", "floats", "texts", "objects", "bools", "list", "series", "torch", "polars")
    ):
        case "ints":
            return np.where(known, y, -1).astype(draw.one_of((np.int64, np.int32, np.int8)))
        case "floats":
            return np.where(known, y, np.nan)
        case "texts":
            return np.array([f"class {c}" for c in y])
        case "objects":
            return np.array([f"c{c}" if there else None for c, there in zip(y, known, strict=True)], dtype=object)
        case "bools":
            return y == 0
        case "list":
            return [int(c) if there else None for c, there in zip(y, known, strict=True)]
        case "series":
            return pd.Series(pd.Categorical([f"c{c}" if there else None for c, there in zip(y, known, strict=True)]))
        case "torch":
            return torch.as_tensor(np.where(known, y, -1))
    return pl.Series([f"c{c}" if there else None for c, there in zip(y, known, strict=True)])


def indicators(draw: Draw, n: int) -> Any:
    """Several labels a row, entries missing one by one."""
    k = draw.one_of((2, 3, 4))
    Y = (draw.rng.random((n, k)) < 0.5).astype(float)
    Y[0] = 1.0
    Y[-1] = 0.0
    if n < 2:
        draw.hostile = True
    match draw.one_of(("whole", "holes", "holes", "rows", "ints", "frame")):
        case "holes":
            holes = draw.rng.random((n, k)) < 0.4
            holes[[0, -1]] = False
            return np.where(holes, np.nan, Y)
        case "rows":
            Y[1:-1][draw.rng.random(max(n - 2, 0)) < 0.5] = np.nan
            return Y
        case "ints":
            return Y.astype(int)
        case "frame":
            return pd.DataFrame(Y, columns=[f"label {j}" for j in range(k)])
    return Y


def targets(draw: Draw, n: int) -> Any:
    """Numbers, one or several a row, with holes, of sizes from 1e-30 to 1e30."""
    k = draw.one_of((0, 0, 0, 1, 2, 3))
    y = draw.rng.normal(size=(n, k) if k else n) * (10.0 ** draw.between(-30, 30) if draw.chance(0.1) else 1.0)
    match draw.one_of(("plain", "plain", "same", "skewed", "whole")):
        case "same":
            y = np.full_like(y, draw.one_of((0.0, 1.0, -3e5)))
        case "skewed":
            y = np.exp(np.clip(4.0 * y, -200.0, 200.0) * (np.abs(y).max() < 100.0))
        case "whole":
            y = np.round(np.clip(y, -1e6, 1e6))
    if draw.chance(0.5):
        holes = draw.rng.random(y.shape) < 0.5
        holes[:2] = False
        y = np.where(holes, np.nan, y)
    match draw.one_of(("array", "array", "list", "frame", "objects", "torch", "float32")):
        case "list":
            return y.tolist()
        case "frame":
            return pd.DataFrame(y) if k else pd.Series(y)
        case "objects":
            return np.where(np.isnan(y), np.array(None), y)
        case "torch":
            return torch.as_tensor(y)
        case "float32":
            return np.clip(y, -1e30, 1e30).astype(np.float32)
    return y


def strange_targets(draw: Draw, n: int) -> Any:
    """What no estimator can learn from, or what may be read in two ways."""
    rng = draw.rng
    mixed = np.array([draw.one_of(("a", 1, 2.5, None, True, -1, np.nan)) for _ in range(n)], dtype=object)
    infinite = rng.normal(size=n)
    infinite[0] = np.inf
    return draw.one_of(
        (
            *(mixed, infinite, np.full(n, -1), np.full(n, np.nan), np.full(n, None), np.zeros(n, dtype=int), None),
            *(rng.integers(0, 2, size=n + 1), rng.integers(0, 2, size=max(n - 1, 0)), rng.normal(size=(n, 2, 2)), "y"),
            *(np.where(rng.random(n) < 0.5, 1, -1), np.full(n, 1e39), 1e155 * rng.normal(size=n), [10**400] * n),
            *(rng.normal(size=n), rng.normal(size=n) + 1j, rng.integers(-3, 3, size=(n, 2)), np.empty((n, 0))),
            *(sp.csr_array(np.eye(n)), pd.Series(pd.date_range("2020-01-01", periods=n)), [[1], [2, 3]] * (n // 2)),
            *(np.array(["nan", "a"] * n)[:n], rng.integers(0, 2, size=(n, 1)), np.arange(n), np.arange(n) * 10**17),
            *(np.array([b"a", b"b"] * n)[:n], np.full((n, 2), np.nan), [None] * n, [object()] * n, {"y": 1}),
            *(
                np.array([-1.0, 1.0] * n)[:n],
                np.array([2**62, -(2**62)] * n)[:n],
                ["", " "] * (n // 2) + [""] * (n % 2),
            ),
        )
    )


def weights(draw: Draw, n: int) -> Any:
    """Nothing mostly; rows or entries that weigh differently; 0 and huge ones."""
    if draw.spoilt(0.04):
        return draw.one_of(
            (
                *(np.zeros(n), -np.ones(n), np.full(n, np.nan), np.full(n, np.inf), np.ones(n + 1), "heavy", ["a"] * n),
                *(np.ones((n, 7)), [None] * n, 2.0, np.full(n, 1j), [10**400] * n, (np.arange(n) == 0).astype(float)),
                *(np.where(np.arange(n) == 0, 1e300, 1e-300), np.full(n, 1e-310)),
            )
        )
    if draw.chance(0.8):
        return None
    return draw.one_of(
        (
            *(np.ones(n), draw.rng.random(n) + 0.01, draw.rng.integers(1, 4, size=n), np.full(n, 1e300)),
            *(
                np.full(n, 1e-300),
                (draw.rng.random(n) + 0.1).astype(np.float32),
                (10.0 ** draw.rng.uniform(-6, 6, n)).tolist(),
            ),
        )
    )


def adjacency(draw: Draw, n: int) -> Any:
    """A ready graph."""
    S = (draw.rng.random((n, n)) < 0.3) * draw.rng.random((n, n))
    S = (S + S.T) / 2.0
    np.fill_diagonal(S, 0.0)
    if draw.spoilt(0.3):
        S[0, -1] = draw.one_of((np.nan, np.inf, -1.0, 1e300, 5.0))
        S = draw.one_of((S, S[1:], S[:, 1:], S[:0], S[1:, 1:], S.astype(complex), S.astype(str), S + 1e300, S[0], [S]))
    return draw.one_of((S, sp.csr_array(S), sp.coo_matrix(S))) if np.ndim(S) == 2 and S.dtype.kind == "f" else S
