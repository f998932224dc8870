"""Choosing hyper-parameters from few labels: leave-one-label-out, averaging, the guard, splitters."""

from lsvv.selection.average import Ensemble, Part
from lsvv.selection.averaging import Guard
from lsvv.selection.diagnosis import Diagnosis, will_unlabeled_help
from lsvv.selection.estimators import LSVVClassifierCV, LSVVRegressorCV
from lsvv.selection.forests import Forest
from lsvv.selection.importances import Importances, column_importances
from lsvv.selection.lean import without_training_rows
from lsvv.selection.plan import Candidate
from lsvv.selection.splitters import LabeledKFold, LabeledShuffleSplit

__all__ = [
    "Candidate",
    "Diagnosis",
    "Ensemble",
    "Forest",
    "Guard",
    "Importances",
    "LSVVClassifierCV",
    "LSVVRegressorCV",
    "LabeledKFold",
    "LabeledShuffleSplit",
    "Part",
    "column_importances",
    "will_unlabeled_help",
    "without_training_rows",
]
