"""Transfer: many rows of a source, few of a target; what is shared, what shifted, and how much of each."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from lsvv.assembly import map_rows
from lsvv.calibration import fit_temperature, probabilities
from lsvv.estimators import LSVVRegressor
from lsvv.inputs import check_rows, generator
from lsvv.linalg import Array, canonical_order, take_rows, to_numpy
from lsvv.selection.average import average
from lsvv.selection.averaging import LeftOut, likely_better
from lsvv.targets import Classes, Targets, encode_classes, encode_numbers

FOLDS = 5
SHARES = (0.03, 0.1, 0.3)
"""Of the penalty that empties the shift: strengths that are tried for it."""
NEXT_TO_NONE = 1e-6
"""Ridge beside a tail penalty."""
ALONE, POOLED, SHIFTED, SUBSPACE = "target alone", "pooled", "shifted", "shared subspace"


@dataclass(frozen=True, eq=False)
class Domains:
    """Rows of sources and of a target, with targets (n, K), NaN where unknown."""

    X: Array
    Y: np.ndarray
    is_target: np.ndarray

    def without(self, rows: np.ndarray) -> Domains:
        """The same with the targets of some rows unknown."""
        Y = self.Y.copy()
        Y[rows] = np.nan
        return Domains(self.X, Y, self.is_target)


class _Transfer(BaseEstimator):
    """What both have in common: ways to use the source, judged and averaged on target rows alone."""

    ways_: dict[str, Any]
    weights_: dict[str, float]

    def __init__(self, estimator: Any = None, *, random_state: Any = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_domain: Any = None) -> Self:
        """Learn from rows of all domains.

        Parameters
        ----------
        X, y
            As for :meth:`lsvv.LSVVRegressor.fit`; rows of the target may be unlabelled, too.
        sample_domain : array of int of shape (n,)
            Above 0 for rows of a source, below 0 for rows of the target, as in skada.

        Returns
        -------
        self
        """
        X = check_rows(self, X, reset=True)
        targets = self._encode(y, X.shape[0])
        is_target = _is_target(sample_domain, X.shape[0])
        known = targets.weights > 0
        for rows, name in ((is_target, "the target"), (~is_target, "a source")):
            if not known[rows].any():
                raise ValueError(
                    f"No row of {name} is labelled. Transfer learns from labels on both sides: label some rows, or fit "
                    f"LSVVClassifier or LSVVRegressor on the side that has labels."
                )
        self._codec, self.n_outputs_ = targets.codec, targets.values.shape[1]
        all_rows = Domains(X, np.where(known, targets.values, np.nan), is_target)
        base = LSVVRegressor() if self.estimator is None else self.estimator
        rng = generator(self.random_state)
        if "random_state" in base.get_params(deep=False) and base.get_params(deep=False)["random_state"] is None:
            base = clone(base).set_params(random_state=int(rng.integers(2**31)))
        self.ways_ = _ways(base, all_rows)
        mine = np.flatnonzero(is_target & known.any(axis=1))
        mine = mine[canonical_order(take_rows(X, mine), targets.values[mine])]
        held = self._left_out(base, all_rows, mine, rng)
        A = targets.weights[mine] / np.maximum(targets.weights[mine].sum(axis=0), 1e-300)
        found = average([LeftOut.plain(one) for one in held.values()], targets.values[mine], A, per_output=False)
        shares, expectation = dict(zip(held, found.shares, strict=True)), found.expectation.honest
        losses = {name: _row_losses(one, targets, mine) for name, one in held.items()}
        plain = min((POOLED, ALONE), key=lambda name: float(losses[name].sum()))
        sure, _, _ = likely_better(losses[plain], _row_losses(expectation, targets, mine))
        shares = {name: sure * share + (1.0 - sure) * float(name == plain) for name, share in shares.items()}
        expectation = sure * expectation + (1.0 - sure) * held[plain]
        self._shares = shares
        self.weights_ = {name: float(share.mean()) for name, share in shares.items()}
        self._calibrate(expectation, targets, mine)
        return self

    def _left_out(
        self, base: Any, domains: Domains, mine: np.ndarray, rng: np.random.Generator
    ) -> dict[str, np.ndarray]:
        """What each way expects of the labelled target rows, from fits without their fold."""
        if mine.size < 2:
            raise ValueError("One target row is labelled (n_samples = 1). Leaving one out needs at least two.")
        folds = rng.permutation(mine.size) % min(FOLDS, mine.size)
        held = {name: np.zeros((mine.size, self.n_outputs_)) for name in self.ways_}
        for fold in np.unique(folds):
            out = folds == fold
            ways = _ways(base, domains.without(mine[out]), settings=self.ways_)
            for name, way in ways.items():
                held[name][out] = way(take_rows(domains.X, mine[out]))
        return held

    def _expectation(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "ways_")
        rows = check_rows(self, X, reset=False)
        return np.asarray(sum(self._shares[name] * way(rows) for name, way in self.ways_.items()))

    @abstractmethod
    def _encode(self, y: Any, n_rows: int) -> Targets:
        """The targets in code."""

    def _calibrate(self, held: np.ndarray, targets: Targets, mine: np.ndarray) -> None:
        """What else is learnt from expectations left out."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


