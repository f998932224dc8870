"""Labelling a frame of a program."""

import json
import urllib.request
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from lsvv.tables import TableError, label

from .conftest import table_of, truth_of


def given(kind: Any) -> Any:
    frame = table_of(known=6).frame
    return kind({name: frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in frame.columns})


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_answers_come_back_in_a_frame_of_the_same_kind(tmp_path: Path, kind: Any) -> None:
    frame = given(kind)
    page = label(frame, "answer", sheet=tmp_path / "s.csv")
    try:
        with urllib.request.urlopen(f"{page.address}wait?tab=a&version=-1") as reply:
            row = json.load(reply)["question"]["row"]
        sent = json.dumps({"tab": "a", "row": row, "label": truth_of(row - 1), "before": ""}).encode()
        headers = {"Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(f"{page.address}answer", sent, headers)):
            pass
    finally:
        page.stop()
    assert page.labels == {row - 1: truth_of(row - 1)}
    assert isinstance(page.frame, kind)
    assert page.frame["answer"][row - 1] == truth_of(row - 1)
    assert frame["answer"][row - 1] is None or pd.isna(frame["answer"][row - 1])
    assert f'src="{page.address}"' in page._repr_html_()
    assert page.address in repr(page)


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [row * row % 7 for row in range(20)], "answer": [0.5, 1.25, 2.0, 3.0] + [None] * 16})
    (tmp_path / "s.csv").write_text("row,target,label,suggestion,cost,why,x,answer\n10,answer,4.5,,1,,4,\n")
    page = label(frame, "answer", sheet=tmp_path / "s.csv")
    page.stop()
    assert page.frame["answer"].dtype == "float64"
    assert page.frame["answer"][9] == 4.5


def test_what_is_no_frame_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"A list is no frame\. Pass a pandas"):
        label([1, 2], "answer", sheet=tmp_path / "s.csv")
    twice = pd.DataFrame([[1, 2, None]], columns=["x", "x", "answer"])
    with pytest.raises(TableError, match="columns of the same name"):
        label(twice, "answer", sheet=tmp_path / "s.csv")
