from pathlib import Path

import numpy as np
import pytest

from made_up import means, row_records
from reproduction import outliers
from reproduction.data import Dataset, split
from reproduction.experiments import FIRST_SEED
from reproduction.outliers import outlier_of
from reproduction.pages.tables import outlier_grid
from reproduction.tabulated import Results

SEEDS = tuple(range(FIRST_SEED, FIRST_SEED + 30))


def targets(last: float) -> np.ndarray:
    return np.column_stack([np.arange(20.0), [*np.linspace(1.5, 5.5, 19), last]])


@pytest.mark.parametrize(
    ("last", "found"),
    [(78.9, (19, 1, 78.9, 5.5)), (9.0, None), (10.0, (19, 1, 10.0, 5.5)), (-50.0, (19, 1, -50.0, 1.5))],
)
def test_an_outlier_lies_further_off_than_the_others_from_each_other(
    monkeypatch: pytest.MonkeyPatch, last: float, found: tuple[int, int, float, float] | None
) -> None:
    Y = targets(last)
    monkeypatch.setattr(outliers, "at_hand", lambda *_: True)
    monkeypatch.setattr(outliers, "open_data", lambda *_: Dataset("rf2", "regression", Y[:, :1], Y, (), ()))
    outlier = outlier_of("rf2", None, SEEDS)
    assert (None if outlier is None else (outlier.row, outlier.column, outlier.value, outlier.nearest)) == found
    if outlier is not None:
        assert 0 < len(outlier.tested) < 30
        assert all((19 in split(Y, "regression", seed).test) == (seed in outlier.tested) for seed in SEEDS)


def test_both_units_stand_in_the_grid() -> None:
    results = Results(row_records("linear-ml", "rf2", means(4, 3, 2, 1)), Path("nowhere"))
    table = results.table("linear-ml")
    (row,) = table.filled
    found = outliers.Outlier(7, 1, 78.9, 5.62, frozenset(SEEDS[:5]))
    grid = outlier_grid(table, row, found)
    assert [line[1].text for line in grid.rows] == ["25", "5"]
    first = np.mean(row.errors["LSVV"][:5])
    assert grid.rows[1][-1].text.startswith(f"{first:.2f} ± ")
    assert "one value of 78.9; the nearest other one is 5.62" in grid.notes[0]
