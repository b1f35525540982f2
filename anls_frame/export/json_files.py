"""Strict JSON with all tables, and JSON Lines with the main one: unrounded floats, null for NaN."""

from __future__ import annotations

from typing import BinaryIO

from anls_frame.export.document import Document
from anls_frame.export.values import json_lines, json_text


def write_json(document: Document, file: BinaryIO) -> None:
    """Write `title`, `signature`, `settings`, `tables` (by name, a list of rows each) and `notes`."""

    def put(text: str) -> None:
        file.write(text.encode())

    put(f'{{\n"title": {json_text(document.title)},\n"signature": {json_text(document.signature)},\n')
    put(f'"settings": {json_text(document.settings, "settings")},\n"tables": {{')
    # One row per line, so that diff tools can compare two reports.
    for number, table in enumerate(document.tables):
        rows = ",".join(f"\n{row}" for row in json_lines(table.frame, table.name))
        put(f"{',' if number else ''}\n{json_text(table.name)}: [{rows}\n]")
    put(f'\n}},\n"notes": {json_text(list(document.notes))}\n}}\n')


def write_jsonl(document: Document, file: BinaryIO) -> None:
    """Write the rows of the main table, one object per line."""
    file.writelines(f"{row}\n".encode() for row in json_lines(document.single.frame, document.single.name))
