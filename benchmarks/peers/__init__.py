"""Against the usual peers: classes, numbers and labels from few labels, and what is said of noise.

A trial is one method on one split. Records of peers stay; those of our methods are worked again where the code has
changed since. $LSVV_PARTS and $LSVV_METHODS, names with commas between them, leave all other trials out, and
LSVV_SECONDS=0 prints the page from the records alone. The page is docs/results/tables.md.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path

from benchmarks.peers import classes, labels, noise, numbers
from benchmarks.peers.class_methods import METHODS
from benchmarks.peers.common import FIRST_SPLIT, Job, is_ours
from benchmarks.resumable import Figures, worked
from reproduction.records import Record, Trial, environment

PARTS = {"classes": classes, "numbers": numbers, "labels": labels, "noise": noise}


def main(data: Path | None = None) -> list[str]:
    if data is None:
        return ["- needs --data DIR"]
    records = worked("peers", _trials(), partial(_figures, data=data), holds=_holds)
    done = [record for record in records if not record.failed]
    return [
        f"Splits (70/30) from number {FIRST_SPLIT} on, which no choice has looked at; every method gets the same rows,",
        "each column scaled to [0, 1] by the training rows. Peers learn from the labelled rows, LabelSpreading and we",
        "from all. A case is told over the splits that all its methods have; rank 1 is the lowest mean of a case, and",
        "a mean rank is over the cases a method was run on.",
        "",
        *_part_lines(done),
        "By a hash of the code, of our own methods: " + _codes(done) + ".",
        *_absent(),
        *_failures(record for record in records if record.failed),
    ]


def _trials() -> list[Trial]:
    """All trials that were asked for: large data sets last, and a stage of splits on all the others before the next."""
    jobs = [job for name in _asked("LSVV_PARTS", PARTS) for job in PARTS[name].jobs()]
    methods = _asked("LSVV_METHODS", {str(job.trial["method"]) for job in jobs})
    return [job.trial for job in sorted(jobs, key=Job.turn) if job.trial["method"] in methods]


def _asked(variable: str, known: Iterable[str]) -> list[str]:
    names = [name.strip() for name in os.environ.get(variable, "").split(",") if name.strip()]
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise ValueError(f"{variable} names {unknown[0]!r}, but there are {', '.join(sorted(known))}.")
    return names or list(known)


def _figures(trial: Trial, data: Path) -> Figures:
    return PARTS[str(trial["part"])].figures(trial, data)


def _holds(record: Record) -> bool:
    """Whether a record need not be worked again: it did not fail, and if it is ours, it comes from the present code."""
    return not record.failed and (not is_ours(record) or record.environment["code"] == _code())


@cache
def _code() -> str:
    return str(environment()["code"])


def _part_lines(records: list[Record]) -> Iterator[str]:
    for name, part in PARTS.items():
        own = [record for record in records if record.trial["part"] == name]
        if own:
            yield from [*part.lines(own), ""]


def _codes(records: list[Record]) -> str:
    counts = Counter(str(record.environment["code"]) for record in records if is_ours(record))
    return ", ".join(f"{count} trials with {code}" for code, count in counts.items()) or "none"


def _absent() -> list[str]:
    names = [name for name, method in METHODS.items() if not method.at_hand()]
    return [f"Not at hand in the run that printed this page: {', '.join(names)}."] if names else []


def _failures(records: Iterable[Record]) -> list[str]:
    reasons = Counter((str(r.trial["method"]), str(r.trial["data"]), r.reason.splitlines()[0]) for r in records)
    return [f"- failed {count} times: {method} on {data}: {why}" for (method, data, why), count in reasons.items()]
