"""The lines of PAGE XML and ALTO in reading order, and words in places where pages have no text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from anls_frame.readers._page_text import Unknown, n_words

_LAST = float("inf")
_CARRIAGE_RETURN = re.compile(r"\r\n?")
_TRANSKRIBUS_INDEX = re.compile(r"readingOrder\s*\{\s*index\s*:\s*(\d+)")
_HYPHENS = "-\u2010\u2011\u00ac\u2e17\u00ad="
"""Characters that end a hyphenated line; old prints have a double hyphen, engines write ¬."""
_CLOSING_MARKS = frozenset(",.;:!?")


def local_name(element: Any) -> str:
    """Return the name of an element without its namespace."""
    name: str = element.tag.rpartition("}")[2]
    return name


def _elements_of_pages(root: Any) -> list[Any]:
    """Return the elements of pages if a file has several, and otherwise the root."""
    pages = [*root.iterfind("{*}Page"), *root.iterfind("{*}Layout/{*}Page")]
    return pages if len(pages) > 1 else [root]


# Reading order


def _starts(root: Any, page: Any, id_: str) -> Iterator[tuple[Any, frozenset[Any]]]:
    """
    Yield the elements of a page in reading order, and last the page, for what the order leaves out.

    Each comes with the elements inside it that have their own place.
    """
    orders = list(root.iter("{*}ReadingOrder"))
    by_id = _by_id(page, id_) if orders else {}
    groups = [group for order in orders for group in order.iterchildren("{*}*")]
    for refs in (refs for group in groups for refs in _units(group, page)):
        elements = [by_id[ref] for ref in refs if ref in by_id]
        placed = frozenset(elements)
        for element in elements:
            yield element, placed
    yield page, frozenset()


def _pages(root: Any, id_: str, read: Callable[[Any, frozenset[Any]], Iterable[str]]) -> list[list[str]]:
    """Return the lines of each page in reading order, as a function reads those of an element."""
    return [
        [
            line
            for element, placed in _starts(root, page, id_)
            for line in read(element, placed)
            if line.strip()
        ]
        for page in _elements_of_pages(root)
    ]


def _by_id(page: Any, id_: str) -> dict[str, Any]:
    """Return the first element with each id; the id of a String means its line."""
    by_id: dict[str, Any] = {}
    for element in _outside_lines(page):
        by_id.setdefault(element.get(id_), element)
    for string in page.iter("{*}String"):
        by_id.setdefault(string.get(id_), string.getparent())
    return by_id


def _units(group: Any, page: Any) -> Iterator[list[str]]:
    """
    Yield the references of a reading order.

    Groups of an unordered group may be alternatives, so that what the first one orders must not depend on the
    others.
    """
    if local_name(group) == "UnorderedGroup":
        yield _own_refs(group)
        for member in group.iterchildren("{*}*"):
            yield list(_refs(member))
    else:
        yield [*_own_refs(group), *(ref for _, refs in _with_omitted(group, page) for ref in refs)]


def _with_omitted(group: Any, page: Any) -> list[tuple[float, list[str]]]:
    """
    Return the references of each member of a group, by index.

    Transkribus omits tables, whose own attributes have the indices that are left free.
    """
    refs = [(_index(member), list(_refs(member))) for member in group.iterchildren("{*}*")]
    taken = {index for index, _ in refs}
    for region in page.iterchildren("{*}*") if local_name(page) == "Page" else page.iterfind("{*}Page/{*}*"):
        index = _TRANSKRIBUS_INDEX.search(region.get("custom", ""))
        if index is not None and int(index[1]) not in taken and _LAST not in taken:
            refs.append((int(index[1]), [region.get("id", "")]))
    return sorted(refs, key=lambda entry: entry[0])


def _refs(group: Any) -> Iterator[str]:
    """Yield the references of a group, by index if it is ordered, otherwise as written."""
    yield from _own_refs(group)
    members = list(group.iterchildren("{*}*"))
    for member in sorted(members, key=_index) if local_name(group).startswith("Ordered") else members:
        yield from _refs(member)


def _own_refs(member: Any) -> list[str]:
    return (member.get("regionRef") or member.get("REF") or "").split()


def _index(element: Any) -> float:
    index = element.get("index")
    try:
        return _LAST if index is None else int(index)
    except ValueError:
        return _LAST


def _outside_lines(element: Any) -> Iterator[Any]:
    """Yield the descendants of an element, except words and letters of lines, which make up most of them."""
    for child in element.iterchildren("{*}*"):
        yield child
        if len(child) and local_name(child) != "TextLine":
            yield from _outside_lines(child)


def _unknown(element: Any, words: int) -> Unknown:
    return Unknown(words, local_name(element), element.sourceline or 0)


# PAGE

_PARTS_OF_LINES = frozenset({"Word", "Glyph", "Graphemes", "Grapheme", "GraphemeGroup", "NonPrintingChar"})


class PageXml:
    """A file of PAGE XML; `index` names the TextEquiv to read, by default the best of each element."""

    def __init__(self, root: Any, index: int | None = None) -> None:
        self.unknown: list[Unknown] = []
        self.others: set[str] = set()
        """The indices of texts that were left out because another index is named; empty for none."""
        self.lowest: Counter[int] = Counter()
        """How many lines have each index as their lowest one."""
        self._root, self._index = root, index
        self._texts: dict[Any, str] = {}
        self._done: set[Any] = set()

    def pages(self) -> list[list[str]]:
        """Return the lines of each page."""
        pages = _pages(self._root, "id", self._read)
        if len(pages) > 1:
            outside = (child for child in self._root.iterchildren("{*}*") if local_name(child) != "Page")
            self._leave_unread(*outside)
        return pages

    def _read(self, element: Any, placed: frozenset[Any]) -> list[str]:
        """Return the lines of an element that were not read before, except those with their own place."""
        name = local_name(element)
        if name in {"TextLine", "Word"}:
            return self._unless_done(element)
        children = [(local_name(child), child) for child in element.iterchildren("{*}*") if len(child)]
        if name != "Page":
            # Smaller regions, such as footnotes, follow the lines of a region.
            children.sort(key=_place)
        texts: list[str] = []
        words: list[str] = []
        for kind, child in children:
            if child in placed or kind == "TextEquiv":
                continue
            if kind == "Word":
                words += self._unless_done(child)
                continue
            texts += [" ".join(words), *self._read(child, placed)]
            words = []
        return [*texts, " ".join(words), *self._own_lines(element)]

    def _unless_done(self, element: Any) -> list[str]:
        if element in self._done:
            return []
        self._done.add(element)
        return [self._text(element)]

    def _own_lines(self, region: Any) -> list[str]:
        """Return the lines of a region's own text, unless lines or regions inside it have text."""
        if region in self._done or region.find("{*}TextEquiv") is None:
            return []
        self._done.add(region)
        name = local_name(region)
        if not (name in {"Page", "TableCell"} or name.endswith("Region")):
            self._leave_unread(*region.iterfind("{*}TextEquiv"))
            return []
        text = self._equivalent(region)
        words = n_words(text)
        inside = self._words_inside(region)
        if not inside:
            return _lines_of(text)
        if words <= 2 * inside and any(self._text(line) for line in region.iterchildren("{*}TextLine")):
            return []  # words may be split in other ways, and lines come first
        if words > inside:
            place = f"{name}, whose lines lack them"
            self.unknown.append(_unknown(region, words - inside)._replace(element=place))
        return []

    def _words_inside(self, region: Any) -> int:
        """Return the number of words of lines, words and regions inside a region."""
        words = 0
        for child in region.iterchildren("{*}*"):
            name = local_name(child)
            if name in {"TextLine", "Word"}:
                words += n_words(self._text(child))
            elif name != "TextEquiv":
                words += self._words_inside(child) or sum(map(_n_words_of, child.iterfind("{*}TextEquiv")))
        return words

    def _text(self, element: Any) -> str:
        """Return the text of a line, a word or a letter: its own, or else that of its parts."""
        text = self._texts.get(element)
        if text is None:
            own = self._equivalent(element)
            own = " ".join(filter(None, _lines_of(own))) if "\n" in own else own
            text = self._texts[element] = own or self._joined(element)
        return text

    def _joined(self, element: Any) -> str:
        """Return the texts of words, separated by spaces, or of letters."""
        texts = []
        for part in element.iterchildren("{*}*"):
            if local_name(part) in _PARTS_OF_LINES:
                texts.append(self._text(part))
            elif local_name(part) != "TextEquiv":
                self._leave_unread(part)
        return (" " if local_name(element) == "TextLine" else "").join(filter(None, texts))

    def _equivalent(self, element: Any) -> str:
        """
        Return the text of an element, with line feeds between its lines.

        Of several texts, it is the one with the lowest index, without indices the one with the highest
        confidence, without either the first; a text with nothing in it gives way to the next.
        """
        ranked = element.findall("{*}TextEquiv")
        if local_name(element) == "TextLine":
            indices = [index for text in ranked if (index := _index(text)) != _LAST and _unicode(text)]
            self.lowest.update(map(int, sorted(indices)[:1]))
        if self._index is not None:
            others = [equivalent for equivalent in ranked if _index(equivalent) != self._index]
            self.others.update(other.get("index", "") for other in others if _unicode(other))
            ranked = [equivalent for equivalent in ranked if _index(equivalent) == self._index]
        elif any(equivalent.get("index") is not None for equivalent in ranked):
            ranked.sort(key=_index)
        else:
            ranked.sort(key=_confidence, reverse=True)
        return next(filter(None, map(_unicode, ranked)), "")

    def _leave_unread(self, *elements: Any) -> None:
        """Take note of texts in places that this reader does not know."""
        for element in elements:
            for equivalent in element.iter("{*}TextEquiv"):
                if words := _n_words_of(equivalent):
                    self.unknown.append(_unknown(equivalent.getparent(), words))


