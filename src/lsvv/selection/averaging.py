"""Weights from leave-one-out losses, what a mixture says of labels it has not seen, and the guard: pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import erf, sqrt
from typing import Self

import numpy as np
from scipy.optimize import minimize

SHARPNESS = 0.3
"""c in the weights; between 0.25 and 0.5 serves from ten labels to a thousand."""
KIND_SHARPNESS = 1.0
"""c in the shares of kinds of model: they are three, not thirty, so that their losses may count in full."""
SMALLEST = 1e-4
"""What has less than this share of the heaviest weight is dropped."""
REVIVALS = 5
"""Times that weights lost on the way may start anew."""
WEIGHT_FOLDS = 5
"""Groups of rows whose expectations are mixed by the shares that the others decide."""


def loo_weights(losses: np.ndarray, n_labels: np.ndarray | float, sharpness: float = SHARPNESS) -> np.ndarray:
    """w_s proportional to exp(-c n (loss_s - best) / (2 best)), one column an output; columns sum to 1.

    The exponent is n times half the relative excess of the leave-one-out loss: the log of a Gaussian likelihood
    ratio, tempered by c because the losses of n labels are noisy and the settings many.

    Examples
    --------
    >>> import numpy as np
    >>> loo_weights(np.array([[1.0], [1.0], [9.0]]), 100.0).round(3).ravel().tolist()
    [0.5, 0.5, 0.0]
    """
    best = _best(losses)
    exponent = -sharpness * n_labels * (losses - best) / (2.0 * best)
    return _without_negligible(np.exp(exponent - exponent.max(axis=0)))


def stacking_weights(Q: np.ndarray, n_labels: float, sharpness: float = SHARPNESS) -> np.ndarray:
    """argmin over the simplex of c n / (2 best) w'Qw + sum_s w_s log w_s, with Q_st the product of residuals s and t.

    w'Qw is the leave-one-out loss of the average itself. In its place sum_s w_s Q_ss, the average of the losses, would
    give ``loo_weights``, which end at the best one alone as labels grow; here models that err on different rows share
    the weight. The entropy holds the weights together while labels are few.

    Examples
    --------
    >>> import numpy as np
    >>> stacking_weights(np.array([[1.0, 0.0], [0.0, 1.1]]), 1e6).round(3).tolist()
    [0.524, 0.476]
    >>> loo_weights(np.array([[1.0], [1.1]]), 1e6).ravel().tolist()
    [1.0, 0.0]
    """
    if not np.isfinite(Q).all():
        raise ValueError("Leave-one-out losses are not finite. Look for very large values in X and y, or scale them.")
    scaled = sharpness / 2.0 * (Q / _best(np.diag(Q)))
    z = np.zeros(len(Q))
    # from few labels to all, so that no first step is long
    for n in (*(10.0**e for e in range(1, 12) if 10.0**e < n_labels), n_labels):
        z = _settled(n * scaled, z)
    return _without_negligible(_softmax(z)[0])


def _settled(S: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The logarithms, from z, of the weights at which 2 Sw + log w is constant, less the largest.

    A weight that a long step put at 0 has no slope in z and would stay there: it starts anew where that law puts it.
    """
    for _ in range(REVIVALS):
        x = minimize(_entropic, z, (S,), "L-BFGS-B", jac=True, options={"maxiter": 1000, "ftol": 1e-13}).x
        (w, log_w), z = _softmax(x), x - x.max()
        slope = 2.0 * S @ w
        due = w @ (slope + log_w) - slope - log_w.max()
        lost = (z < np.log(SMALLEST)) & (due > np.log(SMALLEST))
        if not lost.any():
            break
        z = np.where(lost, due, z)
    return z


def _entropic(z: np.ndarray, S: np.ndarray) -> tuple[float, np.ndarray]:
    """w'Sw + sum_s w_s log w_s at w = softmax(z), and its slope in z."""
    w, log_w = _softmax(z)
    half = S @ w
    slope = 2.0 * half + log_w
    return float(w @ half + w @ log_w), w * (slope - w @ slope)


