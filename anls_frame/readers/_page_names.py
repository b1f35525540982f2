"""Which files are which pages: folders, patterns and lists of files, and the names of their pages."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from anls_frame._messages import Message, Option
from anls_frame._paths import as_names, as_path
from anls_frame._text import numbered, path_text
from anls_frame.files import standard_frames
from anls_frame.files.file import File, without_compression
from anls_frame.files.folders import checked_name, files_named, name_below
from anls_frame.files.problems import Problems

PageFiles: TypeAlias = (
    "str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]]"
)
"""A folder, a pattern, a file or several of these, or a mapping from page to file."""


@dataclass(frozen=True)
class Pages:
    """
    Pages, and which of the texts to read where PAGE XML has several of each line.

    LAREX, OCR4all and other editors keep the corrected text and the text from the engine in one file, as
    TextEquiv elements with the indices 0 and 1.

    Parameters
    ----------
    files
        A folder, a pattern, a file or several of these, or a mapping from pages to files, as for
        `anls_frame.read_pages`.
    index
        The `index` of the TextEquiv elements to read; texts with another index, or without one, are left
        out. By default, the best text of each line is read: the one with the lowest index, without indices
        the one with the highest confidence, without either the first.

    Raises
    ------
    TypeError
        If `index` is not an integer.

    See Also
    --------
    anls_frame.read_pages : reads the pages.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> texts = "".join(
    ...     f'<TextEquiv index="{index}"><Unicode>{text}</Unicode></TextEquiv>'
    ...     for index, text in enumerate(["Hay 9", "Hav 9"])
    ... )
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "p1.xml").write_text(
    ...     f"<PcGts><Page><TextRegion><TextLine>{texts}</TextLine></TextRegion></Page></PcGts>"
    ... )
    >>> af.read_pages(folder, {"engine": af.readers.Pages(folder, index=1)}).row(0)
    ('p1', 'Hay 9', 'Hav 9')
    """

    files: PageFiles
    index: int | None = None

    def __post_init__(self) -> None:
        if self.index is not None and (isinstance(self.index, bool) or not isinstance(self.index, int)):
            raise TypeError(f"index must be an integer, got {self.index!r}")


class PagePath(NamedTuple):
    """The file of a page, and whether it was found in a folder rather than named."""

    path: Path
    is_found: bool


OTHER_FORMATS = "to score OCR in another format, save the text of each page as a .txt file"
"""What to do about JSON, TSV, PDF or TEI from an engine."""
# A folder often has images and other files next to the texts.
MARKUP_SUFFIXES = frozenset({".xml", ".hocr", ".html", ".htm", ".xhtml"})
_TEXTS = MARKUP_SUFFIXES | {".txt", ".md", ".markdown"}
IMAGES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".jp2", ".webp"})
# Suffixes that programs append to the name of a page: a format, an image, or the role of the text.
_SUFFIXES = _TEXTS | IMAGES | {".gt", ".ocr", ".pred", ".page", ".alto", ".bin", ".nrm", ".dew"}
WHOLE_NAME = re.compile(".*", re.DOTALL)
# Texts about a folder, not pages of it.
_ABOUT = re.compile(r"(readme|licen[cs]e|changelog|contributing|notice)\b", re.IGNORECASE)


def by_page(
    given: PageFiles, problems: Problems, match: re.Pattern[str] = WHOLE_NAME, *, is_truth: bool
) -> dict[str, PagePath]:
    """
    Return the file of each page, sorted by page; two files for a page are a problem.

    Files such as `1.gt.txt` are the ground truth of others such as `1.txt` or `1.abbyy.txt` next to them.

    Raises
    ------
    OSError
        If a file does not exist, no file matches a pattern, or a folder has no files.
    """
    if isinstance(given, Mapping):
        named = {
            checked_name(page, "a page"): PagePath(as_path(path), is_found=False)
            for page, path in given.items()
        }
        if not named:
            raise ValueError("pages must name at least one file")
        return named
    files: list[tuple[str, PagePath, Path]] = []
    unlike: list[str] = []
    for file, folder in _files_of(given):
        page = page_of(file.path, folder)
        found = match.search(page)
        if found is None:
            unlike.append(page)
        else:
            page = found[1 if match.groups else 0] or ""
        files.append((page, file, folder))
    truth = {page for page, file, _ in files if _is_truth(file.path)}
    others = [page for page, file, _ in files if not _is_truth(file.path)]
    if not truth.isdisjoint([*others, *(page.rpartition(".")[0] for page in others)]):
        files = [entry for entry in files if _is_truth(entry[1].path) == is_truth]
    pages: dict[str, PagePath] = {}
    for page, file, folder in files:
        same = pages.setdefault(page, file)
        if same is not file:
            advice = _that_choose_one(same.path, file.path, folder)
            problems.add(Message(f"page {page!r} is also {same.path}; ", *advice), path=file.path)
    if unlike:
        names = standard_frames.ids_text(unlike)
        where = f" is not found in the names of {numbered(len(unlike), 'page')}: {names}"
        problems.add(Message(Option("match", match.pattern), where))
    return dict(sorted(pages.items()))


def page_of(path: Path, folder: Path) -> str:
    """Return the name of a page: its path below a folder, without suffixes appended by programs."""
    return name_below(path, folder).removesuffix(_appended(path))


def _appended(path: Path) -> str:
    """Return the suffixes that programs append to the name of a page."""
    name = without_compression(path).name
    while (suffix := Path(name).suffix) and suffix.lower() in _SUFFIXES:
        name = name.removesuffix(suffix)
    return path_text(path.name.removeprefix(name))


def _is_truth(path: Path) -> bool:
    return "gt" in _appended(path).lower().split(".")


def _that_choose_one(path: Path, other: Path, folder: Path) -> list[str | Option]:
    """Return what to do about two files of a page: patterns that match only one of them, if there are any."""
    ends = [_appended(file) for file in (path, other)]
    if ends[0] == ends[1]:
        return [Option("match", ...), " must find a part of the names in which these two differ"]
    ends = [end for end in ends if not all(whole.endswith(end) for whole in ends)]
    folder = folder if folder == other.parent else folder / "**"
    patterns = " or ".join(str(folder / f"*{end}") for end in ends)
    return [f"choose one of them by a pattern, such as {patterns}"]


def page_in_file(file: str, number: int) -> str:
    """Return the name of a page in a file of several pages."""
    return f"{file}#{number}"


_NUMBER = r"[-_. /#]*(?:p|pg|page)?[-_. ]*0*(\d+)"
"""What follows the name of a file of several pages in the name of a single page."""


def that_may_pair(files: Mapping[str, Mapping[str, PagePath]]) -> dict[str, dict[str, PagePath]]:
    """
    Return the files that every column may have, of the same name or as a page of a file of several.

    Those that describe a folder stay: they are skipped with a note, not pages without a partner.
    """
    stems = {name: {*pages, *map(_without_number, pages)} for name, pages in files.items()}

    def may_pair(page: str, file: PagePath) -> bool:
        stem = _without_number(page)
        in_all = all(page in stems[name] or stem in pages for name, pages in files.items())
        return in_all or is_about_folder(file.path)

    return {
        name: {page: file for page, file in pages.items() if may_pair(page, file)}
        for name, pages in files.items()
    }


def _without_number(page: str) -> str:
    return re.sub(_NUMBER + "$", "", page, flags=re.IGNORECASE)


def names_of_single_pages(several: Mapping[str, int], names: Collection[str]) -> dict[str, str]:
    """
    Return the names of pages in files of several pages that also have files of their own.

    The third page in the file `book` is also `book_0003`, or `book_0002` if these files are numbered from 0.
    """
    alike: dict[str, str] = {}
    for file, n_pages in several.items():
        pattern = re.compile(re.escape(file) + _NUMBER, re.IGNORECASE)
        found = [(int(match[1]), name) for name in names if (match := pattern.fullmatch(name))]
        singles = dict(found)
        if len(singles) < len(found):
            continue  # such as book_1 and book-01
        first = 0 if 0 in singles else 1
        for number in range(1, n_pages + 1):
            if (single := singles.get(number - 1 + first)) is not None:
                alike[page_in_file(file, number)] = single
    return alike


def is_one_file(given: PageFiles) -> bool:
    """Return whether this names a file, rather than a folder, a pattern or several files."""
    return isinstance(given, str | os.PathLike) and as_path(given).is_file()


def is_page(path: Path) -> bool:
    """Return whether a file may be a page, judged by its name."""
    return without_compression(path).suffix.lower() in _TEXTS


def is_about_folder(path: Path) -> bool:
    """Return whether a file found in a folder describes it, as a README does."""
    return _ABOUT.match(path.name) is not None


def _files_of(given: PageFiles) -> list[tuple[PagePath, Path]]:
    """Return each file, with the folder below which its path is the name of the page."""
    if isinstance(given, str | os.PathLike):
        path = as_path(given)
        files = files_named(path, is_page, "pages: files of .txt, .md, .xml, .hocr or .html", OTHER_FORMATS)
        for file in files:
            File(file).check(may_be_empty=True)
        folder, is_found = _folder(path), path.is_dir()
        return [(PagePath(file, is_found), folder) for file in files]
    files_of_all = [file for name in as_names(given, "pages") for file, _ in _files_of(name)]
    absolute = [PagePath(file.path.absolute(), file.is_found) for file in files_of_all]
    shared = os.path.commonpath([file.path.parent for file in absolute])
    return [(file, Path(shared)) for file in absolute]


def _folder(path: Path) -> Path:
    """Return the folder, or the fixed part of a pattern, which contains all its files."""
    if path.is_dir():
        return path
    folder = path.parent
    while not path.exists() and glob.has_magic(str(folder)):
        folder = folder.parent
    return folder
