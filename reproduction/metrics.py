"""What a method is judged by on the test rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score, label_ranking_loss

from reproduction.data.registry import Task

__all__ = ["THRESHOLD", "judge"]

THRESHOLD = 0.5
"""A label is given where the score is above it, strictly."""


def judge(task: Task, scores: NDArray[np.floating], y: NDArray[Any]) -> dict[str, float]:
    """The figures of scores on test rows.

    "multi-class": error = 100 mean(argmax of scores != y). "multi-label": hamming = 100 mean([score > 0.5] != y),
    micro_f1, macro_f1 (a label without a true or given positive counts 0) and ranking_loss, all in per cent.
    "regression": rmse = sqrt(mean((score - y)^2)) over all entries, and mse100 = 100 rmse^2.

    Parameters
    ----------
    task : str
        "multi-class", "multi-label" or "regression".
    scores : array of shape (rows, K)
        One column an output.
    y : array of shape (rows,) or (rows, K)
        Classes 0 .. K-1; labels or targets.

    Examples
    --------
    >>> judge("multi-class", np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0, 0]))
    {'error': 50.0}
    """
    if len(scores) != len(y) or not np.isfinite(scores).all():
        raise ValueError(f"{len(y)} test rows need a finite score each, but the scores have shape {scores.shape}.")
    if task == "multi-class":
        return {"error": 100.0 * float(np.mean(scores.argmax(axis=1) != y))}
    if task == "regression":
        mse = float(np.mean((scores - y) ** 2))
        return {"rmse": mse**0.5, "mse100": 100.0 * mse}
    given = (scores > THRESHOLD).astype(np.int64)
    return {
        "hamming": 100.0 * float(np.mean(given != y)),
        "micro_f1": 100.0 * float(f1_score(y, given, average="micro", zero_division=0.0)),
        "macro_f1": 100.0 * float(f1_score(y, given, average="macro", zero_division=0.0)),
        "ranking_loss": 100.0 * float(label_ranking_loss(y, scores)),
    }
