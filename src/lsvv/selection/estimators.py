"""LSVVClassifierCV and LSVVRegressorCV: the estimators of the core with grids in place of values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lsvv.calibration import fit_temperature, fit_threshold, own_scale_errors, probabilities, with_lifts
from lsvv.estimators import LSVVClassifier, LSVVRegressor
from lsvv.estimators.classifier import ClassifierPredictions
from lsvv.estimators.elsewhere import is_elsewhere, scores_elsewhere
from lsvv.estimators.regressor import RegressorPredictions
from lsvv.inputs import generator, quoted
from lsvv.intervals import COVERAGE, error_law
from lsvv.linalg import brought_back, to_numpy
from lsvv.losses import Loss, Squared, make_loss
from lsvv.parameters import entries
from lsvv.selection.average import ReadRows, average
from lsvv.selection.averaging import LeftOut, without_own
from lsvv.selection.run import Run
from lsvv.selection.search import SearchEstimator
from lsvv.targets import Numbers, Targets, may_be_logs, on_logs, some_outputs


@dataclass(kw_only=True, eq=False, repr=False)
class LSVVClassifierCV(ClassifierPredictions, SearchEstimator):
    """LSVVClassifier that chooses its own map, loss, smoothing and ridge, from as few as ten labels.

    A plan of candidates (map, loss, smoothing, manifold term) is run, each along a path of ridges, and every setting
    gets its leave-one-label-out predictions: exact for the squared loss, one Newton step for the others; the row stays
    in the graph. The model is their average. Ridges of one candidate are weighed by exp(-c n (loss - best) / (2 best))
    with the Brier score as loss; candidates so that the leave-one-out loss of the whole is small, the more evenly the
    fewer labels there are. With ``features="auto"`` other kinds of model join it and are weighed in the same way: the
    vote of a row's neighbours, and trees, which are judged by folds of the labels that they have not seen. Of several
    labels a row, each is given from the expectation on at which leave-one-out finds
    it as likely as not. Where the plan holds one setting, the model is :class:`lsvv.LSVVClassifier` at that setting.

    Every value means what it means there; a sequence of values is a grid.

    Parameters
    ----------
    features : "auto", str, transformer or list of them, default="auto"
        "auto" searches the linear map, Fourier maps of the Gaussian kernel and landmarks of the Laplacian kernel, of
        columns by their ranges and by their ranks, so that no unit matters (:class:`lsvv.features.Ranges`,
        :class:`lsvv.features.Ranks`); with a ready graph, of columns as they are. Maps that are named read columns as
        they are. A map with ``width="auto"`` is searched over 0.25 to 4 medians; a fixed width stays.
    trees : "auto" or bool, default="auto"
        Whether extra, bagged and boosted trees join the average, each grown without one of ten folds of the labels,
        which judges it. "auto" has them with ``features="auto"``; ``selection="best"`` never has.
    loss : str or sequence, default=("squared", "logistic")
        Losses searched: "squared", "logistic", "smooth_hinge". Beside the squared loss, the others meet the features as
        they are before smoothing.
    ridge : "auto", number or sequence, default="auto"
        "auto" is 1e-7 to 1 in units of the features' spread: the mean squared distance of labelled rows from their
        mean.
    smoothing : "auto", number or sequence, default="auto"
        "auto" is 0, 0.8, 0.95 and 0.99.
    manifold, power : "auto", number or sequence, defaults 0 and 2
        "auto" is 0 and 1e-3 to 100, and both powers.
    spectral, free_rank : "auto", number or sequence, defaults 0 and 0
        The tail's axes, tried by k-fold at the best candidate and at the best supervised one. "auto" tries 0.01 to 0.3
        of the penalty that empties W, and none and half of the singular values free. With ridge="auto" each tail is
        tried beside next to no ridge, too, since a tail shrinks in its place.
    selection : "average" or "best", default="average"
        Average over the settings, or refit the best one with :class:`lsvv.LSVVClassifier`.
    safe : bool, default=True
        Compare paired held-out losses with and without what unlabelled rows bring, and keep, mix or drop it.
    per_output : bool, default=False
        Weigh the settings for each label alone (multi-label only).
    n_draws : int, default=1
        Independent draws of each random map.
    n_neighbors, laplacian, graph, class_weight, fit_intercept, n_jobs, device, random_state, verbose
        As in :class:`lsvv.LSVVClassifier`.

    Attributes
    ----------
    plan_ : list of Candidate
        The candidates that were run.
    shares_ : array of shape (candidates, K)
        Share of each in the average, one column an output.
    kinds_ : dict of str to float
        Share of each kind of model, the mean over the outputs: "maps" (the candidates together; with
        ``features="auto"`` those of curved maps, and "lines" those of the linear one), "neighbours", "extra
        trees", "bagged trees" and "boosted trees" (which not every search has).
    kind_shares_ : dict of str to array of shape (K,)
        The same for each output.
    best_params_, best_index_ : dict, int
        The setting of lowest leave-one-out loss.
    loo_ : array
        Leave-one-out loss of every setting.
    labeled_ : array
        The training rows the leave-one-out figures belong to.
    loo_proba_, loo_predictions_ : arrays
        What the average says of each of these rows from the labels of the others; candidates are weighed by other rows
        than their own.
    parts_, maps_, graphs_ : tuple of Part, dicts of fitted maps and of NeighborGraph
        The model: what is averaged for a new row.
    forests_ : tuple of Forest
        The trees of the model: those of a share above 0.
    columns_ : dict of int to fitted transformer
        The views: how columns are read. Trees read the last one.
    views_ : dict of int to int
        The view that each of ``maps_`` reads.
    view_ : int
        The view that the best setting reads: ``best_estimator_`` and ``core(best_params_)`` are for the rows that
        ``columns_[view_].transform`` makes; with maps that were asked for these are the rows themselves.
    best_estimator_ : LSVVClassifier or None
        The model in their place, with ``selection="best"`` or where there was one setting.
    cv_results_ : dict
        All settings in GridSearchCV's form.
    guard_ : Guard or None
        What ``safe`` did, and why; with ``features="auto"`` with curved maps, as linear ones have a guard of their own.
    output_notes_ : tuple of str
        Those of ``notes_`` that are about single outputs, by their number.
    classes_, transduction_, temperature_, threshold_, codec_, singular_values_, effective_rank_, notes_
        As in :class:`lsvv.LSVVClassifier`; the singular values are those of the heaviest candidate.

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

    loss: Any = ("squared", "logistic")
    class_weight: Any = None

    def _losses(self) -> list[str]:
        names = entries("loss", self.loss)
        if "hinge" in names:
            raise ValueError("loss='hinge' has no leave-one-out step at its kink. Choose 'smooth_hinge'.")
        return names

    def _make_loss(self, name: str) -> Loss:
        return make_loss(name, one_class_a_row=self.codec_.one_class_a_row)

    def _calibrate(self, expectation: LeftOut, run: Run) -> None:
        """Threshold and temperature from the leave-one-out expectations; those of a row's own from other rows."""
        one_class_a_row, found, known = self.codec_.one_class_a_row, expectation.honest, run.A > 0
        has_threshold = not one_class_a_row and bool(self.forests_ or not self._refits(run))

        def learnt(rows: np.ndarray) -> tuple[float, float]:
            E, T, A = found[rows], run.T[rows], run.A[rows]
            threshold = fit_threshold(E, T, A * known.sum(axis=0)) if has_threshold else 0.5
            weights = known[rows].astype(np.float64)
            return threshold, fit_temperature(E - threshold, T, weights, one_class_a_row=one_class_a_row)

        self.threshold_, self.temperature_ = learnt(np.ones(len(found), dtype=bool))
        if self.threshold_ != 0.5:
            self.notes_ += (
                f"A label is given from an expectation of {self.threshold_:.2f} on in place of 0.5: leaving labels out "
                f"one by one, every second one of that expectation is there.",
            )
        scores, proba = np.empty_like(found), np.empty_like(found)
        for mine, others in without_own(len(found)):
            threshold, temperature = learnt(others)
            scores[mine] = found[mine] - threshold
            proba[mine] = probabilities(scores[mine], temperature, one_class_a_row=one_class_a_row)
        self.loo_proba_ = proba[run.in_place]
        self.loo_predictions_ = self.codec_.decode(scores[run.in_place])

    def predict_proba(self, X: Any) -> Any:
        """Probabilities, (n, K): rows sum to 1 for classes, each entry stands alone for labels."""
        check_is_fitted(self, "plan_")
        if self.best_estimator_ is None or self.forests_:
            return super().predict_proba(X)
        if is_elsewhere(X):
            return self.best_estimator_._probabilities(scores_elsewhere(self, X, "_core_scores"))
        return self.best_estimator_._probabilities(brought_back(self._core_scores(self._checked(X)), self.device))

    def _core_scores(self, X: Any) -> Any:
        """The scores of the model in the average's place, for checked rows."""
        return self.best_estimator_._checked_scores(ReadRows(X, self.columns_)[self.view_])

    def _core(self, params: dict[str, Any]) -> LSVVClassifier:
        return LSVVClassifier(**params, class_weight=self.class_weight)


