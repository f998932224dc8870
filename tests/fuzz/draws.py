"""One number, one case: all that is drawn comes from it, and so does whether any of it is hostile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class Draw:
    """Draws of a case. What no estimator should take is drawn through ``spoilt``, which is remembered."""

    def __init__(self, number: int) -> None:
        self.rng = np.random.default_rng([17, number])
        self.hostile = False

    def one_of(self, choices: Sequence[Any]) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def spoilt(self, share: float) -> bool:
        """Whether this part of the case is to be hostile."""
        hostile = self.chance(share)
        self.hostile |= hostile
        return hostile

    def between(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def count(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))
