"""X: plain numbers of many shapes and scales, in every container there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
import torch

from .draws import Draw


@np.errstate(all="ignore")
def numbers(draw: Draw, n: int, d: int) -> np.ndarray:
    """Rows an estimator must take, at most 1e40 in size; hostile cells and sizes are drawn beside."""
    rng = draw.rng
    match draw.one_of(("normal", "normal", "normal", "scales", "whole", "equal", "constant", "twice", "zeros", "thin")):
        case "normal":
            X = rng.normal(size=(n, d))
        case "scales":
            X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-6, 6, size=d) + 10.0 ** rng.uniform(-3, 3)
        case "whole":
            X = rng.integers(-4, 5, size=(n, d)).astype(float)
        case "equal":
            X = np.tile(rng.normal(size=(1, d)), (n, 1))
        case "constant":
            X = rng.normal(size=(n, d))
            X[:, 0] = draw.one_of((0.0, 3.0, 1e6))
        case "twice":
            X = rng.normal(size=((n + 1) // 2, d)).repeat(2, axis=0)[:n]
        case "zeros":
            X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.2)
        case _:
            X = rng.normal(size=(n, 1)) @ rng.normal(size=(1, d))
    if draw.chance(0.1):
        X = X * 10.0 ** draw.between(-40, 30)
    if draw.chance(0.05):
        X = X + 10.0 ** draw.between(0, 12)
    if draw.spoilt(0.05):
        X[draw.count(0, n - 1), draw.count(0, d - 1)] = draw.one_of(
            (np.nan, np.inf, -np.inf, 1e39, 1e71, 1e200, 1e-310)
        )
    if draw.spoilt(0.03):
        X = X * 10.0 ** draw.between(30, 300)
    return X


PLAIN = (
    "array",
    "array",
    "array",
    "fortran",
    "strided",
    "read-only",
    "float32",
    "list",
    "csr",
    "csc",
    "coo",
    "csr_array",
)
SPARSE = ("csr", "csc", "coo", "csr_array")
FRAMES = ("frame", "mixed frame", "categories", "polars", "torch", "torch32", "whole", "object", "bool", "narrow")


@np.errstate(all="ignore")
def contained(draw: Draw, X: np.ndarray, kind: str) -> Any:
    """The rows in a container; those that cannot hold them round."""
    names = [f"x{j}" for j in range(X.shape[1])]
    match kind:
        case "array":
            return X
        case "fortran":
            return np.asfortranarray(X)
        case "strided":
            return np.repeat(X, 2, axis=1)[:, ::2]
        case "read-only":
            X = X.copy()
            X.flags.writeable = False
            return X
        case "float32":
            return X.astype(np.float32)
        case "list":
            return X.tolist()
        case "csr" | "csc" | "coo":
            return getattr(sp, f"{kind}_matrix")(X)
        case "csr_array":
            return sp.csr_array(X)
        case "frame":
            return pd.DataFrame(X, columns=names)
        case "mixed frame":
            frame = pd.DataFrame(X, columns=names)
            frame[names[0]] = _whole(X[:, 0]).astype(np.int64)
            frame[names[-1]] = frame[names[-1]] > 0
            return frame
        case "categories":
            frame = pd.DataFrame(X, columns=names)
            frame[names[0]] = pd.Categorical(np.where(X[:, 0] > 0, "up", "down"))
            return frame
        case "polars":
            return pl.DataFrame(X, schema=names)
        case "torch":
            return torch.as_tensor(X)
        case "torch32":
            return torch.as_tensor(X, dtype=torch.float32)
        case "whole":
            return _whole(X).astype(draw.one_of((np.int64, np.int32, np.int16)))
        case "object":
            return X.astype(object)
        case "bool":
            return X > 0
        case "narrow":
            return np.clip(np.nan_to_num(X), -6e4, 6e4).astype(np.float16)
    return _strange(draw, X, names, kind)


STRANGE = (
    *("texts", "none", "dates", "complex", "flat", "deep", "no rows", "no columns", "same names", "number names"),
    *("masked", "bytes", "ragged", "text frame", "huge int", "nothing", "word", "dict", "half torch", "sparse torch"),
)


def _strange(draw: Draw, X: np.ndarray, names: list[str], kind: str) -> Any:
    n, d = X.shape
    match kind:
        case "texts":
            return np.full((n, d), "a")
        case "none":
            cells = X.astype(object)
            cells[0, 0] = None
            return cells
        case "dates":
            return pd.DataFrame({"when": pd.date_range("2020-01-01", periods=n), "x": X[:, 0]})
        case "complex":
            return X + 1j
        case "flat":
            return X[:, 0]
        case "deep":
            return X[:, :, None]
        case "no rows":
            return X[:0]
        case "no columns":
            return X[:, :0]
        case "same names":
            return pd.DataFrame(np.c_[X, X], columns=[*names, *names])
        case "number names":
            return pd.DataFrame(X)
        case "masked":
            return np.ma.masked_array(X, mask=draw.rng.random((n, d)) < 0.3)
        case "bytes":
            return np.full((n, d), b"1")
        case "ragged":
            return [[1.0] * (1 + row % 2) for row in range(n)]
        case "text frame":
            return pd.DataFrame({"x": X[:, 0], "word": ["a", "b"] * (n // 2) + ["c"] * (n % 2)})
        case "huge int":
            return [[10**400] * d for _ in range(n)]
        case "nothing":
            return None
        case "word":
            return "rows"
        case "dict":
            return {"x": X[:, 0]}
        case "half torch":
            return torch.as_tensor(np.clip(np.nan_to_num(X), -6e4, 6e4), dtype=torch.float16)
        case _:
            return torch.as_tensor(X).to_sparse()


def _whole(X: np.ndarray) -> np.ndarray:
    return np.round(np.clip(np.nan_to_num(X), -3e4, 3e4))
