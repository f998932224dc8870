"""Run benchmarks and print their lines: ``python -m benchmarks [NAME ...] [--data DIR] [--out FILE]``."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from benchmarks.timing import environment

CORE = ("closed_form", "algorithm_1", "prox", "import_time", "splitters", "rademacher_streaming")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", default=list(CORE), help=f"which to run (default: {' '.join(CORE)})")
    parser.add_argument("--data", type=Path, help="folder with the data sets")
    parser.add_argument("--out", type=Path, help="Markdown file to write the lines to")
    arguments = parser.parse_args()
    sections = []
    for name in arguments.names:
        module = import_module(f"benchmarks.{name}")
        title = (module.__doc__ or name).strip().splitlines()[0]
        print(f"\n{title}", flush=True)
        lines = module.main(arguments.data)
        print("\n".join(lines), flush=True)
        sections.append(f"## {title}\n\n`python -m benchmarks {name}`\n\n" + "\n".join(lines))
    if arguments.out:
        text = f"# Measured\n\n{environment()}\n\n" + "\n\n".join(sections) + "\n"
        arguments.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
