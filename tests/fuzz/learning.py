"""Estimators on generated rows, targets, weights and parameters: what they predict must be sane."""

from __future__ import annotations

import copy
import pickle
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from lsvv import LSVVClassifier, LSVVClassifierCV, LSVVRegressor, LSVVRegressorCV
from lsvv.features import Linear, Nystroem, RandomFourier, Ranges, Ranks, Sketch, Trees
from lsvv.graph import KNNGraph
from lsvv.linalg import to_numpy
from lsvv.solvers import MiniBatch

from . import answers, rows
from .draws import Draw
from .judging import check

ODD: tuple[Any, ...] = (
    *(
        None,
        -1,
        0,
        1.5,
        float("nan"),
        float("inf"),
        -float("inf"),
        10**400,
        1e300,
        1e160,
        1e-300,
        "no",
        "",
        b"auto",
        [],
        (),
    ),
    *(
        {},
        True,
        False,
        object(),
        int,
        np.float32(0.1),
        np.int64(2),
        np.array([1.0, 2.0]),
        np.array(1.0),
        "auto",
        2**31,
        1j,
    ),
    *(lambda x: x, 10**5000, [0.1, "a"], [None], range(3), 10**9),
)
TERMS: dict[str, tuple[Any, ...]] = {
    "ridge": (0.0, 1e-12, 1e-4, 0.1, 1, 1e6, "auto"),
    "smoothing": (0.0, 0.5, 0.99, "auto"),
    "manifold": (0.0, 1e-3, 1.0, 1e4),
    "spectral": (0.0, 1e-7, 1e-2, 1.0),
    "free_rank": (0, 1, 0.5, 1.0, "balance", 7),
    "n_neighbors": (1, 3, 7, 100),
    "laplacian": ("normalized", "plain"),
    "power": (1, 2),
    "fit_intercept": (True, False),
    "random_state": (0, 3, 7, np.random.RandomState, np.random.default_rng),
    "n_jobs": (None, 1),
    "verbose": (0, 1, 2),
}
CORE: dict[str, tuple[Any, ...]] = {
    **TERMS,
    "solver": ("auto", "accelerated", "minibatch", MiniBatch(batch_size=3)),
    "tol": (1e-6, 1e-2, 0.0),
    "max_iter": (1, 20, 50),
}
SEARCH: dict[str, tuple[Any, ...]] = {
    **TERMS,
    "ridge": ("auto", 0.1, [1e-3, 0.1], (0.1, 1.0)),
    "smoothing": ("auto", 0.0, [0.0, 0.9]),
    "manifold": (0.0, [0.0, 1.0], "auto"),
    "spectral": (0.0, 0.0, 0.0, 1e-3, [0.0, 0.01]),
    "free_rank": (0, [0, 1], 0.5),
    "power": (1, 2, [1, 2]),
    "selection": ("average", "best"),
    "safe": (True, False),
    "per_output": (True, False),
    "n_draws": (1, 1, 2),
}
OF_CLASSIFIERS: dict[str, tuple[Any, ...]] = {"class_weight": (None, None, "balanced")}
LOSSES = ("squared", "squared", "logistic", "smooth_hinge", "hinge")
LOSSES_SEARCHED = ("squared", "logistic", "smooth_hinge", ("squared", "logistic"), ["squared"])


def classifier(draw: Draw) -> None:
    _learn(draw, LSVVClassifier, {**CORE, **OF_CLASSIFIERS, "loss": LOSSES})


def regressor(draw: Draw) -> None:
    _learn(draw, LSVVRegressor, CORE)


def classifier_search(draw: Draw) -> None:
    _learn(draw, LSVVClassifierCV, {**SEARCH, **OF_CLASSIFIERS, "loss": LOSSES_SEARCHED})


def regressor_search(draw: Draw) -> None:
    _learn(draw, LSVVRegressorCV, {**SEARCH, "target_scale": ("auto", "as is")})


