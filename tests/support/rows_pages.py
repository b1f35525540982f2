"""Reads a page of rows back, as its script does."""

from __future__ import annotations

import base64
import functools
import gzip
import itertools
import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl


@dataclass
class ReadPage(HTMLParser):
    """The elements of a page, and its columns as lists of values."""

    html: str
    tags: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str | None]] = field(default_factory=list)
    scripts: dict[str, str] = field(default_factory=dict)
    code: str = ""
    style: str = ""
    policy: str = ""
    text: str = ""
    known: dict[str, list[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()
        self._open: dict[str, str | None] | None = None
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._open = {"tag": tag, **dict(attrs)}
        if tag == "meta" and ("http-equiv", "Content-Security-Policy") in attrs:
            self.policy = str(dict(attrs)["content"])

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - of the parser
        self._open = None

    def handle_data(self, data: str) -> None:
        opened = self._open or {}
        if opened.get("tag") == "script":
            if opened.get("id"):
                self.scripts[str(opened["id"])] = data
            else:
                self.code += data
        elif opened.get("tag") == "style":
            self.style += data
        else:
            self.text += data

    @functools.cached_property
    def meta(self) -> dict[str, Any]:
        """What the page says about its columns."""
        found: dict[str, Any] = json.loads(self.scripts["meta"])
        return found

    def column(self, name: str) -> list[Any]:
        """Return the values of a column."""
        if name not in self.known:
            self.known[name] = self._column(name)
        return self.known[name]

    def _column(self, name: str) -> list[Any]:
        described = self.meta["columns"][name]
        codes, pool = (self._part(described[part]) for part in ("codes", "pool"))
        values = [None, *pool]
        return [[values[one] for one in code] if isinstance(code, list) else values[code] for code in codes]

    def _part(self, number: int) -> Any:
        content = json.loads(gzip.decompress(base64.b64decode(self.scripts[f"part-{number}"])))
        return content if isinstance(content, list) else list(itertools.accumulate(content["steps"]))


_RANGE = re.compile(r"[-+.\de]*\.\.[-+.\de]*")
_OPEN = ("-inf", "inf")


class Linked(HTMLParser):
    """The links of a page, and the page of rows within it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.views: list[str] = []
        self.policy = ""
        self.rows: ReadPage | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if "data-view" in named:
            self.views.append(str(named["data-view"]))
        if named.get("http-equiv") == "Content-Security-Policy":
            self.policy = str(named["content"])
        if tag == "iframe":
            self.rows = ReadPage(str(named["srcdoc"]))

    def count(self, view: str) -> int:
        """Return how many rows of the page a view selects."""
        return sum(self.selected(view))

    def selected(self, view: str) -> list[bool]:
        """Return whether a view selects each row of the page."""
        assert self.rows is not None
        conditions = dict(parse_qsl(view))
        sort = conditions.pop("sort", None)
        assert sort is None or sort.removeprefix("-") in self.rows.meta["columns"]
        passed = [self.passes(name, text) for name, text in conditions.items()]
        return (
            [all(of_row) for of_row in zip(*passed, strict=True)]
            if passed
            else [True] * self.rows.meta["rows"]
        )

    @functools.cache  # noqa: B019 - of a page that one test reads
    def passes(self, name: str, text: str) -> list[bool]:
        """Return whether the value of each row in a column passes."""
        assert self.rows is not None
        values = self.rows.column(name)
        if _RANGE.fullmatch(text):
            ends = text.split("..")
            low, high = (float(end or default) for end, default in zip(ends, _OPEN, strict=True))
            return [value is not None and low <= value <= high for value in values]
        wanted = json.loads(f"[{text}]")
        # An empty list passes as null.
        entries = [(value or [None]) if isinstance(value, list) else [value] for value in values]
        return [any(entry in wanted for entry in of_row) for of_row in entries]
