"""Trials worked side by side and recorded one by one: a run that was cut short goes on where it was."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from joblib import Parallel, delayed
from sklearn.datasets import load_digits

from reproduction.data import Dataset, load
from reproduction.records import Record, Trial, environment, latest, pack, read_records, recording, trial_key

Figures = dict[str, float | None]


def worked(
    name: str,
    trials: Iterable[Trial],
    figures: Callable[[Trial], Figures],
    holds: Callable[[Record], bool] | None = None,
) -> list[Record]:
    """The records of all trials done so far, in $LSVV_RECORDS; no trial is begun after $LSVV_SECONDS.

    With ``holds``, a trial whose record it refuses is worked again, and one that fails is recorded with the reason.
    """
    folder = Path(os.environ.get("LSVV_RECORDS", f"{name}_records"))
    deadline = time.time() + float(os.environ.get("LSVV_SECONDS", "inf"))
    with recording(folder) as append:
        done = {key for key, record in latest(read_records(folder)).items() if holds is None or holds(record)}
        left = (trial for trial in trials if trial_key(trial) not in done)
        results = Parallel(n_jobs=-1, pre_dispatch="n_jobs", return_as="generator_unordered")(
            delayed(_record)(trial, figures, deadline, go_on=holds is not None) for trial in left
        )
        for record in filter(None, results):
            append(record)
    pack(folder)
    return list(latest(read_records(folder)).values())


def _record(trial: Trial, figures: Callable[[Trial], Figures], deadline: float, *, go_on: bool) -> Record | None:
    start = time.time()
    if start > deadline:
        return None
    found, reason = {}, ""
    try:
        found = figures(trial)
    except Exception as error:
        if not go_on:
            raise
        reason = f"{type(error).__name__}: {error}"
    return Record(trial, figures=found, seconds=time.time() - start, reason=reason, environment=environment())


def dataset_of(trial: Trial, data: Path) -> Dataset:
    """The trial's data set; scikit-learn's digits beside those of the folder."""
    if trial["data"] != "digits":
        return load(str(trial["data"]), data)
    X, y = load_digits(return_X_y=True)
    return Dataset("digits", "multi-class", X, y, (), ())
