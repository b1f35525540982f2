"""
The size of a Parquet file's content, from its footer.

Polars reads no sizes from a footer, and pyarrow cannot open files with integers of 128 bits. The footer is a
structure of Apache Thrift in its compact protocol; all but the sizes of column chunks is skipped. See
parquet.thrift in apache/parquet-format, and thrift-compact-protocol.md in apache/thrift.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_LENGTH_AND_MAGIC = 8
_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(13)
_ROW_GROUPS, _CHUNKS, _CHUNK_METADATA, _UNCOMPRESSED_SIZE = 4, 1, 3, 6
"""Numbers of the fields `row_groups`, `columns`, `meta_data` and `total_uncompressed_size`."""


def uncompressed_size(file: memoryview) -> int:
    """Return the number of bytes of all pages of a Parquet file after decompression, as its footer says."""
    length = int.from_bytes(file[-_LENGTH_AND_MAGIC:-4], "little")
    footer = _Footer(bytes(file[-_LENGTH_AND_MAGIC - length : -_LENGTH_AND_MAGIC]))
    return sum(footer.sizes([_ROW_GROUPS, _CHUNKS, _CHUNK_METADATA, _UNCOMPRESSED_SIZE], _STRUCT))


class _Footer:
    """A place in the bytes of a footer, which moves forward."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.place = 0

    def sizes(self, path: list[int], kind: int) -> Iterator[int]:
        """Yield the integers at a path of fields through structures and lists, and skip everything else."""
        if kind == _LIST:
            entry, count = self.list_head()
            for _ in range(count):
                yield from self.sizes(path, entry)
        elif kind == _STRUCT:
            for number, of_field in self.fields():
                if path and number == path[0]:
                    yield from self.sizes(path[1:], of_field)
                else:
                    self.skip(of_field)
        elif not path and kind in (_I32, _I64):
            yield self.signed()
        else:
            self.skip(kind)

    def fields(self) -> Iterator[tuple[int, int]]:
        """Yield the number and the kind of each field of a structure; the caller passes its value."""
        number = 0
        while (head := self.byte()) != _STOP:
            step, kind = head >> 4, head & 0x0F
            number = number + step if step else self.signed()
            yield number, kind

    def skip(self, kind: int) -> None:
        """Pass a value of a kind."""
        if kind == _STRUCT:
            for _, of_field in self.fields():
                self.skip(of_field)
        elif kind in (_LIST, _SET):
            entry, count = self.list_head()
            for _ in range(count):
                # In lists, Booleans take a byte; in structures, their kind is their value.
                self.skip(_BYTE if entry in (_TRUE, _FALSE) else entry)
        elif kind == _BINARY:
            self.move(self.unsigned())
        elif kind in (_I16, _I32, _I64):
            self.unsigned()
        elif kind in (_BYTE, _DOUBLE):
            self.move(1 if kind == _BYTE else struct.calcsize("d"))
        elif kind not in (_TRUE, _FALSE):
            raise ValueError(f"its footer has a value of the unknown kind {kind}")

    def list_head(self) -> tuple[int, int]:
        """Return the kind of the entries of a list, and their number."""
        head = self.byte()
        count = head >> 4
        return head & 0x0F, self.unsigned() if count == 0x0F else count  # noqa: PLR2004 - a longer list

    def signed(self) -> int:
        """Return a signed integer, in zigzag notation."""
        value = self.unsigned()
        return value >> 1 ^ -(value & 1)

    def unsigned(self) -> int:
        """Return an unsigned integer: seven bits a byte, the lowest first."""
        value, shift = 0, 0
        while (byte := self.byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
        return value | byte << shift

    def byte(self) -> int:
        """Return the next byte."""
        self.move(1)
        return self.content[self.place - 1]

    def move(self, count: int) -> None:
        """Pass a number of bytes."""
        self.place += count
        if self.place > len(self.content):
            raise ValueError("its footer ends early")
