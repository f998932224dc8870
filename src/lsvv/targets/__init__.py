"""The one gate for y: which entries are known, how they are coded for a loss, and how scores are read back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lsvv.linalg import Array, like, like_numbers, namespace, to_float64, to_numpy
from lsvv.targets.reading import (
    as_column,
    as_floats,
    as_rows_of_targets,
    as_targets_array,
    read_classes,
    refuse_plus_and_minus_one,
)
from lsvv.targets.scales import may_be_logs, shifts
from lsvv.targets.weighting import class_factor, copies, entry_weight, label_factor, row_weight

__all__ = [
    "Classes",
    "Codec",
    "Labels",
    "Numbers",
    "Targets",
    "as_targets_array",
    "encode_classes",
    "encode_labels",
    "encode_numbers",
    "may_be_logs",
    "on_logs",
    "some_outputs",
]


LARGEST_SINGLE = 1e30
"""Numbers beyond it are read back in double precision, whatever the rows had."""


class Codec(ABC):
    """How one kind of target is read from scores (n x K, already free of the loss's threshold)."""

    one_class_a_row: bool = False

    @abstractmethod
    def decode(self, scores: Array) -> Array:
        """Targets as the user spells them; numbers in the kind of the scores, names as NumPy arrays."""


@dataclass(frozen=True, eq=False)
class Classes(Codec):
    """One class a row, coded as an indicator: one output a class."""

    classes: np.ndarray
    one_class_a_row = True

    def decode(self, scores: Array) -> Array:
        """The class of the highest score; the first of a tie."""
        best = namespace(scores).argmax(scores, axis=1)
        return like_numbers(self.classes[to_numpy(best)], scores)


@dataclass(frozen=True, eq=False)
class Labels(Codec):
    """Several yes/no labels a row."""

    dtype: Any
    n_labels: int

    @property
    def classes(self) -> np.ndarray:
        """The places of the labels."""
        return np.arange(self.n_labels)

    def decode(self, scores: Array) -> Array:
        """1 where a score is above the threshold, strictly."""
        return like_numbers((to_numpy(scores) > 0).astype(self.dtype), scores)


@dataclass(frozen=True, eq=False)
class Numbers(Codec):
    """Real targets, as they are or as logarithms log(y + shift), standardised over their known entries.

    Attributes
    ----------
    mean, scale : arrays of shape (K,)
        Of the targets, or of their logarithms.
    one_dimensional : bool
        Whether ``y`` was.
    logs : bool array of shape (K,)
        Outputs that are logarithms.
    shift, most, lift : arrays of shape (K,)
        What is added before the logarithm is taken; the greatest logarithm that is read back, one deviation above the
        known ones, since beyond it exp would be a guess; and what exp is multiplied by to aim at the mean.
    """

    mean: np.ndarray
    scale: np.ndarray
    one_dimensional: bool
    logs: np.ndarray
    shift: np.ndarray
    most: np.ndarray
    lift: np.ndarray

    def decode(self, scores: Array) -> Array:
        """Scores on the targets' own scale."""
        if np.abs([self.scale, self.mean]).max() > LARGEST_SINGLE:
            scores = to_float64(scores)
        xp = namespace(scores)
        mean, scale, shift, most, lift = (
            like(part, scores)[None, :] for part in (self.mean, self.scale, self.shift, self.most, self.lift)
        )
        values = scores * scale + mean
        if self.logs.any():
            # most of a plain target is 0, and what becomes of it here is not looked at
            back = xp.exp(xp.minimum(values, most)) * lift - shift
            values = xp.where(like(self.logs, scores)[None, :] > 0, xp.clip(back, 0.0, None), values)
        return values[:, 0] if self.one_dimensional else values

    @property
    def in_the_middle(self) -> Numbers:
        """The codec that reads scores back without aiming at the mean: half of the numbers are below."""
        return replace(self, lift=np.ones_like(self.lift))


@dataclass(frozen=True, eq=False)
class Targets:
    """Coded targets of m rows: ``values`` (m x K, 0 where unknown), ``weights`` (m x K, 0 where not learnt from).

    ``counts`` are the rows that each known entry stands for, 0 where it is unknown; a known class of weight 0 has one
    and is not learnt from. ``given`` are the values before they were standardised, ``about_zero`` or about their mean.
    ``remarks`` are sentences about outputs a user should read.
    """

    values: np.ndarray
    weights: np.ndarray
    counts: np.ndarray
    given: np.ndarray
    codec: Codec
    remarks: tuple[str, ...] = ()
    about_zero: bool = False

    @property
    def known(self) -> np.ndarray:
        """Which entries were given."""
        return self.counts > 0

    @cached_property
    def labelled(self) -> np.ndarray:
        """Indices of the rows with at least one known entry."""
        return np.flatnonzero(self.weights.any(axis=1))

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the targets a user should read."""
        n_rows = len(self.values)
        if self.labelled.size < n_rows:
            return self.remarks
        return (f"All {n_rows} rows are labelled: the model is supervised.", *self.remarks)

    def followed_by(self, n_rows: int) -> Targets:
        """The same targets with ``n_rows`` unlabelled rows below."""
        empty = np.zeros((n_rows, self.values.shape[1]))
        return self._with_rows(lambda rows: np.concatenate([rows, empty]))

    def of(self, places: np.ndarray) -> Targets:
        """Those of some of the rows, coded as they are for all."""
        return self._with_rows(lambda rows: rows[places])

    def _with_rows(self, changed: Callable[[np.ndarray], np.ndarray]) -> Targets:
        names = ("values", "weights", "counts", "given")
        rows: dict[str, Any] = {name: changed(getattr(self, name)) for name in names}
        return replace(self, **rows)

    def normalised_weights(self) -> np.ndarray:
        """Weights of the labelled rows, each output's divided by their sum; an unknown output keeps zeros."""
        known = self.weights[self.labelled]
        total = known.sum(axis=0)
        return known / np.where(total > 0, total, 1.0)


def encode_classes(y: Any, n_rows: int, sample_weight: Any, class_weight: Any) -> Targets:
    """1-d classes with -1 (integers), None or NaN (all else) for "unlabelled"."""
    column = as_column(y, n_rows, "y")
    refuse_plus_and_minus_one(column)
    labels, known = read_classes(column)
    weight = known * row_weight(sample_weight, n_rows)
    _refuse_no_label(weight)
    known, counts = weight > 0, copies(weight)
    classes, index = np.unique(labels[known], return_inverse=True)
    if classes.size < 2:
        raise ValueError(
            f"All labelled rows are of one class, {classes.tolist()[0]!r}. A classifier needs at least two classes "
            f"among the labelled rows: label a row of another class."
        )
    values = np.zeros((n_rows, classes.size))
    values[np.flatnonzero(known), index] = 1.0
    weight = weight * class_factor(class_weight, classes, values, weight)
    # one column seen K times
    weights, counts = (np.broadcast_to(rows[:, None], values.shape) for rows in (weight, counts))
    return Targets(values, weights, counts, values, Classes(classes))


def encode_labels(Y: np.ndarray, sample_weight: Any, class_weight: Any) -> Targets:
    """A 2-d indicator of 0 and 1, NaN where unknown."""
    given, values = Y.dtype, as_floats(Y, "Y")
    known = ~np.isnan(values)
    wrong = known & (values != 0) & (values != 1)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"Y holds {values[row, column]:g} at row {row}, column {column}. A 2-d Y for the classifier is an "
            f"indicator of 0 and 1 with NaN for unknown entries; use LSVVRegressor for numbers, or 1-d y for classes."
        )
    weight = known * entry_weight(sample_weight, values.shape)
    _refuse_no_label(weight)
    values, counts = np.where(weight > 0, values, 0.0), copies(weight)
    if class_weight is not None:
        weight = weight * label_factor(class_weight, values, weight)
    kind = given if given.kind in "iub" else np.dtype(np.int64)
    return Targets(values, weight, counts, values, Labels(kind, values.shape[1]), _constant_labels(values, weight))


