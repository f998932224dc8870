"""The atlas: every setting of map, loss, power, manifold and ridge with its leave-one-out loss and its W."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from lsvv.calibration import probabilities
from lsvv.features import MappedRows
from lsvv.linalg import Array
from lsvv.losses import Loss, Squared
from lsvv.risk import distinct_columns
from lsvv.selection.averaging import loo_weights
from lsvv.selection.leave_one_out import PathPoint, squared_path
from lsvv.selection.smooth_path import smooth_path, takes_outputs_apart


@dataclass(frozen=True)
class Setting:
    """One point of the atlas; maps of one ``kind`` differ by their random draw alone.

    ``spectral`` is the penalty as the core takes it, ``spectral_share`` its share of the one that empties W. ``taught``
    says that rows without a label were fitted to what a model of this manifold and power expected of them.
    """

    map: int
    loss: str
    power: int
    manifold: float
    ridge: float
    spectral: float = 0.0
    spectral_share: float = 0.0
    free_rank: float = 0.0
    kind: int = 0
    taught: bool = False

    @property
    def is_supervised(self) -> bool:
        """Whether rows without a label had no part in it beyond the map."""
        return self.manifold == 0.0 and not self.taught


@dataclass(frozen=True, eq=False)
class Member:
    """A setting with what it learnt: W and b, the labelled rows' leave-one-out scores, the loss of each output."""

    setting: Setting
    W: np.ndarray
    b: np.ndarray
    loo: np.ndarray
    losses: np.ndarray


@dataclass(frozen=True, eq=False)
class Grid:
    """The axes searched on every map."""

    manifolds: tuple[float, ...]
    ridges: tuple[float, ...]
    powers: tuple[int, ...]
    losses: tuple[Loss, ...]

    def smooth_ridges(self, apart: bool) -> tuple[float, ...]:
        """The ridges up to 1; from 1e-4 on where outputs are not taken apart, since leave-one-out is too hopeful below.

        Above 1 a smooth loss predicts the mean.
        """
        return tuple(r for r in self.ridges if (apart or r >= 0.9e-4) and r <= 1.0) or (max(self.ridges),)

    @property
    def fewer_manifolds(self) -> tuple[float, ...]:
        """0, and every other of the values above it, for smooth losses, which cost ten times the squared one."""
        positive = [m for m in self.manifolds if m > 0.0]
        return (*(m for m in self.manifolds if m == 0.0), *(positive[1::2] or positive))

    def at(self, manifolds: tuple[float, ...], powers: tuple[int, ...] | None = None) -> Grid:
        """The part of the grid with these manifolds, and these powers."""
        return replace(self, manifolds=manifolds, powers=self.powers if powers is None else powers)

    def around(self, settings: Sequence[Setting]) -> Grid:
        """The smallest part of the grid that holds those of these settings that lie in it."""
        settings = [one for one in settings if one.manifold in self.manifolds]
        ridges, manifolds = {one.ridge for one in settings}, {one.manifold for one in settings}
        powers = {one.power for one in settings if one.manifold > 0.0} or set(self.powers[:1])
        return replace(
            self,
            manifolds=tuple(m for m in self.manifolds if m in manifolds),
            ridges=tuple(r for r in self.ridges if r in ridges),
            powers=tuple(p for p in self.powers if p in powers),
        )


@dataclass(frozen=True, eq=False)
class MapView:
    """What the atlas sees of a map: its number, kind and draw, and Phi of the labelled rows.

    On demand ``graphs`` gives G for each power, and ``rows`` Phi of all rows.
    """

    number: int
    kind: int
    draw: int
    Phi: np.ndarray
    graphs: Callable[[], dict[int, np.ndarray]]
    rows: MappedRows


