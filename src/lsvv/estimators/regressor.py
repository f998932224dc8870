"""LSVVRegressor: one or many numbers a row, any of them missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from lsvv.estimators.base import VectorValuedEstimator
from lsvv.estimators.elsewhere import known_targets
from lsvv.linalg import Array, brought_back, like, to_numpy
from lsvv.losses import Loss, Squared
from lsvv.targets import Codec, Numbers, Targets, encode_numbers
from lsvv.targets.reading import as_floats, as_rows_of_targets
from lsvv.targets.weighting import row_weight


class RegressorPredictions(RegressorMixin):
    """Numbers from standardised scores: what every regressor here has in common."""

    fit_intercept: bool
    codec_: Codec
    _scores: Callable[[Any], Array]

    def predict(self, X: Any) -> Array:
        """Predicted targets, 1-d where ``y`` was."""
        scores = self._scores(X)
        return self.codec_.decode(scores)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2 over the known entries of ``y``, the mean over the outputs."""
        y = known_targets(X, y)
        predicted = np.atleast_2d(to_numpy(self.predict(X)).T).T
        truth = as_floats(as_rows_of_targets(y, len(predicted), "y"), "y")
        values = truth if truth.ndim == 2 else truth[:, None]
        if values.shape != predicted.shape:
            raise ValueError(f"y has shape {truth.shape}, but the model has {predicted.shape[1]} numbers a row.")
        weight = row_weight(sample_weight, len(values))
        known = ~np.isnan(values) & (weight > 0)[:, None]
        scores = [
            r2_score(values[rows, k], predicted[rows, k], sample_weight=weight[rows])
            for k, rows in enumerate(known.T)
            if rows.sum() > 1
        ]
        if not scores:
            raise ValueError("No output of y has two known entries, so R^2 is not defined. Pass labelled rows.")
        return float(np.mean(scores))

    def _encode(self, y: Any, n_rows: int, sample_weight: Any) -> Targets:
        return encode_numbers(y, n_rows, sample_weight, about_zero=not self.fit_intercept)

    def _filled(self, scores: np.ndarray, targets: Targets) -> np.ndarray:
        """The targets of all training rows: known entries as given, the others predicted."""
        filled = targets.codec.decode(scores)
        known = targets.known.reshape(filled.shape)
        filled[known] = targets.given.reshape(filled.shape)[known]
        return filled


@dataclass(kw_only=True, eq=False, repr=False)
class LSVVRegressor(RegressorPredictions, VectorValuedEstimator):
    """Predict one or many numbers a row from a few labelled rows and many unlabelled ones.

    Minimises the equation of :class:`LSVVClassifier` with the squared loss on targets that are standardised inside
    and returned on their own scale. ``ridge="auto"``, the default, is chosen by leave-one-out, so that targets which
    have nothing to do with the rows are predicted by their mean; and with it ``smoothing="auto"``, between none and
    that of the classifier. ``features="linear+fourier"``, the default, is :class:`lsvv.features.LinearFourier`.

    NaN in ``y`` marks what is unknown, entry by entry: rows known for one task only are multi-task learning. Parameters
    and attributes are those of the classifier without ``loss`` and ``class_weight``; ``singular_values_`` belong to the
    standardised W, ``coef_`` and ``intercept_`` to the targets' own scale. Intervals are
    :meth:`lsvv.LSVVRegressorCV.predict_interval`'s; a search over one setting is this model.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv import LSVVRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, size=(200, 1))
    >>> Y = np.hstack([np.sin(X), np.cos(X)])
    >>> Y[40:, 0] = np.nan
    >>> Y[:160, 1] = np.nan
    >>> model = LSVVRegressor(random_state=0).fit(X, Y)
    >>> bool(np.abs(model.predict([[0.0]]) - [0.0, 1.0]).max() < 0.05)
    True
    """

    features: Any = "linear+fourier"

    def _loss(self, targets: Targets) -> Loss:
        return Squared()

    @property
    def coef_(self) -> Array:
        """W' on the targets' own scale, of shape (K, D)."""
        codec = self.codec_
        assert isinstance(codec, Numbers)
        return brought_back(self._weights.T * like(codec.scale, self._weights)[:, None], self.device)

    @property
    def intercept_(self) -> Array:
        """b on the targets' own scale, of shape (K,)."""
        codec = self.codec_
        assert isinstance(codec, Numbers)
        return brought_back(
            self._offset * like(codec.scale, self._weights) + like(codec.mean, self._weights), self.device
        )
