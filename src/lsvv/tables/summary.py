"""What was filled and how good it is, as plain values for scripts."""

from __future__ import annotations

import math
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from lsvv.selection import Importances
from lsvv.tables.filling import Filled, Fitted
from lsvv.tables.results import Answer

__all__ = ["summary", "versions"]


def summary(filled: Filled) -> dict[str, Any]:
    """The result as a dictionary that JSON can hold."""
    return {
        "table": filled.table.name,
        "rows": filled.extent.n_rows,
        "rows_learnt_from": len(filled.table.frame),
        "columns": len(filled.table.frame.columns),
        "inputs": dict(filled.vectorizer.kinds),
        "features": int(filled.X.shape[1]),
        "targets": [_target(result, filled) for result in filled.results],
        "models": [_model(*both) for both in zip(filled.fitted, filled.importances, strict=True)],
        "warnings": [asdict(one) for one in filled.warnings],
        "notes": list(filled.notes),
        "seconds": {stage: round(seconds, 3) for stage, seconds in filled.seconds.items()},
        "settings": filled.settings,
        "versions": versions(),
    }


def _target(result: Answer, filled: Filled) -> dict[str, Any]:
    target, extent = result.target, filled.extent
    return {
        "column": target.column,
        "task": target.task,
        "reason": target.reason,
        "outputs": list(target.outputs),
        "known": extent.known[target.column],
        "filled": extent.empty[target.column],
        "quality": _finite(asdict(result.quality)),
        "interval": None if result.interval is None else _finite(asdict(result.interval)),
        "added_columns": filled.added[target.column],
    }


def _model(part: Fitted, found: Importances | None) -> dict[str, Any]:
    """What carried the answer for a group of targets: kinds of model, and columns, the most important first."""
    return {
        "targets": [target.column for target in part.group.targets],
        "kinds": {kind: round(share, 4) for kind, share in part.model.kinds_.items()},
        "columns": None if found is None else _columns(found),
    }


def _columns(found: Importances) -> list[dict[str, Any]]:
    return [
        {
            "column": found.names[place],
            "importance": round(float(found.rise[place]), 5),
            "standard_error": round(float(found.error[place]), 5),
        }
        for place in np.argsort(-found.rise, kind="stable")
    ]


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    """JSON has no word for NaN."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in values.items()
    }


def versions() -> dict[str, str]:
    """The versions that repeat a result."""
    found = {}
    for name in ("lsvv", "numpy", "scipy", "scikit-learn", "skrub", "pandas"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
