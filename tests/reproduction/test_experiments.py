from collections import Counter
from dataclasses import replace

import pytest

from reproduction.data import paper_names
from reproduction.experiments import (
    BIG,
    COMPARED,
    DECLARED_CHOOSER,
    EXPERIMENTS,
    FIRST_SEED,
    OWN,
    PAPER,
    QUICK,
    SUBSTITUTES,
    Chooser,
    Unit,
    curve_units,
    plan,
    table_sets,
    table_units,
    task_of,
)
from reproduction.published import METHODS, TABLES, published
from reproduction.records import trial_key


def test_the_tables_are_the_papers() -> None:
    for table in TABLES:
        printed = tuple(dict.fromkeys(data for name, data, _ in published() if name == table))
        shown = tuple(name for name in table_sets(table) if name not in SUBSTITUTES)
        assert shown == printed
        assert all(len(table_units(table, data, "atlas")) == 30 for data in shown)
    assert {*PAPER.classes, *PAPER.labels} == {*paper_names(), *SUBSTITUTES}


def test_what_is_compared_is_declared() -> None:
    assert DECLARED_CHOOSER == "atlas"
    assert COMPARED == {"multi-class": "error", "multi-label": "hamming", "regression": "mse100"}


def test_every_trial_of_a_plan_has_a_key_of_its_own() -> None:
    units = plan(EXPERIMENTS, choosers=("atlas", "cv"))
    keys = [trial_key(trial) for unit in units for trial in unit.trials]
    assert len(keys) == len(set(keys)) == len(METHODS) * len(units)


def test_our_own_method_has_splits_of_its_own_and_leaves_those_of_the_four_as_they_were() -> None:
    both = plan(EXPERIMENTS, choosers=("atlas", OWN))
    alone = plan(EXPERIMENTS)
    assert {unit for unit in both if unit.chooser != OWN} == set(alone)
    own = [unit for unit in both if unit.chooser == OWN]
    assert {unit.seed for unit in own} == {unit.seed for unit in alone if unit.free_rank is None}
    assert all(unit.methods == (OWN,) and len(unit.trials) == 1 for unit in own)
    assert all(unit.labelled is None and unit.free_rank is None for unit in own)
    assert trial_key(alone[0].trials[0]) == (
        '{"chooser": "atlas", "data": "iris", "free_rank": null, "hidden": "rows", "labelled": null, '
        '"method": "SRM-VV", "seed": 1000, "space": "linear"}'
    )


def test_big_sets_come_last_and_seed_by_seed() -> None:
    units = plan(EXPERIMENTS, choosers=("atlas", "cv"))
    first_big = next(place for place, unit in enumerate(units) if unit.data in BIG)
    big = units[first_big:]
    assert all(unit.data in BIG for unit in big)
    assert {unit.data for unit in big[: 2 * len(BIG)]} == set(BIG)
    assert {unit.seed for unit in big[: 2 * len(BIG)]} == {FIRST_SEED}
    counts = {"atlas": 2 * PAPER.repeats * len(BIG), "cv": 2 * PAPER.cv_repeats * len(BIG)}
    assert [unit.chooser for unit in big] == [chooser for chooser, count in counts.items() for _ in range(count)]


def test_small_sets_have_all_splits_under_both_choosers() -> None:
    units = plan(["linear-mc"], choosers=("atlas", "cv"), sets=["vehicle", "segment"])
    counts = Counter((unit.data, unit.chooser) for unit in units)
    assert counts == {("vehicle", "atlas"): 30, ("vehicle", "cv"): 30, ("segment", "atlas"): 30, ("segment", "cv"): 5}


def test_the_share_of_the_tables_is_not_run_twice() -> None:
    both = plan(["linear-ml", "labeled-rate"], sets=["scene"])
    alone = plan(["labeled-rate"], sets=["scene"])
    assert len(alone) == 2 * 9 * 10
    assert len(both) == 30 + len(alone) - 10
    assert len(both) == len(set(both))


def test_theta_runs_from_0_to_1_on_both_sets() -> None:
    units = plan(["theta"])
    assert {unit.free_rank for unit in units} == {step / 10 for step in range(11)}
    assert {(unit.data, unit.space) for unit in units} == {("corel5k", "kernel"), ("bibtex", "kernel")}
    assert next(iter(curve_units("theta", "bibtex", "kernel"))) == 0.0


@pytest.mark.parametrize("choosers", [("atlas", "cv"), ("cv",)])
def test_figures_use_the_declared_chooser_and_tables_those_asked_for(choosers: tuple[Chooser, ...]) -> None:
    units = plan(["linear-mc", "theta"], choosers=choosers)
    assert {unit.chooser for unit in units if unit.free_rank is None} == set(choosers)
    assert {unit.chooser for unit in units if unit.free_rank is not None} == {DECLARED_CHOOSER}


def test_a_big_set_may_have_a_figure() -> None:
    units = plan(["linear-mc", "theta"], replace(PAPER, theta_sets=("covtype",)), choosers=("cv",))
    assert {unit.chooser for unit in units if unit.data == "covtype"} == {"atlas", "cv"}


def test_entries_are_hidden_where_there_are_entries() -> None:
    units = plan(["linear-mc", "linear-ml"], replace(PAPER, hidden="entries"))
    assert {(task_of(unit.data) == "multi-class", unit.hidden) for unit in units} == {
        (True, "rows"),
        (False, "entries"),
    }


def test_tables_without_splits_and_the_smoke_version() -> None:
    assert plan(["datasets", "methods"]) == ()
    assert {unit.data for unit in plan(EXPERIMENTS, QUICK)} == {"iris", "wine", "generated"}
    assert Unit("iris", "linear", FIRST_SEED, "atlas") in plan(["linear-mc"], QUICK)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="There is no experiment named 'linear'; choose one of: linear-mc"):
        plan(["linear"])
    with pytest.raises(ValueError, match="No experiment has a data set named 'digits'; choose out of: iris"):
        plan(["linear-mc"], sets=["digits"])
