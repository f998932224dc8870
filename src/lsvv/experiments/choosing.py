"""The two ways to choose on one split, for all four methods at once: the paper's folds, and our atlas."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from lsvv.data import Fold
from lsvv.experiments.cross_validation import N_FEATURES, N_NEIGHBORS, cross_validate
from lsvv.experiments.published import METHODS, PARTS
from lsvv.features import Linear, RandomFourier
from lsvv.selection import LSVVClassifierCV, LSVVRegressorCV
from lsvv.selection.atlas import Setting

__all__ = ["Choice", "allowed", "choose"]


def allowed(method: str, setting: Setting) -> bool:
    """Whether a setting of the atlas belongs to a method: the four are parts of one grid.

    Examples
    --------
    >>> allowed("SRM-VV", Setting(0, "squared", 1, manifold=0.1, ridge=1e-3))
    False
    """
    parts = PARTS[method]
    return (parts.manifold or setting.is_supervised) and (parts.tail or setting.spectral == 0.0)


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
        Wall time of the split, which the four methods share.
    """

    scores: np.ndarray
    parameters: dict[str, Any]
    seconds: float


def choose(
    fold: Fold, *, task: str, space: str, chooser: str, seed: int, free_rank: float | None = None
) -> dict[str, Choice]:
    """Choose and fit each of the four methods on a split; graph and features are shared.

    Parameters
    ----------
    fold : Fold
        The split; its test targets are not looked at.
    task : {"multi-class", "multi-label", "regression"}
        What the targets are.
    space : {"linear", "kernel"}
        The inputs, or 100 Fourier features.
    chooser : {"cv", "atlas"}
        5 folds over the paper's candidates with the paper's losses, or exact leave-one-label-out and averaging with
        ours.
    seed : int
        Of folds, candidates and draws.
    free_rank : float, optional
        theta / min(D, K); then every method takes its single best setting, with a tail where it has one.

    Examples
    --------
    >>> from lsvv.data import make_fold, split
    >>> from lsvv.experiments.bundled import bundled
    >>> iris = bundled("iris")
    >>> fold = make_fold(iris, split(iris.y, "multi-class", 0))
    >>> found = choose(fold, task="multi-class", space="linear", chooser="atlas", seed=0)
    >>> sorted(found), found["LSVV"].scores.shape
    (['LRC-VV', 'LSVV', 'SRM-VV', 'SS-VV'], (45, 3))
    """
    start = time.perf_counter()
    way = {"cv": _by_cv, "atlas": _by_atlas}[chooser]
    found = way(fold, task, space, seed, free_rank)
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
    if free_rank is not None:
        model = _search(task, space, seed, loss="squared", n_draws=1, free_rank=free_rank, safe=False)
        model.fit(fold.X_train, fold.y_train)
        return {method: _single_best(model, method, task, fold) for method in METHODS}
    model = _search(task, space, seed).fit(fold.X_train, fold.y_train)
    return {method: _told(model.limited_to(partial(allowed, method)), task, fold) for method in METHODS}


def _search(task: str, space: str, seed: int, loss: Any = None, **changes: Any) -> Any:
    """Our estimator with the space's one map and the paper's number of neighbours."""
    features = RandomFourier(N_FEATURES) if space == "kernel" else Linear()
    common = {"features": features, "n_neighbors": N_NEIGHBORS, "random_state": seed, **changes}
    if task == "regression":
        return LSVVRegressorCV(**common)
    return LSVVClassifierCV(**common) if loss is None else LSVVClassifierCV(loss=loss, **common)


def _single_best(model: Any, method: str, task: str, fold: Fold) -> tuple[np.ndarray, dict[str, Any]]:
    """The best setting of a method by leave-one-out, with a tail where the method has one, fitted by the core."""
    has_tail = PARTS[method].tail and any(setting.spectral > 0.0 for setting in model.atlas_.settings)
    members = [
        member
        for member in model.atlas_.members
        if allowed(method, member.setting) and (member.setting.spectral > 0.0) == has_tail and not member.setting.taught
    ]
    best = min(members, key=lambda member: float(member.losses.sum())).setting
    params = model.limited_to(lambda setting: setting == best).best_params_
    core = model.core(params).fit(fold.X_train, fold.y_train)
    scores = core.predict(fold.X_test) if task == "regression" else core.predict_proba(fold.X_test)
    return np.asarray(scores).reshape(len(fold.y_test), -1), _plain(params)


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
