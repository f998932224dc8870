"""The command line within this process: its exit code, and what it said."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from typing import Any

from typer.main import get_command

from lsvv.cli.app import app

from .judging import FaultError, RefusedError, badly_said, check

SAYS_WHY = (1, 2, 3)
WRONG_USAGE = 2


@cache
def _command() -> Any:
    return get_command(app)


def lsvv(*words: str) -> RefusedError | None:
    """Run a command; what it said where it ended with an error, which must be a sentence."""
    said = StringIO()
    with redirect_stdout(StringIO()), redirect_stderr(said):
        try:
            _command().main(list(words), prog_name="lsvv")
        except SystemExit as ended:
            code = ended.code or 0
        except Exception as error:
            raise FaultError(f"another exception: {error!r}") from error
    if code == 0:
        return None
    sentence = said.getvalue().strip()
    check(code in SAYS_WHY, f"exit code {code}: {sentence[-500:]}")
    if code != WRONG_USAGE:
        check(sentence.startswith("Error: "), f"exit code {code} without an error: {sentence[-500:]}")
        check(not badly_said(sentence), f"{badly_said(sentence)}: {sentence[:500]}")
    return RefusedError(sentence)
