"""From the columns that describe a row to numbers an estimator takes: every column weighs the same."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lsvv.tables.cells import as_numbers, is_list, known
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
    """

    kinds: dict[str, str]
    encoder: Any
    names: tuple[str, ...]
    sources: tuple[str, ...]
    middle: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    notes: tuple[str, ...] = ()

    def transform(self, frame: pd.DataFrame) -> np.ndarray:
        """The rows of ``frame`` as float32; a column it lacks is refused."""
        lacking = [column for column in self.kinds if column not in frame.columns]
        if lacking:
            raise TableError(f"The table has no column {lacking[0]!r}, which the model was fitted with. Add it.")
        blocks = [
            _encoded(self.encoder, _prepared(frame.iloc[start : start + FITTING_ROWS], self.kinds))
            for start in range(0, len(frame), FITTING_ROWS)
        ]
        return np.concatenate([_standard(block, self.middle, self.centre, self.scale) for block in blocks])


def fit_vectoriser(frame: pd.DataFrame, leave_out: Sequence[str], random_state: int = 0) -> Vectoriser:
    """Learn how to turn the columns of ``frame`` into numbers, those to leave out apart.

    Columns that are empty, constant or merely name their rows are left out with a note. Large tables are learnt from
    a random part of their rows.
    """
    kinds, notes = _kinds(frame, leave_out)
    if not kinds:
        raise TableError(
            "No column is left to learn from: all beside the targets are empty, constant or identifiers. Add columns "
            "that describe the rows. " + " ".join(notes)
        )
    rng = np.random.default_rng(random_state)
    some = np.arange(len(frame))
    if len(frame) > FITTING_ROWS:
        some = np.sort(rng.choice(len(frame), FITTING_ROWS, replace=False))
    prepared = _prepared(frame.iloc[some], kinds)
    encoder = _new_encoder(len(prepared), random_state)
    encoded = _encoded(encoder, prepared, fit=True)
    names = tuple(str(name) for name in encoder.get_feature_names_out())
    # a name may be left out by the encoder itself, where a sample of a column turns out empty
    sources = tuple(_source(encoder, name) for name in names)
    middle, centre, scale = _scaling(encoded, sources, set(encoder.kind_to_columns_["datetime"]))
    return Vectoriser(kinds, encoder, names, sources, middle, centre, scale, tuple(notes))


def _kinds(frame: pd.DataFrame, leave_out: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    kinds, notes = {}, []
    for column in frame.columns:
        if column in leave_out:
            continue
        cells = known(frame[column])
        given = [cell for cell in cells if cell is not None]
        numbers = as_numbers(given)
        why = _uninformative(given, numbers, str(column))
        if why:
            notes.append(f"Column {column!r} is left out: {why}.")
            continue
        kinds[str(column)] = "number" if numbers is not None else _kind(given)
        beyond = 0 if numbers is None else int(np.sum(np.abs(numbers) > LARGEST))
        if beyond:
            are = "1 number of column {!r} is" if beyond == 1 else f"{beyond:,} numbers of column {{!r}} are"
            notes.append(f"{are.format(column)} beyond {LARGEST:g} and taken for empty.")
    return kinds, notes


def _kind(given: list[Any]) -> str:
    if all(isinstance(cell, (bool, np.bool_)) for cell in given):
        return "number"
    return "date" if all(hasattr(cell, "year") for cell in given) else "text"


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
        counts_rows = bool(np.all(np.abs(np.diff(numbers)) == 1))
        called_so = bool(np.all(numbers == np.round(numbers))) and _names_identifiers(name)
        return "it numbers the rows" if counts_rows or called_so else None
    single_words = all(isinstance(cell, str) and not any(char.isspace() for char in cell.strip()) for cell in given)
    return "every row has its own name in it, like an identifier" if single_words and not _are_dates(given) else None


def _names_identifiers(name: str) -> bool:
    words = name.lower().replace("-", "_").replace(" ", "_").split("_")
    return any(word in ("id", "uuid", "guid", "key", "index", "nr", "no", "number") for word in words)


def _are_dates(given: list[str]) -> bool:
    """Whether all texts are dates; the first few decide for most columns."""
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(pd.to_datetime(pd.Series(given[:100]), errors="coerce").notna().all())


def _prepared(frame: pd.DataFrame, kinds: dict[str, str]) -> pd.DataFrame:
    """The used columns, each of one type: float32, date or text."""
    import pandas as pd

    columns = {}
    for name, kind in kinds.items():
        cells = known(frame[name])
        if kind == "number":
            columns[name] = pd.Series(_numbers(cells), dtype=np.float32)
        elif kind == "date":
            columns[name] = pd.to_datetime(pd.Series(cells), errors="coerce", utc=True).dt.tz_localize(None)
        else:
            columns[name] = pd.Series([None if cell is None else _text(cell) for cell in cells], dtype="str")
    return pd.DataFrame(columns)


def _numbers(cells: list[Any]) -> np.ndarray:
    """Numbers, NaN for what is none; infinity is no number to compute with."""
    plain = [int(cell) if isinstance(cell, (bool, np.bool_)) else cell for cell in cells]
    numbers = as_numbers(plain)
    if numbers is None:
        numbers = np.array([np.nan if (one := as_numbers([cell])) is None else one[0] for cell in plain])
    return np.where(np.abs(numbers) <= LARGEST, numbers, np.nan).astype(np.float32)


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
