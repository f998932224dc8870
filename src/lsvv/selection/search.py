"""What both CV estimators share: explore the atlas, choose, average."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cache, partial
from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from lsvv.assembly import build_laplacian, fit_map, map_rows
from lsvv.features import MappedRows
from lsvv.graph import manifold_matrices
from lsvv.inputs import check_rows, generator
from lsvv.linalg import Array, stack_rows, to_numpy
from lsvv.losses import Loss
from lsvv.selection.atlas import Atlas, Grid, MapView, Setting, expected, loss_name
from lsvv.selection.averaging import Guard, evidence, guard, stretch
from lsvv.selection.ensemble import Average, Ensemble, average, spectrum_of
from lsvv.selection.maps import compress, dense_block, expand_maps, with_fixed_width
from lsvv.selection.taught import TAUGHT_FOLDS
from lsvv.selection.tour import Tour
from lsvv.targets import Codec, Targets

RIDGES = tuple(10.0**e for e in range(-7, 1))
MANIFOLDS = (0.0, *(10.0**e for e in range(-3, 3)))
SPECTRALS = (0.0, 0.01, 0.1)
"""Shares of the penalty that empties W."""
MOST_TAUGHT = 0.5
"""The most that fits to expectations may have of the average."""
MEMBER_BYTES = 1e9
"""Memory for the leave-one-out scores of the settings kept: each map and loss keeps its best, 8 at least."""
MOST_ENTRIES = 5e6
"""Labelled rows x columns looked at; beyond, the atlas chooses on a sample of rows and refits the best setting on all:
5000 labelled rows for maps of 1000 columns."""


class SearchEstimator(BaseEstimator):
    """The atlas over maps, losses, powers, manifold and ridge, and the average of what it finds."""

    _stretches = True
    _codec: Codec

    def __init__(
        self,
        *,
        features: Any = "auto",
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
        fit_intercept: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.features = features
        self.ridge = ridge
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

    def fit(self, X: Any, y: Any, *, X_unlabeled: Any = None, sample_weight: Any = None) -> Self:
        """Try every setting by leave-one-label-out, then average them (or refit the best).

        Parameters
        ----------
        X, y, X_unlabeled, sample_weight
            As in :meth:`lsvv.LSVVClassifier.fit`; a weight of 0 makes an entry unlabelled.

        Returns
        -------
        self
        """
        if self.selection not in ("average", "best"):
            raise ValueError(f"selection={self.selection!r} is not known. Choose 'average' or 'best'.")
        given = (X, y)
        X = check_rows(self, X, reset=True)
        targets = self._encode(y, X.shape[0], sample_weight)
        if X_unlabeled is not None:
            below = check_rows(self, X_unlabeled, reset=False, name="X_unlabeled")
            X, targets = stack_rows(X, below), targets.followed_by(below.shape[0])
        rng = generator(self.random_state)
        self._codec = targets.codec
        self._explore(X, targets, rng)
        self._choose((*targets.notes, *self._left_out()))
        self.best_estimator_ = None
        if self._refits:
            core = self.core(self.best_params_)
            self.best_estimator_ = core.fit(*given, X_unlabeled=X_unlabeled, sample_weight=sample_weight)
        self.transduction_ = self._filled(to_numpy(self._checked_scores(X)), targets)
        return self

    @abstractmethod
    def _encode(self, y: Any, n_rows: int, sample_weight: Any) -> Targets:
        """The targets, coded for the losses."""

    @abstractmethod
    def _losses(self, targets: Targets) -> tuple[Loss, ...]:
        """The losses searched."""

    @abstractmethod
    def _filled(self, scores: np.ndarray, targets: Targets) -> np.ndarray:
        """The targets of all training rows."""

    @abstractmethod
    def _core(self, params: dict[str, Any]) -> Any:
        """The estimator of the core with these values."""

    def _grid(self, targets: Targets) -> Grid:
        manifolds, ridges = (_axis(name, getattr(self, name)) for name in ("manifold", "ridge"))
        if min(ridges) <= 0.0:
            raise ValueError("The ridge grid holds 0. Leave-one-out needs ridge > 0: drop it or use 1e-10.")
        powers = tuple(int(p) for p in np.atleast_1d(self.power))
        return Grid(manifolds, ridges, powers, self._losses(targets))

    def _explore(self, X: Array, targets: Targets, rng: np.random.Generator) -> None:
        """Fit the maps, and visit each with the atlas."""
        grid = self._grid(targets)
        drawn = expand_maps(self.features, self.n_draws, X, rng)
        kinds = [kind for _, kind in drawn]
        self.maps_ = [fit_map(feature_map, X, None) for feature_map, _ in drawn]
        widths = [min(map_rows(fitted, X).shape) for fitted in self.maps_]
        self._look_at(targets, max(widths), rng)
        self._loss_of = {loss_name(loss): loss for loss in grid.losses}
        most = int(MEMBER_BYTES / (4 * self._known.size * len(drawn) * len(grid.losses)))
        self.atlas_ = Atlas(self._known.sum(axis=0).astype(np.float64), max(most, 8))
        self._bases = []
        tour = Tour(
            self.atlas_,
            grid,
            self._T,
            self._A,
            fit_intercept=self.fit_intercept,
            weighs_apart=self._weighs_apart,
            columns=dict(zip(kinds, widths, strict=True)),
            labelled=self.labelled_,
            teaches=self._teaches(X.shape[0]),
        )
        Lap: sp.csr_array | None = None
        for number, kind in enumerate(kinds):
            rows, basis = compress(map_rows(self.maps_[number], X))
            self._bases.append(basis)
            if Lap is None and max(grid.manifolds) > 0.0:
                Lap = self._laplacian(X, rows)
            graphs = cache(partial(_manifold_matrices, rows, Lap, grid.powers))
            draw = kinds[:number].count(kind)
            tour.visit(MapView(number, kind, draw, dense_block(rows, self.labelled_), graphs, rows))
            if self.verbose:
                print(f"[{type(self).__name__}] {len(self.atlas_.settings)} settings tried, map {number + 1}.")
        tour.finish(_axis("spectral", self.spectral), _axis("free_rank", self.free_rank), rng)

    @property
    def _refits(self) -> bool:
        """Whether the best setting is fitted anew, on all rows, and takes the place of the average."""
        return self.selection == "best" or self._sampled

    def _teaches(self, n_rows: int) -> bool:
        """Whether rows without a label are taught classes: where an average uses them at all."""
        asked = self._codec.one_class_a_row and not self._refits and max(_axis("manifold", self.manifold)) > 0.0
        return asked and TAUGHT_FOLDS <= self.labelled_.size < n_rows

    @property
    def _weighs_apart(self) -> bool:
        """Whether each output has weights of its own; the classes of a row have not."""
        return self.per_output and not self._codec.one_class_a_row

    def _look_at(self, targets: Targets, n_columns: int, rng: np.random.Generator) -> None:
        """Take up the labelled rows, or as many of them as maps of ``n_columns`` columns leave room for."""
        labelled = targets.labelled
        if labelled.size < 2:
            raise ValueError("There is one labelled row (n_samples = 1). Leaving one out needs at least two.")
        # the scores of all settings of a map are held until the best are known
        most = max(2, int(MOST_ENTRIES / max(n_columns, 4 * targets.values.shape[1])))
        self._sampled = labelled.size > most
        if self._sampled:
            labelled = np.sort(rng.choice(labelled, most, replace=False))
        weights = targets.weights[labelled]
        total = weights.sum(axis=0)
        self.labelled_, self._T, self._known = labelled, targets.values[labelled], weights > 0
        self._A = weights / np.where(total > 0, total, 1.0)

    def _laplacian(self, X: Array, rows: MappedRows) -> sp.csr_array:
        return build_laplacian(
            self.graph, X, rows, n_neighbors=self.n_neighbors, kind=self.laplacian, n_jobs=self.n_jobs
        )

    def _left_out(self) -> Iterator[str]:
        """A sentence for each loss that was asked for and met no map."""
        for name in self._loss_of.keys() - {setting.loss for setting in self.atlas_.settings}:
            yield (
                f"The {name} loss was left out: on {len(self._T)} labelled rows and {self._T.shape[1]} outputs it "
                f"would take too long beside the others. Search it alone with loss={name!r}."
            )

    def _choose(self, notes: Sequence[str], allowed: Callable[[Setting], bool] = lambda _: True) -> None:
        """Weights from the losses, the guard, and the model they make of the settings ``allowed``."""
        notes = list(notes)
        used = np.array([allowed(member.setting) for member in self.atlas_.members])
        supervised = used & np.array([member.setting.is_supervised for member in self.atlas_.members])
        if not (used & ~self._taught).any():
            raise ValueError("No setting of the atlas is allowed. Allow at least one that was kept.")
        chosen = self._with_pupils(used)
        self.guard_: Guard | None = None
        if self.safe and supervised.any() and (used & ~supervised).any():
            alone = self._average(supervised)
            self.guard_ = guard(self._row_losses(alone.loo), self._row_losses(chosen.loo))
            chosen = chosen.mixed_with(alone, self.guard_.share)
            notes.append(self.guard_.sentence)
        self.weights_ = chosen.weights
        percent = 100.0 * float(self.weights_[self._taught].sum() / self.weights_.sum())
        if percent > 0.0:
            notes.append(f"Fits to what was expected of unlabelled rows make up {percent:.0f} % of the average.")
        self.loo_ = np.array(self.atlas_.losses).mean(axis=1)
        reachable = np.array([allowed(setting) for setting in self.atlas_.settings])
        self.best_index_ = int(np.argmin(np.where(reachable, self.loo_, np.inf)))
        self.best_params_ = self._params_of(self.best_index_)
        mean = (self._A * self._T).sum(axis=0)
        factor = stretch(chosen.loo, self._T, self._known) if self._stretches else 1.0
        self._ensemble = Ensemble(chosen.families, mean, factor)
        self.loo_predictions_ = mean + factor * (chosen.loo - mean)
        self.singular_values_ = spectrum_of(chosen.families)
        self.effective_rank_ = int(np.sum(self.singular_values_ > 1e-6 * max(self.singular_values_[0], 1e-300)))
        self.n_outputs_ = int(self._T.shape[1])
        self.notes_ = tuple(notes)

    def core(self, params: dict[str, Any]) -> Any:
        """The core estimator, unfitted, at ``params`` such as ``best_params_``, with this search's other choices."""
        core = self._core(params)
        return core.set_params(
            **{name: getattr(self, name) for name in ("graph", "n_neighbors", "laplacian", "fit_intercept", "n_jobs")}
        )

    def limited_to(self, allowed: Callable[[Setting], bool]) -> Self:
        """A copy that averages the settings ``allowed`` alone; nothing is refitted.

        With ``lambda s: s.is_supervised`` it is the supervised model of the same search, nearly as if the grid had
        held no other settings: further draws look where any setting of the first counted. Of other parts of the grid
        only those settings are there that counted in the whole or among the supervised ones. The copy has no
        ``transduction_``: predict the rows anew.
        """
        check_is_fitted(self, "atlas_")
        if self.best_estimator_ is not None:
            raise ValueError("The best setting was refitted on the rows, which are gone. Fit with selection='average'.")
        limited = copy(self)
        del limited.transduction_
        limited._choose((), allowed)
        return limited

    def _with_pupils(self, used: np.ndarray) -> Average:
        """The average of settings, and of what they taught: as much of it as is likely to be better, half at most.

        A dozen labels that are all met make pupils look perfect, and none of these labels says whether they are.
        """
        taught = used & self._taught
        if not taught.any():
            return self._average(used)
        teachers, pupils = self._average(used & ~taught), self._average(taught)
        share, *_ = evidence(self._row_losses(teachers.loo), self._row_losses(pupils.loo))
        return pupils.mixed_with(teachers, MOST_TAUGHT * share)

    @property
    def _taught(self) -> np.ndarray:
        return np.array([member.setting.taught for member in self.atlas_.members])

    def _average(self, use: np.ndarray) -> Average:
        return average(
            self.atlas_.members,
            use,
            self._T,
            self._A,
            self._loss_of,
            self._bases,
            per_output=self._weighs_apart,
            one_class_a_row=self._codec.one_class_a_row,
        )

    def _row_losses(self, loo: np.ndarray) -> np.ndarray:
        """Leave-one-out loss of an average on each labelled row."""
        return np.asarray((self._known * (loo - self._T) ** 2).sum(axis=1))

    def _params_of(self, index: int) -> dict[str, Any]:
        setting = self.atlas_.settings[index]
        return {
            "features": with_fixed_width(self.maps_[setting.map]),
            "loss": setting.loss,
            "power": setting.power,
            "manifold": setting.manifold,
            "ridge": setting.ridge,
            "spectral": setting.spectral,
            "free_rank": setting.free_rank,
        }

    @property
    def cv_results_(self) -> dict[str, Any]:
        """Every setting with its leave-one-out loss, in GridSearchCV's form."""
        check_is_fitted(self, "atlas_")
        params = [self._params_of(i) for i in range(len(self.atlas_.settings))]
        names = params[0]
        rank = np.argsort(np.argsort(self.loo_, kind="stable"), kind="stable") + 1
        table: dict[str, Any] = {f"param_{name}": np.array([p[name] for p in params], dtype=object) for name in names}
        return {"params": params, "mean_test_score": -self.loo_, "rank_test_score": rank.astype(np.int32), **table}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    def _scores(self, X: Any) -> Array:
        check_is_fitted(self, "atlas_")
        return self._checked_scores(check_rows(self, X, reset=False))

    def _checked_scores(self, X: Array) -> Array:
        if self.best_estimator_ is None:
            return self._ensemble.expectations(self.maps_, X)
        return expected(self.best_estimator_._scores(X), self._loss_of[self.best_params_["loss"]])


def _manifold_matrices(rows: MappedRows, Lap: sp.csr_array | None, powers: Sequence[int]) -> dict[int, np.ndarray]:
    """G = Phi' Lap^p Phi for each power, without a graph none; Phi is not held beyond."""
    if Lap is None:
        return {}
    passing = MappedRows(rows.X, rows.transform)
    return {power: to_numpy(G) for power, G in manifold_matrices(passing, Lap, powers).items()}


def _axis(name: str, values: Any) -> tuple[float, ...]:
    """A grid axis from a number or a sequence of numbers."""
    entries = np.atleast_1d(np.asarray(values, dtype=object))
    good = [isinstance(v, Real) and not isinstance(v, bool) and 0.0 <= float(v) < np.inf for v in entries]
    if not good or not all(good):
        raise ValueError(f"{name}={values!r} holds no valid grid. Pass finite numbers of at least 0.")
    axis = [float(v) for v in entries]
    return tuple(sorted(set(axis)))
