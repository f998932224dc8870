"""Plots for Python users, in scikit-learn's Display style: plain values in, ``plot`` draws them with matplotlib.

Every display has ``ax_`` and ``figure_`` once it is plotted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from lsvv.extras import optional
from lsvv.graph import KNNGraph, NeighborGraph, check_adjacency
from lsvv.linalg import take_rows, to_numpy
from lsvv.report.inside import atlas_of, spectrum_of
from lsvv.report.rowmap import two_directions
from lsvv.selection import LSVVClassifierCV, LSVVRegressorCV
from lsvv.selection.splitters import LabeledShuffleSplit

__all__ = ["AtlasDisplay", "GraphDisplay", "LearningCurveDisplay", "SpectrumDisplay"]

FREE, TAIL, QUIET = "#0b6b65", "#c0622c", "#9aa3a7"


class Display:
    """What displays share: axes of one's own, or new ones."""

    ax_: Any
    figure_: Any

    def _axes(self, ax: Any) -> Any:
        plt = optional("matplotlib.pyplot", f"{type(self).__name__}.plot", "plot")
        if ax is None:
            _, ax = plt.subplots()
        self.ax_, self.figure_ = ax, ax.figure
        return ax


class SpectrumDisplay(Display):
    """The singular values of W as bars, with the penalised tail marked.

    Parameters
    ----------
    singular_values : array of shape (K,)
        From the largest to the smallest.
    first_penalised : int or None
        Place (from 0) where the penalised tail begins; None where nothing is penalised.

    Examples
    --------
    >>> display = SpectrumDisplay([3.0, 1.0, 0.1], first_penalised=1)
    >>> display.singular_values.tolist()
    [3.0, 1.0, 0.1]
    """

    def __init__(self, singular_values: Any, *, first_penalised: int | None = None) -> None:
        self.singular_values = np.asarray(singular_values, dtype=np.float64)
        self.first_penalised = first_penalised

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Plot the singular values of a fitted estimator of lsvv."""
        check_is_fitted(estimator)
        model = estimator
        if isinstance(estimator, (LSVVClassifierCV, LSVVRegressorCV)):
            first, model = spectrum_of(estimator).first, estimator.best_estimator_ or estimator
        else:
            first = estimator.free_rank_ if estimator.spectral > 0 else None
        return cls(model.singular_values_, first_penalised=first).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the bars."""
        ax = self._axes(ax)
        values = self.singular_values
        first = values.size if self.first_penalised is None else self.first_penalised
        places = np.arange(1, values.size + 1)
        self.bars_ = ax.bar(places, values, color=[FREE if place <= first else TAIL for place in places])
        if first < values.size:
            self.tail_ = ax.axvspan(first + 0.5, values.size + 0.5, color=TAIL, alpha=0.1, label="penalised tail")
            ax.legend()
        ax.set(xlabel="place", ylabel="singular value", xlim=(0.5, values.size + 0.5))
        return self


