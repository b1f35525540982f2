"""Pages of HTML, read back as elements; one that is not closed in order is an error."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br", "img", "input", "link", "hr", "wbr"}


@dataclass(eq=False)
class Element:
    """An element, with all that stands in it."""

    tag: str
    attributes: dict[str, str | None]
    inside: list[Element] = field(default_factory=list)
    # Each text with the tag of the element that it stands in.
    pieces: list[tuple[str, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What a reader sees of it; of a script or style, its code."""
        return "".join(text for tag, text in self.pieces if tag == self.tag or tag not in ("style", "script"))

    def find(self, *names: str) -> list[Element]:
        """Return the elements in it of these tags, as "td", or of a tag and a class, as "td.number"."""
        return [one for one in self.inside if one.is_any(names)]

    def texts(self, *names: str) -> list[str]:
        """Return the texts of these elements."""
        return [one.text for one in self.find(*names)]

    def is_any(self, names: tuple[str, ...]) -> bool:
        """Return whether it has one of these tags, and the class that is named after it."""
        classes = ["", *(self.attributes.get("class") or "").split()]
        return any(
            tag == self.tag and kind in classes for tag, _, kind in (one.partition(".") for one in names)
        )


class HtmlPage(HTMLParser, Element):
    """All elements of a page or of a part of one, in the order in which they begin."""

    def __init__(self, source: str) -> None:
        HTMLParser.__init__(self)
        Element.__init__(self, "", {})
        self._open: list[Element] = [self]
        self.feed(source)
        self.close()
        assert self._open == [self]

    @property
    def tags(self) -> set[str]:
        """The tags of the page."""
        return {one.tag for one in self.inside}

    @property
    def names(self) -> set[str]:
        """The names of all attributes."""
        return {name for one in self.inside for name in one.attributes}

    def values(self, name: str) -> list[str]:
        """Return the values of an attribute, in all elements that have it."""
        return [one.attributes[name] or "" for one in self.inside if name in one.attributes]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        element = Element(tag, dict(attrs))
        for around in self._open:
            around.inside.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        assert data.isspace() or len(self._open) > 1, f"a text outside of all elements: {data}"
        for around in self._open:
            around.pieces.append((self._open[-1].tag, data))

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")
