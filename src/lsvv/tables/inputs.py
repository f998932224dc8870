"""From the columns that describe a row to numbers an estimator takes: every column weighs the same."""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lsvv.tables.cells import (
    COMMA,
    MOST_STRANGE,
    POINT,
    Notation,
    Reading,
    ambiguous,
    day_and_month,
    is_date,
    is_list,
    known,
    parted_unit,
    read_numbers,
)
from lsvv.tables.table import TableError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Vectoriser", "fit_vectoriser"]

FEWEST_FOR_IDENTIFIERS = 10
TEXT_COMPONENTS = 20
FEWEST_A_CATEGORY = 5
FITTING_ROWS = 20_000
FARTHEST = 4.0
LARGEST = 1e38
"""About the largest number of single precision."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, eq=False)
class Vectoriser:
    """Input columns to an array (rows, features), each column's features centred and of total variance 1.

    Attributes
    ----------
    kinds : dict of column to "number", "text" or "date"
        How the cells of each used column are read.
    encoder : skrub.TableVectorizer
        Categories, dates and texts to numbers.
    names, sources : tuple of str
        The features, and the column each comes from.
    middle, centre, scale : arrays of shape (features,)
        What fills an empty number, and what is taken off and divided by.
    notes : tuple of str
        Columns left out, and why.
    decimal_commas, day_first : tuple of str
        The columns whose numbers have a decimal comma, and those whose dates are written as 15/01/2020.
    units : tuple of pairs of str
        The columns whose numbers have a percent or currency sign, and the sign.
    """

    kinds: dict[str, str]
    encoder: Any
    names: tuple[str, ...]
    sources: tuple[str, ...]
    middle: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    notes: tuple[str, ...] = ()
    decimal_commas: tuple[str, ...] = ()
    day_first: tuple[str, ...] = ()
    units: tuple[tuple[str, str], ...] = ()

    def transform(self, frame: pd.DataFrame, usual: Notation = POINT) -> np.ndarray:
        """The rows of ``frame`` as float32; a table without rows, or that lacks a column, is refused.

        ``usual`` is how the file of the frame writes numbers.
        """
        lacking = [column for column in self.kinds if column not in frame.columns]
        if lacking:
            raise TableError(f"The table has no column {lacking[0]!r}, which the model was fitted with. Add it.")
        if not len(frame):
            raise TableError("The table has no rows below its first line. Add rows.")
        # a column is read as a whole, however many blocks of rows are encoded
        typed = {column: _computable(reading) for column, reading in self._readings(frame, usual).items()}
        for column in (column for column, kind in self.kinds.items() if kind == "date"):
            typed[column] = _dates(known(frame[column]), column in self.day_first)
        blocks = [slice(start, start + FITTING_ROWS) for start in range(0, len(frame), FITTING_ROWS)]
        encoded = [_encoded(self.encoder, _prepared(frame, self.kinds, typed, rows)) for rows in blocks]
        return np.concatenate([_standard(block, self.middle, self.centre, self.scale) for block in encoded])

    def unread(self, frame: pd.DataFrame, usual: Notation = POINT) -> tuple[str, ...]:
        """Notes of the cells of ``frame`` that count as empty because they are not what their columns are."""
        strange: dict[str, Sequence[int]] = {
            column: reading.strange for column, reading in self._readings(frame, usual).items()
        }
        for column in (column for column, kind in self.kinds.items() if kind == "date"):
            cells = known(frame[column])
            strange[column] = _no_dates(cells, _dates(cells, column in self.day_first))
        return tuple(
            note
            for column, places in strange.items()
            for note in _strange_cells(column, known(frame[column]), places, self.kinds[column])
        )

    def _readings(self, frame: pd.DataFrame, usual: Notation) -> dict[str, Reading]:
        """The columns of numbers, written as in their file or when the model learnt, unless that cannot be."""
        units = dict(self.units)
        return {
            column: _read(
                _amounts(known(frame[column]), units.get(column, "")),
                COMMA if column in self.decimal_commas else usual,
            )
            for column, kind in self.kinds.items()
            if kind == "number"
        }


def fit_vectoriser(
    frame: pd.DataFrame, leave_out: Sequence[str], random_state: int = 0, usual: Notation = POINT
) -> Vectoriser:
    """Learn how to turn the columns of ``frame`` into numbers, those to leave out apart.

    ``usual`` is how the file of the frame writes numbers, in columns that alone do not say.
    Columns that are empty, constant or merely name their rows are left out with a note. Large tables are learnt from
    a random part of their rows.
    """
    found = _Found(usual)
    for column in frame.columns:
        if column not in leave_out:
            found.add(str(column), known(frame[column]))
    if not found.kinds:
        raise TableError(
            "No column is left to learn from: all beside the targets are empty, constant or identifiers. Add columns "
            "that describe the rows. " + " ".join(found.notes)
        )
    rng = np.random.default_rng(random_state)
    some = np.arange(len(frame))
    if len(frame) > FITTING_ROWS:
        some = np.sort(rng.choice(len(frame), FITTING_ROWS, replace=False))
    prepared = _prepared(frame, found.kinds, found.typed, some)
    encoder = _new_encoder(len(prepared), random_state)
    encoded = _encoded(encoder, prepared, fit=True)
    names = tuple(str(name) for name in encoder.get_feature_names_out())
    # a name may be left out by the encoder itself, where a sample of a column turns out empty
    sources = tuple(_source(encoder, name) for name in names)
    middle, centre, scale = _scaling(encoded, sources, set(encoder.kind_to_columns_["datetime"]))
    read = (tuple(found.notes), tuple(found.decimal_commas), tuple(found.day_first), tuple(found.units.items()))
    return Vectoriser(found.kinds, encoder, names, sources, middle, centre, scale, *read)


@dataclass(eq=False)
class _Found:
    """What the columns of a table hold, gathered one by one."""

    usual: Notation
    kinds: dict[str, str] = field(default_factory=dict)
    typed: dict[str, np.ndarray] = field(default_factory=dict)
    decimal_commas: list[str] = field(default_factory=list)
    day_first: list[str] = field(default_factory=list)
    units: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, column: str, cells: list[Any]) -> None:
        unit = _unit_of(cells)
        amounts = _amounts(cells, unit)
        reading = _read(amounts, self.usual)
        # a rare text beside one number is all that the column says
        if reading.mostly and (not reading.strange or np.nanmin(reading.values) < np.nanmax(reading.values)):
            self._add_numbers(column, cells, amounts, reading)
            if unit and column in self.kinds:
                self._add_unit(column, unit, cells, reading)
            return
        given = [cell for cell in cells if cell is not None]
        order = _order(given)
        if order is not None:
            self._add_dates(column, cells, order)
        elif not self._left_out(column, given, None):
            self.kinds[column] = "text"

    def _add_dates(self, column: str, cells: list[Any], order: str) -> None:
        if self._left_out(column, [cell for cell in cells if is_date(cell)], None):
            return
        self.kinds[column] = "date"
        day_first = order == "day first"
        if order == "either":
            example = next(cell for cell in cells if _is_ordered(cell))
            # where 01.02.2020 is written, days come first
            day_first = "." in example
            first = "day" if day_first else "month"
            self.notes.append(f"Column {column!r} is read as dates with the {first} first, as in {example!r}.")
        if day_first:
            self.day_first.append(column)
        self.typed[column] = _dates(cells, day_first)
        self.notes += _strange_cells(column, cells, _no_dates(cells, self.typed[column]), "date")

    def _add_numbers(self, column: str, cells: list[Any], amounts: list[Any], reading: Reading) -> None:
        given = [amount for amount, number in zip(amounts, reading.values, strict=True) if not np.isnan(number)]
        if self._left_out(column, given, reading.values[~np.isnan(reading.values)]):
            return
        self.kinds[column] = "number"
        self.typed[column] = _computable(reading)
        if reading.notation is COMMA:
            self.decimal_commas.append(column)
        self.notes += _strange_cells(column, cells, reading.strange, "number")
        example = ambiguous(given, reading.notation)
        # of a file with decimal commas its reader has told
        if example is not None and self.usual is POINT:
            self.notes.append(f"Column {column!r} is read with groups of thousands, {example}.")
        beyond = int(np.sum(np.abs(reading.values) > LARGEST))
        if beyond:
            are = "1 number of column {!r} is" if beyond == 1 else f"{beyond:,} numbers of column {{!r}} are"
            self.notes.append(f"{are.format(column)} beyond {LARGEST:g} and taken for empty.")

    def _add_unit(self, column: str, unit: str, cells: list[Any], reading: Reading) -> None:
        self.units[column] = unit
        first = int(np.flatnonzero(~np.isnan(reading.values))[0])
        kind = "percentages" if unit == "%" else f"amounts in {unit}"
        self.notes.append(
            f"Column {column!r} is read as {kind}, {cells[first].strip()!r} as {reading.values[first]:.15g}."
        )

    def _left_out(self, column: str, given: list[Any], numbers: np.ndarray | None) -> bool:
        why = _uninformative(given, numbers, column)
        if why:
            self.notes.append(f"Column {column!r} is left out: {why}.")
        return why is not None


def _strange_cells(column: str, cells: list[Any], strange: Sequence[int], kind: str) -> list[str]:
    """A note of the cells that count as empty because they are no numbers, or no dates, as the others are."""
    if not strange:
        return []
    count, row = len(strange), strange[0]
    are = f"1 cell is no {kind} and counts" if count == 1 else f"{count:,} cells are no {kind}s and count"
    return [f"Column {column!r} is {kind}s: {are} as empty, {cells[row]!r} in row {row + 1} for one."]


def _uninformative(given: list[Any], numbers: np.ndarray | None, name: str) -> str | None:
    """Why a column says nothing of its rows; None where it may."""
    if not given:
        return "it is empty"
    distinct = {_text(cell) for cell in given}
    if len(distinct) == 1:
        return "all its cells are the same"
    if numbers is not None and np.all(np.abs(numbers) > LARGEST):
        return f"its numbers are beyond {LARGEST:g}"
    if len(distinct) < len(given) or len(given) < FEWEST_FOR_IDENTIFIERS:
        return None
    if numbers is not None:
        # years that follow one another say when
        counts_rows = numbers[0] in (0, 1) and bool(np.all(np.diff(numbers) == 1))
        called_so = bool(np.all(numbers == np.round(numbers))) and _names_identifiers(name)
        return "it numbers the rows" if counts_rows or called_so else None
    single_words = all(isinstance(cell, str) and not any(char.isspace() for char in cell.strip()) for cell in given)
    return "every row has its own name in it, like an identifier" if single_words and not _are_dates(given) else None


def _names_identifiers(name: str) -> bool:
    """Whether a word of the name says so; no_of_visitors is a count."""
    words = _WORD.findall(name.lower())
    return any(
        word in ("id", "uuid", "guid", "key", "index", "nr", "no") and after != "of"
        for word, after in zip(words, [*words[1:], None], strict=True)
    )


def _are_dates(given: list[str]) -> bool:
    """Whether all texts are dates; the first few decide for most columns."""
    import pandas as pd

    if _order(given) is not None:
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(pd.to_datetime(pd.Series(given[:100]), errors="coerce").notna().all())


def _order(given: list[Any]) -> str | None:
    """Whether dates are read with the "year first", "day first" or "month first", or "either" of the two would do.

    None for columns that are not mostly dates, or whose dates allow neither.
    """
    dates = [cell for cell in given if is_date(cell)]
    n_strange = len(given) - len(dates)
    # a rare text beside one date is all that the column says
    if not dates or n_strange > MOST_STRANGE * len(given) or (n_strange and len(set(map(str, dates))) == 1):
        return None
    pairs = [pair for pair in (day_and_month(cell) for cell in dates if isinstance(cell, str)) if pair is not None]
    if not pairs:
        return "year first"
    can_day, can_month = all(two <= 12 for _, two in pairs), all(one <= 12 for one, _ in pairs)
    return {(True, True): "either", (True, False): "day first", (False, True): "month first"}.get((can_day, can_month))


def _is_ordered(cell: Any) -> bool:
    """Whether a cell is a date such as 01/02/2020, which depends on what comes first."""
    return isinstance(cell, str) and day_and_month(cell) is not None


def _dates(cells: list[Any], day_first: bool) -> np.ndarray:
    """The dates of a column without their time zones, NaT for what is none."""
    import pandas as pd

    dates = pd.Series([cell if is_date(cell) else None for cell in cells], dtype=object)
    ordered = np.array([_is_ordered(cell) for cell in cells], dtype=bool)
    parsed = partial(pd.to_datetime, errors="coerce", utc=True, format="mixed")
    with warnings.catch_warnings():
        # a new table may hold 15/01/2020 where months came first: it is what it can only be
        warnings.simplefilter("ignore")
        # 2020-02-01 is the first of February whatever comes first in 01/02/2020
        read = parsed(dates.mask(ordered, None)).fillna(parsed(dates.where(ordered, None), dayfirst=day_first))
    return np.asarray(read.dt.tz_localize(None))


def _no_dates(cells: list[Any], dates: np.ndarray) -> list[int]:
    """The places of cells that are neither empty nor dates."""
    return [place for place in np.flatnonzero(np.isnat(dates)).tolist() if cells[place] is not None]


def _prepared(
    frame: pd.DataFrame, kinds: dict[str, str], typed: dict[str, np.ndarray], rows: slice | np.ndarray
) -> pd.DataFrame:
    """Some rows of the used columns, each of one type: float32, date or text; all but texts have been read."""
    import pandas as pd

    return pd.DataFrame(
        {
            name: _texts(frame[name].iloc[rows]) if kind == "text" else pd.Series(typed[name][rows])
            for name, kind in kinds.items()
        }
    )


def _texts(column: pd.Series) -> pd.Series:
    import pandas as pd

    return pd.Series([None if cell is None else _text(cell) for cell in known(column)], dtype="str")


def _read(cells: list[Any], usual: Notation) -> Reading:
    """The numbers of an input column, where true and false count as 1 and 0."""
    return read_numbers([int(cell) if isinstance(cell, (bool, np.bool_)) else cell for cell in cells], usual)


def _unit_of(cells: list[Any]) -> str:
    """The percent or currency sign that nearly all given cells have; nothing where they have none."""
    given = [cell for cell in cells if cell is not None]
    counts = Counter(parted_unit(cell)[0] for cell in given if isinstance(cell, str))
    unit, count = counts.most_common(1)[0] if counts else ("", 0)
    return unit if count >= (1.0 - MOST_STRANGE) * len(given) else ""


def _amounts(cells: list[Any], unit: str) -> list[Any]:
    """The cells without the unit; one of another, or of none, becomes an empty text, which is no number."""
    if not unit:
        return cells
    parted = [None if cell is None else parted_unit(str(cell)) for cell in cells]
    return [None if one is None else one[1] if one[0] == unit else "" for one in parted]


def _computable(reading: Reading) -> np.ndarray:
    """Single precision, NaN for what is no number; infinity is no number to compute with."""
    return np.where(np.abs(reading.values) <= LARGEST, reading.values, np.nan).astype(np.float32)


def _text(cell: Any) -> str:
    if is_list(cell):
        return " ".join(str(part) for part in cell)
    return json.dumps(cell, sort_keys=True, default=str) if isinstance(cell, dict) else str(cell)


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
