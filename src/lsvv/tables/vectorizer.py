"""From the columns that describe a row to numbers an estimator takes: every column weighs the same."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import OneHotEncoder

from lsvv.extras import optional
from lsvv.tables.cells import COMMA, POINT, Formula, Notation, known
from lsvv.tables.column_kinds import Column, NumberColumn, ReadColumn, find_column
from lsvv.tables.table import TableError
from lsvv.tables.widths import Judge

__all__ = ["ColumnFeatures", "FrameVectorizer", "Unread"]

TEXT_WIDTHS = (20, 60, 150)
"""Into how many numbers a text may be squeezed."""
FEWEST_A_CATEGORY = 5
MOST_CATEGORIES = 40
FITTING_ROWS = 20_000
FARTHEST = 4.0


@dataclass(frozen=True, eq=False)
class ColumnFeatures:
    """The features of one column, centred and of total variance 1.

    Attributes
    ----------
    column : Column
        How its cells are read.
    encoder : transformer, optional
        Categories, dates and texts to numbers.
    middle, centre, scale : arrays of shape (features,)
        What fills an empty number, and what is taken off and divided by.
    """

    column: Column
    encoder: Any
    middle: np.ndarray
    centre: np.ndarray
    scale: np.ndarray

    def of(self, values: np.ndarray) -> np.ndarray:
        """The features (rows, features) of what was read, as float32."""
        encoded = _encoded(self.encoder, self.column, values)
        filled = np.where(np.isnan(encoded), self.middle, encoded)
        # an outlier is far, not infinitely far
        return np.clip((filled - self.centre) / self.scale, -FARTHEST, FARTHEST).astype(np.float32)


class FrameVectorizer(TransformerMixin, BaseEstimator):
    """Columns of a frame, of numbers, dates, categories and texts with empty cells anywhere, to an array.

    The features of each column stand beside those of the last, centred and of total variance 1, so that every column
    weighs the same. Columns that are empty, constant or merely name their rows are left out with a note. Large tables
    are learnt from a random part of their rows.

    Parameters
    ----------
    decimal : "." or ",", default="."
        The decimal sign of numbers in texts, in columns that alone do not say.
    random_state : int, default=0
        Seeds all draws.

    Attributes
    ----------
    parts_ : tuple of ColumnFeatures
        One for each used column.
    notes_ : tuple of str
        Columns left out, and why; how others are read.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.pipeline import make_pipeline
    >>> from lsvv import LSVVClassifierCV
    >>> from lsvv.tables import FrameVectorizer
    >>> frame = pd.DataFrame({"size": [row if row % 9 else None for row in range(60)], "home": ["sea", "wood"] * 30})
    >>> y = [row // 30 if row % 4 == 0 else -1 for row in range(60)]
    >>> model = make_pipeline(FrameVectorizer(), LSVVClassifierCV(features="linear", random_state=0)).fit(frame, y)
    >>> model.predict(frame[10:50:12]).tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, *, decimal: str = ".", random_state: int = 0) -> None:
        self.decimal = decimal
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the columns of a frame how each is read and encoded."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, *, judge: Judge | None = None) -> np.ndarray:
        """Learn from the columns of a frame, and give its rows.

        ``judge`` chooses into how many numbers texts are squeezed, and leaves out those that are in the way; without
        one they are as few as may be.
        """
        names = list(X.columns)
        found = [find_column(str(name), _cells(X[name]), self._notation) for name in names]
        used = [one for one in found if one.why_left_out is None]
        self.notes_ = (*_formula_notes(X, names), *(note for one in found for note in one.notes))
        if not used:
            raise TableError(
                "No column is left to learn from: all beside the targets are empty, constant or identifiers. Add "
                "columns that describe the rows. " + " ".join(self.notes_)
            )
        some = np.arange(len(X))
        if len(X) > FITTING_ROWS:
            some = np.sort(np.random.default_rng(self.random_state).choice(len(X), FITTING_ROWS, replace=False))
        widths = [_fitted(one.column, one.values[some], self.random_state) for one in used]
        kept, chosen = self._chosen(used, widths, judge)
        self.parts_ = tuple(chosen[place] for place in kept)
        return self._of(used[place].values for place in kept)

    @property
    def _notation(self) -> Notation:
        return COMMA if self.decimal == "," else POINT

    def _chosen(
        self, used: Sequence[ReadColumn], widths: Sequence[Sequence[ColumnFeatures]], judge: Judge | None
    ) -> tuple[list[int], list[ColumnFeatures]]:
        """The places of the columns that are kept, and the features of all, at the width that the judge prefers."""
        choices = [[_at(width, some) for some in widths] for width in TEXT_WIDTHS]
        texts = [place for place, some in enumerate(widths) if len(some) > 1]
        if judge is None or not texts:
            return list(range(len(used))), choices[0]
        columns = [one.values[judge.rows] for one in used]
        blocks = [[part.of(values) for part, values in zip(some, columns, strict=True)] for some in choices]
        best = min(range(len(choices)), key=lambda place: judge.error(np.hstack(blocks[place])))
        kept = _helpful(judge, blocks[best], texts)
        self.notes_ += tuple(
            f"Column {used[place].column.name!r} was left out: known cells are predicted better without its texts."
            for place in texts
            if place not in kept
        )
        return kept, choices[best]

    @property
    def kinds(self) -> dict[str, str]:
        """Each used column as "number", "date" or "text"."""
        return {part.column.name: part.column.kind for part in self.parts_}

    @property
    def sources(self) -> tuple[str, ...]:
        """The column each feature comes from."""
        return tuple(part.column.name for part in self.parts_ for _ in part.centre)

    def transform(self, X: Any, usual: Notation | None = None) -> np.ndarray:
        """The rows of a frame as float32; one without rows, or that lacks a column, is refused.

        ``usual`` is how the file of this frame writes numbers, where it is another.
        """
        lacking = [name for name in self.kinds if name not in X.columns]
        if lacking:
            raise TableError(f"The table has no column {lacking[0]!r}, which the model was fitted with. Add it.")
        if not len(X):
            raise TableError("The table has no rows below its first line. Add rows.")
        return self._of(values for values, _ in self.read(X, usual))

    def read(self, X: Any, usual: Notation | None = None) -> Iterator[tuple[np.ndarray, Sequence[int]]]:
        """The values of each used column, and the places of cells that are not what the column is."""
        return (part.column.read(_given(part.column, X), usual or self._notation) for part in self.parts_)

    def _of(self, columns: Iterable[np.ndarray]) -> np.ndarray:
        return np.concatenate([part.of(values) for part, values in zip(self.parts_, columns, strict=True)], axis=1)

    def unread(self, X: Any, usual: Notation | None = None) -> tuple[str, ...]:
        """Notes of the cells of a frame that count as empty because they are not what their columns are."""
        unread = Unread(self)
        unread.hear(X, usual)
        return unread.notes

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "parts_")


