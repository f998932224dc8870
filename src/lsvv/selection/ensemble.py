"""The average as a model: one W for each map and loss, and how their expectations are put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lsvv.assembly import map_rows
from lsvv.linalg import Array, like
from lsvv.losses import Loss
from lsvv.selection.atlas import Member, expected


@dataclass(frozen=True, eq=False)
class Family:
    """All members of one map and one loss as a single W: sum_s w_s W_s, and their share of the whole."""

    map: int
    loss: Loss
    W: np.ndarray
    b: np.ndarray
    share: np.ndarray


@dataclass(frozen=True, eq=False)
class Ensemble:
    """M(x) = mean + stretch (sum_f share_f link_f(W_f' phi_f(x) + b_f) - mean), one column an output."""

    families: tuple[Family, ...]
    mean: np.ndarray
    stretch: float

    def expectations(self, maps: Sequence[Any], X: Array) -> Array:
        """M for the rows of ``X``."""
        total: Array = 0.0
        for family in self.families:
            scores = map_rows(maps[family.map], X).times(family.W) if family.W.any() else None
            if scores is None:
                scores = like(np.zeros((X.shape[0], family.b.size)), X)
            scores = scores + like(family.b, scores)[None, :]
            total = total + like(family.share, scores)[None, :] * expected(scores, family.loss)
        mean = like(self.mean, total)[None, :]
        return mean + self.stretch * (total - mean)


def combine(
    members: Sequence[Member],
    weights: np.ndarray,
    losses: dict[str, Loss],
    bases: Sequence[np.ndarray | None],
) -> tuple[list[Family], np.ndarray]:
    """The families of the weighted members, and the leave-one-out expectation of their average."""
    families, loo = [], np.zeros(members[0].loo.shape)
    keys = sorted({(member.setting.map, member.setting.loss) for member in members})
    for key in keys:
        chosen = [i for i, member in enumerate(members) if (member.setting.map, member.setting.loss) == key]
        share = weights[chosen].sum(axis=0)
        if not share.any():
            continue
        inner = weights[chosen] / np.where(share > 0, share, 1.0)
        W = sum(inner[j] * members[i].W for j, i in enumerate(chosen))
        b = sum(inner[j] * members[i].b for j, i in enumerate(chosen))
        scores = sum(inner[j] * members[i].loo.astype(np.float64) for j, i in enumerate(chosen))
        loss, basis = losses[key[1]], bases[key[0]]
        families.append(Family(key[0], loss, np.asarray(W) if basis is None else basis @ W, np.asarray(b), share))
        loo += share * expected(np.asarray(scores), loss)
    return families, loo


def spectrum_of(families: Sequence[Family]) -> np.ndarray:
    """Singular values of the heaviest family's W, the one a single-map average consists of."""
    heaviest = max(families, key=lambda family: float(family.share.sum()))
    return np.linalg.svd(heaviest.W, compute_uv=False)
