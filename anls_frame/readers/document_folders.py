"""Documents in files: folders with a JSON document in each file, and tables with one in each cell."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from anls_frame._text import numbered
from anls_frame.exceptions import warn
from anls_frame.files import raw_tables
from anls_frame.files.file import File, without_compression
from anls_frame.files.folders import files_named, name_below
from anls_frame.files.table_files import read_columns
from anls_frame.frames import origins

DOCUMENT = "document"


def read_documents(path: Path) -> pl.DataFrame:
    """Return a table with all its columns; objects and lists of JSON become JSON text."""
    return raw_tables.as_frame(read_columns(File(path)))


def read_folders(predicted: Path, gold: Path, confidences: Path | None = None) -> pl.DataFrame:
    """
    Return a row for each gold document, with the JSON of all files of its name.

    Parameters
    ----------
    predicted, gold
        Folders whose files have the same names, also in folders below them.
    confidences
        A folder with the confidences of the predicted documents, in files of the same names.

    Returns
    -------
    DataFrame
        The column `document` (the path below the folder, without suffix), and a column for each folder, named
        by `column_of`. Where a file is missing, the text is null.

    Raises
    ------
    OSError
        If a folder does not exist, or has no file of JSON.
    InputError
        If a file is not text.
    ValueError
        If no predicted document has the name of a gold document, or two files have the same name.

    Warns
    -----
    InputWarning
        If documents are missing, or have no gold.
    """
    right, read = _files(gold), _files(predicted)
    shared = [name for name in right if name in read]
    if not shared:
        raise ValueError(
            f"no file in {str(predicted)!r} has the name of one in {str(gold)!r}: documents are "
            f"{next(iter(read))!r} there, and {next(iter(right))!r} in gold; give them the same names"
        )
    missing, unknown = (
        [name for name in right if name not in read],
        [name for name in read if name not in right],
    )
    if missing:
        warn(
            f"{numbered(len(missing), 'document')} missing in {str(predicted)!r}, such as {missing[0]!r}, "
            "whose fields all count as missing"
        )
    if unknown:
        warn(
            f"{numbered(len(unknown), 'document')} of {str(predicted)!r} without gold left out, such as "
            f"{unknown[0]!r}"
        )
    files = {column_of(predicted): read, column_of(gold): right}
    if confidences is not None:
        files[column_of(confidences)] = _files(confidences)
    columns = {DOCUMENT: list(right), **{name: _texts(found, right) for name, found in files.items()}}
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    return origins.remember(frame, left_out={origins.NO_GOLD: len(unknown)} if unknown else {})


def column_of(folder: Path) -> str:
    """Return the name of the column with the documents of a folder, for messages."""
    return f"{folder}/"


def _is_document(file: Path) -> bool:
    """Return whether a file may hold a document of JSON, judged by its name."""
    return without_compression(file).suffix.lower() == ".json"


_PAGES = "for pages of OCR, use `anls-frame report` or anls_frame.read_pages"


def _files(folder: Path) -> dict[str, Path]:
    """Return the files of a folder by the name of their document."""
    if not folder.exists():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(folder))
    if not folder.is_dir():
        raise NotADirectoryError(
            errno.ENOTDIR, "this is a file: name the folder of the documents", str(folder)
        )
    files: dict[str, Path] = {}
    for file in files_named(folder, _is_document, "documents: files of .json", _PAGES):
        name = name_below(without_compression(file).with_suffix(""), folder)
        same = files.setdefault(name, file)
        if same is not file:
            raise ValueError(f"document {name!r} is in two files, {same} and {file}; keep one of them")
    return files


def _texts(files: Mapping[str, Path], names: Mapping[str, object]) -> list[str | None]:
    """Return the texts of the documents of these names, null where there is no file."""
    texts: list[str | None] = []
    for name in names:
        if name not in files:
            texts.append(None)
            continue
        file = File(files[name])
        texts.append(file.decoded(file.read_bytes(may_be_empty=True)))
    return texts
