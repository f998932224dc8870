"""Model files with other bytes in them, damaged or crafted so that every checksum holds."""

from __future__ import annotations

import io
import json
import zipfile
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lsvv.tables import parse
from lsvv.tables.gate import packed

from .commands import lsvv
from .damage import damaged
from .draws import Draw
from .judging import check
from .tables import fitted_model

HEADER, BODY = "lsvv.json", "fitted.skops"
TABLE = b"size,colour,when,x\n1.5,red,2021-01-05,3\n,blue,,\n-2,x,2020-02-02,1e9\n"
ODD = (None, -1, 0, 1, 2, 1e300, "", "x", [], {}, True, 10**30, "numpy.float64", "builtins.eval", [[]], "float32", 3.5)


def model_file(draw: Draw) -> None:
    """Predict with a file of other bytes: as before, or not at all; a crafted one may say else, but numbers."""
    whole = fitted_model(draw.count(0, 2))
    draw.hostile = True
    crafted = draw.chance(0.6)
    data = _crafted(draw, whole) if crafted else damaged(draw, whole)
    said = _predicted(data)
    check(crafted or said == _predicted_by_whole(whole), "a damaged model predicts something else")


def _predicted(data: bytes) -> bytes:
    with TemporaryDirectory() as folder:
        model, table, out = Path(folder, "m.lsvv"), Path(folder, "in.csv"), Path(folder, "out.csv")
        model.write_bytes(data)
        table.write_bytes(TABLE)
        refused = lsvv("predict", str(model), str(table), "--out", str(out), "--quiet")
        if refused is not None:
            check(not out.exists(), "a table in spite of an error")
            raise refused
        _check_numbers(out.read_bytes())
        return out.read_bytes()


@cache
def _predicted_by_whole(data: bytes) -> bytes:
    return _predicted(data)


def _check_numbers(data: bytes) -> None:
    frame = parse(data, "out.csv", format="csv", missing=()).frame
    for name in frame.columns[4:]:
        for cell in frame[name].tolist():
            check(str(cell).lower() not in ("nan", "inf", "-inf", "none"), f"{name!r} holds {cell!r}")


def _crafted(draw: Draw, whole: bytes) -> bytes:
    """One thing within the body is another, and the checksum is made to hold."""
    outer = _members(whole)
    inner = _members(outer[BODY])
    match draw.one_of(("schema", "schema", "array", "array", "lost", "swapped", "header")):
        case "schema":
            tree = json.loads(inner["schema.json"])
            for _ in range(draw.one_of((1, 1, 2))):
                changed_somewhere(draw, tree)
            inner["schema.json"] = json.dumps(tree).encode()
        case "array":
            name = draw.one_of([name for name in inner if name != "schema.json"])
            inner[name] = damaged(draw, inner[name])
        case "lost":
            inner.pop(draw.one_of(list(inner)))
        case "swapped":
            one, other = draw.one_of(list(inner)), draw.one_of(list(inner))
            inner[one], inner[other] = inner[other], inner[one]
        case _:
            header = json.loads(outer[HEADER])
            changed_somewhere(draw, header)
            outer[HEADER] = json.dumps(header).encode()
            return packed(outer)
    body = packed(inner, deflated=False)
    header = {**json.loads(outer[HEADER]), "sha256": sha256(body).hexdigest()}
    return packed({**outer, HEADER: json.dumps(header).encode(), BODY: body})


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def changed_somewhere(draw: Draw, tree: Any) -> None:
    """One entry anywhere in a tree of JSON becomes another, goes, or takes the place of a second one."""
    places = list(_places(tree))
    holder, key = draw.one_of(places)
    match draw.one_of(("odd", "odd", "near", "gone", "other")):
        case "odd":
            holder[key] = draw.one_of(ODD)
        case "near" if isinstance(holder[key], (int, float)):
            holder[key] += draw.one_of((-1, 1, 0.5))
        case "gone":
            del holder[key]
        case _:
            other, there = draw.one_of(places)
            holder[key] = json.loads(json.dumps(other[there]))


def _places(tree: Any) -> Any:
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in pairs:
        yield tree, key
        yield from _places(value)
