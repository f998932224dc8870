"""Scale: seconds and memory against rows, beside what a fit cannot do without and beside peers.

Each line is worked in a process of its own, and its record is kept in $LSVV_RECORDS: a run that was cut short goes on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scale_work import COVTYPE, KERNEL_ROWS, NEEDS
from benchmarks.timing import verdict

GROWTH = (30_000, 100_000, 300_000, 1_000_000, 3_000_000)
STORED = (1_000_000, 10_000_000)
CLUSTERED = (100_000, 1_000_000)
LABELLED = (100, 1000, 10_000)
PEERS = (10_000, 30_000, 100_000)
PREDICTED = {"covtype": "cover type", "MNIST": "MNIST"}
CHART = Path("docs/results/scale.svg")


def main(data: Path | None = None) -> list[str]:
    lines = [
        "One thread a process, seconds of processor time; other work ran on the machine. Memory is what the work "
        "added to the peak of its process: 0 where loading the rows had taken more.",
    ]
    if data is not None:
        lines += ["", *_covtype(data), "", *_predict(data)]
    return [*lines, "", *_growth(), "", *_stored(), "", *_part(), "", *_filled(), "", *_cluster()]


def _covtype(data: Path) -> list[str]:
    path = str(data / "covtype.npz")
    there = [name for name in COVTYPE if NEEDS.get(name) is None or find_spec(NEEDS[name])]
    found = {name: _record("covtype", path=path, what=name) for name in there}
    limit = found["neighbours"]["seconds"] + found["product"]["seconds"]
    return [
        "### Cover type: 406,708 training rows, 10 % labelled, D = 1000, 10 neighbours",
        "",
        "| what | seconds | of the limit | MB | error % | new rows a second | recall |",
        "|---|---|---|---|---|---|---|",
        *(_line(name, one, limit) for name, one in found.items()),
        "",
        *_beside_limit(found["compact"], limit),
        "",
        *_beside_spreading(found),
        "",
        "search is what lsvv fill would make of these rows: LSVVClassifierCV, with trees, on all labels and as many "
        "other rows as make 100,000. "
        f"himalaya is its KernelRidge on {KERNEL_ROWS:,} of the labels; xgboost and nystroem, with RidgeClassifier, "
        f"learn from all of them; graphlearning is its Laplace learning, and answers for rows of its graph alone.",
    ]


def _beside_limit(ours: dict[str, Any], limit: float) -> list[str]:
    times = ours["seconds"] / limit
    return [
        f"The limit is faiss alone at that recall and one product Phi'Phi in double precision: {limit:.1f} s. The "
        f"whole compact fit takes {times:.2f} times that (mark: at most 1.35, {verdict(times <= 1.35)}). Its memory "
        f"is {ours['mb']:.0f} MB (mark: at most 2500, {verdict(ours['mb'] <= 2500)}).",
    ]


def _beside_spreading(found: dict[str, dict[str, Any]]) -> list[str]:
    peer, ours = found["spreading"], found["compact"]
    faster = peer["seconds"] / ours["seconds"]
    compact, smoothed = (found[name]["rate"] / peer["rate"] for name in ("compact", "smoothed"))
    return [
        f"spreading is LabelSpreading(knn). It takes {faster:.1f} times as long as the compact fit (mark: 3, "
        f"{verdict(faster >= 3)}); new rows are {compact:.0f} times as fast with the compact model (mark: 100, "
        f"{verdict(compact >= 100)}) and {smoothed:.1f} times with the smoothed one (mark: 3, "
        f"{verdict(smoothed >= 3)}).",
    ]


def _predict(data: Path) -> list[str]:
    found = {name: _record("predict", path=str(data / f"{name}.npz")) for name in PREDICTED}
    verdicts = (f"{PREDICTED[name]} {verdict(one['rate'] >= 0.8 * one['bare'])}" for name, one in found.items())
    return [
        "### New rows, compact model, D = 1000",
        "",
        "| rows of | columns | predicted a second | products alone | share | cosines alone, in units of the products |",
        "|---|---|---|---|---|---|",
        *(
            f"| {PREDICTED[name]} | {one['d']} | {one['rate']:,.0f} | {one['bare']:,.0f} | "
            f"{one['rate'] / one['bare']:.2f} | {one['cosines']:.2f} |"
            for name, one in found.items()
        ),
        "",
        f"The mark is 0.8: {', '.join(verdicts)}. Of few columns the cosines take no small part of what the products "
        f"take.",
    ]


def _line(name: str, one: dict[str, Any], limit: float) -> str:
    cells = (
        f"{one['seconds']:.1f}",
        f"{one['seconds'] / limit:.2f}",
        f"{one['mb']:.0f}",
        *(_cell(one, key, form) for key, form in (("error", ".1f"), ("rate", ".0f"), ("recall", ".4f"))),
    )
    return f"| {name} | {' | '.join(cells)} |"


def _cell(one: dict[str, Any], key: str, form: str) -> str:
    return "" if one.get(key) is None else format(one[key], form)


def _growth() -> list[str]:
    found = {rows: _record("generated", rows=rows) for rows in GROWTH}
    parts = ("seconds", "neighbours")
    peers = {rows: _record("peer", rows=rows) for rows in PEERS}
    _chart(found, peers)
    slopes = {part: _slope([(rows, one[part]) for rows, one in found.items() if rows >= 100_000]) for part in parts}
    return [
        "### Growth: rows on a three-dimensional sheet in 50 columns, float32, D = 512, compact",
        "",
        "| rows | seconds | of these neighbours | MB | recall | error % |",
        "|---|---|---|---|---|---|",
        *(
            f"| {rows:,} | {one['seconds']:.1f} | {one['neighbours']:.1f} | {one['mb']:.0f} | {one['recall']:.4f} | "
            f"{one['error']:.1f} |"
            for rows, one in found.items()
        ),
        "",
        "![Seconds and memory against rows](scale.svg)",
        "",
        "LabelSpreading(knn) on the same rows: "
        + ", ".join(
            f"{one['seconds']:.1f} s, {one['mb']:.0f} MB and an error of {one['error']:.1f} % at {rows:,}"
            for rows, one in peers.items()
        )
        + ".",
        "",
        f"From 100,000 to {max(GROWTH):,} rows the seconds grow as rows^{slopes['seconds']:.2f} (mark: 1.25, "
        f"{verdict(slopes['seconds'] <= 1.25)}), those of neighbours as rows^{slopes['neighbours']:.2f}.",
    ]


def _chart(ours: dict[int, dict[str, Any]], peers: dict[int, dict[str, Any]]) -> None:
    """Seconds and memory against rows, ours and the peer's, on doubly logarithmic axes."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams.update({"svg.hashsalt": "lsvv", "svg.fonttype": "none"})
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    for axes, key, label in zip(figure.subplots(1, 2), ("seconds", "mb"), ("seconds", "MB"), strict=True):
        for name, found in (("lsvv, compact", ours), ("LabelSpreading(knn)", peers)):
            axes.loglog(list(found), [one[key] for one in found.values()], marker="o", label=name)
        axes.set(xlabel="rows", ylabel=label)
        axes.legend()
    figure.savefig(CHART, metadata={"Date": None})


