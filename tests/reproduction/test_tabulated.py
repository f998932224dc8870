import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from made_up import curve_records, means, records_of, row_records
from reproduction.bundled import bundled
from reproduction.experiments import FIRST_SEED, OWN, PAPER, table_units
from reproduction.pages.overview import overview_page
from reproduction.published import METHODS, published
from reproduction.records import Record, RecordsError
from reproduction.statistics import corrected_resampled_t, paired_t
from reproduction.tabulated import NOT_AT_HAND, NOT_RUN, Results, Row, TableSummary


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with iris only."""
    np.savez(tmp_path / "iris.npz", X=bundled("iris").X, y=bundled("iris").y)
    return tmp_path


def row(table: TableSummary, name: str) -> Row:
    return next(row for row in table.rows if row.data == name)


def test_a_row_has_means_deviations_and_the_published_cell(data: Path) -> None:
    records = row_records("linear-mc", "iris", means(20, 19, 18, 17), noise=1.0)
    found = row(Results(records, data).table("linear-mc"), "iris")
    errors = [record.figures["error"] or 0.0 for record in records if record.trial["method"] == "LSVV"]
    assert found.count == 30
    assert found.errors["LSVV"] == tuple(errors)
    assert found.cells["LSVV"].summary.mean == pytest.approx(np.mean(errors))
    assert found.cells["LSVV"].summary.std == pytest.approx(np.std(errors, ddof=1))
    assert found.cells["LSVV"].published == published()["linear-mc", "iris", "LSVV"]
    assert found.cells["LSVV"].difference == pytest.approx(np.mean(errors) - 28.40)


def test_bold_is_the_least_mean_and_underlined_what_the_paired_t_cannot_tell_from_it(data: Path) -> None:
    rng = np.random.default_rng(3)
    common = rng.normal(10, 1, size=30)
    shifts = {"SRM-VV": 5.0, "SS-VV": 0.02, "LRC-VV": 0.25, "LSVV": 0.0}
    noise = {method: rng.normal(0, 0.5, size=30) for method in METHODS}
    errors = {method: common + shifts[method] + noise[method] for method in METHODS}
    records = records_of(
        table_units("linear-mc", "iris", "atlas"), lambda unit, m: float(errors[m][unit.seed - FIRST_SEED])
    )
    cells = row(Results(records, data).table("linear-mc"), "iris").cells
    best = min(METHODS, key=lambda method: errors[method].mean())
    assert [method for method in METHODS if cells[method].mark == "best"] == [best]
    for method in set(METHODS) - {best}:
        assert (cells[method].mark == "close") is bool(paired_t(errors[method], errors[best]).p_value >= 0.05)
        corrected = corrected_resampled_t(errors[method], errors[best])
        assert (cells[method].corrected == "close") is bool(corrected.p_value >= 0.05)
    assert cells["SRM-VV"].mark == "worse"


def test_equal_means_are_all_best(data: Path) -> None:
    records = records_of(table_units("linear-mc", "iris", "atlas"), lambda unit, _: float(unit.seed))
    cells = row(Results(records, data).table("linear-mc"), "iris").cells
    assert {cell.mark for cell in cells.values()} == {"best"}


def test_one_split_shows_no_difference(data: Path) -> None:
    records = row_records("linear-mc", "iris", means(4, 3, 2, 1), splits=1)
    found = row(Results(records, data).table("linear-mc"), "iris")
    assert [found.cells[method].mark for method in METHODS] == ["close", "close", "close", "best"]
    assert math.isnan(found.cells["LSVV"].summary.std)


def test_rows_without_figures_say_why(data: Path) -> None:
    failed = [Record(trial, reason="no") for trial in table_units("kernel-mc", "iris", "atlas")[0].trials]
    results = Results(failed, data)
    assert row(results.table("linear-mc"), "iris").state == NOT_RUN
    assert row(results.table("linear-mc"), "covtype").state == NOT_AT_HAND
    assert row(results.table("kernel-mc"), "iris").state == "failed: 4 trials"
    assert row(results.table("linear-mc"), "covtype").printed["LSVV"].mean == 25.31
    assert len(results.failures()) == 4
    assert results.rows() == ()


def test_only_splits_that_all_methods_ended_count(data: Path) -> None:
    records = row_records("linear-mc", "iris", means(4, 3, 2, 1), splits=5)
    records[7] = Record(records[7].trial, reason="the matrix is singular")
    found = row(Results(records[:-1], data).table("linear-mc"), "iris")
    assert (found.count, found.failed) == (3, 1)
    assert all(len(found.errors[method]) == 3 for method in METHODS)


def test_a_row_keeps_the_seeds_of_its_splits(data: Path) -> None:
    records = row_records("linear-mc", "iris", means(4, 3, 2, 1), splits=3)
    found = row(Results(records[4:], data).table("linear-mc"), "iris")
    assert found.seeds == (FIRST_SEED + 1, FIRST_SEED + 2)
    assert row(Results([], data).table("linear-mc"), "iris").seeds == ()


def test_what_is_at_hand_is_what_has_figures_or_could_have(data: Path) -> None:
    records = [
        *row_records("linear-mc", "wine", means(4, 3, 2, 1)),
        *row_records("linear-ml", "scm20d", means(4, 3, 2, 1)),
    ]
    found = Results(records, data).at_hand(("linear-mc", "linear-ml"))
    assert [(row.data, row.count) for row in found] == [("iris", 0), ("wine", 30)]


def test_a_trial_tried_again_counts_once(data: Path) -> None:
    units = table_units("linear-mc", "iris", "atlas")[:2]
    first, second = (records_of(units, lambda *_, value=value: value) for value in (9.0, 1.0))
    assert row(Results([*first, *second], data).table("linear-mc"), "iris").errors["LSVV"] == (1.0, 1.0)


def test_choosers_and_spaces_do_not_mix(data: Path) -> None:
    results = Results(row_records("kernel-mc", "iris", means(4, 3, 2, 1), chooser="cv"), data)
    assert [len(results.rows(chooser)) for chooser in ("atlas", "cv")] == [0, 1]
    assert results.rows("cv")[0].table == "kernel-mc"


def test_a_substitute_has_no_published_cell(data: Path) -> None:
    results = Results(row_records("linear-ml", "scm20d", means(4, 3, 2, 1)), data)
    found = row(results.table("linear-ml"), "scm20d")
    assert found.substitute_for == "scm1d"
    assert found.printed == {}
    assert found.cells["LSVV"].difference is None
    assert found.figures["rmse"]["LSVV"] == (50.0,) * 30


def test_curves_have_a_point_for_each_place(data: Path) -> None:
    results = Results(curve_records("theta", "bibtex", "kernel", lambda theta, _: theta), data)
    (curve,) = results.curves("theta")
    assert (curve.data, curve.space) == ("bibtex", "kernel")
    assert {theta: at.mean for theta, at in curve.points["LSVV"].items()} == pytest.approx({t: t for t in PAPER.thetas})
    assert curve.points["LSVV"][0.5].count == 5
    assert results.curves("labeled-rate") == ()
    assert (curve.splits(), curve.splits(0.5), curve.splits(2.0)) == (5, 5, 0)
    assert [panel.data for panel in results.panels("theta")] == ["bibtex"]


def test_a_point_of_the_labelled_rate_comes_from_the_table(data: Path) -> None:
    results = Results(row_records("linear-ml", "scene", means(4, 3, 2, 1)), data)
    (curve,) = results.curves("labeled-rate")
    assert list(curve.points["LSVV"]) == [0.5]
    assert curve.places == PAPER.shares
    assert (curve.splits(0.5), curve.splits()) == (10, 0)
    assert curve.points["LSVV"][0.5].count == 10


def test_our_own_method_stands_beside_the_declared_column_and_changes_nothing_there(data: Path) -> None:
    four = row_records("linear-mc", "iris", means(4, 3, 2, 1))
    own = row_records("linear-mc", "iris", {OWN: 0.5}, chooser=OWN, splits=7)
    own[2] = Record(own[2].trial, reason="no")
    before, after = (Results(records, data) for records in (four, [*four, *own]))
    found = row(after.table("linear-mc"), "iris")
    assert replace(found, own={}) == row(before.table("linear-mc"), "iris")
    assert list(found.own["error"]) == [FIRST_SEED + step for step in (0, 1, 3, 4, 5, 6)]
    assert row(before.table("linear-mc"), "iris").own == {}
    assert row(after.table("linear-mc", "cv"), "iris").own == {}
    assert row(Results(own, data).table("linear-mc"), "iris").state == NOT_RUN


def test_the_time_of_a_split_counts_once(data: Path) -> None:
    own = row_records("linear-mc", "iris", {OWN: 0.5}, chooser=OWN, splits=7)
    assert Results(own, data).seconds() == 7.0
    results = Results(row_records("linear-mc", "iris", means(4, 3, 2, 1)), data)
    assert results.seconds() == 30.0
    assert len(results) == 120
    assert results.environments() == [({"versions": {"numpy": "2"}, "machine": "m", "cores": 2}, 120)]


def test_the_states_of_the_code_are_counted_apart_from_the_machines(data: Path) -> None:
    records = row_records("linear-mc", "iris", means(4, 3, 2, 1))
    coded = [
        replace(record, environment={**record.environment, "code": "new" if place < 8 else "old", "data": "folder"})
        for place, record in enumerate(records)
    ]
    assert Results(coded, data).codes() == [("old", 112), ("new", 8)]
    assert Results(records, data).codes() == [("unknown", 120)]
    assert Results(coded, data).environments() == Results(records, data).environments()


@pytest.mark.parametrize("figures", [{}, {"error": None}, {"rmse": 1.0}], ids=str)
def test_a_trial_without_its_figure_is_told(data: Path, figures: dict[str, float | None]) -> None:
    records = row_records("linear-mc", "iris", means(4, 3, 2, 1))
    records[5] = replace(records[5], figures=figures)
    with pytest.raises(RecordsError, match=r'"data": "iris".* ended without its error and does not say why'):
        Results(records, data).table("linear-mc")


def test_a_trial_of_another_kind_of_run_is_told(data: Path) -> None:
    with pytest.raises(RecordsError, match=r"does not say its space: it is none of these experiments"):
        Results([Record({"data": "iris", "seed": 1}, figures={"error": 1.0})], data)


def test_records_without_versions_are_counted(data: Path) -> None:
    records = [replace(record, environment={}) for record in row_records("linear-mc", "iris", means(4, 3, 2, 1))]
    told = " ".join(map(str, overview_page(Results(records, data)).blocks))
    assert "120 trials: unknown, unknown cores, unknown versions." in told
