"""``python -m reproduction``: runs the paper's experiments, and fetches the data sets they need."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from reproduction.commands import app
    except ImportError as error:
        if (error.name or "").split(".")[0] not in ("typer", "rich"):
            raise
        sys.exit(f"The command line needs {error.name}: pip install '.[reproduction]' in the project's folder.")
    app(prog_name="python -m reproduction")


if __name__ == "__main__":
    main()
