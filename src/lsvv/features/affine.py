"""Straight lines beside waves: one map that bends where it must and goes on straight where it need not."""

from __future__ import annotations

from typing import Any

import numpy as np

from lsvv.features.kernels import Kernel
from lsvv.features.maps import FeatureMap, RandomFourier
from lsvv.linalg import Array, dense, like, namespace, to_float64, to_numpy
from lsvv.parameters import check_parameters


class LinearFourier(FeatureMap):
    """phi(x) = ((x - m) / s, sqrt(2 / D) cos(Omega' x / width + b)), m the mean row and s^2 the mean of ||x - m||^2.

    <phi(x), phi(z)> approximates <x - m, z - m> / s^2 + k(x, z): a line and a bend of the same weight, whatever the
    unit of the rows. With more columns than ``n_components`` there are waves alone, which then are cheaper.

    Parameters
    ----------
    n_components, width, kernel, random_state
        As in :class:`RandomFourier`, of which this is the map beside the line.

    Attributes
    ----------
    fourier_ : RandomFourier
    mean_ : array of shape (d,)
    size_ : float
        s.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.features import LinearFourier
    >>> X = np.array([[1.0], [3.0], [5.0]])
    >>> LinearFourier(n_components=8, random_state=0).fit_transform(X)[:, 0].round(2).tolist()
    [-1.22, 0.0, 1.22]
    """

    def __init__(
        self,
        n_components: int = 2000,
        *,
        width: float | str = "1 median",
        kernel: str | Kernel = "gaussian",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.width = width
        self.kernel = kernel
        self.random_state = random_state

    def _fit(self, X: Array, sample_weight: np.ndarray | None) -> int:
        check_parameters(self)
        self.fourier_ = RandomFourier(**self.get_params(deep=False)).fit(X, sample_weight=sample_weight)
        self.width_ = self.fourier_.width_
        self.is_straight_ = X.shape[1] <= self.n_components
        if not self.is_straight_:
            return self.n_components
        rows = to_numpy(to_float64(dense(X)))
        self.mean_ = np.average(rows, axis=0, weights=sample_weight)
        self.size_ = float(np.sqrt(np.average(np.sum((rows - self.mean_) ** 2, axis=1), weights=sample_weight))) or 1.0
        return self.n_components + int(X.shape[1])

    def transform_checked(self, X: Array) -> Array:
        """phi(x) for rows that have passed the gate."""
        waves = self.fourier_.transform_checked(X)
        if not self.is_straight_:
            return waves
        line = (dense(X) - like(self.mean_, X)[None, :]) / self.size_
        return namespace(waves).concat([line, waves], axis=1)
