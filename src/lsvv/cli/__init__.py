"""The command ``lsvv``. Commands are thin: what they do is done by functions of :mod:`lsvv.tables` and its peers."""

from __future__ import annotations

import sys

from lsvv.extras import optional

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    try:
        for package in ("typer", "rich"):
            optional(package, "The command line", "cli")
    except ImportError as error:
        sys.exit(str(error))
    from lsvv.cli.app import app

    app(prog_name="lsvv")
