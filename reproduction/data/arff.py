"""A reader of ARFF tables, dense and sparse, and of Mulan's XML list of labels."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from reproduction.data.text import DataError, open_lines

__all__ = ["ArffTable", "Attribute", "read_arff", "read_label_names"]

# A cell is quoted with ' or ", in which a backslash escapes, or runs to the next comma.
_CELL = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"]*)\s*,""")
_ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+)\s+(.+)""", re.IGNORECASE)
_NUMERIC = frozenset({"numeric", "real", "integer"})
_TRUTH = {"false": 0.0, "true": 1.0}


@dataclass(frozen=True)
class Attribute:
    """A column: its name and, where nominal, its values in the order of the header.

    A nominal value counts as the number it spells, as 0 or 1 if all are FALSE or TRUE, else as its position.
    """

    name: str
    values: tuple[str, ...] = ()

    @property
    def codes(self) -> dict[str, float]:
        """The number of each nominal value."""
        if all(value.lower() in _TRUTH for value in self.values):
            return {value: _TRUTH[value.lower()] for value in self.values}
        numbers = [_number(value) for value in self.values]
        if any(math.isnan(number) for number in numbers):
            return {value: float(position) for position, value in enumerate(self.values)}
        return dict(zip(self.values, numbers, strict=True))


@dataclass(frozen=True, eq=False)
class ArffTable:
    """The columns and the numbers of an ARFF file; ``?`` is NaN."""

    attributes: tuple[Attribute, ...]
    rows: NDArray[np.float64] | csr_matrix


def read_arff(path: Path) -> ArffTable:
    """The table in an ARFF file with numeric and nominal columns, plain or compressed.

    Sparse rows ``{column value, ...}`` give a CSR matrix, dense rows an array.

    Raises
    ------
    DataError
        With the file and the line, for anything that is not such a table.
    """
    with open_lines(path) as stream:
        numbered = enumerate((line.decode(errors="replace").strip() for line in stream), start=1)
        lines = ((number, line) for number, line in numbered if line and not line.startswith("%"))
        attributes = _read_header(path, lines)
        body = list(lines)
    if not body:
        raise DataError(f"{path} has no rows after @data: it ends early; remove it and fetch it again.")
    if body[0][1].startswith("{"):
        return ArffTable(attributes, _read_sparse(path, body, attributes))
    return ArffTable(attributes, _read_dense(path, body, attributes))


def read_label_names(path: Path) -> tuple[str, ...]:
    """The names in Mulan's XML list ``<labels><label name="..."/></labels>``, nested ones included."""
    with open_lines(path) as stream:
        try:
            root = ElementTree.fromstring(stream.read())
        except ElementTree.ParseError as error:
            raise DataError(f"{path}, line {error.position[0]}: not a list of labels in XML ({error}).") from error
    names = tuple(
        element.attrib["name"]
        for element in root.iter()
        if element.tag.rpartition("}")[2] == "label" and "name" in element.attrib
    )
    if not names:
        raise DataError(f"{path} names no label: it needs elements <label name=...>.")
    return names