def _learn(draw: Draw, kind: Any, choices: dict[str, tuple[Any, ...]]) -> None:
    """One estimator: fit, predict where it learnt and elsewhere, and look at all that it says."""
    is_search, is_classifier = kind in (LSVVClassifierCV, LSVVRegressorCV), kind in (LSVVClassifier, LSVVClassifierCV)
    n, d = draw.one_of((1, 2, 3, 4, 6, 8, 12, 12, 20, 20, 30)), draw.one_of((1, 1, 2, 3, 3, 5, 10))
    if draw.chance(0.01):
        n, d = 30, 2000
    plain = rows.numbers(draw, n, d)
    held = draw.one_of(rows.PLAIN if draw.chance(0.6) else rows.FRAMES)
    X = rows.contained(draw, plain, draw.one_of(rows.STRANGE) if draw.spoilt(0.05) else held)
    if draw.spoilt(0.12):
        y = answers.strange_targets(draw, n)
    elif is_classifier:
        y = answers.classes(draw, n) if draw.chance(0.75) else answers.indicators(draw, n)
    else:
        y = answers.targets(draw, n)
    model = kind(**_settings(draw, choices, n, d, is_search=is_search))
    # scikit-learn's own does not take them
    draw.hostile |= isinstance(model.features, StandardScaler) and held in rows.SPARSE
    weight, below = answers.weights(draw, n), None
    if draw.chance(0.1):
        below = rows.contained(draw, rows.numbers(draw, draw.count(1, 6), d + int(draw.spoilt(0.1))), held)
    given = (copy.deepcopy(X), copy.deepcopy(y), copy.deepcopy(weight))
    new = rows.contained(draw, rows.numbers(draw, draw.one_of((1, 2, 9)), d + int(draw.spoilt(0.03))), held)
    with redirect_stdout(StringIO()):
        model.fit(X, y, X_unlabeled=below, sample_weight=weight)
    check(_same(given, (X, y, weight)), "fit changed its input")
    for seen in (X, new):
        _check_predictions(model, seen, y, is_classifier=is_classifier, is_search=is_search)
    # a weight of 0 makes a known target unknown
    if weight is None:
        _check_transduction(
            model, y, n, 0 if below is None else below.shape[0] if hasattr(below, "shape") else len(below)
        )
    if draw.chance(0.1):
        again = pickle.loads(pickle.dumps(model))
        check(_same(to_numpy(again.predict(new)), to_numpy(model.predict(new))), "predictions change with pickling")
        clone(model)


def _settings(draw: Draw, choices: dict[str, tuple[Any, ...]], n: int, d: int, *, is_search: bool) -> dict[str, Any]:
    share = draw.one_of((0.1, 0.3, 0.6))
    found = {name: draw.one_of(values) for name, values in choices.items() if draw.chance(share)}
    found["features"] = _map(draw, n, is_search=is_search)
    seed = found.setdefault("random_state", 0)
    found["random_state"] = seed if isinstance(seed, int) else seed(0)
    if is_search:
        found["trees"] = draw.chance(0.03)
    else:
        found.setdefault("max_iter", 50)
        if not any(_is(found.get("solver", "auto"), quick) for quick in ("auto", "accelerated")):
            found["max_iter"] = 3
        loss = found.get("loss", "squared")
        if loss != "squared" and found.get("ridge", "auto") == "auto":
            found["ridge"] = 1e-2
    if draw.chance(0.1):
        found["graph"] = draw.one_of((KNNGraph(), KNNGraph(weights="heat"), KNNGraph(on="features", symmetry="mutual")))
    if draw.spoilt(0.05):
        found["graph"] = answers.adjacency(draw, n)
    if draw.spoilt(0.08):
        found[draw.one_of((*choices, "graph", "features"))] = draw.one_of(ODD)
    if draw.spoilt(0.02) and "class_weight" in choices:
        found["class_weight"] = draw.one_of(
            ({0: 0}, {0: 0, 1: 5}, {"a": 1}, {0: np.nan}, {1: 1e300}, {0: -1}, [1, 2], {})
        )
    # what the two settings mean together is said by a sentence, and no fault
    free = found.get("free_rank", 0)
    together = not _is(found.get("solver", "auto"), "auto") or _is(free, "balance")
    is_large = any(one > 1 for one in np.ravel(free) if isinstance(one, (int, np.integer)))
    draw.hostile |= together or is_large or (is_search and n < 2)
    return found


