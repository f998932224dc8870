"""What both CV estimators share: make the plan, run it, average what it finds."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from lsvv.estimators.base import METHODS
from lsvv.graph import KNNGraph, NeighborGraph
from lsvv.inputs import check_rows, generator
from lsvv.linalg import Array, stack_rows, threads_for, to_numpy
from lsvv.losses import Loss
from lsvv.parameters import check_grids
from lsvv.selection.average import Average, Ensemble, Part, assembled, average, expected
from lsvv.selection.averaging import Guard, guard
from lsvv.selection.run import Run
from lsvv.targets import Codec, Targets


class SearchEstimator(BaseEstimator):
    """A plan of candidates (map, loss, smoothing, manifold, ridges), run within a budget, and their average."""

    _codec: Codec
    parts_: tuple[Part, ...]
    maps_: dict[int, Any]
    graphs_: dict[int, NeighborGraph]

    def __init__(
        self,
        *,
        features: Any = "auto",
        ridge: Any = "auto",
        smoothing: Any = "auto",
        manifold: Any = 0.0,
        power: Any = 2,
        spectral: Any = 0.0,
        free_rank: Any = 0,
        selection: str = "average",
        safe: bool = True,
        per_output: bool = False,
        n_draws: int = 1,
        n_neighbors: int = 7,
        laplacian: str = "normalized",
        graph: Any = "auto",
        fit_intercept: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.features = features
        self.ridge = ridge
        self.smoothing = smoothing
        self.manifold = manifold
        self.power = power
        self.spectral = spectral
        self.free_rank = free_rank
        self.selection = selection
        self.safe = safe
        self.per_output = per_output
        self.n_draws = n_draws
        self.n_neighbors = n_neighbors
        self.laplacian = laplacian
        self.graph = graph
        self.fit_intercept = fit_intercept
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def method(cls, name: str, **params: Any) -> Self:
        """The search set up as one of the paper's four methods: the terms a method has are searched, others are 0.

        Examples
        --------
        >>> from lsvv import LSVVClassifierCV
        >>> LSVVClassifierCV.method("SS-VV").get_params()["manifold"]
        'auto'
        """
        if name not in METHODS:
            raise ValueError(f"There is no method {name!r}. Choose one of {', '.join(METHODS)}.")
        terms = {term: "auto" if value else 0.0 for term, value in METHODS[name].items()}
        return cls(**{"power": "auto", "free_rank": "auto", **terms, **params})

    def fit(self, X: Any, y: Any, *, X_unlabeled: Any = None, sample_weight: Any = None) -> Self:
        """Try every candidate by leave-one-label-out, then average them (or refit the best).

        Parameters
        ----------
        X, y, X_unlabeled, sample_weight
            As in :meth:`lsvv.LSVVClassifier.fit`; a weight of 0 makes an entry unlabelled.

        Returns
        -------
        self
        """
        check_grids(self)
        given = X
        X = check_rows(self, X, reset=True)
        targets = self._encode(y, X.shape[0], sample_weight)
        if X_unlabeled is not None:
            below = check_rows(self, X_unlabeled, reset=False, name="X_unlabeled")
            X, targets = stack_rows(X, below), targets.followed_by(below.shape[0])
        with threads_for(X.shape[0]):
            targets = self._scaled(X, targets)
            self._codec, self.n_outputs_ = targets.codec, int(targets.values.shape[1])
            run = self._search(X, targets)
            # leaving labels out may have taught it something
            targets = replace(targets, codec=self._codec)
            self.best_estimator_ = None
            if self._refits(run):
                core = self.core(self.best_params_)
                # the names of its columns
                check_rows(core, given, reset=True)
                self.best_estimator_ = core._fit(X, targets)
                for name in ("transduction_", "singular_values_", "effective_rank_"):
                    setattr(self, name, getattr(self.best_estimator_, name))
            else:
                self.transduction_ = self._filled(to_numpy(self._assemble(run)), targets)
        return self

    def _search(self, X: Array, targets: Targets) -> Run:
        """The plan, carried out, and what was chosen of it."""
        losses = {name: self._make_loss(name) for name in self._losses()}
        run = Run(self, X, targets, losses, generator(self.random_state), per_output=self._weighs_apart)
        self.notes_ = (*targets.notes, *run.notes)
        self._choose(run)
        return run

    @abstractmethod
    def _encode(self, y: Any, n_rows: int, sample_weight: Any) -> Targets:
        """The targets, coded for the losses."""

    def _scaled(self, X: Array, targets: Targets) -> Targets:
        """The targets on the scale they are fitted on: as they are coded, unless an estimator knows better."""
        return targets

    @abstractmethod
    def _losses(self) -> list[str]:
        """The names of the losses searched."""

    @abstractmethod
    def _make_loss(self, name: str) -> Loss:
        """The loss of that name for the targets at hand."""

    @abstractmethod
    def _filled(self, scores: np.ndarray, targets: Targets) -> np.ndarray:
        """The targets of all training rows."""

    @abstractmethod
    def _core(self, params: dict[str, Any]) -> Any:
        """The estimator of the core with these values."""

    @abstractmethod
    def _calibrate(self, expectation: np.ndarray, run: Run) -> None:
        """What an estimator learns from the leave-one-out expectations of the whole."""

    @property
    def _weighs_apart(self) -> bool:
        """Whether each output has weights of its own; the classes of a row have not."""
        return self.per_output and not self._codec.one_class_a_row

    def _refits(self, run: Run) -> bool:
        """Whether the best setting is fitted anew, on all rows, and is the model: where there is nothing to average."""
        return self.selection == "best" or run.is_sampled or len(self._tried) == 1

    def _choose(self, run: Run) -> None:
        """Shares from the losses, the guard, and the leave-one-out expectations of the whole."""
        members, everything = run.members, np.ones(len(run.members), dtype=bool)
        supervised = np.array([member.candidate.is_supervised for member in members])
        chosen = self._average(run, everything)
        self.guard_: Guard | None = None
        if self.safe and supervised.any() and not supervised.all():
            alone = self._average(run, supervised)
            self.guard_ = guard(*(_row_losses(one.expectation, run) for one in (alone, chosen)))
            chosen = chosen.mixed_with(alone, self.guard_.share)
            self.notes_ += (self.guard_.sentence,)
        self.shares_ = chosen.shares
        self.plan_ = [member.candidate for member in members]
        self.labelled_ = run.labelled
        self._specs = run.specs
        self._tried = [
            (place, float(ridge), float(loss.mean()))
            for place, member in enumerate(members)
            for ridge, loss in zip(member.ridges, member.losses, strict=True)
        ]
        self.loo_ = np.array([loss for _, _, loss in self._tried])
        self.best_index_ = int(np.argmin(self.loo_))
        self.best_params_ = self._params_of(self.best_index_)
        self._calibrate(chosen.expectation, run)

    def _average(self, run: Run, use: np.ndarray) -> Average:
        return average(run.members, use, run.T, run.A, per_output=self._weighs_apart)

    def _assemble(self, run: Run) -> Array:
        """The model, and what it expects of all training rows."""
        parts, training = assembled(run.members, self.shares_, run.losses, run.graph_of, run.mapped, run.smoothed)
        self.parts_ = parts
        used = {number for part in parts for number in part.weights}
        self.maps_ = {number: run.maps[number] for number in sorted(used)}
        self.graphs_ = {part.graph: run.graphs[part.graph] for part in parts if part.near is not None}
        heaviest = max(range(len(run.members)), key=lambda place: float(self.shares_[place].sum()))
        self.singular_values_ = np.linalg.svd(run.members[heaviest].W, compute_uv=False)
        self.effective_rank_ = int(np.sum(self.singular_values_ > 1e-6 * max(self.singular_values_[0], 1e-300)))
        return Ensemble(parts).of(training)

    def core(self, params: dict[str, Any]) -> Any:
        """The core estimator, unfitted, at ``params`` such as ``best_params_``, with this search's other choices."""
        shared = ("graph", "n_neighbors", "laplacian", "fit_intercept", "n_jobs")
        core = self._core(params).set_params(**{name: getattr(self, name) for name in shared})
        if isinstance(self.graph, str) and any(line.smoothing for line in self.plan_):
            core.set_params(graph=KNNGraph(weights="self-tuned"))
        return core

    def _params_of(self, index: int) -> dict[str, Any]:
        place, ridge, _ = self._tried[index]
        line = self.plan_[place]
        names = ("loss", "smoothing", "manifold", "power", "spectral", "free_rank")
        return {"features": self._specs[line.map], "ridge": ridge, **{name: getattr(line, name) for name in names}}

    @property
    def cv_results_(self) -> dict[str, Any]:
        """Every setting with its leave-one-out loss, in GridSearchCV's form."""
        check_is_fitted(self, "plan_")
        params = [self._params_of(i) for i in range(len(self._tried))]
        rank = np.argsort(np.argsort(self.loo_, kind="stable"), kind="stable") + 1
        table = {f"param_{name}": np.array([one[name] for one in params], dtype=object) for name in params[0]}
        return {"params": params, "mean_test_score": -self.loo_, "rank_test_score": rank.astype(np.int32), **table}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    def _scores(self, X: Any) -> Array:
        check_is_fitted(self, "plan_")
        X = check_rows(self, X, reset=False)
        if self.best_estimator_ is not None:
            return expected(self.best_estimator_._scores(X), self._make_loss(self.best_params_["loss"]))
        with threads_for(X.shape[0]):
            return Ensemble(self.parts_).expectations(self.maps_, self.graphs_, X)


def _row_losses(expectation: np.ndarray, run: Run) -> np.ndarray:
    """Leave-one-out loss of an average on each labelled row."""
    return np.asarray(((run.A > 0) * (expectation - run.T) ** 2).sum(axis=1))
