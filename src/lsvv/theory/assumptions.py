"""What the theorems assume, and whether the data given bear it out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from lsvv.theory.arguments import positive, whole
from lsvv.theory.row_blocks import Rows, blocks

LossName = Literal["hinge", "logistic", "sigmoid", "squared", "absolute"]
ROUNDING = 1e-9


@dataclass(frozen=True)
class Assumption:
    """One assumption: its name, whether it holds (None: not checked), and a sentence that says why.

    Examples
    --------
    >>> from lsvv.theory import theorem_2
    >>> print(theorem_2([0.5, 0.5], r=0.01, n=100).assumptions[0])
    ||W||_* <= 1 is not checked: the trace norm of W was not given.
    """

    name: str
    holds: bool | None
    sentence: str

    def __str__(self) -> str:
        word = {True: "holds", False: "does not hold", None: "is not checked"}[self.holds]
        return f"{self.name} {word}: {self.sentence}"


@dataclass(frozen=True)
class LossConstants:
    """L and B of a loss on scores of norm at most ``score_bound`` (and targets likewise bounded).

    Attributes
    ----------
    name : str
    lipschitz : float
        L of Assumption 1, for the Euclidean norm of the scores.
    loss_range : float
        B: the loss lies in [0, B].

    Examples
    --------
    >>> from lsvv.theory import corollary_1, loss_constants
    >>> squared = loss_constants("squared", n_outputs=3)
    >>> found = corollary_1([0.5, 0.5], n=1000, lipschitz=squared.lipschitz, loss_range=squared.loss_range)
    >>> found.loss_range
    4.0
    """

    name: str
    lipschitz: float
    loss_range: float


def loss_constants(
    loss: LossName, n_outputs: int, *, score_bound: float = 1.0, target_bound: float = 1.0
) -> LossConstants:
    """L and B of Assumption 1, computed from the range of the scores.

    With ||W||_* <= 1 and ||phi(x)|| <= 1 the scores have norm at most 1. Multi-class hinge and softmax
    are sqrt(2)-Lipschitz, because two scores move against each other. The squared loss is Lipschitz
    and bounded on a bounded range alone.

    Parameters
    ----------
    loss : str
        ``"hinge"`` (multi-class), ``"logistic"`` (softmax), ``"sigmoid"`` (logistic loss summed over
        labels), ``"squared"`` (||h - y||^2) or ``"absolute"`` (||h - y||).
    n_outputs : int
        K.
    score_bound, target_bound : float
        Largest norm of the scores and of the targets.

    Examples
    --------
    >>> loss_constants("squared", 3)
    LossConstants(name='squared', lipschitz=4.0, loss_range=4.0)
    """
    K = whole("n_outputs", n_outputs)
    s, y = positive("score_bound", score_bound), positive("target_bound", target_bound)
    swing = np.sqrt(2.0) * s  # the largest difference of two scores
    formulas: dict[str, Callable[[], tuple[float, float]]] = {
        "hinge": lambda: (np.sqrt(2.0), 1 + swing),
        "logistic": lambda: (np.sqrt(2.0), np.logaddexp(0.0, np.log(max(K - 1, 1e-300)) + swing)),
        "sigmoid": lambda: (np.sqrt(K), K * np.logaddexp(0.0, s)),
        "squared": lambda: (2 * (s + y), (s + y) ** 2),
        "absolute": lambda: (1.0, s + y),
    }
    if loss not in formulas:
        raise ValueError(f"loss is {loss!r}; choose one of {', '.join(formulas)}.")
    lipschitz, loss_range = formulas[loss]()
    return LossConstants(loss, float(lipschitz), float(loss_range))


@dataclass(frozen=True)
class Facts:
    """What is known about the data; None is unknown and makes an assumption "not checked".

    Attributes
    ----------
    largest_norm : float or None
        The largest ||phi(x)||^2 over the rows.
    trace_norm : float or None
        ||W||_* of the fitted weights.
    loss : LossConstants or None
        The constants of the loss in use.

    Examples
    --------
    >>> from lsvv.theory import Facts, theorem_2
    >>> found = theorem_2([0.5, 0.5], r=0.01, n=100, facts=Facts(trace_norm=2.5))
    >>> print(found.assumptions[0])
    ||W||_* <= 1 does not hold: the trace norm of W is 2.5; divide W, or rescale phi.
    """

    largest_norm: float | None = None
    trace_norm: float | None = None
    loss: LossConstants | None = None


def measure_facts(
    rows: Rows | None = None, weights: ArrayLike | None = None, loss: LossConstants | None = None
) -> Facts:
    """Facts for the theorems, read from features, weights and a loss; leave out what is not known.

    Parameters
    ----------
    rows : array of shape (n, D) or iterable of such blocks, optional
        The features phi(x_i).
    weights : array of shape (D, K), optional
        W.
    loss : LossConstants, optional
        From :func:`loss_constants`.

    Examples
    --------
    >>> measure_facts(rows=[[3.0, 4.0]], weights=[[0.5], [0.0]])
    Facts(largest_norm=25.0, trace_norm=0.5, loss=None)
    """
    largest = None
    if rows is not None:
        largest = max(float(np.max(np.sum(block.astype(float) ** 2, axis=1))) for block in blocks(rows))
    trace_norm = None
    if weights is not None:
        W = np.asarray(weights, dtype=np.float64)
        if W.ndim != 2:
            raise ValueError(f"weights has shape {W.shape}; pass (features, outputs).")
        trace_norm = float(np.linalg.svd(W, compute_uv=False).sum())
    return Facts(largest, trace_norm, loss)


def check_class(facts: Facts) -> tuple[Assumption, ...]:
    """||W||_* <= 1 and kappa(x, x) <= 1."""
    return (
        _at_most_one("||W||_* <= 1", "the trace norm of W", facts.trace_norm, "divide W, or rescale phi"),
        _at_most_one(
            "kappa(x, x) <= 1",
            "the largest ||phi(x)||^2",
            facts.largest_norm,
            "divide the features by its square root",
        ),
    )


def _at_most_one(name: str, what: str, value: float | None, remedy: str) -> Assumption:
    if value is None:
        return Assumption(name, None, f"{what} was not given.")
    if value <= 1 + ROUNDING:
        return Assumption(name, True, f"{what} is {value:.6g}.")
    return Assumption(name, False, f"{what} is {value:.6g}; {remedy}.")


def check_lipschitz(facts: Facts, lipschitz: float) -> Assumption:
    """The loss is L-Lipschitz in the scores."""
    name = f"L = {lipschitz:.6g} (Lipschitz loss)"
    if facts.loss is None:
        return Assumption(name, None, "no loss was given.")
    needed = facts.loss.lipschitz
    return Assumption(
        name,
        lipschitz >= needed * (1 - ROUNDING),
        f"the {facts.loss.name} loss needs L = {needed:.6g} on its range.",
    )


def check_range(facts: Facts, loss_range: float) -> Assumption:
    """The loss lies in [0, B]."""
    name = f"B = {loss_range:.6g} (bounded loss)"
    if facts.loss is None:
        return Assumption(name, None, "no loss was given.")
    needed = facts.loss.loss_range
    return Assumption(
        name,
        loss_range >= needed * (1 - ROUNDING),
        f"the {facts.loss.name} loss reaches up to {needed:.6g} on its range.",
    )


def check_population(n_rows: int | None) -> Assumption:
    """lambda_j are the eigenvalues of the population's covariance; of how many rows they are where of a sample."""
    name = "lambda_j are the population's"
    if n_rows is None:
        return Assumption(name, None, "the eigenvalues were given as numbers.")
    return Assumption(name, False, f"they are those of {n_rows} rows, which the population's lie about.")
