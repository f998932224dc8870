"""The protocol of one split, from a seed to the test figures of its methods."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reproduction.bundled import BUNDLED, bundled
from reproduction.data import Dataset, load, make_fold, split
from reproduction.data.loading import find
from reproduction.experiments import BIG, Unit
from reproduction.metrics import judge
from reproduction.records import Record, environment

if TYPE_CHECKING:
    from reproduction.choosing import Choice
    from reproduction.data import Fold

__all__ = ["at_hand", "open_data", "run_unit"]


def run_unit(unit: Unit, folder: str | os.PathLike[str] | None) -> list[Record]:
    """Split 70/30 from the seed -> min-max on training rows -> hide labels -> choose -> judge on the test rows.

    What a method sees of the split is the inputs of the training rows and the labels left to them; ``choose`` gets
    nothing else to choose by, and works the methods on the same graph and the same draws of features.

    Parameters
    ----------
    unit : Unit
        The split.
    folder : path or None
        Where the data sets are; None for the bundled ones.

    Returns
    -------
    list of Record
        One a method, in the order of ``unit.methods``. If something fails, each says why.
    """
    try:
        data = open_data(unit.data, folder)
        drawn = split(data.y, data.task, unit.seed, labelled=unit.labelled, unit=unit.hidden)
        fold = make_fold(data, drawn)
        choices = _choose(fold, data, unit)
        return [_record(unit, method, choices[method], data, fold) for method in unit.methods]
    except Exception as error:
        # a trial that fails is a result; the run goes on
        reason = f"{type(error).__name__}: {error}"
        return [Record(unit.trial(method), reason=reason, environment=environment()) for method in unit.methods]


def open_data(name: str, folder: str | os.PathLike[str] | None) -> Dataset:
    """A data set from a folder, or a bundled one if the folder is None; big ones in single precision.

    Examples
    --------
    >>> open_data("wine", None).X.shape
    (178, 13)
    """
    return _cached(name, None if folder is None else os.fspath(folder))


def at_hand(name: str, folder: str | os.PathLike[str] | None) -> bool:
    """Whether the files of a data set are in the folder; nothing is read.

    Examples
    --------
    >>> at_hand("iris", None), at_hand("covtype", None)
    (True, False)
    """
    return name in BUNDLED if folder is None else find(name, Path(folder)) is not None


# the splits of a set follow each other
@lru_cache(maxsize=1)
def _cached(name: str, folder: str | None) -> Dataset:
    if folder is None:
        return bundled(name)
    return load(name, folder, dtype=np.float32 if name in BIG else np.float64)


def _choose(fold: Fold, data: Dataset, unit: Unit) -> dict[str, Choice]:
    # plans and tables are made without the estimators
    from reproduction.choosing import choose

    return choose(
        fold, task=data.task, space=unit.space, chooser=unit.chooser, seed=unit.seed, free_rank=unit.free_rank
    )


def _record(unit: Unit, method: str, choice: Choice, data: Dataset, fold: Fold) -> Record:
    if data.task == "multi-class" and not int(fold.y_train.max()) < choice.scores.shape[1] <= len(data.classes):
        raise ValueError(f"{method} gave {choice.scores.shape[1]} columns of scores for {len(data.classes)} classes.")
    figures = judge(data.task, choice.scores, fold.y_test)
    return Record(unit.trial(method), choice.parameters, figures, choice.seconds, environment=environment())
