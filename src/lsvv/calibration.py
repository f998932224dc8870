"""From scores to answers: the threshold of a label, the temperature of softmax or sigmoid, the lift of a logarithm.

All are fitted on held-out scores.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

from lsvv.linalg import Array, namespace
from lsvv.targets import Numbers

PULL = 2.0
"""Rows of no class in particular that a temperature is fitted beside."""


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
    as by two more rows, however many classes there are (Platt's correction, which is for two): a handful of rows that
    all happen to be right does not make the model certain. A row of weight 2 counts as two rows.
    """
    weight = weights[:, :1] if one_class_a_row else weights
    n_classes = T.shape[1] if one_class_a_row else 2
    pull = PULL / (float(weight.sum()) + PULL)
    soft = T * (1.0 - pull) + pull / n_classes
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


def fit_threshold(expectations: np.ndarray, T: np.ndarray, weights: np.ndarray) -> float:
    """The expectation at which a label is as likely as not: 1/2 + (1/2 - a) / b, from T = a + b (expectation - 1/2).

    The line is fitted by least squares to the held-out expectations between 1/4 and 3/4, of all outputs together.
    Where scores are shrunken, most labels are there long before 1/2. A shift within two of its standard errors is none,
    and a larger one is shortened, to shift (1 - (2 error / shift)^2); a label has a variance of 1/4 at most.

    Examples
    --------
    >>> import numpy as np
    >>> shrunken = np.linspace(0.0, 0.6, 1000)[:, None]
    >>> round(fit_threshold(shrunken, (shrunken > 0.4).astype(float), np.ones((1000, 1))), 1)
    0.4
    """
    near = (np.abs(expectations - 0.5) < 0.25) & (weights > 0)
    X = np.stack([np.ones(int(near.sum())), expectations[near] - 0.5], axis=1)
    if len(X) < 2 or np.ptp(X[:, 1]) < 1e-6:
        return 0.5
    weighted = X.T * weights[near]
    influence = np.linalg.inv(weighted @ X) @ weighted
    rate, slope = influence @ T[near]
    if slope <= 0.0:
        return 0.5
    shift = (0.5 - rate) / slope
    error = 0.5 * np.linalg.norm(influence[0] + shift * influence[1]) / slope
    kept = 1.0 - (2.0 * error / shift) ** 2 if abs(shift) > 2.0 * error else 0.0
    return float(np.clip(0.5 + kept * shift, 0.25, 0.75))


def own_scale_errors(codec: Numbers, scores: np.ndarray, T: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """sum_i weight_ik (decode(score_ik) - decode(T_ik))^2: the squared error of each output on its own scale."""
    said = np.reshape(codec.decode(scores), scores.shape)
    truth = np.reshape(codec.in_the_middle.decode(T), T.shape)
    return np.asarray((weights * np.where(weights > 0, said - truth, 0.0) ** 2).sum(axis=0))


def with_lifts(codec: Numbers, scores: np.ndarray, T: np.ndarray, weights: np.ndarray) -> Numbers:
    """The codec whose logarithms aim at the mean: exp(score) times the mean of exp(error) (Duan's smearing).

    ``scores`` are held out, and of each output ``weights`` sum to 1. Where the lift does not lower the squared error
    on the output's own scale there is none.
    """
    if not codec.logs.any():
        return codec
    # an error beyond e^50 says nothing of a mean
    error = np.clip(codec.scale * (T - scores), -50.0, 50.0)
    smeared = (weights * np.exp(error)).sum(axis=0)
    lifted = replace(codec, lift=smeared)
    helps = own_scale_errors(lifted, scores, T, weights) < own_scale_errors(codec, scores, T, weights)
    return replace(codec, lift=np.where(codec.logs & helps, smeared, 1.0))