def _softmax(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """w = exp(z) / sum exp(z), and log w: of a few entries, for which SciPy's own takes five times as long."""
    log_w = z - z.max()
    log_w -= np.log(np.exp(log_w).sum())
    return np.exp(log_w), log_w


def _best(losses: np.ndarray) -> np.ndarray:
    """The smallest loss; where it is next to nothing beside the others, enough to divide by."""
    small = np.maximum(1e-3 * np.median(losses, axis=0), 1e-9 * losses.mean(axis=0))
    return np.asarray(np.maximum(losses.min(axis=0), np.maximum(small, 1e-300)))


def _without_negligible(weights: np.ndarray) -> np.ndarray:
    """Weights that sum to 1 over the first axis, those far below the heaviest dropped."""
    weights = np.where(weights >= SMALLEST * weights.max(axis=0), weights, 0.0)
    return np.asarray(weights / weights.sum(axis=0))


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What is expected of each labelled row by models that have not learnt its label, two ways.

    Shares of a mixture look at labels too. A row's label moves them through its own residual, and through those of the
    rows that have learnt from it: for a symmetric smoother by as much again, to first order. The first way is seen
    where shares come from other folds of rows, so that both together are twice the difference.

    Attributes
    ----------
    apart : array of shape (n, K)
        Mixed by shares that the other folds decide.
    together : array of shape (n, K)
        Mixed by shares that all rows decide; the same where nothing was mixed.
    """

    apart: np.ndarray
    together: np.ndarray

    @classmethod
    def plain(cls, expectation: np.ndarray) -> Self:
        """Of one model, which has no shares."""
        return cls(expectation, expectation)

    @property
    def honest(self) -> np.ndarray:
        """2 apart - together: neither way has a part in it, to first order."""
        return 2.0 * self.apart - self.together

    def through(self, link: Callable[[np.ndarray], np.ndarray]) -> LeftOut:
        """Both seen through a link."""
        return LeftOut(link(self.apart), link(self.together))


def without_own(n_rows: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows of a fold, and those that may decide for them, as masks; rows may come in a period, so folds are drawn."""
    folds = np.random.default_rng(0).permutation(n_rows) % min(WEIGHT_FOLDS, n_rows)
    for fold in range(folds.max() + 1):
        yield folds == fold, folds != fold


def mixed(parts: Sequence[LeftOut], shares_by: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, LeftOut]:
    """Shares (parts, K), and what sum_s share_s part_s expects; ``shares_by`` takes a mask of the rows that decide."""
    n_rows = len(parts[0].apart)
    shares = shares_by(np.ones(n_rows, dtype=bool))
    apart = np.zeros(parts[0].apart.shape)
    for mine, others in without_own(n_rows):
        apart[mine] = _sum(shares_by(others), [one.apart[mine] for one in parts])
    return shares, LeftOut(apart, _sum(shares, [one.together for one in parts]))


def _sum(shares: np.ndarray, parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.asarray(sum(share * part for share, part in zip(shares, parts, strict=True)))


@dataclass(frozen=True)
class Guard:
    """What the guard did with what unlabelled rows bring, and why.

    Attributes
    ----------
    share : float
        Weight of the semi-supervised model, 1 - share that of the supervised one.
    gain, error : float
        Mean paired difference of held-out losses, supervised minus semi-supervised, and its standard error.
    sentence : str

    Examples
    --------
    >>> import numpy as np
    >>> found = guard(np.array([0.5, 0.7, 0.6]), np.array([0.2, 0.3, 0.2]))
    >>> found.share
    1.0
    >>> found.sentence.split(":")[0]
    'Rows without a label help and are used'
    """

    share: float
    gain: float
    error: float
    sentence: str


def likely_better(first: np.ndarray, second: np.ndarray) -> tuple[float, float, float]:
    """How likely the second of two models is better, the mean of its gain and the standard error of that.

    Held-out losses are paired, one a labelled row, and their mean difference follows a normal law. A probability above
    0.9 is 1, and one below 0.1 is 0.

    Examples
    --------
    >>> import numpy as np
    >>> likely_better(np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0]))[0]
    0.5
    """
    difference = first - second
    gain = float(difference.mean())
    spread = float(difference.std(ddof=1)) if difference.size > 1 else 0.0
    error = spread / float(np.sqrt(difference.size))
    share = 0.5 * (1.0 + erf(gain / (error * sqrt(2.0)))) if error > 0 else 0.5 * (1.0 + float(np.sign(gain)))
    return 1.0 if share > 0.9 else 0.0 if share < 0.1 else share, gain, error


def guard(supervised: np.ndarray, semi_supervised: np.ndarray) -> Guard:
    """Keep, mix or drop what unlabelled rows bring, from paired held-out losses, one a labelled row.

    The share is the probability that the semi-supervised model is the better one: near 1 it is kept, near 0 dropped,
    and mixed in between.
    """
    share, gain, error = likely_better(supervised, semi_supervised)
    unsure = f"make no sure difference and are used with weight {share:.2f}"
    did = {1.0: "help and are used", 0.0: "do not help here and are left aside"}.get(share, unsure)
    change = f"{abs(gain):.2g} {'lower' if gain > 0 else 'higher'}" if gain else "the same"
    rows = f"{supervised.size} labelled row{'' if supervised.size == 1 else 's'}"
    sentence = (
        f"Rows without a label {did}: with them the error on {rows}, each predicted without its label, is {change} "
        f"(standard error {error:.2g})."
    )
    return Guard(share, gain, error, sentence)
