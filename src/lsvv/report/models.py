"""The inside of a fitted model: whether unlabelled rows helped, its singular values, the settings tried."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from lsvv.features import Linear
from lsvv.report.content import Atlas, Help, Model, Panel, Spectrum
from lsvv.report.words import number, percent
from lsvv.selection.atlas import Setting
from lsvv.selection.averaging import Guard
from lsvv.spectral import resolve_free_rank

__all__ = ["atlas_of", "help_of", "map_name", "model_of", "spectrum_of"]

SURE = 0.975
MOST_VALUES = 60


def model_of(name: str, fitted: Any) -> Model:
    """A fitted LSVVClassifierCV or LSVVRegressorCV as the report shows it."""
    help = None if fitted.guard_ is None else help_of(fitted.guard_)
    best = {key: value for key, value in fitted.best_params_.items() if key != "features"}
    shown = (("map", map_name(fitted.best_params_["features"])), *((key, _plain(best[key])) for key in best))
    return Model(name, help, spectrum_of(fitted), atlas_of(fitted), shown)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:g}"


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


def spectrum_of(fitted: Any) -> Spectrum:
    """The singular values, and where the tail begins in the heaviest setting that has a tail penalty."""
    values = np.asarray(fitted.singular_values_, dtype=np.float64)
    weights = fitted.weights_.mean(axis=1)
    members = fitted.atlas_.members
    penalised = [place for place, member in enumerate(members) if member.setting.spectral > 0 and weights[place] > 0]
    whole = int(np.sum(values > 1e-6 * max(float(values[0]), 1e-300)))
    shown = tuple(float(f"{value:.4g}") for value in values[:MOST_VALUES])
    if values.size == 1:
        return Spectrum(shown, None, "One output has one singular value, and no tail to penalise.")
    rank = f"{whole} of {values.size} singular values are above 0: the outputs differ in so many patterns."
    if not penalised:
        return Spectrum(shown, None, f"{rank} No setting that penalises a tail has a weight in the average.")
    heaviest = max(penalised, key=lambda place: float(weights[place]))
    setting = members[heaviest].setting
    first = resolve_free_rank(setting.free_rank, *members[heaviest].W.shape)
    share = percent(float(weights[penalised].sum()))
    words = (
        f"{rank} Settings that penalise the tail have {share} of the weight in the average; the heaviest of them "
        f"leaves the first {first} values free."
    )
    return Spectrum(shown, first, words)


def atlas_of(fitted: Any) -> Atlas:
    """Losses over ridge and manifold for the first draw of the best map, and the lowest loss of every map.

    Further draws met a part of the grid only.
    """
    settings, losses = fitted.atlas_.settings, np.asarray(fitted.loo_, dtype=np.float64)
    best = settings[fitted.best_index_]
    lowest: dict[str, float] = {}
    for setting, loss in zip(settings, losses, strict=True):
        name = map_name(fitted.maps_[setting.map])
        lowest[name] = min(float(loss), lowest.get(name, np.inf))
    first = min(s.map for s in settings if s.kind == best.kind)
    plain = [(s, float(loss)) for s, loss in zip(settings, losses, strict=True) if s.map == first and not s.spectral]
    keys = sorted({(s.loss, s.power) for s, _ in plain}, key=lambda key: key != (best.loss, best.power))
    panels = tuple(_panel(loss, power, [one for one in plain if one[0].loss == loss]) for loss, power in keys)
    maps = tuple(sorted(lowest.items(), key=lambda item: item[1]))
    return Atlas(len(settings), map_name(fitted.maps_[first]), float(losses.min()), panels, maps)


def _panel(loss: str, power: int, tried: Sequence[tuple[Setting, float]]) -> Panel:
    # without the manifold term powers do not differ, and the first stands for all
    table = {(s.manifold, s.ridge): value for s, value in tried if s.power == power or s.manifold == 0.0}
    manifolds = sorted({manifold for manifold, _ in table})
    ridges = sorted({ridge for _, ridge in table})
    rows = tuple(tuple(table.get((manifold, ridge)) for ridge in ridges) for manifold in manifolds)
    return Panel(f"{loss} loss, graph power {power}", tuple(manifolds), tuple(ridges), rows)


def map_name(feature_map: Any) -> str:
    """A map in words.

    Examples
    --------
    >>> map_name(Linear())
    'straight (linear)'
    """
    if isinstance(feature_map, Linear):
        return "straight (linear)"
    width = getattr(feature_map, "width_", None)
    kind = type(feature_map).__name__
    return kind if width is None else f"curved ({kind}, width {number(float(width))})"
