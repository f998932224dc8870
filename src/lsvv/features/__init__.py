"""Feature maps phi and the mapped rows Phi = phi(X)."""

from typing import Any

from lsvv.features.columns import Ranges, Ranks
from lsvv.features.maps import MAPS, FeatureMap, LandmarkMap, Linear, Nystroem, RandomFourier, Sketch
from lsvv.features.rows import BLOCK_BYTES, MappedRows
from lsvv.features.trees import Trees
from lsvv.inputs import shown

__all__ = [
    "BLOCK_BYTES",
    "FeatureMap",
    "LandmarkMap",
    "Linear",
    "MappedRows",
    "Nystroem",
    "RandomFourier",
    "Ranges",
    "Ranks",
    "Sketch",
    "Trees",
    "as_feature_map",
]


def as_feature_map(features: Any, random_state: Any) -> Any:
    """A fresh, unfitted transformer from a short name ("linear", "fourier", ...) or from an object.

    An object is cloned; where it has a ``random_state`` of None it takes the estimator's.

    Examples
    --------
    >>> from lsvv.features import Nystroem, as_feature_map
    >>> as_feature_map("fourier", random_state=0)
    RandomFourier(random_state=0)
    >>> as_feature_map(Nystroem(50, random_state=7), random_state=0)
    Nystroem(n_components=50, random_state=7)
    """
    from sklearn.base import clone

    if isinstance(features, str):
        if features not in MAPS:
            raise ValueError(
                f"features={shown(features)} is not known. Choose one of {', '.join(sorted(MAPS))}, or pass a "
                f"transformer."
            )
        chosen = MAPS[features]()
    elif isinstance(features, type) or not callable(getattr(features, "transform", None)):
        raise ValueError(
            f"features={shown(features)} is not a transformer. Pass a short name or an object with fit and transform."
        )
    else:
        chosen = clone(features)
    if chosen.get_params(deep=False).get("random_state", 0) is None:
        chosen.set_params(random_state=random_state)
    return chosen
