"""Which number is which kind of case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .draws import Draw
from .judging import Verdict, judged
from .learning import classifier, classifier_search, regressor, regressor_search
from .models import model_file
from .records import records
from .tables import ask_command, fill_command, predict_command

Case = Callable[[Draw], Any]
KINDS: Mapping[str, tuple[Case, int]] = {
    "LSVVClassifier": (classifier, 5),
    "LSVVRegressor": (regressor, 4),
    "LSVVClassifierCV": (classifier_search, 2),
    "LSVVRegressorCV": (regressor_search, 2),
    "lsvv fill": (fill_command, 2),
    "lsvv ask": (ask_command, 1),
    "lsvv predict": (predict_command, 1),
    "model files": (model_file, 2),
    "records": (records, 1),
}
"""Each kind, and its share of twenty cases."""
_TURNS = tuple(name for name, (_, share) in KINDS.items() for _ in range(share))


def kind_of(number: int) -> str:
    """The kind of the case of that number."""
    return _TURNS[number % len(_TURNS)]


def run(number: int) -> Verdict:
    """The case of that number."""
    kind = kind_of(number)
    return judged(number, kind, KINDS[kind][0])
