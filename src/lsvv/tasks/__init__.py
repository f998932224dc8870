"""Tasks that share what they know: fields seen at different places, domains, and columns of classes."""

from lsvv.tasks.class_columns import ClassColumns
from lsvv.tasks.cokriging import CoKriging
from lsvv.tasks.transfer import TransferClassifier, TransferRegressor

__all__ = ["ClassColumns", "CoKriging", "TransferClassifier", "TransferRegressor"]
