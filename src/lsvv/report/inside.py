"""The inside of a fitted model: what carried it, what unlabelled rows did, its singular values, the settings tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from lsvv.features import Linear
from lsvv.report.phrases import number, percent
from lsvv.selection import Candidate, Guard, Importances
from lsvv.spectral import resolve_free_rank
from lsvv.tables.explaining import kinds_sentence, most_important, rest_sentence

__all__ = [
    "Atlas",
    "Help",
    "Mattered",
    "Model",
    "Panel",
    "SingularValues",
    "atlas_of",
    "help_of",
    "map_name",
    "mattered_of",
    "model_of",
    "smoothing_words",
    "spectrum_of",
]

SURE = 0.975
MOST_VALUES = 60
MOST_COLUMNS = 10

Tried = tuple[Candidate, float, float]
"""A candidate, one of its ridges, and the loss there."""


@dataclass(frozen=True)
class Help:
    """Whether unlabelled rows helped: by how much hidden labels are predicted better with them, and how sure that is.

    ``gain`` and ``error`` are the mean fall of the leave-one-out loss and its standard error, ``sure`` the probability
    that the fall is above 0, ``share`` the weight their use was given.
    """

    headline: str
    sentence: str
    gain: float
    error: float
    sure: float
    share: float


@dataclass(frozen=True)
class SingularValues:
    """Singular values of W; those from place ``first`` on (from 0) bear the tail penalty, None where none do."""

    values: tuple[float, ...]
    first: int | None
    words: str


@dataclass(frozen=True)
class Panel:
    """Leave-one-out losses: a row a value of ``axis``, a column a ridge; None where it was not tried.

    ``axis`` is "smoothing" or "manifold". ``scaled`` ridges are in units of the features' spread.
    """

    name: str
    axis: str
    values: tuple[float, ...]
    ridges: tuple[float, ...]
    losses: tuple[tuple[float | None, ...], ...]
    scaled: bool


@dataclass(frozen=True)
class Atlas:
    """The settings of the best map, and each map tried with the lowest loss found on it."""

    n_settings: int
    map: str
    best: float
    panels: tuple[Panel, ...]
    maps: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Mattered:
    """The columns that mattered: how much the error rises without each, and its standard error; the rest in words.

    ``columns`` holds a name, a rise and an error for each, the most important first.
    """

    columns: tuple[tuple[str, float, float], ...]
    words: str


@dataclass(frozen=True)
class Model:
    """One model: the targets it learnt together, what carried its answer, whether unlabelled rows helped, its inside.

    ``carried`` is a sentence on kinds of model, ``mattered`` None where it was not measured.
    """

    name: str
    carried: str
    mattered: Mattered | None
    help: Help | None
    smoothing: str
    spectrum: SingularValues
    atlas: Atlas
    best: tuple[tuple[str, str], ...]


def model_of(name: str, fitted: Any, importances: Importances | None = None) -> Model:
    """A fitted LSVVClassifierCV or LSVVRegressorCV as the report shows it, with what its columns were measured at."""
    return Model(
        name=name,
        carried=kinds_sentence(fitted),
        mattered=None if importances is None else mattered_of(importances),
        help=None if fitted.guard_ is None else help_of(fitted.guard_),
        smoothing=smoothing_words(fitted),
        spectrum=spectrum_of(fitted),
        atlas=atlas_of(fitted),
        best=tuple(_best(fitted)),
    )


def mattered_of(found: Importances) -> Mattered:
    """The columns that matter measurably, the most important first, and a sentence on all others.

    Examples
    --------
    >>> mattered_of(Importances(("size", "age"), np.array([0.5, 0.0]), np.array([0.1, 0.1])))
    Mattered(columns=(('size', 0.5, 0.1),), words='1 column did not matter measurably.')
    """
    shown = most_important(found, MOST_COLUMNS)
    columns = tuple((str(found.names[one]), float(found.rise[one]), float(found.error[one])) for one in shown)
    if columns:
        return Mattered(columns, rest_sentence(found, len(columns)))
    return Mattered(
        (), "None matters measurably by itself: what one tells others tell too, or there is little to tell."
    )


def _best(fitted: Any) -> Iterator[tuple[str, str]]:
    """The best setting; of the terms of the equation those that it has."""
    best = fitted.best_params_
    yield "map", map_name(best["features"])
    names = ["loss", "ridge", "smoothing"]
    names += ["manifold", "power"] if best["manifold"] else []
    names += ["spectral", "free_rank"] if best["spectral"] else []
    yield from ((name, best[name] if isinstance(best[name], str) else f"{best[name]:g}") for name in names)


def help_of(guard: Guard) -> Help:
    """What the guard measured and did, in words.

    Examples
    --------
    >>> help_of(Guard(1.0, 0.02, 0.005, "Kept.")).headline
    'Yes: the model is better with them, and it uses them.'
    """
    gain, error = float(guard.gain), float(guard.error)
    sure = NormalDist().cdf(gain / error) if error > 0 else (1.0 if gain > 0 else 0.5)
    # the guard acts from 90 % on; a plain yes or no needs more
    plainly = max(sure, 1.0 - sure) >= SURE
    if guard.share == 1.0:
        headline = f"{'Yes' if plainly else 'Probably'}: the model is better with them, and it uses them."
    elif guard.share == 0.0:
        headline = f"{'No' if plainly else 'Probably not'}: the model does better without them and leaves them aside."
    else:
        headline = f"Hard to tell: the model uses them with a weight of {percent(guard.share)}."
    return Help(headline, guard.sentence, gain, error, sure, float(guard.share))


def smoothing_words(fitted: Any) -> str:
    """What smoothing did, in one plain sentence.

    A row of smoothed features is a share of its own ones and the rest of its neighbours', so that shares of the
    average times their smoothing are what comes from neighbours, and so does all of their votes.
    """
    smoothings = np.array([line.smoothing for line in fitted.plan_])
    if not smoothings.any():
        return "Neighbours were not asked: each row is judged by its own columns alone."
    weights, votes = _weights(fitted), fitted.kinds_.get("neighbours", 0.0)
    looking, taken = float(weights[smoothings > 0].sum()) + votes, float(weights @ smoothings) + votes
    if not looking:
        return "Asking neighbours was tried and did not pay: each row is judged by its own columns alone."
    return (
        f"{percent(looking)} of the average looks at neighbours (smoothing): a row's features are mixed with those of "
        f"the rows nearest to it, labelled or not, so that {percent(taken)} of what decides about a row comes from its "
        f"neighbours and {percent(1.0 - taken)} from the row itself."
    )


def _weights(fitted: Any) -> np.ndarray:
    """What each candidate counts in the model, the mean over the outputs; one refitted has the share of all maps."""
    if fitted.best_estimator_ is None:
        return np.asarray(fitted.shares_.mean(axis=1))
    best, _, _ = _tried(fitted)[fitted.best_index_]
    return np.array([fitted.kinds_["maps"] * (line is best) for line in fitted.plan_])


def spectrum_of(fitted: Any) -> SingularValues:
    """The singular values, and where the tail begins in the heaviest candidate that has a tail penalty."""
    values = np.asarray((fitted.best_estimator_ or fitted).singular_values_, dtype=np.float64)
    whole = int(np.sum(values > 1e-6 * max(float(values[0]), 1e-300)))
    shown = tuple(float(f"{value:.4g}") for value in values[:MOST_VALUES])
    if values.size == 1:
        return SingularValues(shown, None, "One output has one singular value, and no tail to penalise.")
    rank = f"{whole} of {values.size} singular values are above 0: the outputs differ in so many patterns."
    weights = _weights(fitted)
    penalised = [place for place, line in enumerate(fitted.plan_) if line.spectral > 0 and weights[place] > 0]
    if not penalised:
        return SingularValues(shown, None, f"{rank} Nothing that penalises a tail has a weight in the model.")
    first = _first_penalised(fitted, fitted.plan_[max(penalised, key=lambda place: float(weights[place]))])
    share = percent(float(weights[penalised].sum()))
    free = "as many values free as balance the bound" if first is None else f"the first {first} values free"
    words = (
        f"{rank} Candidates that penalise the tail have {share} of the weight in the average; the heaviest of them "
        f"leaves {free}."
    )
    return SingularValues(shown, first, words)


def _first_penalised(fitted: Any, line: Candidate) -> int | None:
    """The count of values left free; None where it was read from another W and is not kept."""
    if fitted.best_estimator_ is not None:
        return int(fitted.best_estimator_.free_rank_)
    if isinstance(line.free_rank, str):
        return None
    n_columns = next(part.weights[line.map].shape[0] for part in fitted.parts_ if line.map in part.weights)
    return resolve_free_rank(line.free_rank, n_columns, fitted.n_outputs_)


def atlas_of(fitted: Any) -> Atlas:
    """Losses over ridge and smoothing (or manifold) on the best map, and the lowest loss of every map."""
    tried = _tried(fitted)
    best = tried[fitted.best_index_][0]
    names = [map_name(feature_map) for feature_map in fitted.cv_results_["param_features"]]
    lowest: dict[str, float] = {}
    for name, (_, _, loss) in zip(names, tried, strict=True):
        lowest[name] = min(loss, lowest.get(name, np.inf))
    mine = [one for one in tried if one[0].map == best.map]
    shown = [one for one in mine if not one[0].spectral] or mine
    maps = tuple(sorted(lowest.items(), key=lambda item: item[1]))
    least = min(loss for _, _, loss in tried)
    return Atlas(len(tried), names[fitted.best_index_], least, tuple(_panels(shown, best)), maps)


def _tried(fitted: Any) -> list[Tried]:
    """Every setting in the order of ``loo_``: a path falls along its ridges, which all candidates have in common."""
    settings = [(line, ridge) for line in fitted.plan_ for ridge in sorted(line.ridges, reverse=True)]
    return [(line, ridge, float(loss)) for (line, ridge), loss in zip(settings, fitted.loo_, strict=True)]


def _panels(tried: Sequence[Tried], best: Candidate) -> Iterator[Panel]:
    """One panel for each loss and value of the axis that is not shown, that of the best setting first."""
    several = {name for name in ("smoothing", "manifold") if len({getattr(line, name) for line, _, _ in tried}) > 1}
    axis = "manifold" if several == {"manifold"} else "smoothing"
    leaders: list[Candidate] = []
    for line in (best, *(line for line, _, _ in tried)):
        if not any(_belongs(line, leader, axis) for leader in leaders):
            leaders.append(line)
    for leader in leaders:
        yield _panel(axis, [one for one in tried if _belongs(one[0], leader, axis)], leader)


def _belongs(line: Candidate, leader: Candidate, axis: str) -> bool:
    # without the manifold term powers do not differ
    same_power = line.power == leader.power or line.manifold == 0.0
    return line.loss == leader.loss and same_power and (axis == "manifold" or line.manifold == leader.manifold)


def _panel(axis: str, tried: Sequence[Tried], leader: Candidate) -> Panel:
    table: dict[tuple[float, float], float] = {}
    for line, ridge, loss in tried:
        place = (getattr(line, axis), ridge)
        table[place] = min(loss, table.get(place, np.inf))
    values = sorted({value for value, _ in table})
    ridges = sorted({ridge for _, ridge in table})
    rows = tuple(tuple(table.get((value, ridge)) for ridge in ridges) for value in values)
    name = f"{leader.loss} loss"
    if axis == "manifold":
        name += f", graph power {leader.power}"
    elif leader.manifold:
        name += f", manifold {leader.manifold:g}, graph power {leader.power}"
    return Panel(name, axis, tuple(values), tuple(ridges), rows, tried[0][0].scaled)


def map_name(feature_map: Any) -> str:
    """A map in words.

    Examples
    --------
    >>> from lsvv.features import RandomFourier
    >>> map_name(Linear()), map_name(RandomFourier(width=2.0))
    ('straight (linear)', 'curved (RandomFourier, width 2)')
    """
    if isinstance(feature_map, Linear):
        return "straight (linear)"
    kind, width = type(feature_map).__name__, getattr(feature_map, "width", None)
    return kind if not isinstance(width, float) else f"curved ({kind}, width {number(width)})"
