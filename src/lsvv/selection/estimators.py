"""LSVVClassifierCV and LSVVRegressorCV: the estimators of the core with grids in place of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from lsvv.calibration import fit_temperature, fit_threshold
from lsvv.estimators import LSVVClassifier, LSVVRegressor
from lsvv.estimators.classifier import ClassifierPredictions
from lsvv.estimators.regressor import RegressorPredictions
from lsvv.losses import Loss, Squared, make_loss
from lsvv.selection.atlas import Setting
from lsvv.selection.search import MANIFOLDS, RIDGES, SPECTRALS, SearchEstimator
from lsvv.targets import Targets


class LSVVClassifierCV(ClassifierPredictions, SearchEstimator):
    """LSVVClassifier that chooses its own map, loss, ridge, manifold, power and tail, from as few as ten labels.

    Every setting gets its leave-one-label-out predictions (exact for the squared loss, one Newton step for the
    others; the row stays in the graph). The model is their average, stretched to undo the shrinkage of averaging. The
    settings of one map and loss are weighed by exp(-c n (loss - best) / (2 best)) with the Brier score as loss; maps
    and losses so that the leave-one-out loss of the whole is small, the more evenly the fewer labels there are. Of
    several labels a row, each is given from the expectation on at which leave-one-out finds it as likely as not.

    Where all rows x columns x classes are few (3e5) and labels at least five, the best settings of the squared and the
    logistic loss also teach the rows without a label: a model is fitted to what they expect of these rows, made surer,
    and again to what it expects itself. Judged on folds of the labels, such models get half of the average at most.
    With ``manifold=0`` nothing is taught, and unlabelled rows change only the maps.

    Parameters
    ----------
    features : "auto", str, transformer or list of them, default="auto"
        "auto" searches the linear map, Fourier maps of the Gaussian kernel and landmark maps of the Laplacian kernel,
        each of 1000 components; with at most 1000 rows also several draws of 100 components, landmarks of the Gaussian
        kernel among them. A map with ``width="auto"`` is searched over 0.25 to 4 medians; a fixed width stays.
    loss : str or sequence, default=("squared", "logistic")
        Losses searched: "squared", "logistic", "smooth_hinge".
    ridge, manifold, power : number or sequence
        The grid's axes, as in :class:`lsvv.LSVVClassifier`. Smooth losses use the
        ridges up to 1, on large problems from 1e-4 on.
    spectral, free_rank : number or sequence
        The tail's axes, tried by k-fold at the best setting: shares of the penalty that empties W, and fractions of
        min(D, K).
    selection : "average" or "best", default="average"
        Average over the settings, or refit the best one with :class:`lsvv.LSVVClassifier`.
    safe : bool, default=True
        Compare paired held-out losses with and without what unlabelled rows bring, and keep, mix or drop it.
    per_output : bool, default=False
        Weigh the settings for each label alone (multi-label only).
    n_draws : int or "auto", default="auto"
        Independent draws of each random map; "auto" draws small maps until 500 columns were seen.
    n_neighbors, laplacian, graph, class_weight, fit_intercept, n_jobs, random_state, verbose
        As in :class:`lsvv.LSVVClassifier`.

    Attributes
    ----------
    weights_ : array of shape (members, K)
        Weight of each of ``atlas_.members`` in the average, one column an output.
    best_params_, best_index_ : dict, int
        The setting of lowest leave-one-out loss.
    loo_ : array
        Leave-one-out loss of every setting.
    labelled_ : array
        The training rows the leave-one-out figures belong to.
    loo_predictions_ : array of shape (labelled rows, K)
        Leave-one-out expectations of the average; maps and losses are weighed by other rows than their own.
    cv_results_ : dict
        All settings in GridSearchCV's form.
    atlas_ : Atlas
        Settings, losses, and the kept members with their W, the taught ones among them.
    guard_ : Guard or None
        What ``safe`` did, and why.
    classes_, transduction_, temperature_, singular_values_, effective_rank_, notes_
        As in :class:`lsvv.LSVVClassifier`; an average is no longer of low rank, which ``effective_rank_`` shows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from lsvv import LSVVClassifierCV
    >>> from lsvv.features import RandomFourier
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = np.full(150, -1)
    >>> y[::10] = truth[::10]
    >>> model = LSVVClassifierCV(features=RandomFourier(50), random_state=0).fit(X, y)
    >>> round(model.score(X, truth), 1)
    0.9
    """

    def __init__(
        self,
        *,
        features: Any = "auto",
        loss: Any = ("squared", "logistic"),
        ridge: Any = RIDGES,
        manifold: Any = MANIFOLDS,
        power: Any = (1, 2),
        spectral: Any = SPECTRALS,
        free_rank: Any = (0.0, 0.5),
        selection: str = "average",
        safe: bool = True,
        per_output: bool = False,
        n_draws: int | str = "auto",
        n_neighbors: int = 7,
        laplacian: str = "normalized",
        graph: Any = "auto",
        class_weight: Any = None,
        fit_intercept: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            features=features,
            ridge=ridge,
            manifold=manifold,
            power=power,
            spectral=spectral,
            free_rank=free_rank,
            selection=selection,
            safe=safe,
            per_output=per_output,
            n_draws=n_draws,
            n_neighbors=n_neighbors,
            laplacian=laplacian,
            graph=graph,
            fit_intercept=fit_intercept,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.loss = loss
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, *, X_unlabeled: Any = None, sample_weight: Any = None) -> Self:
        """Try every setting by leave-one-label-out, then average them (or refit the best); see the class."""
        super().fit(X, y, X_unlabeled=X_unlabeled, sample_weight=sample_weight)
        if self.best_estimator_ is not None and self.best_params_["loss"] == "squared":
            # raw scores, where the average is one of probabilities
            self.temperature_ = self.best_estimator_.temperature_
        return self

    def _choose(self, notes: Sequence[str], allowed: Callable[[Setting], bool] = lambda _: True) -> None:
        super()._choose(notes, allowed)
        self._threshold = 0.5
        if not (self._codec.one_class_a_row or self._refits):
            weights = self._A * self._known.sum(axis=0)
            self._threshold = fit_threshold(self.loo_predictions_, self._T, weights)
        if self._threshold != 0.5:
            self.notes_ += (
                f"A label is given from an expectation of {self._threshold:.2f} on in place of 0.5: leaving labels out "
                f"one by one, every second one of that expectation is there.",
            )
        self.temperature_ = fit_temperature(
            self.loo_predictions_ - self._threshold,
            self._T,
            self._known.astype(np.float64),
            one_class_a_row=self._codec.one_class_a_row,
        )

    def _losses(self, targets: Targets) -> tuple[Loss, ...]:
        names = [self.loss] if isinstance(self.loss, (str, Loss)) else list(self.loss)
        if "hinge" in names:
            raise ValueError("loss='hinge' has no leave-one-out step at its kink. Choose 'smooth_hinge'.")
        return tuple(make_loss(name, one_class_a_row=targets.codec.one_class_a_row) for name in names)

    def _core(self, params: dict[str, Any]) -> LSVVClassifier:
        return LSVVClassifier(**params, class_weight=self.class_weight)


class LSVVRegressorCV(RegressorPredictions, SearchEstimator):
    """LSVVRegressor that chooses its own map, ridge, manifold, power and tail.

    As :class:`LSVVClassifierCV` with the squared loss on standardised targets; parameters and attributes are the same
    without ``loss`` and ``class_weight``. The average is not stretched.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv import LSVVRegressorCV
    >>> from lsvv.features import RandomFourier
    >>> X = np.random.default_rng(0).uniform(-3, 3, size=(120, 1))
    >>> y = np.sin(X[:, 0])
    >>> y[30:] = np.nan
    >>> model = LSVVRegressorCV(features=RandomFourier(50), random_state=0).fit(X, y)
    >>> bool(model.score(X, np.sin(X[:, 0])) > 0.99)
    True
    """

    _stretches = False

    def _losses(self, targets: Targets) -> tuple[Loss, ...]:
        return (Squared(),)

    def _core(self, params: dict[str, Any]) -> LSVVRegressor:
        return LSVVRegressor(**{k: v for k, v in params.items() if k != "loss"})
