"""Will unlabelled rows help? A short diagnosis before fitting, in numbers and in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu
from sklearn.base import clone

from lsvv.extras import optional
from lsvv.features import RandomFourier
from lsvv.graph import KNNGraph, laplacian
from lsvv.inputs import generator, quoted
from lsvv.linalg import take_rows
from lsvv.selection.averaging import Guard
from lsvv.selection.estimators import LSVVClassifierCV, LSVVRegressorCV
from lsvv.targets import as_targets_array

N_PERMUTATIONS = 200
MAX_ROWS, MAX_LABELS = 5000, 300
CURVE_SHARES = (0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What was found.

    Attributes
    ----------
    smoothness : float
        Energy of the labels on the graph over its mean for permuted labels: below 1, neighbours share labels.
    p_value : float
        Share of permutations whose energy is as low.
    n_parts, n_parts_without_label, n_rows_without_label : int
        Connected parts of the graph, those without any label, and the rows in them.
    guard : Guard
        Measured gain by unlabelled rows on labels left out, with its standard error.
    curve : array of shape (points, 2)
        Number of labels and leave-one-out loss.
    loss_with_twice_the_labels : float
        Predicted by loss = a + b / sqrt(n).
    verdict : str
        All of it in plain words.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from lsvv import will_unlabeled_help
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = np.full(150, -1)
    >>> y[::10] = truth[::10]
    >>> found = will_unlabeled_help(X, y, random_state=0)
    >>> found.p_value < 0.05, found.n_parts_without_label
    (True, 0)
    >>> "Neighbours share labels more than chance" in found.verdict
    True
    """

    smoothness: float
    p_value: float
    n_parts: int
    n_parts_without_label: int
    n_rows_without_label: int
    guard: Guard
    curve: np.ndarray
    loss_with_twice_the_labels: float
    verdict: str

    def plot(self, ax: Any = None) -> Any:
        """The learning curve with the predicted effect of twice the labels, on a matplotlib axis."""
        plt = optional("matplotlib.pyplot", "A plot", "plot")
        ax = plt.subplots()[1] if ax is None else ax
        ax.plot(self.curve[:, 0], self.curve[:, 1], "o-", label="leave-one-out")
        ax.plot(2 * self.curve[-1, 0], self.loss_with_twice_the_labels, "s", label="predicted")
        ax.set(xlabel="labels", ylabel="leave-one-out loss")
        ax.legend()
        return ax


def will_unlabeled_help(
    X: Any,
    y: Any,
    *,
    task: Literal["auto", "classes", "numbers"] = "auto",
    n_neighbors: int = 7,
    random_state: Any = None,
) -> Diagnosis:
    """Smoothness of the labels on the graph, parts without labels, the measured gain, and a learning curve.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        Rows, scaled as for fitting.
    y : array of shape (n,) or (n, K)
        Targets with unlabelled entries, as for :class:`lsvv.LSVVClassifierCV` or :class:`lsvv.LSVVRegressorCV`.
    task : {"auto", "classes", "numbers"}
        Which of the two ``y`` is for; "auto" takes it for numbers where some entry is fractional, and for classes or
        labels otherwise.
    n_neighbors : int
        Neighbours of each row in the graph.
    random_state : int, Generator, RandomState or None
        Seeds permutations, sub-samples and maps.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = np.full(150, -1)
    >>> y[::10] = truth[::10]
    >>> found = will_unlabeled_help(X, y, random_state=0)
    >>> found.smoothness < 1
    True
    """
    rng = generator(random_state)
    array = as_targets_array(y)
    model = _model(array, task, int(rng.integers(2**31)))
    fitted = model.fit(X, array)
    labelled = fitted.labeled_
    S = KNNGraph().build(X, n_neighbors)
    smoothness, p_value = _smoothness(
        X, S, labelled, model._encode(array, len(array), None).values[labelled], rng, n_neighbors
    )
    n_parts, part = connected_components(S, directed=False)
    empty = np.setdiff1d(np.arange(n_parts), part[labelled])
    n_empty_rows = int(np.isin(part, empty).sum())
    curve = _learning_curve(model, X, array, labelled, float(fitted.loo_.min()), rng)
    twice = _predict_twice(curve)
    guard = fitted.guard_
    verdict = _verdict(smoothness, p_value, n_parts, len(empty), n_empty_rows, guard, curve, twice)
    return Diagnosis(smoothness, p_value, n_parts, len(empty), n_empty_rows, guard, curve, twice, verdict)


