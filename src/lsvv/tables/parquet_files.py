"""Parquet files with the same columns, one below the other, passed a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsvv.extras import optional
from lsvv.tables.files import format_of
from lsvv.tables.gate import understood
from lsvv.tables.table import TableError

__all__ = ["ENDING", "ParquetFiles", "files_in", "parquet_files", "without_references"]

ENDING = ".parquet"


@dataclass(frozen=True, eq=False)
class ParquetFiles:
    """Files and what they say of themselves: their schema, how many rows there are, and their bytes unpacked."""

    files: tuple[Path, ...]
    schema: Any
    n_rows: int
    n_bytes: int

    def batches(self, at_once: int, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Arrow tables of at most so many rows, in order; of some columns or of all."""
        import pyarrow as pa

        fields = [field for field in self.schema if columns is None or field.name in columns]
        schema = pa.schema(fields, metadata=self.schema.metadata)
        for file in self.files:
            with understood(str(file), "Copy it again, or write it again."), _opened(file) as opened:
                for batch in opened.iter_batches(at_once, columns=schema.names):
                    if batch.num_rows:
                        yield _as(pa.table(batch).select(schema.names), schema)


def parquet_files(path: Path) -> ParquetFiles:
    """What a Parquet file, or the files of a folder, say of themselves; nothing else is read."""
    import pyarrow as pa

    files = files_in(path) if path.is_dir() else (path,)
    schema, n_rows, n_bytes = None, 0, 0
    for file in files:
        with _opened(file) as opened:
            own, about = opened.schema_arrow, opened.metadata
        try:
            # columns that hold nothing in one file, or may be empty in one, are of the type that others give them
            schema = own if schema is None else pa.unify_schemas([schema, own])
            is_alike = schema.names == own.names
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            is_alike = False
        if not is_alike:
            raise _unlike(own, schema, file, files[0])
        n_rows += about.num_rows
        n_bytes += sum(about.row_group(place).total_byte_size for place in range(about.num_row_groups))
    return ParquetFiles(files, schema, n_rows, n_bytes)


def files_in(folder: Path) -> tuple[Path, ...]:
    """The Parquet files right in a folder, by name; those that begin with . or _ are somebody's notes."""
    found = (path for path in folder.iterdir() if format_of(path.suffix) == ENDING and path.name[0] not in "._")
    return tuple(sorted(found))


def without_references(table: Any) -> Any:
    """The same rows without what refers to others: each value in its own place."""
    import pyarrow as pa

    columns = [column.cast(_plain_type(column.type)) for column in table.columns]
    return pa.table(columns, names=table.column_names)


def _plain_type(kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    # views cannot be taken from
    return {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}.get(kind, kind)


def _as(table: Any, schema: Any) -> Any:
    """A batch in the types of all files; a dictionary holds what occurs in it, and not what occurs elsewhere."""
    import pyarrow as pa

    columns = [
        column.cast(column.type.value_type).dictionary_encode() if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table([column.cast(kind) for column, kind in zip(columns, schema.types, strict=True)], schema=schema)


def _opened(file: Path) -> Any:
    """A Parquet file whose pages are held against their checksums."""
    parquet = optional("pyarrow.parquet", "Reading .parquet files", "tables")
    try:
        file.open("rb").close()
    except OSError as error:
        raise TableError(f"{file} cannot be read: {error.strerror}.") from error
    with understood(str(file), "Copy it again, or write it again."):
        return parquet.ParquetFile(file, page_checksum_verification=True)


def _unlike(found: Any, schema: Any, file: Path, first: Path) -> TableError:
    others = sorted({*_described(found)} ^ {*_described(schema)}) or ["the order of the columns"]
    return TableError(
        f"{file} has other columns than {first}: {others[0]}. Write both with the same columns and types."
    )


def _described(schema: Any) -> list[str]:
    return [f"{field.name!r} ({field.type})" for field in schema]
