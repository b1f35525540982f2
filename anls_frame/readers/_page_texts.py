"""The text of a page in plain text, PAGE XML, ALTO or hOCR, which are distinguished by content."""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from anls_frame._text import quoted
from anls_frame.readers import _content
from anls_frame.readers._problems import problem

Kind: TypeAlias = Literal["text", "PAGE", "ALTO", "hOCR"]

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
    """The text of a page, and facts about its file."""

    kind: Kind
    text: str


def read(path: Path, encoding: str | None = None) -> Page:
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
        return Page("text", text.replace("\r\n", "\n").replace("\r", "\n").rstrip())
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
    kind, lines = _READERS[name]
    return Page(kind, "\n".join(line for line in lines(root, path) if line))


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
    refs = [ref for order in root.iter("{*}ReadingOrder") for ref in _refs(order)]
    for region in _in_order(root, "TextRegion", refs, "id"):
        lines = [_page_line(line) for line in _by_index(region.findall("{*}TextLine"))]
        yield from lines if any(lines) else _equivalent(region).split("\n")


def _page_line(line: Any) -> str:
    words = (
        _equivalent(word) or "".join(map(_equivalent, word.iterfind("{*}Glyph")))
        for word in line.iterfind("{*}Word")
    )
    return _equivalent(line) or " ".join(filter(None, words))


def _equivalent(element: Any) -> str:
    """Return the text of an element: of several texts, the one with the lowest index, or else the first."""
    for equivalent in _by_index(element.findall("{*}TextEquiv")):
        for name in ("{*}Unicode", "{*}PlainText"):
            text = equivalent.find(name)
            if text is not None:
                return _text(text)
    return ""


def _by_index(elements: Iterable[Any]) -> list[Any]:
    return sorted(elements, key=_index)


def _index(element: Any) -> float:
    try:
        return int(element.get("index", ""))
    except ValueError:
        return _LAST


# ALTO


def _alto(root: Any, _: Path) -> Iterator[str]:
    refs = [ref for order in root.iter("{*}ReadingOrder") for ref in _refs(order)]
    for block in _in_order(root, "TextBlock", refs, "ID"):
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
    for member in _by_index(members) if is_ordered else members:
        ref = member.get("regionRef") or member.get("REF")
        if ref is not None:
            yield ref
        yield from _refs(member)


def _in_order(root: Any, name: str, refs: list[str], id_: str) -> Iterator[Any]:
    """Yield each element with a name once: the referenced elements, then the others as written."""
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


_READERS: dict[str, tuple[Kind, Callable[[Any, Path], Iterator[str]]]] = {
    "PcGts": ("PAGE", _page),
    "alto": ("ALTO", _alto),
    "html": ("hOCR", _hocr),
}