def _model(y: np.ndarray, task: str, seed: int) -> Any:
    """A quick search: one small map, the squared loss."""
    if task not in ("auto", "classes", "numbers"):
        raise ValueError(f"task={quoted(task)} is not known. Choose 'auto', 'classes' or 'numbers'.")
    numbers = task == "numbers" or (task == "auto" and _some_fractional(y))
    quick: dict[str, Any] = {
        "features": RandomFourier(300, random_state=seed),
        "random_state": seed,
    }
    return LSVVRegressorCV(**quick) if numbers else LSVVClassifierCV(loss="squared", **quick)


def _some_fractional(y: np.ndarray) -> bool:
    if y.dtype.kind == "O":
        y = np.array([entry for entry in y.flat if isinstance(entry, (float, np.floating))], dtype=np.float64)
    return y.dtype.kind == "f" and bool(np.any(np.isfinite(y) & (y != np.round(y))))


def _smoothness(
    X: Any, S: sp.csr_array, labelled: np.ndarray, T: np.ndarray, rng: np.random.Generator, n_neighbors: int
) -> tuple[float, float]:
    """tr(T' E T) over its mean for permuted T; E is the energy of the smoothest function with the labels' values."""
    keep = np.arange(labelled.size)
    if labelled.size > MAX_LABELS:
        keep = np.sort(rng.choice(labelled.size, MAX_LABELS, replace=False))
    rows = labelled[keep]
    if S.shape[0] > MAX_ROWS:
        others = rng.choice(np.setdiff1d(np.arange(S.shape[0]), rows), MAX_ROWS - rows.size, replace=False)
        sample = np.concatenate([rows, np.sort(others)])
        S, rows = KNNGraph().build(take_rows(X, sample), n_neighbors), np.arange(rows.size)
    Lap = laplacian(S) + 1e-3 * sp.eye_array(S.shape[0])
    unit = np.zeros((S.shape[0], rows.size))
    unit[rows, np.arange(rows.size)] = 1.0
    energy = np.linalg.inv(splu(sp.csc_array(Lap)).solve(unit)[rows])
    values = T[keep] - T[keep].mean(axis=0)
    own = float(np.sum(values * (energy @ values)))
    permuted = []
    for _ in range(N_PERMUTATIONS):
        shuffled = values[rng.permutation(len(values))]
        permuted.append(float(np.sum(shuffled * (energy @ shuffled))))
    return own / float(np.mean(permuted)), float((1 + np.sum(np.array(permuted) <= own)) / (1 + N_PERMUTATIONS))


def _learning_curve(
    model: Any, X: Any, y: np.ndarray, labelled: np.ndarray, last: float, rng: np.random.Generator
) -> np.ndarray:
    """(labels, best leave-one-out loss) for nested shares of the labelled rows; shares too small to fit are skipped."""
    order, points = rng.permutation(labelled), []
    for share in CURVE_SHARES[:-1]:
        kept = order[: max(2, round(share * labelled.size))]
        hidden = _hide(y, np.setdiff1d(labelled, kept))
        try:
            points.append((kept.size, float(clone(model).fit(X, hidden).loo_.min())))
        except ValueError:
            continue
    return np.array([*points, (labelled.size, last)])


def _hide(y: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """``y`` with these rows unlabelled."""
    hidden = y.copy()
    hidden[rows] = -1 if y.dtype.kind in "iu" else (None if y.dtype.kind == "O" else np.nan)
    return hidden


def _predict_twice(curve: np.ndarray) -> float:
    """a + b / sqrt(2 n) from a least-squares fit with b >= 0; the last loss where one point is all there is."""
    if len(curve) < 2:
        return float(curve[-1, 1])
    basis = np.column_stack([np.ones(len(curve)), 1.0 / np.sqrt(curve[:, 0])])
    (a, b), *_ = np.linalg.lstsq(basis, curve[:, 1], rcond=None)
    return float(max(0.0, a + b / np.sqrt(2.0 * curve[-1, 0]))) if b > 0 else float(curve[-1, 1])


def _verdict(
    smoothness: float,
    p_value: float,
    n_parts: int,
    n_empty: int,
    n_empty_rows: int,
    guard: Guard,
    curve: np.ndarray,
    twice: float,
) -> str:
    if guard.share == 1.0:
        head = "Unlabelled rows help."
    elif guard.share == 0.0:
        head = "Unlabelled rows do not help here."
    else:
        head = "Too few labels to tell: unlabelled rows may or may not help."
    shared = "share labels more than" if p_value < 0.05 else "share labels no more than"
    parts = f"{n_empty} of the graph's {n_parts} parts ({n_empty_rows} rows) hold no label. " if n_empty else ""
    return (
        f"{head} {guard.sentence} Neighbours {shared} chance would have it (energy {smoothness:.2f} of that of "
        f"permuted labels, p = {p_value:.2f}). {parts}With {int(curve[-1, 0])} labels the leave-one-out loss is "
        f"{curve[-1, 1]:.3g}; with twice as many about {twice:.3g} is to be expected."
    )