def _number(word: str) -> float:
    """The finite number a word spells, else NaN."""
    try:
        number = float(word)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _unquote(word: str) -> str:
    word = word.strip()
    if len(word) >= 2 and word[0] == word[-1] and word[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", word[1:-1])
    return word


def _cells(text: str) -> list[str]:
    """The cells of a line, quotes removed; a comma inside quotes does not separate."""
    if "'" not in text and '"' not in text:
        return [cell.strip() for cell in text.split(",")]
    matches = list(_CELL.finditer(text + ","))
    if sum(len(match.group()) for match in matches) != len(text) + 1:
        raise ValueError("a quotation mark is out of place or not closed")
    return [_unquote(match.group(1)) for match in matches]


def _read_header(path: Path, lines: Iterator[tuple[int, str]]) -> tuple[Attribute, ...]:
    attributes: list[Attribute] = []
    for number, line in lines:
        keyword = line.split(None, 1)[0].lower()
        if keyword == "@data":
            if not attributes:
                raise DataError(f"{path}, line {number}: @data before any @attribute.")
            return tuple(attributes)
        if keyword == "@attribute":
            try:
                attributes.append(_attribute(line))
            except ValueError as error:
                raise DataError(f"{path}, line {number}: {error}.") from error
        elif keyword != "@relation":
            raise DataError(f"{path}, line {number}: {line[:40]!r} is no line of an ARFF header.")
    raise DataError(f"{path} has no @data line: it ends in the header; remove it and fetch it again.")


def _attribute(line: str) -> Attribute:
    match = _ATTRIBUTE.match(line)
    if match is None:
        raise ValueError("an attribute needs a name and a type")
    name, kind = _unquote(match.group(1)), match.group(2).strip()
    if kind.startswith("{") and kind.endswith("}"):
        return Attribute(name, tuple(_cells(kind[1:-1])))
    if kind.split()[0].lower() in _NUMERIC:
        return Attribute(name)
    raise ValueError(f"column {name!r} is of type {kind!r}, but only numbers and lists of values are read")


class _Cell:
    """Turns the word in a column into its number, or raises ValueError with the reason."""

    def __init__(self, attributes: tuple[Attribute, ...]) -> None:
        self._names = [attribute.name for attribute in attributes]
        self._codes = [attribute.codes if attribute.values else None for attribute in attributes]

    def __call__(self, column: int, word: str) -> float:
        if word == "?":
            return math.nan
        codes = self._codes[column]
        number = _number(word) if codes is None else codes.get(word, math.nan)
        if math.isnan(number):
            raise ValueError(f"{word!r} is no value of column {self._names[column]!r}")
        return number

    def omitted(self, column: int) -> float:
        """What a sparse row means by leaving a column out: 0, or the first nominal value."""
        codes = self._codes[column]
        return 0.0 if codes is None else next(iter(codes.values()))


def _read_dense(path: Path, body: list[tuple[int, str]], attributes: tuple[Attribute, ...]) -> NDArray[np.float64]:
    cell = _Cell(attributes)
    rows = np.empty((len(body), len(attributes)))
    for row, (number, line) in enumerate(body):
        try:
            words = _cells(line)
            if len(words) != len(attributes):
                raise ValueError(f"{len(words)} cells, but there are {len(attributes)} columns")
            rows[row] = [cell(column, word) for column, word in enumerate(words)]
        except ValueError as error:
            raise DataError(f"{path}, line {number}: {error}.") from error
    return rows


def _read_sparse(path: Path, body: list[tuple[int, str]], attributes: tuple[Attribute, ...]) -> csr_matrix:
    cell = _Cell(attributes)
    shifted = [a.name for column, a in enumerate(attributes) if cell.omitted(column) != 0.0]
    if shifted:
        raise DataError(
            f"{path}: a sparse row that leaves out column {shifted[0]!r} means its first value, not 0; "
            "store the file with dense rows."
        )
    data: list[float] = []
    indices: list[int] = []
    starts = [0]
    for number, line in body:
        try:
            pairs = _sparse_pairs(line, cell, len(attributes))
        except ValueError as error:
            raise DataError(f"{path}, line {number}: {error}.") from error
        indices.extend(pairs)
        data.extend(pairs.values())
        starts.append(len(indices))
    matrix = csr_matrix((data, indices, starts), shape=(len(body), len(attributes)), dtype=np.float64)
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix


def _sparse_pairs(line: str, cell: _Cell, columns: int) -> dict[int, float]:
    if not (line.startswith("{") and line.endswith("}")):
        raise ValueError("not a sparse row in braces, as the rows before it are")
    pairs: dict[int, float] = {}
    for item in line[1:-1].split(",") if line[1:-1].strip() else ():
        index, _, word = item.strip().partition(" ")
        if not index.isdigit() or int(index) >= columns:
            raise ValueError(f"{item.strip()!r} does not start with a column number below {columns}")
        if int(index) in pairs:
            raise ValueError(f"column {index} is given twice")
        pairs[int(index)] = cell(int(index), _unquote(word))
    return pairs
