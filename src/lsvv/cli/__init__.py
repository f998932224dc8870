"""The command ``lsvv``. Commands are thin: what they do is done by functions of :mod:`lsvv.tables` and its peers."""

from __future__ import annotations

import sys

from lsvv.cli.stopping import Stopped, code_of_stop, stop_on_signals
from lsvv.extras import optional

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    stop_on_signals()
    try:
        _run()
    except (ImportError, Stopped) as error:
        stop = code_of_stop(error)
        if stop is None:
            raise
        # before a command began, which says the same
        print("Stopped. No file was written.", file=sys.stderr)
        sys.exit(stop)


def _run() -> None:
    try:
        for package in ("typer", "rich"):
            optional(package, "The command line", "cli")
    except ImportError as error:
        if code_of_stop(error) is not None:
            raise
        sys.exit(str(error))
    from lsvv.cli.app import app

    app(prog_name="lsvv")
