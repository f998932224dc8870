"""Choosing hyper-parameters from few labels: leave-one-label-out, averaging, the guard, splitters and scorers."""

from lsvv.selection.diagnosis import Diagnosis, will_unlabeled_help
from lsvv.selection.estimators import LSVVClassifierCV, LSVVRegressorCV
from lsvv.selection.splitters import LabeledKFold, LabeledShuffleSplit

__all__ = [
    "Diagnosis",
    "LSVVClassifierCV",
    "LSVVRegressorCV",
    "LabeledKFold",
    "LabeledShuffleSplit",
    "will_unlabeled_help",
]
