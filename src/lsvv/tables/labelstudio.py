"""Label Studio's files: tasks with the model's predictions go there, its JSON and JSON-MIN exports come back."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from lsvv.tables.asking import Question
from lsvv.tables.cells import is_list, is_missing
from lsvv.tables.files import MISSING, parse
from lsvv.tables.results import Answer
from lsvv.tables.sheets import SHEET, context
from lsvv.tables.table import Table, TableError
from lsvv.tables.targets import NumberTarget

__all__ = ["labelling_setup", "read_export", "tasks"]

ROW, CELLS = "row", "cells"
"""What a task calls the row of the table, from 1, and its other cells."""
NAMED = 400
"""Choices at most in the setup."""
_NO_LABELS = (
    ROW,
    CELLS,
    "why",
    "id",
    "annotator",
    "annotation_id",
    "created_at",
    "updated_at",
    "lead_time",
    "comments",
)
"""What a JSON-MIN task holds beside its answers."""


def tasks(table: Table, asked: Sequence[Question], results: Sequence[Answer]) -> bytes:
    """Label Studio's JSON: a task for each row asked, with what the model says of it and how sure it is."""
    answers = {result.target.column: result for result in results}
    names = context(table)
    found = []
    for row in dict.fromkeys(one.row for one in asked):
        cells = {
            names[column]: str(cell)
            for column, cell in table.frame.iloc[row].items()
            if column not in answers and not is_missing(cell)
        }
        mine = [one for one in asked if one.row == row]
        said = [_prediction(answers[one.column], one.row) for one in mine]
        prediction = {
            "model_version": _model_version(),
            "score": round(min(score for score, _ in said), 4),
            "result": [result for _, result in said],
        }
        data = {ROW: row + 1, CELLS: cells, "why": "; ".join(f"{one.column}: {one.why}" for one in mine)}
        found.append({"data": data, "predictions": [prediction]})
    return json.dumps(found, indent=1, ensure_ascii=False).encode("utf-8")


def labelling_setup(results: Sequence[Answer]) -> bytes:
    """The labelling interface for these tasks, as Label Studio's settings take it."""
    lines = ["<View>", f'  <Table name="{CELLS}" value="${CELLS}"/>']
    for result in results:
        target = result.target
        lines.append(f"  <Header value={quoteattr(target.column)}/>")
        about = f'name={quoteattr(target.column)} toName="{CELLS}"'
        if isinstance(target, NumberTarget):
            lines.append(f'  <Number {about} step="{10.0**-target.decimals:g}"/>')
            continue
        lines.append(f'  <Choices {about} choice="{"multiple" if target.task == "tags" else "single"}">')
        lines += [f"    <Choice value={quoteattr(name)}/>" for name in target.choices[:NAMED]]
        lines.append("  </Choices>")
    return "\n".join([*lines, "</View>", ""]).encode("utf-8")


def _prediction(answer: Answer, row: int) -> tuple[float, dict[str, Any]]:
    """How sure the model is of a row, and its answer."""
    target = answer.target
    result = {"from_name": target.column, "to_name": CELLS}
    if isinstance(target, NumberTarget):
        value = target.raised(answer.predictions[row : row + 1])[0]
        number = round(float(value), target.decimals)
        # numbers have no probability; what is explained of them is the nearest to one
        score = min(max(answer.quality.value, 0.0), 1.0) if answer.quality.value == answer.quality.value else 0.0
        return score, {**result, "type": "number", "value": {"number": number}}
    assert answer.probability is not None
    if target.task == "tags":
        chosen = [name for name, there in zip(target.outputs, answer.predictions[row], strict=True) if there > 0.5]
    else:
        chosen = [target.choices[int(answer.predictions[row])]]
    return float(answer.probability[row]), {**result, "type": "choices", "value": {"choices": chosen}}


def _model_version() -> str:
    try:
        return f"lsvv {version('lsvv')}"
    except PackageNotFoundError:
        return "lsvv"


def read_export(place: str | os.PathLike[str], *, missing: tuple[str, ...] = MISSING) -> Table:
    """An export of Label Studio as a sheet of labels.

    Of several annotations of a task the one that was changed last counts; cancelled ones, predictions and ground truth
    of others are no labels.
    """
    try:
        found = json.loads(Path(place).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise TableError(f"{place} cannot be read: {error.strerror}. Check the path.") from error
    except ValueError as error:
        raise TableError(f"{place} is no JSON ({error}). Export from Label Studio as JSON or JSON-MIN.") from error
    if not isinstance(found, list) or not all(isinstance(task, dict) for task in found):
        raise TableError(f"{place} is no list of tasks. Export from Label Studio as JSON or JSON-MIN.")
    lines = [line for number, task in enumerate(found, start=1) for line in _lines(task, f"{place}: task {number}")]
    extra = list(dict.fromkeys(name for _, cells in lines for name in cells))
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*SHEET, *extra])
    writer.writerows([*line, "", "", "", *(cells.get(name, "") for name in extra)] for line, cells in lines)
    return parse(stream.getvalue().encode("utf-8"), str(place), format="csv", missing=missing)


def _lines(task: dict[str, Any], where: str) -> Iterator[tuple[tuple[Any, str, str], dict[str, Any]]]:
    """Row, column and label of each answer of a task, and the row's other cells."""
    data = task.get("data", task)
    if not isinstance(data, dict) or ROW not in data:
        raise TableError(f"{where} has no {ROW!r}. Use tasks from 'lsvv ask --format label-studio'.")
    cells = data.get(CELLS)
    context_of_row = cells if isinstance(cells, dict) else {}
    given = _annotated(task, where) if "annotations" in task else _minimal(task)
    for column, label in given:
        yield (data[ROW], column, label), context_of_row


def _annotated(task: dict[str, Any], where: str) -> Iterator[tuple[str, str]]:
    valid = [one for one in task["annotations"] if not one.get("was_cancelled")]
    for one in sorted(valid, key=lambda one: str(one.get("updated_at", ""))):
        for result in one.get("result", ()):
            value = result.get("value", {})
            if "choices" in value:
                yield result["from_name"], _joined(value["choices"])
            elif "number" in value:
                yield result["from_name"], _joined(value["number"])
            elif "text" in value:
                yield result["from_name"], _joined(value["text"])
            else:
                raise TableError(
                    f"{where} holds a {result.get('type', 'result')!r}, which is no label of a cell. Use choices, "
                    f"numbers or texts."
                )


def _minimal(task: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for column, value in task.items():
        if column in _NO_LABELS:
            continue
        if isinstance(value, dict) and "choices" in value:
            yield column, _joined(value["choices"])
        elif is_list(value) and value and isinstance(value[0], dict):
            yield column, _joined(value[0].get("number", ""))
        elif not isinstance(value, dict):
            yield column, _joined(value)


def _joined(value: Any) -> str:
    parts = value if is_list(value) else [value]
    # the sheet's decimal point, not that of a float that is whole
    return "; ".join(f"{part:.12g}" if isinstance(part, float) else str(part) for part in parts)
