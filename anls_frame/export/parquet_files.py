"""The main table as Parquet with its dtypes; title, signature, settings and notes are file metadata."""

from __future__ import annotations

import io
from typing import BinaryIO

from polars.exceptions import PolarsError

from anls_frame.export.document import Document
from anls_frame.export.values import json_text


def write(document: Document, file: BinaryIO) -> None:
    """
    Write the main table.

    `polars.read_parquet_metadata` returns `anls_frame.title` and `anls_frame.signature` as strings, and
    `anls_frame.settings` and `anls_frame.notes` as JSON.
    """
    metadata = {
        "anls_frame.title": document.title,
        "anls_frame.signature": document.signature,
        "anls_frame.settings": json_text(document.settings, "settings"),
        "anls_frame.notes": json_text(list(document.notes)),
    }
    # Through memory: Polars would write to the file's descriptor and report a full disk in its own way.
    content = io.BytesIO()
    try:
        document.single.frame.write_parquet(content, metadata=metadata)
    except PolarsError as error:
        raise TypeError(f"table {document.single.name!r} does not fit Parquet: {error}") from error
    file.write(content.getbuffer())