def _place(named: tuple[str, Any]) -> tuple[bool, float]:
    name, child = named
    is_line = name == "TextLine"
    return not is_line, _index(child) if is_line else 0


def _confidence(equivalent: Any) -> float:
    try:
        return float(equivalent.get("conf", ""))
    except ValueError:
        return -_LAST


def _unicode(equivalent: Any) -> str:
    """Return the text of a TextEquiv, from PlainText where Unicode is empty."""
    for name in ("{*}Unicode", "{*}PlainText"):
        element = equivalent.find(name)
        if element is None:
            continue
        text = "".join(element.itertext()) if len(element) else element.text
        if text and not text.isspace():
            return _CARRIAGE_RETURN.sub("\n", text).rstrip("\n") if "\r" in text else text
    return ""


def _n_words_of(equivalent: Any) -> int:
    return n_words(_unicode(equivalent))


def _lines_of(text: str) -> list[str]:
    """Return the lines of a text that may be indented as XML is."""
    lines = text.split("\n")
    is_indented = len(lines) > 1 and not (lines[0].strip() and lines[-1].strip())
    return [line.strip() for line in lines] if is_indented else lines


# ALTO


class Alto:
    """A file of ALTO."""

    def __init__(self, root: Any) -> None:
        self.unknown: list[Unknown] = []
        self._root = root
        self._done: set[Any] = set()

    def pages(self) -> list[list[str]]:
        """Return the lines of each page."""
        pages = _pages(self._root, "ID", self._read)
        if len(pages) > 1:
            words = self._root.iter("{*}String")
            self._leave_unread(word for word in words if next(word.iterancestors("{*}Page"), None) is None)
        return pages

    def _read(self, element: Any, placed: frozenset[Any]) -> list[str]:
        """Return the lines of an element that were not read before, except those with their own place."""
        name = local_name(element)
        if name == "TextLine":
            if element in self._done:
                return []
            self._done.add(element)
            return [self._line(element)]
        if name == "String":
            self._leave_unread([element])
            return []
        children = list(element.iterchildren("{*}*"))
        if name == "Page":
            # The schema puts all margins before the print space.
            children.sort(key=lambda child: local_name(child) == "BottomMargin")
        return [line for child in children if child not in placed for line in self._read(child, placed)]

    def _line(self, line: Any) -> str:
        """Return a line as printed."""
        has_spaces = line.find("{*}SP") is not None
        text = ""
        before: Any = None
        for part in line.iterchildren("{*}*"):
            name = local_name(part)
            if name == "String":
                if before is not None and not self._touch(before, part, has_spaces=has_spaces):
                    text += " "
                text += part.get("CONTENT", "")
                before = part
            elif name == "SP":
                text += " "
                before = None
            elif name == "HYP":
                text += _hyphen(part.get("CONTENT", "-"), text)
            else:
                self._leave_unread(part.iter("{*}String"))
        return text.strip(" ")

    def _touch(self, word: Any, other: Any, *, has_spaces: bool) -> bool:
        """
        Return whether no space belongs between two words of a line, which may have spaces elsewhere.

        Some programs write only some of the spaces of a line. A gap wider than a tenth of the height is one,
        too, unless it is narrower than half of the usual space, as it is before punctuation that has a box of
        its own. No space belongs before a mark that ends a phrase; in a line without spaces, where each word
        follows one, the mark must touch the word.
        """
        if has_spaces == (other.get("CONTENT", "") in _CLOSING_MARKS):
            return has_spaces
        gap = _gap(word, other)
        try:
            height = float(word.get("HEIGHT", ""))
        except ValueError:
            return has_spaces
        return has_spaces if gap is None else gap <= height / 10 or gap < self._usual_space / 2

    @cached_property
    def _usual_space(self) -> float:
        """The median gap between words with a space between them; 0 if it is not known."""
        gaps = [gap for space in self._root.iter("{*}SP") if (gap := _gap_around(space)) is not None]
        return sorted(gaps)[len(gaps) // 2] if gaps else 0.0

    def _leave_unread(self, strings: Iterable[Any]) -> None:
        """Take note of words that are not directly in a line of a page."""
        for string in strings:
            words = n_words(string.get("CONTENT", ""))
            if words and string not in self._done:
                self._done.add(string)
                self.unknown.append(_unknown(string.getparent(), words))


def _hyphen(hyphen: str, text: str) -> str:
    """Return the hyphen printed at the end of a line, unless the last word already has one."""
    if text.endswith(hyphen) or (hyphen in _HYPHENS and text and text[-1] in _HYPHENS):
        return ""
    return "-" if hyphen == "\u00ad" else hyphen


def _gap(word: Any, other: Any) -> float | None:
    """Return the gap between two words of a line, in either direction; None if their boxes are not known."""
    try:
        (left, width), (other_left, other_width) = (
            [float(string.get(name, "")) for name in ("HPOS", "WIDTH")] for string in (word, other)
        )
    except ValueError:
        return None
    return max(other_left - (left + width), left - (other_left + other_width))


def _gap_around(space: Any) -> float | None:
    """Return the gap between the words before and after a space."""
    word, other = space.getprevious(), space.getnext()
    is_between = all(string is not None and local_name(string) == "String" for string in (word, other))
    return _gap(word, other) if is_between else None
