"""What both estimators share: validate, assemble, solve, expose."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import replace
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from lsvv.assembly import build_laplacian, build_objective, build_risk, fit_map, map_rows
from lsvv.features import MappedRows, as_feature_map
from lsvv.graph import manifold_matrix
from lsvv.inputs import check_rows, generator
from lsvv.linalg import Array, like, stack_rows, take_rows, to_numpy
from lsvv.losses import Loss
from lsvv.objective import NO_TAIL, Objective
from lsvv.penalties import TailSum, TailSumAsPrinted
from lsvv.solvers import SOLVERS, Solution, solve
from lsvv.spectral import balanced_free_rank, effective_rank, resolve_free_rank, singular_values
from lsvv.targets import Targets

METHODS = {
    "SRM-VV": {"manifold": 0.0, "spectral": 0.0},
    "LRC-VV": {"manifold": 0.0, "spectral": 1e-3},
    "SS-VV": {"manifold": 1.0, "spectral": 0.0},
    "LSVV": {"manifold": 1.0, "spectral": 1e-3},
}
"""The paper's four methods as settings of one estimator."""


class VectorValuedEstimator(BaseEstimator):
    """h(x) = W' phi(x) + b, minimising loss + ridge + manifold + spectral over labelled and unlabelled rows."""

    def __init__(
        self,
        *,
        features: Any = "fourier",
        ridge: float = 1e-5,
        manifold: float = 1.0,
        spectral: float = 0.0,
        free_rank: int | float | str = 0,
        spectral_rule: str = "tail",
        n_neighbors: int = 7,
        laplacian: str = "normalized",
        power: int = 2,
        graph: Any = "auto",
        solver: str = "auto",
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.features = features
        self.ridge = ridge
        self.manifold = manifold
        self.spectral = spectral
        self.free_rank = free_rank
        self.spectral_rule = spectral_rule
        self.n_neighbors = n_neighbors
        self.laplacian = laplacian
        self.power = power
        self.graph = graph
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

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
        if name not in METHODS:
            raise ValueError(f"There is no method {name!r}. Choose one of {', '.join(METHODS)}.")
        for term, value in METHODS[name].items():
            if value == 0.0 and params.get(term, 0.0) != 0.0:
                raise ValueError(f"{name} has no {term} term. Leave {term} out, or choose another method.")
        return cls(**{**METHODS[name], **params})

    def fit(self, X: Any, y: Any, *, X_unlabeled: Any = None, sample_weight: Any = None) -> Self:
        """Learn W from labelled and unlabelled rows.

        Parameters
        ----------
        X : array, tensor, sparse matrix or frame of shape (n, d)
            Rows, labelled or not.
        y : array of shape (n,) or (n, K)
            Targets; -1 in integer classes, None or NaN elsewhere mean unlabelled. Entries of a 2-d y may be missing
            one by one.
        X_unlabeled : as X, optional
            More rows without targets. In a Pipeline only X is transformed: mark unlabelled rows in y there.
        sample_weight : array of shape (n,) or (n, K), optional
            Weights of rows or of entries; 0 makes them unlabelled.

        Returns
        -------
        self
        """
        self._check_parameters()
        X = check_rows(self, X, reset=True)
        targets = self._encode(y, X.shape[0], sample_weight)
        if X_unlabeled is not None:
            below = check_rows(self, X_unlabeled, reset=False, name="X_unlabeled")
            X, targets = stack_rows(X, below), targets.followed_by(below.shape[0])
        rng = generator(self.random_state)
        loss = self._loss(targets)
        rows = self._fit_features(X, targets, rng)
        G = self._manifold_matrix(X, rows)
        labelled = rows.take(targets.labelled)
        seed = int(rng.integers(2**31))
        objective = self._with_tail(self._objective(labelled, loss, targets, G), targets, seed)
        solution = self._solve(objective, seed)
        self._expose(X, targets, objective, solution)
        self._calibrate(labelled, targets, loss, objective, solution, rng)
        self.transduction_ = self._transduce(rows, targets)
        return self

    @abstractmethod
    def _encode(self, y: Any, n_rows: int, sample_weight: Any) -> Targets:
        """The targets, coded for the loss."""

    @abstractmethod
    def _loss(self, targets: Targets) -> Loss:
        """The loss that fits the targets."""

    @abstractmethod
    def _transduce(self, rows: MappedRows, targets: Targets) -> np.ndarray:
        """The targets of all training rows: known entries as given, the others predicted."""

    def _calibrate(
        self,
        labelled: MappedRows,
        targets: Targets,
        loss: Loss,
        objective: Objective,
        solution: Solution,
        rng: np.random.Generator,
    ) -> None:
        """What an estimator learns beyond W; nothing by default."""

    def _check_parameters(self) -> None:
        for name in ("ridge", "manifold", "spectral", "tol"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < np.inf:
                raise ValueError(f"{name}={value!r} is out of range. Pass a finite number of at least 0.")
        for name in ("n_neighbors", "max_iter"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
                raise ValueError(f"{name}={value!r} is out of range. Pass an integer of at least 1.")
        if self.solver not in SOLVERS:
            raise ValueError(f"solver={self.solver!r} is not known. Choose one of {', '.join(SOLVERS)}.")
        if self.spectral_rule not in ("tail", "as_printed"):
            raise ValueError(f"spectral_rule={self.spectral_rule!r} is not known. Choose 'tail' or 'as_printed'.")
        if self.spectral_rule == "as_printed" and self.solver != "minibatch":
            raise ValueError(
                "spectral_rule='as_printed' is the prox of no function, so only solver='minibatch' runs it."
            )

    def _fit_features(self, X: Array, targets: Targets, rng: np.random.Generator) -> MappedRows:
        """phi from all rows, or from the labelled ones alone where no term looks at the others."""
        feature_map = as_feature_map(self.features, int(rng.integers(2**31)))
        if self.manifold:
            self.feature_map_ = fit_map(feature_map, X, None)
        else:
            weight = targets.weights.max(axis=1)[targets.labelled]
            self.feature_map_ = fit_map(
                feature_map, X if weight.size == X.shape[0] else take_rows(X, targets.labelled), weight
            )
        self._say(f"Mapped {X.shape[0]} rows of {X.shape[1]} columns.")
        return map_rows(self.feature_map_, X)

    def _manifold_matrix(self, X: Array, rows: MappedRows) -> Array | None:
        if not self.manifold:
            return None
        Lap = build_laplacian(
            self.graph, X, rows, n_neighbors=self.n_neighbors, kind=self.laplacian, n_jobs=self.n_jobs
        )
        self._say(f"Built a graph of {X.shape[0]} rows.")
        return manifold_matrix(rows, Lap, self.power)

    def _objective(self, labelled: MappedRows, loss: Loss, targets: Targets, G: Array | None) -> Objective:
        T, A = targets.values[targets.labelled], targets.normalised_weights()
        risk = build_risk(labelled, loss, T, A, fit_intercept=self.fit_intercept, by_rows=self.solver == "minibatch")
        return build_objective(risk, ridge=self.ridge, manifold=self.manifold, G=G, spectral=NO_TAIL)

    def _with_tail(self, objective: Objective, targets: Targets, seed: int) -> Objective:
        """The objective with its spectral term; "balance" reads theta from the W that is best without it."""
        D, K = objective.weights(objective.start).shape
        if isinstance(self.free_rank, str) and self.free_rank == "balance":
            W = objective.weights(self._solve(objective, seed).variable)
            free_rank = balanced_free_rank(singular_values(W), len(targets.labelled))
        else:
            free_rank = resolve_free_rank(self.free_rank, D, K)
        rule = TailSum if self.spectral_rule == "tail" else TailSumAsPrinted
        strength = 0.0 if free_rank == min(D, K) else float(self.spectral)
        return replace(objective, spectral=rule(strength, free_rank))

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

    def _expose(self, X: Array, targets: Targets, objective: Objective, solution: Solution) -> None:
        W = objective.weights(solution.variable)
        self._codec = targets.codec
        self._weights = like(W, X)
        self._offset = like(objective.risk.intercept(solution.variable), self._weights)
        self.singular_values_ = to_numpy(singular_values(W))
        self.effective_rank_ = effective_rank(W)
        self.free_rank_ = objective.spectral.free_rank
        self.solution_ = solution
        self.n_iter_ = solution.n_iter
        self.n_outputs_ = int(W.shape[1])
        self.notes_ = targets.notes

    def _scores(self, X: Any) -> Array:
        """W' phi(x) + b for new rows."""
        check_is_fitted(self)
        return self._mapped_scores(map_rows(self.feature_map_, check_rows(self, X, reset=False)))

    def _mapped_scores(self, rows: MappedRows) -> Array:
        return rows.times(self._weights) + like(self._offset, rows.template)[None, :]

    def _progress(self, step: int, value: float, residual: float) -> None:
        print(f"step {step}: objective {value:.6g}, residual {residual:.2g}")

    def _say(self, sentence: str) -> None:
        if self.verbose:
            print(f"[{type(self).__name__}] {sentence}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags
