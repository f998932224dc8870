"""Ctrl-C, and being told to end: both stop the work where it is, so that it leaves nothing half-done behind."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from types import FrameType

__all__ = ["Stopped", "code_of_stop", "end_at_once_on_signals", "stop_on_signals"]


class Stopped(BaseException):
    """A signal asked the command to end.

    No KeyboardInterrupt, which the libraries of command lines turn into a silent end of their own.
    """


_arrived: list[int] = []
"""The signals that have raised it."""


def code_of_stop(error: BaseException) -> int | None:
    """The exit code of a stop, 128 and the number of its signal; None of any other error.

    An error that comes after a signal is its doing: modules that fail to load on its account say so in their own way.
    """
    if _arrived:
        return 128 + _arrived[0]
    return 128 + signal.SIGINT if isinstance(error, KeyboardInterrupt) else None


def stop_on_signals() -> None:
    """From now on a signal to end raises :class:`Stopped`; what is ignored, as under nohup, stays so."""
    for number in _signals():
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)


def end_at_once_on_signals() -> None:
    """When all is written there is nothing left to tidy up."""
    for number in _signals():
        if signal.getsignal(number) is _stop:
            signal.signal(number, signal.SIG_DFL)


def _signals() -> Iterator[signal.Signals]:
    """Those that the system has."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if name in signal.Signals.__members__:
            yield signal.Signals[name]


def _stop(number: int, frame: FrameType | None) -> None:
    _arrived.append(number)
    raise Stopped
