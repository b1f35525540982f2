"""The pages of a file: plain text, PAGE XML, ALTO or hOCR, told apart by content."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import Any

from anls_frame._messages import Message, Option
from anls_frame._text import listed, quoted
from anls_frame.exceptions import InputError
from anls_frame.files.file import SUFFIXES, File, without_compression
from anls_frame.files.other_formats import OTHER_SUFFIXES, not_a_page
from anls_frame.files.problems import problem
from anls_frame.readers._hocr import Hocr
from anls_frame.readers._page_names import IMAGES, MARKUP_SUFFIXES, OTHER_FORMATS
from anls_frame.readers._page_text import PageFile
from anls_frame.readers._page_xml import Alto, PageXml, local_name

_PEEK = 4096
_PROLOGUE = r"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE\s[^>]*>\s*)*"
# Texts of models may begin with markup too; only these roots are those of pages.
_PAGE_OR_ALTO = re.compile(_PROLOGUE + r"<(?:[\w-]+:)?(?:PcGts|alto)(?:\s+[\w:-]+\s*=|\s*>)", re.DOTALL)
_HTML = re.compile(_PROLOGUE + r"<html\b[^>]*>", re.IGNORECASE | re.DOTALL)
_HOCR_CLASS = re.compile(rb"""\bclass\s*=\s*["']?[^"'>]*\bocrx?_""")
_POSITION = re.compile(r"(, line \d+, column \d+)? \([^)]*line \d+\)$|, line \d+, column \d+$")
_CALLED_UTF_16 = re.compile(rb"""<\?xml\s[^>]*encoding=["']utf-16""", re.IGNORECASE)
_FORM_FEED = "\f"
# As text, these are markup around the text, or none.
_NO_PAGES = dict.fromkeys(SUFFIXES | IMAGES | {".pdf", ".rtf", ".docx"}, OTHER_FORMATS) | OTHER_SUFFIXES


class NotAPageError(InputError):
    """A file that is not a page, as a folder may hold next to its pages."""


def read_page_file(path: Path, encoding: str | None = None, index: int | None = None) -> PageFile:
    """
    Return the pages of a file; `encoding` applies to plain text that is not Unicode, as XML states its own.

    Raises
    ------
    InputError
        If the file is of another kind, or broken.
    """
    file = File(path)
    suffix = ".trn" if ".trn" in path.suffixes else file.suffix  # such as hyp.trn.txt
    if suffix in _NO_PAGES:
        raise _no_page(path, f"{suffix} files are not read as pages", _NO_PAGES[suffix])
    data = file.read_bytes(may_be_empty=True)
    beginning = data[:_PEEK].replace(b"\0", b"").decode("utf-8", errors="replace").lstrip("\ufeff\ufffd")
    if not _is_markup(path, data, beginning.lstrip()):
        _check_index(path, index, "plain text")
        return _plain_text(file, data, encoding)
    if not data.strip():
        raise problem(path, "the file is empty")
    root = _root(file, data, beginning, encoding)
    name = local_name(root)
    if name not in {"PcGts", "alto", "html"} and "ocr_page" not in root.get("class", ""):
        raise _no_page(
            path, f"the root element is {quoted(name)}; pages are PAGE (PcGts), ALTO (alto) or hOCR (html)"
        )
    if name == "PcGts":
        return _page_xml(path, root, index)
    _check_index(path, index, "ALTO" if name == "alto" else "hOCR")
    if name == "alto":
        return _read(Alto(root))
    hocr = Hocr(root)
    read = _read(hocr)
    if not hocr.has_classes:
        raise _no_page(path, "HTML without the classes of hOCR, such as ocr_line")
    return read


def _check_index(path: Path, index: int | None, kind: str) -> None:
    """Raise an error if an index chooses among the texts of a file that has one."""
    if index is not None:
        raise problem(path, Message(Option("index"), f" chooses a TextEquiv of PAGE XML, but this is {kind}"))


def _read(markup: PageXml | Alto | Hocr) -> PageFile:
    return PageFile(["\n".join(lines) for lines in markup.pages()], unknown=markup.unknown)


def _no_page(path: Path, message: str, advice: str = OTHER_FORMATS) -> NotAPageError:
    return NotAPageError(problem(path, message).problems, hints=[advice])


def _page_xml(path: Path, root: Any, index: int | None) -> PageFile:
    page = PageXml(root, index)
    read = _read(page)
    read.lowest = page.lowest
    if page.others and not read.has_text:
        indices = listed(sorted(filter(None, page.others)))
        indices = f"only {indices}" if indices else "none has an index"
        raise problem(path, f"no TextEquiv has the index {index}: {indices}")
    return read


def _plain_text(file: File, data: bytes, encoding: str | None) -> PageFile:
    """Return the pages of a text, each of which may end with a form feed."""
    text = file.decoded(data, None if _is_unicode(data) else encoding)
    if "\0" in text:
        advice = Message("UTF-16 without a byte order mark needs ", Option("encoding", "utf-16-le"))
        raise problem(file, Message("not a text file: it has NUL characters; ", advice))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if (other := not_a_page(text.lstrip())) is not None:
        raise _no_page(file.path, f"this is not the text of a page, but {other[0]}", other[1])
    pages = [page.rstrip() for page in text.split(_FORM_FEED)]
    if len(pages) > 1 and not pages[-1]:
        del pages[-1]
    return PageFile(pages)


def _is_markup(path: Path, data: bytes, beginning: str) -> bool:
    """Return whether a file is one of markup, by its suffix or, for texts, by its root element."""
    if without_compression(path).suffix.lower() in MARKUP_SUFFIXES:
        return True
    if not beginning.startswith("<"):
        return False
    if _PAGE_OR_ALTO.match(beginning):
        return True
    return _HTML.match(beginning) is not None and _HOCR_CLASS.search(data.replace(b"\0", b"")) is not None


def _is_whole(data: bytes) -> bool:
    """Return whether a file of HTML ends where HTML does."""
    return data.replace(b"\0", b"").rstrip().lower().endswith(b"</html>")


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


def _root(file: File, data: bytes, beginning: str, encoding: str | None) -> Any:
    html = _HTML.match(beginning)
    if html is not None and not beginning.lstrip().startswith("<?xml") and "xmlns" not in html[0]:
        return _parsed_html(file, data, encoding)  # HTML that is not XML
    try:
        return _parsed(file, data)
    except InputError:
        # Programs write files that call themselves XHTML and are not well-formed, which browsers read.
        if html is None or not _is_whole(data):
            raise
        return _parsed_html(file, data, encoding)


def _parsed(file: File, data: bytes) -> Any:
    """Parse XML without accessing other resources; declared entities are rejected."""
    from lxml import etree  # noqa: PLC0415 - only for XML

    # Programs for .NET often write UTF-8 and call it UTF-16, in which no declaration is ASCII.
    encoding = "utf-8" if _CALLED_UTF_16.match(data) else None
    # Nothing is loaded from the network or from files, and no entity is replaced.
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        encoding=encoding,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        message = _POSITION.sub("", str(error)) or "it ends too early"
        if "encoding" in message:
            message += "; the first line of XML names its encoding, unless it is UTF-8"
        raise problem(file, f"not well-formed XML: {message}", f"line {error.lineno or 1}") from None
    definitions = root.getroottree().docinfo.internalDTD
    names = [] if definitions is None else [entity.name for entity in definitions.iterentities()]
    if names:
        raise problem(
            file, f"declares an entity ({quoted(names[0])}), which could insert other files; it is not read"
        )
    return root


def _parsed_html(file: File, data: bytes, encoding: str | None) -> Any:
    """Parse HTML that is not XML, in which tags may be left open."""
    from lxml import etree  # noqa: PLC0415 - only for HTML

    text = file.decoded(data, None if _is_unicode(data) else encoding)
    if not _is_whole(data):
        raise problem(file, "ends before </html>: it is not complete", f"line {text.count(chr(10)) + 1}")
    parser = etree.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, encoding="utf-8")
    root = etree.fromstring(text.encode(), parser)
    # This parser does not raise an error where it stops reading.
    for error in parser.error_log.filter_from_fatals():
        message = "tags are nested too deep" if "depth" in error.message else "a text or a tag is too long"
        raise problem(file, f"cannot be read as a whole: {message}", f"line {error.line}")
    return root
