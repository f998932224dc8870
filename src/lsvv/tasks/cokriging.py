"""Co-kriging: several fields seen at different places, each filled with the help of the others, with a deviation."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from scipy.stats import norm
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from lsvv.features import Nystroem
from lsvv.features.kernels import as_kernel
from lsvv.features.width import resolve_width
from lsvv.inputs import check_rows, generator
from lsvv.intervals import COVERAGE
from lsvv.linalg import dense, threads_for, to_numpy
from lsvv.parameters import check_parameters
from lsvv.targets import Numbers, encode_numbers
from lsvv.tasks.likelihood import Entries, learnt, posterior

START = 0.5
"""Multiple of the median distance between places from which the search for the width begins."""


class CoKriging(RegressorMixin, BaseEstimator):
    """y_k(x) = mean_k + f_k(x) + noise_k, cov(f_k(x), f_l(z)) = B_kl kappa(x, z): fields fill each other's gaps.

    The intrinsic model of co-kriging. B, the noise of each field and the width of the kernel are those of the highest
    evidence (marginal likelihood) of at most ``most_entries`` known entries. Then f_k = w_k' phi + rest_k for features
    phi of landmarks, rows of W ~ N(0, B), and the posterior of W is that of all entries: predictions come with their
    deviation. A B of low rank is a subspace that fields share, as under the tail penalty; its strength is learnt here.

    Parameters
    ----------
    n_components : int
        Landmarks of the Nystroem map. Fields that vary over small distances need more; memory is
        8 (landmarks x fields)^2 bytes.
    kernel : str or Kernel
        "gaussian", "matern", "laplacian" or "cauchy", or an object of :mod:`lsvv.features.kernels`.
    width : "auto" or float
        The kernel's width; "auto" learns it.
    most_entries : int
        Known entries, drawn at random, that B, noise and width are learnt from; a step takes about their cube.
    max_iter, tol : int, float
        Steps at most, and the relative gain of the evidence at which they end.
    random_state : int, Generator, RandomState or None
        Seeds the landmarks and the entries.

    Attributes
    ----------
    covariance_ : array of shape (K, K)
        B in the units of the fields.
    noise_ : array of shape (K,)
        Variance of the noise of each field.
    n_iter_ : int
    width_, evidence_ : float
        The width, and log p(y) of the entries looked at, of standardised fields.
    feature_map_ : fitted map
    posterior_ : Posterior
        Of standardised fields.

    Examples
    --------
    Two fields that are one but for a factor, each seen in one half of the line:

    >>> import numpy as np
    >>> from lsvv.tasks import CoKriging
    >>> X = np.linspace(0, 1, 80)[:, None]
    >>> wave = np.sin(9 * X[:, 0])
    >>> Y = np.column_stack([wave, -3 * wave])
    >>> Y[45:, 0], Y[:35, 1] = np.nan, np.nan
    >>> model = CoKriging(random_state=0).fit(X, Y)
    >>> filled, deviation = model.predict(X, return_std=True)
    >>> bool(np.abs(filled[45:, 0] - wave[45:]).max() < 0.1)
    True
    """

    def __init__(
        self,
        n_components: int = 600,
        *,
        kernel: Any = "gaussian",
        width: float | str = "auto",
        most_entries: int = 700,
        max_iter: int = 200,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.width = width
        self.most_entries = most_entries
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from places ``X`` and fields ``y`` (n, K), NaN where a field was not seen.

        Parameters
        ----------
        X : array or frame of shape (n, d)
            Places.
        y : array of shape (n,) or (n, K)
            Fields; each needs two known entries at least.

        Returns
        -------
        self
        """
        check_parameters(self)
        X = self._places(X, reset=True)
        targets = encode_numbers(y, len(X), None)
        few = np.flatnonzero(targets.known.sum(axis=0) < 2)
        if few.size:
            raise ValueError(f"Column {few[0]} of y has one known entry; a field needs two at least (n_samples = 1).")
        self._codec, self.n_outputs_ = targets.codec, targets.values.shape[1]
        row, field = np.nonzero(targets.weights > 0)
        entries = Entries(X[row], field, targets.values[row, field], self.n_outputs_)
        rng = generator(self.random_state)
        with threads_for(self.most_entries):
            law = self._law(entries, rng)
        seen = X[targets.labelled]
        seed = int(rng.integers(2**31))
        phi = Nystroem(self.n_components, width=law.width, kernel=self.kernel, random_state=seed)
        self.feature_map_ = phi.fit(seen)
        Phi = self.feature_map_.transform_checked(seen)
        self.posterior_ = posterior(Phi[np.searchsorted(targets.labelled, row)], entries, law)
        scale = self._scale
        self.covariance_, self.noise_ = law.B * np.outer(scale, scale), law.noise * scale**2
        self.width_, self._noise = law.width, law.noise
        return self

    def _law(self, entries: Entries, rng: np.random.Generator) -> Any:
        """B, noise and width of the highest evidence of some of the entries."""
        fixed = not isinstance(self.width, str) or self.width != "auto"
        some = np.sort(rng.choice(len(entries.y), min(len(entries.y), self.most_entries), replace=False))
        width = resolve_width(f"{START} median" if self.width == "auto" else self.width, entries.X[some], None, rng)
        law, self.evidence_, self.n_iter_ = learnt(
            as_kernel(self.kernel),
            entries.some(some),
            width,
            fixed_width=fixed,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        if self.n_iter_ >= self.max_iter:
            warnings.warn(
                f"The evidence was still rising after {self.max_iter} steps. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return law

    @property
    def _scale(self) -> np.ndarray:
        assert isinstance(self._codec, Numbers)
        return self._codec.scale

    def _places(self, X: Any, *, reset: bool) -> np.ndarray:
        return np.asarray(to_numpy(dense(check_rows(self, X, reset=reset))), dtype=np.float64)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The fields at the places ``X``, and with ``return_std`` the deviation of a new observation there."""
        check_is_fitted(self)
        rows = self._places(X, reset=False)
        with threads_for(len(rows)):
            Phi = self.feature_map_.transform_checked(rows)
            found = self._codec.decode(Phi @ self.posterior_.W)
            if not return_std:
                return found
            deviation = np.sqrt(self.posterior_.variances(Phi) + self._noise) * self._scale
        return found, deviation[:, 0] if found.ndim == 1 else deviation

    def predict_interval(self, X: Any, level: float = COVERAGE) -> tuple[np.ndarray, np.ndarray]:
        """The ends between which a new observation lies with probability ``level`` under the model."""
        if not 0.0 < level < 1.0:
            raise ValueError(f"level={level!r} is no probability. Pass a number above 0 and below 1, such as 0.9.")
        middle, deviation = self.predict(X, return_std=True)
        reach = norm.ppf(0.5 + 0.5 * level) * deviation
        return middle - reach, middle + reach

    def score(self, X: Any, y: Any) -> float:
        """R^2 over the known entries of ``y``, the mean over the fields."""
        truth = np.asarray(to_numpy(y), dtype=np.float64).reshape(len(to_numpy(y)), -1)
        found = np.reshape(self.predict(X), truth.shape)
        shares = []
        for column, said in zip(truth.T, found.T, strict=True):
            known = ~np.isnan(column)
            if known.sum() > 1:
                spread = np.sum((column[known] - column[known].mean()) ** 2)
                shares.append(1.0 - np.sum((column[known] - said[known]) ** 2) / max(spread, 1e-300))
        if not shares:
            raise ValueError("No field of y has two known entries, so R^2 is not defined.")
        return float(np.mean(shares))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags
