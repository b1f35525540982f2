"""Pages of an OCR project: the ground truth, and the text from each engine."""

from __future__ import annotations

import codecs
import glob
import html
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import choice, string
from anls_frame._text import differing_in_notation, numbered, path_text, quoted
from anls_frame.exceptions import warn
from anls_frame.readers import _content, _log_files, _standard
from anls_frame.readers._problems import Advice, Problems, problem

Unmatched: TypeAlias = Literal["error", "null", "drop"]
EmptyLines: TypeAlias = Literal["keep", "drop"]

PAGE, COLLECTION, REFERENCE, PREDICTION = "page", "collection", "reference", "prediction"

_NAMES = "pages pair up by the names of their files or, in Python, in mappings from pages to files"
_ADVICE = (
    f"{_NAMES}. To keep all of them, with null for a missing text, pass unmatched='null'; to leave these "
    "pages out, unmatched='drop'"
)


def read_pages(
    reference: Pages,
    systems: Mapping[str, Pages] | Pages,
    *,
    collection: str | None = None,
    unmatched: Unmatched = "error",
    empty_lines: EmptyLines = "keep",
    encoding: str | None = None,
) -> pl.DataFrame:
    r"""
    Read the pages of an OCR project: a row for each page, with ground truth and text from each engine.

    Plain text, PAGE XML, ALTO and hOCR can be mixed; the kind of each file is detected from its content.

    Parameters
    ----------
    reference
        The ground truth: a folder, a pattern such as `gt/*.txt`, a list of files, or a mapping from pages to
        files. In a folder and its subfolders, `.txt`, `.xml`, `.hocr` and `.html` files are read.
    systems
        A mapping from the names of engines, which become columns, to their pages in one of these forms; or
        the pages of a single engine, in the column `prediction`.
    collection
        A pattern such as `"{collection}_{page}"` or `"{collection}/{page}"` that finds the book, box or kind
        of page in the name of a page. If it matches in several ways, the last match counts.
    unmatched
        How to treat pages that do not pair up: `"error"` lists them in an error; `"null"` gives null where a
        text is missing, and `"drop"` leaves these pages out, both with a warning that lists them.
    empty_lines
        `"drop"` leaves out empty lines. Plain text often has empty lines between blocks; PAGE, ALTO and hOCR
        have none, so each empty line would count as an error against them.
    encoding
        Encoding of plain text and HTML files that are neither UTF-8 nor UTF-16 with a byte order mark; XML
        states its own encoding.

    Returns
    -------
    DataFrame
        The columns `page`, `collection` (with a pattern), `reference`, and one for each engine, all String,
        sorted by page. `report`, `compare` and row functions accept this frame unchanged.

        The name of a page is its file name (below the folder or the fixed part of the pattern) without
        suffixes for a format, an image or the role of the text, such as `.txt`, `.xml`, `.hocr`, `.gt`,
        `.ocr`, `.page`, `.alto`, `.png` or `.tif`. For example, `gt/page_001.gt.txt` pairs with
        `ocr/page_001.png.xml`. If names differ in other ways, pass mappings; the names of single files may
        differ.

        Lines are separated by line feeds, also at the end of a block. They follow the file's ReadingOrder
        element if it has one, with omitted lines last, and otherwise the order of the file. Of several
        TextEquiv elements, the one with the lowest index is read; a line without TextEquiv has the text of
        its words. Words hyphenated at the end of a line stay as printed (SUBS_CONTENT of ALTO is not read).
        Whitespace at the end of plain text is removed, and an empty file is a page without text.

    Warns
    -----
    InputWarning
        If pages have nulls or were left out, or if only some files have empty lines, as plain text may.

    Raises
    ------
    InputError
        If files are broken, do not pair up or have names that do not match the pattern; the error lists all
        problems, with file and line. XML that declares entities, which could insert other files or gigabytes
        of text, is rejected.
    OSError
        If a file does not exist, no file matches a pattern, or a folder has no files.
    TypeError
        If an argument has an unsupported type.
    ValueError
        If an engine has the name of another column, or an option has an invalid value.

    See Also
    --------
    compare : compares the engines, with ``systems=["tesseract", ...]`` and ``answers="reference"``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import anls_frame as af
    >>> folder = Path(tempfile.mkdtemp())
    >>> files = {"gt/p1.gt.txt": "Coca\nCola\n", "a/p1.txt": "Coca\nCoIa\n", "b/p1.txt": "Coca Cola"}
    >>> for name, text in files.items():
    ...     (folder / name).parent.mkdir(exist_ok=True)
    ...     _ = (folder / name).write_text(text)
    >>> pages = af.read_pages(folder / "gt", {"a": folder / "a", "b": folder / "b" / "*.txt"})
    >>> pages
    shape: (1, 4)
    ┌──────┬───────────┬──────┬───────────┐
    │ page ┆ reference ┆ a    ┆ b         │
    │ ---  ┆ ---       ┆ ---  ┆ ---       │
    │ str  ┆ str       ┆ str  ┆ str       │
    ╞══════╪═══════════╪══════╪═══════════╡
    │ p1   ┆ Coca      ┆ Coca ┆ Coca Cola │
    │      ┆ Cola      ┆ CoIa ┆           │
    └──────┴───────────┴──────┴───────────┘
    >>> pages.select(af.levenshtein("a", "reference"), b=af.levenshtein("b", "reference")).row(0)
    (1, 1)
    """
    choice("unmatched", unmatched, get_args(Unmatched))
    choice("empty_lines", empty_lines, get_args(EmptyLines))
    named: Mapping[str, Pages] = systems if isinstance(systems, Mapping) else {PREDICTION: systems}
    pattern = None if collection is None else _pattern(collection)
    _check_names(named, (PAGE, REFERENCE, *([] if pattern is None else [COLLECTION])))
    pages = _read({REFERENCE: reference, **named}, unmatched, empty_lines, encoding)
    if pattern is None:
        return pages
    return pages.select(PAGE, _collections(pages[PAGE], pattern, str(collection)), cs.exclude(PAGE))


def read_as_answers(
    path: Path, *, gold: Path, unmatched: Unmatched = "error", **options: Any
) -> pl.DataFrame:
    """
    Return the pages of an engine as the standard frame, with the page as the id of the question.

    Collections are the documents: those found by the pattern, or else the folders of pages, if any. Pages
    without ground truth are left out, unless they are an error.
    """
    (frame,) = read_engines([path], gold=gold, unmatched=unmatched, **options)
    return frame


def read_engines(paths: Sequence[Path], *, gold: Path, **options: Any) -> list[pl.DataFrame]:
    """Return the frame of `read_as_answers` for each engine, all with the same pages."""
    names = {f"{path}/" if path.is_dir() else str(path): path for path in paths}
    pages = read_pages(gold, names, **options)
    if COLLECTION not in pages.columns:
        folders = pages[PAGE].str.extract("^(.*)/").alias(COLLECTION)
        pages = pages.with_columns([] if folders.null_count() == len(folders) else [folders])
    documents = [COLLECTION] if COLLECTION in pages.columns else []
    return [
        pages.filter(pl.col(REFERENCE).is_not_null()).select(
            pl.col(PAGE).alias("question_id"),
            cs.by_name(name).alias("prediction"),
            pl.col(REFERENCE).alias("answers"),
            *(cs.by_name(column).alias("doc_id") for column in documents),
        )
        for name in names
    ]


def _read(
    given: Mapping[str, Pages],
    unmatched: Unmatched,
    empty_lines: EmptyLines,
    encoding: str | None,
) -> pl.DataFrame:
    """Return a column for each name: first the ground truth, then the engines."""
    problems = Problems()
    files = {name: by_page(pages, problems) for name, pages in given.items()}
    if all(map(is_one_file, given.values())):
        # Whatever their names.
        (page,) = files[REFERENCE]
        files = {name: dict.fromkeys([page], *paths.values()) for name, paths in files.items()}
    lacking, alike = _lacking(files)
    in_all = set.intersection(*map(set, files.values()))
    # Files of omitted pages need not be read.
    wanted = in_all if unmatched == "drop" else set().union(*files.values())
    is_other = any(files[REFERENCE].keys().isdisjoint(pages) for pages in files.values())
    if is_other or not wanted or (unmatched == "error" and lacking):
        _refuse(problems, lacking, alike, _NAMES if is_other or not wanted else _ADVICE)
    problems.raise_any()
    pages: dict[str, dict[str, Page]] = {name: {} for name in files}
    for name, paths_of_pages in files.items():
        for page, path in paths_of_pages.items():
            if page in wanted:
                with problems.collecting():
                    pages[name][page] = read_page(path, encoding)
    problems.raise_any()
    if lacking:
        what = "left out" if unmatched == "drop" else "null in some columns"
        n = len(set().union(*files.values()) - in_all)
        warn(f"{numbered(n, 'page')} {what}, because {'; '.join([*lacking, *alike])}")
    if empty_lines == "keep":
        _warn_of_empty_lines(pages)
    order = sorted(wanted)
    columns: dict[str, list[str | None]] = {PAGE: list(order)}
    for name, read in pages.items():
        texts = {
            page: _without_empty(content.text) if empty_lines == "drop" else content.text
            for page, content in read.items()
        }
        columns[name] = [texts.get(page) for page in order]
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _pattern(collection: str) -> str:
    """Return a pattern of names of pages as a regular expression."""
    parts = string("collection", collection).split("{collection}")
    if len(parts) != 2 or collection.count("{page}") != 1:  # noqa: PLR2004 - it stands there once
        raise ValueError(
            f"collection must be a pattern with {{collection}} and {{page}}, each once, got {collection!r}"
        )
    return "^" + re.escape(collection).replace(r"\{collection\}", "(.+)").replace(r"\{page\}", ".+") + "$"


def _collections(pages: pl.Series, pattern: str, given: str) -> pl.Series:
    """Return the collection of each page."""
    collections = pages.str.extract(pattern).alias(COLLECTION)
    others = pages.filter(collections.is_null()).to_list()
    if others:
        names = _standard.ids_text(others)
        problems = Problems()
        problems.add(f"{given!r} does not fit the names of {numbered(len(others), 'page')}: {names}")
        problems.raise_any()
    return collections


def _check_names(systems: Mapping[str, Pages], taken: Sequence[str]) -> None:
    if not systems:
        raise ValueError("systems must name at least one engine")
    for name in systems:
        if _log_files.checked_name(name, "an engine") in taken:
            raise ValueError(f"an engine must have a name other than {' and '.join(map(repr, taken))}")


def _lacking(files: Mapping[str, Mapping[str, object]]) -> tuple[list[str], list[str]]:
    """Return messages about pages that an engine or the ground truth lacks, and hints of names alike."""
    truth = files[REFERENCE]
    messages, hints = [], []
    for name, pages in files.items():
        lost = [page for page in truth if page not in pages]
        if lost:
            messages.append(f"{name!r} lacks {numbered(len(lost), 'page')}: {_standard.ids_text(lost)}")
        more = [page for page in pages if page not in truth]
        if more:
            messages.append(
                f"{name!r} has {numbered(len(more), 'page')} without ground truth: {_standard.ids_text(more)}"
            )
        if hint := differing_in_notation([*lost, *more]):
            hints.append(hint)
    return messages, hints


def _refuse(problems: Problems, lacking: Sequence[str], alike: Sequence[str], advice: str) -> None:
    """Report pages that do not pair up, and what to do."""
    for message in lacking or [advice]:
        problems.add(message)
    for hint in [*alike, advice] if lacking else ():
        problems.hint(hint)


def _warn_of_empty_lines(pages: Mapping[str, Mapping[str, Page]]) -> None:
    """Warn if plain text with empty lines is compared with files without empty lines."""
    for name in [name for name in pages if name != REFERENCE]:
        pair = {column: list(pages[column].values()) for column in (REFERENCE, name)}
        spaced = [column for column, texts in pair.items() if any(map(_has_empty_lines, texts))]
        dense = [column for column in pair if column not in spaced]
        if len(spaced) == len(dense) and not all(page.is_plain for page in pair[dense[0]]):
            said = (
                f"{spaced[0]!r} is plain text with empty lines, which the files of {dense[0]!r} do not have"
            )
            warn(Advice(f"{said}: each counts as an error; empty_lines='drop' leaves them out"))


def _has_empty_lines(page: Page) -> bool:
    return page.is_plain and page.text != _without_empty(page.text)


def _without_empty(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip())


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
    _content.check_regular(file)
    return True


_PEEK = 4096
_MARKUP_SUFFIXES = frozenset({".xml", ".hocr", ".html", ".htm", ".xhtml"})
_MARKUP = re.compile(r"\s*<(\?xml|!--|!DOCTYPE|([\w-]+:)?(PcGts|alto|html)\b)", re.IGNORECASE)
_PLAIN_HTML = re.compile(
    r"\s*(<!--.*?-->\s*)*(<!DOCTYPE\s[^>]*>\s*)?<html\b[^>]*>", re.IGNORECASE | re.DOTALL
)
_POSITION = re.compile(r"(, line \d+, column \d+)? \([^)]*line \d+\)$|, line \d+, column \d+$")
_SPACES = re.compile(r"[ \t\r\n\f]+")
# Classes of hOCR: elements of a line, and elements that replace lines in files without lines.
_LINES = frozenset({"ocr_line", "ocrx_line", "ocr_header", "ocr_footer", "ocr_caption", "ocr_textfloat"})
_BLOCKS = frozenset({"ocr_par", "ocrx_block"})
_WORD = frozenset({"ocrx_word", "ocr_word"})
_LAST = float("inf")


