"""Feature maps phi: linear, random Fourier, Nystroem and sketched; scikit-learn transformers on arrays and tensors."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from lsvv.features.kernels import IsotropicKernel, Kernel, as_kernel
from lsvv.features.width import resolve_width
from lsvv.inputs import LARGEST, LARGEST_SINGLE, check_rows, generator
from lsvv.linalg import Array, by_few_rows, dense, drawn_by_content, like, namespace, take_rows, to_float64, to_numpy
from lsvv.parameters import check_parameters
from lsvv.targets.weighting import row_weight


class FeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """phi: R^d -> R^D. ``fit`` learns the map, ``transform`` applies it row by row in the array's own namespace.

    Examples
    --------
    A map of one's own says how many features it has and what they are:

    >>> import numpy as np
    >>> from lsvv.features import FeatureMap
    >>> class WithSquares(FeatureMap):
    ...     def _fit(self, X, sample_weight):
    ...         return 2 * X.shape[1]
    ...     def transform_checked(self, X):
    ...         return np.concatenate([X, X**2], axis=1)
    >>> WithSquares().fit_transform(np.array([[2.0, 3.0]]))
    array([[2., 3., 4., 9.]])
    """

    n_features_in_: int
    _n_features_out: int

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the map from the rows of ``X``; a row of weight 2 counts as two rows, ``y`` is not looked at."""
        X = check_rows(self, X, reset=True)
        weight = None if sample_weight is None else row_weight(sample_weight, X.shape[0])
        self._n_features_out = self._fit(X, weight)
        return self

    def transform(self, X: Any) -> Array:
        """phi(x) for every row of ``X``, one row each."""
        check_is_fitted(self)
        return self.transform_checked(check_rows(self, X, reset=False))

    def placed(self, names: Any) -> Self:
        """The same map, unfitted, with the places of columns that it names, for those that name any."""
        return self

    @abstractmethod
    def _fit(self, X: Array, sample_weight: np.ndarray | None) -> int:
        """Learn from checked rows and return D."""

    @abstractmethod
    def transform_checked(self, X: Array) -> Array:
        """phi(x) for rows that have passed the gate."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class Linear(FeatureMap):
    """phi(x) = x: the linear hypotheses of the paper. Sparse rows stay sparse.

    Examples
    --------
    >>> import numpy as np
    >>> Linear().fit_transform(np.array([[1.0, 2.0]]))
    array([[1., 2.]])
    """

    def _fit(self, X: Array, sample_weight: np.ndarray | None) -> int:
        return int(X.shape[1])

    def transform_checked(self, X: Array) -> Array:
        """phi(x) for rows that have passed the gate."""
        return X


class RandomFourier(FeatureMap):
    """phi(x) = sqrt(2 / D) cos(Omega' x / width + b), b uniform on [0, 2 pi] (Section 6.2 of the paper).

    <phi(x), phi(z)> approximates the kernel with an error of order 1 / sqrt(D).

    Parameters
    ----------
    n_components : int
        D, the number of features.
    width : "auto", float or str
        The kernel's width: a number, or a multiple of the median distance between training rows such as
        ``"2 median"``. ``"auto"`` is half the median in a single model and a search in the CV estimators.
    kernel : str or Kernel
        "gaussian", "laplacian", "matern" or "cauchy", or an object of :mod:`lsvv.features.kernels`.
    orthogonal : bool
        Directions orthogonal within blocks of d draws (same law each, smaller error together). Only kernels of
        the Euclidean distance (gaussian, matern) have such draws; the others are always drawn independently.
    random_state : int, Generator, RandomState or None
        Seeds the draws. They do not depend on the rows or on the width.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(5, 3))
    >>> RandomFourier(n_components=8, width=1.0, random_state=0).fit_transform(X).shape
    (5, 8)
    """

    def __init__(
        self,
        n_components: int = 2000,
        *,
        width: float | str = "auto",
        kernel: str | Kernel = "gaussian",
        orthogonal: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.width = width
        self.kernel = kernel
        self.orthogonal = orthogonal
        self.random_state = random_state

    def _fit(self, X: Array, sample_weight: np.ndarray | None) -> int:
        check_parameters(self)
        kernel = as_kernel(self.kernel)
        rng = generator(self.random_state)
        draw = (
            kernel.orthogonal_frequencies
            if self.orthogonal and isinstance(kernel, IsotropicKernel)
            else kernel.frequencies
        )
        frequencies = draw(rng, int(X.shape[1]), self.n_components)
        offsets = rng.uniform(0.0, 2.0 * np.pi, size=self.n_components)
        self.width_ = resolve_width(self.width, X, sample_weight, rng)
        self.frequencies_ = _scaled_down(frequencies, self.width_, X)
        self.offsets_ = like(offsets, X)
        return self.n_components

    def transform_checked(self, X: Array) -> Array:
        """phi(x) for rows that have passed the gate."""
        frequencies, offsets = like(self.frequencies_, X), like(self.offsets_, X)
        size = (2.0 / self.n_components) ** 0.5

        def waves(rows: Array) -> Array:
            angles = rows @ frequencies
            angles += offsets
            features = namespace(angles).cos(angles)
            features *= size
            return features

        return by_few_rows(waves, X, self.n_components)


def _scaled_down(frequencies: np.ndarray, width: float, X: Array) -> Array:
    """``frequencies / width`` in the precision of ``X``, of which no row that passes the gate makes an infinity."""
    most = float(np.finfo(np.float64).max) / LARGEST
    if X.dtype == namespace(X).float32:
        most = float(np.finfo(np.float32).max) / LARGEST_SINGLE
    if np.abs(frequencies).max() > width * most:
        raise ValueError(
            f"The width {width:g} is so narrow that frequencies overflow. Scale the columns of X, or pass a wider one."
        )
    return like(frequencies / width, X)


class LandmarkMap(FeatureMap):
    """phi(x) = R' k(Z, x) for landmark rows Z: <phi(x), phi(z)> = k(x, Z) R R' k(Z, z).

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv.features import Nystroem
    >>> X = np.arange(12.0).reshape(6, 2)
    >>> phi = Nystroem(n_components=4, random_state=0).fit(X)
    >>> phi.landmarks_.shape, phi.transform(X).shape
    ((4, 2), (6, 4))
    """

    width: float | str
    kernel: str | Kernel
    random_state: Any

    def _fit(self, X: Array, sample_weight: np.ndarray | None) -> int:
        check_parameters(self)
        rng = generator(self.random_state)
        kernel = as_kernel(self.kernel)
        candidates = np.arange(X.shape[0]) if sample_weight is None else np.flatnonzero(sample_weight > 0)
        rows = candidates[drawn_by_content(take_rows(X, candidates), self._n_landmarks(), rng)]
        self.width_ = resolve_width(self.width, X, sample_weight, rng)
        self.landmarks_ = dense(take_rows(X, rows)) / self.width_
        gram = to_numpy(to_float64(kernel.values(self.landmarks_, self.landmarks_)))
        self.mixing_ = like(self._mixing(gram, rng), self.landmarks_)
        return int(self.mixing_.shape[1])

    def transform_checked(self, X: Array) -> Array:
        """phi(x) for rows that have passed the gate."""
        return by_few_rows(self._of_landmarks, X, len(self.landmarks_))

    def _of_landmarks(self, X: Array) -> Array:
        values = as_kernel(self.kernel).values(X / self.width_, like(self.landmarks_, X))
        return values @ like(self.mixing_, X)

    @abstractmethod
    def _n_landmarks(self) -> int:
        """How many training rows to keep."""

    @abstractmethod
    def _mixing(self, gram: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """R, from the landmarks' kernel matrix."""