def _stored() -> list[str]:
    found = [_record("parquet", rows=rows) for rows in STORED]
    many = found[-1]
    return [
        "### From a Parquet folder",
        "",
        "50 columns, D = 512, compact. The peak is that of the whole process, with Python and its libraries.",
        "",
        "| rows | seconds of processor time | by the clock | peak MiB | recall | error % |",
        "|---|---|---|---|---|---|",
        *(
            f"| {one['rows']:,} | {one['seconds']:.0f} | {one['wall']:.0f} | {one['peak']:.0f} | {one['recall']:.4f} | "
            f"{one['error']:.1f} |"
            for one in found
        ),
        "",
        f"{many['rows']:,} rows take {many['wall'] / 60:.0f} minutes by the clock (mark: 60, "
        f"{verdict(many['wall'] <= 3600)}) and {many['peak'] * 2**20 / 1e9:.2f} GB (mark: under 6, "
        f"{verdict(many['peak'] * 2**20 < 6e9)}).",
    ]


def _part() -> list[str]:
    found = [_record("part", every=every) for every in LABELLED]
    return [
        "### All rows at one setting, or a part of them searched",
        "",
        "A million rows of the sheet. All: compact, as above. A part: what lsvv fill makes of 100,000 of them, all "
        "labelled ones first.",
        "",
        "| labels | all: seconds | error % | a part: seconds | error % |",
        "|---|---|---|---|---|",
        *(
            f"| {one['labels']:,} | {one['all']['seconds']:.0f} | {one['all']['error']:.2f} | "
            f"{one['part']['seconds']:.0f} | {one['part']['error']:.2f} |"
            for one in found
        ),
    ]