class TransferRegressor(RegressorMixin, _Transfer):
    """Predict numbers of a target domain of few labels with the help of source domains of many.

    Four ways to use the source are fitted, and judged by leaving out folds of the target's labels:

        target alone      h fitted to the target's rows
        pooled            h fitted to the rows of all domains
        shifted           h = h_source + d, d fitted to what h_source leaves of the target, W_d under the tail penalty
        shared subspace   one output for each target and domain, W of all of them under the tail penalty

    The model is their average, with shares that make the error left out small, as far as held-out losses say that it is
    better than the better of the first two, and for the rest that one. A shift of low rank is found from few rows: its
    tail is what they cannot tell from noise.

    Parameters
    ----------
    estimator : LSVVRegressor, optional
        What is fitted in each way; its ``spectral`` is for the pooled and the lone model.
    random_state : int, Generator, RandomState or None
        Seeds the folds, and the estimator where it has no seed.

    Attributes
    ----------
    weights_ : dict of str to float
        The share of each way.
    ways_ : dict of fitted ways

    Examples
    --------
    The target is the source plus one direction, seen in thirty rows:

    >>> import numpy as np
    >>> from lsvv import LSVVRegressor
    >>> from lsvv.tasks import TransferRegressor
    >>> rng = np.random.default_rng(0)
    >>> X, W, shift = rng.normal(size=(430, 12)), rng.normal(size=(12, 8)), np.ones((12, 8)) / 2
    >>> domain = np.where(np.arange(430) < 400, 1, -1)
    >>> Y = X @ W + (domain < 0)[:, None] * (X @ shift) + rng.normal(size=(430, 8))
    >>> plain = LSVVRegressor(features="linear", smoothing=0)
    >>> model = TransferRegressor(plain, random_state=0).fit(X, Y, sample_domain=domain)
    >>> new = rng.normal(size=(100, 12))
    >>> truth = new @ (W + shift)
    >>> alone = plain.fit(X[400:], Y[400:]).predict(new)
    >>> bool(np.mean((model.predict(new) - truth) ** 2) < 0.5 * np.mean((alone - truth) ** 2))
    True
    """

    def predict(self, X: Any) -> np.ndarray:
        """Numbers of target rows, 1-d where ``y`` was."""
        return np.asarray(self._codec.decode(self._expectation(X)))

    def _encode(self, y: Any, n_rows: int) -> Targets:
        return encode_numbers(y, n_rows, None)


