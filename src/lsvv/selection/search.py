"""What both CV estimators share: explore the atlas, choose, average."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
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
from lsvv.losses import Loss, Squared
from lsvv.selection.atlas import Atlas, Grid, MapView, Member, Setting, expected, explore, loss_name
from lsvv.selection.averaging import Guard, guard, stretch
from lsvv.selection.ensemble import Average, Ensemble, average, spectrum_of
from lsvv.selection.maps import compress, expand_maps, labelled_block, with_fixed_width
from lsvv.selection.tail import N_FOLDS, tail_members
from lsvv.targets import Codec, Targets

RIDGES = tuple(10.0**e for e in range(-7, 1))
MANIFOLDS = (0.0, *(10.0**e for e in range(-3, 3)))
SPECTRALS = (0.0, 0.01, 0.1)
"""Shares of the penalty that empties W."""
CHEAP, DEAR, SMOOTH_KINDS = 2e6, 5e7, 3
"""Labelled rows x columns x outputs up to which the first draw of every kind meets the smooth losses, at the manifold
terms that count under the squared loss, and beyond which none does; between them the first draws of the best so many
kinds do. So do further draws of the best so many kinds whose first did, as many of a kind as stay within DEAR together.
These meet the manifold term that serves the squared loss best, and none."""
WIDE, WIDE_KINDS = 500, 4
"""Columns beyond which a map is tried without the manifold term first, and how many kinds of them go on to it."""
MEMBER_BYTES = 1e9
"""Memory for the leave-one-out scores of the settings kept: each map and loss keeps its best, 8 at least."""
MOST_ENTRIES = 5e6
"""Labelled rows x columns looked at; beyond, the atlas chooses on a sample of rows and refits the best setting on all:
5000 labelled rows for maps of 1000 columns."""


@dataclass(eq=False)
class _Tour:
    """Where a search stands: the wide kinds, the maps whose manifold terms and smooth losses wait, those in front.

    First draws of dear kinds and further draws of all kinds wait for the smooth losses apart from each other.
    """

    wide: set[int]
    for_manifold: list[MapView] = field(default_factory=list)
    for_smooth: list[MapView] = field(default_factory=list)
    for_draws: list[MapView] = field(default_factory=list)
    leading: dict[bool, tuple[Member, MapView]] = field(default_factory=dict)

    def waits(self, kind: int) -> bool:
        """Whether maps of this kind are too many and too wide to meet the manifold term at once."""
        return kind in self.wide and len(self.wide) > WIDE_KINDS


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
        if self.selection == "best" or self._sampled:
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
        """Visit every map: add its settings to the atlas, those of dear ones as far as they lead."""
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
        tour = _Tour({kind for kind, width in zip(kinds, widths, strict=True) if width > WIDE})
        Lap: sp.csr_array | None = None
        for number, kind in enumerate(kinds):
            rows, basis = compress(map_rows(self.maps_[number], X))
            self._bases.append(basis)
            if Lap is None and max(grid.manifolds) > 0.0:
                Lap = self._laplacian(X, rows)
            graphs = cache(partial(_manifold_matrices, rows, Lap, grid.powers))
            draw = kinds[:number].count(kind)
            self._visit(MapView(number, kind, draw, labelled_block(rows, self.labelled_), graphs), grid, tour)
            if self.verbose:
                print(f"[{type(self).__name__}] {len(self.atlas_.settings)} settings tried, map {number + 1}.")
        self._return(grid, tour, rng)

    def _visit(self, view: MapView, grid: Grid, tour: _Tour) -> None:
        """Add a map's settings; a wide or dear one, and a further draw, may wait for those that take longer."""
        smooth = _smooth(grid.losses)
        waits = tour.waits(view.kind) and len(smooth) < len(grid.losses)
        waits = waits and min(grid.manifolds) == 0.0 < max(grid.manifolds)
        now = grid.at((0.0,)) if waits else grid
        self._add_squared(view, self._narrowed(view, now) if view.draw else now, tour)
        if waits:
            tour.for_manifold = self._foremost([*tour.for_manifold, view], WIDE_KINDS, grid)
        if len(smooth) == len(grid.losses):
            self._add(view, now.at(now.fewer_manifolds), smooth)
        elif smooth and view.draw == 0 and self._size(view) <= CHEAP:
            self._add_smooth(view, now)
        elif smooth and view.draw == 0 and self._size(view) <= DEAR:
            tour.for_smooth = self._foremost([*tour.for_smooth, view], SMOOTH_KINDS, grid)
        elif smooth and (view.draw + 1) * self._size(view) <= DEAR:
            tour.for_draws = self._foremost([*tour.for_draws, view], SMOOTH_KINDS, grid)

    def _return(self, grid: Grid, tour: _Tour, rng: np.random.Generator) -> None:
        """Add what waited: manifold terms of wide maps, smooth losses of dear ones and draws, tails of the foremost."""
        later = grid.at(tuple(m for m in grid.manifolds if m > 0.0))
        for view in tour.for_manifold:
            self._add_squared(view, self._narrowed(view, later) if view.draw else later, tour)
            if view.draw == 0 and self._size(view) <= CHEAP:
                self._add_smooth(view, later)
        for view in (*tour.for_smooth, *tour.for_draws):
            if view.draw == 0 or self.atlas_.has_smooth(view.kind):
                self._add(view, self._along(view.kind, grid), _smooth(grid.losses))
        for best, view in {id(one[0]): one for one in tour.leading.values()}.values():
            self._explore_tail(best, view, rng)

    def _narrowed(self, view: MapView, grid: Grid) -> Grid:
        """The part of the grid that counts under the squared loss on the first draw of a kind."""
        return grid if self._weighs_apart else grid.around(self.atlas_.counting_squared(view.kind))

    def _add_smooth(self, view: MapView, grid: Grid) -> None:
        """Add the smooth losses' settings of a map: where the squared loss counts, at every other manifold term.

        If none of these is above 0, the one that serves the squared loss best is added.
        """
        near = self._narrowed(view, grid)
        some = {m for m in grid.fewer_manifolds if m in near.manifolds}
        positive = [m for m in near.manifolds if m > 0.0]
        if positive and not some.intersection(positive):
            best = self.atlas_.best_squared_of(view.kind, positive)[1]
            some |= {best.manifold} if best else set()
        self._add(view, grid.at(tuple(sorted(some)), near.powers), _smooth(grid.losses))

    @property
    def _weighs_apart(self) -> bool:
        """Whether each output has weights of its own; the classes of a row have not."""
        return self.per_output and not self._codec.one_class_a_row

    def _size(self, view: MapView) -> int:
        """Labelled rows x columns x outputs, by which smooth losses are dear."""
        return int(view.Phi.size) * int(self._T.shape[1])

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

    def _foremost(self, views: Sequence[MapView], most: int, grid: Grid) -> list[MapView]:
        """The views of the best ``most`` kinds of map, compared by what all have: the grid's weakest manifold term."""
        weakest = (min(grid.manifolds),)
        kinds = {view.kind for view in views}
        best = sorted(kinds, key=lambda kind: self.atlas_.best_squared_of(kind, weakest)[0])[:most]
        return [view for view in views if view.kind in best]

    def _along(self, kind: int, grid: Grid) -> Grid:
        """Without the manifold term, and with the one that serves the squared loss best on a kind of map."""
        best = self.atlas_.best_squared_of(kind, grid.manifolds)[1]
        if best is None:
            return grid
        manifolds = {m for m in grid.manifolds if m == 0.0} | {best.manifold}
        return grid.at(tuple(sorted(manifolds)), (best.power,))

    def _add_squared(self, view: MapView, grid: Grid, tour: _Tour) -> None:
        """Add the squared loss's settings of a map, and note whether it leads, with and without the manifold term."""
        self._add(view, grid, [loss for loss in grid.losses if isinstance(loss, Squared)])
        for supervised in (False, True):
            best = self._best_squared(supervised)
            if best is not None and best.setting.map == view.number:
                tour.leading[supervised] = (best, view)

    def _left_out(self) -> Iterator[str]:
        """A sentence for each loss that was asked for and met no map."""
        for name in self._loss_of.keys() - {setting.loss for setting in self.atlas_.settings}:
            yield (
                f"The {name} loss was left out: on {len(self._T)} labelled rows and {self._T.shape[1]} outputs it "
                f"would take too long beside the others. Search it alone with loss={name!r}."
            )

    def _add(self, view: MapView, grid: Grid, losses: Sequence[Loss]) -> None:
        if grid.manifolds:
            explore(self.atlas_, view, self._T, self._A, grid, losses, fit_intercept=self.fit_intercept)

    def _best_squared(self, supervised: bool) -> Member | None:
        """The best setting of the squared loss so far, of all or of those without the manifold term."""
        squared = [
            member
            for member in self.atlas_.members
            if member.setting.loss == "squared" and (member.setting.manifold == 0.0 or not supervised)
        ]
        return min(squared, key=lambda member: float(member.losses.sum())) if squared else None

    def _explore_tail(self, best: Member, view: MapView, rng: np.random.Generator) -> None:
        """Tail penalties at a best setting of the squared loss."""
        for member in tail_members(
            best,
            view.Phi,
            self._T,
            self._A,
            view.graphs().get(best.setting.power) if best.setting.manifold > 0.0 else None,
            _axis("spectral", self.spectral),
            _axis("free_rank", self.free_rank),
            rng.permutation(len(view.Phi)) % min(N_FOLDS, len(view.Phi)),
            fit_intercept=self.fit_intercept,
        ):
            self.atlas_.add(member)

    def _choose(self, notes: Sequence[str], allowed: Callable[[Setting], bool] = lambda _: True) -> None:
        """Weights from the losses, the guard, and the model they make of the settings ``allowed``."""
        notes = list(notes)
        used = np.array([allowed(member.setting) for member in self.atlas_.members])
        supervised = used & np.array([member.setting.manifold == 0.0 for member in self.atlas_.members])
        if not used.any():
            raise ValueError("No setting of the atlas is allowed. Allow at least one that was kept.")
        chosen = self._average(used)
        self.guard_: Guard | None = None
        if self.safe and supervised.any() and (used & ~supervised).any():
            alone = self._average(supervised)
            self.guard_ = guard(self._row_losses(alone.loo), self._row_losses(chosen.loo))
            chosen = chosen.mixed_with(alone, self.guard_.share)
            notes.append(self.guard_.sentence)
        self.weights_ = chosen.weights
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

        With ``lambda s: s.manifold == 0.0`` it is the supervised model of the same search, nearly as if the grid had
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


def _smooth(losses: Sequence[Loss]) -> list[Loss]:
    return [loss for loss in losses if not isinstance(loss, Squared)]


def _axis(name: str, values: Any) -> tuple[float, ...]:
    """A grid axis from a number or a sequence of numbers."""
    entries = np.atleast_1d(np.asarray(values, dtype=object))
    good = [isinstance(v, Real) and not isinstance(v, bool) and 0.0 <= float(v) < np.inf for v in entries]
    if not good or not all(good):
        raise ValueError(f"{name}={values!r} holds no valid grid. Pass finite numbers of at least 0.")
    axis = [float(v) for v in entries]
    return tuple(sorted(set(axis)))