def _filled() -> list[str]:
    found = [_record("fill", rows=rows) for rows in STORED]
    return [
        "### lsvv fill, from a Parquet folder to a Parquet file",
        "",
        "The same rows, one in a hundred with a label. Models learn from 100,000 rows, all are filled; the error is "
        "that of the filled cells.",
        "",
        "| rows | seconds of processor time | by the clock | of these to learn | peak MB | error % |",
        "|---|---|---|---|---|---|",
        *(
            f"| {one['rows']:,} | {one['seconds']:.0f} | {one['wall']:.0f} | {one['learnt']:.0f} | "
            f"{one['peak_mb']:.0f} | {one['error']:.2f} |"
            for one in found
        ),
    ]


def _cluster() -> list[str]:
    found = [_record("dask", rows=rows) for rows in CLUSTERED]
    few, many = found[0], found[-1]
    times = many["wall"] / many["alone"]
    return [
        "### Dask, two worker processes",
        "",
        "50 columns, D = 512, compact, by the clock. Recall and error are those of cells of a sixth of the rows. Peaks "
        "are those of whole processes, with Python and its libraries; the scheduler is in the one that fits.",
        "",
        "| rows | two workers | one process | times | recall | error % | error in one process % | peak of the process "
        "that fits | of a worker |",
        "|---|---|---|---|---|---|---|---|---|",
        *(
            f"| {one['rows']:,} | {one['wall']:.0f} s | {one['alone']:.0f} s | {one['wall'] / one['alone']:.2f} | "
            f"{one['recall']:.4f} | {one['error']:.2f} | {one['error_alone']:.2f} | {one['client_mb']:.0f} MB | "
            f"{one['worker_mb']:.0f} MB |"
            for one in found
        ),
        "",
        f"{many['rows']:,} rows take {times:.2f} times as long (mark: 1.5, {verdict(times <= 1.5)}). With one cell, at "
        f"{few['rows']:,} rows, no coefficient differs by more than {few['difference']:.1g} of the largest.",
    ]


def _slope(points: list[tuple[int, float]]) -> float:
    rows, seconds = np.log(np.array(points)).T
    return float(np.polyfit(rows, seconds, 1)[0])


def _record(work: str, **how: Any) -> dict[str, Any]:
    """What a piece of work measured, from its record or anew in a process of its own."""
    folder = Path(os.environ.get("LSVV_RECORDS", "build/scale"))
    folder.mkdir(parents=True, exist_ok=True)
    name = "-".join([work, *(Path(str(value)).stem for value in how.values())])
    path = folder / f"{name}.json"
    if not path.exists():
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        start = time.time()
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.scale_work", work, json.dumps(how)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env={**os.environ, **threads},
        )
        path.write_text(done.stdout.splitlines()[-1], encoding="utf-8")
        print(f"{name}: {time.time() - start:.0f} s by the clock", file=sys.stderr, flush=True)
    return dict(json.loads(path.read_text(encoding="utf-8")))
