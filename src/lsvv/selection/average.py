"""The average of candidates: how much each counts, what the whole expects of labels it has not seen, and its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from lsvv.assembly import is_on_features, map_rows, near_scores
from lsvv.calibration import probabilities
from lsvv.graph import NeighborGraph
from lsvv.linalg import Array, like
from lsvv.losses import Loss, Squared
from lsvv.selection.averaging import KIND_SHARPNESS, SHARPNESS, LeftOut, loo_weights, mixed, stacking_weights
from lsvv.selection.plan import Candidate


@dataclass(frozen=True, eq=False)
class Member:
    """A candidate with what it learnt: the average of its path of ridges, by their leave-one-out losses.

    Attributes
    ----------
    candidate : Candidate
    ridges : array of shape (path,)
        As the core takes them.
    losses : array of shape (path, K)
        Leave-one-out Brier score, or squared error, of each ridge and output.
    W, b : arrays of shape (D, K) and (K,)
    expectation : LeftOut
        What the model expects of each labelled row from the others.
    """

    candidate: Candidate
    ridges: np.ndarray
    losses: np.ndarray
    W: np.ndarray
    b: np.ndarray
    expectation: LeftOut

    @property
    def lowest(self) -> float:
        """The lowest loss along the path, all outputs together."""
        return float(self.losses.sum(axis=1).min())


def expected(scores: Array, loss: Loss) -> Array:
    """What a model expects of the 0/1 target: the squared loss's score itself, the logistic's probability.

    A hinge estimates no probability; its scores are squeezed by the same link.
    """
    if isinstance(loss, Squared):
        return scores
    return probabilities(scores, 1.0, one_class_a_row=loss.couples_outputs)


def output_losses(M: np.ndarray, T: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Weighted mean squared error of each output over its known entries: for classes and labels the Brier score."""
    return np.asarray((A * (M - T) ** 2).sum(axis=0))


def path_weights(residuals: np.ndarray, A: np.ndarray, *, per_output: bool) -> np.ndarray:
    """Weights of ridges (rows) for outputs (columns), from residuals (ridges, n, K) of weights ``A``.

    They are the same for all outputs unless ``per_output``.
    """
    losses, n_labels = (A * residuals**2).sum(axis=1), (A > 0).sum(axis=0).astype(np.float64)
    if per_output:
        return loo_weights(losses, n_labels)
    weights = loo_weights(losses.sum(axis=1, keepdims=True), float(n_labels.max()))
    return np.repeat(weights, losses.shape[1], axis=1)


@dataclass(frozen=True, eq=False)
class Average:
    """Shares of members (rows) for outputs (columns), and the held-out expectation of the whole."""

    shares: np.ndarray
    expectation: LeftOut

    def among(self, use: np.ndarray) -> Average:
        """The same average over more members, of which it used these."""
        shares = np.zeros((use.size, self.shares.shape[1]))
        shares[use] = self.shares
        return Average(shares, self.expectation)


def average(expectations: Sequence[LeftOut], T: np.ndarray, A: np.ndarray, *, per_output: bool) -> Average:
    """Shares that make the held-out loss of the whole small, the more even the fewer labels there are.

    All members have chosen their ridges in the same way, so that what they expect together tells them apart.
    """
    return _average(expectations, [one.together for one in expectations], T, A, per_output, SHARPNESS)


def average_of_kinds(expectations: Sequence[LeftOut], T: np.ndarray, A: np.ndarray, *, per_output: bool) -> Average:
    """The same over kinds of model: some have chosen more than others, so that what is honest tells them apart."""
    return _average(expectations, [one.honest for one in expectations], T, A, per_output, KIND_SHARPNESS)


def _average(
    expectations: Sequence[LeftOut],
    judged: Sequence[np.ndarray],
    T: np.ndarray,
    A: np.ndarray,
    per_output: bool,
    sharpness: float,
) -> Average:
    residuals = np.array([np.sqrt(A) * (one - T) for one in judged])

    def shares_by(rows: np.ndarray) -> np.ndarray:
        return _shares(_products(residuals[:, rows], per_output), (A[rows] > 0).sum(axis=0), sharpness)

    return Average(*mixed(expectations, shares_by))


