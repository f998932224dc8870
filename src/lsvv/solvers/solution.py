"""What a solver returns: the point, what the objective says of it, and why the solver stopped."""

from __future__ import annotations

from dataclasses import dataclass

from lsvv.linalg import Array


@dataclass(frozen=True, eq=False)
class Solution:
    """A point and its proof.

    Attributes
    ----------
    variable : array
        V, with W in its first D rows and the intercept below where the risk has one.
    value : float
        The objective at V.
    residual : float
        The norm of the prox-gradient map at V as a share of the gradient at 0: the one measure of optimality.
    n_iter : int
        Steps taken (passes over the rows for mini-batches).
    converged : bool
        Whether the residual reached the tolerance.
    status : str
        Why the solver stopped, in a sentence.
    history : tuple of float
        The objective after each step, the start first.
    gap : float
        For a smoothed hinge, how far the kinked objective at V lies above the smoothed one; 0 otherwise.
    """

    variable: Array
    value: float
    residual: float
    n_iter: int
    converged: bool
    status: str
    history: tuple[float, ...] = ()
    gap: float = 0.0
