"""The command ``lsvv``. Commands are thin: what they do is done by functions of :mod:`lsvv.tables` and its peers."""

from __future__ import annotations

import sys

from lsvv.cli.stopping import Stopped, code_of_stop, stop_on_signals

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    stop_on_signals()
    try:
        from lsvv.cli.app import app

        app(prog_name="lsvv")
    except (ImportError, Stopped) as error:
        stop = code_of_stop(error)
        if stop is not None:
            # before a command began, which says the same
            print("Stopped. No file was written.", file=sys.stderr)
            sys.exit(stop)
        if not isinstance(error, ImportError) or (error.name or "").split(".")[0] not in ("typer", "rich"):
            raise
        sys.exit(f"The command line needs {error.name}: pip install 'lsvv[cli,tables]'.")
