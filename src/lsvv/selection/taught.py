"""Self-training: a setting fitted again to what it expects of all rows, judged by k-fold over the labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lsvv.losses import Loss
from lsvv.selection.atlas import Member, Setting, expected, output_losses, path_of
from lsvv.selection.leave_one_out import PathPoint

TAUGHT_FOLDS, N_ROUNDS = 5, 3
TAUGHT_RIDGES = (1e-4, 1e-3, 1e-2)


def taught_members(
    teacher: Setting,
    loss: Loss,
    Phi: np.ndarray,
    labelled: np.ndarray,
    T: np.ndarray,
    a: np.ndarray,
    G: np.ndarray | None,
    folds: np.ndarray,
    *,
    fit_intercept: bool,
) -> list[Member]:
    """argmin of sum_i u_i loss(W'phi_i + b, q_i) + ridge |W|^2 over all N rows, one for each of ``TAUGHT_RIDGES``.

    u_i is n a_i / N of a labelled row and 1 / N of any other; for the squared loss the ridge is taken at 1 - sum u^2.

    q_i is the label where there is one. Elsewhere it is p_i^2 / sum p_i^2 with p_i what the teacher expects, then what
    the last fit expects, for ``N_ROUNDS`` fits: the square makes each row surer of its class, which drives the borders
    between classes to where rows are few. The scores a member is judged by come from teachers fitted without the labels
    of a fold, at the setting that all labels chose.

    Parameters
    ----------
    teacher : Setting
        Manifold, power and ridge of the teacher.
    loss : Loss
        Its loss, and that of its pupils.
    Phi : array of shape (N, D)
        All rows.
    labelled : array of shape (n,)
        Which of them have a label.
    T, a : arrays of shapes (n, K) and (n,)
        Their classes, one a row, and weights that sum to 1.
    G : array of shape (D, D) or None
        The manifold matrix of the teacher's power.
    folds : array of shape (n,)
        The fold of each label.
    fit_intercept : bool
        Whether the models have one.
    """
    pupils = _pupils(teacher, loss, Phi, labelled, T, a, G, fit_intercept)
    held = np.zeros((len(pupils), *T.shape))
    for fold in np.unique(folds):
        out, rest = folds == fold, folds != fold
        some = _pupils(teacher, loss, Phi, labelled[rest], T[rest], a[rest] / a[rest].sum(), G, fit_intercept)
        held[:, out] = [Phi[labelled[out]] @ one.W + one.b for one in some]
    A = np.repeat(a[:, None], T.shape[1], axis=1)
    return [
        Member(
            replace(teacher, ridge=one.ridge, taught=True),
            one.W,
            one.b,
            scores,
            output_losses(np.asarray(expected(scores, loss)), T, A),
        )
        for one, scores in zip(pupils, held, strict=True)
    ]


def _pupils(
    teacher: Setting,
    loss: Loss,
    Phi: np.ndarray,
    labelled: np.ndarray,
    T: np.ndarray,
    a: np.ndarray,
    G: np.ndarray | None,
    fit_intercept: bool,
) -> list[PathPoint]:
    def fit(Phi: np.ndarray, T: np.ndarray, a: np.ndarray, G: np.ndarray | None, ridge: float) -> PathPoint:
        return next(path_of(loss, Phi, T, a, G, [teacher.manifold], [ridge], fit_intercept=fit_intercept))

    first = fit(Phi[labelled], T, a, G, teacher.ridge)
    weights = np.full(len(Phi), 1.0 / len(Phi))
    weights[labelled] = a * len(labelled) / len(Phi)
    pupils = []
    for ridge in TAUGHT_RIDGES:
        last = first
        for _ in range(N_ROUNDS):
            p = np.maximum(np.asarray(expected(Phi @ last.W + last.b, loss)), 1e-12)
            Q = p**2 / np.sum(p**2, axis=1, keepdims=True)
            Q[labelled] = T
            last = fit(Phi, Q, weights, None, ridge)
        pupils.append(last)
    return pupils
