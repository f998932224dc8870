"""Bytes to text and back, for files that do not say how they are written."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from lsvv.tables.table import TableError
from lsvv.tables.words import count, was

__all__ = ["Encoding", "find_encoding", "in_bytes", "plain_bytes", "text_of"]

_WIDE = (
    # the mark of the first begins like that of the third
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WESTERN = "cp1252"


@dataclass(frozen=True)
class Encoding:
    """How a file is written: its byte order mark, its codec, and the notes a reader needs."""

    mark: bytes
    codec: str
    notes: tuple[str, ...] = ()

    @property
    def is_wide(self) -> bool:
        """Whether a comma, a quote and a line end are more than one byte each."""
        return self.codec.startswith(("utf-16", "utf-32"))


def find_encoding(data: bytes, name: str) -> Encoding:
    """The encoding of a file: what its mark says, else UTF-8, else UTF-8 or Windows-1252 line by line."""
    for mark, codec in _WIDE:
        if data.startswith(mark):
            return Encoding(mark, codec)
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    if b"\x00" in data:
        raise TableError(
            f"{name} holds zero bytes, so it is not a text table. Save it as CSV in UTF-8, or give the file its right "
            f"ending (.xlsx, .parquet)."
        )
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _mixed(data, mark)
    return Encoding(mark, "utf-8")


def _mixed(data: bytes, mark: bytes) -> Encoding:
    lines = [line for line in data.splitlines() if not line.isascii()]
    western = sum(not _is_utf8(line) for line in lines)
    note = f"{count(western, 'line')} not in UTF-8 {was(western)} read as Windows-1252; all bytes stay as they are."
    return Encoding(mark, _WESTERN if 2 * western > len(lines) else "utf-8", (note,))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def plain_bytes(data: bytes, encoding: Encoding, name: str) -> bytes:
    """The file without its mark, in an encoding where a comma, a quote and a line end are one byte each."""
    body = data[len(encoding.mark) :]
    if not encoding.is_wide:
        return body
    try:
        return body.decode(encoding.codec).encode("utf-8")
    except UnicodeError as error:
        raise TableError(
            f"{name} says it is {encoding.codec[:6].upper()} but is not ({error}). Save it as CSV in UTF-8."
        ) from error


def in_bytes(plain: bytes, encoding: Encoding) -> bytes:
    """What :func:`plain_bytes` came from."""
    return encoding.mark + (plain.decode("utf-8").encode(encoding.codec) if encoding.is_wide else plain)


def text_of(cell: bytes) -> str:
    """A cell's text: UTF-8, else Windows-1252, else Latin-1, which knows every byte."""
    for codec in ("utf-8", _WESTERN):
        try:
            return cell.decode(codec)
        except UnicodeDecodeError:
            continue
    return cell.decode("latin-1")
