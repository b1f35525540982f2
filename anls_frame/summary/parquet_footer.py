"""
The sizes of a Parquet file's content, from its footer.

Polars reads no sizes from a footer, and pyarrow cannot open files with integers of 128 bits. The footer is a
structure of Apache Thrift in its compact protocol. See parquet.thrift in apache/parquet-format, and
thrift-compact-protocol.md in apache/thrift.
"""

from __future__ import annotations

import io
from itertools import chain
from typing import Any

_LENGTH_AND_MAGIC = 8
_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(13)
_ROW_GROUPS, _CHUNKS, _CHUNK_METADATA = 4, 1, 3
"""Numbers of the fields `row_groups`, `columns` and `meta_data`, ..."""
_SIZES = (5, 6)
"""... `num_values` and `total_uncompressed_size`."""


def sizes(file: bytes) -> list[int]:
    """Return the numbers of values, and of bytes after decompression, of a file, as its footer says."""
    length = int.from_bytes(file[-_LENGTH_AND_MAGIC:-4], "little")
    footer = _value(io.BytesIO(file[-_LENGTH_AND_MAGIC - length : -_LENGTH_AND_MAGIC]), _STRUCT)
    chunks = list(chain.from_iterable(group[_CHUNKS] for group in footer[_ROW_GROUPS]))
    return [sum(chunk[_CHUNK_METADATA][size] for chunk in chunks) for size in _SIZES]


def _value(footer: io.BytesIO, kind: int) -> Any:
    """Read a value of a kind: the fields of a structure by number, a list, an integer or bytes."""
    if kind == _STRUCT:
        fields, number = {}, 0
        while (head := _bytes(footer, 1)[0]) != _STOP:
            step, of_field = head >> 4, head & 0x0F
            number = number + step if step else _value(footer, _I16)
            # In structures, the kind of a Boolean is its value; in lists, it takes a byte.
            is_boolean = of_field in (_TRUE, _FALSE)
            fields[number] = of_field == _TRUE if is_boolean else _value(footer, of_field)
        return fields
    if kind in (_LIST, _SET):
        head = _bytes(footer, 1)[0]
        count = _unsigned(footer) if head >> 4 == 0x0F else head >> 4  # noqa: PLR2004 - a longer list
        return [_value(footer, head & 0x0F) for _ in range(count)]
    if kind in (_I16, _I32, _I64):
        zigzag = _unsigned(footer)
        return zigzag >> 1 ^ -(zigzag & 1)
    if kind in (_DOUBLE, _BINARY):
        return _bytes(footer, 8 if kind == _DOUBLE else _unsigned(footer))
    if kind not in (_TRUE, _FALSE, _BYTE):
        raise ValueError(f"its footer has a value of the unknown kind {kind}")
    return _bytes(footer, 1)[0]


def _unsigned(footer: io.BytesIO) -> int:
    """Read an unsigned integer: seven bits a byte, the lowest first."""
    value, shift = 0, 0
    while (byte := _bytes(footer, 1)[0]) & 0x80:
        value |= (byte & 0x7F) << shift
        shift += 7
    return value | byte << shift


def _bytes(footer: io.BytesIO, count: int) -> bytes:
    content = footer.read(count)
    if len(content) < count:
        raise ValueError("its footer ends early")
    return content
