"""Sub-root functions: psi >= 0, nondecreasing, psi(r)/sqrt(r) nonincreasing; psi(r*) = r* has one r* > 0."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq


class SubRoot(ABC):
    """psi: a value for every r > 0, and the one point r* > 0 with psi(r*) = r*.

    Examples
    --------
    >>> from lsvv.theory import LinearUnderRoot
    >>> psi = LinearUnderRoot(1.0, 2.0)
    >>> psi.fixed_point, psi(2.0), psi(8.0)
    (2.0, 2.0, 3.1622776601683795)
    """

    @abstractmethod
    def __call__(self, r: float) -> float:
        """psi(r)."""

    @property
    @abstractmethod
    def fixed_point(self) -> float:
        """r* with psi(r*) = r*, and 0 when psi is 0."""


@dataclass(frozen=True)
class _NotNegative(SubRoot):
    """One whose numbers are all finite and at least 0."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (np.isfinite(value) and value >= 0):
                raise ValueError(f"{type(self).__name__}: {name} is {value!r}; it must be finite and at least 0.")


@dataclass(frozen=True)
class LinearUnderRoot(_NotNegative):
    """psi(r) = sqrt(slope r + offset); r* = (slope + sqrt(slope^2 + 4 offset)) / 2.

    The shape of Theorem 2 (and of Theorem 3 as printed) for one theta.

    Parameters
    ----------
    slope, offset : float
        Not negative.

    Examples
    --------
    >>> LinearUnderRoot(1.0, 2.0).fixed_point
    2.0
    """

    slope: float
    offset: float

    def __call__(self, r: float) -> float:
        """sqrt(slope r + offset)."""
        return float(np.sqrt(self.slope * r + self.offset))

    @property
    def fixed_point(self) -> float:
        """The larger root of r^2 = slope r + offset."""
        return float((self.slope + np.hypot(self.slope, 2 * np.sqrt(self.offset))) / 2)


@dataclass(frozen=True)
class RootPlusConstant(_NotNegative):
    """psi(r) = factor sqrt(r) + constant; sqrt(r*) = (factor + sqrt(factor^2 + 4 constant)) / 2.

    The shape of the corrected Theorem 3 for one theta.

    Parameters
    ----------
    factor, constant : float
        Not negative.

    Examples
    --------
    >>> RootPlusConstant(1.0, 2.0).fixed_point
    4.0
    """

    factor: float
    constant: float

    def __call__(self, r: float) -> float:
        """Sum of factor sqrt(r) and constant."""
        return float(self.factor * np.sqrt(r) + self.constant)

    @property
    def fixed_point(self) -> float:
        """The square of the larger root of s^2 = factor s + constant."""
        return float(((self.factor + np.hypot(self.factor, 2 * np.sqrt(self.constant))) / 2) ** 2)


@dataclass(frozen=True)
class Minimum(SubRoot):
    """psi(r) = min over parts; r* is the smallest r* of the parts.

    Each part lies below r beyond its own fixed point and above r before it, hence so does the minimum
    at the smallest of them.

    Parameters
    ----------
    parts : tuple of SubRoot
        At least one.

    Examples
    --------
    >>> Minimum((LinearUnderRoot(1.0, 2.0), LinearUnderRoot(0.0, 9.0))).fixed_point
    2.0
    """

    parts: tuple[SubRoot, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise ValueError("Minimum has no parts; give at least one sub-root function.")

    def __call__(self, r: float) -> float:
        """The smallest part at r."""
        return min(part(r) for part in self.parts)

    @property
    def fixed_point(self) -> float:
        """The smallest fixed point of the parts."""
        return min(part.fixed_point for part in self.parts)


@dataclass(frozen=True)
class Numerical(SubRoot):
    """Any sub-root function given as code; r* by root finding to a relative 1e-13.

    psi(r)/sqrt(r) does not rise and psi does not fall, so r* lies between psi(1) and psi(1)^2: that is
    the bracket. The function is tried on a grid around it and refused if it is not sub-root.

    Parameters
    ----------
    function : callable
        r -> psi(r), for instance a measured local complexity with its signs held fixed.

    Examples
    --------
    >>> round(Numerical(lambda r: 2 * r**0.5).fixed_point, 9)
    4.0
    """

    function: Callable[[float], float]

    def __call__(self, r: float) -> float:
        """The value of the function at r."""
        return float(self.function(r))

    @property
    def fixed_point(self) -> float:
        """The root of psi(r) = r inside the bracket."""
        at_one = self(1.0)
        if at_one == 0:
            return 0.0
        low, high = sorted((at_one, at_one**2))
        self._refuse_unless_sub_root(low, high)
        low, high = low * (1 - 1e-9), high * (1 + 1e-9)
        return float(brentq(lambda r: self(r) - r, low, high, xtol=1e-15 * high, rtol=1e-13))

    def _refuse_unless_sub_root(self, low: float, high: float) -> None:
        grid = np.geomspace(low / 4, high * 4, 13)
        values = np.array([self(r) for r in grid])
        slack = 1e-6 * np.abs(values[:-1])
        ratio = values / np.sqrt(grid)
        if np.any(values < 0) or np.any(np.diff(values) < -slack):
            raise ValueError("The function is negative or falls somewhere; it is not sub-root.")
        if np.any(np.diff(ratio) > 1e-6 * ratio[:-1]):
            raise ValueError("The function grows faster than sqrt(r) somewhere; it is not sub-root.")
