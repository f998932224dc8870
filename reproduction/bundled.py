"""Data that needs no download: two sets that come with scikit-learn and one that is generated."""

import numpy as np
from sklearn.datasets import load_iris, load_wine, make_multilabel_classification

from reproduction.data import DataError, Dataset

__all__ = ["BUNDLED", "GENERATED", "bundled"]

GENERATED = "generated"
BUNDLED = ("iris", "wine", GENERATED)


def bundled(name: str) -> Dataset:
    """One of the sets in ``BUNDLED``: iris and wine as in the paper, and 200 generated rows with 6 labels.

    Examples
    --------
    >>> bundled("iris").X.shape, bundled("generated").y.shape
    ((150, 4), (200, 6))
    """
    if name not in BUNDLED:
        raise DataError(f"{name} does not come with scikit-learn; choose one of: {', '.join(BUNDLED)}.")
    if name == GENERATED:
        X, Y = make_multilabel_classification(200, 12, n_classes=6, n_labels=2, random_state=0)
        return Dataset(name, "multi-label", X, Y.astype(np.int64), (), ())
    X, y = (load_iris if name == "iris" else load_wine)(return_X_y=True)
    classes = tuple(str(value) for value in np.unique(y))
    return Dataset(name, "multi-class", X, y.astype(np.int64), classes, ())
