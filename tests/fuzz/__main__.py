"""Generated input: ``python -m tests.fuzz NUMBER ...`` runs cases again, ``--count`` many of them."""

from __future__ import annotations

import argparse
from pathlib import Path

from .kinds import run
from .running import long_run, page


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("numbers", nargs="*", type=int, help="cases to run again")
    parser.add_argument("--count", type=int, default=20_000, help="how many cases the long run has")
    parser.add_argument("--jobs", type=int, default=2, help="processes of the long run")
    parser.add_argument("--out", type=Path, help="Markdown file for the figures of the long run")
    arguments = parser.parse_args()
    if arguments.numbers:
        verdicts = [run(number) for number in arguments.numbers]
        for one in verdicts:
            print(f"{one.number} {one.kind}: {one.ended}. {one.said}")
    else:
        verdicts = long_run(arguments.count, arguments.jobs)
        print(page(verdicts))
        if arguments.out:
            arguments.out.write_text(page(verdicts), encoding="utf-8")
    return int(any(one.ended == "fault" for one in verdicts))


if __name__ == "__main__":
    raise SystemExit(main())
