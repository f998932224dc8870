"""Semi-supervised vector-valued learning: few labels, many outputs, one estimator.

h(x) = W' phi(x) + b minimises loss + ridge ||W||^2 + manifold tr(W' G W) + spectral * (tail singular values of W) over
labelled and unlabelled rows.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lsvv.estimators import LSVVClassifier, LSVVRegressor
    from lsvv.frames import fill
    from lsvv.selection import (
        LabeledKFold,
        LabeledShuffleSplit,
        LSVVClassifierCV,
        LSVVRegressorCV,
        will_unlabeled_help,
    )

__version__ = "0.1.0"

__all__ = [
    "LSVVClassifier",
    "LSVVClassifierCV",
    "LSVVRegressor",
    "LSVVRegressorCV",
    "LabeledKFold",
    "LabeledShuffleSplit",
    "fill",
    "will_unlabeled_help",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are asked for, so that the command line answers at once."""
    if name in ("LSVVClassifier", "LSVVRegressor"):
        return getattr(import_module("lsvv.estimators"), name)
    if name == "fill":
        return import_module("lsvv.frames").fill
    if name in __all__:
        return getattr(import_module("lsvv.selection"), name)
    raise AttributeError(f"module 'lsvv' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