@dataclass(eq=False)
class Atlas:
    """Settings in the order they were tried, their losses, and the members still worth keeping.

    Members that were taught are no settings, since the core has no such fit, and their scores come from folds.

    Members of one map and loss are averaged by themselves, so those of negligible weight there are let go at once, and
    all but the best ``most``: memory holds what the average will use, not the whole grid.
    """

    n_labels: np.ndarray
    most: int = 10_000
    settings: list[Setting] = field(default_factory=list)
    losses: list[np.ndarray] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)

    def add(self, member: Member) -> None:
        """Note the setting; keep the member while it may still count."""
        if not member.setting.taught:
            self.settings.append(member.setting)
            self.losses.append(member.losses)
        self.members.append(replace(member, loo=member.loo.astype(np.float32)))

    def best_squared_of(self, kind: int, manifolds: Container[float]) -> tuple[float, Setting | None]:
        """The smallest summed loss of the first draw of a kind under the squared loss, and where it was found."""
        mine = [(loss, setting) for setting, loss in self._first_draw(kind) if setting.manifold in manifolds]
        return min(mine, key=lambda one: one[0], default=(np.inf, None))

    def best_of(self, number: int, loss: str) -> tuple[float, Setting | None]:
        """The smallest summed loss of a map under a loss without a tail, and where it was found."""
        tried = zip(self.settings, self.losses, strict=True)
        mine = [(float(losses.sum()), s) for s, losses in tried if (s.map, s.loss, s.spectral) == (number, loss, 0.0)]
        return min(mine, key=lambda one: one[0], default=(np.inf, None))

    def has_smooth(self, kind: int) -> bool:
        """Whether a kind of map met a smooth loss."""
        return any(setting.kind == kind and setting.loss != "squared" for setting in self.settings)

    def counting_squared(self, kind: int) -> list[Setting]:
        """Settings of the squared loss that weigh on the first draw of a kind, among all and among the supervised."""
        mine = self._first_draw(kind)
        counting = []
        for group in (mine, [one for one in mine if one[0].is_supervised]):
            if group:
                weights = loo_weights(np.array([[loss] for _, loss in group]), float(self.n_labels.max()))[:, 0]
                counting += [setting for (setting, _), weight in zip(group, weights, strict=True) if weight > 0.0]
        return counting

    def _first_draw(self, kind: int) -> list[tuple[Setting, float]]:
        """Settings of the squared loss on the first map of a kind, with their summed losses."""
        mine = [
            (setting, float(losses.sum()))
            for setting, losses in zip(self.settings, self.losses, strict=True)
            if setting.kind == kind and setting.loss == "squared"
        ]
        first = min((setting.map for setting, _ in mine), default=0)
        return [one for one in mine if one[0].map == first]

    def prune(self, start: int) -> None:
        """Let members from ``start`` on go whose weight among them is negligible, also among the supervised ones."""
        mine = self.members[start:]
        keep = np.zeros(len(mine), dtype=bool)
        supervised = np.array([m.setting.is_supervised for m in mine])
        losses = np.array([m.losses for m in mine])
        for group in (np.ones(len(mine), dtype=bool), supervised):
            if group.any():
                whole = losses[group].sum(axis=1)
                each = loo_weights(losses[group], self.n_labels) > 0
                counts = each.any(axis=1) | (loo_weights(whole[:, None], self.n_labels.max())[:, 0] > 0)
                counts[np.argsort(whole, kind="stable")[self.most :]] = False
                keep[np.flatnonzero(group)[counts]] = True
        self.members[start:] = [member for member, kept in zip(mine, keep, strict=True) if kept]


def explore(
    atlas: Atlas,
    view: MapView,
    T: np.ndarray,
    A: np.ndarray,
    grid: Grid,
    losses: Sequence[Loss],
    *,
    fit_intercept: bool,
) -> None:
    """Add every setting of one map under these losses; ``T`` and ``A`` are the labelled rows' targets and weights."""
    for loss in losses:
        start = len(atlas.members)
        ridges = grid.ridges
        if not isinstance(loss, Squared):
            ridges = grid.smooth_ridges(takes_outputs_apart(len(T), view.Phi.shape[1], T.shape[1]))
        graphs = view.graphs() if max(grid.manifolds) > 0.0 else {}
        for number, power in enumerate(grid.powers):
            # without the manifold term powers do not differ
            some = [m for m in grid.manifolds if m > 0.0 or number == 0]
            if not some:
                continue
            for member in _paths(view.Phi, T, A, graphs.get(power), some, ridges, loss, fit_intercept):
                setting = replace(member.setting, map=view.number, power=power, kind=view.kind)
                atlas.add(replace(member, setting=setting))
        atlas.prune(start)