class AtlasDisplay(Display):
    """The leave-one-out loss over ridge and smoothing (or manifold) as an image: the darker, the better.

    Parameters
    ----------
    losses : array of shape (values, ridges)
        NaN where a setting was not tried.
    values, ridges : sequence of float
        The axes.
    axis : str
        What ``values`` are.
    name : str
        The title.

    Examples
    --------
    >>> AtlasDisplay([[0.2, 0.1]], values=[0.0], ridges=[0.01, 0.1]).best
    (0.0, 0.1)
    """

    def __init__(
        self, losses: Any, *, values: Sequence[float], ridges: Sequence[float], axis: str = "smoothing", name: str = ""
    ) -> None:
        self.losses = np.asarray(losses, dtype=np.float64)
        self.values, self.ridges, self.axis, self.name = tuple(values), tuple(ridges), axis, name

    @property
    def best(self) -> tuple[float, float]:
        """Value and ridge of the lowest loss."""
        row, column = np.unravel_index(int(np.nanargmin(self.losses)), self.losses.shape)
        return self.values[row], self.ridges[column]

    @classmethod
    def from_estimator(cls, estimator: Any, *, panel: int = 0, ax: Any = None) -> Self:
        """Plot a fitted LSVVClassifierCV or LSVVRegressorCV: the best map, panel 0 with the best loss.

        Ridges of ``ridge="auto"`` are in units of the features' spread.
        """
        check_is_fitted(estimator)
        panels = atlas_of(estimator).panels
        if not 0 <= panel < len(panels):
            raise ValueError(f"panel={panel} is not there. Choose one from 0 to {len(panels) - 1}.")
        shown = panels[panel]
        losses = [[np.nan if loss is None else loss for loss in row] for row in shown.losses]
        return cls(losses, values=shown.values, ridges=shown.ridges, axis=shown.axis, name=shown.name).plot(ax=ax)

    def plot(self, ax: Any = None, *, cmap: str = "viridis") -> Self:
        """Draw the image with its colour bar and a mark on the best setting."""
        ax = self._axes(ax)
        from matplotlib.colors import LogNorm

        least, most = np.nanmin(self.losses), np.nanmax(self.losses)
        norm = LogNorm(least, most) if 0 < least < most else None
        self.im_ = ax.imshow(self.losses, cmap=cmap, norm=norm, aspect="auto", origin="lower")
        self.figure_.colorbar(self.im_, ax=ax, label="leave-one-out loss")
        row, column = self.values.index(self.best[0]), self.ridges.index(self.best[1])
        ax.plot(column, row, marker="*", markersize=14, color="white", markeredgecolor="black")
        ax.set_xticks(range(len(self.ridges)), [f"{ridge:g}" for ridge in self.ridges])
        ax.set_yticks(range(len(self.values)), [f"{value:g}" for value in self.values])
        ax.set(xlabel="ridge", ylabel=self.axis, title=self.name)
        return self