class Unread:
    """The cells of frames that count as empty because they are not what their columns are."""

    def __init__(self, vectorizer: FrameVectorizer) -> None:
        self._vectorizer = vectorizer
        self._found: dict[int, tuple[int, Any, int]] = {}

    def hear(self, X: Any, usual: Notation | None = None, first: int = 0) -> None:
        """One more frame; ``first`` is the number, from 0, of its first row."""
        parts = self._vectorizer.parts_
        for place, (part, (_, strange)) in enumerate(zip(parts, self._vectorizer.read(X, usual), strict=True)):
            if strange:
                cells = _cells(X[part.column.name])
                count, cell, row = self._found.get(place, (0, cells[strange[0]], first + strange[0]))
                self._found[place] = (count + len(strange), cell, row)

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each column with such cells."""
        columns = {place: part.column for place, part in enumerate(self._vectorizer.parts_)}
        return tuple(columns[place].said_of_strange(*self._found[place]) for place in sorted(self._found))


def _helpful(judge: Judge, blocks: Sequence[np.ndarray], texts: Sequence[int]) -> list[int]:
    """The columns without those texts, one after the other, whose numbers make left-out cells harder to predict."""
    kept = list(range(len(blocks)))
    error = judge.error(np.hstack(blocks))
    for place in texts:
        rest = [other for other in kept if other != place]
        without = judge.error(np.hstack([blocks[other] for other in rest])) if rest else np.inf
        if without < error:
            kept, error = rest, without
    return kept


def _at(width: int, widths: Sequence[ColumnFeatures]) -> ColumnFeatures:
    """The features of a column at a width, or the widest there are."""
    return next((one for one in widths if one.centre.size >= width), widths[-1])


def _cells(column: Any) -> list[Any]:
    """The cells of an input column, None where one is empty or a formula whose value is not known."""
    return [None if isinstance(cell, Formula) else cell for cell in known(column)]


def _given(column: Column, frame: Any) -> Any:
    """The cells of an input column as it reads them: of numbers all at once, where they are nothing else."""
    cells = frame[column.name]
    numbers = isinstance(column, NumberColumn) and not column.unit and getattr(cells.dtype, "kind", "") in "iuf"
    return cells.to_numpy() if numbers else _cells(cells)


def _formula_notes(frame: Any, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        n_formulas = sum(isinstance(cell, Formula) for cell in frame[name])
        if n_formulas:
            are = "a formula whose value is" if n_formulas == 1 else f"{n_formulas:,} formulas whose values are"
            yield f"Column {name!r} holds {are} not in the file, taken for empty. Save the workbook in Excel."


def _fitted(column: Column, values: np.ndarray, random_state: int) -> list[ColumnFeatures]:
    """The features of a column; of a text at every width it has, the narrowest first."""
    encoder = _new_encoder(column, values, random_state)
    if encoder is not None:
        with warnings.catch_warnings():
            # a column with few different texts has fewer components than asked for
            warnings.simplefilter("ignore")
            encoder.fit(_as_taken(encoder, column, values))
    encoded = _encoded(encoder, column, values)
    if column.kind != "text" or "tsvd_" not in vars(encoder):
        return [ColumnFeatures(column, encoder, *_scaling(encoded, column.kind == "date"))]
    widths = sorted({min(width, encoded.shape[1]) for width in TEXT_WIDTHS})
    return [ColumnFeatures(column, _narrowed(encoder, width), *_scaling(encoded[:, :width], False)) for width in widths]


def _narrowed(encoder: Any, width: int) -> Any:
    """A fitted StringEncoder that gives the first of its components alone."""
    narrow = copy.copy(encoder).set_params(n_components=width)
    narrow.tsvd_ = copy.copy(encoder.tsvd_).set_params(n_components=width)
    narrow.tsvd_.components_ = encoder.tsvd_.components_[:width].copy()
    narrow.n_components_, narrow.all_outputs_ = width, encoder.all_outputs_[:width]
    return narrow


def _new_encoder(column: Column, values: np.ndarray, random_state: int) -> Any:
    """What turns a column into numbers; None where it is numbers."""
    if column.kind == "number":
        return None
    skrub = optional("skrub", "Learning from a table", "tables")
    if column.kind == "date":
        return skrub.DatetimeEncoder(add_weekday=True)
    # a category needs a few rows each to be told from a text
    n_texts = len({text for text in values if text is not None})
    if n_texts < np.clip(len(values) / FEWEST_A_CATEGORY, 3, MOST_CATEGORIES):
        return OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32)
    # with fewer rows than components there would be none, but the first n-grams of the alphabet
    return skrub.StringEncoder(n_components=min(TEXT_WIDTHS[-1], max(len(values) - 1, 1)), random_state=random_state)


def _encoded(encoder: Any, column: Column, values: np.ndarray) -> np.ndarray:
    """The features before they are scaled, NaN where a number or date is missing."""
    if encoder is None:
        return values[:, None]
    with warnings.catch_warnings():
        # an unseen category is nothing
        warnings.simplefilter("ignore")
        return np.asarray(encoder.transform(_as_taken(encoder, column, values)), dtype=np.float32)


def _as_taken(encoder: Any, column: Column, values: np.ndarray) -> Any:
    """A column as its encoder takes it: categories as a table of one column, the others as a series."""
    import pandas as pd

    if isinstance(encoder, OneHotEncoder):
        return values[:, None]
    return pd.Series(values, name=column.name, dtype="str" if column.kind == "text" else None)


def _scaling(encoded: np.ndarray, has_units: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What fills a gap, the centre, and the scale at which the features have total variance 1.

    The parts of a date (year, month, seconds) have units of their own and are brought to one first.
    """
    given = ~np.isnan(encoded)
    filled = np.where(given.any(axis=0), encoded, 0.0)
    middle = np.nanmedian(filled, axis=0)
    # squares of the numbers as they are may leave single precision
    filled = np.where(np.isnan(filled), middle, filled).astype(np.float64)
    spread = filled.std(axis=0)
    unit = np.where(spread > 0, spread, 1.0) if has_units else np.ones_like(spread)
    total = float(np.sqrt(np.sum((spread / unit) ** 2)))
    return middle, filled.mean(axis=0), unit * (total if total > 0 else 1.0)
