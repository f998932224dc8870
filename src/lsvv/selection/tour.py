"""In what order maps meet losses, manifold terms and tails, and which teach: what is dear waits until it may pay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from lsvv.losses import Loss, Squared
from lsvv.selection.atlas import Atlas, Grid, MapView, Member, explore, loss_name
from lsvv.selection.maps import dense_block
from lsvv.selection.tail import TAIL_FOLDS, tail_members
from lsvv.selection.taught import TAUGHT_FOLDS, taught_members

CHEAP, DEAR, SMOOTH_KINDS = 2e6, 5e7, 3
"""Labelled rows x columns x outputs up to which the first draw of every kind meets the smooth losses, at the manifold
terms that count under the squared loss, and beyond which none does; between them the first draws of the best so many
kinds do. So do further draws of the best so many kinds whose first did, as many of a kind as stay within DEAR together.
These meet the manifold term that serves the squared loss best, and none."""
WIDE, WIDE_KINDS = 500, 4
"""Columns beyond which a map is tried without the manifold term first, and how many kinds of them go on to it."""
TEACHABLE, TEACHING_KINDS = 3e5, 3
"""All rows x columns x outputs up to which a map may teach rows without a label, and how many kinds of map do."""
SOFT = ("squared", "logistic")
"""Losses whose minimiser is the expectation where targets are between 0 and 1."""


@dataclass(eq=False)
class Tour:
    """Fills an atlas: ``visit`` each map, then ``finish`` with what waited.

    First draws of dear kinds and further draws of all kinds wait for the smooth losses apart from each other.

    Attributes
    ----------
    atlas : Atlas
        Receives the settings.
    grid : Grid
        The axes.
    T, A : arrays of shape (labelled rows, K)
        Targets and weights.
    fit_intercept : bool
        Whether the models have one.
    weighs_apart : bool
        Whether each output has weights of its own, and so may need settings that count for no other.
    columns : mapping
        How many columns each kind of map has.
    labelled : array
        Which of all rows the labelled ones are.
    teaches : bool
        Whether the others are taught.
    """

    atlas: Atlas
    grid: Grid
    T: np.ndarray
    A: np.ndarray
    fit_intercept: bool
    weighs_apart: bool
    columns: Mapping[int, int]
    labelled: np.ndarray
    teaches: bool
    _for_manifold: list[MapView] = field(default_factory=list)
    _for_smooth: list[MapView] = field(default_factory=list)
    _for_draws: list[MapView] = field(default_factory=list)
    _for_teaching: list[MapView] = field(default_factory=list)
    _leading: dict[bool, tuple[Member, MapView]] = field(default_factory=dict)

    def visit(self, view: MapView) -> None:
        """Add a map's settings; a wide or dear one, and a further draw, may wait for those that take longer."""
        grid = self.grid
        waits = self._is_one_of_many_wide(view.kind) and min(grid.manifolds) == 0.0 < max(grid.manifolds)
        waits = waits and bool(self._squared)
        now = grid.at((0.0,)) if waits else grid
        self._add_squared(view, now)
        if waits:
            self._for_manifold = self._foremost([*self._for_manifold, view], WIDE_KINDS)
        if not self._squared:
            self._add(view, now.at(now.fewer_manifolds), self._smooth)
        elif self._smooth and view.draw == 0 and self._size(view) <= CHEAP:
            self._add_smooth(view, now)
        elif self._smooth and view.draw == 0 and self._size(view) <= DEAR:
            self._for_smooth = self._foremost([*self._for_smooth, view], SMOOTH_KINDS)
        elif self._smooth and (view.draw + 1) * self._size(view) <= DEAR:
            self._for_draws = self._foremost([*self._for_draws, view], SMOOTH_KINDS)
        if self.teaches and view.draw == 0 and prod(view.rows.shape) * self.T.shape[1] <= TEACHABLE:
            self._for_teaching.append(view)

    def finish(self, spectrals: Sequence[float], free_ranks: Sequence[float], rng: np.random.Generator) -> None:
        """Add what waited: manifold terms of wide maps, smooth losses of dear ones and draws, tails, what is taught."""
        later = self.grid.at(tuple(m for m in self.grid.manifolds if m > 0.0))
        for view in self._for_manifold:
            self._add_squared(view, later)
            if view.draw == 0 and self._size(view) <= CHEAP:
                self._add_smooth(view, later)
        for view in (*self._for_smooth, *self._for_draws):
            if view.draw == 0 or self.atlas.has_smooth(view.kind):
                self._add(view, self._along(view.kind), self._smooth)
        for best, view in {id(one[0]): one for one in self._leading.values()}.values():
            self._add_tails(best, view, spectrals, free_ranks, rng)
        for view in sorted(self._for_teaching, key=self._best_loss)[:TEACHING_KINDS]:
            self._add_taught(view, rng)

    @property
    def _squared(self) -> list[Loss]:
        return [loss for loss in self.grid.losses if isinstance(loss, Squared)]

    @property
    def _smooth(self) -> list[Loss]:
        return [loss for loss in self.grid.losses if not isinstance(loss, Squared)]

    def _is_one_of_many_wide(self, kind: int) -> bool:
        """Whether maps of this kind are too many and too wide to meet the manifold term at once."""
        wide = [one for one, columns in self.columns.items() if columns > WIDE]
        return kind in wide and len(wide) > WIDE_KINDS

    def _size(self, view: MapView) -> int:
        """Labelled rows x columns x outputs, by which smooth losses are dear."""
        return int(view.Phi.size) * int(self.T.shape[1])

    def _add(self, view: MapView, grid: Grid, losses: Sequence[Loss]) -> None:
        if grid.manifolds:
            explore(self.atlas, view, self.T, self.A, grid, losses, fit_intercept=self.fit_intercept)

    def _add_squared(self, view: MapView, grid: Grid) -> None:
        """Add the squared loss's settings of a map, and note whether it leads, with and without the manifold term."""
        self._add(view, self._narrowed(view, grid) if view.draw else grid, self._squared)
        for supervised in (False, True):
            best = self._best_squared(supervised)
            if best is not None and best.setting.map == view.number:
                self._leading[supervised] = (best, view)

    def _add_smooth(self, view: MapView, grid: Grid) -> None:
        """Add the smooth losses' settings of a map: where the squared loss counts, at every other manifold term.

        If none of these is above 0, the one that serves the squared loss best is added.
        """
        near = self._narrowed(view, grid)
        some = {m for m in grid.fewer_manifolds if m in near.manifolds}
        positive = [m for m in near.manifolds if m > 0.0]
        if positive and not some.intersection(positive):
            best = self.atlas.best_squared_of(view.kind, positive)[1]
            some |= {best.manifold} if best else set()
        self._add(view, grid.at(tuple(sorted(some)), near.powers), self._smooth)

    def _add_tails(
        self,
        best: Member,
        view: MapView,
        spectrals: Sequence[float],
        free_ranks: Sequence[float],
        rng: np.random.Generator,
    ) -> None:
        """Add tail penalties at a best setting of the squared loss."""
        G = view.graphs().get(best.setting.power) if best.setting.manifold > 0.0 else None
        folds = self._deal(TAIL_FOLDS, rng)
        for member in tail_members(
            best, view.Phi, self.T, self.A, G, spectrals, free_ranks, folds, fit_intercept=self.fit_intercept
        ):
            self.atlas.add(member)

    def _add_taught(self, view: MapView, rng: np.random.Generator) -> None:
        """Add what the best setting of each loss that takes soft targets teaches the rows without a label."""
        Phi = dense_block(view.rows, np.arange(view.rows.shape[0]))
        folds = self._deal(TAUGHT_FOLDS, rng)
        for loss in self.grid.losses:
            best = self.atlas.best_of(view.number, loss_name(loss))[1]
            if best is None or best.loss not in SOFT:
                continue
            G = view.graphs().get(best.power) if best.manifold > 0.0 else None
            for member in taught_members(
                best, loss, Phi, self.labelled, self.T, self.A[:, 0], G, folds, fit_intercept=self.fit_intercept
            ):
                self.atlas.add(member)

    def _deal(self, n_folds: int, rng: np.random.Generator) -> np.ndarray:
        """A fold for each labelled row."""
        return rng.permutation(len(self.T)) % min(n_folds, len(self.T))

    def _best_loss(self, view: MapView) -> float:
        return min(self.atlas.best_of(view.number, loss_name(loss))[0] for loss in self.grid.losses)

    def _narrowed(self, view: MapView, grid: Grid) -> Grid:
        """The part of the grid that counts under the squared loss on the first draw of a kind."""
        return grid if self.weighs_apart else grid.around(self.atlas.counting_squared(view.kind))

    def _along(self, kind: int) -> Grid:
        """Without the manifold term, and with the one that serves the squared loss best on a kind of map."""
        best = self.atlas.best_squared_of(kind, self.grid.manifolds)[1]
        if best is None:
            return self.grid
        manifolds = {m for m in self.grid.manifolds if m == 0.0} | {best.manifold}
        return self.grid.at(tuple(sorted(manifolds)), (best.power,))

    def _foremost(self, views: Sequence[MapView], most: int) -> list[MapView]:
        """The views of the best ``most`` kinds of map, compared by what all have: the grid's weakest manifold term."""
        weakest = (min(self.grid.manifolds),)
        kinds = {view.kind for view in views}
        best = sorted(kinds, key=lambda kind: self.atlas.best_squared_of(kind, weakest)[0])[:most]
        return [view for view in views if view.kind in best]

    def _best_squared(self, supervised: bool) -> Member | None:
        """The best setting of the squared loss so far, of all or of those without the manifold term."""
        squared = [
            member
            for member in self.atlas.members
            if member.setting.loss == "squared" and (member.setting.manifold == 0.0 or not supervised)
        ]
        return min(squared, key=lambda member: float(member.losses.sum())) if squared else None
