"""The long run: cases one after another in a few processes, each kept on disk as it ends, so that a run can go on."""

from __future__ import annotations

import faulthandler
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread

from benchmarks.timing import environment

from .judging import CPU_SECONDS, ROOT, Verdict
from .kinds import KINDS, kind_of, run

KEPT = ROOT / "build" / "fuzz.jsonl"
STUCK = 900.0
"""Seconds after which a case that no signal reaches is given up, and its process with it."""


def long_run(count: int, processes: int) -> list[Verdict]:
    """What became of the cases below ``count``; those that ended well before are not run again."""
    KEPT.parent.mkdir(exist_ok=True)
    before = kept()
    left = [number for number in range(count) if number not in before or before[number].ended == "fault"]
    print(f"{count - len(left)} cases ended well before, {len(left)} are run.", flush=True)
    watchers = [Thread(target=_watch, args=(left[place::processes],)) for place in range(processes)]
    for watcher in watchers:
        watcher.start()
    for watcher in watchers:
        watcher.join()
    found = kept()
    return [found[number] for number in range(count)]


def kept() -> dict[int, Verdict]:
    """The last verdict of every number."""
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    return {verdict.number: verdict for verdict in (Verdict(**json.loads(line)) for line in lines)}


def _keep(verdict: Verdict) -> None:
    with KEPT.open("a", encoding="utf-8") as written:
        written.write(json.dumps(asdict(verdict)) + "\n")
    if verdict.ended == "fault":
        print(f"{verdict.number} {verdict.kind}: {verdict.said}", flush=True)


def _watch(numbers: Sequence[int]) -> None:
    """Work the numbers in a process; where it dies, its case is a fault and another process goes on."""
    context = get_context("spawn")
    while numbers:
        ours, theirs = context.Pipe(duplex=False)
        worker = context.Process(target=_work, args=(numbers, theirs))
        worker.start()
        theirs.close()
        done = 0
        while (verdict := _received(ours)) is not None:
            _keep(verdict)
            done += 1
        worker.join()
        numbers = numbers[done:]
        if numbers:
            number = numbers[0]
            _keep(Verdict(number, kind_of(number), "fault", f"the process died, exit code {worker.exitcode}"))
            numbers = numbers[1:]


def _received(pipe: Connection) -> Verdict | None:
    try:
        return pipe.recv()
    except EOFError:
        return None


def _work(numbers: Sequence[int], pipe: Connection) -> None:
    for number in numbers:
        faulthandler.dump_traceback_later(STUCK, exit=True)
        pipe.send(run(number))
    faulthandler.cancel_dump_traceback_later()


def page(verdicts: Sequence[Verdict]) -> str:
    """The figures as Markdown."""
    ended = Counter((verdict.kind, verdict.ended) for verdict in verdicts)
    faults = [verdict for verdict in verdicts if verdict.ended == "fault"]
    lines = [
        "# Measured",
        f"\n{environment()}",
        "\n## Generated input: a sane result or a sentence",
        f"\n`make fuzz`: {len(verdicts):,} cases, {len(faults):,} faults.\n",
        "A case is a number: all that is drawn comes from it, and `python -m tests.fuzz NUMBER` runs it again. A sane",
        "result has the right shapes, finite numbers, probabilities that sum to 1, classes that were seen, known cells",
        "and input files as they were. A sentence is an error of our own that tells what is wrong. All else is a",
        f"fault: another exception, a numerical warning, a file left behind, over {CPU_SECONDS:g} seconds of processor",
        "time, or an error where nothing hostile was drawn. A case that was a fault is run again when its cause is",
        "mended; those that ended well before are not.\n",
        "| kind | cases | results | sentences | faults |",
        "|---|---|---|---|---|",
    ]
    for kind in KINDS:
        counts = [ended[kind, end] for end in ("result", "sentence", "fault")]
        lines.append(f"| {kind} | {sum(counts):,} | {' | '.join(f'{count:,}' for count in counts)} |")
    lines += ["\nFaults:\n" if faults else "\nNo fault."]
    return "\n".join([*lines, *(f"- {one.number} ({one.kind}): {one.said}" for one in faults)]) + "\n"