def _products(residuals: np.ndarray, per_output: bool) -> np.ndarray:
    """Products of residuals of each output, or of all of them together, (1 or outputs, members, members)."""
    each = residuals.transpose(2, 0, 1) if per_output else residuals.reshape(1, len(residuals), -1)
    return np.asarray(each @ each.transpose(0, 2, 1))


def _shares(products: np.ndarray, n_labels: np.ndarray, sharpness: float) -> np.ndarray:
    """Shares of members (rows) for outputs (columns)."""
    counts = n_labels if len(products) > 1 else [n_labels.max()]
    weights = [stacking_weights(Q, float(count), sharpness) for Q, count in zip(products, counts, strict=True)]
    return np.broadcast_to(np.stack(weights, axis=1), (products.shape[1], n_labels.size))


@dataclass(frozen=True, eq=False)
class Part:
    """share * link(sum_maps W_map' phi_map(x) + b + mean of ``near`` over the neighbours of x).

    Members of the squared loss are linear in their scores, so that all of them are one part: their W of one map add up,
    and so do their smoothed scores. A member of another loss is a part of its own.

    Attributes
    ----------
    weights : dict of int to array of shape (D, K)
        W of each map, for new rows.
    b, share : arrays of shape (K,)
    near : array of shape (m, K) or None
        What the neighbours of a new row add.
    loss : Loss
        Its link.
    graph : int
        The number of its graph: that of the view it was built of, or of the map where it is on features.

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv import LSVVRegressorCV
    >>> X = np.linspace(0.0, 1.0, 20)[:, None]
    >>> y = np.where(np.arange(20) % 4, np.nan, X[:, 0])
    >>> model = LSVVRegressorCV(features="linear", safe=False).fit(X, y)
    >>> (part,) = model.parts_
    >>> sorted(part.weights), part.weights[0].shape, part.near.shape
    ([0], (1, 1), (20, 1))
    """

    weights: dict[int, np.ndarray]
    b: np.ndarray
    share: np.ndarray
    near: np.ndarray | None
    loss: Loss
    graph: int = 0


class ReadRows:
    """Rows as each view reads their columns; each is computed once, where it is asked for."""

    def __init__(self, X: Array, columns: Mapping[int, Any]) -> None:
        self._X, self._columns = X, columns
        self._read: dict[int, Array] = {}

    @property
    def template(self) -> Array:
        """An array of the kind and precision that expectations have."""
        return self._X.data if sp.issparse(self._X) else self._X

    def __getitem__(self, view: int) -> Array:
        if view not in self._read:
            self._read[view] = self._columns[view].transform_checked(self._X)
        return self._read[view]


@dataclass(frozen=True, eq=False)
class Ensemble:
    """M(x) = the sum of the parts, one column an output.

    Attributes
    ----------
    parts : tuple of Part
    maps : mapping of int to fitted map
    views : mapping of int to int
        The view that each map, by its number, reads.
    graphs : mapping of int to NeighborGraph

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv import LSVVRegressorCV
    >>> X = np.linspace(0.0, 1.0, 20)[:, None]
    >>> model = LSVVRegressorCV(features="linear").fit(X, X[:, 0])
    >>> whole = Ensemble(model.parts_, model.maps_, model.views_, model.graphs_)
    >>> whole.expectations(ReadRows(X, model.columns_)).shape
    (20, 1)
    """

    parts: tuple[Part, ...]
    maps: Mapping[int, Any]
    views: Mapping[int, int]
    graphs: Mapping[int, NeighborGraph]

    def expectations(self, rows: ReadRows) -> Array:
        """M for new rows; each map is applied once, each graph asked once."""
        scores = self._mapped(rows)
        for number in sorted({part.graph for part in self.parts if part.near is not None}):
            mine = [place for place, part in enumerate(self.parts) if part.graph == number and part.near is not None]
            stacked = np.concatenate([self.parts[place].near for place in mine], axis=1)
            first = self.parts[mine[0]]
            near = near_scores(self.graphs[number], self._seen(first, rows), like(stacked, rows.template))
            K = self.n_outputs
            for count, place in enumerate(mine):
                scores[place] = scores[place] + near[:, count * K : (count + 1) * K]
        return combined(self.parts, scores)

    def _seen(self, part: Part, rows: ReadRows) -> Array:
        """Rows as the graph of a part was built of them."""
        if not is_on_features(self.graphs[part.graph]):
            return rows[part.graph]
        number = next(iter(part.weights))
        return map_rows(self.maps[number], rows[self.views[number]]).whole()

    @property
    def n_outputs(self) -> int:
        """K; 0 without parts, where trees are the whole model."""
        return int(self.parts[0].b.size) if self.parts else 0

    def _mapped(self, rows: ReadRows) -> list[Array]:
        """sum_maps W_map' phi_map(x) of each part."""
        K = self.n_outputs
        scores: list[Array] = [0.0] * len(self.parts)
        for number in sorted({number for part in self.parts for number in part.weights}):
            mine = [place for place, part in enumerate(self.parts) if number in part.weights]
            W = np.concatenate([self.parts[place].weights[number] for place in mine], axis=1)
            mapped = map_rows(self.maps[number], rows[self.views[number]], once=True).times(W)
            for count, place in enumerate(mine):
                scores[place] = scores[place] + mapped[:, count * K : (count + 1) * K]
        return scores


