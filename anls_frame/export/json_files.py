"""Strict JSON with all tables, and JSON Lines with the main one: unrounded floats, null for NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from anls_frame.export.values import json_text, plain_frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anls_frame.export.document import Document, Table


def write_json(document: Document, file: BinaryIO) -> None:
    """Write `title`, `signature`, `settings`, `tables` (by name, a list of rows each) and `notes`."""

    def put(text: str) -> None:
        file.write(text.encode())

    put(f'{{\n"title": {json_text(document.title)},\n"signature": {json_text(document.signature)},\n')
    put(f'"settings": {json_text(document.settings, "settings")},\n"tables": {{')
    # One row per line, so that diff tools can compare two reports.
    for number, table in enumerate(document.tables):
        put(f"{',' if number else ''}\n{json_text(table.name)}: [")
        for index, row in enumerate(_rows(table)):
            put(f"{',' if index else ''}\n{row}")
        put("\n]")
    put(f'\n}},\n"notes": {json_text(list(document.notes))}\n}}\n')


def write_jsonl(document: Document, file: BinaryIO) -> None:
    """Write the rows of the main table, one object per line."""
    file.writelines(f"{row}\n".encode() for row in _rows(document.single))


def _rows(table: Table) -> Iterator[str]:
    where = f"a row of table {table.name!r}"
    return (json_text(row, where) for row in plain_frame(table.frame, table.name).iter_rows(named=True))
