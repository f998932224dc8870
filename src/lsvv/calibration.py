"""Probabilities from scores: softmax or sigmoid of scores / temperature, the temperature fitted on held-out scores."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

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


def fit_temperature(scores: np.ndarray, T: np.ndarray, weights: np.ndarray, *, one_class_a_row: bool) -> float:
    """argmin_t of the weighted log loss of held-out scores against T, between 1e-3 and 1e3 of their spread.

    The log loss is convex in 1 / t, so its derivative sum w (p - t) f has one root. Targets are pulled towards uniform
    by one row's worth (Platt's correction), so that a handful of rows that all happen to be right does not make the
    model certain. A row of weight 2 counts as two rows.
    """
    weight = weights[:, :1] if one_class_a_row else weights
    n_classes = T.shape[1] if one_class_a_row else 2
    pull = 1.0 / (float(weight.sum()) + n_classes)
    soft = T * (1.0 - n_classes * pull) + pull
    shape = np.broadcast_to(weight, scores.shape)
    spread = float(np.sqrt(np.sum(shape * scores**2) / np.sum(shape)))
    if spread == 0.0:
        return 1.0

    def slope(log_inverse: float) -> float:
        p = probabilities(scores, np.exp(-log_inverse), one_class_a_row=one_class_a_row)
        return float(np.sum(weight * (p - soft) * scores))

    low, high = np.log(1e-3 / spread), np.log(1e3 / spread)
    if slope(low) >= 0.0:
        return float(np.exp(-low))
    if slope(high) <= 0.0:
        return float(np.exp(-high))
    return float(np.exp(-brentq(slope, low, high, xtol=1e-12)))
