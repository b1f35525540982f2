"""The lines of hOCR, and its words outside of pages."""

from __future__ import annotations

import html
import re
from typing import Any, Literal

from anls_frame.readers._page_text import Unknown, n_words
from anls_frame.readers._page_xml import local_name

_SPACES = re.compile(r"[ \t\r\n\f]+")
_LINES = frozenset({"ocr_line", "ocrx_line", "ocr_header", "ocr_footer", "ocr_caption", "ocr_textfloat"})
_WORDS = frozenset({"ocrx_word", "ocr_word"})
_LETTERS = frozenset({"ocrx_cinfo", "ocr_cinfo"})
_SYMBOLS = frozenset({"ocr_symbol", "ocr_glyph", "ocr_glyphs"})
# Elements of HTML and classes of hOCR that occur within a line; all others begin and end one.
_INLINE_CLASSES = _WORDS | _LETTERS | _SYMBOLS | {"ocr_dropcap", "ocr_math", "ocr_chem"}
_INLINE = "a b big code em font i ins s small span strike strong sub sup tt u"
# "del" has readings that were replaced.
_NO_TEXT = frozenset({"head", "script", "style", "del"})
# Ids of letters that Tesseract considered, not of those that it read.
_CHOICES = re.compile("lstm_choices|choice|timestep")

_Place = Literal["outside", "stray", "page"]
"""Where an element is: outside of pages, outside of pages with a class of hOCR, or in a page."""


class Hocr:
    """A file of hOCR. Without elements of pages, each element with a class of hOCR is part of the page."""

    def __init__(self, root: Any) -> None:
        self.unknown: list[Unknown] = []
        self.has_classes = False
        """Whether an element that was read has a class of hOCR."""
        self._root = root
        self._has_pages = any("ocr_page" in _classes(element) for element in root.iter("{*}*"))
        self._pages: list[list[str]] = [] if self._has_pages else [[]]
        self._place: _Place = "outside"
        self._parts: list[tuple[bool, str]] = []
        """The words and the texts between words since the line began; true for words."""

    def pages(self) -> list[list[str]]:
        """Return the lines of each page."""
        self._read(self._root, in_line=False)
        return self._pages

    def _read(self, element: Any, *, in_line: bool) -> None:
        tag, classes = local_name(element), _classes(element)
        if tag in _NO_TEXT:
            return
        outer = self._place
        hocr = [name for name in classes if name.startswith(("ocr_", "ocrx_"))]
        if hocr:
            self.has_classes = True
            self._enter(hocr)
        if not _WORDS.isdisjoint(hocr):
            self._add(self._word(element), element, is_word=True)
        else:
            is_line = not _LINES.isdisjoint(hocr)
            is_block = tag not in _INLINE.split() or not _INLINE_CLASSES.issuperset(hocr)
            breaks = is_line or (is_block and not in_line)
            if breaks:
                self._end_line()
            elif is_block:
                self._add(" ", element)
            self._read_inside(element, in_line=in_line or is_line)
            if breaks:
                self._end_line()
        self._place = outer

    def _read_inside(self, element: Any, *, in_line: bool) -> None:
        self._add(element.text, element)
        for child in element:
            if isinstance(child.tag, str):
                self._read(child, in_line=in_line)
            else:
                self._add(_entity(child), element)
            self._add(child.tail, element)

    def _enter(self, classes: list[str]) -> None:
        """Note where an element with these classes of hOCR is."""
        if self._place == "page":
            return
        if not self._has_pages:
            self._place = "page"
        elif "ocr_page" in classes:
            self._place = "page"
            self._pages.append([])
        else:
            self._place = "stray"

    def _add(self, text: str | None, element: Any, *, is_word: bool = False) -> None:
        if not text:
            return
        if self._place == "page":
            self._parts.append((is_word, text))
        elif self._place == "stray" and (words := n_words(text)):
            name = element.get("class") or local_name(element)
            self.unknown.append(Unknown(words, name, element.sourceline or 0))

    def _end_line(self) -> None:
        """Add what was read since the last line as a line; a space separates words without text between."""
        if not self._parts:
            return
        line, follows_word = "", False
        for is_word, text in self._parts:
            line += f" {text}" if is_word and follows_word else text
            follows_word = is_word
        self._parts.clear()
        if line := _collapsed(line):
            self._pages[-1].append(line)

    def _word(self, word: Any) -> str:
        """Return the text of a word: its own or, if it has only boxes of letters, these letters."""
        if not len(word):
            return _collapsed(word.text or "")
        texts: list[str] = []
        letters: list[str] = []
        self._read_word(word, texts, letters)
        own, spelled = _collapsed("".join(texts)), "".join(letters)
        if own and spelled and spelled != own.replace(" ", ""):
            self.unknown.append(Unknown(len(letters), "ocrx_cinfo", word.sourceline or 0))
        return own or spelled

    def _read_word(self, element: Any, texts: list[str], letters: list[str]) -> None:
        """Add the own text of a word, and the letters that were read; leave out their alternatives."""
        texts.append(element.text or "")
        for child in element:
            if not isinstance(child.tag, str):
                texts.append(_entity(child))
            elif _LETTERS.isdisjoint(_classes(child)) and _SYMBOLS.isdisjoint(_classes(child)):
                if local_name(child) != "del":
                    self._read_word(child, texts, letters)
            elif _SYMBOLS.isdisjoint(_classes(child)) and not _CHOICES.match(child.get("id", "")):
                has_letters = any(not _LETTERS.isdisjoint(_classes(letter)) for letter in child)
                own = child.text or "" if has_letters else "".join(child.itertext())
                letters.append(_collapsed(own))
            texts.append(child.tail or "")


def _classes(element: Any) -> list[str]:
    names: str = element.get("class", "")
    return names.split()


def _entity(entity: Any) -> str:
    """Return the text of a named entity such as &nbsp;, which XHTML need not declare."""
    return html.unescape(entity.text)


def _collapsed(text: str) -> str:
    return _SPACES.sub(" ", text).strip()
