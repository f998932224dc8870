"""Estimators in scikit-learn's manner."""

from lsvv.estimators.classifier import LSVVClassifier
from lsvv.estimators.regressor import LSVVRegressor

__all__ = ["LSVVClassifier", "LSVVRegressor"]
