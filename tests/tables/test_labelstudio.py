"""Tasks for Label Studio, and what its exports bring back."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lsvv.tables import Filled, Table, TableError, fill
from lsvv.tables.asking import best_questions
from lsvv.tables.labelstudio import labelling_setup, read_export, tasks
from lsvv.tables.sheets import with_labels

Reader = Callable[[str | bytes], Table]


@pytest.fixture
def asked(filled: Filled) -> list[dict[str, Any]]:
    """The tasks of six questions about two columns."""
    found = best_questions(filled.X, filled.results, 6, {"kind": 1.0, "weight": 1.0})
    return list(json.loads(tasks(filled.table, found, filled.results)))


def export(path: Path, content: Any) -> Path:
    place = path / "export.json"
    place.write_text(json.dumps(content))
    return place


def annotated(task: dict[str, Any], *results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": 7, "data": task["data"], "annotations": [{"result": list(results), "was_cancelled": False, **more}]}


def choice(column: str, *names: str) -> dict[str, Any]:
    return {"from_name": column, "to_name": "cells", "type": "choices", "value": {"choices": list(names)}}


def number(column: str, value: float) -> dict[str, Any]:
    return {"from_name": column, "to_name": "cells", "type": "number", "value": {"number": value}}


def test_a_task_shows_the_row_and_what_the_model_says(filled: Filled, asked: list[dict[str, Any]]) -> None:
    assert {result["from_name"] for task in asked for result in task["predictions"][0]["result"]} == {"kind", "weight"}
    for task in asked:
        row = task["data"]["row"] - 1
        assert task["data"]["cells"]["size"] == filled.table.frame["size"][row]
        assert not {"kind", "weight"} & set(task["data"]["cells"])
        (prediction,) = task["predictions"]
        assert 0.0 <= prediction["score"] <= 1.0
        for result in prediction["result"]:
            said = filled.frame[result["from_name"]][row]
            assert result["to_name"] == "cells"
            assert result["value"] == ({"choices": [said]} if result["type"] == "choices" else {"number": float(said)})


def test_the_setup_has_a_control_for_each_column(filled: Filled) -> None:
    root = ET.fromstring(labelling_setup(filled.results))
    assert [(one.tag, one.get("name")) for one in root] == [
        ("Table", "cells"),
        ("Header", None),
        ("Choices", "kind"),
        ("Header", None),
        ("Number", "weight"),
    ]
    assert [one.get("value") for one in root.iter("Choice")] == ["cat", "dog"]


def test_an_export_comes_back_as_labels(tmp_path: Path, filled: Filled, asked: list[dict[str, Any]]) -> None:
    one, other = asked[0], asked[1]
    first, second = one["data"]["row"] - 1, other["data"]["row"] - 1
    place = export(tmp_path, [annotated(one, choice("kind", "dog")), annotated(other, number("weight", 7.5))])
    table = with_labels(filled.table, read_export(place), ["kind", "weight"])
    assert table.labels == {"kind": {first: "dog"}, "weight": {second: "7.5"}}
    assert fill(table, ["kind"], features="linear").frame["kind"][first] == "dog"


def test_of_several_annotations_the_latest_counts_and_cancelled_ones_do_not(
    tmp_path: Path, filled: Filled, asked: list[dict[str, Any]]
) -> None:
    task = annotated(asked[0], choice("kind", "dog"), updated_at="2026-02-01T10:00:00Z")
    task["annotations"].append({"result": [choice("kind", "cat")], "updated_at": "2026-01-01T10:00:00Z"})
    task["annotations"].append({"result": [choice("kind", "eel")], "was_cancelled": True, "updated_at": "2027"})
    table = with_labels(filled.table, read_export(export(tmp_path, [task])), ["kind"])
    assert list(table.labels["kind"].values()) == ["dog"]


def test_the_short_export_is_read_too(tmp_path: Path, csv_table: Reader) -> None:
    table = csv_table(
        "x,kind,tags,weight\n" + "".join(f"{row},{'ab'[row % 2]},p;q,1.5\n" for row in range(8)) + "9,,,\n"
    )
    short = {"row": 9, "cells": {"x": "9"}, "why": "kind: unsure", "kind": "b", "weight": [{"number": 2.5}]}
    short |= {"tags": {"choices": ["p", "q"]}, "id": 3, "annotator": 1, "annotation_id": 2, "lead_time": 1.0}
    found = with_labels(table, read_export(export(tmp_path, [short])), ["kind", "tags", "weight"])
    assert found.labels == {"kind": {8: "b"}, "tags": {8: "p; q"}, "weight": {8: "2.5"}}


def test_tasks_of_another_table_are_refused(tmp_path: Path, filled: Filled, asked: list[dict[str, Any]]) -> None:
    asked[0]["data"]["cells"]["size"] = "-1"
    place = export(tmp_path, [annotated(asked[0], choice("kind", "dog"))])
    with pytest.raises(TableError, match=r"has '-1' in 'size', but the table has"):
        with_labels(filled.table, read_export(place), ["kind"])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"a": 1}, "is no list of tasks. Export from Label Studio as JSON or JSON-MIN."),
        ([{"data": {"text": "a"}}], "task 1 has no 'row'. Use tasks from 'lsvv ask --format label-studio'."),
        (
            [{"data": {"row": 1}, "annotations": [{"result": [{"from_name": "a", "type": "labels", "value": {}}]}]}],
            "task 1 holds a 'labels', which is no label of a cell",
        ),
    ],
)
def test_other_files_are_refused_with_a_sentence(tmp_path: Path, content: Any, sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        read_export(export(tmp_path, content))


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="cannot be read"):
        read_export(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(TableError, match="is no JSON"):
        read_export(tmp_path / "bad.json")
