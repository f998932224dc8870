import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import quick_choosing
from reproduction.bundled import BUNDLED, bundled
from reproduction.data import DataError, Fold
from reproduction.experiments import OWN, Unit
from reproduction.protocol import at_hand, open_data, run_unit
from reproduction.published import METHODS


def seen_by(monkeypatch: pytest.MonkeyPatch, unit: Unit) -> tuple[Fold, dict[str, Any]]:
    """What the chooser is given."""
    given: list[Any] = []

    def choose(fold: Fold, **options: Any) -> dict[str, quick_choosing.Choice]:
        given[:] = [fold, options]
        return quick_choosing.choose(fold, **options)

    monkeypatch.setitem(sys.modules, "reproduction.choosing", SimpleNamespace(choose=choose))
    records = run_unit(unit, None)
    assert [record.reason for record in records] == [""] * 4
    return given[0], given[1]


@pytest.mark.usefixtures("quick_chooser")
@pytest.mark.parametrize("data", BUNDLED)
@pytest.mark.parametrize("space", ["linear", "kernel"])
def test_a_split_gives_a_record_a_method(data: str, space: Any) -> None:
    unit = Unit(data, space, 3, "atlas")
    records = run_unit(unit, None)
    assert [record.trial for record in records] == list(unit.trials)
    assert [record.trial["method"] for record in records] == list(METHODS)
    figures = {"iris": {"error"}, "wine": {"error"}}.get(data, {"hamming", "micro_f1", "macro_f1", "ranking_loss"})
    assert all(set(record.figures) == figures and not record.failed for record in records)
    assert all(record.environment["versions"]["numpy"] == np.__version__ for record in records)
    assert all(record.parameters and record.seconds > 0 for record in records)
    assert run_unit(unit, None) == records


@pytest.mark.usefixtures("quick_chooser")
def test_a_split_of_our_own_method_gives_one_record() -> None:
    unit = Unit("iris", "linear", 3, OWN)
    (record,) = run_unit(unit, None)
    assert record.trial == unit.trial(OWN)
    assert not record.failed


def test_the_chooser_sees_training_rows_scaled_by_themselves_and_a_tenth_of_the_labels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fold, options = seen_by(monkeypatch, Unit("iris", "kernel", 5, "cv", free_rank=0.5))
    assert options == {"task": "multi-class", "space": "kernel", "chooser": "cv", "seed": 5, "free_rank": 0.5}
    assert fold.X_train.shape == (105, 4)
    assert np.asarray(fold.X_train).min(axis=0).tolist() == [0.0] * 4
    assert np.asarray(fold.X_train).max(axis=0).tolist() == [1.0] * 4
    assert 11 <= (fold.y_train >= 0).sum() <= 13


@pytest.mark.parametrize(("hidden", "rows_partly_known"), [("rows", False), ("entries", True)])
def test_half_of_the_labels_are_hidden_by_row_or_by_entry(
    monkeypatch: pytest.MonkeyPatch, hidden: Any, rows_partly_known: bool
) -> None:
    if hidden == "entries":
        monkeypatch.setattr(quick_choosing, "ridge", lambda Phi, Y, _: np.zeros((Phi.shape[1], Y.shape[1])))
    fold, _ = seen_by(monkeypatch, Unit("generated", "linear", 0, "atlas", hidden=hidden))
    known = ~np.isnan(fold.y_train)
    assert known.mean() == 0.5
    partly = known.any(axis=1) & ~known.all(axis=1)
    assert bool(partly.any()) is rows_partly_known


def test_a_share_of_labels_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    fold, _ = seen_by(monkeypatch, Unit("generated", "linear", 0, "atlas", labelled=0.25))
    assert (~np.isnan(fold.y_train)).mean() == 0.25


def test_a_trial_that_fails_is_a_record_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def choose(*_: Any, **__: Any) -> None:
        raise ArithmeticError("the matrix is singular")

    monkeypatch.setitem(sys.modules, "reproduction.choosing", SimpleNamespace(choose=choose))
    records = run_unit(Unit("iris", "linear", 0, "atlas"), None)
    assert [record.reason for record in records] == ["ArithmeticError: the matrix is singular"] * 4
    assert all(record.failed and record.figures == {} for record in records)


def test_scores_without_a_column_for_every_class_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def choose(fold: Fold, **_: Any) -> dict[str, quick_choosing.Choice]:
        return dict.fromkeys(METHODS, quick_choosing.Choice(np.zeros((len(fold.y_test), 2)), {}, 0.0))

    monkeypatch.setitem(sys.modules, "reproduction.choosing", SimpleNamespace(choose=choose))
    assert run_unit(Unit("iris", "linear", 0, "atlas"), None)[0].reason.endswith("2 columns of scores for 3 classes.")


def test_data_is_at_hand_or_not(tmp_path: Path) -> None:
    assert not at_hand("iris", tmp_path)
    np.savez(tmp_path / "iris.npz", X=bundled("iris").X, y=bundled("iris").y)
    assert at_hand("iris", tmp_path)
    assert open_data("iris", tmp_path).X.shape == (150, 4)
    with pytest.raises(DataError, match="covtype does not come with scikit-learn"):
        open_data("covtype", None)
