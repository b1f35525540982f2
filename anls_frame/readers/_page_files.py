"""Resolution of a folder, a pattern or a mapping to pages, with their names."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from anls_frame._text import path_text
from anls_frame.readers import _content, _log_files, _pipes
from anls_frame.readers._problems import Problems

Pages: TypeAlias = (
    "str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]]"
)
"""A folder, a pattern, a file or several of these, or a mapping from page to file."""

# A folder often has images and other files beside the texts.
_TEXTS = frozenset({".txt", ".xml", ".hocr", ".html", ".htm", ".xhtml"})
# Suffixes that programs append to the name of a page: a format, an image, or the role of the text.
_SUFFIXES = _TEXTS | {
    *(".gt", ".ocr", ".pred", ".page", ".alto", ".bin", ".nrm", ".dew"),
    *(".png", ".jpg", ".jpeg", ".tif", ".tiff", ".jp2", ".webp"),
}


def by_page(given: Pages, problems: Problems) -> dict[str, Path]:
    """
    Return the file of each page, sorted by page; two files for a page are a problem.

    Raises
    ------
    OSError
        If a file does not exist, no file matches a pattern, or a folder has no files.
    """
    if isinstance(given, Mapping):
        named = {
            _log_files.checked_name(page, "a page"): _content.as_path(path) for page, path in given.items()
        }
        if not named:
            raise ValueError("pages must name at least one file")
        return named
    pages: dict[str, Path] = {}
    for path, folder in _files_of(given):
        page = page_of(path, folder)
        same = pages.setdefault(page, path)
        if same is not path:
            problems.add(
                f"page {page!r} is also {same}; choose by a pattern, such as {folder / ('*' + path.suffix)}",
                path=path,
            )
    return dict(sorted(pages.items()))


def page_of(path: Path, folder: Path) -> str:
    """Return the name of a page: its path below a folder, without suffixes appended by programs."""
    plain = _content.without_compression(path)
    whole = path_text(plain.relative_to(folder)).replace(os.sep, "/")
    above, slash, name = whole.rpartition("/")
    while (suffix := Path(name).suffix) and suffix.lower() in _SUFFIXES:
        name = name.removesuffix(suffix)
    return above + slash + name


def is_one_file(given: Pages) -> bool:
    """Return whether this names a file, rather than a folder, a pattern or several files."""
    return isinstance(given, str | os.PathLike) and _content.as_path(given).is_file()


def is_page(path: Path) -> bool:
    """Return whether a file may be a page, judged by its name."""
    return _content.without_compression(path).suffix.lower() in _TEXTS


def _files_of(given: Pages) -> list[tuple[Path, Path]]:
    """Return each file, with the folder below which its path is the name of the page."""
    if isinstance(given, str | os.PathLike):
        path = _content.as_path(given)
        files = _log_files.files_named(path, _is_text, "pages: files of .txt, .xml, .hocr or .html")
        for file in files:
            _content.check_file(file, may_be_empty=True)
        return [(file, _folder(path)) for file in files]
    if not isinstance(given, Iterable):
        raise TypeError(f"pages must be a folder, a pattern, or names of files, got {type(given).__name__}")
    files = [file for name in given for file, _ in _files_of(name)]
    if not files:
        raise ValueError("pages must name at least one file")
    shared = os.path.commonpath([file.absolute().parent for file in files])
    return [(file.absolute(), Path(shared)) for file in files]


def _folder(path: Path) -> Path:
    """Return the folder, or the fixed part of a pattern, which contains all its files."""
    if path.is_dir():
        return path
    folder = path.parent
    while not path.exists() and glob.has_magic(str(folder)):
        folder = folder.parent
    return folder


def _is_text(file: Path, folder: Path) -> bool:
    if _log_files.is_hidden(file, folder) or not is_page(file):
        return False
    _pipes.check_regular(file)
    return True