def combined(parts: Sequence[Part], scores: Sequence[Array]) -> Array:
    """M from the scores of the parts, without their b."""
    total: Array = 0.0
    for part, one in zip(parts, scores, strict=True):
        total = total + like(part.share, one)[None, :] * expected(one + like(part.b, one)[None, :], part.loss)
    return total


Smoothed = Callable[[int, float, np.ndarray], np.ndarray]
"""(graph, smoothing, columns) -> R columns."""
Mapped = Callable[[int, np.ndarray], np.ndarray]
"""(map, W) -> Phi W of all training rows."""


def assembled(
    members: Sequence[Member],
    shares: np.ndarray,
    losses: Mapping[str, Loss],
    graph_of: Callable[[int], int],
    mapped: Mapped,
    smoothed: Smoothed,
) -> tuple[tuple[Part, ...], list[np.ndarray]]:
    """The parts that members of these shares make, and each part's scores of all training rows without b."""
    used = [place for place in range(len(members)) if shares[place].any()]
    groups: dict[tuple[int, int], list[int]] = {}
    for place in used:
        line = members[place].candidate
        alone = -1 if not line.is_smooth else place
        groups.setdefault((alone, graph_of(line.map)), []).append(place)
    parts, training = [], []
    for (alone, graph), places in groups.items():
        inside = np.ones_like(shares) if alone >= 0 else shares
        part, scores = _part([(members[p], inside[p]) for p in places], losses, graph, mapped, smoothed)
        parts.append(replace(part, share=shares[alone]) if alone >= 0 else part)
        training.append(scores)
    return tuple(parts), training


def _part(
    weighted: Sequence[tuple[Member, np.ndarray]],
    losses: Mapping[str, Loss],
    graph: int,
    mapped: Mapped,
    smoothed: Smoothed,
) -> tuple[Part, np.ndarray]:
    weights: dict[int, np.ndarray] = {}
    columns: dict[float, np.ndarray] = {}
    b = np.sum([share * member.b for member, share in weighted], axis=0)
    for number in sorted({member.candidate.map for member, _ in weighted}):
        mine = [(member, share) for member, share in weighted if member.candidate.map == number]
        smoothings = sorted({member.candidate.smoothing for member, _ in mine})
        sums = [
            np.sum([share * member.W for member, share in mine if member.candidate.smoothing == a], axis=0)
            for a in smoothings
        ]
        weights[number] = np.sum([(1.0 - a) * W for a, W in zip(smoothings, sums, strict=True)], axis=0)
        for a, scores in zip(smoothings, np.split(mapped(number, np.hstack(sums)), len(sums), axis=1), strict=True):
            columns[a] = columns[a] + scores if a in columns else scores
    over = {a: B if a == 0.0 else smoothed(graph, a, B) for a, B in columns.items()}
    near = np.sum([a * B for a, B in over.items()], axis=0) if max(over) > 0.0 else None
    loss = losses[weighted[0][0].candidate.loss]
    return Part(weights, b, np.ones(b.size), near, loss, graph), np.sum(list(over.values()), axis=0)
