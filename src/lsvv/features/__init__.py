"""Feature maps phi and the mapped rows Phi = phi(X)."""

from typing import Any

from lsvv.features.affine import LinearFourier
from lsvv.features.columns import Ranges, Ranks
from lsvv.features.encoders import Encoder, asked
from lsvv.features.experts import Experts
from lsvv.features.learning import LearningMap, Lesson
from lsvv.features.maps import MAPS, FeatureMap, LandmarkMap, Linear, Nystroem, RandomFourier, Sketch
from lsvv.features.multiple import MultipleKernels
from lsvv.features.neural import Neural
from lsvv.features.own_columns import Blocks
from lsvv.features.rows import BLOCK_BYTES, MappedRows
from lsvv.features.trees import Trees
from lsvv.inputs import quoted

__all__ = [
    "BLOCK_BYTES",
    "Blocks",
    "Encoder",
    "Experts",
    "FeatureMap",
    "LandmarkMap",
    "LearningMap",
    "Lesson",
    "Linear",
    "LinearFourier",
    "MappedRows",
    "MultipleKernels",
    "Neural",
    "Nystroem",
    "RandomFourier",
    "Ranges",
    "Ranks",
    "Sketch",
    "Trees",
    "as_feature_map",
]

SHORT_NAMES: dict[str, type[FeatureMap]] = {**MAPS, "linear+fourier": LinearFourier}
"""What estimators call maps by."""


def as_feature_map(features: Any, random_state: Any, names: Any = None) -> Any:
    """A fresh, unfitted transformer from a short name ("linear", "fourier", ...) or from an object.

    An object is cloned; where it has a ``random_state`` of None it takes the estimator's. ``names`` are those of the
    columns, for maps that read columns by their names.

    Examples
    --------
    >>> from lsvv.features import Nystroem, as_feature_map
    >>> as_feature_map("fourier", random_state=0)
    RandomFourier(random_state=0)
    >>> as_feature_map(Nystroem(50, random_state=7), random_state=0)
    Nystroem(n_components=50, random_state=7)
    """
    from sklearn.base import clone

    features = asked(features)
    if isinstance(features, str):
        if features not in SHORT_NAMES:
            raise ValueError(
                f"features={quoted(features)} is not known. Choose one of {', '.join(sorted(SHORT_NAMES))}, or pass a "
                f"transformer."
            )
        chosen = SHORT_NAMES[features]()
    elif isinstance(features, type) or not callable(getattr(features, "transform", None)):
        raise ValueError(
            f"features={quoted(features)} is not a transformer. Pass a short name or an object with fit and transform."
        )
    else:
        chosen = clone(features)
    if isinstance(chosen, FeatureMap):
        chosen = chosen.placed(names)
    if chosen.get_params(deep=False).get("random_state", 0) is None:
        chosen.set_params(random_state=random_state)
    return chosen
