"""What both CV estimators share: make the plan, run it, average what it finds."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from lsvv.estimators.elsewhere import is_elsewhere, opened_rows, scores_elsewhere
from lsvv.estimators.methods import terms_of
from lsvv.features import Linear
from lsvv.features.encoders import encoded
from lsvv.graph import KNNGraph, NeighborGraph
from lsvv.inputs import check_rows, column_names, generator, warn_of_units
from lsvv.linalg import Array, brought_back, like, like_numbers, stack_rows, threads_for, to_numpy
from lsvv.losses import Loss, Squared
from lsvv.parameters import check_grids
from lsvv.selection.average import (
    Average,
    Ensemble,
    Part,
    ReadRows,
    assembled,
    average,
    average_of_kinds,
    combined,
    expected,
)
from lsvv.selection.averaging import Guard, LeftOut, guard, likely_better, mixed
from lsvv.selection.drawing import learn_from_some
from lsvv.selection.forests import Forest, forests_of
from lsvv.selection.importances import Judges
from lsvv.selection.map_choice import is_auto
from lsvv.selection.run import Run
from lsvv.selection.voting import Vote
from lsvv.targets import Codec, Targets


@dataclass(kw_only=True, eq=False, repr=False)
class SearchEstimator(BaseEstimator):
    """A plan of candidates (map, loss, smoothing, manifold, ridges), run within a budget, and their average."""

    _as_in_the_paper: ClassVar[dict[str, Any]] = {"trees": False, "power": "auto", "free_rank": "auto"}

    features: Any = "auto"
    trees: Any = "auto"
    ridge: Any = "auto"
    smoothing: Any = "auto"
    manifold: Any = 0.0
    power: Any = 2
    spectral: Any = 0.0
    free_rank: Any = 0
    selection: str = "average"
    safe: bool = True
    per_output: bool = False
    n_draws: int = 1
    n_neighbors: int = 7
    laplacian: str = "normalized"
    graph: Any = "auto"
    fit_intercept: bool = True
    n_jobs: int | None = None
    device: Any = None
    random_state: Any = None
    verbose: int = 0

    @classmethod
    def method(cls, name: str, **params: Any) -> Self:
        """The search set up as one of the paper's four methods: the terms a method has are searched, others are 0.

        Examples
        --------
        >>> from lsvv import LSVVClassifierCV
        >>> LSVVClassifierCV.method("SS-VV").get_params()["manifold"]
        'auto'
        """
        terms = {term: "auto" if value else 0.0 for term, value in terms_of(name).items()}
        return cls(**{**cls._as_in_the_paper, **terms, **params})

    def fit(self, X: Any, y: Any, *, X_unlabeled: Any = None, sample_weight: Any = None) -> Self:
        """Try every candidate by leave-one-label-out, then average them (or refit the best).

        Parameters
        ----------
        X, y, X_unlabeled, sample_weight
            As in :meth:`lsvv.LSVVClassifier.fit`; a weight of 0 makes an entry unlabelled. Of rows that are not in
            memory some are read and learnt from: labelled ones up to ``lsvv.stored.MOST_KNOWN``, and others drawn at
            random up to ``MOST_DRAWN`` in all.
        """
        check_grids(self)
        given = encoded(self.features, X)
        if is_elsewhere(given):
            learn_from_some(self, *opened_rows(self, given, y, X_unlabeled), sample_weight)
            return self
        X = check_rows(self, given, reset=True, device=self.device)
        if isinstance(self.features, str) and not is_auto(self.features):
            warn_of_units(X, column_names(self))
        targets = self._encode(y, X.shape[0], sample_weight)
        if X_unlabeled is not None:
            below = check_rows(
                self, encoded(self.features, X_unlabeled), reset=False, name="X_unlabeled", device=self.device
            )
            X, targets = stack_rows(X, below), targets.followed_by(below.shape[0])
        self._learn(X, targets, given)
        return self

    def _learn(self, X: Array, targets: Targets, given: Any) -> None:
        """Learn from rows and targets that have passed the gates; ``given`` are the rows as they were passed."""
        with threads_for(X.shape[0]):
            targets = self._scaled(X, targets)
            self.codec_: Codec = targets.codec
            self.n_outputs_ = int(targets.values.shape[1])
            run = self._search(X, targets)
            # leaving labels out may have taught it something
            targets = replace(targets, codec=self.codec_)
            if self._refits(run):
                self._refit(run, targets, given)
            if not self._refits(run) or self.forests_:
                filled = like_numbers(self._filled(to_numpy(self._fitted(run)), targets), X)
                self.transduction_ = brought_back(filled, self.device)

    def _fitted(self, run: Run) -> Array:
        """What the model expects of all training rows."""
        if self.best_estimator_ is not None:
            return self._checked_scores(run.X)
        kernels = self._assemble(run)
        return kernels + self._by_trees(run.rows) if self.forests_ else kernels

    def _refit(self, run: Run, targets: Targets, given: Any) -> None:
        """The core at the best setting, fitted on rows as the best map's view reads them."""
        core = self.core(self.best_params_)
        # the names of its columns
        check_rows(core, given, reset=True)
        self.best_estimator_ = core._fit(run.rows[self.view_], targets)
        for name in ("transduction_", "singular_values_", "effective_rank_"):
            setattr(self, name, getattr(self.best_estimator_, name))

    def _search(self, X: Array, targets: Targets) -> Run:
        """The plan, carried out, and what was chosen of it."""
        losses = {name: self._make_loss(name) for name in self._losses()}
        run = Run(self, X, targets, losses, generator(self.random_state), per_output=self._weighs_apart)
        self.notes_, self.output_notes_ = (*targets.notes, *run.notes), targets.remarks
        self.columns_, self.best_estimator_ = run.columns, None
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
    def _calibrate(self, expectation: LeftOut, run: Run) -> None:
        """What an estimator learns from the leave-one-out expectations of the whole."""

    @property
    def _weighs_apart(self) -> bool:
        """Whether each output has weights of its own; the classes of a row have not."""
        return self.per_output and not self.codec_.one_class_a_row

    def _refits(self, run: Run) -> bool:
        """Whether the best setting is fitted anew, on all rows, and is the model: where there is nothing to average."""
        return self.selection == "best" or run.is_sampled or len(self._tried) == 1

    def _choose(self, run: Run) -> None:
        """Shares from the losses, the guard, and the leave-one-out expectations of the whole."""
        members = run.members
        supervised = np.array([member.candidate.is_supervised for member in members])
        families = self._families(run)
        chosen = {kind: self._average(run, mine) for kind, mine in families.items()}
        self.guard_: Guard | None = None
        if self.safe and supervised.any() and not supervised.all():
            for kind, mine in families.items():
                chosen[kind], found = self._guarded(chosen[kind], self._average(run, mine & supervised), run)
                if self.guard_ is None:
                    self.guard_, self.notes_ = found, (*self.notes_, found.sentence)
        whole = self._with_other_kinds(chosen, run)
        self.plan_ = [member.candidate for member in members]
        self.labeled_ = run.labelled[run.in_place]
        self._specs = run.specs
        self._tried = [
            (place, float(ridge), float(loss.mean()))
            for place, member in enumerate(members)
            for ridge, loss in zip(member.ridges, member.losses, strict=True)
        ]
        self.loo_ = np.array([loss for _, _, loss in self._tried])
        self.best_index_ = int(np.argmin(self.loo_))
        self.best_params_ = self._params_of(self.best_index_)
        self.view_ = run.views[self.plan_[self._tried[self.best_index_][0]].map]
        self._calibrate(whole, run)

    def _families(self, run: Run) -> dict[str, np.ndarray]:
        """The members of each kind of map: of features="auto" the linear ones stand apart, being few among many.

        A kind without a supervised member could not be guarded, and one that is refitted is a single model.
        """
        members = run.members
        linear = np.array([isinstance(run.maps[member.candidate.map], Linear) for member in members])
        supervised = np.array([member.candidate.is_supervised for member in members])
        apart = is_auto(self.features) and self.selection == "average" and not run.is_sampled
        if apart and (linear & supervised).any() and (~linear & supervised).any():
            return {"maps": ~linear, "lines": linear}
        return {"maps": np.ones(len(members), dtype=bool)}

    def _average(self, run: Run, use: np.ndarray) -> Average:
        """The average of the members ``use``."""
        expectations = [member.expectation for member, used in zip(run.members, use, strict=True) if used]
        return average(expectations, run.T, run.A, per_output=self._weighs_apart).among(use)

    def _guarded(self, chosen: Average, alone: Average, run: Run) -> tuple[Average, Guard]:
        """As much of the average as paired held-out losses speak for, and for the rest the supervised one ``alone``."""
        losses = [_row_losses(one.expectation.honest, run) for one in (alone, chosen)]

        def shares_by(rows: np.ndarray) -> np.ndarray:
            share = likely_better(*(one[rows] for one in losses))[0]
            return np.repeat([[share], [1.0 - share]], run.T.shape[1], axis=1)

        shares, expectation = mixed([chosen.expectation, alone.expectation], shares_by)
        return Average(shares[0] * chosen.shares + shares[1] * alone.shares, expectation), guard(*losses)

    def _with_other_kinds(self, maps: dict[str, Average], run: Run) -> LeftOut:
        """Shares of the maps' averages, of the neighbours' vote and of each kind of tree, and what the whole expects.

        Kinds of model are weighed against each other as maps are: by expectations of labels none of them has seen,
        with shares that other folds decide, the more evenly the fewer labels there are.
        """
        kinds = {kind: one.expectation for kind, one in maps.items()}
        is_dropped = self.guard_ is not None and self.guard_.share == 0.0
        if run.vote is not None and not is_dropped:
            kinds["neighbours"] = LeftOut.plain(run.vote.expectation)
        kinds |= {one.kind: LeftOut.plain(one.expectation) for one in run.forests}
        whole = average_of_kinds(list(kinds.values()), run.T, run.A, per_output=self._weighs_apart)
        self.kind_shares_ = share = dict(zip(kinds, whole.shares, strict=True))
        self.kinds_ = {kind: float(of_outputs.mean()) for kind, of_outputs in share.items()}
        self.shares_ = np.sum([share[kind] * one.shares for kind, one in maps.items()], axis=0)
        self.forests_: tuple[Forest, ...] = tuple(
            forest for one in run.forests for forest in one.shared(share[one.kind])
        )
        self._judges = Judges(run.labelled, run.T, run.A, tuple(run.forests))
        return whole.expectation if len(kinds) > 1 else maps["maps"].expectation

    def _assemble(self, run: Run) -> Array:
        """The model, and what it expects of all training rows."""
        parts, training = assembled(run.members, self.shares_, run.losses, run.graph_of, run.mapped, run.smoothed)
        if run.vote is not None and "neighbours" in self.kind_shares_ and self.kind_shares_["neighbours"].any():
            parts, training = (*parts, _voting(run.vote, self.kind_shares_["neighbours"])), [*training, run.vote.near]
        self.parts_: tuple[Part, ...] = parts
        used = sorted({number for part in parts for number in part.weights})
        self.maps_: dict[int, Any] = {number: run.maps[number] for number in used}
        self.views_ = {number: run.views[number] for number in used}
        self.graphs_: dict[int, NeighborGraph] = {
            part.graph: run.graphs[part.graph] for part in parts if part.near is not None
        }
        heaviest = max(range(len(run.members)), key=lambda place: float(self.shares_[place].sum()))
        self.singular_values_ = np.linalg.svd(run.members[heaviest].W, compute_uv=False)
        self.effective_rank_ = int(np.sum(self.singular_values_ > 1e-6 * max(self.singular_values_[0], 1e-300)))
        return combined(parts, training)

    def core(self, params: dict[str, Any]) -> Any:
        """The core estimator, unfitted, at ``params`` such as ``best_params_``, with this search's other choices.

        With ``features="auto"`` it is for rows that ``columns_[view_].transform`` has read.
        """
        shared = ("graph", "n_neighbors", "laplacian", "fit_intercept", "n_jobs", "device")
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

    def __getstate__(self) -> Any:
        """All but the trees that judge columns: a model that is kept needs those alone that have a share."""
        return {name: value for name, value in super().__getstate__().items() if name != "_judges"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.array_api_support = True
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    def _checked(self, X: Any, name: str = "X") -> Array:
        """New rows, where they are worked."""
        return check_rows(self, encoded(self.features, X), reset=False, name=name, device=self.device)

    def _scores(self, X: Any) -> Array:
        check_is_fitted(self, "plan_")
        if is_elsewhere(X):
            return scores_elsewhere(self, X)
        X = self._checked(X)
        with threads_for(X.shape[0]):
            return brought_back(self._checked_scores(X), self.device)

    def _checked_scores(self, X: Array) -> Array:
        """M(x) for checked rows: what maps and trees expect, each with its share."""
        rows = ReadRows(X, self.columns_)
        if self.best_estimator_ is None:
            found = Ensemble(self.parts_, self.maps_, self.views_, self.graphs_).expectations(rows)
        else:
            scores = self.best_estimator_._checked_scores(rows[self.view_])
            found = expected(scores, self._make_loss(self.best_params_["loss"]))
            found = found * like(self.kind_shares_["maps"], found)[None, :]
        return found + like(self._by_trees(rows), rows.template) if self.forests_ else found

    def _by_trees(self, rows: ReadRows) -> np.ndarray:
        """What the trees expect, times their shares; they read columns by their ranks where there are any."""
        return forests_of(self.forests_, rows[max(self.columns_)], self.n_outputs_)


def _voting(vote: Vote, share: np.ndarray) -> Part:
    """The vote as a part of the average: what the neighbours of a new row add, and nothing else."""
    return Part({}, np.zeros(share.size), share, vote.near, Squared())


def _row_losses(expectation: np.ndarray, run: Run) -> np.ndarray:
    """Leave-one-out loss of an average on each labelled row."""
    return np.asarray(((run.A > 0) * (expectation - run.T) ** 2).sum(axis=1))