class Nystroem(LandmarkMap):
    """phi(x) = K_ZZ^{-1/2} k(Z, x) for ``n_components`` training rows Z.

    With all training rows as landmarks this IS the exact kernel method. Directions of the kernel matrix below
    1e-12 of the largest are dropped.

    Parameters
    ----------
    n_components : int
        Number of landmarks; all training rows where there are fewer.
    width, kernel, random_state
        As in :class:`RandomFourier`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> Phi = Nystroem(n_components=20, width=1.0).fit_transform(X)
    >>> K = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / 2)
    >>> bool(np.allclose(Phi @ Phi.T, K))
    True
    """

    def __init__(
        self,
        n_components: int = 500,
        *,
        width: float | str = "auto",
        kernel: str | Kernel = "gaussian",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.width = width
        self.kernel = kernel
        self.random_state = random_state

    def _n_landmarks(self) -> int:
        return self.n_components

    def _mixing(self, gram: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return _inverse_root(gram)


class Sketch(LandmarkMap):
    """phi(x) = (S' K_ZZ S)^{-1/2} S' k(Z, x), S a random sketch of ``n_landmarks`` training rows Z.

    A Gaussian sketch mixes all landmarks into each of D features; a sub-sampled one picks D of them, which is
    the Nystroem map.

    Parameters
    ----------
    n_components : int
        D, the number of columns of S.
    n_landmarks : int
        Number of training rows the sketch looks at: memory and time per row stay bounded.
    sketch : "gaussian" or "subsample"
        The law of S.
    width, kernel, random_state
        As in :class:`RandomFourier`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(40, 3))
    >>> Sketch(n_components=10, n_landmarks=30, random_state=0).fit_transform(X).shape
    (40, 10)
    """

    def __init__(
        self,
        n_components: int = 500,
        *,
        n_landmarks: int = 2000,
        sketch: str = "gaussian",
        width: float | str = "auto",
        kernel: str | Kernel = "gaussian",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_landmarks = n_landmarks
        self.sketch = sketch
        self.width = width
        self.kernel = kernel
        self.random_state = random_state

    def _n_landmarks(self) -> int:
        return self.n_landmarks

    def _mixing(self, gram: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        n_landmarks = gram.shape[0]
        count = min(self.n_components, n_landmarks)
        if self.sketch == "gaussian":
            S = rng.standard_normal((n_landmarks, count)) / np.sqrt(count)
        else:
            S = np.eye(n_landmarks)[:, np.sort(rng.choice(n_landmarks, count, replace=False))]
        return S @ _inverse_root(S.T @ gram @ S)


def _inverse_root(A: np.ndarray) -> np.ndarray:
    """A^{-1/2} over the directions of ``A`` above 1e-12 of the largest."""
    values, vectors = np.linalg.eigh(A)
    keep = values > 1e-12 * values[-1]
    return vectors[:, keep] / np.sqrt(values[keep])


MAPS: dict[str, type[FeatureMap]] = {
    "linear": Linear,
    "fourier": RandomFourier,
    "nystroem": Nystroem,
    "sketch": Sketch,
}
