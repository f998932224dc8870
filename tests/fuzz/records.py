"""Records of a reproduction with other bytes or other figures in them: read, or told by file and line."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from reproduction.experiments import QUICK, plan
from reproduction.records import LIVE, Record, pack, read_records, recording
from reproduction.tabulated import Results

from .damage import damaged
from .draws import Draw
from .judging import check
from .models import changed_somewhere

TABLE = "linear-mc"


def records(draw: Draw) -> None:
    """Read a folder of records, sum it up, go on with it and pack it."""
    lines = [asdict(record) for record in _whole()]
    kept = lines[: draw.count(1, len(lines))]
    if draw.spoilt(0.6):
        changed_somewhere(draw, kept)
    data = "".join(f"{json.dumps(line)}\n" for line in kept).encode()
    if draw.spoilt(0.4):
        data = damaged(draw, data)
    with TemporaryDirectory() as folder:
        place = Path(folder, LIVE)
        place.write_bytes(data)
        found = read_records(folder)
        check(place.read_bytes() == data, "reading changed the file")
        results = Results(found, None, QUICK)
        for row in results.table(TABLE, "cv").rows:
            check(all(np.isfinite(cell.summary.mean) for cell in row.cells.values()), "a mean is not finite")
        results.environments(), results.codes(), results.seconds()
        with recording(folder) as append:
            append(Record({"data": "iris", "seed": 0}, figures={"error": 0.5}))
        check(len(read_records(folder)) == len(found) + 1, "an appended record is lost")
        packed = pack(folder)
        check(read_records(packed), "packed records are lost")


@cache
def _whole() -> tuple[Record, ...]:
    """A record of every trial of a table, with the figures of a run."""
    units = plan((TABLE,), QUICK, ("cv",), None)
    rng = np.random.default_rng(0)
    environment: dict[str, Any] = {"code": "abc", "versions": {"numpy": "2"}, "machine": "m", "cores": 2}
    return tuple(
        Record(trial, {"ridge": 0.1}, {"error": float(rng.random()), "rank": 2.0}, 0.5, "", environment)
        for unit in units[:4]
        for trial in unit.trials
    )
