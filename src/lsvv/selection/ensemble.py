"""The average as a model: one W for each map and loss, and how their expectations are put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from lsvv.assembly import map_rows
from lsvv.calibration import fit_temperature, probabilities
from lsvv.linalg import Array, like
from lsvv.losses import Loss, Squared
from lsvv.selection.atlas import Member, Setting, expected
from lsvv.selection.averaging import loo_weights, stacking_weights

WEIGHT_FOLDS = 5
"""Groups of rows whose expectations are averaged by the weights of the others."""

_Key: TypeAlias = tuple[int, str, bool]


@dataclass(frozen=True, eq=False)
class Family:
    """All members of one map and one loss as a single W: sum_s w_s W_s, and their share of the whole.

    Those that were taught are a family of their own.

    Scores of the squared loss, which of classes estimate probabilities but shrunken ones, may have a temperature.
    """

    map: int
    loss: Loss
    W: np.ndarray
    b: np.ndarray
    share: np.ndarray
    temperature: float | None = None

    def expectation(self, scores: Array) -> Array:
        """What the scores let expect of the 0/1 target."""
        if self.temperature is None:
            return expected(scores, self.loss)
        return probabilities(scores, self.temperature, one_class_a_row=True)


@dataclass(frozen=True, eq=False)
class Ensemble:
    """M(x) = mean + stretch (sum_f share_f link_f(W_f' phi_f(x) + b_f) - mean), one column an output."""

    families: tuple[Family, ...]
    mean: np.ndarray
    stretch: float

    def expectations(self, maps: Sequence[Any], X: Array) -> Array:
        """M for the rows of ``X``; each map is applied once."""
        total: Array = 0.0
        for number in sorted({family.map for family in self.families}):
            mine = [family for family in self.families if family.map == number]
            scores = map_rows(maps[number], X).times(np.concatenate([family.W for family in mine], axis=1))
            for place, family in enumerate(mine):
                K = family.b.size
                part = scores[:, place * K : (place + 1) * K] + like(family.b, scores)[None, :]
                total = total + like(family.share, scores)[None, :] * family.expectation(part)
        mean = like(self.mean, total)[None, :]
        return mean + self.stretch * (total - mean)


@dataclass(frozen=True, eq=False)
class Average:
    """Families with their shares, the leave-one-out expectation of the whole, and each member's weight."""

    families: tuple[Family, ...]
    loo: np.ndarray
    weights: np.ndarray

    def mixed_with(self, other: Average, share: float) -> Average:
        """``share`` of this average and the rest of the other, both over the same members."""
        families = [replace(f, share=share * f.share) for f in self.families if share > 0]
        families += [replace(f, share=(1.0 - share) * f.share) for f in other.families if share < 1]
        blend = share * self.loo + (1.0 - share) * other.loo
        return Average(tuple(families), blend, share * self.weights + (1.0 - share) * other.weights)


def average(
    members: Sequence[Member],
    use: np.ndarray,
    T: np.ndarray,
    A: np.ndarray,
    losses: dict[str, Loss],
    bases: Sequence[np.ndarray | None],
    *,
    per_output: bool,
    one_class_a_row: bool,
) -> Average:
    """Settings of one map by their leave-one-out losses; draws of one kind alike; kinds by what their average loses.

    Draws differ by chance, and in how much of the grid they met, so none is preferred; and a kind is judged by what the
    average of its draws adds to the whole. For the squared loss to be judged beside a loss that estimates
    probabilities, its scores of classes are made probabilities first, by the temperature that suits the leave-one-out
    scores, if one does.
    """
    n_labels = (A > 0).sum(axis=0).astype(np.float64)
    weights = np.zeros((len(members), T.shape[1]))
    families: dict[_Key, tuple[Family, np.ndarray, int]] = {}
    for key in sorted({_key(m.setting) for m, used in zip(members, use, strict=True) if used}):
        chosen = [i for i, m in enumerate(members) if use[i] and _key(m.setting) == key]
        inner = _setting_weights(np.array([members[i].losses for i in chosen]), n_labels, per_output)
        weights[chosen] = inner
        W, b, scores = (
            sum(w * getattr(members[i], part) for w, i in zip(inner, chosen, strict=True)) for part in ("W", "b", "loo")
        )
        basis, loss = bases[key[0]], losses[key[1]]
        family = Family(key[0], loss, W if basis is None else basis @ W, np.asarray(b), np.zeros(T.shape[1]))
        family, expectation = _tempered(family, np.asarray(scores, dtype=np.float64), T, A, one_class_a_row)
        families[key] = (family, expectation, members[chosen[0]].setting.kind)
    kinds = sorted({(kind, *key[1:]) for key, (_, _, kind) in families.items()})
    groups = [[key for key, (_, _, kind) in families.items() if (kind, *key[1:]) == one] for one in kinds]
    loo = np.array([np.mean([families[key][1] for key in group], axis=0) for group in groups])
    outer, whole = _stacked(loo, T, A, per_output)
    placed = []
    for group, share in zip(groups, outer, strict=True):
        for key in group:
            placed.append(replace(families[key][0], share=share / len(group)))
            rows = [i for i, m in enumerate(members) if use[i] and _key(m.setting) == key]
            weights[rows] *= share / len(group)
    return Average(tuple(family for family in placed if family.share.any()), whole, weights)


def _key(setting: Setting) -> _Key:
    """What the members of a family share."""
    return setting.map, setting.loss, setting.taught


def _tempered(
    family: Family, scores: np.ndarray, T: np.ndarray, A: np.ndarray, one_class_a_row: bool
) -> tuple[Family, np.ndarray]:
    """A family of the squared loss with a temperature where that helps, and what its leave-one-out scores expect.

    Where the labels hardly depend on the rows, the scores are as good as probabilities and the link would bend them.
    """
    plain = np.asarray(family.expectation(scores))
    if not (one_class_a_row and isinstance(family.loss, Squared)):
        return family, plain
    known = (A > 0).astype(np.float64)
    fitted = fit_temperature(scores, T, known, one_class_a_row=True)
    warm = replace(family, temperature=fitted)
    bent = np.asarray(warm.expectation(scores))
    helps = np.sum(A * (bent - T) ** 2) < np.sum(A * (plain - T) ** 2)
    return (warm, bent) if helps else (family, plain)


def _setting_weights(losses: np.ndarray, n_labels: np.ndarray, per_output: bool) -> np.ndarray:
    """Weights of settings (rows) for outputs (columns), the same for all unless ``per_output``."""
    if per_output:
        return loo_weights(losses, n_labels)
    weights = loo_weights(losses.sum(axis=1, keepdims=True), float(n_labels.max()))
    return np.repeat(weights, losses.shape[1], axis=1)


def _stacked(loo: np.ndarray, T: np.ndarray, A: np.ndarray, per_output: bool) -> tuple[np.ndarray, np.ndarray]:
    """Weights of shape (kinds, outputs) from expectations of shape (kinds, rows, outputs), and the average of these.

    On each row the average is taken by weights that did not see its label: those of the other folds.
    """
    n = len(T)
    # rows may come in a period that a plain count would follow
    folds = np.random.default_rng(0).permutation(n) % min(WEIGHT_FOLDS, n)
    parts = [folds == fold for fold in range(folds.max() + 1)]
    products = np.array([_products(np.sqrt(A[mine]) * (loo[:, mine] - T[mine]), per_output) for mine in parts])
    n_labels = np.array([(A[mine] > 0).sum(axis=0) for mine in parts])
    whole = np.zeros(T.shape)
    for fold, mine in enumerate(parts):
        others = np.arange(len(parts)) != fold
        share = _kind_weights(products[others].sum(axis=0), n_labels[others].sum(axis=0))
        whole[mine] = np.sum(share[:, None, :] * loo[:, mine], axis=0)
    return _kind_weights(products.sum(axis=0), n_labels.sum(axis=0)), whole


def _products(residuals: np.ndarray, per_output: bool) -> np.ndarray:
    """Q of each output, or one for all of them together, of shape (1 or outputs, kinds, kinds)."""
    each = residuals.transpose(2, 0, 1) if per_output else residuals.reshape(1, len(residuals), -1)
    return np.asarray(each @ each.transpose(0, 2, 1))


def _kind_weights(products: np.ndarray, n_labels: np.ndarray) -> np.ndarray:
    """Weights of kinds (rows) for outputs (columns)."""
    counts = n_labels if len(products) > 1 else [n_labels.max()]
    weights = [stacking_weights(Q, float(count)) for Q, count in zip(products, counts, strict=True)]
    return np.broadcast_to(np.stack(weights, axis=1), (products.shape[1], n_labels.size))


def spectrum_of(families: Sequence[Family]) -> np.ndarray:
    """Singular values of the heaviest family's W."""
    heaviest = max(families, key=lambda family: float(family.share.sum()))
    return np.linalg.svd(heaviest.W, compute_uv=False)
