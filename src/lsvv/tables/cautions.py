"""What a reader should hear first: signs that filled cells are worse than they look, or worth nothing."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_auc_score

from lsvv.engine import squared_path
from lsvv.tables.results import Answer
from lsvv.tables.targets import NumberTarget, TagTarget
from lsvv.tables.widths import RIDGES
from lsvv.tables.words import count

__all__ = ["Caution", "cautions", "told_apart"]

MANY_EXPECTED = 5.0
"""So many answers that are expected among the filled cells are hardly missing by chance."""
FEWEST_COMPARED = 20
"""Rows with, and rows without, a known cell to compare."""
MOST_COMPARED = 400
PLAINLY = 0.75
SURE = 3.0
"""Standard errors beyond which a difference is not taken for chance."""
FEWEST_IN_A_ROW = 5
PLACEHOLDERS = ("unknown", "missing", "tbd", "to do", "todo", "unlabeled", "unlabelled")
"""Words, beside signs such as -, that hardly name a class."""


@dataclass(frozen=True)
class Caution:
    """One warning.

    Attributes
    ----------
    kind : "no better", "never given", "not random", "nearly unique" or "placeholder"
    column : str
        The target.
    text : str
        The sentence for a reader.
    """

    kind: str
    column: str
    text: str


def cautions(X: np.ndarray, result: Answer, random_state: int = 0) -> Iterator[Caution]:
    """The warnings of one answer; ``X`` are the inputs it was learnt from."""
    found = (
        ("placeholder", _placeholder(result)),
        ("no better", _no_better(result)),
        ("nearly unique", _nearly_unique(result)),
        ("not random", _not_random(X, result, random_state)),
    )
    yield from (Caution(kind, result.target.column, text) for kind, text in found if text)
    yield from (Caution("never given", result.target.column, text) for text in _never_given(result))


def _placeholder(result: Answer) -> str:
    """A class that may say that there is none."""
    target = result.target
    if target.task != "classes":
        return ""
    signs = [place for place, name in enumerate(target.outputs) if not any(map(str.isalnum, name))]
    words = [place for place, name in enumerate(target.outputs) if name.casefold() in PLACEHOLDERS]
    # + and - are two answers
    found = words if len(signs) > 1 else signs + words
    if not found:
        return ""
    names, n_known = [target.outputs[place] for place in found], int(np.isin(target.values, found).sum())
    return (
        f"{target.column}: {' or '.join(map(repr, names))} in {count(n_known, 'known cell')} was taken for an answer "
        f"like any other. If it means that a cell is empty, give --missing {shlex.quote(','.join(names))}."
    )


def _no_better(result: Answer) -> str:
    """No better on left-out cells than the plainest answer, or not by more than chance."""
    quality, target = result.quality, result.target
    # all known cells the same, or none left out: there is nothing to be better at
    if quality.low > quality.baseline or not np.isfinite(quality.value) or quality.baseline == 1.0:
        return ""
    if quality.value > quality.baseline and not np.isfinite(quality.low):
        return ""
    surely = "may be no better" if quality.value > quality.baseline else "are no better"
    known = target.values[target.known]
    if isinstance(target, NumberTarget):
        plainest = f"the mean, {target.spell(float(known.mean()), more=1)}"
        measured = f"R2 {quality.value:.2f} on known cells left out"
        reach = f", {quality.low:.2f} to {quality.high:.2f}" if np.isfinite(quality.low) else ""
        return f"{target.column}: filled cells {surely} than always giving {plainest} ({measured}{reach})."
    values, counts = np.unique(known, axis=0, return_counts=True)
    commonest = target.spelt(values[np.argmax(counts)][None])[0]
    return (
        f"{target.column}: filled cells {surely} than always giving the most common answer, {commonest!r}: "
        f"{100 * quality.value:.0f} % right ({100 * quality.low:.0f} to {100 * quality.high:.0f} %) on known cells "
        f"left out, against {100 * quality.baseline:.0f} %."
    )


def _nearly_unique(result: Answer) -> str:
    target = result.target
    n_known, n_names = int(target.known.sum()), len(target.outputs)
    if target.task != "classes" or n_known >= 2 * n_names:
        return ""
    return (
        f"{target.column}: the {n_known} known cells are {n_names} different names, and a filled cell can only repeat "
        f"one of them. Label more cells of each, or name classes that recur."
    )


def _never_given(result: Answer) -> Iterator[str]:
    """Answers among known cells that no filled cell gives, though a fair share of them would be many."""
    target, rows = result.target, result.rows
    if isinstance(target, NumberTarget) or not rows.size:
        return
    known = _indicator(result, target.values[target.known])
    given = _indicator(result, result.predictions[rows])
    for place, name in enumerate(target.choices):
        n_known, expected = int(known[:, place].sum()), float(known[:, place].mean() * rows.size)
        if n_known and expected >= MANY_EXPECTED and not given[:, place].any():
            weigh = "" if isinstance(target, TagTarget) else " --class-weight balanced gives rare answers more weight."
            yield (
                f"{target.column}: {name!r} is in {count(n_known, 'known cell')} but in none of the {rows.size:,} "
                f"filled ones, where about {expected:,.0f} would be expected.{weigh}"
            )


def _indicator(result: Answer, values: np.ndarray) -> np.ndarray:
    """Which choices each cell holds."""
    if isinstance(result.target, TagTarget):
        return np.asarray(values > 0.5)
    return np.asarray(values[:, None] == np.arange(len(result.target.choices)))


def _not_random(X: np.ndarray, result: Answer, random_state: int) -> str:
    """The known rows are those at one end of the table, or the inputs tell them from the others."""
    known = result.target.known
    n_known, n_holes = int(known.sum()), int((~known).sum())
    if min(n_known, n_holes) < FEWEST_IN_A_ROW:
        return ""
    column, apart = result.target.column, told_apart(X, known, random_state)
    end = "first" if known[:n_known].all() else "last" if known[-n_known:].all() else ""
    what = "what was measured on known cells may not hold for the filled ones. Label some rows drawn at random."
    if apart is not None:
        where = f" (they are the {end} {n_known:,} rows)" if end else ""
        return (
            f"{column}: the rows with a known cell are no random sample{where}: the inputs tell them from the others "
            f"in {100 * apart:.0f} of 100 pairs, where chance gives 50, so {what}"
        )
    return (
        f"{column}: all known cells are in the {end} {n_known:,} rows. If the order means anything, {what}"
        if end
        else ""
    )


def told_apart(X: np.ndarray, known: np.ndarray, random_state: int = 0) -> float | None:
    """In which share of pairs, one row known and one not, the inputs tell which is which; None if hardly above chance.

    The area under the ROC curve of ridge regression on at most 400 rows of each kind, each row left out in turn.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, known = rng.normal(size=(200, 3)), np.arange(200) < 80
    >>> told_apart(X, known) is None, round(told_apart(X + 2.0 * known[:, None], known), 2)
    (True, 0.99)
    """
    rng = np.random.default_rng(random_state)
    sides = [np.flatnonzero(known), np.flatnonzero(~known)]
    if min(map(len, sides)) < FEWEST_COMPARED:
        return None
    rows = np.concatenate([rng.permutation(side)[:MOST_COMPARED] for side in sides])
    Z, t = X[rows].astype(np.float64), known[rows].astype(np.float64)
    spread = float(Z.var(axis=0).sum())
    if spread == 0.0:
        return None
    path = squared_path(Z, t[:, None], np.full(rows.size, 1.0 / rows.size), [spread * ridge for ridge in RIDGES])
    best = min(path, key=lambda fit: float(np.sum((fit.loo[:, 0] - t) ** 2)))
    area = float(roc_auc_score(t, best.loo[:, 0]))
    # the largest standard error that an area can have
    error = np.sqrt(area * (1.0 - area) / min(t.sum(), (1.0 - t).sum()))
    return area if area >= PLAINLY and area - SURE * error > 0.5 else None
