"""What the page shows of a session, as plain values."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from lsvv.tables.cells import COMMA, is_list, is_missing, read_numbers
from lsvv.tables.labeling.outlook import Doubtful, Outlook
from lsvv.tables.labeling.session import Session
from lsvv.tables.results import Answer
from lsvv.tables.targets import NumberTarget, TagTarget
from lsvv.tables.words import PERCENT, count, percent

__all__ = ["page_state"]

N_NEAREST = 3
MOST_CHOICES = 400
MOST_COLUMNS = 200
LONGEST = 2000
"""Letters of a cell that are shown."""


def page_state(session: Session, tab: str) -> dict[str, Any]:
    """The question for a tab and the state of the session."""
    row, stands_for = session.current(tab)
    return {
        "version": session.version,
        "column": session.column,
        "task": session.finding.task,
        "answered": session.n_answered,
        "known": session.n_known,
        "rows": len(session.table.frame),
        "question": None if row is None else _question(session, row, stands_for),
        "progress": _progress(session),
    }


def _question(session: Session, row: int, stands_for: int) -> dict[str, Any]:
    place = int(np.searchsorted(session.ready.rows, row))
    answer = session.belief.answer
    near = _nearest(session, place)
    names = [str(name) for name in session.table.frame.columns if name != session.column][:MOST_COLUMNS]
    rows = [session.table.frame.iloc[one][names].tolist() for one in (row, *(one for one, _ in near))]
    guess = None if answer is None else _guess(answer, place)
    return {
        "row": row + 1,
        "label": session.label_of(row),
        "cells": [{"name": name, "cells": [_text(r[i]) for r in rows]} for i, name in enumerate(names)],
        "near": [{"row": one + 1, "label": label} for one, label in near],
        "guess": guess,
        "why": _why(session, row, answer, place, stands_for),
        "choices": _choices(session),
        "number": _number_field(session) if session.finding.task == "numbers" else None,
    }


def _nearest(session: Session, place: int) -> list[tuple[int, str]]:
    """The nearest labelled rows of the table, and their labels."""
    known = np.flatnonzero(session.belief.known)
    known = known[known != place]
    X = session.ready.X
    far = np.sum((X[known] - X[place]) ** 2, axis=1)
    nearest = known[np.argsort(far, kind="stable")[:N_NEAREST]].tolist()
    return [
        (int(session.ready.rows[one]), _text(session.label_at(one)))
        for one in nearest
        if session.label_at(one) is not None
    ]


def _guess(answer: Answer, place: int) -> dict[str, Any]:
    target, said = answer.target, answer.said
    (text,) = target.spelt(said.predictions[place : place + 1])
    guess: dict[str, Any] = {"text": _text(text), "shares": None, "low": None, "high": None, "chosen": None}
    if said.probabilities is not None:
        guess["shares"] = [round(float(p), 4) for p in said.probabilities[place]]
        guess["names"] = list(target.choices)
    if isinstance(target, TagTarget):
        guess["chosen"] = [target.outputs[tag] for tag in np.flatnonzero(said.predictions[place] > 0)]
    enough = answer.interval is not None and not answer.interval.note
    if isinstance(target, NumberTarget) and said.ends is not None and enough:
        low, high = (float(end[place]) for end in said.ends)
        if math.isfinite(low) and math.isfinite(high):
            guess |= {"low": _text(target.spell(low)), "high": _text(target.spell(high))}
    return guess


def _why(session: Session, row: int, answer: Answer | None, place: int, stands_for: int) -> str:
    """Why a row is asked, in a sentence or two."""
    if session.label_of(row):
        return "You answered this row before. Change it, or confirm it."
    alike = f" It stands for about {count(stands_for, 'row')} like it." if stands_for else ""
    if answer is None:
        return f"Nothing is known yet of rows like this one.{alike}"
    if session.finding.task == "tags":
        ((tag, share),) = answer.doubts(place)
        return f"The model is least sure of “{tag}” ({percent(share)}).{alike}"
    if session.finding.task == "numbers":
        return f"It is unlike the rows whose value is known.{alike}"
    (one, first), (other, second) = answer.doubts(place)
    if first < 0.9:
        return f"The model wavers between “{one}” ({percent(first)}) and “{other}” ({percent(second)}).{alike}"
    return f"The model says “{one}” ({percent(first)}), but few rows around are labelled.{alike}"


def _choices(session: Session) -> list[str]:
    """The answers that there are so far, in an order that stays."""
    if session.finding.task == "numbers":
        return []
    answer = session.belief.answer
    found = set() if answer is None else {str(one) for one in answer.target.choices}
    if session.finding.task == "classes":
        found |= {_text(cell).strip() for cell in session.known_cells()}
    elif answer is None:
        found |= {tag.strip() for cell in session.known_cells() for tag in _text(cell).split(";") if tag.strip()}
    return sorted(found, key=lambda name: (not name.isdigit(), int(name) if name.isdigit() else 0, name))[:MOST_CHOICES]


def _number_field(session: Session) -> dict[str, Any] | None:
    """The ends of the slider and how numbers are written; None as long as none is known."""
    reading = read_numbers(session.known_cells(), session.finding.usual)
    values = reading.values[np.isfinite(reading.values)]
    if values.size < 2 or values.min() == values.max():
        return None
    room = 0.25 * float(np.ptp(values))
    low = max(0.0, float(values.min()) - room) if values.min() >= 0 else float(values.min()) - room
    answer = session.belief.answer
    decimals = answer.target.decimals if answer is not None and isinstance(answer.target, NumberTarget) else 2
    return {
        "low": low,
        "high": float(values.max()) + room,
        "decimals": min(decimals, 6),
        "sign": "," if reading.notation is COMMA else ".",
    }


def _progress(session: Session) -> dict[str, Any] | None:
    outlook = session.outlook
    if outlook is None:
        return None
    is_share = outlook.quality.measure == "R2"
    return {
        "measure": outlook.quality.measure,
        "value": percent(max(outlook.now.value, 0.0)),
        "what": "of the differences explained" if is_share else "of left-out labels come out right",
        "points": [_finite(asdict(one)) for one in session.points],
        "ahead": None if outlook.ahead is None else _finite(asdict(outlook.ahead)),
        "baseline": outlook.quality.baseline,
        "pays": outlook.pays,
        "sentences": list(outlook.sentences),
        "doubtful": [_doubtful(session, one) for one in outlook.doubtful],
        "described": _described(outlook, session),
    }


def _doubtful(session: Session, one: Doubtful) -> dict[str, Any]:
    row = int(session.ready.rows[one.row])
    return {
        "row": row + 1,
        "label": _text(session.label_at(one.row)),
        "why": one.why,
        "mine": not session.is_given(row),
    }


def _described(outlook: Outlook, session: Session) -> str:
    """The chart in words, for those who do not see it."""
    first = session.points[0] if session.points else outlook.now
    told = (
        f"From {count(first.n_labels, 'label')} to {outlook.now.n_labels}, the share went from "
        f"{100 * max(first.value, 0.0):.0f}{PERCENT} to {100 * max(outlook.now.value, 0.0):.0f}{PERCENT}."
    )
    if outlook.ahead is None:
        return told
    return f"{told} With {outlook.ahead.n_labels} labels about {100 * outlook.ahead.value:.0f}{PERCENT} are expected."


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def _text(cell: Any) -> str:
    if is_list(cell):
        return "; ".join(map(str, cell))
    text = "" if is_missing(cell) else str(cell)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