@dataclass(kw_only=True, eq=False, repr=False)
class LSVVRegressorCV(RegressorPredictions, SearchEstimator):
    """LSVVRegressor that chooses its own map, smoothing, ridge, and the scale of its targets.

    As :class:`LSVVClassifierCV` with the squared loss on standardised targets; parameters and attributes are the same
    without ``loss``, ``class_weight`` and what belongs to probabilities, and with these.

    Parameters
    ----------
    target_scale : "auto", "as is" or "log", default="auto"
        Fit the targets as they are, or log(y + c), c = 0 where all known numbers are above 0 and the least positive
        one where some are 0. Predictions of a logarithm are never negative. They aim at the mean: exp is multiplied by
        the mean of exp(leave-one-out error), where that lowers the squared leave-one-out error. "auto" tries the
        logarithm for outputs with ten or more known numbers, none below 0, whose skewness is above 1, and takes it
        where the leave-one-out error on the output's own scale is the lower one.

    Attributes
    ----------
    target_scales_ : tuple of str
        "as is" or "log" for each output. ``best_estimator_`` has these scales, and its ``coef_`` and ``intercept_``
        belong to the logarithm; what ``core`` makes learns targets as they are.
    error_laws_ : dict of int to ErrorLaw
        What leave-one-out says of the errors of each output: the makings of :meth:`predict_interval`.
    loo_intervals_ : pair of arrays
        The ends of the 90 % interval around each of ``loo_predictions_``.

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
    >>> prices = LSVVRegressorCV(features="linear").fit(X, 100 * np.exp(2 * X[:, 0]))
    >>> prices.target_scales_
    ('log',)
    """

    _as_in_the_paper: ClassVar[dict[str, Any]] = {**SearchEstimator._as_in_the_paper, "target_scale": "as is"}

    target_scale: str = "auto"

    @property
    def target_scales_(self) -> tuple[str, ...]:
        """The scale of each output: "as is" or "log"."""
        codec = self.codec_
        assert isinstance(codec, Numbers)
        return tuple("log" if one else "as is" for one in codec.logs)

    def predict_interval(self, X: Any, level: float = COVERAGE) -> tuple[np.ndarray, np.ndarray]:
        """The lower and the upper ends between which a new target lies with probability ``level``.

        The jackknife's interval with widths that follow the prediction: score +- q spread(score) on the fitted scale,
        from the leave-one-out errors (:class:`lsvv.intervals.ErrorLaw`). Both are of the shape of ``predict``, and
        NaN for outputs with one known number or none. Of fewer labels than a level needs, 9 for 0.9, the largest error
        makes the interval, which then holds less than it says.
        """
        if not isinstance(level, Real) or not 0.0 < level < 1.0:
            raise ValueError(f"level={quoted(level)} is out of range. Pass a number between 0 and 1, such as 0.9.")
        scores = np.asarray(to_numpy(self._scores(X)), dtype=np.float64)
        return self._ends(scores, level)

    def _ends(self, scores: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
        """The ends of the intervals around scores (rows, K)."""
        codec = self.codec_
        assert isinstance(codec, Numbers)
        half = np.full_like(scores, np.nan)
        for place, law in self.error_laws_.items():
            if law.n_known > 1:
                half[:, place] = law.half_widths(scores[:, place], level)
        lower, upper = (codec.in_the_middle.decode(scores + shift) for shift in (-half, half))
        return lower, upper

    def _scaled(self, X: Any, targets: Targets) -> Targets:
        if self.target_scale == "log":
            return on_logs(targets, np.ones(targets.values.shape[1], dtype=bool))
        may = may_be_logs(targets.given, targets.weights)
        if self.target_scale == "as is" or not may.any():
            return targets
        logs = np.flatnonzero(may)[self._better_as_logs(X, some_outputs(targets, may))]
        if not logs.size:
            return targets
        listed = ", ".join(map(str, logs[:5])) + (", ..." if logs.size > 5 else "")
        note = f"Output {listed} is fitted as a logarithm, which leave-one-out finds the better scale."
        return on_logs(replace(targets, remarks=(*targets.remarks, note)), np.isin(np.arange(may.size), logs))

    def _better_as_logs(self, X: Any, plain: Targets) -> np.ndarray:
        """Outputs of lower leave-one-out error, on their own scale, as logarithms: one search has both side by side."""
        logs = on_logs(plain, np.ones(plain.values.shape[1], dtype=bool))
        both = replace(plain, values=np.hstack([plain.values, logs.values]), weights=np.tile(plain.weights, 2))
        losses = {name: self._make_loss(name) for name in self._losses()}
        run = Run(self, X, both, losses, generator(self.random_state), per_output=True)
        found = average([member.expectation for member in run.members], run.T, run.A, per_output=True).expectation
        (E, E_logs), (T, T_logs), (A, _) = (np.split(part, 2, axis=1) for part in (found.honest, run.T, run.A))
        assert isinstance(plain.codec, Numbers)
        assert isinstance(logs.codec, Numbers)
        lifted = with_lifts(logs.codec, E_logs, T_logs, A)
        return own_scale_errors(lifted, E_logs, T_logs, A) < own_scale_errors(plain.codec, E, T, A)

    def _losses(self) -> list[str]:
        return ["squared"]

    def _make_loss(self, name: str) -> Loss:
        return Squared()

    def _calibrate(self, expectation: LeftOut, run: Run) -> None:
        """The lifts of logarithms, and how far leave-one-out expectations are off."""
        assert isinstance(self.codec_, Numbers)
        found = expectation.honest
        self.codec_ = with_lifts(self.codec_, found, run.T, run.A)
        self.loo_predictions_ = self.codec_.decode(found[run.in_place])
        known = run.A > 0
        self.error_laws_ = {
            place: error_law(run.T[rows, place], found[rows, place]) for place, rows in enumerate(known.T) if rows.any()
        }
        self.loo_intervals_ = self._ends(found[run.in_place], COVERAGE)

    def _core(self, params: dict[str, Any]) -> LSVVRegressor:
        return LSVVRegressor(**{k: v for k, v in params.items() if k != "loss"})
