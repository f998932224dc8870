"""What a case may end in: a sane result, or a sentence of ours. All else is a fault."""

from __future__ import annotations

import re
import signal
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

from .draws import Draw

ROOT = Path(__file__).resolve().parents[2]
OURS = (ROOT / "src" / "lsvv", ROOT / "reproduction")
CPU_SECONDS = 30.0
FOREIGN = (
    r"Found array with 0 (sample|feature)\(s\) \(shape=.*\) while a minimum of 1 is required",
    r"Expected 2D array, got .* array instead",
    r"Found array with dim \d, while dim <= 2 is required",
    r"Complex data not supported",
    r"X has \d+ features, but \w+ is expecting \d+ features as input",
    r"The feature names should match those that were passed during fit",
    r"could not convert string to float",
    r"float\(\) argument must be a string or a real number",
    r"Feature names are only supported if all input features have string names",
    r"Cannot center sparse matrices",
)
"""Sentences of scikit-learn's input checks, which its own checks of estimators ask for, and of its transformers."""
FOREIGN_WARNINGS = (r"X has feature names, but", r"X does not have valid feature names, but")
WARNINGS = (ConvergenceWarning, DataConversionWarning, UserWarning)
WORKPLACE = re.compile(rf"{re.escape(tempfile.gettempdir())}/\w+/")
"""Where a case writes its files, which is elsewhere each time."""
NO_WORDS = re.compile(r"Traceback|x=nan|Unable to allocate")


class FaultError(Exception):
    """A result that is not sane."""


class RefusedError(Exception):
    """A command ended with a sentence of ours."""


class Hang(BaseException):
    """A case took too much processor time."""


@dataclass(frozen=True)
class Verdict:
    """What became of a case: "result", "sentence" or "fault"; and what was said."""

    number: int
    kind: str
    ended: str
    said: str = ""


def judged(number: int, kind: str, case: Callable[[Draw], Any]) -> Verdict:
    """Run the case and say what became of it."""
    draw = Draw(number)
    try:
        with warnings.catch_warnings(record=True) as caught, _processor_time(CPU_SECONDS):
            warnings.simplefilter("always")
            try:
                case(draw)
                ended, said = "result", ""
            except Hang:
                raise
            except FaultError:
                raise
            except RefusedError as error:
                ended, said = "sentence", str(error)
                if not draw.hostile:
                    raise FaultError(f"good input refused: {said[:600]}") from error
            except Exception as error:
                ended, said = "sentence", _sentence(error, draw)
        _check_warnings(caught)
    except Hang:
        ended, said = "fault", f"over {CPU_SECONDS:g} seconds of processor time"
    except FaultError as fault:
        ended, said = "fault", str(fault)
    return Verdict(number, kind, ended, WORKPLACE.sub("", said))


@contextmanager
def _processor_time(seconds: float) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def _sentence(error: Exception, draw: Draw) -> str:
    """The sentence of an error; a fault where it is none of ours, or where nothing was wrong with the case."""
    said = str(error)
    told = f"{type(error).__name__}: {said}"
    if not any(re.match(pattern, said) for pattern in FOREIGN):
        why = _not_ours(error)
        if why:
            where = traceback.extract_tb(error.__traceback__)[-1]
            raise FaultError(f"{why}: {told[:600]} ({Path(where.filename).name}:{where.lineno})") from error
    if not draw.hostile:
        raise FaultError(f"good input refused: {told[:600]}") from error
    return said


def _not_ours(error: Exception) -> str:
    module = type(error).__module__.split(".")[0]
    if type(error) not in (ValueError, TypeError, ImportError) and module not in ("lsvv", "reproduction"):
        return "another exception"
    frames = [Path(frame.filename).resolve() for frame in traceback.extract_tb(error.__traceback__)]
    if not any(frames[-1].is_relative_to(place) for place in OURS):
        return "raised by another library"
    return badly_said(str(error))


def badly_said(sentence: str) -> str:
    """What is wrong with a sentence for users; empty if nothing is."""
    if not sentence.rstrip().endswith((".", "?")):
        return "no full stop"
    if len(sentence.split()) < 4:
        return "says too little"
    if NO_WORDS.search(sentence):
        return "not for users"
    return ""


def _check_warnings(caught: list[warnings.WarningMessage]) -> None:
    for one in caught:
        said = f"{one.category.__name__}: {one.message}"
        if any(re.match(pattern, str(one.message)) for pattern in FOREIGN_WARNINGS):
            continue
        if one.category not in WARNINGS or badly_said(str(one.message)):
            raise FaultError(f"warned {said[:400]} ({Path(one.filename).name}:{one.lineno})")


def check(holds: object, what: str) -> None:
    """A fault unless it holds."""
    if not holds:
        raise FaultError(what)
