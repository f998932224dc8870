"""A plan carried out: maps fitted, features smoothed, candidates fitted and judged, tails tried at the best of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsvv.assembly import build_graph, fit_map, is_ready, map_rows
from lsvv.engine import fits, judgeable, spread
from lsvv.features import MappedRows, Ranges, Ranks
from lsvv.graph import KNNGraph, NeighborGraph, Smoother, manifold_matrices
from lsvv.inputs import column_names
from lsvv.linalg import Array, canonical_order, is_on_device, like, take_rows, to_float64, to_numpy
from lsvv.losses import Loss
from lsvv.parameters import entries
from lsvv.selection.average import Member, ReadRows, expected, path_weights
from lsvv.selection.averaging import LeftOut, mixed
from lsvv.selection.forests import KINDS, CrossFitted, balanced_folds, cross_fitted
from lsvv.selection.map_choice import dense_block, expand_maps, is_auto, mapping_cost, views_of, with_fixed_width
from lsvv.selection.plan import (
    BUDGET,
    MANIFOLDS,
    RIDGES,
    SMOOTHINGS,
    Axes,
    Candidate,
    MapSize,
    Sizes,
    candidates,
    within,
)
from lsvv.selection.tails import SHARES, TAIL_FOLDS, Best, TailProblem, tail_members
from lsvv.selection.voting import MOST_LABELS, Vote, vote
from lsvv.solvers import ObjectiveOverflowError
from lsvv.targets import Targets

AUTO: dict[str, tuple[float, ...]] = {
    "ridge": RIDGES,
    "smoothing": SMOOTHINGS,
    "manifold": MANIFOLDS,
    "power": (1, 2),
    "free_rank": (0.0, 0.5),
}
LARGEST = 1e150
"""Numbers beyond it, and NaN, make no model: their squares overflow."""
MOST_ENTRIES = 5e7
"""Labelled rows x columns looked at; beyond, the search chooses on a sample of rows and refits the best on all."""
WEIGHTS_BYTES = 2**30
"""Memory for the rows of R that belong to labels; where they fit they are computed once for all maps."""


class Run:
    """A plan carried out: the members, and what is needed to make a model of them.

    Attributes
    ----------
    members : list of Member
    labelled : array
        The training rows whose labels were left out in turn, in an order that their content decides.
    in_place : array of int
        The places of the labelled rows in the order in which they were given.
    T, A : arrays of shape (labelled rows, K)
        Their targets, and weights of which each output's sum to 1.
    columns : dict of int to fitted transformer
        How each view reads the columns.
    maps, specs, views : lists
        Fitted maps, unfitted ones of the same draw, and the number of the view that each reads.
    graphs : dict of int to NeighborGraph
    notes : list of str
    """

    def __init__(
        self,
        search: Any,
        X: Array,
        targets: Targets,
        losses: dict[str, Loss],
        rng: np.random.Generator,
        *,
        per_output: bool,
    ) -> None:
        self.search, self.X, self.losses, self.per_output, self._rng = search, X, losses, per_output, rng
        self._read(rng)
        self.specs = [with_fixed_width(one) for one in self.maps]
        columns = [self._mapped_rows(number).shape[1] for number in range(len(self.maps))]
        sizes = [MapSize(count, mapping_cost(one, X, count)) for one, count in zip(self.maps, columns, strict=True)]
        self._look_at(targets, min(max(columns), X.shape[0]), rng)
        self.notes: list[str] = []
        self.graphs: dict[int, NeighborGraph] = {}
        self._smoothers: dict[int, Smoother] = {}
        self._label_weights: dict[int, dict[float, Array]] = {}
        lines = self._plan(sizes)
        self._needs_graph = not all(line.is_supervised for line in lines)
        self._smoothings = sorted({line.smoothing for line in lines if line.smoothing > 0.0})
        self._best = Best()
        self._dropped = 0
        self.members = [member for number in range(len(self.maps)) for member in self._members(number, lines)]
        tails = self._tails(rng)
        if tails and not isinstance(search.spectral, str) and 0.0 not in axis_of(search, "spectral"):
            self.members = []
        self.members += tails
        self._tell_of_dropped()

    @cached_property
    def vote(self) -> Vote | None:
        """Labels spread over the graph of the first view: beside features="auto", where features are spread too."""
        search = self.search
        alone = is_auto(search.features) and search.selection == "average" and not self.is_sampled
        if isinstance(search.graph, KNNGraph) and search.graph.on == "features":
            return None
        if not (alone and self._smoothings and 0 in self._smoothers and self.labelled.size <= MOST_LABELS):
            return None
        return vote(self._smoothers[0], self.labelled, self.T, self.A, self._folds, self.rows.template)

    @cached_property
    def _folds(self) -> np.ndarray:
        """The fold of each labelled row, on which kinds of model without a closed form are judged."""
        return balanced_folds(self.T, self.A > 0, self._rng)

    @cached_property
    def forests(self) -> list[CrossFitted]:
        """Forests on the labelled rows, all of them judged on the same folds."""
        if not grows_trees(self.search):
            return []
        rows = take_rows(self.rows[max(self.columns)], self.labelled)
        n_jobs = self.search.n_jobs
        if n_jobs is None and is_on_device(rows):
            # a device leaves all cores idle
            n_jobs = -1
        grown = (cross_fitted(kind, rows, self.T, self.A, self._folds, self._rng, n_jobs) for kind in KINDS)
        return [one for one in grown if one is not None]

    def _read(self, rng: np.random.Generator) -> None:
        """The views of the columns, and the maps of each."""
        search, X, names = self.search, self.X, column_names(self.search)
        self.columns: dict[int, Any] = {}
        self.maps: list[Any] = []
        self.views: list[int] = []
        for view, (columns, features) in enumerate(views_of(search.features, X, as_they_are=is_ready(search.graph))):
            self.columns[view] = fit_map(columns, X, None)
            rows = self.columns[view].transform_checked(X)
            maps = [fit_map(one, rows, None) for one in expand_maps(features, search.n_draws, rows, rng, names)]
            self.maps += maps
            self.views += [view] * len(maps)
        if grows_trees(search) and not isinstance(self.columns[max(self.columns)], (Ranges, Ranks)):
            # trees read single precision, which no unit should spoil
            self.columns[len(self.columns)] = fit_map(Ranges() if sp.issparse(X) else Ranks(), X, None)
        self.rows = ReadRows(X, self.columns)

    def _mapped_rows(self, number: int) -> MappedRows:
        return map_rows(self.maps[number], self.rows[self.views[number]])

    def _look_at(self, targets: Targets, n_columns: int, rng: np.random.Generator) -> None:
        """Take up the labelled rows, or as many of them as maps of ``n_columns`` columns leave room for."""
        labelled = targets.labelled
        if labelled.size < 2:
            raise ValueError("There is one labelled row (n_samples = 1). Leaving one out needs at least two.")
        # folds and samples are drawn by position, and the order in which rows come must not matter
        labelled = labelled[canonical_order(take_rows(self.X, labelled), targets.values[labelled])]
        most = max(2, int(MOST_ENTRIES / max(n_columns, 4 * targets.values.shape[1])))
        self.is_sampled = labelled.size > most
        if self.is_sampled:
            labelled = labelled[np.sort(rng.choice(labelled.size, most, replace=False))]
        weights = targets.weights[labelled]
        total = weights.sum(axis=0)
        self.labelled, self.T, self.in_place = labelled, targets.values[labelled], np.argsort(labelled)
        self.A = weights / np.where(total > 0, total, 1.0)

    def _plan(self, maps: Sequence[MapSize]) -> list[Candidate]:
        search = self.search
        ridges = axis_of(search, "ridge")
        if min(ridges) <= 0.0:
            raise ValueError("The ridge grid holds 0. Leave-one-out needs ridge > 0: drop it or use 1e-10.")
        smoothings, manifolds, powers = (axis_of(search, name) for name in ("smoothing", "manifold", "power"))
        scaled = isinstance(search.ridge, str)
        axes = Axes(tuple(self.losses), smoothings, manifolds, powers, ridges, scaled)
        sizes = Sizes(self.X.shape[0], self.labelled.size, self.T.shape[1])
        kept, left = within(candidates(axes, maps, sizes), BUDGET)
        if left:
            self.notes.append(
                f"{len(left)} of {len(kept) + len(left)} candidates were left out, since they would take too long on "
                f"{sizes.rows:,} rows with {sizes.labelled:,} labelled ones, among them smoothing="
                f"{left[-1].smoothing:g} with the {left[-1].loss} loss. Ask for fewer features or values to have them."
            )
        return kept

    def _members(self, number: int, lines: Sequence[Candidate]) -> list[Member]:
        """The candidates of one map; Phi of all rows is not held beyond."""
        mine = [line for line in lines if line.map == number]
        if not mine:
            return []
        rows = self._mapped_rows(number)
        graph = self._graph(number, rows) if self._needs_graph else None
        powers = sorted({line.power for line in mine if line.manifold > 0.0})
        G: dict[int, Any] = {}
        if powers and graph is not None:
            G = manifold_matrices(rows, graph.laplacian(self.search.laplacian), powers)
        labelled = self._labelled(number, rows, sorted({line.smoothing for line in mine}))
        found: list[Member] = []
        for line in mine:
            with self._dropping():
                penalty = G[line.power] if line.manifold > 0.0 else None
                found.append(self._member(line, labelled[line.smoothing], penalty))
        if self.search.verbose:
            print(f"[{type(self.search).__name__}] {len(mine)} candidates of map {number + 1} of {len(self.maps)}.")
        return found

    def _graph(self, number: int, rows: MappedRows) -> NeighborGraph:
        """The graph of a map's view, or of this map where the graph is built on features."""
        place, search = self.graph_of(number), self.search
        if place not in self.graphs:
            self.graphs[place] = build_graph(
                search.graph,
                self.rows[self.views[number]],
                rows,
                n_neighbors=search.n_neighbors,
                n_jobs=search.n_jobs,
                weights="self-tuned" if self._smoothings else "binary",
            )
            self._smoothers[place] = Smoother(self.graphs[place].S)
        return self.graphs[place]

    def graph_of(self, number: int) -> int:
        """The number of a map's graph."""
        graph = self.search.graph
        return number if isinstance(graph, KNNGraph) and graph.on == "features" else self.views[number]

    def _labelled(self, number: int, rows: MappedRows, smoothings: Sequence[float]) -> dict[float, Array]:
        """Phi_s of the labelled rows for each smoothing, in double precision."""
        found = {0.0: dense_block(rows, self.labelled)}
        above = [a for a in smoothings if a > 0.0]
        if not above:
            return found
        place = self.graph_of(number)
        size = len(self._smoothings) * self.labelled.size * rows.shape[0] * rows.template.itemsize
        if self.labelled.size <= rows.shape[1] and size <= WEIGHTS_BYTES:
            weights = self._weights_of_labels(place, rows.template)
            smoothed = self._smoothers[place].mixed(rows, [weights[a] for a in above])
        else:
            smoothed = self._smoothers[place].rows_of(rows, self.labelled, above)
        return found | {a: to_float64(Phi) for a, Phi in zip(above, smoothed, strict=True)}

    def _weights_of_labels(self, place: int, template: Array) -> dict[float, Array]:
        """The rows of R that belong to labels, for each smoothing of the plan: the same for all maps of a graph."""
        if place not in self._label_weights:
            found = self._smoothers[place].weights_of(self.labelled, self._smoothings, template)
            self._label_weights[place] = dict(zip(self._smoothings, found, strict=True))
        return self._label_weights[place]

    def _member(self, line: Candidate, Phi: Array, G: Array | None) -> Member:
        search, loss = self.search, self.losses[line.loss]
        unit = spread(Phi, self.A) if line.scaled else 1.0
        ridges = [unit * ridge for ridge in line.ridges]
        terms: dict[str, Any] = {"manifold": line.manifold, "G": G, "fit_intercept": search.fit_intercept}
        path = list(fits(Phi, self.T, self.A, loss, ridges, **terms))
        if line.scaled:
            kept, ordered = judgeable(path), sorted(line.ridges, reverse=True)
            line, path = replace(line, ridges=tuple(compress(ordered, kept))), list(compress(path, kept))
        residuals = np.array([np.asarray(expected(one.loo, loss)) - self.T for one in path])
        if not all(np.abs(part).max() < LARGEST for part in (residuals, *(one.W for one in path))):
            raise ObjectiveOverflowError

        def shares_by(rows: np.ndarray) -> np.ndarray:
            return path_weights(residuals[:, rows], self.A[rows], per_output=self.per_output)

        weights, scores = mixed([LeftOut.plain(one.loo) for one in path], shares_by)
        W, b = (sum(w * getattr(one, part) for w, one in zip(weights, path, strict=True)) for part in ("W", "b"))
        member = Member(
            line,
            np.array([one.ridge for one in path]),
            np.array([(self.A * one**2).sum(axis=0) for one in residuals]),
            W,
            b,
            scores.through(lambda found: np.asarray(expected(found, loss))),
        )
        if self._tails_asked and not line.is_smooth:
            ridge = float(member.ridges[np.argmin(member.losses.sum(axis=1))])
            problem = TailProblem(Phi, self.T, self.A, G, ridge, line.manifold, search.fit_intercept)
            self._best.note(member, problem)
        return member

    def _tails(self, rng: np.random.Generator) -> list[Member]:
        found: list[Member] = []
        folds = rng.permutation(len(self.T)) % min(TAIL_FOLDS, len(self.T))
        free_ranks, free_ridge = axis_of(self.search, "free_rank"), isinstance(self.search.ridge, str)
        for best, problem in self._best.distinct():
            with self._dropping():
                spectrals = self._spectrals(problem)
                found += tail_members(best, problem, spectrals, free_ranks, folds, free_ridge=free_ridge)
        return found

    def _spectrals(self, problem: TailProblem) -> Sequence[float]:
        """The tail penalties to try; spectral="auto" has shares of the one that empties W."""
        if isinstance(self.search.spectral, str):
            return [share * problem.emptying for share in SHARES]
        return axis_of(self.search, "spectral")

    @property
    def _tails_asked(self) -> bool:
        spectral = self.search.spectral
        return isinstance(spectral, str) or max(entries("spectral", spectral)) > 0.0

    @contextmanager
    def _dropping(self) -> Iterator[None]:
        """Leave out a setting whose numbers leave double precision."""
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                yield
        except (np.linalg.LinAlgError, ObjectiveOverflowError):
            self._dropped += 1

    def _tell_of_dropped(self) -> None:
        if not self.members:
            raise ValueError(
                "No setting could be computed: numbers overflow. Scale the columns of X, for instance with "
                "sklearn.preprocessing.StandardScaler in a Pipeline, and look at the ridges and penalties asked for."
            )
        if self._dropped:
            settings = "setting was" if self._dropped == 1 else "settings were"
            self.notes.append(f"{self._dropped} {settings} left out: numbers overflow.")

    def mapped(self, number: int, W: np.ndarray) -> np.ndarray:
        """Phi W of all training rows."""
        return np.asarray(to_numpy(self._mapped_rows(number).times(W)))

    def smoothed(self, graph: int, smoothing: float, columns: np.ndarray) -> np.ndarray:
        """R columns."""
        there = like(columns, to_float64(self.rows.template[:0]))
        return np.asarray(to_numpy(self._smoothers[graph].columns(there, smoothing)))


def grows_trees(search: Any) -> bool:
    """Whether forests join the average: trees="auto" has them beside features="auto"."""
    wanted = is_auto(search.features) if isinstance(search.trees, str) else bool(search.trees)
    return wanted and search.selection == "average"


def axis_of(search: Any, name: str) -> tuple[Any, ...]:
    """The values of an axis, sorted."""
    given = getattr(search, name)
    return tuple(sorted(set(AUTO[name] if isinstance(given, str) and given == "auto" else entries(name, given))))
