import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsvv.theory import Assumption, Facts, loss_constants, measure_facts, theorem_2
from lsvv.theory.arguments import Floats
from lsvv.theory.assumptions import LossName, check_lipschitz, check_range

FIXED = settings(deadline=None, derandomize=True, max_examples=200)
LOSSES: tuple[LossName, ...] = ("hinge", "logistic", "sigmoid", "squared", "absolute")


def value(loss: str, h: Floats, y: Floats, label: int) -> float:
    if loss == "hinge":
        return float(max(0.0, 1 - h[label] + np.delete(h, label).max()))
    if loss == "logistic":
        return float(np.log(np.exp(h).sum()) - h[label])
    if loss == "sigmoid":
        return float(np.log1p(np.exp(-np.where(y > 0, 1, -1) * h)).sum())
    return float(np.linalg.norm(h - y) ** (2 if loss == "squared" else 1))


def inside_ball(rng: np.random.Generator, K: int, radius: float) -> Floats:
    point = rng.standard_normal(K)
    return point / np.linalg.norm(point) * radius * rng.random() ** 0.2


@FIXED
@given(loss=st.sampled_from(LOSSES), K=st.integers(2, 5), s=st.floats(0.2, 3), seed=st.integers(0, 10**6))
def test_loss_constants_hold_on_the_ball(loss: LossName, K: int, s: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    h, g, y = inside_ball(rng, K, s), inside_ball(rng, K, s), inside_ball(rng, K, 1.0)
    label = int(rng.integers(K))
    constants = loss_constants(loss, K, score_bound=s)
    there, here = value(loss, h, y, label), value(loss, g, y, label)
    assert abs(there - here) <= constants.lipschitz * np.linalg.norm(h - g) * (1 + 1e-9)
    assert 0 <= there <= constants.loss_range * (1 + 1e-9)


def test_hinge_and_softmax_reach_sqrt_2() -> None:
    step = np.array([1.0, -1.0]) / np.sqrt(2)
    for loss, base in (("hinge", np.zeros(2)), ("logistic", np.array([-20.0, 20.0]))):
        slope = (value(loss, base - 1e-6 * step, base, 0) - value(loss, base, base, 0)) / 1e-6
        assert slope == pytest.approx(np.sqrt(2), rel=1e-4)


def test_facts_are_measured() -> None:
    facts = measure_facts(iter([np.eye(2), 3 * np.eye(2)]), np.diag([0.5, 0.25]))
    assert facts == Facts(9.0, 0.75)
    assert measure_facts() == Facts()


def test_sentences() -> None:
    assert str(Assumption("A", True, "it does.")) == "A holds: it does."
    assert str(Assumption("A", False, "it does not.")) == "A does not hold: it does not."
    facts = Facts(loss=loss_constants("squared", 2))
    assert check_lipschitz(facts, 4.0).holds
    assert str(check_lipschitz(facts, 1.0)) == (
        "L = 1 (Lipschitz loss) does not hold: the squared loss needs L = 4 on its range."
    )
    assert check_range(facts, 4.0).holds
    assert check_range(facts, 3.9).holds is False
    wide = theorem_2([1.0], 0.1, n=5, facts=Facts(largest_norm=2.0)).assumptions[1]
    assert str(wide).endswith("the largest ||phi(x)||^2 is 2; divide the features by its square root.")


def test_errors_are_sentences() -> None:
    with pytest.raises(ValueError, match="loss is 'other'; choose one of hinge, logistic"):
        loss_constants("other", 2)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="score_bound is -1; it must be a finite number above 0"):
        loss_constants("hinge", 2, score_bound=-1)
    with pytest.raises(ValueError, match=r"weights has shape \(2,\); pass \(features, outputs\)"):
        measure_facts(weights=[1.0, 2.0])
