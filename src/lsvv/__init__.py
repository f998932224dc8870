"""Semi-supervised vector-valued learning: few labels, many outputs, one estimator.

h(x) = W' phi(x) + b minimises loss + ridge ||W||^2 + manifold tr(W' G W) + spectral * (tail singular values of W) over
labelled and unlabelled rows.
"""

from lsvv.estimators import LSVVClassifier, LSVVRegressor
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
    "will_unlabeled_help",
]