def encode_numbers(y: Any, n_rows: int, sample_weight: Any, *, about_zero: bool = False) -> Targets:
    """1-d or 2-d numbers, NaN where unknown, standardised by their weighted mean and deviation.

    ``about_zero`` takes 0 for the mean: a model without an intercept says W' phi(x), and nothing of its own.
    """
    raw = as_rows_of_targets(y, n_rows, "y")
    values = as_floats(raw if raw.ndim == 2 else raw[:, None], "y")
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise ValueError(
            f"y contains infinity at row {row}, column {column}. Replace it with a number, or NaN for unknown."
        )
    weight = ~np.isnan(values) * entry_weight(sample_weight, values.shape)
    _refuse_no_label(weight)
    empty = np.flatnonzero(weight.sum(axis=0) == 0)
    if empty.size:
        raise ValueError(
            f"Column {empty[0]} of y has no known entry. Drop the column, or label at least one of its rows."
        )
    values = np.where(weight > 0, values, 0.0)
    return _standardised(values, weight, raw.ndim == 1, np.zeros(values.shape[1], dtype=bool), about_zero)


def on_logs(targets: Targets, logs: np.ndarray) -> Targets:
    """The same numbers with the outputs of ``logs`` (K,) coded as logarithms, the others as they are."""
    assert isinstance(targets.codec, Numbers)
    below = logs & (targets.weights > 0) & (targets.given < 0)
    if below.any():
        row, column = np.argwhere(below)[0]
        raise ValueError(
            f"y holds {targets.given[row, column]:g} at row {row}, column {column}, which has no logarithm. Pass "
            f"target_scale='auto' or 'as is', or numbers of at least 0."
        )
    coded = _standardised(targets.given, targets.weights, targets.codec.one_dimensional, logs, targets.about_zero)
    return replace(coded, remarks=targets.remarks)


