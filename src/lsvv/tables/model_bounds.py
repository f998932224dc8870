"""The bounds of a fitted table model: complexity measured, parts as printed and as corrected, spectra."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from lsvv.assembly import map_rows
from lsvv.features import MappedRows
from lsvv.linalg import dense, to_numpy
from lsvv.spectral import balanced_free_rank
from lsvv.tables.filling import Fitted
from lsvv.tables.modelfile import TableModel
from lsvv.theory import (
    Complexity,
    Decay,
    ExcessBound,
    Facts,
    LocalBound,
    LossConstants,
    Spectrum,
    corollary_1,
    corollary_2,
    covariance_spectrum,
    fit_decay,
    loss_constants,
    rademacher_trace_norm,
    theorem_2,
)
from lsvv.theory.arguments import Version
from lsvv.theory.assumptions import LossName

__all__ = ["VERSIONS", "ModelBounds", "Subject", "bounds_of", "subjects"]

VERSIONS: tuple[Version, ...] = ("printed", "corrected")
N_DRAWS = 50
WIDEST = 4.0
"""Standard deviations within which standardised targets are taken to lie."""


@dataclass(frozen=True, eq=False)
class Subject:
    """What a bound is about: one W of a model, its loss, the sizes, and the features of rows where there are any.

    Attributes
    ----------
    name : str
        The target columns.
    singular_values : array
        Of W.
    n_features, n_outputs : int
        D and K, its shape.
    loss : str
        As :func:`lsvv.theory.loss_constants` calls it.
    target_bound : float
        Largest norm of a row of coded targets.
    n, u : int
        Labelled and unlabelled rows the model was learnt from.
    rows : MappedRows or None
        phi of some rows of the same kind.
    notes : tuple of str
        What was left out or taken for granted.
    """

    name: str
    singular_values: np.ndarray
    n_features: int
    n_outputs: int
    loss: LossName
    target_bound: float
    n: int
    u: int
    rows: MappedRows | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ModelBounds:
    """All that the theory says of one W, in the units of the theorems: ||W||_* <= 1 and ||phi(x)|| <= 1.

    Attributes
    ----------
    subject : Subject
    trace_norm, largest_norm : float
        ||W||_*, and the largest ||phi(x)|| (1 where no rows were given). Their product bounds the scores.
    constants : LossConstants
        L and B of the loss on these scores.
    singular_values : array
        Of W, as it is.
    balanced : int
        The free rank at which the two terms of Theorem 3 are equal.
    motivation : dict
        Corollary 2 by version: a motivation, never a certificate.
    spectrum, decay, complexity : Spectrum, Decay, Complexity or None
        Of the features divided by ``largest_norm``; the complexity at n rows. None without rows.
    local, excess : dict
        Theorem 2 at the radius r* of its corollary, and Corollary 1, by version; empty without rows.
    """

    subject: Subject
    trace_norm: float
    largest_norm: float
    constants: LossConstants
    singular_values: np.ndarray
    balanced: int
    motivation: dict[Version, ExcessBound]
    spectrum: Spectrum | None = None
    decay: Decay | None = None
    complexity: Complexity | None = None
    local: dict[Version, LocalBound] = field(default_factory=dict)
    excess: dict[Version, ExcessBound] = field(default_factory=dict)


def subjects(model: TableModel, X: np.ndarray | None = None) -> list[Subject]:
    """One subject for each group of targets that a table model learnt together; ``X`` are vectorised rows."""
    known = {target["column"]: int(target["known"]) for target in model.summary["targets"]}
    return [_subject(part, known, int(model.summary["rows"]), X) for part in model.fitted]


def _subject(part: Fitted, known: dict[str, int], n_rows: int, X: np.ndarray | None) -> Subject:
    one = _heaviest(part.model)
    K = int(part.model.n_outputs_)
    sizes = {"numbers": WIDEST * K**0.5, "classes": 1.0}
    notes = [one.note, "The intercept is left out: the theorems have none."]
    if one.smoothing > 0.0:
        notes.append(
            f"The features are smoothed over the graph (smoothing {one.smoothing:g}). A row of them is a mean of rows "
            f"before smoothing, so that its norm is at most theirs and the bound on scores holds; eigenvalues and the "
            f"measured complexity are those of the features before smoothing."
        )
    if part.group.task == "numbers":
        notes.append(f"Standardised targets are taken to lie within {WIDEST:g} standard deviations.")
    if X is None:
        notes.append(
            "No rows were given: eigenvalues and the measured complexity need some. The features are taken to have "
            "norm at most 1."
        )
    n = min(known[target.column] for target in part.group.targets)
    return Subject(
        part.group.name,
        one.singular_values,
        one.n_features,
        K,
        _name(one.loss, part.group.task),
        sizes.get(part.group.task, K**0.5),
        n,
        n_rows - n,
        None if X is None else map_rows(one.feature_map, X),
        tuple(note for note in notes if note),
    )


class _Single(NamedTuple):
    """One linear model of a search: its map, the singular values of its W, D, its loss and smoothing, and a note."""

    feature_map: Any
    singular_values: np.ndarray
    n_features: int
    loss: str
    smoothing: float
    note: str


def _heaviest(model: Any) -> _Single:
    """The one model a search settled on, or the heaviest candidate of its average."""
    core = model.best_estimator_
    if core is not None:
        n_features = int(core.coef_.shape[1])
        loss = model.best_params_["loss"]
        return _Single(core.feature_map_, core.singular_values_, n_features, loss, float(core.smoothing), "")
    shares = model.shares_.sum(axis=1)
    line = model.plan_[int(np.argmax(shares))]
    n_features = next(part.weights[line.map].shape[0] for part in model.parts_ if line.map in part.weights)
    n_models = int(np.sum(shares > 0))
    note = f"The model averages {n_models} models; this is the heaviest of them." if n_models > 1 else ""
    return _Single(model.maps_[line.map], model.singular_values_, n_features, line.loss, line.smoothing, note)


def _name(loss: str, task: str) -> LossName:
    """The loss as the theory calls it; the logistic loss of labels is a sigmoid each."""
    if loss == "squared":
        return "squared"
    if loss == "logistic":
        return "logistic" if task == "classes" else "sigmoid"
    raise ValueError(f"The constants of the loss {loss!r} are not known. Fit with the squared or logistic loss.")


def bounds_of(subject: Subject, *, delta: float = 0.05, random_state: int = 0) -> ModelBounds:
    """The theorems for the class {||W||_* <= t}, t the trace norm of the subject's W.

    h = s h' with s = t max ||phi||, where h' is in the class of the theorems (trace norm 1, features of norm 1): the
    loss is (s L)-Lipschitz in h', with L and B taken on scores of norm at most s. For the squared loss the Bernstein
    condition holds with alpha = L^2 on a convex class; for the others alpha = B is assumed.

    Examples
    --------
    >>> from lsvv.features import MappedRows
    >>> rows = MappedRows(np.random.default_rng(0).normal(size=(50, 4)), lambda X: X)
    >>> found = bounds_of(Subject("y", np.ones(2), 4, 2, "squared", 1.0, n=20, u=30, rows=rows))
    >>> found.trace_norm, found.complexity.n_rows, found.excess["corrected"].vacuous
    (2.0, 20, True)
    """
    sigma = np.asarray(subject.singular_values, dtype=np.float64)
    trace_norm = float(sigma.sum())
    if trace_norm == 0.0:
        raise ValueError(f"The W of {subject.name} is 0: the model is constant, and no bound says more than that.")
    spectrum, largest = (None, 1.0) if subject.rows is None else _scaled_spectrum(subject.rows)
    reach = trace_norm * largest
    D, K = subject.n_features, subject.n_outputs
    constants = loss_constants(subject.loss, K, score_bound=reach, target_bound=subject.target_bound)
    inner = replace(constants, lipschitz=reach * constants.lipschitz)
    facts = Facts(None if spectrum is None else spectrum.largest_norm, 1.0, inner)
    common: dict[str, Any] = {
        "n": subject.n,
        "u": subject.u,
        "n_outputs": K,
        "lipschitz": inner.lipschitz,
        "facts": facts,
    }
    risk: dict[str, Any] = {"loss_range": constants.loss_range, "delta": delta}
    alpha = {version: _bernstein(constants, version) for version in VERSIONS}
    motivation = {
        v: corollary_2(sigma / trace_norm, **common, **risk, n_features=D, bernstein=alpha[v], version=v)
        for v in VERSIONS
    }
    found = ModelBounds(
        subject, trace_norm, largest, constants, sigma, balanced_free_rank(sigma, subject.n), motivation
    )
    if subject.rows is None or spectrum is None:
        return found
    excess = {v: corollary_1(spectrum, **common, **risk, bernstein=alpha[v], version=v) for v in VERSIONS}
    return replace(
        found,
        spectrum=spectrum,
        decay=_decay(spectrum),
        complexity=_complexity(subject.rows, K, subject.n, largest, random_state),
        local={v: theorem_2(spectrum, excess[v].r_star, **common, version=v) for v in VERSIONS},
        excess=excess,
    )


def _decay(spectrum: Spectrum) -> Decay | None:
    """The nearest law, of at least three eigenvalues; N rows have no more than N, which is no finite rank."""
    seen = spectrum.eigenvalues[: spectrum.n_rows]
    return fit_decay(seen)[0] if seen.size > 2 else None


def _bernstein(constants: LossConstants, version: Version) -> float | None:
    return constants.lipschitz**2 if constants.name == "squared" and version == "corrected" else None


def _blocks(rows: MappedRows) -> Iterator[np.ndarray]:
    return (np.asarray(to_numpy(dense(block)), dtype=np.float64) for _, block in rows.blocks())


def _scaled_spectrum(rows: MappedRows) -> tuple[Spectrum, float]:
    """Eigenvalues of the features divided by their largest norm, and that norm."""
    raw = covariance_spectrum(_blocks(rows))
    square = raw.largest_norm
    if square == 0.0:
        raise ValueError("All features are 0, so there is nothing to bound. Give rows that differ.")
    return Spectrum(raw.eigenvalues / square, raw.trace / square, 1.0, raw.n_rows), float(np.sqrt(square))


def _complexity(rows: MappedRows, n_outputs: int, n: int, largest: float, random_state: int) -> Complexity:
    """E ||X_eps||_op at n rows: the complexity belongs to the labelled sample size, whichever rows estimate it."""
    size = min(n, rows.shape[0])
    some = np.sort(np.random.default_rng(random_state).choice(rows.shape[0], size, replace=False))
    found = rademacher_trace_norm(_blocks(rows.take(some)), n_outputs, n_draws=N_DRAWS, random_state=random_state)
    return Complexity(
        found.value / largest,
        found.standard_error / largest,
        found.upper / largest,
        found.draws / largest,
        found.n_rows,
    )
