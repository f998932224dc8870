"""From the columns that describe a row to numbers an estimator takes: every column weighs the same."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lsvv.tables.cells import POINT, Notation, known
from lsvv.tables.columns import Column, find_column
from lsvv.tables.table import TableError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Vectoriser", "vectorised"]

TEXT_COMPONENTS = 20
FEWEST_A_CATEGORY = 5
FITTING_ROWS = 20_000
FARTHEST = 4.0


@dataclass(frozen=True, eq=False)
class Vectoriser:
    """Input columns to an array (rows, features), each column's features centred and of total variance 1.

    Attributes
    ----------
    columns : tuple of Column
        The used columns, and how their cells are read.
    encoder : skrub.TableVectorizer
        Categories, dates and texts to numbers.
    names, sources : tuple of str
        The features, and the column each comes from.
    middle, centre, scale : arrays of shape (features,)
        What fills an empty number, and what is taken off and divided by.
    notes : tuple of str
        Columns left out, and why; how others are read.
    """

    columns: tuple[Column, ...]
    encoder: Any
    names: tuple[str, ...]
    sources: tuple[str, ...]
    middle: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    notes: tuple[str, ...] = ()

    @property
    def kinds(self) -> dict[str, str]:
        """Each used column as "number", "date" or "text"."""
        return {column.name: column.kind for column in self.columns}

    def transform(self, frame: pd.DataFrame, usual: Notation = POINT) -> np.ndarray:
        """The rows of ``frame`` as float32; a table without rows, or that lacks a column, is refused.

        ``usual`` is how the file of the frame writes numbers.
        """
        lacking = [column.name for column in self.columns if column.name not in frame.columns]
        if lacking:
            raise TableError(f"The table has no column {lacking[0]!r}, which the model was fitted with. Add it.")
        if not len(frame):
            raise TableError("The table has no rows below its first line. Add rows.")
        # a column is read as a whole, however many blocks of rows are encoded
        return self.encoded(
            _typed((column, column.read(known(frame[column.name]), usual)[0]) for column in self.columns)
        )

    def encoded(self, typed: pd.DataFrame) -> np.ndarray:
        """Rows that have been read as float32, some at a time."""
        blocks = (typed.iloc[start : start + FITTING_ROWS] for start in range(0, len(typed), FITTING_ROWS))
        encoded = (_encoded(self.encoder, block.reset_index(drop=True)) for block in blocks)
        return np.concatenate([_standard(block, self.middle, self.centre, self.scale) for block in encoded])

    def unread(self, frame: pd.DataFrame, usual: Notation = POINT) -> tuple[str, ...]:
        """Notes of the cells of ``frame`` that count as empty because they are not what their columns are."""
        notes: list[str] = []
        for column in self.columns:
            cells = known(frame[column.name])
            notes += column.unread(cells, column.read(cells, usual)[1])
        return tuple(notes)


def vectorised(
    frame: pd.DataFrame, leave_out: Sequence[str], random_state: int = 0, usual: Notation = POINT
) -> tuple[Vectoriser, np.ndarray]:
    """Learn how to turn the columns of ``frame`` into numbers, those to leave out apart; and those numbers.

    ``usual`` is how the file of the frame writes numbers, in columns that alone do not say.
    Columns that are empty, constant or merely name their rows are left out with a note. Large tables are learnt from
    a random part of their rows.
    """
    found = [find_column(str(name), known(frame[name]), usual) for name in frame.columns if name not in leave_out]
    used = [one for one in found if one.why_left_out is None]
    notes = tuple(note for one in found for note in one.notes)
    if not used:
        raise TableError(
            "No column is left to learn from: all beside the targets are empty, constant or identifiers. Add columns "
            "that describe the rows. " + " ".join(notes)
        )
    typed = _typed((one.column, one.values) for one in used)
    sample = _sample(typed, random_state)
    encoder = _new_encoder(len(sample), random_state)
    encoded = _encoded(encoder, sample, fit=True)
    names = tuple(str(name) for name in encoder.get_feature_names_out())
    # a name may be left out by the encoder itself, where a sample of a column turns out empty
    sources = tuple(_source(encoder, name) for name in names)
    scaling = _scaling(encoded, sources, set(encoder.kind_to_columns_["datetime"]))
    vectoriser = Vectoriser(tuple(one.column for one in used), encoder, names, sources, *scaling, notes)
    return vectoriser, vectoriser.encoded(typed)


def _typed(read: Iterable[tuple[Column, np.ndarray]]) -> pd.DataFrame:
    """Columns as they were read, each of one type: single precision, date or text."""
    import pandas as pd

    texts = {"text": "str"}
    return pd.DataFrame({column.name: pd.Series(values, dtype=texts.get(column.kind)) for column, values in read})


def _sample(typed: pd.DataFrame, random_state: int) -> pd.DataFrame:
    """All rows, or a random part of many."""
    if len(typed) <= FITTING_ROWS:
        return typed
    rows = np.random.default_rng(random_state).choice(len(typed), FITTING_ROWS, replace=False)
    return typed.iloc[np.sort(rows)].reset_index(drop=True)


def _new_encoder(n_rows: int, random_state: int) -> Any:
    try:
        from skrub import DatetimeEncoder, StringEncoder, TableVectorizer
    except ImportError as error:
        raise TableError("Learning from a table needs skrub: pip install 'lsvv[tables]'.") from error
    texts = StringEncoder(n_components=TEXT_COMPONENTS, random_state=random_state)
    dates = DatetimeEncoder(add_weekday=True)
    # a category needs a few rows each to be told from a text
    most_categories = int(np.clip(n_rows / FEWEST_A_CATEGORY, 3, 40))
    return TableVectorizer(cardinality_threshold=most_categories, high_cardinality=texts, datetime=dates, n_jobs=1)


def _encoded(encoder: Any, prepared: pd.DataFrame, *, fit: bool = False) -> np.ndarray:
    with warnings.catch_warnings():
        # a column with few different texts has fewer components than asked for, and an unseen category is nothing
        warnings.simplefilter("ignore")
        encoded = encoder.fit_transform(prepared) if fit else encoder.transform(prepared)
    return encoded.to_numpy(dtype=np.float32, na_value=np.nan)


def _source(encoder: Any, name: str) -> str:
    return next(column for column, outputs in encoder.input_to_outputs_.items() if name in outputs)


def _scaling(
    encoded: np.ndarray, sources: tuple[str, ...], dates: set[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What fills a gap, the centre, and the scale at which a column's features have total variance 1.

    The parts of a date (year, month, seconds) have units of their own and are brought to one first.
    """
    given = ~np.isnan(encoded)
    filled = np.where(given.any(axis=0), encoded, 0.0)
    middle = np.nanmedian(filled, axis=0)
    # squares of the numbers as they are may leave single precision
    filled = np.where(np.isnan(filled), middle, filled).astype(np.float64)
    centre, spread = filled.mean(axis=0), filled.std(axis=0)
    owners = np.array(sources)
    scale = np.ones(len(sources))
    for column in dict.fromkeys(sources):
        block = owners == column
        unit = np.where(spread[block] > 0, spread[block], 1.0) if column in dates else np.ones(block.sum())
        total = float(np.sqrt(np.sum((spread[block] / unit) ** 2)))
        scale[block] = unit * (total if total > 0 else 1.0)
    return middle, centre, scale


def _standard(encoded: np.ndarray, middle: np.ndarray, centre: np.ndarray, scale: np.ndarray) -> np.ndarray:
    filled = np.where(np.isnan(encoded), middle, encoded)
    # an outlier is far, not infinitely far
    return np.clip((filled - centre) / scale, -FARTHEST, FARTHEST).astype(np.float32)
