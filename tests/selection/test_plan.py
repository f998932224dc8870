"""The plan: which candidates, in what order, at what cost, and where a budget cuts."""

from dataclasses import replace

import pytest

from lsvv.selection.plan import Axes, Candidate, MapSize, Sizes, candidates, cost, within

AXES = Axes(("squared", "logistic"), (0.0, 0.9), (0.0, 1.0), (1, 2), (1e-3, 1e-1), scaled=True)
SMALL_MAP = MapSize(20, 0.0)
SIZES = Sizes(rows=1000, labelled=50, outputs=3)


def test_every_combination_has_one_line_and_powers_differ_only_with_a_manifold_term() -> None:
    lines = [line for line in candidates(AXES, [SMALL_MAP], SIZES) if line.loss == "squared"]
    found = {(line.smoothing, line.manifold, line.power) for line in lines}
    assert found == {(a, m, p) for a in (0.0, 0.9) for m, p in ((0.0, 1), (1.0, 1), (1.0, 2))}
    assert len(lines) == len(found)


def test_smooth_losses_meet_the_weakest_smoothing_beside_the_squared_one() -> None:
    lines = [line for line in candidates(AXES, [SMALL_MAP, SMALL_MAP], SIZES) if line.loss == "logistic"]
    assert {line.map for line in lines} == {0, 1}
    assert {line.smoothing for line in lines} == {0.0}


def test_a_smooth_loss_alone_is_searched_everywhere() -> None:
    alone = replace(AXES, losses=("logistic",))
    lines = candidates(alone, [SMALL_MAP, SMALL_MAP], SIZES)
    assert {(line.map, line.smoothing) for line in lines} == {(k, a) for k in (0, 1) for a in (0.0, 0.9)}


def test_the_squared_loss_comes_first_and_the_cheap_before_the_dear() -> None:
    lines = candidates(AXES, [MapSize(500, 0.0), MapSize(5, 0.0)], SIZES)
    assert [line.is_smooth for line in lines] == sorted(line.is_smooth for line in lines)
    squared = [line.cost for line in lines if not line.is_smooth]
    assert squared == sorted(squared)


def test_more_rows_labels_columns_and_terms_cost_more() -> None:
    line = Candidate(0, "squared", smoothing=0.9)
    base = cost(line, SMALL_MAP, SIZES)
    assert cost(line, MapSize(40, 0.0), SIZES) > base
    assert cost(line, SMALL_MAP, replace(SIZES, rows=2000)) > base
    assert cost(line, SMALL_MAP, replace(SIZES, labelled=100)) > base
    assert (
        cost(replace(line, smoothing=0.99), SMALL_MAP, SIZES)
        > base
        > cost(replace(line, smoothing=0.0), SMALL_MAP, SIZES)
    )
    assert cost(replace(line, manifold=1.0), SMALL_MAP, SIZES) > base
    assert cost(replace(line, loss="logistic"), SMALL_MAP, SIZES) > base


@pytest.mark.parametrize(("budget", "kept"), [(100.0, [5.0, 9.0, 1.0]), (14.0, [5.0, 9.0]), (0.0, [5.0])])
def test_a_budget_keeps_what_fits_one_after_the_other(budget: float, kept: list[float]) -> None:
    lines = [Candidate(0, "squared", cost=c) for c in (5.0, 9.0, 1.0)]
    run, left = within(lines, budget)
    assert [line.cost for line in run] == kept
    assert sorted(line.cost for line in [*run, *left]) == [1.0, 5.0, 9.0]


def test_what_uses_unlabelled_rows_says_so() -> None:
    assert Candidate(0, "squared").is_supervised
    assert not Candidate(0, "squared", smoothing=0.5).is_supervised
    assert not Candidate(0, "squared", manifold=0.5).is_supervised