def some_outputs(targets: Targets, places: np.ndarray) -> Targets:
    """Some of the outputs alone, as they are."""
    given, weights = targets.given[:, places], targets.weights[:, places]
    return _standardised(given, weights, False, np.zeros(places.sum(), dtype=bool), targets.about_zero)


def _standardised(
    given: np.ndarray, weight: np.ndarray, one_dimensional: bool, logs: np.ndarray, about_zero: bool
) -> Targets:
    """Numbers, or their logarithms, less their weighted mean, or 0, and divided by their deviation from it."""
    known = weight > 0
    shift = np.where(logs, shifts(given, weight), 0.0)
    values = np.where(logs, np.log(np.where(known & logs, given + shift, 1.0)), given)
    share = weight / weight.sum(axis=0)
    mean = (0.0 if about_zero else 1.0) * _sums(share * values)
    with np.errstate(over="ignore"):
        scale = np.sqrt(_sums(share * np.where(known, values - mean, 0.0) ** 2))
    if not np.all(np.isfinite(scale)):
        raise ValueError("y holds values whose squares overflow. Divide y by its largest value first.")
    # a spread at rounding level is a constant column: its deviation is no unit to measure in
    scale = np.where(scale > 1e-12 * np.abs(mean), scale, 1.0)
    standard = np.where(known, (values - mean) / scale, 0.0)
    most = np.where(logs, np.max(values, axis=0, where=known, initial=-np.inf) + scale, 0.0)
    codec = Numbers(mean, scale, one_dimensional, logs, shift, most, np.ones_like(mean))
    return Targets(standard, weight, copies(weight), given, codec, about_zero=about_zero)


def _sums(columns: np.ndarray) -> np.ndarray:
    """The sums of columns to the last bit, in whatever order their rows come: a tree may split on it."""
    return np.asarray(np.sort(columns, axis=0).sum(axis=0))


def _refuse_no_label(weight: np.ndarray) -> None:
    if not (weight > 0).any():
        raise ValueError(
            "No row is labelled: every y is missing (-1, None or NaN) or of weight 0. Label some rows; with none "
            "there is nothing to learn from."
        )


def _constant_labels(values: np.ndarray, weight: np.ndarray) -> tuple[str, ...]:
    """Labels that never vary among their known entries."""
    yes, total = (weight * values).sum(axis=0), weight.sum(axis=0)
    notes = []
    for kind, columns in (
        ("has no known entry and is predicted 0", np.flatnonzero(total == 0)),
        ("never occurs and is predicted 0", np.flatnonzero((total > 0) & (yes == 0))),
        ("always occurs and is predicted 1", np.flatnonzero((total > 0) & (yes == total))),
    ):
        if columns.size:
            listed = ", ".join(str(c) for c in columns[:5]) + (", ..." if columns.size > 5 else "")
            notes.append(f"Label column {listed} {kind}.")
    return tuple(notes)
