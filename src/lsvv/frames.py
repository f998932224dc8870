"""Fill the holes of a pandas or polars frame: the same work as on a file, and a frame of the same kind back."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from lsvv.tables import Quality, TableError, check_places, summary, write_atomically
from lsvv.tables import fill as fill_table
from lsvv.tables.cautions import Caution
from lsvv.tables.files import MISSING
from lsvv.tables.filling import Filled
from lsvv.tables.frame_source import Frame, table_of
from lsvv.tables.headline import further_notes, headline
from lsvv.tables.naming import with_inputs
from lsvv.tables.words import count

__all__ = ["FilledFrame", "ReportPage", "fill"]

HEIGHT = 900


class FilledFrame:
    """A filled frame and what is known of how it was filled.

    Attributes
    ----------
    frame : pandas.DataFrame or polars.DataFrame
        Of the kind that was given, with the same rows, index, columns and types; known cells are as they were.
    certainty : frame of the same kind and index
        For each target the probability of the filled cell, or the lower and upper ends of a 90 % interval for numbers,
        and whether the cell was filled.
    warnings : tuple of Caution
        What to hear before the frame is used; ``text`` is the sentence.
    notes : tuple of str
        What else to know, those sentences first.
    quality : dict of str to Quality
        For each target how good the answer is on known cells, each left out in turn.
    filled : lsvv.tables.Filled
        All there is, as from a file.
    """

    def __init__(self, filled: Filled, source: Frame) -> None:
        self.filled, self._source = filled, source

    @cached_property
    def frame(self) -> Any:
        """The filled frame."""
        return self._source.filled(self.filled.edits.cells)

    @cached_property
    def certainty(self) -> Any:
        """How sure the filled cells are."""
        return self._source.beside(self.filled.edits.columns)

    @property
    def warnings(self) -> tuple[Caution, ...]:
        """What to hear first."""
        return self.filled.warnings

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know."""
        return self.filled.notes

    @property
    def quality(self) -> dict[str, Quality]:
        """How good the answers are."""
        return {result.target.column: result.quality for result in self.filled.results}

    def probabilities(self, target: str | None = None) -> Any:
        """The probability of every class, or tag, in every row, known or not: a frame of the same kind and index.

        ``target`` may be left out where there is but one.
        """
        found = {result.target.column: result for result in self.filled.results}
        name = next(iter(found)) if target is None and len(found) == 1 else target
        if name not in found:
            raise TableError(f"Name a target: one of {', '.join(map(repr, found))}.")
        result = found[name]
        if result.probabilities is None:
            raise TableError(f"{name!r} is numbers, which have intervals. See certainty.")
        return self._source.beside(dict(zip(result.target.choices, result.probabilities.T.tolist(), strict=True)))

    def summary(self) -> dict[str, Any]:
        """All of it as plain values, as --json prints them."""
        return summary(self.filled)

    def report(self, path: str | os.PathLike[str] | None = None) -> ReportPage:
        """The report: it shows itself in a notebook, and is saved where a path is given."""
        from lsvv.report import fill_report

        page = ReportPage(fill_report(self.filled))
        if path is not None:
            page.save(path)
        return page

    def __repr__(self) -> str:
        notes = len(further_notes(self.filled))
        more = f", {count(notes, 'more note')} in .notes" if notes else ""
        where = f"The filled frame is .frame, how sure each cell is .certainty{more}; .report() shows it all."
        return "\n".join([*headline(self.filled), where])

    def _repr_html_(self) -> str:
        said = "\n".join([*headline(self.filled), *(f"Note: {note}" for note in further_notes(self.filled))])
        return f"<pre>{html.escape(said)}</pre>{self.frame._repr_html_()}"


class ReportPage:
    """An HTML page that shows itself in a notebook.

    Attributes
    ----------
    html : str
        All of it; it needs nothing else.
    """

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all."""
        check_places({"another path": str(path)}, [])
        write_atomically(self.html.encode("utf-8"), path)

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.html, quote=True)}" title="Report" '
            f'style="width:100%;height:{HEIGHT}px;border:0"></iframe>'
        )


def fill(
    frame: Any,
    target: str | Sequence[str],
    *,
    task: str | Mapping[str, str] | None = None,
    keep: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    features: str = "auto",
    class_weight: str = "none",
    missing: Sequence[str] = MISSING,
    random_state: int = 0,
) -> FilledFrame:
    """Fill the empty cells of columns of a frame, from all its other columns and from its known cells.

    Parameters
    ----------
    frame : pandas.DataFrame or polars.DataFrame
        Numbers, texts, categories and dates with empty cells anywhere. It is never changed.
    target : str or sequence of str
        The columns to fill; their known cells are the labels.
    task : str or mapping of column to str, optional
        "classes", "labels" (0 or 1), "tags" or "numbers"; found from the known cells, and from a categorical type.
    keep, ignore : str or sequence of str
        Columns that alone are inputs, and columns that are none.
    features : "auto", "linear" or "fourier"
        What the model may be: straight, curved, or both.
    class_weight : "none" or "balanced"
        Whether every answer weighs the same, however rare it is among the known cells.
    missing : sequence of str
        Texts that mean an empty cell, beside None, NaN and blanks.
    random_state : int
        Seeds all draws.

    Returns
    -------
    FilledFrame
        Its ``frame`` is the filled frame; ``certainty`` says how sure each filled cell is, ``warnings`` and ``notes``
        what to know before it is used. ``report()`` shows all of it in a notebook and saves it.

    Examples
    --------
    >>> import lsvv
    >>> import pandas as pd
    >>> size = [row * row for row in range(40)]
    >>> kind = [("low" if row < 20 else "high") if row % 4 == 0 else None for row in range(40)]
    >>> filled = lsvv.fill(pd.DataFrame({"size": size, "kind": kind}), target="kind", features="linear")
    >>> filled.frame["kind"].iloc[[1, 39]].tolist()
    ['low', 'high']
    >>> filled.certainty.columns.tolist()
    ['kind_probability', 'kind_filled']
    """
    table = table_of(frame, missing)
    source = table.source
    assert isinstance(source, Frame)
    targets = _names(target)
    table = with_inputs(table, targets, _names(keep), _names(ignore))
    words = ",".join(f"{column}={word}" for column, word in task.items()) if isinstance(task, Mapping) else task
    return FilledFrame(
        fill_table(table, targets, task=words, features=features, class_weight=class_weight, random_state=random_state),
        source,
    )


def _names(columns: Any) -> list[str]:
    """Columns as a table calls them: one, or several."""
    return list(map(str, columns)) if isinstance(columns, (list, tuple)) else [str(columns)]
