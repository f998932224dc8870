"""How a conclusion is judged: it holds in cases, and is open as long as cases that were not run could decide it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["LEAST_SPLITS", "NO_RECORD", "Case", "Verdict", "case_of", "judged", "settled", "told_cases"]

NO_RECORD = "No record bears on it yet."
LEAST_SPLITS = 3
"""Fewer splits of a case tell nothing."""


@dataclass(frozen=True)
class Verdict:
    """One conclusion of the paper and what our runs say of it.

    Attributes
    ----------
    number : str
        Where it stands: "MC (1)" is the first conclusion from the multi-class tables.
    claim : str
        What the paper says.
    rule : str
        When we call it supported.
    supported : bool or None
        None where the records do not reach.
    evidence : str
        The figures behind the verdict.
    tested : bool
        False where there are records, but none that could speak against the conclusion or for it.
    """

    number: str
    claim: str
    rule: str
    supported: bool | None
    evidence: str
    tested: bool = True


@dataclass(frozen=True)
class Case:
    """One of the cases a conclusion speaks of; ``holds`` is None where there are too few splits to tell."""

    name: str
    splits: int
    holds: bool | None


def case_of(name: str, splits: int, test: Callable[..., bool], *figures: object) -> Case:
    """The case, tested where it has splits enough."""
    return Case(name, splits, test(*figures) if splits >= LEAST_SPLITS else None)


def judged(
    number: str,
    claim: str,
    rule: str,
    cases: Sequence[Case],
    *,
    most: bool = False,
    absent: Sequence[str] = (),
    silent: Sequence[str] = (),
) -> Verdict:
    """Supported if every (or more than half) of the cases holds; the others and what is not at hand are listed."""
    untested = f"Not tested on {', '.join(silent)}: no setting moves a figure there." if silent else ""
    if not cases:
        return Verdict(number, claim, rule, None, untested or NO_RECORD, tested=not silent)
    told = told_cases(cases) + (f" Not at hand: {', '.join(absent)}." if absent else "")
    return Verdict(number, claim, rule, settled(cases, most), f"{told} {untested}".rstrip())


def settled(cases: Sequence[Case], most: bool = False) -> bool | None:
    """What no case that is still open could change."""
    holding, failing = (sum(case.holds is outcome for case in cases) for outcome in (True, False))
    if 2 * holding > len(cases) if most else holding == len(cases):
        return True
    return False if (2 * failing >= len(cases) if most else failing) else None


def told_cases(cases: Sequence[Case]) -> str:
    """In how many cases it holds, and the others by name."""
    tested = [case for case in cases if case.holds is not None]
    told = []
    if tested:
        holding, least = sum(case.holds is True for case in tested), min(case.splits for case in tested)
        told.append(f"It holds in {holding} of {len(tested)} cases, of {least} splits at least.")
    if against := [case.name for case in cases if case.holds is False]:
        told.append(f"It does not in: {', '.join(against)}.")
    if unknown := [case.name for case in cases if case.holds is None]:
        told.append(f"Too few splits to tell: {', '.join(unknown)}.")
    return " ".join(told)
