"""Probabilities from scores: softmax or sigmoid of scores / temperature, the temperature fitted on held-out scores."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from lsvv.linalg import Array, namespace


def probabilities(scores: Array, temperature: float, *, one_class_a_row: bool) -> Array:
    """softmax(f / t) over the classes, or sigmoid(f / t) for each label; finite for all finite scores."""
    xp = namespace(scores)
    scaled = scores / temperature
    if one_class_a_row:
        E = xp.exp(scaled - xp.max(scaled, axis=1, keepdims=True))
        return E / xp.sum(E, axis=1, keepdims=True)
    tail = xp.exp(-xp.abs(scaled))
    return xp.where(scaled > 0, 1.0 / (1.0 + tail), tail / (1.0 + tail))


def fit_temperature(scores: np.ndarray, T: np.ndarray, A: np.ndarray, *, one_class_a_row: bool) -> float:
    """argmin_t of the weighted log loss of held-out scores against T, between 1e-3 and 1e3 of their spread.

    Targets are pulled towards uniform by one row's worth (Platt's correction), so that a handful of rows that all
    happen to be right does not make the model certain.
    """
    weight = A[:, :1] if one_class_a_row else A
    known = weight > 0
    n_known, n_classes = max(1, int(known.sum())), T.shape[1] if one_class_a_row else 2
    spread = float(np.std(scores)) or 1.0
    pull = 1.0 / (n_known + n_classes)
    soft = T * (1.0 - n_classes * pull) + pull

    def log_loss(log_temperature: float) -> float:
        p = probabilities(scores, np.exp(log_temperature), one_class_a_row=one_class_a_row)
        p = np.clip(p, 1e-300, 1.0)
        if one_class_a_row:
            return -float(np.sum(weight * soft * np.log(p)))
        return -float(np.sum(weight * (soft * np.log(p) + (1 - soft) * np.log(np.clip(1 - p, 1e-300, 1.0)))))

    centre = np.log(spread)
    found = minimize_scalar(log_loss, bounds=(centre - 7.0, centre + 7.0), method="bounded", options={"xatol": 1e-4})
    return float(np.exp(found.x))
