"""The command ``lsvv``. Commands are thin: what they do is done by functions of :mod:`lsvv.tables` and its peers."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    try:
        from lsvv.cli.app import app
    except ImportError as error:
        if (error.name or "").split(".")[0] not in ("typer", "rich"):
            raise
        sys.exit(f"The command line needs {error.name}: pip install 'lsvv[cli,tables]'.")
    app(prog_name="lsvv")
