"""LSVVClassifier: classes from 1-d y, labels from a 2-d indicator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from lsvv.assembly import build_risk, judged_rows
from lsvv.calibration import fit_temperature, probabilities
from lsvv.estimators.base import VectorValuedEstimator
from lsvv.estimators.elsewhere import known_targets
from lsvv.features import MappedRows
from lsvv.linalg import Array, brought_back, like, to_numpy
from lsvv.losses import BinaryLogistic, Loss, MulticlassLogistic, make_loss
from lsvv.objective import NO_TAIL, Objective
from lsvv.risk import QuadraticRisk
from lsvv.solvers import Solution, in_batches, leave_one_out_scores, solve, solve_closed_form
from lsvv.targets import Classes, Codec, Labels, Targets, as_targets_array, encode_classes, encode_labels
from lsvv.targets.reading import as_floats, as_rows_of_targets, read_classes
from lsvv.targets.weighting import row_weight

N_CALIBRATION_ROWS = 1000
N_CALIBRATION_FOLDS = 3
FOLD_TOL = 1e-5
"""Residual below which a fold's scores no longer move a temperature."""


class ClassifierPredictions(ClassifierMixin):
    """Classes and labels from scores: what every classifier here has in common.

    Whoever fits sets ``temperature_``, the targets' codec and the score above which a label is "yes".
    """

    temperature_: float
    class_weight: Any
    codec_: Codec
    _scores: Callable[[Any], Array]
    threshold_: float

    @property
    def classes_(self) -> np.ndarray:
        """The classes as y spells them, or the places of the labels."""
        codec = self.codec_
        assert isinstance(codec, (Classes, Labels))
        return codec.classes

    def decision_function(self, X: Any) -> Array:
        """Scores, above 0 for "yes": (n,) for two classes, (n, K) for more and for labels."""
        scores = self._scores(X)
        if not isinstance(self.codec_, Classes):
            return scores - self.threshold_
        return scores[:, 1] - scores[:, 0] if self.classes_.size == 2 else scores

    def predict(self, X: Any) -> Array:
        """The class of each row, or its labels as an (n, K) indicator; a tensor for tensors, if numbers."""
        scores = self._scores(X)
        return self.codec_.decode(scores - self.threshold_)

    def predict_proba(self, X: Any) -> Array:
        """Probabilities, (n, K): rows sum to 1 for classes, each entry stands alone for labels."""
        return self._probabilities(self._scores(X))

    def _probabilities(self, scores: Array) -> Array:
        return probabilities(scores - self.threshold_, self.temperature_, one_class_a_row=self.codec_.one_class_a_row)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of rows whose known entries are all predicted right; rows without any are left out."""
        y = known_targets(X, y)
        predicted = to_numpy(self.predict(X))
        truth = as_rows_of_targets(y, len(predicted), "y")
        right, known = (_compare_classes if isinstance(self.codec_, Classes) else _compare_labels)(predicted, truth)
        weight = row_weight(sample_weight, len(predicted))
        known = known & (weight > 0)
        if not known.any():
            raise ValueError("No row of y is labelled, so there is nothing to score. Pass labelled rows.")
        return float(np.average(right[known], weights=weight[known]))

    def _encode(self, y: Any, n_rows: int, sample_weight: Any) -> Targets:
        array = as_targets_array(y)
        if array.ndim == 2 and array.shape[1] > 1:
            if array.shape[0] != n_rows:
                raise ValueError(f"X has {n_rows} rows, Y has {array.shape[0]}. Pass one row of Y a row of X.")
            return encode_labels(array, sample_weight, self.class_weight)
        return encode_classes(array, n_rows, sample_weight, self.class_weight)

    def _filled(self, scores: np.ndarray, targets: Targets) -> np.ndarray:
        """The targets of all training rows: known entries as given, the others read from their scores."""
        filled = targets.codec.decode(scores - self.threshold_)
        if isinstance(targets.codec, Classes):
            known_rows = targets.known.any(axis=1)
            filled[known_rows] = targets.codec.classes[np.argmax(targets.values[known_rows], axis=1)]
        else:
            filled[targets.known] = targets.values[targets.known]
        return filled

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


@dataclass(kw_only=True, eq=False, repr=False)
class LSVVClassifier(ClassifierPredictions, VectorValuedEstimator):
    """Classify rows, or give them labels, from a few labelled rows and many unlabelled ones.

    h(x) = W' phi_s(x) + b minimises, over the known entries of y,

        mean loss(h(x_i), y_i) + ridge ||W||^2 + manifold tr(W' G W) + spectral sum_{j > free_rank} sigma_j(W),

    with phi_s the features phi smoothed over the graph of all m training rows, Phi_s = (1 - a)(I - a P)^-1 Phi for
    a = ``smoothing`` and P the mean over neighbours, and G = Phi' Lap^power Phi / m. A new row has
    phi_s(x) = (1 - a) phi(x) + a times the mean of phi_s over its nearest training rows.

    Parameters
    ----------
    features : str or transformer, default="fourier"
        phi: "linear", "fourier", "nystroem", "sketch", an object of :mod:`lsvv.features`, or any scikit-learn
        transformer.
    loss : str or Loss, default="squared"
        "squared" (closed form, fastest), "logistic", "hinge" (Crammer-Singer for classes, one binary hinge a label)
        or "smooth_hinge".
    ridge : float or "auto", default=1e-4
        The paper's tau_A: size of W. "auto", for the squared loss, is the largest ridge whose leave-one-out error is
        within half a standard error of the lowest, or the largest of all where none surely beats the mean.
    smoothing : "auto" or float in [0, 1), default="auto"
        How far features reach over the graph of labelled and unlabelled rows before W is fitted. "auto" is
        1 - (share of labelled rows)^(2/3): 0.95 where one row in a hundred is labelled, 0 where all are. With 0 the
        model is compact: W and phi are all it keeps. Above 0 it keeps the training rows and their scores too, for new
        rows to find their neighbours.
    manifold : float, default=0.0
        The paper's tau_I: smoothness over labelled and unlabelled rows. With ``smoothing=0`` and ``manifold=0`` the
        unlabelled rows are not looked at.
    spectral : float, default=0.0
        The paper's tau_S: sum of the tail singular values of W.
    free_rank : int, float or "balance", default=0
        The paper's theta: leading singular values left free. An int counts, a float in [0, 1] is a fraction of
        min(D, K), rounded up; 0 is the trace norm. "balance" fits without the tail first and takes the count at which
        the two terms of Theorem 3 are equal (:func:`lsvv.spectral.balanced_free_rank`).
    spectral_rule : "tail" or "as_printed", default="tail"
        "as_printed" shrinks the leading values as Algorithm 1 prints; for reproduction, with solver="minibatch".
    n_neighbors : int, default=7
        Neighbours of each row in the graph.
    laplacian : "normalized" or "plain", default="normalized"
        I - D^-1/2 S D^-1/2, or (D - S) / mean degree.
    power : 1 or 2, default=2
        Power of the Laplacian.
    graph : "auto", KNNGraph, NeighborGraph, sparse matrix or neighbour search, default="auto"
        The graph of the training rows, built or ready (rows of X, then of X_unlabeled). "auto" has self-tuned weights
        for smoothing, and binary ones, as the paper, for the manifold term alone. New rows have no neighbours in a
        graph given as a matrix: a smoothed model then answers for the training rows only.
    class_weight : dict, "balanced" or None
        Factors on the weights of classes; for labels {0: ..., 1: ...}.
    solver : "auto", "closed", "accelerated", "minibatch" or MiniBatch, default="auto"
        "auto" takes the closed form for the squared loss without a tail, accelerated proximal gradient otherwise.
        "minibatch" is Algorithm 1; ``lsvv.solvers.MiniBatch(batch_size, step_rule, subgradient)`` sets it up.
    fit_intercept : bool, default=True
        Whether to learn b, which no term penalises.
    tol : float, default=1e-6
        Residual at which a solver stops, as a share of the gradient at 0.
    max_iter : int, default=1000
        Steps at most.
    n_jobs : int or None
        Processes for the exact neighbour search.
    device : str or torch.device, optional
        Where NumPy rows are worked, such as "cuda"; answers come back as NumPy arrays. Tensors stay where they lie.
    random_state : int, Generator, RandomState or None
        Seeds the feature map and mini-batches.
    verbose : int, default=0
        1 prints the stages, 2 every step.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The classes, or 0..K-1 for labels.
    coef_, intercept_ : arrays of shape (K, D) and (K,)
        W' and b.
    transduction_ : array
        y of all training rows: known entries as given, the others predicted.
    singular_values_, effective_rank_ : array, int
        Of W.
    free_rank_ : int
        The number of singular values left free.
    solution_ : Solution
        Status, objective, residual, history.
    temperature_ : float
        Scores are divided by it before softmax or sigmoid; fitted on leave-one-out scores (held-out ones where
        there is no closed form), 1 for the logistic loss, which has probabilities of its own.
    threshold_ : float
        The score above which a label is given; of no meaning for classes.
    codec_ : Classes, Labels or Numbers
        How ``y`` is coded for the loss, and scores are read back.
    feature_map_ : transformer
        The fitted phi.
    ridge_, smoothing_ : float
        The ridge and the smoothing used.
    graph_, smoothed_scores_ : NeighborGraph and array of shape (m, K), or None
        With smoothing, the graph of the training rows and W' phi_s of each, which new rows look at.
    n_iter_ : int
    notes_ : tuple of str
        What a user should know of this fit.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from lsvv import LSVVClassifier
    >>> X, truth = make_moons(300, noise=0.08, random_state=0)
    >>> y = np.full(300, -1)
    >>> y[:20] = truth[:20]
    >>> model = LSVVClassifier(random_state=0).fit(X, y)
    >>> round(float((model.transduction_ == truth).mean()), 2)
    1.0
    """

    loss: Any = "squared"
    ridge: float | str = 1e-4
    class_weight: Any = None

    def _loss(self, targets: Targets) -> Loss:
        loss = make_loss(self.loss, one_class_a_row=targets.codec.one_class_a_row)
        self.threshold_ = loss.threshold
        return loss

    def _calibrate(
        self,
        labelled: MappedRows,
        targets: Targets,
        order: np.ndarray,
        loss: Loss,
        objective: Objective,
        solution: Solution,
        rng: np.random.Generator,
    ) -> None:
        if isinstance(loss, (MulticlassLogistic, BinaryLogistic)):
            self.temperature_ = 1.0
            return
        T, A = targets.values[targets.labelled], targets.normalised_weights()
        counts = targets.counts[targets.labelled]
        judged = judged_rows(self.feature_map_, len(T))
        some = np.flatnonzero(judged)
        if isinstance(objective.risk, QuadraticRisk) and objective.spectral.strength == 0.0:
            some = _at_most(N_CALIBRATION_ROWS, order[judged[order]], rng)
            # of a row that stands for two, one is left out
            one = (A / np.maximum(counts, 1.0))[some]
            scores = leave_one_out_scores(objective, solution.variable, labelled.take(some), T[some], one)
        else:
            scores = self._held_out_scores(labelled, T, A, order, loss, objective, rng)[some]
        weights = targets.weights[targets.labelled][some]
        self.temperature_ = fit_temperature(
            scores - loss.threshold,
            T[some],
            weights * (counts[some].sum() / weights.sum()),
            one_class_a_row=targets.codec.one_class_a_row,
        )

    def _held_out_scores(
        self,
        labelled: MappedRows,
        T: np.ndarray,
        A: np.ndarray,
        order: np.ndarray,
        loss: Loss,
        objective: Objective,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """Each labelled row's score from a model that did not see its label; map and graph stay.

        A fold starts at its own closed form or at 0: the solution of all labels would leak what is left out.
        """
        folds = np.empty(len(T), dtype=int)
        folds[order] = rng.permutation(len(T)) % min(N_CALIBRATION_FOLDS, len(T))
        scores = np.zeros(T.shape)
        for fold in np.unique(folds):
            kept = A * (folds != fold)[:, None]
            total = kept.sum(axis=0)
            some = np.flatnonzero(kept.any(axis=1))
            if not some.size:
                # without any other label a model says nothing
                continue
            weight = (kept / np.where(total > 0, total, 1.0))[some]
            risk = build_risk(
                labelled.take(some),
                loss,
                T[some],
                weight,
                fit_intercept=self.fit_intercept,
                by_rows=in_batches(self.solver),
            )
            part = objective.with_risk(risk)
            start = None
            if isinstance(risk, QuadraticRisk):
                start = solve_closed_form(replace(part, spectral=NO_TAIL)).variable
            V = solve(part, self.solver, start=start, tol=max(self.tol, FOLD_TOL), max_iter=self.max_iter).variable
            out = np.flatnonzero(folds == fold)
            rows = labelled.take(out)
            held = rows.times(objective.weights(V)) + like(risk.intercept(V), rows.template)[None, :]
            scores[out] = to_numpy(held)
        return scores

    @property
    def coef_(self) -> Array:
        """W', of shape (K, D)."""
        return brought_back(self._weights.T, self.device)

    @property
    def intercept_(self) -> Array:
        """b, of shape (K,)."""
        return brought_back(self._offset, self.device)


def _compare_classes(predicted: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which predictions are right, and which rows of the truth are labelled."""
    labels, known = read_classes(truth.ravel())
    if known.any():
        _refuse_another_kind(labels[known].item(0), predicted.item(0))
    return predicted == labels, known


def _refuse_another_kind(given: Any, learnt: Any) -> None:
    """A number never equals a name: every row would count as wrong."""
    said, wanted = ("names" if isinstance(one, str) else "numbers" for one in (given, learnt))
    if said != wanted:
        raise ValueError(
            f"y holds {said}, such as {given!r}, but the classes are {wanted}, such as {learnt!r}. Pass the classes as "
            f"fit had them."
        )


def _compare_labels(predicted: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which rows have all their known labels right, and which have any known."""
    values = as_floats(truth, "y")
    if values.shape != predicted.shape:
        raise ValueError(f"y has shape {values.shape}, but the model has {predicted.shape[1]} labels a row.")
    known = ~np.isnan(values)
    return np.all((predicted == values) | ~known, axis=1), np.any(known, axis=1)


def _at_most(count: int, order: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The places of all rows, or of so many of them, drawn in an order."""
    chosen = order if order.size <= count else rng.choice(order, count, replace=False)
    return np.sort(chosen)