def _paths(
    Phi: np.ndarray,
    T: np.ndarray,
    A: np.ndarray,
    G: np.ndarray | None,
    manifolds: Sequence[float],
    ridges: Sequence[float],
    loss: Loss,
    fit_intercept: bool,
) -> Iterator[Member]:
    """The path of each group of outputs with the same weights, side by side."""
    paths = []
    for columns in distinct_columns(A):
        rows = np.flatnonzero(A[:, columns[0]])
        some, targets, weights = Phi[rows], T[np.ix_(rows, columns)], A[rows, columns[0]]
        if rows.size < 2:
            path = _constant_path(some, targets, manifolds, ridges, loss)
        else:
            path = path_of(loss, some, targets, weights, G, manifolds, ridges, fit_intercept=fit_intercept)
        paths.append((columns, rows, path))
    for points in zip(*(path for _, _, path in paths), strict=True):
        yield _join(points, [(columns, rows) for columns, rows, _ in paths], T, A, loss)


def path_of(
    loss: Loss,
    Phi: np.ndarray,
    T: np.ndarray,
    a: np.ndarray,
    G: np.ndarray | None,
    manifolds: Sequence[float],
    ridges: Sequence[float],
    *,
    fit_intercept: bool,
) -> Iterator[PathPoint]:
    """Fits of a loss at these manifolds and ridges, with leave-one-label-out scores."""
    if isinstance(loss, Squared):
        return squared_path(Phi, T, a, G, manifolds, ridges, fit_intercept=fit_intercept)
    return smooth_path(Phi, T, a, G, manifolds, ridges, loss, fit_intercept=fit_intercept)


def _constant_path(
    Phi: np.ndarray, T: np.ndarray, manifolds: Sequence[float], ridges: Sequence[float], loss: Loss
) -> Iterator[PathPoint]:
    """Outputs with no or one known entry have nothing to leave out: they are predicted by what is known of them."""
    value = T.sum(axis=0)
    b = value if isinstance(loss, Squared) else 4.0 * value - 2.0
    ordered = ridges if isinstance(loss, Squared) else sorted(ridges, reverse=True)
    for manifold in manifolds:
        for ridge in ordered:
            yield PathPoint(manifold, ridge, np.zeros((Phi.shape[1], T.shape[1])), b, np.zeros(T.shape))


def _join(
    points: tuple[PathPoint, ...],
    groups: list[tuple[np.ndarray, np.ndarray]],
    T: np.ndarray,
    A: np.ndarray,
    loss: Loss,
) -> Member:
    W, b = np.zeros((points[0].W.shape[0], T.shape[1])), np.zeros(T.shape[1])
    loo = np.zeros(T.shape)
    for point, (columns, rows) in zip(points, groups, strict=True):
        W[:, columns], b[columns], loo[np.ix_(rows, columns)] = point.W, point.b, point.loo
    setting = Setting(0, loss_name(loss), 0, points[0].manifold, points[0].ridge)
    return Member(setting, W, b, loo, output_losses(expected(loo, loss), T, A))


def output_losses(M: np.ndarray, T: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Weighted mean squared error of each output over its known entries: for classes and labels the Brier score."""
    return np.asarray((A * (M - T) ** 2).sum(axis=0))


def expected(scores: Array, loss: Loss) -> Array:
    """What a model expects of the 0/1 target: the squared loss's score itself, the logistic's probability.

    A hinge estimates no probability; its scores are squeezed by the same link.
    """
    if isinstance(loss, Squared):
        return scores
    return probabilities(scores, 1.0, one_class_a_row=loss.couples_outputs)


def loss_name(loss: Loss) -> str:
    """A short name for tables."""
    names = {"Squared": "squared", "MulticlassLogistic": "logistic", "BinaryLogistic": "logistic"}
    return names.get(type(loss).__name__, "smooth_hinge")
