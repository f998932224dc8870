"""Records of trials that never ran, with errors to order, and commands that run within this process."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from typer.testing import CliRunner, Result

from reproduction.commands import app
from reproduction.experiments import OWN, PAPER, Chooser, Design, Space, Unit, curve_units, table_units, task_of
from reproduction.published import METHODS
from reproduction.records import Record

FIGURES = {
    "multi-class": ("error",),
    "multi-label": ("hamming", "micro_f1", "macro_f1", "ranking_loss"),
    "regression": ("rmse", "mse100"),
}
COMPARED = {"multi-class": "error", "multi-label": "hamming", "regression": "mse100"}


def records_of(units: Iterable[Unit], error: Callable[[Unit, str], float], **others: float) -> list[Record]:
    """One record a method and split; figures that are not given are 50."""
    return [
        Record(unit.trial(method), {}, figures(unit.data, error(unit, method), **others), 1.0, environment=ENVIRONMENT)
        for unit in units
        for method in unit.methods
    ]


ENVIRONMENT: dict[str, Any] = {"versions": {"numpy": "2"}, "machine": "m", "cores": 2}


def figures(data: str, error: float, **others: float) -> dict[str, float]:
    task = task_of(data)
    return {**dict.fromkeys(FIGURES[task], 50.0), COMPARED[task]: error, **others}


def row_records(
    table: str,
    data: str,
    means: dict[str, float],
    *,
    noise: float = 0.01,
    splits: int = 30,
    chooser: Chooser = "atlas",
    design: Design = PAPER,
    **others: float,
) -> list[Record]:
    """Errors around the given means; the noise of a split and method is drawn from their seed."""
    places = (*METHODS, OWN)

    def error(unit: Unit, method: str) -> float:
        return means[method] + noise * float(np.random.default_rng([unit.seed, places.index(method)]).normal())

    return records_of(table_units(table, data, chooser, design)[:splits], error, **others)


def curve_records(
    figure: str, data: str, space: Space, error: Callable[[float, str], float], design: Design = PAPER
) -> list[Record]:
    """The same error on every split of a point."""
    found: list[Record] = []
    for place, units in curve_units(figure, data, space, design).items():
        found += records_of(units, lambda _, method, at=place: error(at, method))  # type: ignore[misc]
    return found


def means(srm: float, ss: float, lrc: float, lsvv: float) -> dict[str, float]:
    return dict(zip(METHODS, (srm, ss, lrc, lsvv), strict=True))


def here(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))