class Page(NamedTuple):
    """The text of a page, and whether its file is plain text, which may have empty lines."""

    is_plain: bool
    text: str


def read_page(path: Path, encoding: str | None = None) -> Page:
    """
    Return the text of a file; `encoding` applies to plain text that is not Unicode, as XML states its own.

    Raises
    ------
    InputError
        If the file is of another kind, or broken.
    """
    data = _content.read_bytes(path, may_be_empty=True)
    beginning = data[:_PEEK].replace(b"\0", b"").decode("utf-8", errors="replace").lstrip("\ufeff\ufffd")
    is_markup = _content.without_compression(path).suffix.lower() in _MARKUP_SUFFIXES
    if is_markup and not data.strip():
        raise problem(path, "the file is empty")
    if not is_markup and not _MARKUP.match(beginning):
        text = _content.decoded(path, data, None if _is_unicode(data) else encoding)
        if "\0" in text:
            raise problem(path, "not a text file: it has NUL characters")
        return Page(is_plain=True, text=text.replace("\r\n", "\n").replace("\r", "\n").rstrip())
    plain = _PLAIN_HTML.match(beginning)
    root = (
        _parsed_html(path, data, encoding)
        if plain is not None and "xmlns" not in plain[0]
        else _parsed(path, data)
    )
    name = _name(root)
    if name not in _READERS:
        raise problem(
            path, f"the root element is {quoted(name)}; pages are PAGE (PcGts), ALTO (alto) or hOCR (html)"
        )
    return Page(is_plain=False, text="\n".join(filter(None, _READERS[name](root, path))))


def _is_unicode(data: bytes) -> bool:
    """
    Return whether a text is UTF-8 or UTF-16, as shown by a byte order mark or by non-ASCII letters.

    The pages of an engine are often in another encoding than the ground truth.
    """
    if data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    try:
        return not data.isascii() and bool(data.decode())
    except UnicodeDecodeError:
        return False


def _parsed(path: Path, data: bytes) -> Any:
    """Parse XML without accessing other resources; declared entities are rejected."""
    from lxml import etree  # noqa: PLC0415 - only for XML

    # Nothing is loaded from the network or from files, and no entity is replaced.
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        message = _POSITION.sub("", str(error)) or "it ends too early"
        if "encoding" in message:
            message += "; the first line of XML names its encoding, unless it is UTF-8"
        raise problem(path, f"not well-formed XML: {message}", f"line {error.lineno or 1}") from None
    definitions = root.getroottree().docinfo.internalDTD
    names = [] if definitions is None else [entity.name for entity in definitions.iterentities()]
    if names:
        raise problem(
            path, f"declares an entity ({quoted(names[0])}), which could insert other files; it is not read"
        )
    return root


def _parsed_html(path: Path, data: bytes, encoding: str | None) -> Any:
    """Parse HTML that is not XML, in which tags may be left open."""
    from lxml import etree  # noqa: PLC0415 - only for HTML

    text = _content.decoded(path, data, None if _is_unicode(data) else encoding)
    if not text.rstrip().lower().endswith("</html>"):
        raise problem(path, "ends before </html>: it is not complete", f"line {text.count(chr(10)) + 1}")
    parser = etree.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, encoding="utf-8")
    root = etree.fromstring(text.encode(), parser)
    # This parser does not raise an error where it stops reading.
    for error in parser.error_log.filter_from_fatals():
        message = "tags are nested too deep" if "depth" in error.message else "a text or a tag is too long"
        raise problem(path, f"cannot be read as a whole: {message}", f"line {error.line}")
    return root


# PAGE


def _page(root: Any, _: Path) -> Iterator[str]:
    for region in _in_order(root, "TextRegion", "id"):
        lines = [_page_line(line) for line in sorted(region.iterfind("{*}TextLine"), key=_index)]
        yield from lines if any(lines) else _equivalent(region).split("\n")


