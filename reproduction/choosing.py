"""The ways to choose on one split: the paper's folds and our searches for its four methods, and our own method."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lsvv.features import Linear, RandomFourier
from lsvv.graph import KNNGraph
from lsvv.selection import LSVVClassifierCV, LSVVRegressorCV
from reproduction.cross_validation import N_FEATURES, N_NEIGHBORS, cross_validate
from reproduction.data import Fold
from reproduction.experiments import OWN
from reproduction.published import METHODS, PARTS

__all__ = ["Choice", "allowed", "choose"]

N_MAP_DRAWS = 5
"""Draws of the 100 Fourier features that a search averages over."""


def allowed(method: str, params: Mapping[str, Any]) -> bool:
    """Whether a setting belongs to a method of the paper: it has no term that the method has not.

    Examples
    --------
    >>> allowed("SRM-VV", {"manifold": 0.1, "spectral": 0.0}), allowed("SS-VV", {"manifold": 0.1, "spectral": 0.0})
    (False, True)
    """
    parts = PARTS[method]
    return (parts.manifold or params["manifold"] == 0.0) and (parts.tail or params["spectral"] == 0.0)


@dataclass(frozen=True, eq=False)
class Choice:
    """What one method learnt on one split.

    Attributes
    ----------
    scores : array of shape (test rows, K)
        Of classes the largest is predicted, of labels those above 0.5; of numbers they are the prediction.
    parameters : dict
        What was chosen.
    seconds : float
        Wall time of the split, which its methods share.
    """

    scores: np.ndarray
    parameters: dict[str, Any]
    seconds: float


def choose(
    fold: Fold, *, task: str, space: str, chooser: str, seed: int, free_rank: float | None = None
) -> dict[str, Choice]:
    """Choose and fit each of the four methods, or our own, on a split; graph and features are shared.

    Parameters
    ----------
    fold : Fold
        The split; its test targets are not looked at.
    task : {"multi-class", "multi-label", "regression"}
        What the targets are.
    space : {"linear", "kernel"}
        The inputs, or 100 Fourier features.
    chooser : {"cv", "atlas", "smoothed"}
        5 folds over the paper's candidates with the paper's losses; exact leave-one-label-out and averaging with ours;
        the same for our own method in place of the four.
    seed : int
        Of folds, candidates and draws.
    free_rank : float, optional
        theta / min(D, K); then every method takes its single best setting, with a tail where it has one.

    Examples
    --------
    >>> from reproduction.data import make_fold, split
    >>> from reproduction.bundled import bundled
    >>> iris = bundled("iris")
    >>> fold = make_fold(iris, split(iris.y, "multi-class", 0))
    >>> found = choose(fold, task="multi-class", space="linear", chooser="atlas", seed=0)
    >>> sorted(found), found["LSVV"].scores.shape
    (['LRC-VV', 'LSVV', 'SRM-VV', 'SS-VV'], (45, 3))
    """
    start = time.perf_counter()
    ways: dict[str, Callable[[Fold, str, str, int, float | None], _Found]]
    ways = {"cv": _by_cv, "atlas": _by_atlas, OWN: _smoothed}
    found = ways[chooser](fold, task, space, seed, free_rank)
    seconds = time.perf_counter() - start
    return {method: Choice(scores, parameters, seconds) for method, (scores, parameters) in found.items()}


_Found = dict[str, tuple[np.ndarray, dict[str, Any]]]


def _by_cv(fold: Fold, task: str, space: str, seed: int, free_rank: float | None) -> _Found:
    y = fold.y_train
    classes = task == "multi-class"
    T = np.eye(int(y.max()) + 1)[y] if classes else np.nan_to_num(y)
    known = np.repeat((y >= 0)[:, None], T.shape[1], axis=1) if classes else ~np.isnan(y)
    chosen = cross_validate(
        fold.X_train, y, T, known, fold.X_test, task=task, space=space, seed=seed, free_rank=free_rank
    )
    return {
        method: (one.scores, {**asdict(one.candidate), "held_out": one.figure, "residual": one.residual})
        for method, one in chosen.items()
    }


def _by_atlas(fold: Fold, task: str, space: str, seed: int, free_rank: float | None) -> _Found:
    """One search for each method, all of them on one graph and the same draws."""
    common = _common(fold, space, seed, KNNGraph())
    if free_rank is not None:
        model = _estimator(task).method("LSVV", **{**common, "n_draws": 1}, free_rank=free_rank, safe=False)
        if task != "regression":
            model.set_params(loss="squared")
        model.fit(fold.X_train, fold.y_train)
        return {method: _single_best(model, method, task, fold) for method in METHODS}
    searches = {method: _estimator(task).method(method, **common) for method in METHODS}
    return {name: _told(search.fit(fold.X_train, fold.y_train), task, fold) for name, search in searches.items()}


def _smoothed(fold: Fold, task: str, space: str, seed: int, free_rank: float | None) -> _Found:
    """Our own method: the same map and neighbours, features smoothed over the graph, no other term."""
    if free_rank is not None:
        raise ValueError(f"{OWN} has no tail, so that free_rank={free_rank} says nothing. Choose by 'atlas'.")
    common = _common(fold, space, seed, KNNGraph(weights="self-tuned"))
    search = _estimator(task).method("SRM-VV", smoothing="auto", **common)
    return {OWN: _told(search.fit(fold.X_train, fold.y_train), task, fold)}


def _common(fold: Fold, space: str, seed: int, graph: KNNGraph) -> dict[str, Any]:
    """The space's one map and the paper's number of neighbours."""
    kernel = space == "kernel"
    return {
        "features": RandomFourier(N_FEATURES) if kernel else Linear(),
        "n_draws": N_MAP_DRAWS if kernel else 1,
        "graph": graph.fit(fold.X_train, N_NEIGHBORS),
        "random_state": seed,
    }


def _estimator(task: str) -> Any:
    return LSVVRegressorCV if task == "regression" else LSVVClassifierCV


def _single_best(model: Any, method: str, task: str, fold: Fold) -> tuple[np.ndarray, dict[str, Any]]:
    """The best setting of a method by leave-one-out, with a tail where the method has one, fitted by the core."""
    results = model.cv_results_
    settings = list(zip(results["params"], results["mean_test_score"], strict=True))
    has_tail = PARTS[method].tail and any(params["spectral"] > 0.0 for params, _ in settings)
    mine = [
        (params, score)
        for params, score in settings
        if allowed(method, params) and (params["spectral"] > 0.0) == has_tail
    ]
    params, _ = max(mine, key=lambda one: float(one[1]))
    with warnings.catch_warnings():
        # the record tells how far a fit has come, for every one of them
        warnings.simplefilter("ignore", ConvergenceWarning)
        core = model.core(params).fit(fold.X_train, fold.y_train)
    scores = core.predict(fold.X_test) if task == "regression" else core.predict_proba(fold.X_test)
    return np.asarray(scores).reshape(len(fold.y_test), -1), {**_plain(params), "residual": core.solution_.residual}


def _told(model: Any, task: str, fold: Fold) -> tuple[np.ndarray, dict[str, Any]]:
    """Scores of the test rows, and what was chosen."""
    if task == "regression":
        scores = np.asarray(model.predict(fold.X_test)).reshape(len(fold.y_test), -1)
    else:
        scores = np.asarray(model.predict_proba(fold.X_test))
    share = None if model.guard_ is None else model.guard_.share
    return scores, {**_plain(model.best_params_), "semi_supervised_share": share}


def _plain(params: dict[str, Any]) -> dict[str, Any]:
    """Settings for a record: the map by its width alone."""
    return {name: value for name, value in params.items() if name != "features"} | {
        "width": getattr(params["features"], "width", None)
    }