def _is(value: Any, word: str) -> bool:
    return isinstance(value, str) and value == word


def _map(draw: Draw, n: int, *, is_search: bool) -> Any:
    if draw.spoilt(0.02):
        return draw.one_of(
            (
                *(
                    RandomFourier(0),
                    RandomFourier(8, width=0.0),
                    RandomFourier(8).set_params(width=None),
                    Ranks(),
                    Nystroem(10**9),
                    "curved",
                ),
                *(
                    RandomFourier(8, width=1e300),
                    RandomFourier(8, width=1e-300),
                    Nystroem(4, kernel="x"),
                    StandardScaler,
                ),
                *(
                    RandomFourier(8, width="0 median"),
                    Sketch(-1),
                    RandomFourier(8, kernel="cauchy", width="auto median"),
                ),
            )
        )
    cheap = (
        *("linear", "linear", "linear", Linear(), RandomFourier(8), RandomFourier(8, width="2 median"), Nystroem(5)),
        *(RandomFourier(8, kernel="laplacian"), Nystroem(5, kernel="matern"), RandomFourier(6, orthogonal=False)),
    )
    dear: tuple[Any, ...] = (
        "fourier",
        "nystroem",
        "sketch",
        Sketch(6),
        Trees(5),
        Ranges(),
        PolynomialFeatures(2),
        StandardScaler(),
    )
    dear = (*dear, "auto", [Linear(), RandomFourier(8)]) if is_search else dear
    return draw.one_of(dear if draw.chance(0.05) else cheap)


def _check_predictions(model: Any, X: Any, y: Any, *, is_classifier: bool, is_search: bool) -> None:
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    predicted = to_numpy(model.predict(X))
    check(len(predicted) == n, f"{len(predicted)} predictions of {n} rows")
    if not is_classifier:
        check(predicted.dtype.kind == "f" and np.isfinite(predicted).all(), "predictions are not finite")
        if is_search:
            low, high = model.predict_interval(X)
            check(low.shape == high.shape == predicted.shape, "an interval of another shape")
            check(not (low > high).any(), "an interval from high to low")
            check(not (np.isinf(low) | np.isinf(high)).any(), "an endless interval")
        return
    proba = to_numpy(model.predict_proba(X))
    scores = to_numpy(model.decision_function(X))
    check(np.isfinite(scores).all(), "scores are not finite")
    check(np.isfinite(proba).all() and (proba >= 0).all() and (proba <= 1).all(), "probabilities beyond 0 and 1")
    check(proba.shape[0] == n, "probabilities of another number of rows")
    if predicted.ndim == 1:
        check(np.isin(predicted, model.classes_).all(), "a class that nobody saw")
        check(np.allclose(proba.sum(axis=1), 1.0, atol=1e-5), "probabilities do not sum to 1")
        check(proba.shape[1] == len(model.classes_), "probabilities of another number of classes")
    else:
        check(np.isin(predicted, (0, 1)).all(), "a label that is neither 0 nor 1")
        check(proba.shape == predicted.shape, "probabilities of another shape")


def _check_transduction(model: Any, y: Any, n: int, n_below: int) -> None:
    filled = np.asarray(to_numpy(model.transduction_))
    check(len(filled) == n + n_below, "transduction of another number of rows")
    given = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else to_numpy(y))
    if given.dtype.kind == "f":
        check(np.isfinite(filled.astype(float)).all(), "transduction is not finite")
        known = ~np.isnan(given) & (given != -1 if filled.dtype.kind in "iu" else True)
    elif given.dtype.kind in "iu" and given.ndim == 1:
        known = given != -1 if hasattr(model, "classes_") else np.ones(len(given), dtype=bool)
    else:
        return
    here = filled[:n].reshape(given.shape)
    check(np.allclose(here[known].astype(float), given[known].astype(float), rtol=1e-6), "a known target changed")


def _same(one: Any, other: Any) -> bool:
    try:
        return pickle.dumps(one) == pickle.dumps(other) or repr(one) == repr(other)
    except Exception:
        return repr(one) == repr(other)