def _page_line(line: Any) -> str:
    words = (
        _equivalent(word) or "".join(map(_equivalent, word.iterfind("{*}Glyph")))
        for word in line.iterfind("{*}Word")
    )
    return _equivalent(line) or " ".join(filter(None, words))


def _equivalent(element: Any) -> str:
    """Return the text of an element: of several texts, the one with the lowest index, or else the first."""
    for equivalent in sorted(element.iterfind("{*}TextEquiv"), key=_index):
        for name in ("{*}Unicode", "{*}PlainText"):
            text = equivalent.find(name)
            if text is not None:
                return _text(text)
    return ""


def _index(element: Any) -> float:
    try:
        return int(element.get("index", ""))
    except ValueError:
        return _LAST


# ALTO


def _alto(root: Any, _: Path) -> Iterator[str]:
    for block in _in_order(root, "TextBlock", "ID"):
        yield from map(_alto_line, block.iterfind("{*}TextLine"))


def _alto_line(line: Any) -> str:
    """Return the line as printed; in files without spaces, words are separated by one."""
    between = "" if line.find("{*}SP") is not None else " "
    text = ""
    for part in line.iterchildren("{*}String", "{*}SP", "{*}HYP"):
        name = _name(part)
        if name == "String":
            text += (between if text else "") + part.get("CONTENT", "")
        elif name == "SP":
            text += " "
        else:  # some programs write the hyphen twice
            text = text.removesuffix(part.get("CONTENT", "-")) + part.get("CONTENT", "-")
    return text.strip(" ")


# hOCR


def _hocr(root: Any, path: Path) -> Iterator[str]:
    classes = [(element, _classes(element)) for element in root.iter("{*}*")]
    if not any(name.startswith(("ocr_", "ocrx_")) for _, names in classes for name in names):
        raise problem(path, "HTML without the classes of hOCR, such as ocr_line")
    lines = [element for element, names in classes if names & _LINES]
    for line in lines or [element for element, names in classes if names & _BLOCKS]:
        # A header may be a line or have lines.
        inner = [part for part in line.iterdescendants("{*}*") if _classes(part) & (_LINES | _WORD)]
        if any(_classes(part) & _LINES for part in inner):
            continue
        yield " ".join(filter(None, map(_collapsed, inner))) if inner else _collapsed(line)


def _classes(element: Any) -> frozenset[str]:
    return frozenset(element.get("class", "").split())


def _collapsed(element: Any) -> str:
    return _SPACES.sub(" ", _text(element)).strip()


# All


def _refs(group: Any) -> Iterator[str]:
    """Yield the references of a group of a reading order, by index if it is ordered, otherwise as written."""
    is_ordered = _name(group).startswith("Ordered")
    members = list(group.iterchildren("{*}*"))
    for member in sorted(members, key=_index) if is_ordered else members:
        ref = member.get("regionRef") or member.get("REF")
        if ref is not None:
            yield ref
        yield from _refs(member)


def _in_order(root: Any, name: str, id_: str) -> Iterator[Any]:
    """Yield each element with a name once: those in a reading order, then the others as written."""
    refs = [ref for order in root.iter("{*}ReadingOrder") for ref in _refs(order)]
    by_id = {element.get(id_): element for element in _outside_lines(root)} if refs else {}
    referred, done = set(refs), set()
    for outer in [*(by_id[ref] for ref in refs if ref in by_id), root]:
        for element in outer.iter(f"{{*}}{name}"):
            # Elements inside another element may have their own place.
            if element in done or (
                element is not outer and outer is not root and element.get(id_) in referred
            ):
                continue
            done.add(element)
            yield element


def _outside_lines(element: Any) -> Iterator[Any]:
    """Yield the descendants of an element, except words and glyphs of lines, which make up most of them."""
    for child in element.iterchildren("{*}*"):
        if _name(child) != "TextLine":
            yield child
            yield from _outside_lines(child)


def _text(element: Any) -> str:
    """Return the text of an element, without the alternatives that hOCR marks as rejected."""
    parts = [element.text or ""]
    for child in element:
        if not isinstance(child.tag, str):  # a named entity such as &nbsp;, which XHTML need not declare
            parts.append(html.unescape(child.text))
        elif _name(child) != "del":
            parts.append(_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _name(element: Any) -> str:
    name: str = element.tag.rpartition("}")[2]
    return name


_READERS: dict[str, Callable[[Any, Path], Iterator[str]]] = {"PcGts": _page, "alto": _alto, "html": _hocr}