class TransferClassifier(ClassifierMixin, _Transfer):
    """Classify rows of a target domain of few labels with the help of source domains of many.

    As :class:`TransferRegressor` on the indicators of the classes; probabilities are the softmax of what is expected,
    with a temperature fitted on target rows left out. Parameters and attributes are the same, with these.

    Attributes
    ----------
    classes_ : array
    temperature_ : float

    Examples
    --------
    >>> import numpy as np
    >>> from lsvv import LSVVRegressor
    >>> from lsvv.tasks import TransferClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(320, 2))
    >>> domain = np.where(np.arange(320) < 300, 1, -1)
    >>> y = (X[:, 0] + np.where(domain < 0, 0.5, 0.0) * X[:, 1] > 0).astype(int)
    >>> model = TransferClassifier(LSVVRegressor(features="linear", smoothing=0), random_state=0)
    >>> model.fit(X, y, sample_domain=domain).predict([[1.0, 0.0], [-1.0, 0.0]]).tolist()
    [1, 0]
    """

    temperature_: float

    @property
    def classes_(self) -> np.ndarray:
        """The classes as y spells them."""
        assert isinstance(self._codec, Classes)
        return self._codec.classes

    def predict(self, X: Any) -> np.ndarray:
        """The class of each target row."""
        return self._codec.decode(self._expectation(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities, (n, K); rows sum to 1."""
        return np.asarray(probabilities(self._expectation(X), self.temperature_, one_class_a_row=True))

    def _encode(self, y: Any, n_rows: int) -> Targets:
        return encode_classes(y, n_rows, None, None)

    def _calibrate(self, held: np.ndarray, targets: Targets, mine: np.ndarray) -> None:
        self.temperature_ = fit_temperature(held, targets.values[mine], targets.counts[mine], one_class_a_row=True)


@dataclass(frozen=True, eq=False)
class Way:
    """The sum of some models' outputs, from one place on, with the tail penalty that was used."""

    models: tuple[Any, ...]
    outputs: slice
    spectral: float

    def __call__(self, X: Array) -> np.ndarray:
        """What it expects of rows, (n, K)."""
        return np.asarray(sum(_columns(model.predict(X))[:, self.outputs] for model in self.models))


def _ways(base: Any, domains: Domains, settings: dict[str, Way] | None = None) -> dict[str, Way]:
    """All ways, fitted; tail penalties are those of ``settings`` where there are any."""
    X, Y, is_target = domains.X, domains.Y, domains.is_target
    K, mine = Y.shape[1], np.flatnonzero(is_target)
    own, rows = slice(0, K), take_rows(X, mine)
    source = _fitted(base, take_rows(X, np.flatnonzero(~is_target)), Y[~is_target])
    left = Y[mine] - _columns(source.predict(rows))
    shift = _fitted(base, rows, left)
    apart = np.concatenate([np.where(side[:, None], Y, np.nan) for side in (is_target, ~is_target)], axis=1)
    found = {
        ALONE: Way((_fitted(base, rows, Y[mine]),), own, 0.0),
        POOLED: Way((_fitted(base, X, Y),), own, 0.0),
        SHIFTED: Way((source, shift), own, 0.0),
    }
    emptying = _emptying(shift, rows, left) if settings is None else 0.0
    for share in SHARES if K > 1 else ():
        name = f"{SHIFTED}, tail {share:g}"
        strength = share * emptying if settings is None else settings[name].spectral
        found[name] = Way((source, _fitted(base, rows, left, strength)), own, strength)
    strength = SHARES[0] * _emptying(found[POOLED].models[0], X, Y) if settings is None else settings[SUBSPACE].spectral
    found[SUBSPACE] = Way((_fitted(base, X, apart, strength),), own, strength)
    return found


def _row_losses(expectation: np.ndarray, targets: Targets, mine: np.ndarray) -> np.ndarray:
    weights = targets.weights[mine]
    return np.asarray((weights * (expectation - targets.values[mine]) ** 2).sum(axis=1))


def _fitted(base: Any, X: Array, Y: np.ndarray, spectral: float | None = None) -> Any:
    """A fresh estimator on the outputs that are known, with a tail penalty in place of its own."""
    model = clone(base)
    if spectral is not None:
        # the tail shrinks what it must, and a ridge beside it would shrink what is free
        model.set_params(spectral=spectral, ridge=NEXT_TO_NONE)
    return model.fit(X, Y)


def _emptying(fitted: Any, X: Array, Y: np.ndarray) -> float:
    """||2 Phi' A T||_2 at W = 0, of standardised targets: the tail penalty that leaves nothing."""
    known = ~np.isnan(Y)
    rows = np.flatnonzero(known.any(axis=1))
    Phi = to_numpy(map_rows(fitted.feature_map_, take_rows(X, rows)).whole()).astype(np.float64)
    scale = np.nanstd(Y, axis=0)
    T = np.where(known, (Y - np.nanmean(Y, axis=0)) / np.where(scale > 0, scale, 1.0), 0.0)[rows]
    return float(np.linalg.norm(2.0 * (Phi - Phi.mean(axis=0)).T @ (T / known.sum(axis=0)), 2))


def _columns(values: Any) -> np.ndarray:
    found = np.asarray(to_numpy(values), dtype=np.float64)
    return found if found.ndim == 2 else found[:, None]


def _is_target(sample_domain: Any, n_rows: int) -> np.ndarray:
    """Which rows are the target's."""
    if sample_domain is None:
        raise ValueError(
            "sample_domain is missing. Pass one integer a row: above 0 for rows of a source, below 0 for the target."
        )
    domain = np.asarray(to_numpy(sample_domain))
    if domain.shape != (n_rows,) or domain.dtype.kind not in "iuf" or not np.all(domain != 0):
        raise ValueError(
            f"sample_domain has shape {domain.shape} and dtype {domain.dtype}. Pass one integer for each of {n_rows} "
            f"rows, above 0 for a source and below 0 for the target; 0 is neither."
        )
    return np.asarray(domain < 0)
