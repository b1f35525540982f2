"""
Files to hand on: score reports in one format a module, chosen by the file's suffix.

A format gets a `Document` and an open binary file; `atomic` sees to it that the target is either the whole
new file or what it was before.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anls_frame._atomic import replacing
from anls_frame.export.document import Document, Kind, Table

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

__all__ = ["SUFFIXES", "Document", "Kind", "Table", "write"]

# Named rather than imported, so that nobody pays for the libraries behind formats that they do not use.
_WRITERS = {
    ".csv": "delimited:write_csv",
    ".tsv": "delimited:write_tsv",
    ".json": "json_text:write_json",
    ".jsonl": "json_text:write_jsonl",
    ".md": "markdown:write",
    ".tex": "latex:write",
    ".html": "html:write",
    ".xlsx": "excel:write",
    ".parquet": "parquet:write",
}
_WITH_FORMULAS = (".csv", ".tsv")

SUFFIXES = tuple(_WRITERS)
"""The suffixes that `write` knows."""


def write(document: Document, path: str | os.PathLike[str], *, escape_formulas: bool = False) -> Path:
    """
    Write a document in the format that the file's suffix names.

    The file is complete or not there at all: it is written under another name beside its place and then
    moved there. A file of that name is replaced and keeps its mode; a link stays a link.

    Parameters
    ----------
    document
        What to write.
    path
        Where to: a name that ends in `.html`, `.csv`, `.tsv`, `.json`, `.jsonl`, `.md`, `.tex`, `.xlsx` or
        `.parquet`. CSV, TSV, JSON Lines and Parquet hold the first table only.
    escape_formulas
        In CSV and TSV, put an apostrophe before texts that a spreadsheet would take for formulas. No other
        format holds formulas.

    Returns
    -------
    Path
        The path, as it was given.

    Raises
    ------
    ValueError
        If the suffix is none of these, the path is no path, or the table does not fit the format.
    TypeError
        If a value cannot be written in the format, such as binary data in JSON.
    OSError
        If the file cannot be written; what was there is as it was.

    Examples
    --------
    >>> import tempfile
    >>> import polars as pl
    >>> from anls_frame.export import Document, Table, write
    >>> frame = pl.DataFrame({"slice": ["overall", "group"], "type": [None, "form"], "anls": [0.68, 0.71]})
    >>> table = Table("By type", frame, {"type": "key", "anls": "score"})
    >>> document = Document("Scores", [table], {"threshold": 0.5}, "anls|threshold:0.5")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(write(document, f"{folder}/scores.csv").read_text())
    slice,type,anls,signature,digest
    overall,,0.68,anls|threshold:0.5,
    group,form,0.71,anls|threshold:0.5,
    <BLANKLINE>
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _WRITERS:
        raise ValueError(
            f"cannot tell the format of {str(path)!r} from its suffix; "
            f"it has to end in one of {', '.join(SUFFIXES)}"
        )
    writer = _load(_WRITERS[suffix])
    options = {"escape_formulas": escape_formulas} if suffix in _WITH_FORMULAS else {}
    with replacing(path) as file:
        writer(document, file, **options)
    return path


def _load(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    loaded: Callable[..., Any] = getattr(importlib.import_module(f"{__name__}.{module}"), function)
    return loaded
