"""The paper's tables as grids: our figures, the published cell beside them, and the difference."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lsvv.tables.words import count
from reproduction.comparing import FLOAT_NOISE, own_comparisons, ranks_by_space
from reproduction.data import PaperSize
from reproduction.experiments import COMPARED, DECLARED_CHOOSER, OWN, Chooser, task_of
from reproduction.inventory import Holding
from reproduction.outliers import Outlier
from reproduction.pages.blocks import Entry, Grid
from reproduction.published import METHODS, PARTS, PublishedCell
from reproduction.statistics import MeanRanks, Summary, summarise
from reproduction.tabulated import LEVEL, NOT_AT_HAND, NOT_RUN, OURS, Cell, Curve, Row, TableSummary

__all__ = [
    "CHOOSER_WORDS",
    "beside_grid",
    "compared_words",
    "curve_grid",
    "data_grid",
    "mean_and_std",
    "methods_grid",
    "outlier_grid",
    "ranks_note",
    "result_grid",
    "signed",
]

LEGEND = (
    "Mean ± standard deviation. Bold: the least mean. Underlined (in Markdown: italics): not significantly different "
    "from it, paired t at 95 %. †: significantly different by the paired t, but not by the corrected resampled t, "
    "which allows for overlapping splits. Difference: our mean less the published one."
)
CHOOSER_WORDS: Mapping[Chooser, str] = {
    "atlas": "chosen by exact leave-one-label-out and averaged, our losses",
    "cv": "chosen by 5 folds over the paper's candidates, the paper's losses",
}
OWN_TITLE = f"{OWN} (ours)"
OWN_WORDS = (
    f"{OWN_TITLE}: the same map and number of neighbours, features smoothed over the graph, neither manifold term nor "
    f"tail; the paper has no such method, and no mark, rank or verdict looks at it."
)
CAPTIONS = {
    "linear-mc": "Test error (%), multi-class, linear estimators",
    "kernel-mc": "Test error (%), multi-class, kernel estimators (100 Fourier features)",
    "linear-ml": "Hamming loss (%), for regression 100 × MSE; multi-label, linear estimators",
    "kernel-ml": "Hamming loss (%), for regression 100 × MSE; multi-label, kernel estimators (100 Fourier features)",
}
FIGURES = {
    "micro_f1": "micro-F1 (%)",
    "macro_f1": "macro-F1 (%)",
    "ranking_loss": "ranking loss (%)",
    "rmse": "RMSE",
}
COMPARED_WORDS = {"error": "test error (%)", "hamming": "Hamming loss (%)", "mse100": "100 × MSE"}
ABSENT = "–"
MINIMISED = {
    (False, False): "empirical risk and ridge",
    (True, False): "and smoothness over unlabelled rows",
    (False, True): "and the tail of the singular values",
    (True, True): "and both",
}
"""By whether there is a manifold term and a tail."""
EQUATION = (
    "F(W) = mean loss + ridge |W|² + manifold tr(W'GW) + spectral Σ_{j > free_rank} σ_j(W): the four methods are four "
    "settings of one equation. The fifth is ours: it smooths the features over the graph before W is fitted."
)


def result_grid(table: TableSummary) -> Grid:
    """A table of results by one chooser; rows without figures say why."""
    header = ["data set", "splits"]
    for method in METHODS:
        header += [method, "paper (difference)"]
    with_own = table.chooser == DECLARED_CHOOSER
    header += [OWN_TITLE] if with_own else []
    ranks = (ranks_note(space, found) for space, found in ranks_by_space(table.rows).items())
    own = _own_notes(table.rows) if with_own else ()
    notes = [LEGEND, *_hidden_note(table), *ranks, *own, *_failure_notes(table.rows)]
    caption = f"{CAPTIONS[table.name]}; {CHOOSER_WORDS[table.chooser]}"
    rows = tuple((*_result_row(row), *([_own(row)] if with_own else [])) for row in table.rows)
    return Grid(caption, tuple(header), rows, tuple(notes))


def _result_row(row: Row) -> tuple[Entry, ...]:
    entries = [Entry(_name(row)), Entry(str(row.count) if row.cells else "")]
    for place, method in enumerate(METHODS):
        if row.cells:
            entries.append(_ours(row.cells[method]))
        else:
            entries.append(Entry(row.state if place == 0 else ""))
        entries.append(Entry(_printed(row.printed.get(method), row.cells.get(method))))
    return tuple(entries)


def _own(row: Row) -> Entry:
    """Our own method, with its splits where they are not those of the row."""
    errors = row.own.get(COMPARED[row.task])
    if errors is None:
        return Entry("" if row.state == NOT_AT_HAND else NOT_RUN)
    splits = "" if len(errors) == row.count else f" ({count(len(errors), 'split')})"
    return Entry(f"{mean_and_std(summarise(list(errors.values())))}{splits}")


def _own_notes(rows: Iterable[Row]) -> Iterator[str]:
    yield OWN_WORDS
    found = Counter(one.outcome for one in own_comparisons(rows))
    if found:
        yield (
            f"{OWN} against {OURS} on common splits, paired t at 95 %, Holm-corrected over these rows: better in "
            f"{found['better']}, even in {found['even']}, worse in {found['worse']}."
        )


def _name(row: Row) -> str:
    return f"{row.data} (substitute for {row.substitute_for})" if row.substitute_for else row.data


def _ours(cell: Cell) -> Entry:
    dagger = "†" if cell.mark == "worse" and cell.corrected == "close" else ""
    return Entry(f"{mean_and_std(cell.summary)}{dagger}", cell.mark == "best", cell.mark == "close")


def _printed(printed: PublishedCell | None, cell: Cell | None) -> str:
    if printed is None:
        return ABSENT
    text = f"{printed.mean:.2f} ± {printed.std:.2f}"
    return text if cell is None or cell.difference is None else f"{text} ({signed(cell.difference)})"


def signed(value: float) -> str:
    """A difference with its sign and a true minus; one too small for two decimals with its first digit.

    Examples
    --------
    >>> signed(-1.234), signed(0.0028), signed(0.0)
    ('−1.23', '+0.003', '+0.00')
    """
    small = FLOAT_NOISE < abs(value) < 0.005
    return (f"{value:+.1g}" if small else f"{value:+.2f}").replace("-", "−")


def mean_and_std(summary: Summary, decimals: int = 2) -> str:
    """A single figure has no deviation."""
    mean, std = f"{summary.mean:.{decimals}f}", f"{summary.std:.{decimals}f}"
    return mean if math.isnan(summary.std) else f"{mean} ± {std}"


def ranks_note(space: str, ranks: MeanRanks) -> str:
    """Mean ranks in a space and their critical difference in a sentence."""
    told = ", ".join(f"{method} {rank:.2f}" for method, rank in ranks.ranks.items())
    over = f"{count(ranks.cells, 'row')} of the {space} space"
    return f"Mean ranks over {over}: {told}; critical difference at 95 % {ranks.critical:.2f}.{_friedman(ranks)}"


def _friedman(ranks: MeanRanks) -> str:
    if math.isnan(ranks.friedman):
        return ""
    p = "p < 0.001" if ranks.friedman < 0.001 else f"p = {ranks.friedman:.3f}"
    tells = "tells the methods apart" if ranks.friedman < LEVEL else "does not tell the methods apart"
    return f" Friedman's test {tells} ({p})."


def _hidden_note(table: TableSummary) -> Iterator[str]:
    if table.name.endswith("ml"):
        what = "whole rows of Y" if table.hidden == "rows" else "single entries of Y"
        yield f"50 % of the training labels are hidden: {what}."
    else:
        yield "90 % of the training rows of each class are unlabelled."


def _failure_notes(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        if row.failed:
            yield f"{row.data}: {row.failed} trials failed; splits that not all methods ended are left out."


def beside_grid(table: TableSummary) -> Grid | None:
    """The figures beside the compared one, for multi-label and regression sets; None where there are none."""
    with_own = table.chooser == DECLARED_CHOOSER
    rows = tuple(
        (
            Entry(_name(row)),
            Entry(words),
            *(_beside(figure, row.figures[figure][method]) for method in METHODS),
            *([_beside(figure, [*row.own.get(figure, {}).values()])] if with_own else []),
        )
        for row in table.filled
        for figure, words in FIGURES.items()
        if figure in row.figures and figure != COMPARED[row.task]
    )
    caption = f"Other figures of the same splits; {CHOOSER_WORDS[table.chooser]}"
    note = "For F1 more is better; for ranking loss and RMSE (targets scaled to [0, 1]) less is."
    header = ("data set", "figure", *METHODS, *([OWN_TITLE] if with_own else []))
    return Grid(caption, header, rows, (note,)) if rows else None


def outlier_grid(table: TableSummary, row: Row, outlier: Outlier) -> Grid:
    """The compared figure of a row apart by where its one outlying target is: each way has a unit of its own."""
    where = {
        "a training row, and its range the unit": [seed not in outlier.tested for seed in row.seeds],
        "a test row, and outside the unit": [seed in outlier.tested for seed in row.seeds],
    }
    rows = tuple(
        (Entry(words), Entry(str(sum(these))), *(_some(row.errors[method], these) for method in METHODS))
        for words, these in where.items()
    )
    note = (
        f"Target {outlier.column + 1} of {row.data} has one value of {outlier.value:.4g}; the nearest other one is "
        f"{outlier.nearest:.4g}. Targets are scaled to [0, 1] by the training rows: with that row among them the "
        f"errors of this target all but vanish; without it, its own error is most of the figure."
    )
    caption = f"{row.data}, {compared_words(row.data)}, by where its outlying row is; {CHOOSER_WORDS[table.chooser]}"
    return Grid(caption, ("the outlying row is", "splits", *METHODS), rows, (note,))


def _some(values: Sequence[float], these: Sequence[bool]) -> Entry:
    chosen = [value for value, this in zip(values, these, strict=True) if this]
    return Entry(mean_and_std(summarise(chosen)) if chosen else ABSENT)


def _beside(figure: str, values: Sequence[float]) -> Entry:
    if not values:
        return Entry(NOT_RUN)
    found = summarise(values)
    if figure != "rmse":
        return Entry(mean_and_std(found))
    return Entry(f"{found.mean:.4f}" if math.isnan(found.std) else f"{found.mean:.4f} ± {found.std:.4f}")


def compared_words(data: str) -> str:
    """What the compared figure of a data set is called.

    Examples
    --------
    >>> compared_words("iris"), compared_words("scene")
    ('test error (%)', 'Hamming loss (%)')
    """
    return COMPARED_WORDS[COMPARED[task_of(data)]]


def curve_grid(curve: Curve) -> Grid:
    """The points of one panel of a figure, with four digits or two decimals: its methods may lie close together."""
    places = sorted(curve.points[OURS])
    largest = max((point.mean for method in METHODS for point in curve.points[method].values()), default=0.0)
    decimals = max(2, 3 - math.floor(math.log10(largest))) if largest > 0.0 else 2
    rows = tuple(
        (
            Entry(f"{place:g}"),
            Entry(str(curve.points[OURS][place].count)),
            *(Entry(mean_and_std(curve.points[method][place], decimals)) for method in METHODS),
        )
        for place in places
    )
    axis = {"labeled-rate": "labelled share", "theta": "θ / min(K, D)"}[curve.figure]
    return Grid(f"{curve.data}, {curve.space} space, {compared_words(curve.data)}", (axis, "splits", *METHODS), rows)


def data_grid(holdings: Sequence[Holding]) -> Grid:
    """Training rows, test rows, d and K of what was loaded, with the printed ones in brackets where they differ."""
    rows = tuple(_data_row(holding) for holding in holdings)
    compared = [holding for holding in holdings if holding.loaded and holding.printed]
    equal = sum(not holding.differences for holding in compared)
    notes = (
        f"{equal} of the {len(compared)} sets at hand have the printed sizes. d: the columns that vary, and a bias.",
        "The printed size stands in brackets where it differs, or where the set is not at hand.",
    )
    header = ("data set", "task", "training", "testing", "d", "K", "remark")
    return Grid("The data sets as the loaders read them", header, rows, notes)


def _data_row(holding: Holding) -> tuple[Entry, ...]:
    sizes = (Entry(_size(holding.loaded, holding.printed, column)) for column in ("training", "testing", "d", "K"))
    remark = holding.note if holding.loaded else f"{NOT_AT_HAND}. {holding.note}".strip()
    return Entry(holding.name), Entry(holding.task), *sizes, Entry(remark)


def _size(loaded: PaperSize | None, printed: PaperSize | None, column: str) -> str:
    theirs = getattr(printed, column) if printed else None
    if loaded is None:
        return ABSENT if theirs is None else f"({theirs})"
    ours = getattr(loaded, column)
    return str(ours) if theirs in (ours, None) else f"{ours} ({theirs})"


def methods_grid() -> Grid:
    """The four methods as settings of one equation, and our own."""
    rows = [(Entry(method), Entry("chosen"), *_setting(*PARTS[method]), Entry("0")) for method in METHODS]
    rows.append(tuple(map(Entry, (OWN_TITLE, "chosen", "0", "0", ABSENT, MINIMISED[False, False], "chosen"))))
    header = ("method", "ridge", "manifold", "spectral, free_rank", "the paper", "what it minimises", "smoothing")
    return Grid("The four methods, and ours", header, tuple(rows), (EQUATION,))


def _setting(manifold: bool, tail: bool) -> tuple[Entry, ...]:
    """The two weights, the paper's words for them, and what they add."""
    weights = ("chosen" if part else "0" for part in (manifold, tail))
    paper = f"τ_I {'> 0' if manifold else '= 0'}, τ_S {'> 0' if tail else '= 0'}"
    return *(Entry(weight) for weight in weights), Entry(paper), Entry(MINIMISED[manifold, tail])
