"""The first page: what was declared, what was reached, and what our runs say of the paper's conclusions."""

from collections import Counter
from collections.abc import Iterator, Sequence

from reproduction.comparing import Comparison, Goal, comparisons, goals, ranks_by_space
from reproduction.experiments import CHOOSERS, DECLARED_CHOOSER
from reproduction.judging import LEAST_SPLITS, Verdict
from reproduction.pages.blocks import Block, Entry, Grid, Page
from reproduction.pages.tables import CHOOSER_WORDS, ranks_note, signed
from reproduction.records import Record
from reproduction.tabulated import BASELINES, OURS, Results, Row
from reproduction.verdicts import verdicts

__all__ = ["overview_page", "verdicts_page"]

DECLARATION = (
    f"Declared before the run: the column compared with the paper is '{DECLARED_CHOOSER}' "
    f"({CHOOSER_WORDS[DECLARED_CHOOSER]}). All four methods see the same splits, graph and features and choose on the "
    "labelled training rows only."
)
SEARCHED = (
    "What 'atlas' runs: in the kernel space up to 25 maps, five draws times five widths (0.25 to 4 median "
    "distances), each of 100 Fourier features with orthogonal frequencies; in the linear space the inputs. The "
    "normalised Laplacian of the 10-nearest-neighbour graph, to the powers 1 and 2. An intercept that is not "
    "penalised. Candidates are averaged by their leave-one-out losses, and SS-VV and LSVV are mixed with the "
    "average of their candidates without a manifold term as far as leave-one-out speaks for that. None of this is "
    "in the paper, which fits one candidate of one map, chosen by 5 folds: 'cv' is that."
)
"""What the declared column does beyond the paper."""


def overview_page(results: Results) -> Page:
    """Counts over all tables, by the declared chooser and by the other."""
    blocks: list[Block] = [DECLARATION, SEARCHED, *_records(results)]
    for chooser in CHOOSERS:
        rows = results.rows(chooser)
        if rows:
            declared = " (declared)" if chooser == DECLARED_CHOOSER else ""
            blocks += [
                f"'{chooser}'{declared}: {CHOOSER_WORDS[chooser]}.",
                *_blocks(rows, f"'{chooser}'", results.design.mark),
            ]
    return Page("index", "The paper's experiments, run again", tuple(blocks))


def _records(results: Results) -> Iterator[str]:
    failed = results.failures()
    yield (
        f"{len(results)} trials are on record, {len(failed)} of them failed; the splits took "
        f"{results.seconds() / 3600:.2f} hours, summed over processes."
    )
    for (reason, place), count in Counter((record.reason, _place(record)) for record in failed).most_common(5):
        yield f"Failed {count} times, {place}: {reason.rstrip('.')}."
    for environment, count in results.environments():
        versions = ", ".join(f"{name} {version}" for name, version in sorted((environment["versions"] or {}).items()))
        machine, cores = (environment[name] or "unknown" for name in ("machine", "cores"))
        yield f"{count} trials: {machine}, {cores} cores, {versions or 'unknown versions'}."
    yield _codes(results)


def _place(record: Record) -> str:
    """Where a trial belongs, such as "iris (linear) by 'cv'"."""
    return f"{record.trial['data']} ({record.trial['space']}) by '{record.trial['chooser']}'"


def _codes(results: Results) -> str:
    told = ", ".join(f"{count} trials with {code}" for code, count in results.codes())
    mixed = " Several states of the code are mixed." if len(results.codes()) > 1 else ""
    return f"By a hash of the code that learns, chooses and judges: {told or 'no trial'}.{mixed}"


def _blocks(rows: Sequence[Row], title: str, mark: int | None) -> Iterator[Block]:
    found = goals(rows)
    reached = sum(goal.reached for goal in found)
    told = "" if mark is None else f" (mark: at least {mark}, {_reached(reached >= mark)})"
    yield f"{title}: {OURS} is at or below the published {OURS} in {reached} of {len(found)} cells with data{told}."
    missed = [goal for goal in found if not goal.reached]
    if missed:
        yield _missed_grid(missed, title)
    paired, corrected = comparisons(rows), comparisons(rows, "corrected")
    if paired:
        yield _comparison_grid(paired, corrected, title)
    yield from (ranks_note(space, found) for space, found in ranks_by_space(rows).items())


def _reached(passed: bool) -> str:
    return "reached" if passed else "NOT reached"


def _missed_grid(missed: Sequence[Goal], title: str) -> Grid:
    rows = tuple(
        (
            Entry(goal.table),
            Entry(goal.data),
            Entry(signed(goal.distance)),
            Entry(signed(goal.standard_errors)),
            Entry(goal.reason),
        )
        for goal in sorted(missed, key=lambda goal: goal.standard_errors)
    )
    header = ("table", "data set", "distance", "in standard errors", "reason")
    return Grid(f"{title}: cells that do not reach the published {OURS}", header, rows)


def _comparison_grid(paired: Sequence[Comparison], corrected: Sequence[Comparison], title: str) -> Grid:
    tests = {"paired t": paired, "corrected resampled t": corrected}
    rows = tuple(_comparison_row(other, words, found) for other in BASELINES for words, found in tests.items())
    worse = [one for one in paired if one.outcome == "worse"]
    notes = [
        f"p values are Holm-corrected over all {len(paired)} comparisons, at 95 %. "
        f"Mark: nowhere significantly worse by the paired t, {_reached(not worse)}."
    ]
    if worse:
        told = "; ".join(f"{one.table} {one.data} against {one.other} ({signed(one.test.difference)})" for one in worse)
        notes.append(f"Significantly worse by the paired t: {told}.")
    header = ("against", "test", "better", "neither", "worse")
    return Grid(f"{title}: cells in which {OURS} differs significantly", header, rows, tuple(notes))


def _comparison_row(other: str, words: str, found: Sequence[Comparison]) -> tuple[Entry, ...]:
    counts = Counter(one.outcome for one in found if one.other == other)
    return Entry(other), Entry(words), *(Entry(str(counts[outcome])) for outcome in ("better", "even", "worse"))


def verdicts_page(results: Results) -> Page:
    """The paper's numbered conclusions with our verdicts."""
    header = ("conclusion", "the paper", "verdict", "rule", "evidence")
    rows = tuple(_verdict_row(verdict) for verdict in verdicts(results))
    intro = (
        "Each conclusion the paper draws from its tables and figures, held against our records by a rule stated in "
        "advance; nothing here is typed by hand. The rules use the declared column and leave substitutes out. A case "
        f"of fewer than {LEAST_SPLITS} splits, or of a curve that lacks points, is not judged; a conclusion is open as "
        "long as such cases could decide it."
    )
    return Page("verdicts", "The paper's conclusions", (intro, Grid("Verdicts", header, rows)))


def _verdict_row(verdict: Verdict) -> tuple[Entry, ...]:
    undecided = "open" if verdict.tested else "not tested"
    words = {True: "supported", False: "not supported", None: undecided}[verdict.supported]
    return (
        Entry(verdict.number),
        Entry(verdict.claim),
        Entry(words, bold=verdict.supported is True),
        Entry(verdict.rule),
        Entry(verdict.evidence),
    )
