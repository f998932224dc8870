"""Self-training: exact fits, labels kept out, certainty gained."""

import numpy as np
import pytest

from lsvv.losses import MulticlassLogistic, Squared
from lsvv.selection import taught
from lsvv.selection.atlas import Member, Setting
from lsvv.selection.taught import TAUGHT_RIDGES, taught_members

rng = np.random.default_rng(0)
CENTRES = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])
CLASS = np.arange(90) % 3
PHI = CENTRES[CLASS] + rng.normal(scale=0.5, size=(90, 2))
LABELLED = np.arange(0, 90, 7)
T = np.eye(3)[CLASS[LABELLED]]
EVEN = np.full(len(LABELLED), 1.0 / len(LABELLED))
FOLDS = np.arange(len(LABELLED)) % 5
LOSSES = pytest.mark.parametrize("loss", [Squared(), MulticlassLogistic()], ids=["squared", "logistic"])


def teach(loss: object, T: np.ndarray = T, a: np.ndarray = EVEN) -> list[Member]:
    setting = Setting(0, "any", 1, 0.0, 1e-2)
    return taught_members(setting, loss, PHI, LABELLED, T, a, None, FOLDS, fit_intercept=True)  # type: ignore[arg-type]


@LOSSES
def test_a_member_for_each_ridge_says_that_it_was_taught(loss: object) -> None:
    members = teach(loss)
    assert [member.setting.ridge for member in members] == list(TAUGHT_RIDGES)
    assert all(member.setting.taught and not member.setting.is_supervised for member in members)
    for member in members:
        assert np.array_equal(np.argmax(PHI @ member.W + member.b, axis=1), CLASS)
        assert np.array_equal(np.argmax(member.loo, axis=1), CLASS[LABELLED])


def test_one_round_of_the_squared_loss_is_ridge_regression_on_the_squared_expectations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(taught, "N_ROUNDS", 1)
    n, N = len(LABELLED), len(PHI)
    teacher = ridge(PHI[LABELLED], T, 1e-2 * (n - 1) / n)
    p = np.maximum(PHI @ teacher[0] + teacher[1], 1e-12)
    Q = p**2 / np.sum(p**2, axis=1, keepdims=True)
    Q[LABELLED] = T
    for member in teach(Squared()):
        W, b = ridge(PHI, Q, member.setting.ridge * (N - 1) / N)
        np.testing.assert_allclose(member.W, W, atol=1e-9)
        np.testing.assert_allclose(member.b, b, atol=1e-9)


def ridge(Phi: np.ndarray, T: np.ndarray, strength: float) -> tuple[np.ndarray, np.ndarray]:
    Z = Phi - Phi.mean(axis=0)
    W = np.linalg.solve(Z.T @ Z / len(Z) + strength * np.eye(Z.shape[1]), Z.T @ T / len(Z))
    return W, T.mean(axis=0) - Phi.mean(axis=0) @ W


@LOSSES
def test_the_scores_of_a_fold_do_not_depend_on_its_labels(loss: object) -> None:
    wrong = T.copy()
    wrong[FOLDS == 2] = np.roll(T[FOLDS == 2], 1, axis=1)
    for one, other in zip(teach(loss), teach(loss, wrong), strict=True):
        np.testing.assert_allclose(one.loo[FOLDS == 2], other.loo[FOLDS == 2])
        assert not np.allclose(one.loo[FOLDS != 2], other.loo[FOLDS != 2])
        assert not np.allclose(one.W, other.W)


def test_a_label_of_hardly_any_weight_is_hardly_heard() -> None:
    a = np.where(np.arange(len(LABELLED)) == 0, 1e-12, 1.0)
    wrong = T.copy()
    wrong[0] = np.roll(T[0], 1)
    for one, other in zip(teach(Squared(), a=a / a.sum()), teach(Squared(), wrong, a / a.sum()), strict=True):
        np.testing.assert_allclose(one.W, other.W, atol=1e-9)