class LearningCurveDisplay(Display):
    """Score against the number of labels, the mean of repeated draws with its 95 % interval.

    Parameters
    ----------
    n_labels : sequence of int of length S
        Labels learnt from.
    scores : mapping of name to array of shape (repeats, S)
        One curve each.
    score_name : str
        What the score is.

    Examples
    --------
    >>> curve = LearningCurveDisplay([10, 20], {"LSVV": [[0.7, 0.8], [0.8, 0.9]]})
    >>> curve.scores["LSVV"].mean(axis=0).round(2).tolist()
    [0.75, 0.85]
    """

    def __init__(self, n_labels: Sequence[int], scores: Mapping[str, Any], *, score_name: str = "score") -> None:
        self.n_labels = np.asarray(n_labels)
        self.scores = {name: np.atleast_2d(np.asarray(values, dtype=np.float64)) for name, values in scores.items()}
        self.score_name = score_name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        n_labels: Sequence[int],
        n_repeats: int = 5,
        test_size: float | int = 0.3,
        score_name: str = "score",
        random_state: int = 0,
        ax: Any = None,
    ) -> Self:
        """Learn from ever more labels and score on labelled rows that are kept apart.

        Parameters
        ----------
        estimator : estimator of lsvv, or mapping of name to estimator
            Labels that are not drawn are hidden, and their rows serve as unlabelled ones.
        X, y : arrays
            As for ``fit``; unlabelled rows always train.
        n_labels : sequence of int
            Labels learnt from; every repeat draws them anew.
        n_repeats : int
            Draws of each size.
        test_size : float or int
            Share or number of the labelled rows that test.
        score_name : str
            What ``estimator.score`` is called.
        random_state : int
            Seeds the draws.
        ax : matplotlib axes, optional
            Where to draw; new ones by default.
        """
        several = dict(estimator) if isinstance(estimator, Mapping) else {type(estimator).__name__: estimator}
        y = np.asarray(y)
        scores = {name: np.zeros((n_repeats, len(n_labels))) for name in several}
        for column, size in enumerate(n_labels):
            splits = LabeledShuffleSplit(n_repeats, test_size=test_size, train_size=size, random_state=random_state)
            for repeat, (train, test) in enumerate(splits.split(X, y)):
                hidden = np.setdiff1d(np.arange(len(y)), np.concatenate([train, test]))
                more = {"X_unlabeled": take_rows(X, hidden)} if hidden.size else {}
                for name, one in several.items():
                    fitted = clone(one).fit(take_rows(X, train), y[train], **more)
                    scores[name][repeat, column] = fitted.score(take_rows(X, test), y[test])
        return cls(n_labels, scores, score_name=score_name).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the curves."""
        ax = self._axes(ax)
        self.lines_ = []
        for name, values in self.scores.items():
            mean, repeats = values.mean(axis=0), values.shape[0]
            error = values.std(axis=0, ddof=1) / np.sqrt(repeats) if repeats > 1 else np.zeros_like(mean)
            (line,) = ax.plot(self.n_labels, mean, marker="o", label=name)
            ax.fill_between(self.n_labels, mean - 1.96 * error, mean + 1.96 * error, alpha=0.15, color=line.get_color())
            self.lines_.append(line)
        ax.set(xlabel="labels", ylabel=self.score_name)
        ax.legend()
        return self


class GraphDisplay(Display):
    """The neighbour graph over the rows: points at two coordinates, lines between neighbours.

    Parameters
    ----------
    places : array of shape (rows, 2)
        Where the rows are drawn.
    edges : int array of shape (edges, 2)
        Pairs of rows.
    labels : array of shape (rows,) or None
        Classes or numbers to colour by; -1, None and NaN are unlabelled.

    Examples
    --------
    >>> GraphDisplay([[0.0, 0.0], [1.0, 1.0]], [[0, 1]]).edges.shape
    (1, 2)
    """

    def __init__(self, places: Any, edges: Any, *, labels: Any = None) -> None:
        self.places = np.asarray(places, dtype=np.float64)
        self.edges = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
        self.labels = None if labels is None else np.asarray(labels)

    @classmethod
    def from_rows(cls, X: Any, y: Any = None, *, graph: Any = None, n_neighbors: int = 7, ax: Any = None) -> Self:
        """Plot the graph of the rows of ``X`` at their two leading principal components.

        Parameters
        ----------
        X : array of shape (rows, columns)
            Dense or sparse.
        y : array of shape (rows,), optional
            Labels to colour by.
        graph : KNNGraph, NeighborGraph or sparse adjacency, optional
            The default graph of the estimators where it is not given.
        n_neighbors : int
            Neighbours each row asks for.
        ax : matplotlib axes, optional
            Where to draw; new ones by default.
        """
        rows = X.toarray() if sp.issparse(X) else np.asarray(to_numpy(X))
        if isinstance(graph, NeighborGraph):
            graph = graph.S
        if sp.issparse(graph) or isinstance(graph, np.ndarray):
            S = check_adjacency(graph, len(rows))
        else:
            S = (graph or KNNGraph()).build(rows, n_neighbors)
        upper = sp.coo_array(sp.triu(S, k=1))
        return cls(two_directions(rows)[0], np.column_stack(upper.coords), labels=y).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw lines first and points above them; unlabelled rows are small and grey."""
        ax = self._axes(ax)
        from matplotlib.collections import LineCollection

        self.lines_ = ax.add_collection(
            LineCollection(list(self.places[self.edges]), colors=QUIET, linewidths=0.4, zorder=1)
        )
        known = _known(self.labels, len(self.places))
        ax.scatter(*self.places[~known].T, s=8, color=QUIET, zorder=2, label="unlabelled")
        if self.labels is not None and known.any():
            self._draw_labelled(ax, known)
        ax.set(xlabel="first direction", ylabel="second direction")
        return self

    def _draw_labelled(self, ax: Any, known: np.ndarray) -> None:
        labels = np.asarray(self.labels)
        if labels.dtype.kind == "f":
            points = ax.scatter(*self.places[known].T, c=labels[known], s=28, zorder=3, edgecolors="white")
            self.figure_.colorbar(points, ax=ax)
            return
        for name in np.unique(labels[known].astype(str)):
            chosen = known & (labels.astype(str) == name)
            ax.scatter(*self.places[chosen].T, s=28, zorder=3, edgecolors="white", label=name)
        ax.legend()


def _known(labels: np.ndarray | None, n_rows: int) -> np.ndarray:
    """Which rows have a label."""
    if labels is None:
        return np.zeros(n_rows, dtype=bool)
    if labels.dtype.kind in "iu":
        return labels != -1
    return np.array([label is not None and label == label for label in labels.tolist()], dtype=bool)
