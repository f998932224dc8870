"""Which feature maps a search visits: widths and draws of each map asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone

from lsvv.features import FeatureMap, LandmarkMap, Linear, MappedRows, Nystroem, RandomFourier, as_feature_map
from lsvv.features.width import median_distance, median_multiple
from lsvv.linalg import Array, dense, take_rows, to_numpy

WIDTHS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Multiples of the median distance that a width="auto" stands for."""
N_COMPONENTS, FEW_COMPONENTS = 1000, 100
"""Size of the maps of features="auto", and of those added to them where there are at most N_COMPONENTS rows: with few
labels the average of several small draws is often better than one whole kernel."""
DRAWN_COLUMNS, MOST_DRAWS = 500, 5
"""A small random map is drawn anew until so many columns were seen, so often at most, and the draws are averaged."""


def expand_maps(features: Any, n_draws: int | str, X: Array, rng: np.random.Generator) -> list[tuple[Any, int]]:
    """Unfitted transformers, each with the number of its kind: draws that differ by chance alone share one.

    Lists are joined, each width "auto" becomes several. Widths in medians become numbers here: all maps of a search
    share one median distance between the rows ``X``.
    """
    median = cache(lambda: median_distance(X, None, rng))
    if isinstance(features, str) and features == "auto":
        features = _default_maps(X.shape[0])
    maps: list[tuple[Any, int]] = []
    n_kinds = 0
    for one in features if isinstance(features, (list, tuple)) else [features]:
        base = as_feature_map(one, None)
        parameters = base.get_params(deep=False)
        widths = _widths(parameters, median)
        for _ in range(_count_draws(base, parameters, n_draws)):
            seed = int(rng.integers(2**31))
            for number, width in enumerate(widths):
                changes: dict[str, Any] = {} if width is None else {"width": width}
                if parameters.get("random_state", 0) is None:
                    changes["random_state"] = seed
                maps.append((clone(base).set_params(**changes), n_kinds + number))
        n_kinds += len(widths)
    return maps


def _default_maps(n_rows: int) -> list[FeatureMap]:
    """Linear, Fourier and landmark maps, of two sizes where rows are few."""
    maps: list[FeatureMap] = [Linear(), RandomFourier(N_COMPONENTS), Nystroem(N_COMPONENTS, kernel="laplacian")]
    if n_rows <= N_COMPONENTS:
        few = FEW_COMPONENTS
        maps += [RandomFourier(few), Nystroem(few), Nystroem(few, kernel="laplacian")]
    return maps


def _widths(parameters: dict[str, Any], median: Callable[[], float]) -> Sequence[float | None]:
    width = parameters.get("width")
    if not isinstance(width, str):
        return [None]
    multiples = WIDTHS if width == "auto" else (median_multiple(width) or 1.0,)
    return [multiple * median() for multiple in multiples]


def _count_draws(base: Any, parameters: dict[str, Any], n_draws: int | str) -> int:
    random = isinstance(base, FeatureMap) and parameters.get("random_state", 0) is None
    if not random:
        return 1
    if n_draws == "auto":
        size = int(parameters["n_components"])
        return max(1, min(MOST_DRAWS, DRAWN_COLUMNS // size))
    if isinstance(n_draws, bool) or not isinstance(n_draws, (int, np.integer)) or n_draws < 1:
        raise ValueError(f"n_draws={n_draws!r} is not a count. Pass 'auto' or an integer of at least 1.")
    return int(n_draws)


def compress(rows: MappedRows) -> tuple[MappedRows, np.ndarray | None]:
    """Phi in as many columns as it has rows, where that is fewer: Phi = R' Q', so W = Q W_small loses nothing.

    Every term of the objective sees W through Phi of the training rows or through its norm, so the minimiser lies in
    their span.
    """
    n_rows, n_features = rows.shape
    if n_rows >= n_features:
        return rows, None
    Q, R = np.linalg.qr(to_numpy(rows.whole()).astype(np.float64).T)
    return MappedRows(np.ascontiguousarray(R.T), lambda block: block), Q


def dense_block(rows: MappedRows, which: np.ndarray) -> np.ndarray:
    """Phi of some rows as a dense double array."""
    block = rows.transform(take_rows(rows.X, which))
    return np.asarray(to_numpy(dense(block)), dtype=np.float64)


def with_fixed_width(fitted: Any) -> Any:
    """A fresh map of the same draw whose width is the number the fitted one arrived at."""
    if isinstance(fitted, (RandomFourier, LandmarkMap)):
        return clone(fitted).set_params(width=fitted.width_)
    return clone(fitted)
