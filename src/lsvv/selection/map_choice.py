"""Which feature maps a search visits: widths and draws of each map asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from lsvv.features import (
    FeatureMap,
    LandmarkMap,
    LearningMap,
    Linear,
    LinearFourier,
    MappedRows,
    Nystroem,
    RandomFourier,
    Ranges,
    Ranks,
    as_feature_map,
)
from lsvv.features.encoders import asked
from lsvv.features.kernels import IsotropicKernel, as_kernel
from lsvv.features.width import median_distance, median_multiple
from lsvv.linalg import Array, dense, take_rows, to_float64
from lsvv.parameters import entries

WIDTHS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Multiples of the median distance that a width="auto" stands for."""
N_COMPONENTS = 1000
"""Size of the maps of features="auto"; Fourier maps of many rows are twice as wide."""
APART = 10.0
"""What an absolute difference costs beside a multiplication of matrices."""


def views_of(features: Any, X: Array, *, as_they_are: bool) -> list[tuple[FeatureMap, Any]]:
    """How columns are read, each way with its maps; maps that were asked for read them as they are.

    features="auto" reads columns by their ranges and by their ranks, so that no unit matters; ranks of sparse columns
    would be dense. ``as_they_are`` is for a graph that was built of the columns as they are.
    """
    if not is_auto(features):
        return [(Linear(), asked(features))]
    by_range, by_rank = default_maps(X.shape[0])
    if as_they_are or sp.issparse(X):
        return [(Linear() if as_they_are else Ranges(), [*by_range, *by_rank])]
    return [(Ranges(), by_range), (Ranks(), by_rank)]


def is_auto(features: Any) -> bool:
    """Whether the search chooses the maps itself."""
    features = asked(features)
    return isinstance(features, str) and features == "auto"


def expand_maps(features: Any, n_draws: int, X: Array, rng: np.random.Generator, names: Any = None) -> list[Any]:
    """Unfitted transformers: lists are joined, each width "auto" becomes several, each random map ``n_draws``.

    Widths in medians become numbers here: all maps of a view share one median distance between its rows ``X``.
    """
    median = cache(lambda: median_distance(X, None, rng))
    maps: list[Any] = []
    for one in entries("features", features) if isinstance(features, (list, tuple)) else [features]:
        base = as_feature_map(one, None, names)
        if isinstance(base, LearningMap):
            raise ValueError(
                f"{type(base).__name__} learns from labels, so leaving a label out once its features are there would "
                f"judge it too well. Fit LSVVClassifier or LSVVRegressor with it, and compare settings by "
                f"GridSearchCV(..., cv=LabeledKFold()), which trains the features anew for each fold."
            )
        parameters = base.get_params(deep=False)
        is_random = isinstance(base, FeatureMap) and parameters.get("random_state", 0) is None
        for _ in range(n_draws if is_random else 1):
            seed = int(rng.integers(2**31))
            for width in _widths(parameters, median):
                changes: dict[str, Any] = {} if width is None else {"width": width}
                if parameters.get("random_state", 0) is None:
                    changes["random_state"] = seed
                fresh = clone(base)
                if changes:
                    fresh.set_params(**changes)
                maps.append(fresh)
    return maps


def default_maps(n_rows: int) -> tuple[list[FeatureMap], list[FeatureMap]]:
    """Maps of columns by their ranges, and by their ranks: linear, Gaussian Fourier, Laplacian landmarks."""
    fourier = N_COMPONENTS if n_rows <= 5 * N_COMPONENTS else 2 * N_COMPONENTS
    return (
        [Linear(), RandomFourier(fourier, width="0.5 median"), _landmarks(4.0)],
        [RandomFourier(fourier, width="1 median"), _landmarks(4.0)],
    )


def _landmarks(medians: float) -> Nystroem:
    return Nystroem(N_COMPONENTS, width=f"{medians} median", kernel="laplacian")


def _widths(parameters: dict[str, Any], median: Callable[[], float]) -> Sequence[float | None]:
    width = parameters.get("width")
    if not isinstance(width, str):
        return [None]
    multiples = WIDTHS if width == "auto" else (median_multiple(width) or 1.0,)
    return [multiple * median() for multiple in multiples]


def mapping_cost(fitted: Any, X: Array, n_columns: int) -> float:
    """Multiplications to map all rows; a kernel of absolute differences takes each apart."""
    apart = isinstance(fitted, LandmarkMap) and not isinstance(as_kernel(fitted.kernel), IsotropicKernel)
    return float(X.shape[0]) * X.shape[1] * n_columns * (APART if apart else 1.0)


def dense_block(rows: MappedRows, which: np.ndarray) -> Array:
    """Phi of some rows, dense and in double precision."""
    return to_float64(dense(rows.transform(take_rows(rows.X, which))))


def with_fixed_width(fitted: Any) -> Any:
    """A fresh map of the same draw whose width is the number the fitted one arrived at."""
    if isinstance(fitted, (RandomFourier, LinearFourier, LandmarkMap)):
        return clone(fitted).set_params(width=fitted.width_)
    return clone(fitted)
