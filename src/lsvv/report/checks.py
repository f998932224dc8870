"""What was learnt of a target, held against known cells that were hidden one at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lsvv.intervals import left_out_interval
from lsvv.tables import Answer
from lsvv.tables.quality import typical_errors

__all__ = ["Bin", "Confusion", "Learnt", "MixUp", "NumberCheck", "Output", "calibration_of", "learnt_of"]

MOST_CLASSES = 12
MOST_MIX_UPS = 10
MOST_OUTPUTS = 60
MOST_NUMBERS = 2000
FEWEST_A_BIN = 8


@dataclass(frozen=True)
class Output:
    """One class or tag: known and filled cells that bear it, and how well it is found.

    ``found`` is the share of its known cells that come out as it, ``right`` the share of those that come out as it
    which are it; None where there are none.
    """

    name: str
    known: int
    filled: int
    found: float | None
    right: float | None

    @property
    def f1(self) -> float | None:
        """2 found right / (found + right); None where it is neither known nor given.

        Examples
        --------
        >>> Output("old", known=4, filled=2, found=0.5, right=1.0).f1
        0.6666666666666666
        """
        if self.found is None and self.right is None:
            return None
        found, right = self.found or 0.0, self.right or 0.0
        return 2.0 * found * right / (found + right) if found + right else 0.0


@dataclass(frozen=True)
class Confusion:
    """counts[i][j]: known cells of class i that come out as class j when their label is hidden."""

    names: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class MixUp:
    """A class that comes out as another, and how often."""

    known: str
    came_out: str
    count: int


@dataclass(frozen=True)
class Bin:
    """Known cells of like probability: its mean, the share that is right with its 95 % interval, their count."""

    said: float
    right: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class NumberCheck:
    """Known numbers against predictions made without them, and the ends and usual width of intervals.

    ``off`` is the median distance of these predictions from the known numbers, ``mean_off`` that of the mean of all
    other known numbers.
    """

    rows: tuple[int, ...]
    known: tuple[float, ...]
    predicted: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    half_width: float
    coverage: float
    measured: float
    off: float
    mean_off: float


@dataclass(frozen=True)
class Learnt:
    """What was learnt of one target, checked on known cells that were hidden one at a time.

    Attributes
    ----------
    column, task, reason : str
        The column, what was found to be asked for, and why.
    n_known, n_filled : int
        Cells.
    measure : str
        "right" for shares of right answers, "R²" for numbers.
    value, low, high, baseline : float or None
        The measure, its 95 % interval, and the same for the plainest answer; None where it cannot be measured.
    outputs, confusion, mix_ups, calibration : tuples
        For classes, labels and tags.
    f1 : float or None
        For tags: 2 x those given rightly / (those known + those given), over all tags of all known cells.
    certainty : tuple of int
        Filled cells by probability, in ten bins from 0 to 1.
    numbers : NumberCheck or None
        For numbers.
    model : int
        The place of its model in the report.
    """

    column: str
    task: str
    reason: str
    n_known: int
    n_filled: int
    measure: str
    value: float | None
    low: float | None
    high: float | None
    baseline: float | None
    outputs: tuple[Output, ...]
    confusion: Confusion | None
    mix_ups: tuple[MixUp, ...]
    calibration: tuple[Bin, ...]
    f1: float | None
    certainty: tuple[int, ...]
    numbers: NumberCheck | None
    model: int


def learnt_of(result: Answer, model: int) -> Learnt:
    """All the report says of one target."""
    target, quality = result.target, result.quality
    measured = math.isfinite(quality.value)
    numbers = _numbers(result)
    outputs: tuple[Output, ...] = ()
    confusion, mix_ups, f1 = None, tuple[MixUp, ...](), None
    calibration: tuple[Bin, ...] = ()
    if target.task != "numbers":
        names, truth, P, chosen = _indicators(result)
        outputs = _outputs(result, names, truth, chosen)
        if target.task == "tags":
            f1 = _f1(truth, chosen)
        else:
            confusion, mix_ups = _confusion(names, np.argmax(truth, axis=1), np.argmax(P, axis=1))
        calibration = _calibration(target.task, truth, P) if len(truth) else ()
    certainty = np.zeros(0) if result.probability is None else result.probability[result.rows]
    return Learnt(
        column=target.column,
        task=target.task,
        reason=target.reason,
        n_known=int(target.known.sum()),
        n_filled=len(result.rows),
        measure="R²" if quality.measure == "R2" else "right",
        value=quality.value if measured else None,
        low=_finite(quality.low) if measured else None,
        high=_finite(quality.high) if measured else None,
        baseline=quality.baseline if measured else None,
        outputs=outputs,
        confusion=confusion,
        mix_ups=mix_ups,
        calibration=calibration,
        f1=f1,
        certainty=tuple(np.histogram(certainty, bins=10, range=(0.0, 1.0))[0].tolist()) if certainty.size else (),
        numbers=numbers,
        model=model,
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _indicators(result: Answer) -> tuple[tuple[str, ...], np.ndarray, np.ndarray, np.ndarray]:
    """Names of the outputs, and for hidden cells the truth, probabilities and answers, each of shape (cells, K)."""
    target, P = result.target, result.held_out
    truth = target.values[result.held_out_rows]
    if target.task == "tags":
        return target.outputs, truth, P, (P > 0.5) | (P.max(axis=1, keepdims=True) == P)
    names = target.choices
    if target.task == "labels":
        P = np.column_stack([1.0 - P, P])
    eye = np.eye(len(names))
    return names, eye[truth.astype(int)], P, eye[np.argmax(P, axis=1)]


def _outputs(result: Answer, names: Sequence[str], truth: np.ndarray, chosen: np.ndarray) -> tuple[Output, ...]:
    target = result.target
    known, filled = (
        part if part.ndim == 2 else np.eye(len(names))[part.astype(int)]
        for part in (target.values[target.known], result.predictions[result.rows])
    )
    both = (truth * chosen).sum(axis=0)
    n_known, n_filled = known.sum(axis=0).astype(int).tolist(), filled.sum(axis=0).astype(int).tolist()
    found, right = _shares(both, truth.sum(axis=0)), _shares(both, chosen.sum(axis=0))
    order = sorted(range(len(names)), key=lambda place: (-n_known[place], names[place]))[:MOST_OUTPUTS]
    return tuple(Output(names[k], n_known[k], n_filled[k], found[k], right[k]) for k in order)


def _f1(truth: np.ndarray, chosen: np.ndarray) -> float | None:
    """Over all tags of all cells; None where there are none."""
    below = float(truth.sum() + chosen.sum())
    return 2.0 * float((truth * chosen).sum()) / below if below else None


def _shares(above: np.ndarray, below: np.ndarray) -> list[float | None]:
    return [float(a / b) if b > 0 else None for a, b in zip(above, below, strict=True)]


def _confusion(
    names: Sequence[str], truth: np.ndarray, guess: np.ndarray
) -> tuple[Confusion | None, tuple[MixUp, ...]]:
    """The whole matrix for few classes, and what is mixed up most."""
    K = len(names)
    counts = np.bincount(truth * K + guess, minlength=K * K).reshape(K, K)
    wrong = counts - np.diag(np.diag(counts))
    pairs = [divmod(int(flat), K) for flat in np.argsort(-wrong, axis=None, kind="stable")[:MOST_MIX_UPS]]
    mix_ups = tuple(MixUp(names[i], names[j], int(wrong[i, j])) for i, j in pairs if wrong[i, j])
    matrix = Confusion(tuple(names), tuple(map(tuple, counts.tolist()))) if K <= MOST_CLASSES else None
    return matrix, mix_ups


def _calibration(task: str, truth: np.ndarray, P: np.ndarray) -> tuple[Bin, ...]:
    """Of the answer given, or for tags of every yes."""
    if task == "tags":
        return calibration_of(P.ravel(), truth.ravel() > 0.5)
    best = np.argmax(P, axis=1)
    return calibration_of(P.max(axis=1), best == np.argmax(truth, axis=1))


def calibration_of(said: np.ndarray, right: np.ndarray) -> tuple[Bin, ...]:
    """Bins of about as many cells each, from the least probable to the most: at most ten.

    Examples
    --------
    >>> import numpy as np
    >>> one, two = calibration_of(np.repeat([0.6, 0.9], 10), np.arange(20) % 5 > 0)
    >>> one.said, one.right, two.count
    (0.6, 0.8, 10)
    """
    n_bins = int(np.clip(said.size // FEWEST_A_BIN, 1, 10))
    bins = []
    for part in np.array_split(np.argsort(said, kind="stable"), n_bins):
        share = float(right[part].mean())
        low, high = left_out_interval(share, part.size)
        bins.append(Bin(round(float(said[part].mean()), 4), round(share, 4), round(low, 4), round(high, 4), part.size))
    return tuple(bins)


def _numbers(result: Answer) -> NumberCheck | None:
    if result.interval is None or result.held_out_ends is None:
        return None
    rows, interval = result.held_out_rows, result.interval
    step = max(1, math.ceil(rows.size / MOST_NUMBERS))
    known, predicted, lower, upper = (
        tuple(float(f"{value:.5g}") for value in part[::step])
        for part in (result.target.values[rows], result.held_out, *result.held_out_ends)
    )
    return NumberCheck(
        tuple((rows[::step] + 1).tolist()),
        known,
        predicted,
        lower,
        upper,
        interval.half_width,
        interval.coverage,
        interval.measured,
        *typical_errors(result.target.values[rows], result.held_out),
    )
