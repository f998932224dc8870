"""What both estimators share: validate, assemble, solve, expose."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from lsvv.assembly import (
    build_graph,
    build_objective,
    build_risk,
    build_summed_graph,
    drawing_order,
    fit_map,
    fitting_rows,
    is_on_features,
    judged_rows,
    learnt_map,
    map_rows,
    near_scores,
    refuse_graph_on_features,
    refuse_to_learn_elsewhere,
    smoothed_rows,
)
from lsvv.estimators.automatic import automatic_ridge, automatic_smoothing
from lsvv.estimators.elsewhere import is_elsewhere, opened_rows, scores_elsewhere
from lsvv.estimators.methods import with_terms_of
from lsvv.features import LearningMap, Lesson, Linear, MappedRows, as_feature_map
from lsvv.features.encoders import encoded
from lsvv.features.learning import PLAIN_RIDGE
from lsvv.graph import Graph, NeighborGraph, Smoother, manifold_matrix
from lsvv.inputs import check_rows, column_names, generator, warn_of_units
from lsvv.linalg import (
    Array,
    brought_back,
    like,
    like_numbers,
    refuse_another_device,
    stack_rows,
    threads_for,
    to_numpy,
)
from lsvv.losses import Loss, Squared
from lsvv.objective import NO_TAIL, Objective
from lsvv.parameters import check_parameters
from lsvv.penalties import TailSum, TailSumAsPrinted
from lsvv.solvers import MiniBatch, Solution, in_batches, solve
from lsvv.spectral import balanced_free_rank, effective_rank, resolve_free_rank, singular_values
from lsvv.targets import Targets


@dataclass(kw_only=True, eq=False, repr=False)
class VectorValuedEstimator(BaseEstimator):
    """h(x) = W' phi_s(x) + b, minimising loss + ridge + manifold + spectral over labelled and unlabelled rows."""

    features: Any = "fourier"
    ridge: float | str = "auto"
    smoothing: float | str = "auto"
    manifold: float = 0.0
    spectral: float = 0.0
    free_rank: int | float | str = 0
    spectral_rule: str = "tail"
    n_neighbors: int = 7
    laplacian: str = "normalized"
    power: int = 2
    graph: Any = "auto"
    solver: str | MiniBatch = "auto"
    fit_intercept: bool = True
    tol: float = 1e-6
    max_iter: int = 1000
    n_jobs: int | None = None
    device: Any = None
    random_state: Any = None
    verbose: int = 0

    @classmethod
    def method(cls, name: str, **params: Any) -> Self:
        """The estimator set up as one of the paper's four methods: SRM-VV, LRC-VV, SS-VV or LSVV.

        Terms the method has not are 0 and cannot be given; those it has may be.

        Examples
        --------
        >>> from lsvv import LSVVClassifier
        >>> LSVVClassifier.method("SS-VV", manifold=3.0).manifold
        3.0
        """
        return cls(**with_terms_of(name, params))

    def fit(self, X: Any, y: Any, *, X_unlabeled: Any = None, sample_weight: Any = None) -> Self:
        """Learn W from labelled and unlabelled rows.

        Parameters
        ----------
        X : array, tensor, sparse matrix or frame of shape (n, d)
            Rows, labelled or not. A numpy.memmap, a store with shape, dtype and slices (HDF5, Zarr), a data set of
            pyarrow, the path of a Parquet folder, an iterable of blocks of rows, or a dask array or frame is never
            loaded whole; y may be the name of a column.
        y : array of shape (n,) or (n, K)
            Targets; -1 in integer classes, None or NaN elsewhere mean unlabelled. Entries of a 2-d y may be missing
            one by one.
        X_unlabeled : as X, optional
            More rows without targets. In a Pipeline only X is transformed: mark unlabelled rows in y there.
        sample_weight : array of shape (n,) or (n, K), optional
            Weights of rows or of entries; 0 makes them unlabelled.
        """
        self._check_parameters()
        X = encoded(self.features, X)
        if is_elsewhere(X):
            X, y = opened_rows(self, X, y, X_unlabeled)
        else:
            X = check_rows(self, X, reset=True, device=self.device)
            if isinstance(self.features, str):
                warn_of_units(X, column_names(self))
        targets = self._encode(y, X.shape[0], sample_weight)
        if X_unlabeled is not None:
            X_unlabeled = encoded(self.features, X_unlabeled)
            refuse_another_device(X_unlabeled, X, name="X_unlabeled")
            below = check_rows(self, X_unlabeled, reset=False, name="X_unlabeled", device=self.device)
            X, targets = stack_rows(X, below), targets.followed_by(below.shape[0])
        with threads_for(X.shape[0]):
            return self._fit(X, targets)

    def _fit(self, X: Array, targets: Targets) -> Self:
        """Learn from rows and targets that have passed the gates."""
        rng = generator(self.random_state)
        loss = self._loss(targets)
        self.smoothing_ = automatic_smoothing(targets) if isinstance(self.smoothing, str) else float(self.smoothing)
        rows, graph = self._fit_features(X, targets, loss, rng)
        seed = int(rng.integers(2**31))
        G = self._manifold_matrix(rows, graph)
        order = drawing_order(X, targets.labelled, targets.values[targets.labelled])
        labelled = self._settle(rows, graph, targets, order, loss, G)
        objective = self._with_tail(self._objective(labelled, loss, targets, G), targets, seed)
        solution = self._solve(objective, seed)
        self._expose(rows, targets, objective, solution)
        scores = self._training_scores(rows, graph)
        self._calibrate(labelled, targets, order, loss, objective, solution, rng)
        filled = like_numbers(self._filled(to_numpy(scores), targets), rows.template)
        self.transduction_ = brought_back(filled, self.device)
        return self

    @abstractmethod
    def _encode(self, y: Any, n_rows: int, sample_weight: Any) -> Targets:
        """The targets, coded for the loss."""

    @abstractmethod
    def _loss(self, targets: Targets) -> Loss:
        """The loss that fits the targets."""

    @abstractmethod
    def _filled(self, scores: np.ndarray, targets: Targets) -> np.ndarray:
        """The targets of all training rows: known entries as given, the others read from their scores."""

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
        """What an estimator learns beyond W, drawing labelled rows in an ``order`` of their content; else nothing."""

    def _check_parameters(self) -> None:
        check_parameters(self)
        if self.spectral_rule == "as_printed" and not in_batches(self.solver):
            raise ValueError(
                "spectral_rule='as_printed' is the prox of no function, so only solver='minibatch' runs it."
            )

    def _settle(
        self,
        rows: MappedRows,
        graph: Graph | None,
        targets: Targets,
        order: np.ndarray,
        loss: Loss,
        G: Array | None,
    ) -> MappedRows:
        """Phi_s of the labelled rows, with ``ridge_``; where both are "auto", leave-one-out may ask for Phi itself."""
        labelled = self._labelled_rows(rows, graph, targets.labelled)
        if not isinstance(self.ridge, str):
            self.ridge_ = float(self.ridge)
            return labelled
        if not isinstance(loss, Squared):
            raise ValueError(f"ridge='auto' needs the squared loss, not {self.loss!r}. Pass a number, such as 1e-4.")
        judged = judged_rows(self.feature_map_, labelled.shape[0])
        terms = {"manifold": float(self.manifold), "G": G, "fit_intercept": self.fit_intercept}
        self.ridge_, error = automatic_ridge(labelled, targets, order, judged, **terms)
        if isinstance(self.smoothing, str) and self.smoothing_:
            plain = rows.take(targets.labelled)
            ridge, lower = automatic_ridge(plain, targets, order, judged, **terms)
            if lower < error:
                self.smoothing_, self.ridge_, labelled = 0.0, ridge, plain
        return labelled

    @property
    def _uses_graph(self) -> bool:
        """Whether unlabelled rows have a part in the fit."""
        return bool(self.manifold or self.smoothing_)

    def _fit_features(
        self, X: Array, targets: Targets, loss: Loss, rng: np.random.Generator
    ) -> tuple[MappedRows, Graph | None]:
        """phi from all rows, or from the labelled ones alone where no term looks at the others; and the graph."""
        feature_map = as_feature_map(self.features, int(rng.integers(2**31)), column_names(self))
        if isinstance(feature_map, LearningMap):
            return self._learn_features(feature_map, X, targets, loss)
        if self._uses_graph:
            self.feature_map_ = fit_map(feature_map, fitting_rows(X)[0], None)
        else:
            some, places = fitting_rows(X, targets.labelled)
            self.feature_map_ = fit_map(feature_map, some, targets.weights.max(axis=1)[places])
        self._say(f"Mapped {X.shape[0]} rows of {X.shape[1]} columns.")
        rows = map_rows(self.feature_map_, X)
        return rows, self._graph(X, rows)

    def _learn_features(
        self, feature_map: LearningMap, X: Array, targets: Targets, loss: Loss
    ) -> tuple[MappedRows, Graph | None]:
        """phi from targets, the terms of the objective and the graph, which comes first."""
        refuse_to_learn_elsewhere(feature_map, X)
        refuse_graph_on_features(self.graph, feature_map)
        graph = self._graph(X, map_rows(Linear(), X))
        terms = {name: getattr(self, name) for name in ("manifold", "spectral", "free_rank", "laplacian")}
        ridge = PLAIN_RIDGE if isinstance(self.ridge, str) else self.ridge
        S = graph.S if isinstance(graph, NeighborGraph) else None
        lesson = Lesson.of(targets, loss, ridge=ridge, smoothing=self.smoothing_, S=S, **terms)
        self.feature_map_ = learnt_map(feature_map, X, lesson)
        self._say(f"Learnt features of {X.shape[0]} rows.")
        return map_rows(self.feature_map_, X), graph

    def _graph(self, X: Array, rows: MappedRows) -> Graph | None:
        if not self._uses_graph:
            return None
        build: Any = partial(build_graph, weights="self-tuned") if self.smoothing_ else build_summed_graph
        graph: Graph = build(self.graph, X, rows, n_neighbors=self.n_neighbors, n_jobs=self.n_jobs)
        self._say(f"Laid out a graph of {X.shape[0]} rows.")
        return graph

    def _labelled_rows(self, rows: MappedRows, graph: Graph | None, labelled: np.ndarray) -> MappedRows:
        """Phi_s of the labelled rows."""
        if not self.smoothing_ or not isinstance(graph, NeighborGraph):
            return rows.take(labelled)
        return smoothed_rows(graph, rows, labelled, self.smoothing_)

    def _manifold_matrix(self, rows: MappedRows, graph: Graph | None) -> Array | None:
        if not self.manifold or graph is None:
            return None
        return manifold_matrix(rows, graph.laplacian(self.laplacian), self.power)

    def _training_scores(self, rows: MappedRows, graph: Graph | None) -> Array:
        """Scores of all training rows; smoothed ones are kept, since new rows look at their neighbours'."""
        scores = rows.times(self._weights)
        self.graph_: NeighborGraph | None = None
        self.smoothed_scores_: Array | None = None
        if self.smoothing_ and isinstance(graph, NeighborGraph):
            scores = Smoother(graph.S).columns(scores, self.smoothing_)
            self.graph_, self.smoothed_scores_ = graph.brought_here(), scores
        return scores + like(self._offset, scores)[None, :]

    def _objective(self, labelled: MappedRows, loss: Loss, targets: Targets, G: Array | None) -> Objective:
        T, A = targets.values[targets.labelled], targets.normalised_weights()
        risk = build_risk(labelled, loss, T, A, fit_intercept=self.fit_intercept, by_rows=in_batches(self.solver))
        return build_objective(risk, ridge=self.ridge_, manifold=self.manifold, G=G, spectral=NO_TAIL)

    def _with_tail(self, objective: Objective, targets: Targets, seed: int) -> Objective:
        """The objective with its spectral term; "balance" reads theta from the W that is best without it."""
        D, K = objective.weights(objective.start).shape
        if isinstance(self.free_rank, str) and self.free_rank == "balance":
            W = objective.weights(self._solve(objective, seed).variable)
            free_rank = balanced_free_rank(singular_values(W), len(targets.labelled))
        else:
            free_rank = resolve_free_rank(self.free_rank, D, K)
        if self.spectral_rule == "as_printed":
            return replace(objective, spectral=TailSumAsPrinted(float(self.spectral), free_rank))
        strength = 0.0 if free_rank == min(D, K) else float(self.spectral)
        return replace(objective, spectral=TailSum(strength, free_rank))

    def _solve(self, objective: Objective, seed: int) -> Solution:
        solution = solve(
            objective,
            self.solver,
            tol=self.tol,
            max_iter=self.max_iter,
            seed=seed,
            progress=self._progress if self.verbose > 1 else None,
        )
        self._say(solution.status)
        if not solution.converged:
            warnings.warn(
                f"{solution.status} Raise max_iter or tol, or scale the columns of X.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return solution

    def _expose(self, rows: MappedRows, targets: Targets, objective: Objective, solution: Solution) -> None:
        W = objective.weights(solution.variable)
        self.codec_ = targets.codec
        self._weights = like(W, rows.template)
        self._offset = like(objective.risk.intercept(solution.variable), self._weights)
        self.singular_values_ = to_numpy(singular_values(W))
        self.effective_rank_ = effective_rank(W)
        self.free_rank_ = objective.spectral.free_rank
        self.solution_ = solution
        self.n_iter_ = solution.n_iter
        self.n_outputs_ = int(W.shape[1])
        self.notes_ = targets.notes

    def _scores(self, X: Any) -> Array:
        """W' phi_s(x) + b for new rows."""
        check_is_fitted(self)
        X = encoded(self.features, X)
        if is_elsewhere(X):
            return scores_elsewhere(self, X)
        refuse_another_device(X, self._weights)
        X = check_rows(self, X, reset=False, device=self.device)
        with threads_for(X.shape[0]):
            return brought_back(self._checked_scores(X), self.device)

    def _checked_scores(self, X: Array) -> Array:
        rows = map_rows(self.feature_map_, X, once=True)
        scores = rows.times(self._weights)
        if self.graph_ is not None:
            seen = rows.whole() if is_on_features(self.graph_) else X
            near = near_scores(self.graph_, seen, like(self.smoothed_scores_, scores))
            scores = (1.0 - self.smoothing_) * scores + self.smoothing_ * near
        return scores + like(self._offset, rows.template)[None, :]

    def _progress(self, step: int, value: float, residual: float) -> None:
        print(f"step {step}: objective {value:.6g}, residual {residual:.2g}")

    def _say(self, sentence: str) -> None:
        if self.verbose:
            print(f"[{type(self).__name__}] {sentence}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.array_api_support = True
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags
