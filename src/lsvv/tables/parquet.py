"""Parquet: columns keep their types, and those that are no target are not touched."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

import numpy as np

from lsvv.tables.cells import known
from lsvv.tables.gate import check_cells, check_size, understood
from lsvv.tables.table import Edits, Source, Table, TableError, unique_names
from lsvv.tables.targets import NumberTarget, Target

__all__ = ["Parquet", "read_parquet", "table_of_arrow", "types_beside"]


@dataclass(frozen=True, eq=False)
class Parquet(Source):
    """An Arrow table."""

    table: Any
    columns: tuple[str, ...]

    def is_whole(self, column: str) -> bool:
        """Whether the Arrow type of a column is one of whole numbers."""
        import pyarrow as pa

        return bool(pa.types.is_integer(self.table.schema.types[self.columns.index(column)]))

    def rendered(self, edits: Edits) -> bytes:
        """The table with its holes filled, each column in its own type, and new columns to the right."""
        import pyarrow.parquet as pq

        stream = io.BytesIO()
        pq.write_table(self.edited(edits), stream, write_page_checksum=True)
        return stream.getvalue()

    def edited(self, edits: Edits, types: Mapping[str, Any] | None = None) -> Any:
        """The Arrow table with the edits; ``types`` are those of the new columns, where these alone do not say."""
        import pyarrow as pa

        table = self.table
        for name, cells in edits.cells.items():
            place = self.columns.index(name)
            field = table.schema.field(place)
            values = table.column(place).to_pylist()
            for row, value in cells.items():
                values[row] = value
            try:
                table = table.set_column(place, field, _array(values, field.type))
            except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
                example = next(iter(cells.values()))
                raise TableError(
                    f"Column {name!r} is {field.type} and cannot hold {example!r}. Give it another task, or write it "
                    f"as another type."
                ) from error
        for name, column in edits.columns.items():
            table = table.append_column(name, pa.array(list(column), type=(types or {}).get(name)))
        return table


def types_beside(target: Target, more: int) -> dict[str, Any]:
    """The types of columns that are made of a target, by kind, whatever some rows of them hold.

    ``more`` is how many decimals more than the column the ends of intervals have.
    """
    import pyarrow as pa

    types = {"predicted": pa.array(target.possible_cells).type, "filled": pa.bool_()}
    if not isinstance(target, NumberTarget):
        return types | {"probability": pa.float64()}
    end = pa.array([target.spell(0.5, more)]).type
    return types | {"lower": end, "upper": end}


def read_parquet(data: bytes, name: str) -> Table:
    """A table from the bytes of a Parquet file."""
    if not data.startswith(b"PAR1"):
        raise TableError(f"{name} is not a Parquet file that can be read. Write it again.")
    with understood(name, "Copy it again, or write it again."):
        return table_of_arrow(_arrow(data, name), name)


def table_of_arrow(table: Any, name: str) -> Table:
    """The table in an Arrow table, whose content is checked."""
    import pandas as pd

    table.validate(full=True)
    columns, notes = unique_names(table.column_names)
    values = {column: _values(table.column(place)) for place, column in enumerate(columns)}
    frame = pd.DataFrame(values, columns=columns, index=range(table.num_rows))
    return Table(name, frame, Parquet(table, tuple(columns)), notes)


def _arrow(data: bytes, name: str) -> Any:
    """The Arrow table, once its sizes have been looked at; pages are held against their checksums."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(io.BytesIO(data), page_checksum_verification=True) as file:
        about = file.metadata
        check_cells(about.num_rows, about.num_columns, name)
        check_size(sum(about.row_group(place).total_byte_size for place in range(about.num_row_groups)), name)
        return file.read()


def _values(column: Any) -> Any:
    """Numbers and dates as arrays; all else as objects with None for an empty cell.

    Whole numbers of few bits keep their type, which says what a filled cell may be.
    """
    import pyarrow as pa

    kind = column.type
    if (
        pa.types.is_floating(kind)
        or pa.types.is_timestamp(kind)
        or (pa.types.is_integer(kind) and not column.null_count)
    ):
        return column.to_pandas().to_numpy()
    objects = np.empty(len(column), dtype=object)
    cells = known(column.to_pylist())
    if pa.types.is_integer(kind) and kind != pa.int64():
        cells = [None if cell is None else kind.to_pandas_dtype()(cell) for cell in cells]
    objects[:] = cells
    return objects


def _array(values: list[Any], kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return pa.array(values, type=kind.value_type).dictionary_encode().cast(kind)
    if pa.types.is_decimal(kind):
        values = [_decimal(value, kind) if isinstance(value, (int, float)) else value for value in values]
    return pa.array(values, type=kind)


def _decimal(value: float, kind: Any) -> Decimal:
    """The nearest number that a decimal type holds."""
    within = Context(prec=kind.precision)
    most = Decimal(10**kind.precision - 1).scaleb(-kind.scale, within)
    return min(max(Decimal(repr(value)), -most), most).quantize(Decimal(1).scaleb(-kind.scale), context=within)
