"""What every bound asks of its arguments, with one sentence for each mistake."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Version: TypeAlias = Literal["printed", "corrected"]


def positive(name: str, value: float) -> float:
    """``value`` as a float, when it is finite and above 0."""
    number = float(value)
    if not (np.isfinite(number) and number > 0):
        raise ValueError(f"{name} is {value!r}; it must be a finite number above 0.")
    return number


def whole(name: str, value: int, least: int = 1) -> int:
    """``value`` as an int, when it is a whole number of at least ``least``."""
    if int(value) != value or value < least:
        raise ValueError(f"{name} is {value!r}; it must be a whole number of at least {least}.")
    return int(value)


def probability(name: str, value: float) -> float:
    """``value`` as a float, when it lies strictly between 0 and 1."""
    number = float(value)
    if not 0 < number < 1:
        raise ValueError(f"{name} is {value!r}; it must lie strictly between 0 and 1.")
    return number


def is_corrected(version: str) -> bool:
    """True for ``"corrected"``, False for ``"printed"``."""
    if version not in ("printed", "corrected"):
        raise ValueError(f'version is {version!r}; choose "printed" (the formula of the paper) or "corrected".')
    return version == "corrected"


def nonincreasing(name: str, values: ArrayLike) -> Floats:
    """``values`` as a 1-d float array, when they are finite, not negative and sorted downwards."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}; pass a non-empty 1-d array.")
    if not np.all(np.isfinite(array)) or np.any(array < 0):
        worst = int(np.argmin(np.where(np.isfinite(array), array, -np.inf)))
        raise ValueError(f"{name}[{worst}] is {array[worst]}; every entry must be finite and at least 0.")
    if np.any(np.diff(array) > 0):
        worst = int(np.argmax(np.diff(array)))
        raise ValueError(f"{name} rises after entry {worst}; sort it from the largest to the smallest.")
    return array
