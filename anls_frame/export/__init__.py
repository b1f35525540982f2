"""
Writing of reports to files, with one module per format, selected by the file's suffix.

Each format writes a `Document` to an open binary file. Files are written atomically: the target is either the
complete new file or unchanged.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anls_frame._atomic import replacing
from anls_frame._paths import as_path, known_suffix
from anls_frame.export.document import Document, Table
from anls_frame.export.kinds import Kind

if TYPE_CHECKING:
    from anls_frame.export.rows_content import EmbeddedRows


__all__ = ["SUFFIXES", "Document", "Kind", "Table", "write"]

# Named rather than imported, so that unused formats do not cost the import of their libraries.
_WRITERS = {
    ".csv": "csv_files:write_csv",
    ".tsv": "csv_files:write_tsv",
    ".json": "json_files:write_json",
    ".jsonl": "json_files:write_jsonl",
    ".md": "markdown:write",
    ".tex": "latex:write",
    ".html": "html:write",
    ".xlsx": "excel:write",
    ".parquet": "parquet_files:write",
}
_WITH_FORMULAS = (".csv", ".tsv")

OF_FIRST_TABLE = (".md", ".tex")
"""The suffixes of texts for a paper or a comment, which hold the first table unless more are chosen."""
_NARROWED = {
    ".xlsx": Table.of_few_columns,
    ".tex": Table.of_few_columns,
    ".html": Table.of_page_width,
    ".md": Table.of_page_width,
}
"""Which columns files of a suffix have of a wide table, unless columns are chosen."""
SUFFIXES = tuple(_WRITERS)
"""The suffixes that `write` accepts."""


def shortened(
    document: Document, path: str | os.PathLike[str], *, tables: bool = True, columns: bool = True
) -> Document:
    """Return what a file of this suffix holds of a document, unless its tables or columns were chosen."""
    suffix = as_path(path).suffix.lower()
    if tables and suffix in OF_FIRST_TABLE:
        first, *others = document.tables
        document = document.of_tables([first], left_out=[table.name for table in others])
    if columns and suffix in _NARROWED:
        document = document.narrowed(_NARROWED[suffix])
    return document


def write(
    document: Document,
    path: str | os.PathLike[str],
    *,
    escape_formulas: bool = False,
    rows: EmbeddedRows | None = None,
) -> Path:
    """
    Write a document to a file, in the format of the file's suffix.

    The file is written atomically, first under a temporary name in the same folder, and then moved into
    place. An existing file is replaced and keeps its mode; a link stays a link.

    Parameters
    ----------
    document
        The document to write.
    path
        A path that ends in one of `SUFFIXES`. CSV, TSV, JSON Lines and Parquet hold only the first table.
    escape_formulas
        In CSV and TSV, whether to put an apostrophe before texts that a spreadsheet would run as formulas.
        Other formats never contain formulas.

    rows
        In HTML, a page of the rows, to which the figures link.

    Returns
    -------
    Path
        The given path.

    Raises
    ------
    ValueError
        If the suffix is not supported, the path is invalid, or the table does not fit the format.
    TypeError
        If a value cannot be written in the format, such as binary data in JSON.
    OSError
        If the file cannot be written; an existing file is then unchanged.

    Examples
    --------
    >>> import tempfile
    >>> import polars as pl
    >>> from anls_frame.export import Document, Table, write
    >>> from anls_frame.export.columns import of_kinds
    >>> frame = pl.DataFrame({"slice": ["overall", "group"], "type": [None, "form"], "anls": [0.68, 0.71]})
    >>> table = Table("By type", frame, of_kinds({"type": "key", "anls": "score"}))
    >>> document = Document("Scores", [table], {"threshold": 0.5}, "anls|threshold:0.5")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(write(document, f"{folder}/scores.csv").read_text())
    slice,type,anls,signature,digest
    overall,,0.68,anls|threshold:0.5,
    group,form,0.71,anls|threshold:0.5,
    <BLANKLINE>
    """
    path = as_path(path)
    suffix = known_suffix(path, SUFFIXES)
    module, _, function = _WRITERS[suffix].partition(":")
    writer = getattr(importlib.import_module(f"{__name__}.{module}"), function)
    options: dict[str, Any] = {"escape_formulas": escape_formulas} if suffix in _WITH_FORMULAS else {}
    if rows is not None:
        if suffix != ".html":
            raise ValueError(f"rows can be written only to .html, got {str(path)!r}")
        options["rows"] = rows
    with replacing(path) as file:
        writer(document, file, **options)
    return path
